package hubspot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// A paid order is a won deal of the buyer's contact. A refund lowers the deal's amount, and a cancellation marks it as lost.
func TestDeals_orderState(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *shop) {
		order := s.Sell(s.product, 1)
		if d := s.written(order, "written"); d["problem"] != nil || d["url"] != nil { // the simulator has no page to link to
			t.Errorf("%v", d)
		}
		found, confirmation := s.deal(order), s.Ask(200, "GET", "/v1/orders/"+order, "")["confirmation_number"]
		for field, want := range map[string]string{
			"dealname": fmt.Sprintf("[test] shop %v", confirmation), "amount": s.total(order), "deal_currency_code": "USD", "pipeline": "default",
			"dealstage": "closedwon",
		} {
			if fmt.Sprint(found[field]) != want {
				t.Errorf("%s is %v, want %s", field, found[field], want)
			}
		}
		s.named(order)
		s.refund(order, "25")
		s.shows(order, "closedwon", "80.99")
		s.Ask(200, "POST", "/v1/orders/"+order+"/cancel", `{}`)
		s.shows(order, "closedlost", "0.00")
		if alerts := s.Alerts(); len(alerts) > 0 {
			t.Errorf("%v", alerts)
		}
	})
}

// Whichever request is cut off, and however it fails, in the end there is one deal with the contact and the order's state.
func TestDeals_cutOff(t *testing.T) {
	for _, kind := range []string{"lost", "garbage", "error", "throttle"} {
		t.Run(kind, func(t *testing.T) {
			each(t, platforms.Config{}, func(_ *testing.T, s *shop) {
				var order string
				for _, resource := range []string{"property_create", "contact_create", "pipelines", "deal_upsert", "contacts", "associations"} {
					s.fails(platforms.Fault{Kind: kind, Resource: resource})
					order = s.Sell(s.product, 1)
					s.shows(order, "closedwon", "105.99")
					s.named(order)
				}
				for _, resource := range []string{"deals", "deal_update"} {
					s.fails(platforms.Fault{Kind: kind, Resource: resource})
				}
				s.refund(order, "25")
				s.shows(order, "closedwon", "80.99")
			})
		})
	}
}

// Two replicas write each order only once.
func TestDeals_replicas(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *shop) {
		other := *s.Merchant
		other.App = s.replica(t)
		s.fails(platforms.Fault{
			Kind:     "late",
			Resource: "deal_upsert",
			Times:    4,
			Millis:   300,
		})
		var orders []string
		for range 3 {
			orders = append(orders, s.Sell(s.product, 1), (&other).Sell(s.product, 1))
		}
		for _, order := range orders {
			s.shows(order, "closedwon", s.total(order))
		}
		if n := len(s.State()["hubspot_deals"].([]any)); n != len(orders) {
			t.Errorf("%d deals of %d orders", n, len(orders))
		}
	})
}

// An account without the required scopes is connected without deals. The merchant can disable deals. A CRM cannot refuse goods.
func TestDeals_notWritten(t *testing.T) {
	t.Run("no scope", func(t *testing.T) {
		each(t, platforms.Config{HubSpotDenied: []string{"crm.schemas.deals.write"}}, func(t *testing.T, s *shop) {
			if now := s.Ask(200, "GET", s.crm, ""); now["status"] != "connected" || now["config"].(map[string]any)["write_orders"] != false {
				t.Errorf("%v", now)
			}
			s.Ask(422, "PATCH", s.crm, `{"config": {"write_orders": true}}`)
			s.Ask(404, "GET", "/v1/orders/"+s.Sell(s.product, 1)+"/crm-deal", "")
		})
	})
	t.Run("turned off", func(t *testing.T) {
		each(t, platforms.Config{}, func(t *testing.T, s *shop) {
			if now := s.Ask(200, "GET", s.crm, "")["config"].(map[string]any); now["write_orders"] != true || now["refused_orders"] != nil {
				t.Errorf("%v", now)
			}
			s.Ask(422, "PATCH", s.crm, `{"config": {"refused_orders": "refund"}}`)
			s.Ask(200, "PATCH", s.crm, `{"config": {"write_orders": false}}`)
			s.Ask(404, "GET", "/v1/orders/"+s.Sell(s.product, 1)+"/crm-deal", "")
		})
	})
}

// An account that lacks only the scope for contacts gets deals without contacts.
func TestDeals_withoutContact(t *testing.T) {
	each(t, platforms.Config{HubSpotDenied: []string{"crm.objects.contacts.write"}}, func(t *testing.T, s *shop) {
		order := s.Sell(s.product, 1)
		s.shows(order, "closedwon", s.total(order))
		if found := s.deal(order); fmt.Sprint(found["contacts"]) != "[]" {
			t.Errorf("%v", found)
		}
	})
}

// A deal that HubSpot refuses has an error message and one alert, and can be retried.
func TestDeals_refused(t *testing.T) {
	each(t, platforms.Config{HubSpotCurrency: "EUR"}, func(t *testing.T, s *shop) {
		order := s.Sell(s.product, 1)
		for range 2 {
			if d := s.written(order, "refused"); !strings.Contains(fmt.Sprint(d["problem"]), `"USD" is not a part of the current effective currency codes`) {
				t.Errorf("%v", d)
			}
			if alerts := s.Alerts(); len(alerts) != 1 || !strings.Contains(alerts[0], "is not written: HubSpot does not take the deal") {
				t.Errorf("%v", alerts)
			}
			s.Ask(200, "POST", "/v1/orders/"+order+"/crm-deal/retry", `{}`)
		}
		if found := s.deals(order); len(found) > 0 {
			t.Errorf("%v", found)
		}
	})
}

// An account's stages are found by their probability, in the pipeline that the deal is in.
func TestDeals_stages(t *testing.T) {
	each(t, platforms.Config{HubSpotStages: true}, func(_ *testing.T, s *shop) {
		order, moved := s.Sell(s.product, 1), s.Sell(s.product, 1)
		s.shows(order, "20001", s.total(order))
		s.shows(moved, "20001", s.total(order))
		s.staff(platforms.HubSpotChange{Value: moved, Set: map[string]string{"pipeline": "10001", "dealstage": "10002"}})
		for _, one := range []string{order, moved} {
			s.refund(one, "25")
		}
		s.shows(moved, "10002", "80.99")
		for of, lost := range map[string]string{order: "20002", moved: "10003"} {
			s.Ask(200, "POST", "/v1/orders/"+of+"/cancel", `{}`)
			s.shows(of, lost, "0.00")
		}
	})
}

// A deal that staff delete or merge is not recreated by a change, but by the merchant's retry. The deal that it was merged into
// is not changed.
func TestDeals_gone(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *shop) {
		deleted, merged, other := s.Sell(s.product, 1), s.Sell(s.product, 1), s.Sell(s.product, 1)
		for _, order := range []string{deleted, merged, other} {
			s.shows(order, "closedwon", "105.99")
		}
		s.staff(platforms.HubSpotChange{Value: deleted, Delete: true})
		s.staff(platforms.HubSpotChange{Value: merged, Into: other})
		for _, order := range []string{deleted, merged} {
			s.refund(order, "25")
			if d := s.written(order, "refused"); !strings.Contains(fmt.Sprint(d["problem"]), "was deleted at HubSpot, or merged") {
				t.Errorf("%v", d)
			}
			s.refund(order, "5")
		}
		rests()
		if len(s.deals(deleted))+len(s.deals(merged)) > 0 || s.deal(other)["amount"] != "105.99" {
			t.Errorf("%v", s.State()["hubspot_deals"])
		}
		s.Ask(200, "POST", "/v1/orders/"+deleted+"/crm-deal/retry", `{}`)
		s.shows(deleted, "closedwon", "75.99")
		s.Until("nothing is left to do", func() bool {
			return s.Ask(200, "GET", "/v1/orders/"+deleted+"/crm-deal", "")["next_attempt_at"] == nil
		})
		s.Ask(409, "POST", "/v1/orders/"+deleted+"/crm-deal/retry", `{}`)
	})
}

// Deals wait while the account is disconnected, and are written when it is connected again.
func TestDeals_reconnected(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *shop) {
		s.fails(platforms.Fault{
			Kind:     "error",
			Resource: "deal_upsert",
			Times:    -1,
		})
		pending := s.Sell(s.product, 1)
		s.Until("an attempt failed", func() bool { return s.Ask(200, "GET", "/v1/orders/"+pending+"/crm-deal", "")["problem"] != nil })
		s.Ask(204, "DELETE", s.crm, "")
		s.ClearFaults()
		if d := s.written(pending, "pending"); d["problem"] != "The integration is disconnected." {
			t.Errorf("%v", d)
		}
		s.Ask(404, "GET", "/v1/orders/"+s.Sell(s.product, 1)+"/crm-deal", "")
		s.connect()
		s.shows(pending, "closedwon", "105.99")
	})
}

// While deals are disabled, pending deals wait. No data of their buyers is sent.
func TestDeals_disabled(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *shop) {
		s.fails(platforms.Fault{
			Kind:     "error",
			Resource: "deal_upsert",
			Times:    -1,
		})
		pending := s.Sell(s.product, 1)
		s.Until("an attempt failed", func() bool { return s.Ask(200, "GET", "/v1/orders/"+pending+"/crm-deal", "")["problem"] != nil })
		s.Ask(200, "PATCH", s.crm, `{"config": {"write_orders": false}}`)
		s.ClearFaults()
		s.Ask(200, "POST", "/v1/orders/"+pending+"/crm-deal/retry", `{}`)
		if d := s.written(pending, "pending"); d["problem"] != "Writing is turned off." {
			t.Errorf("%v", d)
		}
		if found := s.deals(pending); len(found) > 0 {
			t.Errorf("%v", found)
		}
		s.Ask(200, "PATCH", s.crm, `{"config": {"write_orders": true}}`)
		s.shows(pending, "closedwon", "105.99")
		s.named(pending)
	})
}

// A sync recognizes Haggle's deals by their order, and the buyer's deals count as purchases.
func TestDeals_synced(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *shop) {
		order := s.Sell(s.product, 1)
		s.named(order)
		for _, body := range []string{`{"full_sync": true}`, `{}`} {
			s.Sync(s.crm, body)
		}
		s.shows(order, "closedwon", "105.99")
		var references int
		row := boottest.Inspect(t, s.database).QueryRow(`SELECT count(*) FROM copies WHERE resource = 'orders' AND content LIKE '%"reference":"` + order + `"%'`)
		if err := row.Scan(&references); err != nil || references != 1 {
			t.Errorf("%d copies of the order, %v", references, err)
		}
		var purchases int
		row = boottest.Inspect(t, s.database).QueryRow(`SELECT count(*) FROM copies WHERE resource = 'customers' AND email = 'ada@example.com' AND content LIKE '%"purchases":1%'`)
		if err := row.Scan(&purchases); err != nil || purchases != 1 {
			t.Errorf("%d customers with a purchase, %v", purchases, err)
		}
	})
}

// An order is written to the shop of its goods, and to the CRM as a deal.
func TestDeals_withShop(t *testing.T) {
	each(t, platforms.Config{}, func(t *testing.T, s *shop) {
		own := "/v1/integrations/" + s.Ask(201, "POST", "/v1/integrations/connect/api-key", fmt.Sprintf(`{"type": "custom",
			"credentials": {"api_key": "custom-key"}, "config": {"base_url": %q}}`, s.URL+"/custom"))["id"].(string)
		s.Sync(own, `{"full_sync": true}`)
		product := ""
		for _, one := range s.Ask(200, "GET", "/v1/catalog/products?limit=100", "")["data"].([]any) {
			p := one.(map[string]any)
			if variants, _ := p["variants"].([]any); p["id"] != s.product && len(variants) <= 1 && p["quantity"] != 0.0 {
				product = fmt.Sprint(p["id"])
			}
		}
		order := s.Sell(product, 1)
		s.shows(order, "closedwon", s.total(order))
		s.Until("the shop has it", func() bool {
			return s.Ask(200, "GET", "/v1/orders/"+order+"/platform-order", "")["status"] == "written"
		})
		if n := len(s.State()["custom_orders"].([]any)); n != 1 {
			t.Errorf("%d orders at the shop", n)
		}
	})
}
