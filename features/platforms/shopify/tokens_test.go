package shopify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

func TestExpiringTokens_publicApp(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := open(t, database, lookalike(t, platforms.Config{
			Products:  5,
			Customers: 2,
			Orders:    2,
		}), "")
		shopify := s.connect()
		if run := s.sync(shopify, `{}`); run["status"] != "completed" {
			t.Fatalf("%v", run)
		}
		if err := s.Expire(platforms.Shopify); err != nil {
			t.Fatal(err)
		}
		if run := s.sync(shopify, `{"full_sync": true}`); run["status"] != "completed" {
			t.Fatalf("after the token has expired: %v", run)
		}
		if n := s.Requests("shopify:token"); n != 2 {
			t.Errorf("%d token requests, want one for the code and one refresh", n)
		}
	})
}

func TestExpiringTokens_customApp(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		s := open(t, database, lookalike(t, platforms.Config{ShopifyApp: platforms.CustomApp, Products: 5}), "", custom)
		if run := s.sync(s.connect(), `{}`); run["status"] != "completed" {
			t.Fatalf("%v", run)
		}
	})
}

func custom(c *boot.Config) { c.ShopifyApp = "custom" }

// A public app that is configured as a custom one gets an error that says so when it connects.
func TestNonExpiringTokens_refused(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		wrong := open(t, database, lookalike(t, platforms.Config{Products: 1}), "", custom)
		status, answer := wrong.Send("POST", "/v1/integrations/connect/complete", wrong.consent())
		if said := fmt.Sprint(answer); status != 422 || !strings.Contains(said, "authorization_failed") || !strings.Contains(said, "HAGGLE_SHOPIFY_APP") {
			t.Errorf("%d %v", status, answer)
		}
	})
}

// A connection whose token never expires gets that error at its next sync, and has to be connected again.
func TestNonExpiringTokens_olderConnection(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{ShopifyApp: platforms.CustomApp, Products: 1})
		s := open(t, database, there, "", custom)
		shopify := s.connect()
		there.SetShopifyApp(platforms.PublicApp)
		run := s.sync(shopify, `{}`)
		if said := fmt.Sprint(run["error"]); run["status"] != "failed" || !strings.Contains(said, "never expires") {
			t.Errorf("%v", run)
		}
		now := s.Ask(200, "GET", shopify, "")
		if said := fmt.Sprint(now["last_error"], now["error"]); now["status"] != "error" || !strings.Contains(said, "connect again") {
			t.Errorf("%v", now)
		}
	})
}
