package catalog_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

var (
	shop = id.New[id.Project]([16]byte{1})
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	next = noon.Add(time.Hour)
)

// counter makes consecutive IDs.
type counter struct{ n byte }

func (c *counter) Product() id.Product { c.n++; return id.New[id.Product]([16]byte{c.n}) }
func (c *counter) Variant() id.Variant { c.n++; return id.New[id.Variant]([16]byte{c.n}) }

func usd(cents int64) money.Amount { return money.Of(cents, money.USD) }

func pointer[T any](v T) *T { return &v }

func tent() catalog.Draft {
	return catalog.Draft{
		SKU:   patch.To("T-1"),
		Name:  patch.To("Tent"),
		Price: patch.To(usd(19_900)),
	}
}

// tents returns a tent with two variants.
func tents() catalog.Draft {
	d := tent()
	d.Variants = patch.To([]catalog.VariantDraft{
		{SKU: "T-1-S", Size: "S", Color: "Green", Quantity: pointer(4)}, {SKU: "T-1-L", Size: "L", Price: pointer(usd(24_900))},
	})
	return d
}

func create(t *testing.T, d catalog.Draft) (*catalog.Product, []catalog.Stock) {
	t.Helper()
	p, stock, err := catalog.Create(shop, d, money.USD, &counter{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return p, stock
}

func update(t *testing.T, p *catalog.Product, d catalog.Draft) (*catalog.Product, []catalog.Stock) {
	t.Helper()
	changed, stock, err := p.Update(d, &counter{100}, next)
	if err != nil {
		t.Fatal(err)
	}
	return changed, stock
}

func fields(err error) []string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid {
		return nil
	}
	var names []string
	for _, d := range e.Details {
		names = append(names, d.Field)
	}
	slices.Sort(names)
	return names
}

func TestCreate_defaultVariant(t *testing.T) {
	t.Parallel()
	d := tent()
	d.Quantity = patch.To(7)
	p, stock := create(t, d)
	v := p.Variants[0]
	if len(p.Variants) != 1 || v.SKU != "T-1" || v.ID.IsZero() || v.Label() != "" || p.PriceOf(v) != usd(19_900) {
		t.Errorf("variants %+v", p.Variants)
	}
	if !slices.Equal(stock, []catalog.Stock{{Variant: v.ID, Quantity: 7}}) {
		t.Errorf("stock %+v", stock)
	}
	if p.Status != catalog.Active || !p.Negotiable || p.Project != shop || !p.CreatedAt.Equal(noon) || !p.UpdatedAt.Equal(noon) {
		t.Errorf("created %+v", p)
	}
}

func TestCreate_variants(t *testing.T) {
	t.Parallel()
	p, stock := create(t, tents())
	small, large := p.Variants[0], p.Variants[1]
	if small.Label() != "S / Green" || large.Label() != "L" || p.PriceOf(small) != usd(19_900) || p.PriceOf(large) != usd(24_900) {
		t.Errorf("variants %+v", p.Variants)
	}
	if !slices.Equal(stock, []catalog.Stock{{Variant: small.ID, Quantity: 4}}) {
		t.Errorf("stock %+v, but the large one's is left alone", stock)
	}
	if got, ok := p.Variant(large.ID); !ok || got.SKU != "T-1-L" {
		t.Errorf("found %+v", got)
	}
	if _, ok := p.Variant(id.Variant{}); ok {
		t.Error("no variant named, and one of two chosen")
	}
	single, _ := create(t, tent())
	if got, ok := single.Variant(id.Variant{}); !ok || got != single.Variants[0] {
		t.Error("no variant named, and the only one not found")
	}
	if _, ok := single.Variant(large.ID); ok {
		t.Error("another product's variant found")
	}
}

func TestProduct_Update_keepsVariantIDs(t *testing.T) {
	t.Parallel()
	p, _ := create(t, tents())
	before := *p
	before.Variants = slices.Clone(p.Variants)
	d := catalog.Draft{Variants: patch.To([]catalog.VariantDraft{{SKU: "T-1-L", Size: "XL", Quantity: pointer(0)}, {SKU: "T-1-M", Size: "M"}})}
	changed, stock := update(t, p, d)
	large, medium := changed.Variants[0], changed.Variants[1]
	if len(changed.Variants) != 2 || large.ID != before.Variants[1].ID || large.Size != "XL" || large.Price != nil ||
		medium.ID.IsZero() || medium.ID == before.Variants[0].ID {
		t.Errorf("variants %+v became %+v", before.Variants, changed.Variants)
	}
	if !slices.Equal(stock, []catalog.Stock{{Variant: large.ID, Quantity: 0}}) {
		t.Errorf("stock %+v", stock)
	}
	if !reflect.DeepEqual(*p, before) {
		t.Error("the product before the update changed too")
	}
	if !changed.UpdatedAt.Equal(next) || !changed.CreatedAt.Equal(noon) || changed.ID != p.ID {
		t.Errorf("updated %+v", changed)
	}
}

func TestProduct_Update_emptyDraft(t *testing.T) {
	t.Parallel()
	d := tents()
	d.Cost, d.Attributes = patch.To(usd(9_000)), patch.To(map[string]string{"persons": "2"})
	p, _ := create(t, d)
	same, stock := update(t, p, catalog.Draft{})
	same.UpdatedAt = p.UpdatedAt
	if !reflect.DeepEqual(same, p) || stock != nil {
		t.Errorf("%+v became %+v", p, same)
	}
	if same.Attributes["persons"] = "3"; p.Attributes["persons"] != "2" {
		t.Error("the two share their attributes")
	}
}

func TestProduct_Update_nullClears(t *testing.T) {
	t.Parallel()
	d := tents()
	d.Category, d.Brand, d.Description = patch.To("outdoor/tents"), patch.To("Alto"), patch.To("For two.")
	d.Cost, d.CompetitorPrice = patch.To(usd(1)), patch.To(usd(2))
	d.Negotiable, d.Status = patch.To(false), patch.To("archived")
	d.Tags, d.Related = patch.To([]string{"light"}), patch.To([]string{"P-1"})
	d.Reviews = patch.To(catalog.Reviews{Average: 450, Count: 3})
	p, _ := create(t, d)
	changed, _ := update(t, p, catalog.Draft{
		Category:        patch.Null[string](),
		Brand:           patch.Null[string](),
		Description:     patch.Null[string](),
		Status:          patch.Null[string](),
		Cost:            patch.Null[money.Amount](),
		CompetitorPrice: patch.Null[money.Amount](),
		Negotiable:      patch.Null[bool](),
		Tags:            patch.Null[[]string](),
		Related:         patch.Null[[]string](),
		Reviews:         patch.Null[catalog.Reviews](),
		Variants:        patch.Null[[]catalog.VariantDraft](),
	})
	bare, _ := create(t, tent())
	bare.UpdatedAt, bare.Variants[0].ID = next, changed.Variants[0].ID
	if !reflect.DeepEqual(changed, bare) {
		t.Errorf("%+v, want %+v", changed, bare)
	}
}

func TestProduct_Update_skuOfDefaultVariant(t *testing.T) {
	t.Parallel()
	p, _ := create(t, tent())
	renamed, _ := update(t, p, catalog.Draft{SKU: patch.To("T-2")})
	if v := renamed.Variants[0]; v.SKU != "T-2" || v.ID != p.Variants[0].ID {
		t.Errorf("the product is T-2, its only variant %+v", v)
	}
	if p.Variants[0].SKU != "T-1" {
		t.Error("the product before the update changed too")
	}
	split, _ := update(t, p, catalog.Draft{SKU: patch.To("T-2"), Variants: patch.To([]catalog.VariantDraft{{SKU: "T-1", Size: "S"}})})
	if v := split.Variants[0]; v.SKU != "T-1" || v.ID != p.Variants[0].ID {
		t.Errorf("a variant given as T-1 became %+v", v)
	}
	again, _ := update(t, p, catalog.Draft{Variants: patch.To([]catalog.VariantDraft{})})
	if again.Variants[0] != p.Variants[0] {
		t.Errorf("without variants, %+v became %+v", p.Variants[0], again.Variants[0])
	}
}

// A product's own quantity is accepted only if the product has no variants of its own.
func TestDraft_quantity(t *testing.T) {
	t.Parallel()
	p, _ := create(t, tents())
	if _, _, err := p.Update(catalog.Draft{Quantity: patch.To(5)}, &counter{100}, next); !slices.Equal(fields(err), []string{"quantity"}) {
		t.Errorf("one quantity for two variants: %v", err)
	}
	d := tents()
	d.Quantity = patch.To(5)
	if _, _, err := catalog.Create(shop, d, money.USD, &counter{}, noon); !slices.Equal(fields(err), []string{"quantity"}) {
		t.Errorf("a quantity beside variants: %v", err)
	}
	single, _ := create(t, tent())
	if _, stock := update(t, single, catalog.Draft{Quantity: patch.To(0)}); !slices.Equal(stock, []catalog.Stock{{Variant: single.Variants[0].ID}}) {
		t.Errorf("stock %+v", stock)
	}
	if _, stock := update(t, single, catalog.Draft{Quantity: patch.Null[int]()}); stock != nil {
		t.Errorf("stock %+v", stock)
	}
}

func TestCreate_missingFields(t *testing.T) {
	t.Parallel()
	if _, _, err := catalog.Create(shop, catalog.Draft{}, money.USD, &counter{}, noon); !slices.Equal(fields(err), []string{"name", "price", "sku"}) {
		t.Errorf("%v", err)
	}
	p, _ := create(t, tent())
	nothing := catalog.Draft{
		SKU:   patch.Null[string](),
		Name:  patch.Null[string](),
		Price: patch.Null[money.Amount](),
	}
	if _, _, err := p.Update(nothing, &counter{100}, next); !slices.Equal(fields(err), []string{"name", "price", "sku"}) {
		t.Errorf("%v", err)
	}
}

func TestStatusNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"active", "archived"} {
		if s, ok := catalog.ParseStatus(name); !ok || s.String() != name {
			t.Errorf("%s is read as %s", name, s)
		}
	}
	if _, ok := catalog.ParseStatus("Active"); ok {
		t.Error("statuses are written in lower case")
	}
}
