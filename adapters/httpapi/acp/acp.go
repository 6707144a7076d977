// Package acp is the buyers' HTTP API (spec 4.4, 4.5, decisions 12): it turns requests into calls of the
// use cases and their answers into the contract's JSON, and decides nothing itself.
//
// # Choices where the contract is silent
//
// Ids in paths and bodies are capabilities: one that is malformed is as unknown as any other. A search
// may name a session to go on with. Quotes and rejections also carry session_id and quote_id, without
// which a buyer that had no session could not follow up. A country may be written in lower case.
// A product's list price is that of its first variant; each variant has its own beside it.
package acp

import (
	"context"
	"net/http"
	"net/netip"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Services are what the operations call.
type Services struct {
	Storefronts ports.Storefronts
	Discovery   *discovery.Service
	Haggling    *haggling.Service
	Purchase    *purchase.Service
	Aftersales  *aftersales.Service
	Buyers      *buyers.Service
	Sessions    ports.Sessions
	Orders      ports.Orders
	Clock       ports.Clock
	// Sandbox says that what no connected provider serves, the built-in one does.
	Sandbox bool
	// Address is the base URL of a project's ACP API, e.g. https://host/p/slug.
	Address func(slug string) string
	// PublicURL is put before image addresses that are paths.
	PublicURL string

	// ClientAddress is where a request comes from, whatever proxies are between.
	ClientAddress func(*http.Request) netip.Addr
	// Limiter counts each client's requests to each project against Rate; nil: there is no limit. Gate
	// counts them before it is known whether there is such a project, against ten times that, and those
	// of an IPv6 site against a hundred times.
	Limiter, Gate ports.Limiter
	Rate          ports.Rate
	// Lane bounds how many operations run at the same time; those that ask payment providers have one of their own.
	// A shop is a tenant.
	Lane, PaymentLane *wire.Lane
	// Once runs requests that have an Idempotency-Key.
	Once wire.Once[Services]
}

// Groups of operations in the documentation.
var (
	discoveryTag  = []string{"ACP discovery"}
	commerceTag   = []string{"ACP commerce"}
	aftersalesTag = []string{"ACP orders and returns"}
)

// tags describes these groups, in the order of the documentation.
var tags = []*huma.Tag{
	{Name: discoveryTag[0], Description: "For buyers' agents: the shop's manifest, products, stock and shipping."},
	{Name: commerceTag[0], Description: "For buyers' agents: negotiating a price, checkout and payment."},
	{Name: aftersalesTag[0], Description: "For buyers' agents: reading and canceling orders, receipts and returns."},
}

// Register adds the operations of every project's ACP API.
func Register(api huma.API, s Services) {
	h := &handlers{Services: s, api: api}
	api.OpenAPI().Tags = append(api.OpenAPI().Tags, tags...)
	h.registerManifest()
	h.registerSearch()
	h.registerProduct()
	h.registerAvailability()
	h.registerQuote()
	h.registerInit()
	h.registerFinalize()
	h.registerCheckoutCancel()
	h.registerSessions()
	h.registerOrders()
	h.registerReturns()
}

type handlers struct {
	Services
	api huma.API
}

// body, byID and reply are the inputs and outputs of most operations.
type (
	body[T any]  struct{ Body T }
	reply[T any] struct{ Body T }
	byID         struct {
		ID string `path:"id" doc:"Whoever knows the id may use it."`
	}
)

// What the way to an operation learned of a request: the shop, the services of its transaction, and
// under which name its client's declined payments are counted.
type (
	shopKey     struct{}
	servicesKey struct{}
	clientKey   struct{}
)

func clientOf(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}

// add registers an operation of a shop, whose handler is given the shop.
func add[I, O any](h *handlers, op huma.Operation, handle func(*handlers, context.Context, *project.Project, *I) (*O, error)) {
	op.Path = "/p/{slug}" + op.Path
	op.Parameters = []*huma.Param{{
		Name: "slug", In: "path", Required: true, Description: "The shop's slug.",
		Schema: &huma.Schema{Type: huma.TypeString}, Example: "demo",
	}}
	op.Errors = append(op.Errors, http.StatusNotFound)
	op.Middlewares = huma.Middlewares{h.pass, wire.CheckRequest, h.enter}
	lane := h.Lane
	pays := op.OperationID == finalizeID || op.OperationID == orderCancelID
	if pays {
		lane = h.PaymentLane
	}
	if op.OperationID == searchID || op.OperationID == quoteID || op.OperationID == initID {
		wire.RequireLongKey(&op, shortestKey)
	}
	if op.Method != http.MethodGet {
		op.Middlewares = append(op.Middlewares, h.once(pays))
	}
	huma.Register(h.api, op, func(ctx context.Context, in *I) (*O, error) {
		shop := ctx.Value(shopKey{}).(*project.Project)
		if bound, ok := ctx.Value(servicesKey{}).(*Services); ok { // of the request's transaction, which has a place
			return handle(&handlers{*bound, h.api}, ctx, shop, in)
		}
		ctx, leave, err := lane.Enter(ctx, shop.ID.String())
		if err != nil {
			return nil, err
		}
		defer leave()
		return handle(h, ctx, shop, in)
	})
}

// pass counts the request for its client, whichever shop it names: names can be made up.
func (h *handlers) pass(ctx huma.Context, next func(huma.Context)) {
	if h.Limiter == nil {
		next(ctx)
		return
	}
	r, w := humago.Unwrap(ctx)
	from := h.ClientAddress(r)
	err := count(w, r, h.Gate, wire.AddressKey(from), times(10, h.Rate))
	if site := wire.SiteKey(from); err == nil && site != "" {
		err = count(w, r, h.Gate, site, times(100, h.Rate))
	}
	if err != nil {
		wire.WriteError(w, r, err)
		return
	}
	next(ctx)
}

func times(n int, r ports.Rate) ports.Rate {
	return ports.Rate{PerMinute: n * r.PerMinute, Burst: n * r.Burst}
}

func count(w http.ResponseWriter, r *http.Request, limiter ports.Limiter, key string, rate ports.Rate) error {
	return wire.Limit(w.Header(), limiter.Take(r.Context(), key, rate), rate)
}

// enter finds the shop before anything else of the request is looked at, and counts the request against
// the rate of its client in the shop.
func (h *handlers) enter(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	shop, err := h.Storefronts.BySlug(r.Context(), ctx.Param("slug"))
	if err == nil && h.Limiter != nil {
		err = count(w, r, h.Limiter, "acp "+shop.ID.String()+" "+wire.AddressKey(h.ClientAddress(r)), h.Rate)
	}
	if err != nil {
		wire.WriteError(w, r, err)
		return
	}
	ctx = huma.WithValue(ctx, clientKey{}, id.Hash(shop.ID.String()+" "+wire.AddressKey(h.ClientAddress(r))))
	next(huma.WithValue(ctx, shopKey{}, shop))
}

// oneOf documents an answer that has one of several forms, told apart by its status.
func (h *handlers) oneOf(forms map[string]reflect.Type) map[string]*huma.Response {
	schema := &huma.Schema{Discriminator: &huma.Discriminator{PropertyName: "status", Mapping: map[string]string{}}}
	for _, status := range sorted(forms) {
		form := h.api.OpenAPI().Components.Schemas.Schema(forms[status], true, "")
		schema.OneOf = append(schema.OneOf, form)
		schema.Discriminator.Mapping[status] = form.Ref
	}
	return map[string]*huma.Response{"200": {
		Description: "An answer, told apart by its status",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
}
