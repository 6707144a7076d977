package catalog

import "github.com/haggle-commerce/haggle/domain/money"

// DefaultLimit is how many results a search returns that names no limit (spec 6.1).
const DefaultLimit = 10

// Query is what a buyer looks for. An empty text finds everything that passes the filter.
type Query struct {
	Text   string
	Filter Filter
	Limit  int
	// Prefer lists colours the buyer likes: they lift a result, they exclude none.
	Prefer []string
}

// Filter excludes. A product passes if one of its variants passes all of it.
type Filter struct {
	Category string // a path; products below it pass too
	PriceMax *money.Amount
	Size     string
	Colors   []string
}

// Found is the answer to a query. Total and Facets count everything that matches, not only the hits.
type Found struct {
	Hits       []Hit
	Total      int
	Confidence int // in the best hit, thousandths
	Facets     Facets
}

// Hit is one product found. The product is shared: readers must not change it.
type Hit struct {
	Product *Product
	Score   int // strictly between 0 and 1000: thousandths
	Reasons []string
	InStock bool // as was thought when it was ranked
}

// Facets count matches by brand and colour, largest count first, and by price, cheapest first.
type Facets struct {
	Brands      []Count
	Colors      []Count
	PriceRanges []PriceRange
}

// Count is how many matches have a value.
type Count struct {
	Name  string
	Count int
}

// PriceRange is how many matches cost from Min to Max, both included.
type PriceRange struct {
	Min, Max money.Amount
	Count    int
}

// Category is one path and the number of active products at or below it.
type Category struct {
	Path  string
	Count int
}
