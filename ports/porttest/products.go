package porttest

import (
	"fmt"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Wide stores a product with count variants, each with stock pieces.
func (s *Shop) Wide(count, stock int) *catalog.Product {
	s.T.Helper()
	p := s.Rich()
	p.Variants = make([]catalog.Variant, count)
	levels := make([]catalog.Stock, count)
	for n := range p.Variants {
		p.Variants[n] = catalog.Variant{
			ID:   Random[id.Variant](),
			SKU:  fmt.Sprintf("%s-%d", p.SKU, n),
			Size: strconv.Itoa(n),
		}
		levels[n] = catalog.Stock{Variant: p.Variants[n].ID, Quantity: stock}
	}
	s.Must(s.Products.Create(s.Ctx, ports.ProductWrite{Product: p, Stock: levels}))
	return p
}

// Rich is a product with a value in every field and two variants.
func (s *Shop) Rich() *catalog.Product {
	sku := Random[id.Product]().String()
	return &catalog.Product{
		ID:              Random[id.Product](),
		Project:         s.Project.ID,
		SKU:             sku,
		Name:            `Fjällräven "Abisko" <2>`,
		Description:     "Light.\n\tDry \\ warm.",
		Brand:           "O'Neil",
		Category:        "outdoor/tents",
		Price:           USD(499_90),
		Cost:            Pointer(USD(200_00)),
		CompetitorPrice: Pointer(USD(520_00)),
		Negotiable:      true,
		Images:          []catalog.Image{{URL: "/images/a.jpg", Alt: "Ein Zelt"}, {URL: "https://cdn.example.com/b.jpg"}},
		Attributes:      map[string]string{"weight": "1.2 kg", "größe": "zwei"},
		Tags:            []string{"light", "3-season"},
		Variants: []catalog.Variant{
			{
				ID:    Random[id.Variant](),
				SKU:   sku + "-G",
				Size:  "2P",
				Color: "Green",
			},
			{
				ID:    Random[id.Variant](),
				SKU:   sku + "-A",
				Size:  "3P",
				Color: "Red",
				Price: Pointer(USD(549_00)),
			},
		},
		Reviews: catalog.Reviews{
			Average: 455,
			Count:   12,
			Summary: "Good.",
		},
		Related:   []string{"PEG-1"},
		Status:    catalog.Active,
		CreatedAt: Noon.Add(7 * time.Millisecond),
		UpdatedAt: Noon.Add(time.Hour),
	}
}

func (s *Shop) Get(p *catalog.Product) *catalog.Product {
	s.T.Helper()
	got, err := s.Products.Get(s.Ctx, s.Project.ID, p.ID)
	s.Must(err)
	return got
}

// UpdateTo replaces a product.
func (s *Shop) UpdateTo(w ports.ProductWrite) error {
	_, err := s.Products.Update(s.Ctx, s.Project.ID, w.Product.ID, func(*catalog.Product) (ports.ProductWrite, error) { return w, nil })
	return err
}
