package wordnet

import (
	"slices"
	"strings"
)

// Parts of speech, by their number in the data.
const (
	noun      = 0
	adjective = 2
)

type ending struct{ off, on string }

// endings are WordNet's rules of detachment, by part of speech (morph.c).
var endings = [partsOfSpeech][]ending{
	{{"s", ""}, {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"}},
	{{"s", ""}, {"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""}},
	{{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}},
}

// Base returns the base forms of an inflected word or phrase that WordNet knows, nouns first: "couch" for "couches", "mouse" for
// "mice", "cell phone" for "cell phones". The word itself comes first if WordNet knows it. Base applies WordNet's own rules and
// lists of exceptions, and returns nil if they find nothing.
func Base(word string) []string {
	n := unpacked()
	var bases []string
	if itself, known := n.lemmas.find(word); known {
		bases = append(bases, n.lemmas.at(itself))
	}
	for pos := range partsOfSpeech {
		bases = n.inflected(bases, word, pos)
	}
	if len(bases) == 0 && strings.Contains(word, " ") {
		return n.wordByWord(word)
	}
	return bases
}

// inflected adds the base forms of a word as one part of speech. Exceptions take precedence over the endings.
func (n *net) inflected(bases []string, word string, pos int) []string {
	irregular := false
	for i := n.forms.from(word); int(i) < len(n.bases) && n.forms.at(i) == word; i++ {
		if n.bases[i]%partsOfSpeech == uint32(pos) {
			bases, irregular = addNew(bases, n.lemmas.at(n.bases[i]/partsOfSpeech)), true
		}
	}
	if irregular {
		return bases
	}
	if itself, known := n.lemmas.find(word); pos == adjective && known && n.is(itself, noun) {
		return bases // "cooler" as a noun is not a comparative
	}
	kept := ""
	if pos == 0 {
		if stem, full := strings.CutSuffix(word, "ful"); full { // boxesful, boxful
			word, kept = stem, "ful"
		} else if strings.HasSuffix(word, "ss") || len(word) <= 2 {
			return bases
		}
	}
	for _, e := range endings[pos] {
		stem, ends := strings.CutSuffix(word, e.off)
		if !ends {
			continue
		}
		if base, known := n.lemmas.find(stem + e.on + kept); known && n.is(base, pos) {
			bases = addNew(bases, n.lemmas.at(base))
		}
	}
	return bases
}

func addNew(bases []string, base string) []string {
	if slices.Contains(bases, base) {
		return bases
	}
	return append(bases, base)
}

// is reports whether a lemma has a sense as this part of speech.
func (n *net) is(lemma uint32, pos int) bool {
	return slices.ContainsFunc(n.senses.of(lemma), func(synset uint32) bool { return n.pos(synset) == pos })
}

// wordByWord removes the inflection of every word of a phrase: "attorneys general", "ear rings".
func (n *net) wordByWord(phrase string) []string {
	parts := strings.Split(phrase, " ")
	for i, part := range parts {
		for pos := range partsOfSpeech {
			if bases := n.inflected(nil, part, pos); len(bases) > 0 {
				parts[i] = bases[0]
				break
			}
		}
	}
	phrase = strings.Join(parts, " ")
	base, known := n.lemmas.find(phrase)
	if !known {
		base, known = n.lemmas.respelt(phrase)
	}
	if !known {
		return nil
	}
	return []string{n.lemmas.at(base)}
}
