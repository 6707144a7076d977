package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// good is a product with its popularity.
type good struct {
	id, sku, name, category string
	list                    int64 // cents
	weight                  float64
	sold                    map[string]int // pieces sold since the last restock, by the variant's sku
}

// stockShelf reads the catalogue and draws each product's popularity: a few are popular, most are not.
func (w *world) stockShelf() error {
	owner := w.merchant()
	for offset := 0; ; offset += 100 {
		page, err := owner.Products(w.ctx, merchant.ProductQuery{Page: merchant.Page{Limit: 100, Offset: offset}})
		if err != nil {
			return err
		}
		for _, p := range page.Data {
			w.shelf = append(w.shelf, &good{
				id:       p.ID,
				sku:      p.SKU,
				name:     p.Name,
				category: p.Category,
				list:     minor(p.Price),
				sold:     map[string]int{},
			})
		}
		if len(page.Data) < 100 {
			break
		}
	}
	slices.SortFunc(w.shelf, func(a, b *good) int { return strings.Compare(a.sku, b.sku) })
	for rank, i := range w.chance.Perm(len(w.shelf)) {
		g := w.shelf[i]
		g.weight = 1 / math.Pow(float64(rank+4), .85)
		if g.list > 60_000 {
			g.weight /= 3
		}
	}
	return w.failed
}

// wanted draws a product by popularity.
func (w *world) wanted() *good {
	sum := 0.0
	for _, g := range w.shelf {
		sum += g.weight
	}
	left := w.chance.Float64() * sum
	for _, g := range w.shelf {
		if left -= g.weight; left < 0 {
			return g
		}
	}
	return w.shelf[0]
}

// query returns a search query for the product.
func (g *good) query(chance *rand.Rand) string {
	words := strings.Fields(g.name)
	switch chance.IntN(3) {
	case 0:
		return g.name
	case 1:
		return strings.Join(words[:min(len(words), 2)], " ")
	}
	return strings.ReplaceAll(g.category[strings.LastIndexByte(g.category, '/')+1:], "-", " ")
}

func (w *world) byProduct(id string) *good {
	for _, g := range w.shelf {
		if g.id == id {
			return g
		}
	}
	return nil
}
