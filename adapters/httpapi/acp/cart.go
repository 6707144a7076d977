package acp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/baskets"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const cartPath = "/acp/cart"

func (h *handlers) registerCart() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: cartID,
		Method:      http.MethodGet,
		Path:        cartPath,
		Tags:        commerceTag,
		Summary:     "Read a cart",
		Description: "Returns the cart of a session: the lines that the buyer wrote and those that accepted quotes added. Prices are those of a checkout now; warnings name lines that it would refuse. Reading counts as activity. Errors: 404 session_not_found; 409 session_expired.",
		Errors:      []int{http.StatusConflict},
	}), h.cart)
	wire.AddPrepared(h.mount, h.operation(huma.Operation{
		OperationID: cartPutID,
		Method:      http.MethodPut,
		Path:        cartPath,
		Tags:        commerceTag,
		Summary:     "Replace a cart",
		Description: "Items replace all lines; omitted lines are removed. An item keeps the line named by its line_id, or else a " +
			"line of the same product, variant and quantity, with its agreed price. If these differ, it is at list price, and a warning names the agreement. An item with a checkout_token is sold at its price, others at list price. Nothing is reserved. Without session_id it opens a session. Errors are those of " +
			"checkout/init.",
		Errors: []int{http.StatusConflict},
	}), h.putCart)
	wire.AddPrepared(h.mount, h.operation(huma.Operation{
		OperationID: cartCancelID,
		Method:      http.MethodDelete,
		Path:        cartPath,
		Tags:        commerceTag,
		Summary:     "Empty a cart",
		Description: "Removes all lines. Agreed prices remain valid: until it expires, a checkout_token can be used at checkout or " +
			"put into the cart again. A checkout opened from the cart does not change: cancel it, or it expires.",
		Errors: []int{http.StatusConflict},
	}), h.cancelCart)
}

type cartInput struct {
	Session string `query:"session_id" required:"true" doc:"The session of the cart."`
}

type putCartRequest struct {
	SessionID string        `json:"session_id,omitempty" example:"sess_06fszq2d8v3m5xk9t1c7w4hpeg" doc:"Omit it to open a new session, which the response names."`
	Items     []revisedItem `json:"items" maxItems:"50" doc:"All lines. An empty list empties the cart."`
	Unknown   wire.Unknown  `json:",embed" hidden:"true"`
}

type cartAnswer struct {
	SessionID  string     `json:"session_id" doc:"Also the id of the cart."`
	Items      []cartLine `json:"items"`
	Subtotal   wire.Money `json:"subtotal" minimum:"0" doc:"Without shipping and tax."`
	Savings    wire.Money `json:"savings" doc:"Compared with list prices."`
	Currency   string     `json:"currency" example:"USD"`
	ExpiresAt  wire.Time  `json:"expires_at" doc:"The session and its cart do not expire before this time."`
	CheckoutID string     `json:"checkout_id,omitempty" doc:"The open checkout of the cart. checkout/init with from_cart updates it."`
	Warnings   []warning  `json:"warnings,omitempty"`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type cartLine struct {
	LineID        string     `json:"line_id" example:"li_1" doc:"Never reused in the session."`
	ProductID     string     `json:"product_id"`
	VariantID     string     `json:"variant_id"`
	Name          string     `json:"name"`
	Variant       string     `json:"variant" example:"M / Green" doc:"The options as text; empty if there is only one variant."`
	Quantity      int        `json:"quantity" minimum:"1"`
	UnitPrice     wire.Money `json:"unit_price" minimum:"0"`
	OriginalPrice wire.Money `json:"original_price" minimum:"0"`
	Discount      string     `json:"discount" example:"12.5%"`
	Agreed        bool       `json:"agreed" doc:"Whether the price is an agreed one; otherwise it is the list price."`
	QuoteID       string     `json:"quote_id,omitempty" doc:"The quote in which the price was agreed."`
	ValidUntil    *wire.Time `json:"valid_until,omitempty" doc:"The latest time to check out at the agreed price."`

	Personalization *commerce.Personalization `json:"personalization,omitempty"`
}

func (h *handlers) cart(ctx context.Context, rq Request, in *cartInput) (*wire.Output[cartAnswer], error) {
	of, err := wire.ID[id.Session](in.Session, "session")
	if err != nil {
		return nil, err
	}
	b, err := h.Baskets.In(rq.Stores).Get(ctx, rq.Caller.Shop, baskets.Named{Session: of, Agent: rq.Caller.Agent})
	if err != nil {
		return nil, err
	}
	return &wire.Output[cartAnswer]{Body: toAPICart(b, rq.Caller.Shop)}, nil
}

func (h *handlers) putCart(ctx ports.Outbound, rq Request, in *wire.Input[putCartRequest]) (plan[wire.Output[cartAnswer]], error) {
	request, err := fromAPIPutCart(rq.Caller.Shop, in.Body)
	if err != nil {
		return plan[wire.Output[cartAnswer]]{}, err
	}
	request.Repeatable, request.Agent = rq.Keyed, rq.Caller.Agent
	prepared, err := h.Baskets.In(rq.Stores).PreparePut(ctx, rq.Caller.Shop, request)
	return cartPlan(rq, prepared, strangers(in.Body.Unknown, putFields), err)
}

func (h *handlers) cancelCart(ctx ports.Outbound, rq Request, in *cartInput) (plan[wire.Output[cartAnswer]], error) {
	of, err := wire.ID[id.Session](in.Session, "session")
	if err != nil {
		return plan[wire.Output[cartAnswer]]{}, err
	}
	prepared, err := h.Baskets.In(rq.Stores).PrepareCancel(ctx, rq.Caller.Shop, baskets.Named{Session: of, Agent: rq.Caller.Agent})
	return cartPlan(rq, prepared, nil, err)
}

func cartPlan(rq Request, prepared *baskets.PreparedPut, warnings []warning, err error) (plan[wire.Output[cartAnswer]], error) {
	return plan[wire.Output[cartAnswer]]{
		Commit: func(ctx context.Context, st *ports.Stores) (*wire.Output[cartAnswer], error) {
			answer := toAPICart(&prepared.Basket, rq.Caller.Shop)
			answer.Warnings = append(warnings, answer.Warnings...)
			return &wire.Output[cartAnswer]{Body: answer}, prepared.Commit(ctx, st)
		},
	}, err
}

func fromAPIPutCart(shop *project.Project, r putCartRequest) (baskets.PutRequest, error) {
	list, err := fromAPILines(shop, r.Items, "is not a line of this cart")
	if err != nil {
		return baskets.PutRequest{}, err
	}
	of, err := wire.OptionalID[id.Session](r.SessionID, "session")
	return baskets.PutRequest{Session: of, Items: list}, err
}

func toAPICart(b *baskets.Basket, shop *project.Project) cartAnswer {
	subtotal, savings := b.Subtotal()
	answer := cartAnswer{
		SessionID:   b.Session.ID.String(),
		Subtotal:    wire.ToMoney(subtotal),
		Savings:     wire.ToMoney(savings),
		Currency:    b.Currency.Code(),
		ExpiresAt:   wire.ToTime(b.Session.ExpiresAt),
		CheckoutID:  b.Checkout.String(),
		NextActions: afterCart(b),
	}
	for _, l := range b.Lines {
		answer.Items = append(answer.Items, cartLine{
			LineID:        commerce.LineID(l.Line),
			ProductID:     l.Product.String(),
			VariantID:     l.Variant.String(),
			Name:          l.Name,
			Variant:       l.Label,
			Quantity:      l.Quantity,
			UnitPrice:     wire.ToMoney(l.Unit),
			OriginalPrice: wire.ToMoney(l.Original),
			Discount:      money.Off(l.Original, l.Unit).String(),
			Agreed:        !l.AtList(),
			QuoteID:       l.Quote.String(),
			ValidUntil:    wire.ToKnownTime(l.Until),

			Personalization: commerce.ToAPIPersonalization(shop.Storefront.Personalization.Notice(l.Personal.Signals, l.Personal.Region)),
		})
	}
	for _, w := range b.Warnings {
		answer.Warnings = append(answer.Warnings, toAPICartWarning(w))
	}
	return answer
}

var cartProblems = map[baskets.Problem]string{
	baskets.AgreementNotUsed: "An agreed price does not apply to this line. Put the item into the cart in exactly the agreed " +
		"quantity, with the checkout_token of that quote. A bundle's price applies only together with the item that it was " +
		"offered with.",
	baskets.AgreementExpired: "The agreed price has expired. Ask for a new quote, or put the cart again to have the line at list price.",
	baskets.ItemUnavailable:  "The product is no longer sold. Remove the line from the cart.",
}

func toAPICartWarning(w baskets.Warning) warning {
	return warning{
		Code:        w.Problem.String(),
		Field:       fmt.Sprintf("items.%d", w.Line),
		Message:     cartProblems[w.Problem],
		QuoteID:     w.Quote.String(),
		AgreedPrice: agreedPrice(w),
	}
}

func agreedPrice(w baskets.Warning) *wire.Money {
	if w.Quote.IsZero() {
		return nil
	}
	return wire.ToOptionalMoney(&w.Price)
}
