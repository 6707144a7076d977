// Package spelling finds the known words that an unknown one was probably meant to be. It compares
// letters only: how common words are and what stands beside them is for others to weigh.
package spelling

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	shortestAsked  = 4  // runes; below that, every word is near to many others
	shortestKnown  = 3  // what one error leaves of the shortest that is asked
	shortestForTwo = 6  // runes from which a word may hold two errors
	longest        = 32 // runes, of both; what is longer is hardly a word

	// Fewer words than this are looked through one by one: that takes up to a tenth of a millisecond, a
	// table of them a millisecond and more to make.
	fewWords = 2000
)

// Lexicon is a sorted list of words in which near ones are found. It is safe for concurrent use.
type Lexicon struct {
	count   int
	at      func(int) string
	deletes *deletes // nil where there are few words
}

// New takes words in ascending order without doubles. at(i) is the i-th of n words; it is kept, so it
// must stay valid. Words shorter than 3 runes, longer than 32 or with a digit are never suggested.
func New(n int, at func(i int) string) *Lexicon {
	l := &Lexicon{count: n, at: at}
	if n >= fewWords {
		l.deletes = newDeletes(n, at)
	}
	return l
}

// Suggestion is a known word near to what was written.
type Suggestion struct {
	Word     int     // its place in the list
	Distance float32 // weighted; 0 is equal, an ordinary error 1
}

// Near lists the words within the distance that is allowed for a word of its length, nearest first,
// those equally near in the list's order, at most so many. A word of 4 or 5 runes may hold one error,
// a longer one two; a shorter one, or one with a digit, is near to nothing. The word is in lower case
// and folded, as those of the list are.
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

// near lists what is near in no order. Where very many words begin alike, looking through all of them
// is quicker than sorting what the table has.
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

// errorsIn is how many errors a written word of so many runes may hold.
func errorsIn(count int) int {
	if count < shortestForTwo {
		return 1
	}
	return 2
}

// spelled is a word taken apart, on the stack.
type spelled struct {
	runes [longest]rune
	count int
	kinds uint64 // a bit for each letter that is in it; letters outside a to z may share one
}

func (s *spelled) letters() []rune { return s.runes[:s.count] }

// read takes a word apart; not one with digits, or with more than so many runes.
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
