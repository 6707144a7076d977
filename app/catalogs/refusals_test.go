package catalogs_test

import (
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

func TestRefusal_Table(t *testing.T) {
	t.Parallel()
	columns := []string{"line", "name", "sku", "price"}
	r := catalogs.Refusal{
		Line: catalogs.Line{
			SKU: "A",
			Rows: []catalog.FileRow{
				{Number: 2, Cells: []string{"9", "Tent", "A", "12,50"}},
				{Number: 3, Cells: []string{"9", "", "A", "13"}},
				{Number: 4, Cells: []string{"9", "", "A"}},
				{Number: 5, Cells: []string{"9", "", "A", "1", "x"}},
				{Number: 6, Text: `9,"`},
			},
		},
		Problems: []catalog.LineProblem{
			{Line: 2, Field: "price", Value: "12,50", Message: "is not a decimal number"},
			{Line: 2, Field: "name", Value: "Tent", Message: "is too short"},
			{Line: 4, Message: "has 3 fields, the header has 4"},
			{Line: 5, Message: "has 5 fields, the header has 4"},
			{Line: 6, Message: "is not CSV"},
		},
	}
	if got, want := catalogs.RefusalColumns(columns), []string{"line", "sku", "field", "value", "problem", "name", "price"}; !reflect.DeepEqual(got, want) {
		t.Errorf("columns %q", got)
	}
	want := [][]string{
		{"2", "A", "price", "12,50", `is not a decimal number; name "Tent" is too short`, "Tent", "12,50"},
		{"3", "A", "", "", "the product is omitted because of line 2", "", "13"},
		{"4", "A", "", "", "has 3 fields, the header has 4", "", ""},
		{"5", "A", "", "", "has 5 fields, the header has 4", "", "1", "x"},
		{"6", "", "", `9,"`, "is not CSV", "", ""},
	}
	if got := r.Table(columns); !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestRefusal_Table_ndjson(t *testing.T) {
	t.Parallel()
	r := catalogs.Refusal{
		Line:     catalogs.Line{SKU: "A", Rows: []catalog.FileRow{{Number: 7, Text: `{"sku":"A"}`}}},
		Problems: []catalog.LineProblem{{Line: 7, Field: "name", Message: "is required"}},
	}
	if got := catalogs.RefusalColumns(nil); !reflect.DeepEqual(got, []string{"line", "sku", "field", "value", "problem", "record"}) {
		t.Errorf("columns %q", got)
	}
	if got := r.Table(nil); !reflect.DeepEqual(got, [][]string{{"7", "A", "name", "", "is required", `{"sku":"A"}`}}) {
		t.Errorf("%q", got)
	}
}
