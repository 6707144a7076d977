package order

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
)

// Case is an order with its returns, refunds and disputes. Its verbs change it and collect the records to store with
// it.
type Case struct {
	Order    *Order
	Returns  []Return              // oldest first
	Refunds  []Refund              // oldest first
	Disputes []Dispute             // oldest first
	Taken    []catalog.Reservation // what the sale took from stock

	// Collected by the verbs.
	Restock []catalog.Reservation
	Ledger  []ledger.Transaction
	Events  []event.Event
}

// ErrCanceled means that the order is canceled.
var ErrCanceled = fault.New(fault.Conflict, "order_canceled", "The order is canceled.")

// Cancel ends an order that was not shipped. Its stock is put back, and the rest of its payment is refunded under the
// given ID, if any is left.
func (c *Case) Cancel(refund id.Refund, reason string, announce id.Event, now time.Time) error {
	if err := c.Cancelable(); err != nil {
		return err
	}
	switch err := c.refund(refund, id.Return{}, nil, reason, now); {
	case err == nil, fault.Is(err, ErrRefunded.Code): // the payment may be refunded already, or zero
	default:
		return err
	}
	c.end(refund, reason, announce, now)
	return nil
}

// CancelElsewhere ends an order that its platform has canceled. It refunds nothing, because the platform reports its
// refunds separately.
func (c *Case) CancelElsewhere(reason string, announce id.Event, now time.Time) error {
	if err := c.Cancelable(); err != nil {
		return err
	}
	c.end(id.Refund{}, reason, announce, now)
	return nil
}

func (c *Case) end(refund id.Refund, reason string, announce id.Event, now time.Time) {
	f := &c.Order.Fulfillment
	c.Order.Status, f.Status, f.CanceledAt = Canceled, FulfillmentCanceled, now
	c.putBack(c.out())
	c.announce(announce, now, func(n int) event.Data {
		canceled := event.OrderCanceled{
			Order:    c.Order.ID,
			Sequence: n,
			Reason:   reason,
		}
		if r := c.FindRefund(refund); r != nil {
			canceled.Refund, canceled.Amount = r.ID, r.Amount
		}
		return canceled
	})
}

// Cancelable returns why the order cannot be canceled, or nil.
func (c *Case) Cancelable() error {
	switch f := c.Order.Fulfillment.Status; {
	case c.Order.Status == Canceled:
		return ErrCanceled
	case f == Shipped || f == Delivered:
		return ErrShipped
	}
	for _, r := range c.Returns {
		if r.Status == Requested {
			return fault.New(fault.Conflict, "return_open", "The return "+r.ID.String()+" of the order is not decided yet.")
		}
	}
	return nil
}

// announce collects an event with the order's next sequence number.
func (c *Case) announce(name id.Event, now time.Time, data func(sequence int) event.Data) {
	c.Order.Sequence++
	payload := data(c.Order.Sequence)
	c.Events = append(c.Events, event.Event{
		ID:      name,
		Project: c.Order.Project,
		At:      now,
		Data:    payload,
		Hook:    c.Order.hookFor(payload.Type()),
	})
}

// out returns the stock that the sale took and returns did not put back.
func (c *Case) out() []catalog.Reservation {
	back := make(map[catalog.Reservation]int) // by variant and location; Quantity is zero in the keys
	for _, r := range c.Returns {
		for _, t := range r.Restocked {
			back[catalog.Reservation{Variant: t.Variant, Location: t.Location}] += t.Quantity
		}
	}
	var out []catalog.Reservation
	for _, t := range catalog.Stocked(c.Taken) {
		place := catalog.Reservation{Variant: t.Variant, Location: t.Location}
		returned := min(back[place], t.Quantity)
		back[place] -= returned
		if t.Quantity -= returned; t.Quantity > 0 {
			out = append(out, t)
		}
	}
	return out
}

// putBack collects stock to put back, with one entry per variant and location.
func (c *Case) putBack(takes []catalog.Reservation) {
next:
	for _, t := range takes {
		for i := range c.Restock {
			if c.Restock[i].Variant == t.Variant && c.Restock[i].Location == t.Location {
				c.Restock[i].Quantity += t.Quantity
				continue next
			}
		}
		c.Restock = append(c.Restock, t)
	}
}
