// Package wordnet knows which English words and phrases mean much the same: the lemmas, synonyms and
// direct hypernyms of Princeton WordNet 3.0, without its glosses, names and Latin. It knows nothing of
// products or of an index; it answers for one lemma at a time, and only in English.
//
// A lemma is written as search reads a text: lower case, words joined by one space, hyphens apart
// ("t shirt"), no apostrophes ("carpenter hammer"). Verbs and adjectives have synonyms only.
//
// WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Its licence is in
// LICENSE.wordnet beside this file, and at the head of wordnet.flate, so that every program that holds
// the data holds it too.
package wordnet

import _ "embed"

//go:generate go run ./generate wordnet.flate

//go:embed wordnet.flate
var packed string

// Kind is how a related lemma stands to the one that was asked for.
type Kind uint8

const (
	Synonym  Kind = iota
	Broader       // direct hypernym: chair to armchair. Never one as wide as "device"
	Narrower      // direct hyponym: armchair to chair
	Sibling       // another of the few kinds of the same: laptop to notebook
)

func (k Kind) String() string { return [...]string{"synonym", "broader", "narrower", "sibling"}[k] }

// Related is a word or phrase that means what another does, more or less.
type Related struct {
	Lemma string
	Kind  Kind
	Sense int     // the sense of the asked lemma that it belongs to; 0 is the likeliest in a shop
	Share float32 // in (0, 1]: how likely a shop means that sense when it says the asked lemma
	Back  float32 // in (0, 1]: how likely this lemma, where it occurs, means what is meant here
}

// Of lists what is related to a lemma, likeliest first, at most 128; nil if WordNet does not know it.
// Every lemma stands once, in its likeliest relation; of narrower ones and siblings, those that hold
// the asked lemma itself are left out. What WordNet writes as one word may be given as two, or the
// other way about, and then its own spelling is among the synonyms: "cellphone" for "cell phone".
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
