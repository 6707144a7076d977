package usecases

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/llm/embedding"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
	"github.com/haggle-commerce/haggle/simulator/embeddings"
)

func newEmbedder(s *embeddings.Server) *embedding.Client {
	return embedding.New(embedding.Config{URL: s.URL + "/v1", Model: "look-alike"})
}

// embedding.Client fulfills the contract of ports.Embedder.
func TestEmbed_contract(t *testing.T) {
	t.Parallel()
	adaptertest.Embedder(t, func(t *testing.T) ports.Embedder { return newEmbedder(boottest.Embeddings(t, embeddings.Config{})) })
}

// Requests are batches of at most 64 texts with the API key, below a base URL with or without a trailing slash.
func TestEmbed_requests(t *testing.T) {
	t.Parallel()
	s := boottest.Embeddings(t, embeddings.Config{Key: "secret", Dims: 4})
	for _, url := range []string{s.URL + "/v1", s.URL + "/v1/"} {
		c := embedding.New(embedding.Config{
			URL:   url,
			Key:   "secret",
			Model: "m",
		})
		if vectors, err := c.Embed(ports.NewOutbound(t.Context()), sixtyFiveTexts()); err != nil || len(vectors) != 65 || len(vectors[64]) != 4 {
			t.Fatalf("%v, %d vectors", err, len(vectors))
		}
	}
	if state := s.State(); state.Requests != 4 || state.Largest != 64 || state.Answered != 130 {
		t.Errorf("%+v", state)
	}
	for _, key := range []string{"", "other"} {
		_, err := embedding.New(embedding.Config{
			URL:   s.URL + "/v1",
			Key:   key,
			Model: "m",
		}).Embed(ports.NewOutbound(t.Context()), []string{"a"})
		if !fault.Is(err, "embeddings_unavailable") || !strings.Contains(err.Error(), "answered 401") {
			t.Errorf("with the key %q: %v", key, err)
		}
	}
}

func sixtyFiveTexts() []string { return strings.Fields(strings.Repeat("tent ", 65)) }

// A wrong response is an error after one request, never a vector.
func TestEmbed_wrongAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault embeddings.Fault
		says  string
	}{
		{embeddings.Fault{Kind: "error"}, "answered 500"},
		{embeddings.Fault{Kind: "error", Status: 404}, "answered 404"},
		{embeddings.Fault{Kind: "error", Status: 408}, "answered 408"},
		{embeddings.Fault{Kind: "throttle", RetryAfter: 17}, "answered 429"},
		{embeddings.Fault{Kind: "uneven"}, "answered with vectors of"},
		{embeddings.Fault{Kind: "wrong_count"}, "2 vectors for 3 texts"},
		{embeddings.Fault{Kind: "wrong_index"}, "the index 0 twice"},
		{embeddings.Fault{Kind: "zeros"}, "a vector of zeros"},
		{embeddings.Fault{Kind: "nan"}, "embeddings endpoint"},
		{embeddings.Fault{Kind: "huge"}, "no number"},
		{embeddings.Fault{Kind: "empty"}, "a vector of 0 numbers"},
		{embeddings.Fault{Kind: "garbage"}, "embeddings endpoint"},
		{embeddings.Fault{Kind: "page"}, "embeddings endpoint"},
		{embeddings.Fault{Kind: "endless"}, "too long"},
		{embeddings.Fault{Kind: "lost"}, "no answer that can be read"},
		{embeddings.Fault{Kind: "redirect"}, "embeddings endpoint"},
		{embeddings.Fault{Kind: "hang"}, "in time"},
	} {
		t.Run(test.fault.Kind, func(t *testing.T) {
			t.Parallel()
			s := boottest.Embeddings(t, embeddings.Config{})
			if err := s.Fault(test.fault); err != nil {
				t.Fatal(err)
			}
			patience := time.Minute
			if test.fault.Kind == "hang" {
				patience = 5 * time.Second // long enough for the request to arrive, even on a loaded machine
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			vectors, err := newEmbedder(s).Embed(ports.NewOutbound(ctx), []string{"sofa", "lamp", "tent"})
			var known *fault.Error
			if vectors != nil || !errors.As(err, &known) || known.Code != "embeddings_unavailable" || !strings.Contains(known.Message, test.says) {
				t.Errorf("%v, %v", vectors, err)
			}
			if strings.Contains(known.Message, "sofa") || s.State().Requests != 1 {
				t.Errorf("%d requests, %s", s.State().Requests, known.Message)
			}
			if known.RetryAfter != time.Duration(test.fault.RetryAfter)*time.Second {
				t.Errorf("try again after %s", known.RetryAfter)
			}
		})
	}
}

// Vectors that are returned in another order are sorted by index. Vectors of different batches must have the same length.
func TestEmbed_orderAndLength(t *testing.T) {
	t.Parallel()
	s := boottest.Embeddings(t, embeddings.Config{})
	want, err := newEmbedder(s).Embed(ports.NewOutbound(t.Context()), []string{"sofa", "lamp"})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Fault(embeddings.Fault{Kind: "reversed"})
	got, err := newEmbedder(s).Embed(ports.NewOutbound(t.Context()), []string{"sofa", "lamp"})
	if err != nil || got[0][0] != want[0][0] || got[1][0] != want[1][0] {
		t.Errorf("%v: %v, want %v", err, got, want)
	}
	_ = s.Fault(embeddings.Fault{Kind: "wrong_size", After: 1})
	if _, err := newEmbedder(s).Embed(ports.NewOutbound(t.Context()), sixtyFiveTexts()); err == nil || !strings.Contains(err.Error(), "vectors of 64 and of 32 numbers") {
		t.Errorf("two lengths: %v", err)
	}
}

// Refused texts have another error code than an unavailable endpoint.
func TestEmbed_refusedTexts(t *testing.T) {
	t.Parallel()
	s := boottest.Embeddings(t, embeddings.Config{MaxText: 10})
	if _, err := newEmbedder(s).Embed(ports.NewOutbound(t.Context()), []string{"a very long text"}); !fault.Is(err, "embeddings_refused") {
		t.Errorf("%v", err)
	}
}

// embedding.Queries fulfills the contract of ports.Embedder.
func TestForQueries_contract(t *testing.T) {
	t.Parallel()
	adaptertest.Embedder(t, func(t *testing.T) ports.Embedder {
		return embedding.ForQueries(newEmbedder(boottest.Embeddings(t, embeddings.Config{})))
	})
}

// A query does not wait for a slow endpoint. The late response is cached and used by the next query.
func TestForQueries_slowEndpoint(t *testing.T) {
	t.Parallel()
	s := boottest.Embeddings(t, embeddings.Config{})
	q := embedding.ForQueries(newEmbedder(s))
	_ = s.Fault(embeddings.Fault{Kind: "slow", Millis: 400})
	if took, err := askQuery(t, q, "Couch"); err == nil {
		t.Fatalf("the answer was waited for, %s", took)
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := askQuery(t, q, "couch"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the late answer is not remembered")
		}
	}
	if s.Asked("couch") != 1 {
		t.Errorf("asked %d times", s.Asked("couch"))
	}
}

func askQuery(t *testing.T, q *embedding.Queries, text string) (time.Duration, error) {
	t.Helper()
	began := time.Now()
	vectors, err := q.Embed(ports.NewOutbound(t.Context()), []string{text})
	if err == nil && len(vectors[0]) != 64 {
		t.Errorf("%q has %v", text, vectors)
	}
	return time.Since(began), err
}
