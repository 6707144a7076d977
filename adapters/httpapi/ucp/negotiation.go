package ucp

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Negotiation is a capability of the server's own, in the version named here. Its operations are next to the protocol's.
const (
	negotiationVersion  = "2026-12-01"
	negotiationProtocol = "haggle-negotiation/1"
	negotiationsPath    = restPath + "/negotiations"
)

// The names of the operations.
const (
	startNegotiationID = "start_negotiation"
	makeOfferID        = "make_offer"
	acceptOfferID      = "accept_offer"
	getNegotiationID   = "get_negotiation"
	declineOfferID     = "decline_offer"
)

func (h *handlers) registerNegotiations() {
	wire.AddPrepared(h.mount, h.of(h.config.Negotiation, huma.Operation{
		OperationID:   startNegotiationID,
		Method:        http.MethodPost,
		Path:          negotiationsPath,
		DefaultStatus: http.StatusCreated,
		Summary:       "Ask for a price or make a first offer",
		Responses:     h.negotiationAnswer(http.StatusCreated),
	}), prepared(h, (*handlers).startNegotiation))
	wire.AddPrepared(h.mount, h.of(h.config.Negotiation, huma.Operation{
		OperationID: makeOfferID,
		Method:      http.MethodPost,
		Path:        negotiationsPath + "/{id}/offers",
		Summary:     "Make an offer",
		Responses:   h.negotiationAnswer(http.StatusOK),
	}), prepared(h, (*handlers).makeOffer))
	wire.AddPrepared(h.mount, h.of(h.config.Negotiation, huma.Operation{
		OperationID: acceptOfferID,
		Method:      http.MethodPost,
		Path:        negotiationsPath + "/{id}/accept",
		Summary:     "Accept the standing price",
		Responses:   h.negotiationAnswer(http.StatusOK),
	}), prepared(h, (*handlers).acceptOffer))
	wire.AddReadOnly(h.mount, h.of(h.config.Negotiation, huma.Operation{
		OperationID: getNegotiationID,
		Method:      http.MethodGet,
		Path:        negotiationsPath + "/{id}",
		Summary:     "Read a negotiation",
		Responses:   h.negotiationAnswer(http.StatusOK),
	}), plain(h, (*handlers).getNegotiation))
	wire.AddPrepared(h.mount, h.of(h.config.Negotiation, huma.Operation{
		OperationID: declineOfferID,
		Method:      http.MethodPost,
		Path:        negotiationsPath + "/{id}/decline",
		Summary:     "Decline a negotiation",
		Responses:   h.negotiationAnswer(http.StatusOK),
	}), prepared(h, (*handlers).declineOffer))
}

// priceRequest is a price for one piece.
type priceRequest struct {
	Amount   int64  `json:"amount" minimum:"1" maximum:"999999999999" doc:"For one piece, in the currency's minor units: 22400 is 224.00 USD." example:"22400"`
	Currency string `json:"currency" minLength:"3" maxLength:"3" doc:"ISO 4217; the shop's currency." example:"USD"`
}

type wantedLine struct {
	Item     itemRequest `json:"item"`
	Quantity int         `json:"quantity,omitempty" minimum:"1" maximum:"1000" doc:"Default: 1."`
}

// startRequest is the start_request of the schema.
type startRequest struct {
	Item     *itemRequest   `json:"item,omitempty" doc:"The item to negotiate. item and quantity are a short form of one line."`
	Quantity int            `json:"quantity,omitempty" minimum:"1" maximum:"1000" doc:"Default: 1."`
	Lines    []wantedLine   `json:"lines,omitempty" minItems:"1" maxItems:"1" doc:"Instead of item and quantity. This version supports one line."`
	Terms    map[string]any `json:"terms,omitempty" doc:"Reserved: {}."`
	CartID   string         `json:"cart_id,omitempty" maxLength:"200" doc:"The cart for the deal. Default: a new one."`
	Offer    *priceRequest  `json:"offer,omitempty" doc:"Omit it to ask for the shop's price."`
	Message  string         `json:"message,omitempty" maxLength:"2000" doc:"Free text. It does not affect the price."`
	Context  *placedRequest `json:"context,omitempty" doc:"Information about the buyer. It affects neither the list price nor the shop's limits: the place decides which rules on personal signals apply."`
}

// offerRequest is the offer_request of the schema.
type offerRequest struct {
	Offer     *priceRequest `json:"offer,omitempty" doc:"If omitted, add_bundle accepts the standing_price."`
	Message   string        `json:"message,omitempty" maxLength:"2000" doc:"Free text. It does not affect the price."`
	AddBundle bool          `json:"add_bundle,omitempty" doc:"Accept the suggested bundle too."`
}

// acceptRequest is the accept_request of the schema.
type acceptRequest struct {
	Price priceRequest `json:"price" doc:"The standing_price, repeated as confirmation."`
}

// declineRequest is the decline_request of the schema.
type declineRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"200" examples:"price_sensitivity,shipping_cost,shipping_speed,product_fit,trust_security,returns_policy,payment_options,comparison,timing_deferred,other" doc:"price_sensitivity, shipping_cost, shipping_speed, product_fit, trust_security, returns_policy, payment_options, comparison, timing_deferred or other. Any other value counts as other."`
}

type startInput struct{ Body startRequest }

type onNegotiation struct {
	ID string `path:"id" maxLength:"200" doc:"The negotiation's id."`
}

type offerInput struct {
	ID   string `path:"id" maxLength:"200" doc:"The negotiation's id."`
	Body offerRequest
}

type acceptInput struct {
	ID   string `path:"id" maxLength:"200" doc:"The negotiation's id."`
	Body acceptRequest
}

type declineInput struct {
	ID   string          `path:"id" maxLength:"200" doc:"The negotiation's id."`
	Body *declineRequest `required:"false"`
}

const noNegotiation = "There is no such negotiation."

func (h *handlers) startNegotiation(ctx ports.Outbound, rq Request, in *startInput) (plan[reply], error) {
	r, b := haggling.Request{Message: in.Body.Message, Place: in.Body.Context.place()}, in.Body
	switch {
	case (b.Item == nil) == (len(b.Lines) == 0):
		return h.settled(h.fail("invalid_input", "Send either item or lines, with one line.")), nil
	case b.Item != nil:
		r.Ask.Ref, r.Ask.Quantity = b.Item.ID, b.Quantity
	default:
		r.Ask.Ref, r.Ask.Quantity = b.Lines[0].Item.ID, b.Lines[0].Quantity
	}
	if r.Ask.Ref = strings.TrimSpace(r.Ask.Ref); r.Ask.Ref == "" {
		return h.settled(h.fail("item_unavailable", noItem)), nil
	}
	if b.CartID != "" {
		cart, err := id.Parse[id.Session](b.CartID)
		if err != nil {
			return h.settled(h.fail("not_found", noCart)), nil
		}
		r.Ask.Session = cart
	}
	if b.Offer != nil {
		offer, wrong := fromAPIPrice(rq, "offer", *b.Offer)
		if wrong != "" {
			return h.settled(h.fail("invalid_input", wrong)), nil
		}
		r.Offer = &offer
	}
	prepared, err := h.prepareQuote(ctx, rq, r)
	if err != nil {
		return h.notStarted(rq, err)
	}
	return h.quotePlan(rq, http.StatusCreated, prepared), nil
}

const noItem = "The item is not sold here."

// notStarted answers a request that could not start a negotiation.
func (h *handlers) notStarted(rq Request, err error) (plan[reply], error) {
	switch {
	case fault.Is(err, "product_not_found"), fault.Is(err, "variant_not_found"):
		return h.settled(h.fail("item_unavailable", noItem)), nil
	case errors.Is(err, haggling.ErrDigital):
		return h.settled(h.fail("item_unavailable", haggling.ErrDigital.Message)), nil
	case fault.Is(err, "variant_required"), namesField(err, "variant_id"):
		return h.settled(h.fail("item_unavailable", "The product has several variants. Name one by its id.")), nil
	case fault.Is(err, "session_not_found"), fault.Is(err, "session_expired"):
		return h.settled(h.fail("not_found", noCart)), nil
	}
	return h.refusedPlan(rq, err)
}

func namesField(err error, field string) bool {
	e, ok := err.(*fault.Error)
	return ok && len(e.Details) > 0 && e.Details[0].Field == field
}

func (h *handlers) makeOffer(ctx ports.Outbound, rq Request, in *offerInput) (plan[reply], error) {
	of, err := id.Parse[id.Quote](in.ID)
	if err != nil {
		return h.settled(h.fail("not_found", noNegotiation)), nil
	}
	r := haggling.Request{Message: in.Body.Message, AddBundle: in.Body.AddBundle}
	r.Ask.Quote, r.ByQuote = of, true
	switch {
	case in.Body.Offer != nil:
		offer, wrong := fromAPIPrice(rq, "offer", *in.Body.Offer)
		if wrong != "" {
			return h.unmovedPlan(ctx, rq, of, "invalid_input", wrong)
		}
		r.Offer = &offer
	case !in.Body.AddBundle:
		return h.unmovedPlan(ctx, rq, of, "invalid_input", "offer: is required.")
	}
	return h.followUp(ctx, rq, of, r)
}

func (h *handlers) acceptOffer(ctx ports.Outbound, rq Request, in *acceptInput) (plan[reply], error) {
	of, err := id.Parse[id.Quote](in.ID)
	if err != nil {
		return h.settled(h.fail("not_found", noNegotiation)), nil
	}
	price, wrong := fromAPIPrice(rq, "price", in.Body.Price)
	if wrong != "" {
		return h.unmovedPlan(ctx, rq, of, "invalid_input", wrong)
	}
	r := haggling.Request{
		Offer:   &price,
		Accept:  true,
		ByQuote: true,
	}
	r.Ask.Quote = of
	return h.followUp(ctx, rq, of, r)
}

func (h *handlers) followUp(ctx ports.Outbound, rq Request, of id.Quote, r haggling.Request) (plan[reply], error) {
	prepared, err := h.prepareQuote(ctx, rq, r)
	if err != nil {
		return h.unmoved(ctx, rq, of, err)
	}
	return h.quotePlan(rq, http.StatusOK, prepared), nil
}

func (h *handlers) prepareQuote(ctx ports.Outbound, rq Request, r haggling.Request) (*haggling.PreparedQuote, error) {
	r.Ask.Client, r.Agent = rq.Caller.Client, rq.Caller.Agent
	r.Again, r.Repeatable, r.Physical = rq.Attempt > 1, rq.Keyed, true
	return h.Haggling.In(rq.Stores).PrepareQuote(ctx, rq.Caller.Shop, r)
}

func (h *handlers) quotePlan(rq Request, status int, prepared *haggling.PreparedQuote) plan[reply] {
	return plan[reply]{Commit: func(ctx context.Context, st *ports.Stores) (*reply, error) {
		return &reply{Status: status, Body: h.toAPIAnswer(rq, prepared.Answer)}, prepared.Commit(ctx, st)
	}}
}

func (h *handlers) getNegotiation(ctx context.Context, rq Request, in *onNegotiation) (*reply, error) {
	of, err := id.Parse[id.Quote](in.ID)
	if err != nil {
		return h.found(h.fail("not_found", noNegotiation))
	}
	v, err := h.Haggling.In(rq.Stores).Read(ctx, rq.Caller.Shop, named(rq, of))
	if err != nil {
		return h.noNegotiation(err)
	}
	return h.found(h.toAPIView(rq, v))
}

// declineOffer runs again if a concurrent request was committed first.
func (h *handlers) declineOffer(ctx ports.Outbound, rq Request, in *declineInput) (plan[reply], error) {
	of, err := id.Parse[id.Quote](in.ID)
	if err != nil {
		return h.settled(h.fail("not_found", noNegotiation)), nil
	}
	why := negotiation.Reason{}
	if in.Body != nil {
		why = negotiation.ParseReason(in.Body.Reason)
	}
	before, err := h.Haggling.In(rq.Stores).Read(ctx, rq.Caller.Shop, named(rq, of))
	switch {
	case err != nil:
		answer, err := h.noNegotiation(err)
		return settledBy(answer), err
	case before.Quote.State == negotiation.Agreed:
		return h.unmovedPlan(ctx, rq, of, "quote_accepted", "The negotiation is accepted. An unused deal expires.")
	case before.Quote.State != negotiation.Open:
		return h.settled(h.toAPIView(rq, before)), nil
	}
	return plan[reply]{Commit: func(ctx context.Context, st *ports.Stores) (*reply, error) {
		v, err := h.Haggling.In(st).Decline(ctx, rq.Caller.Shop, named(rq, of), why)
		if err != nil {
			return nil, raced(err)
		}
		return h.found(h.toAPIView(rq, v))
	}}, nil
}

func named(rq Request, of id.Quote) haggling.Named {
	return haggling.Named{
		Quote:  of,
		Agent:  rq.Caller.Agent,
		Client: rq.Caller.Client,
	}
}

func settledBy(answer *reply) plan[reply] {
	return plan[reply]{Commit: func(context.Context, *ports.Stores) (*reply, error) { return answer, nil }}
}

// noNegotiation answers that a negotiation does not exist.
func (h *handlers) noNegotiation(err error) (*reply, error) {
	if fault.KindOf(err) == fault.NotFound {
		return h.found(h.fail("not_found", noNegotiation))
	}
	return nil, err
}

// unmoved answers an offer that changed nothing with the current state of the negotiation.
func (h *handlers) unmoved(ctx context.Context, rq Request, of id.Quote, err error) (plan[reply], error) {
	e, ok := business(err)
	switch {
	case !ok:
		return plan[reply]{}, err
	case e.Code == "quote_not_found", e.Code == "session_not_found":
		return h.settled(h.fail("not_found", noNegotiation)), nil
	case e.Kind == fault.NotFound:
		return h.unmovedPlan(ctx, rq, of, "item_unavailable", noItem)
	case e.Code == "session_expired":
		return h.unmovedPlan(ctx, rq, of, "quote_expired", "The negotiation has expired. Start a new one.")
	case e.Code == "quote_accepted":
		return h.unmovedPlan(ctx, rq, of, e.Code, "The negotiation has been accepted. Its deal is in the cart.")
	case e.Kind == fault.Invalid:
		return h.unmovedPlan(ctx, rq, of, "invalid_input", content(e))
	}
	return h.unmovedPlan(ctx, rq, of, codeOfFault(e), content(e))
}

func (h *handlers) unmovedPlan(ctx context.Context, rq Request, of id.Quote, code, text string) (plan[reply], error) {
	v, err := h.Haggling.In(rq.Stores).Read(ctx, rq.Caller.Shop, named(rq, of))
	if err != nil {
		answer, err := h.noNegotiation(err)
		return settledBy(answer), err
	}
	body := h.toAPIView(rq, v)
	body.Messages = []message{{
		Type:     "error",
		Code:     code,
		Content:  text,
		Severity: recoverable,
	}}
	return h.settled(body), nil
}

// fromAPIPrice parses a price. wrong describes its problem.
func fromAPIPrice(rq Request, field string, p priceRequest) (price money.Amount, wrong string) {
	currency := rq.Caller.Shop.Settings.Currency
	if !strings.EqualFold(p.Currency, currency.Code()) {
		return price, field + ".currency: must be " + currency.Code() + ", the currency of the shop."
	}
	return money.Of(p.Amount, currency), ""
}
