package feed

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// columns that a header may name, attributes.<name> apart.
var columns = []string{
	"sku", "name", "price", "category", "brand", "description", "color", "size", "quantity", "cost",
	"competitor_price", "negotiable", "tags", "image_url", "variant_sku", "gtin", "mpn",
	"inventory_policy", "requires_shipping",
}

const attributePrefix = "attributes."

// notes are columns that a file of refused lines has in addition to those of its products.
var notes = []string{"line", "field", "value", "problem"}

// recordColumn holds a product as NDJSON.
const recordColumn = "record"

// table reads CSV.
type table struct {
	lines    *lines
	currency money.Currency
	header   []string
	at       map[string]int // where a column stands
	platform *platform      // nil: the format is Haggle's
	now      time.Time
}

// row is a CSV record. Cells have no space around them.
type row struct {
	number int // of the line where it starts
	cells  []string
	text   []byte // of a line that is not CSV
	in     *table
}

// source returns the row as the file has it.
func (r row) source() catalog.FileRow {
	if r.cells == nil {
		return catalog.FileRow{Number: r.number, Text: strings.ToValidUTF8(string(r.text), "\ufffd")}
	}
	return catalog.FileRow{Number: r.number, Cells: r.cells}
}

// cell returns the value of a column, "" if the table lacks it.
func (r row) cell(column string) string {
	if i, ok := r.in.at[column]; ok && i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

func (t *table) columns() []string { return t.header }

func openTable(l *lines, o Options) (*table, error) {
	t := &table{
		lines:    l,
		currency: o.Currency,
		at:       map[string]int{},
		now:      time.Now(),
	}
	header, err := t.record()
	switch {
	case err == io.EOF:
		return nil, errEmpty
	case err != nil:
		return nil, fmt.Errorf("line %d: %w", header.number, err)
	}
	t.header = header.cells
	if err := separated(t.header); err != nil {
		return nil, fmt.Errorf("line %d: %w", header.number, err)
	}
	switch o.Format {
	case Format{}, Haggle:
		err = t.index()
	default:
		err = t.openPlatform(o.Format)
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", header.number, err)
	}
	return t, nil
}

// index finds each column's position and refuses a header with unknown columns.
func (t *table) index() error {
	var unknown []string
	for i, name := range t.header {
		if _, twice := t.at[name]; twice {
			return fmt.Errorf("column %q is given twice", name)
		}
		t.at[name] = i
		if !isColumn(name) {
			unknown = append(unknown, name)
		}
	}
	_, records := t.at[recordColumn]
	_, named := t.at["sku"]
	if err := recognize(t.header, Haggle); err != nil {
		return err
	}
	switch {
	case records:
		return nil
	case unknown != nil:
		return unknownColumns(unknown)
	case !named:
		return errors.New(`column "sku" is missing`)
	}
	return nil
}

func isColumn(name string) bool {
	attribute, ok := strings.CutPrefix(name, attributePrefix)
	return ok && attribute != "" || slices.Contains(columns, name) || slices.Contains(notes, name)
}

// separated refuses a one-column header that contains another separator than the comma.
func separated(header []string) error {
	if len(header) > 1 {
		return nil
	}
	for _, separator := range []string{";", "\t"} {
		if strings.Contains(header[0], separator) {
			return fmt.Errorf("the columns are separated by %q: separate them by commas", separator)
		}
	}
	return nil
}

func unknownColumns(unknown []string) error {
	guesses := make([]string, len(unknown))
	for i, name := range unknown {
		guesses[i] = strconv.Quote(catalog.Shown(name))
		if meant := fault.Nearest(name, columns); meant != "" {
			guesses[i] += " (did you mean " + meant + "?)"
		}
	}
	return fmt.Errorf("unknown columns %s; known are %s and attributes.<name>", fault.Known(guesses), strings.Join(columns, ", "))
}

// next returns the next row that is not empty. An unreadable error concerns that row only.
func (t *table) next() (row, error) {
	for {
		r, err := t.record()
		switch {
		case err != nil:
			return r, err
		case len(r.cells) != len(t.header):
			return r, ragged(len(r.cells), len(t.header))
		case slices.ContainsFunc(r.cells, func(cell string) bool { return cell != "" }):
			return r, nil
		}
	}
}

// record reads one record, which may have line breaks inside quotes. If its lines turn out not to be a record, only the
// first of them is reported and the others are read again.
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
		err = errUnclosed
	}
	if len(more) > 0 && err != nil {
		r.cells = nil // those lines are read again
	}
	if r.cells == nil {
		r.text = first.text
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
	valid := utf8.Valid(text)
	if !valid {
		text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	}
	cells, err := csv.NewReader(bytes.NewReader(text)).Read()
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		cells, err = nil, unreadable(fmt.Sprintf("is not CSV: %v", bad.Err))
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	if !valid {
		return cells, errNotUTF8
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
	broken        // not CSV, whatever follows
)

// after returns the place after one more line. A line break outside quotes ends the record, one inside does not.
// Because a stray quote breaks the record at once, a line that opens a quoted field also ends the search for the end of an
// earlier one. So record reads each line at most a few times, whatever the text.
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

// lineOnly reports whether an error concerns only one line, so that reading can continue.
func lineOnly(err error) bool {
	_, ok := errors.AsType[unreadable](err)
	return ok
}
