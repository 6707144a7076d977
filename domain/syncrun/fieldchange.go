package syncrun

import (
	"maps"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Value is a field's value on one side. Only the part for the field is set, and none for an empty value.
type Value struct {
	Text       string // also the decimal digits of a price
	Tags       []string
	Images     []catalog.Image
	Attributes map[string]string
	Variants   []VariantValue
	Cut        bool // a text was shortened, or entries were left out
}

// VariantValue is a variant in the form that is compared.
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
	// MaxValueText is the largest length of each text of a value, in characters.
	MaxValueText = 300
	// MaxValueEntries is the largest length of each list of a value.
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

// Differences returns the fields in which a product differs from its next state.
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

// Conflicts returns the fields that both sides changed since base, each to a different value. base are the prints of
// the product when both sides last agreed; a field without a print has no conflict. theirs is the product with the
// platform's value of every field.
func Conflicts(base Fingerprints, ours, theirs *catalog.Product, rule Rule) (list []FieldChange) {
	here, there := PrintsOf(ours), PrintsOf(theirs)
	for field := range fieldNames {
		was := base[field]
		if was != 0 && here[field] != was && there[field] != was && here[field] != there[field] {
			list = append(list, fieldChange(field, ours, theirs, rule))
		}
	}
	return list
}

// CompareKept compares our product with a platform's draft in the fields that Keep has left out of it. A field with the
// same value on both sides is agreed: the returned prints do not have it, so its value is the new base, and a later
// change of one side alone is not a conflict. A platform's value that is not valid here is neither agreed nor a
// conflict.
func CompareKept(kept Fingerprints, all catalog.Draft, ours *catalog.Product, ids catalog.IDs, now time.Time) (still Fingerprints, conflicts []FieldChange) {
	still = kept
	for field := range fieldNames {
		if kept[field] == 0 {
			continue
		}
		d := all
		for other := range fieldNames { // another field's invalid value must not affect this one
			if other != field && kept[other] != 0 {
				omit(&d, other)
			}
		}
		theirs, _, err := ours.Update(d, ids, now)
		switch {
		case err != nil:
		case PrintsOf(theirs)[field] != PrintsOf(ours)[field]:
			var base Fingerprints
			base[field] = kept[field]
			conflicts = append(conflicts, Conflicts(base, ours, theirs, EditedHere)...)
		case field != variants || saysShipping(all):
			still[field] = 0
		}
	}
	return still, conflicts
}

// saysShipping reports whether a platform's draft has the shipping of all variants. If not, ours stays as it is, which
// does not count as agreed: Shopify's webhooks leave out some fields that its API has.
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

// valueOf returns the value of a product's field for a comparison with the other side. It includes only the attributes
// and variants that differ.
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
	if len(differing) == 0 && len(of) == len(other) { // the same variants in another order
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

// firsts returns as many entries of a list as a value may have.
func firsts[T any](v *Value, list []T) []T {
	if len(list) > MaxValueEntries {
		v.Cut = true
		list = list[:MaxValueEntries]
	}
	return list
}

// cut shortens a text and records that it did.
func (v *Value) cut(text string) string {
	shortened := Shorten(text, MaxValueText)
	v.Cut = v.Cut || shortened != text
	return shortened
}

// Shorten limits a text to so many characters. The last one is an ellipsis if the text was cut.
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
