package features

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// chargesTax sets the shop's tax rates. A row without a state is the rate of its country.
func (c *shopsContext) chargesTax(table *godog.Table) error {
	var rates []map[string]any
	for _, row := range rowsOf(table) {
		rate := map[string]any{"country": row["country"], "rate": json.Number(row["percent"])}
		if row["state"] != "" {
			rate["state"] = row["state"]
		}
		rates = append(rates, rate)
	}
	return c.changesStorefront("tax_rates", rates)
}

// shipsTo sets the countries that the shop ships to: "US, CA".
func (c *shopsContext) shipsTo(countries string) error {
	return c.changesStorefront("shipping_regions", strings.Split(countries, ", "))
}

// shipsAtRates sets the shop's shipping rates.
func (c *shopsContext) shipsAtRates(table *godog.Table) error {
	var rates []map[string]any
	for _, row := range rowsOf(table) {
		least, most, _ := strings.Cut(row["days"], "-")
		rates = append(rates, map[string]any{
			"region":   row["region"],
			"method":   row["option"],
			"price":    json.Number(row["price"]),
			"min_days": json.Number(least),
			"max_days": json.Number(most),
		})
	}
	return c.changesStorefront("shipping_rates", rates)
}

func (c *shopsContext) shipsFreeFrom(subtotal string) error {
	return c.changesStorefront("free_shipping_threshold", json.Number(subtotal))
}

func (c *shopsContext) changesStorefront(field string, value any) error {
	body, err := json.Marshal(map[string]any{field: value})
	if err != nil {
		return err
	}
	if err := c.patchesPart("/storefront", string(body)); err != nil {
		return err
	}
	return c.unexpectedRefusal()
}

// changesProduct sets a field of a product.
func (c *catalogContext) changesProduct(name, field string, value any) error {
	body, err := json.Marshal(map[string]any{"products": []map[string]any{{"sku": skuOf(name), field: value}}})
	if err != nil {
		return err
	}
	if err := c.merchantSends("POST", productsPath+"/batch", string(body)); err != nil {
		return err
	}
	return c.answerShows("data.0.status", `"updated"`)
}

func (c *catalogContext) isSold(name, how string) error {
	policies := map[string]string{
		"made to order":     "always_available",
		"sold on backorder": "backorder",
		"sold from stock":   "tracked",
	}
	return c.changesProduct(name, "inventory_policy", policies[how])
}

func (c *catalogContext) isShipped(name, how string) error {
	return c.changesProduct(name, "requires_shipping", how == "shipped")
}

// restockTwo sets the stock of a product at two locations.
func (c *catalogContext) restockTwo(first int, name, one string, second int, other string) error {
	sku := c.products[name].SKU
	_, err := c.merchant.SetInventory(c.ctx, []merchant.Level{
		{SKU: sku, Location: one, Quantity: first},
		{SKU: sku, Location: other, Quantity: second},
	})
	if err != nil {
		return fmt.Errorf("stock of %s: %w", sku, err)
	}
	return nil
}
