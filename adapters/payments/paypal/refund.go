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

// keyAge is how long PayPal is trusted to remember a request id, of the six hours that it says.
const keyAge = 5 * time.Hour

var refundCodes = map[string]string{
	"CAPTURE_FULLY_REFUNDED":           "charge_already_refunded",
	"REFUND_AMOUNT_EXCEEDED":           "amount_too_large",
	"REFUND_FAILED_INSUFFICIENT_FUNDS": "insufficient_funds",
}

var refundMessages = map[string]string{
	"amount_invalid":          "This amount cannot be given back through PayPal.",
	"amount_too_large":        "The charge has not that much left to give back.",
	"charge_already_refunded": "The charge was given back already.",
	"insufficient_funds":      "The account has insufficient funds.",
}

func refundFailed(issue string) order.RefundFailed {
	code := cmp.Or(refundCodes[issue], strings.ToLower(issue), "refund_failed")
	return order.RefundFailed{Code: code, Message: cmp.Or(refundMessages[code], "PayPal refused the refund.")}
}

type refund struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Amount amount `json:"amount"`
	Reason struct {
		Reason string `json:"reason"`
	} `json:"status_details"`
}

// Refund asks for the refund under its key; a repeat shows how it stands. When the key may be
// forgotten, the refund is looked for among the transactions first.
func (p *Provider) Refund(ctx context.Context, a ports.PaymentAccount, r ports.RefundRequest) (order.RefundOutcome, error) {
	back, problem := toAmount(r.Amount)
	if problem != "" {
		return refundFailed(problem), nil
	}
	if p.clock.Now().Sub(r.Since) > keyAge {
		if found, err := p.findRefund(ctx, a, r); err != nil || found != nil {
			return found, err
		}
	}
	var given refund
	err := p.do(ctx, a, call{
		method: http.MethodPost, path: "/v2/payments/captures/" + r.Charge + "/refund", id: r.Key,
		body: map[string]any{"amount": back, "invoice_id": r.Key, "custom_id": r.Key},
	}, &given)
	switch issue := issueOf(err); {
	case err == nil:
		return given.judge(r)
	case issue != "" && issue != otherUse:
		return refundFailed(issue), nil
	}
	return nil, err
}

func (g refund) judge(r ports.RefundRequest) (order.RefundOutcome, error) {
	if !g.Amount.is(r.Amount) {
		return nil, fmt.Errorf("paypal: key %s was used for another refund", r.Key)
	}
	switch g.Status {
	case "COMPLETED":
		return order.Refunded{Provider: g.ID}, nil
	case "PENDING":
		return order.RefundPending{Provider: g.ID}, nil
	case "FAILED", "CANCELLED":
		return refundFailed(g.Reason.Reason), nil
	}
	return nil, fmt.Errorf("paypal: refund %s is %s", g.ID, g.Status)
}

// findRefund is the refund of the request's key by the merchant's transactions, or nil.
func (p *Provider) findRefund(ctx context.Context, a ports.PaymentAccount, r ports.RefundRequest) (order.RefundOutcome, error) {
	var found order.RefundOutcome
	err := p.transactions(ctx, a, r.Since.Add(-early), p.clock.Now().Add(time.Second), func(t transaction) error {
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
