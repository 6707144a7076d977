package catalogue_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// A payment attempt that cannot be read does not keep its shop from counting, listing and writing stock.
func TestInventory_unreadableAttempt(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		sale.Checkouts(1, false)
		storetest.Change(t, s, "UPDATE checkouts SET status = 'processing', attempt = 1, lease_until = 1, taken = '{'")
		var sku string
		var product string
		if err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) (err error) {
			if _, err = x.Get(t.Context(), &sku, "SELECT sku FROM variants ORDER BY sku LIMIT 1"); err == nil {
				_, err = x.Get(t.Context(), &product, "SELECT product_id FROM variants ORDER BY sku LIMIT 1")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		levels, err := s.Inventory().Set(t.Context(), sale.Project(), []ports.StockSet{{SKU: sku, Location: "main", Quantity: 7}})
		if err != nil || levels[0].Quantity != 7 {
			t.Errorf("set: %+v, %v", levels, err)
		}
		if shelves, err := s.Inventory().ShelvesOf(t.Context(), sale.Project(), []id.Product{id.Stored[id.Product](product)}); err != nil || len(shelves) == 0 {
			t.Errorf("read: %+v, %v", shelves, err)
		}
		if _, err := s.StockAdjuster().Shift(t.Context(), sale.Project(), []ports.StockShift{{SKU: sku, Location: "main", Delta: 1}}); err != nil {
			t.Errorf("moved by a platform: %v", err)
		}
	})
}
