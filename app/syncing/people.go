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

// importCustomers stores the platform's customers. Of a customer that it has deleted, only the id is kept.
func (b *batch) importCustomers(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Customers, false)
	if err != nil {
		return err
	}
	return b.saveRecords(ctx, items, func(one *recordImport) error {
		one.after.Customer, one.after.Email = nil, ""
		if c := one.record.Customer; c != nil && !one.record.Deleted {
			one.after.Customer, one.after.Email = c, normalizeEmail(c.Email)
		}
		return nil
	})
}

// saveRecords stores external records after set has filled them.
func (b *batch) saveRecords(ctx context.Context, items []*recordImport, set func(*recordImport) error) error {
	toSave := make([]*syncrun.ExternalRecord, len(items))
	for i, one := range items {
		b.outcomes[one.at].Verdict = one.verdict()
		one.after.Take(one.record, nil, syncrun.Fingerprints{}, b.now)
		if err := set(one); err != nil {
			return err
		}
		toSave[i] = one.after
		b.listRecord(one)
	}
	return b.save(ctx, toSave)
}

// verdict returns the verdict of a record that is stored as it is. A deleted record that was unknown is stored too, so that an
// older version that arrives later does not bring it back.
func (i *recordImport) verdict() syncrun.Verdict {
	switch {
	case i.before == nil && i.record.Deleted:
		return syncrun.Unchanged
	case i.before == nil:
		return syncrun.Created
	}
	return syncrun.Updated
}

// importOrders stores the platform's orders, and applies shipments and reversals to the orders that were placed here.
func (b *batch) importOrders(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Orders, false)
	if err != nil {
		return err
	}
	labels, err := b.labelsOf(ctx, items)
	if err != nil {
		return err
	}
	return b.saveRecords(ctx, items, func(one *recordImport) error {
		one.after.Order, one.after.Email = nil, ""
		o := one.record.Order
		if o == nil || one.record.Deleted {
			return nil
		}
		one.after.Order, one.after.Email = o, normalizeEmail(o.Email)
		if err := b.importReversal(ctx, one, o); err != nil {
			return err
		}
		return b.importShipment(ctx, one, o, labels)
	})
}

// maxEmail is the longest address (RFC 5321). A longer text is no address, and would be too long for an index.
const maxEmail = 254

// normalizeEmail returns an address in the form that it is indexed by, or "" if nobody can be found by it.
func normalizeEmail(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > maxEmail || !storable(email) {
		return ""
	}
	return email
}

// errLate means that an order does not take a change, for example because it is already delivered.
var errLate = errors.New("the order has come further")

// importShipment marks an order that was placed here as shipped or delivered. A reference to no such order is ignored.
func (b *batch) importShipment(ctx context.Context, one *recordImport, o *syncrun.Order, labels map[id.Order]*order.Label) error {
	s := o.Shipment
	wanted, err := id.Parse[id.Order](o.Reference)
	if err != nil || s == nil {
		return nil
	}
	if label := labels[wanted]; s.Voided || label != nil && s.Number != "" && label.HasVoided(s.Number) {
		b.outcomes[one.at].Verdict = syncrun.Unchanged
		return nil
	}
	_, err = b.Orders.Change(ctx, b.Project.ID, wanted, func(c *order.Case) error { return b.shipOrder(c, *s) })
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil
	case err == nil || errors.Is(err, errLate):
		one.after.Local = wanted.String()
		return b.noteKnownShipment(ctx, wanted)
	}
	return err
}

// labelsOf returns the labels of the orders for which a page has shipments, because a shipment may have been read before its
// label was voided. It locks these orders, so that no label is voided before the transaction ends.
func (b *batch) labelsOf(ctx context.Context, items []*recordImport) (map[id.Order]*order.Label, error) {
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

// importReversal marks an order that was placed here as changed if the platform has canceled or refunded it. The record may be out
// of date, so the worker asks the platform for the order.
func (b *batch) importReversal(ctx context.Context, one *recordImport, o *syncrun.Order) error {
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

// noteKnownShipment records the shipment that the platform already has for an order that was written to it, so that it is not
// sent back.
func (b *batch) noteKnownShipment(ctx context.Context, of id.Order) error {
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

// shipOrder marks an order as shipped, and as delivered if it has arrived.
func (b *batch) shipOrder(c *order.Case, s syncrun.Shipment) error {
	at := b.now
	if shipped := s.ShippedAt.UTC().Truncate(time.Millisecond); !shipped.Before(c.Order.CreatedAt) && shipped.Before(b.now) {
		at = shipped
	}
	ship := func(tracking string) error {
		return c.ShipAt(at, truncate(s.Carrier), truncate(s.Number), tracking, id.New[id.Event](b.entropy.IDBits()), b.now)
	}
	err := ship(s.TrackingURL)
	if fault.KindOf(err) == fault.Invalid { // the tracking URL is not acceptable
		err = ship("")
	}
	if err == nil && s.Delivered && c.Order.RequiresShipping() { // digital items are already delivered
		err = c.Deliver(id.New[id.Event](b.entropy.IDBits()), b.now)
	}
	if fault.KindOf(err) == fault.Conflict {
		return errLate
	}
	return err
}

// truncate shortens a carrier's text to what an order accepts.
func truncate(text string) string {
	const longest = 200
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest])
}
