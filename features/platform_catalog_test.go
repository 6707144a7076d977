package features

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/merchant"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// remoteProduct is a product as a platform has it.
type remoteProduct struct {
	ID, Title, Status, Damaged string
	Deleted                    bool
	Items                      []struct {
		Item  string `json:"item_id"`
		SKU   string
		Price string
	}
}

// remoteLevel is a stock level as a platform has it. Shopify's locations are numbers; the server prefixes them.
type remoteLevel struct {
	ID, Item, SKU, Location string
	Quantity                int
	Deleted                 bool
}

func (l remoteLevel) location(platform string) string {
	if platform == "shopify" {
		return "shopify-" + l.Location
	}
	return l.Location
}

// platformRecords reads a platform's records of a resource.
func platformRecords[T any](s *scenario, platform, resource string) (list []T, err error) {
	records, err := s.platforms.platforms.Records(platform, resource)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(records)
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(text, &list)
}

// matchesPlatform checks that the shop's products and stock equal the platform's.
func (c *platformsContext) matchesPlatform(platform string) error {
	theirs, err := platformRecords[remoteProduct](c.scenario, platform, "products")
	if err != nil {
		return err
	}
	levels, err := platformRecords[remoteLevel](c.scenario, platform, "inventory")
	if err != nil {
		return err
	}
	ours, stock, err := c.readCatalog()
	if err != nil {
		return err
	}
	var wrong error
	for _, p := range theirs {
		wrong = errors.Join(wrong, p.compare(ours))
	}
	for _, l := range levels {
		if got, want := stock[l.SKU+" "+l.location(platform)], max(l.Quantity, 0); !l.Deleted && got != want {
			wrong = errors.Join(wrong, fmt.Errorf("of %s there are %d at %s, and %d here", l.SKU, want, l.location(platform), got))
		}
	}
	return wrong
}

// matchesPlatformWithin waits until the shop matches the platform.
func (c *platformsContext) matchesPlatformWithin(seconds int, platform string) error {
	return within(seconds, func() error { return c.matchesPlatform(platform) })
}

// readCatalog returns the shop's products by their variants' skus, and its stock by "sku location".
func (c *platformsContext) readCatalog() (products map[string]merchant.Product, stock map[string]int, err error) {
	list, err := c.merchant.Products(c.ctx, merchant.ProductQuery{Page: merchant.Page{Limit: 100}})
	if err != nil {
		return nil, nil, err
	}
	products, stock = map[string]merchant.Product{}, map[string]int{}
	for _, p := range list.Data {
		for _, v := range p.Variants {
			if v.Price != nil {
				p.Price = *v.Price
			}
			products[v.SKU] = p
		}
	}
	levels, err := c.merchant.Inventory(c.ctx, "", merchant.Page{Limit: 100})
	if err == nil && levels.Meta.Total > len(levels.Data) {
		err = errors.New("there is more stock than a page holds")
	}
	for _, l := range levels.Data {
		stock[l.SKU+" "+l.Location] = l.Quantity
	}
	return products, stock, err
}

func (p remoteProduct) compare(ours map[string]merchant.Product) error {
	var wrong error
	for _, item := range p.Items {
		got, there := ours[item.SKU]
		want := p.Status
		if p.Deleted {
			want = "archived"
		}
		price, err := decimal.Parse(item.Price)
		switch {
		case err != nil:
			return err
		case !there && !p.Deleted:
			wrong = errors.Join(wrong, fmt.Errorf("%s is missing", item.SKU))
		case there && (got.Status != want || !p.Deleted && (got.Name != p.Title || got.Price.Cmp(price) != 0)):
			wrong = errors.Join(wrong, fmt.Errorf("%s is %s %q at %s, want %s %q at %s", item.SKU, got.Status, got.Name, got.Price, want, p.Title, item.Price))
		}
	}
	return wrong
}

// choosesProduct makes a product of a platform the scenario's current one: active, with one variant, and in stock at the first
// location.
func (c *platformsContext) choosesProduct(platform string) error {
	products, err := platformRecords[remoteProduct](c.scenario, platform, "products")
	if err != nil {
		return err
	}
	levels, err := platformRecords[remoteLevel](c.scenario, platform, "inventory")
	if err != nil {
		return err
	}
	inStock := map[string]bool{}
	for _, l := range levels {
		if l.Quantity > 3 && (l.Location == "main" || l.Location == "61000001") {
			inStock[l.SKU] = true
		}
	}
	ours, _, err := c.readCatalog()
	if err != nil {
		return err
	}
	for _, p := range products {
		if p.Deleted || p.Damaged != "" || p.Status != "active" || len(p.Items) != 1 || !inStock[p.Items[0].SKU] {
			continue
		}
		c.product = ours[p.Items[0].SKU]
		c.products[c.product.Name] = c.product
		c.nameValue("item", p.Items[0].Item)
		c.nameValue("sku", p.Items[0].SKU)
		if c.initialStock, err = c.platformStock(platform, c.product.SKU); err != nil {
			return err
		}
		if platform == platforms.WooCommerce && c.catalog.stockIs(c.initialStock, c.product.Name) != nil {
			continue // WooCommerce does not track this product's stock
		}
		return nil
	}
	return errors.New("no product will do")
}

// platformStock returns a platform's stock of a sku over all locations.
func (c *platformsContext) platformStock(platform, sku string) (n int, err error) {
	levels, err := platformRecords[remoteLevel](c.scenario, platform, "inventory")
	for _, l := range levels {
		if l.SKU == sku {
			n += max(l.Quantity, 0)
		}
	}
	return n, err
}

// editsConflictingly edits fields of the chosen product, the price among them.
func (c *platformsContext) editsConflictingly() error {
	return c.merchantSends("PATCH", c.catalog.productPath(), `{"price": 1.5, "category": "our/own", "brand": "Our own"}`)
}
