package features

import (
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func searchIndexSteps(sc stepRegistry, w *world) {
	sc.Given(`^a shop with products of 8 kinds in 8 colours$`, w.openColourfulShop)
	sc.Then(`^the search index is (\w+) with (\d+) products$`, w.indexIs)
	sc.Then(`^the search index soon compares meanings by "([^"]*)"$`, w.indexCompares)
}

func (w *world) openColourfulShop() error {
	if err := w.openShop("Test Shop"); err != nil {
		return err
	}
	var all []merchant.Product
	for _, kind := range strings.Fields("mug plate lamp chair towel kettle rug clock") {
		for _, colour := range strings.Fields("red green blue white black yellow brown grey") {
			name := colour + " " + kind
			all = append(all, merchant.Product{
				Name:     name,
				SKU:      skuOf(name),
				Price:    decimal.FromInt(10),
				Category: "things",
			})
		}
	}
	return w.stockShop(all)
}

func (w *world) indexIs(status string, products int) error {
	i, err := w.merchant.SearchIndex(w.ctx)
	switch {
	case err != nil:
		return err
	case i.Status != status || i.Products != products:
		return fmt.Errorf("it is %s with %d products", i.Status, i.Products)
	case (i.IndexedVersion == i.CatalogVersion) != (status == "ready") || (i.MemoryBytes > 0) != (products > 0):
		return fmt.Errorf("it is %s with version %d of %d, and takes %d bytes", i.Status, i.IndexedVersion, i.CatalogVersion, i.MemoryBytes)
	}
	return nil
}

func (w *world) indexCompares(source string) error {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		i, err := w.merchant.SearchIndex(w.ctx)
		if err != nil || i.Vectors.Source != nil && *i.Vectors.Source == source {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("it compares them by %+v", i.Vectors)
		}
	}
}
