package search

import (
	"math"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/wordnet"
	"github.com/haggle-commerce/haggle/adapters/search/words"
)

// Weights of repaired words, which are less certain than the written ones.
const (
	speltWeight    = .9
	begunWeight    = .8
	compoundWeight = .9
)

// repair interprets unknown words as known ones: one word as two, two as one, or a word as the nearest in spelling. It never
// changes a word that the catalogue knows, one that the merchant's synonyms or WordNet explain, a short word, or the digits of
// a number, which it only separates from letters.
func (s *snapshot) repair(q *question) {
	for i := 0; i < len(q.groups); i++ {
		if len(q.groups[i].alternates) > 0 || words.Paired(q.groups[i].text) || s.explained(q, i) || s.joinNeighbours(q, i) {
			continue
		}
		g := &q.groups[i]
		switch {
		case len(g.text) < shortest || len(g.text) > longest:
		case s.split(q, i):
			i++
		case segment.HasDigit(g.text):
			if len(g.text) >= longCode {
				s.complete(g)
			}
		case len(wordnet.Base(g.text)) > 0: // it is an English word, although not one of this shop's
		case !s.respell(q, i):
			s.complete(g)
		}
	}
}

// Lengths of words, in bytes.
const (
	shortest = 4  // of a word that is recognized by a part of it
	longest  = 64 // of the same
	longCode = 5  // of a word with digits that is recognized by its beginning
	leastEnd = 3  // of the parts of a split word
)

// wellKnown is the minimum likeness at which a synonym explains a word that the catalogue lacks.
const wellKnown = .3

// explained reports whether the catalogue has synonyms of an unknown word.
func (s *snapshot) explained(q *question, i int) bool {
	if s.synonyms.has(q.groups, i) {
		return true
	}
	for _, o := range guessed(q.groups[i : i+1]) {
		if o.weight >= wellKnown && s.all(o.text) != nil {
			return true
		}
	}
	return false
}

// joinNeighbours interprets "lap top" as laptop if one of the two words is unknown.
func (s *snapshot) joinNeighbours(q *question, i int) bool {
	return s.join(q, i-1, speltWeight) || s.join(q, i, speltWeight)
}

// compound adds the compound of two known words: for "smart watch" also smartwatch.
func (s *snapshot) compound(q *question) {
	for i := range q.groups {
		s.join(q, i, compoundWeight)
	}
}

// join adds the compound of a group and the next one as an alternate of both.
func (s *snapshot) join(q *question, i int, weight float32) bool {
	if i < 0 || i+1 >= len(q.groups) {
		return false
	}
	first, second := &q.groups[i], &q.groups[i+1]
	if words.Paired(first.text) || words.Paired(second.text) {
		return false
	}
	text := first.text + second.text
	found := s.lookup(words.Term(text))
	if len(text) < leastEnd || found.count == 0 {
		return false
	}
	a := alternate{
		reading: spelt,
		from:    first.text + " " + second.text,
		text:    text,
		weight:  weight,
		words:   []known{found},
	}
	first.add(a)
	second.add(a)
	return true
}

// split interprets "laptopbag" as two known words, and "iphone15" as its letters and its digits. Among the possible pairs it
// chooses the one whose rarer word is the most common.
func (s *snapshot) split(q *question, i int) bool {
	text, coded := q.groups[i].text, segment.HasDigit(q.groups[i].text)
	var best [2]group
	most := 0
	for cut := 1; cut < len(text); cut++ {
		if coded != border(text, cut) || !coded && (cut < leastEnd || cut+leastEnd > len(text)) {
			continue
		}
		first, second := s.written(text[:cut]), s.written(text[cut:])
		if least := min(first.count, second.count); least > most {
			most = least
			best = [2]group{half(text[:cut], first), half(text[cut:], second)}
		}
	}
	if most == 0 {
		return false
	}
	q.groups = slices.Replace(q.groups, i, i+1, best[:]...)
	if q.head >= i {
		q.head++
	}
	return true
}

// border reports whether a letter and a digit meet at an index of a word.
func border(text string, at int) bool { return (text[at-1] <= '9') != (text[at] <= '9') }

func half(text string, found known) group {
	return group{
		text:  text,
		term:  words.Term(text),
		split: true,
		alternates: []alternate{{
			reading: said,
			text:    text,
			weight:  1,
			words:   []known{found},
		}},
	}
}

// written finds the documents of a word with exactly this spelling. For short words, it finds those of the term.
func (s *snapshot) written(word string) known {
	if !segment.Spellable(word) {
		return s.lookup(words.Term(word))
	}
	for i := range s.parts {
		if s.parts[i].Spoken.Words.Find(word) >= 0 {
			return s.lookup(words.Term(word))
		}
	}
	return known{}
}

// correction is a word that may have been meant.
type correction struct {
	text  string
	found known
	merit float64
}

// shortWord is the length up to which a word must be almost right to be corrected: "nike" is not corrected to bike.
const shortWord = 5

// respell corrects a word to a known one with a similar spelling. It prefers words that are nearer, more common, and more often
// in documents with the query's other words.
func (s *snapshot) respell(q *question, i int) bool {
	g := &q.groups[i]
	var best correction
	for p := range s.parts {
		spoken := &s.parts[p].Spoken
		for _, near := range s.parts[p].Lexicon.Near(words.Fold(g.text), 8) {
			text := spoken.Words.At(near.Word)
			if len(g.text) <= shortWord && (near.Distance > 1 || text[0] != g.text[0]) {
				continue
			}
			found := s.lookup(words.Term(text))
			merit := math.Log1p(float64(found.count)) - 3*float64(near.Distance) + 2*s.coOccurrence(q, i, found)
			if found.count > 0 && (best.text == "" || merit > best.merit) {
				best = correction{text, found, merit}
			}
		}
	}
	if best.text == "" {
		return false
	}
	return g.add(alternate{
		reading: spelt,
		text:    best.text,
		weight:  speltWeight,
		words:   []known{best.found},
	})
}

// coOccurrence returns the share of the query's other words that occur together with a word.
func (s *snapshot) coOccurrence(q *question, i int, found known) float64 {
	others, seen := 0, 0
	for j := range q.groups {
		if j == i || len(q.groups[j].alternates) == 0 {
			continue
		}
		others++
		if coOccur(found, q.groups[j].alternates[0].words[0]) {
			seen++
		}
	}
	if others == 0 {
		return 0
	}
	return float64(seen) / float64(others)
}

// coOccur reports whether a document has both words. It reads only the first thousand documents of long lists.
func coOccur(a, b known) bool {
	for i := range a.lists {
		few, many := a.lists[i], b.lists[i]
		if len(few) > len(many) {
			few, many = many, few
		}
		for _, p := range few[:min(len(few), 1000)] {
			if _, both := segment.Find(many, p.Document); both {
				return true
			}
		}
	}
	return false
}

// complete completes a word ("headph") to the most common term that begins with it.
func (s *snapshot) complete(g *group) {
	if longer := s.commonest(g.term); longer != "" {
		s.offer(g, begun, g.text, longer, begunWeight)
	}
}

// commonest returns the term with this beginning that most documents have. It considers only the first thousand terms, because a
// beginning with more is too unspecific.
func (s *snapshot) commonest(beginning string) string {
	counts := make(map[string]int)
	for i := range s.parts {
		words := &s.parts[i].Words
		from := words.Terms.From(beginning)
		for n := from; n < min(words.Terms.Len(), from+1000) && strings.HasPrefix(words.Terms.At(n), beginning); n++ {
			counts[words.Terms.At(n)] += len(words.Of(n))
		}
	}
	best := ""
	for term, count := range counts {
		if best == "" || count > counts[best] || count == counts[best] && term < best {
			best = term
		}
	}
	return best
}
