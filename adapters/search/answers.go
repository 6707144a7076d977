package search

import (
	"slices"
	"strings"
	"sync"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

// answers keeps what a snapshot found for the latest queries: many buyers ask the same, and the work of a search grows
// with what matches. A nil one keeps nothing.
type answers struct {
	mu    sync.Mutex
	turn  uint64 // counts how often what was found became wrong
	found map[queryKey]catalog.Found
}

const (
	mostAnswers   = 200
	longestAnswer = 200 // bytes of a query's text
)

// queryKey is all that an answer depends on, besides the snapshot.
type queryKey struct {
	text, category, size, colors, prefer string
	capped                               bool
	priceMax                             money.Amount
	limit                                int
	embedded                             bool // the query has a vector
}

func keyOf(q catalog.Query, meaning []float32) queryKey {
	k := queryKey{
		text: q.Text, category: q.Filter.Category, size: q.Filter.Size, colors: strings.Join(q.Filter.Colors, "\x00"),
		prefer: strings.Join(q.Prefer, "\x00"), limit: q.Limit, embedded: meaning != nil,
	}
	if q.Filter.PriceMax != nil {
		k.capped, k.priceMax = true, *q.Filter.PriceMax
	}
	return k
}

// get returns what was found, and the turn that keep needs if nothing was.
func (a *answers) get(q queryKey) (found catalog.Found, known bool, turn uint64) {
	if a == nil {
		return found, false, 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	found, known = a.found[q]
	found.Hits = slices.Clone(found.Hits) // a reader may write its own reasons there
	return found, known, a.turn
}

// keep keeps what a search found that began at a turn, unless it became wrong since.
func (a *answers) keep(q queryKey, found catalog.Found, turn uint64) {
	if a == nil || len(q.text) > longestAnswer {
		return
	}
	found.Hits = slices.Clone(found.Hits)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case turn != a.turn:
		return
	case a.found == nil || len(a.found) == mostAnswers:
		a.found = make(map[queryKey]catalog.Found)
	}
	a.found[q] = found
}

// forget is called after a column of the snapshot has changed on which answers depend.
func (a *answers) forget() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn++
	a.found = nil
}
