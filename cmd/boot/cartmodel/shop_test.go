// Package cartmodel runs random sequences of cart and checkout use cases on the real store of both engines, and compares every
// step with a model that has its own rules and arithmetic. It uses no HTTP.
package cartmodel

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// prices are the products' list prices in cents. The last product is bundled with the first.
var prices = []int64{100_00, 40_00, 9_99, 250_00, 7_00}

const (
	last   = 4 // index of the last product
	scarce = 2 // its stock is random in each history
	plenty = 1_000_000
)

// shop is a project on one engine. All histories share it.
type shop struct {
	store    *sqlstore.Store
	project  *project.Project
	products []*catalog.Product
	list     []int64 // current prices by product
	stock    []int   // according to the model
	now      time.Time
	gateway  *gateway
	baskets  *baskets.Service
	haggling *haggling.Service
	purchase *purchase.Service
}

var opening = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func openShop(t *testing.T, url string) *shop {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Config{URL: url})
	must(err)
	t.Cleanup(func() { must(store.Close()) })
	must(store.Migrate(t.Context()))
	s := &shop{
		store:   store,
		now:     opening,
		gateway: &gateway{charged: map[string]int64{}},
		list:    append([]int64{}, prices...),
		stock:   make([]int, len(prices)),
	}
	store.SetClock(s.now)
	bits := system.Entropy{}.IDBits
	owner := &account.Account{
		ID:        id.New[id.Account](bits()),
		Plan:      account.Starter,
		CreatedAt: opening,
	}
	must(store.Accounts().Open(t.Context(), owner))
	p, err := project.Open(id.New[id.Project](bits()), owner.ID, project.Draft{Name: "Model", Slug: "model"}, opening)
	must(err)
	must(store.Projects().Create(t.Context(), p))
	p, err = store.Storefronts().BySlug(t.Context(), p.Slug)
	must(err)
	p.Storefront.ShippingRegions = []string{"US"}
	p.Storefront.ShippingRates = []project.ShippingRate{
		{Region: "US", Method: "standard", Price: usd(5_99), MinDays: 3, MaxDays: 5},
		{Region: "US", Method: "express", Price: usd(14_99), MinDays: 2, MaxDays: 2},
	}
	p.Storefront.FreeShippingThreshold = new(usd(freeFrom))
	p.Storefront.TaxRates = []project.TaxRate{{Country: "US", State: "NY", Rate: taxRate}}
	s.project = p
	for i, cents := range prices {
		product := &catalog.Product{
			ID:         id.New[id.Product](bits()),
			Project:    p.ID,
			SKU:        fmt.Sprint("SKU-", i),
			Name:       fmt.Sprint("Product ", i),
			Category:   "things",
			Price:      usd(cents),
			Negotiable: true,
			Status:     catalog.Active,
			CreatedAt:  opening,
			UpdatedAt:  opening,
		}
		product.Variants = []catalog.Variant{{ID: id.New[id.Variant](bits()), SKU: product.SKU}}
		must(store.Products().Create(t.Context(), ports.ProductWrite{Product: product, Stock: []catalog.Stock{{Variant: product.Variants[0].ID, Quantity: plenty}}}))
		s.products = append(s.products, product)
	}
	s.assemble()
	return s
}

func usd(cents int64) money.Amount { return money.Of(cents, money.USD) }

func (s *shop) assemble() {
	stores := &ports.Stores{
		Storefronts: s.store.Storefronts(),
		Sessions:    s.store.Sessions(),
		Haggling:    clockedHaggling{s.store.Haggling(), s},
		Carts:       clockedCarts{s.store.Carts(), s},
		Checkouts:   clockedCheckouts{s.store.Checkouts(), s},
		Orphans:     s.store.Orphans(),
		Orders:      s.store.Orders(),
		Payments:    s.store.Payments(),
	}
	secrets, err := vault.New()
	must(err)
	log := slog.New(slog.DiscardHandler)
	s.baskets = &baskets.Service{Stores: stores, Entropy: system.Entropy{}}
	s.haggling = &haggling.Service{
		Stores:   stores,
		Agent:    consenting{},
		Mandates: house{},
		Index:    goesWith{shop: s},
		Clock:    s,
		Entropy:  system.Entropy{},
		Log:      log,
		Fresh:    func(context.Context, *project.Project) error { return nil },
	}
	s.purchase = &purchase.Service{
		Stores:   stores,
		Agent:    consenting{},
		Mandates: house{},
		Gateway:  s.gateway,
		Tokens:   ordertoken.Tokens{Secrets: secrets},
		Sandbox:  true,
		Clock:    s,
		Entropy:  system.Entropy{},
		Log:      log,
		Patience: time.Millisecond,
	}
}

// Now returns the time of the shop's clock.
func (s *shop) Now() time.Time { return s.now }

// wait advances all clocks.
func (s *shop) wait(d time.Duration) {
	s.now = s.now.Add(d)
	s.store.SetClock(s.now)
}

// reprice changes a product's list price.
func (s *shop) reprice(ctx context.Context, product int, cents int64) {
	if s.list[product] == cents {
		return
	}
	_, err := s.store.Products().Update(ctx, s.project.ID, s.products[product].ID, func(p *catalog.Product) (ports.ProductWrite, error) {
		p.Price = usd(cents)
		return ports.ProductWrite{Product: p}, nil
	})
	must(err)
	s.list[product] = cents
}

// restock sets a product's stock.
func (s *shop) restock(ctx context.Context, product, pieces int) {
	p := s.products[product]
	_, err := s.store.Inventory().Set(ctx, s.project.ID, []ports.StockSet{{SKU: p.SKU, Location: "main", Quantity: pieces}})
	must(err)
	s.stock[product] = pieces
}

// counted returns each product's stock in the store.
func (s *shop) counted(ctx context.Context) []int {
	ids := make([]id.Product, len(s.products))
	for i, p := range s.products {
		ids[i] = p.ID
	}
	levels, err := s.store.Inventory().LevelsOf(ctx, s.project.ID, ids)
	must(err)
	counted := make([]int, len(s.products))
	for _, l := range levels {
		counted[s.productOf(l.Product)] += l.Quantity
	}
	return counted
}

func (s *shop) productOf(p id.Product) int {
	for i, known := range s.products {
		if known.ID == p {
			return i
		}
	}
	panic("unknown product " + p.String())
}

// builtinAgent is an agent with the built-in rules.
type house struct{}

func (house) Mandate(_ context.Context, p *project.Project, _ id.Session) (agent.Mandate, error) {
	return agent.Mandate{Agent: &agent.Agent{Handlers: agent.Handlers{Quote: agent.InHouse}}, Policy: negotiation.Builtin().Under(p.Settings)}, nil
}

// consenting is an agent that refuses nothing.
type consenting struct{ ports.Agent }

func (consenting) Word(ports.Outbound, agent.WordInput) agent.Texts { return agent.Texts{} }

func (consenting) Checkout(ports.Outbound, agent.CheckoutInput) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}

func (consenting) Finalize(ports.Outbound, agent.FinalizeInput) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}

// goesWith suggests the last product together with the first.
type goesWith struct {
	ports.Index
	shop *shop
}

func (g goesWith) Complements(_ id.Project, to []id.Product, _ int) []ports.Complement {
	if len(to) != 1 || to[0] != g.shop.products[0].ID {
		return nil
	}
	p := *g.shop.products[last]
	p.Price = usd(g.shop.list[last])
	return []ports.Complement{{Product: &p, Variant: p.Variants[0]}}
}
