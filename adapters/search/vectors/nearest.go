package vectors

import (
	"cmp"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/firsts"
)

// Neighbor is a document and its similarity to a query.
type Neighbor struct {
	Document uint32
	Cosine   float32
}

// nearer sorts the most similar first, and equally similar ones by document.
func nearer(a, b Neighbor) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Document, b.Document))
}

// Nearest appends the at most k most similar documents that pass, most similar first. pass may be nil. A set that is not sealed is
// scanned. Of a sealed one, lists are read until enough documents have passed: at least nine in ten of the nearest are found, and
// all if few pass.
func (s *Set) Nearest(q *Query, k int, pass func(uint32) bool, to []Neighbor) []Neighbor {
	s.mustMatch(q.dims)
	if k <= 0 || q.step == 0 {
		return to
	}
	from := len(to)
	to = slices.Grow(to, min(k, s.present))
	r := reader{
		set:   s,
		query: q,
		pass:  pass,
		k:     k,
		best:  to[from:],
	}
	if s.lists == nil {
		r.readAll()
	} else {
		r.readLists(s.lists)
	}
	return to[:from+len(r.best)]
}

// reader keeps the nearest of what it has read.
type reader struct {
	set    *Set
	query  *Query
	pass   func(uint32) bool
	k      int
	best   []Neighbor // the most similar first
	passed int
}

func (r *reader) readAll() {
	for i := range r.set.steps {
		r.read(uint32(i))
	}
}

func (r *reader) readLists(l *lists) {
	enough := max(r.k*reach, r.set.present/fraction)
	for _, list := range l.centers.Nearest(r.query, l.centers.Len(), nil, nil) {
		for _, i := range l.of(list.Document) {
			r.read(i)
		}
		if r.passed >= enough {
			return
		}
	}
}

func (r *reader) read(i uint32) {
	if r.set.steps[i] == 0 || r.pass != nil && !r.pass(i) {
		return
	}
	r.passed++
	n := Neighbor{i, r.set.cosine(i, r.query)}
	if len(r.best) < r.k || n.Cosine >= r.best[r.k-1].Cosine { // most are not, and this check avoids a call
		r.best = firsts.Keep(r.best, n, r.k, nearer)
	}
}
