package syncing

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// preview runs a preview.
func (f *fixture) preview(t *testing.T, full bool, resources ...string) syncrun.Run {
	t.Helper()
	run, err := f.service().Start(t.Context(), f.Project, f.World.Integration, Wanted{
		Resources: resources,
		Full:      full,
		Preview:   true,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.work(t, f.Replica(0))
	return f.Run(run.ID)
}

// lines formats changes as text.
func lines(changes []syncrun.Change) (list []string) {
	for _, c := range changes {
		line := fmt.Sprint(c.Kind, " ", c.Resource, " ", c.Remote, " ", c.Title)
		for _, f := range c.Fields {
			line += fmt.Sprint("; ", f.Field, " ", f.Ours.Text, " ", f.Theirs.Text, " ", f.Rule.Winner())
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

func (f *fixture) wantChanges(t *testing.T, r syncrun.Run, want ...string) {
	t.Helper()
	if got := lines(f.Changes(r.ID)); !slices.Equal(got, want) {
		t.Errorf("%s %s: %q, want %q", r.Status, r.Error, got, want)
	}
}

// A preview lists what a sync would create, change and archive. Only products have values in the list.
func TestPreview_changes(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(30)...)
	ada := syncrun.Record{
		Resource: syncrun.Customers,
		Remote:   "c1",
		At:       early,
		Customer: &syncrun.Customer{Email: "ada@example.com", Name: "Ada"},
	}
	sale := syncrun.Record{
		Resource: syncrun.Orders,
		Remote:   "o1",
		At:       early,
		Order:    &syncrun.Order{Number: "#1", Email: "ada@example.com"},
	}
	f.platform.records[syncrun.Customers], f.platform.records[syncrun.Orders] = []syncrun.Record{ada}, []syncrun.Record{sale}
	first := f.preview(t, false)
	changes := f.Changes(first.ID)
	if counts, all := first.Changes(); len(changes) != 32 || counts[syncrun.Create] != 32 || !all {
		t.Fatalf("%d are listed, %v are counted, all %v", len(changes), counts, all)
	}
	for _, c := range changes {
		if c.Run != first.ID || !c.Preview || c.Local != "" || c.Kind != syncrun.Create || c.Fields != nil || (c.Title != "") != (c.Resource == syncrun.Products) {
			t.Errorf("%+v", c)
		}
	}
	f.sync(t, false)

	list := f.platform.records[syncrun.Products]
	list[0] = renamed(list[0], "Dome tent", f.Now())
	list[1] = renamed(list[1], "Tunnel tent", f.Now())
	list[1].Product.Archived = true
	list = slices.Delete(list, 2, 4)
	list[2] = gone(list[2], f.Now())
	f.platform.records[syncrun.Products] = append(list, tent(40, f.Now()))
	ada.Customer = &syncrun.Customer{Email: "ada@example.com", Name: "Ada L."}
	f.platform.records[syncrun.Customers] = []syncrun.Record{ada}
	f.Pass(time.Minute)
	second := f.preview(t, true)
	f.wantChanges(t, second,
		"archived products p1 Tent 1; name Tent 1 Tunnel tent ",
		"archived products p2 Tent 2",
		"archived products p3 Tent 3",
		"archived products p4 Tent 4",
		"changed customers c1 ",
		"changed products p0 Tent 0; name Tent 0 Dome tent ",
		"created products p40 Tent 40",
	)
	want := map[syncrun.ChangeKind]int{syncrun.Create: 1, syncrun.Modify: 2, syncrun.Archive: 4, syncrun.Conflict: 0}
	if counts, all := second.Changes(); !reflect.DeepEqual(counts, want) || !all {
		t.Errorf("%v are counted, all %v", counts, all)
	}
	for _, c := range f.Changes(second.ID) {
		if p := f.Product("T-" + c.Remote[1:]); c.Resource == syncrun.Products && c.Kind != syncrun.Create && c.Local != p.ID.String() {
			t.Errorf("%+v is of %s", c, p.ID)
		}
	}
	if r := f.sync(t, true); len(f.Changes(r.ID)) > 0 {
		t.Errorf("a sync lists %q", lines(f.Changes(r.ID)))
	}
}

// A preview of many changes lists a thousand of them.
func TestPreview_manyChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(syncrun.MaxChanges + 50)...)
	f.platform.pageSize = 300
	r := f.preview(t, false, "products")
	counts, all := r.Changes()
	if n := len(f.Changes(r.ID)); n != syncrun.MaxChanges || counts[syncrun.Create] != syncrun.MaxChanges+50 || all {
		t.Errorf("%d are listed, %v are counted, all %v", n, counts, all)
	}
	f.platform.pageSize = 2_000
	f.sync(t, false, "products")
	others := []syncrun.Record{}
	for n := range syncrun.MaxChanges + 60 {
		others = append(others, tent(5_000+n, f.Now()))
	}
	f.platform.records[syncrun.Products] = append(others, f.platform.records[syncrun.Products][:20]...)
	f.Pass(time.Minute)
	r = f.preview(t, true, "products")
	counts, all = r.Changes()
	if n := len(f.Changes(r.ID)); n != syncrun.MaxChanges || counts[syncrun.Archive] != syncrun.MaxChanges+30 || all {
		t.Errorf("of a full one %d are listed, %v are counted, all %v", n, counts, all)
	}
}

// Each change is listed once, at whichever call a replica dies.
func TestPreview_changesOnce(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		f := newFixture(tents(25)...)
		run, err := f.service().Start(t.Context(), f.Project, f.World.Integration, Wanted{
			Resources: []string{"products"},
			Full:      true,
			Preview:   true,
		})
		if err != nil {
			t.Fatal(err)
		}
		dying := f.Replica(diesAt)
		f.work(t, dying)
		f.Pass(lease + time.Second)
		f.work(t, f.Replica(0))
		if n := len(f.Changes(run.ID)); n != 25 {
			t.Fatalf("it died at %d: %d are listed", diesAt, n)
		}
		if !dying.Dead() {
			return
		}
	}
}

// A step that is read again is listed and counted once, and only up to the limit of the list.
func TestPreview_restarted(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(1_200)...)
	f.platform.pageSize = 300
	restarted := false
	f.platform.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if restarted || r.Cursor != "900" {
			return nil, nil
		}
		restarted = true
		all := slices.Clone(f.platform.records[syncrun.Products])
		slices.Reverse(all) // what is read instead may come in another order
		f.platform.records[syncrun.Products] = all[:950]
		return &ports.RecordPage{Next: "0", Restarted: true}, nil
	}
	r := f.preview(t, false, "products")
	counts, all := r.Changes()
	if n := len(f.Changes(r.ID)); !restarted || n != 950 || counts[syncrun.Create] != 950 || !all || r.Steps[0].Total() != 950 {
		t.Errorf("%s: %d are listed, %v are counted, all %v, of %d", r.Status, n, counts, all, r.Steps[0].Total())
	}
}

// A conflict is a field that both sides changed. An incremental sync keeps the value from here; a full sync overwrites it.
func TestCompare(t *testing.T) {
	t.Parallel()
	f := newFixture(tents(3)...)
	f.sync(t, false, "products")
	for n := range 2 {
		f.edit(t, fmt.Sprint("T-", n), catalog.Draft{Name: patch.To(fmt.Sprint("Ours ", n))})
	}
	list := f.platform.records[syncrun.Products]
	for n := range list {
		list[n] = renamed(list[n], list[n].Product.Name, f.Now())
		list[n].Product.Brand = "Fell"
	}
	list[0].Product.Name, list[2].Product.Name = "Theirs 0", "Theirs 2"
	kept := "conflict products p0 Ours 0; name Ours 0 Theirs 0 ours"

	f.Pass(time.Minute)
	f.wantChanges(t, f.preview(t, false, "products"),
		"changed products p0 Ours 0; brand  Fell ", "changed products p1 Ours 1; brand  Fell ",
		"changed products p2 Tent 2; name Tent 2 Theirs 2 ; brand  Fell ", kept)
	r := f.sync(t, false, "products")
	f.wantChanges(t, r, kept)
	if counts, all := r.Changes(); counts[syncrun.Conflict] != 1 || !all || len(f.Changes(id.Sync{})) > 0 {
		t.Errorf("%v are counted, all %v", counts, all)
	}
	c := f.Changes(r.ID)[0]
	if c.Preview || c.Local != f.Product("T-0").ID.String() || c.Fields[0].Rule != syncrun.EditedHere || !c.At.Equal(f.Now()) {
		t.Errorf("%+v", c)
	}
	f.wantChanges(t, f.sync(t, true, "products"), "conflict products p0 Ours 0; name Ours 0 Theirs 0 theirs")
	if f.Product("T-0").Name != "Theirs 0" || f.Product("T-1").Name != "Tent 1" {
		t.Errorf("%s, %s", f.Product("T-0").Name, f.Product("T-1").Name)
	}
	f.wantChanges(t, f.sync(t, true, "products"))
}

// A webhook's records are compared by the same rule. An invalid value is no conflict.
func TestCompare_webhook(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tent(1, early))
	f.edit(t, "T-1", catalog.Draft{Name: patch.To("Ours")})
	taken := f.importByWebhook(t, renamed(tent(1, early), "Theirs", early.Add(time.Minute)))
	want := []string{"conflict products p1 Ours; name Ours Theirs ours"}
	if got := lines(taken.Changes); !slices.Equal(got, want) || !taken.Changes[0].Run.IsZero() {
		t.Errorf("%q, want %q", got, want)
	}
	nameless := renamed(tent(1, early), "", early.Add(2*time.Minute))
	nameless.Product.Brand = "Fell"
	if taken := f.importByWebhook(t, nameless); len(taken.Changes) > 0 || f.Product("T-1").Brand != "Fell" {
		t.Errorf("of no name: %q, %+v", lines(taken.Changes), taken.Problems)
	}
}

// A conflict ends when both sides have the same value, no matter which side changed it. A later change of the platform alone is
// imported.
func TestCompare_resolved(t *testing.T) {
	t.Parallel()
	for who, resolve := range map[string]func(f *fixture, there *syncrun.Product){
		"here": func(f *fixture, _ *syncrun.Product) {
			f.edit(t, "T-1", catalog.Draft{Name: patch.To("C")})
		},
		"at the platform": func(_ *fixture, there *syncrun.Product) {
			there.Name = "B"
		},
		// The platform's description is invalid here, but the names agree all the same.
		"beside an invalid field": func(f *fixture, there *syncrun.Product) {
			f.edit(t, "T-1", catalog.Draft{Name: patch.To("C"), Description: patch.To("Ours")})
			there.Description = strings.Repeat("a", 20_000)
		},
	} {
		f := newFixture()
		send := func(n int, change func(p *syncrun.Product)) []string {
			r := tent(1, early.Add(time.Duration(n)*time.Minute))
			r.Product.Name = "C"
			change(r.Product)
			taken := f.importByWebhook(t, r)
			if len(taken.Problems) > 0 {
				t.Errorf("%s: %+v", who, taken.Problems)
			}
			return lines(taken.Changes)
		}
		send(0, func(p *syncrun.Product) { p.Name = "A" })
		f.edit(t, "T-1", catalog.Draft{Name: patch.To("B")})
		if got := send(1, func(*syncrun.Product) {}); !slices.Equal(got, []string{"conflict products p1 B; name B C ours"}) {
			t.Errorf("%s: %q", who, got)
		}
		agreed := func(p *syncrun.Product) {
			p.Brand = "Fell"
			resolve(f, p)
		}
		if got := send(2, agreed); len(got) > 0 || f.Product("T-1").Brand != "Fell" {
			t.Errorf("%s: once resolved, %q", who, got)
		}
		if got := send(3, func(p *syncrun.Product) { p.Name = "D" }); len(got) > 0 || f.Product("T-1").Name != "D" {
			t.Errorf("%s: the platform alone changed it: %s, %q", who, f.Product("T-1").Name, got)
		}
	}
}

// Stock that was sold here and changed at the platform is added up, so it never conflicts.
func TestImportLevels_noConflict(t *testing.T) {
	t.Parallel()
	f := newFixture()
	f.importByWebhook(t, tent(1, early), level(1, 5, early))
	f.Set("T-1", "main", 3)
	taken := f.importByWebhook(t, level(1, 7, early.Add(time.Minute)))
	if f.Stock("T-1", "main") != 5 || len(taken.Changes) > 0 {
		t.Errorf("%d pieces, %q", f.Stock("T-1", "main"), lines(taken.Changes))
	}
}
