package discovery

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Sample is a product of a shop for example requests. It is zero if the shop sells nothing.
type Sample struct {
	Product  id.Product
	Variant  id.Variant
	Name     string
	Category string
	Price    money.Amount
}

const (
	sampledFrom = 20   // products that a sample is chosen from
	maxSamples  = 1000 // projects whose samples are cached
)

// sampled is a project's cached sample at a version of the catalogue.
type sampled struct {
	version int64
	sample  Sample
}

// Sample returns, of the shop's first products, the one with the most stock. It prefers negotiable products in stock. The choice
// is cached until the catalogue changes.
func (s *Service) Sample(ctx context.Context, p *project.Project) (Sample, error) {
	if kept, ok := s.samples.Get(p.ID); ok && kept.version == p.CatalogVersion {
		return kept.sample, nil
	}
	products, err := s.Catalog.First(ctx, p.ID, sampledFrom)
	if err != nil {
		return Sample{}, err
	}
	variants := make([]id.Variant, 0, len(products))
	for _, product := range products {
		variants = append(variants, product.Variants[0].ID)
	}
	stock := map[id.Variant]int{}
	if len(variants) > 0 {
		if stock, err = s.Inventory.TotalsOf(ctx, p.ID, variants); err != nil {
			return Sample{}, err
		}
	}
	sample := choose(products, stock)
	s.samples.Add(p.ID, sampled{p.CatalogVersion, sample})
	return sample, nil
}

// choose returns the first variant of the best product.
func choose(products []*catalog.Product, stock map[id.Variant]int) Sample {
	if len(products) == 0 {
		return Sample{}
	}
	worth := func(p *catalog.Product) int {
		pieces := min(stock[p.Variants[0].ID], catalog.MaxStock)
		if p.Variants[0].InventoryPolicy != catalog.Tracked {
			pieces = max(pieces, 1)
		}
		if pieces > 0 && p.Negotiable {
			return pieces + catalog.MaxStock
		}
		return pieces
	}
	best := slices.MaxFunc(products, func(a, b *catalog.Product) int { return cmp.Compare(worth(a), worth(b)) })
	v := best.Variants[0]
	return Sample{
		Product:  best.ID,
		Variant:  v.ID,
		Name:     best.Name,
		Category: best.Category,
		Price:    best.PriceOf(v),
	}
}
