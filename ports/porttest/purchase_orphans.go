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
	s := openShop(t, open(t))
	p := s.product(5)
	o := s.pay(s.checkout(s.session(), line(p, 1)))
	c, err := s.Checkouts.Get(s.ctx, s.project.ID, o.Checkout)
	s.must(err)
	one, two := c.Orphaned(1, "ch_orphan", noon), c.Orphaned(1, "ch_other", noon.Add(time.Second))

	same(t, "the payment of an order is stored", s.keepOrphan(c.Orphaned(1, o.Payment.Provider, noon)), false)
	same(t, "stored", s.keepOrphan(one), true)
	same(t, "stored again", s.keepOrphan(c.Orphaned(1, "ch_orphan", noon.Add(time.Hour))), false)
	same(t, "another one stored", s.keepOrphan(two), true)
	list, total, err := s.Orphans.Orphans(s.ctx, s.project.ID, ports.OrphanFilter{}, ports.Page{Limit: 1})
	s.must(err)
	same(t, "the newest of all", list, []checkout.Orphan{*two})
	same(t, "all", total, 2)
	list, total, err = s.Orphans.Orphans(s.ctx, s.project.ID, ports.OrphanFilter{State: checkout.OrphanDetected, Charge: "ch_orphan"}, ports.Page{Limit: 9})
	s.must(err)
	same(t, "of a charge", list, []checkout.Orphan{*one})
	same(t, "all of a charge", total, 1)
	_, total, err = s.Orphans.Orphans(s.ctx, s.project.ID, ports.OrphanFilter{State: checkout.OrphanFailed}, ports.Page{Limit: 9})
	s.must(err)
	same(t, "failed", total, 0)
	foreign := openShop(t, s.Stores)
	_, total, err = s.Orphans.Orphans(s.ctx, foreign.project.ID, ports.OrphanFilter{}, ports.Page{Limit: 9})
	s.must(err)
	same(t, "of another project", total, 0)

	s.must(s.Orphans.ChangeOrphan(s.ctx, s.project.ID, one.ID, func(o *checkout.Orphan, now time.Time) (*event.Event, error) {
		if now.Before(noon) {
			t.Errorf("the database's clock says %s", now)
		}
		o.Refunded("re_1", noon)
		return nil, nil
	}))
	wallets, err := s.Ledger.Wallets(s.ctx, s.project.ID)
	s.must(err)
	same(t, "owed to buyers by the books", wallets[0].Orphaned, two.Amount)
	err = s.Orphans.ChangeOrphan(s.ctx, s.project.ID, two.ID, func(o *checkout.Orphan, _ time.Time) (*event.Event, error) {
		o.RefundFailed("", "no", noon)
		return nil, errPlain
	})
	same(t, "error", err, errPlain)
	list, _, err = s.Orphans.Orphans(s.ctx, s.project.ID, ports.OrphanFilter{}, ports.Page{Limit: 9})
	s.must(err)
	same(t, "states", []checkout.OrphanState{list[0].State, list[1].State}, []checkout.OrphanState{checkout.OrphanDetected, checkout.OrphanRefunded})
	same(t, "refund", list[1].Refund, "re_1")
	err = s.Orphans.ChangeOrphan(s.ctx, foreign.project.ID, one.ID, func(*checkout.Orphan, time.Time) (*event.Event, error) { return nil, nil })
	wantFault(t, err, fault.NotFound, "orphan_not_found")

	unsure := c.Orphaned(1, "ch_unsure", noon)
	unsure.Doubt(checkout.ErrSecondCharge, noon)
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) error {
		stored, err := tx.Orphan(s.ctx, unsure, nil)
		same(t, "one that is not booked and not announced is stored", stored, true)
		return err
	}))
}

// keepOrphan stores an orphan, and reports whether it did.
func (s *shop) keepOrphan(o *checkout.Orphan) (stored bool) {
	s.t.Helper()
	s.must(s.Checkouts.InTx(s.ctx, s.project.ID, func(tx ports.Purchase) (err error) {
		e := &event.Event{ID: random[id.Event](), Project: s.project.ID, At: noon, Data: event.PaymentOrphaned{
			Checkout: o.Checkout,
			Charge:   o.Charge,
			Amount:   o.Amount,
			Provider: o.Route.Provider,
			Refund:   "pending",
		}}
		stored, err = tx.Orphan(s.ctx, o, e)
		return err
	}))
	return stored
}

func (s *shop) orphan(o *checkout.Orphan) *checkout.Orphan {
	s.t.Helper()
	same(s.t, "stored", s.keepOrphan(o), true)
	return o
}
