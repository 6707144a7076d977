package search

import (
	"math"
	"slices"
)

// understood ranks by words, meaning and all other signals. Only the first candidates by words are ranked by all signals, block
// by block; a walk continues in the block where it stopped.
func (r *ranking) understood(meaning []float32) (best []ranked, left int) {
	if r.walk.after == nil {
		return r.begin(meaning)
	}
	r.highest, r.surety = math.Float32frombits(r.walk.after.Best), math.Float32frombits(r.walk.after.Surety)
	r.spacesOf(meaning, r.shortlist(lexicalCandidates, false))
	near := r.addNear()
	if r.walk.byValue() {
		return r.scored(r.sorted(r.walk.limit+1), near), 0
	}
	left = min(r.walk.after.Left, mostLeft)
	rest := r.shortlist(left+lexicalCandidates, true)
	block, following := rest[:min(left, len(rest))], rest[min(left, len(rest)):]
	near = slices.DeleteFunc(near, func(n ranked) bool { return r.shown(candidate{part: n.part, document: n.number}) })
	best = r.rank(append(block[:len(block):len(block)], near...), r.walk.limit+1)
	if len(best) > r.walk.limit {
		return best, left - worded(best[:r.walk.limit])
	}
	through := len(best)
	best = append(best, r.rank(following, r.walk.limit+1-through)...)
	return best, lexicalCandidates - (min(len(best), r.walk.limit) - through)
}

// begin ranks the first block.
func (r *ranking) begin(meaning []float32) (best []ranked, left int) {
	left = max(r.walk.limit+1, lexicalCandidates)
	first := r.shortlist(left, false)
	r.spacesOf(meaning, first)
	near := r.addNear()
	block := append(first, near...)
	best = r.rank(block, r.walk.limit+1)
	for _, c := range block {
		if c.score >= namedByWords {
			r.surety = .99
			continue
		}
		r.surety = max(r.surety, surety(c.score, c.coverage, r.likeness(c)))
	}
	if r.walk.byValue() {
		return r.scored(r.sorted(r.walk.limit+1), near), 0
	}
	return best, left - worded(best[:min(len(best), r.walk.limit)])
}

// mostLeft bounds the rest of a block that a walk has not shown yet.
const mostLeft = 1000

// worded counts the candidates that have a word of the query.
func worded(best []ranked) (n int) {
	for _, b := range best {
		if b.near == 0 {
			n++
		}
	}
	return n
}

// rank sorts a block by all signals.
func (r *ranking) rank(block []ranked, limit int) []ranked {
	finals := make([]candidate, len(block))
	near := make(map[[2]uint32]float32)
	for i, c := range block {
		if c.near > 0 {
			near[[2]uint32{uint32(c.part), c.number}] = c.near
		}
		finals[i] = candidate{r.final(c), c.coverage, c.part, c.number}
	}
	r.preferred(finals)
	for _, c := range finals {
		r.highest = max(r.highest, c.score)
	}
	best := r.firsts(finals, r.highest, limit)
	for i := range best {
		best[i].near = near[[2]uint32{uint32(best[i].part), best[i].number}]
	}
	return best
}

// scored sets the scores by all signals of candidates that are sorted by value.
func (r *ranking) scored(best, near []ranked) []ranked {
	for i := range best {
		b := &best[i]
		if at := slices.IndexFunc(near, func(n ranked) bool { return n.part == b.part && n.number == b.number }); at >= 0 {
			b.near = near[at].near
		}
		b.score = r.final(*b)
	}
	return best
}
