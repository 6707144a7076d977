package connectorcheck_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/connectorcheck"
)

// ofOrders changes the answers to requests with a method and a path suffix.
func ofOrders(method, path string, change func(r *http.Request, status int, body object) int) defect {
	return defect{after: func(r *http.Request, status int, body object) int {
		if r.Method == method && strings.HasSuffix(r.URL.Path, path) {
			return change(r, status, body)
		}
		return status
	}}
}

// Each defect of a system that takes orders is found by its own check, and by no other.
func TestRun_orderDefects(t *testing.T) {
	t.Parallel()
	counted := map[string]float64{} // first quantity by stock level
	canceled := false
	for want, d := range map[string]defect{
		"inventory of one item": {before: func(r *http.Request) { r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "item_id", "x", 1) }},
		"orders creation": ofOrders("POST", "/orders", func(_ *http.Request, status int, body object) int {
			delete(body, "id")
			return status
		}),
		"orders repetition": ofOrders("POST", "/orders", func(_ *http.Request, status int, body object) int {
			if status == http.StatusOK {
				body["id"] = "another"
			}
			return status
		}),
		"orders look-up": {before: func(r *http.Request) { r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "reference", "x", 1) }},
		"orders sold out": ofOrders("POST", "/orders", func(_ *http.Request, status int, body object) int {
			delete(body, "code")
			return status
		}),
		"orders refunds": {before: func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/refunds") {
				r.Header.Del("Idempotency-Key")
			}
		}},
		"orders stock": {
			before: func(r *http.Request) { canceled = canceled || strings.HasSuffix(r.URL.Path, "/cancel") },
			after: func(r *http.Request, status int, body object) int {
				if !strings.HasSuffix(r.URL.Path, "/inventory") || canceled {
					return status
				}
				for _, one := range body["data"].([]any) {
					l := one.(object)
					id := l["id"].(string)
					if _, known := counted[id]; !known {
						counted[id] = l["quantity"].(float64)
					}
					l["quantity"] = counted[id]
				}
				return status
			},
		},
		"orders cancellation": ofOrders("POST", "/cancel", func(_ *http.Request, _ int, _ object) int { return http.StatusConflict }),
	} {
		if names := failed(t, d); !slices.Equal(names, []string{want}) {
			t.Errorf("%s is found by %v", want, names)
		}
	}
}

// Run creates no order if the system does not take orders or if the merchant skips these checks.
func TestRun_noOrderCreated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]connectorcheck.Config{"it takes none": {}, "they are skipped": {SkipOrders: true}} {
		asked := false
		d := ofOrders("GET", "/account", func(_ *http.Request, status int, body object) int {
			if !c.SkipOrders {
				delete(body, "writes_orders")
			}
			return status
		})
		d.before = func(r *http.Request) {
			asked = asked || r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/orders")
		}
		c.URL, c.Key, c.Hook = serve(t, d), "custom-key", "https://haggle.example/hooks/wh_1"
		for _, r := range connectorcheck.Run(t.Context(), c) {
			if r.Problem != "" {
				t.Errorf("%s: %v", name, r)
			}
		}
		if asked {
			t.Errorf("%s: an order is created", name)
		}
	}
}
