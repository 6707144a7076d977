package vectors

import (
	"cmp"
	"slices"
)

// Neighbor is a document, and how much it is like a query.
type Neighbor struct {
	Document uint32
	Cosine   float32
}

// nearer orders the most alike first. What is equally alike is in order of document.
func nearer(a, b Neighbor) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Document, b.Document))
}

// Nearest appends the up to k documents that pass, most alike first. pass may be nil. A set that is
// not sealed is read as a whole. Of a sealed one, lists are read until enough documents have passed:
// nine in ten of the nearest are found or more, and all if few pass.
func (s *Set) Nearest(q *Query, k int, pass func(uint32) bool, to []Neighbor) []Neighbor {
	s.mustMatch(q.dims)
	if k <= 0 || q.step == 0 {
		return to
	}
	from := len(to)
	to = slices.Grow(to, min(k, s.present))
	r := reader{set: s, query: q, pass: pass, k: k, heap: to[from:]}
	if s.lists == nil {
		r.readAll()
	} else {
		r.readLists(s.lists)
	}
	slices.SortFunc(r.heap, nearer)
	return to[:from+len(r.heap)]
}

// reader keeps the nearest of what it has read.
type reader struct {
	set    *Set
	query  *Query
	pass   func(uint32) bool
	k      int
	heap   []Neighbor // the least alike is the root
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
	switch {
	case len(r.heap) < r.k:
		r.heap = append(r.heap, n)
		r.raise(len(r.heap) - 1)
	case nearer(n, r.heap[0]) < 0:
		r.heap[0] = n
		r.sink()
	}
}

func (r *reader) raise(i int) {
	for i > 0 {
		above := (i - 1) / 2
		if nearer(r.heap[above], r.heap[i]) >= 0 {
			return
		}
		r.heap[above], r.heap[i] = r.heap[i], r.heap[above]
		i = above
	}
}

func (r *reader) sink() {
	for i := 0; ; {
		least := i
		for _, below := range []int{2*i + 1, 2*i + 2} {
			if below < len(r.heap) && nearer(r.heap[below], r.heap[least]) > 0 {
				least = below
			}
		}
		if least == i {
			return
		}
		r.heap[i], r.heap[least] = r.heap[least], r.heap[i]
		i = least
	}
}
