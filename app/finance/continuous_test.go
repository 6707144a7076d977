package finance_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeReconciliations leases each queued comparison once, and again if a step is recorded as due at once.
type fakeReconciliations struct {
	ports.Reconciliations
	mu     sync.Mutex
	queue  []*ports.Reconciliation
	steps  map[string][]ports.ReconciledStep // by provider
	aside  map[string]time.Duration
	booked []ledger.Transaction
	until  time.Time // which changes are booked
	open   []string  // disputes
	before time.Time // the argument of the last OpenDisputes
}

func (f *fakeReconciliations) OpenDisputes(_ context.Context, _ *ports.Reconciliation, before time.Time, _ int) ([]string, error) {
	f.before = before
	return f.open, nil
}

func (f *fakeReconciliations) Enroll(context.Context) error { return nil }

func (f *fakeReconciliations) Claim(_ context.Context, _ time.Duration, failed bool) (*ports.Reconciliation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, r := range f.queue {
		if r.Failures == 0 || failed {
			f.queue = slices.Delete(f.queue, i, i+1)
			return r, nil
		}
	}
	return nil, nil
}

func (f *fakeReconciliations) Record(_ context.Context, r *ports.Reconciliation, s ports.ReconciledStep, announce ports.Announce) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps[r.Route.Provider] = append(f.steps[r.Route.Provider], s)
	if !s.Due.After(r.Now) {
		next := *r
		next.Progress = s.Next
		f.queue = append(f.queue, &next)
	}
	return nil
}

func (f *fakeReconciliations) Book(_ context.Context, r *ports.Reconciliation, changes []ledger.Transaction, until time.Time) (int, error) {
	f.booked, f.until = append(f.booked, changes...), until
	return len(changes), nil
}

func (f *fakeReconciliations) SetAside(_ context.Context, r *ports.Reconciliation, pause time.Duration, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aside[r.Route.Provider] = pause
	return nil
}

type fakeEntropy struct{ ports.Entropy }

func (fakeEntropy) Bits128() (bits [16]byte) { return bits }

func (e fakeEntropy) IDBits() [16]byte { return e.Bits128() }

// account is a provider's account under reconciliation, claimed at noon.
func account(r project.PaymentRoute) *ports.Reconciliation {
	return &ports.Reconciliation{
		Route:  r,
		Now:    noon,
		Booked: noon.Add(-time.Hour),
	}
}

func newReconciler(b *books, queue ...*ports.Reconciliation) (*finance.Reconciler, *fakeReconciliations) {
	kept := &fakeReconciliations{
		queue: queue,
		steps: map[string][]ports.ReconciledStep{},
		aside: map[string]time.Duration{},
	}
	return &finance.Reconciler{
		Service: &finance.Service{
			Stores: &ports.Stores{
				Payments: b,
			},
			Gateway: b,
		},
		Reconciliations: kept,
		Balances:        b,
		Accounts:        b,
		Purchases:       b,
		Entropy:         fakeEntropy{},
		Log:             slog.New(slog.DiscardHandler),
		Announced:       func() {},
	}, kept
}

// A round compares the windows of older differences, and yesterday and today without a gap, up to the minimum age.
func TestReconciler_windows(t *testing.T) {
	t.Parallel()
	claimed := account(stripe)
	old := noon.Add(-100 * time.Hour)
	claimed.Unexplained = []time.Time{old, old.Add(time.Hour), noon.Add(-20 * time.Hour)}
	r, kept := newReconciler(&books{}, claimed)
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	steps := kept.steps["stripe"]
	if len(steps) != 7 || !steps[0].Begins || steps[1].Begins || !steps[0].From.Equal(old) || !steps[0].To.Equal(old.Add(6*time.Hour)) {
		t.Fatalf("%d steps, first %+v", len(steps), steps[0])
	}
	at := noon.Truncate(24 * time.Hour).Add(-24 * time.Hour)
	for _, s := range steps[1:] {
		if !s.From.Equal(at) {
			t.Errorf("a window begins at %s, not %s", s.From, at)
		}
		at = s.To
	}
	last := steps[len(steps)-1]
	if !last.To.Equal(noon.Add(-10*time.Minute)) || !last.Next.IsZero() || !last.Due.Equal(noon.Add(time.Hour)) {
		t.Errorf("the last step is %+v", last)
	}
}

// laggingBooks is books whose provider's statement shows movements three hours late.
type laggingBooks struct{ *books }

func (laggingBooks) StatementLag(project.PaymentRoute) time.Duration { return 3 * time.Hour }

func TestReconciler_statementLag(t *testing.T) {
	t.Parallel()
	b := &books{moved: []ports.Moved{{Route: stripe, Payment: payment(1), Provider: "C1", Amount: usd(100), At: at(-60)}}}
	r, kept := newReconciler(b, account(stripe))
	r.Gateway = laggingBooks{b}
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	steps := kept.steps["stripe"]
	if last := steps[len(steps)-1]; len(last.Unexplained) > 0 || !last.To.Equal(at(-190)) {
		t.Errorf("compared until %s, unexplained %+v", last.To, last.Unexplained)
	}
}

// Providers that hang are paused and do not delay others.
func TestReconciler_providerHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &books{hang: map[string]bool{}}
		var queue []*ports.Reconciliation
		for n := range 6 {
			name := fmt.Sprint("hanging-", n)
			b.hang[name] = true
			c := account(project.PaymentRoute{Provider: name})
			c.Failures = 2
			queue = append(queue, c)
		}
		r, kept := newReconciler(b, append(queue, account(stripe))...)
		go r.Run(ports.NewOutbound(t.Context()))
		synctest.Wait()
		kept.mu.Lock()
		if len(kept.steps["stripe"]) != 6 {
			t.Errorf("%d of 6 steps are made while others hang", len(kept.steps["stripe"]))
		}
		kept.mu.Unlock()
		time.Sleep(10 * time.Minute)
		if kept.aside["hanging-0"] != 4*time.Minute {
			t.Errorf("set aside: %v", kept.aside)
		}
	})
}

// A charge with our key and without an order is passed to Purchases, and is explained once it is recorded.
func TestReconciler_chargeWithoutOrder(t *testing.T) {
	t.Parallel()
	shop := id.New[id.Project]([16]byte{9})
	key := checkout.AttemptKey(id.New[id.Checkout]([16]byte{7}), 1)
	b := &books{statements: map[project.PaymentRoute][]ports.Movement{stripe: {
		{Provider: "pi_1", Key: key, Project: shop.String(), Amount: usd(10), At: at(-60)},
		{Provider: "pi_2", Key: key, Project: "proj_other", Amount: usd(10), At: at(-60)},
		{Provider: "pi_3", Amount: usd(10), At: at(-60)},
		{Refund: true, Provider: "re_1", Amount: usd(10), At: at(-60)},
		{Refund: true, Provider: "re_2", Charge: "pi_ours", Amount: usd(10), At: at(-60)},
	}}}
	b.known = []ports.KnownMovement{{Moved: ports.Moved{Route: stripe, Provider: "pi_ours"}, State: ports.MovementRecorded}}
	claimed := account(stripe)
	claimed.Project = shop
	r, kept := newReconciler(b, claimed)
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.passedOn, []string{shop.String() + " " + key + " pi_1"}) {
		t.Errorf("passed on %v", b.passedOn)
	}
	last := kept.steps["stripe"][len(kept.steps["stripe"])-1]
	if last.Found != 5 || len(last.Unexplained) != 1 || last.Unexplained[0].Provider != "re_2" {
		t.Errorf("%d found, unexplained %+v", last.Found, last.Unexplained)
	}
}

// RecordOutcome records a charge as being in flight.
func (b *books) RecordOutcome(_ context.Context, p id.Project, key string, outcome checkout.Outcome) error {
	charge := outcome.(checkout.Paid).Provider
	b.passedOn = append(b.passedOn, p.String()+" "+key+" "+charge)
	b.known = append(b.known, ports.KnownMovement{Moved: ports.Moved{Route: stripe, Provider: charge}, State: ports.MovementInFlight})
	return nil
}

func (b *books) BalanceChanges(_ ports.Outbound, s ports.StatementRequest, each func(ports.BalanceChange) error) error {
	var failed error
	for _, c := range b.changes {
		if !c.At.Before(s.From) && c.At.Before(s.To) {
			failed = errors.Join(failed, each(c))
		}
	}
	return errors.Join(failed, b.broken)
}

// An account that was not read for two weeks, with more changes than one part may have, is booked part by part.
// Changes that the provider reports late are booked, too.
func TestReconciler_booksBusyAccount(t *testing.T) {
	t.Parallel()
	b := &books{}
	busy := account(stripe)
	busy.Booked = noon.Add(-14 * 24 * time.Hour)
	const count = 60_000
	for n := range count {
		b.changes = append(b.changes, ports.BalanceChange{
			Kind:     ports.BalanceFee,
			Provider: fmt.Sprint("txn_", n),
			Amount:   usd(-3),
			At:       busy.Booked.Add(time.Duration(n) * 20 * time.Second),
		})
	}
	b.changes = append(b.changes, ports.BalanceChange{
		Kind:     ports.BalanceFee,
		Provider: "txn_late",
		Amount:   usd(-3),
		At:       busy.Booked.Add(-50 * time.Hour),
	})
	r, kept := newReconciler(b, busy)
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, booked := range kept.booked {
		names[booked.Reference] = true
	}
	if len(names) != count+1 || len(kept.booked) != count+1 || !kept.until.Equal(noon) {
		t.Errorf("%d of %d changes are booked, until %s", len(names), count+1, kept.until)
	}
}

// Fees are booked with their order, payouts without one.
func TestReconciler_booksFeesAndPayouts(t *testing.T) {
	t.Parallel()
	sold := ports.Moved{
		Route:    stripe,
		Order:    id.New[id.Order]([16]byte{4}),
		Payment:  payment(4),
		Provider: "pi_1",
		Amount:   usd(100),
		At:       at(-30),
	}
	b := &books{
		moved:      []ports.Moved{sold},
		statements: map[project.PaymentRoute][]ports.Movement{stripe: {{Provider: "pi_1", Amount: usd(100), At: at(-30)}}},
		changes: []ports.BalanceChange{
			{Kind: ports.BalanceFee, Provider: "txn_1", Charge: "pi_1", Amount: usd(-3), At: at(-29)},
			{Kind: ports.BalanceFee, Provider: "txn_2", Charge: "pi_2", Amount: usd(-3), At: at(-28)}, // of another shop's
			{Kind: ports.BalancePayout, Provider: "po_1", Amount: usd(-97), At: at(-20)},
			{Kind: ports.BalanceOther, Provider: "adj_1", Amount: usd(5), At: at(-19)},
		},
	}
	r, kept := newReconciler(b, account(stripe))
	if err := r.Run(ports.NewOutbound(t.Context())); err != nil {
		t.Fatal(err)
	}
	want := []ledger.Transaction{
		ledger.Change(ledger.FeeKind, ledger.Transaction{
			Provider:  "stripe",
			Reference: "txn_1",
			Order:     sold.Order,
			Payment:   sold.Payment,
			At:        at(-29),
		}, usd(-3)),
		ledger.Change(ledger.PayoutKind, ledger.Transaction{
			Provider:  "stripe",
			Reference: "po_1",
			At:        at(-20),
		}, usd(-97)),
		ledger.Change(ledger.AdjustmentKind, ledger.Transaction{
			Provider:  "stripe",
			Reference: "adj_1",
			At:        at(-19),
		}, usd(5)),
	}
	if len(kept.booked) != len(want) {
		t.Fatalf("booked %+v", kept.booked)
	}
	for i, b := range kept.booked {
		b.ID = want[i].ID
		if fmt.Sprint(b) != fmt.Sprint(want[i]) {
			t.Errorf("booked\n%+v\nnot\n%+v", b, want[i])
		}
	}
}
