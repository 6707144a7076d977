package porttest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// LateAnnouncements is the contract of ports.LateAnnouncements. Each test has a database of its own, for loops work for
// all projects. Everything in a shop happens at noon of a day that is past.
func LateAnnouncements(t *testing.T, open Open) {
	for name, test := range map[string]func(*shop){
		"low stock is announced once until it rises":      announceLowOnce,
		"low stock is of all locations":                   announceLowTotal,
		"low stock by a sale, a sync and a set":           announceLowCauses,
		"a checkout that expired is announced once":       announceAbandoned,
		"a checkout that is paid or canceled is not":      announceNotAbandoned,
		"an ended session's lost products are announced":  announceLost,
		"a session that goes on has lost nothing":         announceNotLost,
		"an unresolved payment is announced every day":    announceUnresolvedPayment,
		"an unresolved refund is announced every day":     announceUnresolvedRefund,
		"replicas announce each once":                     announceRace,
		"a project goes with what is to be announced yet": announceProjectGone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, open(t)))
		})
	}
}

func announce(project id.Project, at time.Time, data event.Data) *event.Event {
	return &event.Event{ID: random[id.Event](), Project: project, At: at, Data: data}
}

type announcing = func(shop *shop) (bool, error)

func lowStock(s *shop) (bool, error) { return s.Late.LowStock(s.ctx, 2, announce) }
func abandonedCheckouts(s *shop) (bool, error) {
	return s.Late.AbandonedCheckouts(s.ctx, 2, announce)
}
func lostNegotiations(s *shop) (bool, error) { return s.Late.LostNegotiations(s.ctx, 2, announce) }

// announced works until nothing is left, and is the data of all events of a type, newest first.
func (s *shop) announced(work announcing, of event.Type) []map[string]any {
	s.t.Helper()
	for more := true; more; {
		var err error
		more, err = work(s)
		s.must(err)
	}
	events, _, err := s.Log.Events(s.ctx, s.project.ID, of, ports.Page{Limit: 100})
	s.must(err)
	all := make([]map[string]any, len(events))
	for i, e := range events {
		var body struct {
			Data map[string]any `json:"data"`
		}
		s.must(json.Unmarshal(e.Body, &body))
		all[i] = body.Data
	}
	return all
}

func (s *shop) announcedLow() []map[string]any {
	s.t.Helper()
	return s.announced(lowStock, event.InventoryLowType)
}

func announceLowOnce(s *shop) {
	p := s.product(7)
	same(s.t, "with plenty left", len(s.announcedLow()), 0)
	s.move(p, -1)
	same(s.t, "with six left", len(s.announcedLow()), 0)
	s.move(p, -1)
	low := s.announcedLow()
	same(s.t, "with five left", len(low), 1)
	same(s.t, "data", low[0], map[string]any{
		"product_id": p.ID.String(), "variant_id": p.Variants[0].ID.String(), "sku": p.SKU, "quantity": 5.0,
	})
	s.move(p, -3)
	same(s.t, "with less left", len(s.announcedLow()), 1)
	s.move(p, 4)
	same(s.t, "with more again", len(s.announcedLow()), 1)
	s.move(p, -2)
	same(s.t, "with little again", len(s.announcedLow()), 2)
}

func announceLowTotal(s *shop) {
	p := s.product(4)
	s.keep(p, "north", 4)
	s.move(p, -2)
	same(s.t, "six over two locations", len(s.announcedLow()), 0)
	s.move(p, -1)
	same(s.t, "five over two locations", len(s.announcedLow()), 1)
	s.keep(p, "south", 50) // a new level
	same(s.t, "many at a third", len(s.announcedLow()), 1)
	s.keep(p, "south", 1)
	same(s.t, "few again", len(s.announcedLow()), 1)
	s.keep(p, "south", 0)
	same(s.t, "fewer", len(s.announcedLow()), 2)
}

func announceLowCauses(s *shop) {
	sold, shifted, set := s.product(6), s.product(6), s.product(6)
	s.sold(sold, 1)
	s.shift(at(shifted, "main", -6))
	s.keep(set, "main", 1)
	same(s.t, "announced", len(s.announcedLow()), 3)
}

func announceAbandoned(s *shop) {
	p := s.product(50)
	first, second, third := s.checkout(s.session(), line(p, 2)), s.checkout(s.session(), line(p, 1)), s.checkout(s.session(), line(p, 1))
	s.mustClaim(second)
	s.must(s.settle(second.ID(), s.declined))
	for range 2 {
		gone := s.announced(abandonedCheckouts, event.CheckoutAbandonedType)
		same(s.t, "announced", len(gone), 3)
		phases := map[any]any{}
		for _, g := range gone {
			phases[g["checkout_id"]] = g["phase"]
		}
		same(s.t, "phases", phases, map[any]any{
			first.ID().String(): "ready", second.ID().String(): "pending", third.ID().String(): "ready",
		})
		same(s.t, "status", s.stored(first).Status(), checkout.Expired)
	}
}

func announceNotAbandoned(s *shop) {
	p := s.product(50)
	s.sold(p, 1)
	canceled := s.checkout(s.session(), line(p, 1))
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(s.ctx, canceled.ID())
		s.must(err)
		s.must(c.Cancel())
		return tx.Save(s.ctx, c, nil)
	}))
	s.mustClaim(s.checkout(s.session(), line(p, 1)))
	same(s.t, "announced", len(s.announced(abandonedCheckouts, event.CheckoutAbandonedType)), 0)
}

// offered is an offer in a session that is saved.
func (s *shop) offered(sess *session.Session, p *catalog.Product, price int64) {
	s.t.Helper()
	s.must(s.Haggling.Save(s.ctx, s.answer(sess, p, 2, pointer(usd(price)))))
}

func (s *shop) announcedLost() []map[string]any {
	s.t.Helper()
	s.fold()
	return s.announced(lostNegotiations, event.NegotiationLostType)
}

func announceLost(s *shop) {
	p := s.product(50)
	lost, agreed, asked := s.session(), s.session(), s.session()
	s.offered(lost, p, 50_00)
	s.offered(lost, p, 60_00)
	s.offered(agreed, p, 60_00)
	s.agree(agreed, p, 2)
	s.must(s.Haggling.Save(s.ctx, s.answer(asked, p, 1, nil)))
	for range 2 {
		gone := s.announcedLost()
		same(s.t, "announced", len(gone), 1)
		same(s.t, "product", []any{gone[0]["product_id"], gone[0]["quantity"], gone[0]["best_offer"]}, []any{p.ID.String(), 2.0, 60.0})
	}
}

func announceNotLost(s *shop) {
	p := s.product(50)
	sess := s.session()
	s.offered(sess, p, 60_00)
	end := func(at time.Time) {
		_, err := s.Sessions.Update(s.ctx, s.project.ID, sess.ID, func(sess *session.Session) error {
			sess.ExpiresAt = at
			return nil
		})
		s.must(err)
	}
	end(time.Now().Add(time.Hour))
	same(s.t, "announced while it goes on", len(s.announcedLost()), 0)
	end(noon)
	same(s.t, "announced before its last known end", len(s.announcedLost()), 0)
}

func announceRace(s *shop) {
	p := s.product(50)
	for range 10 {
		s.move(s.product(6), -1)
		s.checkout(s.session(), line(p, 1))
		s.offered(s.session(), p, 50_00)
		s.unresolved(noon)
		s.unresolvedRefund(noon)
	}
	s.fold()
	for _, work := range []announcing{lowStock, abandonedCheckouts, lostNegotiations, alertPayments, alertRefunds} {
		for _, err := range together(racers, func(int) error {
			_, err := work(s)
			return err
		}) {
			s.must(err)
		}
	}
	same(s.t, "low", len(s.announcedLow()), 10)
	same(s.t, "abandoned", len(s.announced(abandonedCheckouts, event.CheckoutAbandonedType)), 10)
	same(s.t, "lost", len(s.announcedLost()), 10)
	same(s.t, "unresolved payments", len(s.announced(alertPayments, event.PaymentUnresolvedType)), 10)
	same(s.t, "unresolved refunds", len(s.announced(alertRefunds, event.RefundUnresolvedType)), 10)
}

func announceProjectGone(s *shop) {
	p := s.product(50)
	s.move(s.product(6), -1)
	s.checkout(s.session(), line(p, 1))
	s.offered(s.session(), p, 50_00)
	s.fold()
	s.deleteProject()
	for _, work := range []announcing{lowStock, abandonedCheckouts, lostNegotiations} {
		more, err := work(s)
		s.must(err)
		same(s.t, "more", more, false)
	}
}
