package feed

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// maxVariants is how many variants a product may have; more rows are not gathered.
const maxVariants = 100

// group is a product being gathered from rows.
type group struct {
	first   row
	product catalog.Draft
	rows    int // good ones
	spoiled int // the line that keeps the product out, 0: none
}

// ofVariants reports whether further rows may belong to the product.
func (g *group) ofVariants() bool { return g != nil && g.first.cell("variant_sku") != "" }

// holds reports whether the row is one more of the product.
func (g *group) holds(r row) bool { return g.ofVariants() && g.first.cell("sku") == r.cell("sku") }

// spoil keeps a product of several rows out, for one of them may be the unreadable line.
func (g *group) spoil(line int) {
	if g.ofVariants() {
		g.spoiled = line
	}
}

func (t *table) all(yield func(Line, error) bool) {
	g := gathering{yield: yield}
	for !g.stopped {
		r, err := t.next()
		switch {
		case err == nil:
			g.row(r)
		case isFault(err):
			g.lost(r.number, err)
		default:
			g.end(r.number, err)
			return
		}
	}
}

// gathering makes products of rows.
type gathering struct {
	yield   func(Line, error) bool
	stopped bool   // by who asked for the products
	open    *group // nil, or a product that further rows may belong to
	unread  int    // the line just before, if it could not be read
}

// say says nothing more once it was stopped.
func (g *gathering) say(l Line, err error) {
	g.stopped = g.stopped || !g.yield(l, err)
}

func (g *gathering) row(r row) {
	if !g.open.holds(r) {
		g.flush()
		g.open = &group{first: r}
		g.open.spoil(g.unread)
	}
	g.unread = 0
	if err := g.open.add(r); err != nil {
		g.say(Line{Number: r.number}, err)
	}
	if !g.open.ofVariants() {
		g.flush()
	}
}

// lost is a row that cannot be read. It may have been a variant of the product before or after it.
func (g *gathering) lost(number int, err error) {
	g.open.spoil(number)
	g.unread = number
	g.say(Line{Number: number}, err)
}

func (g *gathering) end(number int, err error) {
	if err != io.EOF {
		g.open.spoil(number)
	}
	g.flush()
	if err != io.EOF {
		g.say(Line{Number: number}, err)
	}
}

// flush says the open product, or that it is left out for one of its rows.
func (g *gathering) flush() {
	p := g.open
	g.open = nil
	switch {
	case p == nil || p.rows == 0:
	case p.spoiled != 0:
		message := fmt.Sprintf("is left out with all its variants because of line %d", p.spoiled)
		g.say(Line{Number: p.first.number}, fault.Field("sku", message))
	default:
		g.say(Line{Number: p.first.number, Draft: p.product}, nil)
	}
}

// add takes a row into the product. A bad one keeps the whole product out.
func (g *group) add(r row) error {
	check := fault.NewCheck()
	if r.number == g.first.number {
		g.product = r.draft(check)
	} else {
		g.compare(r, check)
	}
	if g.ofVariants() {
		g.addVariant(r, check)
	}
	if err := check.Err(); err != nil {
		g.spoiled = r.number
		return err
	}
	g.rows++
	return nil
}

// compare refuses a later row that says something else about the product than the first.
func (g *group) compare(r row, check fault.Check) {
	for i, name := range r.in.header {
		if slices.Contains([]string{"variant_sku", "color", "size", "quantity", "price", "gtin", "mpn"}, name) || r.cells[i] == "" {
			continue
		}
		check.That(r.cells[i] == g.first.cells[i], name, fmt.Sprintf("differs from line %d, where the product starts", g.first.number))
	}
}

func (g *group) addVariant(r row, check fault.Check) {
	v := catalog.VariantDraft{
		SKU:   r.cell("variant_sku"),
		Color: r.cell("color"),
		Size:  r.cell("size"),
		GTIN:  r.cell("gtin"),
		MPN:   r.cell("mpn"),
	}
	check.That(v.SKU != "", "variant_sku", "is required, for the product has variants")
	if price := r.cell("price"); price != "" && price != g.first.cell("price") {
		own := amount(price, "price", r.in.currency, check)
		v.Price = &own
	}
	if quantity := r.cell("quantity"); quantity != "" {
		n := stock(quantity, "quantity", check)
		v.Quantity = &n
	}
	variants, _ := g.product.Variants.Value()
	if check.That(len(variants) < maxVariants, "variant_sku", "is one too many; a product has at most 100 variants") {
		g.product.Variants = patch.To(append(variants, v))
	}
}

// draft is the row as a product, without variants.
func (r row) draft(check fault.Check) catalog.Draft {
	check.That(r.cell("sku") != "", "sku", "is required")
	d := catalog.Draft{
		SKU: given(r.cell("sku")), Name: given(r.cell("name")), Category: given(r.cell("category")),
		Brand: given(r.cell("brand")), Description: given(r.cell("description")), Attributes: r.attributes(),
	}
	for column, target := range map[string]*patch.Field[money.Amount]{"price": &d.Price, "cost": &d.Cost, "competitor_price": &d.CompetitorPrice} {
		if text := r.cell(column); text != "" {
			*target = patch.To(amount(text, column, r.in.currency, check))
		}
	}
	if text := r.cell("quantity"); text != "" && r.cell("variant_sku") == "" {
		d.Quantity = patch.To(stock(text, "quantity", check))
	}
	if r.cell("variant_sku") == "" {
		d.GTIN, d.MPN = given(r.cell("gtin")), given(r.cell("mpn"))
	}
	if text := r.cell("negotiable"); text != "" {
		negotiable, err := strconv.ParseBool(text)
		check.That(err == nil, "negotiable", "must be true or false")
		d.Negotiable = patch.To(negotiable)
	}
	if text := r.cell("tags"); text != "" {
		d.Tags = patch.To(tags(text))
	}
	if url := r.cell("image_url"); url != "" {
		d.Images = patch.To([]catalog.Image{{URL: url, Alt: r.cell("name")}})
	}
	return d
}

func given(text string) patch.Field[string] {
	if text == "" {
		return patch.Field[string]{}
	}
	return patch.To(text)
}

// attributes are those of the attributes.<name> columns and, of a product without variants, its
// colour and size.
func (r row) attributes() patch.Field[map[string]string] {
	found := map[string]string{}
	if r.cell("variant_sku") == "" {
		found["color"], found["size"] = r.cell("color"), r.cell("size")
	}
	for i, name := range r.in.header {
		if attribute, ok := strings.CutPrefix(name, attributePrefix); ok && r.cells[i] != "" {
			found[attribute] = r.cells[i]
		}
	}
	maps.DeleteFunc(found, func(_, value string) bool { return value == "" })
	if len(found) == 0 {
		return patch.Field[map[string]string]{}
	}
	return patch.To(found)
}

func tags(text string) []string {
	var all []string
	for tag := range strings.SplitSeq(text, "|") {
		if tag = strings.TrimSpace(tag); tag != "" {
			all = append(all, tag)
		}
	}
	return all
}
