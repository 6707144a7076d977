package boot

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/apidocs"
	"github.com/haggle-commerce/haggle/adapters/console"
	"github.com/haggle-commerce/haggle/adapters/httpapi/acp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/consent"
	"github.com/haggle-commerce/haggle/adapters/httpapi/hooks"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management"
	"github.com/haggle-commerce/haggle/adapters/httpapi/mcp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/ucp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/app/dealtoken"
	"github.com/haggle-commerce/haggle/cmd/boot/demo"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const description = `The merchant's side of agentic commerce. The Management API (/v1) is for merchants' servers and takes an
API key; the Agent Commerce Protocol (/p/{slug}/acp) is for buyers' agents and takes none. Amounts of
money are numbers with all of their currency's decimals.`

// handler serves the Management API, the buyers' protocols, webhooks, the documentation, the console, and the demo's images.
func (a *App) handler() http.Handler {
	mux := http.NewServeMux()
	api := wire.NewAPI(mux, wire.Config{
		Title:       "Haggle",
		Version:     Version,
		Description: description,
		PublicURL:   a.URL(),
	})
	merchants := a.managementServices()
	management.Register(api, merchants)
	unrouted := management.Unrouted(merchants, wire.Unrouted(mux, wire.Plain))
	mux.Handle("/v1", unrouted) // otherwise the mux would redirect clients to /v1/
	mux.Handle("/v1/", unrouted)
	acp.Register(api, a.buyerServices())
	acp.RegisterHome(mux, a.buyerServices())
	if a.speaksUCP() {
		part := wire.NewPart(mux, wire.Config{
			Title:     "Haggle over UCP",
			Version:   Version,
			PublicURL: a.URL(),
		})
		ucp.Register(part, a.buyerServices(), a.ucpConfig())
		ucp.RegisterUnrouted(mux)
		ucp.RegisterSchemas(mux, part, a.serveTools(mux), a.ucpConfig())
	}
	mux.Handle(hooks.Pattern, hooks.Handler(a.hookServices()))
	mux.Handle(hooks.DemandsPattern, hooks.DemandsHandler(a.hookServices(), a.shopifyDemands()))
	consent.Register(mux, a.consentServices())
	mux.Handle("GET /demo/images/", demo.Images())
	guide := apidocs.Handler(a.docsConfig(mux))
	mux.Handle("GET "+apidocs.Path, guide)
	mux.Handle("GET "+apidocs.Path+"/", guide)
	pages := console.Handler(a.consoleServices(mux))
	mux.Handle(console.Path, pages)
	mux.Handle(console.Path+"/", pages)
	return wire.Handler(a.metrics.InFlight(a.serveByHost(a.serveRootShop(wire.CORS(mux, acp.Prefixes...)))), a.requestWatch())
}

// serveTools serves the MCP endpoints of all shops. The tools call operations on a separate mux that is not reachable over
// HTTP.
func (a *App) serveTools(mux *http.ServeMux) []commerce.Toolset {
	operations := http.NewServeMux()
	part := wire.NewPart(operations, wire.Config{
		Title:     "Haggle's tools",
		Version:   Version,
		PublicURL: a.URL(),
	})
	buyers := a.buyerServices()
	sets := ucp.RegisterTools(part, buyers, a.ucpConfig())
	for _, set := range sets {
		mux.Handle("/p/{slug}"+set.Prefix+"/mcp", mcp.Handler(mcp.Config{
			Version:    Version,
			Tools:      set.Tools,
			Operations: operations,
			Admit:      func(r *http.Request) error { return buyers.Admit(commerce.MCP, r) },
			Vouch:      set.Vouch,
			Ours:       a.ownsHost,
			Log:        a.log,
		}))
	}
	return sets
}

// ownsHost reports whether a host name belongs to the public URL or to a shop.
func (a *App) ownsHost(host string) bool {
	public, err := url.Parse(a.URL())
	return err == nil && host == public.Hostname() ||
		a.config.ACPDomain != "" && (host == a.config.ACPDomain || strings.HasSuffix(host, "."+a.config.ACPDomain))
}

// docsConfig configures the documentation, which reads the OpenAPI documents from mux. In production it names no demo shop,
// because another account may have taken the demo's slug before it was reserved.
func (a *App) docsConfig(mux http.Handler) apidocs.Config {
	return apidocs.Config{
		API:      mux,
		Address:  a.URL(),
		DemoSlug: project.DemoSlug,
		DemoProject: func(ctx context.Context) string {
			if a.env != account.Sandbox {
				return ""
			}
			shop, err := a.storefront.BySlug(ctx, project.DemoSlug)
			if err != nil {
				return ""
			}
			return shop.ID.String()
		},
		Log: a.log,
	}
}

// consoleServices configures the console, which calls the Management API of mux.
func (a *App) consoleServices(mux http.Handler) console.Services {
	return console.Services{
		API:           mux,
		Access:        a.Access,
		People:        a.People,
		ClientAddress: a.edge.address,
		Outbound:      ports.NewOutbound,
		Limiter:       a.edge.managed,
		Clock:         a.clock,
		URL:           a.URL(),
		Sandbox:       a.env == account.Sandbox,
		Log:           a.log,
	}
}

// strangersRate limits the requests of a client address without valid credentials.
var strangersRate = ports.Rate{PerMinute: 100, Burst: 150}

func (a *App) managementServices() management.Services {
	return management.Services{
		UseCases:        a.UseCases,
		Stores:          a.wholeStores(),
		Begin:           a.inManagementTx,
		Keys:            a.keyStore(),
		ACPAddress:      a.acpAddress,
		APIAddress:      a.URL() + "/v1",
		HookAddress:     a.hookAddress,
		ClientAddress:   a.edge.address,
		Limiter:         a.edge.managed,
		Rate:            a.limits.rate,
		RateOfStrangers: strangersRate,
		Lane:            a.edge.merchants,
		PaymentLane:     a.edge.payments,
		DownloadLane:    a.edge.downloads,
		TestBuyers:      a.testBuyers,
		SandboxDisputes: a.sandboxDisputes(),
		NewEventID:      func() id.AuditEvent { return id.New[id.AuditEvent](system.Entropy{}.IDBits()) },
		Clock:           a.clock,
	}
}

func (a *App) buyerServices() *commerce.Services {
	return &commerce.Services{
		Storefronts:   a.storefront,
		Discovery:     a.Discovery,
		Haggling:      a.haggling,
		Baskets:       &baskets.Service{Stores: a.wholeStores(), Entropy: system.Entropy{}},
		Purchase:      a.Purchase,
		Aftersales:    a.Aftersales,
		Buyers:        a.Buyers,
		SigningKeys:   a.SigningKeys,
		AnswerKeys:    a.answerKeys,
		Identity:      a.identity,
		Deals:         dealtoken.Tokens{Secrets: a.vault},
		Stores:        a.wholeStores(),
		Begin:         a.inBuyerTx,
		Keys:          a.keyStore(),
		Clock:         a.clock,
		Sandbox:       a.env == account.Sandbox,
		Address:       a.acpAddress,
		Protocols:     a.protocols,
		PublicURL:     a.URL(),
		ClientAddress: a.edge.address,
		Limiter:       a.edge.bought,
		Gate:          a.edge.gate,
		Rate:          a.limits.acp,
		Lane:          a.edge.buyers,
		PaymentLane:   a.edge.payments,
	}
}

// speaksUCP reports whether the Universal Commerce Protocol is served. It requires https, except in a sandbox.
func (a *App) speaksUCP() bool { return a.env == account.Sandbox || isHTTPS(a.URL()) }

// protocols returns the entry addresses of the other protocols that a project supports.
func (a *App) protocols(shop *project.Project) map[string]string {
	known := map[string]string{}
	if a.speaksUCP() && shop.Settings.Protocols.UCP {
		known["ucp"] = a.acpAddress(shop.Slug) + "/.well-known/ucp"
	}
	if a.speaksUCP() && shop.Settings.Protocols.MCP {
		known["mcp"] = a.acpAddress(shop.Slug) + "/mcp"
	}
	return known
}

// ucpConfig returns the server's configuration of the Universal Commerce Protocol.
func (a *App) ucpConfig() ucp.Config {
	return ucp.Config{
		Authority:   a.config.authority(),
		Negotiation: a.config.negotiation(),
		SchemaURL:   a.URL() + ucp.SchemasPath,
	}
}

// keyStore returns the store of responses under idempotency keys.
func (a *App) keyStore() wire.KeyStore {
	requests := a.store.Requests()
	return wire.KeyStore{
		IdempotencyKeys: requests,
		Records:         requests,
		Vault:           a.vault,
		Clock:           a.clock,
		Replayed:        a.metrics.IdempotentReplayed,
	}
}

// opsHandler serves liveness and readiness for orchestrators, metrics for Prometheus, and profiles for go tool pprof if they
// are enabled.
func (a *App) opsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", a.health.Live)
	mux.HandleFunc("GET /readyz", a.health.Ready)
	mux.Handle("GET /metrics", a.metrics.Handler())
	if a.config.Profiling == "on" {
		serveProfiles(mux)
	}
	return mux
}
