package wordnet

import "strings"

// words is a sorted list of words in one string.
type words struct {
	text string
	ends []uint32 // word i lies between ends i and i+1
}

func (w *words) at(i uint32) string { return w.text[w.ends[i]:w.ends[i+1]] }

// from returns the number of the first word that is not less than the given one.
func (w *words) from(word string) uint32 {
	low, high := uint32(0), uint32(len(w.ends)-1)
	for low < high {
		middle := (low + high) / 2
		if w.at(middle) < word {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (w *words) find(word string) (number uint32, known bool) {
	i := w.from(word)
	return i, int(i) < len(w.ends)-1 && w.at(i) == word
}

// lists is many lists of numbers in one array.
type lists struct {
	starts []uint32 // list i lies between starts i and i+1
	items  []uint32
}

func (l *lists) of(i uint32) []uint32 { return l.items[l.starts[i]:l.starts[i+1]] }

// inverse returns, for every item, the numbers of the lists that contain it, in order. The marks of the items are moved to the
// positions of those numbers.
func (l *lists) inverse(items int, marks []uint8, moved *[]uint8) lists {
	inverse := lists{make([]uint32, items+1), make([]uint32, len(l.items))}
	for _, item := range l.items {
		inverse.starts[item+1]++
	}
	for i := range items {
		inverse.starts[i+1] += inverse.starts[i]
	}
	if marks != nil {
		*moved = make([]uint8, len(marks))
	}
	next := append([]uint32(nil), inverse.starts...)
	for list := range uint32(len(l.starts) - 1) {
		for at := l.starts[list]; at < l.starts[list+1]; at++ {
			to := next[l.items[at]]
			next[l.items[at]]++
			inverse.items[to] = list
			if marks != nil {
				(*moved)[to] = marks[at]
			}
		}
	}
	return inverse
}

// respelt finds a lemma that WordNet has as one word instead of two, or the other way around: "earring" for "ear ring", "coffee
// maker" for "coffeemaker".
func (w *words) respelt(lemma string) (number uint32, known bool) {
	if strings.Contains(lemma, " ") {
		return w.find(strings.ReplaceAll(lemma, " ", ""))
	}
	var space [48]byte
	if len(lemma) >= len(space) {
		return 0, false
	}
	for cut := 2; cut < len(lemma)-1; cut++ {
		apart := append(append(append(space[:0], lemma[:cut]...), ' '), lemma[cut:]...)
		if number, known = w.find(string(apart)); known {
			return number, true
		}
	}
	return 0, false
}
