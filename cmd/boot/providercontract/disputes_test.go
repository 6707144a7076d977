package providercontract

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	standin "github.com/haggle-commerce/haggle/simulator/provider"
)

// responder is a provider whose disputes can be read and answered.
type responder interface {
	ports.PaymentProvider
	ports.DisputeReader
	ports.DisputeResponder
}

var said = order.Evidence{
	Product:        "1 × Trail Tent",
	Carrier:        "Hermes",
	TrackingNumber: "42",
	ShippedOn:      "2026-03-05",
	Communication:  "“It arrived.”",
	Receipt:        "Order HG-1: 49.90 USD.",
	Note:           strings.Repeat("é", order.MostEvidence),
}

// eachResponder runs a test with a disputed payment at each provider. path is the path of its disputes.
func eachResponder(t *testing.T, test func(t *testing.T, l *fakeProvider, p responder, a ports.PaymentAccount, dispute, path string)) {
	for name, made := range map[string]struct {
		of     func(*fakeProvider) responder
		a      ports.PaymentAccount
		method project.PaymentMethod
		path   string
	}{
		"stripe": {func(l *fakeProvider) responder { return l.stripe() }, account, project.SharedPaymentToken, "/v1/disputes/"},
		"paypal": {func(l *fakeProvider) responder { return l.paypal() }, wallet, project.BillingAgreement, "/v1/customer/disputes/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, standin.Config{})
			p, token := made.of(l), ""
			if name == "stripe" {
				token = l.token(t, "")
			} else {
				token = l.agreement(t, "")
			}
			outcome, err := p.Charge(ports.NewOutbound(t.Context()), made.a, request(made.method, token, 1, time.Now()))
			paid, ok := outcome.(checkout.Paid)
			if !ok {
				t.Fatal(outcome, err)
			}
			dispute := l.control(t, "disputes", map[string]any{"charge": paid.Provider})["id"].(string)
			test(t, l, p, made.a, dispute, made.path)
		})
	}
}

// Evidence puts a dispute under review. The same evidence again is found at the provider and not sent twice; different evidence
// is refused.
func TestDisputeEvidence(t *testing.T) {
	t.Parallel()
	eachResponder(t, func(t *testing.T, l *fakeProvider, p responder, a ports.PaymentAccount, dispute, path string) {
		ctx, r := ports.NewOutbound(t.Context()), ports.DisputeRequest{Dispute: dispute, Evidence: said}
		news, err := p.Dispute(ctx, a, dispute)
		if d := news.Dispute; err != nil || d == nil || d.Response != order.ResponseNeeded || time.Until(d.DueBy) < 6*24*time.Hour || time.Until(d.DueBy) > 7*24*time.Hour {
			t.Fatalf("opened: %+v, %v", news.Dispute, err)
		}
		for i := range 2 {
			reply, err := p.SubmitEvidence(ctx, a, r)
			if err != nil || !reply.Done || reply.Report.Status != order.DisputeOpen || reply.Report.Response != order.UnderReview || reply.Report.Provider != dispute {
				t.Errorf("submission %d: %+v, %v", i+1, reply, err)
			}
		}
		r.Evidence.Note = "Something else."
		if reply, err := p.SubmitEvidence(ctx, a, r); err != nil || reply.Done || reply.Report.Response != order.UnderReview {
			t.Errorf("other evidence: %+v, %v", reply, err)
		}
		if reply, err := p.AcceptDispute(ctx, a, r); err != nil || reply.Done {
			t.Errorf("accepted under review: %+v, %v", reply, err)
		}
		if n := l.count("POST "+path+dispute) + l.count("POST "+path+dispute+"/provide-evidence"); n != 1 {
			t.Errorf("sent %d times", n)
		}
		l.control(t, "disputes/close", map[string]any{"dispute": dispute, "outcome": "won"})
		if reply, err := p.SubmitEvidence(ctx, a, r); err != nil || reply.Done || reply.Report.Status != order.DisputeWon {
			t.Errorf("evidence of a dispute that is won: %+v, %v", reply, err)
		}
	})
}

// If the response to evidence is lost, a retry finds the evidence at the provider.
func TestDisputeEvidence_answerLost(t *testing.T) {
	t.Parallel()
	eachResponder(t, func(t *testing.T, l *fakeProvider, p responder, a ports.PaymentAccount, dispute, _ string) {
		l.control(t, "faults", map[string]any{"fault": "reset_after", "operation": "dispute", "count": 1})
		reply, err := p.SubmitEvidence(ports.NewOutbound(t.Context()), a, ports.DisputeRequest{Dispute: dispute, Evidence: said})
		if err != nil || !reply.Done || reply.Report.Response != order.UnderReview {
			t.Errorf("%+v, %v", reply, err)
		}
	})
}

func TestDisputeAccepted(t *testing.T) {
	t.Parallel()
	eachResponder(t, func(t *testing.T, _ *fakeProvider, p responder, a ports.PaymentAccount, dispute, _ string) {
		ctx, r := ports.NewOutbound(t.Context()), ports.DisputeRequest{Dispute: dispute, Evidence: said}
		for i := range 2 {
			reply, err := p.AcceptDispute(ctx, a, r)
			if err != nil || !reply.Done || reply.Report.Status != order.DisputeLost || reply.Report.Response != order.ResponseClosed {
				t.Errorf("acceptance %d: %+v, %v", i+1, reply, err)
			}
		}
		var refusal *ports.DisputeRefusal
		r.Dispute = "du_unknown"
		if _, err := p.SubmitEvidence(ctx, a, r); !errors.As(err, &refusal) || refusal.Code == "" {
			t.Errorf("an unknown dispute: %v", err)
		}
	})
}
