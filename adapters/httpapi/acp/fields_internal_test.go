package acp

import (
	"encoding/json"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Buyers see every field of a product except those that are listed here.
func TestProductPage_everyField(t *testing.T) {
	t.Parallel()
	p := fieldtest.Fill[catalog.Product](catalog.Active, catalog.Backorder)
	p.Variants[1].Price = nil // it has the product's
	shop := &project.Project{Settings: project.Settings{NegotiationEnabled: true}}
	h := &handlers{Services: &commerce.Services{}}
	const (
		secret = "it is the merchant's secret"
		spec   = "the contract's product page has none"
	)
	fieldtest.Matter(t, &p, func(p *catalog.Product) any {
		text, err := json.Marshal(h.toAPIProduct(shop, discovery.ProductView{Product: p}))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}, fieldtest.Reasons{
		"catalog.Product.Cost":            secret,
		"catalog.Product.CompetitorPrice": secret,
		"catalog.Product.Project":         "it is in the path",
		"catalog.Product.SKU":             "the variants have theirs",
		"catalog.Product.Status":          "what is archived is not found",
		"catalog.Product.Images[].Alt":    spec,
		"catalog.Product.Tags":            spec,
		"catalog.Product.Related":         spec,
		"catalog.Product.CreatedAt":       spec,
		"catalog.Product.UpdatedAt":       spec,
	}, catalog.Active, catalog.Archived, catalog.Backorder, catalog.Tracked)
}
