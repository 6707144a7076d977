package paypal

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// keyAge is how long we rely on PayPal to remember a request id. PayPal documents six hours.
const keyAge = 5 * time.Hour

var refundCodes = map[string]string{
	"CAPTURE_FULLY_REFUNDED":           "charge_already_refunded",
	"REFUND_AMOUNT_EXCEEDED":           "amount_too_large",
	"REFUND_FAILED_INSUFFICIENT_FUNDS": "insufficient_funds",
}

func refundFailed(issue, refund string) order.RefundFailed {
	code := cmp.Or(refundCodes[issue], strings.ToLower(issue), "refund_failed")
	return order.RefundFailed{Code: code, Provider: refund}
}

type refund struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Amount  amount `json:"amount"`
	Custom  string `json:"custom_id"`
	Invoice string `json:"invoice_id"`
	Reason  struct {
		Reason string `json:"reason"`
	} `json:"status_details"`
	Breakdown struct {
		Gross amount `json:"gross_amount"`
	} `json:"seller_payable_breakdown"`
	Links []struct {
		Href string `json:"href"`
		Rel  string `json:"rel"`
	} `json:"links"`
}

// amount returns the amount. A reversal may have it in the breakdown only.
func (g refund) amount() amount { return cmp.Or(g.Amount, g.Breakdown.Gross) }

// capture returns the id of the refunded capture from the refund's links.
func (g refund) capture() string {
	for _, l := range g.Links {
		if _, of, ok := strings.Cut(l.Href, "/captures/"); ok && l.Rel == "up" {
			return of
		}
	}
	return ""
}

// Refund creates the refund under its key; a repetition returns its state. If PayPal may have forgotten the key,
// Refund first searches the transactions for the refund.
func (p *Provider) Refund(ctx ports.Outbound, a ports.PaymentAccount, r ports.RefundRequest) (order.RefundOutcome, error) {
	back, problem := toAmount(r.Amount)
	if problem != "" {
		return refundFailed(problem, ""), nil
	}
	if _, most := p.remote.Age(r.Since); most > keyAge {
		if found, err := p.findRefund(ctx, a, r); err != nil || found != nil {
			return found, err
		}
	}
	var given refund
	err := p.do(ctx, a, call{
		method: http.MethodPost,
		path:   "/v2/payments/captures/" + r.Charge + "/refund",
		id:     r.Key,
		body:   map[string]any{"amount": back, "invoice_id": r.Key, "custom_id": r.Key},
	}, &given)
	switch issue := issueOf(err); {
	case err == nil:
		return given.judge(r)
	case issue != "" && issue != otherUse:
		return refundFailed(issue, ""), nil
	}
	return nil, err
}

func (g refund) judge(r ports.RefundRequest) (order.RefundOutcome, error) {
	if !g.Amount.equals(r.Amount) {
		return nil, fmt.Errorf("paypal: key %s was used for another refund", r.Key)
	}
	if outcome := g.outcome(); outcome != nil {
		return outcome, nil
	}
	return nil, fmt.Errorf("paypal: refund %s is %s", g.ID, g.Status)
}

// outcome returns nil for an unknown status.
func (g refund) outcome() order.RefundOutcome {
	switch g.Status {
	case "COMPLETED":
		return order.Refunded{Provider: g.ID}
	case "PENDING":
		return order.RefundPending{Provider: g.ID}
	case "FAILED", "CANCELLED":
		return refundFailed(g.Reason.Reason, g.ID)
	}
	return nil
}

// findRefund returns the refund of a key in the merchant's transactions, or nil.
func (p *Provider) findRefund(ctx context.Context, a ports.PaymentAccount, r ports.RefundRequest) (order.RefundOutcome, error) {
	var found order.RefundOutcome
	_, err := p.transactions(ctx, a, r.Since.Add(-early), p.remote.ProviderTime().Add(time.Second), func(t transaction) error {
		switch {
		case !t.isRefund() || t.Invoice != r.Key:
		case t.Status == "S":
			found = order.Refunded{Provider: t.ID}
		case t.Status == "P":
			found = order.RefundPending{Provider: t.ID}
		}
		return nil
	})
	return found, err
}
