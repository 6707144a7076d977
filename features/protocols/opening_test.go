package protocols

import (
	"context"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// The buyers' names.
const (
	firstName = "Ada"
	lastName  = "Buyer"
)

// ownBuyer, ownAddress and ownLine are parts of a checkout request in Haggle's own protocol.
type ownBuyer struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
}

type ownCheckout struct {
	SessionID       string       `json:"session_id,omitempty"`
	FromCart        bool         `json:"from_cart,omitempty"`
	Items           []ownLine    `json:"items,omitempty"`
	Address         *acp.Address `json:"shipping_address,omitempty"`
	ShippingOption  string       `json:"shipping_option,omitempty"`
	Buyer           *ownBuyer    `json:"buyer,omitempty"`
	AllowIncomplete bool         `json:"allow_incomplete,omitempty"`
	Webhook         *ownWebhook  `json:"order_webhook,omitempty"`
}

type ownWebhook struct {
	URL string `json:"url"`
}

type ownLine struct {
	LineID        string `json:"line_id,omitempty"`
	ProductID     string `json:"product_id"`
	VariantID     string `json:"variant_id"`
	Quantity      int    `json:"quantity"`
	CheckoutToken string `json:"checkout_token,omitempty"`
}

// ownOpened is a checkout with the ids of its lines.
type ownOpened struct {
	acp.Checkout

	Lines []struct {
		ID string `json:"line_id"`
	} `json:"lines"`
}

func (c cart) ownLines() (lines []ownLine) {
	for _, l := range c.lines {
		own := ownLine{
			ProductID: l.item.product,
			VariantID: l.item.variant,
			Quantity:  l.quantity,
		}
		if l.deal != nil && l.deal.quantity == l.quantity {
			own.CheckoutToken = l.deal.code
		}
		lines = append(lines, own)
	}
	return lines
}

// open omits codes without an effect, because this protocol refuses a request with one.
func (d *acpBuyer) open(ctx context.Context, c cart) (opened, error) {
	ask := ownCheckout{
		SessionID:      c.session(),
		Items:          c.ownLines(),
		Address:        c.to.own(),
		ShippingOption: c.shipping,
		Buyer: &ownBuyer{
			FirstName: firstName,
			LastName:  lastName,
			Email:     "ada@example.com",
		},
	}
	var answer ownOpened
	var err error
	switch c.way {
	case atOnce:
		_, err = d.send(ctx, "POST", "/acp/checkout/init", "", ask, &answer)
	case addressed:
		bare := ownCheckout{
			SessionID:       ask.SessionID,
			Items:           ask.Items,
			AllowIncomplete: true,
		}
		if _, err = d.send(ctx, "POST", "/acp/checkout/init", "", bare, &answer); err != nil {
			return opened{}, err
		}
		ask.SessionID = ""
		for i := range ask.Items {
			ask.Items[i].LineID = answer.Lines[i].ID
		}
		_, err = d.send(ctx, "PUT", "/acp/checkout/"+answer.CheckoutID, "", ask, &answer)
	case carted:
		var put acp.Cart
		if _, err = d.send(ctx, "PUT", "/acp/cart", "", map[string]any{"items": ask.Items}, &put); err != nil {
			return opened{}, err
		}
		ask.SessionID, ask.FromCart, ask.Items = put.SessionID, true, nil
		_, err = d.send(ctx, "POST", "/acp/checkout/init", "", ask, &answer)
	}
	sum := answer.Summary
	return opened{
		id:   answer.CheckoutID,
		said: answer.Status,
		price: sums{
			subtotal: d.shop.minor(sum.Subtotal),
			savings:  d.shop.minor(sum.Savings),
			shipping: d.shop.minor(sum.Shipping),
			tax:      d.shop.minor(sum.Tax),
			total:    d.shop.minor(sum.Total),
		},
	}, err
}

func (c cart) ucpLines() (lines []ucp.Line) {
	for _, l := range c.lines {
		lines = append(lines, ucp.Line{Item: ucp.Item{ID: l.item.variant}, Quantity: l.quantity})
	}
	return lines
}

func (c cart) fulfillment() *ucp.Fulfillment {
	method := ucp.Method{Type: "shipping", Address: []ucp.Address{c.to.ucp()}}
	if c.shipping != "" {
		method.Groups = []ucp.Group{{Selected: c.shipping}}
	}
	return &ucp.Fulfillment{Methods: []ucp.Method{method}}
}

func (d *ucpBuyer) open(ctx context.Context, c cart) (opened, error) {
	ask := ucp.CheckoutRequest{
		Lines: c.ucpLines(),
		Buyer: &ucp.Buyer{
			FirstName: firstName,
			LastName:  lastName,
			Email:     "ada@example.com",
		},
		Discounts:   c.codes(),
		Fulfillment: c.fulfillment(),
	}
	var answer ucp.Checkout
	var err error
	switch c.way {
	case atOnce:
		answer, err = d.client.CreateCheckout(ctx, ask)
	case addressed:
		answer, err = d.client.CreateCheckout(ctx, ucp.CheckoutRequest{Lines: ask.Lines, Discounts: ask.Discounts})
		if err != nil {
			return opened{}, err
		}
		ask.Lines = nil
		for _, l := range answer.Lines {
			ask.Lines = append(ask.Lines, l.Asked())
			ask.Fulfillment.Methods[0].LineItemIDs = append(ask.Fulfillment.Methods[0].LineItemIDs, l.ID)
		}
		answer, err = d.client.UpdateCheckout(ctx, answer.ID, ask)
	case carted:
		var put ucp.Cart
		if put, err = d.client.CreateCart(ctx, ucp.CartRequest{Lines: ask.Lines}); err != nil {
			return opened{}, err
		}
		ask.CartID, ask.Lines = put.ID, nil
		answer, err = d.client.CreateCheckout(ctx, ask)
	}
	savings := -answer.Totals.Of("items_discount")
	return opened{
		id:   answer.ID,
		said: codesOf(answer.Messages),
		price: sums{
			subtotal: answer.Totals.Of("subtotal") - savings,
			savings:  savings,
			shipping: answer.Totals.Of("fulfillment"),
			tax:      answer.Totals.Of("tax"),
			total:    answer.Totals.Of("total"),
		},
	}, err
}
