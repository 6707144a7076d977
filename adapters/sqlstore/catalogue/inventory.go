package catalogue

import (
	"context"
	"fmt"
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Inventory stores stock.
type Inventory struct {
	Store  *db.DB
	places *places
}

var _ ports.Inventory = Inventory{}

// NewInventory returns a view that stores stock. Reuse the view, because it caches the places of lists.
func NewInventory(s *db.DB) Inventory { return Inventory{s, &places{}} }

const (
	countLevels = `
SELECT count(*) AS n
FROM stock
WHERE project_id = $1`

	// selectTotals is completed by the variants. It reads stock only by its key, because for a join with variants or
	// products PostgreSQL may read the whole catalogue for a few rows.
	selectTotals = `
SELECT variant_id, SUM(quantity) AS quantity
FROM stock
WHERE project_id = $1
  AND variant_id IN %s
GROUP BY variant_id`

	insertMoves = `
INSERT INTO stock_moves (project_id, variant_id, location, delta, reason, created_at)
VALUES `
)

// Levels goes on from the part that was read before, if the list has not changed since. Only writes of the catalogue
// drop levels or rename skus, and each raises its version; other writes only add levels. So the version and the number
// of levels identify a list.
func (i Inventory) Levels(ctx context.Context, project id.Project, sku string, page ports.Page) ([]catalog.Shelf, int, error) {
	if sku != "" {
		p, err := i.levels(ctx, project, sku, page, nil)
		return p.rows, p.total, err
	}
	read := func(from *beginning) (part[catalog.Shelf], error) { return i.levels(ctx, project, "", page, from) }
	last := func(s catalog.Shelf) []any { return []any{s.SKU, s.Location} }
	return readPart(i.places, place{project: project, offset: page.Offset}, read, last)
}

// levels reads a part of the list and the list's state in one transaction.
func (i Inventory) levels(ctx context.Context, project id.Project, sku string, page ports.Page, from *beginning) (l part[catalog.Shelf], err error) {
	args := db.Args{project}
	count, where := countLevels, ""
	if sku != "" {
		where = "\n  AND variants.sku = " + args.Add(sku)
		count = "SELECT count(*) AS n" + stockOfVariants + where
	}
	var taken []takenRow
	b := i.Store.Read(project)
	b.Query(&l.state.version, selectVersion, project)
	b.Query(&l.total, count, args...)
	if from != nil && from.after != nil {
		at, last := args.Add(from.after[0]), args.Add(from.after[1])
		where = `
  AND variants.sku >= ` + at + `
  AND (variants.sku > ` + at + ` OR stock.location > ` + last + `)`
		page.Offset = 0
	}
	b.Query(&l.rows, selectShelves+where+`
ORDER BY variants.sku, stock.location`+args.Page(page), args...)
	b.Query(&taken, selectTakenInFlight, project)
	err = b.Run(ctx)
	l.state.rows = int64(l.total)
	hold(l.rows, taken)
	return l, err
}

func (i Inventory) LevelsOf(ctx context.Context, project id.Project, products []id.Product) ([]catalog.Level, error) {
	query, args := ofProducts(selectLevels, project, products)
	return db.All[catalog.Level](ctx, i.Store.Read(project), query, args...)
}

func (i Inventory) TotalsOf(ctx context.Context, project id.Project, variants []id.Variant) (map[id.Variant]int, error) {
	args := db.Args{project}
	list, err := i.Store.Dialect.In(&args, db.Strings(variants))
	if err != nil {
		return nil, err
	}
	type total struct {
		Variant  id.Variant
		Quantity int
	}
	rows, err := db.All[total](ctx, i.Store.Read(project), fmt.Sprintf(selectTotals, list), args...)
	totals := make(map[id.Variant]int, len(rows))
	for _, r := range rows {
		totals[r.Variant] = r.Quantity
	}
	return totals, err
}

func (i Inventory) ShelvesOf(ctx context.Context, project id.Project, products []id.Product) (shelves []catalog.Shelf, err error) {
	var taken []takenRow
	query, args := ofProducts(selectShelves, project, products)
	b := i.Store.Read(project)
	b.Query(&shelves, query, args...)
	b.Query(&taken, selectTakenInFlight, project)
	err = b.Run(ctx)
	hold(shelves, taken)
	return shelves, err
}

// selectUnlisted is completed by the products. Stock held by payment attempts is not counted, because it is recorded by
// variant, and these variants are not read one by one.
var selectUnlisted = `
SELECT variants.product_id, count(DISTINCT variants.id) AS variants, CAST(COALESCE(SUM(stock.quantity), 0) AS BIGINT) AS quantity
FROM variants
LEFT JOIN stock ON stock.project_id = variants.project_id AND stock.variant_id = variants.id
WHERE variants.project_id = $1
  AND variants.position >= ` + strconv.Itoa(catalog.MostListed) + `
  AND variants.product_id IN %s
GROUP BY variants.product_id`

func (i Inventory) ListedOf(ctx context.Context, project id.Project, products []id.Product) (
	shelves []catalog.Shelf, rest map[id.Product]ports.Unlisted, err error,
) {
	type row struct {
		Product id.Product
		ports.Unlisted
	}
	var taken []takenRow
	var rows []row
	args := db.Args{project}
	list := args.List(db.Strings(products))
	b := i.Store.Read(project)
	b.Query(&shelves, selectShelves+"\n  AND variants.product_id IN "+list+onlyListed+byVariant, args...)
	b.Query(&taken, selectTakenInFlight, project)
	b.Query(&rows, fmt.Sprintf(selectUnlisted, list), args...)
	err = b.Run(ctx)
	hold(shelves, taken)
	rest = make(map[id.Product]ports.Unlisted, len(rows))
	for _, r := range rows {
		rest[r.Product] = r.Unlisted
	}
	return shelves, rest, err
}

func ofProducts(selection string, project id.Project, products []id.Product) (string, db.Args) {
	args := db.Args{project}
	return selection + "\n  AND variants.product_id IN " + args.List(db.Strings(products)) + byVariant, args
}

func (i Inventory) Set(ctx context.Context, project id.Project, levels []ports.StockSet) ([]catalog.Shelf, error) {
	places := make([]ports.StockPlace, len(levels))
	for n, l := range levels {
		places[n] = ports.StockPlace{SKU: l.SKU, Location: l.Location}
	}
	return db.InTx(ctx, i.Store, project, func(t *db.Tx) ([]catalog.Shelf, error) {
		shelves, err := openShelves(ctx, t, project, places, "levels")
		if err != nil {
			return nil, err
		}
		if _, err := shelves.count(ctx); err != nil {
			return nil, err
		}
		var written []catalog.Shelf
		for n, l := range levels {
			written = append(written, shelves.put(places[n], shelves.levels[places[n]].Recount(l.Quantity)))
		}
		return written, shelves.store(ctx)
	})
}

func (i Inventory) Adjust(ctx context.Context, project id.Project, moves []ports.StockMove) ([]catalog.Shelf, error) {
	places := make([]ports.StockPlace, len(moves))
	for n, m := range moves {
		places[n] = ports.StockPlace{SKU: m.SKU, Location: m.Location}
	}
	return db.InTx(ctx, i.Store, project, func(t *db.Tx) ([]catalog.Shelf, error) {
		shelves, err := openShelves(ctx, t, project, places, "adjustments")
		if err != nil {
			return nil, err
		}
		now, err := shelves.count(ctx)
		if err != nil {
			return nil, err
		}
		written, err := shelves.move(moves, places)
		if err != nil {
			return nil, err
		}
		if err := shelves.store(ctx); err != nil {
			return nil, err
		}
		return written, shelves.note(ctx, moves, now)
	})
}
