package sqlstore

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// StockRoom is the store's view of stock as platforms move it.
type StockRoom struct{ store *Store }

var _ ports.StockRoom = StockRoom{}

// StockRoom moves stock as platforms tell.
func (s *Store) StockRoom() StockRoom { return StockRoom{s} }

// stockOf is what lies anywhere of variants; nothing may.
const stockOf = `
SELECT variants.product_id, variants.id AS variant_id, variants.sku,
  coalesce(stock.location, '') AS location, coalesce(stock.quantity, 0) AS quantity
FROM variants
LEFT JOIN stock ON stock.project_id = variants.project_id AND stock.variant_id = variants.id
WHERE variants.project_id = $1
  AND variants.sku IN `

func (v StockRoom) Levels(ctx context.Context, project id.Project, places []ports.StockPlace) ([]catalog.Level, error) {
	if len(places) == 0 {
		return nil, nil
	}
	skus := make([]string, len(places))
	for i, p := range places {
		skus[i] = p.SKU
	}
	slices.Sort(skus)
	chunks := slices.Collect(slices.Chunk(slices.Compact(skus), listed))
	rows := make([][]levelRow, len(chunks))
	b := v.store.reading(project)
	for i, some := range chunks {
		args := arguments{project.String()}
		list, err := v.store.dialect.among(&args, some)
		if err != nil {
			return nil, err
		}
		b.query(&rows[i], stockOf+list, args...)
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return levelsAt(places, fromLevelRows(slices.Concat(rows...))), nil
}

// levelsAt are the places' levels, each once. lying has every variant that there is at least once.
func levelsAt(places []ports.StockPlace, lying []catalog.Level) (levels []catalog.Level) {
	variants := make(map[string]catalog.Level, len(lying))
	at := make(map[ports.StockPlace]int, len(lying))
	for _, l := range lying {
		variants[l.SKU] = l
		at[ports.StockPlace{SKU: l.SKU, Location: l.Location}] = l.Quantity
	}
	told := make(map[ports.StockPlace]bool, len(places))
	for _, p := range places {
		if l, known := variants[p.SKU]; known && !told[p] {
			told[p] = true
			l.Location, l.Quantity = p.Location, at[p]
			levels = append(levels, l)
		}
	}
	return levels
}

// Shift keeps no reasons: stock_moves are those of people.
func (v StockRoom) Shift(ctx context.Context, project id.Project, shifts []ports.StockShift) (unknown []int, err error) {
	places := make([]place, len(shifts))
	for i, s := range shifts {
		places[i] = place{s.SKU, s.Location}
	}
	err = v.store.inTx(ctx, project, func(t *tx) error {
		var shelves *shelves
		if shelves, unknown, err = findShelves(ctx, t, project, places); err != nil || len(shelves.levels) == 0 {
			return err
		}
		if err := shelves.count(ctx); err != nil {
			return err
		}
		for i, p := range places {
			if level, known := shelves.levels[p]; known {
				shelves.levels[p] = min(max(level+shifts[i].Delta, 0), catalog.MaxStock)
			}
		}
		return shelves.store(ctx)
	})
	if err != nil {
		return nil, err
	}
	return unknown, nil
}
