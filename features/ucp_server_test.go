package features

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// knownAgent is a profile in a server's file of known agents. It has all capabilities except without.
type knownAgent struct{ profile, version, without string }

// publicProxy is a transport that sends requests for a public host to the server's listen address, as a reverse proxy does.
type publicProxy struct {
	public string // host
	server string // host and port
	next   http.RoundTripper
}

func (p publicProxy) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != p.public {
		return p.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Host, r.URL.Scheme, r.URL.Host = p.public, "http", p.server
	return p.next.RoundTrip(r)
}

// liveKey is the bootstrap key of production servers.
var liveKey = strings.Replace(boottest.Key, "hk_test_", "hk_live_", 1)

// startsPublicServer starts a server of an environment, sandbox or production, with a public URL.
func (c *ucpContext) startsPublicServer(environment, public string, agents ...knownAgent) error {
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
	file := filepath.Join(c.tb.TempDir(), "agents.json")
	if err := os.WriteFile(file, known, 0o600); err != nil {
		return err
	}
	app := boottest.Start(c.tb, c.server.engine.URL(c.tb), func(config *boot.Config) {
		config.Addr, config.PublicURL, config.UCPPlatforms = address, public, file
		config.Connections = 10
		if environment == "production" {
			config.Env, config.BootstrapKey, config.MasterKey = environment, liveKey, strings.Repeat("m", 64)
		}
	})
	c.recorder.next = publicProxy{strings.TrimPrefix(public, "https://"), address, c.recorder.next}
	c.app = app
	c.connection = exchange.NewClient(exchange.Config{
		URL:        app.URL(),
		HTTP:       &http.Client{Transport: c.recorder},
		RequestIDs: c.name,
	})
	key := boottest.Key
	if environment == "production" {
		key = liveKey
	}
	c.merchant = merchant.New(c.connection, key, "")
	return nil
}

// knownProfiles returns the content of the file of known agents' profiles.
func knownProfiles(agents []knownAgent) ([]byte, error) {
	known := map[string]any{}
	for _, agent := range agents {
		known[agent.profile] = platformProfile(agent.version, agent.without)
	}
	return json.Marshal(known)
}

func platformProfile(version, without string) any {
	site := "https://ucp.dev/" + version
	capabilities := map[string]any{}
	for name, extends := range map[string]any{
		"cart": nil, "checkout": nil, "order": nil, "catalog.search": nil, "catalog.lookup": nil,
		"fulfillment": "dev.ucp.shopping.checkout", "discount": []string{"dev.ucp.shopping.checkout", "dev.ucp.shopping.cart"},
	} {
		full := "dev.ucp.shopping." + name
		if full == without {
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
