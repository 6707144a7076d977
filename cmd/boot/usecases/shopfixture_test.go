// Package usecases tests the use cases of app (purchase, haggling, aftersales, payments, tuning) over real databases on both
// engines, and adapters against simulated payment providers and models. Clocks and providers are under the tests' control. No server
// runs; those are tested in features.
package usecases

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/search"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/vault"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// shopFixture is one shop with the buyers' use cases on a real database, but with a clock and a payment provider that the test
// controls. It has no HTTP server and no App.
type shopFixture struct {
	t        *testing.T
	clock    *manualClock
	provider *fakeProvider
	project  *project.Project
	products int

	store     *sqlstore.Store
	inspector *sql.DB // reads the tables directly
	catalogs  *catalogs.Service
	discovery *discovery.Service
	haggling  *haggling.Service
	purchase  *purchase.Service
}

var startTime = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday

// forEachEngine runs a test on both engines concurrently, each in its own database.
func forEachEngine(t *testing.T, test func(*shopFixture)) {
	t.Helper()
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			test(newShopFixture(t, engine.URL(t)))
		})
	}
}

func newShopFixture(t *testing.T, database string) *shopFixture {
	t.Helper()
	m := &shopFixture{
		t:         t,
		clock:     newManualClock(startTime),
		provider:  newFakeProvider(),
		inspector: boottest.Inspect(t, database),
	}
	var err error
	m.store, err = sqlstore.Open(t.Context(), sqlstore.Config{URL: database})
	m.must(err)
	t.Cleanup(func() { m.must(m.store.Close()) })
	m.must(m.store.Migrate(t.Context()))
	m.clock.attach(m.store)
	m.assemble()
	owner := &account.Account{
		ID:        id.New[id.Account](system.Entropy{}.Bits128()),
		Plan:      account.Starter,
		CreatedAt: startTime,
	}
	m.must(m.store.Accounts().Open(t.Context(), owner))
	m.project, err = project.Open(id.New[id.Project](system.Entropy{}.Bits128()), owner.ID, project.Draft{Name: "Market", Slug: "market"}, startTime)
	m.must(err)
	m.must(m.store.Projects().Create(t.Context(), m.project))
	m.project, err = m.store.Storefronts().BySlug(t.Context(), m.project.Slug) // with its current version
	m.must(err)
	return m
}

func (m *shopFixture) assemble() {
	st, index, entropy, log := m.store, search.New(search.Options{}), system.Entropy{}, slog.New(slog.DiscardHandler)
	router := &agents.Router{
		Active:   st.Agents(),
		Programs: map[string]*agent.Program{agent.House: agents.Builtin},
		Log:      log,
	}
	m.catalogs = &catalogs.Service{
		Stores: &ports.Stores{
			Products:     st.Products(),
			BulkProducts: st.Catalog(),
			Catalog:      st.Catalog(),
			Inventory:    st.Inventory(),
			Index:        index,
		},
		Clock:   m.clock,
		Entropy: entropy,
	}
	m.discovery = discovery.New(discovery.Service{
		Stores: &ports.Stores{
			Catalog:   st.Catalog(),
			Inventory: st.Inventory(),
			Sessions:  st.Sessions(),
			Haggling:  st.Haggling(),
		},
		Agent:    router,
		Mandates: router,
		Index:    index,
		Clock:    m.clock,
		Entropy:  entropy,
	})
	m.haggling = &haggling.Service{
		Stores: &ports.Stores{
			Haggling: st.Haggling(),
		},
		Agent:    router,
		Mandates: router,
		Index:    index,
		Clock:    m.clock,
		Entropy:  entropy,
		Log:      log,
		Fresh:    m.discovery.Fresh,
	}
	secrets, err := vault.New()
	m.must(err)
	m.purchase = &purchase.Service{
		Stores: &ports.Stores{
			Storefronts: st.Storefronts(),
			Checkouts:   clockedCheckouts{st.Checkouts(), m.clock},
			Orphans:     st.Orphans(),
			Payments:    st.Payments(),
			Orders:      st.Orders(),
			Haggling:    clockedHaggling{st.Haggling(), m.clock},
		},
		Lapsed:     st.LapsedCheckouts(),
		DueOrphans: st.DueOrphans(),
		Agent:      router,
		Mandates:   router,
		Gateway:    m.provider,
		Tokens:     ordertoken.Tokens{Secrets: secrets},
		Sandbox:    true,
		Clock:      m.clock,
		Entropy:    entropy,
		Log:        log,
	}
}

func (m *shopFixture) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// count returns the number that a query returns.
func (m *shopFixture) count(query string) (n int) {
	m.t.Helper()
	m.must(m.inspector.QueryRow(query).Scan(&n))
	return n
}

func (m *shopFixture) orders() int { return m.count("SELECT count(*) FROM orders") }

// product creates a product at a list price in cents, with so many pieces in stock.
func (m *shopFixture) product(cents int64, pieces int) *catalog.Product {
	m.t.Helper()
	m.products++
	item, err := m.catalogs.Create(m.t.Context(), m.project, catalogs.Line{Draft: catalog.Draft{
		SKU: patch.To(fmt.Sprintf("SKU-%d", m.products)), Name: patch.To(fmt.Sprintf("Lantern %d", m.products)),
		Price: patch.To(money.Of(cents, money.USD)), Category: patch.To(fmt.Sprintf("outdoor/lights-%d", m.products)),
		Quantity: patch.To(pieces),
	}})
	m.must(err)
	m.project, err = m.store.Storefronts().BySlug(m.t.Context(), m.project.Slug)
	m.must(err)
	return item.Product
}

// reprice changes a product's list price.
func (m *shopFixture) reprice(p *catalog.Product, cents int64) {
	m.t.Helper()
	_, err := m.catalogs.Update(m.t.Context(), m.project, p.ID, catalogs.Line{Draft: catalog.Draft{Price: patch.To(money.Of(cents, money.USD))}})
	m.must(err)
}

// stock returns how many pieces of a product's first variant are for sale.
func (m *shopFixture) stock(p *catalog.Product) (n int) {
	m.t.Helper()
	levels, err := m.store.Inventory().LevelsOf(m.t.Context(), m.project.ID, []id.Product{p.ID})
	m.must(err)
	for _, l := range levels {
		if l.Variant == p.Variants[0].ID {
			n += l.Quantity
		}
	}
	return n
}

// offer makes an offer in cents for one piece, or asks for the price if cents is 0. It retries while concurrent requests in the
// session win.
func (m *shopFixture) offer(ask ports.HaggleAsk, cents int64) (haggling.Answer, error) {
	request := haggling.Request{Ask: ask}
	if cents > 0 {
		request.Offer = new(money.Of(cents, money.USD))
	}
	for {
		prepared, err := m.haggling.PrepareQuote(ports.NewOutbound(m.t.Context()), m.project, request)
		if err != nil {
			return haggling.Answer{}, err
		}
		err = prepared.Commit(m.t.Context(), m.haggling.Stores)
		switch {
		case fault.Is(err, "stale"):
			request.Again = true
		case fault.Is(err, "project_changed"):
			m.project, err = m.store.Storefronts().BySlug(m.t.Context(), m.project.Slug)
			m.must(err)
		default:
			return prepared.Answer, err
		}
	}
}

// deal is an accepted offer in its own session.
type deal struct {
	session id.Session
	token   string
}

// agree offers the list price, which the shop accepts with a checkout token.
func (m *shopFixture) agree(p *catalog.Product) deal {
	m.t.Helper()
	answer, err := m.offer(ports.HaggleAsk{Product: p.ID, Quantity: 1}, p.Price.Minor())
	m.must(err)
	if _, ok := answer.Decision.(negotiation.Accepted); !ok {
		m.t.Fatalf("the list price was answered %#v", answer.Decision)
	}
	return deal{answer.Session, answer.Token}
}

var shippingAddress = checkout.Address{
	Name:       "A. Buyer",
	Line1:      "1 Main St",
	City:       "Springfield",
	State:      "IL",
	PostalCode: "62701",
	Country:    "US",
}

// open opens a checkout of a deal.
func (m *shopFixture) open(d deal) *checkout.Checkout {
	m.t.Helper()
	c, err := openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{
		Session:   d.session,
		TokenHash: id.Hash(d.token),
		Address:   shippingAddress,
	})
	m.must(err)
	return c
}

// checkout opens a checkout of one piece at list price.
func (m *shopFixture) checkout(p *catalog.Product) *checkout.Checkout {
	m.t.Helper()
	return m.open(m.agree(p))
}

// concurrently runs n attempts at the same time and returns their errors.
func concurrently(n int, attempt func(i int) error) []error {
	errs := make([]error, n)
	var start, all sync.WaitGroup
	start.Add(1)
	for i := range n {
		all.Go(func() {
			start.Wait()
			errs[i] = attempt(i)
		})
	}
	start.Done()
	all.Wait()
	return errs
}

func (m *shopFixture) refused(err error, code string) {
	m.t.Helper()
	if !fault.Is(err, code) {
		m.t.Errorf("got %v, want %s", err, code)
	}
}

// faultField returns the first field that a fault names.
func faultField(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) || len(f.Details) == 0 {
		return ""
	}
	return f.Details[0].Field
}

// openCheckout prices a cart and stores its checkout.
func openCheckout(s *purchase.Service, ctx ports.Outbound, p *project.Project, r purchase.InitRequest) (*checkout.Checkout, error) {
	prepared, err := s.PrepareInit(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return prepared.Checkout, prepared.Commit(ctx, s.Stores)
}
