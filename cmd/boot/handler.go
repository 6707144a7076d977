package boot

import (
	"net"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/acp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/cmd/boot/demo"
)

const description = `The merchant's side of agentic commerce. The Management API (/v1) is for merchants' servers and takes an
API key; the Agent Commerce Protocol (/p/{slug}/acp) is for buyers' agents and takes none.`

// handler serves both APIs, their documents, and the demo's pictures.
func (a *App) handler() http.Handler {
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{
		Title: "Haggle", Version: Version, Description: description, PublicURL: a.URL(),
	})
	management.Register(api, management.Services{
		Access: a.Access, Projects: a.Projects, Catalogs: a.Catalogs,
		ProjectStore: a.store.Projects(), Inventory: a.store.Inventory(), Catalog: a.store.Catalog(),
		ACPAddress: a.acpAddress, APIAddress: a.URL() + "/v1",
	})
	acp.Register(api, acp.Services{
		Storefronts: a.storefront, Discovery: a.discovery, Haggling: a.haggling, Purchase: a.purchase,
		Aftersales: a.aftersales, Sessions: a.store.Sessions(), Orders: a.store.Orders(), Clock: system.Clock{},
		Methods: a.methods(), Address: a.acpAddress, PublicURL: a.URL(),
	})
	mux.Handle("GET /demo/images/", demo.Images())
	return wire.Handler(a.byHost(mux), a.log)
}

// acpAddress is the base of a project's ACP API (decisions 2).
func (a *App) acpAddress(slug string) string {
	if a.config.ACPDomain != "" {
		return "https://" + slug + "." + a.config.ACPDomain
	}
	return a.URL() + "/p/" + slug
}

// byHost serves https://SLUG.DOMAIN/… as /p/SLUG/….
func (a *App) byHost(next http.Handler) http.Handler {
	if a.config.ACPDomain == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := strings.ToLower(r.Host)
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if slug, ok := strings.CutSuffix(host, "."+a.config.ACPDomain); ok {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = "/p/"+slug+r.URL.Path, ""
		}
		next.ServeHTTP(w, r)
	})
}

// opsHandler tells an orchestrator whether the process lives and whether it can serve.
func (a *App) opsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := a.store.Ping(r.Context()); err != nil {
			a.log.WarnContext(r.Context(), "not ready", "error", err)
			http.Error(w, "database: no answer", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
}
