package fault_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"sku", "name", "category", "image_url", "order.completed"}
	for meant, want := range map[string]string{
		"categories":            "category",
		"Category":              "category",
		"catgory":               "category",
		"Image URL":             "image_url",
		"order.complete":        "order.completed",
		"SKU":                   "sku",
		"skus":                  "sku",
		"weight":                "",
		"":                      "",
		strings.Repeat("x", 61): "",
	} {
		if got := fault.Nearest(meant, known); got != want {
			t.Errorf("%q: %q, want %q", meant, got, want)
		}
	}
}
