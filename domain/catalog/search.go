package catalog

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// DefaultLimit is the number of results of a search without a limit (features/PROTOCOL.md#agent-events).
const DefaultLimit = 10

// Query is a buyer's search. An empty text matches everything that passes the filter.
type Query struct {
	Text   string
	Filter Filter
	Sort   Sort
	Limit  int
	// After is the position where an earlier page of the same query ended; nil: the first page.
	After *Place
	// Prefer are colours that the buyer prefers. They raise a result's rank and exclude none.
	Prefer []string
}

// Filter excludes products. A product passes if one of its variants passes all conditions. Names are compared
// case-insensitively.
type Filter struct {
	Categories []string // paths, any of them; products below one pass too
	Brands     []string // any of them
	PriceMin   *money.Amount
	PriceMax   *money.Amount
	Size       string
	Colors     []string            // any of them
	Attributes map[string][]string // for every name, any of its values
	RatingMin  int                 // of the average review, in hundredths
	InStock    bool                // whether only variants in stock pass
	Physical   bool                // whether only shipped variants pass; set by the protocol, not by buyers
}

// Category returns the only category of the filter, or "" for none or several.
func (f Filter) Category() string {
	if len(f.Categories) != 1 {
		return ""
	}
	return f.Categories[0]
}

// Affords reports whether a price passes.
func (f Filter) Affords(price money.Amount) bool {
	return (f.PriceMin == nil || f.PriceMin.Minor() <= price.Minor()) && (f.PriceMax == nil || price.Minor() <= f.PriceMax.Minor())
}

// Sells reports whether a variant passes the conditions on price and shipping.
func (f Filter) Sells(p *Product, v Variant) bool {
	return f.Affords(p.PriceOf(v)) && !(f.Physical && v.Digital)
}

// Hides reports whether the filter excludes a product because none of it is shipped.
func (f Filter) Hides(p *Product) bool { return f.Physical && !p.Physical() }

// PassesCategory reports whether a product is in one of the categories, or below it.
func (f Filter) PassesCategory(p *Product) bool {
	if len(f.Categories) == 0 {
		return true
	}
	own := strings.ToLower(strings.Trim(p.Category, "/ ")) + "/"
	return slices.ContainsFunc(f.Categories, func(c string) bool {
		path := strings.ToLower(strings.Trim(c, "/ "))
		return path == "" || strings.HasPrefix(own, path+"/")
	})
}

// Check reports conditions that no product can pass.
func (f Filter) Check(c fault.Check) {
	if f.PriceMin != nil && f.PriceMax != nil {
		c.That(f.PriceMin.Minor() <= f.PriceMax.Minor(), "price_min", "must be at most price_max")
	}
}

// Criterion is one condition of a filter: on its own, and the filter without it.
type Criterion struct {
	Name           string // as buyers write it: "price_max", "attributes.material"
	Alone, Without Filter
}

// Criteria returns the conditions of a filter, in the order of its fields.
func (f Filter) Criteria() (all []Criterion) {
	part := func(given bool, name string, take func(from, to *Filter)) {
		if !given {
			return
		}
		c := Criterion{Name: name, Without: f}
		take(&f, &c.Alone)
		take(&Filter{}, &c.Without)
		all = append(all, c)
	}
	part(len(f.Categories) > 0, "category", func(from, to *Filter) { to.Categories = from.Categories })
	part(len(f.Brands) > 0, "brand", func(from, to *Filter) { to.Brands = from.Brands })
	part(f.PriceMin != nil, "price_min", func(from, to *Filter) { to.PriceMin = from.PriceMin })
	part(f.PriceMax != nil, "price_max", func(from, to *Filter) { to.PriceMax = from.PriceMax })
	part(f.Size != "", "size", func(from, to *Filter) { to.Size = from.Size })
	part(len(f.Colors) > 0, "color_preference", func(from, to *Filter) { to.Colors = from.Colors })
	for _, name := range slices.Sorted(maps.Keys(f.Attributes)) {
		c := Criterion{Name: "attributes." + name, Without: f}
		c.Alone.Attributes = map[string][]string{name: f.Attributes[name]}
		c.Without.Attributes = maps.Clone(f.Attributes)
		delete(c.Without.Attributes, name)
		all = append(all, c)
	}
	part(f.RatingMin > 0, "rating_min", func(from, to *Filter) { to.RatingMin = from.RatingMin })
	part(f.InStock, "in_stock", func(from, to *Filter) { to.InStock = from.InStock })
	return all
}

// Sort is the order of results. Ties are ordered by ID, so that every order is total. The zero Sort is Relevance.
type Sort struct{ name string }

var (
	Relevance   = Sort{}
	PriceAsc    = Sort{"price_asc"} // by the price shown in results: the first variant's
	PriceDesc   = Sort{"price_desc"}
	Newest      = Sort{"newest"}
	Rating      = Sort{"rating"}       // by the average review, then by the number of reviews
	BestSelling = Sort{"best_selling"} // by pieces sold recently
)

// Sorts are all orders.
var Sorts = []Sort{Relevance, PriceAsc, PriceDesc, Newest, Rating, BestSelling}

func (s Sort) String() string {
	if s == Relevance {
		return "relevance"
	}
	return s.name
}

// ParseSort reads the name of an order. An empty name is Relevance.
func ParseSort(name string) (Sort, bool) {
	if name == "" {
		return Relevance, true
	}
	at := slices.IndexFunc(Sorts, func(s Sort) bool { return s.String() == name })
	if at < 0 {
		return Relevance, false
	}
	return Sorts[at], true
}

// Found is the result of a query. Total and Facets count all matches, not only the hits.
type Found struct {
	Hits       []Hit
	Total      int
	Confidence int // in the best hit of the first page, in thousandths
	Facets     Facets
	Next       *Place     // where the next page begins; nil: there is none
	Nothing    *NoResults // why there is no result; nil if there is one
}

// Hit is one product found. The product is shared, so readers must not change it.
type Hit struct {
	Product *Product
	Score   int // strictly between 0 and 1000: thousandths
	Reasons []string
	InStock bool // as known when it was ranked
	// Shown are the indexes of the variants to show of a product with too many for a list: those that pass the filter
	// first, then those in stock. Nil: the first ones.
	Shown []uint16
}

// Variants returns the variants to show of the hit, at most MostListed.
func (h Hit) Variants() []Variant {
	if h.Shown == nil {
		return h.Product.Listed()
	}
	list := make([]Variant, len(h.Shown))
	for i, at := range h.Shown {
		list[i] = h.Product.Variants[at]
	}
	return list
}

// Facets count matches by brand and colour, largest count first, and by price, cheapest first. Each ignores its own
// condition of the filter, so that it counts the results of choosing another value.
type Facets struct {
	Brands      []Count
	Colors      []Count
	PriceRanges []PriceRange
}

// Count is the number of matches with a value.
type Count struct {
	Name  string
	Count int
}

// PriceRange is the number of matches that cost from Min to Max, both inclusive.
type PriceRange struct {
	Min, Max money.Amount
	Count    int
}

// NoResults explains why a search found nothing.
type NoResults struct {
	Matched   int       // without any filter
	RemovedBy []Removal // by condition of the filter, the one that removed most first
	Nearest   []string  // words of the catalogue with a spelling similar to the query's
}

// Removal is the effect of one condition of a filter.
type Removal struct {
	Filter  string // as in Criterion
	Removed int    // matches that fail it
	Without int    // results without this condition
}

// Category is one path and the number of active products at or below it.
type Category struct {
	Path  string
	Count int
}

// Message explains in a sentence why there is no result. query is the buyer's text.
func (n *NoResults) Message(query string) string {
	switch {
	case n.Matched == 0 && len(n.Nearest) > 0:
		return "0 match '" + query + "'; did you mean " + strings.Join(n.Nearest, ", ") + "?"
	case n.Matched == 0 && query == "":
		return "The shop has no products."
	case n.Matched == 0:
		return "0 match '" + query + "', and the shop has no similar word."
	case len(n.RemovedBy) == 0:
		return "0 match."
	case n.RemovedBy[0].Removed == 0:
		return plural(n.Matched) + " without filters, but no variant passes all of them together."
	}
	first := n.RemovedBy[0]
	return plural(n.Matched) + " without filters; " + first.Filter + " removes " + strconv.Itoa(first.Removed) + " of them."
}

func plural(n int) string {
	if n == 1 {
		return "1 product matches"
	}
	return strconv.Itoa(n) + " products match"
}
