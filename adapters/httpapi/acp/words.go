package acp

import (
	"maps"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// estimate is how long the cheapest way to the shop's first shipping region takes.
func estimate(f project.Storefront) string {
	rates := f.RatesTo(home(f))
	if len(rates) == 0 {
		return ""
	}
	return commerce.Days(rates[0].MinDays, rates[0].MaxDays)
}

// home is the country that shipping is estimated to where the buyer names none.
func home(f project.Storefront) string {
	if len(f.ShippingRegions) == 0 {
		return ""
	}
	return f.ShippingRegions[0]
}

// listPrice is what the product's first variant costs.
func listPrice(p *catalog.Product) money.Amount { return p.PriceOf(p.Variants[0]) }

// haggles reports whether there is a price to talk about at all.
func haggles(shop *project.Project, p *catalog.Product) bool {
	return p.Negotiable && shop.Settings.NegotiationEnabled
}

// toAPIProductURL is where a buyer reads all of a product.
func (h *handlers) toAPIProductURL(shop *project.Project, p *catalog.Product) string {
	return strings.TrimSuffix(h.PublicURL, "/") + "/p/" + shop.Slug + "/acp/products/" + p.ID.String()
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
