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

// Platform is an HTTP server whose answers go wrong when told to. Those that refuse or fail repeat what
// they were asked, with its credentials, as some platforms do.
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

// patience is how long its client waits for a platform that hangs.
const patience = 100 * time.Millisecond

// nobody listens there. The port of a server that was closed may be another one's a moment later.
const nobody = "127.0.0.1:1"

// NewPlatform is well, and answers as told.
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

// Client waits as long as it takes, but for a platform that hangs: so a slow machine fails no test.
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

// Throttle has it ask for patience. wait is its Retry-After; "": it does not say.
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

// Babble has it answer what nobody can read.
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
		_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that nobody waits any more
		<-r.Context().Done()
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hanging = true
}

// Await has it answer nothing, and call when it was asked. Its client waits for as long as anybody wants to.
func (p *Platform) Await(call func()) {
	p.become(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		call()
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute): // whoever asked heeds nothing
		}
	})
}

// Close takes it off the network, as far as its client knows.
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
