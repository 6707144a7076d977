package protocols

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
	"github.com/haggle-commerce/haggle/simulator/ucp/signature"
)

// besides allows a server to reach agents on this machine.
func besides(c *boot.Config) { c.AllowLoopback = true }

// platform is the operator of an agent. Its profile has a URL on this machine.
type platform struct {
	url     string
	key     *signature.Key
	fetched atomic.Int64
	hook    string // where it hears of orders; "": nowhere
}

// openPlatform publishes a profile with a key.
func openPlatform(t *testing.T, hook string) *platform {
	t.Helper()
	key, err := signature.NewKey()
	must(t, err)
	p := &platform{key: key, hook: hook}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.fetched.Add(1)
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = w.Write(p.profile())
	}))
	t.Cleanup(server.Close)
	p.url = server.URL + "/profile.json"
	return p
}

// offers are the capabilities of a platform that supports everything.
var offers = map[string]string{
	judge.Search:      "catalog_search",
	judge.Lookup:      "catalog_lookup",
	judge.Cart:        "cart",
	judge.Checkout:    "checkout",
	judge.Discount:    "discount",
	judge.Fulfillment: "fulfillment",
	judge.Order:       "order",
}

func (p *platform) profile() []byte {
	capabilities := map[string]any{}
	for name, file := range offers {
		entry := map[string]any{
			"version": schema.V20260825,
			"spec":    "https://ucp.dev/2026-08-25/specification/overview",
			"schema":  "https://ucp.dev/2026-08-25/schemas/shopping/" + file + ".json",
		}
		if name == judge.Discount || name == judge.Fulfillment {
			entry["extends"] = judge.Checkout
		}
		if name == judge.Order && p.hook != "" {
			entry["config"] = map[string]any{"webhook_url": p.hook}
		}
		capabilities[name] = []any{entry}
	}
	text, _ := json.Marshal(map[string]any{
		"ucp":  map[string]any{"version": schema.V20260825, "services": map[string]any{}, "payment_handlers": map[string]any{}, "capabilities": capabilities},
		"keys": []any{p.key.Public()},
	})
	return text
}

// as configures a client to speak for the platform and sign with its key.
func (p *platform) as(c *ucp.Config) {
	c.Agent, c.Key, c.Authority = p.url, p.key, publicHost
}
