// Package console is the web console at /console: pages for the merchant's people, rendered on the server.
//
// It has no rules of its own. A page reads and writes through the Management API, in process and as the signed-in member, so
// that scopes, limits, the audit log and idempotency are those of the API. Only steps before a session exists, such as signing
// in, call the use cases directly.
//
// Pages are html/template: it escapes by context, is in the standard library, and needs no generated code. Every page works
// without script.
package console

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/ports"
)

// Path is where the console begins.
const Path = "/console"

// Services are what the console needs.
type Services struct {
	// API serves the Management API.
	API    http.Handler
	Access *access.Service
	People *people.Service
	// ClientAddress returns the address of a request's client, also behind proxies.
	ClientAddress func(*http.Request) netip.Addr
	// Outbound is the context of a request that calls third parties. No transaction is open in the console.
	Outbound func(context.Context) ports.Outbound
	// Limiter counts the pages of a session.
	Limiter ports.Limiter
	Clock   ports.Clock
	// URL is the server's, as people reach it. If it is https, cookies are sent over https only.
	URL     string
	Sandbox bool
	Log     *slog.Logger
}

// console serves pages.
type console struct {
	Services
	*assets
}

// Handler serves everything under Path.
func Handler(s Services) http.Handler {
	pages() // a page that cannot be parsed stops the server at its start
	c := &console{Services: s, assets: loadAssets()}
	mux := http.NewServeMux()
	c.routeOutside(mux)
	mux.HandleFunc("GET "+Path+"/assets/{version}/{file}", c.serveAsset)
	mux.Handle("GET "+Path, c.member(c.home))
	mux.Handle("GET "+Path+"/{$}", c.member(c.home))
	mux.Handle(Path+"/{shop}", c.shopPages())
	mux.Handle(Path+"/{shop}/{rest...}", c.shopPages())
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(c.refuseForeign))
	return secured(protection.Handler(mux))
}

// policy allows pages the console's own files and nothing else, and forbids framing them.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// secured sets the headers of every answer.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		// With no-referrer browsers would send "Origin: null" from the console's own forms.
		h.Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// largestForm bounds what a form sends.
const largestForm = 64 << 10
