package embeddings

import (
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// Vector returns the vector of a text, of length 1: the sum of a pseudo-random direction for each of its words. Words of
// one concept have the same direction, and a frequent word counts a little more. Vector depends only on the text and the
// number of dimensions.
func Vector(text string, dims int) []float32 {
	counts := make(map[string]int)
	for _, word := range words(text) {
		counts[word]++
	}
	if len(counts) == 0 {
		counts[text]++ // a text of punctuation alone is one word
	}
	sum := make([]float64, dims)
	for _, word := range slices.Sorted(maps.Keys(counts)) { // in a fixed order, because sums are rounded
		weight := 1 + math.Log(float64(counts[word]))
		for i, x := range direction(word, dims) {
			sum[i] += weight * x
		}
	}
	return unit(sum)
}

// words returns the words of a text that count, each replaced by its concept.
func words(text string) (list []string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !stop[word] {
			list = append(list, concept(word))
		}
	}
	return list
}

func concept(word string) string {
	if c, ok := concepts[word]; ok {
		return c
	}
	one := strings.TrimSuffix(word, "s")
	if strings.HasSuffix(word, "ss") || len(one) < 3 {
		return word
	}
	if c, ok := concepts[one]; ok {
		return c
	}
	return one
}

// direction returns a word's own direction.
func direction(word string, dims int) []float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	all, length := make([]float64, dims), 0.0
	for i := range all {
		all[i] = random.NormFloat64()
		length += all[i] * all[i]
	}
	for i := range all {
		all[i] /= math.Sqrt(length)
	}
	return all
}

func unit(sum []float64) []float32 {
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	vector := make([]float32, len(sum))
	for i, x := range sum {
		vector[i] = float32(x / math.Sqrt(length))
	}
	return vector
}
