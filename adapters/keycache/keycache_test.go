package keycache_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/keycache"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// source has one key, and counts who asks for it.
type source struct {
	asked atomic.Int64
	slow  time.Duration
	fails error

	mu  sync.Mutex
	key account.Key
}

func (s *source) KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	s.asked.Add(1)
	s.mu.Lock()
	key, fails := s.key, s.fails
	s.mu.Unlock()
	select {
	case <-time.After(s.slow):
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if fails != nil {
		return nil, nil, fails
	}
	if hash != key.Hash {
		return nil, nil, fault.Missing("api_key")
	}
	return &key, &account.Account{Name: "owner"}, nil
}

func (s *source) rename(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key.Name = name
}

// name returns the key's name according to the cache.
func name(t *testing.T, c *keycache.Cache) string {
	t.Helper()
	key, owner, err := c.KeyByHash(t.Context(), [32]byte{})
	if err != nil || owner.Name != "owner" {
		t.Fatal(owner, err)
	}
	return key.Name
}

func wants(t *testing.T, what, got, want string, s *source, asked int64) {
	t.Helper()
	if got != want || s.asked.Load() != asked {
		t.Errorf("%s: the key is %q after %d queries, want %q after %d", what, got, s.asked.Load(), want, asked)
	}
}

func TestCache_KeyByHash_maxAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{key: account.Key{Name: "one"}, slow: 300 * time.Millisecond}
		c := keycache.New(s, time.Now)
		wants(t, "first", name(t, c), "one", s, 1)
		s.rename("two")
		time.Sleep(499 * time.Millisecond) // and the query's 300
		wants(t, "within 800 ms of the query's beginning", name(t, c), "one", s, 1)
		time.Sleep(time.Millisecond)
		wants(t, "after", name(t, c), "two", s, 2)
	})
}

// Concurrent callers share one query, even after the first of them has left.
func TestCache_KeyByHash_concurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{slow: 100 * time.Millisecond}
		c := keycache.New(s, time.Now)
		impatient, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, _, err := c.KeyByHash(impatient, [32]byte{}); !errors.Is(err, context.Canceled) {
				t.Errorf("who left got %v", err)
			}
		})
		synctest.Wait() // the query under way is the one of who leaves
		for range 64 {
			all.Go(func() { name(t, c) })
		}
		synctest.Wait()
		leave()
		all.Wait()
		wants(t, "together", name(t, c), "", s, 1)
	})
}

// A caller does not use the record of a query that began more than maxAge before the call.
func TestCache_KeyByHash_slowQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{key: account.Key{Name: "one"}, slow: time.Second}
		c := keycache.New(s, time.Now)
		var all sync.WaitGroup
		all.Go(func() { name(t, c) })
		time.Sleep(900 * time.Millisecond)
		s.rename("two")
		wants(t, "late", name(t, c), "two", s, 2)
		all.Wait()
	})
}

// Neither an error nor an unknown key is cached.
func TestCache_KeyByHash_notFound(t *testing.T) {
	t.Parallel()
	s := &source{fails: fault.New(fault.Unavailable, "storage_unavailable", "")}
	c := keycache.New(s, time.Now)
	for range 2 {
		if _, _, err := c.KeyByHash(t.Context(), [32]byte{1}); !fault.Is(err, "storage_unavailable") {
			t.Errorf("a failing store: %v", err)
		}
	}
	s.fails = nil
	for range 2 {
		if _, _, err := c.KeyByHash(t.Context(), [32]byte{1}); !fault.Is(err, "api_key_not_found") {
			t.Errorf("an unknown key: %v", err)
		}
	}
	wants(t, "at last", name(t, c), "", s, 5)
}

// A forgotten key is read from the source each time, until no transaction that changes it can still be open.
func TestCache_Forget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{key: account.Key{Name: "one"}}
		c := keycache.New(s, time.Now)
		wants(t, "first", name(t, c), "one", s, 1)
		c.Forget([32]byte{})
		wants(t, "before the commit", name(t, c), "one", s, 2)
		s.rename("two")
		wants(t, "after the commit", name(t, c), "two", s, 3)
		time.Sleep(time.Minute)
		wants(t, "a minute later", name(t, c), "two", s, 4)
		wants(t, "and again", name(t, c), "two", s, 4)
	})
}

// A query that began before its key was forgotten does not bring the old record back.
func TestCache_Forget_duringQuery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{key: account.Key{Name: "one"}, slow: 100 * time.Millisecond}
		c := keycache.New(s, time.Now)
		var all sync.WaitGroup
		all.Go(func() { name(t, c) })
		synctest.Wait()
		s.rename("two")
		c.Forget([32]byte{})
		wants(t, "during it", name(t, c), "two", s, 2)
		all.Wait()
		wants(t, "after it", name(t, c), "two", s, 3)
	})
}

// A thousand concurrent lookups of unknown keys use only their own places; the rest are refused after a second. A known key
// is still looked up meanwhile.
func TestCache_KeyByHash_overloaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{key: account.Key{Name: "one"}}
		c := keycache.New(s, time.Now)
		wants(t, "first", name(t, c), "one", s, 1)
		time.Sleep(time.Second) // it is stale
		s.slow = 600 * time.Millisecond
		var all sync.WaitGroup
		var refused, unknown atomic.Int64
		for n := range 1000 {
			all.Go(func() {
				begun := time.Now()
				switch _, _, err := c.KeyByHash(t.Context(), [32]byte{1, byte(n >> 8), byte(n)}); {
				case fault.Is(err, "overloaded") && fault.KindOf(err) == fault.Unavailable && time.Since(begun) == time.Second:
					refused.Add(1)
				case fault.Is(err, "api_key_not_found"):
					unknown.Add(1)
				default:
					t.Errorf("%v after %v", err, time.Since(begun))
				}
			})
		}
		synctest.Wait()
		wants(t, "at once", "", "", s, 5)
		begun := time.Now()
		if name(t, c); time.Since(begun) != s.slow {
			t.Errorf("a known key took %v", time.Since(begun))
		}
		all.Wait()
		wants(t, "in all", "", "", s, 10)
		if unknown.Load() != 8 || refused.Load() != 992 {
			t.Errorf("%d were looked up and %d refused", unknown.Load(), refused.Load())
		}
	})
}

func TestCache_Known(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		c := keycache.New(s, time.Now)
		known := func(what string, want bool) {
			t.Helper()
			if c.Known([32]byte{}) != want || c.Known([32]byte{1}) {
				t.Errorf("%s it is known: %v", what, !want)
			}
		}
		known("at first", false)
		name(t, c)
		known("when it was found", true)
		time.Sleep(time.Hour)
		known("when it is stale", true)
		s.mu.Lock()
		s.key.Hash = [32]byte{2} // another key is there in its place
		s.mu.Unlock()
		for _, hash := range [][32]byte{{}, {1}} {
			if _, _, err := c.KeyByHash(t.Context(), hash); !fault.Is(err, "api_key_not_found") {
				t.Error(err)
			}
		}
		known("when it is gone", false)
	})
}
