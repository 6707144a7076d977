package catalogs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

// noteColumns are the columns that describe the problem of a refused row.
var noteColumns = []string{"line", "sku", "field", "value", "problem"}

// recordColumn is the column of a line of NDJSON.
const recordColumn = "record"

// RefusalColumns returns the columns of a table of refused products: noteColumns and the columns of their file. nil columns mean
// NDJSON. Merchants can correct the table and import it.
func RefusalColumns(columns []string) []string {
	if columns == nil {
		return append(slices.Clone(noteColumns), recordColumn)
	}
	return append(slices.Clone(noteColumns), slices.DeleteFunc(slices.Clone(columns), isNote)...)
}

func isNote(column string) bool { return slices.Contains(noteColumns, column) }

// Table returns the rows of the refused product for RefusalColumns of the same columns. They include the product's valid rows,
// because a product is only imported as a whole.
func (r Refusal) Table(columns []string) (rows [][]string) {
	for _, row := range r.Line.Rows {
		problem, first := r.of(row.Number)
		cells := []string{strconv.Itoa(row.Number), r.Line.SKU, first.Field, first.Value, problem}
		switch {
		case columns == nil:
			cells = append(cells, row.Text)
		case row.Cells == nil:
			cells[1], cells[3] = "", row.Text
			cells = append(cells, make([]string, len(RefusalColumns(columns))-len(cells))...)
		default:
			cells = r.withCells(cells, row, columns)
		}
		rows = append(rows, cells)
	}
	return rows
}

// withCells adds the cells of columns other than noteColumns. If the file has a column sku, the row's own sku replaces the note.
func (r Refusal) withCells(cells []string, row catalog.FileRow, columns []string) []string {
	for i, column := range columns {
		cell := ""
		if i < len(row.Cells) {
			cell = row.Cells[i]
		}
		switch {
		case column == "sku":
			cells[1] = cell
		case !isNote(column):
			cells = append(cells, cell)
		}
	}
	return append(cells, row.Cells[min(len(row.Cells), len(columns)):]...)
}

// of returns the problems of a line as a text, and the first of them.
func (r Refusal) of(line int) (problem string, first catalog.LineProblem) {
	var all []string
	for _, p := range r.Problems {
		if p.Line != line {
			continue
		}
		if len(all) == 0 {
			first = p
			all = append(all, p.Message)
			continue
		}
		all = append(all, p.Says())
	}
	if len(all) == 0 && len(r.Problems) > 0 {
		return fmt.Sprintf("the product is omitted because of line %d", r.Problems[0].Line), first
	}
	return strings.Join(all, "; "), first
}
