package acp

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerOrders() {
	add(h, huma.Operation{
		OperationID: "acp-order", Method: http.MethodGet, Path: "/acp/orders/{id}", Tags: aftersalesTag,
		Summary: "Read an order",
		Description: "How its payment, fulfillment and tracking stand. Amounts are in payment.currency. " +
			"Unknown: 404 order_not_found.",
	}, (*handlers).order)
	add(h, huma.Operation{
		OperationID: "acp-receipt", Method: http.MethodGet, Path: "/acp/orders/{id}/receipt", Tags: aftersalesTag,
		Summary:     "Print an order's receipt",
		Description: "A page of HTML that loads nothing else and is made to be printed. Unknown: 404 order_not_found.",
		Responses: map[string]*huma.Response{"200": {Description: "The receipt", Content: map[string]*huma.MediaType{
			"text/html": {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
	}, (*handlers).receipt)
}

type orderAnswer struct {
	Order       placedOrder      `json:"order"`
	Payment     orderPayment     `json:"payment"`
	Fulfillment orderFulfillment `json:"fulfillment"`
	ReceiptURL  string           `json:"receipt_url" format:"uri" doc:"A page to print."`
	Tracking    orderTracking    `json:"tracking"`
	Summary     orderSummary     `json:"summary"`
}

type placedOrder struct {
	ID                 string    `json:"id"`
	ConfirmationNumber string    `json:"confirmation_number" example:"HG-7K2M-9QXA"`
	Status             string    `json:"status" enum:"confirmed"`
	CreatedAt          wire.Time `json:"created_at"`
}

type orderPayment struct {
	ID       string     `json:"id"`
	Status   string     `json:"status" enum:"succeeded"`
	Amount   wire.Money `json:"amount" minimum:"0"`
	Currency string     `json:"currency" example:"USD"`
	Method   string     `json:"method" example:"Visa ending in 4242" doc:"The instrument in words."`
}

type orderFulfillment struct {
	Status            string `json:"status" enum:"processing"`
	EstimatedShipDate string `json:"estimated_ship_date" format:"date"`
	EstimatedDelivery string `json:"estimated_delivery" example:"2026-03-04 to 2026-03-06"`
}

type orderTracking struct {
	Available bool    `json:"available"`
	URL       *string `json:"url" format:"uri"`
	Message   string  `json:"message"`
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

func (h *handlers) order(ctx context.Context, shop *project.Project, in *byID) (*reply[orderAnswer], error) {
	o, err := h.findOrder(ctx, shop, in.ID)
	if err != nil {
		return nil, err
	}
	return &reply[orderAnswer]{h.toAPIOrder(shop, o)}, nil
}

func (h *handlers) findOrder(ctx context.Context, shop *project.Project, text string) (*order.Order, error) {
	named, err := wire.ID[id.Order](text, "order")
	if err != nil {
		return nil, err
	}
	return h.Orders.ByID(ctx, shop.ID, named)
}

func (h *handlers) toAPIOrder(shop *project.Project, o *order.Order) orderAnswer {
	answer := orderAnswer{
		Order: placedOrder{
			ID: o.ID.String(), ConfirmationNumber: o.Confirmation, Status: o.Status.String(),
			CreatedAt: wire.ToTime(o.CreatedAt),
		},
		Payment: orderPayment{
			ID: o.Payment.ID.String(), Status: o.Payment.Status.String(), Amount: wire.ToMoney(o.Payment.Amount),
			Currency: o.Payment.Amount.Currency().Code(), Method: o.Payment.Label,
		},
		Fulfillment: orderFulfillment{
			Status:            o.Fulfillment.Status.String(),
			EstimatedShipDate: o.Fulfillment.ShipsOn.Format(time.DateOnly),
			EstimatedDelivery: toAPIDelivery(o.Fulfillment),
		},
		ReceiptURL: h.Address(shop.Slug) + "/acp/orders/" + o.ID.String() + "/receipt",
		Tracking:   orderTracking{Message: "A tracking link follows when the order ships."},
		Summary: orderSummary{
			Subtotal: wire.ToMoney(o.Subtotal), Shipping: wire.ToMoney(o.Shipping),
			Tax: wire.ToMoney(o.Tax), Total: wire.ToMoney(o.Total),
		},
	}
	for _, l := range o.Lines {
		answer.Summary.Items = append(answer.Summary.Items, orderItem{l.Name, l.Quantity, wire.ToMoney(l.Unit)})
	}
	return answer
}

// toAPIDelivery is a range of dates: "2026-03-04 to 2026-03-06".
func toAPIDelivery(f order.Fulfillment) string {
	return f.DeliversFrom.Format(time.DateOnly) + " to " + f.DeliversBy.Format(time.DateOnly)
}
