package syncing

import (
	"cmp"
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// count is a platform's figure of a level on its way into the stock.
type count struct {
	*item
	place    ports.StockPlace
	quantity int
	counted  int // how much of the platform's figure is in our stock then
	moved    bool
}

// takeLevels moves stock as the platform's has moved. A level that is new is set to the platform's figure;
// every other, in full runs too, keeps what was sold here, of which the platform does not know.
func (b *batch) takeLevels(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Inventory, true)
	if err != nil || len(items) == 0 {
		return err
	}
	counts, err := b.place(ctx, items)
	if err != nil || len(counts) == 0 {
		return err
	}
	places := make([]ports.StockPlace, len(counts))
	for i, c := range counts {
		places[i] = c.place
	}
	levels, err := b.StockRoom.Levels(ctx, b.Project.ID, places)
	if err != nil {
		return err
	}
	there := make(map[ports.StockPlace]catalog.Shelf, len(levels))
	for _, l := range levels {
		there[ports.StockPlace{SKU: l.SKU, Location: l.Location}] = l
	}
	if err := b.shift(ctx, counts, there); err != nil {
		return err
	}
	return b.keepLevels(ctx, counts, there)
}

// place finds out where each level is: by what the platform calls its variant's stock, or else by the sku, of
// which a platform may have several, while here each variant has its own.
func (b *batch) place(ctx context.Context, items []*item) (counts []*count, err error) {
	var names []string
	for _, one := range items {
		if l := one.record.Level; l != nil && l.Item != "" {
			names = append(names, l.Item)
		}
	}
	known, err := b.known(ctx, syncrun.Items, names)
	if err != nil {
		return nil, err
	}
	var gone []*syncrun.Copy
	for _, one := range items {
		l := one.record.Level
		if l == nil { // nobody knows where it was, and the stock stays
			b.outcomes[one.at].Verdict = syncrun.Unchanged
			one.after.Take(one.record, nil, syncrun.Prints{}, b.now)
			gone = append(gone, one.after)
			continue
		}
		sku := l.SKU
		if c := known[l.Item]; c != nil && c.SKU != "" {
			sku = c.SKU
		}
		c := &count{
			item:     one,
			place:    ports.StockPlace{SKU: sku, Location: cmp.Or(l.Location, project.DefaultLocation)},
			quantity: l.Quantity,
		}
		if one.record.Deleted {
			c.quantity = 0
		}
		if b.acceptable(c) {
			counts = append(counts, c)
		}
	}
	return counts, b.save(ctx, gone)
}

func (b *batch) acceptable(c *count) bool {
	switch {
	case c.place.SKU == "":
		b.outcomes[c.at] = syncrun.Outcome{Verdict: syncrun.Unknown, Reason: plain("No product here is what the platform calls item " + c.record.Level.Item + ".")}
	case !project.LocationForm.MatchString(c.place.Location):
		b.fail(c.at, "The location must be lower-case letters, digits, hyphens and underscores.")
	case c.quantity > catalog.MaxStock || c.quantity < -catalog.MaxStock:
		b.fail(c.at, "The quantity must be at most 1,000,000,000.")
	default:
		return true
	}
	return false
}

// shift moves the stock, each place once. Of several levels of one place, each sees the place as the one
// before has left it.
func (b *batch) shift(ctx context.Context, counts []*count, there map[ports.StockPlace]catalog.Shelf) error {
	var shifts []ports.StockShift
	at := map[ports.StockPlace]int{}
	for _, c := range counts {
		shelf, known := there[c.place]
		if !known {
			b.outcomes[c.at] = syncrun.Outcome{Verdict: syncrun.Unknown, Reason: plain("No product here has the sku " + c.place.SKU + ".")}
			continue
		}
		delta := max(c.quantity, 0) - shelf.Count()
		c.counted = max(c.quantity, 0)
		if c.before != nil && c.before.Local == shelf.Variant.String() {
			delta = c.before.Shift(c.quantity)
			c.counted = c.before.Quantity + shelf.Shift(delta).Count() - shelf.Count()
		}
		if delta == 0 {
			continue
		}
		c.moved = true
		there[c.place] = shelf.Shift(delta)
		if n, again := at[c.place]; again {
			shifts[n].Delta += delta
			continue
		}
		at[c.place] = len(shifts)
		shifts = append(shifts, ports.StockShift{
			SKU:      c.place.SKU,
			Location: c.place.Location,
			Delta:    delta,
		})
	}
	if len(shifts) == 0 {
		return nil
	}
	_, err := b.StockRoom.Shift(ctx, b.Project.ID, shifts) // the levels have told what is unknown
	return err
}

func (b *batch) keepLevels(ctx context.Context, counts []*count, there map[ports.StockPlace]catalog.Shelf) error {
	var copies []*syncrun.Copy
	for _, c := range counts {
		if b.outcomes[c.at].Verdict != (syncrun.Verdict{}) {
			continue
		}
		level := there[c.place]
		verdict := syncrun.Unchanged
		switch {
		case c.before == nil:
			verdict = syncrun.Created
		case c.moved:
			verdict = syncrun.Updated
		}
		b.outcomes[c.at].Verdict = verdict
		if c.moved {
			b.changed = append(b.changed, level.Product)
		}
		news := c.before == nil || c.before.News(c.record) || c.record.At.After(c.before.At) || c.before.Quantity != c.counted
		c.after.Take(c.record, nil, syncrun.Prints{}, b.now)
		c.after.Quantity, c.after.SKU, c.after.Local = c.counted, level.SKU, level.Variant.String()
		if news {
			copies = append(copies, c.after)
		}
	}
	return b.save(ctx, copies)
}
