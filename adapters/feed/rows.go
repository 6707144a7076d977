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

const (
	// maxVariants is how many variants a product may have; more rows are not gathered.
	maxVariants = catalog.MaxVariants
	// maxRows bounds the rows that are kept of one product.
	maxRows = 2 * maxVariants
)

// group is a product being gathered from rows.
type group struct {
	first    row
	product  catalog.Draft
	rows     []catalog.FileRow
	variants []int // the index in rows of each variant's
	found    problems
}

// ofVariants reports whether further rows may belong to the product.
func (g *group) ofVariants() bool { return g != nil && g.first.cell("variant_sku") != "" }

// holds reports whether the row is one more of the product.
func (g *group) holds(r row) bool { return g.ofVariants() && g.first.cell("sku") == r.cell("sku") }

// keep stores a row of the file, so that a refused product can be shown as it is written.
func (g *group) keep(r row) {
	if len(g.rows) < maxRows {
		g.rows = append(g.rows, r.source())
	}
}

func (t *table) all(yield func(Line, error) bool) {
	if t.platform != nil {
		t.platform.all(t, yield)
		return
	}
	if _, ok := t.at[recordColumn]; ok {
		t.records(yield)
		return
	}
	g := gathering{yield: yield}
	for !g.stopped {
		r, err := t.next()
		switch {
		case err == nil:
			g.row(r)
		case lineOnly(err):
			g.lost(r, err)
		default:
			g.end(r.number, err)
			return
		}
	}
}

// gathering makes products of rows.
type gathering struct {
	yield   func(Line, error) bool
	stopped bool   // by the caller of All
	open    *group // nil, or a product that further rows may belong to
	unread  int    // the line just before, if it could not be read
}

// say yields a line, unless the caller stopped the iteration.
func (g *gathering) say(l Line, err error) {
	g.stopped = g.stopped || !g.yield(l, err)
}

func (g *gathering) row(r row) {
	if !g.open.holds(r) {
		g.flush()
		g.open = &group{first: r}
		if g.open.ofVariants() && g.unread != 0 {
			g.open.leaveOut(fmt.Sprintf("is left out with all its variants, for line %d before it cannot be read", g.unread))
		}
	}
	g.unread = 0
	g.open.add(r)
	if !g.open.ofVariants() {
		g.flush()
	}
}

// lost reports a row that cannot be read. It may have been a variant of the product before or after it.
func (g *gathering) lost(r row, err error) {
	g.unread = r.number
	bad := catalog.LineProblem{
		Line:    r.number,
		SKU:     r.cell("sku"),
		Message: err.Error(),
	}
	if r.cells == nil {
		bad.Value = catalog.Shown(string(r.text))
	}
	if g.open.ofVariants() && len(g.open.rows) < maxRows {
		g.open.found.add(bad)
		g.open.keep(r)
		return
	}
	g.flush()
	l := Line{
		Number:   r.number,
		SKU:      bad.SKU,
		Problems: problems{bad},
		Rows:     []catalog.FileRow{r.source()},
	}
	g.say(l, problems(l.Problems).err())
}

func (g *gathering) end(number int, err error) {
	if err != io.EOF && g.open.ofVariants() {
		g.open.leaveOut("is left out with all its variants, for the file cannot be read further")
	}
	g.flush()
	if err != io.EOF {
		g.say(Line{Number: number}, err)
	}
}

// flush yields the open product with its problems.
func (g *gathering) flush() {
	p := g.open
	g.open = nil
	if p == nil {
		return
	}
	l := Line{
		Number:   p.first.number,
		SKU:      p.first.cell("sku"),
		Problems: p.found,
		Rows:     p.rows,
		locate:   p.locate,
	}
	if len(p.found) == 0 || !p.ofVariants() {
		l.Draft = p.product
	}
	g.say(l, p.found.err())
}

// locate finds a field of the draft in the rows.
func (g *group) locate(field string) (at int, name, value string) {
	name = field
	list, rest, _ := strings.Cut(field, ".")
	switch list {
	case "images":
		name = "image_url"
	case "tags":
		name = list
	case "attributes":
		if _, ok := g.first.in.at[field]; !ok && rest != "" {
			name = rest
		}
	case "variants":
		index, column, _ := strings.Cut(rest, ".")
		if n, err := strconv.Atoi(index); err == nil && n < len(g.variants) {
			at, name = g.variants[n], column
		}
		if name == "sku" && g.ofVariants() {
			name = "variant_sku"
		}
	}
	return at, name, row{cells: g.rows[at].Cells, in: g.first.in}.cell(name)
}

func (g *group) leaveOut(why string) {
	g.found.add(catalog.LineProblem{
		Line:    g.first.number,
		SKU:     g.first.cell("sku"),
		Field:   "sku",
		Message: why,
	})
}

// add adds a row to the product. A bad row refuses the whole product.
func (g *group) add(r row) {
	g.keep(r)
	check := fault.NewCheck()
	if r.number == g.first.number {
		g.product = r.draft(check)
	} else {
		g.compare(r, check)
	}
	if g.ofVariants() {
		g.addVariant(r, check)
	}
	if len(g.found) < maxRows {
		g.found.ofRow(r, g.first.cell("sku"), check)
	}
}

// ofVariant are the columns in which the rows of a product may differ.
var ofVariant = slices.Concat(notes, []string{"variant_sku", "color", "size", "quantity", "price", "gtin", "mpn", "inventory_policy", "requires_shipping"})

// compare refuses a later row whose product fields differ from those of the first.
func (g *group) compare(r row, check fault.Check) {
	for i, name := range r.in.header {
		if slices.Contains(ofVariant, name) || r.cells[i] == "" {
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

		InventoryPolicy:  r.cell("inventory_policy"),
		RequiresShipping: r.shipping(check),
	}
	check.That(v.SKU != "", "variant_sku", "is required, for the product has variants")
	if text := r.cell("price"); text != "" && text != g.first.cell("price") {
		own := price(text, "price", r.in.currency, check)
		v.Price = &own
	}
	if quantity := r.cell("quantity"); quantity != "" {
		n := stock(quantity, "quantity", check)
		v.Quantity = &n
	}
	variants, _ := g.product.Variants.Value()
	if check.That(len(variants) < maxVariants, "variant_sku", "is one too many; a product has at most 2,048 variants") {
		g.product.Variants = patch.To(append(variants, v))
		g.variants = append(g.variants, len(g.rows)-1)
	}
}

// shipping returns requires_shipping, nil if the cell is empty.
func (r row) shipping(check fault.Check) *bool {
	text := r.cell("requires_shipping")
	if text == "" {
		return nil
	}
	shipped, err := strconv.ParseBool(text)
	check.That(err == nil, "requires_shipping", "must be true or false")
	return &shipped
}

// draft converts the row to a product without variants.
func (r row) draft(check fault.Check) catalog.Draft {
	check.That(r.cell("sku") != "", "sku", "is required")
	d := catalog.Draft{
		SKU:         given(r.cell("sku")),
		Name:        given(r.cell("name")),
		Category:    given(r.cell("category")),
		Brand:       given(r.cell("brand")),
		Description: given(r.cell("description")),
		Attributes:  r.attributes(),
	}
	amounts := func(column string) patch.Field[money.Amount] {
		text := r.cell(column)
		if text == "" {
			return patch.Field[money.Amount]{}
		}
		return patch.To(price(text, column, r.in.currency, check))
	}
	d.Price, d.Cost, d.CompetitorPrice = amounts("price"), amounts("cost"), amounts("competitor_price")
	if text := r.cell("quantity"); text != "" && r.cell("variant_sku") == "" {
		d.Quantity = patch.To(stock(text, "quantity", check))
	}
	if r.cell("variant_sku") == "" {
		d.GTIN, d.MPN = given(r.cell("gtin")), given(r.cell("mpn"))
		d.InventoryPolicy = given(r.cell("inventory_policy"))
		if shipped := r.shipping(check); shipped != nil {
			d.RequiresShipping = patch.To(*shipped)
		}
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

// attributes returns the values of the attributes.<name> columns and, for a product without variants, its color and size.
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
