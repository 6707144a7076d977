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

// errOverTaken means that the platform has reported newer figures than those that were read.
var errOverTaken = ports.Throttled{After: time.Second}

// settle makes our stock follow the platform's again. For the order our stock was counted down when it was sold, and the
// platform's when it was written. Its figures, as they are read now, hold the order: what the sale took is put back here,
// and the figures are taken, in one transaction. So it does not matter whether the platform reported them before.
func (h *writing) settle(ctx ports.Outbound) error {
	p, err := h.Projects.ByProject(ctx, h.of.Project)
	if err != nil {
		return err
	}
	moved, asked := h.of.Moved, h.Clock.Now()
	var levels []syncrun.Record
	if err := h.asking(ctx, func(ctx ports.Outbound, c ports.Connection) (err error) {
		levels, err = h.writer.ReadLevels(ctx, c, h.itemsOf(moved))
		return err
	}); err != nil {
		var refusal *ports.PlatformRefusal
		if !errors.As(err, &refusal) {
			return err
		}
		levels = nil // it does not tell its stock, so ours does not follow it
	}
	return h.balance(ctx, p, moved, levels, asked)
}

// balance puts back here what the sale took, and takes the platform's figures.
func (h *writing) balance(ctx context.Context, p *project.Project, moved []catalog.Take, levels []syncrun.Record, asked time.Time) error {
	var taken ports.Taken
	var committed func()
	err := h.Unit.InTx(ctx, h.of.Project, func(s ports.SyncStores) (err error) {
		if committed, err = h.changeIn(ctx, s.Platform, func(_ *order.Case, w *order.PlatformOrder) error {
			w.Settled(h.Clock.Now())
			h.keep(w)
			return nil
		}); err != nil || len(levels) == 0 {
			return err
		}
		if _, err := s.Integrations.Update(ctx, h.of.Project, h.of.Integration, func(*integration.Integration) error { return nil }); err != nil {
			return err // the update locks the integration, so no sync stores levels before the commit
		}
		if late, err := h.late(ctx, s, levels, asked); err != nil || late {
			return errors.Join(err, when(late, errOverTaken))
		}
		// What is put back comes before the figures, and what is taken after them: stock does not go below zero in between, and
		// nothing is lost there when the last pieces are sold.
		back, off := apart(h.shifts(moved, levels))
		if len(back) > 0 {
			if _, err := s.StockRoom.Shift(ctx, h.of.Project, back); err != nil {
				return err
			}
		}
		taken, err = h.Taker.Take(ctx, s, ports.Taking{
			Project:     p,
			Integration: h.of.Integration,
			Full:        true,
		}, levels)
		if err == nil && len(off) > 0 {
			_, err = s.StockRoom.Shift(ctx, h.of.Project, off)
		}
		return err
	})
	if err != nil {
		return err
	}
	committed()
	if len(taken.Products) > 0 {
		h.Changed(ctx, h.of.Project, taken.Products)
	}
	return nil
}

func when(is bool, err error) error {
	if is {
		return err
	}
	return nil
}

// itemsOf are the items whose stock was moved.
func (h *writing) itemsOf(moved []catalog.Take) (items []string) {
	for _, l := range h.lines {
		if l.item != "" && slices.ContainsFunc(moved, func(m catalog.Take) bool { return m.Variant == l.variant }) && !slices.Contains(items, l.item) {
			items = append(items, l.item)
		}
	}
	return items
}

// late reports whether figures of a level were taken since the platform was asked, which may be newer. Their own times do not
// tell, for Shopify's are to the second.
func (h *writing) late(ctx context.Context, s ports.SyncStores, levels []syncrun.Record, asked time.Time) (bool, error) {
	at := make(map[string]syncrun.Record, len(levels))
	remotes := make([]string, len(levels))
	for n, r := range levels {
		at[r.Remote], remotes[n] = r, r.Remote
	}
	known, err := s.Copies.Find(ctx, ports.CopiesOf{
		Project:     h.of.Project,
		Integration: h.of.Integration,
		Resource:    syncrun.Inventory,
	}, remotes)
	return slices.ContainsFunc(known, func(c *syncrun.Copy) bool {
		return c.Late(at[c.Remote]) || !c.UpdatedAt.Before(asked.Truncate(time.Millisecond))
	}), err
}

// shifts put back here what the sale took, and take what was put back, as far as the platform counts it: it has a level.
func (h *writing) shifts(moved []catalog.Take, levels []syncrun.Record) (list []ports.StockShift) {
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

// apart are the shifts that put back, and those that take off.
func apart(shifts []ports.StockShift) (back, off []ports.StockShift) {
	for _, s := range shifts {
		if s.Delta < 0 {
			off = append(off, s)
			continue
		}
		back = append(back, s)
	}
	return back, off
}

// has reports whether a level is of the line's item.
func (l line) has(r syncrun.Record) bool { return r.Level != nil && r.Level.Item == l.item }
