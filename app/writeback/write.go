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

// line is a line of an order with what the platform calls its variant's stock; "": it is none of the platform's.
type line struct {
	variant id.Variant
	item    string
	sku     string // of the stock that the item is counted by here
}

// linesOf finds out which of the order's goods are the platform's.
func (h *writing) linesOf(ctx context.Context) ([]line, error) {
	var variants []string
	for _, l := range h.c.Order.Lines {
		variants = append(variants, l.Variant.String())
	}
	slices.Sort(variants)
	known, err := h.Copies.Of(ctx, ports.CopiesOf{
		Project:     h.of.Project,
		Integration: h.of.Integration,
		Resource:    syncrun.Items,
	},
		slices.Compact(variants))
	if err != nil {
		return nil, err
	}
	copies := make(map[string]*syncrun.Copy, len(known))
	for _, c := range known {
		copies[c.Local] = c
	}
	lines := make([]line, len(h.c.Order.Lines))
	for n, l := range h.c.Order.Lines {
		lines[n].variant = l.Variant
		if c := copies[l.Variant.String()]; c != nil {
			lines[n].item, lines[n].sku = c.Remote, c.SKU
		}
	}
	return lines, nil
}

func (h *writing) draft() ports.OrderDraft {
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
func (h *writing) write(ctx ports.Outbound) error {
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
	if err := h.wrote(ctx, there); err != nil {
		return err
	}
	h.Log.InfoContext(ctx, "an order is written to its platform", "order", h.of.Order.String(), "platform", h.integration.Type.String(), "remote", there.Remote)
	return failpoint.At(ctx, failpoint.OrderRecorded)
}

// create finds the order at the platform, or creates it there. The attempt is recorded first: if its
// answer is lost, the next one waits until the platform cannot create it any more, and looks for it again.
func (h *writing) create(ctx ports.Outbound, d ports.OrderDraft) (there ports.WrittenOrder, err error) {
	wait := h.unsure() // the look-up after which it is created begins when that is over
	var found *ports.WrittenOrder
	if err := h.asking(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		found, err = h.writer.FindOrder(ctx, c, d)
		return err
	}); err != nil {
		return there, h.unknown(err, wait)
	}
	d.Unfinished = ""
	switch {
	case found != nil && !found.Unfinished:
		return *found, nil
	case wait > 0:
		return there, unsure{wait}
	case found != nil:
		d.Unfinished = found.Remote
	}
	if err := failpoint.At(ctx, failpoint.OrderNotFound); err != nil {
		return there, err
	}
	if err := h.ask(ctx, d.Unfinished); err != nil {
		return there, err
	}
	if err := failpoint.At(ctx, failpoint.OrderAsked); err != nil {
		return there, err
	}
	d.Asked = h.of.Told.Asked
	err = h.asking(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		there, err = h.writer.WriteOrder(ctx, c, d)
		return err
	})
	return there, err
}

// unknown returns the error of a look-up. After an attempt without an answer, a refused look-up does not mean that the order was
// refused. While the platform may still carry that attempt out (wait), it is repeated.
func (h *writing) unknown(err error, wait time.Duration) error {
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) && !h.of.Told.Asked.IsZero() {
		if wait > 0 {
			return unsure{wait}
		}
		return &ports.PlatformRefusal{Reason: "It may be there already, but it cannot be looked up: " + refusal.Reason}
	}
	return err
}

// unsure is how long the platform may still do what it was asked for last.
func (h *writing) unsure() time.Duration { return h.of.Unsure(h.writer.RepeatAfter(), h.Clock.Now()) }

// ask records that the platform is about to be asked for something that it must not do twice. Only who has the order in hand
// gets that far.
func (h *writing) ask(ctx context.Context, unfinished string) error {
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Ask(unfinished, h.Clock.Now())
		h.keep(w)
		return nil
	})
}

// wrote records that the order is at the platform.
// If its total is another there, the merchant is alerted.
func (h *writing) wrote(ctx context.Context, there ports.WrittenOrder) error {
	record := func(c *order.Case, w *order.PlatformOrder) error {
		w.Written(there.Remote, there.Name, there.URL, h.counted(c.Taken, there.Counted), h.Clock.Now())
		h.keep(w)
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

// counted are the takes of which the platform counts the stock too.
func (h *writing) counted(takes []catalog.Take, items []string) (list []catalog.Take) {
	if !h.integration.Config.Syncs(syncrun.Inventory) {
		return nil // our stock does not follow the platform's
	}
	for _, t := range takes {
		at := slices.IndexFunc(h.lines, func(l line) bool { return l.variant == t.Variant })
		if t.Location == "" {
			continue // the variant was always available here: nothing was taken
		}
		if at >= 0 && h.lines[at].item != "" && slices.Contains(items, h.lines[at].item) {
			list = append(list, t)
		}
	}
	return list
}

// skip ends the writing of an order that was canceled, unless it was created and the answer was lost. A request that is still
// running at the platform may create the order after the look-up, and nobody would cancel it there, so skip waits for its end even
// where the platform recognizes repeated requests.
func (h *writing) skip(ctx ports.Outbound, reason string) error {
	d, wait := h.draft(), h.of.Unsure(max(h.writer.RepeatAfter(), patience), h.Clock.Now())
	var found *ports.WrittenOrder
	err := h.asking(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		found, err = h.writer.FindOrder(ctx, c, d)
		return err
	})
	switch {
	case err != nil:
		return h.unknown(err, wait)
	case found != nil && !found.Unfinished:
		return h.wrote(ctx, *found)
	case wait > 0:
		return unsure{wait}
	case found != nil:
		return h.wrote(ctx, *found)
	}
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Skip(reason, h.Clock.Now())
		return nil
	})
}

// soldOut follows the integration's policy for an order that the platform has no stock for. The order is canceled in the
// transaction that records the refusal; the background gives its payment back.
func (h *writing) soldOut(ctx context.Context, reason string) error {
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
		return h.refuseIn(ctx, s, reason+" The order was canceled, and its payment is given back.")
	})
	switch {
	case !canceled && fault.KindOf(err) == fault.Conflict: // it was shipped, or canceled meanwhile
		return h.refuse(ctx, reason)
	case err == nil:
		h.restocked(ctx)
	}
	return err
}

// inTx does work in one transaction with what it calls once that is committed.
func (h *writing) inTx(ctx context.Context, work func(ports.SyncStores) (committed func(), err error)) error {
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

// restocked has the catalogue read the stock of the order's products again.
func (h *writing) restocked(ctx context.Context) {
	products := make([]id.Product, len(h.c.Order.Lines))
	for n, l := range h.c.Order.Lines {
		products[n] = l.Product
	}
	h.Changed(ctx, h.of.Project, products)
}

// refuse records that the platform does not take the order, or the news of it, and alerts the merchant.
func (h *writing) refuse(ctx context.Context, reason string) error {
	return h.inTx(ctx, func(s ports.SyncStores) (func(), error) { return h.refuseIn(ctx, s, reason) })
}

func (h *writing) refuseIn(ctx context.Context, s ports.SyncStores, reason string) (committed func(), err error) {
	committed, err = h.changeIn(ctx, s.Platform, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Refuse(reason, h.Clock.Now())
		return nil
	})
	if err == nil {
		err = h.alert(ctx, s, "is not up to date at "+h.integration.Type.Label()+": "+reason)
	}
	return committed, err
}

// alert announces what is wrong with the order at its platform.
func (h *writing) alert(ctx context.Context, s ports.SyncStores, what string) error {
	return s.Events.Announce(ctx, event.New(h.Entropy.IDBits(), h.of.Project, h.Clock.Now(), event.IntegrationError{
		Integration: h.of.Integration,
		Platform:    h.integration.Type.String(),
		Name:        h.integration.Name,
		Error:       "Order " + h.c.Order.Confirmation + " " + what,
	}))
}

// tell tells the platform of what happened to the order.
func (h *writing) tell(ctx ports.Outbound, step order.PlatformStep) error {
	d, restocked := h.draft(), false
	if r, is := step.(order.RefundStep); is && !r.Recorded && h.writer.RepeatAfter() > 0 {
		if wait := h.unsure(); wait > 0 {
			return unsure{wait}
		}
		if err := h.ask(ctx, ""); err != nil {
			return err
		}
	}
	err := h.asking(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		if r, is := step.(order.RefundStep); is && r.Recorded {
			restocked = true // or not: our stock follows the platform's
			return nil
		}
		restocked, err = h.writer.TellOrder(ctx, c, h.of.Remote, d, step)
		return err
	})
	if err == nil {
		err = failpoint.At(ctx, failpoint.OrderTold)
	}
	if err != nil {
		return err
	}
	var put []catalog.Take
	if restocked {
		put = h.counted(putBack(step), d.Items)
	}
	return h.change(ctx, func(_ *order.Case, w *order.PlatformOrder) error {
		w.Did(step, put, h.Clock.Now())
		h.keep(w)
		return nil
	})
}

// putBack is what a step put back into our stock.
func putBack(step order.PlatformStep) []catalog.Take {
	switch s := step.(type) {
	case order.CancelStep:
		return s.Restocked
	case order.RefundStep:
		return s.Restocked
	}
	return nil
}
