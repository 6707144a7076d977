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

// Operations on rates and labels call a platform before the request's transaction writes anything. The service has transactions
// of its own, and buys or voids a label only once.
func (h *handlers) registerShipping() {
	const one = "/v1/orders/{order_id}"
	g := h.Group("Shipping", "integrations", operation.HeaderProject)
	operation.RegisterPrepared(g, "get-shipping-rates", "POST "+one+"/rates", "List shipping rates for an order, cheapest first", h.shippingRates,
		operation.Errors(409, 503), operation.Scope("integrations:read"), operation.AsksProvider)
	operation.RegisterClaimed(g, "create-shipping-label", "POST "+one+"/labels", "Buy the shipping label of an order and mark it as shipped. An order has one label until it is voided: a repeated request returns 200 with the same label",
		h.createLabel, operation.Created, operation.Errors(409, 503), operation.AsksProvider, operation.Again[labelView]())
	operation.Register(g, "list-shipping-labels", "GET "+one+"/labels", "List the shipping labels of an order, newest first, including voided and test labels. It omits label_pdf: buying a label returns it, also when repeated",
		h.listLabels)
	operation.RegisterClaimed(g, "void-shipping-label", "POST "+one+"/labels/{label_id}/void", "Void an unused shipping label, so that the carrier refunds its price",
		h.voidLabel, operation.Errors(409, 503), operation.AsksProvider)
}

// OnParcel is what both need to know.
type OnParcel struct {
	Integration string `json:"integration_id,omitempty" doc:"A platform that ships orders. Default: the only one that is connected."`
	Grams       int    `json:"weight_grams" doc:"1 to 100,000."`
}

type ratesInput struct {
	finance.OnOrder
	Body struct {
		OnParcel
		Carrier string `json:"carrier_code,omitempty" example:"ups" doc:"Default: every carrier of the account."`
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
		Carrier string `json:"carrier_code" example:"ups" doc:"carrier_code of a rate."`
		Service string `json:"service_code" example:"ups_ground" doc:"service_code of a rate."`
		Test    bool   `json:"test_label,omitempty" doc:"Buys a free label for testing, which cannot be shipped. It does not change the order, and is kept beside the real label."`
	}
}

// LabelSummary is a label without its PDF. With the PDF a parcel can be sent, and it shows the buyer's name and address.
type LabelSummary struct {
	ID             string      `json:"id" example:"lbl_01h2xcejqtf2nbrexx3vqjhp41"`
	Order          string      `json:"order_id"`
	Carrier        string      `json:"carrier_code"`
	Service        string      `json:"service_code"`
	TrackingNumber string      `json:"tracking_number"`
	Price          *wire.Money `json:"price" nullable:"true" doc:"Null: unknown."`
	Currency       *string     `json:"currency" nullable:"true"`
	Test           bool        `json:"test_label"`
	CreatedAt      wire.Time   `json:"created_at"`
	VoidedAt       *wire.Time  `json:"voided_at" nullable:"true" doc:"When it was voided. Null: not voided here. The carrier decides when it refunds the price."`
}

type labelView struct {
	LabelSummary
	PDF *string `json:"label_pdf" nullable:"true" encoding:"base64" doc:"The label in base64. Null if the platform's response was lost and the label was found later (print it there), and for a voided label."`
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
	bought, isNew, err := h.Shipping.In(rq.Stores).Buy(ctx, rq.Caller.Project, in.Order.ID, order.LabelRequest{
		Integration: through,
		Carrier:     in.Body.Carrier,
		Service:     in.Body.Service,
		Grams:       in.Body.Grams,
		Test:        in.Body.Test,
	})
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*labelOutput, error) {
		label, err := h.Shipping.In(st).MarkShipped(ctx, bought)
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

type labelsOutput struct {
	Body struct {
		Data []LabelSummary `json:"data"`
	}
}

func (h *handlers) listLabels(ctx context.Context, rq operation.Request, in *finance.OnOrder) (*labelsOutput, error) {
	labels, err := h.Shipping.In(rq.Stores).Bought(ctx, rq.Caller.Project.ID, in.Order.ID)
	if err != nil {
		return nil, err
	}
	out := &labelsOutput{}
	out.Body.Data = wire.Each(labels, toAPILabelSummary)
	return out, nil
}

type voidInput struct {
	finance.OnOrder
	Label wire.Ref[id.Label] `path:"label_id"`
}

func (h *handlers) voidLabel(ctx ports.Outbound, rq operation.Request, in *voidInput) (made operation.Plan[wire.Output[labelView]], err error) {
	label, isNew, err := h.Shipping.In(rq.Stores).Void(ctx, rq.Caller.Project, in.Order.ID, in.Label.ID)
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*wire.Output[labelView], error) {
		if err := h.Shipping.In(st).UnmarkShipped(ctx, label); err != nil {
			return nil, err
		}
		out := &wire.Output[labelView]{Body: toAPILabel(label)}
		if isNew {
			after := loggedLabel(out.Body)
			before := loggedLabel(out.Body)
			before["voided_at"] = nil
			operation.NoteChange(rq, before, after)
		}
		return out, nil
	}
	return made, nil
}

// loggedLabel is a label as the audit log records it, without its destination and its order.
func loggedLabel(v labelView) map[string]any {
	return map[string]any{
		"carrier_code": v.Carrier,
		"service_code": v.Service,
		"price":        v.Price,
		"currency":     v.Currency,
		"test_label":   v.Test,
		"voided_at":    v.VoidedAt,
	}
}

func toAPILabel(l *order.Label) labelView {
	v := labelView{LabelSummary: toAPILabelSummary(l)}
	if !l.Voided() { // a voided label must not be printed
		v.PDF = wire.ToOptional(base64.StdEncoding.EncodeToString(l.PDF))
	}
	return v
}

func toAPILabelSummary(l *order.Label) LabelSummary {
	v := LabelSummary{
		ID:             l.ID.String(),
		Order:          l.Order.String(),
		Carrier:        l.Carrier,
		Service:        l.Service,
		TrackingNumber: l.TrackingNumber,
		Currency:       wire.ToOptional(l.Price.Currency().Code()),
		Test:           l.Test,
		CreatedAt:      wire.ToTime(l.BoughtAt),
		VoidedAt:       wire.ToKnownTime(l.VoidedAt),
	}
	if v.Currency != nil {
		v.Price = wire.ToOptionalMoney(&l.Price)
	}
	return v
}
