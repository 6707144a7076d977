package search

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

// answers caches a snapshot's results of recent queries, because many buyers send the same query, and a search takes longer the
// more products match. A nil cache stores nothing. It is emptied when it is full.
type answers struct {
	mu    sync.Mutex
	turn  uint64 // counts calls of forget
	found map[queryKey]catalog.Found
	size  int // in entries
}

const (
	mostAnswers  = 200
	mostEntries  = 20_000 // hits and facet counts of all answers: about a megabyte
	longestQuery = 200    // bytes of its text
	longestRest  = 1000   // bytes of its filter
)

// queryKey is everything that an answer depends on, besides the snapshot. Later pages are not cached.
type queryKey struct {
	text, categories, size, colors, prefer string
	brands, attributes                     string
	order                                  catalog.Sort
	floored, capped, inStock, physical     bool
	priceMin, priceMax                     money.Amount
	ratingMin                              int
	limit                                  int
	embedded                               bool // the query has a vector
}

func keyOf(q catalog.Query, meaning []float32) queryKey {
	f := &q.Filter
	k := queryKey{
		text:       q.Text,
		categories: strings.Join(f.Categories, "\x00"),
		size:       f.Size,
		colors:     strings.Join(f.Colors, "\x00"),
		prefer:     strings.Join(q.Prefer, "\x00"),
		limit:      q.Limit,
		embedded:   meaning != nil,
		brands:     strings.Join(f.Brands, "\x00"),
		order:      q.Sort,
		inStock:    f.InStock,
		physical:   f.Physical,
		ratingMin:  f.RatingMin,
	}
	for _, name := range slices.Sorted(maps.Keys(f.Attributes)) {
		k.attributes += name + "\x00" + strings.Join(f.Attributes[name], "\x00") + "\x01"
	}
	if f.PriceMin != nil {
		k.floored, k.priceMin = true, *f.PriceMin
	}
	if f.PriceMax != nil {
		k.capped, k.priceMax = true, *f.PriceMax
	}
	return k
}

// length returns the number of bytes in the filter's texts.
func (k *queryKey) length() int {
	return len(k.categories) + len(k.size) + len(k.colors) + len(k.prefer) + len(k.brands) + len(k.attributes)
}

// get returns a cached answer, or a turn to pass to keep.
func (a *answers) get(q queryKey) (found catalog.Found, known bool, turn uint64) {
	if a == nil {
		return found, false, 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	found, known = a.found[q]
	found.Hits = slices.Clone(found.Hits) // the caller may modify the reasons
	return found, known, a.turn
}

// keep caches the answer of a search that began at a turn, unless forget has been called since.
func (a *answers) keep(q queryKey, found catalog.Found, turn uint64) {
	size := len(found.Hits) + len(found.Facets.Brands) + len(found.Facets.Colors)
	if found.Next != nil {
		size += len(found.Next.Shown) / 4 // a mark needs a fraction of a hit's memory
	}
	if a == nil || len(q.text) > longestQuery || q.length() > longestRest || size > mostEntries {
		return
	}
	found.Hits = slices.Clone(found.Hits)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case turn != a.turn:
		return
	case a.found == nil || len(a.found) == mostAnswers || a.size+size > mostEntries:
		a.found, a.size = make(map[queryKey]catalog.Found), 0
	}
	a.found[q] = found
	a.size += size
}

// forget empties the cache. Call it after changing a column that answers depend on.
func (a *answers) forget() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn++
	a.found, a.size = nil, 0
}
