package writeback

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// errNewerLevels means that the platform has reported newer stock levels than those that were read.
var errNewerLevels = ports.Throttled{After: time.Second}

// settle makes our stock follow the platform's again. Our stock was reduced when the order was placed, and the
// platform's when the order was written. The platform's levels, as read now, include the order. One transaction puts back here
// what the sale reserved, and imports the levels. So it does not matter whether the platform had reported them before.
func (h *claimedOrder) settle(ctx ports.Outbound) error {
	p, err := h.Projects.ByProject(ctx, h.of.Project)
	if err != nil {
		return err
	}
	moved, asked := h.of.Moved, h.Clock.Now()
	var levels []syncrun.Record
	if err := h.callPlatform(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		levels, err = h.writer.ReadLevels(ctx, c, h.itemsOf(moved))
		return err
	}); err != nil {
		var refusal *ports.PlatformRefusal
		if !errors.As(err, &refusal) {
			return err
		}
		levels = nil // the platform does not show its stock, so ours does not follow it
	}
	return h.balance(ctx, p, moved, levels, asked)
}

// balance puts back what the sale reserved, and imports the platform's levels.
func (h *claimedOrder) balance(ctx context.Context, p *project.Project, moved []catalog.Reservation, levels []syncrun.Record, asked time.Time) error {
	var imported ports.ImportResult
	var committed func()
	err := h.Unit.InTx(ctx, h.of.Project, func(s ports.SyncStores) (err error) {
		if committed, err = h.changeIn(ctx, s.Platform, func(_ *order.Case, w *order.PlatformOrder) error {
			w.Settled(h.Clock.Now())
			h.renewLease(w)
			return nil
		}); err != nil || len(levels) == 0 {
			return err
		}
		if _, err := s.Integrations.Update(ctx, h.of.Project, h.of.Integration, func(*integration.Integration) error { return nil }); err != nil {
			return err // the update locks the integration, so that no sync stores levels before the commit
		}
		if outdated, err := h.outdated(ctx, s, levels, asked); err != nil {
			return err
		} else if outdated {
			return errNewerLevels
		}
		// Increases come before the import of the levels, and decreases after it, so that stock does not go below zero in
		// between, where a decrease would be lost when the last pieces are sold.
		back, off := splitShifts(h.shifts(moved, levels))
		if len(back) > 0 {
			if _, err := s.StockAdjuster.Shift(ctx, h.of.Project, back); err != nil {
				return err
			}
		}
		imported, err = h.Importer.Import(ctx, s, ports.ImportScope{
			Project:     p,
			Integration: h.of.Integration,
			Full:        true,
		}, levels)
		if err == nil && len(off) > 0 {
			_, err = s.StockAdjuster.Shift(ctx, h.of.Project, off)
		}
		return err
	})
	if err != nil {
		return err
	}
	committed()
	if len(imported.Products) > 0 {
		h.Changed(ctx, h.of.Project, imported.Products)
	}
	return nil
}

// itemsOf returns the platform's items whose stock was moved.
func (h *claimedOrder) itemsOf(moved []catalog.Reservation) (items []string) {
	for _, l := range h.lines {
		if l.item != "" && slices.ContainsFunc(moved, func(m catalog.Reservation) bool { return m.Variant == l.variant }) && !slices.Contains(items, l.item) {
			items = append(items, l.item)
		}
	}
	return items
}

// outdated reports whether a level was imported after the platform was asked, which may be newer than the ones that were read.
// The times of the levels do not decide that alone, because Shopify's have a resolution of a second.
func (h *claimedOrder) outdated(ctx context.Context, s ports.SyncStores, levels []syncrun.Record, asked time.Time) (bool, error) {
	at := make(map[string]syncrun.Record, len(levels))
	remotes := make([]string, len(levels))
	for n, r := range levels {
		at[r.Remote], remotes[n] = r, r.Remote
	}
	known, err := s.ExternalRecords.Find(ctx, ports.RecordSet{
		Project:     h.of.Project,
		Integration: h.of.Integration,
		Resource:    syncrun.Inventory,
	}, remotes)
	return slices.ContainsFunc(known, func(c *syncrun.ExternalRecord) bool {
		return c.Late(at[c.Remote]) || !c.UpdatedAt.Before(asked.Truncate(time.Millisecond))
	}), err
}

// shifts returns the changes of our stock that undo moved, for items that have a level at the platform.
func (h *claimedOrder) shifts(moved []catalog.Reservation, levels []syncrun.Record) (list []ports.StockShift) {
	for _, m := range moved {
		at := slices.IndexFunc(h.lines, func(l line) bool { return l.variant == m.Variant })
		if at < 0 || h.lines[at].sku == "" || !slices.ContainsFunc(levels, h.lines[at].has) {
			continue
		}
		list = append(list, ports.StockShift{
			SKU:      h.lines[at].sku,
			Location: m.Location,
			Delta:    m.Quantity,
		})
	}
	return list
}

// splitShifts separates increases from decreases.
func splitShifts(shifts []ports.StockShift) (back, off []ports.StockShift) {
	for _, s := range shifts {
		if s.Delta < 0 {
			off = append(off, s)
			continue
		}
		back = append(back, s)
	}
	return back, off
}

// has reports whether a level is for the line's item.
func (l line) has(r syncrun.Record) bool { return r.Level != nil && r.Level.Item == l.item }
