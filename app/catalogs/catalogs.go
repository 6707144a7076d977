// Package catalogs is how merchants write what they sell and how much of it there is: product by
// product, in batches, and from files; and which words mean the same. Buyers' search is elsewhere; writes
// only tell its index.
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

// Service writes catalogues.
type Service struct {
	*ports.Stores

	Clock   ports.Clock
	Entropy ports.Entropy
	// Transact stores each chunk of an import in one transaction; nil: what the stores do.
	Transact Transaction
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Line is a product as a merchant wrote it. Err is what of it could not be read; then the draft holds
// the rest.
type Line struct {
	Number int // in its file or list
	Draft  catalog.Draft
	Err    error

	// Lines of files have these.
	SKU      string                // as it is written, whatever of the line could be read
	Problems []catalog.LineProblem // what of the line could not be read. The draft is zero if it could not be taken apart
	Rows     []catalog.FileRow
	// At finds what the file says about a field of the draft: the line, its name there, and the value. nil: it is not known.
	At func(field string) (number int, name, value string)
}

// Item is a product with its stock by variant, all locations together.
type Item struct {
	Product  *catalog.Product
	Stock    map[id.Variant]int
	Unlisted ports.Unlisted // of its variants, where it is in a list
}

// Changed is a product as it was, and as it is.
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
	if err := s.wrote(ctx, p, s.Products.Create(ctx, ports.ProductWrite{Product: product, Stock: stock})); err != nil {
		return Item{}, err
	}
	return s.withStock(ctx, p.ID, product)
}

// Update changes what the line gives of a product.
func (s *Service) Update(ctx context.Context, p *project.Project, product id.Product, l Line) (Changed, error) {
	var before *catalog.Product
	updated, err := s.Products.Update(ctx, p.ID, product, func(current *catalog.Product) (ports.ProductWrite, error) {
		before = current
		next, stock, err := current.Update(l.Draft, ids{s.Entropy}, s.Clock.Now())
		return ports.ProductWrite{Product: next, Stock: stock}, allProblems(l.Err, err)
	})
	if err := s.wrote(ctx, p, err); err != nil {
		return Changed{}, err
	}
	after, err := s.withStock(ctx, p.ID, updated)
	return Changed{before, after}, err
}

// Delete removes a product from the catalogue.
func (s *Service) Delete(ctx context.Context, p *project.Project, product id.Product) error {
	return s.wrote(ctx, p, s.Products.Delete(ctx, p.ID, product, s.Clock.Now()))
}

// Get reads a product with its stock.
func (s *Service) Get(ctx context.Context, p *project.Project, product id.Product) (Item, error) {
	found, err := s.Products.Get(ctx, p.ID, product)
	if err != nil {
		return Item{}, err
	}
	return s.withStock(ctx, p.ID, found)
}

// List reads a part of the products, newest first, with their stock.
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

func counted(shelves []catalog.Shelf) map[id.Variant]int {
	counts := make(map[id.Variant]int)
	for _, shelf := range shelves {
		counts[shelf.Variant] += max(shelf.Count(), 0)
	}
	return counts
}

// wrote refreshes the search index unless the write failed, and returns its error.
func (s *Service) wrote(ctx context.Context, p *project.Project, err error) error {
	if err == nil {
		s.refresh(ctx, p.ID)
	}
	return err
}

// refresh brings the search index up to date after a write, where it has a copy of the catalogue. It
// may fail without harm: the write is done, and the next search sees by the catalogue's version that the
// copy is old.
func (s *Service) refresh(ctx context.Context, project id.Project) {
	have := s.Index.Version(project)
	if have == 0 {
		return
	}
	if changes, err := s.Catalog.Changes(ctx, project, have); err == nil {
		s.Index.Apply(project, changes)
	}
}

// Written brings the search index up to date after products and their stock were written by others.
func (s *Service) Written(ctx context.Context, project id.Project, products []id.Product) {
	s.refresh(ctx, project)
	s.Restock(ctx, project, products)
}

// allProblems joins what could not be read with what is not acceptable, one problem for each field, so
// that a merchant learns of all at once. The kind and code of a joined error are those of unread, which stays as it is:
// the lines of a batch may be tried again.
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

// ids makes ids of random bits.
type ids struct{ entropy ports.Entropy }

func (i ids) Product() id.Product { return id.New[id.Product](i.entropy.IDBits()) }
func (i ids) Variant() id.Variant { return id.New[id.Variant](i.entropy.IDBits()) }
func (i ids) Synonym() id.Synonym { return id.New[id.Synonym](i.entropy.IDBits()) }
