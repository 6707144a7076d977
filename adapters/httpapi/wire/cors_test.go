package wire_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// Pages of any origin may use the prefixes without credentials, and no other paths.
func TestCORS(t *testing.T) {
	t.Parallel()
	asked := 0
	served := wire.CORS(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusTeapot)
	}), "/p/", "/llms.txt")
	for _, c := range []struct {
		method, path string
		status       int
		open         bool
	}{
		{"GET", "/p/demo/acp/search", http.StatusTeapot, true},
		{"GET", "/llms.txt", http.StatusTeapot, true},
		{"OPTIONS", "/p/demo/acp/search", http.StatusNoContent, true},
		{"OPTIONS", "/p/nowhere", http.StatusNoContent, true},
		{"GET", "/v1/projects", http.StatusTeapot, false},
		{"OPTIONS", "/v1/projects", http.StatusTeapot, false},
		{"OPTIONS", "/hooks/wh_1", http.StatusTeapot, false},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Header.Set("Origin", "https://agent.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
		out, before := httptest.NewRecorder(), asked
		served.ServeHTTP(out, r)
		h := out.Header()
		if out.Code != c.status || (h.Get("Access-Control-Allow-Origin") == "*") != c.open || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s %s: %d %v", c.method, c.path, out.Code, h)
		}
		if preflight := c.method == "OPTIONS" && c.open; preflight {
			if asked != before || h.Get("Access-Control-Max-Age") != "86400" || r.Pattern == "" {
				t.Errorf("%s %s: pattern %q, %v", c.method, c.path, r.Pattern, h)
			}
			for _, name := range []string{"Content-Type", "Idempotency-Key", "If-None-Match", "X-Request-Id"} {
				if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
					t.Errorf("%s is not allowed", name)
				}
			}
			if strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") {
				t.Error("credentials are allowed")
			}
		} else if h.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s %s is answered as a preflight", c.method, c.path)
		}
	}
}
