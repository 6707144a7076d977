package segment

import (
	"cmp"
	"math"
	"slices"
)

// Limits bound the memory of one project's index. Beyond them the index leaves out what matters least to searches: first
// spelling correction of rare words, then new words of descriptions, then new words of other fields, and finally products.
type Limits struct {
	Most    int64 // bytes of the whole index
	Bytes   int64 // of the whole index, from which on descriptions are left out
	Terms   int   // distinct words of descriptions; other fields may add as many again
	Spelled int   // words that spelling correction considers
}

// LimitsOf divides the bytes that a project may use; 0 means no limit.
func LimitsOf(bytes int64) Limits {
	if bytes == 0 {
		return Limits{
			Most:    math.MaxInt64,
			Bytes:   math.MaxInt64,
			Terms:   math.MaxInt / 2,
			Spelled: math.MaxInt,
		}
	}
	return Limits{
		Most:    bytes,
		Bytes:   bytes / 5 * 4,
		Terms:   int(bytes / 4 / bytesOfTerm),
		Spelled: int(bytes / 16 / bytesOfSpelling),
	}
}

// Estimated memory per entry while building, including the builder's maps and lists.
const (
	bytesOfEntry = 24  // a word in a document
	bytesOfTerm  = 250 // a distinct word
)

// Allowance limits the memory of a new segment.
type Allowance struct {
	Most          int64 // bytes of the segment
	Bytes         int64 // used by building, from which on descriptions are left out
	Terms, Others int   // new words of descriptions, and how many more of other fields
	Spelled       int
	Known         func(word string) bool // reports whether the catalogue has the word elsewhere
}

// LimitSpelling keeps the most frequent words for spelling correction. Among equally frequent ones, it prefers those that are not
// only in descriptions.
func (s *Segment) LimitSpelling(most int) {
	v := s.Spoken
	if v.Words.Len() <= most {
		return
	}
	s.LeftOut.Spelling = true
	weight := make([]int, s.Words.Terms.Len()) // by term
	for term := range weight {
		postings := s.Words.Of(term)
		weight[term] = 2 * len(postings)
		if slices.ContainsFunc(postings, func(p Posting) bool { return p.Times.Lowest() != Description }) {
			weight[term]++
		}
	}
	kept := make([]int, v.Words.Len())
	for i := range kept {
		kept[i] = i
	}
	slices.SortFunc(kept, func(a, b int) int {
		return cmp.Or(cmp.Compare(weight[v.Terms[b]], weight[v.Terms[a]]), cmp.Compare(a, b))
	})
	kept = kept[:most]
	slices.Sort(kept)
	list, terms := make([]string, most), make([]uint32, most)
	for i, at := range kept {
		list[i], terms[i] = v.Words.At(at), v.Terms[at]
	}
	s.Spoken = Vocabulary{DictionaryOf(list), terms}
}
