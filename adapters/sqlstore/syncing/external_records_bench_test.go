package syncing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const benchPage = 500

func storeIntegration(tb testing.TB, s *storetest.Store, p *project.Project) ports.RecordSet {
	tb.Helper()
	i := integration.Connect(storetest.Numbered[id.Integration](1), p.ID, integration.Draft{Type: integration.Shopify},
		integration.Config{Account: "shop"}, integration.Hook{ID: storetest.Numbered[id.Webhook](1), Status: integration.HookNone}, time.UnixMilli(0))
	i.Sealed = []byte("sealed")
	if err := s.Integrations().Connect(tb.Context(), i, i.Route); err != nil {
		tb.Fatal(err)
	}
	return ports.RecordSet{
		Project:     p.ID,
		Integration: i.ID,
		Resource:    syncrun.Products,
	}
}

// productRecords are those of the n products after a first one.
func productRecords(of ports.RecordSet, from, n int) (remotes []string, records []*syncrun.ExternalRecord) {
	for i := from; i < from+n; i++ {
		c := &syncrun.ExternalRecord{
			Project:     of.Project,
			Integration: of.Integration,
			Resource:    of.Resource,
			Remote:      fmt.Sprint(7_000_000_000_000 + i*7919),
			Local:       storetest.Numbered[id.Product](i).String(),
			Digest:      fmt.Sprintf("%032x", i),
			At:          time.UnixMilli(int64(i)),
			UpdatedAt:   time.UnixMilli(int64(i)),
		}
		for f := range c.Prints {
			c.Prints[f] = uint64(i*31+f) * 0x9E3779B97F4A7C15
		}
		remotes, records = append(remotes, c.Remote), append(records, c)
	}
	return remotes, records
}

// BenchmarkExternalRecords works on pages of 500 copies among 100 times as many.
func BenchmarkExternalRecords(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		of := storeIntegration(b, s, storetest.StoreProject(b, s, 1))
		records, runs := s.ExternalRecords(), 0
		must := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		n := 0
		create := func() {
			_, list := productRecords(of, n, benchPage)
			n += benchPage
			must(records.Save(b.Context(), list))
		}
		for range 100 {
			create()
		}
		remotes, list := productRecords(of, n/2, benchPage)
		for name, work := range map[string]func(){
			"save-new":   create,
			"save-known": func() { must(records.Save(b.Context(), list)) },
			"find": func() {
				found, err := records.Find(b.Context(), of, remotes)
				if must(err); len(found) != benchPage {
					b.Fatal(len(found))
				}
			},
			"see": func() {
				runs++
				must(records.MarkSeen(b.Context(), of, storetest.Numbered[id.Sync](runs), remotes))
			},
			"unseen": func() {
				_, _, _, err := records.NotSeenIn(b.Context(), of, storetest.Numbered[id.Sync](0), benchPage)
				must(err)
			},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					work()
				}
			})
		}
	})
}

// BenchmarkSyncPage takes pages of 250 products with their copies, and those of their variants.
func BenchmarkSyncPage(b *testing.B) {
	storetest.OnEachEngine(b, func(b *testing.B, s *storetest.Store) {
		p := storetest.StoreProject(b, s, 1)
		of := storeIntegration(b, s, p)
		run := syncrun.Start(storetest.Numbered[id.Sync](1), p.ID, of.Integration, syncrun.Resources, true, nil, time.UnixMilli(0))
		if err := s.SyncRuns().Start(b.Context(), run); err != nil {
			b.Fatal(err)
		}
		const size = 250
		n := 0
		for b.Loop() {
			if err := s.SyncUnit().InTx(b.Context(), p.ID, func(to ports.SyncStores) error {
				return syncPage(b, to, run, of, n, size)
			}); err != nil {
				b.Fatal(err)
			}
			n += size
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "products/s")
	})
}

func syncPage(b *testing.B, to ports.SyncStores, run *syncrun.Run, of ports.RecordSet, from, size int) error {
	items := of
	items.Resource = syncrun.Items
	remotes, records := productRecords(of, from, size)
	_, itemRecords := productRecords(items, from, size)
	skus, writes := storetest.Products(of.Project, from, size)
	for i := range writes {
		writes[i].Stock = []catalog.Stock{}
	}
	if _, err := to.ExternalRecords.Find(b.Context(), of, remotes); err != nil {
		return err
	}
	if _, err := to.Products.Upsert(b.Context(), of.Project, ports.ProductKeys{SKUs: skus}, func(ports.KnownProducts) []ports.ProductWrite { return writes }); err != nil {
		return err
	}
	if err := to.ExternalRecords.Save(b.Context(), append(records, itemRecords...)); err != nil {
		return err
	}
	_, err := to.Runs.Update(b.Context(), of.Project, run.ID, func(r *syncrun.Run) error {
		return r.Advance(syncrun.Counters{Created: size}, time.UnixMilli(0), fmt.Sprint(from), time.UnixMilli(0), time.UnixMilli(0))
	})
	return err
}
