package syncing

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// A preview counts what a run would do and stores nothing else. A run after it does the same work.
func TestPreview(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(25)...)
	preview := func(full bool) syncrun.Run {
		t.Helper()
		run, err := f.service().Start(t.Context(), f.Project, f.World.Integration, Wanted{
			Resources: []string{"products"},
			Full:      full,
			Preview:   true,
		})
		if err != nil {
			t.Fatal(err)
		}
		f.work(t, f.Replica(0))
		return f.Run(run.ID)
	}
	want(t, preview(false), syncrun.Completed, syncrun.Counters{Created: 25})
	if f.Products() > 0 || len(f.changed) > 0 || len(f.Events()) > 0 || len(f.Integrated().Synced) > 0 || !f.Integrated().LastSync.IsZero() {
		t.Fatalf("%d products, %v changed, events %v, read to %v", f.Products(), f.changed, f.Events(), f.Integrated().Synced)
	}
	want(t, f.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Created: 25})
	f.platform.records[syncrun.Products] = f.platform.records[syncrun.Products][3:]
	f.Pass(time.Minute)
	events := len(f.Events())
	want(t, preview(true), syncrun.Completed, syncrun.Counters{Updated: 3, Unchanged: 22})
	if p := f.Product(tents(1)[0].Product.SKU); p.Status != catalog.Active || len(f.Events()) != events {
		t.Errorf("a product that is gone is %s, events %v", p.Status, f.Events()[events:])
	}
	want(t, f.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 3, Unchanged: 22})
	f.platform.records[syncrun.Products] = f.platform.records[syncrun.Products][20:]
	deleted := tent(99, f.Now())
	deleted.Remote, deleted.Deleted, deleted.Product = "p24", true, nil
	f.platform.records[syncrun.Products] = append(f.platform.records[syncrun.Products], deleted)
	if r := preview(true); r.Status != syncrun.Failed || len(f.Events()) != events+1 {
		t.Errorf("a platform that lost most of what it had: %s, events %v", r.Status, f.Events()[events:])
	}
	// A platform that has other records in their place passes the check, in a sync and in a preview. A deleted record counts once.
	var others []syncrun.Record
	for n := range 40 {
		others = append(others, tent(100+n, f.Now()))
	}
	f.platform.records[syncrun.Products] = append(others, deleted)
	f.Pass(time.Minute)
	r := preview(true)
	want(t, r, syncrun.Completed, syncrun.Counters{Created: 40, Updated: 22})
	want(t, f.sync(t, true, "products"), syncrun.Completed, r.Steps[0].Counters)
}

// A preview whose replica dies leaves nothing behind but itself.
func TestPreview_replicaDies(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		f := newFixture(tents(25)...)
		run, err := f.service().Start(t.Context(), f.Project, f.World.Integration, Wanted{Resources: []string{"products"}, Preview: true})
		if err != nil {
			t.Fatal(err)
		}
		r := f.Replica(diesAt)
		f.work(t, r)
		if f.Products() > 0 || len(f.Events()) > 0 {
			t.Fatalf("it died at %d: %d products, events %v", diesAt, f.Products(), f.Events())
		}
		done := f.Run(run.ID).Status == syncrun.Completed
		f.Pass(time.Hour)
		f.work(t, f.Replica(0))
		want(t, f.Run(run.ID), syncrun.Completed, syncrun.Counters{Created: 25})
		if done {
			return
		}
	}
}
