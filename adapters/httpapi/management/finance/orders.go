package finance

import (
	"context"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Orders and returns need the finance scopes because they show and move money.
func (h *handlers) registerOrders() {
	const all, one = "/v1/orders", "/v1/orders/{order_id}"
	g := h.Group("Orders", "finance", operation.HeaderProject)
	operation.Register(g, "list-orders", "GET "+all, "List orders, newest first", operation.HandleKeyset(h.listOrders, placeOfOrder, toAPIOrder))
	operation.Register(g, "get-order", "GET "+one, "Get an order with its lines, returns, refunds and disputes",
		wire.HandleOne(h.getOrder, ToAPICase))
	operation.RegisterStaged(g, "cancel-order", "POST "+one+"/cancel", "Cancel an order that has not shipped, restock its items and refund it",
		h.cancelOrder, operation.Errors(409))
	operation.Register(g, "update-fulfillment", "POST "+one+"/fulfillment", "Mark an order as shipped or delivered",
		wire.HandleOne(h.updateFulfillment, ToAPICase), operation.Errors(409))
}

// OrderView is an order in a list.
type OrderView struct {
	ID           string          `json:"id"`
	Confirmation string          `json:"confirmation_number" example:"HG-7K2M-9QXA"`
	Negotiation  string          `json:"negotiation_id" doc:"A public id of the buyer's session, which gives no access. Decisions, events and analytics also show it."`
	Status       string          `json:"status" enum:"confirmed,refunded,canceled" doc:"refunded: the whole payment was refunded. A canceled order remains canceled."`
	Email        string          `json:"email" doc:"The buyer's e-mail address."`
	Total        wire.Money      `json:"total"`
	Currency     string          `json:"currency" example:"USD"`
	Payment      PaymentView     `json:"payment"`
	Fulfillment  fulfillmentView `json:"fulfillment"`
	Lines        []OrderLine     `json:"lines"`
	Savings      wire.Money      `json:"savings" doc:"Compared with list prices."`
	CreatedAt    wire.Time       `json:"created_at"`
}

type OrderDetail struct {
	OrderView
	Subtotal wire.Money      `json:"subtotal"`
	Shipping wire.Money      `json:"shipping"`
	Tax      wire.Money      `json:"tax"`
	Address  AddressView     `json:"shipping_address"`
	Notes    string          `json:"notes" doc:"The buyer's notes."`
	Refunds  []RefundView    `json:"refunds" doc:"Oldest first."`
	Returns  []ReturnView    `json:"returns" doc:"Oldest first."`
	Disputes []DisputeView   `json:"disputes" doc:"Oldest first."`
	Protocol string          `json:"protocol" enum:"haggle,ucp,mcp" doc:"The protocol that opened its checkout."`
	Agent    *BuyerAgentView `json:"agent,omitempty" doc:"The buyer's agent. Omitted if it did not identify itself."`
	Webhook  *HookView       `json:"order_webhook,omitempty" doc:"The webhook of the agent for changes of the order. Omitted if there is none."`
}

// BuyerAgentView is a buyer's agent.
type BuyerAgentView struct {
	Profile  string  `json:"profile" doc:"The URL of its profile."`
	Verified bool    `json:"verified" doc:"Whether it proved that the profile is its own; otherwise it only claims so."`
	Key      *string `json:"key_thumbprint" nullable:"true" doc:"The thumbprint of the key that proved it (RFC 7638)."`
}

// HookView is the webhook by which an agent follows its order.
type HookView struct {
	Protocol string     `json:"protocol" enum:"haggle,ucp,ucp_2026_04_08"`
	URL      string     `json:"url" doc:"Only the host and the last characters, because the rest may contain a token."`
	Status   string     `json:"status" enum:"active,ended"`
	EndedAt  *wire.Time `json:"ended_at" nullable:"true" doc:"When the agent responded 410 and ended the webhook."`
}

type OrderLine struct {
	ProductID string     `json:"product_id"`
	VariantID string     `json:"variant_id"`
	SKU       string     `json:"sku"`
	Name      string     `json:"name"`
	Variant   string     `json:"variant" doc:"The options of the variant as text."`
	Quantity  int        `json:"quantity"`
	Unit      wire.Money `json:"unit_price" doc:"The price paid for one piece."`
	Original  wire.Money `json:"original_price" doc:"The list price at the time of the order."`

	Personalization *commerce.Personalization `json:"personalization,omitempty" doc:"Present if personal signals moved the price, with the text that the buyer was shown."`

	RequiresShipping bool `json:"requires_shipping" doc:"False: the item is digital. An order of digital items only has no address, and changes from processing to delivered."`
}

type AddressView struct {
	Name       string `json:"name"`
	FirstName  string `json:"first_name,omitempty" doc:"Omitted if the buyer sent the whole name."`
	LastName   string `json:"last_name,omitempty"`
	Line1      string `json:"line1"`
	Line2      string `json:"line2"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
	Phone      string `json:"phone"`
}

type fulfillmentView struct {
	Status         string     `json:"status" enum:"processing,shipped,delivered,canceled"`
	ShippingOption string     `json:"shipping_option" example:"standard"`
	ShipsOn        string     `json:"estimated_ship_date" format:"date"`
	Delivery       string     `json:"estimated_delivery" example:"2026-03-04 to 2026-03-06"`
	Carrier        *string    `json:"carrier" nullable:"true"`
	TrackingNumber *string    `json:"tracking_number" nullable:"true"`
	TrackingURL    *string    `json:"tracking_url" nullable:"true" format:"uri"`
	ShippedAt      *wire.Time `json:"shipped_at" nullable:"true"`
	DeliveredAt    *wire.Time `json:"delivered_at" nullable:"true"`
}

type listOrdersInput struct {
	operation.Keyset[id.Order]
	operation.Period
	Status      string   `query:"status" enum:"confirmed,refunded,canceled"`
	Fulfillment string   `query:"fulfillment" enum:"processing,shipped,delivered,canceled"`
	Text        string   `query:"q" maxLength:"254" doc:"A confirmation number, or the buyer's e-mail address."`
	IDs         []string `query:"ids" maxItems:"100" doc:"Only these orders. Unknown ids are ignored."`
}

func (h *handlers) listOrders(ctx context.Context, rq operation.Request, in *listOrdersInput, page ports.Page) ([]*order.Order, int, error) {
	filter := ports.OrderFilter{Status: order.Statuses[in.Status], Fulfillment: order.FulfillmentStatuses[in.Fulfillment]}
	filter.From, filter.To = in.Span(rq)
	if text := strings.TrimSpace(in.Text); strings.Contains(text, "@") {
		filter.Email = text
	} else {
		filter.Confirmation = order.ReadConfirmation(text)
	}
	for _, text := range in.IDs {
		if o, err := id.Parse[id.Order](text); err == nil {
			filter.IDs = append(filter.IDs, o)
		}
	}
	if len(in.IDs) > 0 && len(filter.IDs) == 0 {
		return nil, 0, nil
	}
	return rq.Stores.OrderLists.Orders(ctx, rq.Caller.Project.ID, filter, page)
}

func placeOfOrder(o *order.Order) ports.Place { return ports.Place{At: o.CreatedAt, ID: o.ID.String()} }

type OnOrder struct {
	Order wire.Ref[id.Order] `path:"order_id"`
}

type orderOutput = wire.Output[OrderDetail]

func (h *handlers) getOrder(ctx context.Context, rq operation.Request, in *OnOrder) (*order.Case, error) {
	return rq.Stores.Orders.Case(ctx, rq.Caller.Project.ID, in.Order.ID)
}

type cancelInput struct {
	OnOrder
	operation.WithMFA
	Body *struct {
		Reason string `json:"reason,omitempty" doc:"At most 2,000 characters."`
	}
}

func (h *handlers) cancelOrder(ctx context.Context, rq operation.Request, in *cancelInput) (*orderOutput, operation.Stage[orderOutput], error) {
	shop, wanted := rq.Caller.Project.ID, in.Order.ID
	if err := h.ConfirmIfRequired(ctx, rq, in.MFACode); err != nil {
		return nil, nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	canceled, refund, err := h.Aftersales.In(rq.Stores).Cancel(ctx, shop, wanted, reason)
	if err != nil {
		return nil, nil, err
	}
	operation.NoteChange(rq, nil, loggedOrder(canceled, refund))
	out := &orderOutput{Body: ToAPICase(canceled)}
	if refund.IsZero() {
		return out, nil, nil
	}
	return out, func(ctx ports.Outbound, rq operation.Request) (*orderOutput, error) {
		if _, err := h.Aftersales.In(rq.Stores).ExecuteRefund(ctx, shop, refund); err != nil {
			return nil, err
		}
		after, err := rq.Stores.Orders.Case(ctx, shop, wanted)
		if err != nil {
			return nil, err
		}
		return &orderOutput{Body: ToAPICase(after)}, nil
	}, nil
}

type fulfillmentInput struct {
	OnOrder
	Body struct {
		Status         string `json:"status" enum:"shipped,delivered" doc:"The current status is accepted: a shipped order can get new tracking; omitted fields do not change."`
		Carrier        string `json:"carrier,omitempty" doc:"At most 200 characters."`
		TrackingNumber string `json:"tracking_number,omitempty" doc:"At most 200 characters."`
		TrackingURL    string `json:"tracking_url,omitempty" doc:"An https URL that the buyer can open."`
	}
}

func (h *handlers) updateFulfillment(ctx context.Context, rq operation.Request, in *fulfillmentInput) (*order.Case, error) {
	moved, err := h.moveOrder(ctx, rq, in)
	if err == nil {
		operation.NoteChange(rq, nil, loggedOrder(moved, id.Refund{}))
	}
	return moved, err
}

func (h *handlers) moveOrder(ctx context.Context, rq operation.Request, in *fulfillmentInput) (*order.Case, error) {
	shop, wanted, sent := rq.Caller.Project.ID, in.Order.ID, aftersales.Shipment{
		Carrier:        in.Body.Carrier,
		TrackingNumber: in.Body.TrackingNumber,
		TrackingURL:    in.Body.TrackingURL,
	}
	if in.Body.Status == order.Shipped.String() {
		return h.Aftersales.In(rq.Stores).Ship(ctx, shop, wanted, sent)
	}
	const early = "requires the status shipped"
	check := fault.NewCheck()
	check.That(sent.Carrier == "", "carrier", early)
	check.That(sent.TrackingNumber == "", "tracking_number", early)
	check.That(sent.TrackingURL == "", "tracking_url", early)
	if err := check.Err(); err != nil {
		return nil, err
	}
	moved, err := h.Aftersales.In(rq.Stores).Deliver(ctx, shop, wanted)
	if fault.Is(err, order.ErrDelivered.Code) { // the same again
		return rq.Stores.Orders.Case(ctx, shop, wanted)
	}
	return moved, err
}

// loggedOrder is an order as the audit log records it, without its buyer.
func loggedOrder(c *order.Case, refund id.Refund) map[string]any {
	logged := map[string]any{"status": c.Order.Status.String(), "fulfillment": c.Order.Fulfillment.Status.String()}
	if r := c.FindRefund(refund); r != nil {
		logged["refund"] = loggedRefund(*r)
	}
	return logged
}

func toAPIOrder(o *order.Order) OrderView {
	return OrderView{
		ID:           o.ID.String(),
		Confirmation: o.Confirmation,
		Negotiation:  id.NegotiationOf(o.Session).String(),
		Status:       o.Status.String(),
		Email:        o.Email,
		Total:        wire.ToMoney(o.Total),
		Currency:     o.Total.Currency().Code(),
		Payment:      toAPIPayment(paymentOf(o)),
		Fulfillment:  toAPIFulfillment(o.Fulfillment),
		Lines:        wire.Each(o.Lines, ToAPIOrderLine),
		Savings:      wire.ToMoney(o.Savings),
		CreatedAt:    wire.ToTime(o.CreatedAt),
	}
}

// paymentOf returns the payment of an order in the form of a list of payments.
func paymentOf(o *order.Order) ports.OrderPayment {
	return ports.OrderPayment{
		Payment:  o.Payment,
		Project:  o.Project,
		Order:    o.ID,
		Checkout: o.Checkout,
	}
}

func ToAPICase(c *order.Case) OrderDetail {
	o := c.Order
	return OrderDetail{
		OrderView: toAPIOrder(o),
		Subtotal:  wire.ToMoney(o.Subtotal),
		Shipping:  wire.ToMoney(o.Shipping),
		Tax:       wire.ToMoney(o.Tax),
		Address:   ToAPIAddress(o.Address),
		Notes:     o.Notes,
		Refunds:   wire.Each(c.Refunds, toAPIRefund),
		Returns:   wire.Each(c.Returns, toAPIReturn),
		Disputes:  wire.Each(c.Disputes, ToAPIDispute),
		Protocol:  o.Agent.Protocol.String(),
		Agent:     ToAPIAgent(o.Agent),
		Webhook:   toAPIHook(o),
	}
}

// ToAPIAgent returns nil for an agent that did not name itself.
func ToAPIAgent(a agentid.Agent) *BuyerAgentView {
	if a.Over(agentid.Haggle) == (agentid.Agent{}) {
		return nil
	}
	return &BuyerAgentView{
		Profile:  a.Profile,
		Verified: a.Verified,
		Key:      wire.ToOptional(a.Key),
	}
}

func toAPIHook(o *order.Order) *HookView {
	if o.Hook == (checkout.Hook{}) {
		return nil
	}
	v := &HookView{
		Protocol: o.Hook.Protocol.String(),
		URL:      event.MaskURL(o.Hook.URL),
		Status:   "active",
		EndedAt:  wire.ToOptionalTime(o.HookEndedAt),
	}
	if !o.Hooked() {
		v.Status = "ended"
	}
	return v
}

func ToAPIAddress(a checkout.Address) AddressView {
	return AddressView{a.Name, a.First, a.Last, a.Line1, a.Line2, a.City, a.State, a.PostalCode, a.Country, a.Phone}
}

func ToAPIOrderLine(l checkout.Line) OrderLine {
	return OrderLine{
		ProductID:        l.Product.String(),
		VariantID:        l.Variant.String(),
		SKU:              l.SKU,
		Name:             l.Name,
		Variant:          l.Label,
		Quantity:         l.Quantity,
		Unit:             wire.ToMoney(l.Unit),
		Original:         wire.ToMoney(l.Original),
		Personalization:  commerce.ToAPIPersonalization(l.Notice()),
		RequiresShipping: !l.Digital,
	}
}

func toAPIFulfillment(f order.Fulfillment) fulfillmentView {
	return fulfillmentView{
		Status:         f.Status.String(),
		ShippingOption: f.ShippingOption,
		ShipsOn:        f.ShipsOn.Format(time.DateOnly),
		Delivery:       f.DeliversFrom.Format(time.DateOnly) + " to " + f.DeliversBy.Format(time.DateOnly),
		Carrier:        wire.ToOptional(f.Carrier),
		TrackingNumber: wire.ToOptional(f.TrackingNumber),
		TrackingURL:    wire.ToOptional(f.TrackingURL),
		ShippedAt:      wire.ToKnownTime(f.ShippedAt),
		DeliveredAt:    wire.ToKnownTime(f.DeliveredAt),
	}
}
