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

// estimate returns the delivery time of the cheapest shipping to the shop's first shipping region.
func estimate(f project.Storefront) string {
	rates := f.RatesTo(home(f))
	if len(rates) == 0 {
		return ""
	}
	return commerce.Days(rates[0].MinDays, rates[0].MaxDays)
}

// home returns the country for shipping estimates if the buyer names none.
func home(f project.Storefront) string {
	if len(f.ShippingRegions) == 0 {
		return ""
	}
	return f.ShippingRegions[0]
}

// listPrice returns the price of the product's first variant.
func listPrice(p *catalog.Product) money.Amount { return p.PriceOf(p.Variants[0]) }

// haggles reports whether the price of a product is negotiable in the shop.
func haggles(shop *project.Project, p *catalog.Product) bool {
	return p.Negotiable && shop.Settings.NegotiationEnabled
}

// toAPIProductURL returns the address of a product's details.
func (h *handlers) toAPIProductURL(shop *project.Project, p *catalog.Product) string {
	return strings.TrimSuffix(h.PublicURL, "/") + "/p/" + shop.Slug + "/acp/products/" + p.ID.String()
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
