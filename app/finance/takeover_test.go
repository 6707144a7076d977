package finance_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

// Whoever takes an account over goes on where the one before stopped, also if that was long ago: its key had been
// revoked for days before it was disconnected.
func TestReconciler_takesOver(t *testing.T) {
	t.Parallel()
	a := account(stripe)
	b := &books{since: a.Now.Add(-10 * 24 * time.Hour)}
	b.changes = []ports.BalanceChange{
		{Kind: ports.BalancePayout, Provider: "po_1", Amount: usd(-97), At: a.Now.Add(-5 * 24 * time.Hour)},
	}
	a.Booked = a.Now.Add(-time.Hour)
	r, kept := newReconciler(b, a)
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(kept.booked) != 1 {
		t.Errorf("booked %+v, want the payout of five days ago; nobody booked since %s", kept.booked, b.since)
	}
}
