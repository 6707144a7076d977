package catalog_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
)

// Products that differ in one field, of the product or of what it has, are not equal.
func TestProduct_Equal_everyField(t *testing.T) {
	t.Parallel()
	p := fieldtest.Fill[catalog.Product](catalog.Archived, catalog.Backorder)
	again := p
	again.Cost, again.CompetitorPrice = pointer(*p.Cost), pointer(*p.CompetitorPrice)
	again.Images, again.Tags, again.Related = slices.Clone(p.Images), slices.Clone(p.Tags), slices.Clone(p.Related)
	again.Attributes, again.Variants = maps.Clone(p.Attributes), slices.Clone(p.Variants)
	for i, v := range again.Variants {
		again.Variants[i].Price = pointer(*v.Price)
	}
	if !p.Equal(&again) {
		t.Fatal("a product is not equal to its copy")
	}
	fieldtest.Matter(t, &again, func(changed *catalog.Product) any { return p.Equal(changed) }, fieldtest.Reasons{
		"catalog.Product.UpdatedAt": "an import that changes nothing would only change this",
	}, catalog.Archived, catalog.Active, catalog.Backorder, catalog.Tracked)
}
