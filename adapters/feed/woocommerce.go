package feed

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/plaintext"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// wooCSV is the file of WooCommerce's product exporter. Source: github.com/woocommerce/woocommerce/wiki/Product-CSV-Import-Schema,
// edited 2022-10-26, and sample-data/sample_products.csv of the same repository. Each product and each variation has a row.
// A variation names its product by SKU or as id:N and may be anywhere in the file. Lists are separated by commas, category
// levels by ">".
var wooCSV = platform{
	format:   WooCommerce,
	title:    "WooCommerce",
	required: []string{"type", "sku", "name", "regular price"},
	typical:  []string{"regular price", "is featured?", "visibility in catalog", "in stock?", "backorders allowed?", "attribute 1 value(s)"},
	all:      (*table).woo,
}

// wooOrigin maps the fields of a draft to the columns of the file.
var wooOrigin = map[string]string{
	"sku":               "sku",
	"name":              "name",
	"description":       "description",
	"brand":             "brands",
	"category":          "categories",
	"tags":              "tags",
	"price":             "regular price",
	"cost":              "cost of goods",
	"quantity":          "stock",
	"gtin":              wooGTIN,
	"images":            "images",
	"status":            "published",
	"variants":          "sku",
	"variants.sku":      "sku",
	"variants.price":    "regular price",
	"variants.quantity": "stock",
	"variants.gtin":     wooGTIN,
}

const wooGTIN = "gtin, upc, ean, or isbn"

// wooFile collects products with variations until the end of the file, because variations may be anywhere in it.
type wooFile struct {
	t       *table
	yield   func(Line, error) bool
	stopped bool
	waiting []*gathered
	parents map[string]*gathered // by SKU, and by id:N
	orphans map[string][]row     // variations before their product
	order   []string             // of orphans
}

// woo reads products from rows.
func (t *table) woo(yield func(Line, error) bool) {
	w := &wooFile{
		t:       t,
		yield:   yield,
		parents: map[string]*gathered{},
		orphans: map[string][]row{},
	}
	for !w.stopped {
		r, err := t.next()
		switch {
		case err == nil:
			w.row(r)
		case lineOnly(err):
			w.refuse(r, "", err.Error())
		default:
			w.end(r.number, err)
			return
		}
	}
}

func (w *wooFile) say(l Line, err error) { w.stopped = w.stopped || !w.yield(l, err) }

// refuse yields the problem of a single row.
func (w *wooFile) refuse(r row, column, message string) {
	bad := catalog.LineProblem{
		Line:    r.number,
		SKU:     r.cell("sku"),
		Message: message,
	}
	if column != "" {
		bad.Field, bad.Value = w.t.name(column), catalog.Shown(r.cell(column))
	} else if r.cells == nil {
		bad.Value = catalog.Shown(string(r.text))
	}
	l := Line{
		Number:   r.number,
		SKU:      r.cell("sku"),
		Problems: problems{bad},
		Rows:     []catalog.FileRow{r.source()},
	}
	w.say(l, problems(l.Problems).err())
}

func (w *wooFile) row(r row) {
	kinds := listed(strings.ToLower(r.cell("type")), ",", 10)
	switch {
	case slices.Contains(kinds, "variation"):
		w.variation(r)
	case slices.Contains(kinds, "variable"):
		g := w.t.newWoo(r)
		w.waiting = append(w.waiting, g)
		for _, key := range []string{g.sku, "id:" + r.cell("id")} {
			w.parents[key] = g
			for _, early := range w.orphans[key] {
				g.addVariation(early)
			}
			delete(w.orphans, key)
		}
	case slices.Contains(kinds, "grouped"), slices.Contains(kinds, "external"):
		w.refuse(r, "type", "cannot be imported: it is not sold by itself")
	case slices.Contains(kinds, "simple"), len(kinds) == 0, slices.Contains(kinds, "virtual"), slices.Contains(kinds, "downloadable"):
		g := w.t.newWoo(r)
		g.finishSimple(r)
		l := g.line()
		w.say(l, problems(l.Problems).err())
	default:
		w.refuse(r, "type", "is unknown; known are simple, variable and variation")
	}
}

func (w *wooFile) variation(r row) {
	parent := r.cell("parent")
	if parent == "" {
		w.refuse(r, "parent", "is required for a variation")
		return
	}
	if g := w.parents[parent]; g != nil {
		g.addVariation(r)
		return
	}
	if w.orphans[parent] == nil {
		w.order = append(w.order, parent)
	}
	w.orphans[parent] = append(w.orphans[parent], r)
}

func (w *wooFile) end(number int, err error) {
	for _, g := range w.waiting {
		g.finishVariable()
		if err != io.EOF {
			g.found.add(catalog.LineProblem{
				Line:    g.first.number,
				Message: "is left out, for the file cannot be read further",
			})
		}
		l := g.line()
		w.say(l, problems(l.Problems).err())
	}
	for _, parent := range w.order {
		for _, r := range w.orphans[parent] {
			w.refuse(r, "parent", "is no product of the file")
		}
	}
	if err != io.EOF {
		w.say(Line{Number: number}, err)
	}
}

// newWoo creates a product from a row, with the fields that products of all types have.
func (t *table) newWoo(r row) *gathered {
	g := &gathered{
		t:      t,
		first:  r,
		origin: wooOrigin,
		sku:    r.cell("sku"),
	}
	if g.sku == "" && r.cell("id") != "" {
		g.sku = "woocommerce-" + r.cell("id")
	}
	g.keep(r)
	g.check(r, func(c fault.Check) { c.That(g.sku != "", "sku", "is required") })
	description := r.cell("description")
	if description == "" {
		description = r.cell("short description")
	}
	status := catalog.Active
	if published := r.cell("published"); published != "" && published != "1" {
		status = catalog.Archived
	}
	category, _, _ := strings.Cut(r.cell("categories"), ",")
	g.draft = catalog.Draft{
		SKU:         patch.To(g.sku),
		Name:        patch.To(plaintext.Line(r.cell("name"))),
		Description: patch.To(plaintext.Cut(fromHTML(description), 5000)),
		Category:    patch.To(path(category)),
		Tags:        patch.To(listed(r.cell("tags"), ",", mostTags)),
		Status:      patch.To(status.String()),
	}
	if brands := listed(r.cell("brands"), ",", 1); len(brands) > 0 {
		g.draft.Brand = patch.To(plaintext.Cut(brands[0], 200))
	}
	for _, url := range listed(r.cell("images"), ",", mostImages) {
		g.addImage(url, r.cell("name"))
	}
	return g
}

// attributesOf returns a row's attributes, in their order.
func attributesOf(r row) (list []option) {
	for n := 1; ; n++ {
		column := fmt.Sprintf("attribute %d name", n)
		if _, ok := r.in.at[column]; !ok {
			return list
		}
		name, value := plaintext.Line(r.cell(column)), plaintext.Line(r.cell(fmt.Sprintf("attribute %d value(s)", n)))
		if name != "" && value != "" {
			list = append(list, option{plaintext.Cut(name, 200), plaintext.Cut(value, 2000)})
		}
	}
}

// sellable reads price, stock and GTIN of a row.
func (g *gathered) sellable(r row) (s sold, before money.Amount) {
	s = sold{at: len(g.rows) - 1, draft: catalog.VariantDraft{SKU: r.cell("sku")}}
	// Virtual products are not shipped (the wiki: "Virtual products are intangible and aren't shipped"). A downloadable product
	// may still be shipped, as a disc.
	if slices.Contains(listed(strings.ToLower(r.cell("type")), ",", 10), "virtual") {
		s.draft.RequiresShipping = new(false)
	}
	g.check(r, func(c fault.Check) {
		regular, sale := g.wooPrice(r, "regular price", c), g.wooPrice(r, "sale price", c)
		switch {
		case sale != nil && g.t.onSale(r):
			s.draft.Price = sale
			if regular != nil {
				before = *regular
			}
		default:
			s.draft.Price = regular
		}
		if text := r.cell("stock"); text != "" && text != "parent" {
			n := max(whole(text, "stock", c), 0) // back-orders count below zero
			c.That(n <= catalog.MaxStock, "stock", "must be between 0 and 1,000,000,000")
			s.draft.Quantity = &n
		}
		if digits, valid := catalog.ParseGTIN(r.cell(wooGTIN)); valid {
			s.draft.GTIN = digits
		}
	})
	return s, before
}

var decimalComma = regexp.MustCompile(`^[0-9]+,[0-9]{1,2}$`)

// wooPrice reads a price. The exporter writes prices with the shop's own decimal separator.
func (g *gathered) wooPrice(r row, column string, c fault.Check) *money.Amount {
	text := r.cell(column)
	if text == "" {
		return nil
	}
	if decimalComma.MatchString(text) {
		text = strings.Replace(text, ",", ".", 1)
	}
	read := price(text, column, g.t.currency, c)
	return &read
}

// onSale reports whether the days of a sale price, if it has any, are now.
func (t *table) onSale(r row) bool {
	day := func(column string) (time.Time, bool) {
		text := r.cell(column)
		parsed, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
		return parsed, err == nil
	}
	if from, given := day("date sale price starts"); given && t.now.Before(from) {
		return false
	}
	until, given := day("date sale price ends")
	return !given || t.now.Before(until.AddDate(0, 0, 1))
}

// finishSimple completes a product of one row.
func (g *gathered) finishSimple(r row) {
	s, before := g.sellable(r)
	attributes := map[string]string{}
	for _, a := range attributesOf(r) {
		attributes[a.name] = a.value
	}
	g.describe(r, attributes, before)
	g.draft.GTIN = given(s.draft.GTIN)
	if s.draft.Quantity != nil {
		g.draft.Quantity = patch.To(*s.draft.Quantity)
	}
	if s.draft.RequiresShipping != nil {
		g.draft.RequiresShipping = patch.To(false)
	}
	if s.draft.Price != nil {
		g.draft.Price = patch.To(*s.draft.Price)
		return
	}
	g.check(r, func(c fault.Check) { c.That(false, "regular price", "is required") })
}

// describe sets attributes and cost.
func (g *gathered) describe(r row, attributes map[string]string, before money.Amount) {
	if before.IsPositive() {
		attributes[comparisonAttribute] = before.String()
	}
	if len(attributes) > 0 {
		g.draft.Attributes = patch.To(attributes)
	}
	g.check(r, func(c fault.Check) {
		if cost := g.wooPrice(r, "cost of goods", c); cost != nil {
			g.draft.Cost = patch.To(*cost)
		}
	})
}

// addVariation adds the row of a variation to its product.
func (g *gathered) addVariation(r row) {
	g.keep(r)
	if len(g.sold) == maxVariants {
		g.check(r, func(c fault.Check) { c.That(false, "sku", "is one too many; a product has at most 2,048 variants") })
		return
	}
	s, _ := g.sellable(r)
	if s.draft.SKU == "" && r.cell("id") != "" {
		s.draft.SKU = "woocommerce-" + r.cell("id")
	}
	s.options = attributesOf(r)
	g.check(r, func(c fault.Check) { c.That(s.draft.Price != nil, "regular price", "is required") })
	g.sold = append(g.sold, s)
}

// finishVariable completes a product from its row and those of its variations.
func (g *gathered) finishVariable() {
	if len(g.sold) == 0 {
		g.check(g.first, func(c fault.Check) { c.That(false, "type", "has no variations in the file") })
		return
	}
	attributes := map[string]string{}
	for _, a := range attributesOf(g.first) {
		if !strings.Contains(a.value, ",") { // else it is a choice
			attributes[a.name] = a.value
		}
	}
	first := g.sold[0].draft.Price
	if first != nil {
		g.draft.Price = patch.To(*first)
	}
	for i := range g.sold {
		if p := g.sold[i].draft.Price; p != nil && first != nil && *p == *first {
			g.sold[i].draft.Price = nil
		}
	}
	g.setVariants(attributes)
	g.describe(g.first, attributes, money.Amount{})
}
