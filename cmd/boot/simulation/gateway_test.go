package simulation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// portStripe implements the payment port with the model of Stripe, without HTTP: with the adapter's requests and conclusions,
// in a tenth of its time. TestGateways runs both on the same cases.
type portStripe struct {
	ports.Gateway // Statement is not called
	*server
	stripe *stripeModel
	ahead  time.Duration // difference of the provider's clock at its last response
}

var (
	errUnclear = errors.New("the provider has not said what became of it")
	errKeyUsed = errors.New("the key was used, and no charge of it is found")
)

// trusted is how long the gateway relies on the provider to remember a key.
const trusted = 20 * time.Hour

// chargeable is how long after its start an attempt may be charged.
const chargeable = 5 * time.Hour

func (g *portStripe) request(ctx context.Context, name string, serve func() reply) (reply, error) {
	r, err := ask(ctx, g.server, name, serve)
	if err != nil {
		return reply{}, err
	}
	g.ahead = g.stripe.now().Sub(g.off.Now())
	if r.status == http.StatusConflict || r.status >= http.StatusInternalServerError {
		return reply{}, errUnclear
	}
	return r, nil
}

func (g *portStripe) age(since time.Time) (least, most time.Duration) {
	ours := g.off.Now().Sub(since)
	return min(ours, ours+g.ahead), max(ours, ours+g.ahead)
}

func (g *portStripe) create(ctx context.Context, r ports.ChargeRequest, void bool) (reply, error) {
	name := "charge "
	if void {
		name = "void "
	}
	return g.request(ctx, name+r.Charge.Key, func() reply {
		return g.stripe.create(r.Charge.Key, r.Checkout.String(), r.Charge.Amount.Minor(), void, r.Token)
	})
}

func (g *portStripe) Charge(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, most := g.age(r.Charge.Since); most >= chargeable {
		return g.Resolve(ctx, r)
	}
	a, err := g.create(ctx, r, false)
	switch {
	case err != nil:
		return nil, err
	case a.kind == "idempotency_error":
		return g.used(ctx, r, errKeyUsed)
	}
	return a.intent.outcome()
}

// outcome returns the outcome of an intent that was charged or voided.
func (i *stripeIntent) outcome() (checkout.Outcome, error) {
	switch {
	case i.status == "succeeded":
		return checkout.Paid{Provider: i.id, Label: "Card"}, nil
	case i.void:
		return checkout.NotCharged{}, nil
	case i.decline != "":
		return checkout.Declined{Code: i.decline, Message: "The payment was declined."}, nil
	}
	return nil, fmt.Errorf("intent %s is %s", i.id, i.status)
}

// Resolve voids the key, and looks for the charge if the void came too late.
func (g *portStripe) Resolve(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	r.Token = ""
	if _, most := g.age(r.Charge.Since); most >= trusted {
		return g.lookUp(ctx, r)
	}
	a, err := g.create(ctx, r, true)
	switch {
	case err != nil:
		return g.used(ctx, r, err)
	case a.kind == "":
		return checkout.NotCharged{}, nil
	}
	return g.used(ctx, r, errKeyUsed)
}

func (g *portStripe) used(ctx context.Context, r ports.ChargeRequest, why error) (checkout.Outcome, error) {
	found, _, err := g.find(ctx, r.Charge)
	switch {
	case err != nil:
		return nil, err
	case found == nil && r.Charge.Progress != "":
		return nil, ports.StillLooking{}
	case found == nil:
		return nil, why
	}
	return found.outcome()
}

// lookUp resolves keys that the provider may have forgotten: if the whole list lacks the attempt, it was not charged.
func (g *portStripe) lookUp(ctx context.Context, r ports.ChargeRequest) (checkout.Outcome, error) {
	over := r.Charge.Since.Add(max(g.ahead, 0) + chargeable + time.Hour) // no request charges it after that
	var begun int64
	if _, err := fmt.Sscan(r.Charge.Progress, &begun); err == nil && time.Unix(begun, 0).Before(over) {
		r.Charge.Progress = ""
	}
	found, until, err := g.find(ctx, r.Charge)
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		return found.outcome()
	case until.Before(over):
		return nil, errUnclear
	}
	return checkout.NotCharged{}, nil
}

// find returns the intent of a key. until is the provider's time when its list was read from the beginning.
func (g *portStripe) find(ctx context.Context, of checkout.Charge) (found *stripeIntent, until time.Time, err error) {
	if least, _ := g.age(of.Since); least >= searchLag {
		a, err := g.request(ctx, "search "+of.Key, func() reply { return g.stripe.search(of.Key) })
		if err == nil && len(a.intents) > 0 {
			return &a.intents[0], until, nil
		}
	}
	begun, after, from := g.off.Now().Add(g.ahead).Unix(), "", of.Since.Add(-2*time.Hour).Unix()
	resumed, _ := fmt.Sscanf(of.Progress, "%d %s", &begun, &after)
	for n := 0; ; n++ {
		if deadline, bounded := ctx.Deadline(); n > 0 && (ctx.Err() != nil || bounded && time.Until(deadline) < 1500*time.Millisecond) {
			return nil, until, ports.StillLooking{Progress: fmt.Sprintf("%d %s", begun, after)}
		}
		a, err := g.request(ctx, "list "+of.Key+" after "+after, func() reply { return g.stripe.page(from, begun+int64(2*time.Hour/time.Second), after, 100) })
		if err != nil && (n > 0 || resumed > 0) {
			return nil, until, ports.StillLooking{Progress: fmt.Sprintf("%d %s", begun, after)}
		}
		if err != nil {
			return nil, until, err
		}
		for _, i := range a.intents {
			if after = i.id; i.key == of.Key {
				return &i, until, nil
			}
		}
		if !a.more {
			return nil, time.Unix(begun, 0), nil
		}
	}
}

func (g *portStripe) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	if _, most := g.age(r.Since); most > trusted {
		if found, err := g.findRefund(ctx, r); err != nil || found != nil {
			return found, err
		}
	}
	a, failed := g.request(ctx, "refund "+r.Key, func() reply { return g.stripe.refund(r.Key, r.Charge, r.Amount.Minor()) })
	if failed == nil && a.refund != nil {
		return a.refund.outcome(), nil
	}
	found, err := g.findRefund(ctx, r)
	switch {
	case err != nil || found != nil:
		return found, err
	case failed != nil:
		return nil, failed
	case a.kind == "idempotency_error":
		return nil, errKeyUsed
	}
	return order.RefundFailed{Code: a.code}, nil
}

func (r *moneyBack) outcome() order.RefundOutcome {
	if r.failed {
		return order.RefundFailed{Code: "expired_or_canceled_card", Provider: r.id}
	}
	return order.Refunded{Provider: r.id}
}

func (g *portStripe) findRefund(ctx context.Context, r ports.RefundRequest) (order.RefundOutcome, error) {
	a, err := g.request(ctx, "list refunds of "+r.Charge, func() reply { return g.stripe.refundsOf(r.Charge) })
	if err != nil {
		return nil, err
	}
	for _, b := range a.refunds {
		if b.key == r.Key {
			return b.outcome(), nil
		}
	}
	return nil, nil
}
