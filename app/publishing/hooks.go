package publishing

import (
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Failures of telling an order's agent, after which another attempt may do better.
var (
	errOrderUnread = errors.New("the order could not be read")
	errNoProtocol  = errors.New("this server does not speak the hook's protocol")
	errNoKey       = errors.New("the shop's signing key could not be read")
)

// tell brings an order, as it is now, to the hook of its agent, or finds that there is none any more: the hook has ended,
// the buyer was erased, or the shop is closed.
func (p *Publisher) tell(ctx ports.Outbound, parcel ports.Parcel, now time.Time) (r event.Result, deliverable bool) {
	if parcel.Shop == nil || parcel.Shop.Status != project.Active {
		return r, false
	}
	c, err := p.Orders.Case(ctx, parcel.Delivery.Project, parcel.Order)
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil:
		return r, false
	case err != nil:
		p.Log.ErrorContext(ctx, "an order cannot be told to its agent", "delivery", parcel.Delivery.ID, "error", err)
		return failed(errOrderUnread), true
	case !c.Order.Hooked():
		return r, false
	}
	protocol := p.Hooks[c.Order.Hook.Protocol]
	if protocol == nil {
		return failed(errNoProtocol), true
	}
	body, header, err := protocol.Message(ports.OrderNews{
		Event: parcel.Delivery.Event,
		Type:  toldAs(parcel.Delivery.Type),
		At:    parcel.At,
		Case:  c,
		Shop:  parcel.Shop,
		Now:   now,
	})
	if err != nil {
		return failed(err), true
	}
	key, err := p.Signer(ctx, parcel.Delivery.Project)
	if err != nil {
		p.Log.ErrorContext(ctx, "an order cannot be told to its agent", "delivery", parcel.Delivery.ID, "error", err)
		return failed(errNoKey), true
	}
	return p.Webhooks.Post(ctx, ports.Webhook{
		URL:  c.Order.Hook.URL,
		ID:   parcel.Delivery.Event,
		At:   parcel.At,
		Body: body,
		Proof: ports.MessageSignature{
			Key:    key,
			Time:   now,
			Header: header,
		},
	}), true
}

// toldAs is the type of an event as agents are told it: an order was placed, or has changed.
func toldAs(t event.Type) event.Type {
	if t == event.OrderCompletedType {
		return t
	}
	return event.OrderUpdatedType
}
