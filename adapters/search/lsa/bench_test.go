package lsa_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/search/lsa"
)

// catalogue returns documents whose words are distributed like those of real catalogues: a few are very common, most are rare.
func catalogue(documents, terms, words int) lsa.Matrix {
	random := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(random, 1.07, 12, uint64(terms-1))
	lists := make([][]uint32, terms)
	for d := range uint32(documents) {
		for range words {
			term := zipf.Uint64()
			if list := lists[term]; len(list) == 0 || list[len(list)-1] != d {
				lists[term] = append(list, d)
			}
		}
	}
	m := lsa.Matrix{Documents: documents}
	for _, list := range lists {
		m.Document = append(m.Document, list...)
		m.Weight = append(m.Weight, slices.Repeat([]float32{1 / float32(1+len(list))}, len(list))...)
		m.Ends = append(m.Ends, uint32(len(m.Document)))
	}
	return m
}

func BenchmarkTrain(b *testing.B) {
	m := catalogue(20_000, 20_000, 80)
	b.ReportAllocs()
	b.ReportMetric(float64(len(m.Document)), "entries")
	for b.Loop() {
		if _, err := lsa.Train(b.Context(), m, 128, 1); err != nil {
			b.Fatal(err)
		}
	}
}
