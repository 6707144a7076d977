package search

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/adapters/search/firsts"
	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// browsing is the score of every product when nothing was asked for.
const browsing = .5

// liked is the factor for a colour that the buyer prefers: it decides among near equals only.
const liked = 1.05

// Candidates that are ranked with more than their words.
const (
	lexicalCandidates = 200
	vectorCandidates  = 100
)

// candidate is a document that matches.
type candidate struct {
	score    float32
	coverage float32
	part     int32
	document uint32
}

// scratch is the memory that one search needs and the next one can use again.
type scratch struct {
	tallies []tally  // by document, all zero between uses
	group   []tally  // by document, all zero between uses: of the group that is being read
	touched []uint32 // documents with a tally
	member  []uint32 // documents that have the group
	both    []segment.Posting
	found   []candidate
	top     float32 // the best score among them
	heap    []standing
	near    []vectors.Neighbor
	vector  []float32
	marked  []bitset // by part: documents that were found
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

// repriced is how often a search is begun anew because prices moved under it.
const repriced = 3

// search answers a query. meaning is the query's embedding, nil if there is none.
func (s *snapshot) search(q catalog.Query, meaning []float32) catalog.Found {
	key := keyOf(q, meaning)
	found, known, turn := s.answers.get(key)
	if known {
		return found
	}
	for range repriced {
		if found, whole := s.look(q, meaning); whole {
			s.answers.keep(key, found, turn)
			return found
		}
	}
	found, _ = s.look(q, meaning)
	return found
}

// look searches once. The answer is not whole if a product was left out for its price: it rose above the limit
// after it had passed.
func (s *snapshot) look(q catalog.Query, meaning []float32) (found catalog.Found, whole bool) {
	sc := scratches.Get().(*scratch) // put back at the normal end only: a panic would leave it half used
	sc.found, sc.top = sc.found[:0], 0
	sc.counts.reset(s)
	asked := s.read(q.Text)
	pass := s.compile(q.Filter)
	for i := range s.parts {
		sc.match(s, i, asked, &pass)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = catalog.DefaultLimit
	}
	r := ranking{snapshot: s, scratch: sc, question: asked, pass: &pass, prefer: s.colorsAmong(q.Prefer)}
	var best []ranked
	if asked.asked {
		best = r.understood(meaning, limit)
	} else {
		r.preferred(sc.found)
		best = s.best(sc.found, limit)
	}
	found = catalog.Found{Total: len(sc.found), Facets: sc.counts.facets(s, pass, len(sc.found))}
	found.Hits = r.hits(best)
	found.Total -= len(best) - len(found.Hits)
	for _, hit := range found.Hits {
		found.Confidence = max(found.Confidence, hit.Score)
	}
	scratches.Put(sc)
	return found, len(found.Hits) == len(best)
}

// hits are the best as they are shown, but those whose price has risen above the limit.
func (r *ranking) hits(best []ranked) []catalog.Hit {
	hits := make([]catalog.Hit, 0, len(best))
	for _, b := range best {
		product := b.segment.Product(b.number)
		if r.pass.priceMax < math.MaxInt64 && !affordable(product, r.pass.priceMax) {
			continue
		}
		hits = append(hits, catalog.Hit{Product: product, Score: r.calibrated(b.score), Reasons: r.reasons(b), InStock: !b.soldOut})
	}
	return hits
}

func affordable(p *catalog.Product, most int64) bool {
	return slices.ContainsFunc(p.Variants, func(v catalog.Variant) bool { return p.PriceOf(v).Minor() <= most })
}

// match gathers the documents of a part that have a word of the query and pass the filter.
func (sc *scratch) match(s *snapshot, at int, q question, pass *filter) {
	p := &s.parts[at]
	sc.touched = sc.touched[:0]
	if q.asked {
		sc.tallyUp(s, at, q)
	} else {
		for document := range p.Documents {
			sc.touched = append(sc.touched, uint32(document))
		}
	}
	for _, document := range sc.touched {
		score, coverage := float32(browsing), float32(0)
		if q.asked {
			score, coverage = sc.take(document, q)
		}
		if pass.passes(p, document) {
			sc.top = max(sc.top, score)
			sc.found = append(sc.found, candidate{score, coverage, int32(at), document})
			sc.counts.add(p.Segment, document)
		}
	}
}

// ranked is a candidate with all that decides its place.
type ranked struct {
	tier     int
	soldOut  bool
	score    float32
	coverage float32
	near     float32 // how close in meaning it is to the query, for one that has none of its words; else 0
	part     int32
	number   uint32
	segment  *segment.Segment
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
	return cmp.Or(cmp.Compare(other.score, r.score), segment.Better(r.segment, r.number, other.segment, other.number))
}

// best are the first candidates in order.
func (s *snapshot) best(found []candidate, limit int) []ranked {
	top := topOf(found)
	first := make([]ranked, 0, min(limit, len(found))+1)
	for _, c := range found {
		r := s.ranked(c, top)
		if len(first) == limit && first[limit-1].tier < r.tier {
			continue
		}
		r.soldOut = s.parts[c.part].InStock(c.document) < 0
		first = firsts.Keep(first, r, limit, ranked.compare)
	}
	return first
}

func topOf(found []candidate) (top float32) {
	for _, c := range found {
		top = max(top, c.score)
	}
	return top
}

func (s *snapshot) ranked(c candidate, top float32) ranked {
	return ranked{
		tier: tierOf(c.score, top), score: c.score, coverage: c.coverage, part: c.part, number: c.document, segment: s.parts[c.part].Segment,
	}
}

// standing is a candidate's place in one number, the lower the better, and its place among those found.
type standing struct {
	place float32
	at    int32
}

// shortlist are the first candidates in order, as best has them, of which top is the best score; where scores are all
// but equal, chance may decide. It is for long lists: only what may be among the first is asked whether it can be
// bought.
func (s *snapshot) shortlist(found []candidate, top float32, limit int, heap []standing) ([]ranked, []standing) {
	heap = heap[:0]
	least := float32(0) // what scores less comes too late
	for i, c := range found {
		if c.score < least {
			continue
		}
		place := float32(2*tierOf(c.score, top)) - min(c.score, .999)
		if s.parts[c.part].InStock(c.document) < 0 {
			place++
		}
		if len(heap) == limit && place >= heap[0].place {
			continue
		}
		if heap = push(heap, standing{place, int32(i)}, limit); len(heap) == limit {
			least = top / float32(int(2)<<max(0, int(heap[0].place+.999)/2))
		}
	}
	slices.SortFunc(heap, func(a, b standing) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.at, b.at)) })
	first := make([]ranked, len(heap))
	for i, h := range heap {
		first[i] = s.ranked(found[h.at], top)
	}
	return first, heap
}

// push adds to a heap of which the worst is the root, or replaces that when the heap is full.
func push(heap []standing, s standing, limit int) []standing {
	if len(heap) < limit {
		heap = append(heap, s)
		for i := len(heap) - 1; i > 0 && heap[(i-1)/2].place < heap[i].place; i = (i - 1) / 2 {
			heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
		}
		return heap
	}
	heap[0] = s
	for i := 0; ; {
		worst := i
		for below := 2*i + 1; below <= 2*i+2 && below < len(heap); below++ {
			if heap[below].place > heap[worst].place {
				worst = below
			}
		}
		if worst == i {
			return heap
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
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
