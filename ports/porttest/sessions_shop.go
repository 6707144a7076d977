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
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Racers is the number of concurrent attempts in a race that only one may win.
const Racers = 16

var (
	Noon     = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	ErrPlain = errors.New("the change failed")
)

// Shop is a project of its own in a database that other tests may use at the same time.
type Shop struct {
	Stores
	T       testing.TB
	Ctx     context.Context
	Project *project.Project
	Route   project.PaymentRoute // of payments; zero: the sandbox's
}

func OpenShop(t testing.TB, stores Stores) *Shop {
	t.Helper()
	s := &Shop{
		Stores: stores,
		T:      t,
		Ctx:    t.Context(),
	}
	owner := &account.Account{
		ID:        Random[id.Account](),
		Name:      "Owner",
		Plan:      account.Growth,
		CreatedAt: Noon,
	}
	s.Must(s.Accounts.Open(s.Ctx, owner))
	name := Random[id.Project]()
	p, err := project.Open(name, owner.ID, project.Draft{Name: "Shop", Slug: strings.ReplaceAll(name.String(), "_", "-")}, Noon)
	s.Must(err)
	s.Must(s.Projects.Create(s.Ctx, p))
	s.Project = p
	return s
}

func (s *Shop) Must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// Product stores a product at 100.00 with a variant for each number, which is its stock at main.
func (s *Shop) Product(stock ...int) *catalog.Product {
	s.T.Helper()
	sku := Random[id.Product]().String()
	p := &catalog.Product{
		ID:         Random[id.Product](),
		Project:    s.Project.ID,
		SKU:        sku,
		Name:       "Tent",
		Category:   "outdoor/tents",
		Price:      USD(100_00),
		Negotiable: true,
		Status:     catalog.Active,
		CreatedAt:  Noon,
		UpdatedAt:  Noon,
	}
	var levels []catalog.Stock
	for i, quantity := range stock {
		v := catalog.Variant{
			ID:   Random[id.Variant](),
			SKU:  sku,
			Size: string(rune('A' + i)),
		}
		if len(stock) > 1 {
			v.SKU += "-" + v.Size
		}
		p.Variants = append(p.Variants, v)
		levels = append(levels, catalog.Stock{Variant: v.ID, Quantity: quantity})
	}
	s.Must(s.Products.Create(s.Ctx, ports.ProductWrite{Product: p, Stock: levels}))
	return p
}

// Keep puts pieces of the product's first variant at a location.
func (s *Shop) Keep(p *catalog.Product, location string, quantity int) {
	s.T.Helper()
	_, err := s.Inventory.Set(s.Ctx, s.Project.ID, []ports.StockSet{{
		SKU:      p.Variants[0].SKU,
		Location: location,
		Quantity: quantity,
	}})
	s.Must(err)
}

// Stock returns the stock of the product's first variant by location.
func (s *Shop) Stock(p *catalog.Product) map[string]int {
	s.T.Helper()
	levels, err := s.Inventory.LevelsOf(s.Ctx, s.Project.ID, []id.Product{p.ID})
	s.Must(err)
	at := map[string]int{}
	for _, l := range levels {
		if l.Variant == p.Variants[0].ID {
			at[l.Location] = l.Quantity
		}
	}
	return at
}

func (s *Shop) NewSession() *session.Session {
	claims := session.Claims{
		LoyaltyTier:     "gold",
		Location:        "Oslo",
		PurchaseHistory: 7,
		Urgency:         "flexible",
		Member:          session.Member{Tier: "silver", Purchases: 3},
	}
	return session.Open(Random[id.Session](), s.Project.ID, claims, 30*time.Minute, Noon)
}

// Session stores a session.
func (s *Shop) Session() *session.Session {
	s.T.Helper()
	visit := s.NewSession()
	s.Must(s.Sessions.Create(s.Ctx, visit))
	return visit
}

// Show notes recommendations in a session, in which nothing else happened.
func (s *Shop) Show(visit *session.Session, products ...id.Product) error {
	return s.Sessions.Keep(s.Ctx, visit, session.Touched{}, products...)
}

// openCheckout stores a checkout whose request changed nothing of its session.
func (s *Shop) openCheckout(c *checkout.Checkout) error {
	return s.Checkouts.Create(s.Ctx, c, nil, session.Touched{}, s.Project.Version)
}

func (s *Shop) Visit(sess id.Session) ports.Visit {
	s.T.Helper()
	v, err := s.Sessions.Visit(s.Ctx, s.Project.ID, sess)
	s.Must(err)
	return v
}

// Race runs the attempt by all racers at once and counts those that got no error. The others' errors
// must be faults of the code.
func (s *Shop) Race(code string, attempt func(racer int) error) (winners int) {
	s.T.Helper()
	for _, err := range Together(Racers, attempt) {
		switch {
		case err == nil:
			winners++
		case !fault.Is(err, code):
			s.T.Errorf("a loser got %v, want %s", err, code)
		}
	}
	return winners
}

func USD(minor int64) money.Amount { return money.Of(minor, money.USD) }

func Pointer[T any](v T) *T { return &v }

func Random[T id.ID[K], K id.Kind]() T {
	var bits [16]byte
	rand.Read(bits[:])
	return id.New[T, K](bits)
}

func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func Same(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func WantFault(t testing.TB, err error, kind fault.Kind, code string) {
	t.Helper()
	if fault.KindOf(err) != kind || !fault.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}
