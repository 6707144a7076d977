package features

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/cucumber/godog"
)

// catalogChangeSteps create, change and archive products, and adjust stock.
func catalogChangeSteps(sc stepRegistry, s *scenario) {
	sc.Step(`^(?:the merchant uploads products|the shop also sells):$`, s.catalog.uploads)
	sc.When(`^the merchant uploads (\d+) products$`, s.catalog.sendBatchOf)
	sc.When(`^the merchant creates a product for ([\d.]+)$`, func(price string) error { return s.catalog.createProductWith("price", price) })
	sc.When(`^the merchant creates a product with the SKU "([^"]*)"( in the other shop)?$`, s.catalog.createsWithSKU)
	sc.When(`^the merchant creates the product "([^"]*)"$`, s.catalog.createsNamed)
	sc.When(`^the merchant renames the product to "([^"]*)"$`, func(name string) error { return s.catalog.changes(`{"name": ` + strconv.Quote(name) + `}`) })
	sc.When(`^the merchant archives the product$`, func() error { return s.catalog.changes(`{"status": "archived"}`) })
	sc.When(`^the merchant sells the product again$`, func() error { return s.catalog.changes(`{"status": "active"}`) })
	sc.When(`^the merchant counts the stock:$`, s.catalog.countsStock)
	sc.When(`^the merchant adjusts the stock:$`, s.catalog.adjustsStock)
	sc.When(`^the (merchant|holder of "[^"]*") lists products with the prices that the policy allows$`, s.catalog.listsWithBounds)
	sc.Given(`^a key "([^"]*)" that may only (read|change) this shop's (catalog|agents)$`, s.catalog.hasNarrowKey)

	sc.Then(`^the policy allows (\S+) and aims at (\S+) for a list price of (\S+)$`, s.catalog.boundsAre)
	sc.Then(`^the shop has it$`, func() error { return errors.Join(s.unexpectedRefusal(), s.statusIs(http.StatusCreated)) })
	sc.Then(`^its price is refused$`, func() error { return s.isRefusedAs("422 validation_error", "price") })
	sc.Then(`^(\d+) of them succeed, and (\d+) find too little stock$`, func(well, badly int) error {
		return s.succeedAndRefused(well, badly, http.StatusConflict, "insufficient_stock")
	})
}

// uploads adds products to the shop in one batch. The first becomes the current product.
func (c *catalogContext) uploads(table *godog.Table) error { return c.storesRows(rowsOf(table)) }

func (c *catalogContext) createsWithSKU(sku, inOtherShop string) error {
	body := fmt.Sprintf(`{"name": "Copy", "sku": %q, "price": 5}`, sku)
	if inOtherShop != "" {
		return c.sendsToOtherShop("POST", productsPath, body)
	}
	return c.merchantSends("POST", productsPath, body)
}

// createsNamed creates a product with 3 in stock, and makes it the current one.
func (c *catalogContext) createsNamed(name string) error {
	return c.creates(fmt.Sprintf(`{"name": %q, "sku": %q, "price": 30, "quantity": 3}`, name, skuOf(name)))
}

// changes sends a PATCH of the current product.
func (c *catalogContext) changes(body string) error {
	return c.merchantSends("PATCH", c.productPath(), body)
}

// countsStock sets the quantities of SKUs. The location may be empty.
func (c *catalogContext) countsStock(table *godog.Table) error {
	return c.sendsStock("PUT", inventoryPath, "levels", table)
}

// adjustsStock adds to the quantities of SKUs at the main location.
func (c *catalogContext) adjustsStock(table *godog.Table) error {
	return c.sendsStock("POST", inventoryPath+"/adjust", "adjustments", table)
}

func (c *catalogContext) sendsStock(method, path, list string, table *godog.Table) error {
	var all []string
	for _, row := range rowsOf(table) {
		fields := []string{fmt.Sprintf(`"sku": %q`, row["sku"])}
		if row["by"] != "" {
			fields = append(fields, `"location": "main", "delta": `+row["by"])
		}
		if row["quantity"] != "" {
			fields = append(fields, `"quantity": `+row["quantity"])
		}
		for _, name := range []string{"location", "reason"} {
			if row[name] != "" {
				fields = append(fields, fmt.Sprintf(`%q: %q`, name, row[name]))
			}
		}
		all = append(all, "{"+strings.Join(fields, ", ")+"}")
	}
	return c.merchantSends(method, path, fmt.Sprintf(`{%q: [%s]}`, list, strings.Join(all, ", ")))
}

func (c *catalogContext) listsWithBounds(who string) error {
	return c.sends("", who, "GET", productsPath+"?bounds=true", "")
}

// hasNarrowKey creates a key with one scope, for the current shop.
func (c *catalogContext) hasNarrowKey(name, verb, resource string) error {
	scope := resource + ":" + map[string]string{"read": "read", "change": "write"}[verb]
	return c.keys.hasKey(name, fmt.Sprintf(`{"scopes": [%q], "project_ids": ["$shop"]}`, scope))
}

func (c *catalogContext) boundsAre(floor, target, price string) error {
	return c.answerShows("data.0.price", price, "data.0.bounds.floor", floor, "data.0.bounds.target", target)
}
