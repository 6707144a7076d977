package exposure

import (
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// The audit log shows prices and settings only to keys and members that may read them elsewhere.
func TestTheAuditLogShowsNobodyMoreThanTheyMayRead(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		trusting := func(c *boot.Config) { c.TrustedProxies = "127.0.0.1" }
		admin := call(t, boottest.Start(t, engine.URL(t), trusting).URL()).with("X-Forwarded-For", "192.0.2.1")
		shop := openShop(admin, "shop")
		admin.with("X-Project-ID", shop).send("POST", "/v1/catalog/products", `{"name":"Mug","sku":"mug","price":9,"cost":4}`).is(t, 201, "")
		keys := func(scopes string) caller {
			return admin.key(admin.send("POST", "/v1/api-keys", `{"name":"k","scopes":[`+scopes+`]}`).is(t, 201, "").field("key"))
		}
		cost := func(c caller) string {
			return c.send("GET", "/v1/audit-events?action=create-product", "").is(t, 200, "").field("data.0.after.cost")
		}
		if got := cost(keys(`"keys:read","catalog:read"`)); got != "4.00" {
			t.Errorf("who may read the catalogue reads the cost %q", got)
		}
		if got := cost(keys(`"keys:read","projects:write"`)); got != "" {
			t.Errorf("who may not reads the cost %s", got)
		}
		admin.send("PATCH", "/v1/projects/"+shop+"/settings", `{"security":{"ip_allowlist":["192.0.2.0/24"]}}`).is(t, 200, "")
		if got := cost(admin.with("X-Forwarded-For", "198.51.100.1")); got != "" {
			t.Errorf("from where the shop admits nobody one reads the cost %s", got)
		}
		if got := cost(admin); got != "4.00" {
			t.Errorf("from where it does one reads %q", got)
		}
	})
}
