package segment

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/id"
)

// of are values for types in a product. Because of the ids, all filled products are equal.
var of = []any{
	catalog.Active, catalog.Archived, catalog.Backorder, catalog.Tracked, id.Stored[id.Product]("product"), id.Stored[id.Project]("project"), id.Stored[id.Variant]("variant"),
}

// A change of any field is a change of a product's text, so that the product is indexed again, unless the field is an exception.
func TestSameText_everyField(t *testing.T) {
	t.Parallel()
	before, p := fieldtest.Fill[catalog.Product](of...), fieldtest.Fill[catalog.Product](of...)
	const (
		aColumn = "it is a column of the segment: see reprice"
		shown   = "it is read from the product that is found"
		unknown = "searches know nothing of it"
	)
	fieldtest.Matter(t, &p, func(p *catalog.Product) any { return SameText(&before, p) }, fieldtest.Reasons{
		"catalog.Product.ID":               "two states of one product are compared",
		"catalog.Product.Project":          "an index is of one project",
		"catalog.Product.Status":           "what is archived leaves the index before texts are compared",
		"catalog.Product.Price":            aColumn,
		"catalog.Product.Variants[].Price": aColumn,
		"catalog.Product.Negotiable":       shown,

		"catalog.Product.Variants[].InventoryPolicy": aColumn,
		"catalog.Product.Variants[].Digital":         shown,
		"catalog.Product.Images":                     shown,
		"catalog.Product.Related":                    shown,
		"catalog.Product.Cost":                       unknown,
		"catalog.Product.CompetitorPrice":            unknown,
		"catalog.Product.CreatedAt":                  unknown,
		"catalog.Product.UpdatedAt":                  unknown,
	}, of...)
}

// If SameText finds no difference, the documents are equal: SameText compares every field that the builder reads.
func TestSameText_sameDocument(t *testing.T) {
	t.Parallel()
	before, p := fieldtest.Fill[catalog.Product](of...), fieldtest.Fill[catalog.Product](of...)
	limits := LimitsOf(0)
	unlimited := Allowance{
		Most:    limits.Most,
		Bytes:   limits.Bytes,
		Terms:   limits.Terms,
		Others:  limits.Terms,
		Spelled: limits.Spelled,
		Known:   func(string) bool { return false },
	}
	indexed := func(p *catalog.Product) string {
		names := NewLabels()
		s := Build([]*catalog.Product{p}, nil, &names, unlimited)
		return fmt.Sprint(s.Documents, s.Lengths, s.Titles, s.Colors, s.Variants, s.Words, s.BySKU, names)
	}
	fieldtest.Changes(&p, func(path string) {
		if SameText(&before, &p) && indexed(&p) != indexed(&before) {
			t.Errorf("%s changes the document and not the text:\n%s\n%s", path, indexed(&before), indexed(&p))
		}
	}, of...)
}
