// Package catalogs writes products, stock and synonyms for merchants: one by one, in batches, and from files. It notifies the
// search index of writes; package discovery searches.
package catalogs

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service writes and reads catalogues.
type Service struct {
	*ports.Stores

	Clock   ports.Clock
	Entropy ports.Entropy
	// Transact runs each chunk of an import in one transaction; nil: Import uses Stores directly.
	Transact Transaction
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Line is a product as a merchant wrote it. Err, if not nil, lists the fields that could not be read; the draft has the others.
type Line struct {
	Number int // in its file or list
	Draft  catalog.Draft
	Err    error

	// Lines of files have these.
	SKU      string                // as written, even if other fields could not be read
	Problems []catalog.LineProblem // of fields that could not be read. The draft is zero if the line could not be parsed
	Rows     []catalog.FileRow
	// At returns the line, column name and value of a field of the draft in the file. nil: unknown.
	At func(field string) (number int, name, value string)
}

// Item is a product with its stock by variant, summed over all locations.
type Item struct {
	Product  *catalog.Product
	Stock    map[id.Variant]int
	Unlisted ports.Unlisted // variants that a list leaves out
}

// Changed is a product before and after a change.
type Changed struct {
	Before *catalog.Product
	After  Item
}

// Create adds a product.
func (s *Service) Create(ctx context.Context, p *project.Project, l Line) (Item, error) {
	product, stock, err := catalog.Create(p.ID, l.Draft, p.Settings.Currency, ids{s.Entropy}, s.Clock.Now())
	if err := allProblems(l.Err, err); err != nil {
		return Item{}, err
	}
	if err := s.afterWrite(ctx, p, s.Products.Create(ctx, ports.ProductWrite{Product: product, Stock: stock})); err != nil {
		return Item{}, err
	}
	return s.withStock(ctx, p.ID, product)
}

// Update changes the fields of a product that the line has.
func (s *Service) Update(ctx context.Context, p *project.Project, product id.Product, l Line) (Changed, error) {
	var before *catalog.Product
	updated, err := s.Products.Update(ctx, p.ID, product, func(current *catalog.Product) (ports.ProductWrite, error) {
		before = current
		next, stock, err := current.Update(l.Draft, ids{s.Entropy}, s.Clock.Now())
		return ports.ProductWrite{Product: next, Stock: stock}, allProblems(l.Err, err)
	})
	if err := s.afterWrite(ctx, p, err); err != nil {
		return Changed{}, err
	}
	after, err := s.withStock(ctx, p.ID, updated)
	return Changed{before, after}, err
}

// Delete removes a product from the catalogue.
func (s *Service) Delete(ctx context.Context, p *project.Project, product id.Product) error {
	return s.afterWrite(ctx, p, s.Products.Delete(ctx, p.ID, product, s.Clock.Now()))
}

// Get reads a product with its stock.
func (s *Service) Get(ctx context.Context, p *project.Project, product id.Product) (Item, error) {
	found, err := s.Products.Get(ctx, p.ID, product)
	if err != nil {
		return Item{}, err
	}
	return s.withStock(ctx, p.ID, found)
}

// List reads a page of products, newest first, with their stock.
func (s *Service) List(ctx context.Context, p *project.Project, f ports.ProductFilter, page ports.Page) ([]Item, int, error) {
	products, total, err := s.Products.List(ctx, p.ID, f, page)
	if err != nil || len(products) == 0 {
		return nil, total, err
	}
	shelves, rest, err := s.Inventory.ListedOf(ctx, p.ID, idsOf(products))
	if err != nil {
		return nil, 0, err
	}
	items, stock := make([]Item, len(products)), counted(shelves)
	for i, product := range products {
		items[i] = Item{
			Product:  product,
			Stock:    stock,
			Unlisted: rest[product.ID],
		}
	}
	return items, total, nil
}

func (s *Service) withStock(ctx context.Context, project id.Project, p *catalog.Product) (Item, error) {
	stock, err := s.stockOf(ctx, project, p)
	return Item{Product: p, Stock: stock}, err
}

func (s *Service) stockOf(ctx context.Context, project id.Project, products ...*catalog.Product) (map[id.Variant]int, error) {
	shelves, err := s.Inventory.ShelvesOf(ctx, project, idsOf(products))
	return counted(shelves), err
}

func idsOf(products []*catalog.Product) []id.Product {
	list := make([]id.Product, len(products))
	for i, p := range products {
		list[i] = p.ID
	}
	return list
}

// counted returns the stock of each variant, summed over locations. Negative counts are zero.
func counted(shelves []catalog.Shelf) map[id.Variant]int {
	counts := make(map[id.Variant]int)
	for _, shelf := range shelves {
		counts[shelf.Variant] += max(shelf.Count(), 0)
	}
	return counts
}

// afterWrite refreshes the search index if err, the error of a write, is nil. It returns err.
func (s *Service) afterWrite(ctx context.Context, p *project.Project, err error) error {
	if err == nil {
		s.refresh(ctx, p.ID)
	}
	return err
}

// refresh brings the search index up to date after a write, if the project's index is loaded. It ignores errors, because the next
// search sees by the catalogue's version that the index is old.
func (s *Service) refresh(ctx context.Context, project id.Project) {
	have := s.Index.Version(project)
	if have == 0 {
		return
	}
	if changes, err := s.Catalog.Changes(ctx, project, have); err == nil {
		s.Index.Apply(project, changes)
	}
}

// Written brings the search index up to date after another package has written products and their stock.
func (s *Service) Written(ctx context.Context, project id.Project, products []id.Product) {
	s.refresh(ctx, project)
	s.Restock(ctx, project, products)
}

// allProblems joins the problems of fields that could not be read with those of invalid fields, one for each field, so that a
// merchant sees all at once. The joined error has the kind and code of unread. It does not modify unread, because the lines of a
// batch may be stored again.
func allProblems(unread, invalid error) error {
	first, ok := unread.(*fault.Error)
	second, also := invalid.(*fault.Error)
	if !ok || !also {
		return cmp.Or(unread, invalid)
	}
	all := *first
	all.Details = slices.Clone(first.Details)
	for _, d := range second.Details {
		if !slices.ContainsFunc(first.Details, func(known fault.Detail) bool { return known.Field == d.Field }) {
			all.Details = append(all.Details, d)
		}
	}
	return &all
}

// ids creates ids of random bits.
type ids struct{ entropy ports.Entropy }

func (i ids) Product() id.Product { return id.New[id.Product](i.entropy.IDBits()) }
func (i ids) Variant() id.Variant { return id.New[id.Variant](i.entropy.IDBits()) }
func (i ids) Synonym() id.Synonym { return id.New[id.Synonym](i.entropy.IDBits()) }
