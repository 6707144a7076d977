package porttest

import (
	"cmp"
	"errors"
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

// Line buys pieces of the product's first variant at list price.
func Line(p *catalog.Product, quantity int) checkout.Line {
	v := p.Variants[0]
	return checkout.Line{
		Product:  p.ID,
		Variant:  v.ID,
		SKU:      v.SKU,
		Name:     p.Name,
		Label:    v.Label(),
		Quantity: quantity,
		Unit:     p.PriceOf(v),
		Original: p.PriceOf(v),
	}
}

// AgreedLine buys what a quote agreed on.
func AgreedLine(p *catalog.Product, q *negotiation.Quote) checkout.Line {
	snapshot := q.Snapshot()
	l := Line(p, snapshot.Item.Quantity)
	l.Unit, l.Quote = snapshot.FinalPrice, snapshot.ID
	return l
}

func (s *Shop) newCheckout(sess *session.Session, lines ...checkout.Line) *checkout.Checkout {
	s.T.Helper()
	address := checkout.Address{
		Name:       "Ada",
		Line1:      "1 Main St",
		Line2:      "Top floor",
		City:       "Springfield",
		State:      "IL",
		PostalCode: "62701",
		Country:    "US",
		Phone:      "+1 555 0100",
	}
	c, err := checkout.Open(Random[id.Checkout](), s.Project, checkout.Cart{
		Session: sess.ID,
		Lines:   lines,
		Address: address,
	}, Noon)
	s.Must(err)
	return c
}

// Checkout stores a checkout that is ready.
func (s *Shop) Checkout(sess *session.Session, lines ...checkout.Line) *checkout.Checkout {
	s.T.Helper()
	c := s.newCheckout(sess, lines...)
	s.Must(s.openCheckout(c))
	return c
}

func (s *Shop) Stored(c *checkout.Checkout) *checkout.Checkout {
	s.T.Helper()
	got, err := s.Checkouts.Get(s.Ctx, s.Project.ID, c.ID())
	s.Must(err)
	return got
}

// claim is the first transaction of a payment, as an application would do it.
func (s *Shop) claim(c id.Checkout) (claimed *checkout.Checkout, err error) {
	return s.claimAt(c, Noon)
}

// Claim claims a checkout by the project's version that the shop noted.
func (s *Shop) Claim(c id.Checkout) error {
	_, err := s.claim(c)
	return err
}

func (s *Shop) claimAt(c id.Checkout, now time.Time) (claimed *checkout.Checkout, err error) {
	return s.claimFor(c, "", now)
}

// claimFor claims for a client's address, again if others took the stock that it had found.
func (s *Shop) claimFor(c id.Checkout, client string, now time.Time) (claimed *checkout.Checkout, err error) {
	for {
		claimed, err = s.claimOnceFor(c, client, now)
		if errors.Is(err, errOutOfStock) || !fault.Is(err, errOutOfStock.Code) {
			return claimed, err
		}
	}
}

func (s *Shop) claimOnceFor(c id.Checkout, client string, now time.Time) (claimed *checkout.Checkout, err error) {
	seen, err := s.Checkouts.Get(s.Ctx, s.Project.ID, c)
	if err != nil {
		return nil, err
	}
	err = s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		var levels []catalog.Level
		claimed, levels, _, err = tx.LockWithStock(s.Ctx, c, seen.Needs(), checkout.Payers(seen.Snapshot().Session, client))
		if err != nil {
			return err
		}
		if err := claimed.Payable(now); err != nil {
			return err
		}
		takes, short := catalog.Allocate(claimed.Needs(), levels)
		if len(short) > 0 {
			return errOutOfStock
		}
		pay := checkout.Payment{
			Method:    project.SharedPaymentToken,
			Route:     cmp.Or(s.Route, SandboxRoute),
			Client:    client,
			TokenHash: Hash("token"),
			Email:     "ada@example.com",
			Notes:     "ring twice",
		}
		if err := claimed.Claim(pay, takes, now); err != nil {
			return err
		}
		return tx.Claim(s.Ctx, claimed, s.Project.Version)
	})
	return claimed, err
}

func (s *Shop) MustClaim(c *checkout.Checkout) *checkout.Checkout {
	s.T.Helper()
	claimed, err := s.claim(c.ID())
	s.Must(err)
	return claimed
}

func (s *Shop) mustClaimFor(c *checkout.Checkout, client string) {
	s.T.Helper()
	_, err := s.claimFor(c.ID(), client, Noon)
	s.Must(err)
}

var SandboxRoute = project.PaymentRoute{Provider: project.SandboxProvider}

// Settle stores the settlement that decide returns for the locked checkout.
func (s *Shop) Settle(c id.Checkout, decide func(*checkout.Checkout) (ports.Settlement, error)) error {
	return s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		locked, _, err := tx.Lock(s.Ctx, c)
		if err != nil {
			return err
		}
		settlement, err := decide(locked)
		if err != nil {
			return err
		}
		return tx.Settle(s.Ctx, settlement)
	})
}

// Paid completes the attempt and places its order.
func (s *Shop) Paid(c *checkout.Checkout) (ports.Settlement, error) {
	if err := c.Complete(c.Attempt()); err != nil {
		return ports.Settlement{}, err
	}
	zone := time.FixedZone("", -7*3600)
	ids := order.IDs{
		Order:        Random[id.Order](),
		Payment:      Random[id.Payment](),
		Confirmation: "HG-" + Random[id.Order]().String()[4:12],
	}
	o := order.Place(c, ids, order.Receipt{Provider: "ch_" + ids.Payment.String(), Label: "Visa ending in 4242"}, zone, Noon)
	announce := &event.Event{
		ID:      Random[id.Event](),
		Project: s.Project.ID,
		At:      Noon,
		Data:    o.Completed(),
	}
	return ports.Settlement{
		Checkout: c,
		Order:    o,
		Event:    announce,
	}, nil
}

// Declined records that the attempt was refused.
func (s *Shop) Declined(c *checkout.Checkout) (ports.Settlement, error) {
	back, err := c.Decline(c.Attempt(), true)
	return ports.Settlement{Checkout: c, PutBack: back}, err
}

// Pay claims and completes a checkout.
func (s *Shop) Pay(c *checkout.Checkout) *order.Order {
	s.T.Helper()
	s.MustClaim(c)
	var placed *order.Order
	s.Must(s.Settle(c.ID(), func(c *checkout.Checkout) (ports.Settlement, error) {
		settlement, err := s.Paid(c)
		placed = settlement.Order
		return settlement, err
	}))
	return placed
}
