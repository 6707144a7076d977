// Package apidocs serves the documentation of the APIs at /docs, as HTML pages generated from the OpenAPI documents that the
// server also publishes.
//
// It defines no operations. To the documents it adds the order of the groups, example bodies, and commands that run against
// the demo shop. Pages are rendered with html/template instead of Swagger UI or Scalar, which need 1 to 3 MB of script,
// require inline styles, and show nothing without script. These pages need no script, work with the browser's search, and
// have a fiftieth of the size.
package apidocs

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
)

// Path is the root of the documentation.
const Path = "/docs"

// Config configures the documentation.
type Config struct {
	// API serves the documents.
	API http.Handler
	// Address is the server's public one.
	Address string
	// DemoProject returns the id of the demo shop's project, "" if there is no demo shop.
	DemoProject func(context.Context) string
	// DemoSlug is the demo shop's.
	DemoSlug string
	Log      *slog.Logger
}

//go:embed assets templates
var files embed.FS

// policy allows pages only their own files, and forbids framing them.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'"

type handler struct {
	Config
	assets *assets
	cache  libraryCache
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

// longestQuery bounds a search query.
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

// answer sends a page of the current documentation.
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

// missing answers with the page for 404 Not Found.
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
	_, _ = w.Write(p.body) // the client may have disconnected
}
