package catalogue

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Products stores single products.
type Products struct {
	Store  *db.DB
	places *places
}

var _ ports.Products = Products{}

// NewProducts returns a view that stores products. Reuse the view, because it caches the places of lists.
func NewProducts(s *db.DB) Products { return Products{s, &places{}} }

const (
	ByPosition = `
ORDER BY product_id, position`

	oneProduct = `
WHERE project_id = $1
  AND id = $2
  AND deleted_at IS NULL`
)

func missingProduct() *fault.Error { return fault.Missing("product") }

func (p Products) Create(ctx context.Context, w ports.ProductWrite) error {
	_, err := write(ctx, p.Store, w.Product.Project, func(c *catalogue) (_ struct{}, err error) {
		return struct{}{}, c.save(ctx, w, footprint{})
	})
	return err
}

func (p Products) Get(ctx context.Context, project id.Project, product id.Product) (*catalog.Product, error) {
	var rows []ProductRow
	var variants []VariantRow
	b := p.Store.Read(project)
	b.Query(&rows, SelectProducts+oneProduct, project, product)
	b.Query(&variants, SelectVariants+"($2)"+ByPosition, project, product)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return Only(FromProductRows(rows, variants))
}

func (p Products) Update(ctx context.Context, project id.Project, product id.Product,
	change func(*catalog.Product) (ports.ProductWrite, error)) (*catalog.Product, error) {
	return write(ctx, p.Store, project, func(c *catalogue) (*catalog.Product, error) {
		found, err := c.products(ctx, oneProduct, product)
		if err != nil {
			return nil, err
		}
		known, err := Only(found)
		if err != nil {
			return nil, err
		}
		before := footprintOf(known)
		w, err := change(known)
		if err != nil {
			return nil, err
		}
		return w.Product, c.save(ctx, w, before)
	})
}

// Delete leaves a tombstone for readers of changes. Variants and their stock are deleted.
func (p Products) Delete(ctx context.Context, project id.Project, product id.Product, now time.Time) error {
	_, err := write(ctx, p.Store, project, func(c *catalogue) (buried int64, err error) {
		buried, err = c.t.Exec(ctx, `
UPDATE products
SET deleted_at = $3, updated_at = $3, changed_version = $4
WHERE project_id = $1
  AND id = $2
  AND deleted_at IS NULL`, project, product, now, c.version)
		if err == nil && buried == 0 {
			err = missingProduct()
		}
		if err != nil {
			return 0, err
		}
		if err := c.count(ctx, -1); err != nil {
			return 0, err
		}
		return c.t.Exec(ctx, `
DELETE FROM variants
WHERE project_id = $1
  AND product_id = $2`, project, product)
	})
	return err
}
