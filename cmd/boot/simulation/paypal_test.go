package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// paypalModel is the part of PayPal's API that charges and refunds use, written from its documentation: a request id is
// remembered for six hours and returns the object's current state; a charge is an order, which a second request captures as
// long as its intent is CAPTURE; an invoice is paid once; the transaction report lags by three hours
// (developer.paypal.com/api/rest, read November 2026). Server errors are not kept.
type paypalModel struct {
	bank
	work     func(what string) trouble
	decided  func(key, charge, decline string)
	orders   []*paypalOrder
	requests map[string]paypalRequest
}

type paypalRequest struct {
	at     time.Time
	order  *paypalOrder
	refund *moneyBack
}

type paypalOrder struct {
	id, key, checkout string
	amount            int64
	givenUp           bool // its intent is AUTHORIZE only
	capture, decline  string
}

const (
	paypalKeyAge = 6 * time.Hour
	trustedKey   = 5 * time.Hour
	paypalLag    = 3 * time.Hour
)

func (m *paypalModel) known(key string) (paypalRequest, bool) {
	r, ok := m.requests[key]
	return r, ok && m.now().Sub(r.at) < paypalKeyAge
}

// paypalReply is an order or a refund at the time of the response. ok is false for a server error.
type paypalReply struct {
	ok     bool
	issue  string
	order  paypalOrder
	refund moneyBack
	found  *charge // according to the report
	back   *moneyBack
}

// carry carries out a request, unless the server fails before or after its effect.
func (m *paypalModel) carry(what string, effect func() paypalReply) paypalReply {
	t := m.work(what)
	if t.before {
		return paypalReply{}
	}
	r := effect()
	r.ok = !t.after
	return r
}

func (m *paypalModel) create(key, checkout string, amount int64) paypalReply {
	return m.carry("orders", func() paypalReply {
		r, known := m.known(key)
		if !known {
			o := &paypalOrder{
				id:       fmt.Sprintf("order_%d", len(m.orders)+1),
				key:      key,
				checkout: checkout,
				amount:   amount,
			}
			m.orders = append(m.orders, o)
			r = paypalRequest{at: m.now(), order: o}
			m.requests[key] = r
		}
		return paypalReply{order: *r.order}
	})
}

func (m *paypalModel) order(id string) *paypalOrder {
	for _, o := range m.orders {
		if o.id == id {
			return o
		}
	}
	return nil
}

func (m *paypalModel) get(id string) paypalReply {
	return m.carry("orders/"+id, func() paypalReply { return paypalReply{order: *m.order(id)} })
}

func (m *paypalModel) capture(id, token string) paypalReply {
	return m.carry("capture", func() paypalReply {
		o := m.order(id)
		switch {
		case o.capture != "" || o.decline != "":
			return paypalReply{order: *o}
		case o.givenUp:
			return paypalReply{issue: "ACTION_DOES_NOT_MATCH_INTENT"}
		case m.byKey(o.key) != nil:
			return paypalReply{issue: "DUPLICATE_INVOICE_ID"}
		case declines(token):
			o.decline = "INSTRUMENT_DECLINED"
		default:
			c := &charge{fmt.Sprintf("capture_%d", len(m.charges)+1), o.key, o.checkout, o.amount, m.now()}
			m.charges = append(m.charges, c)
			o.capture = c.id
		}
		m.decided(o.key, o.capture, o.decline)
		return paypalReply{order: *o}
	})
}

func (m *paypalModel) byKey(key string) *charge {
	for _, c := range m.charges {
		if c.key == key {
			return c
		}
	}
	return nil
}

func (m *paypalModel) giveUp(id string) paypalReply {
	return m.carry("patch", func() paypalReply {
		o := m.order(id)
		if o.capture == "" && o.decline == "" {
			o.givenUp = true
		}
		return paypalReply{}
	})
}

// report returns what the transaction report says about the charge or refund of a key.
func (m *paypalModel) report(key string) paypalReply {
	return m.carry("transactions", func() (r paypalReply) {
		if c := m.byKey(key); c != nil && m.now().Sub(c.at) >= paypalLag {
			r.found = c
		}
		for _, b := range m.refunds {
			if b.key == key && m.now().Sub(m.requests[key].at) >= paypalLag {
				now := *b
				r.back = &now
			}
		}
		return r
	})
}

func (m *paypalModel) refund(key, of string, amount int64) paypalReply {
	return m.carry("refund", func() paypalReply {
		r, known := m.known(key)
		if !known {
			c := m.charge(of)
			if c == nil || m.left(c) < amount {
				return paypalReply{issue: "CAPTURE_FULLY_REFUNDED"}
			}
			b := &moneyBack{
				id:     fmt.Sprintf("back_%d", len(m.refunds)+1),
				charge: of,
				key:    key,
				amount: amount,
			}
			m.refunds = append(m.refunds, b)
			m.given(b)
			r = paypalRequest{at: m.now(), refund: b}
			m.requests[key] = r
		}
		return paypalReply{refund: *r.refund}
	})
}

// portPayPal implements the payment port with the model of PayPal, without HTTP.
type portPayPal struct {
	ports.Gateway
	*server
	paypal *paypalModel
}

func (g *portPayPal) request(ctx context.Context, name string, serve func() paypalReply) (paypalReply, error) {
	r, err := ask(ctx, g.server, name, serve)
	if err == nil && !r.ok {
		err = errUnclear
	}
	return r, err
}

func (g *portPayPal) age(since time.Time) (least, most time.Duration) {
	ours, theirs := g.off.Now().Sub(since), g.paypal.now().Sub(since)
	return min(ours, theirs), max(ours, theirs)
}

func (o *paypalOrder) outcome() checkout.Outcome {
	switch {
	case o.capture != "":
		return checkout.Paid{Provider: o.capture, Label: "PayPal"}
	case o.decline != "":
		return checkout.Declined{Code: o.decline, Message: "The payment was declined."}
	case o.givenUp:
		return checkout.NotCharged{}
	}
	return nil
}

func (g *portPayPal) create(ctx context.Context, r ports.ChargeRequest) (paypalOrder, error) {
	a, err := g.request(ctx, "order "+r.Charge.Key, func() paypalReply {
		return g.paypal.create(r.Charge.Key, r.Checkout.String(), r.Charge.Amount.Minor())
	})
	return a.order, err
}

func (g *portPayPal) Charge(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, most := g.age(r.Charge.Since); most >= trustedKey {
		return g.Resolve(ctx, r)
	}
	o, err := g.create(ctx, r)
	if err != nil {
		return nil, err
	}
	if outcome := o.outcome(); outcome != nil {
		return outcome, nil
	}
	a, err := g.request(ctx, "capture "+r.Charge.Key, func() paypalReply { return g.paypal.capture(o.id, r.Token) })
	switch {
	case err != nil:
		return nil, err
	case a.issue == "ACTION_DOES_NOT_MATCH_INTENT":
		return checkout.NotCharged{}, nil
	case a.issue != "":
		return nil, errors.New(a.issue)
	}
	return a.order.outcome(), nil
}

// Resolve voids the order of the key, unless it was captured first. Later, when the key may be forgotten, the order that was
// found, or the report, decides.
func (g *portPayPal) Resolve(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, most := g.age(r.Charge.Since); most >= trustedKey {
		return g.lookUp(ctx, r)
	}
	o, err := g.create(ctx, r)
	if err != nil {
		return nil, err
	}
	outcome, err := g.end(ctx, o.id)
	if err != nil && r.Charge.Progress != o.id {
		return nil, ports.StillLooking{Progress: o.id}
	}
	return outcome, err
}

// end voids an order and returns its outcome.
func (g *portPayPal) end(ctx context.Context, id string) (checkout.Outcome, error) {
	if _, err := g.request(ctx, "give up "+id, func() paypalReply { return g.paypal.giveUp(id) }); err != nil {
		return nil, err
	}
	a, err := g.request(ctx, "read "+id, func() paypalReply { return g.paypal.get(id) })
	if err != nil {
		return nil, err
	}
	return a.order.outcome(), nil
}

func (g *portPayPal) lookUp(ctx context.Context, r ports.ChargeRequest) (checkout.Outcome, error) {
	if r.Charge.Progress != "" {
		return g.end(ctx, r.Charge.Progress)
	}
	a, err := g.request(ctx, "report "+r.Charge.Key, func() paypalReply { return g.paypal.report(r.Charge.Key) })
	least, _ := g.age(r.Charge.Since)
	switch {
	case err != nil:
		return nil, err
	case a.found != nil:
		return checkout.Paid{Provider: a.found.id, Label: "PayPal"}, nil
	case least < trustedKey+paypalLag+time.Hour:
		return nil, errUnclear
	}
	return checkout.NotCharged{}, nil
}

func (g *portPayPal) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	if _, most := g.age(r.Since); most > trustedKey {
		a, err := g.request(ctx, "report "+r.Key, func() paypalReply { return g.paypal.report(r.Key) })
		if err != nil {
			return nil, err
		}
		if a.back != nil {
			return a.back.outcome(), nil
		}
	}
	a, err := g.request(ctx, "refund "+r.Key, func() paypalReply { return g.paypal.refund(r.Key, r.Charge, r.Amount.Minor()) })
	switch {
	case err != nil:
		return nil, err
	case a.issue != "":
		return order.RefundFailed{Code: a.issue}, nil
	}
	return a.refund.outcome(), nil
}
