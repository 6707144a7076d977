package baskets_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// shop is a shop in memory with a buyer's session, at noon.
type shop struct {
	*porttest.Shop
	service *baskets.Service
	session *session.Session
}

// bits is entropy that counts.
type bits byte

func (b *bits) IDBits() [16]byte    { *b++; return [16]byte{15: byte(*b)} }
func (b *bits) Bits128() [16]byte   { return b.IDBits() }
func (b *bits) Secret(n int) string { return strings.Repeat("s", n) }

func newShop(t *testing.T) *shop {
	t.Helper()
	s := memstore.New(time.Now)
	s.SetClock(porttest.Noon)
	projects, products := memstore.Projects{Store: s}, memstore.Products{Store: s}
	made := &shop{Shop: porttest.OpenShop(t, porttest.Stores{
		Accounts:  memstore.Accounts{},
		Projects:  projects,
		Products:  products,
		Catalog:   products,
		Inventory: memstore.Inventory{Store: s},
		Sessions:  memstore.Sessions{Store: s},
		Haggling:  memstore.Haggling{Store: s},
		Carts:     memstore.Carts{Store: s},
		Checkouts: memstore.Checkouts{Store: s},
		Orders:    memstore.Orders{Store: s},
		SetClock:  s.SetClock,
	})}
	made.service = &baskets.Service{
		Stores: &ports.Stores{
			Carts:    made.Carts,
			Sessions: made.Sessions,
		},
		Entropy: new(bits),
	}
	made.session = made.Session()
	return made
}

func (s *shop) try(items ...baskets.Item) (*baskets.PreparedPut, error) {
	made, err := s.service.PreparePut(ports.NewOutbound(s.Ctx), s.Project, baskets.PutRequest{Session: s.session.ID, Items: items})
	if err != nil {
		return nil, err
	}
	return made, made.Commit(s.Ctx, s.service.Stores)
}

func (s *shop) put(items ...baskets.Item) baskets.Basket {
	s.T.Helper()
	made, err := s.try(items...)
	s.Must(err)
	return made.Basket
}

func (s *shop) get() *baskets.Basket {
	s.T.Helper()
	b, err := s.service.Get(s.Ctx, s.Project, baskets.Named{Session: s.session.ID})
	s.Must(err)
	return b
}

// describe returns the cart in short: line, quantity and price of each, and the warnings.
func describe(b *baskets.Basket) string {
	var parts []string
	for _, l := range b.Lines {
		parts = append(parts, fmt.Sprintf("%d: %d at %s", l.Line, l.Quantity, l.Unit))
	}
	for _, w := range b.Warnings {
		parts = append(parts, fmt.Sprintf("%s of %d, %s", w.Problem, w.Line, w.Price))
	}
	return strings.Join(parts, "; ")
}

func (s *shop) expect(b *baskets.Basket, want string) {
	s.T.Helper()
	if got := describe(b); got != want {
		s.T.Errorf("the cart is %q, want %q", got, want)
	}
}

func want(p *catalog.Product, quantity, line int) baskets.Item {
	return baskets.Item{
		Product:  p.ID,
		Quantity: quantity,
		Line:     line,
	}
}

// An expired agreement is still shown, with a warning. The next put sets its line to the list price.
func TestService_agreementExpired(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.Product(9)
	q := s.Agree(s.session, p, 2)
	s.expect(s.get(), "1: 2 at 95.00")
	s.SetClock(q.Snapshot().ValidUntil.Add(-1))
	b := s.put(want(p, 2, 1))
	s.expect(&b, "1: 2 at 95.00")
	s.SetClock(q.Snapshot().ValidUntil)
	s.expect(s.get(), "1: 2 at 95.00; agreement_expired of 0, 95.00")
	if !s.get().Blocked() {
		t.Error("it could be bought")
	}
	b = s.put(want(p, 2, 1))
	s.expect(&b, "1: 2 at 100.00; agreement_expired of 0, 95.00")
	if b.Blocked() {
		t.Error("at list price it cannot be bought")
	}
	s.expect(s.get(), "1: 2 at 100.00")
	item := want(p, 2, 0)
	item.TokenHash = q.Snapshot().TokenHash
	if _, err := s.try(item); !fault.Is(err, "token_expired") {
		t.Errorf("by its token: %v", err)
	}
}

// A line keeps its agreement only while product and quantity are unchanged.
func TestService_PreparePut_agreementNotUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		item func(p, other *catalog.Product) baskets.Item
		want string
	}{
		"nothing":                      {func(p, _ *catalog.Product) baskets.Item { return want(p, 2, 1) }, "1: 2 at 95.00"},
		"a quantity":                   {func(p, _ *catalog.Product) baskets.Item { return want(p, 1, 1) }, "1: 1 at 100.00; agreement_not_used of 0, 95.00"},
		"another product":              {func(_, other *catalog.Product) baskets.Item { return want(other, 2, 1) }, "1: 2 at 100.00; agreement_not_used of 0, 95.00"},
		"nothing, by what it is about": {func(p, _ *catalog.Product) baskets.Item { return want(p, 2, 0) }, "1: 2 at 95.00"},
		"another line":                 {func(p, _ *catalog.Product) baskets.Item { return want(p, 1, 0) }, "2: 1 at 100.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			p, other := s.Product(9), s.Product(9)
			s.Agree(s.session, p, 2)
			b := s.put(c.item(p, other))
			s.expect(&b, c.want)
		})
	}
}

// A lenient put accepts items that can be sold and reports the others, and deals that do not apply, as findings.
func TestService_PreparePut_lenient(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p, other := s.Product(9), s.Product(9)
	q := s.Agree(s.session, p, 2)
	put := func(items *pricing.LenientItems, want, wantFindings string) {
		t.Helper()
		made, err := s.service.PreparePut(ports.NewOutbound(s.Ctx), s.Project, baskets.PutRequest{Session: s.session.ID, Lenient: items})
		s.Must(err)
		s.Must(made.Commit(s.Ctx, s.service.Stores))
		s.expect(&made.Basket, want)
		s.expect(s.get(), want)
		if got := fmt.Sprint(made.Findings); got != wantFindings {
			t.Errorf("found %s, want %s", got, wantFindings)
		}
	}
	ref, hash := p.Variants[0].ID.String(), q.Snapshot().TokenHash
	put(&pricing.LenientItems{Items: []pricing.Wanted{{Ref: other.SKU, Quantity: 1}, {Ref: ref, Quantity: 2}}, KeepDeals: true},
		"2: 1 at 100.00; 1: 2 at 95.00", "[]")
	put(&pricing.LenientItems{Items: []pricing.Wanted{{Ref: ref, Quantity: 2}, {Ref: "unknown", Quantity: 1}}},
		"1: 2 at 100.00", "[{item_unavailable 2 0 0}]")
	put(&pricing.LenientItems{Items: []pricing.Wanted{{Line: 1, Ref: ref, Quantity: 2}}, Tokens: []string{hash}}, "1: 2 at 95.00", "[]")
	put(&pricing.LenientItems{}, "", "[]")
	s.SetClock(q.Snapshot().ValidUntil)
	put(&pricing.LenientItems{Items: []pricing.Wanted{{Ref: ref, Quantity: 2}}, Tokens: []string{hash}}, "3: 2 at 100.00", "[{deal_expired 0 1 0}]")
}

// Commit refuses a put if another request wrote the cart after PreparePut.
func TestPreparedPut_Commit_stale(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.Product(9)
	late, err := s.service.PreparePut(ports.NewOutbound(s.Ctx), s.Project, baskets.PutRequest{Session: s.session.ID, Items: []baskets.Item{want(p, 2, 0)}})
	s.Must(err)
	s.put(want(p, 1, 0))
	if err := late.Commit(s.Ctx, s.service.Stores); !errors.Is(err, ports.Stale) {
		t.Errorf("got %v", err)
	}
	s.expect(s.get(), "1: 1 at 100.00")
}

func TestService_PreparePut_newSession(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := s.Product(9)
	made, err := s.service.PreparePut(ports.NewOutbound(s.Ctx), s.Project, baskets.PutRequest{Items: []baskets.Item{want(p, 2, 0)}, Repeatable: true})
	s.Must(err)
	s.Must(made.Commit(s.Ctx, s.service.Stores))
	opened := made.Basket.Session
	if !made.Opened || opened.ID == s.session.ID || s.Visit(opened.ID).Session.Used() {
		t.Errorf("opened: %v, %+v", made.Opened, opened)
	}
	s.session = opened
	s.expect(s.get(), "1: 2 at 100.00")
}

func TestService_sessionExpired(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.SetClock(porttest.Noon.Add(25 * time.Hour))
	for name, err := range map[string]error{
		"get": func() error {
			_, err := s.service.Get(s.Ctx, s.Project, baskets.Named{Session: s.session.ID})
			return err
		}(),
		"put": func() error { _, err := s.try(); return err }(),
	} {
		if !errors.Is(err, session.ErrExpired) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.session.ID = id.New[id.Session]([16]byte{9})
	if _, err := s.try(); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an unknown one: %v", err)
	}
}
