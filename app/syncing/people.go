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
	return b.keepRecords(ctx, syncrun.Customers, func(one *item) error {
		one.after.Customer, one.after.Email = nil, ""
		if c := one.record.Customer; c != nil && !one.record.Deleted {
			one.after.Customer, one.after.Email = c, lower(c.Email)
		}
		return nil
	})
}

// keepRecords keeps the records of a resource as they are, with what set makes of each.
func (b *batch) keepRecords(ctx context.Context, of syncrun.Resource, set func(*item) error) error {
	items, err := b.open(ctx, of, false)
	if err != nil {
		return err
	}
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
	return b.keepRecords(ctx, syncrun.Orders, func(one *item) error {
		one.after.Order, one.after.Email = nil, ""
		o := one.record.Order
		if o == nil || one.record.Deleted {
			return nil
		}
		one.after.Order, one.after.Email = o, lower(o.Email)
		if err := b.takeReversal(ctx, one, o); err != nil {
			return err
		}
		return b.takeShipment(ctx, one, o)
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
func (b *batch) takeShipment(ctx context.Context, one *item, o *syncrun.Order) error {
	s := o.Shipment
	wanted, err := id.Parse[id.Order](o.Reference)
	if err != nil || s == nil {
		return nil
	}
	if s.Voided {
		b.outcomes[one.at].Verdict = syncrun.Unchanged
		return nil
	}
	switch gone, err := b.isVoided(ctx, wanted, s.Number); {
	case fault.KindOf(err) == fault.NotFound:
		return nil
	case err != nil:
		return err
	case gone:
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

// isVoided reports whether the label with a tracking number was voided after the record of it was read. It locks the order, so
// that nobody voids the label before the transaction ends.
func (b *batch) isVoided(ctx context.Context, of id.Order, tracking string) (gone bool, err error) {
	_, err = b.Labels.Change(ctx, b.Project.ID, of, false, func(_ *order.Order, l *order.Label) (*order.Label, error) {
		gone = l != nil && tracking != "" && l.HasVoided(tracking)
		return nil, nil
	})
	return gone, err
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
