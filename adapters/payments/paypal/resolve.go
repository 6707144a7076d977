package paypal

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// reported is after how long PayPal's report shows a charge of an attempt for certain, or there is
	// none: the three hours by which it lags, and one to spare.
	reported = checkout.KeyAge + 4*time.Hour
	// early is how much before the time of a request its trace is looked for: clocks differ.
	early = 5 * time.Minute
)

// Resolve is explained in the package comment.
func (p *Provider) Resolve(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, problem := toAmount(r.Charge.Amount); problem != "" {
		return checkout.NotCharged{}, nil // it was never sent
	}
	if p.clock.Now().Sub(r.Charge.Since) >= checkout.KeyAge {
		return p.lookUp(ctx, a, r)
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

// lookUp is the outcome of an attempt whose key may be forgotten: an order made under it now would be
// another than the one that was captured.
func (p *Provider) lookUp(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	asked := p.clock.Now()
	paid, err := p.invoiced(ctx, a, r)
	switch {
	case err != nil:
		return nil, err
	case paid != nil:
		return *paid, nil
	case asked.Sub(r.Charge.Since) < reported:
		return nil, fmt.Errorf("paypal: a payment of key %s may not be reported yet", r.Charge.Key)
	}
	return checkout.NotCharged{}, nil
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

// invoiced is the payment of a key by the merchant's transactions, or nil. It is an error that one is
// pending.
func (p *Provider) invoiced(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (*checkout.Paid, error) {
	var paid *checkout.Paid
	pending := ""
	err := p.transactions(ctx, a, r.Charge.Since.Add(-early), p.clock.Now().Add(time.Second), func(t transaction) error {
		switch {
		case t.Invoice != r.Charge.Key:
		case t.isCharge():
			paid = &checkout.Paid{Provider: t.ID, Label: label}
		case t.Status == "P":
			pending = t.ID
		}
		return nil
	})
	if err == nil && paid == nil && pending != "" {
		return nil, fmt.Errorf("paypal: transaction %s is pending", pending)
	}
	return paid, err
}
