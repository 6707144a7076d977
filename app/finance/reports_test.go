package finance_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeReports counts recorded disputes by the provider's id.
type fakeReports map[string]int

func (f fakeReports) Record(_ context.Context, _ id.Project, news ports.PaymentEvent) error {
	f[news.Dispute.Provider]++
	if news.Dispute.Provider == "dp_refused" {
		return errors.New("the order cannot be read")
	}
	return nil
}

func (b *books) Dispute(_ ports.Outbound, _ id.Project, _ project.PaymentRoute, dispute string) (ports.PaymentEvent, error) {
	if dispute == "dp_unknown" {
		return ports.PaymentEvent{}, errors.New("no such dispute")
	}
	return ports.PaymentEvent{Dispute: &order.DisputeReport{Provider: dispute, Status: order.DisputeLost}}, nil
}

// The reconciler looks up open disputes, because losing one changes no balance and its webhook may be lost.
func TestReconciler_looksUpOpenDisputes(t *testing.T) {
	t.Parallel()
	reports := fakeReports{}
	r, kept := newReconciler(&books{}, account(stripe))
	kept.open = []string{"dp_unknown", "dp_lost"}
	r.Reports = reports
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	if reports["dp_lost"] != 1 || len(reports) != 1 || !kept.before.Equal(noon.Add(-3*24*time.Hour)) || len(kept.steps["stripe"]) == 0 {
		t.Errorf("reported %v, asked for disputes before %s, steps %v", reports, kept.before, kept.steps)
	}
}

// A dispute whose webhook was lost is recorded from the balance report. One that cannot be recorded delays neither
// the next one nor the fees.
func TestReconciler_reportsDisputes(t *testing.T) {
	t.Parallel()
	b, reports := &books{}, fakeReports{}
	for _, of := range []string{"dp_refused", "dp_lost"} {
		b.changes = append(b.changes, ports.BalanceChange{
			Kind:     ports.BalanceNews,
			Provider: "txn_" + of,
			At:       at(-30),
			News:     ports.PaymentEvent{Dispute: &order.DisputeReport{Provider: of}},
		})
	}
	b.changes = append(b.changes, ports.BalanceChange{
		Kind:     ports.BalanceFee,
		Provider: "txn_1",
		Amount:   usd(-3),
		At:       at(-29),
	})
	r, kept := newReconciler(b, account(stripe))
	r.Reports = reports
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	if reports["dp_refused"] == 0 || reports["dp_lost"] == 0 || len(kept.booked) != 1 {
		t.Errorf("reported %v, booked %+v", reports, kept.booked)
	}
}
