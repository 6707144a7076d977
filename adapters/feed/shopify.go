package feed

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/plaintext"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// shopifyCSV is Shopify's product CSV file. Source: help.shopify.com/en/manual/products/import-export/using-csv, as of
// 2026-11: the rows of a product share a handle and are adjacent. The first row has the product's fields, each row with an
// option value or a SKU is a variant, and the others add images. Columns had other names before 2025 ("Handle" is now "URL
// handle", "Variant Price" is "Price"); files with either names are read.
var shopifyCSV = platform{
	format: Shopify,
	title:  "Shopify",
	names: map[string]string{
		"url handle":                "handle",
		"description":               "body (html)",
		"published on online store": "published",
		"sku":                       "variant sku",
		"barcode":                   "variant barcode",
		"price":                     "variant price",
		"compare-at price":          "variant compare at price",
		"inventory tracker":         "variant inventory tracker",
		"inventory quantity":        "variant inventory qty",
		"product image url":         "image src",
		"requires shipping":         "variant requires shipping",
	},
	required: []string{"handle", "title", "variant price"},
	typical:  []string{"handle", "body (html)", "option1 name", "option1 value", "variant inventory qty", "variant compare at price"},
	all:      (*table).shopify,
}

// shopifyOrigin maps the fields of a draft to the columns of the file.
var shopifyOrigin = map[string]string{
	"sku":               "variant sku",
	"name":              "title",
	"description":       "body (html)",
	"brand":             "vendor",
	"category":          "type",
	"tags":              "tags",
	"price":             "variant price",
	"cost":              "cost per item",
	"quantity":          "variant inventory qty",
	"gtin":              "variant barcode",
	"images":            "image src",
	"status":            "status",
	"variants":          "variant sku",
	"variants.sku":      "variant sku",
	"variants.price":    "variant price",
	"variants.quantity": "variant inventory qty",
	"variants.gtin":     "variant barcode",
}

// shopify reads products from rows.
func (t *table) shopify(yield func(Line, error) bool) {
	a := &adjacent{t: t, yield: yield}
	for !a.stopped {
		r, err := t.next()
		switch {
		case err == nil && (a.open == nil || r.cell("handle") != a.open.first.cell("handle")):
			a.flush()
			a.open = t.newShopify(r)
			a.open.addShopify(r)
		case err == nil:
			a.open.addShopify(r)
		case lineOnly(err):
			a.lost(r, err)
		default:
			a.end(r.number, err)
			return
		}
	}
}

// adjacent gathers products whose rows follow each other.
type adjacent struct {
	t       *table
	yield   func(Line, error) bool
	stopped bool
	open    *gathered
}

// lost reports a row that cannot be read. It may have been a variant of the open product.
func (a *adjacent) lost(r row, err error) {
	bad := catalog.LineProblem{Line: r.number, Message: err.Error()}
	if r.cells == nil {
		bad.Value = catalog.Shown(string(r.text))
	}
	if a.open != nil && len(a.open.rows) < maxRows {
		a.open.keep(r)
		a.open.found.add(bad)
		return
	}
	a.flush()
	l := Line{
		Number:   r.number,
		Problems: problems{bad},
		Rows:     []catalog.FileRow{r.source()},
	}
	a.say(l, problems(l.Problems).err())
}

func (a *adjacent) say(l Line, err error) { a.stopped = a.stopped || !a.yield(l, err) }

func (a *adjacent) flush() {
	if a.open == nil {
		return
	}
	a.open.finishShopify()
	l := a.open.line()
	a.open = nil
	a.say(l, problems(l.Problems).err())
}

func (a *adjacent) end(number int, err error) {
	if err != io.EOF && a.open != nil {
		a.open.found.add(catalog.LineProblem{
			Line:    a.open.first.number,
			Message: "is left out, for the file cannot be read further",
		})
	}
	a.flush()
	if err != io.EOF {
		a.say(Line{Number: number}, err)
	}
}

func (t *table) newShopify(r row) *gathered {
	g := &gathered{
		t:      t,
		first:  r,
		origin: shopifyOrigin,
	}
	g.sku = r.cell("variant sku")
	g.check(r, func(c fault.Check) { c.That(r.cell("handle") != "", "handle", "is required") })
	status, published := strings.ToLower(r.cell("status")), strings.ToLower(r.cell("published"))
	sold := catalog.Active
	if status != "" && status != "active" || status == "" && published == "false" {
		sold = catalog.Archived
	}
	category := r.cell("type")
	if category == "" {
		category = r.cell("product category")
	}
	g.draft = catalog.Draft{
		Name:        patch.To(plaintext.Line(r.cell("title"))),
		Description: patch.To(plaintext.Cut(fromHTML(r.cell("body (html)")), 5000)),
		Brand:       patch.To(plaintext.Cut(plaintext.Line(r.cell("vendor")), 200)),
		Category:    patch.To(path(category)),
		Tags:        patch.To(listed(r.cell("tags"), ",", mostTags)),
		Status:      patch.To(sold.String()),
	}
	if strings.EqualFold(r.cell("gift card"), "true") {
		g.draft.Negotiable = patch.To(false)
	}
	return g
}

// addShopify adds a row to the product.
func (g *gathered) addShopify(r row) {
	g.keep(r)
	g.addImage(r.cell("image src"), r.cell("image alt text"))
	if r.cell("variant sku") == "" && r.cell("option1 value") == "" && r.cell("variant price") == "" {
		return // a row with an image only
	}
	s := sold{at: len(g.rows) - 1, draft: catalog.VariantDraft{SKU: r.cell("variant sku")}}
	g.check(r, func(c fault.Check) {
		if !c.That(len(g.sold) < maxVariants, "variant sku", "is one too many; a product has at most 2,048 variants") {
			return
		}
		if c.That(r.cell("variant price") != "", "variant price", "is required") {
			own := price(r.cell("variant price"), "variant price", g.t.currency, c)
			s.draft.Price = &own
		}
		if text := r.cell("variant inventory qty"); text != "" {
			n := max(whole(text, "variant inventory qty", c), 0) // Shopify counts oversold stock below zero
			c.That(n <= catalog.MaxStock, "variant inventory qty", "must be between 0 and 1,000,000,000")
			s.draft.Quantity = &n
		}
		if text := r.cell("variant requires shipping"); text != "" { // as the files have it: true or false
			s.draft.RequiresShipping = new(!strings.EqualFold(text, "false"))
		}
		if digits, valid := catalog.ParseGTIN(strings.TrimPrefix(r.cell("variant barcode"), "'")); valid {
			s.draft.GTIN = digits
		}
		if len(g.sold) == 0 {
			g.costAndComparison(r, "cost per item", "variant compare at price", c)
		}
	})
	for n := 1; n <= 3; n++ {
		name, value := g.first.cell(fmt.Sprintf("option%d name", n)), plaintext.Line(r.cell(fmt.Sprintf("option%d value", n)))
		if name != "" && value != "" {
			s.options = append(s.options, option{plaintext.Cut(plaintext.Line(name), 200), value})
		}
	}
	if len(g.sold) < maxVariants {
		g.sold = append(g.sold, s)
	}
}

// comparisonAttribute is the name of the attribute that holds the price before a reduction.
const comparisonAttribute = "Compare-at price"

// costAndComparison reads the cost and the comparison price, which a product has once.
func (g *gathered) costAndComparison(r row, cost, comparison string, c fault.Check) {
	if text := r.cell(cost); text != "" {
		g.draft.Cost = patch.To(price(text, cost, g.t.currency, c))
	}
	if text := r.cell(comparison); text != "" {
		if before := price(text, comparison, g.t.currency, c); before.IsPositive() {
			g.draft.Attributes = patch.To(map[string]string{comparisonAttribute: before.String()})
		}
	}
}

// finishShopify completes the draft after the product's last row.
func (g *gathered) finishShopify() {
	handle := g.first.cell("handle")
	if !g.single() {
		g.sku = handle
	}
	if g.sku == "" {
		g.sku = handle
	}
	g.draft.SKU = patch.To(g.sku)
	if len(g.sold) == 0 {
		if len(g.found) == 0 {
			g.check(g.first, func(c fault.Check) { c.That(false, "variant price", "is required") })
		}
		return
	}
	first := g.sold[0].draft
	if first.Price != nil {
		g.draft.Price = patch.To(*first.Price)
	}
	if g.single() {
		g.draft.GTIN = given(first.GTIN)
		if first.Quantity != nil {
			g.draft.Quantity = patch.To(*first.Quantity)
		}
		if first.RequiresShipping != nil {
			g.draft.RequiresShipping = patch.To(*first.RequiresShipping)
		}
		return
	}
	taken := map[string]bool{handle: true}
	for i := range g.sold {
		v := &g.sold[i].draft
		if v.SKU == "" || taken[v.SKU] { // Shopify allows variants that share a SKU or have none
			v.SKU = plaintext.Cut(handle, 90) + "-" + strconv.Itoa(i+1)
		}
		taken[v.SKU] = true
		if i > 0 && v.Price != nil && first.Price != nil && *v.Price == *first.Price {
			v.Price = nil
		}
	}
	g.sold[0].draft.Price = nil
	attributes, _ := g.draft.Attributes.Value()
	if attributes == nil {
		attributes = map[string]string{}
	}
	g.setVariants(attributes)
	if len(attributes) > 0 {
		g.draft.Attributes = patch.To(attributes)
	}
	if utf8.RuneCountInString(handle) > 100 {
		g.check(g.first, func(c fault.Check) { c.That(false, "handle", "must have at most 100 characters") })
	}
}

// single reports whether the product is sold without variants: Shopify then gives it one default variant.
func (g *gathered) single() bool {
	if len(g.sold) != 1 {
		return len(g.sold) == 0
	}
	options := g.sold[0].options
	return len(options) == 0 || len(options) == 1 && strings.EqualFold(options[0].value, "Default Title")
}
