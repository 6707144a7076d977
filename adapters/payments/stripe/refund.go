package stripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// keyAge is how long we rely on Stripe to remember a key. Stripe documents 24 hours.
const keyAge = 20 * time.Hour

func refundFailed(code, refund string) order.RefundFailed {
	code = cmp.Or(code, "refund_failed")
	return order.RefundFailed{Code: code, Provider: refund}
}

// Refund creates the refund under its key. If Stripe refuses it, or may have forgotten the key, Refund searches for the
// refund, because an earlier try may have been successful.
func (p *Provider) Refund(ctx ports.Outbound, a ports.PaymentAccount, r ports.RefundRequest) (order.RefundOutcome, error) {
	amount, ok := toUnits(r.Amount)
	if !ok {
		return refundFailed("amount_too_small", ""), nil
	}
	if _, most := p.remote.Age(r.Since); most > keyAge {
		if found, err := p.findRefund(ctx, a, r); err != nil || found != nil {
			return p.refunded(r, found, err)
		}
	}
	given, err := p.createRefund(ctx, a, r, amount)
	switch {
	case err == nil && pending(given): // this answer may be a repetition of the first one
		given, err = p.retrieveRefund(ctx, a, given.ID)
		return p.refunded(r, given, err)
	case err == nil:
		return p.refunded(r, given, nil)
	case credentialsRefused(err):
		return nil, redacted(err)
	}
	found, errFound := p.findRefund(ctx, a, r)
	if errFound != nil || found != nil {
		return p.refunded(r, found, errFound)
	}
	var refusal *api.Error
	if unclear(err) || otherUse(err) || !errors.As(err, &refusal) {
		return nil, redacted(err)
	}
	return refundFailed(string(refusal.Code), ""), nil
}

func (p *Provider) createRefund(ctx context.Context, a ports.PaymentAccount, r ports.RefundRequest, amount int64) (*api.Refund, error) {
	params := &api.RefundCreateParams{PaymentIntent: &r.Charge, Amount: &amount}
	params.Metadata = map[string]string{
		metaRefund:   r.Key,
		metaCheckout: r.Checkout.String(),
		metaProject:  r.Project.String(),
	}
	params.SetIdempotencyKey(r.Key)
	return try(ctx, func() (*api.Refund, error) { return p.client(a).V1Refunds.Create(ctx, params) })
}

func (p *Provider) retrieveRefund(ctx context.Context, a ports.PaymentAccount, of string) (*api.Refund, error) {
	return try(ctx, func() (*api.Refund, error) { return p.client(a).V1Refunds.Retrieve(ctx, of, nil) })
}

// findRefund returns the refund of the request's key, or nil.
func (p *Provider) findRefund(ctx context.Context, a ports.PaymentAccount, r ports.RefundRequest) (*api.Refund, error) {
	params := &api.RefundListParams{PaymentIntent: &r.Charge}
	params.Limit = api.Int64(100)
	return try(ctx, func() (*api.Refund, error) {
		for refund, err := range p.client(a).V1Refunds.List(ctx, params).All(ctx) {
			if err != nil || refund.Metadata[metaRefund] == r.Key {
				return refund, err
			}
		}
		return nil, nil
	})
}

func (p *Provider) refunded(r ports.RefundRequest, refund *api.Refund, err error) (order.RefundOutcome, error) {
	if err != nil {
		return nil, redacted(err)
	}
	amount, err := fromUnits(refund.Amount, string(refund.Currency))
	if err != nil || amount != r.Amount || refund.PaymentIntent != nil && refund.PaymentIntent.ID != r.Charge {
		return nil, fmt.Errorf("stripe: key %s was used for another refund", r.Key)
	}
	if outcome := judgeRefund(refund); outcome != nil {
		return outcome, nil
	}
	return nil, fmt.Errorf("stripe: refund %s is %s", refund.ID, refund.Status)
}

func pending(r *api.Refund) bool {
	return r.Status == api.RefundStatusPending || r.Status == api.RefundStatusRequiresAction
}

// judgeRefund returns nil for an unknown status.
func judgeRefund(r *api.Refund) order.RefundOutcome {
	switch r.Status {
	case api.RefundStatusSucceeded:
		return order.Refunded{Provider: r.ID}
	case api.RefundStatusPending, api.RefundStatusRequiresAction:
		return order.RefundPending{Provider: r.ID}
	case api.RefundStatusFailed, api.RefundStatusCanceled:
		return refundFailed(string(r.FailureReason), r.ID)
	}
	return nil
}
