package wordnet

import (
	"cmp"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

const partsOfSpeech = 3 // noun, verb, adjective; synsets are numbered in this order

// net is the unpacked data: immutable flat arrays, which are safe for concurrent reads.
type net struct {
	lemmas   words
	senses   lists    // of a lemma: synsets, likeliest first
	shares   []uint8  // by index in senses.items, of 255
	members  lists    // of a synset: lemmas
	backs    []uint8  // by index in members.items: the share of this synset among the lemma's senses
	parents  lists    // of a noun synset: direct hypernyms
	children lists    // the inverse of parents, the commonest first
	flags    []uint8  // of a synset: occurrences in tagged texts up to 63, and the two flags
	nouns    uint32   // synsets below this number are nouns
	verbs    uint32   // synsets from nouns to below this number are verbs
	forms    words    // irregular forms
	bases    []uint32 // by index in forms: number of the lemma × partsOfSpeech + part of speech
}

const (
	tooBroad = 128 // has too many synsets below it to be useful in a search
	isClose  = 64  // has so few synsets below it that these may replace each other
)

// seen returns how often a synset occurs in tagged texts, at most 63.
func (n *net) seen(synset uint32) uint8 { return n.flags[synset] % isClose }

// pos returns the part of speech of a synset.
func (n *net) pos(synset uint32) int {
	switch {
	case synset < n.nouns:
		return 0
	case synset < n.verbs:
		return 1
	default:
		return 2
	}
}

var unpacked = sync.OnceValue(func() *net {
	raw, err := inflate()
	if err != nil {
		panic(fmt.Sprintf("wordnet.flate is damaged: %v", err))
	}
	return unpack(columns{raw})
})

// inflate decompresses the data after the licence at the beginning of the file.
func inflate() ([]byte, error) {
	_, data, _ := strings.Cut(packed, "\x00")
	return io.ReadAll(flate.NewReader(strings.NewReader(data)))
}

// unpack parses the layout that generate/pack.go describes.
func unpack(c columns) *net {
	lemmas, n := c.number(), &net{}
	synsets := [partsOfSpeech]int{c.number(), c.number(), c.number()}
	exceptions := c.number()
	n.nouns = uint32(synsets[0])
	n.verbs = n.nouns + uint32(synsets[1])
	all := synsets[0] + synsets[1] + synsets[2]

	n.lemmas = c.words(lemmas)
	n.senses = c.senses(lemmas, n.nouns, n.verbs)
	n.shares = slices.Clone(c.bytes(len(n.senses.items)))
	n.members = n.senses.inverse(all, n.shares, &n.backs)
	n.flags = slices.Clone(c.bytes(all))
	n.parents = c.lists(synsets[0])
	n.children = n.parents.inverse(synsets[0], nil, nil)
	for s := range n.nouns {
		slices.SortStableFunc(n.children.of(s), func(a, b uint32) int { return cmp.Compare(n.seen(b), n.seen(a)) })
	}
	n.forms = c.words(exceptions)
	n.bases = c.numbers(exceptions)
	return n
}

// columns is the unread rest of the data.
type columns struct{ rest []byte }

func (c *columns) number() int {
	n, size := binary.Uvarint(c.rest)
	c.rest = c.rest[size:]
	return int(n)
}

func (c *columns) numbers(count int) []uint32 {
	list := make([]uint32, count)
	for i := range list {
		list[i] = uint32(c.number())
	}
	return list
}

func (c *columns) bytes(count int) []byte {
	column := c.rest[:count]
	c.rest = c.rest[count:]
	return column
}

// starts converts a column of counts to the start of each list, and the end of the last one.
func (c *columns) starts(count int) []uint32 {
	starts := make([]uint32, count+1)
	for i, length := range c.bytes(count) {
		starts[i+1] = starts[i] + uint32(length)
	}
	return starts
}

func (c *columns) lists(count int) lists {
	starts := c.starts(count)
	return lists{starts, c.numbers(int(starts[count]))}
}

// senses reads the references to synsets, which count backwards from the next synset of their part of speech.
func (c *columns) senses(count int, nouns, verbs uint32) lists {
	l := c.lists(count)
	next := [partsOfSpeech]uint32{0, nouns, verbs}
	for i, reference := range l.items {
		pos := reference % partsOfSpeech
		l.items[i] = next[pos] - reference/partsOfSpeech
		if reference < partsOfSpeech {
			next[pos]++
		}
	}
	return l
}

// words reads a prefix-compressed list: each word omits the prefix that it shares with the previous one.
func (c *columns) words(count int) words {
	shared, lengths := c.bytes(count), c.bytes(count)
	w := words{ends: make([]uint32, count+1)}
	for i := range count {
		w.ends[i+1] = w.ends[i] + uint32(shared[i]) + uint32(lengths[i])
	}
	text := make([]byte, 0, w.ends[count])
	for i := range count {
		if i > 0 {
			text = append(text, text[w.ends[i-1]:w.ends[i-1]+uint32(shared[i])]...)
		}
		text = append(text, c.bytes(int(lengths[i]))...)
	}
	w.text = string(text)
	return w
}
