package catalogue

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Inventory is the store's view of stock.
type Inventory struct {
	store  *db.DB
	trails *trails
}

var _ ports.Inventory = Inventory{}

// NewInventory returns a view that keeps stock. The view remembers where lists were left: keep it.
func NewInventory(s *db.DB) Inventory { return Inventory{s, &trails{}} }

const (
	countLevels = `
SELECT count(*) AS n
FROM stock
WHERE project_id = $1`

	countLevelsOf = `
SELECT count(*) AS n
FROM stock
JOIN variants ON variants.project_id = stock.project_id AND variants.id = stock.variant_id
WHERE stock.project_id = $1`

	insertMoves = `
INSERT INTO stock_moves (project_id, variant_id, location, delta, reason, created_at)
VALUES `
)

// Levels goes on from the part that was read before, if the list is the same still. Only writes of the
// catalogue, each of which is a version, drop levels or rename skus; all others but add. So a version
// and a number of levels are one list.
func (i Inventory) Levels(ctx context.Context, project id.Project, sku string, page ports.Page) ([]catalog.Shelf, int, error) {
	if sku != "" {
		levels, of, err := i.levels(ctx, project, sku, page, mark{})
		return levels, int(of.rows), err
	}
	key := trailKey{project: project}
	known, from, _ := i.trails.find(key, page.Offset)
	levels, of, err := i.levels(ctx, project, "", page, from)
	if err == nil && from.offset > 0 && of != known.state {
		i.trails.forget(key, known.state)
		levels, of, err = i.levels(ctx, project, "", page, mark{})
	}
	if err != nil {
		return nil, 0, err
	}
	next := mark{}
	if n := len(levels); n > 0 {
		next = mark{page.Offset + n, [2]any{levels[n-1].SKU, levels[n-1].Location}}
	}
	i.trails.learn(key, of, int(of.rows), next)
	return levels, int(of.rows), nil
}

// levels reads a part of the list, beginning at a mark, and the list's state, in one reading.
func (i Inventory) levels(ctx context.Context, project id.Project, sku string, page ports.Page, from mark) ([]catalog.Shelf, state, error) {
	args := db.Args{project.String()}
	count, where := countLevels, ""
	if sku != "" {
		where = "\n  AND variants.sku = " + args.Add(sku)
		count = countLevelsOf + where
	}
	var of state
	var version []struct{ Version int64 }
	var total []db.CountRow
	var rows []LevelRow
	var taken []TakenRow
	b := i.store.Read(project)
	b.Query(&version, selectVersion, project.String())
	b.Query(&total, count, args...)
	if from.offset > 0 {
		at, last := args.Add(from.after[0]), args.Add(from.after[1])
		where = `
  AND variants.sku >= ` + at + `
  AND (variants.sku > ` + at + ` OR stock.location > ` + last + `)`
	}
	b.Query(&rows, selectLevels+where+`
ORDER BY variants.sku, stock.location
LIMIT `+args.Add(page.Limit)+` OFFSET `+args.Add(page.Offset-from.offset), args...)
	b.Query(&taken, selectTakenInFlight, project.String())
	if err := b.Run(ctx); err != nil {
		return nil, of, err
	}
	if of.rows = int64(total[0].N); len(version) > 0 {
		of.version = version[0].Version
	}
	return fromShelfRows(rows, heldBy(taken)), of, nil
}

func (i Inventory) LevelsOf(ctx context.Context, project id.Project, products []id.Product) ([]catalog.Level, error) {
	var rows []LevelRow
	b := i.store.Read(project)
	levelsOf(b, project, &rows, products)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return FromLevelRows(rows), nil
}

func (i Inventory) ShelvesOf(ctx context.Context, project id.Project, products []id.Product) ([]catalog.Shelf, error) {
	var rows []LevelRow
	var taken []TakenRow
	b := i.store.Read(project)
	levelsOf(b, project, &rows, products)
	b.Query(&taken, selectTakenInFlight, project.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return fromShelfRows(rows, heldBy(taken)), nil
}

func levelsOf(b *db.Batch, project id.Project, rows *[]LevelRow, products []id.Product) {
	args := db.Args{project.String()}
	b.Query(rows, selectLevels+`
  AND variants.product_id IN `+args.List(db.Strings(products))+byVariant, args...)
}

func (i Inventory) Set(ctx context.Context, project id.Project, levels []ports.StockSet) ([]catalog.Shelf, error) {
	places := make([]place, len(levels))
	for n, l := range levels {
		places[n] = place{l.SKU, l.Location}
	}
	var written []catalog.Shelf
	err := i.store.InTx(ctx, project, func(t *db.Tx) error {
		shelves, err := openShelves(ctx, t, project, places, "levels")
		if err != nil {
			return err
		}
		if _, err := shelves.count(ctx); err != nil {
			return err
		}
		written = written[:0]
		for n, l := range levels {
			written = append(written, shelves.put(places[n], shelves.levels[places[n]].Recount(l.Quantity)))
		}
		return shelves.store(ctx)
	})
	return written, err
}

func (i Inventory) Adjust(ctx context.Context, project id.Project, moves []ports.StockMove) ([]catalog.Shelf, error) {
	places := make([]place, len(moves))
	for n, m := range moves {
		places[n] = place{m.SKU, m.Location}
	}
	var written []catalog.Shelf
	err := i.store.InTx(ctx, project, func(t *db.Tx) error {
		shelves, err := openShelves(ctx, t, project, places, "adjustments")
		if err != nil {
			return err
		}
		now, err := shelves.count(ctx)
		if err != nil {
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
