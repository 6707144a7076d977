package writeback

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// line is a line of an order with its inventory item at the platform.
type line struct {
	variant id.Variant
	item    string // "": the variant does not come from the platform
	sku     string // of our stock of the item
}

// linesOf returns the order's lines with their inventory items at the platform.
func (h *claimedOrder) linesOf(ctx context.Context) ([]line, error) {
	var variants []string
	for _, l := range h.c.Order.Lines {
		variants = append(variants, l.Variant.String())
	}
	slices.Sort(variants)
	known, err := h.ExternalRecords.Of(ctx, ports.RecordSet{
		Project:     h.of.Project,
		Integration: h.of.Integration,
		Resource:    syncrun.Items,
	},
		slices.Compact(variants))
	if err != nil {
		return nil, err
	}
	byVariant := make(map[string]*syncrun.ExternalRecord, len(known))
	for _, c := range known {
		byVariant[c.Local] = c
	}
	lines := make([]line, len(h.c.Order.Lines))
	for n, l := range h.c.Order.Lines {
		lines[n].variant = l.Variant
		if c := byVariant[l.Variant.String()]; c != nil {
			lines[n].item, lines[n].sku = c.Remote, c.SKU
		}
	}
	return lines, nil
}

func (h *claimedOrder) draft() ports.OrderDraft {
	items := make([]string, len(h.lines))
	for n, l := range h.lines {
		items[n] = l.item
	}
	return ports.OrderDraft{
		Order: h.c.Order,
		Items: items,
		Live:  h.Live,
		Asked: h.of.Told.Asked,

		Unfinished: h.of.Told.Unfinished,
	}
}

// write creates the order at the platform, unless an earlier attempt did.
func (h *claimedOrder) write(ctx ports.Outbound) error {
	d := h.draft()
	if !slices.ContainsFunc(d.Items, func(item string) bool { return item != "" }) {
		return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
			w.Skip("None of its products come from "+h.integration.Type.Label()+".", h.Clock.Now())
			return nil
		})
	}
	there, err := h.create(ctx, d)
	var soldOut *ports.SoldOut
	if errors.As(err, &soldOut) {
		return h.soldOut(ctx, soldOut.Reason)
	}
	if err == nil {
		err = failpoint.At(ctx, failpoint.OrderWritten)
	}
	if err != nil {
		return err
	}
	if err := h.recordWritten(ctx, there); err != nil {
		return err
	}
	h.Log.InfoContext(ctx, "an order is written to its platform", "order", h.of.Order.String(), "platform", h.integration.Type.String(), "remote", there.Remote)
	return failpoint.At(ctx, failpoint.OrderRecorded)
}

// create finds the order at the platform, or creates it there. It records the attempt first. If the response is
// lost, the next attempt waits until the platform can no longer process the request, and looks the order up again.
func (h *claimedOrder) create(ctx ports.Outbound, d ports.OrderDraft) (there ports.WrittenOrder, err error) {
	wait := h.uncertainFor() // read before the look-up, so that the look-up is valid if wait is 0
	var found *ports.WrittenOrder
	if err := h.callPlatform(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		found, err = h.writer.FindOrder(ctx, c, d)
		return err
	}); err != nil {
		return there, h.lookUpError(err, wait)
	}
	d.Unfinished = ""
	switch {
	case found != nil && !found.Unfinished:
		return *found, nil
	case wait > 0:
		return there, uncertainError{wait}
	case found != nil:
		d.Unfinished = found.Remote
	}
	if err := failpoint.At(ctx, failpoint.OrderNotFound); err != nil {
		return there, err
	}
	if err := h.recordAsked(ctx, d.Unfinished); err != nil {
		return there, err
	}
	if err := failpoint.At(ctx, failpoint.OrderAsked); err != nil {
		return there, err
	}
	d.Asked = h.of.Told.Asked
	err = h.callPlatform(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		there, err = h.writer.WriteOrder(ctx, c, d)
		return err
	})
	return there, err
}

// lookUpError returns the error of a failed look-up. After an attempt without a response, a refused look-up does not mean that the
// order was refused. While the platform may still process that attempt (wait), the look-up is repeated.
func (h *claimedOrder) lookUpError(err error, wait time.Duration) error {
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) && !h.of.Told.Asked.IsZero() {
		if wait > 0 {
			return uncertainError{wait}
		}
		return &ports.PlatformRefusal{Reason: "It may already be there, but it cannot be looked up: " + refusal.Reason}
	}
	return err
}

// uncertainFor returns how long the platform may still process the last request.
func (h *claimedOrder) uncertainFor() time.Duration {
	return h.of.Unsure(h.writer.RepeatAfter(), h.Clock.Now())
}

// recordAsked records that a request which must not be processed twice is about to be sent. It fails without a valid lease.
func (h *claimedOrder) recordAsked(ctx context.Context, unfinished string) error {
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Ask(unfinished, h.Clock.Now())
		h.renewLease(w)
		return nil
	})
}

// recordWritten records that the order is at the platform.
// It alerts the merchant if the order's total differs there.
func (h *claimedOrder) recordWritten(ctx context.Context, there ports.WrittenOrder) error {
	record := func(c *order.Case, w *order.PlatformOrder) error {
		w.Written(there.Remote, there.Name, there.URL, h.counted(c.Taken, there.Counted), h.Clock.Now())
		h.renewLease(w)
		return nil
	}
	if there.WrongTotal == "" {
		return h.change(ctx, record)
	}
	return h.inTx(ctx, func(s ports.SyncStores) (func(), error) {
		committed, err := h.changeIn(ctx, s.Platform, record)
		if err != nil {
			return nil, err
		}
		return committed, h.alert(ctx, s, "is "+there.Name+" at the shop, with the total "+there.WrongTotal+". Correct it there.")
	})
}

// counted returns the takes of stock that the platform has reduced, too.
func (h *claimedOrder) counted(takes []catalog.Reservation, items []string) (list []catalog.Reservation) {
	if !h.integration.Config.Syncs(syncrun.Inventory) {
		return nil // our stock does not follow the platform's
	}
	for _, t := range takes {
		at := slices.IndexFunc(h.lines, func(l line) bool { return l.variant == t.Variant })
		if t.Location == "" {
			continue // the variant is always available here, so no stock was reserved
		}
		if at >= 0 && h.lines[at].item != "" && slices.Contains(items, h.lines[at].item) {
			list = append(list, t)
		}
	}
	return list
}

// skip ends the writing of an order that was canceled, unless it was created and the response was lost. A request that is still
// running at the platform may create the order after the look-up, and that order would not be canceled there. So skip waits for
// the end of the request, even if the platform recognizes repeated requests.
func (h *claimedOrder) skip(ctx ports.Outbound, reason string) error {
	d, wait := h.draft(), h.of.Unsure(max(h.writer.RepeatAfter(), patience), h.Clock.Now())
	var found *ports.WrittenOrder
	err := h.callPlatform(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		found, err = h.writer.FindOrder(ctx, c, d)
		return err
	})
	switch {
	case err != nil:
		return h.lookUpError(err, wait)
	case found != nil && !found.Unfinished:
		return h.recordWritten(ctx, *found)
	case wait > 0:
		return uncertainError{wait}
	case found != nil:
		return h.recordWritten(ctx, *found)
	}
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Skip(reason, h.Clock.Now())
		return nil
	})
}

// soldOut applies the integration's policy for an order that the platform has no stock for: it refuses the order, or cancels it
// in the transaction that records the refusal. A background job refunds the payment.
func (h *claimedOrder) soldOut(ctx context.Context, reason string) error {
	if h.integration.Config.Refused != integration.RefundRefused {
		return h.refuse(ctx, reason)
	}
	refund, announce := id.New[id.Refund](h.Entropy.IDBits()), id.New[id.Event](h.Entropy.IDBits())
	canceled := false
	err := h.inTx(ctx, func(s ports.SyncStores) (committed func(), err error) {
		now := h.Clock.Now()
		_, err = s.Orders.Change(ctx, h.of.Project, h.of.Order, func(c *order.Case) error {
			return c.Cancel(refund, h.integration.Type.Label()+" has too little stock.", announce, now)
		})
		if canceled = err == nil; !canceled {
			return nil, err
		}
		return h.refuseIn(ctx, s, reason+" The order was canceled and refunded.")
	})
	switch {
	case !canceled && fault.KindOf(err) == fault.Conflict: // it was shipped, or canceled meanwhile
		return h.refuse(ctx, reason)
	case err == nil:
		h.reindexStock(ctx)
	}
	return err
}

// inTx runs work in one transaction, and calls committed after the commit.
func (h *claimedOrder) inTx(ctx context.Context, work func(ports.SyncStores) (committed func(), err error)) error {
	var committed func()
	err := h.Unit.InTx(ctx, h.of.Project, func(s ports.SyncStores) (err error) {
		if committed, err = work(s); err != nil {
			return err
		}
		return failpoint.At(ctx, failpoint.OrderFollowed)
	})
	if err == nil {
		committed()
	}
	return err
}

// reindexStock reports that the stock of the order's products has changed.
func (h *claimedOrder) reindexStock(ctx context.Context) {
	products := make([]id.Product, len(h.c.Order.Lines))
	for n, l := range h.c.Order.Lines {
		products[n] = l.Product
	}
	h.Changed(ctx, h.of.Project, products)
}

// refuse records that the platform refuses the order or a change of it, and alerts the merchant.
func (h *claimedOrder) refuse(ctx context.Context, reason string) error {
	return h.inTx(ctx, func(s ports.SyncStores) (func(), error) { return h.refuseIn(ctx, s, reason) })
}

func (h *claimedOrder) refuseIn(ctx context.Context, s ports.SyncStores, reason string) (committed func(), err error) {
	committed, err = h.changeIn(ctx, s.Platform, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Refuse(reason, h.Clock.Now())
		return nil
	})
	if err == nil {
		err = h.alert(ctx, s, "is not up to date at "+h.integration.Type.Label()+": "+reason)
	}
	return committed, err
}

// alert emits an integration error about the order.
func (h *claimedOrder) alert(ctx context.Context, s ports.SyncStores, what string) error {
	return s.Events.Announce(ctx, event.New(h.Entropy.IDBits(), h.of.Project, h.Clock.Now(), event.IntegrationError{
		Integration: h.of.Integration,
		Platform:    h.integration.Type.String(),
		Name:        h.integration.Name,
		Error:       "Order " + h.c.Order.Confirmation + " " + what,
	}))
}

// sendChange sends a change of the order to the platform.
func (h *claimedOrder) sendChange(ctx ports.Outbound, step order.PlatformStep) error {
	d, restocked := h.draft(), false
	if r, is := step.(order.RefundStep); is && !r.Recorded && h.writer.RepeatAfter() > 0 {
		if wait := h.uncertainFor(); wait > 0 {
			return uncertainError{wait}
		}
		if err := h.recordAsked(ctx, ""); err != nil {
			return err
		}
	}
	err := h.callPlatform(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		if r, is := step.(order.RefundStep); is && r.Recorded {
			restocked = true // assumed; settle corrects our stock by the platform's
			return nil
		}
		restocked, err = h.writer.UpdateOrder(ctx, c, h.of.Remote, d, step)
		return err
	})
	if err == nil {
		err = failpoint.At(ctx, failpoint.OrderUpdated)
	}
	if err != nil {
		return err
	}
	var put []catalog.Reservation
	if restocked {
		put = h.counted(restockedBy(step), d.Items)
	}
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Did(step, put, h.Clock.Now())
		h.renewLease(w)
		return nil
	})
}

// restockedBy returns the stock that a step put back here.
func restockedBy(step order.PlatformStep) []catalog.Reservation {
	switch s := step.(type) {
	case order.CancelStep:
		return s.Restocked
	case order.RefundStep:
		return s.Restocked
	}
	return nil
}
