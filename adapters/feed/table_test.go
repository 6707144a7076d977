package feed_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/patch"
)

func TestEveryColumnOfACSVProduct(t *testing.T) {
	t.Parallel()
	got := only(t, "a.csv", "sku,name,price,category,brand,description,color,size,quantity,cost,competitor_price,"+
		"negotiable,tags,image_url,variant_sku,attributes.season\n"+
		`A, Tent ,249.9,outdoor/tents,Larkfell,"Dry, ""really"" dry",Red,L,7,100,240.00,FALSE,a | b|,/a.svg,,3`+"\n")
	want := catalog.Draft{
		SKU: patch.To("A"), Name: patch.To("Tent"), Price: patch.To(usd(24_990)), Category: patch.To("outdoor/tents"),
		Brand: patch.To("Larkfell"), Description: patch.To(`Dry, "really" dry`), Quantity: patch.To(7),
		Attributes: patch.To(map[string]string{"color": "Red", "size": "L", "season": "3"}),
		Cost:       patch.To(usd(10_000)), CompetitorPrice: patch.To(usd(24_000)), Negotiable: patch.To(false),
		Tags: patch.To([]string{"a", "b"}), Images: patch.To([]catalog.Image{{URL: "/a.svg", Alt: "Tent"}}),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAnEmptyCellIsLeftOut(t *testing.T) {
	t.Parallel()
	got := only(t, "a.csv", "sku,name,price,color,quantity,cost,negotiable,tags,image_url,attributes.a\nA,,,,,,,,,\n")
	if want := (catalog.Draft{SKU: patch.To("A")}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestRowsWithVariantSKUsAreOneProduct(t *testing.T) {
	t.Parallel()
	got := only(t, "a.csv", "sku,variant_sku,name,price,color,size,quantity\n"+
		"A,A-R,Shirt,20,Red,M,3\nA,A-B,,20,Blue,M,0\nA,A-L,Shirt,22.50,Blue,L,\n")
	three, none, larger := 3, 0, usd(2_250)
	want := catalog.Draft{
		SKU: patch.To("A"), Name: patch.To("Shirt"), Price: patch.To(usd(2_000)),
		Variants: patch.To([]catalog.VariantDraft{
			{SKU: "A-R", Color: "Red", Size: "M", Quantity: &three}, {SKU: "A-B", Color: "Blue", Size: "M", Quantity: &none},
			{SKU: "A-L", Color: "Blue", Size: "L", Price: &larger},
		}),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAProductIsNeverImportedWithoutAVariant(t *testing.T) {
	t.Parallel()
	const left = " sku: is left out with all its variants because of line "
	for _, c := range []struct {
		name, rows string
		want       []string
	}{
		{"bad cell in a later row", "A,A-1,Shirt,1\nA,A-2,,x\nB,,Mat,1\n",
			[]string{"3 quantity: is not a decimal number", "2" + left + "3", "4 B"}},
		{"bad cell in the first row", "A,A-1,Shirt,-1\nA,A-2,,2\n",
			[]string{"2 quantity: must be between 0 and 1,000,000,000", "2" + left + "2"}},
		{"another name", "A,A-1,Shirt,1\nA,A-2,Mat,1\n",
			[]string{"3 name: differs from line 2, where the product starts", "2" + left + "3"}},
		{"no variant_sku in a later row", "A,A-1,Shirt,1\nA,,,1\n",
			[]string{"3 variant_sku: is required, for the product has variants", "2" + left + "3"}},
		{"unreadable row inside", "A,A-1,Shirt,1\nA,A-2\nA,A-3,,1\n",
			[]string{"3 The row has 2 fields, the header 4.", "2" + left + "3"}},
		{"unreadable row behind", "A,A-1,Shirt,1\nA,A-2,,1,1\nB,,Mat,1\n",
			[]string{"3 The row has 5 fields, the header 4.", "2" + left + "3", "4 B"}},
		{"unreadable row before", "A,A-1,,1,1\nA,A-2,Shirt,1\nB,B-1,Mat,1\n",
			[]string{"2 The row has 5 fields, the header 4.", "3" + left + "2", "4 B"}},
		{"only bad rows", "A,A-1,Shirt,x\nB,,Mat,1\n", []string{"2 quantity: is not a decimal number", "3 B"}},
		{"a hundred and one", "A,V,Shirt,1\n" + strings.Repeat("A,V,,1\n", 100),
			[]string{"102 variant_sku: is one too many; a product has at most 100 variants", "2" + left + "102"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			equal(t, told(t, "a.csv", "sku,variant_sku,name,quantity\n"+c.rows), c.want)
		})
	}
}

func TestBadCSVRowsAreNamedAndSkipped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ row, want string }{
		{"A,1e400,,", "2 price: is too large"},
		{"A,1.005,,", "2 price: has more decimals than the currency"},
		{"A,$5,,", "2 price: is not a decimal number"},
		{"A,,-1,", "2 quantity: must be between 0 and 1,000,000,000"},
		{"A,x,0.5,maybe", "2 price: is not a decimal number; quantity: must be a whole number; negotiable: must be true or false"},
		{",5,,", "2 sku: is required"},
		{"A,5", "2 The row has 2 fields, the header 4."},
		{"A,5,,,", "2 The row has 5 fields, the header 4."},
		{`A,27" wide,,`, `2 The row is not CSV: bare " in non-quoted-field.`},
		{`A,"5" wide,,`, `2 The row is not CSV: extraneous or missing " in quoted-field.`},
		{"A\xff,5,,", "2 The row is not UTF-8."},
		{strings.Repeat("x", 1<<20+1) + ",,,", "2 The line is longer than 1 MiB."},
		{`A,"5,,`, "2 The row has a quoted field without end."},
	} {
		got := told(t, "a.csv", "sku,price,quantity,negotiable\n"+c.row+"\nB,1,,\n")
		equal(t, got, []string{c.want, "3 B"})
	}
}

func TestALineNumberIsWhereTheRecordStarts(t *testing.T) {
	t.Parallel()
	got := told(t, "a.csv", "sku,\"price\"\n\nA,\"1\n2\n\"\n\"B\r\n\",2\n,,\n,\nC,3")
	equal(t, got, []string{"3 price: is not a decimal number", "6 B", "8 The row has 3 fields, the header 2.", "10 C"})
}

func TestLineBreaksInsideQuotesAreKept(t *testing.T) {
	t.Parallel()
	draft := only(t, "a.csv", "sku,description\nA,\"one\r\n\r\n\"\"two\"\", three\"\r\n")
	if got, _ := draft.Description.Value(); got != "one\n\n\"two\", three" {
		t.Errorf("description %q", got)
	}
}

func TestAnUnclosedQuoteCostsOneRowOnly(t *testing.T) {
	t.Parallel()
	t.Run("closed by a later quote", func(t *testing.T) {
		t.Parallel()
		got := told(t, "a.csv", "sku,name\nA,\"Tent\nB,Mat\nC,\"Bag\"\nD,Pot\n")
		equal(t, got, []string{`2 The row is not CSV: extraneous or missing " in quoted-field.`, "3 B", "4 C", "5 D"})
	})
	t.Run("never closed", func(t *testing.T) {
		t.Parallel()
		row := "B," + strings.Repeat("x", 1000) + "\n"
		got := told(t, "a.csv", "sku,name\nA,\"Tent\n"+strings.Repeat(row, 3000))
		if len(got) != 3001 || got[0] != "2 The row has a quoted field without end." || got[3000] != "3002 B" {
			t.Errorf("%d lines, first %q, last %q", len(got), got[0], got[len(got)-1])
		}
	})
	t.Run("on every line", func(t *testing.T) {
		t.Parallel()
		got := told(t, "a.csv", "sku,name\n"+strings.Repeat("A\",\"Tent\n", 150_000)) // minutes, if read in a square
		if len(got) != 150_000 || got[149_999] != `150001 The row is not CSV: bare " in non-quoted-field.` {
			t.Errorf("%d lines, last %q", len(got), got[len(got)-1])
		}
	})
	t.Run("half-written last row", func(t *testing.T) {
		t.Parallel()
		got := told(t, "a.csv", "sku,name\nA,Tent\nB,\"Ma")
		equal(t, got, []string{"2 A", "3 The row has a quoted field without end."})
	})
}

func TestALongRecordOfShortLinesIsBounded(t *testing.T) {
	t.Parallel()
	got := told(t, "a.csv", "sku,name\nA,\""+strings.Repeat(strings.Repeat("x", 1023)+"\n", 1025)+"\"\nB,Mat\n")
	if got[0] != "2 The row has a quoted field without end." || got[len(got)-1] != "1028 B" {
		t.Errorf("first %q, last %q", got[0], got[len(got)-1])
	}
}
