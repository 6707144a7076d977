package negotiation

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// A suggested bundle expires at its ValidUntil, and follow-up questions do not extend it.
func TestQuote_Resume_expiredBundle(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	policy := Builtin()
	signals := Signals{
		List:       money.Of(100_00, money.USD),
		Negotiable: true,
		Quantity:   1,
		Stock:      10,
		CartValue:  money.Zero(money.USD),
	}
	q := Start(id.New[id.Quote]([16]byte{1}), id.Project{}, Item{Quantity: 1}, policy, signals, nil, now)
	q.Suggest(&Bundle{
		Name:       "Lantern",
		Price:      money.Of(40_00, money.USD),
		ValidUntil: now.Add(Validity),
	})

	later := now.Add(Validity - time.Minute)
	if err := q.Resume(policy, signals, later); err != nil || q.Snapshot().Bundle == nil {
		t.Fatalf("before its time is over: %v, bundle %v", err, q.Snapshot().Bundle)
	}
	asked := q.Table(policy.Terms(signals), nil)
	q.Record(asked, Decide(asked), later)
	end := now.Add(Validity)
	if next := Start(id.New[id.Quote]([16]byte{2}), id.Project{}, Item{Quantity: 1}, policy, signals, q, end); next.Snapshot().Bundle != nil {
		t.Error("a new quote took up a bundle that was over")
	}
	if err := q.Resume(policy, signals, end); err != nil || q.Snapshot().Bundle != nil {
		t.Errorf("when its time is over: %v, bundle %v", err, q.Snapshot().Bundle)
	}
}
