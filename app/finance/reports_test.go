package finance_test

import (
	"context"
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

type fakeReports map[string]int

func (f fakeReports) Record(_ context.Context, _ id.Project, news ports.PaymentNews) error {
	f[news.Dispute.Provider]++
	if news.Dispute.Provider == "dp_refused" {
		return errors.New("the order cannot be read")
	}
	return nil
}

// A dispute whose webhook was lost is recorded from the balance report. One that cannot be recorded holds up neither
// the next one nor the fees.
func TestReconciler_reportsDisputes(t *testing.T) {
	t.Parallel()
	b, reports := &books{}, fakeReports{}
	for _, of := range []string{"dp_refused", "dp_lost"} {
		b.changes = append(b.changes, ports.BalanceChange{
			Kind: ports.BalanceNews, Provider: "txn_" + of, At: at(-30), News: ports.PaymentNews{Dispute: &order.DisputeReport{Provider: of}},
		})
	}
	b.changes = append(b.changes, ports.BalanceChange{Kind: ports.BalanceFee, Provider: "txn_1", Amount: usd(-3), At: at(-29)})
	r, kept := newReconciler(b, account(stripe))
	r.Reports = reports
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if reports["dp_refused"] == 0 || reports["dp_lost"] == 0 || len(kept.booked) != 1 {
		t.Errorf("reported %v, booked %+v", reports, kept.booked)
	}
}
