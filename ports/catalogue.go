package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

// ProductFilter narrows a merchant's list. Empty fields narrow nothing.
type ProductFilter struct {
	Text     string // in name or sku, case-insensitive
	Category string // a path; products below it too
	Status   string
}

// ProductWrite is a product to store, with its new stock at the default location.
type ProductWrite struct {
	Product *catalog.Product
	Stock   []catalog.Stock
}

// Products keeps a project's products. Every write raises the project's CatalogVersion by one in the
// same transaction, in commit order. A sku (of product or variant) that another product of the project
// has: Conflict sku_taken with Details naming "sku". Stock that a write sets counts at
// project.DefaultLocation; stock of variants that a write drops is dropped with them.
type Products interface {
	Create(ctx context.Context, w ProductWrite) error
	Get(ctx context.Context, project id.Project, product id.Product) (*catalog.Product, error)
	// List is newest first, then by id. Products come with their first catalog.MostListed variants.
	List(ctx context.Context, project id.Project, f ProductFilter, page Page) ([]*catalog.Product, int, error)
	// Update loads the product for exclusive use and stores the result of change. change does no I/O and may run more
	// than once.
	Update(ctx context.Context, project id.Project, product id.Product,
		change func(*catalog.Product) (ProductWrite, error)) (*catalog.Product, error)
	Delete(ctx context.Context, project id.Project, product id.Product, now time.Time) error
}

// BulkProducts writes many products in one transaction.
type BulkProducts interface {
	// Upsert loads the products that have one of the skus (as their product sku) or ids, and stores the result of
	// change: known products are updated, others created. Products are written in the order given; the index of one
	// whose sku is taken (by a variant, or as in Products) comes back in failed with its fault, and the others are
	// stored all the same. change may run more than once.
	Upsert(ctx context.Context, project id.Project, keys ProductKeys,
		change func(KnownProducts) []ProductWrite) (failed map[int]error, err error)
}

// ProductKeys name products.
type ProductKeys struct {
	SKUs []string
	IDs  []id.Product
}

// KnownProducts are the existing products among the requested ones, each under both of its keys.
type KnownProducts struct {
	BySKU map[string]*catalog.Product
	ByID  map[id.Product]*catalog.Product
}

// CatalogChanges are the changes of a catalogue since a version.
type CatalogChanges struct {
	Since   int64 // the version after which they begin; 0: all there is
	Version int64
	Changed []*catalog.Product // active and archived
	Removed []id.Product
	Levels  []catalog.Level // of the changed products
	// Synonyms are all synonyms of the project; nil if they have not changed since the requested version.
	Synonyms *[]catalog.Synonym
}

// NamedProducts are products with the total stock of each of their variants. A variant without a stock level is left
// out.
type NamedProducts struct {
	Products []*catalog.Product
	Stock    map[id.Variant]int
}

// CatalogReader reads a catalogue as a whole.
type CatalogReader interface {
	// Changes reads, in one consistent read, all writes after a version; 0 is from the beginning.
	Changes(ctx context.Context, project id.Project, since int64) (CatalogChanges, error)
	// Categories counts the active products at or below every path, in order of path.
	Categories(ctx context.Context, project id.Project) ([]catalog.Category, error)
	// Active finds active products by id; others are left out. It is one query, because a cart may have 50 products.
	Active(ctx context.Context, project id.Project, products []id.Product) ([]*catalog.Product, error)
	// Named finds active products by their ids, by those of their variants, and by SKUs of either, with the stock of
	// all their variants. References that name no product are left out.
	Named(ctx context.Context, project id.Project, refs []string) (NamedProducts, error)
	// First returns up to most active products, the first created first, with their first catalog.MostListed variants.
	First(ctx context.Context, project id.Project, most int) ([]*catalog.Product, error)
}

// StockSet sets the stock of a sku at a location.
type StockSet struct {
	SKU      string
	Location string
	Quantity int
}

// StockMove moves the stock of a sku at a location by a delta, with a reason.
type StockMove struct {
	SKU      string
	Location string
	Delta    int
	Reason   string
}

// Unlisted counts the variants of a product that a list leaves out, and their pieces for sale.
type Unlisted struct{ Variants, Quantity int }

// Inventory keeps stock by variant and location. The counts that are written include pieces held by payment attempts:
// only the rest is for sale. Writes are all or nothing and return the levels written, in the order given. SKUs are
// those of variants. An unknown sku: Invalid validation_error naming "<list>.<index>.sku", for all unknown ones at
// once, list being "levels" or "adjustments".
type Inventory interface {
	// Levels lists by sku, then location. An empty sku lists all.
	Levels(ctx context.Context, project id.Project, sku string, page Page) ([]catalog.Shelf, int, error)
	// LevelsOf are all levels of these products, by variant, then location.
	LevelsOf(ctx context.Context, project id.Project, products []id.Product) ([]catalog.Level, error)
	// TotalsOf returns the stock of each variant over all locations. A variant without a stock level is left out.
	TotalsOf(ctx context.Context, project id.Project, variants []id.Variant) (map[id.Variant]int, error)
	// ShelvesOf are the levels of these products as the merchant counts them.
	ShelvesOf(ctx context.Context, project id.Project, products []id.Product) ([]catalog.Shelf, error)
	// ListedOf is ShelvesOf for a list: of the first catalog.MostListed variants of each product, and of the others
	// summed up.
	ListedOf(ctx context.Context, project id.Project, products []id.Product) ([]catalog.Shelf, map[id.Product]Unlisted, error)
	Set(ctx context.Context, project id.Project, levels []StockSet) ([]catalog.Shelf, error)
	// Adjust never takes a count below zero: Conflict insufficient_stock naming "adjustments.<index>.delta".
	Adjust(ctx context.Context, project id.Project, moves []StockMove) ([]catalog.Shelf, error)
}
