package syncing

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// takeCustomers keeps who the platform knows. Of one that it has deleted nothing but its id is left.
func (b *batch) takeCustomers(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Customers, false)
	if err != nil {
		return err
	}
	return b.keepRecords(ctx, items, func(one *item) error {
		one.after.Customer, one.after.Email = nil, ""
		if c := one.record.Customer; c != nil && !one.record.Deleted {
			one.after.Customer, one.after.Email = c, lower(c.Email)
		}
		return nil
	})
}

// keepRecords keeps records as they are, with what set makes of each.
func (b *batch) keepRecords(ctx context.Context, items []*item, set func(*item) error) error {
	copies := make([]*syncrun.Copy, len(items))
	for i, one := range items {
		b.outcomes[one.at].Verdict = one.verdict()
		one.after.Take(one.record, nil, syncrun.Prints{}, b.now)
		if err := set(one); err != nil {
			return err
		}
		copies[i] = one.after
		b.listRecord(one)
	}
	return b.save(ctx, copies)
}

// verdict is that of a record that is kept as it is. One that is gone before it was known only leaves word,
// lest what happened earlier comes later.
func (i *item) verdict() syncrun.Verdict {
	switch {
	case i.before == nil && i.record.Deleted:
		return syncrun.Unchanged
	case i.before == nil:
		return syncrun.Created
	}
	return syncrun.Updated
}

// takeOrders keeps the platform's orders, and moves those of ours that it has news of.
func (b *batch) takeOrders(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Orders, false)
	if err != nil {
		return err
	}
	labels, err := b.labelsOf(ctx, items)
	if err != nil {
		return err
	}
	return b.keepRecords(ctx, items, func(one *item) error {
		one.after.Order, one.after.Email = nil, ""
		o := one.record.Order
		if o == nil || one.record.Deleted {
			return nil
		}
		one.after.Order, one.after.Email = o, lower(o.Email)
		if err := b.takeReversal(ctx, one, o); err != nil {
			return err
		}
		return b.takeShipment(ctx, one, o, labels)
	})
}

// longestEmail is that of an address (RFC 5321). What is longer is none, and too long for an index.
const longestEmail = 254

// lower is an address as it is looked for; "" for what nobody can be found by.
func lower(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > longestEmail || !storable(email) {
		return ""
	}
	return email
}

// errLate is for news of an order that has come further by now.
var errLate = errors.New("the order has come further")

// takeShipment tells an order of ours that it is on its way, or has arrived. A reference that is none of our
// orders is the platform's own affair.
func (b *batch) takeShipment(ctx context.Context, one *item, o *syncrun.Order, labels map[id.Order]*order.Label) error {
	s := o.Shipment
	wanted, err := id.Parse[id.Order](o.Reference)
	if err != nil || s == nil {
		return nil
	}
	if label := labels[wanted]; s.Voided || label != nil && s.Number != "" && label.HasVoided(s.Number) {
		b.outcomes[one.at].Verdict = syncrun.Unchanged
		return nil
	}
	_, err = b.Orders.Change(ctx, b.Project.ID, wanted, func(c *order.Case) error { return b.move(c, *s) })
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil
	case err == nil || errors.Is(err, errLate):
		one.after.Local = wanted.String()
		return b.knows(ctx, wanted)
	}
	return err
}

// labelsOf finds the labels of the orders that a page tells shipments of: a shipment may have been read before its label was
// voided. It locks these orders, so that nobody voids a label before the transaction ends.
func (b *batch) labelsOf(ctx context.Context, items []*item) (map[id.Order]*order.Label, error) {
	var shipped []id.Order
	for _, one := range items {
		o := one.record.Order
		if o == nil || one.record.Deleted || o.Shipment == nil || o.Shipment.Voided || o.Shipment.Number == "" {
			continue
		}
		if of, err := id.Parse[id.Order](o.Reference); err == nil {
			shipped = append(shipped, of)
		}
	}
	if len(shipped) == 0 {
		return nil, nil
	}
	list, err := b.Labels.Lock(ctx, b.Project.ID, shipped)
	labels := make(map[id.Order]*order.Label, len(list))
	for _, l := range list {
		labels[l.Order] = l
	}
	return labels, err
}

// takeReversal marks an order of ours as changed, if the record shows that the platform canceled or refunded it. The record
// may be out of date, so the worker asks the platform for the order.
func (b *batch) takeReversal(ctx context.Context, one *item, o *syncrun.Order) error {
	of, err := id.Parse[id.Order](o.Reference)
	if err != nil || !o.Canceled && o.Refunded == "" {
		return nil
	}
	_, err = b.Platform.ChangePlatformOrder(ctx, b.Project.ID, of, func(_ *order.Case, w *order.PlatformOrder) error {
		if w.Integration != b.Integration || w.Remote != "" && w.Remote != one.record.Remote {
			return errLate // the record is of another integration or another order
		}
		w.Change(b.now)
		return nil
	})
	if errors.Is(err, errLate) || fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// knows notes that the platform knows how an order of ours that was written to it was sent, so that it is not told.
func (b *batch) knows(ctx context.Context, of id.Order) error {
	_, err := b.Platform.ChangePlatformOrder(ctx, b.Project.ID, of, func(c *order.Case, w *order.PlatformOrder) error {
		if w.Integration != b.Integration {
			return errLate
		}
		w.Told.Shipment = c.Order.Fulfillment.Shipment().Print()
		return nil
	})
	if errors.Is(err, errLate) || fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// move ships an order, and delivers it where it has arrived.
func (b *batch) move(c *order.Case, s syncrun.Shipment) error {
	at := b.now
	if shipped := s.ShippedAt.UTC().Truncate(time.Millisecond); !shipped.Before(c.Order.CreatedAt) && shipped.Before(b.now) {
		at = shipped
	}
	ship := func(tracking string) error {
		return c.ShipAt(at, clip(s.Carrier), clip(s.Number), tracking, id.New[id.Event](b.entropy.IDBits()), b.now)
	}
	err := ship(s.TrackingURL)
	if fault.KindOf(err) == fault.Invalid { // no address that a buyer could follow
		err = ship("")
	}
	if err == nil && s.Delivered && c.Order.RequiresShipping() { // digital items are delivered by now
		err = c.Deliver(id.New[id.Event](b.entropy.IDBits()), b.now)
	}
	if fault.KindOf(err) == fault.Conflict {
		return errLate
	}
	return err
}

// clip is what an order takes of a carrier's words.
func clip(text string) string {
	const longest = 200
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest])
}
