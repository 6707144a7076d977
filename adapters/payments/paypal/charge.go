package paypal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

// wireOrder has the fields of a PayPal order that are sent and read.
type wireOrder struct {
	ID     string `json:"id,omitempty"`
	Intent string `json:"intent"`
	Status string `json:"status,omitempty"`
	Units  []unit `json:"purchase_units"`
}

type unit struct {
	Reference string    `json:"reference_id"`
	Custom    string    `json:"custom_id"`
	Invoice   string    `json:"invoice_id"`
	Amount    amount    `json:"amount"`
	Payments  *payments `json:"payments,omitempty"`
}

type payments struct {
	Captures []capture `json:"captures"`
}

type capture struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Custom string `json:"custom_id"`
	Amount amount `json:"amount"`
	Reason struct {
		Reason string `json:"reason"`
	} `json:"status_details"`
}

const (
	captureIntent   = "CAPTURE"
	abandonedIntent = "AUTHORIZE" // an order with this intent is never captured
	label           = "PayPal"
)

// Charge creates the order and captures it, or returns the earlier outcome. If PayPal refuses the credentials or the
// account, the error is ports.ErrCredentialsRefused or ports.ErrAccountRefused, and nothing was charged. Charge resolves
// an attempt whose key PayPal may have forgotten.
func (p *Provider) Charge(ctx ports.Outbound, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, problem := toAmount(r.Charge.Amount); problem != "" {
		return declined(problem), nil
	}
	if _, most := p.remote.Age(r.Charge.Since); most >= checkout.KeyAge {
		return unknownIfRefused(p.Resolve(ctx, a, r))
	}
	outcome, err := p.charge(ctx, a, r)
	if r.Again {
		return unknownIfRefused(outcome, err)
	}
	return outcome, err
}

func (p *Provider) charge(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	o, err := p.create(ctx, a, r)
	if err != nil {
		if issue := issueOf(err); issue != "" && issue != otherUse { // an order has no buyer, so nothing was charged
			return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, err)
		}
		return nil, err
	}
	if outcome, err := judge(o); outcome != nil || err != nil {
		return outcome, err
	}
	return p.capture(ctx, a, r, o.ID)
}

// unknownIfRefused is for requests after a capture that may have been sent. It turns ErrCredentialsRefused and
// ErrAccountRefused into another error, because they say nothing about that capture.
func unknownIfRefused(outcome checkout.Outcome, err error) (checkout.Outcome, error) {
	if errors.Is(err, ports.ErrCredentialsRefused) || errors.Is(err, ports.ErrAccountRefused) {
		return nil, fmt.Errorf("paypal: the outcome is not known: %v", err)
	}
	return outcome, err
}

// create creates the order of a key, or returns the existing one. Charge and Resolve send the same request.
func (p *Provider) create(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (*wireOrder, error) {
	total, _ := toAmount(r.Charge.Amount)
	wanted := wireOrder{Intent: captureIntent, Units: []unit{
		{
			Reference: r.Checkout.String(),
			Custom:    r.Charge.Key,
			Invoice:   r.Charge.Key,
			Amount:    total,
		},
	}}
	var made wireOrder
	err := p.do(ctx, a, call{
		method: http.MethodPost,
		path:   "/v2/checkout/orders",
		id:     r.Charge.Key,
		body:   wanted,
	}, &made)
	switch {
	case err != nil:
		return nil, err
	case made.ID == "" || len(made.Units) != 1:
		return nil, errors.New("paypal: the order of the key is unreadable")
	case !made.Units[0].Amount.equals(r.Charge.Amount):
		return nil, errors.New("paypal: the key was used for another amount")
	}
	return &made, nil
}

func (p *Provider) order(ctx context.Context, a ports.PaymentAccount, of string) (*wireOrder, error) {
	var found wireOrder
	err := p.do(ctx, a, call{method: http.MethodGet, path: "/v2/checkout/orders/" + of}, &found)
	return &found, err
}

func (p *Provider) capture(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest, of string) (checkout.Outcome, error) {
	type token struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	body := map[string]any{"payment_source": map[string]token{"token": {r.Token, "BILLING_AGREEMENT"}}}
	var o wireOrder
	err := p.do(ctx, a, call{
		method: http.MethodPost,
		path:   "/v2/checkout/orders/" + of + "/capture",
		id:     r.Charge.Key + "-capture",
		body:   body,
	}, &o)
	issue := issueOf(err)
	switch {
	case err == nil:
		return p.captureOutcome(&o)
	case issue == "":
		return nil, err
	case issue == "ACTION_DOES_NOT_MATCH_INTENT":
		return checkout.NotCharged{}, nil
	case slices.Contains(alreadyCaptured, issue), issue == otherUse, issue == "RESOURCE_NOT_FOUND", issue == "INVALID_RESOURCE_ID":
		return unknownIfRefused(p.paidBefore(ctx, a, r, of))
	case slices.Contains(accountIssues, issue):
		return nil, fmt.Errorf("%w: %w", ports.ErrAccountRefused, err)
	}
	return declined(issue), nil
}

// captureOutcome returns the outcome of a capture that PayPal has carried out.
func (p *Provider) captureOutcome(o *wireOrder) (checkout.Outcome, error) {
	outcome, err := judge(o)
	if outcome == nil && err == nil {
		return nil, fmt.Errorf("paypal: order %s is %s after its capture", o.ID, o.Status)
	}
	return outcome, err
}

// paidBefore returns the outcome of a key that PayPal reports as already paid: by this order, or by an earlier one
// with the same invoice.
func (p *Provider) paidBefore(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest, of string) (checkout.Outcome, error) {
	o, err := p.order(ctx, a, of)
	if err != nil {
		return nil, err
	}
	if outcome, err := judge(o); outcome != nil || err != nil {
		return outcome, err
	}
	paid, _, err := p.findPayment(ctx, a, r)
	switch {
	case err != nil:
		return nil, err
	case paid == nil:
		return nil, errors.New("paypal: it is not known what took the money of the key")
	}
	return *paid, nil
}

// judge returns the final outcome of an order by its state, or nil if it is undecided.
func judge(o *wireOrder) (checkout.Outcome, error) {
	if len(o.Units) == 1 && o.Units[0].Payments != nil && len(o.Units[0].Payments.Captures) > 0 {
		return judgeCapture(o.Units[0].Payments.Captures)
	}
	switch {
	case o.Intent == abandonedIntent || o.Status == "VOIDED":
		return checkout.NotCharged{}, nil
	case o.Status == "COMPLETED":
		return nil, fmt.Errorf("paypal: order %s is completed without a capture", o.ID)
	}
	return nil, nil
}

// judgeCapture returns the outcome of captures of one order. At most one of them was paid.
func judgeCapture(all []capture) (checkout.Outcome, error) {
	last := all[len(all)-1]
	for _, c := range all {
		if slices.Contains([]string{"COMPLETED", "PARTIALLY_REFUNDED", "REFUNDED"}, c.Status) {
			return checkout.Paid{Provider: c.ID, Label: label}, nil
		}
	}
	if slices.Contains([]string{"DECLINED", "DENIED", "FAILED"}, last.Status) {
		return declined(cmp.Or(last.Reason.Reason, "INSTRUMENT_DECLINED")), nil
	}
	return nil, fmt.Errorf("paypal: capture %s is %s: %w", last.ID, last.Status, ports.ErrUndecided)
}
