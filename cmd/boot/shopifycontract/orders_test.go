package shopifycontract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// goods is a product here with the stock that it has in all, here and at Shopify.
type goods struct {
	s       *shop
	sku, id string
}

// stocked is a product that has at least so many pieces.
func (s *shop) stocked(least int) goods {
	s.Helper()
	for _, one := range s.ask(200, "GET", "/v1/catalog/products?limit=100", "")["data"].([]any) {
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
	for _, one := range g.s.ask(200, "GET", "/v1/catalog/inventory?limit=100&sku="+g.sku, "")["data"].([]any) {
		n += int(one.(map[string]any)["quantity"].(float64))
	}
	return n
}

// there is the stock at Shopify.
func (g goods) there() (n int) {
	g.s.Helper()
	list, err := g.s.Records("shopify", "inventory")
	if err != nil {
		g.s.Fatal(err)
	}
	for _, one := range list {
		level := one.(map[string]any)
		if fmt.Sprint(level["sku"]) == g.sku {
			n += level["quantity"].(int)
		}
	}
	return n
}

// buy has a buyer pay for pieces at list price, and returns the order's id.
func (g goods) buy(pieces int) string {
	s := *g.s
	s.Helper()
	s.project = ""
	session := s.ask(200, "POST", "/p/shop/acp/quote", fmt.Sprintf(`{"product_id": %q, "quantity": 1, "offer_price": 0.01}`, g.id))["session_id"]
	opened := s.ask(200, "POST", "/p/shop/acp/checkout/init", fmt.Sprintf(`{"session_id": %q, "items": [{"product_id": %q, "quantity": %d}],
		"shipping_address": {"name": "Ada Buyer", "line1": "1 Main St", "city": "Springfield", "state": "CA", "postal_code": "90001", "country": "US"}}`,
		session, g.id, pieces))
	paid := s.ask(200, "POST", "/p/shop/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "ada@example.com"}`, opened["checkout_id"]))
	order, _ := paid["order"].(map[string]any)
	if order == nil {
		s.Fatalf("%v", paid)
	}
	return fmt.Sprint(order["id"])
}

// written is a new order that is written to Shopify.
func (g goods) written() string {
	g.s.Helper()
	order := g.buy(1)
	g.s.written(order, "written")
	return order
}

// counts expects so many pieces, here and there.
func (g goods) counts(want int) {
	g.s.Helper()
	g.s.until(fmt.Sprint("there are ", want, " pieces here and at Shopify"), func() bool { return g.here() == want && g.there() == want })
}

// onlyOne is the only order at Shopify with ours as its source.
func (s *shop) onlyOne(order string) map[string]any {
	s.Helper()
	found := s.atShopify(order)
	if len(found) != 1 {
		s.Fatalf("%d orders at Shopify: %v", len(found), found)
	}
	return found[0]
}

// written waits for the order to be in a status at Shopify, with nothing left to do.
func (s *shop) written(order, status string) (w map[string]any) {
	s.Helper()
	defer func() {
		if s.Failed() {
			s.Logf("%v", w)
		}
	}()
	s.until("the order is "+status, func() bool {
		w = s.ask(200, "GET", "/v1/orders/"+order+"/platform-order", "")
		return w["status"] == status && w["next_attempt_at"] == nil
	})
	return w
}

// atShopify are the orders with ours as their source.
func (s *shop) atShopify(order string) (found []map[string]any) {
	s.Helper()
	for _, one := range s.State()["shopify_orders"].([]any) {
		if o := one.(map[string]any); o["sourceIdentifier"] == order {
			found = append(found, o)
		}
	}
	return found
}

func synced(t *testing.T, database string, c platforms.Config) *shop {
	t.Helper()
	c.Products, c.Customers, c.Orders = 12, 2, 2
	there := lookalike(t, c)
	s := open(t, database, there, "")
	s.integration = s.connect()
	if run := s.sync(s.integration, `{"full_sync": true}`); run["status"] != "completed" {
		t.Fatalf("%v", run)
	}
	return s
}

// A paid order is created at Shopify once, with what the buyer paid, and counts the stock down once, here and there. When it is
// canceled, it is canceled there, its refund is recorded, and the stock is back.
func TestOrders_written(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		g := s.stocked(5)
		before := g.here()
		order := g.buy(2)
		w := s.written(order, "written")
		if w["problem"] != nil || !strings.HasPrefix(fmt.Sprint(w["name"]), "#") {
			t.Errorf("%v", w)
		}
		g.counts(before - 2)
		found := s.onlyOne(order)
		ours := s.ask(200, "GET", "/v1/orders/"+order, "")
		for field, want := range map[string]string{
			"total": fmt.Sprintf("%.2f", ours["total"]), "received": fmt.Sprintf("%.2f", ours["total"]), "shipping": fmt.Sprintf("%.2f", ours["shipping"]),
			"subtotal": fmt.Sprintf("%.2f", ours["subtotal"]), "financialStatus": "PAID", "email": "ada@example.com", "sendReceipt": "false",
		} {
			if fmt.Sprint(found[field]) != want {
				t.Errorf("%s is %v, want %s", field, found[field], want)
			}
		}
		if run := s.sync(s.integration, `{}`); run["status"] != "completed" {
			t.Errorf("%v", run)
		}
		g.counts(before - 2)

		s.ask(200, "POST", "/v1/orders/"+order+"/cancel", `{}`)
		s.until("it is canceled and refunded there", func() bool {
			found := s.onlyOne(order)
			return found["cancelledAt"] != nil && found["refunded"] == found["received"] && found["financialStatus"] == "REFUNDED"
		})
		s.written(order, "written")
		g.counts(before)
	})
}

// An order that was shipped here is fulfilled at Shopify with its tracking, and one that was fulfilled there is shipped here.
func TestOrders_shipped(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		g := s.stocked(5)
		here, there := g.buy(1), g.buy(1)
		s.written(here, "written")
		name := fmt.Sprint(s.written(there, "written")["name"])

		ship := func(number string) {
			s.ask(200, "POST", "/v1/orders/"+here+"/fulfillment", `{"status": "shipped", "carrier": "UPS", "tracking_number": "`+number+`"}`)
			s.until("Shopify knows the tracking", func() bool { return strings.Contains(fmt.Sprint(s.onlyOne(here)["fulfillments"]), number) })
		}
		ship("1Z1")
		ship("1Z2")
		if n := len(s.onlyOne(here)["fulfillments"].([]any)); n != 1 {
			t.Errorf("%d fulfillments", n)
		}

		if _, err := s.FulfillAtShopify(platforms.AdminFulfill{Order: name, Company: "DHL", Number: "JD9"}); err != nil {
			t.Fatal(err)
		}
		s.until("the order is shipped here", func() bool {
			s.sync(s.integration, `{"resources": ["orders"]}`)
			f := s.ask(200, "GET", "/v1/orders/"+there, "")["fulfillment"].(map[string]any)
			return f["status"] == "shipped" && f["tracking_number"] == "JD9"
		})
		s.written(there, "written")
		if n := len(s.onlyOne(there)["fulfillments"].([]any)); n != 1 {
			t.Errorf("%d fulfillments there", n)
		}
	})
}

// What was sold out at Shopify meanwhile is refused there. By the integration's policy the order stays, and is written once there
// is stock, or is canceled and refunded.
func TestOrders_soldOut(t *testing.T) {
	for policy, status := range map[string]string{"keep": "confirmed", "refund": "canceled"} {
		t.Run(policy, func(t *testing.T) {
			each(t, func(t *testing.T, database string) {
				s := synced(t, database, platforms.Config{})
				s.ask(200, "PATCH", s.integration, `{"config": {"refused_orders": "`+policy+`"}}`)
				g := s.stocked(3)
				for g.there() > 1 {
					if _, err := s.SellAtShopify(platforms.AdminSale{SKU: g.sku}); err != nil {
						t.Fatal(err)
					}
				}
				order := g.buy(2)
				w := s.written(order, "refused")
				if !strings.Contains(fmt.Sprint(w["problem"]), "too little stock") {
					t.Errorf("%v", w)
				}
				if now := s.ask(200, "GET", "/v1/orders/"+order, "")["status"]; now != status {
					t.Errorf("the order is %v, want %s", now, status)
				}
				if found := s.atShopify(order); len(found) > 0 {
					t.Errorf("%v", found)
				}
				alerts := s.ask(200, "GET", "/v1/events?type=integration.error", "")["data"].([]any)
				if len(alerts) != 1 || !strings.Contains(fmt.Sprint(alerts[0]), "too little stock") {
					t.Errorf("%v", alerts)
				}
			})
		})
	}
}

// Orders are written only where the merchant wants it, and the goods are the shop's.
func TestOrders_notWritten(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		s.ask(200, "PATCH", s.integration, `{"config": {"write_orders": false}}`)
		g := s.stocked(5)
		order := g.buy(1)
		s.ask(404, "GET", "/v1/orders/"+order+"/platform-order", "")

		if now := s.ask(200, "PATCH", s.integration, `{"config": {"write_orders": null}}`); now["config"].(map[string]any)["write_orders"] != true {
			t.Errorf("%v", now)
		}
		own := s.ask(201, "POST", "/v1/catalog/products", `{"name": "Mug", "sku": "MUG-1", "price": 100, "category": "Kitchen", "quantity": 5}`)
		order = goods{s, "MUG-1", own["id"].(string)}.buy(1)
		s.written(order, "skipped")
		s.ask(409, "POST", "/v1/orders/"+g.written()+"/platform-order/retry", "")
	})
}
