package syncrun

import (
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Value is a field's value on one side. Of its parts the field's one is set; none for an empty value.
type Value struct {
	Text       string // also a price's decimal digits
	Tags       []string
	Images     []catalog.Image
	Attributes map[string]string
	Variants   []VariantValue
	Cut        bool // a text was shortened, or entries were left out
}

// VariantValue is a variant as it is compared.
type VariantValue struct {
	SKU             string
	Size            string
	Color           string
	Price           string // decimal digits; "": the product's
	GTIN            string
	MPN             string
	InventoryPolicy string
	Digital         bool
}

const (
	// MaxValueText bounds each text of a value, in characters.
	MaxValueText = 300
	// MaxValueEntries bounds each list of a value.
	MaxValueEntries = 10
)

// fieldNames are the API's names of the fields of Prints.
var fieldNames = [fields]string{
	name:        "name",
	price:       "price",
	category:    "category",
	description: "description",
	brand:       "brand",
	images:      "images",
	attributes:  "attributes",
	tags:        "tags",
	variants:    "variants",
	status:      "status",
}

// Differences are the fields in which a product differs from what would become of it.
func Differences(ours, next *catalog.Product) (list []FieldChange) {
	if ours.SKU != next.SKU {
		list = append(list, FieldChange{
			Field:  "sku",
			Ours:   Value{Text: ours.SKU},
			Theirs: Value{Text: next.SKU},
		})
	}
	was, is := PrintsOf(ours), PrintsOf(next)
	for field := range fieldNames {
		if was[field] != is[field] {
			list = append(list, fieldChange(field, ours, next, Rule{}))
		}
	}
	return list
}

// Conflicts are the fields that both sides changed since base, each to another value. base are the prints of the product when
// both sides last agreed; a field without one has no conflict. theirs is the product with the platform's value of every field.
func Conflicts(base Prints, ours, theirs *catalog.Product, rule Rule) (list []FieldChange) {
	here, there := PrintsOf(ours), PrintsOf(theirs)
	for field := range fieldNames {
		was := base[field]
		if was != 0 && here[field] != was && there[field] != was && here[field] != there[field] {
			list = append(list, fieldChange(field, ours, theirs, rule))
		}
	}
	return list
}

// CompareKept compares our product with a platform's draft in the fields that Keep has left out of it. A field that has the same
// value on both sides is agreed: the prints that are returned are without it, so that the value is its base from now on, and a
// later change of one side alone is no conflict. A value of the platform's that is not valid here is neither agreed nor a conflict.
func CompareKept(kept Prints, all catalog.Draft, ours *catalog.Product, ids catalog.IDs, now time.Time) (still Prints, conflicts []FieldChange) {
	still = kept
	for field := range fieldNames {
		if kept[field] == 0 {
			continue
		}
		d := all
		for other := range fieldNames { // an invalid value of another field says nothing about this one
			if other != field && kept[other] != 0 {
				omit(&d, other)
			}
		}
		theirs, _, err := ours.Update(d, ids, now)
		switch {
		case err != nil:
		case PrintsOf(theirs)[field] != PrintsOf(ours)[field]:
			var base Prints
			base[field] = kept[field]
			conflicts = append(conflicts, Conflicts(base, ours, theirs, EditedHere)...)
		case field != variants || saysShipping(all):
			still[field] = 0
		}
	}
	return still, conflicts
}

// saysShipping reports whether a platform's draft tells of all that is sold whether it is shipped. If not, ours stays as it is, which
// is no agreement: Shopify's webhooks leave out what its API tells.
func saysShipping(d catalog.Draft) bool {
	list, _ := d.Variants.Value()
	if len(list) == 0 {
		return d.RequiresShipping.Given()
	}
	return !slices.ContainsFunc(list, func(v catalog.VariantDraft) bool { return v.RequiresShipping == nil })
}

func fieldChange(field int, ours, theirs *catalog.Product, rule Rule) FieldChange {
	c := FieldChange{Field: fieldNames[field], Rule: rule}
	c.Ours, c.Theirs = valueOf(field, ours, theirs), valueOf(field, theirs, ours)
	return c
}

// valueOf is the value of a product's field, beside the other side's. Of attributes and variants, those alone that the other
// side does not have the same.
func valueOf(field int, of, other *catalog.Product) (v Value) {
	switch field {
	case name:
		v.Text = v.cut(of.Name)
	case price:
		v.Text = digits(of.Price)
	case category:
		v.Text = v.cut(of.Category)
	case description:
		v.Text = v.cut(of.Description)
	case brand:
		v.Text = v.cut(of.Brand)
	case status:
		v.Text = of.Status.String()
	case tags:
		for _, tag := range firsts(&v, of.Tags) {
			v.Tags = append(v.Tags, v.cut(tag))
		}
	case images:
		for _, i := range firsts(&v, of.Images) {
			v.Images = append(v.Images, catalog.Image{URL: v.cut(i.URL), Alt: v.cut(i.Alt)})
		}
	case attributes:
		v.attributes(of.Attributes, other.Attributes)
	case variants:
		v.variants(of.Variants, other.Variants)
	}
	return v
}

func (v *Value) attributes(of, other map[string]string) {
	var differing []string
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if theirs, there := other[key]; !there || theirs != of[key] {
			differing = append(differing, key)
		}
	}
	for _, key := range firsts(v, differing) {
		if v.Attributes == nil {
			v.Attributes = map[string]string{}
		}
		v.Attributes[v.cut(key)] = v.cut(of[key])
	}
}

func (v *Value) variants(of, other []catalog.Variant) {
	there := map[VariantValue]bool{}
	for _, o := range other {
		there[variantValue(o)] = true
	}
	var differing []VariantValue
	for _, o := range of {
		if value := variantValue(o); !there[value] {
			differing = append(differing, value)
		}
	}
	if len(differing) == 0 && len(of) == len(other) { // the same ones in another order
		for _, o := range of {
			differing = append(differing, variantValue(o))
		}
	}
	for _, value := range firsts(v, differing) {
		for _, text := range []*string{&value.SKU, &value.Size, &value.Color, &value.MPN} {
			*text = v.cut(*text)
		}
		v.Variants = append(v.Variants, value)
	}
}

func variantValue(of catalog.Variant) VariantValue {
	v := VariantValue{
		SKU:             of.SKU,
		Size:            of.Size,
		Color:           of.Color,
		GTIN:            of.GTIN,
		MPN:             of.MPN,
		InventoryPolicy: of.InventoryPolicy.String(),
		Digital:         of.Digital,
	}
	if of.Price != nil {
		v.Price = digits(*of.Price)
	}
	return v
}

func digits(a money.Amount) string { return money.FormatDecimal(a.Minor(), a.Currency().Digits()) }

// firsts are the entries of a list that a value has room for.
func firsts[T any](v *Value, list []T) []T {
	if len(list) > MaxValueEntries {
		v.Cut = true
		list = list[:MaxValueEntries]
	}
	return list
}

// cut shortens a text.
func (v *Value) cut(text string) string {
	shortened := Shorten(text, MaxValueText)
	v.Cut = v.Cut || shortened != text
	return shortened
}

// Shorten cuts a text to at most so many characters, the last one an ellipsis where it was cut.
func Shorten(text string, most int) string {
	n := 0
	for at := range text {
		if n++; n == most {
			if rest := []rune(text[at:]); len(rest) > 1 {
				return text[:at] + "…"
			}
			break
		}
	}
	return text
}
