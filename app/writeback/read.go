package writeback

import (
	"context"
	"errors"
	"strings"

	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// read reads the order from the platform, and cancels it here if it is canceled there. Only the platform's response counts, not the
// webhook or the sync that reported a change, so a replayed, old or forged webhook has no effect.
func (h *claimedOrder) read(ctx ports.Outbound) error {
	changes := h.of.Told.Changes // a change reported during the call is read later
	var there order.PlatformState
	err := h.callPlatform(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		there, err = h.writer.ReadOrder(ctx, c, h.of.Remote, h.c.Order.Total.Currency())
		return err
	})
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) {
		return h.unreadable(ctx, refusal.Reason, changes)
	}
	if err == nil {
		err = failpoint.At(ctx, failpoint.OrderRead)
	}
	if err != nil {
		return err
	}
	return h.follow(ctx, there, changes)
}

// unreadable records that the platform refuses to return the order, and alerts the merchant the first time. Changes made here are
// still sent to the platform.
func (h *claimedOrder) unreadable(ctx context.Context, reason string, changes int) error {
	return h.inTx(ctx, func(s ports.SyncStores) (committed func(), err error) {
		alert := false
		committed, err = h.changeIn(ctx, s.Platform, func(_ *order.Case, w *order.PlatformOrder) error {
			alert = w.Unreadable(changes, h.Clock.Now())
			h.renewLease(w)
			return nil
		})
		if err == nil && alert {
			err = h.alert(ctx, s, "was not read: "+reason)
		}
		return committed, err
	})
}

// follow applies the order's state at the platform, and records that in the same transaction.
func (h *claimedOrder) follow(ctx context.Context, there order.PlatformState, changes int) error {
	items, announce := h.draft().Items, id.New[id.Event](h.Entropy.IDBits())
	reading := order.Reading{
		State:   there,
		Changes: changes,
		Label:   h.integration.Type.Label(),
		Stocked: func(takes []catalog.Reservation) []catalog.Reservation { return h.counted(takes, items) },
	}
	after, do := h.c, order.Consequences{}
	err := h.inTx(ctx, func(s ports.SyncStores) (committed func(), err error) {
		now := h.Clock.Now()
		if committed, err = h.changeIn(ctx, s.Platform, func(c *order.Case, w *order.PlatformOrder) error {
			after, do = c, w.Read(c, reading, now)
			h.renewLease(w)
			return nil
		}); err != nil {
			return nil, err
		}
		if do.Cancel {
			if after, err = s.Orders.Change(ctx, h.of.Project, h.of.Order, func(c *order.Case) error {
				return do.Apply(c, reading.Label, announce, now)
			}); err != nil {
				return nil, err
			}
		}
		if len(do.Alerts) == 0 {
			return committed, nil
		}
		return committed, h.alert(ctx, s, "was changed at "+reading.Label+". "+strings.Join(do.Alerts, " "))
	})
	if err != nil {
		return err
	}
	if h.c = after; do.Cancel {
		h.reindexStock(ctx)
	}
	return nil
}
