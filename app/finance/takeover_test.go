package finance_test

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// A project that takes over the booking of an account continues where the previous one stopped, even days ago, for example
// because the key had been revoked long before the account was disconnected.
func TestReconciler_takesOver(t *testing.T) {
	t.Parallel()
	a := account(stripe)
	b := &books{since: a.Now.Add(-10 * 24 * time.Hour)}
	b.changes = []ports.BalanceChange{
		{Kind: ports.BalancePayout, Provider: "po_1", Amount: usd(-97), At: a.Now.Add(-5 * 24 * time.Hour)},
	}
	a.Booked = a.Now.Add(-time.Hour)
	r, kept := newReconciler(b, a)
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(kept.booked) != 1 {
		t.Errorf("booked %+v, want the payout of five days ago; nobody booked since %s", kept.booked, b.since)
	}
}

// Withdrawals and fees for a dispute of an orphaned charge are booked from the balance report. Those of an order's payment
// are booked by the dispute's webhooks.
func TestReconciler_disputeOfAnOrphan(t *testing.T) {
	t.Parallel()
	for _, state := range []ports.MovementState{ports.MovementOrphan, ports.MovementOwed} {
		b := &books{others: true, moved: []ports.Moved{
			{Route: stripe, Order: id.New[id.Order]([16]byte{4}), Payment: payment(4), Provider: "pi_paid", Amount: usd(100), At: at(-30)},
		}}
		b.known = []ports.KnownMovement{
			{Moved: ports.Moved{
				Route:    stripe,
				Provider: "pi_orphan",
				Amount:   usd(50),
			}, State: state},
			{Moved: ports.Moved{Route: stripe, Amount: usd(50)}, Key: "orphan-1", State: state}, // not refunded yet
		}
		b.changes = []ports.BalanceChange{
			{Kind: ports.BalanceFee, Provider: "txn_1", Charge: "pi_orphan", Amount: usd(-3), At: at(-29)},
			{Kind: ports.BalanceDispute, Provider: "txn_2", Charge: "pi_orphan", Amount: usd(-65), At: at(-25)},
			{Kind: ports.BalanceDispute, Provider: "txn_3", Charge: "pi_paid", Amount: usd(-115), At: at(-25)},
			{Kind: ports.BalanceDispute, Provider: "txn_4", Charge: "pi_elsewhere", Amount: usd(-9), At: at(-25)},
			{Kind: ports.BalancePayout, Provider: "po_1", Amount: usd(-97), At: at(-20)}, // another project books these
		}
		r, kept := newReconciler(b, account(stripe))
		if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
			t.Fatal(err)
		}
		var booked []string
		for _, k := range kept.booked {
			booked = append(booked, k.Kind.String()+" "+k.Reference)
		}
		if want := []string{"fee txn_1", "adjustment txn_2"}; !slices.Equal(booked, want) {
			t.Errorf("%s: booked %v, want %v", state, booked, want)
		}
	}
}
