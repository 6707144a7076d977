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

// preview previews a sync.
func (l *lab) preview(t *testing.T, full bool, resources ...string) syncrun.Run {
	t.Helper()
	run, err := l.service().Start(t.Context(), l.Project, l.World.Integration, Wanted{
		Resources: resources,
		Full:      full,
		Preview:   true,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.work(t, l.Replica(0))
	return l.Run(run.ID)
}

// lines are changes in words.
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

func (l *lab) wantChanges(t *testing.T, r syncrun.Run, want ...string) {
	t.Helper()
	if got := lines(l.Changes(r.ID)); !slices.Equal(got, want) {
		t.Errorf("%s %s: %q, want %q", r.Status, r.Error, got, want)
	}
}

// A preview lists what a sync would create, change and archive, with values of products alone.
func TestPreview_changes(t *testing.T) {
	t.Parallel()
	l := newLab(tents(30)...)
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
	l.shop.records[syncrun.Customers], l.shop.records[syncrun.Orders] = []syncrun.Record{ada}, []syncrun.Record{sale}
	first := l.preview(t, false)
	changes := l.Changes(first.ID)
	if counts, all := first.Changes(); len(changes) != 32 || counts[syncrun.Create] != 32 || !all {
		t.Fatalf("%d are listed, %v are counted, all %v", len(changes), counts, all)
	}
	for _, c := range changes {
		if c.Run != first.ID || !c.Preview || c.Local != "" || c.Kind != syncrun.Create || c.Fields != nil || (c.Title != "") != (c.Resource == syncrun.Products) {
			t.Errorf("%+v", c)
		}
	}
	l.sync(t, false)

	list := l.shop.records[syncrun.Products]
	list[0] = renamed(list[0], "Dome tent", l.Now())
	list[1] = renamed(list[1], "Tunnel tent", l.Now())
	list[1].Product.Archived = true
	list = slices.Delete(list, 2, 4)
	list[2] = gone(list[2], l.Now())
	l.shop.records[syncrun.Products] = append(list, tent(40, l.Now()))
	ada.Customer = &syncrun.Customer{Email: "ada@example.com", Name: "Ada L."}
	l.shop.records[syncrun.Customers] = []syncrun.Record{ada}
	l.Pass(time.Minute)
	second := l.preview(t, true)
	l.wantChanges(t, second,
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
	for _, c := range l.Changes(second.ID) {
		if p := l.Product("T-" + c.Remote[1:]); c.Resource == syncrun.Products && c.Kind != syncrun.Create && c.Local != p.ID.String() {
			t.Errorf("%+v is of %s", c, p.ID)
		}
	}
	if r := l.sync(t, true); len(l.Changes(r.ID)) > 0 {
		t.Errorf("a sync lists %q", lines(l.Changes(r.ID)))
	}
}

// A preview of many changes lists a thousand of them.
func TestPreview_manyChanges(t *testing.T) {
	t.Parallel()
	l := newLab(tents(syncrun.MaxChanges + 50)...)
	l.shop.size = 300
	r := l.preview(t, false, "products")
	counts, all := r.Changes()
	if n := len(l.Changes(r.ID)); n != syncrun.MaxChanges || counts[syncrun.Create] != syncrun.MaxChanges+50 || all {
		t.Errorf("%d are listed, %v are counted, all %v", n, counts, all)
	}
	l.shop.size = 2_000
	l.sync(t, false, "products")
	others := []syncrun.Record{}
	for n := range syncrun.MaxChanges + 60 {
		others = append(others, tent(5_000+n, l.Now()))
	}
	l.shop.records[syncrun.Products] = append(others, l.shop.records[syncrun.Products][:20]...)
	l.Pass(time.Minute)
	r = l.preview(t, true, "products")
	counts, all = r.Changes()
	if n := len(l.Changes(r.ID)); n != syncrun.MaxChanges || counts[syncrun.Archive] != syncrun.MaxChanges+30 || all {
		t.Errorf("of a full one %d are listed, %v are counted, all %v", n, counts, all)
	}
}

// However a replica dies, what is listed is listed once.
func TestPreview_changesOnce(t *testing.T) {
	t.Parallel()
	for diesAt := 1; ; diesAt++ {
		l := newLab(tents(25)...)
		run, err := l.service().Start(t.Context(), l.Project, l.World.Integration, Wanted{
			Resources: []string{"products"},
			Full:      true,
			Preview:   true,
		})
		if err != nil {
			t.Fatal(err)
		}
		dying := l.Replica(diesAt)
		l.work(t, dying)
		l.Pass(lease + time.Second)
		l.work(t, l.Replica(0))
		if n := len(l.Changes(run.ID)); n != 25 {
			t.Fatalf("it died at %d: %d are listed", diesAt, n)
		}
		if !dying.Dead() {
			return
		}
	}
}

// A step that is read anew is listed and counted once, and the list ends with its limit.
func TestPreview_restarted(t *testing.T) {
	t.Parallel()
	l := newLab(tents(1_200)...)
	l.shop.size = 300
	restarted := false
	l.shop.answer = func(r ports.PageRequest) (*ports.RecordPage, error) {
		if restarted || r.Cursor != "900" {
			return nil, nil
		}
		restarted = true
		all := slices.Clone(l.shop.records[syncrun.Products])
		slices.Reverse(all) // what is read instead may come in another order
		l.shop.records[syncrun.Products] = all[:950]
		return &ports.RecordPage{Next: "0", Restarted: true}, nil
	}
	r := l.preview(t, false, "products")
	counts, all := r.Changes()
	if n := len(l.Changes(r.ID)); !restarted || n != 950 || counts[syncrun.Create] != 950 || !all || r.Steps[0].Total() != 950 {
		t.Errorf("%s: %d are listed, %v are counted, all %v, of %d", r.Status, n, counts, all, r.Steps[0].Total())
	}
}

// Conflicts are fields that both sides changed: one that was edited here is kept, and overwritten by a full sync.
func TestConflicts(t *testing.T) {
	t.Parallel()
	l := newLab(tents(3)...)
	l.sync(t, false, "products")
	for n := range 2 {
		l.edit(t, fmt.Sprint("T-", n), catalog.Draft{Name: patch.To(fmt.Sprint("Ours ", n))})
	}
	list := l.shop.records[syncrun.Products]
	for n := range list {
		list[n] = renamed(list[n], list[n].Product.Name, l.Now())
		list[n].Product.Brand = "Fell"
	}
	list[0].Product.Name, list[2].Product.Name = "Theirs 0", "Theirs 2"
	kept := "conflict products p0 Ours 0; name Ours 0 Theirs 0 ours"

	l.Pass(time.Minute)
	l.wantChanges(t, l.preview(t, false, "products"),
		"changed products p0 Ours 0; brand  Fell ", "changed products p1 Ours 1; brand  Fell ",
		"changed products p2 Tent 2; name Tent 2 Theirs 2 ; brand  Fell ", kept)
	r := l.sync(t, false, "products")
	l.wantChanges(t, r, kept)
	if counts, all := r.Changes(); counts[syncrun.Conflict] != 1 || !all || len(l.Changes(id.Sync{})) > 0 {
		t.Errorf("%v are counted, all %v", counts, all)
	}
	c := l.Changes(r.ID)[0]
	if c.Preview || c.Local != l.Product("T-0").ID.String() || c.Fields[0].Rule != syncrun.EditedHere || !c.At.Equal(l.Now()) {
		t.Errorf("%+v", c)
	}
	l.wantChanges(t, l.sync(t, true, "products"), "conflict products p0 Ours 0; name Ours 0 Theirs 0 theirs")
	if l.Product("T-0").Name != "Theirs 0" || l.Product("T-1").Name != "Tent 1" {
		t.Errorf("%s, %s", l.Product("T-0").Name, l.Product("T-1").Name)
	}
	l.wantChanges(t, l.sync(t, true, "products"))
}

// What the platform tells by itself is compared by the same rule. A value that is none here is no conflict.
func TestConflicts_ofWhatIsTold(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tent(1, early))
	l.edit(t, "T-1", catalog.Draft{Name: patch.To("Ours")})
	taken := l.tell(t, renamed(tent(1, early), "Theirs", early.Add(time.Minute)))
	want := []string{"conflict products p1 Ours; name Ours Theirs ours"}
	if got := lines(taken.Changes); !slices.Equal(got, want) || !taken.Changes[0].Run.IsZero() {
		t.Errorf("%q, want %q", got, want)
	}
	nameless := renamed(tent(1, early), "", early.Add(2*time.Minute))
	nameless.Product.Brand = "Fell"
	if taken := l.tell(t, nameless); len(taken.Changes) > 0 || l.Product("T-1").Brand != "Fell" {
		t.Errorf("of no name: %q, %+v", lines(taken.Changes), taken.Problems)
	}
}

// A conflict ends when both sides have the same value, whoever changed it: what one side alone changes later is taken.
func TestConflicts_resolved(t *testing.T) {
	t.Parallel()
	for who, resolve := range map[string]func(l *lab, there *syncrun.Product){
		"here": func(l *lab, _ *syncrun.Product) {
			l.edit(t, "T-1", catalog.Draft{Name: patch.To("C")})
		},
		"at the platform": func(_ *lab, there *syncrun.Product) {
			there.Name = "B"
		},
		// The platform's description is no value that is possible here, which does not keep the names from agreeing.
		"beside an invalid field": func(l *lab, there *syncrun.Product) {
			l.edit(t, "T-1", catalog.Draft{Name: patch.To("C"), Description: patch.To("Ours")})
			there.Description = strings.Repeat("a", 20_000)
		},
	} {
		l := newLab()
		tell := func(n int, change func(p *syncrun.Product)) []string {
			r := tent(1, early.Add(time.Duration(n)*time.Minute))
			r.Product.Name = "C"
			change(r.Product)
			taken := l.tell(t, r)
			if len(taken.Problems) > 0 {
				t.Errorf("%s: %+v", who, taken.Problems)
			}
			return lines(taken.Changes)
		}
		tell(0, func(p *syncrun.Product) { p.Name = "A" })
		l.edit(t, "T-1", catalog.Draft{Name: patch.To("B")})
		if got := tell(1, func(*syncrun.Product) {}); !slices.Equal(got, []string{"conflict products p1 B; name B C ours"}) {
			t.Errorf("%s: %q", who, got)
		}
		agreed := func(p *syncrun.Product) {
			p.Brand = "Fell"
			resolve(l, p)
		}
		if got := tell(2, agreed); len(got) > 0 || l.Product("T-1").Brand != "Fell" {
			t.Errorf("%s: once resolved, %q", who, got)
		}
		if got := tell(3, func(p *syncrun.Product) { p.Name = "D" }); len(got) > 0 || l.Product("T-1").Name != "D" {
			t.Errorf("%s: the platform alone changed it: %s, %q", who, l.Product("T-1").Name, got)
		}
	}
}

// Stock that was sold here and changed there is added up, and orders and customers of the platform are its own.
func TestConflicts_none(t *testing.T) {
	t.Parallel()
	l := newLab()
	l.tell(t, tent(1, early), level(1, 5, early))
	l.Set("T-1", "main", 3)
	taken := l.tell(t, level(1, 7, early.Add(time.Minute)))
	if l.Stock("T-1", "main") != 5 || len(taken.Changes) > 0 {
		t.Errorf("%d pieces, %q", l.Stock("T-1", "main"), lines(taken.Changes))
	}
}
