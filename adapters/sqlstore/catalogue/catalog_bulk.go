package catalogue

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Catalog reads and writes catalogues as a whole.
type Catalog struct{ Store *db.DB }

var (
	_ ports.CatalogReader = Catalog{}
	_ ports.BulkProducts  = Catalog{}
)

func (c Catalog) Upsert(ctx context.Context, project id.Project, keys ports.ProductKeys,
	change func(ports.KnownProducts) []ports.ProductWrite) (failed map[int]error, err error) {
	return write(ctx, c.Store, project, func(c *catalogue) (map[int]error, error) {
		known, err := c.known(ctx, keys)
		if err != nil {
			return nil, err
		}
		before := make(map[id.Product]footprint, len(known.ByID))
		for _, p := range known.ByID {
			before[p.ID] = footprintOf(p)
		}
		return c.saveAll(ctx, change(known), before)
	})
}

// known loads the products that have one of the keys. One that has two of them is one product.
func (c *catalogue) known(ctx context.Context, keys ports.ProductKeys) (ports.KnownProducts, error) {
	known := ports.KnownProducts{
		BySKU: make(map[string]*catalog.Product, len(keys.SKUs)+len(keys.IDs)),
		ByID:  make(map[id.Product]*catalog.Product, len(keys.SKUs)+len(keys.IDs)),
	}
	if err := c.load(ctx, known, "sku", keys.SKUs); err != nil {
		return known, err
	}
	missing := slices.DeleteFunc(slices.Clone(keys.IDs), func(p id.Product) bool { return known.ByID[p] != nil })
	return known, c.load(ctx, known, "id", db.Strings(missing))
}

// load adds the products with one of the values in a column.
func (c *catalogue) load(ctx context.Context, known ports.KnownProducts, column string, values []string) error {
	for some := range slices.Chunk(values, db.Listed) {
		args := db.Args{c.project}
		list, err := c.t.Dialect.In(&args, some)
		if err != nil {
			return err
		}
		products, err := c.products(ctx, `
WHERE project_id = $1
  AND deleted_at IS NULL
  AND `+column+` IN `+list, args[1:]...)
		if err != nil {
			return err
		}
		for _, p := range products {
			known.BySKU[p.SKU], known.ByID[p.ID] = p, p
		}
	}
	return nil
}
