package syncing

import (
	"cmp"
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// levelImport is a platform's stock level that is being imported.
type levelImport struct {
	*recordImport
	place    ports.StockPlace
	quantity int
	counted  int // how much of the platform's quantity our stock includes afterwards
	moved    bool
}

// importLevels changes stock by what changed at the platform. A new level is set to the platform's quantity. All others, also
// in full runs, keep what was sold here, because the platform does not know about it.
func (b *batch) importLevels(ctx context.Context) error {
	items, err := b.open(ctx, syncrun.Inventory, true)
	if err != nil || len(items) == 0 {
		return err
	}
	imports, err := b.locate(ctx, items)
	if err != nil || len(imports) == 0 {
		return err
	}
	places := make([]ports.StockPlace, len(imports))
	for i, c := range imports {
		places[i] = c.place
	}
	levels, err := b.StockAdjuster.Levels(ctx, b.Project.ID, places)
	if err != nil {
		return err
	}
	shelves := make(map[ports.StockPlace]catalog.Shelf, len(levels))
	for _, l := range levels {
		shelves[ports.StockPlace{SKU: l.SKU, Location: l.Location}] = l
	}
	if err := b.shift(ctx, imports, shelves); err != nil {
		return err
	}
	return b.saveLevels(ctx, imports, shelves)
}

// locate finds the variant and location of each level, by the platform's id of the stock item or else by SKU. Several items of
// a platform may share a SKU, but here each variant has its own.
func (b *batch) locate(ctx context.Context, items []*recordImport) (imports []*levelImport, err error) {
	var names []string
	for _, one := range items {
		if l := one.record.Level; l != nil && l.Item != "" {
			names = append(names, l.Item)
		}
	}
	known, err := b.findRecords(ctx, syncrun.Items, names)
	if err != nil {
		return nil, err
	}
	var gone []*syncrun.ExternalRecord
	for _, one := range items {
		l := one.record.Level
		if l == nil { // the location is unknown, so the stock stays
			b.outcomes[one.at].Verdict = syncrun.Unchanged
			one.after.Take(one.record, nil, syncrun.Fingerprints{}, b.now)
			gone = append(gone, one.after)
			continue
		}
		sku := l.SKU
		if c := known[l.Item]; c != nil && c.SKU != "" {
			sku = c.SKU
		}
		c := &levelImport{
			recordImport: one,
			place:        ports.StockPlace{SKU: sku, Location: cmp.Or(l.Location, project.DefaultLocation)},
			quantity:     l.Quantity,
		}
		if one.record.Deleted {
			c.quantity = 0
		}
		if b.acceptable(c) {
			imports = append(imports, c)
		}
	}
	return imports, b.save(ctx, gone)
}

func (b *batch) acceptable(c *levelImport) bool {
	switch {
	case c.place.SKU == "":
		b.outcomes[c.at] = syncrun.Outcome{Verdict: syncrun.Unknown, Reason: sanitize("No product here matches the platform's item " + c.record.Level.Item + ".")}
	case !project.LocationForm.MatchString(c.place.Location):
		b.fail(c.at, "The location must be lower-case letters, digits, hyphens and underscores.")
	case c.quantity > catalog.MaxStock || c.quantity < -catalog.MaxStock:
		b.fail(c.at, "The quantity must be at most 1,000,000,000.")
	default:
		return true
	}
	return false
}

// shift changes the stock, once for each place. If a page has several levels of one place, each starts from the result of the
// one before.
func (b *batch) shift(ctx context.Context, imports []*levelImport, shelves map[ports.StockPlace]catalog.Shelf) error {
	var shifts []ports.StockShift
	at := map[ports.StockPlace]int{}
	for _, c := range imports {
		shelf, known := shelves[c.place]
		if !known {
			b.outcomes[c.at] = syncrun.Outcome{Verdict: syncrun.Unknown, Reason: sanitize("No product here has the sku " + c.place.SKU + ".")}
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
		shelves[c.place] = shelf.Shift(delta)
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
	_, err := b.StockAdjuster.Shift(ctx, b.Project.ID, shifts) // Levels has already found the unknown places
	return err
}

func (b *batch) saveLevels(ctx context.Context, imports []*levelImport, shelves map[ports.StockPlace]catalog.Shelf) error {
	var toSave []*syncrun.ExternalRecord
	for _, c := range imports {
		if b.outcomes[c.at].Verdict != (syncrun.Verdict{}) {
			continue
		}
		level := shelves[c.place]
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
		c.after.Take(c.record, nil, syncrun.Fingerprints{}, b.now)
		c.after.Quantity, c.after.SKU, c.after.Local = c.counted, level.SKU, level.Variant.String()
		if news {
			toSave = append(toSave, c.after)
		}
	}
	return b.save(ctx, toSave)
}
