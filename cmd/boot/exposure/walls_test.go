package exposure

import (
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// behindProxy lets a test say where its requests come from.
func behindProxy(c *boot.Config) { c.TrustedProxies = "127.0.0.1" }

// Every operation of the document is tried by everybody who must not, and every id of another tenant
// behaves as an unknown one.
func TestWallsBetweenTenants(t *testing.T) {
	onEngines(t, func(t *testing.T, engine boottest.Engine) {
		app := boottest.Start(t, engine.URL(t), behindProxy)
		findings, cases := walk(t, app, app.URL())
		for _, f := range findings {
			t.Error(f)
		}
		t.Logf("%d requests were judged", cases)
		if cases < 800 {
			t.Errorf("only %d requests were judged", cases)
		}
	})
}
