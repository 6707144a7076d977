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

// Products is the store's view of products, one by one.
type Products struct {
	store  *db.DB
	trails *trails
}

var _ ports.Products = Products{}

// NewProducts returns a view that keeps products. The view remembers where lists were left: keep it.
func NewProducts(s *db.DB) Products { return Products{s, &trails{}} }

const (
	SelectProducts = `
SELECT id, project_id, sku, name, category, price, currency, cost, competitor_price, negotiable,
  details, status, created_at, updated_at
FROM products`

	// SelectVariants is completed by which products' variants.
	SelectVariants = `
SELECT id, product_id, sku, size, color, price
FROM variants
WHERE project_id = $1
  AND product_id IN `

	ByPosition = `
ORDER BY product_id, position`

	oneProduct = `
WHERE project_id = $1
  AND id = $2
  AND deleted_at IS NULL`
)

func missingProduct() *fault.Error { return fault.Missing("product") }

func (p Products) Create(ctx context.Context, w ports.ProductWrite) error {
	return p.store.InTx(ctx, w.Product.Project, func(t *db.Tx) error {
		catalogue, err := openCatalogue(ctx, t, w.Product.Project)
		if err != nil {
			return err
		}
		return catalogue.save(ctx, w, footprint{})
	})
}

func (p Products) Get(ctx context.Context, project id.Project, product id.Product) (*catalog.Product, error) {
	var rows []ProductRow
	var variants []VariantRow
	b := p.store.Read(project)
	b.Query(&rows, SelectProducts+oneProduct, project.String(), product.String())
	b.Query(&variants, SelectVariants+"($2)"+ByPosition, project.String(), product.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return Only(FromProductRows(rows, variants))
}

func Only(products []*catalog.Product, err error) (*catalog.Product, error) {
	if err != nil {
		return nil, err
	}
	if len(products) == 0 {
		return nil, missingProduct()
	}
	return products[0], nil
}

func (p Products) Update(ctx context.Context, project id.Project, product id.Product,
	change func(*catalog.Product) (ports.ProductWrite, error)) (*catalog.Product, error) {
	var changed *catalog.Product
	err := p.store.InTx(ctx, project, func(t *db.Tx) error {
		catalogue, err := openCatalogue(ctx, t, project)
		if err != nil {
			return err
		}
		stored, err := Only(catalogue.products(ctx, oneProduct, product.String()))
		if err != nil {
			return err
		}
		before := footprintOf(stored)
		w, err := change(stored)
		if err != nil {
			return err
		}
		changed = w.Product
		return catalogue.save(ctx, w, before)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// Delete leaves a tombstone for those who read changes. Variants and their stock go.
func (p Products) Delete(ctx context.Context, project id.Project, product id.Product, now time.Time) error {
	return p.store.InTx(ctx, project, func(t *db.Tx) error {
		catalogue, err := openCatalogue(ctx, t, project)
		if err != nil {
			return err
		}
		buried, err := t.Exec(ctx, `
UPDATE products
SET deleted_at = $3, updated_at = $3, changed_version = $4
WHERE project_id = $1
  AND id = $2
  AND deleted_at IS NULL`, project.String(), product.String(), db.Millis(now), catalogue.version)
		if err != nil {
			return err
		}
		if buried == 0 {
			return missingProduct()
		}
		if err := catalogue.count(ctx, -1); err != nil {
			return err
		}
		_, err = t.Exec(ctx, `
DELETE FROM variants
WHERE project_id = $1
  AND product_id = $2`, project.String(), product.String())
		return err
	})
}
