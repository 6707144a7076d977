package sandbox

import (
	"context"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func (m *fakeLedger) OpenDispute(_ context.Context, _ id.Project, d ports.SandboxDispute) (ports.SandboxDispute, bool, error) {
	for _, stored := range m.disputes {
		if stored.Charge == d.Charge {
			return stored, true, nil
		}
	}
	for _, c := range m.charges {
		if c.ID == d.Charge && c.Result == paid && c.Amount.Minor() >= d.Amount.Minor() {
			m.disputes[d.ID] = d
			return d, true, nil
		}
	}
	return d, false, nil
}

func (m *fakeLedger) DisputeByID(_ context.Context, _ id.Project, of string) (ports.SandboxDispute, error) {
	if d, ok := m.disputes[of]; ok {
		return d, nil
	}
	return ports.SandboxDispute{}, fault.Missing("dispute")
}

func (m *fakeLedger) DecideDispute(ctx context.Context, in id.Project, d ports.SandboxDispute) (ports.SandboxDispute, error) {
	stored, err := m.DisputeByID(ctx, in, d.ID)
	if err == nil && stored.Response == order.ResponseNeeded {
		stored.Status, stored.Response, stored.Evidence, stored.At = d.Status, d.Response, d.Evidence, d.At
		m.disputes[d.ID] = stored
	}
	return stored, err
}

// disputed returns a provider with a disputed payment.
func disputed(t *testing.T) (Provider, ports.DisputeRequest) {
	t.Helper()
	p, _ := newProvider(t)
	outcome, err := charge(p, request("chk-1", "spt_sandbox_ok", project.SharedPaymentToken))
	if err != nil {
		t.Fatal(err)
	}
	of := outcome.(checkout.Paid).Provider
	made, err := p.OpenDispute(ports.NewOutbound(t.Context()), id.Project{}, of, "fraudulent", money.Of(100, money.USD))
	if err != nil || made.Charge != of || made.Response != order.ResponseNeeded || made.Withdrawn.Minor() != 100 || made.Fee.Minor() != disputeFee || time.Until(made.DueBy) < 6*24*time.Hour {
		t.Fatalf("%+v, %v", made, err)
	}
	again, err := p.OpenDispute(ports.NewOutbound(t.Context()), id.Project{}, of, "duplicate", money.Of(100, money.USD))
	if err != nil || again.Provider != made.Provider || again.Reason != "fraudulent" {
		t.Errorf("disputed again: %+v, %v", again, err)
	}
	return p, ports.DisputeRequest{Dispute: made.Provider}
}

func TestSubmitEvidence(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]struct {
		status    order.DisputeStatus
		withdrawn int64
	}{
		"It was delivered.": {order.DisputeOpen, 100},
		winning:             {order.DisputeWon, 0},
		losing:              {order.DisputeLost, 100},
	} {
		p, r := disputed(t)
		r.Evidence = order.Evidence{Note: note}
		for range 2 { // the repeated request returns the same
			reply, err := p.SubmitEvidence(ports.NewOutbound(t.Context()), ports.PaymentAccount{}, r)
			if err != nil || !reply.Done || reply.Report.Status != want.status || reply.Report.Withdrawn.Minor() != want.withdrawn || reply.Report.Response == order.ResponseNeeded {
				t.Errorf("%s: %+v, %v", note, reply, err)
			}
		}
		r.Evidence.Note = "Something else."
		if reply, err := p.SubmitEvidence(ports.NewOutbound(t.Context()), ports.PaymentAccount{}, r); err != nil || reply.Done {
			t.Errorf("%s: other evidence: %+v, %v", note, reply, err)
		}
	}
}

func TestAcceptDispute(t *testing.T) {
	t.Parallel()
	p, r := disputed(t)
	for range 2 {
		reply, err := p.AcceptDispute(ports.NewOutbound(t.Context()), ports.PaymentAccount{}, r)
		if err != nil || !reply.Done || reply.Report.Status != order.DisputeLost {
			t.Errorf("%+v, %v", reply, err)
		}
	}
	for amount, reason := range map[int64]string{101: "fraudulent", 100: "Fraud!"} {
		if _, err := p.OpenDispute(ports.NewOutbound(t.Context()), id.Project{}, "ch_none", reason, money.Of(amount, money.USD)); !fault.Is(err, "validation_error") {
			t.Errorf("%d %s: %v", amount, reason, err)
		}
	}
}
