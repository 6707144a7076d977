package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/llm/embedding"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// endpoint is an Embedder with a delay, for tests in a synctest bubble, where time is exact.
type endpoint struct {
	takes time.Duration
	err   error

	mu    sync.Mutex
	asked []string
}

func (e *endpoint) Model() string { return "fake" }

func (e *endpoint) Embed(ctx ports.Outbound, texts []string) ([][]float32, error) {
	e.mu.Lock()
	e.asked = append(e.asked, texts...)
	takes, err := e.takes, e.err
	e.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return [][]float32{{float32(len(texts[0]))}}, err
}

func (e *endpoint) requests() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.asked)
}

func (e *endpoint) becomes(takes time.Duration, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.takes, e.err = takes, err
}

// broken returns no vectors and no error, which Queries does not expect.
type broken struct{ endpoint }

func (*broken) Embed(ports.Outbound, []string) ([][]float32, error) { return nil, nil }

func TestQueries_panic(t *testing.T) {
	t.Parallel()
	q := embedding.ForQueries(&broken{})
	for range 2 {
		if _, err := q.Embed(ports.NewOutbound(t.Context()), []string{"lamp"}); !errors.Is(err, fault.ErrPanic) {
			t.Error(err)
		}
	}
}

// ask embeds a query and returns how long that took.
func ask(t *testing.T, q *embedding.Queries, text string) (time.Duration, error) {
	t.Helper()
	began := time.Now()
	vectors, err := q.Embed(ports.NewOutbound(t.Context()), []string{text})
	if err == nil && (len(vectors) != 1 || len(vectors[0]) != 1) {
		t.Errorf("%q has %v", text, vectors)
	}
	return time.Since(began), err
}

// A query is requested once, however it is written and however many callers there are.
func TestQueries_Embed_cached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{takes: 100 * time.Millisecond}
		q := embedding.ForQueries(e)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := ask(t, q, "Red  SOFA"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, text := range []string{"red sofa", " Red\tsofa\n", "RED SOFA"} {
			if took, err := ask(t, q, text); took != 0 || err != nil {
				t.Errorf("%q took %s, %v", text, took, err)
			}
		}
		if e.requests() != 1 || e.asked[0] != "red sofa" {
			t.Errorf("asked for %q", e.asked)
		}
		if _, err := ask(t, q, strings.Repeat("ö", 5000)); err != nil || len([]rune(e.asked[1])) != 2000 {
			t.Errorf("%v: asked for %d characters", err, len([]rune(e.asked[1])))
		}
		for _, nothing := range []string{"", " \n"} {
			if _, err := ask(t, q, nothing); !fault.Is(err, "embeddings_refused") || e.requests() != 2 {
				t.Errorf("%q: %v", nothing, err)
			}
		}
	})
}

// A buyer waits at most 150 ms; a vector that arrives within 2 s is cached for the next one.
func TestQueries_Embed_lateAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{takes: 1500 * time.Millisecond}
		q := embedding.ForQueries(e)
		if took, err := ask(t, q, "sofa"); took != 150*time.Millisecond || !fault.Is(err, "embeddings_unavailable") {
			t.Fatalf("%s, %v", took, err)
		}
		if took, err := ask(t, q, "sofa"); took != 150*time.Millisecond || err == nil {
			t.Fatalf("meanwhile: %s, %v", took, err)
		}
		time.Sleep(1200 * time.Millisecond)
		if took, err := ask(t, q, "sofa"); took != 0 || err != nil || e.requests() != 1 {
			t.Errorf("after it came: %s, %v, %d requests", took, err, e.requests())
		}
		e.becomes(3*time.Second, nil)
		_, _ = ask(t, q, "lamp")
		time.Sleep(4 * time.Second)
		if _, err := ask(t, q, "lamp"); err == nil || e.requests() != 3 {
			t.Errorf("too late: %v, %d requests", err, e.requests())
		}
		time.Sleep(4 * time.Second)
	})
}

// An endpoint that is down soon delays nobody, and is used again once it is back.
func TestQueries_Embed_endpointDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{takes: time.Hour}
		q := embedding.ForQueries(e)
		for n := range 5 {
			_, _ = ask(t, q, fmt.Sprint("query ", n))
		}
		time.Sleep(2 * time.Second)
		before := e.requests()
		for n := range 100 {
			if took, err := ask(t, q, fmt.Sprint("later ", n)); took != 0 || !fault.Is(err, "embeddings_unavailable") {
				t.Fatalf("%s, %v", took, err)
			}
		}
		if e.requests() != before {
			t.Errorf("%d requests, after %d", e.requests(), before)
		}
		e.becomes(time.Millisecond, nil)
		time.Sleep(31 * time.Second)
		for n := range 10 {
			if _, err := ask(t, q, fmt.Sprint("back ", n)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Rejected queries do not suspend the endpoint, and at most 32 requests run concurrently.
func TestQueries_Embed_crowd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{err: fault.New(fault.Invalid, "embeddings_refused", "No.")}
		q := embedding.ForQueries(e)
		for n := range 20 {
			if _, err := ask(t, q, fmt.Sprint("strange ", n)); !fault.Is(err, "embeddings_refused") {
				t.Fatal(err)
			}
		}
		e.becomes(time.Second, nil)
		var all sync.WaitGroup
		for n := range 100 {
			all.Go(func() {
				if _, err := ask(t, q, fmt.Sprint("crowd ", n)); !fault.Is(err, "embeddings_unavailable") {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := e.requests(); n != 20+32 {
			t.Errorf("%d requests, want 52", n)
		}
		time.Sleep(time.Second)
		if _, err := ask(t, q, "later"); err == nil {
			t.Error("a slow answer came at once")
		}
		time.Sleep(time.Second)
	})
}

// A canceled call neither cancels the shared request nor counts as a failure.
func TestQueries_Embed_canceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{takes: 100 * time.Millisecond}
		q := embedding.ForQueries(e)
		for n := range 10 {
			gone, cancel := context.WithCancel(t.Context())
			go func() {
				time.Sleep(10 * time.Millisecond)
				cancel()
			}()
			if _, err := q.Embed(ports.NewOutbound(gone), []string{fmt.Sprint("query ", n)}); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
		time.Sleep(time.Second)
		for n := range 10 {
			if took, err := ask(t, q, fmt.Sprint("query ", n)); took != 0 || err != nil {
				t.Errorf("%s, %v", took, err)
			}
		}
	})
}
