package features

import (
	"fmt"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func searchIndexSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^a shop with products of 8 kinds in 8 colours$`, s.search.openColourfulShop)
	sc.Then(`^the search index is (\w+) with (\d+) products$`, s.search.indexIs)
	sc.Then(`^the search index soon compares meanings by "([^"]*)"$`, s.search.indexCompares)
}

// searchContext checks search results: reasons, scores, facets, synonyms, the index.
type searchContext struct{ *scenario }

func (c *searchContext) openColourfulShop() error {
	if err := c.shops.openShop("Test Shop"); err != nil {
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
	return c.catalog.stockShop(all)
}

func (c *searchContext) indexIs(status string, products int) error {
	i, err := c.merchant.SearchIndex(c.ctx)
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

func (c *searchContext) indexCompares(source string) error {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		i, err := c.merchant.SearchIndex(c.ctx)
		if err != nil || i.Vectors.Source != nil && *i.Vectors.Source == source {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("it compares them by %+v", i.Vectors)
		}
	}
}
