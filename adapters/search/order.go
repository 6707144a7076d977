package search

import (
	"cmp"
	"math"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/firsts"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// valued is a candidate with its sort key: the lowest value first, equal ones by id.
type valued struct {
	value   int64
	product id.Product
	at      int32 // index in found
}

func (v valued) compare(other valued) int {
	return cmp.Or(cmp.Compare(v.value, other.value), strings.Compare(v.product.String(), other.product.String()))
}

// valueIn returns a function that computes the sort key of an order. By relevance, all are equal.
func (s *snapshot) valueIn(order catalog.Sort) func(candidate) int64 {
	switch order {
	case catalog.PriceAsc:
		return s.price
	case catalog.PriceDesc:
		return func(c candidate) int64 { return -s.price(c) }
	case catalog.Newest:
		return func(c candidate) int64 { return -s.parts[c.part].Product(c.document).CreatedAt.UnixNano() }
	case catalog.Rating:
		return func(c candidate) int64 {
			r := s.parts[c.part].Product(c.document).Reviews
			return -(int64(r.Average)<<32 + int64(r.Count))
		}
	case catalog.BestSelling:
		return func(c candidate) int64 { return -int64(s.soldOf(s.parts[c.part].Product(c.document).ID).pieces) }
	}
	return func(candidate) int64 { return 0 }
}

// price returns the price of a candidate's first variant, as results show it.
func (s *snapshot) price(c candidate) int64 {
	p := &s.parts[c.part]
	return p.Prices[p.Documents[c.document].Variants.From].Load()
}

// sorted returns the first candidates by value that the walk has not shown.
func (r *ranking) sorted(limit int) []ranked {
	value := r.valueIn(r.walk.order)
	behind := valued{value: math.MinInt64}
	if r.walk.behind() {
		behind = valued{value: r.walk.after.Value, product: r.walk.after.Last}
	}
	first := make([]valued, 0, min(limit, len(r.found))+1)
	for i, c := range r.found {
		v := valued{value: value(c), at: int32(i)}
		if v.value < behind.value || len(first) == limit && first[limit-1].value < v.value {
			continue
		}
		v.product = r.parts[c.part].Product(c.document).ID
		if behind.compare(v) < 0 && !r.walk.after.Has(v.product) {
			first = firsts.Keep(first, v, limit, valued.compare)
		}
	}
	best := make([]ranked, len(first))
	for i, v := range first {
		c := r.found[v.at]
		best[i] = r.ranked(c, r.peak)
		best[i].value = v.value
		best[i].soldOut = r.parts[c.part].InStock(c.document) < 0
	}
	return best
}
