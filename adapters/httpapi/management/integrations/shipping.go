package integrations

import (
	"context"
	"encoding/base64"
	"net/http"
	"reflect"

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
	const tag, one = "Shipping", "/v1/orders/{order_id}"
	operation.RegisterPrepared(h.API, tag, operation.Spec{
		ID: "get-shipping-rates", Method: "POST", Path: one + "/rates", Scope: "integrations:read", On: operation.HeaderProject,
		Asks: true, Status: 200, Errors: []int{409, 503}, Summary: "Ask what sending an order costs, the cheapest first",
	}, h.shippingRates)
	operation.RegisterClaimed(h.API, tag, operation.Spec{
		ID: "create-shipping-label", Method: "POST", Path: one + "/labels", Scope: "integrations:write", On: operation.HeaderProject,
		Asks: true, Status: 201, Errors: []int{409, 503}, Again: reflect.TypeFor[labelView](),
		Summary: "Buy the shipping label of an order, which is on its way then. An order has one: asked again, the answer is 200 with the same",
	}, h.createLabel)
}

// OnParcel is what both need to know.
type OnParcel struct {
	Integration string `json:"integration_id,omitempty" doc:"A platform that ships orders; left out: the only one that is connected."`
	Grams       int    `json:"weight_grams" doc:"1 to 100,000."`
}

func (p OnParcel) integration() (id.Integration, error) {
	if p.Integration == "" {
		return id.Integration{}, nil
	}
	return wire.ID[id.Integration](p.Integration, "integration")
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
	of, through, err := parcelOf(in.OnOrder, in.Body.OnParcel)
	if err != nil {
		return made, err
	}
	rates, err := h.shipping(rq).Rates(ctx, rq.Caller.Project, through, of, in.Body.Grams, in.Body.Carrier)
	if err != nil {
		return made, err
	}
	out := &ratesOutput{}
	out.Body.Data = operation.Each(rates, func(r shipping.Rate) rateView {
		return rateView{r.Carrier, r.Service, r.Name, wire.ToMoney(r.Price), r.Price.Currency().Code()}
	})
	made.Commit = func(context.Context, *ports.Stores) (*ratesOutput, error) { return out, nil }
	return made, nil
}

func parcelOf(in finance.OnOrder, parcel OnParcel) (of id.Order, through id.Integration, err error) {
	if of, err = wire.ID[id.Order](in.Order, "order"); err == nil {
		through, err = parcel.integration()
	}
	return of, through, err
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
	of, through, err := parcelOf(in.OnOrder, in.Body.OnParcel)
	if err != nil {
		return made, err
	}
	bought, isNew, err := h.shipping(rq).Buy(ctx, rq.Caller.Project, of, order.LabelWish{
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
			operation.NoteChange(rq, nil, toLoggedLabel(out.Body))
		}
		return out, nil
	}
	return made, nil
}

// loggedLabel is what the audit log learns of a label: neither where it goes nor whose order it is of.
type loggedLabel struct {
	Carrier  string      `json:"carrier_code"`
	Service  string      `json:"service_code"`
	Price    *wire.Money `json:"price"`
	Currency *string     `json:"currency"`
	Test     bool        `json:"test_label"`
}

func toLoggedLabel(v labelView) loggedLabel {
	return loggedLabel{v.Carrier, v.Service, v.Price, v.Currency, v.Test}
}

func toAPILabel(l *order.Label) labelView {
	v := labelView{
		ID: l.ID.String(), Order: l.Order.String(), Carrier: l.Carrier, Service: l.Service, TrackingNumber: l.TrackingNumber,
		Currency: operation.ToOptionalText(l.Price.Currency().Code()), PDF: operation.ToOptionalText(base64.StdEncoding.EncodeToString(l.PDF)), Test: l.Test, CreatedAt: wire.ToTime(l.BoughtAt),
	}
	if v.Currency != nil {
		v.Price = wire.ToOptionalMoney(&l.Price)
	}
	return v
}
