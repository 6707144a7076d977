package searcheval

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// shop is a catalogue as it would be after an import into a new project.
type shop struct {
	project id.Project
	items   []*item // in the order of the file
	bySKU   map[string]*item
	owners  map[string]*item // by sku of the product or variant
	made    int              // number of variant ids
	refused int
	why     []Refused // of the first ones
}

// item is a product and its stock levels.
type item struct {
	product *catalog.Product
	stock   map[id.Variant]int
}

// pieces returns the stock of all variants.
func (i *item) pieces() (n int) {
	for _, v := range i.product.Variants {
		n += i.stock[v.ID]
	}
	return n
}

// Refused is a product that an import would refuse.
type Refused struct {
	Line int    `json:"line"`
	Says string `json:"says"`
}

// opened is when every product was created. It is fixed, so that the result does not depend on the time of day.
var opened = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var projectID = id.New[id.Project](digest("project"))

func synonymID(n int) id.Synonym { return id.New[id.Synonym](digest("synonym", fmt.Sprint(n))) }

func digest(parts ...string) [16]byte {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return [16]byte(sum[:16])
}

func readShop(ctx context.Context, c Config) (*shop, error) {
	file, err := feed.Open(c.Products, feed.Options{Currency: money.USD})
	if err != nil {
		return nil, productsError(c.Products, err)
	}
	defer func() { _ = file.Close() }() // opened for reading only
	s := &shop{
		project: projectID,
		bySKU:   make(map[string]*item),
		owners:  make(map[string]*item),
	}
	n := 0
	for line, err := range file.All() {
		if n++; n%500 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		} else if n%500 == 0 {
			c.Progress("reading", file.Read(), file.Size())
		}
		if err == nil {
			err = s.add(line.Draft)
		}
		bad, ok := errors.AsType[*fault.Error](err)
		switch {
		case ok:
			s.refuse(line, bad)
		case err != nil:
			return nil, &InputError{c.Products, line.Number, err}
		}
	}
	return s, s.filled(c.Products)
}

// filled returns an error if the shop has no product.
func (s *shop) filled(path string) error {
	switch {
	case len(s.items) == 0 && s.refused > 0:
		return &InputError{path, s.why[0].Line, fmt.Errorf("%s; no other line is a valid product", s.why[0].Says)}
	case len(s.items) == 0:
		return &InputError{File: path, Err: errors.New("has no products")}
	}
	return nil
}

// mostReasons limits how many refusals are kept for a file.
const mostReasons = 1000

func (s *shop) refuse(line feed.Line, bad *fault.Error) {
	s.refused++
	if len(s.why) < mostReasons {
		s.why = append(s.why, Refused{line.Number, inWords(line.Draft, bad)})
	}
}

// productsError removes the file's name from an error that already has it.
func productsError(path string, err error) error {
	text := strings.TrimPrefix(withoutPath(err).Error(), path+": ")
	return &InputError{File: path, Err: errors.New(text)}
}

func inWords(d catalog.Draft, bad *fault.Error) string {
	if sku, ok := d.SKU.Value(); ok && sku != "" {
		return fmt.Sprintf("sku %s: %s", sku, bad.Description())
	}
	return bad.Description()
}

// add creates a product, or updates the one with its sku.
func (s *shop) add(d catalog.Draft) error {
	sku, _ := d.SKU.Value()
	if sku == "" {
		return fault.Field("sku", "is required")
	}
	known := s.bySKU[sku]
	made := ids{sku, &s.made}
	var product *catalog.Product
	var stock []catalog.Stock
	var err error
	if known == nil {
		product, stock, err = catalog.Create(s.project, d, money.USD, made, opened)
	} else {
		product, stock, err = known.product.Update(d, made, opened)
	}
	if err != nil {
		return err
	}
	return s.store(known, product, stock)
}

// store stores a product unless another product has one of its skus.
func (s *shop) store(known *item, product *catalog.Product, stock []catalog.Stock) error {
	for _, sku := range skus(product) {
		if owner := s.owners[sku]; owner != nil && owner != known {
			return fault.New(fault.Conflict, "sku_taken", fmt.Sprintf("The sku %s belongs to another product.", sku))
		}
	}
	if known == nil {
		known = &item{stock: make(map[id.Variant]int)}
		s.items = append(s.items, known)
		s.bySKU[product.SKU] = known
	} else {
		for _, sku := range skus(known.product) {
			delete(s.owners, sku)
		}
	}
	known.product = product
	for _, sku := range skus(product) {
		s.owners[sku] = known
	}
	for _, level := range stock {
		known.stock[level.Variant] = level.Quantity
	}
	return nil
}

func skus(p *catalog.Product) []string {
	all := []string{p.SKU}
	for _, v := range p.Variants {
		all = append(all, v.SKU)
	}
	return all
}

// changes returns the whole catalogue in the form in which the store gives it to an index. It omits the stock of deleted
// variants.
func (s *shop) changes() ports.CatalogChanges {
	all := ports.CatalogChanges{Version: 1, Changed: make([]*catalog.Product, 0, len(s.items))}
	for _, i := range s.items {
		all.Changed = append(all.Changed, i.product)
		for _, v := range i.product.Variants {
			if quantity, set := i.stock[v.ID]; set {
				all.Levels = append(all.Levels, catalog.Level{
					Product:  i.product.ID,
					Variant:  v.ID,
					SKU:      v.SKU,
					Location: project.DefaultLocation,
					Quantity: quantity,
				})
			}
		}
	}
	return all
}

// ids makes the same ids for the same file every time.
type ids struct {
	sku  string
	made *int
}

func (i ids) Product() id.Product { return id.New[id.Product](digest("product", i.sku)) }

func (i ids) Variant() id.Variant {
	*i.made++
	return id.New[id.Variant](digest("variant", i.sku, fmt.Sprint(*i.made)))
}
