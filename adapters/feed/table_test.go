package feed_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

func TestTable_everyColumn(t *testing.T) {
	t.Parallel()
	got := only(t, "a.csv", "sku,name,price,category,brand,description,color,size,quantity,cost,competitor_price,"+
		"negotiable,tags,image_url,variant_sku,attributes.season\n"+
		`A, Tent ,249.9,outdoor/tents,Larkfell,"Dry, ""really"" dry",Red,L,7,100,240.00,FALSE,a | b|,/a.svg,,3`+"\n")
	want := catalog.Draft{
		SKU:             patch.To("A"),
		Name:            patch.To("Tent"),
		Price:           patch.To(usd(24_990)),
		Category:        patch.To("outdoor/tents"),
		Brand:           patch.To("Larkfell"),
		Description:     patch.To(`Dry, "really" dry`),
		Quantity:        patch.To(7),
		Attributes:      patch.To(map[string]string{"color": "Red", "size": "L", "season": "3"}),
		Cost:            patch.To(usd(10_000)),
		CompetitorPrice: patch.To(usd(24_000)),
		Negotiable:      patch.To(false),
		Tags:            patch.To([]string{"a", "b"}),
		Images:          patch.To([]catalog.Image{{URL: "/a.svg", Alt: "Tent"}}),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestTable_emptyCell(t *testing.T) {
	t.Parallel()
	got := only(t, "a.csv", "sku,name,price,color,quantity,cost,negotiable,tags,image_url,attributes.a\nA,,,,,,,,,\n")
	if want := (catalog.Draft{SKU: patch.To("A")}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestTable_variants(t *testing.T) {
	t.Parallel()
	got := only(t, "a.csv", "sku,variant_sku,name,price,color,size,quantity\n"+
		"A,A-R,Shirt,20,Red,M,3\nA,A-B,,20,Blue,M,0\nA,A-L,Shirt,22.50,Blue,L,\n")
	three, none, larger := 3, 0, usd(2_250)
	want := catalog.Draft{
		SKU:   patch.To("A"),
		Name:  patch.To("Shirt"),
		Price: patch.To(usd(2_000)),
		Variants: patch.To([]catalog.VariantDraft{
			{SKU: "A-R", Color: "Red", Size: "M", Quantity: &three}, {SKU: "A-B", Color: "Blue", Size: "M", Quantity: &none},
			{SKU: "A-L", Color: "Blue", Size: "L", Price: &larger},
		}),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A product is never imported without one of its variants: one bad row refuses all of it.
func TestTable_badVariantRow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, rows string
		want       []string
	}{
		{"bad cell in a later row", "A,A-1,Shirt,1\nA,A-2,,x\nB,,Mat,1\n",
			[]string{`line 3 (sku A): quantity "x" is not a whole number`, "4 B"}},
		{"bad cell in the first row", "A,A-1,Shirt,-1\nA,A-2,,2\n",
			[]string{`line 2 (sku A): quantity "-1" must be between 0 and 1,000,000,000`}},
		{"bad cells in two rows", "A,A-1,Shirt,-1\nA,A-2,,x\n",
			[]string{`line 2 (sku A): quantity "-1" must be between 0 and 1,000,000,000`, `line 3 (sku A): quantity "x" is not a whole number`}},
		{"another name", "A,A-1,Shirt,1\nA,A-2,Mat,1\n",
			[]string{`line 3 (sku A): name "Mat" differs from line 2, where the product starts`}},
		{"no variant_sku in a later row", "A,A-1,Shirt,1\nA,,,1\n",
			[]string{"line 3 (sku A): variant_sku is required, for the product has variants"}},
		{"unreadable row inside", "A,A-1,Shirt,1\nA,A-2\nA,A-3,,1\n",
			[]string{"line 3 (sku A) has 2 fields, the header has 4"}},
		{"unreadable row behind", "A,A-1,Shirt,1\nA,A-2,,1,1\nB,,Mat,1\n",
			[]string{"line 3 (sku A) has 5 fields, the header has 4", "4 B"}},
		{"unreadable row before", "A,A-1,,1,1\nA,A-2,Shirt,1\nB,B-1,Mat,1\n",
			[]string{
				"line 2 (sku A) has 5 fields, the header has 4",
				"line 3 (sku A): sku is left out with all its variants, for line 2 before it cannot be read",
				"4 B",
			}},
		{"only bad rows", "A,A-1,Shirt,x\nB,,Mat,1\n", []string{`line 2 (sku A): quantity "x" is not a whole number`, "3 B"}},
		{"one more than 2,048", "A,V,Shirt,1\n" + strings.Repeat("A,V,,1\n", 2048),
			[]string{`line 2050 (sku A): variant_sku "V" is one too many; a product has at most 2,048 variants`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			equal(t, summarize(t, "a.csv", "sku,variant_sku,name,quantity\n"+c.rows), c.want)
		})
	}
}

func TestTable_badRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ row, want string }{
		{"A,12345678901234,,", `line 2 (sku A): price "12345678901234" is too large`},
		{"A,1.005,,", `line 2 (sku A): price "1.005" has more decimals than the currency`},
		{"A,$5,,", `line 2 (sku A): price "$5" is not a decimal number; write 5.00`},
		{`A,"12,50",,`, `line 2 (sku A): price "12,50" is not a decimal number; write 12.50`},
		{`A,"1.234,50 €",,`, `line 2 (sku A): price "1.234,50 €" is not a decimal number; write 1234.50`},
		{`A,"$1,234",,`, `line 2 (sku A): price "$1,234" is not a decimal number; write 1234.00`},
		{`A,"0,500",,`, `line 2 (sku A): price "0,500" is not a decimal number; write 0.50`},
		{"A,1e3,,", `line 2 (sku A): price "1e3" is not a decimal number; write 1000.00`},
		{`A,"-12,50",,`, `line 2 (sku A): price "-12,50" is not a decimal number`},
		{"A,cheap,,", `line 2 (sku A): price "cheap" is not a decimal number`},
		{"A,1.2.3,,", `line 2 (sku A): price "1.2.3" is not a decimal number`},
		{"A,,-1,", `line 2 (sku A): quantity "-1" must be between 0 and 1,000,000,000`},
		{",5,,", "line 2: sku is required"},
		{"A,5", "line 2 (sku A) has 2 fields, the header has 4"},
		{"A", "line 2 (sku A) has 1 field, the header has 4"},
		{"A,5,,,", "line 2 (sku A) has 5 fields, the header has 4"},
		{`A,27" wide,,`, `line 2 is not CSV: bare " in non-quoted-field`},
		{`A,"5" wide,,`, `line 2 is not CSV: extraneous or missing " in quoted-field`},
		{"A\xff,5,,", "line 2 (sku A\ufffd) is not UTF-8: save the file as UTF-8"},
		{strings.Repeat("x", 1<<20+1) + ",,,", "line 2 is longer than 1 MiB"},
		{`A,"5,,`, "line 2 has a quoted field without an end"},
	} {
		got := summarize(t, "a.csv", "sku,price,quantity,negotiable\n"+c.row+"\nB,1,,\n")
		equal(t, got, []string{c.want, "3 B"})
	}
	got := summarize(t, "a.csv", "sku,price,quantity,negotiable\nA,x,0.5,maybe\n")
	equal(t, got, []string{
		`line 2 (sku A): price "x" is not a decimal number`,
		`line 2 (sku A): quantity "0.5" is not a whole number`,
		`line 2 (sku A): negotiable "maybe" must be true or false`,
	})
}

// A record has the number of the line where it starts.
func TestTable_lineNumbers(t *testing.T) {
	t.Parallel()
	got := summarize(t, "a.csv", "sku,\"price\"\n\nA,\"1\n2\n\"\n\"B\r\n\",2\n,,\n,\nC,3")
	equal(t, got, []string{"line 3 (sku A): price \"1\\n2\" is not a decimal number", "6 B", "line 8 has 3 fields, the header has 2", "10 C"})
}

func TestTable_lineBreakInQuotes(t *testing.T) {
	t.Parallel()
	draft := only(t, "a.csv", "sku,description\nA,\"one\r\n\r\n\"\"two\"\", three\"\r\n")
	if got, _ := draft.Description.Value(); got != "one\n\n\"two\", three" {
		t.Errorf("description %q", got)
	}
}

// An unclosed quote costs only its own row, and reading takes linear time.
func TestTable_unclosedQuote(t *testing.T) {
	t.Parallel()
	t.Run("closed by a later quote", func(t *testing.T) {
		t.Parallel()
		got := summarize(t, "a.csv", "sku,name\nA,\"Tent\nB,Mat\nC,\"Bag\"\nD,Pot\n")
		equal(t, got, []string{`line 2 is not CSV: extraneous or missing " in quoted-field`, "3 B", "4 C", "5 D"})
	})
	t.Run("never closed", func(t *testing.T) {
		t.Parallel()
		row := "B," + strings.Repeat("x", 1000) + "\n"
		got := summarize(t, "a.csv", "sku,name\nA,\"Tent\n"+strings.Repeat(row, 3000))
		if len(got) != 3001 || got[0] != "line 2 has a quoted field without an end" || got[3000] != "3002 B" {
			t.Errorf("%d lines, first %q, last %q", len(got), got[0], got[len(got)-1])
		}
	})
	t.Run("on every line", func(t *testing.T) {
		t.Parallel()
		got := summarize(t, "a.csv", "sku,name\n"+strings.Repeat("A\",\"Tent\n", 150_000)) // minutes, if read in a square
		if len(got) != 150_000 || got[149_999] != `line 150001 is not CSV: bare " in non-quoted-field` {
			t.Errorf("%d lines, last %q", len(got), got[len(got)-1])
		}
	})
	t.Run("half-written last row", func(t *testing.T) {
		t.Parallel()
		got := summarize(t, "a.csv", "sku,name\nA,Tent\nB,\"Ma")
		equal(t, got, []string{"2 A", "line 3 has a quoted field without an end"})
	})
}

func TestTable_tooLongRecord(t *testing.T) {
	t.Parallel()
	got := summarize(t, "a.csv", "sku,name\nA,\""+strings.Repeat(strings.Repeat("x", 1023)+"\n", 1025)+"\"\nB,Mat\n")
	if got[0] != "line 2 has a quoted field without an end" || got[len(got)-1] != "1028 B" {
		t.Errorf("first %q, last %q", got[0], got[len(got)-1])
	}
}

// A field of the draft is found where the file has it, also for problems that only the application finds.
func TestLine_At(t *testing.T) {
	t.Parallel()
	const csv = "sku,variant_sku,name,price,size,color,image_url,tags,attributes.season\n" +
		"A,A-1,Shirt,10,L,,/a.svg,x|y,3\nA,A-2,,11,M,,,,\nB,,Mat,5,XL,Red,,,\n"
	type place struct {
		line        int
		name, value string
	}
	for name, c := range map[string]struct {
		text    string
		product int
		want    map[string]place
	}{
		"a.csv": {csv, 0, map[string]place{
			"name":              {2, "name", "Shirt"},
			"category":          {2, "category", ""},
			"variants.1.price":  {3, "price", "11"},
			"variants.1.sku":    {3, "variant_sku", "A-2"},
			"variants.7.size":   {2, "variants.7.size", ""},
			"images.0.url":      {2, "image_url", "/a.svg"},
			"tags.1":            {2, "tags", "x|y"},
			"attributes.season": {2, "attributes.season", "3"},
		}},
		"b.csv": {csv, 1, map[string]place{"attributes.color": {4, "color", "Red"}, "sku": {4, "sku", "B"}}},
		"a.ndjson": {"\n" + `{"sku":"A","variants":[{"sku":"A-1"},{"sku":"A-2","price":11.0}]}`, 0, map[string]place{
			"variants.1.price": {2, "variants.1.price", "11.0"},
			"variants.2.price": {2, "variants.2.price", ""},
			"name":             {2, "name", ""},
		}},
	} {
		r, err := feed.New(strings.NewReader(c.text), feed.Options{Name: name, Currency: money.USD})
		if err != nil {
			t.Fatal(err)
		}
		var lines []feed.Line
		for line, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		for field, want := range c.want {
			if line, name, value := lines[c.product].At(field); (place{line, name, value}) != want {
				t.Errorf("%s is on line %d as %q with %q, want %+v", field, line, name, value, want)
			}
		}
	}
}

// The rows of a refused product are those of the file, so that they can be mended and imported again.
func TestLine_Rows(t *testing.T) {
	t.Parallel()
	r, err := feed.New(strings.NewReader("sku,variant_sku,quantity\nA,A-1,1\nA,A-2\nA,A-3,\n\"B\n"), feed.Options{Name: "a.csv", Currency: money.USD})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]catalog.FileRow
	for line := range r.All() {
		got = append(got, line.Rows)
	}
	want := [][]catalog.FileRow{
		{{Number: 2, Cells: []string{"A", "A-1", "1"}}, {Number: 3, Cells: []string{"A", "A-2"}}, {Number: 4, Cells: []string{"A", "A-3", ""}}, {Number: 5, Text: `"B`}},
	}
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(r.Columns(), []string{"sku", "variant_sku", "quantity"}) {
		t.Errorf("columns %q, rows\n%+v\nwant\n%+v", r.Columns(), got, want)
	}
}

// Refused products are read again from the file that lists them.
func TestTable_refusedAgain(t *testing.T) {
	t.Parallel()
	got := summarize(t, "refused.csv", "line,sku,field,value,problem,price\n7,A,price,\"12,50\",is not,12.50\n")
	equal(t, got, []string{"2 A"})
	got = summarize(t, "refused.csv", "line,sku,field,value,problem,record\n7,A,,,,\"{\"\"sku\"\":\"\"A\"\",\"\"price\"\":1}\"\n8,B,,,,\"{\"\n9,C\n")
	equal(t, got, []string{
		"2 A",
		"line 3 is not JSON: unexpected EOF at byte 2",
		"line 4 has 2 fields, the header has 6",
	})
}
