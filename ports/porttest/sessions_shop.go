package porttest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// racers is how many try at once where only one may win.
const racers = 16

var (
	noon     = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	errPlain = errors.New("the change failed")
)

// shop is a project of its own in a database that other tests may use at the same time.
type shop struct {
	Stores
	t       testing.TB
	ctx     context.Context
	project *project.Project
	route   project.PaymentRoute // of payments; zero: the sandbox's
}

func openShop(t testing.TB, stores Stores) *shop {
	t.Helper()
	s := &shop{Stores: stores, t: t, ctx: t.Context()}
	owner := &account.Account{ID: random[id.Account](), Name: "Owner", Plan: account.Growth, CreatedAt: noon}
	s.must(s.Accounts.Open(s.ctx, owner))
	name := random[id.Project]()
	p, err := project.Open(name, owner.ID, project.Draft{Name: "Shop", Slug: strings.ReplaceAll(name.String(), "_", "-")}, noon)
	s.must(err)
	s.must(s.Projects.Create(s.ctx, p))
	s.project = p
	return s
}

func (s *shop) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// product stores a product at 100.00 with a variant for each number, which is its stock at main.
func (s *shop) product(stock ...int) *catalog.Product {
	s.t.Helper()
	sku := random[id.Product]().String()
	p := &catalog.Product{
		ID: random[id.Product](), Project: s.project.ID, SKU: sku, Name: "Tent", Category: "outdoor/tents",
		Price: usd(100_00), Negotiable: true, Status: catalog.Active, CreatedAt: noon, UpdatedAt: noon,
	}
	var levels []catalog.Stock
	for i, quantity := range stock {
		v := catalog.Variant{ID: random[id.Variant](), SKU: sku, Size: string(rune('A' + i))}
		if len(stock) > 1 {
			v.SKU += "-" + v.Size
		}
		p.Variants = append(p.Variants, v)
		levels = append(levels, catalog.Stock{Variant: v.ID, Quantity: quantity})
	}
	s.must(s.Products.Create(s.ctx, ports.ProductWrite{Product: p, Stock: levels}))
	return p
}

// keep puts pieces of the product's first variant at a location.
func (s *shop) keep(p *catalog.Product, location string, quantity int) {
	s.t.Helper()
	_, err := s.Inventory.Set(s.ctx, s.project.ID, []ports.StockSet{{SKU: p.Variants[0].SKU, Location: location, Quantity: quantity}})
	s.must(err)
}

// stock is what lies at each location of the product's first variant.
func (s *shop) stock(p *catalog.Product) map[string]int {
	s.t.Helper()
	levels, err := s.Inventory.LevelsOf(s.ctx, s.project.ID, []id.Product{p.ID})
	s.must(err)
	at := map[string]int{}
	for _, l := range levels {
		if l.Variant == p.Variants[0].ID {
			at[l.Location] = l.Quantity
		}
	}
	return at
}

func (s *shop) newSession() *session.Session {
	claims := session.Claims{
		LoyaltyTier: "gold", Location: "Oslo", PurchaseHistory: 7, Urgency: "flexible", Member: session.Member{Tier: "silver", Purchases: 3},
	}
	return session.Open(random[id.Session](), s.project.ID, claims, 30*time.Minute, noon)
}

// session stores a session.
func (s *shop) session() *session.Session {
	s.t.Helper()
	visit := s.newSession()
	s.must(s.Sessions.Create(s.ctx, visit))
	return visit
}

func (s *shop) visit(sess id.Session) ports.Visit {
	s.t.Helper()
	v, err := s.Sessions.Visit(s.ctx, s.project.ID, sess)
	s.must(err)
	return v
}

// race runs the attempt by all racers at once and counts those that got no error. The others' errors
// must be faults of the code.
func (s *shop) race(code string, attempt func(racer int) error) (winners int) {
	s.t.Helper()
	for _, err := range together(racers, attempt) {
		switch {
		case err == nil:
			winners++
		case !fault.Is(err, code):
			s.t.Errorf("a loser got %v, want %s", err, code)
		}
	}
	return winners
}

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

func pointer[T any](v T) *T { return &v }

func random[T id.ID[K], K id.Kind]() T {
	var bits [16]byte
	rand.Read(bits[:])
	return id.New[T, K](bits)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func wantFault(t testing.TB, err error, kind fault.Kind, code string) {
	t.Helper()
	if fault.KindOf(err) != kind || !fault.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}
