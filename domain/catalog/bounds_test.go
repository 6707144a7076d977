package catalog_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// texts are the fields with a limited length: their names in errors, and the smallest and largest number of characters.
var texts = []struct {
	field       string
	least, most int
	set         func(*catalog.Draft, string)
}{
	{"sku", 1, 100, func(d *catalog.Draft, s string) { d.SKU = patch.To(s) }},
	{"name", 1, 500, func(d *catalog.Draft, s string) { d.Name = patch.To(s) }},
	{"brand", 0, 200, func(d *catalog.Draft, s string) { d.Brand = patch.To(s) }},
	{"description", 0, 5000, func(d *catalog.Draft, s string) { d.Description = patch.To(s) }},
	{"category", 0, 200, func(d *catalog.Draft, s string) { d.Category = patch.To(s) }},
	{"tags.1", 1, 200, func(d *catalog.Draft, s string) { d.Tags = patch.To([]string{"ok", s}) }},
	{"related.0", 1, 100, func(d *catalog.Draft, s string) { d.Related = patch.To([]string{s}) }},
	{"attributes.material", 0, 2000, func(d *catalog.Draft, s string) { d.Attributes = patch.To(map[string]string{"material": s}) }},
	{"reviews.summary", 0, 2000, func(d *catalog.Draft, s string) { d.Reviews = patch.To(catalog.Reviews{Summary: s}) }},
	{"images.0.alt", 0, 500, func(d *catalog.Draft, s string) { d.Images = patch.To([]catalog.Image{{URL: "/a", Alt: s}}) }},
	{"variants.0.sku", 1, 100, func(d *catalog.Draft, s string) { oneVariant(d, catalog.VariantDraft{SKU: s}) }},
	{"variants.0.size", 0, 100, func(d *catalog.Draft, s string) { oneVariant(d, catalog.VariantDraft{SKU: "V", Size: s}) }},
	{"variants.0.color", 0, 100, func(d *catalog.Draft, s string) { oneVariant(d, catalog.VariantDraft{SKU: "V", Color: s}) }},
}

func oneVariant(d *catalog.Draft, v catalog.VariantDraft) {
	d.Variants = patch.To([]catalog.VariantDraft{v})
}

func TestCreate_textLengths(t *testing.T) {
	t.Parallel()
	for _, c := range texts {
		refused := func(value string) bool {
			d := tent()
			c.set(&d, value)
			_, _, err := catalog.Create(shop, d, money.USD, &counter{}, noon)
			if got := fields(err); err != nil && !slices.Equal(got, []string{c.field}) {
				t.Errorf("%s is refused as %q", c.field, got)
			}
			return err != nil
		}
		if refused(strings.Repeat("é", c.least)) || refused(strings.Repeat("é", c.most)) {
			t.Errorf("%s may not have %d or %d characters", c.field, c.least, c.most)
		}
		if !refused(strings.Repeat("é", c.most+1)) || c.least > 0 && !refused("") {
			t.Errorf("%s may have other lengths than %d to %d", c.field, c.least, c.most)
		}
		if !refused("a\x00b") {
			t.Errorf("%s may have a NUL character", c.field)
		}
	}
}

// bounds are values at the limits of a product's fields, with the field that an error names.
var bounds = []struct {
	change func(*catalog.Draft)
	field  string // "" for none
}{
	{price(usd(1)), ""}, {price(usd(money.Limit - 1)), ""}, {price(usd(0)), "price"}, {price(usd(-1)), "price"},
	{price(usd(money.Limit)), "price"}, {price(money.Of(1, money.Currency{})), "price"},
	{func(d *catalog.Draft) { d.Cost = patch.To(usd(0)) }, ""},
	{func(d *catalog.Draft) { d.Cost = patch.To(usd(-1)) }, "cost"},
	{func(d *catalog.Draft) { d.Cost = patch.To(money.Of(1, money.Currency{})) }, "cost"},
	{func(d *catalog.Draft) { d.CompetitorPrice = patch.To(usd(0)) }, "competitor_price"},
	{category("outdoor/tents/two persons"), ""}, {category("outdoor//tents"), "category"}, {category("/outdoor"), "category"},
	{category("outdoor/"), "category"}, {category("out\ndoor"), "category"},
	{image("https://example.com/a.jpg"), ""}, {image("/images/a.jpg"), ""}, {image("//example.com/a.jpg"), "images.0.url"},
	{image("javascript:alert(1)"), "images.0.url"}, {image(""), "images.0.url"},
	{func(d *catalog.Draft) { d.Images = patch.To(slices.Repeat([]catalog.Image{{URL: "/a"}}, 50)) }, ""},
	{func(d *catalog.Draft) { d.Images = patch.To(slices.Repeat([]catalog.Image{{URL: "/a"}}, 51)) }, "images"},
	{func(d *catalog.Draft) { d.Tags = patch.To(slices.Repeat([]string{"x"}, 100)) }, ""},
	{func(d *catalog.Draft) { d.Tags = patch.To(slices.Repeat([]string{"x"}, 101)) }, "tags"},
	{func(d *catalog.Draft) { d.Related = patch.To(slices.Repeat([]string{"x"}, 50)) }, ""},
	{func(d *catalog.Draft) { d.Related = patch.To(slices.Repeat([]string{"x"}, 51)) }, "related"},
	{func(d *catalog.Draft) { d.Attributes = patch.To(map[string]string{"": "x"}) }, "attributes"},
	{func(d *catalog.Draft) { d.Attributes = patch.To(map[string]string{strings.Repeat("x", 200): "x"}) }, ""},
	{func(d *catalog.Draft) { d.Attributes = patch.To(map[string]string{strings.Repeat("x", 201): "x"}) }, "attributes"},
	{func(d *catalog.Draft) { d.Status = patch.To("sold") }, "status"},
	{func(d *catalog.Draft) { d.Reviews = patch.To(catalog.Reviews{Average: 500}) }, ""},
	{func(d *catalog.Draft) { d.Reviews = patch.To(catalog.Reviews{Average: 501}) }, "reviews.average_rating"},
	{func(d *catalog.Draft) { d.Reviews = patch.To(catalog.Reviews{Count: -1}) }, "reviews.count"},
	{func(d *catalog.Draft) { d.Quantity = patch.To(catalog.MaxStock) }, ""},
	{func(d *catalog.Draft) { d.Quantity = patch.To(catalog.MaxStock + 1) }, "quantity"},
	{func(d *catalog.Draft) { d.Quantity = patch.To(-1) }, "quantity"},
	{variants(2048), ""}, {variants(2049), "variants"},
	{func(d *catalog.Draft) { d.Variants = patch.To([]catalog.VariantDraft{{SKU: "V"}, {SKU: "V"}}) }, "variants.1.sku"},
	{func(d *catalog.Draft) { oneVariant(d, catalog.VariantDraft{SKU: "V", Price: pointer(usd(0))}) }, "variants.0.price"},
	{func(d *catalog.Draft) { oneVariant(d, catalog.VariantDraft{SKU: "V", Quantity: pointer(-1)}) }, "variants.0.quantity"},
}

func price(a money.Amount) func(*catalog.Draft) {
	return func(d *catalog.Draft) { d.Price = patch.To(a) }
}

func category(path string) func(*catalog.Draft) {
	return func(d *catalog.Draft) { d.Category = patch.To(path) }
}

func image(url string) func(*catalog.Draft) {
	return func(d *catalog.Draft) { d.Images = patch.To([]catalog.Image{{URL: url}}) }
}

func variants(n int) func(*catalog.Draft) {
	list := make([]catalog.VariantDraft, n)
	for i := range list {
		list[i].SKU = "V-" + strconv.Itoa(i)
	}
	return func(d *catalog.Draft) { d.Variants = patch.To(list) }
}

func TestCreate_bounds(t *testing.T) {
	t.Parallel()
	for i, c := range bounds {
		d := tent()
		c.change(&d)
		_, _, err := catalog.Create(shop, d, money.USD, &counter{}, noon)
		if got := strings.Join(fields(err), " "); got != c.field {
			t.Errorf("bound %d: refused as %q, want %q (%v)", i, got, c.field, err)
		}
	}
}
