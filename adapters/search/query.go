package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// maxWords bounds the work for one query. Of longer texts the rarest words count.
const maxWords = 32

// wanted is a word of the query and where the index has it.
type wanted struct {
	text   string // as the buyer wrote it, in lower case
	term   string
	begun  bool    // the term only begins with what was written
	weight float32 // how much it tells: rare words more
	lists  [][]posting
}

// question is a query's text, understood.
type question struct {
	words  []wanted
	weight float32 // of all words asked for, known and unknown
	asked  bool    // false: no word in the text
}

// read understands a text: its different words, known or repaired.
func (s *snapshot) read(text string) question {
	var q question
	seen := make(map[string]bool)
	for scan := (scanner{text: text}); scan.next(); {
		word := string(scan.word)
		term := termOf(word)
		if term == "" || seen[term] {
			continue
		}
		seen[term], q.asked = true, true
		if found := s.lookup(word, term); found.weight > 0 {
			q.words = append(q.words, found)
		} else if repaired := s.repair(word, term); len(repaired) > 0 {
			q.words = append(q.words, repaired...)
		} else {
			q.weight += s.rarity(0)
		}
	}
	if len(q.words) > maxWords {
		slices.SortStableFunc(q.words, func(a, b wanted) int { return cmp.Compare(b.weight, a.weight) })
		q.words = q.words[:maxWords]
	}
	for _, w := range q.words {
		q.weight += w.weight
	}
	return q
}

// lookup finds a term's documents; the weight is 0 if there are none.
func (s *snapshot) lookup(text, term string) wanted {
	w := wanted{text: text, term: term}
	count := 0
	for i := range s.parts {
		words := &s.parts[i].words
		number := words.terms.find(term)
		if number < 0 {
			continue
		}
		if w.lists == nil {
			w.lists = make([][]posting, len(s.parts))
		}
		w.lists[i] = words.of(number)
		count += len(w.lists[i])
	}
	if count > 0 {
		w.weight = s.rarity(count)
	}
	return w
}

// rarity is the inverse document frequency of BM25, always positive.
func (s *snapshot) rarity(count int) float32 {
	return float32(math.Log1p((float64(s.size-count) + .5) / (float64(count) + .5)))
}

// repair reads an unknown word of letters as two known ones ("laptopbag"), or as the beginning of the
// most common word that begins so ("headph"). It never touches a known word, a number or a short word.
func (s *snapshot) repair(text, term string) []wanted {
	if len(term) < 4 || strings.ContainsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return nil
	}
	for i := len(text) - 3; i >= 3; i-- {
		first, second := s.lookup(text[:i], termOf(text[:i])), s.lookup(text[i:], termOf(text[i:]))
		if first.weight > 0 && second.weight > 0 {
			return []wanted{first, second}
		}
	}
	longer := s.commonest(term)
	if longer == "" {
		return nil
	}
	w := s.lookup(text, longer)
	w.begun = true
	return []wanted{w}
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
