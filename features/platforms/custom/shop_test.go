// Package custom tests whole servers with a simulated custom system of a merchant, over real HTTP and on both engines.
package custom

import (
	"fmt"
	"os"
	"testing"

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
			app := boottest.Start(t, engine.URL(t), func(c *boot.Config) { c.AllowLoopback = true })
			s := &platformtest.Shop{
				Merchant:  boottest.NewMerchant(t, app),
				Server:    there,
				Platform:  "custom",
				Orders:    "custom_orders",
				Reference: "reference",
			}
			s.Integration = "/v1/integrations/" + s.Ask(201, "POST", "/v1/integrations/connect/api-key", fmt.Sprintf(`{"type": "custom",
				"credentials": {"api_key": "custom-key"}, "config": {"base_url": %q}}`, there.URL+"/custom"))["id"].(string)
			s.SyncShop(`{"full_sync": true}`)
			run(t, s)
		})
	}
}
