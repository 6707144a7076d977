package syncing

import (
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/synctest"
)

var full = ports.ImportScope{Run: id.New[id.Sync]([16]byte{7}), Full: true}

// importFull imports records as a full run does.
func (f *fixture) importFull(t *testing.T, records ...syncrun.Record) ports.ImportResult {
	t.Helper()
	w := full
	w.Project = f.Project
	taken, err := f.importRecords(t, w, records...)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func verdicts(taken ports.ImportResult) (list []string) {
	for _, o := range taken.Outcomes {
		list = append(list, o.Verdict.String())
	}
	return list
}

func wantVerdicts(t *testing.T, what string, taken ports.ImportResult, want ...string) {
	t.Helper()
	if got := verdicts(taken); !slices.Equal(got, want) {
		t.Errorf("%s: %v %+v, want %v", what, got, taken.Problems, want)
	}
	if taken.Total() != len(want) {
		t.Errorf("%s: %d of %d are counted", what, taken.Total(), len(want))
	}
}

// edit changes a product as a merchant does.
func (f *fixture) edit(t *testing.T, sku string, d catalog.Draft) {
	t.Helper()
	next, _, err := f.Product(sku).Update(d, ids{f.entropy}, f.Now())
	if err != nil {
		t.Fatal(err)
	}
	f.Put(next)
}

func gone(r syncrun.Record, at time.Time) syncrun.Record {
	return syncrun.Record{
		Resource: r.Resource,
		Remote:   r.Remote,
		At:       at,
		Deleted:  true,
	}
}

func renamed(r syncrun.Record, name string, at time.Time) syncrun.Record {
	p := *r.Product
	p.Name, r.Product, r.At = name, &p, at
	return r
}

func TestImporter_product(t *testing.T) {
	t.Parallel()
	one, later := tent(1, early), early.Add(time.Hour)
	archivedThere := renamed(one, "Tent 1", later)
	archivedThere.Product.Archived = true
	for name, c := range map[string]struct {
		before  []syncrun.Record
		record  syncrun.Record
		verdict string
		name    string // "": there is no product
		status  catalog.Status
	}{
		"new":                       {nil, one, "created", "Tent 1", catalog.Active},
		"known":                     {[]syncrun.Record{one}, one, "unchanged", "Tent 1", catalog.Active},
		"changed":                   {[]syncrun.Record{one}, renamed(one, "B", later), "updated", "B", catalog.Active},
		"older":                     {[]syncrun.Record{renamed(one, "B", later)}, one, "unchanged", "B", catalog.Active},
		"older than it was touched": {[]syncrun.Record{one, renamed(one, "Tent 1", later)}, renamed(one, "old", early.Add(time.Minute)), "unchanged", "Tent 1", catalog.Active},
		"without a time":            {[]syncrun.Record{one}, renamed(one, "B", time.Time{}), "updated", "B", catalog.Active},
		"archived there":            {[]syncrun.Record{one}, archivedThere, "updated", "Tent 1", catalog.Archived},
		"deleted":                   {[]syncrun.Record{one}, gone(one, later), "updated", "Tent 1", catalog.Archived},
		"deleted, told late":        {[]syncrun.Record{renamed(one, "B", later)}, gone(one, early), "unchanged", "B", catalog.Active},
		"deleted, unknown":          {nil, gone(one, later), "unchanged", "", catalog.Status{}},
		"deleted twice":             {[]syncrun.Record{one, gone(one, later)}, gone(one, later), "unchanged", "Tent 1", catalog.Archived},
		"back":                      {[]syncrun.Record{one, gone(one, later)}, renamed(one, "Tent 1", later.Add(1)), "updated", "Tent 1", catalog.Active},
		"what was before its end":   {[]syncrun.Record{gone(one, later)}, one, "unchanged", "", catalog.Status{}},
		"no price": {nil, syncrun.Record{
			Resource: syncrun.Products,
			Remote:   "p1",
			Product:  &syncrun.Product{SKU: "T-1", Name: "x"},
		}, "failed", "", catalog.Status{}},
		"another currency": {nil, syncrun.Record{
			Resource: syncrun.Products,
			Remote:   "p1",
			Product: &syncrun.Product{
				SKU:      "T-1",
				Name:     "x",
				Price:    "1",
				Currency: "JPY",
			},
		}, "failed", "", catalog.Status{}},
		"unreadable": {[]syncrun.Record{one}, syncrun.Record{
			Resource: syncrun.Products,
			Remote:   "p1",
			Problem:  "?",
		}, "failed", "Tent 1", catalog.Active},
		"saying nothing": {[]syncrun.Record{one}, syncrun.Record{Resource: syncrun.Products, Remote: "p1"}, "failed", "Tent 1", catalog.Active},
		"a name that cannot be kept": {nil, syncrun.Record{
			Resource: syncrun.Products,
			Remote:   "a\x00b",
			Product:  one.Product,
		}, "failed", "", catalog.Status{}},
	} {
		f := newFixture()
		for _, r := range c.before {
			f.importByWebhook(t, r)
		}
		wantVerdicts(t, name, f.importByWebhook(t, c.record), c.verdict)
		switch p := f.Product("T-1"); {
		case p == nil && c.name != "", p != nil && (p.Name != c.name || p.Status != c.status):
			t.Errorf("%s: it is %+v", name, p)
		}
	}
}

func TestImporter_editedFields(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tent(1, early))
	f.edit(t, "T-1", catalog.Draft{Name: patch.To("Ours")})
	changed := renamed(tent(1, early), "Theirs", early.Add(time.Minute))
	changed.Product.Brand = "B"
	wantVerdicts(t, "changed", f.importByWebhook(t, changed), "updated")
	if p := f.Product("T-1"); p.Name != "Ours" || p.Brand != "B" {
		t.Fatalf("it is %+v", p)
	}
	again := renamed(changed, "Theirs again", early.Add(2*time.Minute))
	wantVerdicts(t, "changed again", f.importByWebhook(t, again), "unchanged")
	wantVerdicts(t, "in full", f.importFull(t, again), "updated")
	if p := f.Product("T-1"); p.Name != "Theirs again" {
		t.Errorf("a full run leaves %q", p.Name)
	}
	f.Upserts = 0
	wantVerdicts(t, "in full once more", f.importFull(t, again), "unchanged")
	if c, _ := f.Copy(syncrun.Products, "p1"); c.Seen != full.Run {
		t.Error("the run did not see it")
	}
	stale := renamed(tent(1, early), "stale", early)
	wantVerdicts(t, "an older page of a full run", f.importFull(t, stale), "unchanged")
}

func TestMatch(t *testing.T) {
	t.Parallel()
	f := newFixture()
	ours, _, err := catalog.Create(f.Project.ID, catalog.Draft{
		SKU:   patch.To("T-1"),
		Name:  patch.To("Ours"),
		Price: patch.To(money.Of(500, f.Project.Settings.Currency)),
	}, f.Project.Settings.Currency, ids{f.entropy}, f.Now())
	if err != nil {
		t.Fatal(err)
	}
	f.Put(ours)
	wantVerdicts(t, "a product that was here", f.importByWebhook(t, tent(1, early)), "updated")
	if p := f.Product("T-1"); p.ID != ours.ID || p.Name != "Tent 1" || f.Products() != 1 {
		t.Fatalf("it is %+v", p)
	}
	other := tent(1, early)
	other.Remote = "other"
	taken := f.importByWebhook(t, other)
	wantVerdicts(t, "another record of the sku", taken, "unknown")
	if taken.Problems[0].Reason != "The sku T-1 is record p1's already." {
		t.Errorf("because %q", taken.Problems[0].Reason)
	}
	f.importByWebhook(t, gone(tent(1, early), early.Add(time.Minute)))
	wantVerdicts(t, "once that is gone", f.importByWebhook(t, other), "updated")
	if p := f.Product("T-1"); p.ID != ours.ID || p.Status != catalog.Active {
		t.Errorf("it is %+v", p)
	}
}

func TestImporter_duplicates(t *testing.T) {
	t.Parallel()
	f := newFixture()
	stranger := tent(1, early)
	stranger.Remote = "stranger"
	taken := f.importByWebhook(t,
		renamed(tent(1, early), "first", early), renamed(tent(1, early), "last", early.Add(time.Minute)),
		renamed(tent(1, early), "older", early.Add(-time.Minute)), stranger, tent(2, early),
	)
	wantVerdicts(t, "a page", taken, "unchanged", "created", "unchanged", "failed", "created")
	if f.Product("T-1").Name != "last" || f.Products() != 2 || taken.Problems[0].Reason != "The sku T-1 is record p1's already." {
		t.Errorf("T-1 is %q, %d products, %+v", f.Product("T-1").Name, f.Products(), taken.Problems)
	}
	clash := tent(3, early)
	clash.Product.Variants = []syncrun.Variant{{SKU: "T-2", Size: "M"}}
	taken = f.importByWebhook(t, clash, tent(4, early))
	wantVerdicts(t, "a variant's sku", taken, "failed", "created")
	if _, kept := f.Copy(syncrun.Products, "p3"); kept {
		t.Error("a record that was not taken is known")
	}
}

func TestImporter_skippedResource(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.Change(func(i *integration.Integration) { i.Config.Skip.Products = true })
	wantVerdicts(t, "a call", f.importByWebhook(t, tent(1, early), level(1, 2, early)), "unchanged", "unchanged")
	if f.Products() != 0 {
		t.Error("it was taken")
	}
}

func TestWriteProducts_oneUpsert(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tents(250)...)
	if f.Upserts != 1 {
		t.Errorf("new ones take %d writes", f.Upserts)
	}
	f.Upserts = 0
	f.importByWebhook(t, tents(250)...)
	if f.Upserts != 0 {
		t.Errorf("known ones take %d writes", f.Upserts)
	}
}

func TestImporter_highMark(t *testing.T) {
	t.Parallel()
	f := newFixture()
	taken := f.importByWebhook(t, tent(1, f.Now().Add(time.Hour)), tent(2, early))
	if !taken.High.Equal(f.Now()) {
		t.Errorf("it is %v", taken.High)
	}
}

var _ ports.SyncUnit = (*synctest.Replica)(nil)

// A record with a time in the future does not keep out later ones.
func TestImporter_futureTime(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tent(1, f.Now()), level(1, 44, f.Now().AddDate(900, 0, 0)))
	f.Pass(time.Minute)
	wantVerdicts(t, "a later level", f.importByWebhook(t, level(1, 4, f.Now())), "updated")
	if got := f.Stock("T-1", "main"); got != 4 {
		t.Errorf("%d are there", got)
	}
}

// A product that was deleted and created again at the platform is active in the end, in whichever order the records arrive.
func TestImporter_recreatedProduct(t *testing.T) {
	t.Parallel()
	gone := gone(tent(1, early), early.Add(time.Minute))
	again := tent(2, early.Add(time.Minute))
	again.Product.SKU, again.Product.Item = "T-1", "i2"
	for name, told := range map[string][][]syncrun.Record{
		"the end first":          {{gone}, {again}},
		"at once, the end first": {{gone, again}},
		"at once, the end last":  {{again, gone}},
		"the end last":           {{again}, {gone}, {again}}, // the first is unknown, and comes again
	} {
		f := newFixture()
		f.importByWebhook(t, tent(1, early))
		for n, records := range told {
			outcomes := f.importByWebhook(t, records...)
			if name == "the end last" && n == 0 {
				wantVerdicts(t, name, outcomes, "unknown")
			}
		}
		if p := f.Product("T-1"); p == nil || p.Status != catalog.Active || p.Name != "Tent 2" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
