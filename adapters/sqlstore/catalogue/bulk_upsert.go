package catalogue

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

var (
	upsertProducts = `
INSERT INTO products (` + products.Columns() + `, folded, changed_version)
VALUES `
	replaceProducts = `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("sku", "name", "category", "folded", "price", "currency", "cost", "competitor_price", "negotiable", "details",
		"status", "changed_version", "updated_at")

	upsertVariants = `
INSERT INTO variants (` + variants.Columns() + `, project_id, position)
VALUES `
	replaceVariants = `
ON CONFLICT (project_id, id) DO UPDATE
SET ` + db.Excluded("sku", "position", "size", "color", "price", "gtin", "mpn", "inventory_policy", "digital")
)

const (
	upsertStock = `
INSERT INTO stock (project_id, variant_id, location, quantity, oversold)
VALUES `
	replaceStock = `
ON CONFLICT (project_id, variant_id, location) DO UPDATE
SET quantity = excluded.quantity, oversold = excluded.oversold
WHERE stock.quantity <> excluded.quantity
   OR stock.oversold <> excluded.oversold`
)

// bulkUpsert writes products, each of them once, in as few statements as possible.
type bulkUpsert struct {
	to       *catalogue
	aboard   map[id.Product]bool
	dropped  []string // variants
	products [][]any
	variants [][]any
	stock    []catalog.Stock
	shelves  [][]any // of variants that need one to be sold
	recount  bool    // some of the stock is of variants that attempts may hold pieces of
}

func newBulkUpsert(to *catalogue) *bulkUpsert {
	return &bulkUpsert{to: to, aboard: make(map[id.Product]bool)}
}

func (s *bulkUpsert) holds(product id.Product) bool { return s.aboard[product] }
func (s *bulkUpsert) full() bool                    { return len(s.products) >= s.to.t.Dialect.MaxRows }

// add adds a product. It fails if the product's text cannot be stored.
func (s *bulkUpsert) add(w ports.ProductWrite, before footprint) error {
	product, err := s.productValues(w.Product)
	if err != nil {
		return err
	}
	variants, err := s.variantValues(w.Product, before)
	if err != nil {
		return err
	}
	s.aboard[w.Product.ID] = true
	s.products = append(s.products, product)
	s.variants = append(s.variants, variants...)
	s.stock = append(s.stock, w.Stock...)
	s.recount = s.recount || len(w.Stock) > 0 && len(before.variants) > 0
	kept := make(map[id.Variant]bool, len(w.Product.Variants))
	for _, v := range w.Product.Variants {
		kept[v.ID] = true
	}
	for _, v := range before.variants {
		if !kept[v.ID] {
			s.dropped = append(s.dropped, v.ID.String())
		}
	}
	return nil
}

// variantValues returns the rows of the variants that have changed.
func (s *bulkUpsert) variantValues(p *catalog.Product, before footprint) ([][]any, error) {
	rows := make([][]any, 0, len(p.Variants))
	for i, v := range p.Variants {
		if before.has(i, v) {
			continue
		}
		row, err := db.Plain(variants.Args(VariantRow{p.ID, v, db.OptionalMinor(v.Price)}, s.to.project, i))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		if v.InventoryPolicy != catalog.Tracked {
			s.shelves = append(s.shelves, s.level(catalog.Stock{Variant: v.ID}, 0))
		}
	}
	return rows, nil
}

func (s *bulkUpsert) productValues(p *catalog.Product) ([]any, error) {
	row := toProductRow(p)
	row.Product.Project = s.to.project
	return db.Plain(products.Args(row, folded(p.Name+"\n"+p.SKU), s.to.version))
}

// send executes the statements. It deletes dropped variants first, because others may have their skus.
func (s *bulkUpsert) send(ctx context.Context) error {
	for some := range slices.Chunk(s.dropped, db.Listed) {
		args := db.Args{s.to.project}
		if _, err := s.to.t.Exec(ctx, `
DELETE FROM variants
WHERE project_id = $1
  AND id IN `+args.List(some), args...); err != nil {
			return err
		}
	}
	if err := s.to.t.Insert(ctx, upsertProducts, s.products, replaceProducts); err != nil {
		return err
	}
	if err := s.to.t.Insert(ctx, upsertVariants, s.variants, replaceVariants); err != nil {
		return err
	}
	if err := s.sendStock(ctx); err != nil {
		return err
	}
	return s.sendShelves(ctx)
}

// sendShelves creates levels for variants that are sold without stock, because a claim reads a variant's policy with
// its levels, and records oversold pieces there.
func (s *bulkUpsert) sendShelves(ctx context.Context) error {
	slices.SortFunc(s.shelves, func(a, b []any) int { return cmp.Compare(a[1].(id.Variant).String(), b[1].(id.Variant).String()) })
	return s.to.t.Insert(ctx, upsertStock, s.shelves, `
ON CONFLICT (project_id, variant_id, location) DO NOTHING`)
}

// sendStock writes the levels, in the order in which stock is locked everywhere, and then rewrites those that attempts
// hold pieces of, which is not known before they are locked.
func (s *bulkUpsert) sendStock(ctx context.Context) error {
	slices.SortStableFunc(s.stock, func(a, b catalog.Stock) int {
		return cmp.Compare(a.Variant.String(), b.Variant.String())
	})
	rows := make([][]any, len(s.stock))
	for i, l := range s.stock {
		rows[i] = s.level(l, 0)
	}
	if err := s.to.t.Insert(ctx, upsertStock, rows, replaceStock); err != nil || !s.recount {
		return err
	}
	held, err := held(ctx, s.to.t, s.to.project)
	if err != nil {
		return err
	}
	rows = rows[:0]
	for _, l := range s.stock {
		if n := held[stockKey{l.Variant, project.DefaultLocation}]; n > 0 {
			rows = append(rows, s.level(l, n))
		}
	}
	return s.to.t.Insert(ctx, upsertStock, rows, replaceStock)
}

// level returns the stock row for a counted quantity, some of which payment attempts hold.
func (s *bulkUpsert) level(l catalog.Stock, held int) []any {
	shelf := catalog.Shelf{Held: held}.Recount(l.Quantity)
	return []any{s.to.project, l.Variant, project.DefaultLocation, shelf.Quantity, shelf.Oversold}
}
