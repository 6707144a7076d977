package catalogue

import (
	"context"
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// StockAdjuster adjusts stock as platforms report it.
type StockAdjuster struct{ Store *db.DB }

var _ ports.StockAdjuster = StockAdjuster{}

// stockOf reads the levels of variants, which may have none, and the stock held by attempts in flight. It is one
// statement, because within a unit each statement sees what was committed before it, and an attempt that begins between
// two would count twice.
const stockOf = `
SELECT variants.product_id, variants.id AS variant_id, variants.sku,
  coalesce(stock.location, '') AS location, coalesce(stock.quantity, 0) AS quantity,
  coalesce(stock.oversold, 0) AS oversold, variants.inventory_policy AS policy, variants.digital,
  '[]' AS taken
FROM variants
LEFT JOIN stock ON stock.project_id = variants.project_id AND stock.variant_id = variants.id
WHERE variants.project_id = $1
  AND variants.sku IN %s
UNION ALL
SELECT '', '', '', '', 0, 0, 'tracked', FALSE, taken
FROM checkouts
WHERE project_id = $1
  AND status = 'processing'`

// stockOfRow is a level, or the stock held by an attempt in flight.
type stockOfRow struct {
	catalog.Shelf
	takenRow
}

func (v StockAdjuster) Levels(ctx context.Context, project id.Project, places []ports.StockPlace) ([]catalog.Shelf, error) {
	if len(places) == 0 {
		return nil, nil
	}
	skus := make([]string, len(places))
	for i, p := range places {
		skus[i] = p.SKU
	}
	slices.Sort(skus)
	chunks := slices.Collect(slices.Chunk(slices.Compact(skus), db.Listed))
	rows := make([][]stockOfRow, len(chunks))
	b := v.Store.Read(project)
	for i, some := range chunks {
		args := db.Args{project}
		list, err := v.Store.Dialect.In(&args, some)
		if err != nil {
			return nil, err
		}
		b.Query(&rows[i], fmt.Sprintf(stockOf, list), args...)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	var lying []catalog.Shelf
	for _, some := range rows {
		var shelves []catalog.Shelf
		var taken []takenRow
		for _, r := range some {
			if r.Variant.IsZero() {
				taken = append(taken, r.takenRow)
			} else {
				shelves = append(shelves, r.Shelf)
			}
		}
		hold(shelves, taken)
		lying = append(lying, shelves...)
	}
	return shelvesAt(places, lying), nil
}

// shelvesAt returns the places' levels, each once. lying has every existing variant at least once.
func shelvesAt(places []ports.StockPlace, lying []catalog.Shelf) (shelves []catalog.Shelf) {
	variants := make(map[string]catalog.Level, len(lying))
	at := make(map[ports.StockPlace]catalog.Shelf, len(lying))
	for _, s := range lying {
		variants[s.SKU] = s.Level
		at[ports.StockPlace{SKU: s.SKU, Location: s.Location}] = s
	}
	listed := make(map[ports.StockPlace]bool, len(places))
	for _, p := range places {
		if l, known := variants[p.SKU]; known && !listed[p] {
			listed[p] = true
			shelf := at[p]
			shelf.Product, shelf.Variant, shelf.SKU, shelf.Location = l.Product, l.Variant, p.SKU, p.Location
			shelf.Policy = l.Policy
			shelves = append(shelves, shelf)
		}
	}
	return shelves
}

// Shift stores no reasons, because stock_moves are adjustments by people.
func (v StockAdjuster) Shift(ctx context.Context, project id.Project, shifts []ports.StockShift) (unknown []int, err error) {
	places := make([]ports.StockPlace, len(shifts))
	for i, s := range shifts {
		places[i] = ports.StockPlace{SKU: s.SKU, Location: s.Location}
	}
	return db.InTx(ctx, v.Store, project, func(t *db.Tx) ([]int, error) {
		shelves, unknown, err := findShelves(ctx, t, project, places)
		if err != nil || len(shelves.levels) == 0 {
			return unknown, err
		}
		if _, err := shelves.count(ctx); err != nil {
			return nil, err
		}
		for i, p := range places {
			if shelf, known := shelves.levels[p]; known {
				shelves.put(p, shelf.Shift(shifts[i].Delta))
			}
		}
		return unknown, shelves.store(ctx)
	})
}
