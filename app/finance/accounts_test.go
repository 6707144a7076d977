package finance_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/ports"
)

// Two projects with one account both book the fees of their charges, but only one books the payouts.
func TestReconciler_sharedAccount(t *testing.T) {
	t.Parallel()
	for _, others := range []bool{false, true} {
		b := &books{others: others, moved: []ports.Moved{
			{Route: stripe, Order: id.New[id.Order]([16]byte{4}), Payment: payment(4), Provider: "pi_1", Amount: usd(100), At: at(-30)},
		}}
		b.changes = []ports.BalanceChange{
			{Kind: ports.BalanceFee, Provider: "txn_1", Charge: "pi_1", Amount: usd(-3), At: at(-29)},
			{Kind: ports.BalanceFee, Provider: "fee_1", Amount: usd(-2), At: at(-29)},
			{Kind: ports.BalancePayout, Provider: "po_1", Amount: usd(-97), At: at(-20)},
		}
		r, kept := newReconciler(b, account(stripe))
		if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
			t.Fatal(err)
		}
		payouts := 0
		for _, booked := range kept.booked {
			if booked.Kind == ledger.PayoutKind {
				payouts++
			}
		}
		if want := map[bool]int{false: 3, true: 1}[others]; len(kept.booked) != want || (payouts == 0) != others {
			t.Errorf("others %t: booked %+v", others, kept.booked)
		}
	}
}
