package shopify

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// These are the simulator's first products with seed 2. Each has one variant.
const daypack, backpack = "DP-00001", "BP-00002"

// status returns the product's status here.
func (s *shop) status(sku string) string {
	s.Helper()
	for _, one := range s.Ask(200, "GET", "/v1/catalog/products?limit=100", "")["data"].([]any) {
		if p := one.(map[string]any); p["sku"] == sku {
			return fmt.Sprint(p["status"])
		}
	}
	return "unknown"
}

// A product is on sale while it is published to the Online Store, according to webhooks. A gift card and a product for
// subscribers stay hidden when a webhook reports them.
func TestSale_webhooks(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{Seed: 2, ShopifyGiftCards: []string{backpack}})
		is := func(sku, want string) {
			t.Helper()
			s.Until(sku+" is "+want, func() bool { return s.status(sku) == want })
		}
		s.Ask(201, "POST", s.Integration+"/webhooks", `{"topic": "products/update"}`)
		is(daypack, "active")
		is(backpack, "archived")
		for _, published := range []bool{false, true} {
			for _, sku := range []string{backpack, daypack} {
				if err := s.PublishAtShopify(platforms.AdminPublish{SKU: sku, Published: published}); err != nil {
					t.Fatal(err)
				}
			}
			is(daypack, map[bool]string{false: "archived", true: "active"}[published])
			is(backpack, "archived")
		}
		s.Ask(200, "PATCH", s.Integration, `{"config": {"offer_gift_cards": true}}`)
		if err := s.PublishAtShopify(platforms.AdminPublish{SKU: backpack, Published: true}); err != nil {
			t.Fatal(err)
		}
		is(backpack, "active")
	})
}

// A digital product is sold without an address, and its order at Shopify has a line that needs no shipping, and no shipping
// line. When it is fulfilled there, it is delivered here.
func TestOrders_digital(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{Seed: 2, Digital: []string{daypack}})
		var product string
		for _, one := range s.Ask(200, "GET", "/v1/catalog/products?limit=100", "")["data"].([]any) {
			if p := one.(map[string]any); p["sku"] == daypack {
				product = fmt.Sprint(p["id"])
			}
		}
		opened := s.Ask(200, "POST", "/p/shop/acp/checkout/init", fmt.Sprintf(`{"items": [{"product_id": %q, "quantity": 1}]}`, product))
		paid := s.Ask(200, "POST", "/p/shop/acp/checkout/finalize", fmt.Sprintf(
			`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "ada@example.com"}`, opened["checkout_id"]))
		order := fmt.Sprint(paid["order"].(map[string]any)["id"])
		s.Written(order, "written")
		found := s.OnlyOne(order)
		if found["shipping"] != "0.00" || found["lines"].([]any)[0].(map[string]any)["requires_shipping"] != false {
			t.Errorf("%v", found)
		}
		if _, err := s.FulfillAtShopify(platforms.AdminFulfill{Order: order}); err != nil {
			t.Fatal(err)
		}
		s.Until("it is delivered here", func() bool {
			s.sync(s.Integration, `{"resources": ["orders"]}`)
			o := s.Ask(200, "GET", "/v1/orders/"+order, "")
			return o["fulfillment"].(map[string]any)["status"] == "delivered"
		})
	})
}
