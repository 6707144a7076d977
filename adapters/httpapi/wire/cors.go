package wire

import (
	"maps"
	"net/http"
	"strings"
)

// corsHeaders let pages of any origin read an answer, without credentials, which these paths do not use.
var corsHeaders = http.Header{
	"Access-Control-Allow-Origin": {"*"},
	"Access-Control-Expose-Headers": {"X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, " +
		"RateLimit-Policy, ETag, Idempotent-Replayed, Deprecation, Sunset, Link, Allow"},
}

// preflightHeaders answer a browser's preflight request.
var preflightHeaders = http.Header{
	"Access-Control-Allow-Methods": {"GET, HEAD, POST, PUT, DELETE"},
	"Access-Control-Allow-Headers": {"Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, X-Manage-Token, UCP-Agent"},
	"Access-Control-Max-Age":       {"86400"}, // browsers ask again after a day, or sooner
	"Allow":                        {"GET, HEAD, POST, PUT, DELETE, OPTIONS"},
}

// CORS lets pages of any origin use the paths that begin with one of the prefixes. It answers OPTIONS there itself, in the same
// way for every path. Such an answer needs no lookup, so it counts against no rate. Other paths are not affected.
func CORS(next http.Handler, prefixes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, prefix := range prefixes {
			if !strings.HasPrefix(r.URL.Path, prefix) {
				continue
			}
			maps.Copy(w.Header(), corsHeaders) // shared by all responses; must not be changed
			if r.Method == http.MethodOptions {
				maps.Copy(w.Header(), preflightHeaders)
				r.Pattern = "OPTIONS " + prefix // for the observers of Watch
				w.WriteHeader(http.StatusNoContent)
				return
			}
			break
		}
		next.ServeHTTP(w, r)
	})
}
