package acp

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerOrders() {
	h.registerOrderCancel()
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: orderID,
		Method:      http.MethodGet,
		Path:        "/acp/orders/{id}",
		Tags:        aftersalesTag,
		Summary:     "Read an order",
		Description: "Returns the order with its payment, fulfillment, tracking, returns and refunds. Amounts are in " +
			"payment.currency. With the order's manage_token it also shows receipt_url and the payment instrument. Errors: " +
			"403 order_token_required (the manage_token is not the order's); 404 order_not_found.",
		Errors: []int{http.StatusForbidden},
	}), h.order)
	page := map[string]*huma.Response{"200": {Description: "The receipt", Content: map[string]*huma.MediaType{
		"text/html": {Schema: &huma.Schema{Type: huma.TypeString}},
	}}}
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: orderPageID,
		Method:      http.MethodGet,
		Path:        "/acp/orders/{id}/receipt",
		Tags:        aftersalesTag,
		Summary:     "Print an order",
		Description: "Returns the receipt without the buyer's name, address and payment instrument, as an HTML page. Errors: 404 order_not_found.",
		Responses:   page,
	}), h.orderPage)
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: receiptID,
		Method:      http.MethodGet,
		Path:        "/acp/orders/{id}/receipt/{code}",
		Tags:        aftersalesTag,
		Summary:     "Print an order's receipt",
		Description: "Returns the receipt as an HTML page for printing. The order's receipt_url is its address. Errors: 404 order_not_found or receipt_not_found.",
		Responses:   page,
	}), h.receipt)
}

type orderAnswer struct {
	Order       placedOrder      `json:"order"`
	Payment     orderPayment     `json:"payment"`
	Fulfillment orderFulfillment `json:"fulfillment"`
	ReceiptURL  string           `json:"receipt_url,omitempty" format:"uri" doc:"A page to print, with the buyer's address. Present only with the manage_token."`
	Tracking    orderTracking    `json:"tracking"`
	Summary     orderSummary     `json:"summary"`
	Refunds     []orderRefund    `json:"refunds" doc:"Oldest first."`
	Returns     []orderReturn    `json:"returns" doc:"Oldest first."`
	Items       []orderedItem    `json:"items" doc:"The items, with the ids that a return needs, in the order of summary.items."`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type placedOrder struct {
	ID                 string    `json:"id"`
	ManageToken        string    `json:"manage_token,omitempty" example:"om_7k2m9qxa7k2m9qxa7k2m9qxa7k2m9qxa" doc:"Cancels the order and shows its receipt. Only in the response to finalize."`
	ConfirmationNumber string    `json:"confirmation_number" example:"HG-7K2M-9QXA"`
	Status             string    `json:"status" enum:"confirmed,refunded,canceled"`
	CreatedAt          wire.Time `json:"created_at"`
}

type orderPayment struct {
	ID       string      `json:"id"`
	Status   string      `json:"status" enum:"succeeded,partially_refunded,refunded"`
	Amount   wire.Money  `json:"amount" minimum:"0"`
	Refunded *wire.Money `json:"refunded_amount,omitempty" minimum:"0" doc:"The amount refunded so far. Not part of the response to a payment."`
	Currency string      `json:"currency" example:"USD"`
	Method   string      `json:"method" example:"Visa ending in 4242" doc:"The payment instrument as text; without the manage_token, the payment method."`
}

type orderFulfillment struct {
	Status            string     `json:"status" enum:"processing,shipped,delivered,canceled"`
	EstimatedShipDate string     `json:"estimated_ship_date" format:"date"`
	EstimatedDelivery string     `json:"estimated_delivery" example:"2026-03-04 to 2026-03-06"`
	ShippedAt         *wire.Time `json:"shipped_at,omitempty"`
	DeliveredAt       *wire.Time `json:"delivered_at,omitempty"`
}

type orderTracking struct {
	Available bool    `json:"available" doc:"Whether url has a tracking page."`
	URL       *string `json:"url" format:"uri"`
	Carrier   string  `json:"carrier,omitempty"`
	Number    string  `json:"number,omitempty"`
	Message   string  `json:"message"`
}

type orderRefund struct {
	RefundID  string     `json:"refund_id"`
	Status    string     `json:"status" enum:"pending,succeeded,failed"`
	Amount    wire.Money `json:"amount" minimum:"0"`
	ReturnID  string     `json:"return_id,omitempty" doc:"The return that the refund is for."`
	CreatedAt wire.Time  `json:"created_at"`
}

type orderReturn struct {
	ReturnID string `json:"return_id"`
	Status   string `json:"status" enum:"requested,approved,rejected"`
}

type orderSummary struct {
	Items    []orderItem `json:"items"`
	Subtotal wire.Money  `json:"subtotal" minimum:"0"`
	Shipping wire.Money  `json:"shipping" minimum:"0"`
	Tax      wire.Money  `json:"tax" minimum:"0"`
	Total    wire.Money  `json:"total" minimum:"0"`
}

type orderItem struct {
	Name     string     `json:"name"`
	Quantity int        `json:"quantity" minimum:"1"`
	Price    wire.Money `json:"price" minimum:"0" doc:"For one piece."`
}

// orderedItem is a line with the ids that a return uses.
type orderedItem struct {
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	Quantity  int    `json:"quantity" minimum:"1"`

	Personalization *commerce.Personalization `json:"personalization,omitempty" doc:"Present only for the payer."`
}

type orderInput struct {
	ID     wire.Ref[id.Order] `path:"id" thing:"order" doc:"The order's id."`
	Header string             `header:"X-Manage-Token" maxLength:"100" doc:"The order's manage_token. Prefer the header: addresses end up in logs."`
	Query  string             `query:"manage_token" maxLength:"100" doc:"The order's manage_token."`
}

func (h *handlers) order(ctx context.Context, rq Request, in *orderInput) (*wire.Output[orderAnswer], error) {
	shop := rq.Caller.Shop
	c, err := h.Aftersales.In(rq.Stores).Read(ctx, shop.ID, in.ID.ID, in.Header, in.Query)
	if err != nil {
		return nil, err
	}
	answer := toAPICase(shop, c, h.Clock.Now())
	if token := cmp.Or(in.Header, in.Query); token != "" {
		answer.Payment.Method, answer.ReceiptURL = c.Order.Payment.Label, h.receiptURL(shop, c.Order, token)
		addNotices(answer.Items, c.Order)
	}
	return &wire.Output[orderAnswer]{Body: answer}, nil
}

// addNotices adds the notices that the buyer was given to the items of an order.
func addNotices(items []orderedItem, o *order.Order) {
	for i, l := range o.Lines {
		items[i].Personalization = commerce.ToAPIPersonalization(l.Notice())
	}
}

// receiptURL returns the address of an order's receipt or, without a manage token, of the page without personal data.
func (h *handlers) receiptURL(shop *project.Project, o *order.Order, manageToken string) string {
	address := h.Address(shop.Slug) + "/acp/orders/" + o.ID.String() + "/receipt"
	if manageToken == "" {
		return address
	}
	return address + "/" + order.ReceiptCode(manageToken)
}

// toAPICase shows an order with its returns and refunds at a time, to anybody who knows its id.
func toAPICase(shop *project.Project, c *order.Case, now time.Time) orderAnswer {
	answer, refunded := toAPIOrder(shop, c.Order), wire.ToMoney(c.Order.Payment.Refunded)
	answer.Payment.Refunded = &refunded
	for _, r := range c.Refunds {
		answer.Refunds = append(answer.Refunds, orderRefund{
			RefundID:  r.ID.String(),
			Status:    r.Status.String(),
			Amount:    wire.ToMoney(r.Amount),
			ReturnID:  r.Return.String(),
			CreatedAt: wire.ToTime(r.CreatedAt),
		})
	}
	answer.NextActions = afterOrder(shop, c, now)
	for _, r := range c.Returns {
		answer.Returns = append(answer.Returns, orderReturn{r.ID.String(), r.Status.String()})
	}
	return answer
}

func toAPIOrder(shop *project.Project, o *order.Order) orderAnswer {
	answer := orderAnswer{
		Order: placedOrder{
			ID:                 o.ID.String(),
			ConfirmationNumber: o.Confirmation,
			Status:             o.Status.String(),
			CreatedAt:          wire.ToTime(o.CreatedAt),
		},
		Payment: orderPayment{
			ID:       o.Payment.ID.String(),
			Status:   o.Payment.Status().String(),
			Amount:   wire.ToMoney(o.Payment.Amount),
			Currency: o.Payment.Amount.Currency().Code(),
			Method:   commerce.PaymentMethods[o.Payment.Method],
		},
		Fulfillment: orderFulfillment{
			Status:            o.Fulfillment.Status.String(),
			EstimatedShipDate: o.Fulfillment.ShipsOn.Format(time.DateOnly),
			EstimatedDelivery: toAPIDelivery(o.Fulfillment),
			ShippedAt:         wire.ToKnownTime(o.Fulfillment.ShippedAt), DeliveredAt: wire.ToKnownTime(o.Fulfillment.DeliveredAt),
		},
		Tracking: toAPITracking(o.Fulfillment),
		Summary: orderSummary{
			Subtotal: wire.ToMoney(o.Subtotal), Shipping: wire.ToMoney(o.Shipping),
			Tax: wire.ToMoney(o.Tax), Total: wire.ToMoney(o.Total),
		},
		Refunds: []orderRefund{}, Returns: []orderReturn{},
	}
	for _, l := range o.Lines {
		answer.Summary.Items = append(answer.Summary.Items, orderItem{l.Name, l.Quantity, wire.ToMoney(l.Unit)})
		answer.Items = append(answer.Items, orderedItem{
			ProductID: l.Product.String(),
			VariantID: l.Variant.String(),
			Quantity:  l.Quantity,
		})
	}
	return answer
}

func toAPITracking(f order.Fulfillment) orderTracking {
	t := orderTracking{
		Available: f.TrackingURL != "",
		Carrier:   f.Carrier,
		Number:    f.TrackingNumber,
	}
	if t.Available {
		t.URL = &f.TrackingURL
	}
	switch f.Status {
	case order.FulfillmentCanceled:
		t.Message = "The order is canceled. Nothing will be shipped."
	case order.Delivered:
		t.Message = "The order has been delivered."
	case order.Shipped:
		t.Message = "The order is on its way."
		if t.Available {
			t.Message = "The order is on its way. Follow it by the link."
		}
	default:
		t.Message = "A tracking link follows when the order ships."
	}
	return t
}

// toAPIDelivery formats a range of dates: "2026-03-04 to 2026-03-06".
func toAPIDelivery(f order.Fulfillment) string {
	return f.DeliversFrom.Format(time.DateOnly) + " to " + f.DeliversBy.Format(time.DateOnly)
}
