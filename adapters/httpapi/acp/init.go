package acp

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerInit() {
	wire.AddPrepared(h.mount, h.operation(huma.Operation{
		OperationID: initID,
		Method:      http.MethodPost,
		Path:        "/acp/checkout/init",
		Tags:        commerceTag,
		Summary:     "Open a checkout",
		Description: "Opens a checkout of items, of what checkout_token covers, or with from_cart of the session's cart; paid lines leave the cart. Items with a checkout_token and agreed lines are sold at agreed prices, others at list price; a negotiated_price that is neither is 422 price_mismatch. Amounts are in " +
			"summary.currency; total = subtotal + shipping + tax. No stock is reserved. An item at list price that has an " +
			"agreed price in the session opens with the warning agreement_not_used. Errors: 404 for unknown ids; 409 " +
			"session_expired; 409 token_redeemed, token_expired; 422 validation_error for a country " +
			"outside of the shop's shipping_regions.",
		Errors: []int{http.StatusConflict},
	}), h.init)
}

type initRequest struct {
	SessionID       string          `json:"session_id,omitempty" example:"sess_06fszq2d8v3m5xk9t1c7w4hpeg" doc:"If omitted: the session of the checkout_token, or else a new one, which the response names."`
	CheckoutToken   string          `json:"checkout_token,omitempty" maxLength:"200" doc:"Of an accepted quote. Send several with their items."`
	FromCart        bool            `json:"from_cart,omitempty" doc:"Buys the cart of the session instead of items and checkout_token. A cart has one open checkout: an existing one is updated to the cart and returned. An omitted shipping_address or buyer keeps its value."`
	Items           []initItem      `json:"items,omitempty" maxItems:"50" doc:"Optional with a checkout_token; must be omitted with from_cart."`
	ShippingAddress shippingAddress `json:"shipping_address,omitempty" doc:"Name, line1, city, postal_code and country are required, unless allow_incomplete is true or all items are digital; these are taxed in the shop's country without an address."`
	BillingSame     bool            `json:"billing_same_as_shipping,omitempty" doc:"Accepted and ignored: the payment token has the billing address."`
	ShippingOption  string          `json:"shipping_option,omitempty" maxLength:"100" example:"express" doc:"An id of shipping_options. Omit it to take the cheapest."`
	Buyer           *checkoutBuyer  `json:"buyer,omitempty"`
	OrderWebhook    *orderWebhook   `json:"order_webhook,omitempty"`
	AllowIncomplete bool            `json:"allow_incomplete,omitempty" doc:"Accepts an incomplete address. While a field is missing, the checkout cannot be paid: revise it."`
	Unknown         wire.Unknown    `json:",embed" hidden:"true"`
}

type checkoutBuyer struct {
	FirstName string `json:"first_name,omitempty" maxLength:"200" example:"Ada"`
	LastName  string `json:"last_name,omitempty" maxLength:"200" example:"Buyer"`
	Email     string `json:"email,omitempty" maxLength:"254" example:"ada@example.com" doc:"The address only, without a name. The order gets it unless finalize has another one."`
	Phone     string `json:"phone,omitempty" maxLength:"200" example:"+1 503 555 0100"`
}

type initItem struct {
	ProductID       string        `json:"product_id" minLength:"1" example:"prod_06fszq2d8v3m5xk9t1c7w4hpeg"`
	VariantID       string        `json:"variant_id,omitempty" doc:"Optional for a product with one variant."`
	Quantity        int           `json:"quantity" minimum:"1" maximum:"1000"`
	NegotiatedPrice *wire.Decimal `json:"negotiated_price,omitempty" nullable:"true" minimum:"0" example:"89.50" doc:"The price that you expect for one piece."`
	CheckoutToken   string        `json:"checkout_token,omitempty" maxLength:"200" doc:"The token of its accepted quote."`
}

type shippingAddress struct {
	Name       string `json:"name,omitempty" maxLength:"200" example:"A. Buyer"`
	FirstName  string `json:"first_name,omitempty" maxLength:"200" doc:"Together with last_name, instead of name. An address without a name gets the buyer's name."`
	LastName   string `json:"last_name,omitempty" maxLength:"200"`
	Line1      string `json:"line1,omitempty" maxLength:"200" example:"12 Harbor Street"`
	Line2      string `json:"line2,omitempty" maxLength:"200"`
	City       string `json:"city,omitempty" maxLength:"200" example:"Portland"`
	State      string `json:"state,omitempty" maxLength:"200" example:"OR" doc:"Names of states of the US, Canada and Australia are converted to their ISO 3166-2 codes."`
	PostalCode string `json:"postal_code,omitempty" maxLength:"200" example:"97205"`
	Country    string `json:"country,omitempty" pattern:"^([A-Za-z]{2})?$" patternDescription:"an ISO 3166 alpha-2 country" example:"US"`
	Phone      string `json:"phone,omitempty" maxLength:"200" example:"+1 503 555 0100"`
}

type initAnswer struct {
	CheckoutID      string           `json:"checkout_id"`
	SessionID       string           `json:"session_id,omitempty" doc:"The session that the request opened."`
	Status          string           `json:"status" enum:"incomplete,ready,pending,processing" doc:"pending: a payment was declined, and another token may be tried. processing: a payment is in progress. Only for a cart's open checkout."`
	Summary         checkoutSummary  `json:"summary"`
	Items           []checkoutItem   `json:"items"`
	ShippingOptions []shippingOption `json:"shipping_options"`
	PaymentMethods  []readyMethod    `json:"payment_methods"`
	ValidUntil      wire.Time        `json:"valid_until"`
	Missing         []string         `json:"missing,omitempty" example:"shipping_address.line1" doc:"Fields required before payment. While any is missing, shipping and tax may change."`
	Revision        int              `json:"revision" minimum:"1" doc:"Send it to finalize or to a revision, which then fails if the checkout has changed."`

	Lines        []openedLine     `json:"lines" doc:"The items with their ids, in the same order, as a revision names them."`
	OrderWebhook *acceptedWebhook `json:"order_webhook,omitempty" doc:"Where the shop sends changes of the order."`

	Warnings    []warning   `json:"warnings,omitempty"`
	NextActions nextActions `json:"next_actions,omitempty"`
}

// openedLine is a line of a checkout with the id that a revision uses.
type openedLine struct {
	LineID    string `json:"line_id" example:"li_1"`
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	Quantity  int    `json:"quantity" minimum:"1"`
}

type checkoutSummary struct {
	Subtotal wire.Money `json:"subtotal" minimum:"0"`
	Shipping wire.Money `json:"shipping" minimum:"0"`
	Tax      wire.Money `json:"tax" minimum:"0"`
	Total    wire.Money `json:"total" minimum:"0"`
	Savings  wire.Money `json:"savings" doc:"Compared with list prices."`
	Currency string     `json:"currency" example:"USD"`

	Personalization *commerce.Personalization `json:"personalization,omitempty"`
}

type checkoutItem struct {
	ProductID     string     `json:"product_id"`
	Name          string     `json:"name"`
	Variant       string     `json:"variant" example:"M / Green" doc:"The options as text."`
	Quantity      int        `json:"quantity" minimum:"1"`
	UnitPrice     wire.Money `json:"unit_price" minimum:"0"`
	OriginalPrice wire.Money `json:"original_price" minimum:"0"`
	Discount      string     `json:"discount" example:"12.5%"`

	RequiresShipping bool                      `json:"requires_shipping"`
	Personalization  *commerce.Personalization `json:"personalization,omitempty"`
}

type shippingOption struct {
	ID       string     `json:"id" enum:"standard,express,overnight"`
	Name     string     `json:"name" example:"Standard shipping"`
	Price    wire.Money `json:"price" minimum:"0"`
	Estimate string     `json:"estimate" example:"3-5 business days"`
	Selected bool       `json:"selected" doc:"Whether the summary includes it."`
}

type readyMethod struct {
	Type  string `json:"type" enum:"psp_spt,wallet_ba"`
	Ready bool   `json:"ready"`
}

func (h *handlers) init(ctx ports.Outbound, rq Request, in *wire.Input[initRequest]) (made plan[wire.Output[initAnswer]], err error) {
	shop := rq.Caller.Shop
	request, err := fromAPIInit(shop, in.Body)
	if err != nil {
		return made, err
	}
	request.Repeatable, request.Agent = rq.Keyed, rq.Caller.Agent
	prepared, err := h.Purchase.In(rq.Stores).PrepareInit(ctx, shop, request)
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*wire.Output[initAnswer], error) {
		answer := h.toAPICheckout(prepared.Checkout, shop)
		answer.Warnings = append(strangers(in.Body.Unknown, initFields), about(prepared.Checkout, shop, prepared.Unused)...)
		answer.OrderWebhook = toAPIHook(prepared.Checkout)
		if prepared.Opened {
			answer.SessionID = prepared.Checkout.Snapshot().Session.String()
		}
		return &wire.Output[initAnswer]{Body: answer}, prepared.Commit(ctx, st)
	}
	return made, nil
}

func fromAPIInit(shop *project.Project, r initRequest) (purchase.InitRequest, error) {
	items, err := fromAPIInitItems(shop, r.Items)
	if err != nil {
		return purchase.InitRequest{}, err
	}
	var visit id.Session
	if r.SessionID != "" {
		if visit, err = wire.ID[id.Session](r.SessionID, "session"); err != nil {
			return purchase.InitRequest{}, err
		}
	}
	request := purchase.InitRequest{
		Session:   visit,
		FromCart:  r.FromCart,
		TokenHash: hashed(r.CheckoutToken),
		Items:     items,
	}
	request.Hook, request.Option = fromAPIHook(r.OrderWebhook), r.ShippingOption
	return request, addRecipient(&request, r.ShippingAddress, r.AllowIncomplete, r.Buyer)
}

// addRecipient adds the buyer and the shipping address to a request.
func addRecipient(r *purchase.InitRequest, address shippingAddress, incomplete bool, buyer *checkoutBuyer) error {
	check := fault.NewCheck()
	if b := buyer; b != nil {
		r.Buyer = checkout.Buyer{
			First: b.FirstName,
			Last:  b.LastName,
			Email: b.Email,
			Phone: b.Phone,
		}
		check.In("buyer").That(b.Email == "" || commerce.PlainAddress(b.Email), "email", "must be an e-mail address")
	}
	r.Address, r.Partial = fromAPIAddress(address), incomplete
	return check.Err()
}

func fromAPIAddress(a shippingAddress) checkout.Address {
	return checkout.Address{
		Name:       a.Name,
		First:      a.FirstName,
		Last:       a.LastName,
		Line1:      a.Line1,
		Line2:      a.Line2,
		City:       a.City,
		State:      a.State,
		PostalCode: a.PostalCode,
		Country:    strings.ToUpper(a.Country),
		Phone:      a.Phone,
	}
}

// hashed returns the hash of a token, which is all that is passed on.
func hashed(token string) string {
	if token == "" {
		return ""
	}
	return id.Hash(token)
}

// fromAPIInitItems reports all malformed prices before it looks for products.
func fromAPIInitItems(shop *project.Project, items []initItem) ([]purchase.InitItem, error) {
	list, check := make([]purchase.InitItem, len(items)), fault.NewCheck()
	for i, item := range items {
		list[i] = purchase.InitItem{Quantity: item.Quantity, TokenHash: hashed(item.CheckoutToken)}
		if item.NegotiatedPrice != nil {
			price := item.NegotiatedPrice.Amount(shop.Settings.Currency, "negotiated_price", check.In("items").At(i))
			list[i].Price = &price
		}
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	for i, item := range items {
		var err error
		if list[i].Product, err = wire.ID[id.Product](item.ProductID, "product"); err != nil {
			return nil, err
		}
		if list[i].Variant, err = wire.OptionalID[id.Variant](item.VariantID, "variant"); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// fromAPILines reads the items of a cart or checkout that is replaced; strange is the message about an unknown line.
func fromAPILines(shop *project.Project, items []revisedItem, strange string) ([]purchase.InitItem, error) {
	plain, lines, check := make([]initItem, len(items)), make([]int, len(items)), fault.NewCheck()
	for i, item := range items {
		line, ok := commerce.ParseLine(item.LineID)
		check.In("items").At(i).That(ok, "line_id", strange)
		plain[i] = initItem{item.ProductID, item.VariantID, item.Quantity, item.NegotiatedPrice, item.CheckoutToken}
		lines[i] = line
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	list, err := fromAPIInitItems(shop, plain)
	for i := range list {
		list[i].Line = lines[i]
	}
	return list, err
}

func (h *handlers) toAPICheckout(c *checkout.Checkout, shop *project.Project) initAnswer {
	s, methods, notices := c.Snapshot(), shop.ServedMethods(h.Sandbox), c.Notices(false)
	answer := initAnswer{
		CheckoutID:  s.ID.String(),
		Status:      s.Status.String(),
		ValidUntil:  wire.ToTime(s.ValidUntil),
		Missing:     c.Missing(),
		Revision:    c.Revision(),
		NextActions: afterCheckout(c, methods, h.Clock.Now()),
		Summary: checkoutSummary{
			Subtotal: wire.ToMoney(s.Subtotal),
			Shipping: wire.ToMoney(c.Shipping()),
			Tax:      wire.ToMoney(s.Tax),
			Total:    wire.ToMoney(c.Total()),
			Savings:  wire.ToMoney(s.Savings),
			Currency: s.Subtotal.Currency().Code(),

			Personalization: commerce.ToAPIPersonalization(personalization.Together(notices)),
		},
	}
	for i, l := range s.Lines {
		answer.Items = append(answer.Items, checkoutItem{
			ProductID:     l.Product.String(),
			Name:          l.Name,
			Variant:       l.Label,
			Quantity:      l.Quantity,
			UnitPrice:     wire.ToMoney(l.Unit),
			OriginalPrice: wire.ToMoney(l.Original),
			Discount:      money.Off(l.Original, l.Unit).String(),

			RequiresShipping: !l.Digital,
			Personalization:  commerce.ToAPIPersonalization(notices[i]),
		})
		answer.Lines = append(answer.Lines, openedLine{commerce.LineID(l.ID), l.Product.String(), l.Variant.String(), l.Quantity})
	}
	for _, o := range s.Options {
		answer.ShippingOptions = append(answer.ShippingOptions, shippingOption{
			ID:       o.ID,
			Name:     o.Name,
			Price:    wire.ToMoney(o.Price),
			Estimate: commerce.Days(o.MinDays, o.MaxDays),
			Selected: o.ID == s.Selected,
		})
	}
	for _, method := range methods {
		answer.PaymentMethods = append(answer.PaymentMethods, readyMethod{commerce.PaymentMethods[method], true})
	}
	return answer
}
