package boot_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	shopkeeper "github.com/haggle-commerce/haggle/simulator/merchant"
)

// Production has no default OAuth app: connecting by consent fails and names the missing variables. A configured app is used.
func TestMissingApp_production(t *testing.T) {
	t.Parallel()
	const key = "hk_live_0123456789abcdefghijklmnopqrstuvwxyz"
	app := boottest.Start(t, boottest.Engines[0].URL(t), func(c *boot.Config) {
		c.Env, c.BootstrapKey, c.MasterKey = "production", key, strings.Repeat("k", 32)
		c.HubSpotID, c.HubSpotSecret = "our-app", "our-secret"
	})
	owner := shopkeeper.New(exchange.NewClient(exchange.Config{URL: app.URL()}), key, "")
	shop, err := owner.CreateProject(t.Context(), shopkeeper.NewProject{Name: "Shop", Slug: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	owner = owner.In(shop.ID)
	ask := func(path, body string) exchange.Response {
		t.Helper()
		answer, err := owner.Do(t.Context(), "POST", "/v1/integrations/connect"+path, nil, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for path, body := range map[string]string{
		"":          `{"type": "shopify", "redirect_uri": "https://shop.example.com/back"}`,
		"/complete": `{"type": "shopify", "code": "c", "state": "s", "callback_query": "shop=a.myshopify.com"}`,
	} {
		answer := ask(path, body)
		if text := string(answer.Body); answer.Status != 409 || !strings.Contains(text, `"oauth_app_missing"`) ||
			!strings.Contains(text, "HAGGLE_SHOPIFY_CLIENT_ID and HAGGLE_SHOPIFY_CLIENT_SECRET") {
			t.Errorf("%s without an app: %d %s", path, answer.Status, text)
		}
	}
	begun := ask("", `{"type": "hubspot", "redirect_uri": "https://shop.example.com/back"}`)
	if text := string(begun.Body); begun.Status != 200 || !strings.Contains(text, "https://app.hubspot.com/oauth/authorize?") ||
		!strings.Contains(text, "client_id=our-app") || strings.Contains(text, "our-secret") {
		t.Errorf("with an app: %d %s", begun.Status, text)
	}
}
