package wire

import (
	"maps"
	"net/http"
	"strings"
)

// corsHeaders let pages of every origin read an answer, without credentials: none are taken there.
var corsHeaders = http.Header{
	"Access-Control-Allow-Origin": {"*"},
	"Access-Control-Expose-Headers": {"X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, " +
		"RateLimit-Policy, ETag, Idempotent-Replayed, Deprecation, Sunset, Link, Allow"},
}

// preflightHeaders answer the question that a browser asks before it sends a page's request.
var preflightHeaders = http.Header{
	"Access-Control-Allow-Methods": {"GET, HEAD, POST, PUT, DELETE"},
	"Access-Control-Allow-Headers": {"Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, X-Manage-Token, UCP-Agent"},
	"Access-Control-Max-Age":       {"86400"}, // browsers ask again after a day, or sooner
	"Allow":                        {"GET, HEAD, POST, PUT, DELETE, OPTIONS"},
}

// CORS lets the pages of every origin use the paths that begin with one of the prefixes. It answers OPTIONS there by itself,
// the same for every path: that looks nothing up and so counts against no rate. Other paths stay as they are.
func CORS(next http.Handler, prefixes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, prefix := range prefixes {
			if !strings.HasPrefix(r.URL.Path, prefix) {
				continue
			}
			maps.Copy(w.Header(), corsHeaders) // which all responses share and nobody writes into
			if r.Method == http.MethodOptions {
				maps.Copy(w.Header(), preflightHeaders)
				r.Pattern = "OPTIONS " + prefix // for those who watch
				w.WriteHeader(http.StatusNoContent)
				return
			}
			break
		}
		next.ServeHTTP(w, r)
	})
}
