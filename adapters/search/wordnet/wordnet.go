// Package wordnet finds English words and phrases with similar meanings: the lemmas, synonyms and direct hypernyms of Princeton
// WordNet 3.0, without its glosses, names and Latin terms. It knows neither products nor an index; it looks up one lemma at a
// time.
//
// A lemma is written like a text that search has read: lower case, words joined by one space, hyphens replaced by spaces
// ("t shirt"), no apostrophes ("carpenter hammer"). Verbs and adjectives have synonyms only.
//
// WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Its licence is in LICENSE.wordnet in this folder, and
// at the beginning of wordnet.flate, so that every program that contains the data contains the licence, too.
package wordnet

import _ "embed"

//go:generate go run ./generate wordnet.flate

//go:embed wordnet.flate
var packed string

// Kind is the relation of a lemma to the given one.
type Kind uint8

const (
	Synonym  Kind = iota
	Broader       // direct hypernym: chair to armchair. Never one as broad as "device"
	Narrower      // direct hyponym: armchair to chair
	Sibling       // another one of a few kinds of the same thing: laptop to notebook
)

func (k Kind) String() string { return [...]string{"synonym", "broader", "narrower", "sibling"}[k] }

// Related is a word or phrase with a meaning similar to another's.
type Related struct {
	Lemma string
	Kind  Kind
	Sense int     // the sense of the given lemma that it belongs to; 0 is the likeliest in a shop
	Share float32 // in (0, 1]: how likely the given lemma has that sense in a shop
	Back  float32 // in (0, 1]: how likely this lemma has the same sense where it occurs
}

// Of returns at most 128 related lemmas of a lemma, likeliest first; nil if WordNet does not know it. Every lemma occurs once, in
// its likeliest relation. Narrower ones and siblings that contain the given lemma itself are omitted. The lemma may be written as
// two words where WordNet has one, or the other way around; then WordNet's spelling is among the synonyms: "cellphone" for
// "cell phone".
//
// The first call of Of or Base unpacks the data.
func Of(lemma string) []Related {
	n := unpacked()
	g := gathering{net: n, asked: lemma}
	number, known := n.lemmas.find(lemma)
	if known {
		g.lemma(number)
	}
	if g.count == 0 {
		if number, respelt := n.lemmas.respelt(lemma); respelt {
			known = true
			g.lemma(number)
		}
	}
	if !known {
		return nil
	}
	return g.sorted()
}
