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

// read asks the platform for the order, and cancels it here if it is canceled there. Only the platform's answer counts, not the
// webhook or the sync that reported a change: so a replayed, an old or a forged webhook changes nothing.
func (h *writing) read(ctx ports.Outbound) error {
	changes := h.of.Told.Changes // one that is reported while the platform is asked is read later
	var there order.PlatformState
	err := h.asking(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
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

// unreadable records that the platform refuses to show the order, and alerts the merchant the first time. What happens to the
// order here is still told to the platform.
func (h *writing) unreadable(ctx context.Context, reason string, changes int) error {
	return h.inTx(ctx, func(s ports.SyncStores) (committed func(), err error) {
		alert := false
		committed, err = h.changeIn(ctx, s.Platform, func(_ *order.Case, w *order.PlatformOrder) error {
			alert = w.Unreadable(changes, h.Clock.Now())
			h.keep(w)
			return nil
		})
		if err == nil && alert {
			err = h.alert(ctx, s, "was not read: "+reason)
		}
		return committed, err
	})
}

// follow applies the platform's answer, and records in the same transaction that it is applied.
func (h *writing) follow(ctx context.Context, there order.PlatformState, changes int) error {
	items, announce := h.draft().Items, id.New[id.Event](h.Entropy.IDBits())
	reading := order.Reading{
		State:   there,
		Changes: changes,
		Label:   h.integration.Type.Label(),
		Stocked: func(takes []catalog.Take) []catalog.Take { return h.counted(takes, items) },
	}
	after, do := h.c, order.Consequences{}
	err := h.inTx(ctx, func(s ports.SyncStores) (committed func(), err error) {
		now := h.Clock.Now()
		if committed, err = h.changeIn(ctx, s.Platform, func(c *order.Case, w *order.PlatformOrder) error {
			after, do = c, w.Read(c, reading, now)
			h.keep(w)
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
		h.restocked(ctx)
	}
	return nil
}
