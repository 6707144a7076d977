package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"slices"
)

// pack writes the choice in columns, which compress better than records. load.go of package wordnet reads them. Numbers are
// unsigned varints unless they are called bytes.
//
//	counts       lemmas, synsets of each part of speech, exceptions
//	lemmas       sorted: bytes shared with the one before, bytes of the rest, then all rests as one text
//	senses       bytes: how many a lemma has; their references; bytes: their shares of 255
//	synsets      bytes: tagged occurrences up to 63, and the flags tooBroad and isClose
//	hypernyms    bytes: how many a noun synset has; their numbers
//	exceptions   forms like lemmas; each with number of lemma × 3 + part of speech
//
// A reference below 3 is the next synset of that part of speech. Otherwise it is 3 × the distance back from there + part of
// speech.
func pack(c choice) []byte {
	out := uvarints(nil, len(c.lemmas), len(c.synsets[noun]), len(c.synsets[verb]), len(c.synsets[adjective]), len(c.exceptions))
	out = words(out, c.lemmas)
	out = packSenses(out, c)
	out = packSynsets(out, c)
	forms := make([]string, len(c.exceptions))
	for i, e := range c.exceptions {
		forms[i] = e.form
	}
	out = words(out, forms)
	for _, e := range c.exceptions {
		lemma, _ := slices.BinarySearch(c.lemmas, e.base)
		out = uvarints(out, lemma*partsOfSpeech+e.pos)
	}
	return out
}

func uvarints(out []byte, numbers ...int) []byte {
	for _, n := range numbers {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return out
}

// words writes a sorted list with prefix compression: each word omits the prefix that it shares with the previous one.
func words(out []byte, list []string) []byte {
	var shared, lengths, rests []byte
	before := ""
	for _, word := range list {
		n := 0
		for n < min(len(word), len(before), 255) && word[n] == before[n] {
			n++
		}
		shared, lengths, rests = append(shared, byte(n)), append(lengths, byte(len(word)-n)), append(rests, word[n:]...)
		before = word
	}
	return slices.Concat(out, shared, lengths, rests)
}

func packSenses(out []byte, c choice) []byte {
	var counts, references, shares []byte
	var next [partsOfSpeech]int
	for _, senses := range c.senses {
		counts = append(counts, byte(len(senses)))
		for _, s := range senses {
			pos := s.synset.pos
			back := next[pos] - c.numbers[s.synset]
			if back == 0 {
				next[pos]++
			}
			references = uvarints(references, back*partsOfSpeech+pos)
			shares = append(shares, s.share)
		}
	}
	return slices.Concat(out, counts, references, shares)
}

func packSynsets(out []byte, c choice) []byte {
	for _, synsets := range c.synsets {
		for _, s := range synsets {
			out = append(out, byte(min(63, c.counts[s]))|width(c.below[s]))
		}
	}
	var counts, numbers []byte
	for _, s := range c.synsets[noun] {
		counts = append(counts, byte(len(c.parents[s])))
		for _, parent := range c.parents[s] {
			numbers = uvarints(numbers, c.numbers[parent])
		}
	}
	return slices.Concat(out, counts, numbers)
}

// A synset with more than broadest others below it is too general for a search: furniture has 196, overgarment 87. Synsets below
// one that has at most closest others are so similar that one may replace another, such as portable computers.
const (
	broadest = 100
	closest  = 8

	tooBroad = 128
	isClose  = 64
)

func width(below int) byte {
	switch {
	case below > broadest:
		return tooBroad
	case below <= closest:
		return isClose
	default:
		return 0
	}
}

func deflate(raw []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(raw); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}
