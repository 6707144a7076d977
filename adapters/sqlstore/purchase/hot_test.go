package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/purchase"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// A claim that has read the stock of a variant does not block other claims of it. It takes what is left, or nothing.
func TestPurchase_Claim_sameVariant(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		main, north int
		left        map[string]int
		refused     bool
	}{
		"enough for both":         {3, 0, map[string]int{"main": 1, "north": 0}, false},
		"none left":               {1, 0, map[string]int{"main": 0, "north": 0}, true},
		"none left where it lies": {1, 1, map[string]int{"main": 0, "north": 1}, true}, // the next try finds it
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := porttest.OpenShop(t, storetest.Views(storetest.FreshPostgres(t)))
			p := s.Product(test.main)
			s.Keep(p, "north", test.north)
			slow, fast := s.Checkout(s.Session(), porttest.Line(p, 1)), s.Checkout(s.Session(), porttest.Line(p, 1))
			for purchase.SlotOf(slow.Snapshot().Session.String()) == purchase.SlotOf(fast.Snapshot().Session.String()) {
				fast = s.Checkout(s.Session(), porttest.Line(p, 1))
			}
			err := s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
				c, levels, _, err := tx.LockWithStock(s.Ctx, slow.ID(), slow.Needs(), checkout.Payers(slow.Snapshot().Session, ""))
				if err != nil {
					return err
				}
				if err := s.Claim(fast.ID()); err != nil {
					t.Errorf("another claim: %v", err)
				}
				takes, _ := catalog.Allocate(slow.Needs(), levels)
				if err := c.Claim(checkout.Payment{Method: project.SharedPaymentToken, Route: porttest.SandboxRoute}, takes, porttest.Noon); err != nil {
					return err
				}
				return tx.Claim(s.Ctx, c, s.Project.Version)
			})
			if fault.Is(err, "out_of_stock") != test.refused || err != nil && !test.refused {
				t.Errorf("claimed: %v", err)
			}
			porttest.Same(t, "stock", s.Stock(p), test.left)
		})
	}
}
