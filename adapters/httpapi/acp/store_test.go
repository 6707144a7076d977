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
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// shelf is everything that the fakes keep: one shop, and what happened in it. The embedded interfaces
// answer what no operation here may ask for, by a panic.
type shelf struct {
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
	stale     int // how many more answers come too late
	saves     int // of answers, those that came too late included
	messages  []string
	checkouts map[id.Checkout]*checkout.Checkout
	orders    map[id.Order]*order.Order
	followed  map[id.Order]*order.Case // with the order
	refunded  order.RefundOutcome      // nil: nobody knows
	outcome   checkout.Outcome
	charged   []ports.ChargeRequest
	bits      byte
}

func (s *shelf) Now() time.Time { return s.now }

func (s *shelf) Bits128() [16]byte {
	s.bits++
	return [16]byte{15: s.bits}
}

func (s *shelf) IDBits() [16]byte { return s.Bits128() }

// Secret is another one each time.
func (s *shelf) Secret(n int) string {
	s.bits++
	return strings.Repeat(fmt.Sprintf("%02x", s.bits), n*8/10)
}

// Derive has one key.
func (s *shelf) Derive(text, purpose string) []string {
	return []string{id.Hash(purpose + text)[:32]}
}

func (s *shelf) BySlug(_ context.Context, slug string) (*project.Project, error) {
	if slug != s.shop.Slug {
		return nil, fault.Missing("project")
	}
	return s.shop, nil
}

func (s *shelf) ByProject(context.Context, id.Project) (*project.Project, error) { return s.shop, nil }

// employer has one agent with the house's handlers and policy.
type employer struct{ ports.ActiveAgents }

func (employer) Active(_ context.Context, p id.Project) (*agent.Agent, error) {
	house := agent.Handler{Kind: agent.Builtin, Program: agent.House}
	return &agent.Agent{
		ID:      named[id.Agent](1),
		Project: p,
		Status:  agent.Active,
		Policy:  negotiation.Builtin(),
		Handlers: agent.Handlers{
			Search:   house,
			Quote:    house,
			Checkout: house,
			Finalize: house,
		},
	}, nil
}

type sessions struct{ *shelf }

func (s sessions) Create(ctx context.Context, v *session.Session, shown ...id.Product) error {
	return s.Keep(ctx, v, session.Touched{Time: true}, shown...)
}

func (s sessions) Update(_ context.Context, _ id.Project, named id.Session, change func(*session.Session) error) (*session.Session, error) {
	v := s.sessions[named]
	if v == nil {
		return nil, fault.Missing("session")
	}
	return v, change(v)
}

// Visit has a copy, as from a store.
func (s sessions) Visit(_ context.Context, _ id.Project, named id.Session) (ports.Visit, error) {
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

func (s *shelf) visit(named id.Session) *session.Session {
	v := s.sessions[named]
	if v == nil {
		return nil
	}
	copied := *v
	return &copied
}

func (s sessions) Keep(_ context.Context, v *session.Session, t session.Touched, shown ...id.Product) error {
	if t.Any() {
		s.sessions[v.ID] = v
	}
	for _, p := range shown {
		s.shown = append(s.shown, session.Shown{Product: p})
	}
	return nil
}

type haggles struct{ *shelf }

func (s haggles) Load(_ context.Context, _ id.Project, ask ports.HaggleAsk) (ports.Haggle, error) {
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

func (s *shelf) stock() map[id.Variant]int {
	stock := map[id.Variant]int{}
	for _, l := range s.levels {
		stock[l.Variant] += l.Quantity
	}
	return stock
}

func (s haggles) Save(_ context.Context, r ports.HaggleResult) error {
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

func (haggles) Decline(context.Context, *negotiation.Quote) error { return nil }

func (s haggles) Basket(_ context.Context, _ id.Project, ask ports.BasketAsk) (ports.Basket, error) {
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

type shelves struct {
	ports.CatalogReader
	ports.Inventory
	*shelf
}

func (s shelves) Categories(context.Context, id.Project) ([]catalog.Category, error) {
	return []catalog.Category{{Path: "outdoor", Count: 2}, {Path: "outdoor/rain-jackets", Count: 1}, {Path: "outdoor/rain-jackets/kids", Count: 1}}, nil
}

func (s shelves) Active(_ context.Context, _ id.Project, ids []id.Product) (found []*catalog.Product, err error) {
	for _, p := range ids {
		if product := s.products[p]; product != nil {
			found = append(found, product)
		}
	}
	return found, nil
}

func (s shelves) LevelsOf(context.Context, id.Project, []id.Product) ([]catalog.Level, error) {
	return s.levels, nil
}

func (s shelves) TotalsOf(context.Context, id.Project, []id.Variant) (map[id.Variant]int, error) {
	return catalog.Totals(s.levels), nil
}

type index struct {
	ports.Index
	*shelf
}

func (i index) Version(id.Project) int64               { return 1 }
func (i index) Restock(id.Project, map[id.Variant]int) {}
func (i index) Search(_ ports.Outbound, _ id.Project, q catalog.Query) (catalog.Found, error) {
	i.asked = q
	return i.found, nil
}
func (i index) Complements(id.Project, []id.Product, int) []ports.Complement { return i.goesWith }

// seals is a vault that hides nothing.
type seals struct{}

func (seals) Seal(plain []byte, purpose string) []byte {
	sum := sha256.Sum256([]byte(purpose + string(plain)))
	return append(sum[:], plain...)
}

func (s seals) Open(sealed []byte, purpose string) ([]byte, error) {
	if len(sealed) < sha256.Size || !bytes.Equal(s.Seal(sealed[sha256.Size:], purpose), sealed) {
		return nil, errors.New("sealed by another one")
	}
	return sealed[sha256.Size:], nil
}

type purchases struct {
	ports.Checkouts
	ports.Orders
	*shelf
}

func (p purchases) Create(ctx context.Context, c *checkout.Checkout, v *session.Session, t session.Touched, _ int64) error {
	p.checkouts[c.ID()] = c
	return sessions{p.shelf}.Keep(ctx, v, t)
}

func (p purchases) Get(_ context.Context, _ id.Project, named id.Checkout) (*checkout.Checkout, error) {
	if c := p.checkouts[named]; c != nil {
		return checkout.Rehydrate(c.Snapshot()), nil
	}
	return nil, fault.Missing("checkout")
}

func (p purchases) Standing(ctx context.Context, in id.Project, named id.Checkout, _ string, _ time.Duration) (ports.Standing, error) {
	c, err := p.Get(ctx, in, named)
	return ports.Standing{Checkout: c, Now: p.now}, err
}

func (p purchases) InTx(_ context.Context, _ id.Project, work func(ports.Purchase) error) error {
	return work(p)
}

// Lock returns the checkout that is kept: what is done with it needs no saving.
func (p purchases) Lock(_ context.Context, named id.Checkout) (*checkout.Checkout, time.Time, error) {
	if c := p.checkouts[named]; c != nil {
		return c, p.now, nil
	}
	return nil, p.now, fault.Missing("checkout")
}

func (p purchases) LockWithStock(
	ctx context.Context, named id.Checkout, _ []catalog.Need, _ []string,
) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	c, now, err := p.Lock(ctx, named)
	return c, p.levels, now, err
}

func (p purchases) Claim(context.Context, *checkout.Checkout, int64) error       { return nil }
func (p purchases) Save(context.Context, *checkout.Checkout, *event.Event) error { return nil }
func (p purchases) Revise(context.Context, *checkout.Checkout, int64) error      { return nil }

func (p purchases) Orphan(context.Context, *checkout.Orphan, *event.Event) (bool, error) {
	return false, nil
}

func (p purchases) Settle(_ context.Context, s ports.Settlement) error {
	if s.Order != nil {
		p.orders[s.Order.ID] = s.Order
	}
	return nil
}

func (p purchases) ByID(_ context.Context, _ id.Project, named id.Order) (*order.Order, error) {
	if o := p.orders[named]; o != nil {
		return o, nil
	}
	return nil, fault.Missing("order")
}

func (p purchases) ByCheckout(_ context.Context, _ id.Project, of id.Checkout) (*order.Order, error) {
	for _, o := range p.orders {
		if o.Checkout == of {
			return o, nil
		}
	}
	return nil, fault.Missing("order")
}

// Case is a copy, as from a store.
func (p purchases) Case(ctx context.Context, in id.Project, of id.Order) (*order.Case, error) {
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

func (p purchases) Change(ctx context.Context, in id.Project, of id.Order, change func(*order.Case) error) (*order.Case, error) {
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

func (p purchases) ReturnByID(_ context.Context, _ id.Project, named id.Return) (*order.Return, error) {
	for _, c := range p.followed {
		if r := c.FindReturn(named); r != nil {
			return r, nil
		}
	}
	return nil, fault.Missing("return")
}

func (p purchases) RefundByID(_ context.Context, _ id.Project, named id.Refund) (*order.Refund, error) {
	for _, c := range p.followed {
		if r := c.FindRefund(named); r != nil {
			return r, nil
		}
	}
	return nil, fault.Missing("refund")
}

func (p purchases) Refund(ports.Outbound, ports.RefundRequest) (order.RefundOutcome, error) {
	if p.refunded == nil {
		return nil, errors.New("no answer")
	}
	return p.refunded, nil
}

func (p purchases) Statement(ports.Outbound, ports.StatementRequest, func(ports.Movement) error) error {
	return nil
}

func (p purchases) Charge(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	p.charged = append(p.charged, r)
	return p.outcome, nil
}

func (p purchases) Resolve(ports.Outbound, ports.ChargeRequest) (checkout.Outcome, error) {
	return checkout.NotCharged{}, nil
}
