// Package customcontract runs whole servers against the look-alike of a merchant's own system: real HTTP, on both engines.
package customcontract

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// shop is a merchant with a project, whose server is connected to the look-alike and has read its goods.
type shop struct {
	*boottest.Merchant
	*platforms.Server
	integration string // its path
}

// each runs a test on both engines.
func each(t *testing.T, c platforms.Config, run func(*testing.T, *shop)) {
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			c.Products, c.Customers, c.Orders = 14, 2, 2
			there, err := platforms.Start("127.0.0.1:0", c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = there.Close() })
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) { c.AllowLoopback = true })
			s := &shop{Merchant: boottest.NewMerchant(t, app), Server: there}
			s.integration = "/v1/integrations/" + s.Ask(201, "POST", "/v1/integrations/connect/api-key", fmt.Sprintf(`{"type": "custom",
				"credentials": {"api_key": "custom-key"}, "config": {"base_url": %q}}`, there.URL+"/custom"))["id"].(string)
			s.sync(`{"full_sync": true}`)
			run(t, s)
		})
	}
}

// sync runs a sync to its end.
func (s *shop) sync(body string) {
	s.Helper()
	s.Sync(s.integration, body)
}

// goods is a product here with the stock that it has in all, here and there.
type goods struct {
	s       *shop
	sku, id string
}

// stocked is a product of which the system has at least so many pieces.
func (s *shop) stocked(least int) goods {
	s.Helper()
	for _, one := range s.Ask(200, "GET", "/v1/catalog/products?limit=100", "")["data"].([]any) {
		p := one.(map[string]any)
		g := goods{s, fmt.Sprint(p["sku"]), fmt.Sprint(p["id"])}
		if variants, _ := p["variants"].([]any); len(variants) > 1 {
			continue
		}
		if g.here() >= least && g.there() == g.here() {
			return g
		}
	}
	s.Fatal("no product has enough stock")
	return goods{}
}

// here is the stock that buyers can have.
func (g goods) here() (n int) {
	g.s.Helper()
	for _, one := range g.s.Ask(200, "GET", "/v1/catalog/inventory?limit=100&sku="+g.sku, "")["data"].([]any) {
		n += int(one.(map[string]any)["quantity"].(float64))
	}
	return n
}

// there is the stock in the system.
func (g goods) there() (n int) {
	g.s.Helper()
	list, err := g.s.Records("custom", "inventory")
	if err != nil {
		g.s.Fatal(err)
	}
	for _, one := range list {
		if level := one.(map[string]any); fmt.Sprint(level["sku"]) == g.sku {
			n += level["quantity"].(int)
		}
	}
	return n
}

// buy has a buyer pay for pieces at list price, and returns the order's id.
func (g goods) buy(pieces int) string {
	g.s.Helper()
	return g.s.Sell(g.id, pieces)
}

// counts expects so many pieces, here and there.
func (g goods) counts(want int) {
	g.s.Helper()
	g.s.Until(fmt.Sprint("there are ", want, " pieces here and there"), func() bool { return g.here() == want && g.there() == want })
}

// written waits for the order to be in a status in the system, with nothing left to do.
func (s *shop) written(order, status string) (w map[string]any) {
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

// inSystem are the system's orders with ours as their reference.
func (s *shop) inSystem(order string) (found []map[string]any) {
	s.Helper()
	for _, one := range s.State()["custom_orders"].([]any) {
		if o := one.(map[string]any); o["reference"] == order {
			found = append(found, o)
		}
	}
	return found
}

// onlyOne is the system's only order with ours as its reference.
func (s *shop) onlyOne(order string) map[string]any {
	s.Helper()
	found := s.inSystem(order)
	if len(found) != 1 {
		s.Fatalf("%d orders in the system: %v", len(found), found)
	}
	return found[0]
}
