package boot_test

import (
	"context"
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
	"github.com/haggle-commerce/haggle/app/jobs"
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
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// market is one shop with the buyers' use cases on a real database, with the clock and the payment
// provider in the test's hands.
type market struct {
	t        *testing.T
	clock    *hands
	provider *provider
	project  *project.Project
	products int

	store     *sqlstore.Store
	inspector *sql.DB // looks at the tables themselves
	catalogs  *catalogs.Service
	discovery *discovery.Service
	haggling  *haggling.Service
	purchase  *purchase.Service
}

var opening = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday

// onMarkets runs a test on both engines, side by side, each time in a database of its own.
func onMarkets(t *testing.T, test func(*market)) {
	t.Helper()
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			test(openMarket(t, engine.URL(t)))
		})
	}
}

func openMarket(t *testing.T, database string) *market {
	t.Helper()
	m := &market{t: t, clock: newHands(opening), provider: newProvider(), inspector: inspect(t, database)}
	var err error
	m.store, err = sqlstore.Open(t.Context(), sqlstore.Config{URL: database})
	m.must(err)
	t.Cleanup(func() { m.must(m.store.Close()) })
	m.must(m.store.Migrate(t.Context()))
	m.clock.drive(m.store)
	m.assemble()
	owner := &account.Account{ID: id.New[id.Account](system.Entropy{}.Bits128()), Plan: account.Starter, CreatedAt: opening}
	m.must(m.store.Accounts().Open(t.Context(), owner))
	m.project, err = project.Open(id.New[id.Project](system.Entropy{}.Bits128()), owner.ID, project.Draft{Name: "Market", Slug: "market"}, opening)
	m.must(err)
	m.must(m.store.Projects().Create(t.Context(), m.project))
	m.project, err = m.store.Storefronts().BySlug(t.Context(), m.project.Slug) // with its version
	m.must(err)
	return m
}

func (m *market) assemble() {
	st, index, entropy, log := m.store, search.New(search.Options{}), system.Entropy{}, slog.New(slog.DiscardHandler)
	router := &agents.Router{Active: st.Agents(), Programs: map[string]*agent.Program{agent.House: agents.Builtin}, Log: log}
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
			Checkouts:   clocked{st.Checkouts(), m.clock},
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

func inspect(t *testing.T, database string) *sql.DB {
	t.Helper()
	return boottest.Inspect(t, database)
}

func (m *market) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// count is the one number that a query on the tables answers.
func (m *market) count(query string) (n int) {
	m.t.Helper()
	m.must(m.inspector.QueryRow(query).Scan(&n))
	return n
}

func (m *market) orders() int { return m.count("SELECT count(*) FROM orders") }

// product puts a new product on sale at so many cents, with so many pieces.
func (m *market) product(cents int64, pieces int) *catalog.Product {
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
func (m *market) reprice(p *catalog.Product, cents int64) {
	m.t.Helper()
	_, err := m.catalogs.Update(m.t.Context(), m.project, p.ID, catalogs.Line{Draft: catalog.Draft{Price: patch.To(money.Of(cents, money.USD))}})
	m.must(err)
}

// stock is how many pieces of a product's first variant are for sale.
func (m *market) stock(p *catalog.Product) (n int) {
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

// offer makes an offer in cents for one piece, or asks for the price, again while other answers in the session come first.
func (m *market) offer(ask ports.HaggleAsk, cents int64) (haggling.Answer, error) {
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

// deal is an agreed price in a session of its own.
type deal struct {
	session id.Session
	token   string
}

// agree buys at list price, as far as the token.
func (m *market) agree(p *catalog.Product) deal {
	m.t.Helper()
	answer, err := m.offer(ports.HaggleAsk{Product: p.ID, Quantity: 1}, p.Price.Minor())
	m.must(err)
	if _, ok := answer.Decision.(negotiation.Accepted); !ok {
		m.t.Fatalf("the list price was answered %#v", answer.Decision)
	}
	return deal{answer.Session, answer.Token}
}

var home = checkout.Address{Name: "A. Buyer", Line1: "1 Main St", City: "Springfield", State: "IL", PostalCode: "62701", Country: "US"}

// open opens a checkout of what was agreed.
func (m *market) open(d deal) *checkout.Checkout {
	m.t.Helper()
	c, err := openCheckout(m.purchase, ports.NewOutbound(m.t.Context()), m.project, purchase.InitRequest{Session: d.session, TokenHash: id.Hash(d.token), Address: home})
	m.must(err)
	return c
}

// checkout opens a checkout of one piece, with a token.
func (m *market) checkout(p *catalog.Product) *checkout.Checkout {
	m.t.Helper()
	return m.open(m.agree(p))
}

// pay finalizes a checkout, always with the same payment token.
func (m *market) pay(c *checkout.Checkout) (purchase.Result, error) {
	return m.payWith(m.t.Context(), c, "tok_1")
}

func (m *market) payWith(ctx context.Context, c *checkout.Checkout, token string) (purchase.Result, error) {
	return m.purchase.Finalize(ports.NewOutbound(ctx), m.project, purchase.FinalizeRequest{
		Checkout: c.ID(), Method: project.SharedPaymentToken, Token: token, Email: "ada@example.com",
	})
}

// mustPay pays and returns the order's id.
func (m *market) mustPay(c *checkout.Checkout) id.Order {
	m.t.Helper()
	result, err := m.pay(c)
	m.must(err)
	if orderOf(result) == nil {
		m.t.Fatalf("no order: %+v", result)
	}
	return orderOf(result).ID
}

// crash pays in a process that ends at a step of the charge; the step's hooks end it.
func (m *market) crash(c *checkout.Checkout, s step) {
	m.provider.script(s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := m.pay(c)
		m.t.Errorf("the process lived to answer %v", err)
	}()
	<-ended
}

// reconcile looks for lapsed attempts, and tells how many it decided.
func (m *market) reconcile() int {
	m.t.Helper()
	m.clock.advance(longPause) // and attempts that nobody could decide are left alone for a while
	decided, err := m.runReconciler()
	if err != nil {
		m.t.Error(err)
	}
	return decided
}

func (m *market) runReconciler() (decided int, err error) {
	return jobs.NewWorker(m.purchase.Reconciliation()).Once(m.t.Context())
}

// expect checks what must hold whatever happened: a checkout's state, how many orders there are, that
// each was paid for once, and the pieces left of a product.
func (m *market) expect(c *checkout.Checkout, status checkout.Status, orders int, p *catalog.Product, left int) {
	m.t.Helper()
	stored, err := m.store.Checkouts().Get(m.t.Context(), m.project.ID, c.ID())
	m.must(err)
	if stored.Status() != status {
		m.t.Errorf("the checkout is %s, want %s", stored.Status(), status)
	}
	if n, paid := m.orders(), m.provider.paid(); n != orders || paid != orders {
		m.t.Errorf("%d orders, %d payments; want %d", n, paid, orders)
	}
	if n := m.stock(p); n != left {
		m.t.Errorf("%d pieces left, want %d", n, left)
	}
}

// atOnce runs n attempts at the same moment and returns their errors.
func atOnce(n int, attempt func(i int) error) []error {
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

func (m *market) refused(err error, code string) {
	m.t.Helper()
	if !fault.Is(err, code) {
		m.t.Errorf("got %v, want %s", err, code)
	}
}

// detail is the field that a fault names first.
func detail(err error) string {
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

// resolveManually has a person decide an attempt.
func resolveManually(s *purchase.Service, ctx ports.Outbound, p *project.Project, r purchase.ManualResolution) (purchase.Resolved, error) {
	if err := s.CheckResolution(ctx, p.ID, r); err != nil {
		return purchase.Resolved{}, err
	}
	return s.ResolveManually(ctx, p, r)
}

// orderOf is the order of a result, or nil.
func orderOf(r purchase.Result) *order.Order {
	p, _ := r.(purchase.Placed)
	return p.Order
}
