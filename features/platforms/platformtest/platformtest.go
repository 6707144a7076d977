// Package platformtest is shared by tests of whole servers with simulated shop platforms: goods with stock on both sides, and
// orders that are written to the platform. It knows no platform's protocol.
package platformtest

import (
	"fmt"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// Shop is a merchant whose server is connected to a simulated platform and has synced its products.
type Shop struct {
	*boottest.Merchant
	*platforms.Server
	Platform    string // the look-alike's name: "shopify"
	Orders      string // name of the platform's orders in the simulator's state
	Reference   string // field of such an order that has our order's id
	Integration string // path of the integration
}

// Goods is a product without options, with its total stock here and at the platform.
type Goods struct {
	Shop    *Shop
	SKU, ID string
}

// Stocked returns a product with at least so many pieces in stock, here and at the platform.
func (s *Shop) Stocked(least int) Goods {
	s.Helper()
	for _, one := range s.Ask(200, "GET", "/v1/catalog/products?limit=100", "")["data"].([]any) {
		p := one.(map[string]any)
		g := Goods{
			Shop: s,
			SKU:  fmt.Sprint(p["sku"]),
			ID:   fmt.Sprint(p["id"]),
		}
		if variants, _ := p["variants"].([]any); len(variants) > 1 {
			continue
		}
		if g.Here() >= least && g.There() == g.Here() {
			return g
		}
	}
	s.Fatal("no product has enough stock")
	return Goods{}
}

// Here returns the stock that buyers can buy.
func (g Goods) Here() (n int) {
	g.Shop.Helper()
	for _, one := range g.Shop.Ask(200, "GET", "/v1/catalog/inventory?limit=100&sku="+g.SKU, "")["data"].([]any) {
		n += int(one.(map[string]any)["quantity"].(float64))
	}
	return n
}

// There returns the stock at the platform.
func (g Goods) There() (n int) {
	g.Shop.Helper()
	list, err := g.Shop.Records(g.Shop.Platform, "inventory")
	if err != nil {
		g.Shop.Fatal(err)
	}
	for _, one := range list {
		if level := one.(map[string]any); fmt.Sprint(level["sku"]) == g.SKU {
			n += level["quantity"].(int)
		}
	}
	return n
}

// Buy lets a buyer pay for pieces at list price, and returns the order's id.
func (g Goods) Buy(pieces int) string {
	g.Shop.Helper()
	return g.Shop.Sell(g.ID, pieces)
}

// Counts waits until both sides have so many pieces.
func (g Goods) Counts(want int) {
	g.Shop.Helper()
	g.Shop.Until(fmt.Sprint("there are ", want, " pieces here and at the platform"), func() bool {
		return g.Here() == want && g.There() == want
	})
}

// Written waits until the order has a status at the platform and no work is left.
func (s *Shop) Written(order, status string) (w map[string]any) {
	s.Helper()
	defer func() {
		if s.Failed() {
			s.Logf("%v", w)
		}
	}()
	s.Until("the order is "+status, func() bool {
		w = s.Ask(200, "GET", "/v1/orders/"+order+"/platform-order", "")
		return w["status"] == status && w["next_attempt_at"] == nil
	})
	return w
}

// AtPlatform returns the platform's orders with our order's id.
func (s *Shop) AtPlatform(order string) (found []map[string]any) {
	s.Helper()
	for _, one := range s.State()[s.Orders].([]any) {
		if o := one.(map[string]any); o[s.Reference] == order {
			found = append(found, o)
		}
	}
	return found
}

// OnlyOne returns the platform's only order with our order's id.
func (s *Shop) OnlyOne(order string) map[string]any {
	s.Helper()
	found := s.AtPlatform(order)
	if len(found) != 1 {
		s.Fatalf("%d orders at the platform: %v", len(found), found)
	}
	return found[0]
}

// SyncShop runs a sync of the shop's integration and waits for its end.
func (s *Shop) SyncShop(body string) {
	s.Helper()
	s.Sync(s.Integration, body)
}
