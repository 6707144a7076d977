package purchase_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
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

// till is a shop in memory with one buyer and at most one checkout. How transactions work is the
// database's business, and tested there.
type till struct {
	ports.CatalogReader
	ports.Haggling
	ports.Gateway
	project  *project.Project
	visit    *session.Session
	opened   *session.Session // by a checkout
	products []*catalog.Product
	quotes   []*negotiation.Quote
	checkout *checkout.Checkout
	order    *order.Order
	lapsed   []*checkout.Checkout
	declines int
	tried    int // declines and attempts in flight
	events   []*event.Event
	orphan   *checkout.Orphan
	refunds  []ports.RefundRequest
	refunded order.RefundOutcome
	outcome  checkout.Outcome
	charges  int
	charging func() // while the provider charges; nil: nothing happens
	charged  []ports.ChargeRequest
	asked    []ports.ChargeRequest
	touched  int           // the session
	now      time.Time     // by the database's clock
	skew     time.Duration // how far this replica's clock is ahead of it

	found  int // how often there is enough stock
	claims int
	missed int // claims whose stock others take first

	broken map[string]error // by what fails
	ended  int              // transactions
}

// Basket has copies, as from a store.
func (s *till) Basket(_ context.Context, _ id.Project, ask ports.BasketAsk) (found ports.Basket, err error) {
	found.Now = s.now
	ofTokens := func(q *negotiation.Quote) bool { return slices.Contains(ask.Tokens, q.Snapshot().TokenHash) }
	if ask.Session == s.visit.ID || ask.Session.IsZero() && slices.ContainsFunc(s.quotes, ofTokens) {
		visit := *s.visit
		found.Session = &visit
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

func (s *till) ByProject(_ context.Context, p id.Project) (*project.Project, error) {
	if p != s.project.ID {
		return nil, fault.Missing("project")
	}
	return s.project, nil
}

func (s *till) BySlug(context.Context, string) (*project.Project, error) { return s.project, nil }

func (s *till) Now() time.Time  { return s.now.Add(s.skew) }
func (*till) Bits128() [16]byte { return [16]byte{1} }

func (e *till) IDBits() [16]byte  { return e.Bits128() }
func (*till) Secret(n int) string { return strings.Repeat("a", n*8/5) }

// Derive has one key, which is none.
func (*till) Derive(text, _ string) []string { return []string{text} }

func (s *till) Charge(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	s.charges++
	s.charged = append(s.charged, r)
	if s.charging != nil {
		s.charging()
	}
	return s.outcome, s.broken["charge"]
}

func (s *till) Resolve(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	s.asked = append(s.asked, r)
	return s.outcome, s.broken["resolve"]
}

type checkouts struct{ *till }

// sessions keeps those that checkouts open.
type sessions struct {
	ports.Sessions
	till *till
}

func (s sessions) Create(_ context.Context, opened *session.Session, _ ...id.Product) error {
	s.till.opened = opened
	return s.till.broken["session"]
}

func (s checkouts) Create(_ context.Context, c *checkout.Checkout, visit *session.Session, t session.Touched, _ int64) error {
	s.checkout = c
	if t.Any() {
		s.touched++
		*s.visit = *visit
	}
	return s.broken["create"]
}

func (s checkouts) Get(_ context.Context, _ id.Project, _ id.Checkout) (*checkout.Checkout, error) {
	if s.checkout == nil {
		return nil, fault.Missing("checkout")
	}
	return checkout.Rehydrate(s.checkout.Snapshot()), nil
}

// InTx fails the transaction that broken names by its number, before it commits.
func (s checkouts) InTx(_ context.Context, _ id.Project, work func(ports.Purchase) error) error {
	s.ended++
	before := *s.till
	err := work(transaction(s))
	if err == nil {
		err = s.broken[fmt.Sprintf("transaction %d", s.ended)]
	}
	if err != nil {
		s.checkout, s.order = before.checkout, before.order
	}
	return err
}

func (s checkouts) Standing(ctx context.Context, p id.Project, c id.Checkout, _ string, _ time.Duration) (ports.Standing, error) {
	found, err := s.Get(ctx, p, c)
	return ports.Standing{Checkout: found, Now: s.now, Declines: s.declines, First: noon, Attempts: s.tried}, err
}

// lapsed hands out the till's lapsed checkouts, once.
type lapsed struct{ *till }

func (s lapsed) Waiting(context.Context) ([]string, error) {
	if len(s.lapsed) == 0 {
		return nil, s.broken["lapsed"]
	}
	return []string{"account"}, s.broken["lapsed"]
}

func (s lapsed) Claim(context.Context, time.Duration, []ports.Share) (list []ports.Leased[*checkout.Checkout], err error) {
	for _, c := range s.lapsed {
		held := ports.Held{Group: "account", Until: s.now.Add(checkout.Lease)}
		list = append(list, ports.Leased[*checkout.Checkout]{Held: held, Item: c})
	}
	s.till.lapsed = nil
	return list, nil
}

func (lapsed) SetAside(context.Context, ports.Held, string) error { return nil }
func (lapsed) Restore(context.Context, ports.Held) error          { return nil }

// reconcile decides what has lapsed.
func reconcile(t *testing.T, s *purchase.Service) (decided int, err error) {
	t.Helper()
	return jobs.NewWorker(s.Reconciliation()).Once(t.Context())
}

func (checkouts) ForgetDeclines(context.Context, time.Time) error { return nil }

type transaction struct{ *till }

func (s transaction) Lock(ctx context.Context, named id.Checkout) (*checkout.Checkout, time.Time, error) {
	c, err := checkouts(s).Get(ctx, id.Project{}, named)
	return c, s.now, err
}

func (s transaction) LockWithStock(
	ctx context.Context, named id.Checkout, needs []catalog.Need, _ []string,
) (c *checkout.Checkout, levels []catalog.Level, now time.Time, err error) {
	for _, n := range needs {
		if s.found > 0 {
			levels = append(levels, catalog.Level{Variant: n.Variant, Location: "main", Quantity: 100, Digital: s.digital(n.Variant)})
		}
	}
	s.found--
	c, now, err = s.Lock(ctx, named)
	return c, levels, now, cmp.Or(err, s.broken["stock"])
}

// digital reports whether a variant is, as the catalogue stands.
func (s *till) digital(of id.Variant) bool {
	return slices.ContainsFunc(s.products, func(p *catalog.Product) bool {
		v, has := p.Variant(of)
		return has && v.Digital
	})
}

func (s transaction) Save(_ context.Context, c *checkout.Checkout, e *event.Event) error {
	s.checkout = c
	if e != nil {
		s.events = append(s.events, e)
	}
	return nil
}

func (s transaction) Revise(_ context.Context, c *checkout.Checkout, version int64) error {
	if version != s.project.Version {
		return fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed.")
	}
	s.checkout = c
	return nil
}

func (s transaction) Claim(_ context.Context, c *checkout.Checkout, version int64) error {
	if version != s.project.Version {
		return fault.New(fault.Conflict, ports.ProjectChanged, "The shop has changed.")
	}
	if s.claims++; s.claims <= s.missed {
		return fault.New(fault.Conflict, "out_of_stock", "There is not enough stock.")
	}
	s.checkout = c
	return s.broken["claim"]
}

func (s transaction) Settle(_ context.Context, settled ports.Settlement) error {
	s.checkout, s.order = settled.Checkout, settled.Order
	return nil
}

func (s transaction) Orphan(_ context.Context, o *checkout.Orphan, e *event.Event) (bool, error) {
	if s.order != nil && s.order.Payment.Provider == o.Charge || s.orphan != nil && s.orphan.Charge == o.Charge {
		return false, nil
	}
	s.orphan, s.events = o, append(s.events, e)
	return true, nil
}

func (s *till) Refund(_ ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	s.refunds = append(s.refunds, r)
	return s.refunded, s.broken["refund"]
}

type orphans struct {
	ports.OrphanCharges
	*till
}

func (s orphans) Orphans(context.Context, id.Project, ports.OrphanFilter, ports.Page) ([]checkout.Orphan, int, error) {
	if s.orphan == nil {
		return nil, 0, nil
	}
	return []checkout.Orphan{*s.orphan}, 1, nil
}

func (s orphans) ChangeOrphan(_ context.Context, _ id.Project, _ string, change func(*checkout.Orphan, time.Time) (*event.Event, error)) error {
	e, err := change(s.orphan, s.now)
	if e != nil {
		s.events = append(s.events, e)
	}
	return err
}

// dueOrphans hands out the till's orphan.
type dueOrphans struct{ lapsed }

func (s dueOrphans) due() bool {
	return s.orphan != nil && s.orphan.Pending() && !s.orphan.DueAt.After(s.now)
}

func (s dueOrphans) Waiting(context.Context) ([]string, error) {
	if !s.due() {
		return nil, nil
	}
	return []string{"account"}, nil
}

func (s dueOrphans) Claim(context.Context, time.Duration, []ports.Share) ([]ports.Leased[*checkout.Orphan], error) {
	s.orphan.DueAt = s.now.Add(checkout.OrphanLease)
	o := *s.orphan
	return []ports.Leased[*checkout.Orphan]{{Held: ports.Held{Group: "account", Until: o.DueAt}, Item: &o}}, nil
}

// refundOrphans asks for the refund of an orphan that is due.
func refundOrphans(t *testing.T, s *purchase.Service) (decided int, err error) {
	t.Helper()
	return jobs.NewWorker(s.OrphanRefunds()).Once(t.Context())
}

type orders struct {
	ports.Orders
	*till
}

func (s orders) ByCheckout(context.Context, id.Project, id.Checkout) (*order.Order, error) {
	if s.order == nil {
		return nil, fault.Missing("order")
	}
	return s.order, nil
}

// guard is an agent with one verdict; the zero guard consents.
type guard struct {
	ports.Agent
	verdict agent.Verdict
	err     error
	asked   int
	hears   func() // of every checkout
}

func (g *guard) Checkout(ports.Outbound, agent.CheckoutInput) (agent.Verdict, error) {
	if g.asked++; g.hears != nil {
		g.hears()
	}
	return g.verdict, g.err
}

func (g *guard) Finalize(ports.Outbound, agent.FinalizeInput) (agent.Verdict, error) {
	g.asked++
	return g.verdict, g.err
}

// mandated gives the house's policy.
type mandated struct{ *till }

func (m mandated) Mandate(_ context.Context, p *project.Project, _ id.Session) (agent.Mandate, error) {
	return agent.Mandate{Agent: employed, Policy: negotiation.Builtin().Under(p.Settings)}, m.broken["mandate"]
}

var employed = &agent.Agent{ID: id.New[id.Agent]([16]byte{8})}

func usd(cents int64) money.Amount    { return money.Of(cents, money.USD) }
func price(cents int64) *money.Amount { return new(usd(cents)) }

func product(n byte, cents int64, variants ...byte) *catalog.Product {
	p := &catalog.Product{ID: id.New[id.Product]([16]byte{n}), Name: fmt.Sprint("Thing ", n), Price: usd(cents), Status: catalog.Active}
	for _, v := range variants {
		p.Variants = append(p.Variants, catalog.Variant{ID: id.New[id.Variant]([16]byte{v})})
	}
	return p
}

// open opens the shop: a tent for 100.00, a jacket for 50.00 in two sizes, and a mug for 10.00.
func open() (s *till, service *purchase.Service) {
	settings := project.DefaultSettings()
	p := &project.Project{ID: id.New[id.Project]([16]byte{1}), Settings: settings, Storefront: project.DefaultStorefront(settings)}
	s = &till{
		project: p, now: noon, outcome: checkout.Paid{Provider: "ch_1", Label: "Test card"}, broken: map[string]error{}, found: 1 << 30,
		visit:    session.Open(id.New[id.Session]([16]byte{1}), p.ID, session.Claims{}, settings.SessionTimeout(), noon),
		products: []*catalog.Product{product(1, 100_00, 1), product(2, 50_00, 2, 3), product(3, 10_00, 4)},
	}
	return s, &purchase.Service{
		Stores: &ports.Stores{
			Storefronts: s,
			Checkouts:   checkouts{s},
			Orphans:     orphans{till: s},
			Orders:      orders{till: s},
			Haggling:    s,
			Sessions:    sessions{till: s},
		},
		Lapsed:     lapsed{s},
		DueOrphans: dueOrphans{lapsed{s}},
		Agent:      &guard{},
		Mandates:   mandated{s},
		Gateway:    s,
		Tokens:     ordertoken.Tokens{Secrets: s},
		Sandbox:    true,
		Clock:      s,
		Entropy:    s,
		Log:        slog.New(slog.DiscardHandler),
	}
}

var home = checkout.Address{Name: "A. Buyer", Line1: "1 Main St", City: "Springfield", State: "IL", PostalCode: "62701", Country: "US"}

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

// resolveManually has a person decide an attempt.
func resolveManually(s *purchase.Service, ctx ports.Outbound, p *project.Project, r purchase.ManualResolution) (purchase.Resolved, error) {
	if err := s.CheckResolution(ctx, p.ID, r); err != nil {
		return purchase.Resolved{}, err
	}
	return s.ResolveManually(ctx, p, r)
}

// placed is the order of a result, or nil.
func placed(r purchase.Result) *order.Order {
	p, _ := r.(purchase.Placed)
	return p.Order
}
