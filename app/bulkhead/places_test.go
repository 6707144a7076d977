package bulkhead_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
)

// double allows a tenant twice the places that are free, less one for the next tenant.
func double(free int) int { return max(1, 2*(free-1)) }

// takeAll takes places until the tenant may have no more, and returns how many it got.
func takeAll(t *testing.T, p *bulkhead.Places, tenant string) (n int) {
	t.Helper()
	for p.Take(t.Context(), tenant, time.Second) {
		n++
	}
	return n
}

// Greedy tenants leave places for the next tenant.
func TestPlaces_Take_leavesPlacesForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			size int
			got  []int
		}{
			{1, []int{1, 0}},
			{4, []int{2, 1, 1, 0}},
			{10, []int{6, 2, 1, 1, 0}},
			{20, []int{13, 4, 2, 1, 0}},
		} {
			p := bulkhead.NewPlaces(c.size, double)
			for i, want := range c.got {
				if n := takeAll(t, p, string(rune('a'+i))); n != want {
					t.Errorf("tenant %d gets %d of %d places, want %d", i, n, c.size, want)
				}
			}
		}
	})
}

// Greedy tenants end up with equal shares.
func TestPlaces_Release_equalShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bulkhead.NewPlaces(20, double)
		var mu sync.Mutex
		has := map[string]int{}
		add := func(tenant string, n int) int {
			mu.Lock()
			defer mu.Unlock()
			has[tenant] += n
			return has[tenant]
		}
		ctx, end := context.WithCancel(t.Context())
		for _, tenant := range []string{"a", "b"} {
			for range 40 {
				go func() {
					for ctx.Err() == nil && p.Take(ctx, tenant, 0) {
						add(tenant, 1)
						time.Sleep(time.Second)
						add(tenant, -1)
						p.Release(tenant)
					}
				}()
			}
			synctest.Wait()
		}
		if a, b := add("a", 0), add("b", 0); a != 13 || b != 4 {
			t.Errorf("at first %d and %d", a, b)
		}
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if a, b := add("a", 0), add("b", 0); a != 8 || b != 8 {
			t.Errorf("then %d and %d, want 8 each of 20", a, b)
		}
		end()
		time.Sleep(2 * time.Second)
	})
}

// A waiter whose context ends leaves the queue and takes no place.
func TestPlaces_Take_contextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bulkhead.NewPlaces(1, double)
		p.Take(t.Context(), "a", 0)
		ctx, giveUp := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, giveUp)
		if p.Take(ctx, "b", 0) || p.Take(t.Context(), "b", time.Second) || p.Waiting() != 0 {
			t.Error("a place was given twice")
		}
		p.Release("a")
		if !p.Take(t.Context(), "c", time.Second) {
			t.Error("the place is lost")
		}
	})
}

func BenchmarkPlaces(b *testing.B) {
	p := bulkhead.NewPlaces(20, double)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p.Take(b.Context(), "shop", 0)
			p.Release("shop")
		}
	})
}

func TestPlaces_Pass(t *testing.T) {
	t.Parallel()
	p := bulkhead.NewPlaces(1, double)
	if !p.Take(t.Context(), "a", 0) || p.Pass("a") {
		t.Fatal("a place passed to nobody")
	}
	if p.Take(t.Context(), "b", time.Millisecond) {
		t.Fatal("the place was given up")
	}
	got := make(chan bool)
	go func() { got <- p.Take(t.Context(), "b", 0) }()
	for p.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	if !p.Pass("a") || !<-got {
		t.Fatal("the place was not passed")
	}
	if p.Take(t.Context(), "a", time.Millisecond) {
		t.Error("there are two places")
	}
	p.Release("b")
	if !p.Take(t.Context(), "a", 0) {
		t.Error("the place did not come back")
	}
}
