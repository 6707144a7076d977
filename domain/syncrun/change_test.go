package syncrun_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

func edited(t *testing.T, p *catalog.Product, d catalog.Draft) *catalog.Product {
	t.Helper()
	next, _, err := p.Update(d, &ids{n: 50}, later)
	must(t, err)
	return next
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	ours, _ := taken(t, tent())
	dearer := money.Of(11_050, money.USD)
	for field, c := range map[string]struct {
		edit         catalog.Draft
		ours, theirs syncrun.Value
	}{
		"sku":         {catalog.Draft{SKU: patch.To("TENT-A")}, syncrun.Value{Text: "TENT"}, syncrun.Value{Text: "TENT-A"}},
		"name":        {catalog.Draft{Name: patch.To("Tent")}, syncrun.Value{Text: "Trail Tent"}, syncrun.Value{Text: "Tent"}},
		"price":       {catalog.Draft{Price: patch.To(dearer)}, syncrun.Value{Text: "100.00"}, syncrun.Value{Text: "110.50"}},
		"category":    {catalog.Draft{Category: patch.To("tents")}, syncrun.Value{Text: "outdoor/tents"}, syncrun.Value{Text: "tents"}},
		"description": {catalog.Draft{Description: patch.To("")}, syncrun.Value{Text: "Dry."}, syncrun.Value{}},
		"brand":       {catalog.Draft{Brand: patch.To("Fell & Co")}, syncrun.Value{Text: "Fell"}, syncrun.Value{Text: "Fell & Co"}},
		"tags":        {catalog.Draft{Tags: patch.To([]string{"a", "b"})}, syncrun.Value{Tags: []string{"camping"}}, syncrun.Value{Tags: []string{"a", "b"}}},
		"status":      {catalog.Draft{Status: patch.To("archived")}, syncrun.Value{Text: "active"}, syncrun.Value{Text: "archived"}},
		"images": {catalog.Draft{Images: patch.To([]catalog.Image(nil))},
			syncrun.Value{Images: []catalog.Image{{URL: "https://example.com/t.jpg", Alt: "A tent"}}}, syncrun.Value{}},
		"attributes": {catalog.Draft{Attributes: patch.To(map[string]string{"season": "3", "color": "red"})},
			syncrun.Value{}, syncrun.Value{Attributes: map[string]string{"color": "red"}}},
		"variants": {
			catalog.Draft{Variants: patch.To([]catalog.VariantDraft{{SKU: "TENT-2", Size: "2"}, {SKU: "TENT-4", Size: "4", Price: &dearer}})},
			syncrun.Value{Variants: []syncrun.VariantValue{{SKU: "TENT-4", Size: "4", Price: "150.00", InventoryPolicy: "tracked"}}},
			syncrun.Value{Variants: []syncrun.VariantValue{{SKU: "TENT-4", Size: "4", Price: "110.50", InventoryPolicy: "tracked"}}},
		},
	} {
		want := []syncrun.FieldChange{{Field: field, Ours: c.ours, Theirs: c.theirs}}
		if got := syncrun.Differences(ours, edited(t, ours, c.edit)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", field, got, want)
		}
	}
	if got := syncrun.Differences(ours, ours); got != nil {
		t.Errorf("of the same: %+v", got)
	}
}

func TestDifferences_orderOfVariants(t *testing.T) {
	t.Parallel()
	ours, _ := taken(t, tent())
	next := *ours
	next.Variants = []catalog.Variant{ours.Variants[1], ours.Variants[0]}
	got := syncrun.Differences(ours, &next)
	if len(got) != 1 || len(got[0].Ours.Variants) != 2 || got[0].Ours.Variants[0] != got[0].Theirs.Variants[1] {
		t.Errorf("%+v", got)
	}
}

func TestDifferences_bounded(t *testing.T) {
	t.Parallel()
	ours, _ := taken(t, tent())
	long := strings.Repeat("é", syncrun.MaxValueText)
	var tags []string
	for n := range syncrun.MaxValueEntries + 1 {
		tags = append(tags, fmt.Sprint(n))
	}
	got := syncrun.Differences(ours, edited(t, ours, catalog.Draft{
		Description: patch.To(long + "a"),
		Brand:       patch.To("B"),
		Tags:        patch.To(tags),
	}))
	if d := got[0].Theirs; !d.Cut || utf8.RuneCountInString(d.Text) != syncrun.MaxValueText || !strings.HasSuffix(d.Text, "é…") || got[0].Ours.Cut {
		t.Errorf("a long text: %+v", got[0])
	}
	if got[1].Theirs.Cut {
		t.Errorf("a short text: %+v", got[1])
	}
	if d := got[2].Theirs; !d.Cut || len(d.Tags) != syncrun.MaxValueEntries {
		t.Errorf("a long list: %+v", got[2])
	}
	got = syncrun.Differences(ours, edited(t, ours, catalog.Draft{Description: patch.To(long)}))
	if d := got[0].Theirs; d.Cut || d.Text != long {
		t.Errorf("the longest text: %+v", got[0])
	}
}

// A conflict is a field that both sides changed to different values since they last agreed.
func TestConflicts(t *testing.T) {
	t.Parallel()
	base, c := taken(t, tent())
	name := func(text string) *catalog.Product { return edited(t, base, catalog.Draft{Name: patch.To(text)}) }
	for what, one := range map[string]struct {
		base         syncrun.Fingerprints
		ours, theirs *catalog.Product
		want         bool
	}{
		"both":               {c.Prints, name("Ours"), name("Theirs"), true},
		"ours alone":         {c.Prints, name("Ours"), base, false},
		"theirs alone":       {c.Prints, base, name("Theirs"), false},
		"both to the same":   {c.Prints, name("One"), name("One"), false},
		"never agreed":       {syncrun.Fingerprints{}, name("Ours"), name("Theirs"), false},
		"neither":            {c.Prints, base, base, false},
		"in different ones":  {c.Prints, name("Ours"), edited(t, base, catalog.Draft{Brand: patch.To("Theirs")}), false},
		"and something else": {c.Prints, name("Ours"), edited(t, name("Theirs"), catalog.Draft{Brand: patch.To("Theirs")}), true},
	} {
		for _, rule := range []syncrun.Rule{syncrun.EditedHere, syncrun.FullSync} {
			var want []syncrun.FieldChange
			if one.want {
				want = []syncrun.FieldChange{{Field: "name", Ours: syncrun.Value{Text: "Ours"}, Theirs: syncrun.Value{Text: "Theirs"}, Rule: rule}}
			}
			if got := syncrun.Conflicts(one.base, one.ours, one.theirs, rule); !reflect.DeepEqual(got, want) {
				t.Errorf("%s changed it, %s: %+v", what, rule, got)
			}
		}
	}
}

// Fields that were edited here to the platform's value are agreed, and the others are kept.
func TestCompareKept(t *testing.T) {
	t.Parallel()
	ours, c := taken(t, tent())
	ours = edited(t, ours, catalog.Draft{
		Name:     patch.To("Ours"),
		Brand:    patch.To("Ours"),
		Category: patch.To("ours"),
		Tags:     patch.To([]string{"ours"}),
	})
	incoming := tent()
	incoming.Name, incoming.Brand, incoming.Tags = "Ours", "Theirs", []string{strings.Repeat("a", 1_000)}
	all, err := incoming.Draft(money.USD)
	must(t, err)
	_, kept := c.Keep(all, ours)
	still, conflicts := syncrun.CompareKept(kept, all, ours, &ids{n: 100}, later)
	want := []syncrun.FieldChange{{Field: "brand", Ours: syncrun.Value{Text: "Ours"}, Theirs: syncrun.Value{Text: "Theirs"}, Rule: syncrun.EditedHere}}
	if !reflect.DeepEqual(conflicts, want) {
		t.Errorf("%+v", conflicts)
	}
	c.Take(record(incoming, later), ours, still, later)
	left, again := c.Keep(all, ours)
	if !left.Name.Given() || left.Brand.Given() || left.Category.Given() || left.Tags.Given() || again != still {
		t.Errorf("kept are %v, then %v", still, again)
	}
}

// A platform that does not report a variant's shipping does not agree to an edit of it.
func TestCompareKept_shipping(t *testing.T) {
	t.Parallel()
	single := tent()
	single.Variants = nil
	for what, incoming := range map[string]syncrun.Product{"variants": tent(), "a default variant": single} {
		for _, shipping := range []syncrun.Shipping{"", syncrun.Digital} {
			incoming.Shipping, incoming.Variants = syncrun.Ships, slices.Clone(incoming.Variants)
			for i := range incoming.Variants {
				incoming.Variants[i].Shipping = syncrun.Ships
			}
			base, c := taken(t, incoming)
			ours := *base
			ours.Variants = slices.Clone(base.Variants)
			for i := range ours.Variants {
				ours.Variants[i].Digital = true
			}
			incoming.Shipping = shipping
			for i := range incoming.Variants {
				incoming.Variants[i].Shipping = shipping
			}
			all, err := incoming.Draft(money.USD)
			must(t, err)
			_, kept := c.Keep(all, &ours)
			still, conflicts := syncrun.CompareKept(kept, all, &ours, &ids{n: 100}, later)
			if agreed := still == (syncrun.Fingerprints{}); agreed != (shipping != "") || len(conflicts) > 0 {
				t.Errorf("%s, %q: %v, %+v", what, shipping, still, conflicts)
			}
		}
	}
}

func TestRule_Winner(t *testing.T) {
	t.Parallel()
	for rule, want := range map[syncrun.Rule]string{syncrun.EditedHere: "ours", syncrun.FullSync: "theirs", {}: ""} {
		if got := rule.Winner(); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
}

// A run lists the first thousand changes, counts all, and reports whether its list has all of them.
func TestRun_CountChanges(t *testing.T) {
	t.Parallel()
	r := syncrun.Start(id.Sync{}, shop, id.Integration{}, []syncrun.Resource{syncrun.Products, syncrun.Customers}, false, nil, noon)
	r.Preview = true
	page := func(created, changed, archived, conflicts int, next string) (listed int) {
		t.Helper()
		var found []syncrun.Change
		for kind, n := range map[syncrun.ChangeKind]int{syncrun.Create: created, syncrun.Modify: changed, syncrun.Archive: archived, syncrun.Conflict: conflicts} {
			for range n {
				found = append(found, syncrun.Change{Kind: kind})
			}
		}
		listed = len(r.Listable(found))
		r.CountChanges(found)
		must(t, r.Advance(syncrun.Counters{
			Created:   created,
			Updated:   changed + archived,
			Unchanged: 3,
		}, noon, next, later, noon))
		return listed
	}
	wantChanges := func(created, changed, archived, conflicts int, wantAll bool) {
		t.Helper()
		want := map[syncrun.ChangeKind]int{syncrun.Create: created, syncrun.Modify: changed, syncrun.Archive: archived, syncrun.Conflict: conflicts}
		if counts, all := r.Changes(); !reflect.DeepEqual(counts, want) || all != wantAll {
			t.Errorf("%v, all %v, want %v, %v", counts, all, want, wantAll)
		}
	}
	wantChanges(0, 0, 0, 0, true)
	if n := page(400, 30, 20, 50, "2"); n != 500 {
		t.Errorf("the first page lists %d", n)
	}
	if n := page(400, 0, 0, 0, ""); n != 400 {
		t.Errorf("the second page lists %d", n)
	}
	wantChanges(800, 30, 20, 50, true)
	if n := page(101, 0, 0, 0, "2"); n != 100 {
		t.Errorf("the third page lists %d", n)
	}
	wantChanges(901, 30, 20, 50, false)
	if n := page(1, 2, 0, 0, ""); n != 0 {
		t.Errorf("the last page lists %d", n)
	}
	wantChanges(902, 32, 20, 50, false)
	r.CountChanges([]syncrun.Change{{Kind: syncrun.Conflict}}) // it has ended
	wantChanges(902, 32, 20, 50, false)
	r.Preview = false
	if counts, _ := r.Changes(); !reflect.DeepEqual(counts, map[syncrun.ChangeKind]int{syncrun.Conflict: 50}) {
		t.Errorf("of a sync that is no preview: %v", counts)
	}
}
