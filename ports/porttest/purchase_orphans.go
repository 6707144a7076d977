package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Orphans is the contract of ports.OrphanCharges.
func Orphans(t *testing.T, open Open) {
	s := OpenShop(t, open(t))
	p := s.Product(5)
	o := s.Pay(s.Checkout(s.Session(), Line(p, 1)))
	c, err := s.Checkouts.Get(s.Ctx, s.Project.ID, o.Checkout)
	s.Must(err)
	one, two := c.Orphaned(1, "ch_orphan", Noon), c.Orphaned(1, "ch_other", Noon.Add(time.Second))

	Same(t, "the payment of an order is stored", s.keepOrphan(c.Orphaned(1, o.Payment.Provider, Noon)), false)
	Same(t, "stored", s.keepOrphan(one), true)
	Same(t, "stored again", s.keepOrphan(c.Orphaned(1, "ch_orphan", Noon.Add(time.Hour))), false)
	Same(t, "another one stored", s.keepOrphan(two), true)
	list, total, err := s.Orphans.Orphans(s.Ctx, s.Project.ID, ports.OrphanFilter{}, ports.Page{Limit: 1})
	s.Must(err)
	Same(t, "the newest of all", list, []checkout.Orphan{*two})
	Same(t, "all", total, 2)
	list, total, err = s.Orphans.Orphans(s.Ctx, s.Project.ID, ports.OrphanFilter{State: checkout.OrphanDetected, Charge: "ch_orphan"}, ports.Page{Limit: 9})
	s.Must(err)
	Same(t, "of a charge", list, []checkout.Orphan{*one})
	Same(t, "all of a charge", total, 1)
	_, total, err = s.Orphans.Orphans(s.Ctx, s.Project.ID, ports.OrphanFilter{State: checkout.OrphanFailed}, ports.Page{Limit: 9})
	s.Must(err)
	Same(t, "failed", total, 0)
	foreign := OpenShop(t, s.Stores)
	_, total, err = s.Orphans.Orphans(s.Ctx, foreign.Project.ID, ports.OrphanFilter{}, ports.Page{Limit: 9})
	s.Must(err)
	Same(t, "of another project", total, 0)

	s.Must(s.Orphans.ChangeOrphan(s.Ctx, s.Project.ID, one.ID, func(o *checkout.Orphan, now time.Time) (*event.Event, error) {
		if now.Before(Noon) {
			t.Errorf("the database's clock says %s", now)
		}
		o.Refunded("re_1", Noon)
		return nil, nil
	}))
	wallets, err := s.Ledger.Wallets(s.Ctx, s.Project.ID)
	s.Must(err)
	Same(t, "owed to buyers by the books", wallets[0].Orphaned, two.Amount)
	err = s.Orphans.ChangeOrphan(s.Ctx, s.Project.ID, two.ID, func(o *checkout.Orphan, _ time.Time) (*event.Event, error) {
		o.RefundFailed("", "no", Noon)
		return nil, ErrPlain
	})
	Same(t, "error", err, ErrPlain)
	list, _, err = s.Orphans.Orphans(s.Ctx, s.Project.ID, ports.OrphanFilter{}, ports.Page{Limit: 9})
	s.Must(err)
	Same(t, "states", []checkout.OrphanState{list[0].State, list[1].State}, []checkout.OrphanState{checkout.OrphanDetected, checkout.OrphanRefunded})
	Same(t, "refund", list[1].Refund, "re_1")
	err = s.Orphans.ChangeOrphan(s.Ctx, foreign.Project.ID, one.ID, func(*checkout.Orphan, time.Time) (*event.Event, error) { return nil, nil })
	WantFault(t, err, fault.NotFound, "orphan_not_found")

	unsure := c.Orphaned(1, "ch_unsure", Noon)
	unsure.MarkUncertain(checkout.ErrSecondCharge, Noon)
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
		stored, err := tx.Orphan(s.Ctx, unsure, nil)
		Same(t, "one that is not booked and not announced is stored", stored, true)
		return err
	}))
}

// keepOrphan stores an orphan, and reports whether it did.
func (s *Shop) keepOrphan(o *checkout.Orphan) (stored bool) {
	s.T.Helper()
	s.Must(s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) (err error) {
		e := &event.Event{
			ID:      Random[id.Event](),
			Project: s.Project.ID,
			At:      Noon,
			Data: event.PaymentOrphaned{
				Checkout: o.Checkout,
				Charge:   o.Charge,
				Amount:   o.Amount,
				Provider: o.Route.Provider,
				Refund:   "pending",
			},
		}
		stored, err = tx.Orphan(s.Ctx, o, e)
		return err
	}))
	return stored
}

func (s *Shop) orphan(o *checkout.Orphan) *checkout.Orphan {
	s.T.Helper()
	Same(s.T, "stored", s.keepOrphan(o), true)
	return o
}
