package paypal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// reported is the age of an attempt at which PayPal's report certainly contains its charge: the report lags by three
	// hours, plus a margin of one.
	reported = checkout.KeyAge + 4*time.Hour
	// refreshMargin is how much later than the last possible charge the report must have been refreshed.
	refreshMargin = 30 * time.Minute
	// early is how long before the time of a request a search starts, because clocks differ.
	early = 2 * time.Hour
)

// orderPrefix is the prefix of a progress that has an order.
const orderPrefix = "order "

// orderOf returns the order that an earlier Resolve has found, or "".
func orderOf(progress string) string {
	of, _ := strings.CutPrefix(progress, orderPrefix)
	return of
}

// Resolve returns the outcome of an attempt; see the package comment.
func (p *Provider) Resolve(ctx ports.Outbound, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, problem := toAmount(r.Charge.Amount); problem != "" {
		return checkout.NotCharged{}, nil // it was never sent
	}
	if _, most := p.remote.Age(r.Charge.Since); most >= checkout.KeyAge {
		return p.lookUp(ctx, a, r)
	}
	o, err := p.create(ctx, a, r)
	if err != nil {
		return nil, err
	}
	outcome, err := judge(o)
	if outcome == nil && err == nil {
		outcome, err = p.abandon(ctx, a, o.ID)
	}
	if err != nil && unclear(err) && orderOf(r.Charge.Progress) != o.ID {
		return nil, ports.StillLooking{Progress: orderPrefix + o.ID} // to find the order after PayPal has forgotten the key
	}
	return outcome, err
}

// lookUp returns the outcome of an attempt whose key PayPal may have forgotten. It creates no order, because that could be another
// order than the captured one.
func (p *Provider) lookUp(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	if known := orderOf(r.Charge.Progress); known != "" {
		outcome, err := p.decide(ctx, a, known)
		if outcome != nil || err != nil && issueOf(err) == "" {
			return outcome, err
		}
	}
	paid, refreshed, err := p.findPayment(ctx, a, r)
	least, _ := p.remote.Age(r.Charge.Since)
	switch {
	case err != nil:
		return nil, err
	case paid != nil:
		return *paid, nil
	case least < reported, !refreshed.IsZero() && p.remote.ProviderTime().Add(-least).Add(checkout.KeyAge+refreshMargin).After(refreshed):
		return nil, errors.New("paypal: a payment of the key may not be reported yet")
	}
	return checkout.NotCharged{}, nil
}

// decide returns the outcome of an order. It abandons the order if that was not captured.
func (p *Provider) decide(ctx context.Context, a ports.PaymentAccount, of string) (checkout.Outcome, error) {
	o, err := p.order(ctx, a, of)
	if err != nil {
		return nil, err
	}
	if outcome, err := judge(o); outcome != nil || err != nil {
		return outcome, err
	}
	return p.abandon(ctx, a, of)
}

// abandon changes the intent of an order that was not captured, so that it cannot be captured any more.
func (p *Provider) abandon(ctx context.Context, a ports.PaymentAccount, of string) (checkout.Outcome, error) {
	change := []map[string]string{{"op": "replace", "path": "/intent", "value": abandonedIntent}}
	err := p.do(ctx, a, call{
		method: http.MethodPatch,
		path:   "/v2/checkout/orders/" + of,
		body:   change,
	}, nil)
	if err != nil && !slices.Contains(alreadyCaptured, issueOf(err)) {
		return nil, err
	}
	o, errNow := p.order(ctx, a, of) // the state after the change, even if PayPal refused it
	if errNow != nil {
		return nil, errNow
	}
	return p.captureOutcome(o)
}

// findPayment returns the payment of a key in the merchant's transactions, or nil. A pending payment is an error.
func (p *Provider) findPayment(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (paid *checkout.Paid, refreshed time.Time, err error) {
	pending := ""
	refreshed, err = p.transactions(ctx, a, r.Charge.Since.Add(-early), p.remote.ProviderTime().Add(time.Second), func(t transaction) error {
		switch {
		case t.Invoice != r.Charge.Key:
		case t.isCharge() && t.Status == "S":
			paid = &checkout.Paid{Provider: t.ID, Label: label}
		case t.Status == "P":
			pending = t.ID
		}
		return nil
	})
	if err == nil && paid == nil && pending != "" {
		return nil, refreshed, fmt.Errorf("paypal: transaction %s is pending", pending)
	}
	return paid, refreshed, err
}
