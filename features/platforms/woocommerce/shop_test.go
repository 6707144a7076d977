// Package woocommerce tests whole servers with a simulated WooCommerce shop, over real HTTP and on both engines.
package woocommerce

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/features/platforms/platformtest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func TestMain(m *testing.M) {
	boottest.AtOnce(8)
	os.Exit(m.Run())
}

// each runs a test on both engines, in parallel with other tests.
func each(t *testing.T, c platforms.Config, run func(*testing.T, *platformtest.Shop)) {
	t.Parallel()
	c.Products, c.Customers, c.Orders = 14, 2, 2
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			there, err := platforms.Start("127.0.0.1:0", c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = there.Close() })
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) { c.AllowLoopback, c.RepeatAfter = true, 2*time.Second })
			s := &platformtest.Shop{
				Merchant:  boottest.NewMerchant(t, app),
				Server:    there,
				Platform:  "woocommerce",
				Orders:    "woocommerce_orders",
				Reference: "reference",
			}
			s.Integration = "/v1/integrations/" + s.Ask(201, "POST", "/v1/integrations/connect/api-key", fmt.Sprintf(`{"type": "woocommerce",
				"credentials": {"api_key": "ck_woocommerce", "api_secret": "cs_woocommerce"}, "config": {"base_url": %q}}`, there.URL+"/woocommerce"))["id"].(string)
			s.SyncShop(`{"full_sync": true}`)
			run(t, s)
		})
	}
}
