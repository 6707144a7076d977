// Package catalog defines what a shop sells: products, their variants, and stock by location, with the rule that
// reserves stock for an order (Allocate), and the queries, filters and facets of a product search. It checks merchants'
// input. It stores nothing and runs no search.
package catalog

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Status is the status of a product. Only active products are shown and sold.
type Status struct{ name string }

var (
	Active   = Status{"active"}
	Archived = Status{"archived"}
)

func (s Status) String() string { return s.name }

// ParseStatus reads the name of a status.
func ParseStatus(name string) (Status, bool) {
	s := Status{name}
	return s, s == Active || s == Archived
}

// Product is one thing on sale, in one or more variants. It always has at least one.
type Product struct {
	ID          id.Product
	Project     id.Project
	SKU         string
	Name        string
	Description string
	Brand       string
	Category    string // a path with slashes: "outdoor/tents"
	Price       money.Amount
	// Cost and CompetitorPrice are nil if unknown. Cost is never shown to a buyer.
	Cost            *money.Amount
	CompetitorPrice *money.Amount
	Negotiable      bool
	Images          []Image
	Attributes      map[string]string
	Tags            []string
	Variants        []Variant
	Reviews         Reviews
	Related         []string // skus of products that go with this one
	Status          Status
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Image of a product. URL may be a path below the server's public address.
type Image struct{ URL, Alt string }

// Reviews sums up what customers said. Average is in hundredths: 450 is 4.5 of 5.
type Reviews struct {
	Average int
	Count   int
	Summary string
}

// MaxVariants is the largest number of variants of a product, the same as at Shopify (shopify.dev changelog, "The
// product variant limit is now 2048 for all merchants", 2025-10-15).
const MaxVariants = 2048

// MostListed is the largest number of variants per product in a response that lists several products.
const MostListed = 100

// Listed returns the variants of the product in a list of products: all, or the first MostListed.
func (p *Product) Listed() []Variant { return p.Variants[:min(len(p.Variants), MostListed)] }

// Variant is a purchasable item: a size, a colour, or the product itself as its default variant.
type Variant struct {
	ID    id.Variant
	SKU   string
	Size  string
	Color string
	Price *money.Amount // nil: the product's
	GTIN  string        // Global Trade Item Number, digits only; "" if unknown
	MPN   string        // manufacturer part number; "" if unknown

	InventoryPolicy InventoryPolicy
	Digital         bool // not shipped: a download, a voucher, a service
}

// Physical reports whether some variant of the product is shipped.
func (p *Product) Physical() bool {
	return slices.ContainsFunc(p.Variants, func(v Variant) bool { return !v.Digital })
}

// Label returns the variant's display name: "M / Green", or "" for the default variant.
func (v Variant) Label() string {
	switch {
	case v.Size != "" && v.Color != "":
		return v.Size + " / " + v.Color
	case v.Size != "":
		return v.Size
	}
	return v.Color
}

// PriceOf returns the list price of a variant.
func (p *Product) PriceOf(v Variant) money.Amount {
	if v.Price != nil {
		return *v.Price
	}
	return p.Price
}

// Variant finds a variant by id. The zero id means the only variant of a product that has just one.
func (p *Product) Variant(variant id.Variant) (Variant, bool) {
	if variant.IsZero() && len(p.Variants) == 1 {
		return p.Variants[0], true
	}
	for _, v := range p.Variants {
		if v.ID == variant {
			return v, true
		}
	}
	return Variant{}, false
}

// VariantRequired returns the problem with a request that names no variant, with the variants to choose from.
func (p *Product) VariantRequired() string { return "is required; the product has " + p.choices() }

// NoVariant returns the error for a variant that the product does not have.
func (p *Product) NoVariant() error {
	e := fault.Missing("variant")
	e.Message += " The product has " + p.choices() + "."
	return e
}

// choices lists the variants by ID, size and colour.
func (p *Product) choices() string {
	list := make([]string, len(p.Variants))
	for i, v := range p.Variants {
		list[i] = v.ID.String()
		if label := v.Label(); label != "" {
			list[i] += " (" + label + ")"
		}
	}
	return fault.Known(list)
}

// Level is the number of pieces of a variant for sale at a location.
type Level struct {
	Product  id.Product
	Variant  id.Variant
	SKU      string
	Location string
	Quantity int
	Policy   InventoryPolicy // the variant's
	Digital  bool            // the variant is
}

// Totals returns the pieces of each variant over all locations.
func Totals(levels []Level) map[id.Variant]int {
	totals := make(map[id.Variant]int, len(levels))
	for _, l := range levels {
		totals[l.Variant] += l.Quantity
	}
	return totals
}
