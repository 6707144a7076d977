package woocommerce

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/features/platforms/platformtest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// A paid order is created at the shop once, with the amounts that the buyer paid, and reduces the stock once on both sides.
// When it is canceled here, it is canceled there, its refund is recorded, and the stock is restored.
func TestOrders_written(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *platformtest.Shop) {
		g := s.Stocked(5)
		before := g.Here()
		order := g.Buy(2)
		if w := s.Written(order, "written"); w["problem"] != nil || !strings.HasPrefix(fmt.Sprint(w["name"]), "#") {
			t.Errorf("%v", w)
		}
		g.Counts(before - 2)
		found, ours := s.OnlyOne(order), s.Ask(200, "GET", "/v1/orders/"+order, "")
		for field, want := range map[string]string{
			"total": fmt.Sprintf("%.2f", ours["total"]), "shipping_total": fmt.Sprintf("%.2f", ours["shipping"]), "status": "processing",
			"transaction_id": fmt.Sprint(ours["payment"].(map[string]any)["id"]), "payment_method": "haggle", "refunded": "0.00",
		} {
			if fmt.Sprint(found[field]) != want {
				t.Errorf("%s is %v, want %s", field, found[field], want)
			}
		}
		if billing := found["billing"].(map[string]any); billing["email"] != "ada@example.com" || billing["last_name"] != "Buyer" || billing["country"] != "US" {
			t.Errorf("%v", billing)
		}
		s.SyncShop(`{}`)
		g.Counts(before - 2)

		s.Ask(200, "POST", "/v1/orders/"+order+"/cancel", `{}`)
		s.Until("it is canceled and refunded there", func() bool {
			found := s.OnlyOne(order)
			return found["status"] == "refunded" && found["refunded"] == found["total"]
		})
		s.Written(order, "written")
		g.Counts(before)
		s.SyncShop(`{"full_sync": true}`)
		s.Written(order, "written")
		g.Counts(before)
		if alerts := s.Alerts(); len(alerts) > 0 {
			t.Errorf("%v", alerts)
		}
	})
}

// The total there is what the buyer paid, whatever tax the shop would add. If the shop computes another total, it keeps no
// order, and the merchant is alerted.
func TestOrders_totals(t *testing.T) {
	for name, c := range map[string]struct{ here, there int }{
		"the shop has a tax of its own": {0, 19},
		"both have one":                 {7, 19},
		"the tax is ours alone":         {7, 0},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, platforms.Config{WooCommerceTax: c.there}, func(t *testing.T, s *platformtest.Shop) {
				s.Ask(200, "PATCH", "/v1/projects/"+s.Project+"/storefront", fmt.Sprintf(`{"tax_rates": [{"country": "US", "rate": %d}]}`, c.here))
				order := s.Stocked(5).Buy(2)
				s.Written(order, "written")
				found, ours := s.OnlyOne(order), s.Ask(200, "GET", "/v1/orders/"+order, "")
				if want := fmt.Sprintf("%.2f", ours["total"]); found["total"] != want || found["status"] != "processing" {
					t.Errorf("%v %v, want %s", found["status"], found["total"], want)
				}
				if fees := len(found["fee_lines"].([]any)); (fees == 1) != (c.here > 0) || found["total_tax"] != "0.00" {
					t.Errorf("%d fees, tax %v", fees, found["total_tax"])
				}
			})
		})
	}
	t.Run("the shop rounds", func(t *testing.T) {
		each(t, platforms.Config{WooCommerceWhole: true}, func(t *testing.T, s *platformtest.Shop) {
			g := s.Stocked(5)
			s.Ask(200, "PATCH", "/v1/catalog/products/"+g.ID, `{"price": 10.55}`)
			before := g.There()
			order := g.Buy(1)
			w := s.Written(order, "refused")
			if !strings.Contains(fmt.Sprint(w["problem"]), "instead of") || len(s.AtPlatform(order)) > 0 || g.There() != before {
				t.Errorf("%v; %v", w, s.AtPlatform(order))
			}
			if alerts := s.Alerts(); len(alerts) != 1 {
				t.Errorf("%v", alerts)
			}
		})
	})
}

// An order whose write is cut off at any request is completed later, and exists once.
func TestOrders_cutOff(t *testing.T) {
	for _, f := range []platforms.Fault{
		{Kind: "lost", Resource: "order_create"},
		{Kind: "garbage", Resource: "order_create"},
		{Kind: "unpaid", Resource: "order_create"},
		{Kind: "lost", Resource: "order_update"},
		{Kind: "unpaid", Resource: "order_update"},
		{Kind: "error", Resource: "order_update"},
		{Kind: "throttle", Resource: "orders"},
	} {
		t.Run(f.Kind+" of "+f.Resource, func(t *testing.T) {
			each(t, platforms.Config{WooCommerceTax: 7}, func(t *testing.T, s *platformtest.Shop) {
				g := s.Stocked(5)
				before := g.Here()
				f.Platform = platforms.WooCommerce
				if err := s.Fault(f); err != nil {
					t.Fatal(err)
				}
				order := g.Buy(2)
				s.Written(order, "written")
				if found := s.OnlyOne(order); found["status"] != "processing" {
					t.Errorf("%v", found)
				}
				g.Counts(before - 2)
			})
		})
	}
}

// An order is refused if the shop has sold out meanwhile. Depending on the integration's policy it is kept, or canceled and
// refunded.
func TestOrders_soldOut(t *testing.T) {
	for policy, status := range map[string]string{"keep": "confirmed", "refund": "canceled"} {
		t.Run(policy, func(t *testing.T) {
			each(t, platforms.Config{}, func(t *testing.T, s *platformtest.Shop) {
				s.Ask(200, "PATCH", s.Integration, `{"config": {"refused_orders": "`+policy+`"}}`)
				g := s.Stocked(3)
				if err := s.SellAtWooCommerce(platforms.WooCommerceSale{SKU: g.SKU, Quantity: g.There() - 1}); err != nil {
					t.Fatal(err)
				}
				order := g.Buy(2)
				if w := s.Written(order, "refused"); !strings.Contains(fmt.Sprint(w["problem"]), "too little stock") {
					t.Errorf("%v", w)
				}
				if now := s.Ask(200, "GET", "/v1/orders/"+order, "")["status"]; now != status {
					t.Errorf("the order is %v, want %s", now, status)
				}
				if found, alerts := s.AtPlatform(order), s.Alerts(); len(found) > 0 || len(alerts) != 1 {
					t.Errorf("%v, %v", found, alerts)
				}
			})
		})
	}
}

// An order that is shipped here is completed there with its tracking in a note, and an order that is completed there is shipped
// here.
func TestOrders_shipped(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *platformtest.Shop) {
		g := s.Stocked(5)
		here, there := g.Buy(1), g.Buy(1)
		s.Written(here, "written")
		s.Written(there, "written")
		for _, number := range []string{"1Z1", "1Z2"} {
			s.Ask(200, "POST", "/v1/orders/"+here+"/fulfillment", `{"status": "shipped", "carrier": "UPS", "tracking_number": "`+number+`"}`)
			s.Until("the shop knows the tracking", func() bool {
				o := s.OnlyOne(here)
				return o["status"] == "completed" && strings.Contains(fmt.Sprint(o["notes"]), number)
			})
		}
		s.Written(here, "written")
		if err := s.ChangeAtWooCommerce(platforms.WooCommerceChange{Order: there, Status: "completed"}); err != nil {
			t.Fatal(err)
		}
		s.SyncShop(`{"resources": ["orders"]}`)
		for order, want := range map[string]string{here: "1Z2", there: "<nil>"} {
			f := s.Ask(200, "GET", "/v1/orders/"+order, "")["fulfillment"].(map[string]any)
			if f["status"] != "shipped" || fmt.Sprint(f["tracking_number"]) != want {
				t.Errorf("%v, want %s", f, want)
			}
			s.Written(order, "written")
		}
	})
}

// An order that the merchant cancels there is canceled here once, and its stock is restored. Refunds there move no money here,
// and the merchant is alerted of each once. A refund here is recorded at the shop without an alert.
func TestOrders_reversedThere(t *testing.T) {
	for name, webhooks := range map[string]bool{"found out by a sync": false, "told by webhooks": true} {
		t.Run(name, func(t *testing.T) {
			each(t, platforms.Config{}, func(t *testing.T, s *platformtest.Shop) {
				syncOrders := func() { s.SyncShop(`{"resources": ["orders"]}`) }
				if webhooks {
					s.Ask(201, "POST", s.Integration+"/webhooks", `{"topic": "order.updated"}`)
					syncOrders = func() {}
				}
				g := s.Stocked(5)
				before := g.Here()
				order := g.Buy(2)
				s.Written(order, "written")
				g.Counts(before - 2)
				change := func(c platforms.WooCommerceChange, alerts int) {
					t.Helper()
					c.Order = order
					if err := s.ChangeAtWooCommerce(c); err != nil {
						t.Fatal(err)
					}
					syncOrders()
					s.Until(fmt.Sprintf("the merchant has %d alerts", alerts), func() bool { return len(s.Alerts()) == alerts })
					s.Written(order, "written")
				}
				change(platforms.WooCommerceChange{Refund: "5.00", Reason: "Haggle refund of a scratch"}, 1)
				change(platforms.WooCommerceChange{Refund: "5.00"}, 2)
				payment := s.Ask(200, "GET", "/v1/orders/"+order, "")["payment"].(map[string]any)["id"]
				s.Ask(201, "POST", fmt.Sprintf("/v1/finance/payments/%v/refund", payment), `{"amount": 7}`)
				s.Until("the shop knows of it", func() bool { return s.OnlyOne(order)["refunded"] == "17.00" })
				s.Written(order, "written")
				change(platforms.WooCommerceChange{Status: "cancelled"}, 3)
				s.Until("it is canceled here", func() bool { return s.Ask(200, "GET", "/v1/orders/"+order, "")["status"] == "canceled" })
				g.Counts(before)
				s.SyncShop(`{"full_sync": true}`)
				s.Written(order, "written")
				g.Counts(before)
				if n := len(s.Ask(200, "GET", "/v1/orders/"+order, "")["refunds"].([]any)); n != 1 || len(s.Alerts()) != 3 {
					t.Errorf("%d refunds here, alerts %v", n, s.Alerts())
				}
			})
		})
	}
}

// Returned goods are restocked there together with their refund.
func TestOrders_returned(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *platformtest.Shop) {
		g := s.Stocked(5)
		before := g.Here()
		order := g.Buy(2)
		s.Written(order, "written")
		g.Counts(before - 2)
		s.Ask(200, "POST", "/v1/orders/"+order+"/fulfillment", `{"status": "shipped"}`)
		s.Ask(200, "POST", "/v1/orders/"+order+"/fulfillment", `{"status": "delivered"}`)
		line := s.Ask(200, "GET", "/v1/orders/"+order, "")["lines"].([]any)[0].(map[string]any)
		made := s.Ask(201, "POST", "/p/shop/acp/returns", fmt.Sprintf(`{"order_id": %q, "items": [{"product_id": %q, "variant_id": %q, "quantity": 1, "reason": "Too small"}]}`,
			order, g.ID, line["variant_id"]))
		s.Ask(200, "POST", fmt.Sprintf("/v1/returns/%v/approve", made["return_id"]), `{}`)
		s.Until("it is refunded there", func() bool { return s.OnlyOne(order)["refunded"] != "0.00" })
		s.Written(order, "written")
		g.Counts(before - 1)
	})
}

// Orders are written only if the merchant enabled it, the key may write, and the goods are the shop's.
func TestOrders_notWritten(t *testing.T) {
	t.Run("turned off", func(t *testing.T) {
		each(t, platforms.Config{}, func(_ *testing.T, s *platformtest.Shop) {
			s.Ask(200, "PATCH", s.Integration, `{"config": {"write_orders": false}}`)
			s.Ask(404, "GET", "/v1/orders/"+s.Stocked(5).Buy(1)+"/platform-order", "")
		})
	})
	t.Run("a key that may read only", func(t *testing.T) {
		each(t, platforms.Config{WooCommerceRead: true}, func(t *testing.T, s *platformtest.Shop) {
			if now := s.Ask(200, "GET", s.Integration, ""); now["status"] != "connected" || now["config"].(map[string]any)["write_orders"] != false {
				t.Errorf("%v", now)
			}
			s.Ask(422, "PATCH", s.Integration, `{"config": {"write_orders": true}}`)
			s.Ask(404, "GET", "/v1/orders/"+s.Stocked(5).Buy(1)+"/platform-order", "")
		})
	})
	t.Run("goods of another shop", func(t *testing.T) {
		each(t, platforms.Config{}, func(_ *testing.T, s *platformtest.Shop) {
			own := s.Ask(201, "POST", "/v1/catalog/products", `{"name": "Mug", "sku": "MUG-1", "price": 100, "category": "Kitchen", "quantity": 5}`)
			s.Written(s.Sell(own["id"].(string), 1), "skipped")
		})
	})
}
