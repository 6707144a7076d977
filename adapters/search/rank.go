package search

import (
	"cmp"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

// browsing is the score of every product when nothing was asked for.
const browsing = .5

// liked is the factor for a colour that the buyer prefers: it decides among near equals only.
const liked = 1.05

// candidate is a document that matches.
type candidate struct {
	score    float32
	part     int32
	document uint32
}

// scratch is the memory that one search needs and the next one can use again.
type scratch struct {
	tallies []tally  // by document, all zero between uses
	touched []uint32 // documents with a tally
	found   []candidate
	counts  counts
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// grown is a slice of n elements, those of s if it has enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}

func (s *snapshot) search(q catalog.Query) catalog.Found {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	sc.found = sc.found[:0]
	sc.counts.reset(s)
	asked := s.read(q.Text)
	pass := s.compile(q.Filter)
	prefer := s.colorsAmong(q.Prefer)
	for i := range s.parts {
		sc.match(s, i, asked, &pass, prefer)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = catalog.DefaultLimit
	}
	top := sc.top()
	found := catalog.Found{Total: len(sc.found), Facets: sc.counts.facets(s, pass, len(sc.found))}
	if found.Total > 0 {
		found.Confidence = thousandths(top)
	}
	for _, r := range s.best(sc.found, top, limit) {
		found.Hits = append(found.Hits, catalog.Hit{
			Product: r.document.product, Score: thousandths(r.score),
			Reasons: asked.reasons(int(r.part), r.number, r.document),
		})
	}
	return found
}

// match gathers the documents of a part that have a word of the query and pass the filter.
func (sc *scratch) match(s *snapshot, at int, q question, pass *filter, prefer []bool) {
	p, likes := &s.parts[at], slices.Contains(prefer, true)
	sc.touched = sc.touched[:0]
	if q.asked {
		sc.tallyUp(s, at, q)
	} else {
		for document := range p.documents {
			sc.touched = append(sc.touched, uint32(document))
		}
	}
	for _, document := range sc.touched {
		score := float32(browsing)
		if q.asked {
			score = sc.take(document, q)
		}
		if !pass.passes(p, document) {
			continue
		}
		d := &p.documents[document]
		if likes && p.anyColor(d, prefer) {
			score *= liked
		}
		sc.found = append(sc.found, candidate{score, int32(at), document})
		sc.counts.add(p.segment, d)
	}
}

func (sc *scratch) top() (top float32) {
	for _, c := range sc.found {
		top = max(top, c.score)
	}
	return top
}

// thousandths maps a score to 1…999, monotone.
func thousandths(score float32) int { return min(999, 1+int(score*998)) }

// ranked is a candidate with all that decides its place.
type ranked struct {
	tier     int
	soldOut  bool
	score    float32
	part     int32
	number   uint32
	document *document
}

// compare puts what can be bought before what can't, but only among results of a similar score.
func (r ranked) compare(other ranked) int {
	switch {
	case r.tier != other.tier:
		return r.tier - other.tier
	case r.soldOut != other.soldOut:
		if r.soldOut {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(other.score, r.score), better(r.document, other.document))
}

// best are the first candidates in order.
func (s *snapshot) best(found []candidate, top float32, limit int) []ranked {
	first := make([]ranked, 0, min(limit, len(found))+1)
	for _, c := range found {
		p := &s.parts[c.part]
		r := ranked{tier: tierOf(c.score, top), score: c.score, part: c.part, number: c.document, document: &p.documents[c.document]}
		full := len(first) == limit
		if full && first[limit-1].tier < r.tier {
			continue
		}
		r.soldOut = p.inStock(r.document) < 0
		if full && first[limit-1].compare(r) <= 0 {
			continue
		}
		if full {
			first = first[:limit-1]
		}
		i, _ := slices.BinarySearchFunc(first, r, ranked.compare)
		first = slices.Insert(first, i, r)
	}
	return first
}

// tierOf is 0 from half of the top score, 1 from a quarter, and so on.
func tierOf(score, top float32) int {
	tier := 0
	for score*2 < top && tier < 8 {
		score *= 2
		tier++
	}
	return tier
}
