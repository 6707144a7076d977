package catalogue_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// storeEnterprise is StoreProject for an account on the enterprise plan.
func storeEnterprise(t *testing.T, s *storetest.Store) *project.Project {
	t.Helper()
	p := storetest.StoreProject(t, s, 1)
	if _, err := s.DB.WritePool().ExecContext(t.Context(), "UPDATE accounts SET plan = 'enterprise'"); err != nil {
		t.Fatal(err)
	}
	return p
}

// A project has at most as many products as its plan allows, whichever way they are created. The count follows the
// stored products.
func TestCatalog_Upsert_limit(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		s.DB.Dialect.Enterprise = account.Limits{Products: 3}
		p := storeEnterprise(t, s)
		_, writes := storetest.Products(p.ID, 1, 5)
		known := func(ports.KnownProducts) []ports.ProductWrite { return writes }
		for range 2 { // as new ones, and as known ones
			failed, err := s.Catalog().Upsert(t.Context(), p.ID, ports.ProductKeys{SKUs: []string{"SKU-1", "SKU-2", "SKU-3"}}, known)
			if err != nil || len(failed) != 2 || !fault.Is(failed[3], "limit_reached") || !fault.Is(failed[4], "limit_reached") {
				t.Fatalf("%v, %v", failed, err)
			}
		}
		err := s.Products().Create(t.Context(), writes[3])
		if !fault.Is(err, "limit_reached") {
			t.Fatalf("a fourth product: %v", err)
		}
		const says = "limit_reached: On the enterprise plan a project has at most 3 products. [products has reached 3, the limit of the enterprise plan]"
		if err.Error() != says {
			t.Errorf("%q", err)
		}
		if err := s.Products().Delete(t.Context(), p.ID, writes[0].Product.ID, time.UnixMilli(1)); err != nil {
			t.Fatal(err)
		}
		if err := s.Products().Create(t.Context(), writes[3]); err != nil {
			t.Error(err)
		}
		storetest.WantCount(t, s, 3, "SELECT products FROM projects")
		storetest.WantCount(t, s, 3, "SELECT count(*) FROM products WHERE deleted_at IS NULL")
	})
}
