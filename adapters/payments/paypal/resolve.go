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
	// reported is after how long PayPal's report shows a charge of an attempt for certain, or there is
	// none: the three hours by which it lags, and one to spare.
	reported = checkout.KeyAge + 4*time.Hour
	// settling is how much later than the last possible charge the report must have been refreshed.
	settling = 30 * time.Minute
	// early is how much before the time of a request its trace is looked for: clocks differ.
	early = 2 * time.Hour
)

// orderOf is the order that an earlier Resolve found.
const orderPrefix = "order "

func orderOf(progress string) string {
	of, _ := strings.CutPrefix(progress, orderPrefix)
	return of
}

// Resolve is explained in the package comment.
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
		outcome, err = p.giveUp(ctx, a, o.ID)
	}
	if err != nil && unclear(err) && orderOf(r.Charge.Progress) != o.ID {
		return nil, ports.StillLooking{Progress: orderPrefix + o.ID} // to be found when the key is forgotten
	}
	return outcome, err
}

// lookUp is the outcome of an attempt whose key may be forgotten: an order made under it now would be
// another than the one that was captured.
func (p *Provider) lookUp(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (checkout.Outcome, error) {
	if known := orderOf(r.Charge.Progress); known != "" {
		outcome, err := p.decide(ctx, a, known)
		if outcome != nil || err != nil && issueOf(err) == "" {
			return outcome, err
		}
	}
	paid, refreshed, err := p.invoiced(ctx, a, r)
	least, _ := p.remote.Age(r.Charge.Since)
	switch {
	case err != nil:
		return nil, err
	case paid != nil:
		return *paid, nil
	case least < reported, !refreshed.IsZero() && p.remote.ProviderTime().Add(-least).Add(checkout.KeyAge+settling).After(refreshed):
		return nil, errors.New("paypal: a payment of the key may not be reported yet")
	}
	return checkout.NotCharged{}, nil
}

// decide is the outcome of an order, which it gives up if nobody has captured it.
func (p *Provider) decide(ctx context.Context, a ports.PaymentAccount, of string) (checkout.Outcome, error) {
	o, err := p.order(ctx, a, of)
	if err != nil {
		return nil, err
	}
	if outcome, err := judge(o); outcome != nil || err != nil {
		return outcome, err
	}
	return p.giveUp(ctx, a, of)
}

// giveUp changes the intent of an order that nobody has captured.
func (p *Provider) giveUp(ctx context.Context, a ports.PaymentAccount, of string) (checkout.Outcome, error) {
	change := []map[string]string{{"op": "replace", "path": "/intent", "value": givenUp}}
	err := p.do(ctx, a, call{
		method: http.MethodPatch,
		path:   "/v2/checkout/orders/" + of,
		body:   change,
	}, nil)
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
func (p *Provider) invoiced(ctx context.Context, a ports.PaymentAccount, r ports.ChargeRequest) (paid *checkout.Paid, refreshed time.Time, err error) {
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
