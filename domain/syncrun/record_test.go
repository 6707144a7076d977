package syncrun_test

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

type ids struct{ n byte }

func (i *ids) Product() id.Product { i.n++; return id.New[id.Product]([16]byte{i.n}) }
func (i *ids) Variant() id.Variant { i.n++; return id.New[id.Variant]([16]byte{i.n}) }

func tent() syncrun.Product {
	return syncrun.Product{
		SKU:         "TENT",
		Name:        "Trail Tent",
		Description: "Dry.",
		Brand:       "Fell",
		Category:    "outdoor/tents",
		Price:       "100.00",
		Currency:    "USD",
		Tags:        []string{"camping"},
		Images:      []catalog.Image{{URL: "https://example.com/t.jpg", Alt: "A tent"}},
		Attributes:  map[string]string{"season": "3"},
		Variants:    []syncrun.Variant{{SKU: "TENT-2", Size: "2", Item: "11"}, {SKU: "TENT-4", Size: "4", Price: "150.00", Item: "12"}},
	}
}

func record(p syncrun.Product, at time.Time) syncrun.Record {
	return syncrun.Record{
		Resource: syncrun.Products,
		Remote:   "1",
		At:       at,
		Product:  &p,
	}
}

// taken returns our product made from a platform's, and its copy.
func taken(t *testing.T, p syncrun.Product) (*catalog.Product, *syncrun.ExternalRecord) {
	t.Helper()
	d, err := p.Draft(money.USD)
	must(t, err)
	ours, _, err := catalog.Create(shop, d, money.USD, &ids{}, noon)
	must(t, err)
	c := &syncrun.ExternalRecord{}
	c.Take(record(p, noon), ours, syncrun.Fingerprints{}, noon)
	return ours, c
}

func TestProduct_Draft(t *testing.T) {
	t.Parallel()
	ours, c := taken(t, tent())
	if ours.Name != "Trail Tent" || ours.Price.String() != "100.00" || len(ours.Variants) != 2 || ours.Variants[1].Price.String() != "150.00" ||
		ours.Attributes["season"] != "3" || ours.Status != catalog.Active {
		t.Errorf("%+v", ours)
	}
	if c.Local != ours.ID.String() || !c.At.Equal(noon) || c.Prints != syncrun.PrintsOf(ours) {
		t.Errorf("%+v", c)
	}
	gone := tent()
	gone.Archived = true
	if ours, _ := taken(t, gone); ours.Status != catalog.Archived {
		t.Error("what the platform does not show is on sale")
	}
}

func TestProduct_Draft_invalidPrices(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*syncrun.Product){
		"price":            func(p *syncrun.Product) { p.Currency = "CAD" },
		"price ":           func(p *syncrun.Product) { p.Price = "abc" },
		"price  ":          func(p *syncrun.Product) { p.Price = "1.001" },
		"price   ":         func(p *syncrun.Product) { p.Price = "" },
		"variants.1.price": func(p *syncrun.Product) { p.Variants[1].Price = "12,50" },
	} {
		p := tent()
		change(&p)
		if _, err := p.Draft(money.USD); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", field, err)
		}
	}
	p := tent()
	p.Currency = ""
	if _, err := p.Draft(money.USD); err != nil {
		t.Errorf("a platform that names no currency: %v", err)
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	ours, c := taken(t, tent())
	dearer := tent()
	dearer.Price = "110.00"
	gone := syncrun.Record{
		Resource: syncrun.Products,
		Remote:   "1",
		At:       later,
		Deleted:  true,
	}
	for name, one := range map[string]struct {
		record syncrun.Record
		want   bool
	}{
		"the same":                  {record(tent(), noon), false},
		"the same, later":           {record(tent(), later), false},
		"another price":             {record(dearer, later), true},
		"another price, same time":  {record(dearer, noon), true},
		"another price, earlier":    {record(dearer, noon.Add(-time.Second)), false},
		"another price, at no time": {record(dearer, time.Time{}), true},
		"deleted":                   {gone, true},
	} {
		if got := c.News(one.record); got != one.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	precise := *c
	precise.At = noon.Add(400 * time.Millisecond)
	toTheSecond := record(dearer, noon)
	toTheSecond.WholeSecond = true
	if !precise.News(toTheSecond) {
		t.Error("a time that is told to the second only is taken for the first moment of it")
	}
	for _, earlier := range []time.Time{noon, noon.Add(399 * time.Millisecond)} {
		if precise.News(record(dearer, earlier)) {
			t.Errorf("an exact time, %s, is taken for its whole second", earlier.Format(time.RFC3339Nano))
		}
	}
	c.Take(gone, ours, syncrun.Fingerprints{}, later)
	if c.News(gone) || c.News(record(dearer, noon)) || !c.News(record(tent(), later.Add(time.Second))) {
		t.Error("what is deleted hears of its past, or does not come back")
	}
}

// An edited field, and no other one, is left out of the platform's draft until a full run.
func TestExternalRecord_Keep_editedField(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]struct {
		of    catalog.Draft
		given func(catalog.Draft) bool
	}{
		"name":        {catalog.Draft{Name: patch.To("Ours")}, func(d catalog.Draft) bool { return d.Name.Given() }},
		"price":       {catalog.Draft{Price: patch.To(money.Of(9_000, money.USD))}, func(d catalog.Draft) bool { return d.Price.Given() }},
		"category":    {catalog.Draft{Category: patch.To("ours")}, func(d catalog.Draft) bool { return d.Category.Given() }},
		"description": {catalog.Draft{Description: patch.To("Ours")}, func(d catalog.Draft) bool { return d.Description.Given() }},
		"brand":       {catalog.Draft{Brand: patch.To("Ours")}, func(d catalog.Draft) bool { return d.Brand.Given() }},
		"images":      {catalog.Draft{Images: patch.To([]catalog.Image(nil))}, func(d catalog.Draft) bool { return d.Images.Given() }},
		"attributes":  {catalog.Draft{Attributes: patch.To(map[string]string{"a": "b"})}, func(d catalog.Draft) bool { return d.Attributes.Given() }},
		"tags":        {catalog.Draft{Tags: patch.To([]string{"ours"})}, func(d catalog.Draft) bool { return d.Tags.Given() }},
		"variants":    {catalog.Draft{Variants: patch.To([]catalog.VariantDraft{{SKU: "TENT-2", Size: "two"}})}, func(d catalog.Draft) bool { return d.Variants.Given() }},
		"status":      {catalog.Draft{Status: patch.To("archived")}, func(d catalog.Draft) bool { return d.Status.Given() }},
	} {
		ours, c := taken(t, tent())
		edited, _, err := ours.Update(edit.of, &ids{n: 100}, later)
		must(t, err)
		incoming := tent()
		incoming.Name, incoming.Brand = "Trail Tent II", "Fell & Co"
		all, err := incoming.Draft(money.USD)
		must(t, err)
		for round := range 2 {
			draft, kept := c.Keep(all, edited)
			if edit.given(draft) {
				t.Errorf("%s, round %d: the platform overwrites it", name, round)
			}
			left := 0
			for _, given := range []bool{
				draft.Name.Given(), draft.Price.Given(), draft.Category.Given(), draft.Description.Given(), draft.Brand.Given(),
				draft.Images.Given(), draft.Attributes.Given(), draft.Tags.Given(), draft.Variants.Given(), draft.Status.Given(),
			} {
				if !given {
					left++
				}
			}
			if left != 1 {
				t.Errorf("%s, round %d: %d fields are left out", name, round, left)
			}
			edited, _, err = edited.Update(draft, &ids{n: 200}, later)
			must(t, err)
			c.Take(record(incoming, later), edited, kept, later)
		}
	}
}

// The default variant's edits are kept if the product has no variants of its own.
func TestExternalRecord_Keep_defaultVariant(t *testing.T) {
	t.Parallel()
	single := tent()
	single.Variants, single.GTIN, single.MPN, single.InventoryPolicy, single.Shipping = nil, "96385074", "T-1", "tracked", syncrun.Ships
	for name, edit := range map[string]catalog.Draft{
		"gtin":              {GTIN: patch.To("4006381333931")},
		"mpn":               {MPN: patch.To("Ours")},
		"inventory_policy":  {InventoryPolicy: patch.To("backorder")},
		"requires_shipping": {RequiresShipping: patch.To(false)},
	} {
		ours, c := taken(t, single)
		edited, _, err := ours.Update(edit, &ids{n: 100}, later)
		must(t, err)
		incoming := single
		incoming.Brand, incoming.MPN = "Fell & Co", "T-2"
		all, err := incoming.Draft(money.USD)
		must(t, err)
		draft, _ := c.Keep(all, edited)
		next, _, err := edited.Update(draft, &ids{n: 200}, later)
		must(t, err)
		if !reflect.DeepEqual(next.Variants, edited.Variants) || next.Brand != "Fell & Co" {
			t.Errorf("%s: %+v, want %+v", name, next.Variants, edited.Variants)
		}
	}
}

func TestExternalRecord_Keep_nothingEdited(t *testing.T) {
	t.Parallel()
	ours, c := taken(t, tent())
	d, err := tent().Draft(money.USD)
	must(t, err)
	same, kept := c.Keep(d, ours)
	if kept != (syncrun.Fingerprints{}) || !reflect.DeepEqual(same, d) {
		t.Errorf("%v", kept)
	}
	unknown := &syncrun.ExternalRecord{}
	if _, kept := unknown.Keep(d, ours); kept != (syncrun.Fingerprints{}) {
		t.Error("of a product that was never copied something is kept")
	}
}

// After any order of sales here and changes on the platform, our stock is the platform's last quantity less the
// number sold here, as long as neither reaches zero.
func TestExternalRecord_Shift_keepsSales(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &syncrun.ExternalRecord{Quantity: 1_000}
		ours, sold, there := 1_000, 0, 1_000
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "sold here") {
				n := rapid.IntRange(0, 5).Draw(t, "pieces")
				ours, sold = ours-n, sold+n
				continue
			}
			there += rapid.IntRange(-10, 10).Draw(t, "change there")
			ours += c.Shift(there)
			c.Quantity = there
		}
		if ours != there-sold {
			t.Fatalf("%d, want %d - %d", ours, there, sold)
		}
	})
}

// A negative quantity counts as zero.
func TestExternalRecord_Shift_negative(t *testing.T) {
	t.Parallel()
	c := &syncrun.ExternalRecord{Quantity: 3}
	if got := c.Shift(-4); got != -3 {
		t.Errorf("3 to -4: %d", got)
	}
	c.Quantity = 0
	if got := c.Shift(-4); got != 0 {
		t.Errorf("0 to -4: %d", got)
	}
}

// Different records have different digests, and a record's time does not change its digest.
func TestRecord_Digest(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	note := func(name string, r syncrun.Record) {
		d := r.Digest()
		if other, there := seen[d]; there {
			t.Errorf("%s and %s look the same", name, other)
		}
		seen[d] = name
		if r.At = later; r.Digest() != d {
			t.Errorf("%s: its time makes another record of it", name)
		}
	}
	product := func(name string, change func(*syncrun.Product)) {
		p := tent()
		change(&p)
		note(name, record(p, noon))
	}
	product("tent", func(*syncrun.Product) {})
	product("sku", func(p *syncrun.Product) { p.SKU = "T" })
	product("variant's item", func(p *syncrun.Product) { p.Variants[0].Item = "99" })
	product("variant's size", func(p *syncrun.Product) { p.Variants[0].Size = "3" })
	product("order of variants", func(p *syncrun.Product) { p.Variants[0], p.Variants[1] = p.Variants[1], p.Variants[0] })
	product("attribute", func(p *syncrun.Product) { p.Attributes["season"] = "4" })
	product("tags", func(p *syncrun.Product) { p.Tags = []string{"camp", "ing"} })
	product("image", func(p *syncrun.Product) { p.Images[0].Alt = "" })
	product("archived", func(p *syncrun.Product) { p.Archived = true })
	note("level", syncrun.Record{Level: &syncrun.Level{
		Item:     "1",
		Location: "main",
		Quantity: 1,
	}})
	note("level's quantity", syncrun.Record{Level: &syncrun.Level{
		Item:     "1",
		Location: "main",
		Quantity: -1,
	}})
	note("order", syncrun.Record{Order: &syncrun.Order{Number: "1"}})
	note("order paid", syncrun.Record{Order: &syncrun.Order{Number: "1", Status: "paid"}})
	note("shipped", syncrun.Record{Order: &syncrun.Order{Number: "1", Shipment: &syncrun.Shipment{Carrier: "UPS"}}})
	note("voided", syncrun.Record{Order: &syncrun.Order{Number: "1", Shipment: &syncrun.Shipment{Carrier: "UPS", Voided: true}}})
	note("customer", syncrun.Record{Customer: &syncrun.Customer{Email: "a@example.com"}})
	note("customer's tier", syncrun.Record{Customer: &syncrun.Customer{Email: "a@example.com", Tier: "gold"}})
}

func TestItemsOf(t *testing.T) {
	t.Parallel()
	if got := tent().ItemsOf(); !reflect.DeepEqual(got, map[string]string{"TENT-2": "11", "TENT-4": "12"}) {
		t.Errorf("%v", got)
	}
	single := syncrun.Product{SKU: "A", Item: "7"}
	if got := single.ItemsOf(); !reflect.DeepEqual(got, map[string]string{"A": "7"}) {
		t.Errorf("%v", got)
	}
}
