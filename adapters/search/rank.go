package search

import (
	"cmp"
	"slices"
	"sync"

	"github.com/haggle-commerce/haggle/adapters/search/firsts"
	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/vectors"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// browsing is the score of every product if the query has no words.
const browsing = .5

// liked is the factor for a colour that the buyer prefers. It only decides between almost equal scores.
const liked = 1.05

// Number of candidates that are ranked by more than their words.
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

// scratch is the memory of one search, which the next one reuses.
type scratch struct {
	tallies []tally  // by document, all zero between uses
	group   []tally  // by document, all zero between uses: of the current group
	touched []uint32 // documents with a tally
	member  []uint32 // documents that have the group
	both    []segment.Posting
	found   []candidate
	top     float32 // the best score by words among them
	peak    float32 // the best score among them
	heap    []heapEntry
	near    []vectors.Neighbor
	vector  []float32
	marked  []bitset // by part: documents that were found
	counts  counts
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// grown returns a slice of n elements, reusing s if it is large enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}

// repriced is how often a search is repeated because prices changed during it.
const repriced = 3

// search answers a query. meaning is the query's embedding, nil if there is none.
func (s *snapshot) search(q catalog.Query, meaning []float32) catalog.Found {
	if q.After != nil {
		return s.searchStable(q, meaning)
	}
	key := keyOf(q, meaning)
	found, known, turn := s.answers.get(key)
	if known {
		return found
	}
	found = s.searchStable(q, meaning)
	s.answers.keep(key, found, turn)
	return found
}

// searchStable repeats the search until no price changes during it, at most repriced times.
func (s *snapshot) searchStable(q catalog.Query, meaning []float32) catalog.Found {
	for range repriced {
		if found, whole := s.searchOnce(q, meaning); whole {
			return found
		}
	}
	found, _ := s.searchOnce(q, meaning)
	return found
}

// searchOnce searches once. whole is false if a product was left out because its price left the filter's range after it had passed.
func (s *snapshot) searchOnce(q catalog.Query, meaning []float32) (found catalog.Found, whole bool) {
	sc := scratches.Get().(*scratch) // returned only at the normal end, because a panic leaves it dirty
	asked := s.read(q.Text)
	pass := s.compile(q.Filter)
	sc.gather(s, asked, &pass)
	r := ranking{
		snapshot: s,
		scratch:  sc,
		question: asked,
		pass:     &pass,
		prefer:   s.colorsAmong(q.Prefer),
		walk:     walkOf(q),
	}
	best, left := r.best(meaning)
	more := len(best) > r.walk.limit
	best = best[:min(len(best), r.walk.limit)]
	found = catalog.Found{Total: len(sc.found), Facets: sc.counts.facets(s)}
	var shown []ranked
	found.Hits, shown = r.hits(best)
	found.Total -= len(best) - len(found.Hits)
	found.Confidence = r.confidence(found.Hits)
	if more {
		found.Next = r.next(shown, left)
	}
	if found.Total == 0 && q.After == nil {
		found.Nothing = r.nothing(q)
	}
	scratches.Put(sc)
	return found, len(found.Hits) == len(best)
}

// best returns the results of this answer, and one more if there is one. left is how many others of the same block remain.
func (r *ranking) best(meaning []float32) (best []ranked, left int) {
	switch {
	case r.question.asked:
		return r.understood(meaning)
	case r.walk.byValue():
		return r.sorted(r.walk.limit + 1), 0
	}
	r.preferred(r.found)
	return r.firsts(r.found, topOf(r.found), r.walk.limit+1), 0
}

// hits converts the best candidates to hits, without those whose price has left the filter's range, and returns which of them
// are shown.
func (r *ranking) hits(best []ranked) ([]catalog.Hit, []ranked) {
	hits, shown := make([]catalog.Hit, 0, len(best)), make([]ranked, 0, len(best))
	for _, b := range best {
		product := b.segment.Product(b.number)
		if r.pass.priced() && !r.pass.affordable(product) {
			continue
		}
		hits = append(hits, catalog.Hit{
			Product: product,
			Score:   r.calibrated(b.score),
			Reasons: r.reasons(b),
			InStock: !b.soldOut,
			Shown:   r.pass.shown(b.segment, b.number, product),
		})
		shown = append(shown, b)
	}
	return hits, shown
}

// confidence returns the score of the best result of the walk.
func (r *ranking) confidence(hits []catalog.Hit) (best int) {
	for _, hit := range hits {
		best = max(best, hit.Score)
	}
	if r.question.asked && len(hits) > 0 && (r.walk.after != nil || r.walk.byValue()) {
		best = max(best, thousandths(r.surety))
	}
	return best
}

// gather finds the documents of all parts that match a question, and counts them.
func (sc *scratch) gather(s *snapshot, q question, pass *filter) {
	sc.found, sc.top, sc.peak = sc.found[:0], 0, 0
	sc.counts.reset(s)
	for i := range s.parts {
		sc.match(s, i, q, pass)
	}
}

// match gathers the documents of a part that are relevant to the query and pass the filter.
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
		score, coverage, named := float32(browsing), float32(0), false
		if q.asked {
			score, coverage = sc.take(document, q)
			named = q.codes > 0 && q.names(at, document)
			if coverage < q.least && !named {
				continue
			}
		}
		verdict := wholly
		if pass.asks || p.dead != nil {
			if verdict = pass.judge(p, document); verdict == 0 {
				continue
			}
		}
		if verdict == wholly && !pass.variants {
			sc.counts.addWhole(p.Segment, document)
		} else {
			sc.counts.add(s, p, document, verdict, pass)
		}
		if verdict&passed != 0 {
			sc.top = max(sc.top, score)
			if named {
				score += namedByWords
			}
			sc.peak = max(sc.peak, score)
			sc.found = append(sc.found, candidate{score, coverage, int32(at), document})
		}
	}
}

// ranked is a candidate with its sort keys.
type ranked struct {
	tier     int
	soldOut  bool
	score    float32
	coverage float32
	near     float32 // similarity to the query, for a document with none of its words; else 0
	part     int32
	number   uint32
	segment  *segment.Segment
	value    int64 // in an order by value
}

// compare sorts available products before unavailable ones, but only among results with similar scores.
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

// firsts returns the first candidates in order, without those that the walk has shown. top is the best score.
func (r *ranking) firsts(found []candidate, top float32, limit int) []ranked {
	first := make([]ranked, 0, min(limit, len(found))+1)
	for _, c := range found {
		one := r.ranked(c, top)
		if len(first) == limit && first[limit-1].tier < one.tier {
			continue
		}
		one.soldOut = r.parts[c.part].InStock(c.document) < 0
		if len(first) == limit && first[limit-1].compare(one) <= 0 || r.shown(c) {
			continue
		}
		first = firsts.Keep(first, one, limit, ranked.compare)
	}
	return first
}

// shown reports whether the walk has shown a candidate.
func (r *ranking) shown(c candidate) bool {
	return r.walk.after != nil && r.walk.after.Has(r.parts[c.part].Product(c.document).ID)
}

func topOf(found []candidate) (top float32) {
	for _, c := range found {
		top = max(top, c.score)
	}
	return top
}

func (s *snapshot) ranked(c candidate, top float32) ranked {
	return ranked{
		tier:     tierOf(c.score, top),
		score:    c.score,
		coverage: c.coverage,
		part:     c.part,
		number:   c.document,
		segment:  s.parts[c.part].Segment,
	}
}

// heapEntry is a candidate in the heap of shortlist: its rank as one number, the lower the better, and its index in found.
type heapEntry struct {
	place float32
	at    int32
}

// shortlist returns the first candidates by words, in the order of firsts, except that the order of almost equal scores is
// arbitrary. It is for long lists, because it checks availability only of candidates that may be among the first. If fresh, it
// omits those that the walk has shown.
func (r *ranking) shortlist(limit int, fresh bool) []ranked {
	heap, top := r.heap[:0], r.peak
	least := float32(0) // lower scores cannot be among the first
	for i, c := range r.found {
		if c.score < least {
			continue
		}
		place := float32(2*tierOf(c.score, top)) - min(c.score, .999)
		if r.parts[c.part].InStock(c.document) < 0 {
			place++
		}
		if len(heap) == limit && place >= heap[0].place || fresh && r.shown(c) {
			continue
		}
		if heap = push(heap, heapEntry{place, int32(i)}, limit); len(heap) == limit {
			least = top / float32(int(2)<<max(0, int(heap[0].place+.999)/2))
		}
	}
	slices.SortFunc(heap, func(a, b heapEntry) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.at, b.at)) })
	first := make([]ranked, len(heap))
	for i, h := range heap {
		first[i] = r.ranked(r.found[h.at], top)
	}
	r.heap = heap
	return first
}

// push adds to a heap whose root is the worst entry, or replaces the root if the heap is full.
func push(heap []heapEntry, s heapEntry, limit int) []heapEntry {
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

// tierOf returns 0 for scores from half of the top score, 1 from a quarter, and so on.
func tierOf(score, top float32) int {
	tier := 0
	for score*2 < top && tier < 8 {
		score *= 2
		tier++
	}
	return tier
}
