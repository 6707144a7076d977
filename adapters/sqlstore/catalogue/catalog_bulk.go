package catalogue

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Catalog is the store's view of catalogues as a whole.
type Catalog struct {
	store  *db.DB
	counts *categoryCounts
}

var (
	_ ports.CatalogReader = Catalog{}
	_ ports.BulkProducts  = Catalog{}
)

// NewCatalog returns a view that reads and writes many products at once. The view remembers the last count of some projects'
// categories: keep it.
func NewCatalog(s *db.DB) Catalog { return Catalog{s, &categoryCounts{}} }

func (c Catalog) Upsert(ctx context.Context, project id.Project, keys ports.ProductKeys,
	change func(ports.KnownProducts) []ports.ProductWrite) (failed map[int]error, err error) {
	err = c.store.InTx(ctx, project, func(t *db.Tx) error {
		catalogue, err := openCatalogue(ctx, t, project)
		if err != nil {
			return err
		}
		known, err := catalogue.known(ctx, keys)
		if err != nil {
			return err
		}
		before := make(map[id.Product]footprint, len(known.ByID))
		for _, p := range known.ByID {
			before[p.ID] = footprintOf(p)
		}
		failed, err = catalogue.saveAll(ctx, change(known), before)
		return err
	})
	if err != nil {
		return nil, err
	}
	return failed, nil
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

// load adds the products whose column has one of the values.
func (c *catalogue) load(ctx context.Context, known ports.KnownProducts, column string, values []string) error {
	for some := range slices.Chunk(values, db.Listed) {
		args := db.Args{c.project.String()}
		list, err := c.t.In(&args, some)
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
