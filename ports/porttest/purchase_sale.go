package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Sale is one buyer's way through a shop of its own, for adapters that look at what it costs them or
// leaves behind.
type Sale struct {
	shop    *shop
	product *catalog.Product
	session *session.Session
	Order   *order.Order // once finalized
}

// NewSale opens a shop with a product, and a session that was shown it.
func NewSale(t testing.TB, stores Stores) *Sale {
	t.Helper()
	s := openShop(t, stores)
	sale := &Sale{shop: s, product: s.product(1_000_000), session: s.session()}
	s.must(s.Sessions.Show(s.ctx, s.project.ID, sale.session.ID, []id.Product{sale.product.ID}))
	return sale
}

// Project is the shop's.
func (s *Sale) Project() id.Project { return s.shop.project.ID }

// Shop is the sale's shop.
func (s *Sale) Shop() *project.Project { return s.shop.project }

// Checkouts opens n checkouts at list price, by the machine's clock: all in one session, or each in its own.
func (s *Sale) Checkouts(n int, apart bool) []id.Checkout {
	s.shop.t.Helper()
	opened := make([]id.Checkout, n)
	for i := range opened {
		visit := s.session
		if apart {
			visit = s.shop.session()
		}
		snapshot := s.shop.newCheckout(visit, line(s.shop.product(1), 1)).Snapshot()
		snapshot.CreatedAt = time.Now()
		snapshot.ValidUntil = snapshot.CreatedAt.Add(checkout.Validity)
		s.shop.must(s.shop.Checkouts.Create(s.shop.ctx, checkout.Rehydrate(snapshot)))
		opened[i] = snapshot.ID
	}
	return opened
}

// Answer is the acceptance of an offer, with its event, to be stored.
func (s *Sale) Answer() ports.HaggleResult {
	s.shop.t.Helper()
	offer := usd(95_00)
	r := s.shop.answer(s.session, s.product, 1, &offer)
	q := r.Quote.Snapshot()
	r.Event = &event.Event{ID: random[id.Event](), Project: q.Project, At: noon, Data: event.QuoteAccepted{
		Quote: q.ID, Session: q.Item.Session, Product: q.Item.Product, Variant: q.Item.Variant,
		Quantity: q.Item.Quantity, List: q.Bounds.List(), Price: q.FinalPrice,
	}}
	return r
}

// Visit is the session with what happened in it.
func (s *Sale) Visit() ports.Visit {
	s.shop.t.Helper()
	return s.shop.visit(s.session.ID)
}

// Quote asks as a buyer does: by the shop's slug, with one answer read for and stored.
func (s *Sale) Quote() ports.HaggleResult {
	s.shop.t.Helper()
	_, err := s.shop.Storefronts.BySlug(s.shop.ctx, s.shop.project.Slug)
	s.shop.must(err)
	r := s.Answer()
	s.shop.must(s.shop.Haggling.Save(s.shop.ctx, r))
	return r
}

// FollowUp asks the price again in the same quote.
func (s *Sale) FollowUp(r ports.HaggleResult) {
	s.shop.t.Helper()
	_, err := s.shop.Storefronts.BySlug(s.shop.ctx, s.shop.project.Slug)
	s.shop.must(err)
	h := s.shop.load(ports.HaggleAsk{Session: s.session.ID, Quote: r.Quote.Snapshot().ID})
	r.NewQuote, r.Quote, r.Entry.ID, r.Entry.Seq = false, h.Quote, random[id.Decision](), h.LastSeq+1
	r.Event = nil
	s.shop.must(s.shop.Haggling.Save(s.shop.ctx, r))
}

// Init opens a checkout of what was agreed on.
func (s *Sale) Init(r ports.HaggleResult) *checkout.Checkout {
	s.shop.t.Helper()
	return s.shop.checkout(s.session, agreedLine(s.product, r.Quote))
}

// Finalize reads a checkout, claims it and settles it with an order.
func (s *Sale) Finalize(c *checkout.Checkout) {
	s.shop.t.Helper()
	s.shop.stored(c)
	s.Order = s.shop.pay(c)
}

// TryFinalize is Finalize of a checkout that may not be payable.
func (s *Sale) TryFinalize(c *checkout.Checkout) error {
	if _, err := s.shop.claim(c.ID()); err != nil {
		return err
	}
	return s.shop.settle(c.ID(), s.shop.paid)
}

// Return asks to send a piece of the order back.
func (s *Sale) Return() {
	s.shop.t.Helper()
	s.shop.requestReturn(s.Order.ID, 1)
}
