package stripe

import (
	"context"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/ports"
)

// Statement returns the payment intents and refunds that succeeded, by the second in which they were created. It leaves
// out unknown currencies of payments and refunds without a key, which are not ours.
func (p *Provider) Statement(
	ctx ports.Outbound, a ports.PaymentAccount, s ports.StatementRequest, each func(ports.Movement) error,
) error {
	created := &api.RangeQueryParams{GreaterThanOrEqual: upToSecond(s.From), LesserThan: upToSecond(s.To)}
	if err := p.charges(ctx, a, created, each); err != nil {
		return err
	}
	return p.refunds(ctx, a, created, each)
}

func upToSecond(t time.Time) int64 { return t.Add(time.Second - 1).Unix() }

func (p *Provider) charges(ctx context.Context, a ports.PaymentAccount, created *api.RangeQueryParams, each func(ports.Movement) error) error {
	params := &api.PaymentIntentListParams{CreatedRange: created}
	params.Limit = api.Int64(100)
	for intent, err := range p.client(a).V1PaymentIntents.List(ctx, params).All(ctx) {
		if err != nil {
			return redacted(err)
		}
		if intent.Status != api.PaymentIntentStatusSucceeded {
			continue
		}
		amount, err := fromUnits(intent.AmountReceived, string(intent.Currency))
		m := ports.Movement{
			Provider: intent.ID,
			Key:      intent.Metadata[metaKey],
			Project:  intent.Metadata[metaProject],
			Amount:   amount,
			At:       time.Unix(intent.Created, 0).UTC(),
		}
		if err := emit(m, err, each); err != nil {
			return err
		}
	}
	return nil
}

func (p *Provider) refunds(ctx context.Context, a ports.PaymentAccount, created *api.RangeQueryParams, each func(ports.Movement) error) error {
	params := &api.RefundListParams{CreatedRange: created}
	params.Limit = api.Int64(100)
	for refund, err := range p.client(a).V1Refunds.List(ctx, params).All(ctx) {
		if err != nil {
			return redacted(err)
		}
		if refund.Status != api.RefundStatusSucceeded {
			continue
		}
		amount, err := fromUnits(refund.Amount, string(refund.Currency))
		m := ports.Movement{
			Refund:   true,
			Provider: refund.ID,
			Key:      refund.Metadata[metaRefund],
			Project:  refund.Metadata[metaProject],
			Amount:   amount,
			At:       time.Unix(refund.Created, 0).UTC(),
		}
		if refund.PaymentIntent != nil {
			m.Charge = refund.PaymentIntent.ID
		}
		if err := emit(m, err, each); err != nil {
			return err
		}
	}
	return nil
}

// emit calls each with m. It skips an unreadable movement without a key, and returns the error of one with a key.
func emit(m ports.Movement, unreadable error, each func(ports.Movement) error) error {
	if unreadable != nil && m.Key == "" {
		return nil
	}
	if unreadable != nil {
		return unreadable
	}
	return each(m)
}
