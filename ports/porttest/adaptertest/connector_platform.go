package adaptertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Platform is an HTTP server that can be made to fail. Its refusals and errors repeat the request with its credentials,
// as some platforms do.
type Platform struct {
	URL string

	server    *httptest.Server
	mu        sync.Mutex
	mood      http.HandlerFunc
	well      http.Handler
	hanging   bool
	gone      bool
	swallowed bool
}

// patience is how long the client waits for a platform that hangs.
const patience = 100 * time.Millisecond

// nobody listens there. The port of a server that was closed may be another one's a moment later.
const nobody = "127.0.0.1:1"

// NewPlatform returns a platform that works, and answers by the handler.
func NewPlatform(t *testing.T, well http.Handler) *Platform {
	p := &Platform{well: well, mood: well.ServeHTTP}
	p.server = httptest.NewServer(p)
	p.URL = p.server.URL
	t.Cleanup(p.server.Close)
	return p
}

func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	answer := p.mood
	p.mu.Unlock()
	answer(w, r)
}

func (p *Platform) become(mood http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mood, p.hanging = mood, false
}

// Client has no timeout except for a platform that hangs, so that a slow machine fails no test.
func (p *Platform) Client() *http.Client { return &http.Client{Transport: waiting{p}} }

type waiting struct{ *Platform }

func (w waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	hanging, gone := w.hanging, w.gone
	w.mu.Unlock()
	if gone {
		r = r.Clone(r.Context())
		r.URL.Host = nobody
	}
	if !hanging {
		return http.DefaultTransport.RoundTrip(r)
	}
	within, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	return http.DefaultTransport.RoundTrip(r.WithContext(within))
}

// Recover makes it well again.
func (p *Platform) Recover() { p.become(p.well.ServeHTTP) }

// Refuse has it refuse the credentials.
func (p *Platform) Refuse() { p.become(echo(http.StatusUnauthorized)) }

// Throttle makes it answer with its rate limit. wait is its Retry-After; "": it has none.
func (p *Platform) Throttle(wait string) {
	p.become(func(w http.ResponseWriter, r *http.Request) {
		if wait != "" {
			w.Header().Set("Retry-After", wait)
		}
		echo(http.StatusTooManyRequests)(w, r)
	})
}

// Fail has it answer with an error of its own.
func (p *Platform) Fail() { p.become(echo(http.StatusInternalServerError)) }

// Babble makes it answer with text that cannot be parsed.
func (p *Platform) Babble() {
	p.become(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, "<html>We are back soon. %s</html>", asked(r))
	})
}

// Flood has it answer 50 MB.
func (p *Platform) Flood() {
	p.become(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(`{"data":"`))
		for n := 0; n < 50 && err == nil; n++ {
			_, err = w.Write(bytes.Repeat([]byte("x"), 1<<20))
		}
		_, _ = w.Write([]byte(`"}`))
		if err == nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.swallowed = true
		}
	})
}

// Swallowed reports whether anyone has taken all of the 50 MB.
func (p *Platform) Swallowed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.swallowed
}

// Hang has it answer nothing.
func (p *Platform) Hang() {
	p.become(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client has gone
		<-r.Context().Done()
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hanging = true
}

// Await makes it answer nothing, and call call on a request. Its client waits until its context ends.
func (p *Platform) Await(call func()) {
	p.become(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		call()
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute): // the caller ignores its context
		}
	})
}

// Close makes connections of its client fail.
func (p *Platform) Close() {
	p.server.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
}

func echo(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"message":%q}`, asked(r))
	}
}

func asked(r *http.Request) string {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<10))
	return fmt.Sprintf("%s %s %s %s", r.URL, r.Header.Get("Authorization"), r.Header.Get("X-Shopify-Access-Token"), body)
}
