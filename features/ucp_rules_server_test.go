package features

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// ucpServerSteps are about servers that have a public address and know agents of their own.
func ucpServerSteps(sc book, w *world) {
	sc.Given(`^a (sandbox|production) server at "([^"]*)" that knows the agents:$`, w.opensPublicServer)
	sc.sc.After(func(ctx context.Context, _ *godog.Scenario, _ error) (context.Context, error) {
		if w.premises != nil {
			for _, end := range slices.Backward(w.premises.ends) {
				end()
			}
		}
		return ctx, nil
	})
}

// proxied sends requests for a public address to where its server listens, as the proxy in front of it does.
type proxied struct {
	public string // host
	server string // host and port
	next   http.RoundTripper
}

func (p proxied) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != p.public {
		return p.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Host, r.URL.Scheme, r.URL.Host = p.public, "http", p.server
	return p.next.RoundTrip(r)
}

// liveKey is the bootstrap key of servers in production.
var liveKey = strings.Replace(boottest.Key, "hk_test_", "hk_live_", 1)

// opensPublicServer starts a server of the scenario's own. Agents are known by their profiles, and have all
// capabilities but those of the column "without".
func (w *world) opensPublicServer(environment, public string, agents *godog.Table) error {
	w.premises = &lease{TB: w.server.t}
	listener, err := net.Listen("tcp", boottest.Address())
	if err != nil {
		return err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	known, err := knownProfiles(agents)
	if err != nil {
		return err
	}
	file := filepath.Join(w.server.t.TempDir(), "agents.json")
	if err := os.WriteFile(file, known, 0o600); err != nil {
		return err
	}
	app := boottest.Start(w.premises, w.server.engine.URL(w.premises), func(c *boot.Config) {
		c.Addr, c.PublicURL, c.UCPPlatforms = address, public, file
		c.Connections = 10
		if environment == "production" {
			c.Env, c.BootstrapKey, c.MasterKey = environment, liveKey, strings.Repeat("m", 64)
		}
	})
	w.tape.next = proxied{strings.TrimPrefix(public, "https://"), address, w.tape.next}
	w.app = app
	w.connection = exchange.NewClient(exchange.Config{
		URL:        app.URL(),
		HTTP:       &http.Client{Transport: w.tape},
		RequestIDs: w.name,
	})
	key := boottest.Key
	if environment == "production" {
		key = liveKey
	}
	w.merchant = merchant.New(w.connection, key, "")
	return nil
}

// knownProfiles is a file of agents' profiles.
func knownProfiles(agents *godog.Table) ([]byte, error) {
	known := map[string]any{}
	for _, row := range rowsOf(agents) {
		known[row["agent"]] = platformProfile(row["version"], strings.Fields(row["without"]))
	}
	return json.Marshal(known)
}

func platformProfile(version string, without []string) any {
	site := "https://ucp.dev/" + version
	capabilities := map[string]any{}
	for name, extends := range map[string]any{
		"cart": nil, "checkout": nil, "order": nil, "catalog.search": nil, "catalog.lookup": nil,
		"fulfillment": "dev.ucp.shopping.checkout", "discount": []string{"dev.ucp.shopping.checkout", "dev.ucp.shopping.cart"},
	} {
		full := "dev.ucp.shopping." + name
		if slices.Contains(without, full) {
			continue
		}
		entry := map[string]any{
			"version": version,
			"spec":    site + "/specification/overview",
			"schema":  site + "/schemas/shopping/" + strings.ReplaceAll(name, ".", "_") + ".json",
		}
		if extends != nil {
			entry["extends"] = extends
		}
		capabilities[full] = []any{entry}
	}
	return map[string]any{"ucp": map[string]any{
		"version": version,
		"services": map[string]any{"dev.ucp.shopping": []any{map[string]any{
			"version":   version,
			"transport": "rest",
			"spec":      site + "/specification/overview",
			"schema":    site + "/services/shopping/rest.openapi.json",
		}}},
		"capabilities":     capabilities,
		"payment_handlers": map[string]any{},
	}}
}
