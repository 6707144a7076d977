// Package management is the Management API: what merchants' servers call under /v1, with an API key.
// Each resource has a file that begins with the table of its operations. The package converts between
// the wire and the application, and decides nothing.
//
// Every operation that changes something runs in one transaction with its event in the audit log and the
// answer to its Idempotency-Key (once.go). A key that is bound to projects does not act for the whole
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

// Services is what the operations work with.
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
	// Shipping asks platforms for rates and labels. It works on the whole store, also in a transaction's
	// services.
	Shipping *shipping.Service
	// Publishing manages event subscriptions.
	Publishing *publishing.Service
	// Buyers vouches for buyers.
	Buyers *buyers.Service
	// Agents manages negotiator agents and tries policies out; Tuner has agents learn from their record.
	Agents *agents.Service
	Tuner  *agents.Tuner

	// Queries that need no use case.
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
	// Once runs every operation that changes something: its effect, its event in the audit log and the
	// answer to its Idempotency-Key are one transaction.
	Once wire.Once[Services]
	// NewEventID makes the id of an audit event.
	NewEventID func() id.AuditEvent
	Clock      ports.Clock
}

// handlers hold the services; their methods are the operations.
type handlers struct {
	Services
	api   huma.API
	reads map[string]string // by operation: the scope to read what it is about
}

// Register adds every operation of the API.
func Register(api huma.API, s Services) {
	h := &handlers{s, api, map[string]string{}}
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
	ahead   bool  // asks a platform before its transaction begins
	dry     bool  // changes nothing: it has no transaction, and the audit log learns nothing of it
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

// register adds an operation: its guard and its security in the OpenAPI document both come from its
// line in the table.
func register[I, O any](h *handlers, tag string, o operation, handler func(*handlers, context.Context, *I) (*O, error)) {
	op := huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Summary: o.summary, Tags: []string{tag},
		Description:   "Scope: `" + o.scope + "`.",
		DefaultStatus: o.status, Errors: o.errors,
		Security:    []map[string][]string{{wire.BearerScheme: {o.scope}}},
		Middlewares: huma.Middlewares{h.guard(o), wire.CheckRequest},
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
			Content:     map[string]*huma.MediaType{"application/json": {Schema: h.api.OpenAPI().Components.Schemas.Schema(o.again, true, "")}},
		}}
	}
	if o.method != http.MethodGet {
		op.Middlewares = append(op.Middlewares, h.once(o))
	}
	api := h.api
	if o.deprecated != nil {
		api = wire.Deprecate(api, *o.deprecated)
	}
	group, _, _ := strings.Cut(o.scope, ":")
	h.reads[o.id] = group + ":read"
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		v := visitOf(ctx)
		switch { // whose request has a place
		case v.services != nil: // of its transaction
			return handler(&handlers{*v.services, h.api, h.reads}, ctx, in)
		case v.next != nil:
			return handler(h, ctx, in)
		}
		ctx, leave, err := h.lane(o).Enter(ctx, v.tenant())
		if err != nil {
			return nil, err
		}
		defer leave()
		return handler(h, ctx, in)
	})
}
