package search

import (
	"slices"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/words"
	"github.com/haggle-commerce/haggle/ports"
)

// leastSpelled is the minimum number of words of a new segment that spelling correction knows, however many the others have.
const leastSpelled = 1000

func (s *snapshot) allowance() segment.Allowance {
	terms, spelled := s.limits.Terms, s.limits.Spelled
	for i := range s.parts {
		terms -= s.parts[i].Words.Terms.Len() - s.parts[i].Words.Terms.Codes()
		spelled -= s.parts[i].Spoken.Words.Len()
	}
	return segment.Allowance{
		Most:    s.limits.Most - s.liveBytes(),
		Bytes:   s.limits.Bytes - s.bytes(),
		Terms:   max(0, terms),
		Others:  min(s.limits.Terms, max(0, s.limits.Terms+terms)),
		Spelled: max(leastSpelled, spelled),
		Known:   s.has,
	}
}

// has reports whether the catalogue has a word.
func (s *snapshot) has(word string) bool {
	if len(s.parts) == 0 {
		return false
	}
	term := words.Term(word)
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.Words.Terms.Find(term) >= 0 })
}

// leftOut returns what any part leaves out.
func (s *snapshot) leftOut() (left ports.LeftOut) {
	left.Products = s.short
	for i := range s.parts {
		left = left.Or(s.parts[i].LeftOut)
	}
	return left
}
