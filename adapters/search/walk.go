package search

import (
	"math"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// walk is the continuation of an earlier search: the next page.
type walk struct {
	order catalog.Sort
	after *catalog.Place // nil: the first page
	limit int
}

func walkOf(q catalog.Query) walk {
	w := walk{q.Sort, q.After, q.Limit}
	if w.limit <= 0 {
		w.limit = catalog.DefaultLimit
	}
	return w
}

// behind reports whether the walk continues by value and id only.
func (w *walk) behind() bool { return w.after != nil && w.after.Behind }

// byValue reports whether the results are sorted by a value instead of the score.
func (w *walk) byValue() bool { return w.order != catalog.Relevance || w.behind() }

// next returns the place after the best, of which those with a product were shown. left is how many candidates of the same
// block remain.
func (r *ranking) next(best []ranked, left int) *catalog.Place {
	next := &catalog.Place{
		Left:   left,
		Best:   math.Float32bits(r.highest),
		Surety: math.Float32bits(r.surety),
	}
	if r.walk.after != nil {
		next.Best, next.Surety = r.walk.after.Best, r.walk.after.Surety
	}
	if len(best) == 0 { // all prices left the range during ranking
		return r.walk.after
	}
	last := best[len(best)-1]
	next.Value, next.Last = last.value, last.segment.Product(last.number).ID
	if next.Behind = r.walk.behind() || r.walk.order == catalog.Newest; next.Behind {
		if r.walk.after != nil {
			next.Shown = r.walk.after.Shown
		}
		return next
	}
	shown := make([]id.Product, len(best))
	for i, b := range best {
		shown[i] = b.segment.Product(b.number).ID
	}
	next.Shown = r.walk.after.With(shown)
	if next.Behind = len(next.Shown) >= catalog.MostShown; next.Behind && r.walk.order == catalog.Relevance {
		next.Value, next.Last = math.MinInt64, id.Product{}
	}
	return next
}
