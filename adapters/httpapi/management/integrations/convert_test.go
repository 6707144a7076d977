package integrations

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

func TestFromAPIDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1m": time.Minute, "30m": 30 * time.Minute, "1h": time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour, "720h": 30 * 24 * time.Hour,
	} {
		if got, known := fromAPIDuration(text); got != want || !known {
			t.Errorf("%s is %s, %v", text, got, known)
		}
	}
	for _, text := range []string{"", "h", "1", "0m", "01h", "-1h", "+1h", "1.5h", "1s", "1w", "31d", "721h", "43201m", "99999999999h", "1 h", "1h30m", "１h"} {
		if got, known := fromAPIDuration(text); known {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// The config of each type has the fields of that type, even those that are false.
func TestToAPIConfig(t *testing.T) {
	t.Parallel()
	all := integration.Config{Account: "A", Skip: integration.Skips{Orders: true}}
	shop, own := all, all
	shop.Store, own.BaseURL = "a.myshopify.com", "https://erp.test"
	for kind, c := range map[integration.Type]struct {
		config integration.Config
		want   string
	}{
		integration.Stripe: {all, `{"account_id":"A","live_mode":false}`},
		integration.PayPal: {all, `{"account_id":"A","live_mode":false}`},
		integration.Shopify: {shop, `{"store_domain":"a.myshopify.com","sync_products":true,"sync_orders":false,"sync_customers":true,"write_orders":false,"refused_orders":"keep",` +
			`"offer_unpublished":false,"offer_gift_cards":false,"offer_subscription_only":false}`},
		integration.Custom:      {own, `{"base_url":"https://erp.test","sync_products":true,"sync_orders":false,"sync_customers":true,"write_orders":false,"refused_orders":"keep"}`},
		integration.WooCommerce: {own, `{"base_url":"https://erp.test","sync_products":true,"sync_orders":false,"sync_customers":true,"write_orders":false,"refused_orders":"keep"}`},
		integration.HubSpot:     {all, `{"account_id":"A","sync_orders":false,"sync_customers":true,"write_orders":false}`},
		integration.ShipStation: {all, `{"account_id":"A","sync_orders":false}`},
	} {
		i := integration.Connect(id.Integration{}, id.Project{}, integration.Draft{Type: kind}, c.config, integration.Hook{}, time.Time{})
		if got, _ := json.Marshal(toAPIConfig(i)); string(got) != c.want {
			t.Errorf("%s: %s, not %s", kind, got, c.want)
		}
	}
}
