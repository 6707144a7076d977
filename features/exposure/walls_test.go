package exposure

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/provider"
)

// behindProxy lets a test choose the client address of its requests. Tenants have accounts with payment providers and
// platforms, and their own systems.
func behindProxy(c *boot.Config) {
	c.TrustedProxies, c.AllowLoopback = "127.0.0.1", true
	c.StripeURL, c.PayPalURL = paymentProviders(), paymentProviders()
	c.HubSpotURL, c.ShipStationURL = lookalikes()+"/hubspot", lookalikes()+"/shipstation"
}

// paymentProviders starts a simulated payment provider that runs as long as the test program, and returns its URL.
var paymentProviders = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "haggle-provider-")
	if err != nil {
		panic(err)
	}
	p, err := provider.Open(provider.Config{Ledger: filepath.Join(dir, "ledger")})
	if err != nil {
		panic(err)
	}
	_ = os.RemoveAll(dir) // the open file remains usable
	return httptest.NewServer(p.Handler()).URL
})

// The test tries every documented operation as every caller that must be refused. Every id of another tenant must behave like
// an unknown one.
func TestWallsBetweenTenants(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		app := boottest.Start(t, engine.URL(t), behindProxy)
		findings, cases := walk(t, app, app.URL())
		for _, f := range findings {
			t.Error(f)
		}
		t.Logf("%d requests were judged", cases)
		if cases < 2500 {
			t.Errorf("only %d requests were judged", cases)
		}
	})
}
