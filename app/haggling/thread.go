package haggling

import (
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// thread is the state of one negotiation: the quote, its item, and the signals that price it.
type thread struct {
	session *session.Session
	quote   *negotiation.Quote
	fresh   bool // the quote is new
	product *catalog.Product
	variant catalog.Variant
	mandate agent.Mandate
	signals negotiation.Signals
	region  string // of the buyer, for the rules on personal signals
	terms   negotiation.Terms
}

// offer returns the buyer's offer. Adding the bundle without an offer accepts the counter that the bundle came with.
func (t *thread) offer(r Request) *money.Amount {
	if counter := t.quote.Snapshot().Progress.Counter; r.AddBundle && r.Offer == nil && counter.IsPositive() {
		return &counter
	}
	return r.Offer
}

// redeemsPromise reports whether the offer accepts a price that an open quote promised. That is allowed even after a session's
// last offer. It happens at most once, because it closes the quote.
func (t *thread) redeemsPromise(h ports.Haggle, r Request) bool {
	open := !t.fresh || h.Prior != nil && h.Prior.Snapshot().State == negotiation.Open
	return open && negotiation.Decide(t.quote.Table(t.terms, t.offer(r))).Rule() == negotiation.Commitment
}

// thread starts a quote, or resumes the one that the request names.
func (s *Service) thread(p *project.Project, h ports.Haggle, r Request, current *session.Session, mandate agent.Mandate, now time.Time) (*thread, error) {
	item, err := itemOf(h, r, current)
	if err != nil {
		return nil, err
	}
	v, _ := h.Product.Variant(item.Variant)
	t := &thread{
		session: current,
		product: h.Product,
		variant: v,
		mandate: mandate,
	}
	t.signals, t.region = signalsOf(p, h, v, item.Quantity, current)
	t.terms = mandate.Policy.Terms(t.signals)
	if h.Quote != nil {
		t.quote = h.Quote
		if err := t.quote.Resume(mandate.Policy, t.signals, now); err != nil {
			return nil, err
		}
		if b := t.quote.Snapshot().Bundle; r.AddBundle && (b == nil || r.Physical && b.Digital) {
			return nil, fault.Field("add_bundle", "is only for a quote that suggests a bundle")
		}
		return t, nil
	}
	t.fresh = true
	t.quote = negotiation.Start(id.New[id.Quote](s.Entropy.IDBits()), p.ID, item, mandate.Policy, t.signals, h.Prior, now)
	return t, nil
}

// signalsOf returns the inputs of a price for a quantity of a variant in a session, and the buyer's region.
func signalsOf(
	p *project.Project, h ports.Haggle, v catalog.Variant, quantity int, current *session.Session,
) (signals negotiation.Signals, region string) {
	signals = negotiation.SignalsOf(h.Product, v, quantity, h.Stock[v.ID])
	signals.InCart(h.Cart, v.ID)
	region = signals.Identify(current.Claims, p.Storefront.Personalization, p.Storefront.Home())
	signals.Probed = h.Probed
	return signals, region
}

// checkAccepted checks that a buyer who accepts names the current price. The buyer may know an older one, because the shop
// changes its prices and a promised price expires.
func (t *thread) checkAccepted(r Request) error {
	if !r.Accept || t.quote.Snapshot().Standing() == *r.Offer {
		return nil
	}
	return ErrPriceChanged
}

// itemOf returns the item that the request is about. A follow-up may repeat its quote's item but not change it.
func itemOf(h ports.Haggle, r Request, current *session.Session) (negotiation.Item, error) {
	if !r.Ask.Quote.IsZero() && h.Quote == nil {
		return negotiation.Item{}, fault.Missing("quote")
	}
	if h.Product == nil {
		return negotiation.Item{}, fault.Missing("product")
	}
	if h.Quote != nil {
		item, c := h.Quote.Snapshot().Item, fault.NewCheck()
		c.That(r.Ask.Product.IsZero() || r.Ask.Product == item.Product, "product_id", "must be the quote's product")
		c.That(r.Ask.Variant.IsZero() || r.Ask.Variant == item.Variant, "variant_id", "must be the quote's variant")
		c.That(r.Ask.Quantity == 0 || r.Ask.Quantity == item.Quantity, "quantity", "must be the quote's, "+strconv.Itoa(item.Quantity)+": omit quote_id to ask for another quote")
		switch v, ok := h.Product.Variant(item.Variant); {
		case !ok:
			return negotiation.Item{}, fault.Missing("variant")
		case r.Physical && v.Digital:
			return negotiation.Item{}, ErrDigital
		}
		return item, c.Err()
	}
	v, ok := h.Product.Variant(r.Ask.Variant)
	if r.Ask.Ref != "" {
		_, v, ok = pricing.Find([]*catalog.Product{h.Product}, r.Ask.Ref)
	}
	switch {
	case !ok && r.Ask.Variant.IsZero():
		return negotiation.Item{}, fault.Field("variant_id", h.Product.VariantRequired())
	case !ok:
		return negotiation.Item{}, h.Product.NoVariant()
	case r.Physical && v.Digital:
		return negotiation.Item{}, ErrDigital
	}
	return negotiation.Item{
		Session:  current.ID,
		Product:  h.Product.ID,
		Variant:  v.ID,
		Quantity: r.Ask.Quantity,
	}, nil
}
