package acp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeStore has the state of the fakes: one shop, and what happened in it. The embedded interfaces panic on methods that no
// operation here may call.
type fakeStore struct {
	shop      *project.Project
	now       time.Time
	products  map[id.Product]*catalog.Product
	first     []*catalog.Product
	levels    []catalog.Level
	found     catalog.Found
	asked     catalog.Query
	goesWith  []ports.Complement
	sessions  map[id.Session]*session.Session
	carts     map[id.Session][]session.CartItem
	history   []negotiation.Entry
	shown     []session.Shown
	quotes    map[id.Quote]*negotiation.Quote
	stale     int // how many more saves fail because another request was first
	saves     int // of answers, including failed ones
	messages  []string
	checkouts map[id.Checkout]*checkout.Checkout
	orders    map[id.Order]*order.Order
	followed  map[id.Order]*order.Case // with the order
	refunded  order.RefundOutcome      // nil: nobody knows
	outcome   checkout.Outcome
	charged   []ports.ChargeRequest
	bits      byte
}

func (s *fakeStore) Now() time.Time { return s.now }

func (s *fakeStore) Bits128() [16]byte {
	s.bits++
	return [16]byte{15: s.bits}
}

func (s *fakeStore) IDBits() [16]byte { return s.Bits128() }

// Secret is another one each time.
func (s *fakeStore) Secret(n int) string {
	s.bits++
	return strings.Repeat(fmt.Sprintf("%02x", s.bits), n*8/10)
}

// Derive has one key.
func (s *fakeStore) Derive(text, purpose string) []string {
	return []string{id.Hash(purpose + text)[:32]}
}

func (s *fakeStore) BySlug(_ context.Context, slug string) (*project.Project, error) {
	if slug != s.shop.Slug {
		return nil, fault.Missing("project")
	}
	return s.shop, nil
}

func (s *fakeStore) ByProject(context.Context, id.Project) (*project.Project, error) {
	return s.shop, nil
}

// fakeAgents has one agent with the built-in handlers and policy.
type fakeAgents struct{ ports.ActiveAgents }

func (fakeAgents) Active(_ context.Context, p id.Project) (*agent.Agent, error) {
	house := agent.Handler{Kind: agent.Builtin, Program: agent.House}
	return &agent.Agent{
		ID:      named[id.Agent](1),
		Project: p,
		Status:  agent.Active,
		Policy:  negotiationtest.Patient(),
		Handlers: agent.Handlers{
			Search:   house,
			Quote:    house,
			Checkout: house,
			Finalize: house,
		},
	}, nil
}

type fakeSessions struct{ *fakeStore }

func (s fakeSessions) Create(ctx context.Context, v *session.Session, shown ...id.Product) error {
	return s.Keep(ctx, v, session.Touched{Time: true}, shown...)
}

func (s fakeSessions) Update(_ context.Context, _ id.Project, named id.Session, change func(*session.Session) error) (*session.Session, error) {
	v := s.sessions[named]
	if v == nil {
		return nil, fault.Missing("session")
	}
	return v, change(v)
}

// Visit returns a copy, as a store would.
func (s fakeSessions) Visit(_ context.Context, _ id.Project, named id.Session) (ports.Visit, error) {
	v := s.visit(named)
	if v == nil {
		return ports.Visit{}, fault.Missing("session")
	}
	return ports.Visit{
		Session: v,
		Now:     s.now,
		Cart:    s.carts[named],
		History: s.history,
		Shown:   s.shown,
	}, nil
}

func (s *fakeStore) visit(named id.Session) *session.Session {
	v := s.sessions[named]
	if v == nil {
		return nil
	}
	copied := *v
	return &copied
}

func (s fakeSessions) Keep(_ context.Context, v *session.Session, t session.Touched, shown ...id.Product) error {
	if t.Any() {
		s.sessions[v.ID] = v
	}
	for _, p := range shown {
		s.shown = append(s.shown, session.Shown{Product: p})
	}
	return nil
}

type fakeHaggles struct{ *fakeStore }

func (s fakeHaggles) Load(_ context.Context, _ id.Project, ask ports.HaggleAsk) (ports.Haggle, error) {
	h := ports.Haggle{
		Session: s.visit(ask.Session),
		Quote:   s.quotes[ask.Quote],
		LastSeq: len(s.history),
		Stock:   s.stock(),
	}
	if h.Quote != nil {
		ask.Product = h.Quote.Snapshot().Item.Product
	}
	h.Product = s.products[ask.Product]
	return h, nil
}

func (s *fakeStore) stock() map[id.Variant]int {
	stock := map[id.Variant]int{}
	for _, l := range s.levels {
		stock[l.Variant] += l.Quantity
	}
	return stock
}

func (s fakeHaggles) Save(_ context.Context, r ports.HaggleResult) error {
	if s.saves++; s.stale > 0 {
		s.stale--
		return fault.New(fault.Conflict, "stale", "Another answer was first.")
	}
	s.sessions[r.Session.ID] = r.Session
	s.quotes[r.Quote.Snapshot().ID] = r.Quote
	s.history = append(s.history, r.Entry)
	s.messages = append(s.messages, r.Entry.Message)
	s.carts[r.Session.ID] = append(s.carts[r.Session.ID], r.Cart...)
	return nil
}

func (fakeHaggles) Decline(context.Context, *negotiation.Quote) error { return nil }

func (s fakeHaggles) Basket(_ context.Context, _ id.Project, ask ports.BasketAsk) (ports.Basket, error) {
	found := ports.Basket{Session: s.visit(ask.Session), Now: s.now}
	wanted := ask.Products
	for _, q := range s.quotes {
		if slices.Contains(ask.Tokens, q.Snapshot().TokenHash) {
			found.Quotes = append(found.Quotes, q)
			wanted = append(wanted, q.Snapshot().Item.Product)
		}
	}
	for _, p := range wanted {
		if product := s.products[p]; product != nil {
			found.Products = append(found.Products, product)
		}
	}
	return found, nil
}

type fakeCatalog struct {
	ports.CatalogReader
	ports.Inventory
	*fakeStore
}

func (s fakeCatalog) Categories(context.Context, id.Project) ([]catalog.Category, error) {
	return []catalog.Category{{Path: "outdoor", Count: 2}, {Path: "outdoor/rain-jackets", Count: 1}, {Path: "outdoor/rain-jackets/kids", Count: 1}}, nil
}

func (s fakeCatalog) Active(_ context.Context, _ id.Project, ids []id.Product) (found []*catalog.Product, err error) {
	for _, p := range ids {
		if product := s.products[p]; product != nil {
			found = append(found, product)
		}
	}
	return found, nil
}

func (s fakeCatalog) LevelsOf(context.Context, id.Project, []id.Product) ([]catalog.Level, error) {
	return s.levels, nil
}

func (s fakeCatalog) TotalsOf(context.Context, id.Project, []id.Variant) (map[id.Variant]int, error) {
	return catalog.Totals(s.levels), nil
}

type fakeIndex struct {
	ports.Index
	*fakeStore
}

func (i fakeIndex) Version(id.Project) int64               { return 1 }
func (i fakeIndex) Restock(id.Project, map[id.Variant]int) {}
func (i fakeIndex) Search(_ ports.Outbound, _ id.Project, q catalog.Query) (catalog.Found, error) {
	i.asked = q
	return i.found, nil
}
func (i fakeIndex) Complements(id.Project, []id.Product, int) []ports.Complement { return i.goesWith }

// fakeVault is a vault that hides nothing.
type fakeVault struct{}

func (fakeVault) Seal(plain []byte, purpose string) []byte {
	sum := sha256.Sum256([]byte(purpose + string(plain)))
	return append(sum[:], plain...)
}

func (s fakeVault) Open(sealed []byte, purpose string) ([]byte, error) {
	if len(sealed) < sha256.Size || !bytes.Equal(s.Seal(sealed[sha256.Size:], purpose), sealed) {
		return nil, errors.New("sealed by another one")
	}
	return sealed[sha256.Size:], nil
}

type fakePurchases struct {
	ports.Checkouts
	ports.Orders
	*fakeStore
}

func (p fakePurchases) Create(ctx context.Context, c *checkout.Checkout, v *session.Session, t session.Touched, _ int64) error {
	p.checkouts[c.ID()] = c
	return fakeSessions{p.fakeStore}.Keep(ctx, v, t)
}

func (p fakePurchases) Get(_ context.Context, _ id.Project, named id.Checkout) (*checkout.Checkout, error) {
	if c := p.checkouts[named]; c != nil {
		return checkout.Rehydrate(c.Snapshot()), nil
	}
	return nil, fault.Missing("checkout")
}

func (p fakePurchases) PayAttempts(ctx context.Context, in id.Project, named id.Checkout, _ string, _ time.Duration) (ports.PayAttempts, error) {
	c, err := p.Get(ctx, in, named)
	return ports.PayAttempts{Checkout: c, Now: p.now}, err
}

func (p fakePurchases) InTx(_ context.Context, _ id.Project, work func(ports.Purchase) error) error {
	return work(p)
}

// Lock returns the stored checkout itself, so that changes to it need not be saved.
func (p fakePurchases) Lock(_ context.Context, named id.Checkout) (*checkout.Checkout, time.Time, error) {
	if c := p.checkouts[named]; c != nil {
		return c, p.now, nil
	}
	return nil, p.now, fault.Missing("checkout")
}

func (p fakePurchases) LockWithStock(
	ctx context.Context, named id.Checkout, _ []catalog.Need, _ []string,
) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	c, now, err := p.Lock(ctx, named)
	return c, p.levels, now, err
}

func (p fakePurchases) Claim(context.Context, *checkout.Checkout, int64) error       { return nil }
func (p fakePurchases) Save(context.Context, *checkout.Checkout, *event.Event) error { return nil }
func (p fakePurchases) Revise(context.Context, *checkout.Checkout, int64) error      { return nil }

func (p fakePurchases) Orphan(context.Context, *checkout.Orphan, *event.Event) (bool, error) {
	return false, nil
}

func (p fakePurchases) Settle(_ context.Context, s ports.Settlement) error {
	if s.Order != nil {
		p.orders[s.Order.ID] = s.Order
	}
	return nil
}

func (p fakePurchases) ByID(_ context.Context, _ id.Project, named id.Order) (*order.Order, error) {
	if o := p.orders[named]; o != nil {
		return o, nil
	}
	return nil, fault.Missing("order")
}

func (p fakePurchases) ByCheckout(_ context.Context, _ id.Project, of id.Checkout) (*order.Order, error) {
	for _, o := range p.orders {
		if o.Checkout == of {
			return o, nil
		}
	}
	return nil, fault.Missing("order")
}

// Case returns a copy, as a store would.
func (p fakePurchases) Case(ctx context.Context, in id.Project, of id.Order) (*order.Case, error) {
	o, err := p.ByID(ctx, in, of)
	if err != nil {
		return nil, err
	}
	copied := *o
	c := &order.Case{Order: &copied}
	if kept := p.followed[of]; kept != nil {
		c.Returns, c.Refunds = slices.Clone(kept.Returns), slices.Clone(kept.Refunds)
	}
	return c, nil
}

func (p fakePurchases) Change(ctx context.Context, in id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
	c, err := p.Case(ctx, in, of)
	if err == nil {
		err = change(c)
	}
	if err != nil {
		return nil, err
	}
	p.orders[of], p.followed[of] = c.Order, c
	return c, nil
}

func (p fakePurchases) ReturnByID(_ context.Context, _ id.Project, named id.Return) (*order.Return, error) {
	for _, c := range p.followed {
		if r := c.FindReturn(named); r != nil {
			return r, nil
		}
	}
	return nil, fault.Missing("return")
}

func (p fakePurchases) RefundByID(_ context.Context, _ id.Project, named id.Refund) (*order.Refund, error) {
	for _, c := range p.followed {
		if r := c.FindRefund(named); r != nil {
			return r, nil
		}
	}
	return nil, fault.Missing("refund")
}

func (p fakePurchases) Refund(ports.Outbound, ports.RefundRequest) (order.RefundOutcome, error) {
	if p.refunded == nil {
		return nil, errors.New("no answer")
	}
	return p.refunded, nil
}

func (p fakePurchases) Statement(ports.Outbound, ports.StatementRequest, func(ports.Movement) error) error {
	return nil
}

func (p fakePurchases) Charge(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	p.charged = append(p.charged, r)
	return p.outcome, nil
}

func (p fakePurchases) Resolve(ports.Outbound, ports.ChargeRequest) (checkout.Outcome, error) {
	return checkout.NotCharged{}, nil
}
