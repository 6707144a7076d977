package search

import (
	"slices"
	"sort"
	"strings"
)

// dictionary is a sorted list of terms in one piece of memory.
type dictionary struct {
	text string
	ends []uint32
}

// dictionaryOf takes terms in order, without doubles.
func dictionaryOf(terms []string) dictionary {
	ends := make([]uint32, len(terms))
	size := 0
	for i, term := range terms {
		size += len(term)
		ends[i] = uint32(size)
	}
	var text strings.Builder
	text.Grow(size)
	for _, term := range terms {
		text.WriteString(term)
	}
	return dictionary{text.String(), ends}
}

func (d dictionary) len() int { return len(d.ends) }

func (d dictionary) at(i int) string {
	from := uint32(0)
	if i > 0 {
		from = d.ends[i-1]
	}
	return d.text[from:d.ends[i]]
}

// from is the first term that is not less than text.
func (d dictionary) from(text string) int {
	return sort.Search(d.len(), func(i int) bool { return d.at(i) >= text })
}

// find is a term's number, or -1.
func (d dictionary) find(term string) int {
	if i := d.from(term); i < d.len() && d.at(i) == term {
		return i
	}
	return -1
}

// union of two dictionaries, with the new number of each one's terms.
func union(a, b dictionary) (both dictionary, ofA, ofB []uint32) {
	terms := make([]string, 0, max(a.len(), b.len()))
	ofA, ofB = make([]uint32, a.len()), make([]uint32, b.len())
	for i, j := 0, 0; i < a.len() || j < b.len(); {
		number := uint32(len(terms))
		switch {
		case j == b.len() || i < a.len() && a.at(i) < b.at(j):
			terms, ofA[i] = append(terms, a.at(i)), number
			i++
		case i == a.len() || b.at(j) < a.at(i):
			terms, ofB[j] = append(terms, b.at(j)), number
			j++
		default:
			terms, ofA[i], ofB[j] = append(terms, a.at(i)), number, number
			i, j = i+1, j+1
		}
	}
	return dictionaryOf(terms), ofA, ofB
}

// posting says that a document has a word, and how often.
type posting struct {
	document uint32
	times    frequencies
}

// inverted lists the documents of every term, in order of document.
type inverted struct {
	terms    dictionary
	ends     []uint32 // by term, in postings
	postings []posting
}

func (v *inverted) of(term int) []posting {
	from := uint32(0)
	if term > 0 {
		from = v.ends[term-1]
	}
	return v.postings[from:v.ends[term]]
}

// find is the place of a document in a list of postings.
func find(list []posting, document uint32) (frequencies, bool) {
	i, found := slices.BinarySearchFunc(list, document, func(p posting, d uint32) int { return int(p.document) - int(d) })
	if !found {
		return 0, false
	}
	return list[i].times, true
}

// invert sorts postings by term. each hands them out in order of document, the same ones twice. Terms that no
// document has are dropped; moved tells the new number of the others.
func invert(terms dictionary, each func(use func(term uint32, p posting))) (v inverted, moved []uint32) {
	next := make([]uint32, terms.len()+1)
	each(func(term uint32, _ posting) { next[term+1]++ })
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	v = inverted{terms, next[:terms.len()], make([]posting, next[terms.len()])}
	each(func(term uint32, p posting) {
		v.postings[next[term]] = p
		next[term]++
	})
	return v, v.prune() // each term's place has moved to its end
}

// prune drops terms that no document has any more.
func (v *inverted) prune() (moved []uint32) {
	kept := make([]string, 0, v.terms.len())
	moved = make([]uint32, v.terms.len())
	ends := v.ends[:0]
	before := uint32(0)
	for i, end := range v.ends {
		moved[i] = gone
		if end > before {
			moved[i] = uint32(len(kept))
			kept, ends = append(kept, v.terms.at(i)), append(ends, end)
		}
		before = end
	}
	if len(kept) < v.terms.len() {
		v.terms, v.ends = dictionaryOf(kept), ends
	}
	return moved
}
