// Package operation is what the families of the Management API have in common: the services that handlers run on the
// stores of their request, the guard in front of operations, the ways to register one, notes for the audit log, lists
// and converters. It knows no resource.
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

// UseCases are what handlers run on the stores of their request.
type UseCases struct {
	Access   *access.Service
	People   *people.Service
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
	// SigningKeys gives projects the keys with which they sign.
	SigningKeys *signingkeys.Service
	// AgentKeys gives keys to agents that do not sign.
	AgentKeys *agentkeys.Service
	// Buyers vouches for buyers.
	Buyers *buyers.Service
	// Agents manages negotiator agents, tries policies out, and has agents learn from their record.
	Agents *agents.Service
	// Imports reads products from files, as jobs.
	Imports *imports.Service
	// Markets lets simulated buyers meet policies, as jobs.
	Markets *markets.Service
}

// Services are the use cases, and what the API needs besides.
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
	// DownloadLane bounds concurrent CSV downloads, which take as long as a slow client reads.
	DownloadLane *wire.Lane
	// TestBuyers sends simulated buyers; nil: this is no sandbox.
	TestBuyers ports.TestBuyers
	// SandboxDisputes has buyers dispute what they paid; nil: this is no sandbox.
	SandboxDisputes ports.SandboxDisputes
	// NewEventID makes the id of an audit event.
	NewEventID func() id.AuditEvent
	Clock      ports.Clock
}

// Request is what a handler gets beside its input.
type Request = wire.Request[Caller, *ports.Stores]
