package demo_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/cmd/boot/demo"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

type noIDs struct{}

func (noIDs) Product() (none id.Product) { return none }
func (noIDs) Variant() (none id.Variant) { return none }

func TestCatalogue_import(t *testing.T) {
	t.Parallel()
	products, err := feed.New(demo.Catalogue(), feed.Options{Name: "catalogue.ndjson", Currency: money.USD})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line, err := range products.All() {
		if err == nil {
			_, _, err = catalog.Create(id.Project{}, line.Draft, money.USD, noIDs{}, time.Time{})
		}
		if err != nil {
			t.Errorf("line %d: %v", line.Number, err)
		}
		n++
	}
	if n != demo.Count() {
		t.Errorf("%d products, want %d", n, demo.Count())
	}
}
