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
	patience   = 150 * time.Millisecond // of a buyer
	late       = 2 * time.Second        // after which an answer is of no use to the next one either
	inFlight   = 32                     // requests at once
	remembered = 2000                   // queries: 12 MB with 1,536 numbers each
	longestAsk = 2000                   // characters of a query
	tooMany    = 5                      // failures in a row
	pause      = 30 * time.Second       // in which an endpoint that failed is not asked
)

// shares bound who waits. Beyond them a query is answered without its vector.
var shares = bulkhead.Shares{
	Places: 256,
	Tenant: 64,
	Target: 256,
}

// Queries is an Embedder for single queries that a buyer waits for: it answers within 150 ms, or with an error.
// Queries that differ in case and spaces are one. What comes late is remembered for whoever asks next. An
// endpoint that failed five times in a row is not asked for 30 s. Several texts at once go straight to the inner
// Embedder.
type Queries struct {
	inner   ports.Embedder
	known   *lru.Cache[string, []float32]
	flights singleflight.Group
	room    chan struct{}
	waiting *bulkhead.Room
	breaker *gobreaker.CircuitBreaker[[]float32]
}

var _ ports.QueryEmbedder = (*Queries)(nil)

// ForQueries asks an Embedder, which need not be patient.
func ForQueries(inner ports.Embedder) *Queries {
	known, _ := lru.New[string, []float32](remembered) // fails without a size only
	return &Queries{
		inner:   inner,
		known:   known,
		room:    make(chan struct{}, inFlight),
		waiting: bulkhead.NewRoom(shares),
		breaker: gobreaker.NewCircuitBreaker[[]float32](gobreaker.Settings{
			Timeout:     pause,
			ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
			// What a buyer writes is not to close the endpoint for the others.
			IsSuccessful: func(err error) bool { return err == nil || fault.Is(err, "embeddings_refused") },
		}),
	}
}

// Room is where those wait whose queries are embedded.
func (q *Queries) Room() *bulkhead.Room { return q.waiting }

// Model is the inner Embedder's.
func (q *Queries) Model() string { return q.inner.Model() }

// Forget has a query asked anew.
func (q *Queries) Forget(text string) { q.known.Remove(plain(text)) }

// Embed is the vector of one query, for the caller to keep.
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
		case landed = <-q.flights.DoChan(query, func() (any, error) { return q.survive(ctx.WithoutCancel(), query) }):
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

// survive calls ask and returns a panic as an error: ask runs in a goroutine of singleflight, where no caller can
// recover it.
func (q *Queries) survive(ctx ports.Outbound, query string) (vector []float32, err error) {
	err = fault.Survive(func() error {
		vector, err = q.ask(ctx, query)
		return err
	})
	return vector, err
}

// ask asks the endpoint, unless it is left alone or has much to do already.
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

// plain is a query as it is asked and remembered: in lower case, with single spaces, cut.
func plain(query string) string {
	query = strings.ToLower(strings.Join(strings.Fields(strings.ToValidUTF8(query, " ")), " "))
	if runes := []rune(query); len(runes) > longestAsk {
		return string(runes[:longestAsk])
	}
	return query
}
