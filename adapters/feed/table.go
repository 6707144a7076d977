package feed

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// columns that a header may name, attributes.<name> apart.
var columns = []string{
	"sku", "name", "price", "category", "brand", "description", "color", "size", "quantity", "cost",
	"competitor_price", "negotiable", "tags", "image_url", "variant_sku", "gtin", "mpn",
}

const attributePrefix = "attributes."

// table reads CSV.
type table struct {
	lines    *lines
	currency money.Currency
	header   []string
	at       map[string]int // where a column stands
}

// row is a CSV record. Cells have no space around them.
type row struct {
	number int // of the line where it starts
	cells  []string
	in     *table
}

// cell is "" for a column that the table lacks.
func (r row) cell(column string) string {
	if i, ok := r.in.at[column]; ok {
		return r.cells[i]
	}
	return ""
}

func openTable(l *lines, currency money.Currency) (*table, error) {
	t := &table{lines: l, currency: currency, at: map[string]int{}}
	header, err := t.record()
	switch {
	case err == io.EOF:
		return nil, errors.New("is empty; a CSV feed starts with a header row")
	case err != nil:
		return nil, fmt.Errorf("line %d: %w", header.number, err)
	}
	t.header = header.cells
	if err := t.index(); err != nil {
		return nil, fmt.Errorf("line %d: %w", header.number, err)
	}
	return t, nil
}

// index finds each column's place and refuses a header that names something unknown.
func (t *table) index() error {
	var unknown []string
	for i, name := range t.header {
		attribute, isAttribute := strings.CutPrefix(name, attributePrefix)
		if isAttribute && attribute == "" || !isAttribute && !slices.Contains(columns, name) {
			unknown = append(unknown, name)
		}
		if _, twice := t.at[name]; twice {
			return fmt.Errorf("column %q is given twice", name)
		}
		t.at[name] = i
	}
	if unknown != nil {
		return fmt.Errorf("unknown columns %q; known are %s and attributes.<name>", unknown, strings.Join(columns, ", "))
	}
	if _, ok := t.at["sku"]; !ok {
		return errors.New(`column "sku" is missing`)
	}
	return nil
}

// next is the next row that is not empty. A fault is that row's alone.
func (t *table) next() (row, error) {
	for {
		r, err := t.record()
		switch {
		case err != nil:
			return r, err
		case len(r.cells) != len(t.header):
			return r, unreadable(fmt.Sprintf("The row has %d fields, the header %d.", len(r.cells), len(t.header)))
		case slices.ContainsFunc(r.cells, func(cell string) bool { return cell != "" }):
			return r, nil
		}
	}
}

// record reads one record, which may have line breaks inside quotes. If those lines turn out to be
// no record, only the first of them is at fault and the others are read again.
func (t *table) record() (row, error) {
	first, err := t.lines.next()
	for err == nil && first.blank() {
		first, err = t.lines.next()
	}
	if err != nil {
		return row{number: t.lines.number}, err
	}
	r := row{number: first.number, in: t}
	if first.tooLong {
		return r, errTooLong
	}
	text, more, closed := t.whole(first.text)
	if closed {
		r.cells, err = parse(text)
	} else {
		err = unreadable("The row has a quoted field without end.")
	}
	if err != nil {
		t.lines.back(more)
	}
	return r, err
}

// whole adds lines to a record until its last quoted field is closed.
func (t *table) whole(start []byte) (text []byte, more []line, closed bool) {
	text = start
	at := fieldStart.after(start)
	for at == inQuotes {
		next, err := t.lines.next()
		if err != nil {
			return text, more, false
		}
		more = append(more, next)
		if next.tooLong || len(text)+1+len(next.text) > maxLine {
			return text, more, false
		}
		text = append(append(text, '\n'), next.text...)
		at = at.after(next.text)
	}
	return text, more, true
}

func parse(text []byte) ([]string, error) {
	if !utf8.Valid(text) {
		return nil, unreadable("The row is not UTF-8.")
	}
	fields := csv.NewReader(bytes.NewReader(text))
	cells, err := fields.Read()
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, unreadable(fmt.Sprintf("The row is not CSV: %v.", bad.Err))
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, err
}

// place is where in a record a text ends.
type place int

const (
	fieldStart place = iota // a quote here opens a quoted field
	inField
	inQuotes
	quoteInQuotes // the end of the field, or half of a doubled quote
	broken        // no CSV, whatever follows
)

// after moves on by one line. A line break outside quotes ends the record, one inside does not.
// Since a stray quote breaks the record at once, a line that opens a quoted field also ends the
// search for the end of one before it: no text makes record look at a line more than a few times.
func (p place) after(text []byte) place {
	for _, c := range text {
		switch {
		case p == inQuotes && c == '"':
			p = quoteInQuotes
		case p == inQuotes:
		case c == ',':
			p = fieldStart
		case c == '"' && p != inField:
			p = inQuotes
		case c == '"' || p == quoteInQuotes:
			return broken
		default:
			p = inField
		}
	}
	return p
}

func isFault(err error) bool {
	_, ok := errors.AsType[*fault.Error](err)
	return ok
}
