package simulation

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// number reads a number from the environment.
func number(name string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// Random failures leave money, stock, orders and events consistent. Without SCHEDULES a few fixed schedules run, otherwise that
// many. SEED is the first schedule's seed, and each further one has the next number.
func TestSchedules(t *testing.T) {
	t.Parallel()
	first, n := number("SEED", 1), number("SCHEDULES", 0)
	switch {
	case n == 0:
		n = 300
	case os.Getenv("SEED") == "":
		first = uint64(time.Now().UnixNano())
	}
	debug.SetGCPercent(1600) // a schedule is short and uses little memory
	begun := time.Now()
	var next, failed, steps atomic.Uint64
	var shards sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		shards.Go(func() {
			for k := next.Add(1) - 1; k < n && failed.Load() < 3; k = next.Add(1) - 1 {
				s := scheduled(t, first+k, n == 1)
				steps.Add(uint64(s.steps))
				if len(s.broken) > 0 {
					failed.Add(1)
					t.Error(scheduled(t, first+k, true).report())
				}
			}
		})
	}
	shards.Wait()
	took, done := time.Since(begun), min(next.Load(), n)
	t.Logf("%d schedules of %d steps from seed %d in %s: %.0f a minute", done, steps.Load()/done, first, took, float64(done)/took.Minutes())
}

func scheduled(t *testing.T, seed uint64, keep bool) (s *simulation) {
	synctest.Test(t, func(t *testing.T) { s = simulate(seed, keep) })
	return s
}

// The same seed gives the same schedule.
func TestASeedIsOneSchedule(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		one, two := scheduled(t, seed, true), scheduled(t, seed, true)
		if one.sum != two.sum || one.steps != two.steps {
			for n := range min(len(one.trace), len(two.trace)) {
				if one.trace[n] != two.trace[n] {
					t.Fatalf("seed %d: at step %d\n%s\nor %s", seed, n, strings.Join(one.trace[max(n-20, 0):n+1], "\n"), two.trace[n])
				}
			}
			t.Fatalf("seed %d: %d steps, and %d", seed, one.steps, two.steps)
		}
	}
}
