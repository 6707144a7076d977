package segment

import (
	"slices"
	"sort"
	"strings"
)

// Dictionary is a sorted list of terms in one piece of memory.
type Dictionary struct {
	text string
	ends []uint32
}

// DictionaryOf returns a dictionary of terms, which must be sorted and distinct.
func DictionaryOf(terms []string) Dictionary {
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
	return Dictionary{text.String(), ends}
}

// Len returns the number of terms.
func (d Dictionary) Len() int { return len(d.ends) }

// At returns a term by its number.
func (d Dictionary) At(i int) string {
	from := uint32(0)
	if i > 0 {
		from = d.ends[i-1]
	}
	return d.text[from:d.ends[i]]
}

// From returns the number of the first term that is not less than text.
func (d Dictionary) From(text string) int {
	return sort.Search(d.Len(), func(i int) bool { return d.At(i) >= text })
}

// Find returns a term's number, or -1.
func (d Dictionary) Find(term string) int {
	if i := d.From(term); i < d.Len() && d.At(i) == term {
		return i
	}
	return -1
}

// Union returns the union of two dictionaries, and the new numbers of each one's terms.
func Union(a, b Dictionary) (both Dictionary, ofA, ofB []uint32) {
	terms := make([]string, 0, max(a.Len(), b.Len()))
	ofA, ofB = make([]uint32, a.Len()), make([]uint32, b.Len())
	for i, j := 0, 0; i < a.Len() || j < b.Len(); {
		number := uint32(len(terms))
		switch {
		case j == b.Len() || i < a.Len() && a.At(i) < b.At(j):
			terms, ofA[i] = append(terms, a.At(i)), number
			i++
		case i == a.Len() || b.At(j) < a.At(i):
			terms, ofB[j] = append(terms, b.At(j)), number
			j++
		default:
			terms, ofA[i], ofB[j] = append(terms, a.At(i)), number, number
			i, j = i+1, j+1
		}
	}
	return DictionaryOf(terms), ofA, ofB
}

// Posting says that a document has a word, and how often.
type Posting struct {
	Document uint32
	Times    Frequencies
}

// Inverted lists the documents of every term, in order of document.
type Inverted struct {
	Terms    Dictionary
	ends     []uint32 // by term, in postings
	postings []Posting
}

// Of returns the postings of a term.
func (v *Inverted) Of(term int) []Posting {
	from := uint32(0)
	if term > 0 {
		from = v.ends[term-1]
	}
	return v.postings[from:v.ends[term]]
}

// Find returns the frequencies of a document in a list of postings, and reports whether the list has it.
func Find(list []Posting, document uint32) (Frequencies, bool) {
	i, found := slices.BinarySearchFunc(list, document, func(p Posting, d uint32) int { return int(p.Document) - int(d) })
	if !found {
		return 0, false
	}
	return list[i].Times, true
}

// Invert sorts postings by term. It calls each twice, which must pass the same postings to use in order of document. Terms that
// no document has are dropped; moved has the new numbers of the others.
func Invert(terms Dictionary, each func(use func(term uint32, p Posting))) (v Inverted, moved []uint32) {
	next := make([]uint32, terms.Len()+1)
	each(func(term uint32, _ Posting) { next[term+1]++ })
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	v = Inverted{terms, next[:terms.Len()], make([]Posting, next[terms.Len()])}
	each(func(term uint32, p Posting) {
		v.postings[next[term]] = p
		next[term]++
	})
	return v, v.prune() // each term's start has moved to its end
}

// prune drops terms that no document has.
func (v *Inverted) prune() (moved []uint32) {
	kept := make([]string, 0, v.Terms.Len())
	moved = make([]uint32, v.Terms.Len())
	ends := v.ends[:0]
	before := uint32(0)
	for i, end := range v.ends {
		moved[i] = Gone
		if end > before {
			moved[i] = uint32(len(kept))
			kept, ends = append(kept, v.Terms.At(i)), append(ends, end)
		}
		before = end
	}
	if len(kept) < v.Terms.Len() {
		v.Terms, v.ends = DictionaryOf(kept), ends
	}
	return moved
}

// Gone is the new number of a dropped term.
const Gone = ^uint32(0)
