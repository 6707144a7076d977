package shopify

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// An app without level 2 of protected customer data and without bulk queries can still sync, and the run says what is missing.
func TestNotices(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:      12,
			Customers:     5,
			Orders:        5,
			ShopifyNoBulk: true,
			ShopifyDenied: []string{"Order.email", "Customer.firstName", "Customer.lastName"},
		})
		s := open(t, database, there, "")
		run := s.sync(s.connect(), `{"full_sync": true}`)
		if run["status"] != "completed" {
			t.Fatalf("%v", run)
		}
		found := map[string]int{}
		for _, one := range run["notices"].([]any) {
			n := one.(map[string]any)
			found[fmt.Sprint(n["code"], " ", n["resource"])]++
			if n["code"] == "field_denied" && !strings.Contains(n["message"].(string), "protected-customer-data") {
				t.Errorf("%v", n)
			}
		}
		want := map[string]int{"bulk_denied products": 1, "bulk_denied inventory": 1, "field_denied customers": 2, "field_denied orders": 1}
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", run["notices"], want)
		}
		for _, resource := range []string{"customers", "orders"} {
			if counted := run["resources"].(map[string]any)[resource].(map[string]any); counted["created"] != 5. {
				t.Errorf("%s: %v", resource, counted)
			}
		}
	})
}

// A shop with more records than Shopify pages through is read completely by pages.
func TestPages_moreThanShopifyPagesThrough(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:       40,
			Customers:      25_600,
			Orders:         10,
			ShopifyNoBulk:  true,
			ShopifyBucket:  1e6,
			ShopifyRestore: 1e6,
		})
		s := open(t, database, there, "")
		run := s.sync(s.connect(), `{"full_sync": true, "resources": ["customers"]}`)
		if counted := run["resources"].(map[string]any)["customers"].(map[string]any); run["status"] != "completed" || counted["created"] != 25_600. {
			t.Errorf("%v", run)
		}
	})
}

// An address that is not on the app's IP allowlist does not invalidate the credentials: the integration stays connected.
func TestAllowlist(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:  2,
			Customers: 1,
			Orders:    1,
		})
		p := before(t, there)
		s := open(t, database, there, p.URL)
		shopify := s.connect()
		p.answers(func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if !strings.HasSuffix(r.URL.Path, "/graphql.json") {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			return true
		})
		run := s.sync(shopify, `{}`)
		if run["status"] != "failed" || !strings.Contains(fmt.Sprint(run["error"]), "IP allowlist") {
			t.Errorf("%v", run)
		}
		if now := s.Ask(200, "GET", shopify, ""); now["status"] != "connected" || now["last_error"] != nil {
			t.Errorf("%v", now)
		}
		s.Ask(204, "DELETE", shopify, "")
		status, answer := s.Send("POST", "/v1/integrations/connect/complete", s.consent())
		if status != 422 || !strings.Contains(fmt.Sprint(answer), "IP allowlist") {
			t.Errorf("at connect: %d %v", status, answer)
		}
	})
}
