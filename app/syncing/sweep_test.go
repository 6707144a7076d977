package syncing

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

func TestSweep_archivesMissing(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(30)...)
	f.platform.records[syncrun.Customers] = []syncrun.Record{
		{Resource: syncrun.Customers, Remote: "c1", Customer: &syncrun.Customer{Email: "A@x.org"}},
		{Resource: syncrun.Customers, Remote: "c2", Customer: &syncrun.Customer{Email: "b@x.org"}},
	}
	f.sync(t, false, "products", "customers")
	f.Pass(time.Hour)
	f.platform.records[syncrun.Products] = tents(30)[:20]
	f.platform.records[syncrun.Products][4].Problem = "It cannot be read." // but it is there
	f.platform.records[syncrun.Customers] = f.platform.records[syncrun.Customers][:1]
	want(t, f.sync(t, false, "products"), syncrun.Completed, syncrun.Counters{Unchanged: 19, Errors: 1})
	if f.Product("T-25").Status != catalog.Active {
		t.Error("a reading of what changed archived what it did not find")
	}
	run := f.sync(t, true, "products", "customers")
	want(t, run, syncrun.Completed, syncrun.Counters{
		Updated:   10,
		Unchanged: 19,
		Errors:    1,
	}, syncrun.Counters{Updated: 1, Unchanged: 1})
	if f.Product("T-25").Status != catalog.Archived || f.Product("T-4").Status != catalog.Active || f.Product("T-19").Status != catalog.Active {
		t.Errorf("T-25 %s, T-4 %s, T-19 %s", f.Product("T-25").Status, f.Product("T-4").Status, f.Product("T-19").Status)
	}
	if c, _ := f.Copy(syncrun.Customers, "c2"); !c.Removed || c.Customer != nil || c.Email != "" {
		t.Errorf("the customer who is gone is kept: %+v", c)
	}
	if c, _ := f.Copy(syncrun.Customers, "c1"); c.Email != "a@x.org" {
		t.Errorf("the other one is %+v", c)
	}
	f.Pass(time.Hour)
	f.platform.records[syncrun.Products] = tents(30)
	want(t, f.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 10, Unchanged: 20})
	if f.Product("T-25").Status != catalog.Active {
		t.Error("what is back stays archived")
	}
}

// A record without an id could be any record, so nothing is removed.
func TestSweep_recordWithoutID(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(3)...)
	f.sync(t, false, "products")
	f.platform.records[syncrun.Products][1].Remote = ""
	run := f.sync(t, true, "products")
	if c := run.Steps[0].Counters; run.Status != syncrun.Completed || c.Errors != 1 || c.Total() != 3 {
		t.Errorf("%+v", run)
	}
	if p := f.Product("T-2"); p.Status != catalog.Active {
		t.Error("what could not be named was archived")
	}
}

func TestSweep_emptiedPlatform(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(20)...)
	f.sync(t, false, "products")
	f.Pass(time.Hour)
	f.platform.records[syncrun.Products] = tents(9)
	run := f.sync(t, true, "products")
	if run.Status != syncrun.Failed || !strings.Contains(run.Error, "11 of 20 products") || f.Product("T-15").Status != catalog.Active {
		t.Errorf("%s %q, T-15 is %s", run.Status, run.Error, f.Product("T-15").Status)
	}
	f.platform.records[syncrun.Products] = tents(10)
	want(t, f.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 10, Unchanged: 10})
	f.Pass(time.Hour)
	f.platform.records[syncrun.Products] = nil // the ten that are left are few enough
	want(t, f.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Updated: 10})
}

// A record that came by webhook during a full sync is not removed.
func TestSweep_recordDuringRun(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(3)...)
	f.platform.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		f.importByWebhook(t, tent(77, f.Now()))
		return nil, nil
	}
	want(t, f.sync(t, true, "products"), syncrun.Completed, syncrun.Counters{Created: 3})
	if p := f.Product("T-77"); p == nil || p.Status != catalog.Active {
		t.Errorf("it is %+v", p)
	}
}
