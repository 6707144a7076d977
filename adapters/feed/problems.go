package feed

import (
	"fmt"
	"slices"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// problems are a product's problems, the first one of each field of a line.
type problems []catalog.LineProblem

func (p *problems) add(one catalog.LineProblem) {
	same := func(known catalog.LineProblem) bool {
		return known.Line == one.Line && known.Field == one.Field
	}
	if !slices.ContainsFunc(*p, same) {
		one.Value = catalog.Shown(one.Value)
		*p = append(*p, one)
	}
}

// ofRow adds the problems that a check found in a row.
func (p *problems) ofRow(r row, sku string, check fault.Check) {
	found, _ := check.Err().(*fault.Error)
	if found == nil {
		return
	}
	for _, d := range found.Details {
		p.add(catalog.LineProblem{
			Line:    r.number,
			SKU:     sku,
			Field:   d.Field,
			Value:   r.cell(d.Field),
			Message: d.Message,
		})
	}
}

// err returns the problems as one error, nil if there are none.
func (p problems) err() error {
	switch {
	case len(p) == 0:
		return nil
	case p[0].Field == "":
		return fault.New(fault.Malformed, "invalid_request", "The line "+p[0].Message+".")
	}
	all := fault.New(fault.Invalid, "validation_error", "The request has invalid values.")
	for _, one := range p {
		all = all.With(one.Field, one.Message)
	}
	return all
}

// unreadable is the error of a line that cannot be parsed, worded as a predicate.
type unreadable string

func (u unreadable) Error() string { return string(u) }

const (
	errTooLong  = unreadable("is longer than 1 MiB")
	errNotUTF8  = unreadable("is not UTF-8: save the file as UTF-8")
	errUnclosed = unreadable("has a quoted field without an end")
)

func ragged(cells, header int) unreadable {
	fields := "fields"
	if cells == 1 {
		fields = "field"
	}
	return unreadable(fmt.Sprintf("has %d %s, the header has %d", cells, fields, header))
}
