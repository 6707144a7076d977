package sqlstore_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// watched are the URLs of a migrated, empty database of each engine.
func watched(t *testing.T) map[string]string {
	sqlite := "sqlite://" + t.TempDir() + "/haggle.db"
	if err := storetest.Migrated(sqlite); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"sqlite": sqlite, "postgres": pgserver.Shared(t).Migrated(t, storetest.Migrated)}
}

// Each change of what buyers are served by raises the project's version and calls Wrote once it is committed. Writes of
// the catalogue call Wrote too, because searches compare their count, but leave the version alone.
func TestConfig_Wrote_projectVersion(t *testing.T) {
	t.Parallel()
	for engine, url := range watched(t) {
		t.Run(engine, func(t *testing.T) {
			var notified []id.Project
			s := storetest.OpenStore(t, sqlstore.Config{URL: url, Wrote: func(p id.Project) { notified = append(notified, p) }})
			shop := porttest.OpenShop(t, storetest.Views(s))
			if !slices.Contains(notified, shop.Project.ID) {
				t.Error("a new project was not told")
			}
			product := shop.Product(3)
			for _, write := range []struct {
				name   string
				raises int64
				do     func() error
			}{
				{"settings", 1, func() error {
					_, err := shop.Change(func(p *project.Project) error { p.Settings.Locale = "fr-FR"; return nil })
					return err
				}},
				{"storefront", 1, func() error {
					_, err := shop.Change(func(p *project.Project) error { p.Storefront.ReturnWindowDays = 5; return nil })
					return err
				}},
				{"agent", 1, func() error {
					a, first := shop.Unstored()
					return s.Agents().Create(t.Context(), a, first)
				}},
				{"policy", 1, func() error {
					active := shop.ActiveAgent()
					_, err := s.Agents().Update(t.Context(), shop.Project.ID, active.ID, func(a *agent.Agent) (*agent.Version, error) {
						a.Name = "renamed"
						return nil, nil
					})
					return err
				}},
				{"payment route", 1, func() error {
					i := shop.Connection(integration.Stripe, porttest.Noon)
					return s.Integrations().Connect(t.Context(), i, i.Route)
				}},
				{"product", 0, func() error { return s.Products().Delete(t.Context(), shop.Project.ID, product.ID, porttest.Noon) }},
				{"closing", 1, func() error {
					return s.Projects().Delete(t.Context(), shop.Project.Account, shop.Project.ID, porttest.Noon)
				}},
			} {
				shop.Reread()
				before := shop.Project.Version
				notified = nil
				if err := write.do(); err != nil {
					t.Fatalf("%s: %v", write.name, err)
				}
				shop.Reread()
				if raised := shop.Project.Version - before; raised != write.raises {
					t.Errorf("%s raised the version by %d, want %d", write.name, raised, write.raises)
				}
				if !slices.Contains(notified, shop.Project.ID) {
					t.Errorf("%s was not told", write.name)
				}
			}
		})
	}
}

// Wrote is called for a write within a request's transaction when the transaction has ended, not before.
func TestConfig_Wrote_afterRequest(t *testing.T) {
	t.Parallel()
	for engine, url := range watched(t) {
		t.Run(engine, func(t *testing.T) {
			var notified []int64
			var s *storetest.Store
			s = storetest.OpenStore(t, sqlstore.Config{URL: url, Wrote: func(p id.Project) {
				now, err := s.Storefronts().ByProject(t.Context(), p)
				if err != nil {
					t.Error(err)
					return
				}
				notified = append(notified, now.Version)
			}})
			shop := porttest.OpenShop(t, storetest.Views(s))
			notified = nil
			err := s.Within(t.Context(), nil, func(view *storetest.Store) error {
				_, err := view.Projects().Update(t.Context(), shop.Project.Account, shop.Project.ID, func(p *project.Project) error { return nil })
				if len(notified) > 0 {
					t.Error("told before the transaction ended")
				}
				return err
			})
			if err != nil || !slices.Equal(notified, []int64{1}) {
				t.Errorf("%v: told when the version was %v, want 1", err, notified)
			}
		})
	}
}

// A quote, a checkout or a payment made with an outdated version of the project is refused.
func TestStore_staleProjectVersion(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		shop := porttest.OpenShop(t, storetest.Views(s))
		p, visit := shop.Product(3), shop.Session()
		c := shop.Checkout(visit, porttest.Line(p, 1))
		answer := shop.Answer(visit, p, 1, nil)
		fresh := checkout.Rehydrate(c.Snapshot())
		if _, err := shop.Change(func(*project.Project) error { return nil }); err != nil {
			t.Fatal(err)
		}
		stale := map[string]func(version int64) error{
			"quote": func(version int64) error {
				answer.Version = version
				return s.Haggling().Save(t.Context(), answer)
			},
			"init": func(version int64) error {
				next := fresh.Snapshot()
				next.ID = porttest.Random[id.Checkout]()
				return s.Checkouts().Create(t.Context(), checkout.Rehydrate(next), nil, session.Touched{}, version)
			},
			"claim": func(version int64) error {
				shop.Project.Version = version
				return shop.Claim(c.ID())
			},
		}
		for name, write := range stale {
			porttest.WantFault(t, write(0), fault.Conflict, ports.ProjectChanged)
			if stock := shop.Stock(p)["main"]; stock != 3 {
				t.Errorf("a stale %s took stock: %d", name, stock)
			}
			if err := write(1); err != nil {
				t.Errorf("%s by the project's version: %v", name, err)
			}
			if name == "claim" {
				shop.Must(shop.Settle(c.ID(), shop.Declined))
			}
		}
	})
}
