package acp

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/haggling"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerQuote() {
	wire.AddPrepared(h.mount, h.operation(huma.Operation{
		OperationID: quoteID,
		Method:      http.MethodPost,
		Path:        "/acp/quote",
		Tags:        commerceTag,
		Summary:     "Ask for a price or make an offer",
		Description: "Without offer_price the response is a quote. An offer is " +
			"accepted, countered or rejected. You can buy at a quoted price, a counter_price or the offered_price of a " +
			"rejection until valid_until: to accept it, send it as offer_price. A follow-up names session_id and quote_id and " +
			"may omit product, variant and quantity; add_bundle also accepts the suggested bundle. After valid_until the status is expired. Errors: 404 " +
			"product_not_found, variant_not_found, quote_not_found or session_not_found; 409 quote_accepted, with the deal; 409 quote_closed (a newer quote replaced it); 422 validation_error for an offer_price that is not positive, too large or has more decimals than the currency.",
		Errors: []int{http.StatusConflict},
		Responses: h.oneOf(map[string]reflect.Type{
			"accept":        reflect.TypeFor[acceptAnswer](),
			"counter_offer": reflect.TypeFor[counterAnswer](),
			"reject":        reflect.TypeFor[rejectAnswer](),
			"quote":         reflect.TypeFor[quotedAnswer](),
			"expired":       reflect.TypeFor[expiredAnswer](),
		}),
	}), h.quote)
}

type quoteRequest struct {
	SessionID    string        `json:"session_id,omitempty" doc:"Required with quote_id; otherwise omit it to open a new session."`
	QuoteID      string        `json:"quote_id,omitempty" doc:"The quote that this request follows up."`
	ProductID    string        `json:"product_id,omitempty" example:"prod_06fszq2d8v3m5xk9t1c7w4hpeg" doc:"Required without quote_id."`
	VariantID    string        `json:"variant_id,omitempty" example:"var_06fszq2d8v3m5xk9t1c7w4hpeg" doc:"Optional for a product with one variant."`
	Quantity     int           `json:"quantity,omitempty" minimum:"1" maximum:"1000" example:"1" doc:"Required without quote_id."`
	OfferPrice   *wire.Decimal `json:"offer_price,omitempty" nullable:"true" exclusiveMinimum:"0" example:"89.50" doc:"For one piece. Null or omitted: ask for a quote."`
	Message      string        `json:"message,omitempty" maxLength:"2000" doc:"Free text. It does not affect the price."`
	AddBundle    bool          `json:"add_bundle,omitempty" doc:"Accepts the suggested bundle too. Without an offer it accepts the current counter_price."`
	BuyerContext *buyerContext `json:"buyer_context,omitempty" doc:"Unverified except for buyer_token, so it has little weight; invalid values are ignored."`
	Unknown      wire.Unknown  `json:",embed" hidden:"true"`
}

func (h *handlers) quote(ctx ports.Outbound, rq Request, in *wire.Input[quoteRequest]) (made plan[wire.Output[any]], err error) {
	shop := rq.Caller.Shop
	request, err := fromAPIQuote(shop, in.Body)
	if err != nil {
		return made, err
	}
	request.Ask.Client, request.Agent = rq.Caller.Client, rq.Caller.Agent
	if request.Claims, err = h.recognize(ctx, rq, in.Body.BuyerContext); err != nil {
		return made, err
	}
	request.Again, request.Repeatable = rq.Attempt > 1, rq.Keyed
	prepared, err := h.Haggling.In(rq.Stores).PrepareQuote(ctx, shop, request)
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*wire.Output[any], error) {
		return &wire.Output[any]{Body: toAPIQuote(prepared.Answer, strangers(in.Body.Unknown, quoteFields))}, prepared.Commit(ctx, st)
	}
	return made, nil
}

func fromAPIQuote(shop *project.Project, r quoteRequest) (haggling.Request, error) {
	request := haggling.Request{Message: r.Message, AddBundle: r.AddBundle}
	if r.OfferPrice != nil {
		check := fault.NewCheck()
		offer := r.OfferPrice.Amount(shop.Settings.Currency, "offer_price", check)
		if err := check.Err(); err != nil {
			return request, err
		}
		request.Offer = &offer
	}
	ask, err := fromAPIAsk(r)
	request.Ask = ask
	return request, err
}

func fromAPIAsk(r quoteRequest) (ask ports.HaggleAsk, err error) {
	if ask.Session, err = wire.OptionalID[id.Session](r.SessionID, "session"); err != nil {
		return ask, err
	}
	if ask.Quote, err = wire.OptionalID[id.Quote](r.QuoteID, "quote"); err != nil {
		return ask, err
	}
	if ask.Product, err = wire.OptionalID[id.Product](r.ProductID, "product"); err != nil {
		return ask, err
	}
	ask.Variant, err = wire.OptionalID[id.Variant](r.VariantID, "variant")
	ask.Quantity = r.Quantity
	return ask, err
}
