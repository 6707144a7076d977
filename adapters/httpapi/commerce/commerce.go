// Package commerce has what the buyers' protocols share: finding the shop of a request, rate limits per client, identifying
// agents, and the use cases with their stores. It decides nothing about carts, prices or orders, and has no routes: each protocol
// adds its requests, answers and routes.
package commerce

import (
	"context"
	"net/http"
	"net/netip"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/dealtoken"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/app/signingkeys"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Services has the use cases, which handlers run on the stores of their request, and what else the API needs.
type Services struct {
	Storefronts ports.Storefronts
	Discovery   *discovery.Service
	Haggling    *haggling.Service
	Baskets     *baskets.Service
	Purchase    *purchase.Service
	Aftersales  *aftersales.Service
	Buyers      *buyers.Service
	SigningKeys *signingkeys.Service
	// AnswerKeys remember the keys that sign answers.
	AnswerKeys *signingkeys.Remembered
	// Identity identifies the agents of requests, for protocols that do so.
	Identity *identity.Service
	Deals    dealtoken.Tokens

	// Stores is the whole store. Begin runs work in one transaction of it.
	Stores *ports.Stores
	Begin  wire.Transaction[*ports.Stores]
	Keys   wire.KeyStore

	Clock ports.Clock
	// Sandbox makes the built-in provider serve payment methods that no connected provider serves.
	Sandbox bool
	// Address is the base URL of a project's ACP API, e.g. https://host/p/slug.
	Address func(slug string) string
	// Protocols returns the entry points of a project's protocols, by name, without Haggle's own protocol.
	Protocols func(shop *project.Project) map[string]string
	// PublicURL is the prefix of image addresses that are paths.
	PublicURL string

	// ClientAddress returns the address of a request's client, also behind proxies.
	ClientAddress func(*http.Request) netip.Addr
	// Limiter counts each client's requests to each project against Rate; nil: there is no limit. Gate counts each client's
	// requests before the project is looked up, against ten times Rate, and those of an IPv6 site against a hundred times Rate.
	Limiter, Gate ports.Limiter
	Rate          ports.Rate
	// Lane bounds how many operations run at the same time; those that call payment providers have a lane of their own. A shop is
	// a tenant.
	Lane, PaymentLane *wire.Lane
}

// Buyer is the sender of a request, with the shop that it names.
type Buyer struct {
	Shop *project.Project
	// Client is the pseudonym of the client's address in the shop, under which declined payments and offers are counted.
	Client string
	// Payer is the key under which declined payments are counted: the agent's if it is verified, or else Client.
	Payer string
	// Agent is the agent that acts for the buyer, as claimed or verified.
	Agent agentid.Agent
	// Platform is what a protocol that identifies agents knows about the agent.
	Platform identity.Caller
}

func (b Buyer) tenant() string { return b.Shop.ID.String() }

type (
	// Request is what a handler gets in addition to its input.
	Request = wire.Request[Buyer, *ports.Stores]
	// Mount is a protocol on the request pipeline.
	Mount = wire.Mount[Buyer, *ports.Stores]
)

// Mount returns the request pipeline of a protocol. The paths of its operations have a {slug}. Operations may see a shop that is
// cached for a moment (ports.Storefronts). Those that take money check the shop's version in their transaction, and the
// operations whose ids are in anew read the shop again.
func (s *Services) Mount(api huma.API, style *wire.Style, rules wire.KeyRules[Buyer], anew ...string) *Mount {
	reread := func(e *wire.Entry[Buyer]) error {
		if slices.Contains(anew, e.Operation.OperationID) {
			return s.rereadShop(e)
		}
		return nil
	}
	return &Mount{
		API:    api,
		Style:  style,
		Steps:  []wire.Step[Buyer]{s.countClient, wire.Check[Buyer], s.findShop, s.checkKey, reread},
		Reread: s.rereadShop,
		Tenant: Buyer.tenant,
		Stores: s.Stores,
		Begin:  s.Begin,
		Keys:   s.Keys,
		Rules:  rules,
	}
}

// countClient counts the request for its client before its shop is looked up, because slugs can be made up. A request that is
// carried by another one was counted when that one was admitted.
func (s *Services) countClient(e *wire.Entry[Buyer]) error {
	if _, carries := e.Request.Context().Value(carried{}).(carrier); carries {
		return nil
	}
	return s.countAddress(e.Request.Context(), e.Writer.Header(), s.ClientAddress(e.Request))
}

func (s *Services) countAddress(ctx context.Context, h http.Header, from netip.Addr) error {
	if s.Limiter == nil {
		return nil
	}
	err := count(ctx, h, s.Gate, wire.AddressKey(from), times(10, s.Rate))
	if site := wire.SiteKey(from); err == nil && site != "" {
		err = count(ctx, h, s.Gate, site, times(100, s.Rate))
	}
	return err
}

func times(n int, r ports.Rate) ports.Rate {
	return ports.Rate{PerMinute: n * r.PerMinute, Burst: n * r.Burst}
}

func count(ctx context.Context, h http.Header, limiter ports.Limiter, key string, rate ports.Rate) error {
	return wire.Limit(h, limiter.Allow(ctx, key, rate), rate)
}

// findShop finds the shop before anything else of the request is checked, and counts the request against the client's rate in the
// shop. A request that is signed or sent with an agent key is counted once its sender is known (see Identify).
func (s *Services) findShop(e *wire.Entry[Buyer]) (err error) {
	if e.Caller.Shop, err = s.Storefronts.BySlug(e.Request.Context(), e.Request.PathValue("slug")); err != nil {
		return err
	}
	wire.NoteProject(e.Request.Context(), e.Caller.Shop.ID.String())
	address := wire.AddressKey(s.ClientAddress(e.Request))
	e.Caller.Client = id.Hash(e.Caller.Shop.ID.String() + " " + address)
	e.Caller.Payer = e.Caller.Client
	noteAgent(e)
	if identifies(e) && proves(e.Request) {
		return nil
	}
	return s.countInShop(e, address)
}

// countInShop counts a request for its sender, which is a client's address or an agent. Some operations count as several
// requests.
func (s *Services) countInShop(e *wire.Entry[Buyer], sender string) error {
	if s.Limiter == nil {
		return nil
	}
	key, n := "acp "+e.Caller.Shop.ID.String()+" "+sender, 1
	if cost, ok := e.Operation.Metadata[costKey].(int); ok {
		n = cost
	}
	return wire.Limit(e.Writer.Header(), s.Limiter.AllowN(e.Request.Context(), key, s.Rate, n), s.Rate)
}

// costKey is the key of an operation's cost in its metadata. Operations with a cost identify agents.
const costKey = "cost in requests"

// Costs makes an operation of a protocol that identifies agents count as n requests.
func Costs(op *huma.Operation, n int) {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[costKey] = n
}

func identifies(e *wire.Entry[Buyer]) bool { return e.Operation.Metadata[costKey] != nil }

// rereadShop reads the current version of the shop.
func (s *Services) rereadShop(e *wire.Entry[Buyer]) error {
	now, err := s.Storefronts.ByProject(e.Request.Context(), e.Caller.Shop.ID)
	switch {
	case err != nil:
		return err
	case now.Status != project.Active:
		return fault.Missing("project")
	}
	e.Caller.Shop = now
	return nil
}
