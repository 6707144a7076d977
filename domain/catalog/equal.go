package catalog

import (
	"maps"
	"slices"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Equal reports whether two products are equal except for when they were updated.
func (p *Product) Equal(o *Product) bool {
	return p.ID == o.ID && p.Project == o.Project && p.SKU == o.SKU && p.Name == o.Name && p.Description == o.Description &&
		p.Brand == o.Brand && p.Category == o.Category && p.Price == o.Price && sameAmount(p.Cost, o.Cost) &&
		sameAmount(p.CompetitorPrice, o.CompetitorPrice) && p.Negotiable == o.Negotiable && slices.Equal(p.Images, o.Images) &&
		maps.Equal(p.Attributes, o.Attributes) && slices.Equal(p.Tags, o.Tags) &&
		slices.EqualFunc(p.Variants, o.Variants, Variant.equal) && p.Reviews == o.Reviews && slices.Equal(p.Related, o.Related) &&
		p.Status == o.Status && p.CreatedAt.Equal(o.CreatedAt)
}

func (v Variant) equal(o Variant) bool {
	same := sameAmount(v.Price, o.Price)
	v.Price, o.Price = nil, nil
	return same && v == o
}

func sameAmount(a, b *money.Amount) bool {
	return a == b || a != nil && b != nil && *a == *b
}
