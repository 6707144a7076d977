package porttest

import (
	"cmp"
	"time"

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

var errOutOfStock = fault.New(fault.Conflict, "out_of_stock", "Not enough stock.")

// line buys pieces of the product's first variant at list price.
func line(p *catalog.Product, quantity int) checkout.Line {
	v := p.Variants[0]
	return checkout.Line{
		Product: p.ID, Variant: v.ID, SKU: v.SKU, Name: p.Name, Label: v.Label(), Quantity: quantity,
		Unit: p.PriceOf(v), Original: p.PriceOf(v),
	}
}

// agreedLine buys what a quote agreed on.
func agreedLine(p *catalog.Product, q *negotiation.Quote) checkout.Line {
	snapshot := q.Snapshot()
	l := line(p, snapshot.Item.Quantity)
	l.Unit, l.Quote = snapshot.FinalPrice, snapshot.ID
	return l
}

func (s *shop) newCheckout(sess *session.Session, lines ...checkout.Line) *checkout.Checkout {
	s.t.Helper()
	address := checkout.Address{
		Name: "Ada", Line1: "1 Main St", Line2: "Top floor", City: "Springfield", State: "IL",
		PostalCode: "62701", Country: "US", Phone: "+1 555 0100",
	}
	c, err := checkout.Open(random[id.Checkout](), s.project, checkout.Cart{Session: sess.ID, Lines: lines, Address: address}, noon)
	s.must(err)
	return c
}

// checkout stores a checkout that is ready.
func (s *shop) checkout(sess *session.Session, lines ...checkout.Line) *checkout.Checkout {
	s.t.Helper()
	c := s.newCheckout(sess, lines...)
	s.must(s.Checkouts.Create(s.ctx, c))
	return c
}

func (s *shop) stored(c *checkout.Checkout) *checkout.Checkout {
	s.t.Helper()
	got, err := s.Checkouts.Get(s.ctx, s.project.ID, c.ID())
	s.must(err)
	return got
}

// claim is the first transaction of a payment, as an application would do it.
func (s *shop) claim(c id.Checkout) (claimed *checkout.Checkout, err error) {
	return s.claimAt(c, noon)
}

func (s *shop) claimAt(c id.Checkout, now time.Time) (claimed *checkout.Checkout, err error) {
	return s.claimFor(c, "", now)
}

// claimFor claims for a client's address.
func (s *shop) claimFor(c id.Checkout, client string, now time.Time) (claimed *checkout.Checkout, err error) {
	err = s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		claimed, _, err = tx.Lock(s.ctx, c)
		if err != nil {
			return err
		}
		if err := claimed.Payable(now); err != nil {
			return err
		}
		levels, err := tx.Stock(s.ctx, claimed.Needs(), checkout.Payers(claimed.Snapshot().Session, client))
		if err != nil {
			return err
		}
		takes, short := catalog.Allocate(claimed.Needs(), levels)
		if len(short) > 0 {
			return errOutOfStock
		}
		pay := checkout.Payment{Method: "psp_spt", Route: cmp.Or(s.route, sandboxRoute), Client: client, TokenHash: hash("token"), Email: "ada@example.com", Notes: "ring twice"}
		if err := claimed.Claim(pay, takes, now); err != nil {
			return err
		}
		return tx.Claim(s.ctx, claimed)
	})
	return claimed, err
}

func (s *shop) mustClaim(c *checkout.Checkout) *checkout.Checkout {
	s.t.Helper()
	claimed, err := s.claim(c.ID())
	s.must(err)
	return claimed
}

func (s *shop) mustClaimFor(c *checkout.Checkout, client string) {
	s.t.Helper()
	_, err := s.claimFor(c.ID(), client, noon)
	s.must(err)
}

var sandboxRoute = project.PaymentRoute{Provider: project.SandboxProvider}

// settle stores what decide makes of the locked checkout.
func (s *shop) settle(c id.Checkout, decide func(*checkout.Checkout) (ports.Settlement, error)) error {
	return s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.ctx, c)
		if err != nil {
			return err
		}
		settlement, err := decide(locked)
		if err != nil {
			return err
		}
		return tx.Settle(s.ctx, settlement)
	})
}

// paid completes the attempt and places its order.
func (s *shop) paid(c *checkout.Checkout) (ports.Settlement, error) {
	if err := c.Complete(c.Attempt()); err != nil {
		return ports.Settlement{}, err
	}
	zone := time.FixedZone("", -7*3600)
	ids := order.IDs{Order: random[id.Order](), Payment: random[id.Payment](), Confirmation: "HG-" + random[id.Order]().String()[4:12]}
	o := order.Place(c, ids, order.Receipt{Provider: "ch_" + ids.Payment.String(), Label: "Visa ending in 4242"}, zone, noon)
	announce := &event.Event{ID: random[id.Event](), Project: s.project.ID, At: noon, Data: o.Completed()}
	return ports.Settlement{Checkout: c, Order: o, Event: announce}, nil
}

// declined records that the attempt was refused.
func (s *shop) declined(c *checkout.Checkout) (ports.Settlement, error) {
	back, err := c.Decline(c.Attempt(), true)
	return ports.Settlement{Checkout: c, PutBack: back}, err
}

// pay claims and completes a checkout.
func (s *shop) pay(c *checkout.Checkout) *order.Order {
	s.t.Helper()
	s.mustClaim(c)
	var placed *order.Order
	s.must(s.settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.paid(c)
		placed = settlement.Order
		return settlement, err
	}))
	return placed
}
