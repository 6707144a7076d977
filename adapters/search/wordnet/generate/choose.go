package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// worth is how likely a shop uses a sense, in hundredths, by the number of the sense's lexicographer file: a watch is more likely
// an artifact than a period of time.
var worth = map[int]int{
	6:  100, // artifact
	13: 80,  // food
	20: 50,  // plant
	27: 50,  // substance
	5:  25,  // animal
	8:  30,  // body
	10: 25,  // communication: books, games
	17: 30,  // object
	25: 30,  // shape
	0:  25,  // adjectives
	7:  25,  // attribute: colours
}

const (
	worthOfVerb  = 5
	worthOfOther = 10
)

// choice is the data to pack. A lemma's senses are sorted, likeliest first. A synset is identified by its part of speech and a
// number, in the order in which the sorted lemmas first refer to it.
type choice struct {
	lemmas     []string
	senses     [][]sense // of each lemma
	synsets    [partsOfSpeech][]*synset
	numbers    map[*synset]int
	counts     map[*synset]int // in the tagged texts, all lemmas together
	below      map[*synset]int // how many synsets are below, at any depth
	parents    map[*synset][]*synset
	exceptions []exception
}

type sense struct {
	synset *synset
	weight int
	share  byte // of 255
}

// choose omits names (instances), Latin terms and lemmas without letters, weighs the senses, and sorts everything.
func choose(d dictionary) choice {
	c := choice{
		numbers: make(map[*synset]int),
		counts:  make(map[*synset]int),
		parents: make(map[*synset][]*synset),
	}
	byLemma := c.collect(d, latin(d))
	for lemma := range byLemma {
		c.lemmas = append(c.lemmas, lemma)
	}
	slices.Sort(c.lemmas)
	for _, lemma := range c.lemmas {
		senses := byLemma[lemma]
		slices.SortStableFunc(senses, func(a, b sense) int { return cmp.Compare(b.weight, a.weight) })
		divide(senses)
		c.senses = append(c.senses, senses)
		c.number(senses)
	}
	for _, s := range c.synsets[noun] {
		for _, parent := range s.parents {
			if p := d.synsets[parent]; c.kept(p) {
				c.parents[s] = append(c.parents[s], p)
			}
		}
	}
	c.below = below(c.synsets[noun], c.parents)
	c.exceptions = chosenExceptions(d.exceptions, byLemma)
	return c
}

func (c *choice) kept(s *synset) bool { _, kept := c.numbers[s]; return kept }

// number assigns the next numbers to synsets that have none yet.
func (c *choice) number(senses []sense) {
	for _, s := range senses {
		if !c.kept(s.synset) {
			c.numbers[s.synset] = len(c.synsets[s.synset.pos])
			c.synsets[s.synset.pos] = append(c.synsets[s.synset.pos], s.synset)
		}
	}
}

// collect groups the senses by the lemma in plain spelling; "wrist-watch" is merged with "wrist watch".
func (c *choice) collect(d dictionary, latin func(*synset, string) bool) map[string][]sense {
	byLemma := make(map[string][]sense)
	for _, e := range d.entries {
		lemma := plain(e.lemma)
		if !strings.ContainsFunc(lemma, letter) {
			continue
		}
		for rank, offset := range e.senses {
			s := d.synsets[address{e.pos, offset}]
			if s.instance && len(s.parents) == 0 || latin(s, e.lemma) {
				continue
			}
			count := d.counts[tagged{e.lemma, e.pos, rank + 1}]
			c.counts[s] += count
			byLemma[lemma] = add(byLemma[lemma], sense{synset: s, weight: weigh(s, count, rank)})
		}
	}
	return byLemma
}

func add(senses []sense, s sense) []sense {
	for i := range senses {
		if senses[i].synset == s.synset {
			senses[i].weight += s.weight
			return senses
		}
	}
	return append(senses, s)
}

// weigh returns the weight of a sense. It damps the count, which is from news and novels, and uses the rank if there is no count.
func weigh(s *synset, count, rank int) int {
	factor, named := worth[s.file]
	switch {
	case s.pos == verb:
		factor = worthOfVerb
	case s.pos == adjective:
		factor = worth[0]
	case !named:
		factor = worthOfOther
	}
	return max(1, factor*(int(100*math.Sqrt(float64(count)))+200/(rank+2)))
}

// divide sets every sense's share of the total weight.
func divide(senses []sense) {
	total := 0
	for _, s := range senses {
		total += s.weight
	}
	for i, s := range senses {
		senses[i].share = byte(max(1, (255*s.weight+total/2)/total))
	}
}

// below counts the synsets below each synset.
func below(synsets []*synset, parents map[*synset][]*synset) map[*synset]int {
	count := make(map[*synset]int)
	for _, s := range synsets {
		above := make(map[*synset]bool)
		climb(s, parents, above)
		for ancestor := range above {
			count[ancestor]++
		}
	}
	return count
}

func climb(s *synset, parents map[*synset][]*synset, above map[*synset]bool) {
	for _, parent := range parents[s] {
		if !above[parent] {
			above[parent] = true
			climb(parent, parents, above)
		}
	}
}

// chosenExceptions returns the distinct exceptions whose base is kept, in plain spelling, sorted by form.
func chosenExceptions(all []exception, kept map[string][]sense) []exception {
	var chosen []exception
	for _, e := range all {
		e.form, e.base = plain(e.form), plain(e.base)
		known := slices.ContainsFunc(kept[e.base], func(s sense) bool { return s.synset.pos == e.pos })
		if known && e.form != e.base {
			chosen = append(chosen, e)
		}
	}
	slices.SortStableFunc(chosen, func(a, b exception) int {
		return cmp.Or(cmp.Compare(a.form, b.form), cmp.Compare(a.pos, b.pos))
	})
	return slices.Compact(chosen)
}
