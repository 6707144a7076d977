package ratelimit

import (
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/redisserver"
)

// benchKeys are keys like those of the HTTP adapters, more than there are processors and fewer than are remembered.
var benchKeys = func() []string {
	keys := make([]string, 4096)
	for i := range keys {
		keys[i] = "203.0.113.7/prj_" + strconv.Itoa(i)
	}
	return keys
}()

func BenchmarkTakeInMemory(b *testing.B) { benchmarkTake(b, open(b, "")) }

func BenchmarkTakeInRedis(b *testing.B) {
	l := open(b, patient(redisserver.Start(b)))
	benchmarkTake(b, l)
	if l.Alone() > 0 {
		b.Errorf("%d verdicts came without Redis", l.Alone())
	}
}

func benchmarkTake(b *testing.B, l *Limiter) {
	rate := plans[2].rate
	b.Run("one caller", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			l.Allow(ctx, benchKeys[i%len(benchKeys)], rate)
		}
	})
	b.Run("callers at once", func(b *testing.B) {
		var next atomic.Int64
		b.ReportAllocs()
		b.RunParallel(func(p *testing.PB) {
			for i := int(next.Add(1000)); p.Next(); i++ {
				l.Allow(ctx, benchKeys[i%len(benchKeys)], rate)
			}
		})
	})
	b.Run("one key that is refused", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Allow(ctx, "refused", plans[0].rate)
		}
	})
}
