package sqlstore

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Catalog is the store's view of catalogues as a whole.
type Catalog struct {
	store  *Store
	counts *categoryCounts
}

var (
	_ ports.CatalogReader = Catalog{}
	_ ports.BulkProducts  = Catalog{}
)

// Catalog reads and writes many products at once. The view remembers the last count of some projects'
// categories: keep it.
func (s *Store) Catalog() Catalog { return Catalog{s, &categoryCounts{}} }

func (c Catalog) Upsert(ctx context.Context, project id.Project, skus []string,
	change func(known map[string]*catalog.Product) []ports.ProductWrite) (failed map[int]error, err error) {
	err = c.store.inTx(ctx, project, func(t *tx) error {
		catalogue, err := openCatalogue(ctx, t, project)
		if err != nil {
			return err
		}
		known, err := catalogue.bySKU(ctx, skus)
		if err != nil {
			return err
		}
		before := make(map[id.Product]footprint, len(known))
		for _, p := range known {
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

// bySKU loads the products that have one of the skus as their own.
func (c *catalogue) bySKU(ctx context.Context, skus []string) (map[string]*catalog.Product, error) {
	known := make(map[string]*catalog.Product, len(skus))
	for some := range slices.Chunk(skus, listed) {
		args := arguments{c.project.String()}
		list, err := c.t.among(&args, some)
		if err != nil {
			return nil, err
		}
		products, err := c.products(ctx, `
WHERE project_id = $1
  AND deleted_at IS NULL
  AND sku IN `+list, args[1:]...)
		if err != nil {
			return nil, err
		}
		for _, p := range products {
			known[p.SKU] = p
		}
	}
	return known, nil
}
