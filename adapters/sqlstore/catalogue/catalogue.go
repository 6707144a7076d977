// Package catalogue stores products, their variants and stock, and synonyms. It does not search for buyers, because
// package search has an index of its own. Package purchase reserves stock.
package catalogue

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// catalogue is a project's catalogue in a transaction that writes it. It locks the project's row at the start, so that
// writes come one after the other: their versions are in commit order, and what it reads, such as the skus in use,
// stays valid until the transaction ends.
type catalogue struct {
	t        *db.Tx
	project  id.Project
	version  int64
	currency string
	stored   int // products
	most     int // products
	full     error
}

// write runs work in a transaction that writes a project's catalogue.
func write[T any](ctx context.Context, s *db.DB, project id.Project, work func(*catalogue) (T, error)) (T, error) {
	return db.InTx(ctx, s, project, func(t *db.Tx) (made T, err error) {
		c, err := openCatalogue(ctx, t, project)
		if err != nil {
			return made, err
		}
		return work(c)
	})
}

func openCatalogue(ctx context.Context, t *db.Tx, project id.Project) (*catalogue, error) {
	t.Wrote(project)
	type row struct {
		CatalogVersion int64
		Currency       string
		Products       int
		Plan           string
	}
	r, err := db.One[row](ctx, t, "project", `
UPDATE projects
SET catalog_version = catalog_version + 1
WHERE id = $1`+db.ActiveOnly+`
RETURNING catalog_version, currency, products, `+db.PlanOfProject+` AS plan`, project)
	if err != nil {
		return nil, err
	}
	plan, limits, err := t.Dialect.Limits(r.Plan)
	return &catalogue{
		t:        t,
		project:  project,
		version:  r.CatalogVersion,
		currency: r.Currency,
		stored:   r.Products,
		most:     limits.Products,
		full:     plan.Full(limits.Products, "products", "a project"),
	}, err
}

// count adds to the number of the catalogue's products.
func (c *catalogue) count(ctx context.Context, more int) error {
	if more == 0 {
		return nil
	}
	_, err := c.t.Exec(ctx, `
UPDATE projects
SET products = products + $2
WHERE id = $1`, c.project, more)
	return err
}

// products loads products by a condition, whose $1 is the project.
func (c *catalogue) products(ctx context.Context, where string, args ...any) ([]*catalog.Product, error) {
	args = append([]any{c.project}, args...)
	rows, err := db.All[ProductRow](ctx, c.t, SelectProducts+where, args...)
	if err != nil {
		return nil, err
	}
	variants, err := db.All[VariantRow](ctx, c.t, SelectVariants+idsOf(where)+ByPosition, args...)
	return FromProductRows(rows, variants), err
}

// idsOf selects the ids of products by a condition, once: without statistics, PostgreSQL would read the products of the
// project again for each variant.
func idsOf(where string) string {
	return "(WITH wanted AS MATERIALIZED (SELECT id FROM products" + where + ") SELECT id FROM wanted)"
}

// footprint is the skus, variants and places of a stored product.
type footprint struct {
	skus     []string
	variants []catalog.Variant
}

func footprintOf(p *catalog.Product) footprint {
	f := footprint{skus: []string{p.SKU}, variants: slices.Clone(p.Variants)}
	for _, v := range p.Variants {
		f.skus = append(f.skus, v.SKU)
	}
	return f
}

// has reports whether a variant is stored unchanged at its position.
func (f footprint) has(position int, v catalog.Variant) bool {
	if position >= len(f.variants) {
		return false
	}
	old := f.variants[position]
	samePrice := old.Price == v.Price || old.Price != nil && v.Price != nil && *old.Price == *v.Price
	return samePrice && old.ID == v.ID && old.SKU == v.SKU && old.Size == v.Size && old.Color == v.Color &&
		old.GTIN == v.GTIN && old.MPN == v.MPN && old.InventoryPolicy == v.InventoryPolicy && old.Digital == v.Digital
}

// save stores one product. before is the footprint it had; zero if it is new.
func (c *catalogue) save(ctx context.Context, w ports.ProductWrite, before footprint) error {
	failed, err := c.saveAll(ctx, []ports.ProductWrite{w}, map[id.Product]footprint{w.Product.ID: before})
	if err != nil {
		return err
	}
	return failed[0]
}

// saveAll stores products in the order given, and replaces known ones. It returns the faults of those that cannot be
// stored, by their index.
func (c *catalogue) saveAll(ctx context.Context, writes []ports.ProductWrite, before map[id.Product]footprint) (failed map[int]error, err error) {
	taken, err := c.owners(ctx, writes, before)
	if err != nil {
		return nil, err
	}
	failed = make(map[int]error)
	added := 0
	next := newBulkUpsert(c)
	for i, w := range writes {
		product := w.Product.ID
		if next.holds(product) || next.full() {
			if err := next.send(ctx); err != nil {
				return nil, err
			}
			next = newBulkUpsert(c)
		}
		fresh := len(before[product].skus) == 0
		if fresh && c.stored+added >= c.most {
			failed[i] = c.full
			continue
		}
		if err := c.admit(taken, w.Product); err != nil {
			failed[i] = err
			continue
		}
		if err := next.add(w, before[product]); err != nil {
			failed[i] = err
			continue
		}
		if fresh {
			added++
		}
		after := footprintOf(w.Product)
		taken.move(product, before[product], after)
		before[product] = after
	}
	if err := next.send(ctx); err != nil {
		return nil, err
	}
	c.stored += added
	return failed, c.count(ctx, added)
}

// owners maps a sku, of a product or a variant, to its product.
type owners map[string]id.Product

// owners returns the owners of the skus that the writes want. before has those of products that are read already.
func (c *catalogue) owners(ctx context.Context, writes []ports.ProductWrite, before map[id.Product]footprint) (owners, error) {
	taken := make(owners)
	for product, had := range before {
		taken.move(product, footprint{}, had)
	}
	var wanted []string
	for _, w := range writes {
		for _, sku := range footprintOf(w.Product).skus {
			if _, known := taken[sku]; !known {
				wanted = append(wanted, sku)
			}
		}
	}
	slices.Sort(wanted)
	for some := range slices.Chunk(slices.Compact(wanted), db.Listed) {
		args := db.Args{c.project}
		list, err := c.t.Dialect.In(&args, some)
		if err != nil {
			return nil, err
		}
		type row struct {
			SKU   string
			Owner id.Product `db:"owner"`
		}
		rows, err := db.All[row](ctx, c.t, `
SELECT sku, id AS owner
FROM products
WHERE project_id = $1
  AND deleted_at IS NULL
  AND sku IN `+list+`
UNION ALL
SELECT sku, product_id
FROM variants
WHERE project_id = $1
  AND sku IN `+list, args...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			taken[r.SKU] = r.Owner
		}
	}
	return taken, nil
}

// admit returns why a product cannot be stored, or nil.
func (c *catalogue) admit(taken owners, p *catalog.Product) error {
	if p.Price.Currency().Code() != c.currency {
		return fault.New(fault.Conflict, "currency_changed", "The project's currency has changed.").
			With("price", "is not in the project's currency")
	}
	for _, sku := range footprintOf(p).skus {
		if owner, ok := taken[sku]; ok && owner != p.ID {
			return db.SkuTaken()
		}
	}
	return nil
}

// move updates the owners after a product is stored.
func (o owners) move(product id.Product, before, after footprint) {
	for _, sku := range before.skus {
		delete(o, sku)
	}
	for _, sku := range after.skus {
		o[sku] = product
	}
}
