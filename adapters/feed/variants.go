package feed

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/plaintext"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/patch"
)

const (
	mostImages = 50
	mostTags   = 100
)

// gathered is a product of a platform that is collected from several rows.
type gathered struct {
	t     *table
	first row
	rows  []catalog.FileRow
	draft catalog.Draft
	sku   string
	found problems
	// origin maps a field of the draft, without the numbers in it, to the column of the file.
	origin map[string]string
	images []catalog.Image
	sold   []sold
}

// sold is a variant, or the product itself.
type sold struct {
	at      int // in rows
	options []option
	draft   catalog.VariantDraft
}

// option is an option of a variant, such as its color.
type option struct{ name, value string }

func (g *gathered) keep(r row) {
	if len(g.rows) < maxRows {
		g.rows = append(g.rows, r.source())
	}
}

// check collects the problems that find reports for a row's columns.
func (g *gathered) check(r row, find func(fault.Check)) {
	check := fault.NewCheck()
	find(check)
	bad, _ := check.Err().(*fault.Error)
	if bad == nil || len(g.found) >= maxRows {
		return
	}
	for _, d := range bad.Details {
		g.found.add(catalog.LineProblem{
			Line:    r.number,
			SKU:     g.sku,
			Field:   g.t.name(d.Field),
			Value:   r.cell(d.Field),
			Message: d.Message,
		})
	}
}

func (g *gathered) addImage(url, alt string) {
	if url != "" && len(g.images) < mostImages {
		g.images = append(g.images, catalog.Image{URL: url, Alt: plaintext.Cut(plaintext.Line(alt), 500)})
	}
}

// setVariants sets the draft's variants. An option with the same value in all variants becomes an attribute of the product.
// Color and size have fields of their own; all other options are appended to the size.
func (g *gathered) setVariants(attributes map[string]string) {
	same := g.commonOptions()
	variants := make([]catalog.VariantDraft, len(g.sold))
	for i, s := range g.sold {
		var sizes []string
		for _, o := range s.options {
			switch {
			case strings.EqualFold(o.name, "color") || strings.EqualFold(o.name, "colour"):
				s.draft.Color = plaintext.Cut(o.value, 100)
			case strings.EqualFold(o.name, "size") || !same[o.name]:
				sizes = append(sizes, o.value)
			default:
				attributes[o.name] = o.value
			}
		}
		s.draft.Size = plaintext.Cut(strings.Join(sizes, " / "), 100)
		variants[i] = s.draft
	}
	g.draft.Variants = patch.To(variants)
}

// commonOptions returns the options whose value is the same in all variants.
func (g *gathered) commonOptions() map[string]bool {
	values, same := map[string]string{}, map[string]bool{}
	for _, s := range g.sold {
		for _, o := range s.options {
			value, seen := values[o.name]
			same[o.name] = !seen || same[o.name] && value == o.value
			values[o.name] = o.value
		}
	}
	return same
}

// line returns the product with its problems.
func (g *gathered) line() Line {
	l := Line{
		Number:   g.first.number,
		SKU:      g.sku,
		Problems: g.found,
		Rows:     g.rows,
		locate:   g.locate,
	}
	for i := range l.Problems {
		l.Problems[i].SKU = g.sku
	}
	if len(g.images) > 0 {
		g.draft.Images = patch.To(g.images)
	}
	if len(g.found) == 0 {
		l.Draft = g.draft
	}
	return l
}

// locate finds a field of the draft in the rows.
func (g *gathered) locate(field string) (at int, name, value string) {
	list, rest, nested := strings.Cut(field, ".")
	key := list
	if list == "variants" {
		index, member, _ := strings.Cut(rest, ".")
		if n, err := strconv.Atoi(index); err == nil && n < len(g.sold) {
			at = min(g.sold[n].at, len(g.rows)-1)
		}
		key = "variants." + member
	}
	column, known := g.origin[key]
	if !known {
		if nested {
			return at, field, ""
		}
		return at, list, ""
	}
	return at, g.t.name(column), row{cells: g.rows[at].Cells, in: g.t}.cell(column)
}
