package syncing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// SyncChanges is the contract of ports.SyncChanges.
func SyncChanges(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
		"a change comes back as it was stored":                  changeRoundTrip,
		"lists are in the order of ids, with totals":            changeList,
		"a change that is added again is replaced":              changeAgain,
		"changes of a run and a resource are cleared":           changeClear,
		"what cannot be printed is stored":                      changeUnprintable,
		"conflicts are newest first, without those of previews": changeConflicts,
		"values of people are refused":                          changePersonal,
		"changes of other runs and shops are no matter":         changeForeign,
		"changes go with their project":                         changeDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func created(run id.Sync, remote string) syncrun.Change {
	return syncrun.Change{
		Run:      run,
		Preview:  true,
		Resource: syncrun.Products,
		Remote:   remote,
		Title:    "Tent " + remote,
		Kind:     syncrun.Create,
		At:       porttest.Noon,
	}
}

func conflict(run id.Sync, remote, field string, after time.Duration) syncrun.Change {
	return syncrun.Change{
		Run:      run,
		Resource: syncrun.Products,
		Remote:   remote,
		Local:    "prod_1",
		Title:    "Tent",
		Kind:     syncrun.Conflict,
		Fields: []syncrun.FieldChange{{
			Field:  field,
			Ours:   syncrun.Value{Text: "Ours"},
			Theirs: syncrun.Value{Text: "Theirs"},
			Rule:   syncrun.FullSync,
		}},
		At: porttest.Noon.Add(after),
	}
}

func addChanges(s *porttest.Shop, i id.Integration, changes ...syncrun.Change) {
	s.T.Helper()
	s.Must(s.SyncChanges.Add(s.Ctx, s.Project.ID, i, changes))
}

func changesOf(s *porttest.Shop, i id.Integration, run id.Sync, f ports.ChangeFilter, page ports.Page) ([]syncrun.Change, int) {
	s.T.Helper()
	list, total, err := s.SyncChanges.List(s.Ctx, s.Project.ID, i, run, f, page)
	s.Must(err)
	return list, total
}

func changeRoundTrip(s *porttest.Shop) {
	i, run := porttest.Random[id.Integration](), porttest.Random[id.Sync]()
	changed := created(run, "p1")
	changed.Kind, changed.Local = syncrun.Modify, porttest.Random[id.Product]().String()
	changed.Fields = []syncrun.FieldChange{
		{Field: "price", Ours: syncrun.Value{Text: "9.50"}, Theirs: syncrun.Value{Text: "10.00"}},
		{Field: "tags", Theirs: syncrun.Value{Tags: []string{"a", "b"}, Cut: true}},
		{Field: "images", Ours: syncrun.Value{Images: []catalog.Image{{URL: "https://example.com/a.jpg", Alt: "A"}}}},
		{Field: "attributes", Ours: syncrun.Value{Attributes: map[string]string{"color": "red"}}},
		{Field: "variants", Ours: syncrun.Value{Variants: []syncrun.VariantValue{{
			SKU: "A", Size: "s", Color: "c", Price: "1.25", GTIN: "96385074", MPN: "m", InventoryPolicy: "backorder", Digital: true,
		}}}},
	}
	order := syncrun.Change{
		Run:      run,
		Preview:  true,
		Resource: syncrun.Orders,
		Remote:   "o1",
		Local:    "ord_1",
		Kind:     syncrun.Modify,
		At:       porttest.Noon,
	}
	both := conflict(run, "p1", "name", time.Second)
	addChanges(s, i, changed, both, order)
	got, total := changesOf(s, i, run, ports.ChangeFilter{}, ports.Page{Limit: 9})
	porttest.Same(s.T, "changes", got, []syncrun.Change{order, changed, both})
	porttest.Same(s.T, "total", total, 3)
	addChanges(s, i)
}

func changeList(s *porttest.Shop) {
	i, run := porttest.Random[id.Integration](), porttest.Random[id.Sync]()
	var all []syncrun.Change
	for n := range 30 {
		all = append(all, created(run, fmt.Sprintf("p%02d", n)))
	}
	shuffled := slices.Clone(all)
	slices.Reverse(shuffled)
	customer := syncrun.Change{
		Run:      run,
		Preview:  true,
		Resource: syncrun.Customers,
		Remote:   "c1",
		Kind:     syncrun.Archive,
		At:       porttest.Noon,
	}
	addChanges(s, i, append(shuffled, customer, conflict(run, "p07", "name", 0), conflict(run, "p07", "brand", 0))...)
	for _, c := range []struct {
		filter ports.ChangeFilter
		page   ports.Page
		want   []syncrun.Change
		total  int
	}{
		{ports.ChangeFilter{}, ports.Page{Limit: 2}, []syncrun.Change{customer, all[0]}, 33},
		{ports.ChangeFilter{Resource: syncrun.Customers}, ports.Page{Limit: 9}, []syncrun.Change{customer}, 1},
		{ports.ChangeFilter{Kind: syncrun.Create}, ports.Page{Limit: 2, Offset: 28}, all[28:], 30},
		{ports.ChangeFilter{Kind: syncrun.Conflict}, ports.Page{Limit: 9}, []syncrun.Change{conflict(run, "p07", "brand", 0), conflict(run, "p07", "name", 0)}, 2},
		{ports.ChangeFilter{Kind: syncrun.Archive, Resource: syncrun.Products}, ports.Page{Limit: 9}, []syncrun.Change{}, 0},
	} {
		got, total := changesOf(s, i, run, c.filter, c.page)
		porttest.Same(s.T, "changes", got, c.want)
		porttest.Same(s.T, "total", total, c.total)
	}
}

func changeAgain(s *porttest.Shop) {
	i, run := porttest.Random[id.Integration](), porttest.Random[id.Sync]()
	first, second := conflict(run, "p1", "name", 0), conflict(run, "p1", "name", time.Second)
	second.Local, second.Title, second.Fields[0].Theirs.Text = "prod_2", "Dome", "Later"
	addChanges(s, i, created(run, "p1"), first)
	addChanges(s, i, created(run, "p1"), first, second)
	got, total := changesOf(s, i, run, ports.ChangeFilter{}, ports.Page{Limit: 9})
	porttest.Same(s.T, "changes", got, []syncrun.Change{second, created(run, "p1")})
	porttest.Same(s.T, "total", total, 2)
}

func changeUnprintable(s *porttest.Shop) {
	i, run := porttest.Random[id.Integration](), porttest.Random[id.Sync]()
	c := conflict(run, "a\x00b", "name", 0)
	c.Title, c.Fields[0].Ours.Text = "\xff", "\x00"
	addChanges(s, i, c)
	got, _ := changesOf(s, i, run, ports.ChangeFilter{}, ports.Page{Limit: 9})
	porttest.Same(s.T, "texts", got[0].Remote+got[0].Title, "a\uFFFDb\uFFFD")
}

func changeConflicts(s *porttest.Shop) {
	i, run, other := porttest.Random[id.Integration](), porttest.Random[id.Sync](), porttest.Random[id.Sync]()
	previewed := conflict(other, "p3", "name", time.Hour)
	previewed.Preview = true
	reported, old, late := conflict(id.Sync{}, "p1", "name", time.Minute), conflict(run, "p1", "name", 0), conflict(run, "p2", "name", time.Second)
	addChanges(s, i, reported, old, late, previewed, created(other, "p1"))
	got, total, err := s.SyncChanges.Conflicts(s.Ctx, s.Project.ID, i, ports.Page{Limit: 2})
	s.Must(err)
	porttest.Same(s.T, "conflicts", got, []syncrun.Change{reported, late})
	porttest.Same(s.T, "total", total, 3)
	list, _ := changesOf(s, i, other, ports.ChangeFilter{Kind: syncrun.Conflict}, ports.Page{Limit: 9})
	porttest.Same(s.T, "of the preview", list, []syncrun.Change{previewed})
}

// The database is the last to see that nothing of a buyer is stored.
func changePersonal(s *porttest.Shop) {
	i, run := porttest.Random[id.Integration](), porttest.Random[id.Sync]()
	titled := syncrun.Change{
		Run:      run,
		Preview:  true,
		Resource: syncrun.Customers,
		Remote:   "c1",
		Title:    "Ada",
		Kind:     syncrun.Create,
		At:       porttest.Noon,
	}
	valued := titled
	valued.Title, valued.Fields = "", conflict(run, "c1", "email", 0).Fields
	for _, c := range []syncrun.Change{titled, valued} {
		err := s.SyncChanges.Add(s.Ctx, s.Project.ID, i, []syncrun.Change{c})
		if err == nil || !strings.Contains(err.Error(), "sync_changes_personal") {
			s.T.Errorf("%+v: %v", c, err)
		}
	}
}

func changeClear(s *porttest.Shop) {
	i, run, other := porttest.Random[id.Integration](), porttest.Random[id.Sync](), porttest.Random[id.Sync]()
	customer := created(run, "c1")
	customer.Resource, customer.Title = syncrun.Customers, ""
	addChanges(s, i, created(run, "p1"), conflict(run, "p1", "name", 0), customer, created(other, "p1"))
	s.Must(s.SyncChanges.Clear(s.Ctx, s.Project.ID, i, run, syncrun.Products))
	left, total := changesOf(s, i, run, ports.ChangeFilter{}, ports.Page{Limit: 9})
	porttest.Same(s.T, "changes", left, []syncrun.Change{customer})
	porttest.Same(s.T, "their number", total, 1)
	_, total = changesOf(s, i, other, ports.ChangeFilter{}, ports.Page{Limit: 9})
	porttest.Same(s.T, "another run's changes", total, 1)
}

func changeForeign(s *porttest.Shop) {
	i, run := porttest.Random[id.Integration](), porttest.Random[id.Sync]()
	addChanges(s, i, created(run, "p1"), conflict(run, "p1", "name", 0))
	neighbour := porttest.OpenShop(s.T, s.Stores)
	none := func(list []syncrun.Change, total int, err error) {
		s.T.Helper()
		s.Must(err)
		porttest.Same(s.T, "changes", len(list)+total, 0)
	}
	all := ports.Page{Limit: 9}
	none(s.SyncChanges.List(s.Ctx, neighbour.Project.ID, i, run, ports.ChangeFilter{}, all))
	none(s.SyncChanges.List(s.Ctx, s.Project.ID, porttest.Random[id.Integration](), run, ports.ChangeFilter{}, all))
	none(s.SyncChanges.List(s.Ctx, s.Project.ID, i, porttest.Random[id.Sync](), ports.ChangeFilter{}, all))
	none(s.SyncChanges.Conflicts(s.Ctx, neighbour.Project.ID, i, all))
	none(s.SyncChanges.Conflicts(s.Ctx, s.Project.ID, porttest.Random[id.Integration](), all))
}

func changeDelete(s *porttest.Shop) {
	i, run := porttest.Random[id.Integration](), porttest.Random[id.Sync]()
	addChanges(s, i, created(run, "p1"))
	s.DeleteProject()
	list, total := changesOf(s, i, run, ports.ChangeFilter{}, ports.Page{Limit: 9})
	porttest.Same(s.T, "changes", len(list)+total, 0)
	err := s.SyncChanges.Add(s.Ctx, s.Project.ID, i, []syncrun.Change{created(run, "p1")})
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
}
