package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
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
func platformRecords[T any](w *world, platform, resource string) (list []T, err error) {
	records, err := w.platforms.Records(platform, resource)
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
func (w *world) matchesPlatform(platform string) error {
	theirs, err := platformRecords[remoteProduct](w, platform, "products")
	if err != nil {
		return err
	}
	levels, err := platformRecords[remoteLevel](w, platform, "inventory")
	if err != nil {
		return err
	}
	ours, stock, err := w.readCatalog()
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
func (w *world) matchesPlatformWithin(seconds int, platform string) error {
	return within(seconds, func() error { return w.matchesPlatform(platform) })
}

// readCatalog returns the shop's products by their variants' skus, and its stock by "sku location".
func (w *world) readCatalog() (products map[string]merchant.Product, stock map[string]int, err error) {
	list, err := w.merchant.Products(w.ctx, merchant.ProductQuery{Page: merchant.Page{Limit: 100}})
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
	levels, err := w.merchant.Inventory(w.ctx, "", merchant.Page{Limit: 100})
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
func (w *world) choosesProduct(platform string) error {
	products, err := platformRecords[remoteProduct](w, platform, "products")
	if err != nil {
		return err
	}
	levels, err := platformRecords[remoteLevel](w, platform, "inventory")
	if err != nil {
		return err
	}
	inStock := map[string]bool{}
	for _, l := range levels {
		if l.Quantity > 3 && (l.Location == "main" || l.Location == "61000001") {
			inStock[l.SKU] = true
		}
	}
	ours, _, err := w.readCatalog()
	if err != nil {
		return err
	}
	for _, p := range products {
		if p.Deleted || p.Damaged != "" || p.Status != "active" || len(p.Items) != 1 || !inStock[p.Items[0].SKU] {
			continue
		}
		w.product = ours[p.Items[0].SKU]
		w.products[w.product.Name] = w.product
		w.nameValue("item", p.Items[0].Item)
		w.nameValue("sku", p.Items[0].SKU)
		if w.initialStock, err = w.platformStock(platform, w.product.SKU); err != nil {
			return err
		}
		if platform == platforms.WooCommerce && w.stockIs(w.initialStock, w.product.Name) != nil {
			continue // WooCommerce does not track this product's stock
		}
		return nil
	}
	return errors.New("no product will do")
}

// stockIsLessThanPlatform checks that the shop's stock of the product is the platform's less the quantity sold.
func (w *world) stockIsLessThanPlatform(sold int, platform string) error {
	there, err := w.platformStock(platform, w.product.SKU)
	if err != nil {
		return err
	}
	return w.stockIs(there-sold, w.product.Name)
}

// bothStocksFellBy waits until the platform's stock has fallen by the quantity sold, and checks that the shop has the same.
func (w *world) bothStocksFellBy(platform string, sold int) error {
	return within(10, func() error {
		there, err := w.platformStock(platform, w.product.SKU)
		if err != nil {
			return err
		}
		if there != w.initialStock-sold {
			return fmt.Errorf("%s has %d of %s, want %d", platform, there, w.product.Name, w.initialStock-sold)
		}
		return w.stockIs(there, w.product.Name)
	})
}

// orderIsDeal waits until HubSpot has exactly one deal for the order, in the stage of the outcome.
func (w *world) orderIsDeal(outcome string) error {
	return within(10, func() error {
		var stages []string
		for _, one := range w.platforms.State()["hubspot_deals"].([]any) {
			if d := one.(map[string]any); d["haggle_order_id"] == w.expand("$order") {
				stages = append(stages, fmt.Sprint(d["dealstage"]))
			}
		}
		if len(stages) != 1 || stages[0] != "closed"+outcome {
			return fmt.Errorf("deals of the order: %v, want one that is %s", stages, outcome)
		}
		return nil
	})
}

// platformStock returns a platform's stock of a sku over all locations.
func (w *world) platformStock(platform, sku string) (n int, err error) {
	levels, err := platformRecords[remoteLevel](w, platform, "inventory")
	for _, l := range levels {
		if l.SKU == sku {
			n += max(l.Quantity, 0)
		}
	}
	return n, err
}

// buyersFindProduct checks whether a buyer's search for the product's name finds it.
func (w *world) buyersFindProduct(want bool) error {
	if err := w.hasSearched(w.product.Name, ""); err != nil {
		return err
	}
	found := slices.ContainsFunc(w.shopper.Found.Results, func(r acp.Result) bool { return r.ProductID == w.product.ID })
	if found != want {
		return fmt.Errorf("%s, and these are found: %q", w.product.Name, w.resultNames())
	}
	return nil
}

func (w *world) ordersProduct(quantity int) error { return w.hasOrdered(quantity, w.product.Name) }

func (w *world) availableIsWithin(seconds, want int) error {
	return within(seconds, func() error { return w.availableIs(want, w.product.Name) })
}

// allStockIsAvailable checks that buyers can have the shop's stock of all locations.
func (w *world) allStockIsAvailable() error {
	_, stock, err := w.readCatalog()
	if err != nil {
		return err
	}
	want := 0
	for place, quantity := range stock {
		if strings.HasPrefix(place, w.product.SKU+" ") {
			want += quantity
		}
	}
	return w.availableIs(want, w.product.Name)
}
