package ucp

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

func (h *handlers) registerOrders() {
	wire.AddReadOnly(h.mount, h.of(capability.Order, huma.Operation{
		OperationID: "get_order",
		Method:      http.MethodGet,
		Path:        restPath + "/orders/{id}",
		Summary:     "Read an order",
		Description: "Returns the state of the order, without the buyer's name, e-mail address and street; its destination has only country and region.",
	}), plain(h, (*handlers).getOrder))
}

// orderBody is an order without personal data, because anybody with its id may read it and agents store what they read.
type orderBody struct {
	UCP          envelope      `json:"ucp"`
	ID           string        `json:"id"`
	Label        string        `json:"label"`
	CheckoutID   string        `json:"checkout_id"`
	PermalinkURL string        `json:"permalink_url" format:"uri"`
	LineItems    []orderLine   `json:"line_items"`
	Fulfillment  orderProgress `json:"fulfillment"`
	Adjustments  []adjustment  `json:"adjustments,omitempty"`
	Currency     string        `json:"currency"`
	Totals       []total       `json:"totals"`
}

type orderLine struct {
	ID       string       `json:"id"`
	Item     item         `json:"item"`
	Quantity lineQuantity `json:"quantity"`
	Totals   []total      `json:"totals"`
	Status   string       `json:"status" enum:"processing,partial,fulfilled,removed"`
}

type lineQuantity struct {
	Original  int `json:"original"`
	Total     int `json:"total"`
	Fulfilled int `json:"fulfilled"`
}

type orderProgress struct {
	Expectations []expectation      `json:"expectations,omitempty"`
	Events       []fulfillmentEvent `json:"events,omitempty"`
}

// expectation shows only the country and the region of its destination.
type expectation struct {
	ID            string      `json:"id"`
	LineItems     []linePart  `json:"line_items"`
	MethodType    string      `json:"method_type"`
	Destination   orderRegion `json:"destination"`
	Description   string      `json:"description"`
	FulfillableOn wire.Time   `json:"fulfillable_on"`
}

type orderRegion struct {
	Country string `json:"address_country,omitempty"`
	Region  string `json:"address_region,omitempty"`
}

type linePart struct {
	ID       string `json:"id"`
	Quantity int    `json:"quantity"`
}

type fulfillmentEvent struct {
	ID             string     `json:"id"`
	OccurredAt     wire.Time  `json:"occurred_at"`
	Type           string     `json:"type"`
	LineItems      []linePart `json:"line_items"`
	TrackingNumber string     `json:"tracking_number,omitempty"`
	TrackingURL    string     `json:"tracking_url,omitempty" format:"uri"`
	Carrier        string     `json:"carrier,omitempty"`
}

type adjustment struct {
	ID          string     `json:"id"`
	Type        string     `json:"type"`
	OccurredAt  wire.Time  `json:"occurred_at"`
	Status      string     `json:"status" enum:"pending,completed,failed"`
	LineItems   []linePart `json:"line_items,omitempty"`
	Totals      []total    `json:"totals,omitempty"`
	Description string     `json:"description"`
}

type onOrder struct {
	ID string `path:"id" doc:"The order's id."`
}

const noOrder = "There is no such order."

func (h *handlers) getOrder(ctx context.Context, rq Request, in *onOrder) (*reply, error) {
	of, err := id.Parse[id.Order](in.ID)
	if err != nil {
		return h.found(h.fail("not_found", noOrder))
	}
	c, err := h.Aftersales.In(rq.Stores).Read(ctx, rq.Caller.Shop.ID, of)
	switch {
	case err != nil:
		return h.missing(err)
	case !rq.Caller.Agent.FindsWhatWasMadeBy(c.Order.Agent):
		return h.found(h.fail("not_found", noOrder))
	}
	return h.found(toAPIOrder(h.success(rq, capability.Order), h.Address(rq.Caller.Shop.Slug), c))
}

// toAPIOrder shows an order of the shop at an address, in its current state.
func toAPIOrder(made envelope, address string, c *order.Case) orderBody {
	o := c.Order
	states := c.LineStates()
	body := orderBody{
		UCP:          made,
		ID:           o.ID.String(),
		Label:        o.Confirmation,
		CheckoutID:   o.Checkout.String(),
		PermalinkURL: permalink(address, o),
		LineItems:    wire.Each(states, toAPIOrderLine),
		Fulfillment:  orderProgress{toAPIExpectations(o, states), toAPIEvents(o, states)},
		Adjustments:  toAPIAdjustments(c, states),
		Currency:     o.Total.Currency().Code(),
		Totals:       toAPITotals(o.Totals(), false),
	}
	return body
}

func toAPIOrderLine(s order.LineState) orderLine {
	l := s.Line
	shown := orderLine{
		ID:       commerce.LineID(s.Number),
		Item:     item{l.Variant.String(), title(l.Name, l.Label), l.Original.Minor()},
		Quantity: lineQuantity{s.Original, s.Total, s.Fulfilled},
		Totals:   lineTotals(l.Unit, l.Original, l.Quantity),
	}
	switch {
	case s.Total == 0:
		shown.Status = "removed"
	case s.Fulfilled == s.Total:
		shown.Status = "fulfilled"
	case s.Fulfilled > 0:
		shown.Status = "partial"
	default:
		shown.Status = "processing"
	}
	return shown
}

// toAPIExpectations returns the delivery promises for the remaining lines of an order: one for shipped goods, and one for digital
// goods, which need no address.
func toAPIExpectations(o *order.Order, states []order.LineState) (list []expectation) {
	f := o.Fulfillment
	left := func(digital bool) (parts []linePart) {
		for _, s := range states {
			if s.Total > 0 && s.Line.Digital == digital {
				parts = append(parts, linePart{commerce.LineID(s.Number), s.Total})
			}
		}
		return parts
	}
	if parts := left(false); len(parts) > 0 {
		list = append(list, expectation{
			ID:            "exp_1",
			LineItems:     parts,
			MethodType:    "shipping",
			Destination:   orderRegion{o.Address.Country, o.Address.State},
			Description:   "Arrives from " + f.DeliversFrom.Format(time.DateOnly) + " to " + f.DeliversBy.Format(time.DateOnly) + ".",
			FulfillableOn: wire.ToTime(f.ShipsOn),
		})
	}
	if parts := left(true); len(parts) > 0 {
		list = append(list, expectation{
			ID:            "exp_2",
			LineItems:     parts,
			MethodType:    "digital",
			Destination:   orderRegion{o.Address.Country, o.Address.State},
			Description:   "Digital: nothing is shipped.",
			FulfillableOn: wire.ToTime(o.CreatedAt),
		})
	}
	return list
}

// toAPIEvents returns the fulfillment events of an order, which is shipped in one piece. Digital goods are not shipped.
func toAPIEvents(o *order.Order, states []order.LineState) (list []fulfillmentEvent) {
	f := o.Fulfillment
	add := func(name string, at time.Time, digital bool) {
		event := fulfillmentEvent{
			ID:             "evt_" + name,
			OccurredAt:     wire.ToTime(at),
			Type:           name,
			TrackingNumber: f.TrackingNumber,
			TrackingURL:    f.TrackingURL,
			Carrier:        f.Carrier,
		}
		for _, s := range states {
			if digital || !s.Line.Digital {
				event.LineItems = append(event.LineItems, linePart{commerce.LineID(s.Number), s.Original})
			}
		}
		if !at.IsZero() {
			list = append(list, event)
		}
	}
	add("shipped", f.ShippedAt, false)
	add("delivered", f.DeliveredAt, true)
	return list
}

var (
	returnStatuses = map[order.ReturnStatus]string{
		order.Requested: "pending",
		order.Approved:  "completed",
		order.Rejected:  "failed",
	}
	refundStatuses = map[order.RefundStatus]string{
		order.RefundIsPending: "pending",
		order.RefundSucceeded: "completed",
		order.RefundIsFailed:  "failed",
	}
)

// toAPIAdjustments returns the returns and refunds of an order and its cancellation, without the texts that buyers and merchants
// wrote about them.
func toAPIAdjustments(c *order.Case, states []order.LineState) (list []adjustment) {
	for i := range c.Returns {
		r := &c.Returns[i]
		a := adjustment{
			ID:          r.ID.String(),
			Type:        "return",
			OccurredAt:  wire.ToTime(r.CreatedAt),
			Status:      returnStatuses[r.Status],
			Description: "Part of the order was returned.",
		}
		for _, part := range c.AllocationOf(r) {
			a.LineItems = append(a.LineItems, linePart{commerce.LineID(c.Order.LineNumber(part.Line)), -part.Quantity})
		}
		list = append(list, a)
	}
	for _, r := range c.Refunds {
		list = append(list, adjustment{
			ID:         r.ID.String(),
			Type:       "refund",
			OccurredAt: wire.ToTime(r.CreatedAt),
			Status:     refundStatuses[r.Status],
			Totals: []total{{
				Type:        "total",
				DisplayText: "Refund",
				Amount:      -r.Amount.Minor(),
			}},
			Description: "Money was refunded.",
		})
	}
	if c.Order.Status == order.Canceled {
		list = append(list, canceled(c, states))
	}
	return list
}

func canceled(c *order.Case, states []order.LineState) adjustment {
	at := c.Order.Fulfillment.CanceledAt
	if at.IsZero() { // by an older program
		at = c.Order.CreatedAt
		for _, r := range c.Refunds {
			at = r.CreatedAt
		}
	}
	a := adjustment{
		ID:          "cancellation",
		Type:        "cancellation",
		OccurredAt:  wire.ToTime(at),
		Status:      "completed",
		Description: "The order is canceled.",
	}
	for _, s := range states {
		a.LineItems = append(a.LineItems, linePart{commerce.LineID(s.Number), -s.Original})
	}
	return a
}
