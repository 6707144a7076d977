package integrations

import (
	"context"
	"encoding/base64"
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/finance"
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/shipping"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// Both ask a platform, before the transaction of the request has begun to write: the service has
// transactions of its own, and buys a label once by itself.
func (h *handlers) registerShipping() {
	const one = "/v1/orders/{order_id}"
	g := h.Group("Shipping", "integrations", operation.HeaderProject)
	operation.RegisterPrepared(g, "get-shipping-rates", "POST "+one+"/rates", "Ask what sending an order costs, the cheapest first", h.shippingRates,
		operation.Errors(409, 503), operation.Scope("integrations:read"), operation.AsksProvider)
	operation.RegisterClaimed(g, "create-shipping-label", "POST "+one+"/labels", "Buy the shipping label of an order, which is on its way then. An order has one: asked again, the answer is 200 with the same",
		h.createLabel, operation.Created, operation.Errors(409, 503), operation.AsksProvider, operation.Again[labelView]())
}

// OnParcel is what both need to know.
type OnParcel struct {
	Integration string `json:"integration_id,omitempty" doc:"A platform that ships orders; left out: the only one that is connected."`
	Grams       int    `json:"weight_grams" doc:"1 to 100,000."`
}

type ratesInput struct {
	finance.OnOrder
	Body struct {
		OnParcel
		Carrier string `json:"carrier_code,omitempty" example:"ups" doc:"Left out: every carrier of the account."`
	}
}

type rateView struct {
	Carrier  string     `json:"carrier_code" example:"ups"`
	Service  string     `json:"service_code" example:"ups_ground"`
	Name     string     `json:"name" example:"UPS Ground"`
	Price    wire.Money `json:"price"`
	Currency string     `json:"currency" example:"USD"`
}

type ratesOutput struct {
	Body struct {
		Data []rateView `json:"data"`
	}
}

func (h *handlers) shippingRates(ctx ports.Outbound, rq operation.Request, in *ratesInput) (made operation.Plan[ratesOutput], err error) {
	through, err := wire.OptionalID[id.Integration](in.Body.Integration, "integration")
	if err != nil {
		return made, err
	}
	rates, err := h.Shipping.In(rq.Stores).Rates(ctx, rq.Caller.Project, through, in.Order.ID, in.Body.Grams, in.Body.Carrier)
	if err != nil {
		return made, err
	}
	operation.NoteTarget(rq, rq.Caller.Project.ID.String()) // the order is only read
	out := &ratesOutput{}
	out.Body.Data = wire.Each(rates, func(r shipping.Rate) rateView {
		return rateView{r.Carrier, r.Service, r.Name, wire.ToMoney(r.Price), r.Price.Currency().Code()}
	})
	made.Commit = func(context.Context, *ports.Stores) (*ratesOutput, error) { return out, nil }
	return made, nil
}

type labelInput struct {
	finance.OnOrder
	Body struct {
		OnParcel
		Carrier string `json:"carrier_code" example:"ups" doc:"As rates have it."`
		Service string `json:"service_code" example:"ups_ground" doc:"As rates have it."`
		Test    bool   `json:"test_label,omitempty" doc:"A label that nobody ships and that costs nothing. It leaves the order as it is, and is kept beside the real one."`
	}
}

type labelView struct {
	ID             string      `json:"id" example:"lbl_01h2xcejqtf2nbrexx3vqjhp41"`
	Order          string      `json:"order_id"`
	Carrier        string      `json:"carrier_code"`
	Service        string      `json:"service_code"`
	TrackingNumber string      `json:"tracking_number"`
	Price          *wire.Money `json:"price" nullable:"true" doc:"Null: the platform did not say."`
	Currency       *string     `json:"currency" nullable:"true"`
	PDF            *string     `json:"label_pdf" nullable:"true" encoding:"base64" doc:"The label, in base64. Null where the platform's answer was lost and the label found later: print it there."`
	Test           bool        `json:"test_label"`
	CreatedAt      wire.Time   `json:"created_at"`
}

type labelOutput struct {
	Status int
	Body   labelView
}

func (h *handlers) createLabel(ctx ports.Outbound, rq operation.Request, in *labelInput) (made operation.Plan[labelOutput], err error) {
	through, err := wire.OptionalID[id.Integration](in.Body.Integration, "integration")
	if err != nil {
		return made, err
	}
	bought, isNew, err := h.Shipping.In(rq.Stores).Buy(ctx, rq.Caller.Project, in.Order.ID, order.LabelWish{
		Integration: through, Carrier: in.Body.Carrier, Service: in.Body.Service, Grams: in.Body.Grams, Test: in.Body.Test,
	})
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*labelOutput, error) {
		label, err := h.Shipping.In(st).Tell(ctx, bought)
		if err != nil {
			return nil, err
		}
		out := &labelOutput{Status: http.StatusOK, Body: toAPILabel(label)}
		operation.NoteTarget(rq, out.Body.ID)
		if isNew {
			out.Status = http.StatusCreated
			operation.NoteChange(rq, nil, loggedLabel(out.Body))
		}
		return out, nil
	}
	return made, nil
}

// loggedLabel is what the audit log learns of a label: neither where it goes nor whose order it is of.
func loggedLabel(v labelView) map[string]any {
	return map[string]any{
		"carrier_code": v.Carrier,
		"service_code": v.Service,
		"price":        v.Price,
		"currency":     v.Currency,
		"test_label":   v.Test,
	}
}

func toAPILabel(l *order.Label) labelView {
	v := labelView{
		ID: l.ID.String(), Order: l.Order.String(), Carrier: l.Carrier, Service: l.Service, TrackingNumber: l.TrackingNumber,
		Currency: wire.ToOptional(l.Price.Currency().Code()), PDF: wire.ToOptional(base64.StdEncoding.EncodeToString(l.PDF)), Test: l.Test, CreatedAt: wire.ToTime(l.BoughtAt),
	}
	if v.Currency != nil {
		v.Price = wire.ToOptionalMoney(&l.Price)
	}
	return v
}
