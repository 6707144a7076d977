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

// remoteProduct is a product in the platforms' own books.
type remoteProduct struct {
	ID, Title, Status, Damaged string
	Deleted                    bool
	Items                      []struct {
		Item  string `json:"item_id"`
		SKU   string
		Price string
	}
}

// remoteLevel is a level of stock there. Shopify's places are numbers, of which we make names.
type remoteLevel struct {
	ID, Item, SKU, Location string
	Quantity                int
	Deleted                 bool
}

func (l remoteLevel) place(platform string) string {
	if platform == "shopify" {
		return "shopify-" + l.Location
	}
	return l.Location
}

// remote reads the platforms' own books.
func remote[T any](w *world, platform, resource string) (list []T, err error) {
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

// mirrors compares all products and their stock with the platform's.
func (w *world) mirrors(platform string) error {
	theirs, err := remote[remoteProduct](w, platform, "products")
	if err != nil {
		return err
	}
	levels, err := remote[remoteLevel](w, platform, "inventory")
	if err != nil {
		return err
	}
	ours, stock, err := w.catalogue()
	if err != nil {
		return err
	}
	var wrong error
	for _, p := range theirs {
		wrong = errors.Join(wrong, p.against(ours))
	}
	for _, l := range levels {
		if got, want := stock[l.SKU+" "+l.place(platform)], max(l.Quantity, 0); !l.Deleted && got != want {
			wrong = errors.Join(wrong, fmt.Errorf("of %s there are %d at %s, and %d here", l.SKU, want, l.place(platform), got))
		}
	}
	return wrong
}

// mirrorsWithin waits for the shop to become as the platform.
func (w *world) mirrorsWithin(seconds int, platform string) error {
	return within(seconds, func() error { return w.mirrors(platform) })
}

// catalogue is our products by their variants' skus, and our stock by sku and location.
func (w *world) catalogue() (products map[string]merchant.Product, stock map[string]int, err error) {
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

func (p remoteProduct) against(ours map[string]merchant.Product) error {
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

// picks makes a product that came from a platform the one that steps speak of: on sale, in one size, in stock at the
// first place.
func (w *world) picks(platform string) error {
	products, err := remote[remoteProduct](w, platform, "products")
	if err != nil {
		return err
	}
	levels, err := remote[remoteLevel](w, platform, "inventory")
	if err != nil {
		return err
	}
	plenty := map[string]bool{}
	for _, l := range levels {
		if l.Quantity > 3 && (l.Location == "main" || l.Location == "61000001") {
			plenty[l.SKU] = true
		}
	}
	ours, _, err := w.catalogue()
	if err != nil {
		return err
	}
	for _, p := range products {
		if p.Deleted || p.Damaged != "" || p.Status != "active" || len(p.Items) != 1 || !plenty[p.Items[0].SKU] {
			continue
		}
		w.product = ours[p.Items[0].SKU]
		w.products[w.product.Name] = w.product
		w.call("item", p.Items[0].Item)
		w.call("sku", p.Items[0].SKU)
		if w.picked, err = w.countAt(platform, w.product.SKU); err != nil {
			return err
		}
		if platform == platforms.WooCommerce && w.inStock(w.picked, w.product.Name) != nil {
			continue // one that WooCommerce sells without counting
		}
		return nil
	}
	return errors.New("no product will do")
}

// hasLess compares what we have of the product, in all, with what the platform has and what was sold since.
func (w *world) hasLess(sold int, platform string) error {
	there, err := w.countAt(platform, w.product.SKU)
	if err != nil {
		return err
	}
	return w.inStock(there-sold, w.product.Name)
}

// bothHaveLess waits until the platform has sold what buyers bought here, and compares both with what there was.
func (w *world) bothHaveLess(platform string, sold int) error {
	return within(10, func() error {
		there, err := w.countAt(platform, w.product.SKU)
		if err != nil {
			return err
		}
		if there != w.picked-sold {
			return fmt.Errorf("%s has %d of %s, want %d", platform, there, w.product.Name, w.picked-sold)
		}
		return w.inStock(there, w.product.Name)
	})
}

// isDeal expects the order to be one deal at HubSpot, in the stage for such deals.
func (w *world) isDeal(outcome string) error {
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

// countAt is how many pieces a platform has in all.
func (w *world) countAt(platform, sku string) (n int, err error) {
	levels, err := remote[remoteLevel](w, platform, "inventory")
	for _, l := range levels {
		if l.SKU == sku {
			n += max(l.Quantity, 0)
		}
	}
	return n, err
}

// isFound lets a buyer search for the product by its name.
func (w *world) isFound(want bool) error {
	if err := w.searched(w.product.Name, ""); err != nil {
		return err
	}
	found := slices.ContainsFunc(w.shopper.Found.Results, func(r acp.Result) bool { return r.ProductID == w.product.ID })
	if found != want {
		return fmt.Errorf("%s, and these are found: %q", w.product.Name, w.found())
	}
	return nil
}

func (w *world) ordersIt(quantity int) error { return w.hasOrdered(quantity, w.product.Name) }

func (w *world) availableWithin(seconds, want int) error {
	return within(seconds, func() error { return w.available(want, w.product.Name) })
}

// offersWhatThereIs compares what buyers are told with our stock at all places.
func (w *world) offersWhatThereIs() error {
	_, stock, err := w.catalogue()
	if err != nil {
		return err
	}
	want := 0
	for place, quantity := range stock {
		if strings.HasPrefix(place, w.product.SKU+" ") {
			want += quantity
		}
	}
	return w.available(want, w.product.Name)
}
