package catalogs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

// noteColumns say what is wrong with a refused row.
var noteColumns = []string{"line", "sku", "field", "value", "problem"}

// recordColumn has a line of NDJSON.
const recordColumn = "record"

// RefusalColumns are the columns of a table of refused products: what is wrong, and the columns of their file; nil: it is
// NDJSON. Once it is mended the table can be imported.
func RefusalColumns(columns []string) []string {
	if columns == nil {
		return append(slices.Clone(noteColumns), recordColumn)
	}
	return append(slices.Clone(noteColumns), slices.DeleteFunc(slices.Clone(columns), isNote)...)
}

func isNote(column string) bool { return slices.Contains(noteColumns, column) }

// Table returns the rows of the refused product for RefusalColumns of the same columns. All rows of a product are there,
// also those that are good, for it is only imported as a whole.
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

// withCells adds the cells of the columns that are no notes. sku is the row's own, where the file has that column.
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

// of returns what is wrong with a line in words, and the first of it.
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
		return fmt.Sprintf("the product is left out because of line %d", r.Problems[0].Line), first
	}
	return strings.Join(all, "; "), first
}
