package spelling

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func vocabulary(size int) []string {
	random := rand.New(rand.NewPCG(7, uint64(size)))
	list := slices.Clone(known)
	for len(list) < size {
		list = words(strings.Join(append(list, madeUp(random, size-len(list))...), " "))
	}
	for len(list) > size {
		list = slices.Delete(list, len(list)/2, len(list)/2+len(list)-size)
	}
	return list
}

func BenchmarkNew(b *testing.B) {
	for _, size := range []int{300, 1999, 2000, 80_000} {
		list := vocabulary(max(size, len(known)))[:size]
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			kept := lexiconOf(list)
			runtime.GC()
			runtime.ReadMemStats(&after)
			for b.Loop() {
				lexiconOf(list)
			}
			b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/1e6, "kept-MB")
			runtime.KeepAlive(kept)
		})
	}
}

func BenchmarkNear(b *testing.B) {
	for _, size := range []int{300, 1999, 2000, 20_000, 80_000} {
		list := vocabulary(max(size, len(known)))[:size]
		random := rand.New(rand.NewPCG(11, 13))
		asked := make([]string, 2000)
		for i := range asked {
			for len(asked[i]) < shortestAsked {
				asked[i] = spoil(random, list[random.IntN(size)], 1+random.IntN(2))
			}
		}
		lexicon := lexiconOf(list)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				lexicon.Near(asked[i%len(asked)], 5)
				i++
			}
			b.ReportMetric(slowest(lexicon, asked), "p99-µs")
		})
	}
}

// slowest returns the 99th percentile of the time of a call.
func slowest(lexicon *Lexicon, asked []string) float64 {
	took := make([]time.Duration, len(asked))
	for i, word := range asked {
		began := time.Now()
		lexicon.Near(word, 5)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return float64(took[len(took)*99/100].Nanoseconds()) / 1e3
}
