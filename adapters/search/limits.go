package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/ports"
)

// limits bound the memory of one project's index. Beyond them the index leaves out what searches miss least: first the
// recognition of misspelt rare words, then new words of descriptions, then new words of other fields, last products.
type limits struct {
	most    int64 // bytes of the whole index
	bytes   int64 // of the whole index, from which on it takes no more descriptions
	terms   int   // different words of descriptions; other fields may bring as many again
	spelled int   // words that are recognised when they are misspelt
}

// limitsOf shares out the bytes that a project may have; none are no limit.
func limitsOf(bytes int64) limits {
	if bytes == 0 {
		return limits{most: math.MaxInt64, bytes: math.MaxInt64, terms: math.MaxInt / 2, spelled: math.MaxInt}
	}
	return limits{
		most:    bytes,
		bytes:   bytes / 5 * 4,
		terms:   int(bytes / 4 / bytesOfTerm),
		spelled: int(bytes / 16 / bytesOfSpelling),
	}
}

// Estimates of what building takes for an entry, the maps and lists of the builder included.
const (
	bytesOfEntry = 24  // a word in a document
	bytesOfTerm  = 250 // a different word
)

// allowance is what a new segment may take.
type allowance struct {
	most          int64 // bytes of the segment
	bytes         int64 // that building may take before it reads no more descriptions
	terms, others int   // new words of descriptions, and how many more of other fields
	spelled       int
	known         func(word string) bool // reports whether the catalogue has the word elsewhere
}

// leastSpelled is how many words of a new segment are recognised when they are misspelt, whatever the others have.
const leastSpelled = 1000

func (s *snapshot) allowance() allowance {
	terms, spelled := s.limits.terms, s.limits.spelled
	for i := range s.parts {
		terms -= s.parts[i].words.terms.len()
		spelled -= s.parts[i].spoken.words.len()
	}
	return allowance{
		most:    s.limits.most - s.liveBytes(),
		bytes:   s.limits.bytes - s.bytes(),
		terms:   max(0, terms),
		others:  min(s.limits.terms, max(0, s.limits.terms+terms)),
		spelled: max(leastSpelled, spelled),
		known:   s.has,
	}
}

// has reports whether the catalogue has a word.
func (s *snapshot) has(word string) bool {
	if len(s.parts) == 0 {
		return false
	}
	term := words.Term(word)
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.words.terms.find(term) >= 0 })
}

// leftOut is what any part leaves out.
func (s *snapshot) leftOut() (left ports.LeftOut) {
	left.Products = s.short
	for i := range s.parts {
		left = left.Or(s.parts[i].leftOut)
	}
	return left
}

// limitSpelling keeps the words that most documents have, of those in as many the ones that are not only in
// descriptions.
func (s *segment) limitSpelling(most int) {
	v := s.spoken
	if v.words.len() <= most {
		return
	}
	s.leftOut.Spelling = true
	weight := make([]int, s.words.terms.len()) // by term
	for term := range weight {
		postings := s.words.of(term)
		weight[term] = 2 * len(postings)
		if slices.ContainsFunc(postings, func(p posting) bool { return p.times.lowest() != description }) {
			weight[term]++
		}
	}
	kept := make([]int, v.words.len())
	for i := range kept {
		kept[i] = i
	}
	slices.SortFunc(kept, func(a, b int) int {
		return cmp.Or(cmp.Compare(weight[v.terms[b]], weight[v.terms[a]]), cmp.Compare(a, b))
	})
	kept = kept[:most]
	slices.Sort(kept)
	list, terms := make([]string, most), make([]uint32, most)
	for i, at := range kept {
		list[i], terms[i] = v.words.at(at), v.terms[at]
	}
	s.spoken = vocabulary{dictionaryOf(list), terms}
}
