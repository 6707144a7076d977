package search

import (
	"math"
	"slices"
	"strings"

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
// never touches a word that the catalogue knows, one that the merchant has explained, a number or a
// short word.
func (s *snapshot) repair(q *question) {
	for i := 0; i < len(q.groups); i++ {
		if len(q.groups[i].alternates) > 0 || s.explained(q, i) {
			continue
		}
		if s.joinNeighbours(q, i) || !repairable(q.groups[i].text) {
			continue
		}
		if s.split(q, i) {
			i++
			continue
		}
		if !s.respell(q, i) {
			s.complete(&q.groups[i])
		}
	}
}

// repairable tells whether a word is long enough to be known by a part of it, and no number.
func repairable(word string) bool {
	return len(word) >= 4 && len(word) <= 64 && !strings.ContainsAny(word, "0123456789")
}

// explained tells whether other words stand for an unknown one which the catalogue knows.
func (s *snapshot) explained(q *question, i int) bool {
	if s.synonyms.has(q.groups, i) {
		return true
	}
	for _, base := range wordnet.Base(q.groups[i].text) {
		for _, r := range wordnet.Of(base) {
			if r.Kind == wordnet.Synonym && s.lookup(words.Term(r.Lemma)).count > 0 {
				return true
			}
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
	text := first.text + second.text
	if !repairable(text) {
		return false
	}
	found := s.lookup(words.Term(text))
	if found.count == 0 {
		return false
	}
	a := alternate{spelt, first.text + " " + second.text, text, weight, []known{found}}
	first.add(a)
	second.add(a)
	return true
}

// split reads "laptopbag" as two known words, those of which the rarer is the most common.
func (s *snapshot) split(q *question, i int) bool {
	text := q.groups[i].text
	var best [2]group
	most := 0
	for cut := 3; cut+3 <= len(text); cut++ {
		first, second := s.written(text[:cut]), s.written(text[cut:])
		if least := min(first.count, second.count); least > most {
			most = least
			best = [2]group{half(text[:cut], first), half(text[cut:], second)}
		}
	}
	if best[0].text == "" {
		return false
	}
	q.groups = slices.Replace(q.groups, i, i+1, best[:]...)
	if q.head >= i {
		q.head++
	}
	return true
}

func half(text string, found known) group {
	return group{text: text, term: words.Term(text), alternates: []alternate{{reading: said, text: text, weight: 1, words: []known{found}}}}
}

// written finds the documents of a word that stands so in the catalogue. Of short words only terms are known.
func (s *snapshot) written(word string) known {
	if !spellable(word) {
		return s.lookup(words.Term(word))
	}
	for i := range s.parts {
		if s.parts[i].spoken.words.find(word) >= 0 {
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

// shortWord is up to how many letters a word must be written nearly right to be recognised.
const shortWord = 5

// respell reads a word as a known one that is written nearly so: the nearer, the more common, and the more it is
// seen with the query's other words, the better.
func (s *snapshot) respell(q *question, i int) bool {
	g := &q.groups[i]
	var best correction
	for p := range s.parts {
		spoken := &s.parts[p].spoken
		for _, near := range s.parts[p].lexicon.Near(words.Fold(g.text), 8) {
			if len(g.text) <= shortWord && near.Distance > 1 {
				continue
			}
			text := spoken.words.at(near.Word)
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
	return g.add(alternate{reading: spelt, text: best.text, weight: speltWeight, words: []known{best.found}})
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

// meet tells whether a document has both words. Of long lists it looks at the first thousand.
func meet(a, b known) bool {
	for i := range a.lists {
		few, many := a.lists[i], b.lists[i]
		if len(few) > len(many) {
			few, many = many, few
		}
		for _, p := range few[:min(len(few), 1000)] {
			if _, both := find(many, p.document); both {
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
		words := &s.parts[i].words
		from := words.terms.from(beginning)
		for n := from; n < min(words.terms.len(), from+1000) && strings.HasPrefix(words.terms.at(n), beginning); n++ {
			counts[words.terms.at(n)] += len(words.of(n))
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
