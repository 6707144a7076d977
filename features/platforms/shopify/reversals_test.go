package shopify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// refunds returns the order's refunds as amount and status.
func (s *shop) refunds(order string) (list []string) {
	s.Helper()
	for _, one := range s.Ask(200, "GET", "/v1/orders/"+order, "")["refunds"].([]any) {
		r := one.(map[string]any)
		list = append(list, fmt.Sprintf("%.2f %v", r["amount"], r["status"]))
	}
	return list
}

// canceled waits until the order is canceled here.
func (s *shop) canceled(order string) {
	s.Helper()
	s.Until("the order is canceled here", func() bool {
		return s.Ask(200, "GET", "/v1/orders/"+order, "")["status"] == "canceled"
	})
	s.Written(order, "written")
}

// refunded waits until the order has these refunds.
func (s *shop) refunded(order string, want ...string) {
	s.Helper()
	s.Until("its refunds are "+strings.Join(want, ", "), func() bool { return strings.Join(s.refunds(order), ", ") == strings.Join(want, ", ") })
	s.Written(order, "written")
}

func (s *shop) orders() {
	s.Helper()
	if run := s.sync(s.Integration, `{"resources": ["orders"]}`); run["status"] != "completed" {
		s.Fatalf("%v", run)
	}
}

// An order that the merchant cancels in Shopify's admin is canceled here once. Goods are restocked where Shopify has restocked
// them. No money moves, and the merchant is alerted of the refund, or of the remaining payment.
func TestOrders_canceledThere(t *testing.T) {
	for name, c := range map[string]struct {
		refund, restock bool
		alert           string
	}{
		"refunded there": {refund: true, restock: true, alert: "is recorded at Shopify"},
		"not refunded":   {restock: true, alert: "are not refunded"},
		"not restocked":  {refund: true, alert: "is recorded at Shopify"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, database string) {
				s := synced(t, database, platforms.Config{})
				g := s.Stocked(5)
				before := g.Here()
				order := g.Buy(2)
				there := fmt.Sprint(s.Written(order, "written")["name"])
				g.Counts(before - 2)
				if err := s.CancelAtShopify(platforms.AdminCancel{
					Order:   there,
					Refund:  c.refund,
					Restock: c.restock,
				}); err != nil {
					t.Fatal(err)
				}
				s.orders()
				s.canceled(order)
				want := before - 2
				if c.restock {
					want = before
				}
				g.Counts(want)
				s.sync(s.Integration, `{"full_sync": true}`)
				s.Written(order, "written")
				g.Counts(want)
				if found := s.refunds(order); len(found) > 0 {
					t.Errorf("refunds %v", found)
				}
				if alerts := s.Alerts(); len(alerts) != 1 || !strings.Contains(alerts[0], c.alert) {
					t.Errorf("alerts %v", alerts)
				}
				if canceled := s.Ask(200, "GET", "/v1/events?type=order.canceled", "")["data"].([]any); len(canceled) != 1 {
					t.Errorf("%d cancellations", len(canceled))
				}
			})
		})
	}
}

// Each refund that the merchant makes in Shopify's admin causes one alert and moves no money. Goods that are restocked there
// are restocked here, and a refund here is recorded at Shopify without an alert.
func TestOrders_refundedThere(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		g := s.Stocked(5)
		before := g.Here()
		order := g.Buy(2)
		there := fmt.Sprint(s.Written(order, "written")["name"])
		g.Counts(before - 2)
		refund := func(r platforms.AdminRefund) {
			t.Helper()
			r.Order = there
			if _, err := s.RefundAtShopify(r); err != nil {
				t.Fatal(err)
			}
			s.orders()
		}
		alerted := func(n int) {
			t.Helper()
			s.Until(fmt.Sprintf("the merchant has %d alerts", n), func() bool { return len(s.Alerts()) == n })
			s.Written(order, "written")
		}
		refund(platforms.AdminRefund{Amount: "5.00", Note: "Haggle refund of a scratch"})
		alerted(1)
		refund(platforms.AdminRefund{Amount: "5.00"})
		alerted(2)

		// Goods that are restocked without a refund are restocked here once.
		refund(platforms.AdminRefund{
			Lines:   []platforms.AdminLine{{Quantity: 1}},
			Amount:  "0",
			Restock: true,
		})
		s.sync(s.Integration, `{"resources": ["inventory"]}`)
		g.Counts(before - 1)

		payment := s.Ask(200, "GET", "/v1/orders/"+order, "")["payment"].(map[string]any)["id"]
		s.Ask(201, "POST", fmt.Sprintf("/v1/finance/payments/%v/refund", payment), `{"amount": 7}`)
		s.Until("Shopify knows of it", func() bool { return s.OnlyOne(order)["refunded"] == "17.00" })
		s.orders()
		s.sync(s.Integration, `{"full_sync": true}`)
		s.refunded(order, "7.00 succeeded")
		if n := len(s.OnlyOne(order)["refunds"].([]any)); n != 4 {
			t.Errorf("%d refunds at Shopify", n)
		}
		alerted(2)
	})
}

// A refund at Shopify moves no money, and the merchant is alerted. A refund that is then made here is not recorded at Shopify.
func TestOrders_refundAlert(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		order := written(s.Stocked(5))
		if _, err := s.RefundAtShopify(platforms.AdminRefund{Order: order, Amount: "5.00"}); err != nil {
			t.Fatal(err)
		}
		s.orders()
		s.Until("the merchant is alerted", func() bool { return len(s.Alerts()) > 0 })
		s.Written(order, "written")
		if alerts := s.Alerts(); len(alerts) != 1 || !strings.Contains(alerts[0], "A refund of 5.00 USD is recorded at Shopify") {
			t.Errorf("%v", alerts)
		}
		if found := s.refunds(order); len(found) > 0 {
			t.Errorf("%v", found)
		}
		s.sync(s.Integration, `{"full_sync": true}`)
		payment := s.Ask(200, "GET", "/v1/orders/"+order, "")["payment"].(map[string]any)["id"]
		s.Ask(201, "POST", fmt.Sprintf("/v1/finance/payments/%v/refund", payment), `{"amount": 5}`)
		s.refunded(order, "5.00 succeeded")
		if found := s.OnlyOne(order); found["refunded"] != "5.00" || len(found["refunds"].([]any)) != 1 {
			t.Errorf("%v", found["refunds"])
		}
	})
}

// Webhooks alone are sufficient too. Any number of calls, including old ones, causes one cancellation and one alert per refund.
func TestOrders_reversedByWebhook(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := synced(t, database, platforms.Config{})
		for _, topic := range []string{"refunds/create", "orders/cancelled", "orders/updated", "inventory_levels/update"} {
			s.Ask(201, "POST", s.Integration+"/webhooks", `{"topic": "`+topic+`"}`)
		}
		g := s.Stocked(5)
		before := g.Here()
		order := written(g)
		if _, err := s.RefundAtShopify(platforms.AdminRefund{Order: order, Amount: "3.00"}); err != nil {
			t.Fatal(err)
		}
		s.Until("the merchant is alerted", func() bool { return len(s.Alerts()) == 1 })
		if err := s.CancelAtShopify(platforms.AdminCancel{
			Order:   order,
			Restock: true,
			Refund:  true,
		}); err != nil {
			t.Fatal(err)
		}
		s.canceled(order)
		g.Counts(before)
		s.Written(order, "written")
		if n := len(s.OnlyOne(order)["refunds"].([]any)); n != 2 {
			t.Errorf("%d refunds at Shopify", n)
		}
		if alerts := s.Alerts(); len(alerts) != 2 {
			t.Errorf("%v", alerts)
		}
		if found := s.refunds(order); len(found) > 0 {
			t.Errorf("%v", found)
		}
	})
}
