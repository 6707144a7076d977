// Package keycache remembers API keys for less than a second, so that authenticating a request costs
// no round trip, and bounds how many are looked up at once, so that strangers with keys that nobody
// knows keep the database from no one else. It holds no state that matters: each replica has its own.
package keycache

import (
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// maxAge is how old a record may be, from before it was asked for: a key revoked by another replica
	// stops working within a second.
	maxAge = 800 * time.Millisecond
	// doubt is how long a forgotten key is read anew each time: longer than the transaction that is
	// about to change it can last.
	doubt = time.Minute
	// patience bounds one query that several callers wait for.
	patience = 5 * time.Second

	// Lookups at once, of keys that were found before and of all others: the database has 20 connections.
	knownPlaces, strangePlaces = 4, 4
	// longestWait is how long a lookup waits for a place.
	longestWait = time.Second

	most        = 10_000
	mostDoubted = 1_000
)

// Source is where keys are looked up.
type Source interface {
	KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error)
}

// Cache is a ports.KeyCache. It is safe for concurrent use.
type Cache struct {
	source  Source
	now     func() time.Time
	flights singleflight.Group
	records *lru.Cache[[32]byte, record]

	known, strange *semaphore.Weighted // places for lookups

	change  sync.Mutex // orders remembering and forgetting
	doubted *lru.Cache[[32]byte, time.Time]
}

var _ ports.KeyCache = (*Cache)(nil)

// record is what a query answered, and when it began.
type record struct {
	key   *account.Key
	owner *account.Account
	began time.Time
}

// New is an empty cache before a source. now is a monotonic clock.
func New(source Source, now func() time.Time) *Cache {
	c := &Cache{
		source: source, now: now,
		known: semaphore.NewWeighted(knownPlaces), strange: semaphore.NewWeighted(strangePlaces),
	}
	// These fail for sizes below one alone.
	c.records, _ = lru.New[[32]byte, record](most)
	c.doubted, _ = lru.New[[32]byte, time.Time](mostDoubted)
	return c
}

func (c *Cache) KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	now := c.now()
	if r, ok := c.records.Get(hash); ok && now.Sub(r.began) < maxAge {
		return r.key, r.owner, nil
	}
	if c.doubts(hash) {
		r, err := c.lookUp(ctx, hash)
		return r.key, r.owner, err
	}
	r, err := c.together(ctx, hash)
	if err == nil && now.Sub(r.began) >= maxAge { // the query of others was slow
		r, err = c.lookUp(ctx, hash)
	}
	return r.key, r.owner, err
}

func (c *Cache) Known(hash [32]byte) bool { return c.records.Contains(hash) }

// lookUp asks the source, when there is a place for that.
func (c *Cache) lookUp(ctx context.Context, hash [32]byte) (record, error) {
	places := c.strange
	if c.Known(hash) {
		places = c.known
	}
	if err := acquire(ctx, places); err != nil {
		return record{}, err
	}
	defer places.Release(1)
	r := record{began: c.now()}
	var err error
	r.key, r.owner, err = c.source.KeyByHash(ctx, hash)
	return r, err
}

// acquire takes a place, but does not wait for long.
func acquire(ctx context.Context, places *semaphore.Weighted) error {
	waited, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	if places.Acquire(waited, 1) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fault.New(fault.Unavailable, "overloaded", "The server is busy. Try again.").After(time.Second)
}

// together is one query for all who ask at the same time. It does not end with the first who asked.
func (c *Cache) together(ctx context.Context, hash [32]byte) (record, error) {
	flight := c.flights.DoChan(string(hash[:]), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		r, err := c.lookUp(ctx, hash)
		switch {
		case err == nil:
			c.remember(hash, r)
		case fault.KindOf(err) == fault.NotFound:
			c.records.Remove(hash) // no longer known
		}
		return r, err
	})
	select {
	case <-ctx.Done():
		return record{}, ctx.Err()
	case result := <-flight:
		return result.Val.(record), result.Err
	}
}

func (c *Cache) remember(hash [32]byte, r record) {
	c.change.Lock()
	defer c.change.Unlock()
	if !c.doubts(hash) {
		c.records.Add(hash, r)
	}
}

func (c *Cache) doubts(hash [32]byte) bool {
	until, ok := c.doubted.Get(hash)
	return ok && c.now().Before(until)
}

func (c *Cache) Forget(hash [32]byte) {
	c.change.Lock()
	defer c.change.Unlock()
	c.doubted.Add(hash, c.now().Add(doubt))
	c.records.Remove(hash)
}
