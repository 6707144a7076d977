// Package operation has what the packages of the Management API share: the services that handlers run on the stores of their
// request, authentication and authorization, the registration of operations, notes for the audit log, lists and converters. It
// knows no resource.
package operation

import (
	"net/http"
	"net/netip"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/agentkeys"
	"github.com/haggle-commerce/haggle/app/agents"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/finance"
	"github.com/haggle-commerce/haggle/app/imports"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/markets"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/app/signingkeys"
	"github.com/haggle-commerce/haggle/app/syncing"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// UseCases are the services that handlers run on the stores of their request.
type UseCases struct {
	Access   *access.Service
	People   *people.Service
	Projects *projects.Service
	Catalogs *catalogs.Service
	// Discovery tells how far search indexes are.
	Discovery *discovery.Service
	// Connecting connects accounts with platforms, Syncing imports their data, and Inbox registers webhooks with them.
	Connecting *connecting.Service
	Syncing    *syncing.Service
	Inbox      *inbox.Service
	// Purchase records people's decisions about payments. Aftersales and Finance handle what follows a sale.
	Purchase   *purchase.Service
	Aftersales *aftersales.Service
	Finance    *finance.Service
	// Shipping asks platforms for rates and labels.
	Shipping *shipping.Service
	// Publishing manages event subscriptions.
	Publishing *publishing.Service
	// SigningKeys manages the keys with which projects sign.
	SigningKeys *signingkeys.Service
	// AgentKeys manages keys of agents that do not sign.
	AgentKeys *agentkeys.Service
	// Buyers vouches for buyers.
	Buyers *buyers.Service
	// Agents manages negotiator agents, their policies and the trials of policies, and tunes agents from their recorded
	// decisions.
	Agents *agents.Service
	// Imports reads products from files, as jobs.
	Imports *imports.Service
	// Markets tries policies on simulated buyers, in jobs.
	Markets *markets.Service
}

// Services has the use cases, and what else the API needs.
type Services struct {
	UseCases

	// Stores is the whole store. Begin runs work in one transaction of it.
	Stores *ports.Stores
	Begin  wire.Transaction[*ports.Stores]
	Keys   wire.KeyStore

	ACPAddress func(slug string) string // of a project's ACP API
	APIAddress string                   // of this API
	// HookAddress is where providers call a webhook.
	HookAddress func(id.Webhook) string

	// ClientAddress returns the address of a request's client, also behind proxies.
	ClientAddress func(*http.Request) netip.Addr

	// Limiter counts the requests of an account against the rate of its plan, and those without a valid
	// key against RateOfStrangers by their address.
	Limiter         ports.Limiter
	Rate            func(account.Plan) ports.Rate
	RateOfStrangers ports.Rate

	// Lane bounds how many operations run at the same time. An account is a tenant.
	Lane *wire.Lane
	// PaymentLane bounds how many of those call a payment provider at the same time.
	PaymentLane *wire.Lane
	// DownloadLane bounds concurrent CSV downloads, which take as long as a slow client reads.
	DownloadLane *wire.Lane
	// TestBuyers sends simulated buyers; nil outside of the sandbox.
	TestBuyers ports.TestBuyers
	// SandboxDisputes opens disputes of payments; nil outside of the sandbox.
	SandboxDisputes ports.SandboxDisputes
	// NewEventID makes the id of an audit event.
	NewEventID func() id.AuditEvent
	Clock      ports.Clock
}

// Request is what a handler gets in addition to its input.
type Request = wire.Request[Caller, *ports.Stores]
