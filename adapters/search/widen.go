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

// How much another word counts for what was written. The merchant's own word is as good as the buyer's;
// WordNet's are guesses, surer the more usual their sense is. Round numbers, which did no harm to plain
// queries on human judgements and gave most of the gain on paraphrased ones.
const (
	merchantWeight = .95
	synonymWeight  = .8
	narrowerWeight = .4
	broaderWeight  = .25
	siblingWeight  = .3
	leastWeight    = .08
	unlikelier     = 3  // times, for a word of which nothing else is known
	standsAlone    = .6 // at least, for the best of the words that stand for an unknown one
)

const (
	longestPhrase  = 6  // words of a query that a merchant explains as one
	longestLemma   = 3  // words of a query that WordNet is asked about as one
	mostAlternates = 8  // of WordNet, for a word
	mostOthers     = 40 // of the merchant, for a phrase
)

// widen adds other words for what was written: the merchant's first, then those of WordNet that the
// catalogue has.
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

// standAlone raises the words that stand for one which the catalogue lacks: whatever they mean, nothing else was
// said.
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

// widenBy offers words to every group of a span: one that stands for "cell phone" matches both of its words.
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

// ownWords reports whether words say anything that a span does not: "shirt" is no other word for a dress shirt.
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

// other is a word or phrase that may stand for what was written.
type other struct {
	text   string
	weight float32
}

// guessed are WordNet's words for a span, likeliest first. Of a word that the catalogue knows, those that are too
// unlikely are left out.
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

// likeness is what WordNet's word counts for: the surer that both words are meant so.
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

// lemmasOf are the forms under which WordNet may know a span.
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

// thesaurus is a merchant's synonyms, by what a query may say. A nil one is empty.
type thesaurus struct {
	others map[string][]other // by the terms of a phrase
	size   int64              // about the bytes that it takes
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

// of are the merchant's words for a span.
func (t *thesaurus) of(span []group) []other {
	if t == nil || len(t.others) == 0 {
		return nil
	}
	return t.others[keyOfPhrase(span)]
}

// has reports whether the merchant explains a phrase that has a word.
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
