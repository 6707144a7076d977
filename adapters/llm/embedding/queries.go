package embedding

import (
	"errors"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/singleflight"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	patience   = 150 * time.Millisecond // how long a buyer waits
	late       = 2 * time.Second        // after which a response is not cached either
	inFlight   = 32                     // requests at once
	remembered = 2000                   // queries: 12 MB with 1,536 numbers each
	longestAsk = 2000                   // characters of a query
	tooMany    = 5                      // failures in a row
	pause      = 30 * time.Second       // during which a failing endpoint gets no requests
)

// shares bounds how many queries wait. Beyond them a query is answered without its vector.
var shares = bulkhead.Shares{
	Places: 256,
	Tenant: 64,
	Target: 256,
}

// Queries is an Embedder for single queries that a buyer waits for: it returns a vector within 150 ms, or an error. Queries
// that differ only in case and spaces are the same. A late vector is cached for the next caller. After five consecutive
// failures the endpoint gets no requests for 30 s. Calls with several texts go directly to the inner Embedder.
type Queries struct {
	inner   ports.Embedder
	known   *lru.Cache[string, []float32]
	flights singleflight.Group
	room    chan struct{}
	waiting *bulkhead.Room
	breaker *gobreaker.CircuitBreaker[[]float32]
}

var _ ports.QueryEmbedder = (*Queries)(nil)

// ForQueries returns Queries that get vectors from an Embedder, which needs no timeout of its own.
func ForQueries(inner ports.Embedder) *Queries {
	known, _ := lru.New[string, []float32](remembered) // fails only without a size
	return &Queries{
		inner:   inner,
		known:   known,
		room:    make(chan struct{}, inFlight),
		waiting: bulkhead.NewRoom(shares),
		breaker: gobreaker.NewCircuitBreaker[[]float32](gobreaker.Settings{
			Timeout:     pause,
			ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
			// A query that the endpoint rejects must not suspend it for other buyers.
			IsSuccessful: func(err error) bool { return err == nil || fault.Is(err, "embeddings_refused") },
		}),
	}
}

// Room returns the bulkhead of callers that wait for a vector.
func (q *Queries) Room() *bulkhead.Room { return q.waiting }

// Model returns the inner Embedder's model.
func (q *Queries) Model() string { return q.inner.Model() }

// Forget removes a query's vector from the cache.
func (q *Queries) Forget(text string) { q.known.Remove(plain(text)) }

// Embed returns the vector of one query. The caller may modify it.
func (q *Queries) Embed(ctx ports.Outbound, texts []string) ([][]float32, error) {
	if len(texts) != 1 {
		return q.inner.Embed(ctx, texts)
	}
	query := plain(texts[0])
	if query == "" {
		return nil, refused("There is nothing in the query to embed.")
	}
	if vector, ok := q.known.Get(query); ok {
		return [][]float32{slices.Clone(vector)}, ctx.Err()
	}
	ctx, cancel := ctx.WithTimeout(patience)
	defer cancel()
	var landed singleflight.Result
	err := q.waiting.Wait(ctx, "", func() error {
		select {
		case landed = <-q.flights.DoChan(query, func() (any, error) { return q.recoverPanic(ctx.WithoutCancel(), query) }):
			return landed.Err
		case <-ctx.Done():
			return failed(ctx, ctx.Err())
		}
	})
	switch {
	case errors.Is(err, bulkhead.ErrFull):
		return nil, unavailable("The embeddings endpoint has much to do already.")
	case err != nil:
		return nil, err
	}
	return [][]float32{slices.Clone(landed.Val.([]float32))}, nil
}

// recoverPanic calls ask and returns a panic as an error, because a panic in singleflight's goroutine cannot be recovered by
// a caller.
func (q *Queries) recoverPanic(ctx ports.Outbound, query string) (vector []float32, err error) {
	err = fault.Survive(func() error {
		vector, err = q.ask(ctx, query)
		return err
	})
	return vector, err
}

// ask sends a request to the endpoint, unless it is suspended or has inFlight requests already.
func (q *Queries) ask(ctx ports.Outbound, query string) ([]float32, error) {
	select {
	case q.room <- struct{}{}:
		defer func() { <-q.room }()
	default:
		return nil, unavailable("The embeddings endpoint has much to do already.")
	}
	vector, err := q.breaker.Execute(func() ([]float32, error) {
		ctx, cancel := ctx.WithTimeout(late)
		defer cancel()
		vectors, err := q.inner.Embed(ctx, []string{query})
		if err != nil {
			return nil, err
		}
		return vectors[0], nil
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return nil, unavailable("The embeddings endpoint is left alone for a while.").Because(err)
	}
	if err == nil {
		q.known.Add(query, vector)
	}
	return vector, err
}

// plain normalizes a query for the endpoint and the cache: lower case, single spaces, bounded length.
func plain(query string) string {
	query = strings.ToLower(strings.Join(strings.Fields(strings.ToValidUTF8(query, " ")), " "))
	if runes := []rune(query); len(runes) > longestAsk {
		return string(runes[:longestAsk])
	}
	return query
}
