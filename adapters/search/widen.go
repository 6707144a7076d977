package search

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"github.com/haggle-commerce/haggle/adapters/search/segment"
	"github.com/haggle-commerce/haggle/adapters/search/wordnet"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

// Weights of synonyms. The merchant's synonyms are almost as good as the buyer's own word. WordNet's are guesses, which are
// better the more usual their sense is. These are round numbers: on human judgements they did no harm to plain queries, and
// gave most of the possible gain on paraphrased ones.
const (
	merchantWeight = .95
	synonymWeight  = .8
	narrowerWeight = .4
	broaderWeight  = .25
	siblingWeight  = .3
	leastWeight    = .08
	unlikelier     = 3  // how many times less likely synonyms of an unknown word may be
	standsAlone    = .6 // minimum, for the best synonym of an unknown word
)

const (
	longestPhrase  = 6  // words of a query that match one of the merchant's phrases
	longestLemma   = 3  // words of a query that are looked up in WordNet as one lemma
	mostAlternates = 8  // of WordNet, for a word
	mostOthers     = 40 // of the merchant, for a phrase
)

// widen adds synonyms: the merchant's first, then those of WordNet that the catalogue has.
func (s *snapshot) widen(q *question) {
	for length := min(longestPhrase, len(q.groups)); length > 0; length-- {
		for at := 0; at+length <= len(q.groups); at++ {
			span := q.groups[at : at+length]
			s.widenBy(span, s.synonyms.of(span))
			s.widenBy(span, guessed(span))
		}
	}
	for i := range q.groups {
		q.groups[i].standAlone()
	}
}

// standAlone raises the weights of the synonyms of a word that the catalogue lacks, because the group has no other alternates.
func (g *group) standAlone() {
	var best float32
	for _, a := range g.alternates {
		best = max(best, a.weight)
	}
	if best == 0 || best >= standsAlone {
		return
	}
	for i := range g.alternates {
		g.alternates[i].weight *= standsAlone / best
	}
}

// widenBy adds synonyms to every group of a span: a synonym of "cell phone" matches both of its words.
func (s *snapshot) widenBy(span []group, others []other) {
	added := 0
	for _, o := range others {
		a := alternate{
			reading: understood,
			from:    phraseOf(span),
			text:    o.text,
			weight:  o.weight,
		}
		if a.words = s.all(o.text); a.words == nil || !ownWords(span, a.words) {
			continue
		}
		fresh := false
		for i := range span {
			fresh = span[i].add(a) || fresh
		}
		if fresh {
			added++
		}
		if added == mostAlternates && o.weight < merchantWeight {
			return
		}
	}
}

// ownWords reports whether words contain any that a span does not: "shirt" is not a synonym of "dress shirt".
func ownWords(span []group, words []known) bool {
	if len(span) == 1 || span[0].split {
		return true
	}
	for _, w := range words {
		if !slices.ContainsFunc(span, func(g group) bool {
			return len(g.alternates) > 0 && g.alternates[0].reading == said && g.alternates[0].words[0].same(w)
		}) {
			return true
		}
	}
	return false
}

func phraseOf(span []group) string {
	texts := make([]string, len(span))
	for i := range span {
		texts[i] = span[i].text
	}
	return strings.Join(texts, " ")
}

// all finds every word of a text, or nil if the catalogue lacks one.
func (s *snapshot) all(text string) (all []known) {
	for _, g := range wordsOf(text).groups {
		found := s.lookup(g.term)
		if found.count == 0 {
			return nil
		}
		all = append(all, found)
	}
	return all
}

// other is a synonym: a word or a phrase.
type other struct {
	text   string
	weight float32
}

// guessed returns WordNet's synonyms of a span, likeliest first. Unlikely ones are omitted; the threshold is lower for a word
// without other alternates.
func guessed(span []group) (others []other) {
	least := float32(leastWeight)
	if len(span) == 1 && len(span[0].alternates) == 0 {
		least /= unlikelier
	}
	for _, lemma := range lemmasOf(span) {
		for _, r := range wordnet.Of(lemma) {
			if weight := likeness(r); weight >= least {
				others = append(others, other{r.Lemma, weight})
			}
		}
	}
	slices.SortStableFunc(others, func(a, b other) int { return cmp.Compare(b.weight, a.weight) })
	return others
}

// likeness returns the weight of WordNet's synonym: higher if both words are likely to have this sense.
func likeness(r wordnet.Related) float32 {
	sure := r.Share * r.Back
	switch r.Kind {
	case wordnet.Synonym:
		return synonymWeight * sure
	case wordnet.Narrower:
		return narrowerWeight * sure
	case wordnet.Sibling:
		return siblingWeight * sure
	}
	return broaderWeight * sure
}

// lemmasOf returns the forms in which WordNet may have a span.
func lemmasOf(span []group) []string {
	last := span[len(span)-1].text
	if len(span) > longestLemma || strings.ContainsAny(last, "0123456789") {
		return nil
	}
	bases := wordnet.Base(last)
	if len(span) == 1 {
		return bases
	}
	before := phraseOf(span[:len(span)-1]) + " "
	lemmas := []string{before + last}
	for _, base := range bases {
		if base != last {
			lemmas = append(lemmas, before+base)
		}
	}
	return lemmas
}

// thesaurus maps phrases of a query to the merchant's synonyms. A nil one is empty.
type thesaurus struct {
	others map[string][]other // by the terms of a phrase
	size   int64              // approximate memory in bytes
}

func newThesaurus(synonyms []catalog.Synonym) *thesaurus {
	t := &thesaurus{others: make(map[string][]other)}
	for _, s := range synonyms {
		for _, word := range s.Words {
			t.size += int64(len(word)) + segment.BytesOfText
		}
		if s.Input != "" {
			t.put(s.Input, s.Words)
			continue
		}
		for i, word := range s.Words {
			t.put(word, slices.Concat(s.Words[:i], s.Words[i+1:]))
		}
	}
	return t
}

func (t *thesaurus) bytes() int64 {
	if t == nil {
		return 0
	}
	return t.size
}

func (t *thesaurus) put(phrase string, means []string) {
	key := keyOfPhrase(wordsOf(phrase).groups)
	if _, known := t.others[key]; !known {
		t.size += int64(len(key)) + segment.BytesOfName
	}
	for _, text := range means {
		o := other{text, merchantWeight}
		if len(t.others[key]) < mostOthers && !slices.Contains(t.others[key], o) {
			t.others[key] = append(t.others[key], o)
			t.size += int64(unsafe.Sizeof(o))
		}
	}
}

func keyOfPhrase(span []group) string {
	terms := make([]string, len(span))
	for i := range span {
		terms[i] = span[i].term
	}
	return strings.Join(terms, " ")
}

// of returns the merchant's synonyms of a span.
func (t *thesaurus) of(span []group) []other {
	if t == nil || len(t.others) == 0 {
		return nil
	}
	return t.others[keyOfPhrase(span)]
}

// has reports whether the merchant has synonyms of a phrase that contains a word.
func (t *thesaurus) has(groups []group, at int) bool {
	if t == nil || len(t.others) == 0 {
		return false
	}
	for from := max(0, at-longestPhrase+1); from <= at; from++ {
		for to := at + 1; to <= min(len(groups), from+longestPhrase); to++ {
			if len(t.of(groups[from:to])) > 0 {
				return true
			}
		}
	}
	return false
}
