package wordnet

import (
	"slices"
	"strings"
)

const (
	mostRelated  = 128
	mostNarrower = 40 // per sense
	mostSiblings = 16 // per sense
)

// trust is the weight of each kind of relation, by Kind.
var trust = [...]uint32{
	Synonym:  100,
	Broader:  30,
	Narrower: 40,
	Sibling:  15,
}

// gathering collects the related lemmas of one lemma. It fits on the stack.
type gathering struct {
	net   *net
	asked string
	found [mostRelated]candidate
	count int
	slots [512]uint8 // hashed lemma → place in found + 1
}

type candidate struct {
	lemma       uint32
	weight      uint32
	kind        Kind
	sense       uint8
	share, back uint8 // of 255
}

func (g *gathering) full() bool { return g.count == mostRelated }

// lemma collects the related lemmas of a lemma, from the likeliest sense on, until it is full.
func (g *gathering) lemma(number uint32) {
	first := g.net.senses.starts[number]
	for rank, synset := range g.net.senses.of(number) {
		if g.full() {
			return
		}
		g.sense(uint8(rank), synset, g.net.shares[int(first)+rank])
	}
}

// sense collects the related lemmas of one sense.
func (g *gathering) sense(rank uint8, synset uint32, share uint8) {
	from := candidate{sense: rank, share: share}
	g.members(synset, from, mostRelated)
	if synset >= g.net.nouns {
		return
	}
	from.kind = Narrower
	left := mostNarrower
	for _, child := range g.net.children.of(synset) {
		left -= g.members(child, from, left)
	}
	left = mostSiblings
	for _, parent := range g.net.parents.of(synset) {
		if g.net.flags[parent]&tooBroad == 0 {
			from.kind = Broader
			g.members(parent, from, mostRelated)
		}
		if g.net.flags[parent]&isClose != 0 {
			from.kind = Sibling
			for _, sibling := range g.net.children.of(parent) {
				left -= g.members(sibling, from, left)
			}
		}
	}
}

// members adds at most so many lemmas of a synset, and returns how many were added.
func (g *gathering) members(synset uint32, from candidate, most int) int {
	added := 0
	for at := g.net.members.starts[synset]; at < g.net.members.starts[synset+1] && added < most; at++ {
		from.lemma, from.back = g.net.members.items[at], g.net.backs[at]
		from.weight = uint32(from.share) * trust[from.kind] * (64 + uint32(from.back))
		if !g.needless(from) && g.add(from) {
			added++
		}
	}
	return added
}

// needless reports whether a candidate is the lemma itself, or a kind of it that a search for the lemma finds anyway: "hand drill"
// for "drill".
func (g *gathering) needless(c candidate) bool {
	lemma := g.net.lemmas.at(c.lemma)
	if c.kind == Synonym || c.kind == Broader || len(lemma) <= len(g.asked) {
		return lemma == g.asked
	}
	before, found := strings.CutSuffix(lemma, g.asked)
	if found && before[len(before)-1] == ' ' {
		return true
	}
	after, found := strings.CutPrefix(lemma, g.asked)
	return found && after[0] == ' '
}

// add keeps the heavier of two candidates for one lemma, and reports whether that is c.
func (g *gathering) add(c candidate) bool {
	slot := c.lemma * 2654435769 >> 23
	for ; g.slots[slot] != 0; slot = (slot + 1) % uint32(len(g.slots)) {
		known := &g.found[g.slots[slot]-1]
		if known.lemma == c.lemma {
			if c.weight > known.weight {
				*known = c
				return true
			}
			return false
		}
	}
	if g.full() {
		return false
	}
	g.found[g.count] = c
	g.count++
	g.slots[slot] = uint8(g.count)
	return true
}

// sorted returns all candidates, the heaviest first; equal weights stay in the order in which they were found.
func (g *gathering) sorted() []Related {
	var space [mostRelated]uint64
	keys := space[:g.count]
	for i := range keys {
		keys[i] = uint64(^g.found[i].weight)<<32 | uint64(i)
	}
	slices.Sort(keys)
	related := make([]Related, len(keys))
	for i, key := range keys {
		c := &g.found[uint32(key)]
		related[i] = Related{g.net.lemmas.at(c.lemma), c.kind, int(c.sense), float32(c.share) / 255, float32(c.back) / 255}
	}
	return related
}
