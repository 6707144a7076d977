package shopify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/features/platforms/platformtest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// written returns a new order that has been written to Shopify.
func written(g platformtest.Goods) string {
	g.Shop.Helper()
	order := g.Buy(1)
	g.Shop.Written(order, "written")
	return order
}

func synced(t *testing.T, database string, c platforms.Config) *shop {
	t.Helper()
	c.Products, c.Customers, c.Orders = 12, 2, 2
	there := lookalike(t, c)
	s := open(t, database, there, "")
	s.Integration = s.connect()
	if run := s.sync(s.Integration, `{"full_sync": true}`); run["status"] != "completed" {
		t.Fatalf("%v", run)
	}
	return s
}

// A paid order is created at Shopify once, with the amounts that the buyer paid, and reduces the stock once on both sides. When
// it is canceled here, it is canceled there, its refund is recorded, and the stock is restored.
func TestOrders_written(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		g := s.Stocked(5)
		before := g.Here()
		order := g.Buy(2)
		w := s.Written(order, "written")
		if w["problem"] != nil || !strings.HasPrefix(fmt.Sprint(w["name"]), "#") {
			t.Errorf("%v", w)
		}
		g.Counts(before - 2)
		found := s.OnlyOne(order)
		ours := s.Ask(200, "GET", "/v1/orders/"+order, "")
		for field, want := range map[string]string{
			"total": fmt.Sprintf("%.2f", ours["total"]), "received": fmt.Sprintf("%.2f", ours["total"]), "shipping": fmt.Sprintf("%.2f", ours["shipping"]),
			"subtotal": fmt.Sprintf("%.2f", ours["subtotal"]), "financialStatus": "PAID", "email": "ada@example.com", "sendReceipt": "false",
		} {
			if fmt.Sprint(found[field]) != want {
				t.Errorf("%s is %v, want %s", field, found[field], want)
			}
		}
		if run := s.sync(s.Integration, `{}`); run["status"] != "completed" {
			t.Errorf("%v", run)
		}
		g.Counts(before - 2)

		s.Ask(200, "POST", "/v1/orders/"+order+"/cancel", `{}`)
		s.Until("it is canceled and refunded there", func() bool {
			found := s.OnlyOne(order)
			return found["cancelledAt"] != nil && found["refunded"] == found["received"] && found["financialStatus"] == "REFUNDED"
		})
		s.Written(order, "written")
		g.Counts(before)
	})
}

// An order that is shipped here is fulfilled at Shopify with its tracking, and an order that is fulfilled there is shipped
// here.
func TestOrders_shipped(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		g := s.Stocked(5)
		here, there := g.Buy(1), g.Buy(1)
		s.Written(here, "written")
		name := fmt.Sprint(s.Written(there, "written")["name"])

		ship := func(number string) {
			s.Ask(200, "POST", "/v1/orders/"+here+"/fulfillment", `{"status": "shipped", "carrier": "UPS", "tracking_number": "`+number+`"}`)
			s.Until("Shopify knows the tracking", func() bool { return strings.Contains(fmt.Sprint(s.OnlyOne(here)["fulfillments"]), number) })
		}
		ship("1Z1")
		ship("1Z2")
		if n := len(s.OnlyOne(here)["fulfillments"].([]any)); n != 1 {
			t.Errorf("%d fulfillments", n)
		}

		if _, err := s.FulfillAtShopify(platforms.AdminFulfill{
			Order:   name,
			Company: "DHL",
			Number:  "JD9",
		}); err != nil {
			t.Fatal(err)
		}
		s.Until("the order is shipped here", func() bool {
			s.sync(s.Integration, `{"resources": ["orders"]}`)
			f := s.Ask(200, "GET", "/v1/orders/"+there, "")["fulfillment"].(map[string]any)
			return f["status"] == "shipped" && f["tracking_number"] == "JD9"
		})
		s.Written(there, "written")
		if n := len(s.OnlyOne(there)["fulfillments"].([]any)); n != 1 {
			t.Errorf("%d fulfillments there", n)
		}
	})
}

// An order is refused if Shopify has sold out meanwhile. Depending on the integration's policy it is kept and written once
// there is stock, or canceled and refunded.
func TestOrders_soldOut(t *testing.T) {
	for policy, status := range map[string]string{"keep": "confirmed", "refund": "canceled"} {
		t.Run(policy, func(t *testing.T) {
			each(t, func(t *testing.T, database string) {
				s := synced(t, database, platforms.Config{})
				s.Ask(200, "PATCH", s.Integration, `{"config": {"refused_orders": "`+policy+`"}}`)
				g := s.Stocked(3)
				for g.There() > 1 {
					if _, err := s.SellAtShopify(platforms.AdminSale{SKU: g.SKU}); err != nil {
						t.Fatal(err)
					}
				}
				order := g.Buy(2)
				w := s.Written(order, "refused")
				if !strings.Contains(fmt.Sprint(w["problem"]), "too little stock") {
					t.Errorf("%v", w)
				}
				if now := s.Ask(200, "GET", "/v1/orders/"+order, "")["status"]; now != status {
					t.Errorf("the order is %v, want %s", now, status)
				}
				if found := s.AtPlatform(order); len(found) > 0 {
					t.Errorf("%v", found)
				}
				alerts := s.Ask(200, "GET", "/v1/events?type=integration.error", "")["data"].([]any)
				if len(alerts) != 1 || !strings.Contains(fmt.Sprint(alerts[0]), "too little stock") {
					t.Errorf("%v", alerts)
				}
			})
		})
	}
}

// Orders are written only if the merchant enabled it and the goods are the shop's.
func TestOrders_notWritten(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		s.Ask(200, "PATCH", s.Integration, `{"config": {"write_orders": false}}`)
		g := s.Stocked(5)
		order := g.Buy(1)
		s.Ask(404, "GET", "/v1/orders/"+order+"/platform-order", "")

		if now := s.Ask(200, "PATCH", s.Integration, `{"config": {"write_orders": null}}`); now["config"].(map[string]any)["write_orders"] != true {
			t.Errorf("%v", now)
		}
		own := s.Ask(201, "POST", "/v1/catalog/products", `{"name": "Mug", "sku": "MUG-1", "price": 100, "category": "Kitchen", "quantity": 5}`)
		order = s.Sell(own["id"].(string), 1)
		s.Written(order, "skipped")
		s.Ask(409, "POST", "/v1/orders/"+written(g)+"/platform-order/retry", "")
	})
}
