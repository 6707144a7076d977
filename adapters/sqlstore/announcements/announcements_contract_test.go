package announcements_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// LateAnnouncements is the contract of ports.LateAnnouncements. Each test has a database of its own, for loops work for
// all projects. Everything in a shop happens at noon of a day that is past.
func LateAnnouncements(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Shop){
		"low stock is announced once until it rises":      announceLowOnce,
		"low stock is of all locations":                   announceLowTotal,
		"low stock by a sale, a sync and a set":           announceLowCauses,
		"a checkout that expired is announced once":       announceAbandoned,
		"a checkout that is paid or canceled is not":      announceNotAbandoned,
		"an ended session's lost products are announced":  announceLost,
		"a lost product says why the buyer gave it up":    announceDeclined,
		"a session that goes on has lost nothing":         announceNotLost,
		"an unresolved payment is announced every day":    porttest.AnnounceUnresolvedPayment,
		"an unresolved refund is announced every day":     porttest.AnnounceUnresolvedRefund,
		"replicas announce each once":                     announceRace,
		"a project goes with what is to be announced yet": announceProjectGone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, open(t)))
		})
	}
}

func lowStock(s *porttest.Shop) (bool, error) { return s.Late.LowStock(s.Ctx, 2, porttest.Announce) }
func abandonedCheckouts(s *porttest.Shop) (bool, error) {
	return s.Late.AbandonedCheckouts(s.Ctx, 2, porttest.Announce)
}
func lostNegotiations(s *porttest.Shop) (bool, error) {
	return s.Late.LostNegotiations(s.Ctx, 2, porttest.Announce)
}

func announcedLow(s *porttest.Shop) []map[string]any {
	s.T.Helper()
	return s.Announced(lowStock, event.InventoryLowType)
}

func announceLowOnce(s *porttest.Shop) {
	p := s.Product(7)
	porttest.Same(s.T, "with plenty left", len(announcedLow(s)), 0)
	s.Move(p, -1)
	porttest.Same(s.T, "with six left", len(announcedLow(s)), 0)
	s.Move(p, -1)
	low := announcedLow(s)
	porttest.Same(s.T, "with five left", len(low), 1)
	porttest.Same(s.T, "data", low[0], map[string]any{
		"product_id": p.ID.String(), "variant_id": p.Variants[0].ID.String(), "sku": p.SKU, "quantity": 5.0,
	})
	s.Move(p, -3)
	porttest.Same(s.T, "with less left", len(announcedLow(s)), 1)
	s.Move(p, 4)
	porttest.Same(s.T, "with more again", len(announcedLow(s)), 1)
	s.Move(p, -2)
	porttest.Same(s.T, "with little again", len(announcedLow(s)), 2)
}

func announceLowTotal(s *porttest.Shop) {
	p := s.Product(4)
	s.Keep(p, "north", 4)
	s.Move(p, -2)
	porttest.Same(s.T, "six over two locations", len(announcedLow(s)), 0)
	s.Move(p, -1)
	porttest.Same(s.T, "five over two locations", len(announcedLow(s)), 1)
	s.Keep(p, "south", 50) // a new level
	porttest.Same(s.T, "many at a third", len(announcedLow(s)), 1)
	s.Keep(p, "south", 1)
	porttest.Same(s.T, "few again", len(announcedLow(s)), 1)
	s.Keep(p, "south", 0)
	porttest.Same(s.T, "fewer", len(announcedLow(s)), 2)
}

func announceLowCauses(s *porttest.Shop) {
	sold, shifted, set := s.Product(6), s.Product(6), s.Product(6)
	s.Sold(sold, 1)
	s.Shift(porttest.At(shifted, "main", -6))
	s.Keep(set, "main", 1)
	porttest.Same(s.T, "announced", len(announcedLow(s)), 3)
}

func announceAbandoned(s *porttest.Shop) {
	p := s.Product(50)
	first, second, third := s.Checkout(s.Session(), porttest.Line(p, 2)), s.Checkout(s.Session(), porttest.Line(p, 1)), s.Checkout(s.Session(), porttest.Line(p, 1))
	s.MustClaim(second)
	s.Must(s.Settle(second.ID(), s.Declined))
	for range 2 {
		gone := s.Announced(abandonedCheckouts, event.CheckoutAbandonedType)
		porttest.Same(s.T, "announced", len(gone), 3)
		phases := map[any]any{}
		for _, g := range gone {
			phases[g["checkout_id"]] = g["phase"]
		}
		porttest.Same(s.T, "phases", phases, map[any]any{
			first.ID().String(): "ready", second.ID().String(): "pending", third.ID().String(): "ready",
		})
		porttest.Same(s.T, "status", s.Stored(first).Status(), checkout.Expired)
	}
}

func announceNotAbandoned(s *porttest.Shop) {
	p := s.Product(50)
	s.Sold(p, 1)
	canceled := s.Checkout(s.Session(), porttest.Line(p, 1))
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(s.Ctx, canceled.ID())
		s.Must(err)
		s.Must(c.Cancel())
		return tx.Save(s.Ctx, c, nil)
	}))
	s.MustClaim(s.Checkout(s.Session(), porttest.Line(p, 1)))
	porttest.Same(s.T, "announced", len(s.Announced(abandonedCheckouts, event.CheckoutAbandonedType)), 0)
}

// offered is an offer in a session that is saved.
func offered(s *porttest.Shop, sess *session.Session, p *catalog.Product, price int64) {
	s.T.Helper()
	s.Must(s.Haggling.Save(s.Ctx, s.Answer(sess, p, 2, porttest.Pointer(porttest.USD(price)))))
}

func announcedLost(s *porttest.Shop) []map[string]any {
	s.T.Helper()
	s.Fold()
	return s.Announced(lostNegotiations, event.NegotiationLostType)
}

func announceLost(s *porttest.Shop) {
	p := s.Product(50)
	lost, agreed, asked := s.Session(), s.Session(), s.Session()
	offered(s, lost, p, 50_00)
	offered(s, lost, p, 60_00)
	offered(s, agreed, p, 60_00)
	s.Agree(agreed, p, 2)
	s.Must(s.Haggling.Save(s.Ctx, s.Answer(asked, p, 1, nil)))
	for range 2 {
		gone := announcedLost(s)
		porttest.Same(s.T, "announced", len(gone), 1)
		porttest.Same(s.T, "product", []any{gone[0]["product_id"], gone[0]["quantity"], gone[0]["best_offer"]}, []any{p.ID.String(), 2.0, 60.0})
		porttest.Same(s.T, "reason", gone[0]["reason"], any(nil))
	}
}

// announceDeclined says why the buyer gave up, of the product that it gave up.
func announceDeclined(s *porttest.Shop) {
	p, other := s.Product(50), s.Product(50)
	sess := s.Session()
	offered(s, sess, other, 60_00)
	answer := s.Answer(sess, p, 2, porttest.Pointer(porttest.USD(60_00)))
	s.Must(s.Haggling.Save(s.Ctx, answer))
	_, err := answer.Quote.Decline(negotiation.ShippingCost, porttest.Noon)
	s.Must(err)
	s.Must(s.Haggling.Decline(s.Ctx, answer.Quote))
	reasons := map[any]any{}
	for _, g := range announcedLost(s) {
		reasons[g["product_id"]] = g["reason"]
	}
	porttest.Same(s.T, "reasons", reasons, map[any]any{p.ID.String(): "shipping_cost", other.ID.String(): nil})
}

func announceNotLost(s *porttest.Shop) {
	p := s.Product(50)
	sess := s.Session()
	offered(s, sess, p, 60_00)
	end := func(at time.Time) {
		_, err := s.Sessions.Update(s.Ctx, s.Project.ID, sess.ID, func(sess *session.Session) error {
			sess.ExpiresAt = at
			return nil
		})
		s.Must(err)
	}
	end(time.Now().Add(time.Hour))
	porttest.Same(s.T, "announced while it goes on", len(announcedLost(s)), 0)
	end(porttest.Noon)
	porttest.Same(s.T, "announced before its last known end", len(announcedLost(s)), 0)
}

func announceRace(s *porttest.Shop) {
	p := s.Product(50)
	for range 10 {
		s.Move(s.Product(6), -1)
		s.Checkout(s.Session(), porttest.Line(p, 1))
		offered(s, s.Session(), p, 50_00)
		s.UnresolvedCheckout(porttest.Noon)
		s.UnresolvedRefund(porttest.Noon)
	}
	s.Fold()
	for _, work := range []porttest.Announcing{lowStock, abandonedCheckouts, lostNegotiations, porttest.AlertPayments, porttest.AlertRefunds} {
		for _, err := range porttest.Together(porttest.Racers, func(int) error {
			_, err := work(s)
			return err
		}) {
			s.Must(err)
		}
	}
	porttest.Same(s.T, "low", len(announcedLow(s)), 10)
	porttest.Same(s.T, "abandoned", len(s.Announced(abandonedCheckouts, event.CheckoutAbandonedType)), 10)
	porttest.Same(s.T, "lost", len(announcedLost(s)), 10)
	porttest.Same(s.T, "unresolved payments", len(s.Announced(porttest.AlertPayments, event.PaymentUnresolvedType)), 10)
	porttest.Same(s.T, "unresolved refunds", len(s.Announced(porttest.AlertRefunds, event.RefundUnresolvedType)), 10)
}

func announceProjectGone(s *porttest.Shop) {
	p := s.Product(50)
	s.Move(s.Product(6), -1)
	s.Checkout(s.Session(), porttest.Line(p, 1))
	offered(s, s.Session(), p, 50_00)
	s.Fold()
	s.DeleteProject()
	for _, work := range []porttest.Announcing{lowStock, abandonedCheckouts, lostNegotiations} {
		more, err := work(s)
		s.Must(err)
		porttest.Same(s.T, "more", more, false)
	}
}
