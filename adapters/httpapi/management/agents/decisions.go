package agents

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerDecisions(g operation.Group) {
	const all = oneAgent + "/decisions"
	operation.Register(g, "list-agent-decisions", "GET "+all, "List an agent's decisions, newest first", h.listDecisions, operation.Books)
	operation.Register(g, "verify-agent-decisions", "GET "+all+"/verify", "Verify the hash chain that seals the project's decisions",
		h.verifyDecisions, operation.Books)
}

// DecisionView is a decision with all that led to it. Prices are per unit.
type DecisionView struct {
	Session string `json:"session_id" doc:"A capability: it can continue the session, and cancel the order placed in it."`
	DecisionRecord
}

// DecisionRecord is a decision without the id of its session.
type DecisionRecord struct {
	ID            string              `json:"id"`
	Agent         *string             `json:"agent_id" nullable:"true" doc:"Null in old records."`
	Negotiation   string              `json:"negotiation_id" doc:"A public id of the session, which orders, events and analytics also show and which gives no access."`
	Seq           int                 `json:"seq" doc:"The decision's number in its session, from 1."`
	Quote         string              `json:"quote_id"`
	Product       string              `json:"product_id"`
	Variant       string              `json:"variant_id"`
	Quantity      int                 `json:"quantity"`
	CreatedAt     wire.Time           `json:"created_at"`
	Offer         *wire.Money         `json:"offer" nullable:"true" doc:"Null: the buyer asked for a price."`
	Answer        answerView          `json:"answer"`
	Rule          string              `json:"rule" example:"concession" doc:"The rule that decided: no_offer, list_only, commitment, at_ask, concession, no_movement, final_round, probing_limit, below_floor, or agent_answer."`
	Handler       *string             `json:"handler" nullable:"true" example:"builtin:haggle" doc:"The handler that answered: builtin and the program's name, remote or model. Null in old records."`
	Fallback      *string             `json:"fallback" nullable:"true" doc:"The reason why the built-in handler answered instead, such as agent_timeout."`
	Proposal      *wire.Money         `json:"proposal" nullable:"true" doc:"The price that a handler other than the built-in one proposed."`
	PolicyVersion int                 `json:"policy_version"`
	Bounds        boundsView          `json:"bounds"`
	Progress      progressView        `json:"progress" doc:"The state of the negotiation before this decision."`
	Inputs        inputsView          `json:"inputs"`
	Message       *string             `json:"message" nullable:"true" doc:"The buyer's message. No decision depends on it."`
	Chain         nullable[chainView] `json:"chain" doc:"The decision's link of the project's chain. Null: not sealed yet."`
}

type answerView struct {
	Response string      `json:"response" enum:"quote,accept,counter_offer,reject"`
	Price    *wire.Money `json:"price" nullable:"true" doc:"Null in old records of rejections."`
}

type progressView struct {
	Rounds    int         `json:"rounds" doc:"The number of counteroffers made."`
	Moves     int         `json:"moves" doc:"The buyer's moves: the first offer, and each offer at least 1 % of the list price above the last move and not below 3/4 of the floor."`
	BestOffer *wire.Money `json:"best_offer" nullable:"true" doc:"The offer of the last move."`
	Counter   *wire.Money `json:"counter" nullable:"true" doc:"The lowest price that the shop has named."`
}

type inputsView struct {
	List       wire.Money  `json:"list_price"`
	Cost       *wire.Money `json:"cost" nullable:"true"`
	Competitor *wire.Money `json:"competitor_price" nullable:"true"`
	Negotiable bool        `json:"negotiable"`
	Quantity   int         `json:"quantity"`
	Stock      int         `json:"stock"`
	CartValue  wire.Money  `json:"cart_value" doc:"The value of the other items in the cart at agreed prices."`
	CartAtList *wire.Money `json:"cart_at_list,omitempty" doc:"The value of the other items in the cart at list prices. It counts as a claim. Omitted if there are none."`
	Category   string      `json:"category"`
	Claims     struct {
		Tier      string `json:"loyalty_tier"`
		Purchases int    `json:"purchase_history"`
		Urgency   string `json:"urgency"`
	} `json:"claims" doc:"The claims of the buyer's agent."`
	Member struct {
		Tier      string `json:"loyalty_tier"`
		Purchases int    `json:"purchase_history"`
	} `json:"member" doc:"What the merchant's systems know of the buyer."`
	Probed struct {
		Session int `json:"session" doc:"Offers below the floor in the whole session."`
		Client  int `json:"client" doc:"The client's sessions within a day, if the policy limits them."`
		Product int `json:"product" doc:"The client's other sessions about the product within an hour that led to no order of it."`
	} `json:"probed" doc:"The buyer's probing before this decision."`
}

// nullable is an object or null. Huma's tag nullable does not work for objects.
type nullable[T any] struct{ object *T }

func (n nullable[T]) MarshalJSON() ([]byte, error) { return wire.Marshal(n.object) }

func (nullable[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), false, "")
	s.Nullable = true
	return &s
}

type chainView struct {
	Position int64   `json:"position" doc:"From 1."`
	Hash     string  `json:"hash" doc:"SHA-256, in hex."`
	Prior    *string `json:"prior" nullable:"true" doc:"The previous hash. Null: this is the first."`
}

func toAPIDecision(d negotiation.Link) DecisionView {
	return DecisionView{d.Session.String(), ToAPIRecord(d)}
}

// ToAPIRecord converts a decision for readers of negotiations, who must not be able to act in the session.
func ToAPIRecord(d negotiation.Link) DecisionRecord {
	v := DecisionRecord{
		ID:            d.ID.String(),
		Agent:         wire.ToOptional(d.Agent.String()),
		Negotiation:   id.NegotiationOf(d.Session).String(),
		Seq:           d.Seq,
		Quote:         d.Quote.String(),
		Product:       d.Item.Product.String(),
		Variant:       d.Item.Variant.String(),
		Quantity:      d.Item.Quantity,
		CreatedAt:     wire.ToTime(d.At),
		Offer:         wire.ToOptionalMoney(d.Offer),
		Answer:        answerView{commerce.Responses[d.Outcome], wire.ToOptionalMoney(d.Price)},
		Rule:          d.Rule.String(),
		Handler:       wire.ToOptional(d.Handler),
		Fallback:      wire.ToOptional(d.Fallback),
		Proposal:      wire.ToOptionalMoney(d.Proposal),
		PolicyVersion: d.PolicyVersion,
		Bounds:        toAPIBounds(d.Bounds),
		Progress:      toAPIProgress(d.Before),
		Inputs:        toAPIInputs(d.Signals),
		Message:       wire.ToOptional(d.Message),
	}
	if d.Position > 0 {
		v.Chain.object = &chainView{d.Position, d.Hash, wire.ToOptional(d.Prior)}
	}
	return v
}

// toAPIProgress shows a price of zero as null.
func toAPIProgress(p negotiation.Progress) progressView {
	v := progressView{Rounds: p.Rounds, Moves: p.Moves}
	if p.BestOffer.IsPositive() {
		v.BestOffer = wire.ToOptionalMoney(&p.BestOffer)
	}
	if p.Counter.IsPositive() {
		v.Counter = wire.ToOptionalMoney(&p.Counter)
	}
	return v
}

func toAPIInputs(s negotiation.Signals) inputsView {
	v := inputsView{
		List:       wire.ToMoney(s.List),
		Cost:       wire.ToOptionalMoney(s.Cost),
		Competitor: wire.ToOptionalMoney(s.Competitor),
		Negotiable: s.Negotiable,
		Quantity:   s.Quantity,
		Stock:      s.Stock,
		CartValue:  wire.ToMoney(s.CartValue),
		Category:   s.Category,
	}
	if s.CartAtList.IsPositive() {
		v.CartAtList = wire.ToOptionalMoney(&s.CartAtList)
	}
	v.Claims.Tier, v.Claims.Purchases, v.Claims.Urgency = s.Claims.Tier.String(), s.Claims.Purchases, s.Claims.Urgency.String()
	v.Member.Tier, v.Member.Purchases = s.Member.Tier.String(), s.Member.Purchases
	v.Probed.Session, v.Probed.Client, v.Probed.Product = s.Probed.Session, s.Probed.Client, s.Probed.Product
	return v
}

type listDecisionsInput struct {
	OnAgent
	operation.Paging
	operation.Period
	Session  wire.Ref[id.Session] `query:"session_id"`
	Order    wire.Ref[id.Order]   `query:"order_id" doc:"Only decisions of the session in which this order was placed."`
	Quote    wire.Ref[id.Quote]   `query:"quote_id"`
	Product  wire.Ref[id.Product] `query:"product_id"`
	Response string               `query:"response" enum:"quote,accept,counter_offer,reject"`
	Rule     string               `query:"rule" enum:"no_offer,list_only,commitment,at_ask,concession,no_movement,final_round,probing_limit,below_floor,agent_answer"`
}

type decisionsOutput struct {
	Body struct {
		Data []DecisionView `json:"data"`
		Meta decisionsMeta  `json:"meta"`
	}
}

type decisionsMeta struct {
	Total     int        `json:"total"`
	Limit     int        `json:"limit"`
	Offset    int        `json:"offset"`
	KeptSince *wire.Time `json:"kept_since" nullable:"true" doc:"Decisions up to this time were deleted (setting retention.decisions). Null: all are kept."`
}

func (h *handlers) listDecisions(ctx context.Context, rq operation.Request, in *listDecisionsInput) (*decisionsOutput, error) {
	f := ports.DecisionFilter{
		Agent:   in.Agent.ID,
		Session: in.Session.ID,
		Order:   in.Order.ID,
		Quote:   in.Quote.ID,
		Product: in.Product.ID,
		Outcome: commerce.ValueOf(in.Response, commerce.Responses),
	}
	f.Rule, _ = negotiation.ParseRule(in.Rule) // "" filters nothing, and the schema allows no unknown rule
	f.From, f.To = in.Span(rq)
	found, total, err := h.Agents.In(rq.Stores).Decisions(ctx, rq.Caller.Project, f, in.Page())
	if err != nil {
		return nil, err
	}
	if in.Session.Unknown() || in.Order.Unknown() || in.Quote.Unknown() || in.Product.Unknown() {
		found, total = nil, 0
	}
	out := &decisionsOutput{}
	out.Body.Data = wire.Each(found, toAPIDecision)
	since, err := h.keptSince(ctx, rq)
	out.Body.Meta = decisionsMeta{total, in.Limit, in.Offset, since}
	return out, err
}

func (h *handlers) keptSince(ctx context.Context, rq operation.Request) (*wire.Time, error) {
	since, err := h.Agents.In(rq.Stores).KeptSince(ctx, rq.Caller.Project)
	return wire.ToOptionalTime(since), err
}

type verifyInput struct {
	OnAgent
	From int64 `query:"from" minimum:"1" maximum:"1000000000000" default:"1" doc:"The position to start at: next of the previous response."`
}

type verifyOutput struct {
	Body struct {
		Verified   bool                     `json:"verified" doc:"Whether all decisions checked are as they were sealed, and follow from those before."`
		Decisions  int                      `json:"decisions" doc:"The number of decisions checked, at most 10,000 in a call."`
		BrokenAt   *int64                   `json:"broken_at" nullable:"true" doc:"The first position that is missing or not as it was sealed."`
		Next       *int64                   `json:"next" nullable:"true" doc:"The position to continue from. Null: the head was reached, or the chain is broken."`
		Checkpoint nullable[checkpointView] `json:"checkpoint" doc:"Replaces the decisions that were deleted (setting retention.decisions): the first link that is kept follows its hash. Null: all are kept."`
		Head       nullable[chainHead]      `json:"head" doc:"The last link. Store it elsewhere to detect that a whole chain was sealed again. Null: nothing is sealed."`
		Unsealed   int                      `json:"unsealed" doc:"The number of decisions that are not sealed yet."`
	}
}

type checkpointView struct {
	Position int64     `json:"position"`
	Hash     string    `json:"hash"`
	Until    wire.Time `json:"until" doc:"The time of the last of them."`
}

type chainHead struct {
	Position int64  `json:"position"`
	Hash     string `json:"hash"`
}

func (h *handlers) verifyDecisions(ctx context.Context, rq operation.Request, in *verifyInput) (*verifyOutput, error) {
	found, err := h.Agents.In(rq.Stores).Verify(ctx, rq.Caller.Project, in.Agent.ID, in.From)
	if err != nil {
		return nil, err
	}
	out := &verifyOutput{}
	out.Body.Verified, out.Body.Decisions, out.Body.Unsealed = found.BrokenAt == 0, found.Decisions, found.Head.Unsealed
	out.Body.BrokenAt, out.Body.Next = wire.ToOptional(found.BrokenAt), wire.ToOptional(found.Next)
	if c := found.Head.Checkpoint; c.Position > 0 {
		out.Body.Checkpoint.object = &checkpointView{
			Position: c.Position,
			Hash:     c.Hash,
			Until:    wire.ToTime(c.Until),
		}
	}
	if found.Head.Position > 0 {
		out.Body.Head.object = &chainHead{found.Head.Position, found.Head.Hash}
	}
	return out, nil
}
