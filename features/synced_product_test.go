package features

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// syncedProductContext edits, orders and checks the product of a platform that choosesProduct chose.
type syncedProductContext struct{ *platformsContext }

// stockIsLessThanPlatform checks that the shop's stock of the product is the platform's less the quantity sold.
func (c *syncedProductContext) stockIsLessThanPlatform(sold int, platform string) error {
	there, err := c.platformStock(platform, c.product.SKU)
	if err != nil {
		return err
	}
	return c.catalog.stockIs(there-sold, c.product.Name)
}

// bothStocksFellBy waits until the platform's stock has fallen by the quantity sold, and checks that the shop has the same.
func (c *syncedProductContext) bothStocksFellBy(platform string, sold int) error {
	return within(10, func() error {
		there, err := c.platformStock(platform, c.product.SKU)
		if err != nil {
			return err
		}
		if there != c.initialStock-sold {
			return fmt.Errorf("%s has %d of %s, want %d", platform, there, c.product.Name, c.initialStock-sold)
		}
		return c.catalog.stockIs(there, c.product.Name)
	})
}

// orderIsDeal waits until HubSpot has exactly one deal for the order, in the stage of the outcome.
func (c *syncedProductContext) orderIsDeal(outcome string) error {
	return within(10, func() error {
		var stages []string
		for _, one := range c.platforms.State()["hubspot_deals"].([]any) {
			if d := one.(map[string]any); d["haggle_order_id"] == c.expand("$order") {
				stages = append(stages, fmt.Sprint(d["dealstage"]))
			}
		}
		if len(stages) != 1 || stages[0] != "closed"+outcome {
			return fmt.Errorf("deals of the order: %v, want one that is %s", stages, outcome)
		}
		return nil
	})
}

// buyersFindProduct checks whether a buyer's search for the product's name finds it.
func (c *syncedProductContext) buyersFindProduct(want bool) error {
	if err := c.discovery.hasSearched(c.product.Name, ""); err != nil {
		return err
	}
	found := slices.ContainsFunc(c.shopper.Found.Results, func(r acp.Result) bool { return r.ProductID == c.product.ID })
	if found != want {
		return fmt.Errorf("%s, and these are found: %q", c.product.Name, c.discovery.resultNames())
	}
	return nil
}

func (c *syncedProductContext) ordersProduct(quantity int) error {
	return c.checkouts.hasOrdered(quantity, c.product.Name)
}

func (c *syncedProductContext) availableIsWithin(seconds, want int) error {
	return within(seconds, func() error { return c.catalog.availableIs(want, c.product.Name) })
}

// allStockIsAvailable checks that buyers can have the shop's stock of all locations.
func (c *syncedProductContext) allStockIsAvailable() error {
	_, stock, err := c.readCatalog()
	if err != nil {
		return err
	}
	want := 0
	for place, quantity := range stock {
		if strings.HasPrefix(place, c.product.SKU+" ") {
			want += quantity
		}
	}
	return c.catalog.availableIs(want, c.product.Name)
}

// sellsSameSKU creates a product of the shop that has the SKU of the chosen one, called $before.
func (c *syncedProductContext) sellsSameSKU() error {
	if err := c.merchantSends("POST", productsPath, `{"name": "Old name", "sku": "$sku", "price": 5, "quantity": 1}`); err != nil {
		return err
	}
	return errors.Join(c.unexpectedRefusal(), c.namesAnswerField("id", "before"))
}

func (c *syncedProductContext) ownsProductSoldBefore() error {
	if err := c.send("GET", c.integrationPath("/records?resource=products&limit=100"), "", nil); err != nil {
		return err
	}
	return c.answerShows("data.*.local_id", `contains "$before"`)
}

func (c *syncedProductContext) renamesProduct(name, description string) error {
	return c.merchantSends("PATCH", c.catalog.productPath(), fmt.Sprintf(`{"name": %q, "description": %q}`, name, description))
}

func (c *syncedProductContext) productIsNamed(name, description string) error {
	return errors.Join(
		c.catalog.productFieldIs("name", fmt.Sprintf("%q", name)),
		c.catalog.productFieldIs("description", fmt.Sprintf("%q", description)),
	)
}

func (c *syncedProductContext) productIsDescribedByPlatform() error {
	return c.catalog.productFieldIs("description", "matches ^Made of")
}

// archivedAre checks the number of archived products: "1" or "at most 3".
func (c *syncedProductContext) archivedAre(want string) error {
	if err := c.send("GET", productsPath+"?status=archived", "", nil); err != nil {
		return err
	}
	return c.answerShows("meta.total", want)
}
