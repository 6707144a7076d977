package features

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	productsPath  = "/v1/catalog/products"
	inventoryPath = "/v1/catalog/inventory"
)

// catalogContext changes a shop's products and stock, and imports them from files.
type catalogContext struct{ *scenario }

func (c *catalogContext) openShopSelling(table *godog.Table) error {
	return c.openShopWith(rowsOf(table))
}

// openShopWith opens a shop with products, given by the cells of their rows.
func (c *catalogContext) openShopWith(rows []map[string]string) error {
	if err := c.shops.openShop("Test Shop"); err != nil {
		return err
	}
	return c.storesRows(rows)
}

func (c *catalogContext) storesRows(rows []map[string]string) error {
	var drafts []merchant.Product
	for _, row := range rows {
		draft, err := productFromRow(row)
		if err != nil {
			return err
		}
		drafts = append(drafts, draft)
	}
	return c.stockShop(drafts)
}

// stockShop creates products in one batch. The first one becomes the scenario's current product.
func (c *catalogContext) stockShop(drafts []merchant.Product) error {
	results, err := c.merchant.BatchProducts(c.ctx, drafts)
	if err != nil {
		return err
	}
	for _, result := range results {
		if result.Status != "created" {
			return fmt.Errorf("%s: %s %s", result.SKU, result.Status, result.Errors)
		}
	}
	stored, err := c.merchant.Products(c.ctx, merchant.ProductQuery{Page: merchant.Page{Limit: 100}})
	for _, p := range stored.Data {
		c.products[p.Name] = p
	}
	c.product = c.products[drafts[0].Name]
	return err
}

// rowsOf converts a table with a header row to maps by column. It leaves out empty cells.
func rowsOf(table *godog.Table) []map[string]string {
	var rows []map[string]string
	for _, row := range table.Rows[1:] {
		cells := map[string]string{}
		for i, cell := range row.Cells {
			if cell.Value != "" {
				cells[table.Rows[0].Cells[i].Value] = cell.Value
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

// productFromRow converts a table row to a product. The sku defaults to the name in lower case with hyphens.
func productFromRow(row map[string]string) (merchant.Product, error) {
	price, err := decimal.Parse(row["price"])
	draft := merchant.Product{
		Name:        row["name"],
		SKU:         row["sku"],
		Price:       price,
		Category:    row["category"],
		Brand:       row["brand"],
		Description: row["description"],
		Status:      row["status"],
		Variants:    parseVariants(row["variants"]),
	}
	if draft.SKU == "" {
		draft.SKU = skuOf(draft.Name)
	}
	if cost, given := row["cost"]; given {
		amount, badCost := decimal.Parse(cost)
		draft.Cost, err = &amount, badCost
	}
	if tags, given := row["tags"]; given {
		draft.Tags = strings.Split(tags, ", ")
	}
	var related []string
	for name := range strings.SplitSeq(row["related"], ", ") {
		if name != "" {
			related = append(related, skuOf(name))
		}
	}
	if related != nil {
		draft.Related, err = json.Marshal(related)
	}
	if stock, given := row["stock"]; given && draft.Variants == nil {
		n, badStock := strconv.Atoi(stock)
		draft.Quantity, err = &n, badStock
	}
	return draft, err
}

func skuOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// parseVariants parses "S/Red=2, M/Blue=0": size, color and quantity.
func parseVariants(text string) []merchant.Variant {
	var variants []merchant.Variant
	for one := range strings.SplitSeq(text, ", ") {
		label, stock, ok := strings.Cut(one, "=")
		if !ok {
			continue
		}
		size, color, _ := strings.Cut(label, "/")
		n, _ := strconv.Atoi(stock)
		variants = append(variants, merchant.Variant{
			SKU:      strings.ToLower(label),
			Size:     size,
			Color:    color,
			Quantity: &n,
		})
	}
	return variants
}

func (c *catalogContext) openShopWithMany(n int) error {
	if err := c.shops.openShop("Test Shop"); err != nil {
		return err
	}
	return c.stockShop(manyProducts(n))
}

func manyProducts(n int) []merchant.Product {
	drafts := make([]merchant.Product, n)
	for i := range drafts {
		name := fmt.Sprintf("Product %d", i+1)
		drafts[i] = merchant.Product{
			Name:     name,
			SKU:      skuOf(name),
			Price:    decimal.FromInt(int64(i + 1)),
			Category: "things",
		}
	}
	return drafts
}

func (c *catalogContext) sendBatchOf(n int) error {
	body, err := json.Marshal(map[string]any{"products": manyProducts(n)})
	if err != nil {
		return err
	}
	return c.merchantSends("POST", productsPath+"/batch", string(body))
}

func (c *catalogContext) hasProduct(body *godog.DocString) error {
	if err := c.createProduct(body); err != nil {
		return err
	}
	return c.refusal
}

func (c *catalogContext) createProduct(body *godog.DocString) error { return c.creates(body.Content) }

// creates creates a product from JSON, and makes it the current one.
func (c *catalogContext) creates(body string) error {
	return c.attempt(func() error {
		return c.rememberCreated(c.send("POST", productsPath, c.expand(body), nil))
	})
}

// rememberCreated makes the created product the scenario's current product.
func (c *catalogContext) rememberCreated(refusal error) error {
	if refusal != nil {
		return refusal
	}
	err := json.Unmarshal(c.recorder.last().body, &c.product)
	c.products[c.product.Name] = c.product
	return err
}

func (c *catalogContext) createProductWith(field, value string) error {
	body, err := withField(map[string]any{"name": "Trail Tent", "sku": "TENT", "price": 100}, field, value)
	if err != nil {
		return err
	}
	return c.merchantSends("POST", productsPath, body)
}

func (c *catalogContext) readsProductInOtherShop() error {
	return c.sendsToOtherShop("GET", c.productPath(), "")
}

func (c *catalogContext) productPath() string { return productsPath + "/" + c.product.ID }

func (c *catalogContext) deleteProduct() error {
	return c.merchantSends("DELETE", c.productPath(), "")
}

func (c *catalogContext) setPrice(name, price string) error {
	return c.merchantSends("PATCH", productsPath+"/"+c.products[name].ID, `{"price": `+price+`}`)
}

func (c *catalogContext) selectsShop(id string) { c.merchant = c.merchant.In(c.expand(id)) }

func (c *catalogContext) restock(quantity int, name string) error {
	_, err := c.merchant.SetInventory(c.ctx, []merchant.Level{{SKU: c.products[name].SKU, Location: "main", Quantity: quantity}})
	return err
}

func (c *catalogContext) decrementConcurrently(sku string, times int) {
	c.runConcurrently(times, func(int) error {
		_, err := c.merchant.AdjustInventory(c.ctx, []merchant.Adjustment{{SKU: sku, Location: "main", Delta: -1}})
		return err
	})
}

func (c *catalogContext) productReadsTheSame() error {
	before := c.recorder.last().value()
	if err := c.send("GET", c.productPath(), "", nil); err != nil {
		return err
	}
	if now := c.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (c *catalogContext) productFieldIs(field, want string) error {
	if err := c.send("GET", c.productPath(), "", nil); err != nil {
		return err
	}
	return checkValue(c.recorder.last().value(), field, want)
}

// stockIs checks the available quantity, summed over all locations.
func (c *catalogContext) stockIs(want int, name string) error {
	levels, err := c.merchant.Inventory(c.ctx, c.products[name].SKU, merchant.Page{})
	got := 0
	for _, level := range levels.Data {
		got += level.Available
	}
	if err == nil && got != want {
		err = fmt.Errorf("there are %d", got)
	}
	return err
}

func (c *catalogContext) availableIs(want int, name string) error {
	answer, err := c.buyerClient(c.shop.Slug).Availability(c.ctx, acp.AvailabilityRequest{
		Items: []acp.AvailabilityItem{{ProductID: c.products[name].ID, Quantity: 1}},
	})
	if err == nil && answer.Items[0].AvailableQuantity != want {
		err = fmt.Errorf("they can have %d", answer.Items[0].AvailableQuantity)
	}
	return err
}

func (c *catalogContext) productNotFound() error {
	_, err := c.merchant.Product(c.ctx, c.product.ID)
	return wantRefusal(err, http.StatusNotFound, "product_not_found")
}

func (c *catalogContext) productNotFoundByBuyers() error {
	_, err := c.buyerClient(c.shop.Slug).Product(c.ctx, acp.ProductRequest{ProductID: c.product.ID})
	return wantRefusal(err, http.StatusNotFound, "product_not_found")
}

func (c *catalogContext) shopFigureIs(figure string, want int) error {
	if err := c.send("GET", c.shops.shopPath(), "", nil); err != nil {
		return err
	}
	return checkValue(c.recorder.last().value(), figure, fmt.Sprint(want))
}

// importFile imports a product file of the given media type, with query parameters.
func (c *catalogContext) importFile(media, query, file string) error {
	return c.attempt(func() error {
		return c.send("POST", "/v1/imports?"+query, file, http.Header{"Content-Type": {media}})
	})
}
