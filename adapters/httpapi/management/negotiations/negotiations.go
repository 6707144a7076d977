// Package negotiations shows merchants the negotiations of buyers with their shop, and their outcomes. It never shows a session's
// id, because its holder can act in the session. Only callers with the agents scope see price limits and the reasons of answers.
package negotiations

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/agents"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/finance"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on negotiations.
func Register(a *operation.API) {
	h := &handlers{a}
	const all, one = "/v1/negotiations", "/v1/negotiations/{negotiation_id}"
	g := h.Group("Negotiations", "finance", operation.HeaderProject)
	operation.Register(g, "list-negotiations", "GET "+all, "List negotiations, those with the newest step first", h.list, operation.OrScope(agentsRead))
	operation.Register(g, "get-negotiation", "GET "+one, "Get the negotiations of a buyer's session", h.get, operation.OrScope(agentsRead))
	operation.Register(g, "explain-negotiation", "GET "+one+"/explanations", "Explain each decision of a buyer's session", h.explain,
		operation.Scope(agentsRead))
}

const (
	agentsRead  = "agents:read"
	financeRead = "finance:read"
)

// sessionThreadsView has all negotiations of a buyer's session.
type sessionThreadsView struct {
	ID        string                  `json:"id" doc:"As orders, events and analytics show it."`
	State     string                  `json:"state" enum:"deal,left,open" doc:"The state of all items together: deal if one of them is a deal, else open if one of them is open, else left."`
	Protocol  *string                 `json:"protocol" nullable:"true" enum:"haggle,ucp,mcp" doc:"The protocol that opened the session. Null: the session was deleted."`
	Agent     *finance.BuyerAgentView `json:"agent,omitempty" doc:"The buyer's agent. Omitted if it did not identify itself, or if the session was deleted."`
	BeganAt   wire.Time               `json:"began_at" doc:"The time of the first step."`
	LastAt    wire.Time               `json:"last_at"`
	Items     []ThreadItemView        `json:"items" doc:"In the order of their beginning, at most 100."`
	Steps     []threadStepView        `json:"steps" doc:"Steps of all items and agents, oldest first, at most 200."`
	StepCount int                     `json:"step_count" doc:"The number of all steps. If it is higher than that of steps, the last steps are omitted."`
	Orders    *[]placedOrder          `json:"orders,omitzero" doc:"Orders placed in the session, oldest first, at most 20. Omitted without the scope finance:read."`
}

// placedOrder is an order in short.
type placedOrder struct {
	ID           string `json:"id"`
	Confirmation string `json:"confirmation_number" example:"HG-7K2M-9QXA"`
}

// ThreadItemView is the negotiation about an item. Prices are per unit.
type ThreadItemView struct {
	Product     string        `json:"product_id"`
	ProductName string        `json:"product_name" doc:"The name in the catalog now, or at the product's deletion."`
	Variant     string        `json:"variant_id"`
	VariantName string        `json:"variant_name" doc:"The variant's options as text, in the catalog now. Empty: it is the only variant, or was deleted."`
	Quantity    int           `json:"quantity"`
	State       string        `json:"state" enum:"deal,left,open" doc:"deal: an offer was accepted, paid or not. left: there is no deal, and the buyer declined the last price or the session has ended. open: there is no deal yet, and the session continues."`
	StepCount   int           `json:"step_count"`
	LastOffer   *wire.Money   `json:"last_offer" nullable:"true" doc:"Null: the buyer made no offer."`
	ShopPrice   wire.Money    `json:"shop_price" doc:"The shop's last price."`
	DealPrice   *wire.Money   `json:"deal_price" nullable:"true" doc:"The last agreed price. Null: none."`
	OffList     *wire.Decimal `json:"off_list_percent" nullable:"true" example:"12.9" doc:"The deal's discount from the list price, rounded down to a tenth. Null: no deal."`
	List        wire.Money    `json:"list_price" doc:"At the last step."`
	Floor       *wire.Money   `json:"floor,omitempty" doc:"At the last step. Omitted without the scope agents:read."`
	Currency    string        `json:"currency" example:"USD"`
	BeganAt     wire.Time     `json:"began_at"`
	LastAt      wire.Time     `json:"last_at"`
	Offers      []*wire.Money `json:"offers" nullable:"false" doc:"Offers of the first step and of the latest ones, at most 24. A null element: the buyer asked for the price."`
	Prices      []*wire.Money `json:"prices" nullable:"false" doc:"The shop's price at each step of offers. A null element: an old rejection, which had no price."`
}

// threadStepView is an offer, or a question of the price, and its answer. Prices are per unit.
type threadStepView struct {
	Seq         int         `json:"seq" doc:"The step's number in its session, from 1."`
	Product     string      `json:"product_id"`
	ProductName string      `json:"product_name" doc:"The name in the catalog now, or at the product's deletion."`
	Variant     string      `json:"variant_id"`
	VariantName string      `json:"variant_name"`
	Quantity    int         `json:"quantity"`
	CreatedAt   wire.Time   `json:"created_at"`
	Offer       *wire.Money `json:"offer" nullable:"true" doc:"Null: the buyer asked for a price."`
	Response    string      `json:"response" enum:"quote,accept,counter_offer,reject"`
	Price       *wire.Money `json:"price" nullable:"true" doc:"The shop's price. Null in old records of rejections."`

	Decision *agents.DecisionRecord `json:"decision,omitempty" doc:"The full decision, with bounds, inputs, rule and message. Omitted without the scope agents:read."`
}

// reader is what a caller may see.
type reader struct{ agents, finance bool }

func readerOf(rq operation.Request) reader {
	return reader{
		agents:  rq.Caller.Key.Allows(agentsRead),
		finance: rq.Caller.Key.Allows(financeRead),
	}
}

type getInput struct {
	Negotiation wire.Ref[id.Negotiation] `path:"negotiation_id"`
}

func (h *handlers) get(ctx context.Context, rq operation.Request, in *getInput) (*wire.Output[sessionThreadsView], error) {
	found, err := rq.Stores.Threads.Session(ctx, rq.Caller.Project.ID, in.Negotiation.ID)
	if err != nil {
		return nil, err
	}
	return &wire.Output[sessionThreadsView]{Body: readerOf(rq).session(in.Negotiation.ID, found)}, nil
}

func (r reader) session(of id.Negotiation, s *ports.SessionThreads) sessionThreadsView {
	first, last := s.Decisions[0].At, s.Decisions[len(s.Decisions)-1].At
	names := map[negotiation.Item]ports.Thread{}
	states := make([]negotiation.ThreadState, len(s.Threads))
	for i, t := range s.Threads {
		names[t.Item], states[i] = t, t.State
		if t.Last.After(last) {
			last = t.Last
		}
	}
	v := sessionThreadsView{
		ID:        of.String(),
		State:     negotiation.SessionState(states).String(),
		BeganAt:   wire.ToTime(first),
		LastAt:    wire.ToTime(last),
		Items:     wire.Each(s.Threads, r.item),
		Steps:     wire.Each(s.Decisions, func(d negotiation.Link) threadStepView { return r.step(d, names[d.Item]) }),
		StepCount: s.Total,
	}
	if s.Agent != nil {
		v.Protocol, v.Agent = new(s.Agent.Protocol.String()), finance.ToAPIAgent(*s.Agent)
	}
	if r.finance {
		v.Orders = new(wire.Each(s.Orders, func(o ports.OrderName) placedOrder { return placedOrder{o.ID.String(), o.Confirmation} }))
	}
	return v
}

func (r reader) item(t ports.Thread) ThreadItemView {
	v := ThreadItemView{
		Product:     t.Item.Product.String(),
		ProductName: t.Product,
		Variant:     t.Item.Variant.String(),
		VariantName: t.Variant,
		Quantity:    t.Item.Quantity,
		State:       t.State.String(),
		StepCount:   t.Steps,
		LastOffer:   wire.ToOptionalMoney(t.Offer),
		ShopPrice:   wire.ToMoney(t.Price),
		DealPrice:   wire.ToOptionalMoney(t.Deal),
		List:        wire.ToMoney(t.List),
		Currency:    t.List.Currency().Code(),
		BeganAt:     wire.ToTime(t.Began),
		LastAt:      wire.ToTime(t.Last),
		Offers:      wire.Each(t.Path, func(s ports.ThreadStep) *wire.Money { return wire.ToOptionalMoney(s.Offer) }),
		Prices:      wire.Each(t.Path, func(s ports.ThreadStep) *wire.Money { return wire.ToOptionalMoney(s.Price) }),
	}
	if t.Deal != nil {
		v.OffList = new(wire.ToDecimal(negotiation.OffList(t.List, *t.Deal), 1))
	}
	if r.agents {
		v.Floor = new(wire.ToMoney(t.Floor))
	}
	return v
}

func (r reader) step(d negotiation.Link, named ports.Thread) threadStepView {
	v := threadStepView{
		Seq:         d.Seq,
		Product:     d.Item.Product.String(),
		ProductName: named.Product,
		Variant:     d.Item.Variant.String(),
		VariantName: named.Variant,
		Quantity:    d.Item.Quantity,
		CreatedAt:   wire.ToTime(d.At),
		Offer:       wire.ToOptionalMoney(d.Offer),
		Response:    commerce.Responses[d.Outcome],
		Price:       wire.ToOptionalMoney(d.Price),
	}
	if r.agents {
		v.Decision = new(agents.ToAPIRecord(d))
	}
	return v
}

func toAPIProtocol(p *agentid.Protocol) *string {
	if p == nil {
		return nil
	}
	return new(p.String())
}
