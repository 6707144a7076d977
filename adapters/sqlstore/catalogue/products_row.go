package catalogue

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
)

var (
	products = db.NewTable[ProductRow]("products", db.Columns{
		"Product.Description": "-",
		"Product.Brand":       "-",
		"Product.Images":      "-",
		"Product.Attributes":  "-",
		"Product.Tags":        "-",
		"Product.Variants":    "-",
		"Product.Reviews":     "-",
		"Product.Related":     "-",
	})
	variants = db.NewTable[VariantRow]("variants", db.Columns{"Variant.Price": "-"})
	_        = stored.JSON[details](nil)

	SelectProducts = products.Select()

	// SelectVariants is completed by a list of products.
	SelectVariants = variants.Select() + `
WHERE project_id = $1
  AND product_id IN `

	// onlyListed are the variants that a list of products has.
	onlyListed = `
  AND variants.position < ` + strconv.Itoa(catalog.MostListed)

	// StockedColumns are those of StockedRow, of variants. The stock of each variant is looked up by its key.
	StockedColumns = variants.Columns() + `, COALESCE((
  SELECT SUM(stock.quantity)
  FROM stock
  WHERE stock.project_id = $1
    AND stock.variant_id = variants.id
), 0) AS stock`

	// OfProducts is completed by a list of products.
	OfProducts = `
FROM variants
WHERE project_id = $1
  AND product_id IN `

	// SelectStocked reads StockedRows, and is completed like SelectVariants.
	SelectStocked = "\nSELECT " + StockedColumns + OfProducts
)

// ProductRow is a product without its variants.
type ProductRow struct {
	Product catalog.Product
	Details details `db:",json"`
}

// details are the fields of a product that SQL neither searches nor computes with.
type details struct {
	Description string
	Brand       string
	Images      []catalog.Image
	Attributes  map[string]string
	Tags        []string
	Related     []string
	Reviews     catalog.Reviews
}

func toProductRow(p *catalog.Product) ProductRow {
	return ProductRow{*p, details{p.Description, p.Brand, p.Images, p.Attributes, p.Tags, p.Related, p.Reviews}}
}

// StockedRow is a variant with its stock over all locations.
type StockedRow struct {
	VariantRow
	Stock int
}

// VariantRow has its price in the currency of the product.
type VariantRow struct {
	Product id.Product
	Variant catalog.Variant
	Price   *int64
}

// folded returns a text in the form that a merchant's text filter compares, in products and in the filter.
func folded(text string) string { return strings.ToLower(text) }

// FromProductRows returns products with their variants, which come in order of position.
func FromProductRows(rows []ProductRow, variants []VariantRow) []*catalog.Product {
	list := make([]*catalog.Product, len(rows))
	byID := make(map[id.Product]*catalog.Product, len(rows))
	for i := range rows {
		p, d := &rows[i].Product, &rows[i].Details
		p.Description, p.Brand, p.Images, p.Attributes = d.Description, d.Brand, d.Images, d.Attributes
		p.Tags, p.Related, p.Reviews = d.Tags, d.Related, d.Reviews
		list[i], byID[p.ID] = p, p
	}
	for _, v := range variants {
		if p := byID[v.Product]; p != nil {
			v.Variant.Price = db.OptionalAmount(v.Price, p.Price.Currency())
			p.Variants = append(p.Variants, v.Variant)
		}
	}
	return list
}

// FromStockedRows is FromProductRows with the stock by variant. It leaves out variants that are sold regardless of
// their stock.
func FromStockedRows(rows []ProductRow, stocked []StockedRow) ([]*catalog.Product, map[id.Variant]int) {
	variants, stock := make([]VariantRow, len(stocked)), make(map[id.Variant]int, len(stocked))
	for i, v := range stocked {
		variants[i] = v.VariantRow
		if v.Variant.InventoryPolicy == catalog.Tracked {
			stock[v.Variant.ID] = v.Stock
		}
	}
	return FromProductRows(rows, variants), stock
}

// Only returns the product of a list of one or none.
func Only(products []*catalog.Product) (*catalog.Product, error) {
	if len(products) == 0 {
		return nil, missingProduct()
	}
	return products[0], nil
}
