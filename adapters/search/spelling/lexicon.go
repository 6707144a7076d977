// Package spelling suggests known words for a misspelled one. It compares letters only; it considers neither how common words
// are nor their context.
package spelling

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	shortestAsked  = 4  // runes; a shorter word is near to too many others
	shortestKnown  = 3  // runes; one error in the shortest word that is corrected
	shortestForTwo = 6  // runes from which on a word may contain two errors
	longest        = 32 // runes, of both; longer texts are hardly words

	// Fewer words than this are scanned. That takes at most a tenth of a millisecond, while building a table takes a
	// millisecond or more.
	fewWords = 2000
)

// Lexicon is a sorted list of words that can be searched for near ones. It is safe for concurrent use.
type Lexicon struct {
	count   int
	at      func(int) string
	deletes *deletes // nil if there are few words
}

// New returns a lexicon of n words, which must be sorted and distinct. at(i) returns the i-th word; the lexicon keeps calling it,
// so it must stay valid. Words shorter than 3 runes, longer than 32 or with a digit are never suggested.
func New(n int, at func(i int) string) *Lexicon {
	l := &Lexicon{count: n, at: at}
	if n >= fewWords {
		l.deletes = newDeletes(n, at)
	}
	return l
}

// Suggestion is a known word that is near to the written one.
type Suggestion struct {
	Word     int     // its index in the list
	Distance float32 // weighted; 0 is equal, an ordinary error 1
}

// Near returns at most so many words within the distance that is allowed for the word's length, nearest first, equally near ones
// in the list's order. A word of 4 or 5 runes may contain one error, a longer one two. For a shorter word, or one with a digit,
// there are no suggestions. The word must be in lower case and folded, like those of the list.
func (l *Lexicon) Near(word string, most int) []Suggestion {
	var asked spelled
	if most <= 0 || !asked.read(word, longest) || asked.count < shortestAsked {
		return nil
	}
	found := l.near(&asked)
	slices.SortFunc(found, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Word, b.Word))
	})
	return found[:min(most, len(found))]
}

// near returns the near words, unsorted. If very many words have a similar beginning, it scans all words, which is faster than
// sorting the table's candidates.
func (l *Lexicon) near(asked *spelled) (found []Suggestion) {
	if l.deletes != nil {
		var room [512]uint32
		if candidates, few := l.deletes.candidates(asked, room[:0], max(fewWords, l.count/4)); few {
			for _, i := range candidates {
				found = l.compare(asked, int(i), found)
			}
			return found
		}
	}
	for i := range l.count {
		found = l.compare(asked, i, found)
	}
	return found
}

// compare appends a word of the list if it is near.
func (l *Lexicon) compare(asked *spelled, word int, found []Suggestion) []Suggestion {
	text := l.at(word)
	allowed := errorsIn(asked.count)
	if len(text) < asked.count-allowed { // a rune has one byte or more
		return found
	}
	var known spelled
	if !known.read(text, min(asked.count+allowed, longest)) || known.count < asked.count-allowed {
		return found
	}
	if asked.lacks(&known, allowed) || known.lacks(asked, allowed) {
		return found
	}
	distance := distanceOf(asked.letters(), known.letters(), allowed)
	if distance > furthest(asked.count) {
		return found
	}
	return append(found, Suggestion{word, float32(distance) / ordinary})
}

// errorsIn returns how many errors a word of so many runes may contain.
func errorsIn(count int) int {
	if count < shortestForTwo {
		return 1
	}
	return 2
}

// spelled is a word split into runes, in an array so that it fits on the stack.
type spelled struct {
	runes [longest]rune
	count int
	kinds uint64 // a bit for each letter that it contains; letters outside a to z may share one
}

func (s *spelled) letters() []rune { return s.runes[:s.count] }

// read splits a word. It returns false for a word with digits or with more than so many runes.
func (s *spelled) read(word string, most int) bool {
	for _, r := range word {
		if s.count == most || '0' <= r && r <= '9' || r >= utf8.RuneSelf && unicode.IsNumber(r) {
			return false
		}
		s.runes[s.count] = r
		s.count++
		s.kinds |= 1 << (r & 63)
	}
	return true
}
