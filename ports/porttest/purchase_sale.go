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

// Sale is a purchase in a shop of its own, for tests of adapters that count its statements or inspect its rows.
type Sale struct {
	shop    *Shop
	product *catalog.Product
	session *session.Session
	Order   *order.Order // once finalized
}

// NewSale opens a shop with a product, and a session that was shown it.
func NewSale(t testing.TB, stores Stores) *Sale {
	t.Helper()
	s := OpenShop(t, stores)
	sale := &Sale{
		shop:    s,
		product: s.Product(1_000_000),
		session: s.Session(),
	}
	s.Must(s.Show(sale.session, sale.product.ID))
	return sale
}

// Project is the shop's.
func (s *Sale) Project() id.Project { return s.shop.Project.ID }

// Shop is the sale's shop.
func (s *Sale) Shop() *project.Project { return s.shop.Project }

// Checkouts opens n checkouts at list price, by the machine's clock: all in one session, or each in its own.
func (s *Sale) Checkouts(n int, apart bool) []id.Checkout {
	s.shop.T.Helper()
	opened := make([]id.Checkout, n)
	for i := range opened {
		visit := s.session
		if apart {
			visit = s.shop.Session()
		}
		snapshot := s.shop.newCheckout(visit, Line(s.shop.Product(1), 1)).Snapshot()
		snapshot.CreatedAt = time.Now()
		snapshot.ValidUntil = snapshot.CreatedAt.Add(checkout.Validity)
		s.shop.Must(s.shop.openCheckout(checkout.Rehydrate(snapshot)))
		opened[i] = snapshot.ID
	}
	return opened
}

// Answer is the acceptance of an offer, with its event, to be stored.
func (s *Sale) Answer() ports.HaggleResult {
	s.shop.T.Helper()
	offer := USD(95_00)
	r := s.shop.Answer(s.session, s.product, 1, &offer)
	q := r.Quote.Snapshot()
	r.Event = &event.Event{
		ID:      Random[id.Event](),
		Project: q.Project,
		At:      Noon,
		Data: event.QuoteAccepted{
			Quote:    q.ID,
			Session:  q.Item.Session,
			Product:  q.Item.Product,
			Variant:  q.Item.Variant,
			Quantity: q.Item.Quantity,
			List:     q.Bounds.List(),
			Price:    q.FinalPrice,
		},
	}
	return r
}

// Visit reads the session with its cart, history and recommendations.
func (s *Sale) Visit() ports.Visit {
	s.shop.T.Helper()
	return s.shop.Visit(s.session.ID)
}

// Quote requests a price as a buyer does: it reads for one answer and stores it. The shop is in memory.
func (s *Sale) Quote() ports.HaggleResult {
	s.shop.T.Helper()
	r := s.Answer()
	s.shop.Must(s.shop.Haggling.Save(s.shop.Ctx, r))
	return r
}

// FollowUp asks the price again in the same quote.
func (s *Sale) FollowUp(r ports.HaggleResult) {
	s.shop.T.Helper()
	h := s.shop.Load(ports.HaggleAsk{Session: s.session.ID, Quote: r.Quote.Snapshot().ID})
	r.NewQuote, r.Quote, r.Entry.ID, r.Entry.Seq = false, h.Quote, Random[id.Decision](), h.LastSeq+1
	r.Event = nil
	s.shop.Must(s.shop.Haggling.Save(s.shop.Ctx, r))
}

// Init opens a checkout of the agreed items.
func (s *Sale) Init(r ports.HaggleResult) *checkout.Checkout {
	s.shop.T.Helper()
	return s.shop.Checkout(s.session, AgreedLine(s.product, r.Quote))
}

// OpenCheckout reads a basket, and opens a checkout of the agreed items in a session that changed.
func (s *Sale) OpenCheckout(r ports.HaggleResult, touched session.Touched) {
	s.shop.T.Helper()
	q := r.Quote.Snapshot()
	basket, err := s.shop.Haggling.Basket(s.shop.Ctx, s.shop.Project.ID, ports.BasketAsk{
		Session:  s.session.ID,
		Tokens:   []string{q.TokenHash},
		Products: []id.Product{q.Item.Product},
	})
	s.shop.Must(err)
	s.shop.Must(s.shop.Checkouts.Create(s.shop.Ctx, s.shop.newCheckout(basket.Session, AgreedLine(basket.Products[0], basket.Quotes[0])), basket.Session, touched, s.shop.Project.Version))
}

// Finalize reads a checkout, claims it and settles it with an order.
func (s *Sale) Finalize(c *checkout.Checkout) {
	s.shop.T.Helper()
	s.Order = s.shop.Pay(c)
}

// TryFinalize is Finalize of a checkout that may not be payable.
func (s *Sale) TryFinalize(c *checkout.Checkout) error {
	if _, err := s.shop.claim(c.ID()); err != nil {
		return err
	}
	return s.shop.Settle(c.ID(), s.shop.Paid)
}

// Return asks to send a piece of the order back.
func (s *Sale) Return() {
	s.shop.T.Helper()
	s.shop.requestReturn(s.Order.ID, 1)
}
