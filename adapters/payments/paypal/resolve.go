package paypal

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// keyAge is how long PayPal is trusted to remember a request id, of the six hours that it says.
	keyAge = 5 * time.Hour
	// early is how much before the time of a request its trace is looked for: clocks differ.
	early = 5 * time.Minute
)

// Resolve is explained in the package comment.
func (p *Provider) Resolve(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, problem := toAmount(r.Charge.Amount); problem != "" {
		return checkout.NotCharged{}, nil // it was never sent
	}
	if p.clock.Now().Sub(r.Charge.Since) > keyAge {
		if paid, err := p.invoiced(ctx, a, r); err != nil || paid != nil {
			return outcomeOf(paid), err
		}
	}
	o, err := p.create(ctx, a, r)
	if err != nil {
		return nil, err
	}
	if outcome, err := judge(o); outcome != nil || err != nil {
		return outcome, err
	}
	return p.giveUp(ctx, a, o.ID)
}

func outcomeOf(paid *checkout.Paid) checkout.Outcome {
	if paid == nil {
		return nil
	}
	return *paid
}

// giveUp changes the intent of an order that nobody has captured.
func (p *Provider) giveUp(ctx context.Context, a ports.PaymentAccount, of string) (checkout.Outcome, error) {
	change := []map[string]string{{"op": "replace", "path": "/intent", "value": givenUp}}
	err := p.do(ctx, a, call{method: http.MethodPatch, path: "/v2/checkout/orders/" + of, body: change}, nil)
	if err != nil && !slices.Contains(alreadyCaptured, issueOf(err)) {
		return nil, err
	}
	o, errNow := p.order(ctx, a, of) // what PayPal says now, whatever it said to the change
	if errNow != nil {
		return nil, errNow
	}
	return p.captured(o)
}

// invoiced is the payment of a key by the merchant's transactions, or nil.
func (p *Provider) invoiced(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (*checkout.Paid, error) {
	var paid *checkout.Paid
	err := p.transactions(ctx, a, r.Charge.Since.Add(-early), p.clock.Now().Add(time.Second), func(t transaction) error {
		if t.isCharge() && t.Invoice == r.Charge.Key {
			paid = &checkout.Paid{Provider: t.ID, Label: label}
		}
		return nil
	})
	return paid, err
}
