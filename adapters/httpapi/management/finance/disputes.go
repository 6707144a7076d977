package finance

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerDisputes() {
	const all, one = "/v1/disputes", "/v1/disputes/{dispute_id}"
	g := h.Group("Disputes", "finance", operation.HeaderProject)
	operation.Register(g, "list-disputes", "GET "+all, "List disputes, newest first", h.listDisputes)
	operation.Register(g, "get-dispute", "GET "+one, "Get a dispute, with evidence from its order", wire.HandleOne(h.getDispute, wire.Identity))
	operation.RegisterClaimed(g, "submit-evidence", "POST "+one+"/evidence", "Send evidence to the provider; it cannot be changed later",
		h.submitEvidence, operation.Errors(409, 503), operation.AsksProvider)
	operation.RegisterClaimed(g, "accept-dispute", "POST "+one+"/accept", "Accept a dispute: the buyer keeps the money. A lost dispute does not change",
		h.acceptDispute, operation.Errors(409, 503), operation.AsksProvider)
}

// DisputeView is a dispute, as the provider's newest report has it.
type DisputeView struct {
	ID                string        `json:"id"`
	OrderID           string        `json:"order_id"`
	PaymentID         string        `json:"payment_id"`
	Provider          string        `json:"provider" example:"stripe"`
	ProviderID        string        `json:"provider_id"`
	Status            string        `json:"status" enum:"open,won,lost"`
	Response          string        `json:"response" enum:"needed,under_review,closed" doc:"needed: the provider waits for evidence. under_review: the provider decides, or waits for the buyer. closed: the dispute is won or lost."`
	DueBy             *wire.Time    `json:"due_by" nullable:"true" doc:"The provider's deadline for a response. Null: unknown."`
	Reason            string        `json:"reason" example:"fraudulent" doc:"The provider's reason code."`
	Amount            wire.Money    `json:"amount" doc:"The disputed amount."`
	Currency          string        `json:"currency"`
	Withdrawn         wire.Money    `json:"withdrawn_amount" doc:"The amount that the provider has withdrawn from the balance so far."`
	WithdrawnCurrency string        `json:"withdrawn_currency"`
	Fee               wire.Money    `json:"fee_amount" doc:"The fees that the provider has charged so far."`
	FeeCurrency       string        `json:"fee_currency"`
	Evidence          *EvidenceView `json:"evidence,omitempty" doc:"The evidence sent with this API. Omitted if none was sent."`
	AnsweredAt        *wire.Time    `json:"answered_at" nullable:"true" doc:"When the evidence was sent."`
	CreatedAt         wire.Time     `json:"created_at"`
	UpdatedAt         wire.Time     `json:"updated_at"`
}

// EvidenceView has the texts that every provider accepts. Empty ones are not sent.
type EvidenceView struct {
	Product        string `json:"product" example:"1 × Trail Tent (green)"`
	Carrier        string `json:"carrier" example:"UPS"`
	TrackingNumber string `json:"tracking_number"`
	ShippedOn      string `json:"shipped_on" example:"2026-03-05"`
	Communication  string `json:"communication"`
	Receipt        string `json:"receipt"`
	Note           string `json:"note"`
}

type disputeDetail struct {
	DisputeView
	OrderEvidence EvidenceView `json:"order_evidence" doc:"Evidence from the order: the items, the shipment and the payment."`
}

type listDisputesInput struct {
	operation.Period
	After    string             `query:"after" maxLength:"200" doc:"meta.next of the previous page."`
	Limit    int                `query:"limit" minimum:"1" maximum:"100" default:"20"`
	Status   string             `query:"status" enum:"open,won,lost"`
	Response string             `query:"response" enum:"needed,under_review,closed"`
	Order    wire.Ref[id.Order] `query:"order_id"`
}

type listDisputesOutput struct {
	Body struct {
		Data []DisputeView `json:"data"`
		Meta disputesMeta  `json:"meta"`
	}
}

type disputesMeta struct {
	Limit int     `json:"limit"`
	Next  *string `json:"next" nullable:"true" doc:"Send it as after to get the next page. Null: this is the last one."`
}

func (h *handlers) listDisputes(ctx context.Context, rq operation.Request, in *listDisputesInput) (*listDisputesOutput, error) {
	out := &listDisputesOutput{}
	out.Body.Data, out.Body.Meta.Limit = []DisputeView{}, in.Limit
	after, err := parseDisputePlace(in.After)
	if err != nil || in.Order.Unknown() {
		return out, err
	}
	filter := ports.DisputeFilter{
		Status:   order.DisputeStatuses[in.Status],
		Response: order.DisputeResponses[in.Response],
		Order:    in.Order.ID,
	}
	filter.From, filter.To = in.Span(rq)
	found, next, err := rq.Stores.Disputes.Disputes(ctx, rq.Caller.Project.ID, filter, after, in.Limit)
	if err != nil {
		return nil, err
	}
	out.Body.Data = wire.Each(found, ToAPIDispute)
	if next != nil {
		out.Body.Meta.Next = new(formatDisputePlace(*next))
	}
	return out, nil
}

func formatDisputePlace(p ports.DisputePlace) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(p.At.UnixMilli(), 10) + " " + p.Dispute.String()))
}

func parseDisputePlace(text string) (*ports.DisputePlace, error) {
	if text == "" {
		return nil, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	first, second, _ := strings.Cut(string(plain), " ")
	at, err1 := strconv.ParseInt(first, 10, 64)
	of, err2 := id.Parse[id.Dispute](second)
	if err != nil || err1 != nil || err2 != nil || at < 0 {
		return nil, fault.Field("after", "must be meta.next of a list of disputes")
	}
	return &ports.DisputePlace{At: time.UnixMilli(at), Dispute: of}, nil
}

type OnDispute struct {
	Dispute wire.Ref[id.Dispute] `path:"dispute_id"`
}

func (h *handlers) getDispute(ctx context.Context, rq operation.Request, in *OnDispute) (v disputeDetail, err error) {
	d, err := rq.Stores.Disputes.DisputeByID(ctx, rq.Caller.Project.ID, in.Dispute.ID)
	if err != nil {
		return v, err
	}
	evidence, err := orderEvidence(ctx, rq, d)
	return disputeDetail{ToAPIDispute(*d), toAPIEvidence(evidence)}, err
}

func orderEvidence(ctx context.Context, rq operation.Request, d *order.Dispute) (order.Evidence, error) {
	c, err := rq.Stores.Orders.Case(ctx, d.Project, d.Order)
	if err != nil {
		return order.Evidence{}, err
	}
	return c.Evidence(rq.Caller.Project.Settings.Location()), nil
}

type evidenceInput struct {
	OnDispute
	Body struct {
		Product        *string `json:"product,omitempty" doc:"The goods or services sold. At most 2,000 characters. This and the other texts: if omitted, the text from the order, if any; if empty, nothing is sent."`
		Carrier        *string `json:"carrier,omitempty" doc:"At most 200 characters."`
		TrackingNumber *string `json:"tracking_number,omitempty" doc:"At most 200 characters."`
		ShippedOn      *string `json:"shipped_on,omitempty" doc:"A date such as 2026-03-05."`
		Communication  *string `json:"communication,omitempty" doc:"The communication between buyer and merchant. At most 2,000 characters."`
		Receipt        *string `json:"receipt,omitempty" doc:"The items, time, total and payment of the order. At most 2,000 characters."`
		Note           *string `json:"note,omitempty" doc:"Other evidence in the merchant's favor. At most 2,000 characters."`
	}
}

// over returns the evidence of the order with the texts of the request replacing it.
func (in *evidenceInput) over(e order.Evidence) order.Evidence {
	b := in.Body
	for _, field := range []struct {
		given *string
		to    *string
	}{
		{b.Product, &e.Product},
		{b.Carrier, &e.Carrier},
		{b.TrackingNumber, &e.TrackingNumber},
		{b.ShippedOn, &e.ShippedOn},
		{b.Communication, &e.Communication},
		{b.Receipt, &e.Receipt},
		{b.Note, &e.Note},
	} {
		if field.given != nil {
			*field.to = *field.given
		}
	}
	return e
}

type disputeOutput = wire.Output[DisputeView]

func (h *handlers) submitEvidence(ctx ports.Outbound, rq operation.Request, in *evidenceInput) (made operation.Plan[disputeOutput], err error) {
	d, err := rq.Stores.Disputes.DisputeByID(ctx, rq.Caller.Project.ID, in.Dispute.ID)
	if err != nil {
		return made, err
	}
	evidence, err := orderEvidence(ctx, rq, d)
	if err != nil {
		return made, err
	}
	given, err := h.Aftersales.In(rq.Stores).SubmitEvidence(ctx, d.Project, d.ID, in.over(evidence))
	if err != nil {
		return made, err
	}
	return h.recordResponse(rq, *d, given), nil
}

type acceptDisputeInput struct {
	OnDispute
	operation.WithMFA
}

func (h *handlers) acceptDispute(ctx ports.Outbound, rq operation.Request, in *acceptDisputeInput) (made operation.Plan[disputeOutput], err error) {
	d, err := rq.Stores.Disputes.DisputeByID(ctx, rq.Caller.Project.ID, in.Dispute.ID)
	if err != nil {
		return made, err
	}
	if err := d.Acceptable(); err != nil {
		return made, err
	}
	if err := h.ConfirmIfRequired(ctx, rq, in.MFACode); err != nil {
		return made, err
	}
	given, err := h.Aftersales.In(rq.Stores).AcceptDispute(ctx, d.Project, d.ID)
	if err != nil {
		return made, err
	}
	return h.recordResponse(rq, *d, given), nil
}

// recordResponse records what the provider has taken.
func (h *handlers) recordResponse(rq operation.Request, before order.Dispute, given *aftersales.Response) (made operation.Plan[disputeOutput]) {
	made.Commit = func(ctx context.Context, st *ports.Stores) (*disputeOutput, error) {
		after, err := h.Aftersales.In(st).RecordResponse(ctx, given)
		if err != nil {
			return nil, err
		}
		operation.NoteChange(rq, loggedDispute(before), loggedDispute(*after))
		return &disputeOutput{Body: ToAPIDispute(*after)}, nil
	}
	return made
}

// loggedDispute is a dispute as the audit log records it, without the evidence, which may name a buyer.
func loggedDispute(d order.Dispute) map[string]any {
	return map[string]any{
		"status":      d.Status.String(),
		"response":    d.Response.String(),
		"order_id":    d.Order.String(),
		"amount":      wire.ToMoney(d.Amount),
		"currency":    d.Amount.Currency().Code(),
		"answered_at": wire.ToKnownTime(d.AnsweredAt),
	}
}

// ToAPIDispute converts a dispute.
func ToAPIDispute(d order.Dispute) DisputeView {
	view := DisputeView{
		ID:                d.ID.String(),
		OrderID:           d.Order.String(),
		PaymentID:         d.Payment.String(),
		Provider:          d.Gateway,
		ProviderID:        d.Provider,
		Status:            d.Status.String(),
		Response:          d.Response.String(),
		DueBy:             wire.ToKnownTime(d.DueBy),
		Reason:            d.Reason,
		Amount:            wire.ToMoney(d.Amount),
		Currency:          d.Amount.Currency().Code(),
		Withdrawn:         wire.ToMoney(d.Withdrawn),
		WithdrawnCurrency: d.Withdrawn.Currency().Code(),
		Fee:               wire.ToMoney(d.Fee),
		FeeCurrency:       d.Fee.Currency().Code(),
		AnsweredAt:        wire.ToKnownTime(d.AnsweredAt),
		CreatedAt:         wire.ToTime(d.CreatedAt),
		UpdatedAt:         wire.ToTime(d.UpdatedAt),
	}
	if !d.Evidence.IsZero() {
		view.Evidence = new(toAPIEvidence(d.Evidence))
	}
	return view
}

func toAPIEvidence(e order.Evidence) EvidenceView { return EvidenceView(e) }
