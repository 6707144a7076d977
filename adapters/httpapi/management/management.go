// Package management is the Management API: what merchants' servers call under /v1, with an API key.
// Each resource has a file that begins with the table of its operations. The package converts between
// the wire and the application, and decides nothing.
//
// Every operation that changes something runs in one transaction with its event in the audit log and the
// answer to its Idempotency-Key (wire.Mount). A key that is bound to projects does not act for the whole
// account. Whoever has no valid key is counted by address, and so are unknown routes. Headers that say
// who calls, or for which project, must not be repeated.
//
// What gives money back has a second stage, which asks the payment provider after that transaction. What
// is answered, and kept for the key, is then how the refund stands: pending, if the provider has not
// decided in time or the process died in between. A repeated request gets the answer that was kept, also
// when the refund has been decided since.
//
// Orders and returns need the scopes of finance, for they show and move money. Canceling an order and
// approving a return give money back, and so need the second factor where refunds do. The merchant sees
// who the buyer is; the audit log learns neither that nor what anybody wrote about it, and names orders
// and returns, whose ids let buyers read them, only to who may read them here.
//
// Structs that others embed are exported, because Huma passes over embedded ones that are not.
package management

import (
	"context"
	"net/http"
	"net/netip"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Services are the use cases, which handlers run on the stores of their request, and what the API needs besides.
type Services struct {
	Access   *access.Service
	Projects *projects.Service
	Catalogs *catalogs.Service
	// Discovery tells how far search indexes are.
	Discovery *discovery.Service
	// Connecting connects accounts with platforms; Syncing reads their data, and Inbox has them call us.
	Connecting *connecting.Service
	Syncing    *syncing.Service
	Inbox      *inbox.Service
	// Purchase takes decisions of people about payments. Aftersales and Finance carry on what follows a sale.
	Purchase   *purchase.Service
	Aftersales *aftersales.Service
	Finance    *finance.Service
	// Shipping asks platforms for rates and labels.
	Shipping *shipping.Service
	// Publishing manages event subscriptions.
	Publishing *publishing.Service
	// Buyers vouches for buyers.
	Buyers *buyers.Service
	// Agents manages negotiator agents and tries policies out; Tuner has agents learn from their record.
	Agents *agents.Service
	Tuner  *agents.Tuner

	// Stores is the whole store. Begin runs work in one transaction of it.
	Stores *Stores
	Begin  wire.Transaction[*Stores]
	Keys   wire.KeyStore

	ACPAddress func(slug string) string // of a project's ACP API
	APIAddress string                   // of this API
	// HookAddress is where providers call a webhook.
	HookAddress func(id.Webhook) string

	// ClientAddress is where a request comes from, whatever proxies are between.
	ClientAddress func(*http.Request) netip.Addr

	// Limiter counts the requests of an account against the rate of its plan, and those without a valid
	// key against RateOfStrangers by their address.
	Limiter         ports.Limiter
	Rate            func(account.Plan) ports.Rate
	RateOfStrangers ports.Rate

	// Lane bounds how many operations run at the same time. An account is a tenant.
	Lane *wire.Lane
	// PaymentLane bounds how many of those that ask a payment provider do.
	PaymentLane *wire.Lane
	// DownloadLane bounds how many tables are sent, which lasts as long as whoever reads them is slow.
	DownloadLane *wire.Lane
	// NewEventID makes the id of an audit event.
	NewEventID func() id.AuditEvent
	Clock      ports.Clock
}

// Stores are the stores of one transaction, or the whole store: those of the use cases, and those that handlers query.
type Stores struct {
	Access     access.Stores
	Projects   projects.Stores
	Catalogs   catalogs.Stores
	Discovery  discovery.Stores
	Connecting connecting.Stores
	Syncing    syncing.Stores
	Inbox      inbox.Stores
	Purchase   purchase.Stores
	Aftersales aftersales.Stores
	Finance    finance.Stores
	Shipping   shipping.Stores
	Publishing publishing.Stores
	Buyers     buyers.Stores
	Agents     agents.Stores

	ProjectStore ports.Projects
	Inventory    ports.Inventory
	Integrations ports.Integrations
	Figures      ports.IntegrationFigures
	SyncRuns     ports.SyncRuns
	Copies       ports.CopyReader
	Webhooks     ports.IntegrationWebhooks
	WebhookLog   ports.Inbox
	Catalog      ports.CatalogReader
	Audit        ports.AuditLog
	Orders       ports.Orders
	OrderLists   ports.OrderLists
	Payments     ports.Payments
	Refunds      ports.Refunds
	Orphans      ports.OrphanCharges
	Unresolved   ports.Unresolved
	Ledger       ports.Ledger
	EventLog     ports.EventLog
	Analytics    ports.Analytics
}

// Request is what a handler gets beside its input.
type Request = wire.Request[caller, *Stores]

// Use cases on the stores of a request.
func (h *handlers) access(rq Request) *access.Service     { return h.Access.In(rq.Stores.Access) }
func (h *handlers) projects(rq Request) *projects.Service { return h.Projects.In(rq.Stores.Projects) }
func (h *handlers) catalogs(rq Request) *catalogs.Service { return h.Catalogs.In(rq.Stores.Catalogs) }
func (h *handlers) discovery(rq Request) *discovery.Service {
	return h.Discovery.In(rq.Stores.Discovery)
}
func (h *handlers) connecting(rq Request) *connecting.Service {
	return h.Connecting.In(rq.Stores.Connecting)
}
func (h *handlers) syncing(rq Request) *syncing.Service   { return h.Syncing.In(rq.Stores.Syncing) }
func (h *handlers) inbox(rq Request) *inbox.Service       { return h.Inbox.In(rq.Stores.Inbox) }
func (h *handlers) purchase(rq Request) *purchase.Service { return h.Purchase.In(rq.Stores.Purchase) }
func (h *handlers) aftersales(rq Request) *aftersales.Service {
	return h.Aftersales.In(rq.Stores.Aftersales)
}
func (h *handlers) finance(rq Request) *finance.Service   { return h.Finance.In(rq.Stores.Finance) }
func (h *handlers) shipping(rq Request) *shipping.Service { return h.Shipping.In(rq.Stores.Shipping) }
func (h *handlers) publishing(rq Request) *publishing.Service {
	return h.Publishing.In(rq.Stores.Publishing)
}
func (h *handlers) buyers(rq Request) *buyers.Service { return h.Buyers.In(rq.Stores.Buyers) }
func (h *handlers) agents(rq Request) *agents.Service { return h.Agents.In(rq.Stores.Agents) }
func (h *handlers) tuner(rq Request) *agents.Tuner    { return h.Tuner.In(rq.Stores.Agents) }

// handlers hold the services; their methods are the operations.
type handlers struct {
	Services
	mount *wire.Mount[caller, *Stores]
	lines map[string]operation // by id
}

// Register adds every operation of the API.
func Register(api huma.API, s Services) {
	h := &handlers{Services: s, lines: map[string]operation{}}
	h.mount = &wire.Mount[caller, *Stores]{
		API:    api,
		Style:  wire.Plain,
		Steps:  []wire.Step[caller]{h.authenticate, h.authorize, wire.Check[caller]},
		Tenant: caller.tenant,
		Stores: s.Stores,
		Begin:  s.Begin,
		Keys:   s.Keys,
		Rules:  wire.KeyRules[caller]{Owner: keyOwner},
		Audit:  h.event,
	}
	api.OpenAPI().Tags = append(api.OpenAPI().Tags, tags...)
	h.registerProjects()
	h.registerSettings()
	h.registerStorefront()
	h.registerProducts()
	h.registerCategories()
	h.registerInventory()
	h.registerSynonyms()
	h.registerSearchIndex()
	h.registerAgents()
	h.registerIntegrations()
	h.registerAudit()
	h.registerKeys()
	h.registerAccount()
	h.registerPayments()
	h.registerResolutions()
	h.registerOrphans()
	h.registerFinance()
	h.registerAnalytics()
	h.registerExports()
	h.registerOrders()
	h.registerReturns()
	h.registerShipping()
	h.registerSubscriptions()
	h.registerBuyers()
}

// operation is a line of a resource's table. An operation is on a project if its path names one, or if
// the header X-Project-ID does.
type operation struct {
	id      string
	method  string
	path    string
	scope   string
	status  int
	on      subject
	errors  []int // beyond those that every operation may answer
	batch   bool  // of many things: the body may be larger
	asks    bool  // a payment provider, which may take its time
	csv     bool  // answers with a table: see download
	books   bool  // also on a project that is closing or closed, as every operation with the scope finance:read is
	summary string
	// again is the body of the answer 200, which is that nothing had to be made; nil: there is none.
	again reflect.Type
	// deprecated tells clients by when to move on; nil: it is not.
	deprecated *wire.Deprecation
}

// subject is what an operation is on.
type subject int

const (
	theAccount    subject = iota // the caller's, as far as the key reaches
	wholeAccount                 // not for keys that are bound to projects
	pathProject                  // the project in the path
	headerProject                // the project of X-Project-ID
)

// register adds an operation whose handler runs within the request's transaction, with its event in the audit log.
func register[I, O any](h *handlers, tag string, o operation, handle func(*handlers, context.Context, Request, *I) (*O, error)) {
	wire.AddAtomic(h.mount, h.operation(tag, o), func(ctx context.Context, rq Request, in *I) (*O, error) {
		return handle(h, ctx, rq, in)
	})
}

// registerRead adds an operation that changes nothing.
func registerRead[I, O any](h *handlers, tag string, o operation, handle func(*handlers, context.Context, Request, *I) (*O, error)) {
	wire.AddReadOnly(h.mount, h.operation(tag, o), func(ctx context.Context, rq Request, in *I) (*O, error) {
		return handle(h, ctx, rq, in)
	})
}

// registerPhased adds an operation that calls third parties and is no change for the audit log.
func registerPhased[I, O any](h *handlers, tag string, o operation, handle func(*handlers, ports.Outbound, Request, *I) (*O, error)) {
	wire.AddPhased(h.mount, h.operation(tag, o), func(ctx ports.Outbound, rq Request, in *I) (*O, error) {
		return handle(h, ctx, rq, in)
	})
}

// plan is what a handler has worked out for the request's transaction.
type plan[O any] = wire.Plan[*Stores, O]

// registerPrepared adds an operation that calls third parties before its transaction.
func registerPrepared[I, O any](h *handlers, tag string, o operation, handle func(*handlers, ports.Outbound, Request, *I) (plan[O], error)) {
	wire.AddPrepared(h.mount, h.operation(tag, o), func(ctx ports.Outbound, rq Request, in *I) (plan[O], error) {
		return handle(h, ctx, rq, in)
	})
}

// registerClaimed adds one that must not call them twice.
func registerClaimed[I, O any](h *handlers, tag string, o operation, handle func(*handlers, ports.Outbound, Request, *I) (plan[O], error)) {
	wire.AddClaimed(h.mount, h.operation(tag, o), func(ctx ports.Outbound, rq Request, in *I) (plan[O], error) {
		return handle(h, ctx, rq, in)
	})
}

// stage is what an operation does after its transaction. Its answer takes the place of the first one, unless it fails.
type stage[O any] func(*handlers, ports.Outbound, Request) (*O, error)

// registerStaged adds an operation of two stages. The first one runs within the transaction. Then the stage that it
// returns, if any, asks a payment provider, and answers with how things stand after that. A crash between the two leaves
// the first answer, such as a pending refund, which the background work goes on with.
func registerStaged[I, O any](h *handlers, tag string, o operation, handle func(*handlers, context.Context, Request, *I) (*O, stage[O], error)) {
	o.asks = true
	wire.AddStaged(h.mount, h.operation(tag, o), func(ctx context.Context, rq Request, in *I) (*O, wire.Second[caller, *Stores, O], error) {
		out, next, err := handle(h, ctx, rq, in)
		if next == nil {
			return out, nil, err
		}
		return out, func(ctx ports.Outbound, rq Request) (*O, error) { return next(h, ctx, rq) }, err
	})
}

// operation is the Huma operation of a line in a resource's table.
func (h *handlers) operation(tag string, o operation) wire.Operation {
	h.lines[o.id] = o
	op := huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Summary: o.summary, Tags: []string{tag},
		Description:   "Scope: `" + o.scope + "`.",
		DefaultStatus: o.status, Errors: o.errors,
		Security: []map[string][]string{{wire.BearerScheme: {o.scope}}},
	}
	if o.on == pathProject || o.on == headerProject {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	if o.on == headerProject {
		op.Parameters = []*huma.Param{{
			Name: projectHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The project's id. May be left out with a key that is bound to exactly one project.",
		}}
	}
	if o.batch {
		op.MaxBodyBytes = wire.BatchBody
	}
	if o.csv {
		op.Responses = csvAnswer()
	}
	if o.again != nil {
		op.Responses = map[string]*huma.Response{"200": {
			Description: "It was there already.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: h.mount.API.OpenAPI().Components.Schemas.Schema(o.again, true, "")}},
		}}
	}
	lane := h.Lane
	if o.asks { // what waits for payment providers does so among payments
		lane = h.PaymentLane
	}
	return wire.Operation{Operation: op, Lane: lane, Deprecated: o.deprecated}
}

// readScope is the scope to read what an operation is about.
func (h *handlers) readScope(id string) string {
	group, _, _ := strings.Cut(h.lines[id].scope, ":")
	return group + ":read"
}
