package exchange_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
)

// busy refuses a number of requests with 429 and a Retry-After, and answers later ones.
func busy(t *testing.T, refusals int64, retryAfter string) (url string, asked *atomic.Int64) {
	t.Helper()
	return refusing(t, http.StatusTooManyRequests, refusals, retryAfter)
}

func refusing(t *testing.T, status int, refusals int64, retryAfter string) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= refusals {
			w.Header().Set("Retry-After", retryAfter)
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

var anything = exchange.Request{
	Method: "POST",
	Path:   "/x",
	Body:   []byte("{}"),
}

func TestPatience_retryAfter(t *testing.T) {
	t.Parallel()
	const retryAfter = 5 * time.Second // more than a loaded machine takes to answer
	url, asked := busy(t, 1, "5")
	patience := &exchange.Patience{Longest: time.Minute}
	client := exchange.NewClient(exchange.Config{URL: url, Patience: patience})
	began := time.Now()
	got, err := client.Do(t.Context(), anything)
	if err != nil || !got.OK() || asked.Load() != 2 || time.Since(began) < retryAfter {
		t.Errorf("%d, %v, asked %d times in %s", got.Status, err, asked.Load(), time.Since(began))
	}
	if times, total := patience.Waited(); times != 1 || total < retryAfter || total > time.Minute {
		t.Errorf("waited %d times, %s", times, total)
	}
	if got.Elapsed >= retryAfter {
		t.Errorf("the answer took %s: waiting is no part of it", got.Elapsed)
	}
	if len(client.Transcript().Entries()) != 2 {
		t.Errorf("%s", client.Transcript())
	}
}

// The client does not wait without patience, without a valid Retry-After or beyond Patience.Longest.
func TestPatience_noWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		retryAfter string
		patience   *exchange.Patience
	}{
		"no patience": {"1", nil},
		"not told":    {"", &exchange.Patience{Longest: time.Hour}},
		"nonsense":    {"soon", &exchange.Patience{Longest: time.Hour}},
		"negative":    {"-5", &exchange.Patience{Longest: time.Hour}},
		"too long":    {"61", &exchange.Patience{Longest: time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, asked := busy(t, 10, c.retryAfter)
			got, err := exchange.NewClient(exchange.Config{URL: url, Patience: c.patience}).Do(t.Context(), anything)
			if err != nil || got.Status != http.StatusTooManyRequests || asked.Load() != 1 {
				t.Errorf("%d, %v, asked %d times", got.Status, err, asked.Load())
			}
		})
	}
}

// Patience.Busy is for requests that may be sent twice: with it, the client waits after a 503 too.
func TestPatience_busyServer(t *testing.T) {
	t.Parallel()
	for busy, want := range map[bool]int64{true: 2, false: 1} {
		url, asked := refusing(t, http.StatusServiceUnavailable, 1, "1")
		client := exchange.NewClient(exchange.Config{URL: url, Patience: &exchange.Patience{Longest: time.Minute, Busy: busy}})
		if got, err := client.Do(t.Context(), anything); err != nil || got.OK() != busy || asked.Load() != want {
			t.Errorf("busy %t: %d, %v, asked %d times", busy, got.Status, err, asked.Load())
		}
	}
}

func TestPatience_exhausted(t *testing.T) {
	t.Parallel()
	url, asked := busy(t, 10, "1")
	patience := &exchange.Patience{Longest: 2 * time.Second}
	got, err := exchange.NewClient(exchange.Config{URL: url, Patience: patience}).Do(t.Context(), anything)
	if err != nil || got.Status != http.StatusTooManyRequests || asked.Load() != 3 {
		t.Errorf("%d, %v, asked %d times", got.Status, err, asked.Load())
	}
}

func TestPatience_contextDone(t *testing.T) {
	t.Parallel()
	url, _ := busy(t, 10, "60")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	patience := &exchange.Patience{Longest: time.Hour}
	_, err := exchange.NewClient(exchange.Config{URL: url, Patience: patience}).Do(ctx, anything)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, total := patience.Waited(); total > 10*time.Second {
		t.Errorf("counted %s", total)
	}
}
