package protocols

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// TestHangingProfile sends many requests with profiles whose server does not respond. They must not wait in the places in which
// buyers' requests are processed. This server has one place per shop, and serves another agent meanwhile.
func TestHangingProfile(t *testing.T) {
	const callers, profiles = 12, 2
	asked, release := make(chan struct{}, profiles), make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(hanging.Close)
	s := openShop(t, serve(t, boottest.Engines[0].URL(t), besides, func(c *boot.Config) { c.Connections = 6 }), "USD", 10_000)
	other := openPlatform(t, "")
	transports := []ucp.Transport{ucp.REST, ucp.MCP}
	var all sync.WaitGroup
	loud := newCaller()
	for n := range callers {
		r := s.creates(&platform{url: fmt.Sprintf("%s/%d", hanging.URL, n%profiles)}, transports[n/profiles%2])
		r.header.Set("X-Forwarded-For", loud)
		all.Go(func() {
			if status, code := s.send(t, r); code != "profile_unreachable" || status != http.StatusFailedDependency {
				t.Errorf("a caller that named it is answered %d %q", status, code)
			}
		})
	}
	for range profiles {
		<-asked
	}
	for _, transport := range transports {
		if status, code := s.send(t, s.creates(other, transport)); status/100 != 2 {
			t.Errorf("another agent is answered %d %q over %s", status, code, transport)
		}
	}
	close(release)
	all.Wait()
	if n := other.fetched.Load(); n != 1 || len(asked) != 0 {
		t.Errorf("the other agent's profile was fetched %d times, and the hanging ones %d times more", n, len(asked))
	}
}
