package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

func TestLineProblem_String(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]catalog.LineProblem{
		`line 6 (sku TENT-2): price "12,50" is not a decimal number; write 12.50`: {
			Line:    6,
			SKU:     "TENT-2",
			Field:   "price",
			Value:   "12,50",
			Message: "is not a decimal number; write 12.50",
		},
		"line 6: sku is required":                       {Line: 6, Field: "sku", Message: "is required"},
		"line 3 is not UTF-8":                           {Line: 3, Message: "is not UTF-8"},
		"line 4 (sku A) has 2 fields, the header has 3": {Line: 4, SKU: "A", Message: "has 2 fields, the header has 3"},
	} {
		if got := p.String(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"12,50":                                  "12,50",
		"\xe9":                                   "\ufffd",
		strings.Repeat("x", 101):                 strings.Repeat("x", 100) + "…",
		"x" + strings.Repeat("é", 60):            "x" + strings.Repeat("é", 49) + "…",
		strings.Repeat("x", 97) + "\xff\xff\xff": strings.Repeat("x", 97) + "\ufffd",
	} {
		if got := catalog.Shown(value); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Problems of a kind differ by line, SKU, value, the proposed correction, and other lines that they name.
func TestProblemList(t *testing.T) {
	t.Parallel()
	var l catalog.ProblemList
	for n := range 53 {
		l.Add(catalog.LineProblem{
			Line:    n + 2,
			Field:   "price",
			Value:   fmt.Sprintf("%d,50", n),
			Message: fmt.Sprintf("is not a decimal number; write %d.50", n),
		})
		if n < 2 {
			l.Add(catalog.LineProblem{Line: n + 2, Message: fmt.Sprintf("has %d fields, the header has 3", n)})
		}
	}
	got := l.Lines()
	if len(got) != 13 || got[10] != "… and 43 more like this" || got[12] != "line 3 has 1 fields, the header has 3" {
		t.Errorf("%q", got)
	}
}

func TestProblemList_bounded(t *testing.T) {
	t.Parallel()
	var l catalog.ProblemList
	for n := range 200 {
		l.Add(catalog.LineProblem{
			Line:    n + 1,
			Field:   strings.Repeat("x", n),
			Message: "is unknown",
		})
	}
	if got := l.Lines(); len(got) != 101 || !slices.Contains(got, "… and 100 other problems") {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
}
