package boot

import (
	"context"
	"net"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/ucp"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// acpAddress is the base of a project's ACP API (features/MANAGEMENT.md#addresses).
func (a *App) acpAddress(slug string) string {
	if a.config.ACPDomain != "" {
		return "https://" + slug + "." + a.config.ACPDomain
	}
	return a.URL() + "/p/" + slug
}

// serveByHost serves https://SLUG.DOMAIN/… as /p/SLUG/….
func (a *App) serveByHost(next http.Handler) http.Handler {
	if a.config.ACPDomain == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := strings.ToLower(r.Host)
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if slug, ok := strings.CutSuffix(host, "."+a.config.ACPDomain); ok {
			serveShop(w, r, next, slug)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveRootShop also serves UCP and MCP of one shop at the root, for installations with a single shop and for clients that
// accept nothing but an origin. The server's own routes at the root take precedence.
func (a *App) serveRootShop(next http.Handler) http.Handler {
	if a.config.RootShop == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ucp.Serves(r.URL.Path) && !strings.HasPrefix(r.URL.Path, ucp.SchemasPath+"/") {
			serveShop(w, r, next, a.config.RootShop)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveShop serves the request's path below /p/SLUG.
func serveShop(w http.ResponseWriter, r *http.Request, next http.Handler, slug string) {
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = "/p/"+slug+r.URL.Path, ""
	if r.URL.Path == "/" { // the shop's page
		inner.URL.Path = "/p/" + slug
	}
	next.ServeHTTP(w, inner)
	r.Pattern = inner.Pattern // for logs, metrics and traces
}

// warnMissingRootShop logs a warning if the root shop does not exist. It may be opened later.
func (a *App) warnMissingRootShop(ctx context.Context) {
	if a.config.RootShop == "" {
		return
	}
	if _, err := a.storefront.BySlug(ctx, a.config.RootShop); fault.KindOf(err) == fault.NotFound {
		a.log.WarnContext(ctx, "no shop has the slug of HAGGLE_ROOT_SHOP: its endpoints at the root respond with 404", "slug", a.config.RootShop)
	}
}
