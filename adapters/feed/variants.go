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

// gathered is a product of a platform, made of several rows.
type gathered struct {
	t     *table
	first row
	rows  []catalog.FileRow
	draft catalog.Draft
	sku   string
	found problems
	// origin is where the file has a field of the draft, by the field without the numbers in it.
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

// option tells variants apart.
type option struct{ name, value string }

func (g *gathered) keep(r row) {
	if len(g.rows) < maxRows {
		g.rows = append(g.rows, r.source())
	}
}

// check has the problems that found finds in a row's columns.
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

// setVariants gives the draft its variants. An option that is the same for all is an attribute of the product; colour and
// size are ours; what is left tells variants apart, and goes with the size.
func (g *gathered) setVariants(attributes map[string]string) {
	same := g.sameForAll()
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

// sameForAll are the options of which all variants have the same value.
func (g *gathered) sameForAll() map[string]bool {
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

// line is the product, or what is wrong with it.
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
