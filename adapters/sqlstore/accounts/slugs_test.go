package accounts_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

// A released slug can be taken by any account after its time, by the database's clock, and is then deleted.
func TestForgetSlugs_afterTheirTime(t *testing.T) {
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

// An account cannot reserve an unlimited number of slugs by renaming one project.
func TestFreeSlug_mostKept(t *testing.T) {
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
