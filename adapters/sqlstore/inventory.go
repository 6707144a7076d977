package sqlstore

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Inventory is the store's view of stock.
type Inventory struct{ store *Store }

var _ ports.Inventory = Inventory{}

// Inventory keeps stock.
func (s *Store) Inventory() Inventory { return Inventory{s} }

const (
	countLevels = `
SELECT count(*) AS n
FROM stock
JOIN variants ON variants.project_id = stock.project_id AND variants.id = stock.variant_id
WHERE stock.project_id = $1`

	insertMoves = `
INSERT INTO stock_moves (project_id, variant_id, location, delta, reason, created_at)
VALUES `
)

func (i Inventory) Levels(ctx context.Context, project id.Project, sku string, page ports.Page) ([]catalog.Level, int, error) {
	args := arguments{project.String()}
	where := ""
	if sku != "" {
		where = "\n  AND variants.sku = " + args.add(sku)
	}
	var total []countRow
	var rows []levelRow
	b := i.store.reading(project)
	b.query(&total, countLevels+where, args...)
	paged := where + `
ORDER BY variants.sku, stock.location
LIMIT ` + args.add(page.Limit) + ` OFFSET ` + args.add(page.Offset)
	b.query(&rows, selectLevels+paged, args...)
	if err := b.run(ctx); err != nil {
		return nil, 0, err
	}
	return fromLevelRows(rows), total[0].N, nil
}

func (i Inventory) LevelsOf(ctx context.Context, project id.Project, products []id.Product) ([]catalog.Level, error) {
	args := arguments{project.String()}
	var rows []levelRow
	b := i.store.reading(project)
	b.query(&rows, selectLevels+`
  AND variants.product_id IN `+args.list(texts(products))+byVariant, args...)
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return fromLevelRows(rows), nil
}

func (i Inventory) Set(ctx context.Context, project id.Project, levels []ports.StockSet) ([]catalog.Level, error) {
	places := make([]place, len(levels))
	for n, l := range levels {
		places[n] = place{l.SKU, l.Location}
	}
	var written []catalog.Level
	err := i.store.inTx(ctx, project, func(t *tx) error {
		shelves, err := openShelves(ctx, t, project, places, "levels")
		if err != nil {
			return err
		}
		written = written[:0]
		for n, l := range levels {
			written = append(written, shelves.put(places[n], l.Quantity))
		}
		return shelves.store(ctx)
	})
	return written, err
}

func (i Inventory) Adjust(ctx context.Context, project id.Project, moves []ports.StockMove) ([]catalog.Level, error) {
	places := make([]place, len(moves))
	for n, m := range moves {
		places[n] = place{m.SKU, m.Location}
	}
	now := time.Now()
	var written []catalog.Level
	err := i.store.inTx(ctx, project, func(t *tx) error {
		shelves, err := openShelves(ctx, t, project, places, "adjustments")
		if err != nil {
			return err
		}
		if err := shelves.count(ctx); err != nil {
			return err
		}
		if written, err = shelves.move(moves, places); err != nil {
			return err
		}
		if err := shelves.store(ctx); err != nil {
			return err
		}
		return shelves.note(ctx, moves, now)
	})
	return written, err
}
