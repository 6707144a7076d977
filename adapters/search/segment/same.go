package segment

import (
	"maps"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

// SameText reports whether two states of a product have the same indexed text. They may differ in columns such as the price, and
// in fields that are not indexed, such as images and costs.
func SameText(a, b *catalog.Product) bool {
	return a.SKU == b.SKU && a.Name == b.Name && a.Brand == b.Brand && a.Category == b.Category && a.Description == b.Description &&
		a.Reviews == b.Reviews && slices.Equal(a.Tags, b.Tags) && maps.Equal(a.Attributes, b.Attributes) &&
		slices.EqualFunc(a.Variants, b.Variants, sameVariant)
}

func sameVariant(a, b catalog.Variant) bool {
	return a.ID == b.ID && a.SKU == b.SKU && a.Size == b.Size && a.Color == b.Color && a.GTIN == b.GTIN && a.MPN == b.MPN
}
