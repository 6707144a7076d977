// Package apidocs serves the documentation of the APIs at /docs: pages that are made on the server of the OpenAPI documents
// that it also serves to programs.
//
// It knows no operation by itself. What it adds to the documents is the order of the groups, example bodies, and commands
// that run against the demo shop. Pages are html/template rather than a library such as Swagger UI or Scalar: those are 1 to
// 3 MB of script that draws everything in the browser, want inline styles, and show nothing without script. These pages are
// read without script, found by the browser's own search, and weigh a fiftieth.
package apidocs

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
)

// Path is where the documentation begins.
const Path = "/docs"

// Config is what the documentation needs.
type Config struct {
	// API serves the documents.
	API http.Handler
	// Address is the server's public one.
	Address string
	// DemoProject finds the id of the demo shop's project; "": there is no demo shop.
	DemoProject func(context.Context) string
	// DemoSlug is the demo shop's.
	DemoSlug string
	Log      *slog.Logger
}

//go:embed assets templates
var files embed.FS

// policy lets pages use their own files and nothing else, and be framed by nobody.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'"

type handler struct {
	Config
	assets *assets
	shelf  shelf
}

// Handler serves everything under Path.
func Handler(c Config) http.Handler {
	h := &handler{Config: c, assets: loadAssets()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, h.start)
	mux.Handle("GET "+Path+"/{$}", http.RedirectHandler("../docs", http.StatusMovedPermanently))
	mux.HandleFunc("GET "+ConnectorPath, serveConnector)
	mux.HandleFunc("GET "+Path+"/{book}", h.book)
	mux.HandleFunc("GET "+Path+"/{book}/{group}", h.group)
	mux.HandleFunc("GET "+Path+"/assets/{version}/{file}", h.assets.serve)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "same-origin")
		mux.ServeHTTP(w, r)
	})
}

// longestQuery bounds what is searched for.
const longestQuery = 100

func (h *handler) start(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, func(l *library) (*rendered, error) {
		return l.page("", func() (any, string) { return h.startView(l), "start" })
	})
}

func (h *handler) book(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, func(l *library) (*rendered, error) {
		b := l.book(r.PathValue("book"))
		if b == nil {
			return nil, nil
		}
		query := r.URL.Query().Get("q")
		if query == "" {
			return l.page(b.slug, func() (any, string) { return h.bookView(l, b, ""), "book" })
		}
		return render("book", h.bookView(l, b, query[:min(len(query), longestQuery)]))
	})
}

func (h *handler) group(w http.ResponseWriter, r *http.Request) {
	h.answer(w, r, func(l *library) (*rendered, error) {
		b := l.book(r.PathValue("book"))
		if b == nil {
			return nil, nil
		}
		g := b.group(r.PathValue("group"))
		if g == nil {
			return nil, nil
		}
		return l.page(b.slug+"/"+g.slug, func() (any, string) { return h.groupView(l, b, g), "group" })
	})
}

// answer sends a page of the documentation as it is now.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, page func(*library) (*rendered, error)) {
	l, err := h.library(r)
	var p *rendered
	if err == nil {
		p, err = page(l)
	}
	switch {
	case err != nil:
		h.Log.ErrorContext(r.Context(), "a page of the documentation failed", "path", r.URL.Path, "error", err)
		http.Error(w, "The page could not be shown.", http.StatusInternalServerError)
	case p == nil:
		h.missing(w)
	default:
		p.send(w, r)
	}
}

// missing answers for an address that no page has.
func (h *handler) missing(w http.ResponseWriter) {
	p, err := render("missing", frame{
		Title:   "There is no such page",
		Root:    Path + "/",
		version: h.assets.version,
	})
	if err != nil {
		http.Error(w, "There is no such page.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(p.body) // the reader may have gone
}
