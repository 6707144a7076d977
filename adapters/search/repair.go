package search

import (
	"math"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/wordnet"
	"github.com/haggle-commerce/haggle/adapters/search/words"
)

// Weights of repaired words: what was written is surer than what may have been meant.
const (
	speltWeight    = .9
	begunWeight    = .8
	compoundWeight = .9
)

// repair reads unknown words as known ones: one word as two, two as one, or as the nearest in spelling. It
// never touches a word that the catalogue knows, one that the merchant or WordNet has explained, or a short word;
// nor the digits of a number, of which it only finds the border to the letters.
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
		case len(wordnet.Base(g.text)) > 0: // it is a word, if none of this shop's
		case !s.respell(q, i):
			s.complete(g)
		}
	}
}

// Lengths of words, in bytes.
const (
	shortest = 4  // that is known by a part of it
	longest  = 64 // that is
	longCode = 5  // a word with digits that is known by its beginning
	leastEnd = 3  // of the parts of a word that is split
)

// wellKnown is from what likeness on another word explains one that the catalogue lacks.
const wellKnown = .3

// explained reports whether other words stand for an unknown one which the catalogue knows.
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

// joinNeighbours reads "lap top" as laptop, where one of the two is unknown.
func (s *snapshot) joinNeighbours(q *question, i int) bool {
	return s.join(q, i-1, speltWeight) || s.join(q, i, speltWeight)
}

// compound adds to two known words the one that they make: for "smart watch" also smartwatch.
func (s *snapshot) compound(q *question) {
	for i := range q.groups {
		s.join(q, i, compoundWeight)
	}
}

// join lets the word that a group and the next one make stand for both.
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

// split reads "laptopbag" as two known words, those of which the rarer is the most common; "iphone15" at the
// border of its letters.
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

// border says whether a letter and a digit meet at a place of a word.
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

// written finds the documents of a word that stands so in the catalogue. Of short words only terms are known.
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

// shortWord is up to how many letters a word must be written nearly right to be recognised: "nike" is no bike.
const shortWord = 5

// respell reads a word as a known one that is written nearly so: the nearer, the more common, and the more it is
// seen with the query's other words, the better.
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
			merit := math.Log1p(float64(found.count)) - 3*float64(near.Distance) + 2*s.company(q, i, found)
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

// company is the share of the query's other words that are seen in documents with a word.
func (s *snapshot) company(q *question, i int, found known) float64 {
	others, seen := 0, 0
	for j := range q.groups {
		if j == i || len(q.groups[j].alternates) == 0 {
			continue
		}
		others++
		if meet(found, q.groups[j].alternates[0].words[0]) {
			seen++
		}
	}
	if others == 0 {
		return 0
	}
	return float64(seen) / float64(others)
}

// meet reports whether a document has both words. Of long lists it looks at the first thousand.
func meet(a, b known) bool {
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

// complete reads a word as the beginning of the most common term that begins so ("headph").
func (s *snapshot) complete(g *group) {
	if longer := s.commonest(g.term); longer != "" {
		s.offer(g, begun, g.text, longer, begunWeight)
	}
}

// commonest is the term with this beginning that most documents have. Beginnings with very many
// terms say too little; only the first thousand are looked at.
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
