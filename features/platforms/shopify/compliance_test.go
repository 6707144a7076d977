package shopify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// demand sends a compliance webhook as Shopify does, and returns the status.
func (s *shop) demand(topic, event, secret, body string) int {
	s.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.App.URL()+"/hooks/shopify/compliance", strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Shopify-Topic", topic)
	r.Header.Set("X-Shopify-Event-Id", event)
	r.Header.Set("X-Shopify-Shop-Domain", store)
	r.Header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// records returns how many records of a resource an integration has.
func (s *shop) records(integration, resource string) float64 {
	s.Helper()
	return s.Ask(200, "GET", integration+"/records?resource="+resource, "")["meta"].(map[string]any)["total"].(float64)
}

// audited returns how often the project's audit log has an action.
func (s *shop) audited(action string) float64 {
	s.Helper()
	return s.Ask(200, "GET", "/v1/audit-events?action="+action+"&project_id="+s.Project, "")["meta"].(map[string]any)["total"].(float64)
}

const (
	appSecret = "haggle-sandbox-secret"
	shopBody  = `{"shop_id": 61234567, "shop_domain": "` + store + `"}`
	goneBody  = `{"id": 61234567, "name": "Trailhead Outfitters", "myshopify_domain": "` + store + `"}`
)

func TestCompliance_signature(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := open(t, database, lookalike(t, platforms.Config{Products: 1}), "", func(c *boot.Config) { c.ShopifyOld = "the secret of before" })
		for _, test := range []struct {
			topic, secret, body string
			want                int
		}{
			{"shop/redact", appSecret, shopBody, 200},
			{"shop/redact", "the secret of before", shopBody, 200},
			{"shop/redact", "another", shopBody, 401},
			{"shop/redact", "", shopBody, 401},
			{"shop/redact", appSecret, `{"id": 1, "title": "A product"}`, 400},
			{"products/update", appSecret, shopBody, 400},
			{"customers/redact", appSecret, shopBody, 400},
			{"shop/redact", appSecret, `{"shop_domain": "evil.example"}`, 400},
		} {
			if got := s.demand(test.topic, "e-1", test.secret, test.body); got != test.want {
				t.Errorf("%+v: %d", test, got)
			}
		}
	})
}

// A customer of a shop that two projects have connected, one after the other, is reported and erased in both, once each.
func TestCompliance_customers(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:   3,
			Customers:  4,
			Orders:     3,
			ShopifyApp: platforms.CustomApp,
		})
		first := open(t, database, there, "", custom)
		second := first.in(first.openProject("second", "USD"))
		paths := map[*shop]string{}
		for _, s := range []*shop{first, second} {
			paths[s] = s.connect()
			if run := s.sync(paths[s], `{}`); run["status"] != "completed" {
				t.Fatalf("%v", run)
			}
		}
		known := first.Ask(200, "GET", paths[first]+"/records?resource=customers", "")["data"].([]any)[0].(map[string]any)
		email, number := known["customer"].(map[string]any)["email"], known["record_id"]
		asked := fmt.Sprintf(`{"shop_domain": %q, "orders_requested": [], "customer": {"id": %s, "email": %q, "phone": null}, "data_request": {"id": 9999}}`, store, number, email)
		redacted := fmt.Sprintf(`{"shop_domain": %q, "customer": {"id": %s, "email": %q, "phone": null}, "orders_to_redact": []}`, store, number, email)
		for range 2 {
			for topic, body := range map[string]string{"customers/data_request": asked, "customers/redact": redacted} {
				if got := first.demand(topic, "e-"+topic, appSecret, body); got != 200 {
					t.Fatalf("%s: %d", topic, got)
				}
			}
		}
		for _, s := range []*shop{first, second} {
			if n := s.records(paths[s], "customers"); n != 3 {
				t.Errorf("%v customers are known", n)
			}
			for _, action := range []string{"platform-customer-data", "platform-customer-redact"} {
				if n := s.audited(action); n != 1 {
					t.Errorf("%s is in the audit log %v times", action, n)
				}
			}
			asked := s.Ask(200, "GET", "/v1/events?type=customer.data_requested", "")["data"].([]any)
			if len(asked) != 1 {
				t.Fatalf("customer.data_requested was announced %d times", len(asked))
			}
			data := asked[0].(map[string]any)["data"].(map[string]any)
			subject := fmt.Sprint(data["subject"])
			if data["platform_customer_id"] != number || data["type"] != "shopify" || !strings.HasPrefix(subject, "buyer_") || strings.Contains(fmt.Sprint(data), fmt.Sprint(email)) {
				t.Errorf("%v", data)
			}
		}
	})
}

// A shop that removes the app is disconnected. A late webhook does nothing once the app is installed again.
func TestCompliance_uninstalled(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:  3,
			Customers: 4,
			Orders:    3,
		})
		s := open(t, database, there, "")
		shopify := s.connect()
		s.sync(shopify, `{}`)
		if got := s.demand("app/uninstalled", "e-0", appSecret, goneBody); got != 200 {
			t.Errorf("%d", got)
		}
		if now := s.Ask(200, "GET", shopify, ""); now["status"] != "connected" {
			t.Errorf("it still has the app: %v", now)
		}
		if err := there.Revoke(platforms.Shopify); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := s.demand("app/uninstalled", "e-1", appSecret, goneBody); got != 200 {
				t.Errorf("%d", got)
			}
		}
		if now := s.Ask(200, "GET", shopify, ""); now["status"] != "disconnected" || s.audited("platform-app-uninstalled") != 1 {
			t.Errorf("%v", now)
		}
		if n := s.records(shopify, "customers"); n != 4 {
			t.Errorf("%v customers before they are to be erased", n)
		}
		for range 2 {
			if got := s.demand("shop/redact", "e-2", appSecret, shopBody); got != 200 {
				t.Errorf("%d", got)
			}
		}
		if customers, orders, products := s.records(shopify, "customers"), s.records(shopify, "orders"), s.records(shopify, "products"); customers+orders != 0 || products != 3 {
			t.Errorf("%v customers, %v orders, %v products", customers, orders, products)
		}
	})
}
