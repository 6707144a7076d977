package accounts_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
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

// A project has as many products as its plan says, whichever way they come. The count follows what is stored.
func TestProducts_limit(t *testing.T) {
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

// A released slug is anybody's after its time, by the database's clock, and forgotten then.
func TestReleasedSlugs_end(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p, stranger := storetest.StoreProject(t, s, 1), storetest.StoreProject(t, s, 2)
		now, err := s.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slug := p.Slug
		rename := func(of *project.Project, to string) error {
			_, err := s.Projects().Update(t.Context(), of.Account, of.ID, func(p *project.Project) error {
				p.Slug = to
				return nil
			})
			return err
		}
		if err := rename(p, "elsewhere"); err != nil {
			t.Fatal(err)
		}
		s.SetClock(now.Add(project.SlugKept - time.Minute))
		if err := rename(stranger, slug); !fault.Is(err, "slug_taken") {
			t.Errorf("a minute before: %v", err)
		}
		if err := s.ForgetSlugs(t.Context()); err != nil {
			t.Fatal(err)
		}
		storetest.WantCount(t, s, 1, "SELECT count(*) FROM released_slugs")
		s.SetClock(now.Add(project.SlugKept + time.Minute))
		if err := s.ForgetSlugs(t.Context()); err != nil {
			t.Fatal(err)
		}
		storetest.WantCount(t, s, 0, "SELECT count(*) FROM released_slugs")
		if err := rename(stranger, slug); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// An account cannot keep names without end by renaming one project.
func TestReleasedSlugs_bounded(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		p := storetest.StoreProject(t, s, 1)
		err := s.DB.InTx(t.Context(), db.NoProject, func(tx *db.Tx) error {
			for i := range project.MostSlugsKept + 20 {
				s.SetClock(time.UnixMilli(int64(1_000_000 + i)))
				if err := accounts.FreeSlug(t.Context(), tx, storetest.Numbered[id.Product](i).String(), p.Account); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		storetest.WantCount(t, s, project.MostSlugsKept, "SELECT count(*) FROM released_slugs")
		storetest.WantCount(t, s, 1_000_020, "SELECT min(released_at) FROM released_slugs")
	})
}
