// Package management is the Management API: what merchants' servers call under /v1, with an API key, and members with the token
// of their session in the console. Each resource has a file that begins with the table of its operations. The packages catalog,
// agents, negotiations, integrations and finance have the resources of these names, this one has the others, and
// internal/operation what they share. All of them convert between the wire and the application, and decide nothing.
//
// Every operation that changes something runs in one transaction with its event in the audit log and the
// answer to its Idempotency-Key (wire.Mount). A key that is bound to projects does not act for the whole
// account. Requests without a valid key, and those to unknown routes, are counted by address. Headers that
// name the caller or the project must not be repeated.
//
// Operations that give money back have a second stage, which asks the payment provider after that
// transaction. The answer, which is also stored under the idempotency key, is then the state of the refund:
// pending, if the provider has not decided in time or the process died in between. A repeated request gets
// the stored answer, even if the refund has been decided since.
//
// Orders and returns need the scopes of finance because they show and move money. Canceling an order and
// approving a return give money back, and so need the second factor where refunds do. The merchant sees
// who the buyer is. The audit log has neither the buyer nor what anybody wrote about a return or an order.
// Ids of orders and returns let buyers read them, so the audit log shows those ids only to callers who may
// read orders and returns here.
//
// Structs that others embed are exported, because Huma passes over embedded ones that are not.
package management

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/agents"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/catalog"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/finance"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/integrations"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/negotiations"
)

// UseCases are those that the API serves.
type UseCases = operation.UseCases

// Services has the use cases, and what else the API needs.
type Services = operation.Services

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds every operation of the API.
func Register(api huma.API, s Services) { register(api, s) }

func register(api huma.API, s Services) *operation.API {
	api.OpenAPI().Tags = append(api.OpenAPI().Tags, tags...)
	if s.TestBuyers != nil {
		api.OpenAPI().Tags = append(api.OpenAPI().Tags, sandboxTag)
	}
	a := operation.New(api, s)
	h := &handlers{a}
	h.registerAccount()
	h.registerKeys()
	h.registerMembers()
	h.registerSigningKeys()
	h.registerAgentKeys()
	h.registerProjects()
	h.registerAttention()
	h.registerTestBuyers()
	h.registerSandboxDisputes()
	h.registerSettings()
	h.registerStorefront()
	h.registerBuyers()
	h.registerAudit()
	catalog.Register(a)
	agents.Register(a)
	negotiations.Register(a)
	integrations.Register(a)
	finance.Register(a)
	a.ShowExamples()
	return a
}

// Unrouted counts requests to unknown routes like those to operations, and lets next answer them. It requires no key.
func Unrouted(s Services, next http.Handler) http.Handler {
	return operation.Unrouted(s, next)
}

var sandboxTag = &huma.Tag{Name: "Sandbox", Description: "Only in the sandbox: test buyers."}

// tags lists the groups of operations, in the order of the documentation.
var tags = []*huma.Tag{
	{Name: "Account", Description: "The merchant's account, its second factor, and the audit log of every change."},
	{Name: "API keys", Description: "Keys of the Management API with their scopes, optionally bound to projects."},
	membersTag(),
	{Name: "Projects", Description: "A project is one shop. Its catalog, buyers, orders and money are separate from those of other projects."},
	{Name: "Settings", Description: "Settings of a project, by category."},
	{Name: "Storefront", Description: "The shop's description, shipping, tax and returns, as buyers see them."},
	{Name: "Catalog", Description: "Products, categories, imports in batches, synonyms, and the state of the search index."},
	{Name: "Inventory", Description: "Stock levels by variant and location."},
	{Name: "Agents", Description: "Agents that negotiate for a project: their policies and versions, recorded decisions, and tuning."},
	{Name: "Jobs", Description: "Long-running work: its progress and its result."},
	{Name: "Negotiations", Description: "Buyers' offers and the shop's answers, by session and item."},
	{Name: "Integrations", Description: "Connections to shop platforms and payment providers, their sync runs and their webhooks."},
	{Name: "Orders", Description: "Orders, their cancellation and fulfillment."},
	{Name: "Returns", Description: "Returns that buyers request: approve or reject them."},
	{Name: "Disputes", Description: "Payments that buyers dispute at their bank or the provider: send evidence before the deadline, or accept them."},
	{Name: "Shipping", Description: "Carriers' rates and labels for an order."},
	{Name: "Finance", Description: "Payments, refunds, the ledger, reconciliation with payment providers, and exports as CSV."},
	{Name: "Analytics", Description: "Negotiations and sales over time."},
	{Name: "Signing keys", Description: "The keys that sign a shop's messages to agents."},
	{Name: "Agent keys", Description: "Keys for agents that do not sign their requests: a request with such a key counts as signed for the key's profile."},
	{Name: "Buyers", Description: "Tokens that confirm a buyer's identity, and export and erasure of personal data."},
	{Name: "Events", Description: "Events, subscriptions to them, and their deliveries by webhook."},
}
