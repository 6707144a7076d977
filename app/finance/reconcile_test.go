package finance_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	noon    = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	sandbox = project.PaymentRoute{Provider: project.SandboxProvider}
	stripe  = project.PaymentRoute{Provider: "stripe", Integration: id.New[id.Integration]([16]byte{1})}
)

func usd(minor int64) money.Amount         { return money.Of(minor, money.USD) }
func payment(n byte) id.Payment            { return id.New[id.Payment]([16]byte{n}) }
func refund(n byte) id.Refund              { return id.New[id.Refund]([16]byte{n}) }
func at(minutes int) time.Time             { return noon.Add(time.Duration(minutes) * time.Minute) }
func pointer(a money.Amount) *money.Amount { return &a }

// payments is an alias for embedding, because ports.Payments has a method Payments.
type payments = ports.Payments

// books fakes both sides: our movements and each provider's statement.
type books struct {
	payments
	ports.Gateway
	moved      []ports.Moved
	known      []ports.KnownMovement // in addition to moved
	statements map[project.PaymentRoute][]ports.Movement
	broken     error
	hang       map[string]bool // providers that do not answer
	passedOn   []string        // charges without an order
	changes    []ports.BalanceChange
	since      time.Time // when this project took over the booking of the account
	others     bool      // another project books changes of the account itself
}

func (b *books) AccountBooked(_ context.Context, c *ports.Reconciliation) (ports.AccountBooked, error) {
	if !b.since.IsZero() {
		return ports.AccountBooked{
			Books:  true,
			Others: b.since,
			Until:  b.since,
		}, nil
	}
	return ports.AccountBooked{Books: !b.others, Until: c.Booked}, nil
}

func (b *books) Moved(_ context.Context, _ id.Project, from, to time.Time, limit int) (list []ports.Moved, err error) {
	for _, m := range b.moved {
		if !m.At.Before(from) && m.At.Before(to) && len(list) < limit {
			list = append(list, m)
		}
	}
	return list, nil
}

// FindMovements returns all known movements; the comparison picks those that it needs.
func (b *books) FindMovements(_ context.Context, _ id.Project, route project.PaymentRoute, _ []ports.Movement) ([]ports.KnownMovement, error) {
	known := slices.Clone(b.known)
	for _, m := range b.moved {
		if m.Route != route {
			continue
		}
		key := ""
		if !m.Refund.IsZero() {
			key = m.Refund.String()
		}
		known = append(known, ports.KnownMovement{
			Moved: m,
			Key:   key,
			State: ports.MovementRecorded,
		})
	}
	return known, nil
}

func (b *books) Statement(ctx ports.Outbound, s ports.StatementRequest, each func(ports.Movement) error) error {
	if b.hang[s.Route.Provider] {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, m := range b.statements[s.Route] {
		if m.At.Before(s.From) || !m.At.Before(s.To) {
			continue
		}
		if err := each(m); err != nil {
			return err
		}
	}
	return b.broken
}

func reconcile(t *testing.T, b *books) []finance.Report {
	t.Helper()
	service := &finance.Service{
		Stores: &ports.Stores{
			Payments: b,
		},
		Gateway: b,
		Sandbox: true,
	}
	reports, err := service.Reconcile(ports.NewOutbound(t.Context()), &project.Project{}, noon, at(60))
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

func TestReconcile_booksAgree(t *testing.T) {
	t.Parallel()
	b := &books{
		moved: []ports.Moved{
			{Route: sandbox, Payment: payment(1), Provider: "ch_1", Amount: usd(100), At: at(1)},
			{Route: sandbox, Payment: payment(1), Refund: refund(1), Provider: "re_1", Amount: usd(30), At: at(2)},
			{Route: stripe, Payment: payment(2), Provider: "ch_1", Amount: usd(7), At: at(3)},
		},
		statements: map[project.PaymentRoute][]ports.Movement{
			sandbox: {
				{Refund: true, Provider: "re_1", Key: refund(1).String(), Amount: usd(30), At: at(2)},
				{Provider: "ch_1", Amount: usd(100), At: at(1)},
			},
			stripe: {{Provider: "ch_1", Amount: usd(7), At: at(3)}},
		},
	}
	want := []finance.Report{
		{Route: sandbox, Matched: 2, Ours: []money.Amount{usd(70)}, Theirs: []money.Amount{usd(70)}},
		{Route: stripe, Matched: 1, Ours: []money.Amount{usd(7)}, Theirs: []money.Amount{usd(7)}},
	}
	if got := reconcile(t, b); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestReconcile_differencesByWeight(t *testing.T) {
	t.Parallel()
	b := &books{
		moved: []ports.Moved{
			{Route: sandbox, Payment: payment(1), Provider: "ch_1", Amount: usd(100), At: at(1)}, // not there
			{Route: sandbox, Payment: payment(2), Provider: "ch_2", Amount: usd(50), At: at(1)},  // another amount there
		},
		statements: map[project.PaymentRoute][]ports.Movement{sandbox: {
			{Refund: true, Provider: "re_9", Key: refund(9).String(), Amount: usd(3), At: at(1)},
			{Provider: "ch_2", Amount: usd(51), At: at(1)},
			{Provider: "ch_3", Key: "chk_1-1", Amount: usd(7), At: at(1)},
			{Refund: true, Provider: "ch_1", Key: "chk_1", Amount: usd(100), At: at(1)}, // a refund is no charge
		}},
	}
	got := reconcile(t, b)[0]
	want := []ports.MoneyDifference{
		{Reference: "chk_1-1", Provider: "ch_3", Theirs: pointer(usd(7)), At: at(1)},
		{Payment: payment(2), Reference: payment(2).String(), Provider: "ch_2", Ours: pointer(usd(50)), Theirs: pointer(usd(51)), At: at(1)},
		{Payment: payment(1), Reference: payment(1).String(), Provider: "ch_1", Ours: pointer(usd(100)), At: at(1)},
		{Refund: true, Reference: "chk_1", Provider: "ch_1", Theirs: pointer(usd(100)), At: at(1)},
		{Refund: true, RefundID: refund(9), Reference: refund(9).String(), Provider: "re_9", Theirs: pointer(usd(3)), At: at(1)},
	}
	if !reflect.DeepEqual(got.Differences, want) || got.Found != len(want) || got.Matched != 0 {
		t.Errorf("got %d\n%+v\nwant\n%+v", got.Found, got.Differences, want)
	}
	if got.Ours[0] != usd(150) || got.Theirs[0] != usd(51+7-100-3) {
		t.Errorf("ours %v, theirs %v", got.Ours, got.Theirs)
	}
}

// Slightly different dates of a movement at the ends of the span make no difference.
func TestReconcile_clockSkew(t *testing.T) {
	t.Parallel()
	b := &books{
		moved: []ports.Moved{
			{Route: sandbox, Payment: payment(1), Provider: "ch_1", Amount: usd(1), At: noon},
			{Route: sandbox, Payment: payment(2), Provider: "ch_2", Amount: usd(1), At: at(60)},
			{Route: sandbox, Payment: payment(3), Provider: "ch_3", Amount: usd(1), At: at(-1)}, // outside, and not there
		},
		statements: map[project.PaymentRoute][]ports.Movement{sandbox: {
			{Provider: "ch_1", Amount: usd(1), At: at(-1)}, {Provider: "ch_2", Amount: usd(1), At: at(59)},
			{Provider: "ch_4", Amount: usd(1), At: at(61)}, // outside, and not here
		}},
	}
	if got := reconcile(t, b)[0]; got.Found != 0 || got.Matched != 1 {
		t.Errorf("%d matched, %+v", got.Matched, got.Differences)
	}
}

const day = 24 * 60 // minutes

// A refund that is requested before midnight and succeeds two days later makes no difference on any day, although we date it
// by its success and the provider by its creation.
func TestReconcile_refundPendingOverMidnight(t *testing.T) {
	t.Parallel()
	b := &books{
		moved: []ports.Moved{{
			Route: stripe, Payment: payment(1), Refund: refund(1), Provider: "re_1", Amount: usd(30), Began: at(-11), At: at(2 * day),
		}},
		statements: map[project.PaymentRoute][]ports.Movement{
			stripe: {{Refund: true, Provider: "re_1", Key: refund(1).String(), Amount: usd(30), At: at(-10)}},
		},
	}
	service := &finance.Service{
		Stores: &ports.Stores{
			Payments: b,
		},
		Gateway: b,
	}
	p := &project.Project{Routes: map[project.PaymentMethod]project.PaymentRoute{project.PaymentMethods[0]: stripe}}
	matched := 0
	for n := -1; n < 4; n++ {
		reports, err := service.Reconcile(ports.NewOutbound(t.Context()), p, at(n*day), at((n+1)*day))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reports {
			matched += r.Matched
			if r.Found != 0 || !slices.Equal(r.Ours, r.Theirs) {
				t.Errorf("day %d: ours %v, theirs %v, %+v", n, r.Ours, r.Theirs, r.Differences)
			}
		}
	}
	if matched != 1 {
		t.Errorf("matched %d times", matched)
	}
}

// Attempts and refunds in flight explain movements of the statement.
func TestReconcile_inFlight(t *testing.T) {
	t.Parallel()
	attempt := checkout.AttemptKey(id.New[id.Checkout]([16]byte{7}), 1)
	b := &books{
		known: []ports.KnownMovement{
			{Moved: ports.Moved{Route: sandbox}, Key: attempt, State: ports.MovementInFlight},
			{Moved: ports.Moved{
				Route:   sandbox,
				Payment: payment(1),
				Refund:  refund(1),
				Amount:  usd(3),
			}, Key: refund(1).String(), State: ports.MovementInFlight},
		},
		statements: map[project.PaymentRoute][]ports.Movement{sandbox: {
			{Provider: "ch_1", Key: attempt, Amount: usd(10), At: at(1)},
			{Refund: true, Provider: "re_1", Key: refund(1).String(), Amount: usd(3), At: at(2)},
			{Provider: "ch_2", Key: "chk_1-1", Amount: usd(5), At: at(3)},
		}},
	}
	got := reconcile(t, b)[0]
	if got.Found != 3 || got.Unexplained != 1 || got.Differences[0].Provider != "ch_2" {
		t.Fatalf("%d found, %d unexplained: %+v", got.Found, got.Unexplained, got.Differences)
	}
	for _, d := range got.Differences[1:] {
		if d.State != ports.MovementInFlight {
			t.Errorf("%+v is not in flight", d)
		}
	}
}

// A second refund with the same key is unexplained, because one refund of ours explains only one of theirs.
func TestReconcile_secondRefundUnderOneKey(t *testing.T) {
	t.Parallel()
	key := refund(1).String()
	b := &books{
		moved: []ports.Moved{{
			Route: sandbox, Payment: payment(1), Refund: refund(1), Provider: "re_1", Amount: usd(3), Began: at(-3 * day), At: at(-2 * day),
		}},
		statements: map[project.PaymentRoute][]ports.Movement{sandbox: {
			{Refund: true, Provider: "re_1", Key: key, Amount: usd(3), At: at(1)},
			{Refund: true, Provider: "re_2", Key: key, Amount: usd(3), At: at(2)},
		}},
	}
	if got := reconcile(t, b)[0]; got.Unexplained != 1 || got.Differences[0].Provider != "re_2" {
		t.Errorf("%d unexplained: %+v", got.Unexplained, got.Differences)
	}
}

// A second refund of an orphan charge is unexplained: one was made with its key, the other by a person.
func TestReconcile_secondRefundOfAnOrphan(t *testing.T) {
	t.Parallel()
	const key = "orphan-1"
	known := func(refund string) []ports.KnownMovement {
		charge := ports.Moved{
			Route:    sandbox,
			Provider: "ch_1",
			Amount:   usd(3),
			Began:    at(-3 * day),
			At:       at(-3 * day),
		}
		back := charge
		back.Provider = refund
		return []ports.KnownMovement{{Moved: charge, State: ports.MovementOrphan}, {Moved: back, Key: key, State: ports.MovementOrphan}}
	}
	statement := map[project.PaymentRoute][]ports.Movement{sandbox: {
		{Refund: true, Provider: "re_1", Key: key, Charge: "ch_1", Amount: usd(3), At: at(1)},
		{Refund: true, Provider: "re_by_hand", Charge: "ch_1", Amount: usd(3), At: at(2)},
	}}
	for recorded, want := range map[string]string{"re_by_hand": "re_1", "re_1": "re_by_hand", "": "re_by_hand"} {
		got := reconcile(t, &books{known: known(recorded), statements: statement})[0]
		i := slices.IndexFunc(got.Differences, func(d ports.MoneyDifference) bool { return d.State == (ports.MovementState{}) })
		if got.Unexplained != 1 || got.Differences[i].Provider != want {
			t.Errorf("recorded %q: %d unexplained: %+v", recorded, got.Unexplained, got.Differences)
		}
	}
}

// A movement that is on two pages of the statement counts once.
func TestReconcile_movementOnTwoPages(t *testing.T) {
	t.Parallel()
	sold := ports.Movement{
		Provider: "ch_1",
		Key:      checkout.AttemptKey(id.New[id.Checkout]([16]byte{7}), 1),
		Amount:   usd(100),
		At:       at(1),
	}
	b := &books{
		moved:      []ports.Moved{{Route: sandbox, Payment: payment(1), Provider: "ch_1", Amount: usd(100), At: at(1)}},
		statements: map[project.PaymentRoute][]ports.Movement{sandbox: {sold, sold}},
	}
	if got := reconcile(t, b)[0]; got.Matched != 1 || got.Found != 0 || got.Theirs[0] != usd(100) {
		t.Errorf("%d matched, theirs %v: %+v", got.Matched, got.Theirs, got.Differences)
	}
}

// If there are too many differences, charges without an order are kept, even if they come last.
func TestReconcile_tooManyDifferences(t *testing.T) {
	t.Parallel()
	b := &books{statements: map[project.PaymentRoute][]ports.Movement{}}
	for n := range 5000 {
		b.statements[sandbox] = append(b.statements[sandbox], ports.Movement{
			Refund:   true,
			Provider: fmt.Sprint(n),
			Key:      "r",
			Amount:   usd(1),
			At:       at(1),
		})
	}
	b.statements[sandbox] = append(b.statements[sandbox], ports.Movement{
		Provider: "ch_1",
		Key:      "k",
		Amount:   usd(1),
		At:       at(2),
	})
	got := reconcile(t, b)[0]
	if got.Found != 5001 || len(got.Differences) != 1000 || got.Differences[0].Provider != "ch_1" {
		t.Errorf("%d found, %d told, first %+v", got.Found, len(got.Differences), got.Differences[0])
	}
}

func TestReconcile_refused(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	service := &finance.Service{
		Stores: &ports.Stores{
			Payments: &books{},
		},
		Gateway: &books{broken: down},
		Sandbox: true,
	}
	if _, err := service.Reconcile(ports.NewOutbound(t.Context()), &project.Project{}, noon, at(1)); !errors.Is(err, down) ||
		!fault.Is(err, "provider_unavailable") || !strings.Contains(err.Error(), project.SandboxProvider) {
		t.Errorf("a provider that does not answer: %v", err)
	}
	for _, to := range []time.Time{noon, at(-1), noon.Add(31*24*time.Hour + 1)} {
		if _, err := service.Reconcile(ports.NewOutbound(t.Context()), &project.Project{}, noon, to); !fault.Is(err, "validation_error") {
			t.Errorf("until %s: %v", to, err)
		}
	}
	many := &books{moved: slices.Repeat([]ports.Moved{{Route: sandbox, At: at(1)}}, 200_001)}
	service = &finance.Service{
		Stores: &ports.Stores{
			Payments: many,
		},
		Gateway: many,
		Sandbox: true,
	}
	if _, err := service.Reconcile(ports.NewOutbound(t.Context()), &project.Project{}, noon, at(2)); !fault.Is(err, "validation_error") {
		t.Errorf("too many: %v", err)
	}
}
