package acp

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Prefixes are the prefixes of paths that pages of any origin may use (features/PROTOCOL.md#addresses).
var Prefixes = []string{"/p/", misplacedACP, misplacedManifest, llmsPath}

// Agents request these paths if they mistake a shop's path templates for paths of the origin.
const (
	misplacedACP      = "/acp/"
	misplacedManifest = "/.well-known/acp/"
)

// RegisterHome adds the pages of the installation and the answers to unknown paths. They name no shop except the demo shop.
func RegisterHome(mux *http.ServeMux, s *commerce.Services) {
	h := &handlers{Services: s}
	mux.HandleFunc("GET /{$}", h.home)
	mux.HandleFunc("GET "+llmsPath, h.llms)
	mux.HandleFunc("GET /p/{slug}/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "../"+url.PathEscape(r.PathValue("slug")), http.StatusPermanentRedirect)
	})
	mux.Handle("/p/", wire.UnroutedBut(mux, Style, h.lookInManifest))
	elsewhere := wire.UnroutedBut(mux, Style, func(*http.Request) string {
		return "Each shop has its own address, " + h.shops() + ": begin with " + h.shops() + manifestPath + "."
	})
	mux.Handle(misplacedACP, elsewhere)
	mux.Handle(misplacedManifest, elsewhere)
}

// lookInManifest returns a sentence that refers to the manifest of the shop in the path.
func (h *handlers) lookInManifest(r *http.Request) string {
	slug, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/p/"), "/")
	address := h.shops()
	if project.IsSlug(slug) {
		address = h.Address(slug)
	}
	return "The addresses of a shop's operations are in " + address + manifestPath + "."
}

// shops returns the template of shops' addresses.
func (h *handlers) shops() string { return h.Address("{slug}") }

// base is the address of the installation.
func (h *handlers) base() string { return strings.TrimSuffix(h.PublicURL, "/") }

// demo returns the address of the demo shop, or "" if there is none. Production never names it, because another account may have
// registered the slug before it was reserved.
func (h *handlers) demo(r *http.Request) string {
	if !h.Sandbox {
		return ""
	}
	if _, err := h.Storefronts.BySlug(r.Context(), project.DemoSlug); err != nil {
		return ""
	}
	return h.Address(project.DemoSlug)
}

// homeView is what the installation's page shows.
type homeView struct {
	Style template.CSS
	Base  string
	Shop  string
	Demo  string
}

func (h *handlers) home(w http.ResponseWriter, r *http.Request) {
	var reply *pageReply
	var err error
	if wantsJSON(r.Header.Get("Accept")) {
		reply, err = jsonReply(pointers{
			Name:    "Haggle",
			OpenAPI: h.base() + "/openapi.json",
			LLMs:    h.base() + llmsPath,
			Shops:   h.shops(),
			Docs:    h.base() + "/docs",
		})
	} else {
		reply, err = htmlReply(homePage, homeView{
			Style: template.CSS(pageCSS),
			Base:  h.base(),
			Shop:  h.shops(),
			Demo:  h.demo(r),
		})
	}
	write(w, r, reply, err)
}

func (h *handlers) llms(w http.ResponseWriter, r *http.Request) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "# Haggle\n\n> The merchant's side of agentic commerce: shops in which AI agents search, negotiate prices, check out and pay.\n"+
		"\nEach shop has its own address, %s. Its manifest has the absolute address of every operation; no credentials are needed.\n"+
		"Shops are not listed here: a buyer or a merchant names one.\n"+
		"\n## For buyers' agents\n\n"+
		"- Manifest of a shop: %s\n"+
		"- Its OpenAPI document, with examples that run: %s\n"+
		"- Its introduction: %s\n", h.shops(), h.shops()+manifestPath, h.shops()+documentPath, h.shops()+llmsPath)
	if demo := h.demo(r); demo != "" {
		fmt.Fprintf(&text, "- [Demo shop](%s): to try it out\n", demo+llmsPath)
	}
	fmt.Fprintf(&text, "\n## For merchants\n\n"+
		"- [OpenAPI document](%s): all operations, including those of the Management API; it is long\n"+
		"- [Documentation](%s): the same document as a web page\n", h.base()+"/openapi.json", h.base()+"/docs")
	write(w, r, &pageReply{
		Type:   plainText,
		Policy: pagePolicy,
		Cache:  pageCache,
		Body:   text.Bytes(),
	}, nil)
}

// write sends a page that belongs to no shop.
func write(w http.ResponseWriter, r *http.Request, p *pageReply, err error) {
	if err != nil {
		wire.WriteError(w, r, fault.New(fault.Internal, "internal_error", "The page could not be created. Try again.").Because(err))
		return
	}
	w.Header().Set("Content-Type", p.Type)
	w.Header().Set("Content-Security-Policy", p.Policy)
	w.Header().Set("Cache-Control", p.Cache)
	if p.Vary != "" {
		w.Header().Set("Vary", p.Vary)
	}
	_, _ = w.Write(p.Body) // the client may have gone
}
