package boot_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// Consent at Shopify and HubSpot begins with the configured OAuth app, in a sandbox without one with the simulator's, and in
// production without one it is refused.
func TestOAuthApps_consent(t *testing.T) {
	t.Parallel()
	const key = "hk_live_0123456789abcdefghijklmnopqrstuvwxyz"
	production := func(c *boot.Config) { c.Env, c.BootstrapKey, c.MasterKey = "production", key, strings.Repeat("k", 32) }
	with := func(c *boot.Config) {
		production(c)
		c.HubSpotID, c.HubSpotSecret, c.ShopifyID, c.ShopifySecret = "our-app", "our-own-secret-1", "our-app", "our-own-secret-2"
	}
	const app = "client_id=our-app"
	for _, c := range []struct {
		name          string
		change        func(*boot.Config)
		key           string
		shopify, crm  string // prefix of the consent's address; "" if there is no app
		client, other string // what the address must have, and must not have
	}{
		{"production without an app", production, key, "", "", "", ""},
		{"production with one", with, key, "https://my-shop.myshopify.com/admin/oauth/authorize?", "https://app.hubspot.com/oauth/authorize?", app, "our-own-secret"},
		{"a sandbox without one", func(*boot.Config) {}, boottest.Key, "http://127.0.0.1:8095/shopify/", "http://127.0.0.1:8095/hubspot/",
			"client_id=haggle-sandbox&", "haggle-sandbox-secret"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := apiClient{t, boottest.Start(t, boottest.Engines[0].URL(t), c.change).URL(), c.key}.openProject("shop")
			for kind, want := range map[string]string{"shopify": c.shopify, "hubspot": c.crm} {
				body := `{"type":"` + kind + `","redirect_uri":"https://example.com/back"}`
				if kind == "shopify" {
					body = `{"type":"shopify","redirect_uri":"https://example.com/back","store_domain":"my-shop.myshopify.com"}`
				}
				if want == "" {
					refusal := fmt.Sprint(k.ask(409, "POST", "/v1/integrations/connect", body)["error"])
					variable := "HAGGLE_" + strings.ToUpper(kind) + "_CLIENT_ID"
					if !strings.Contains(refusal, "code:oauth_app_missing") || !strings.Contains(refusal, variable) {
						t.Errorf("%s: %s", kind, refusal)
					}
					complete := strings.Replace(body, `"redirect_uri"`, `"code":"c","state":"s","callback_query":"code=c","redirect_uri"`, 1)
					if refusal = fmt.Sprint(k.ask(409, "POST", "/v1/integrations/connect/complete", complete)["error"]); !strings.Contains(refusal, "oauth_app_missing") {
						t.Errorf("%s: %s", kind, refusal)
					}
					continue
				}
				address := k.ask(200, "POST", "/v1/integrations/connect", body)["authorization_url"].(string)
				if !strings.HasPrefix(address, want) || !strings.Contains(address, c.client) || strings.Contains(address, c.other) {
					t.Errorf("%s: %s", kind, address)
				}
			}
		})
	}
}

// redirectTransport sends every request to the server's current address.
type redirectTransport struct{ to atomic.Value }

func (f *redirectTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = f.to.Load().(string)
	return http.DefaultTransport.RoundTrip(r)
}

// After RotateMaster, credentials of platforms and secrets of webhooks are readable with the new master key only.
func TestRotateMaster_platforms(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database, there := engine.URL(t), &redirectTransport{}
			o := startFakePlatforms(t, platforms.Config{
				Products:      3,
				Customers:     4,
				Orders:        5,
				HubSpotPer10s: 1000,
				HTTP:          &http.Client{Transport: there},
			})
			on := func(keys string) (address string, stop func()) {
				address, stop = runServer(t, database, o.config, func(c *boot.Config) { c.MasterKey = keys })
				there.to.Store(strings.TrimPrefix(address, "http://"))
				return address, stop
			}
			address, stop := on("old")
			k := apiClient{t, address, boottest.Key}.openProject("shop")
			own, crm, shop := k.connectCustom(o), k.connectByConsent("hubspot"), k.connectByConsent("shopify")
			shipper := "/v1/integrations/" + k.ask(201, "POST", "/v1/integrations/connect/api-key",
				`{"type":"shipstation","credentials":{"api_key":"shipstation-key","api_secret":"shipstation-secret"}}`)["id"].(string)
			for _, one := range []string{own, shop} {
				k.ask(201, "POST", one+"/webhooks", `{"topic":"customers/update"}`)
			}
			stop()

			if n, err := rotateMaster(t, database, "new, old"); err != nil || n != 5 {
				t.Fatalf("%d secrets, %v, want those of four accounts and one webhook", n, err)
			}
			if n, err := rotateMaster(t, database, "old"); err == nil {
				t.Errorf("the old key still opens %d secrets", n)
			}
			k.url, _ = on("new")
			k.expectSync(k.startSync(own, `{}`), "products", 3)
			k.expectSync(k.startSync(crm, `{}`), "customers", 4)
			k.expectSync(k.startSync(shop, `{}`), "customers", 4)
			if run := k.waitForSync(k.startSync(shipper, `{}`)); run["status"] != "completed" {
				t.Errorf("%v", run)
			}
			for platform, one := range map[string]string{"custom": own, "shopify": shop} {
				sent, err := o.Webhooks(t.Context(), platforms.Webhooks{
					Platform: platform,
					Count:    3,
					Tamper:   1,
				})
				if err != nil || sent.Answers[200] != 3 || sent.TamperedAnswers[401] != 3 {
					t.Errorf("%s: %+v, %v", platform, sent, err)
				}
				k.waitForProcessed(one, 3)
			}
		})
	}
}

// waitForProcessed waits until so many webhook calls have been processed.
func (k projectClient) waitForProcessed(integration string, calls int) {
	k.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		log := k.ask(200, "GET", integration+"/webhooks/logs?status=processed", "")["data"].([]any)
		if len(log) == calls {
			return
		}
		if time.Now().After(end) {
			k.Fatalf("%d of %d calls are taken in: %v", len(log), calls, k.ask(200, "GET", integration+"/webhooks/logs", ""))
		}
	}
}
