package purchase_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	noon    = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	errGone = errors.New("the database is gone")
)

// fixture is a shop in memory with one buyer and at most one checkout. It implements the ports of the service; its transactions
// do not isolate, because the database's tests cover that.
type fixture struct {
	ports.CatalogReader
	ports.Haggling
	ports.Gateway
	project  *project.Project
	session  *session.Session
	opened   *session.Session // created by a checkout
	products []*catalog.Product
	quotes   []*negotiation.Quote
	checkout *checkout.Checkout
	order    *order.Order
	lapsed   []*checkout.Checkout
	declines int
	attempts int // declines and attempts in flight
	events   []*event.Event
	orphan   *checkout.Orphan
	refunds  []ports.RefundRequest
	refunded order.RefundOutcome
	outcome  checkout.Outcome
	charges  int
	charging func() // called by Charge; may be nil
	charged  []ports.ChargeRequest
	asked    []ports.ChargeRequest // to resolve
	touched  int                   // how often the session was touched
	now      time.Time             // by the database's clock
	skew     time.Duration         // how far this replica's clock is ahead of it

	found  int // how often there is enough stock
	claims int
	missed int // first claims that fail because others reserved the stock

	broken map[string]error // errors by operation
	ended  int              // transactions
}

// Basket returns copies, as a store does.
func (s *fixture) Basket(_ context.Context, _ id.Project, ask ports.BasketAsk) (found ports.Basket, err error) {
	found.Now = s.now
	ofTokens := func(q *negotiation.Quote) bool { return slices.Contains(ask.Tokens, q.Snapshot().TokenHash) }
	if ask.Session == s.session.ID || ask.Session.IsZero() && slices.ContainsFunc(s.quotes, ofTokens) {
		sess := *s.session
		found.Session = &sess
	}
	wanted := ask.Products
	for _, q := range s.quotes {
		if !ofTokens(q) {
			continue
		}
		found.Quotes = append(found.Quotes, q)
		if len(ask.Products) == 0 {
			wanted = append(wanted, q.Snapshot().Item.Product)
			if bundle := q.Snapshot().Bundle; bundle != nil {
				wanted = append(wanted, bundle.Product)
			}
		}
	}
	for _, p := range s.products {
		if slices.Contains(wanted, p.ID) {
			found.Products = append(found.Products, p)
		}
	}
	return found, s.broken["basket"]
}

func (s *fixture) ByProject(_ context.Context, p id.Project) (*project.Project, error) {
	if p != s.project.ID {
		return nil, fault.Missing("project")
	}
	return s.project, nil
}

func (s *fixture) BySlug(context.Context, string) (*project.Project, error) { return s.project, nil }

func (s *fixture) Now() time.Time  { return s.now.Add(s.skew) }
func (*fixture) Bits128() [16]byte { return [16]byte{1} }

func (e *fixture) IDBits() [16]byte  { return e.Bits128() }
func (*fixture) Secret(n int) string { return strings.Repeat("a", n*8/5) }

// Derive returns the text itself.
func (*fixture) Derive(text, _ string) []string { return []string{text} }

func (s *fixture) Charge(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	s.charges++
	s.charged = append(s.charged, r)
	if s.charging != nil {
		s.charging()
	}
	return s.outcome, s.broken["charge"]
}

func (s *fixture) Resolve(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	s.asked = append(s.asked, r)
	return s.outcome, s.broken["resolve"]
}

// fakeAgent is an agent with one verdict; the zero fakeAgent consents.
type fakeAgent struct {
	ports.Agent
	verdict    agent.Verdict
	err        error
	asked      int
	onCheckout func() // called by Checkout; may be nil
}

func (g *fakeAgent) Checkout(ports.Outbound, agent.CheckoutInput) (agent.Verdict, error) {
	if g.asked++; g.onCheckout != nil {
		g.onCheckout()
	}
	return g.verdict, g.err
}

func (g *fakeAgent) Finalize(ports.Outbound, agent.FinalizeInput) (agent.Verdict, error) {
	g.asked++
	return g.verdict, g.err
}

// fakeMandates returns the built-in policy.
type fakeMandates struct{ *fixture }

func (m fakeMandates) Mandate(_ context.Context, p *project.Project, _ id.Session) (agent.Mandate, error) {
	return agent.Mandate{Agent: hiredAgent, Policy: negotiation.Builtin().Under(p.Settings)}, m.broken["mandate"]
}

var hiredAgent = &agent.Agent{ID: id.New[id.Agent]([16]byte{8})}

func usd(cents int64) money.Amount    { return money.Of(cents, money.USD) }
func price(cents int64) *money.Amount { return new(usd(cents)) }

func product(n byte, cents int64, variants ...byte) *catalog.Product {
	p := &catalog.Product{
		ID:     id.New[id.Product]([16]byte{n}),
		Name:   fmt.Sprint("Thing ", n),
		Price:  usd(cents),
		Status: catalog.Active,
	}
	for _, v := range variants {
		p.Variants = append(p.Variants, catalog.Variant{ID: id.New[id.Variant]([16]byte{v})})
	}
	return p
}

// newFixture returns a shop with a tent for 100.00, a jacket for 50.00 in two sizes, and a mug for 10.00.
func newFixture() (s *fixture, service *purchase.Service) {
	settings := project.DefaultSettings()
	p := &project.Project{
		ID:         id.New[id.Project]([16]byte{1}),
		Settings:   settings,
		Storefront: project.DefaultStorefront(settings),
	}
	s = &fixture{
		project:  p,
		now:      noon,
		outcome:  checkout.Paid{Provider: "ch_1", Label: "Test card"},
		broken:   map[string]error{},
		found:    1 << 30,
		session:  session.Open(id.New[id.Session]([16]byte{1}), p.ID, session.Claims{}, settings.SessionTimeout(), noon),
		products: []*catalog.Product{product(1, 100_00, 1), product(2, 50_00, 2, 3), product(3, 10_00, 4)},
	}
	return s, &purchase.Service{
		Stores: &ports.Stores{
			Storefronts: s,
			Checkouts:   fakeCheckouts{s},
			Orphans:     fakeOrphans{fixture: s},
			Orders:      fakeOrders{fixture: s},
			Haggling:    s,
			Sessions:    fakeSessions{fixture: s},
		},
		Lapsed:     fakeLapsed{s},
		DueOrphans: fakeDueOrphans{fakeLapsed{s}},
		Agent:      &fakeAgent{},
		Mandates:   fakeMandates{s},
		Gateway:    s,
		Tokens:     ordertoken.Tokens{Secrets: s},
		Sandbox:    true,
		Clock:      s,
		Entropy:    s,
		Log:        slog.New(slog.DiscardHandler),
	}
}

var home = checkout.Address{
	Name:       "A. Buyer",
	Line1:      "1 Main St",
	City:       "Springfield",
	State:      "IL",
	PostalCode: "62701",
	Country:    "US",
}

func expectFault(t *testing.T, err error, code string, fields ...string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	var named []string
	for _, d := range f.Details {
		named = append(named, d.Field)
	}
	if !slices.Equal(named, fields) {
		t.Errorf("%v names %q, want %q", err, named, fields)
	}
}

// openCheckout prices a cart and stores its checkout.
func openCheckout(s *purchase.Service, ctx ports.Outbound, p *project.Project, r purchase.InitRequest) (*checkout.Checkout, error) {
	prepared, err := s.PrepareInit(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return prepared.Checkout, prepared.Commit(ctx, s.Stores)
}

// resolveManually records a person's decision about an attempt.
func resolveManually(s *purchase.Service, ctx ports.Outbound, p *project.Project, r purchase.ManualResolution) (purchase.Resolved, error) {
	if err := s.CheckResolution(ctx, p.ID, r); err != nil {
		return purchase.Resolved{}, err
	}
	return s.ResolveManually(ctx, p, r)
}

// orderOf returns the order of a result, or nil.
func orderOf(r purchase.Result) *order.Order {
	p, _ := r.(purchase.Placed)
	return p.Order
}
