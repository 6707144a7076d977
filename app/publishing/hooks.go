package publishing

import (
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Failures of a call to the hook of an order's agent. Another attempt may succeed.
var (
	errOrderUnread = errors.New("the order could not be read")
	errNoProtocol  = errors.New("this server does not speak the hook's protocol")
	errNoKey       = errors.New("the shop's signing key could not be read")
)

// postToHook posts the current state of an order to the hook of its agent. It reports whether there is still such a hook: the hook may
// have ended, the buyer may be erased, or the shop may be closed.
func (p *Publisher) postToHook(ctx ports.Outbound, parcel ports.Parcel, now time.Time) (r event.Result, deliverable bool) {
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
		Type:  hookEventType(parcel.Delivery.Type),
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

// hookEventType returns the type under which a hook receives an event: order.completed or order.updated.
func hookEventType(t event.Type) event.Type {
	if t == event.OrderCompletedType {
		return t
	}
	return event.OrderUpdatedType
}
