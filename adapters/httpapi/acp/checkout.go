package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerCheckout() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: checkoutID,
		Method:      http.MethodGet,
		Path:        "/acp/checkout/{id}",
		Tags:        commerceTag,
		Summary:     "Read a checkout",
		Description: "Returns the items, their prices, missing fields and the status. Anyone who has the id can read a checkout, so " +
			"the response has neither buyer nor address. Errors: 404 checkout_not_found.",
	}), h.checkout)
	wire.AddPrepared(h.mount, h.operation(huma.Operation{
		OperationID: checkoutReviseID,
		Method:      http.MethodPut,
		Path:        "/acp/checkout/{id}",
		Tags:        commerceTag,
		Summary:     "Replace the cart of a checkout",
		Description: "Items, address and buyer replace the previous ones; omitted values are removed. Revision increases by one. Without order_webhook, no more are sent. An item keeps the line named " +
			"by its line_id, or else a line of the same product, variant and quantity, with its agreed price. An item with a checkout_token is sold at its price, others at list price. The checkout can be paid until 30 " +
			"minutes after the last change, at most 6 hours after init. Errors: 409 checkout_changed (the revision is not the current one); 409 checkout_processing, checkout_completed, checkout_canceled, checkout_expired. Other errors are those of init.",
		Errors: []int{http.StatusConflict},
	}), h.revise)
}

type checkoutInput struct {
	ID wire.Ref[id.Checkout] `path:"id" thing:"checkout" doc:"The checkout's id."`
}

type reviseInput struct {
	ID   wire.Ref[id.Checkout] `path:"id" thing:"checkout" doc:"The checkout's id."`
	Body reviseRequest
}

type reviseRequest struct {
	Revision        int             `json:"revision,omitempty" minimum:"1" doc:"The revision that this request is based on. Omit it to revise the current one."`
	CheckoutToken   string          `json:"checkout_token,omitempty" maxLength:"200" doc:"Of an accepted quote. Send several with their items."`
	Items           []revisedItem   `json:"items,omitempty" maxItems:"50" doc:"Optional with a checkout_token."`
	ShippingAddress shippingAddress `json:"shipping_address,omitempty" doc:"Name, line1, city, postal_code and country are required, unless allow_incomplete is true."`
	ShippingOption  string          `json:"shipping_option,omitempty" maxLength:"100" example:"express" doc:"The id of an option. Default: the selected one, or else the cheapest."`
	Buyer           *checkoutBuyer  `json:"buyer,omitempty"`
	OrderWebhook    *orderWebhook   `json:"order_webhook,omitempty"`
	AllowIncomplete bool            `json:"allow_incomplete,omitempty" doc:"As for init."`
	Unknown         wire.Unknown    `json:",embed" hidden:"true"`
}

type revisedItem struct {
	LineID          string        `json:"line_id,omitempty" maxLength:"20" example:"li_1" doc:"Keeps this line and its agreed price. If omitted: a line of the same product, variant and quantity, or else a new one."`
	ProductID       string        `json:"product_id" minLength:"1" example:"prod_06fszq2d8v3m5xk9t1c7w4hpeg"`
	VariantID       string        `json:"variant_id,omitempty" doc:"Optional with a line_id, and for a product with one variant."`
	Quantity        int           `json:"quantity" minimum:"1" maximum:"1000"`
	NegotiatedPrice *wire.Decimal `json:"negotiated_price,omitempty" nullable:"true" minimum:"0" example:"89.50" doc:"The price that you expect for one piece."`
	CheckoutToken   string        `json:"checkout_token,omitempty" maxLength:"200" doc:"The token of its accepted quote."`
}

type checkoutAnswer struct {
	CheckoutID      string           `json:"checkout_id"`
	Status          string           `json:"status" enum:"incomplete,ready,processing,pending,completed,expired,canceled"`
	Revision        int              `json:"revision" minimum:"1"`
	Missing         []string         `json:"missing" example:"shipping_address.line1" doc:"Fields required before payment."`
	Summary         checkoutSummary  `json:"summary"`
	Items           []checkoutLine   `json:"items"`
	ShippingOptions []shippingOption `json:"shipping_options" doc:"Empty until the country is known, and if all items are digital."`
	PaymentMethods  []readyMethod    `json:"payment_methods"`
	ValidUntil      wire.Time        `json:"valid_until"`
	OrderID         string           `json:"order_id,omitempty" doc:"The order of a completed checkout."`
	OrderWebhook    *acceptedWebhook `json:"order_webhook,omitempty" doc:"Present in the response to a revision that has one."`

	Warnings    []warning   `json:"warnings,omitempty"`
	NextActions nextActions `json:"next_actions,omitempty"`
}

type checkoutLine struct {
	LineID        string     `json:"line_id" example:"li_1"`
	ProductID     string     `json:"product_id"`
	VariantID     string     `json:"variant_id"`
	Name          string     `json:"name"`
	Variant       string     `json:"variant" example:"M / Green" doc:"The options as text."`
	Quantity      int        `json:"quantity" minimum:"1"`
	UnitPrice     wire.Money `json:"unit_price" minimum:"0"`
	OriginalPrice wire.Money `json:"original_price" minimum:"0"`
	Discount      string     `json:"discount" example:"12.5%"`
	Agreed        bool       `json:"agreed" doc:"Whether a checkout_token covers the line."`

	RequiresShipping bool                      `json:"requires_shipping"`
	Personalization  *commerce.Personalization `json:"personalization,omitempty"`
}

func (h *handlers) checkout(ctx context.Context, rq Request, in *checkoutInput) (*wire.Output[checkoutAnswer], error) {
	shop := rq.Caller.Shop
	c, o, err := h.Purchase.In(rq.Stores).Get(ctx, shop, purchase.Named{Checkout: in.ID.ID, Agent: rq.Caller.Agent})
	if err != nil {
		return nil, err
	}
	return &wire.Output[checkoutAnswer]{Body: h.toAPIWholeCheckout(c, o, shop)}, nil
}

func (h *handlers) revise(ctx ports.Outbound, rq Request, in *reviseInput) (made plan[wire.Output[checkoutAnswer]], err error) {
	shop := rq.Caller.Shop
	request, err := fromAPIRevise(shop, in)
	if err != nil {
		return made, err
	}
	request.Agent = rq.Caller.Agent
	prepared, err := h.Purchase.In(rq.Stores).PrepareRevise(ctx, shop, request)
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*wire.Output[checkoutAnswer], error) {
		err := prepared.Commit(ctx, st)
		answer := h.toAPIWholeCheckout(prepared.Checkout, nil, shop)
		answer.Warnings = append(strangers(in.Body.Unknown, reviseFields), about(prepared.Checkout, shop, prepared.Unused)...)
		answer.OrderWebhook = toAPIHook(prepared.Checkout)
		return &wire.Output[checkoutAnswer]{Body: answer}, err
	}
	return made, nil
}

func fromAPIRevise(shop *project.Project, in *reviseInput) (purchase.ReviseRequest, error) {
	r := in.Body
	list, err := fromAPILines(shop, r.Items, "is not a line of this checkout")
	if err != nil {
		return purchase.ReviseRequest{}, err
	}
	if len(list) == 0 && r.CheckoutToken == "" {
		return purchase.ReviseRequest{}, fault.Field("items", "must list all lines to keep, 1 to 50")
	}
	request := purchase.ReviseRequest{
		InitRequest: purchase.InitRequest{TokenHash: hashed(r.CheckoutToken), Items: list},
		Checkout:    in.ID.ID,
		Revision:    r.Revision,
	}
	request.Hook, request.Option = fromAPIHook(r.OrderWebhook), r.ShippingOption
	return request, addRecipient(&request.InitRequest, r.ShippingAddress, r.AllowIncomplete, r.Buyer)
}

// toAPIWholeCheckout shows a checkout with its order, which is nil if there is none.
func (h *handlers) toAPIWholeCheckout(c *checkout.Checkout, o *order.Order, shop *project.Project) checkoutAnswer {
	s, opened := c.Snapshot(), h.toAPICheckout(c, shop)
	answer := checkoutAnswer{
		CheckoutID:      opened.CheckoutID,
		Status:          opened.Status,
		Revision:        s.Revision,
		Missing:         opened.Missing,
		Summary:         opened.Summary,
		ShippingOptions: opened.ShippingOptions,
		PaymentMethods:  opened.PaymentMethods,
		ValidUntil:      opened.ValidUntil,
		NextActions:     opened.NextActions,
	}
	for i, l := range s.Lines {
		answer.Items = append(answer.Items, checkoutLine{
			LineID:           commerce.LineID(l.ID),
			ProductID:        l.Product.String(),
			VariantID:        l.Variant.String(),
			Name:             l.Name,
			Variant:          l.Label,
			Quantity:         l.Quantity,
			UnitPrice:        wire.ToMoney(l.Unit),
			OriginalPrice:    wire.ToMoney(l.Original),
			Discount:         money.Off(l.Original, l.Unit).String(),
			Agreed:           !l.Quote.IsZero(),
			RequiresShipping: !l.Digital,
			Personalization:  opened.Items[i].Personalization,
		})
	}
	if o != nil {
		answer.OrderID = o.ID.String()
	}
	return answer
}
