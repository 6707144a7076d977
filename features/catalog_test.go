package features

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

const (
	productsPath  = "/v1/catalog/products"
	inventoryPath = "/v1/catalog/inventory"
)

func (w *world) openShopSelling(table *godog.Table) error {
	if err := w.openShop("Test Shop"); err != nil {
		return err
	}
	var drafts []merchant.Product
	for _, row := range rowsOf(table) {
		draft, err := productFromRow(row)
		if err != nil {
			return err
		}
		drafts = append(drafts, draft)
	}
	return w.stockShop(drafts)
}

// stockShop creates products in one batch. The first one becomes the scenario's current product.
func (w *world) stockShop(drafts []merchant.Product) error {
	results, err := w.merchant.BatchProducts(w.ctx, drafts)
	if err != nil {
		return err
	}
	for _, result := range results {
		if result.Status != "created" {
			return fmt.Errorf("%s: %s %s", result.SKU, result.Status, result.Errors)
		}
	}
	stored, err := w.merchant.Products(w.ctx, merchant.ProductQuery{Page: merchant.Page{Limit: 100}})
	for _, p := range stored.Data {
		w.products[p.Name] = p
	}
	w.product = w.products[drafts[0].Name]
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

func (w *world) openShopWithMany(n int) error {
	if err := w.openShop("Test Shop"); err != nil {
		return err
	}
	return w.stockShop(manyProducts(n))
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

func (w *world) sendBatchOf(n int) error {
	body, err := json.Marshal(map[string]any{"products": manyProducts(n)})
	if err != nil {
		return err
	}
	return w.merchantSends("POST", productsPath+"/batch", string(body))
}

func (w *world) hasProduct(body *godog.DocString) error {
	if err := w.createProduct(body); err != nil {
		return err
	}
	return w.refusal
}

func (w *world) createProduct(body *godog.DocString) error {
	return w.attempt(func() error { return w.rememberCreated(w.send("POST", productsPath, w.expand(body.Content), nil)) })
}

// rememberCreated makes the created product the scenario's current product.
func (w *world) rememberCreated(refusal error) error {
	if refusal != nil {
		return refusal
	}
	err := json.Unmarshal(w.recorder.last().body, &w.product)
	w.products[w.product.Name] = w.product
	return err
}

func (w *world) createProductWith(field, value string) error {
	body, err := withField(map[string]any{"name": "Trail Tent", "sku": "TENT", "price": 100}, field, value)
	if err != nil {
		return err
	}
	return w.merchantSends("POST", productsPath, body)
}

// sendsToOtherShop sends a Management API request for the other shop.
func (w *world) sendsToOtherShop(method, path, body string) error {
	header := http.Header{"X-Project-Id": {w.otherShops[0].ID}}
	return w.attempt(func() error { return w.send(method, path, body, header) })
}

func (w *world) createProductInOtherShop(body *godog.DocString) error {
	return w.sendsToOtherShop("POST", productsPath, body.Content)
}

func (w *world) readsProductInOtherShop() error {
	return w.sendsToOtherShop("GET", w.productPath(), "")
}

func (w *world) productPath() string { return productsPath + "/" + w.product.ID }

func (w *world) changeProduct(body *godog.DocString) error {
	return w.merchantSends("PATCH", w.productPath(), body.Content)
}

func (w *world) deleteProduct() error { return w.merchantSends("DELETE", w.productPath(), "") }

func (w *world) setPrice(name, price string) error {
	return w.merchantSends("PATCH", productsPath+"/"+w.products[name].ID, `{"price": `+price+`}`)
}

func (w *world) selectsShop(id string) { w.merchant = w.merchant.In(w.expand(id)) }

func (w *world) restock(quantity int, name string) error {
	_, err := w.merchant.SetInventory(w.ctx, []merchant.Level{{SKU: w.products[name].SKU, Location: "main", Quantity: quantity}})
	return err
}

func (w *world) decrementConcurrently(sku string, times int) {
	w.runConcurrently(times, func(int) error {
		_, err := w.merchant.AdjustInventory(w.ctx, []merchant.Adjustment{{SKU: sku, Location: "main", Delta: -1}})
		return err
	})
}

// runConcurrently runs n actions at the same time and records the error of each in concurrentErrs. It retries an action that
// the server refused as overloaded or storage_unavailable.
func (w *world) runConcurrently(n int, action func(i int) error) {
	const tries = 10
	w.concurrentErrs, w.concurrentFrom = make([]error, n), len(w.recorder.all())
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			for try := range tries {
				w.concurrentErrs[i] = action(i)
				if r := refusalOf(w.concurrentErrs[i]); r == nil || r.code != "storage_unavailable" && r.code != "overloaded" {
					return
				}
				time.Sleep(time.Duration(try+1) * 100 * time.Millisecond)
			}
		})
	}
	running.Wait()
}

func (w *world) succeedAndRefused(well, badly, status int, code string) error {
	good := 0
	for _, err := range w.concurrentErrs {
		switch {
		case err == nil:
			good++
		case wantRefusal(err, status, code) != nil:
			return wantRefusal(err, status, code)
		}
	}
	if good != well || len(w.concurrentErrs)-good != badly {
		return fmt.Errorf("%d of %d succeeded", good, len(w.concurrentErrs))
	}
	return nil
}

func (w *world) productReadsTheSame() error {
	before := w.recorder.last().value()
	if err := w.send("GET", w.productPath(), "", nil); err != nil {
		return err
	}
	if now := w.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) productFieldIs(field, want string) error {
	if err := w.send("GET", w.productPath(), "", nil); err != nil {
		return err
	}
	return checkValue(w.recorder.last().value(), field, want)
}

// stockIs checks the available quantity, summed over all locations.
func (w *world) stockIs(want int, name string) error {
	levels, err := w.merchant.Inventory(w.ctx, w.products[name].SKU, merchant.Page{})
	got := 0
	for _, level := range levels.Data {
		got += level.Available
	}
	if err == nil && got != want {
		err = fmt.Errorf("there are %d", got)
	}
	return err
}

func (w *world) availableIs(want int, name string) error {
	answer, err := w.buyerClient(w.shop.Slug).Availability(w.ctx, acp.AvailabilityRequest{
		Items: []acp.AvailabilityItem{{ProductID: w.products[name].ID, Quantity: 1}},
	})
	if err == nil && answer.Items[0].AvailableQuantity != want {
		err = fmt.Errorf("they can have %d", answer.Items[0].AvailableQuantity)
	}
	return err
}

func (w *world) productNotFound() error {
	_, err := w.merchant.Product(w.ctx, w.product.ID)
	return wantRefusal(err, http.StatusNotFound, "product_not_found")
}

func (w *world) productNotFoundByBuyers() error {
	_, err := w.buyerClient(w.shop.Slug).Product(w.ctx, acp.ProductRequest{ProductID: w.product.ID})
	return wantRefusal(err, http.StatusNotFound, "product_not_found")
}

func (w *world) shopFigureIs(figure string, want int) error {
	if err := w.send("GET", w.shopPath(), "", nil); err != nil {
		return err
	}
	return checkValue(w.recorder.last().value(), figure, fmt.Sprint(want))
}

// importFile imports a product file of the given media type, with query parameters.
func (w *world) importFile(media, query string, file *godog.DocString) error {
	return w.attempt(func() error {
		return w.send("POST", "/v1/imports?"+query, file.Content+"\n", http.Header{"Content-Type": {media}})
	})
}
