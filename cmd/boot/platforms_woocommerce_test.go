package boot_test

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// A WooCommerce shop is connected by its address and key and synchronised, and its signed webhooks are processed.
func TestConnectors_wooCommerce(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			o := startFakePlatforms(t, platforms.Config{
				Products:  30,
				Customers: 12,
				Orders:    15,
			})
			database := engine.URL(t)
			a := boottest.Start(t, database, o.config)
			k := apiClient{t, a.URL(), boottest.Key}.openProject("woo-shop")
			body := `{"type": "woocommerce", "credentials": {"api_key": "ck_woocommerce", "api_secret": %q}, "config": {"base_url": %q}}`
			connect := func(status int, secret string) map[string]any {
				return k.ask(status, "POST", "/v1/integrations/connect/api-key", fmt.Sprintf(body, secret, o.url+"/woocommerce"))
			}
			connect(422, "")
			connect(422, "guessed")
			shop := "/v1/integrations/" + connect(201, "cs_woocommerce")["id"].(string)
			k.ask(201, "POST", shop+"/webhooks", `{"topic": "product.updated"}`)
			run := k.startSync(shop, "{}")
			for resource, total := range map[string]int{"products": 30, "customers": 12, "orders": 15} {
				k.expectSync(run, resource, total)
			}
			sent, err := o.Webhooks(t.Context(), platforms.Webhooks{
				Platform: platforms.WooCommerce,
				Count:    5,
				Tamper:   1,
				Seed:     3,
			})
			if err != nil || sent.Answers[200] != 5 || sent.Tampered == 0 || sent.TamperedAnswers[401] != sent.Tampered {
				t.Errorf("%+v, %v", sent, err)
			}
			k.waitForProcessed(shop, 5)

			// A webhook that WooCommerce has disabled is activated again with another secret.
			if _, err := o.Lose(platforms.Lose{Platform: platforms.WooCommerce, How: "disable"}); err != nil {
				t.Fatal(err)
			}
			if _, err := boottest.Inspect(t, database).Exec("UPDATE integration_webhooks SET check_at = 0"); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the webhook is active again", func() bool {
				return k.ask(200, "GET", shop+"/webhooks", "")["data"].([]any)[0].(map[string]any)["restored_at"] != nil
			})
			sent, err = o.Webhooks(t.Context(), platforms.Webhooks{
				Platform: platforms.WooCommerce,
				Count:    3,
				Seed:     4,
			})
			if err != nil || sent.Answers[200] != 3 {
				t.Errorf("after it was disabled: %+v, %v", sent, err)
			}
		})
	}
}
