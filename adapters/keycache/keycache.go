// Package keycache caches API keys for less than a second, so that authenticating a request costs no round trip. It also bounds
// concurrent lookups of keys and of members' sessions, so that requests with unknown ones cannot use up the database's
// connections. It does not cache sessions. Each replica has its own cache, and losing it is harmless.
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
	// maxAge is how old a record may be, counted from the start of its query: a key revoked by another replica stops working
	// within a second.
	maxAge = 800 * time.Millisecond
	// forgetFor is how long a forgotten key is not cached: longer than the transaction that is about to change it can last.
	forgetFor = time.Minute
	// patience is the timeout of a query that several callers wait for.
	patience = 5 * time.Second

	// Concurrent lookups of keys that were found before, and of all others. The database has 20 connections.
	knownPlaces, unknownPlaces = 4, 4
	// longestWait is how long a lookup waits for a place.
	longestWait = time.Second

	maxRecords   = 10_000
	maxForgotten = 1_000
)

// Source looks up keys.
type Source interface {
	KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error)
}

// Cache is a ports.KeyCache. It is safe for concurrent use.
type Cache struct {
	source  Source
	now     func() time.Time
	flights singleflight.Group
	records *lru.Cache[[32]byte, record]

	known, unknown *semaphore.Weighted // places for lookups

	change         sync.Mutex // orders remembering and forgetting
	forgottenUntil *lru.Cache[[32]byte, time.Time]
}

var _ ports.KeyCache = (*Cache)(nil)

// record is the result of a query, and when the query began.
type record struct {
	key   *account.Key
	owner *account.Account
	began time.Time
}

// New returns an empty cache in front of a source. now is a monotonic clock.
func New(source Source, now func() time.Time) *Cache {
	c := &Cache{
		source: source, now: now,
		known: semaphore.NewWeighted(knownPlaces), unknown: semaphore.NewWeighted(unknownPlaces),
	}
	// lru.New fails only for sizes below one.
	c.records, _ = lru.New[[32]byte, record](maxRecords)
	c.forgottenUntil, _ = lru.New[[32]byte, time.Time](maxForgotten)
	return c
}

func (c *Cache) KeyByHash(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	now := c.now()
	if r, ok := c.records.Get(hash); ok && now.Sub(r.began) < maxAge {
		return r.key, r.owner, nil
	}
	if c.forgotten(hash) {
		r, err := c.lookUp(ctx, hash)
		return r.key, r.owner, err
	}
	r, err := c.sharedLookUp(ctx, hash)
	if err == nil && now.Sub(r.began) >= maxAge { // the query of others was slow
		r, err = c.lookUp(ctx, hash)
	}
	return r.key, r.owner, err
}

func (c *Cache) Known(hash [32]byte) bool { return c.records.Contains(hash) }

// lookUp waits for a place and then queries the source.
func (c *Cache) lookUp(ctx context.Context, hash [32]byte) (record, error) {
	places := c.unknown
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

// acquire waits for a place, for at most longestWait.
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

// sharedLookUp shares one query among concurrent callers. Canceling the first caller does not cancel the query.
func (c *Cache) sharedLookUp(ctx context.Context, hash [32]byte) (record, error) {
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
	if !c.forgotten(hash) {
		c.records.Add(hash, r)
	}
}

func (c *Cache) forgotten(hash [32]byte) bool {
	until, ok := c.forgottenUntil.Get(hash)
	return ok && c.now().Before(until)
}

func (c *Cache) Forget(hash [32]byte) {
	c.change.Lock()
	defer c.change.Unlock()
	c.forgottenUntil.Add(hash, c.now().Add(forgetFor))
	c.records.Remove(hash)
}
