package script_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/script"
)

// Meet returns the oldest matching fault, after the number of requests that pass first, and as often as was set.
func TestMeet(t *testing.T) {
	t.Parallel()
	s := script.New(script.Kinds("garbled"))
	for _, f := range []script.Fault{{Kind: "error", After: 1, Times: 2}, {Kind: "garbled", Match: "lamp", Times: -1}} {
		if err := s.Fault(f); err != nil {
			t.Fatal(err)
		}
	}
	met := []string{}
	for _, text := range []string{"sofa", "lamp", "sofa", "sofa", "a lamp", "lamp"} {
		met = append(met, s.Meet("rug", text).Kind)
	}
	if fmt.Sprintf("%q", met) != `["" "error" "error" "" "garbled" "garbled"]` || len(s.Faults()) != 1 {
		t.Errorf("met %q, left %v", met, s.Faults())
	}
	if s.Fault(script.Fault{Kind: "flood"}) == nil {
		t.Error("a fault of no kind is ordered")
	}
}

// Each kind does what its comment says. Slow still answers.
func TestBefalls(t *testing.T) {
	t.Parallel()
	server, err := script.Serve("127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := script.Fault{
			Kind:       r.URL.Query().Get("kind"),
			Millis:     1,
			Status:     502,
			RetryAfter: 7,
		}
		if !f.Befalls(w, r, script.Replies{
			Failure:   "failed",
			Throttled: "throttled",
			Elsewhere: "/else",
			Begin:     "[1",
			Pad:       ",1",
		}) {
			script.Write(w, http.StatusOK, "answered")
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	for kind, want := range map[string]string{
		"": `200 "answered"`, "slow": `200 "answered"`, "garbled": `200 "answered"`, "error": `502 "failed"`, "throttle": `429 7"throttled"`,
		"page": "200 <html>", "redirect": "307 /else", "endless": "200 [1,1,1", "lost": "EOF", "hang": "context deadline exceeded",
	} {
		if got := ask(t, server.URL+"/?kind="+kind); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", kind, got, want)
		}
	}
}

// ask returns the status, some headers and the beginning of the body, or the error.
func ask(t *testing.T, url string) string {
	t.Helper()
	patience := 10 * time.Second
	if strings.HasSuffix(url, "hang") {
		patience = 100 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	return fmt.Sprintf("%d %s%s%s %v", answer.StatusCode, answer.Header.Get("Retry-After"), answer.Header.Get("Location"), body[:min(40, len(body))], err)
}
