package boot_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/exchange"
	shopkeeper "github.com/haggle-commerce/haggle/simulator/merchant"
)

// In production a shop offers the payment methods of its connected live accounts only.
func TestOpenIntegrations_productionPaymentMethods(t *testing.T) {
	t.Parallel()
	const key = "hk_live_0123456789abcdefghijklmnopqrstuvwxyz"
	address := boottest.StartProvider(t).URL
	app := boottest.Start(t, boottest.Engines[0].URL(t), func(c *boot.Config) {
		c.Env, c.BootstrapKey, c.MasterKey, c.StripeURL = "production", key, strings.Repeat("k", 32), address
	})
	connection := exchange.NewClient(exchange.Config{URL: app.URL()})
	owner := shopkeeper.New(connection, key, "")
	shop, err := owner.CreateProject(t.Context(), shopkeeper.NewProject{Name: "Shop", Slug: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	owner = owner.In(shop.ID)
	served := func() string {
		t.Helper()
		m, err := acp.New(connection, "shop").Manifest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var types []string
		for _, method := range m.PaymentMethods {
			types = append(types, method.Type)
		}
		return strings.Join(types, " ")
	}
	if got := served(); got != "" {
		t.Errorf("without integrations %q are served", got)
	}
	connect := func(key string) (shopkeeper.Integration, error) {
		return owner.ConnectAPIKey(t.Context(), shopkeeper.NewIntegration{Type: "stripe", Credentials: shopkeeper.Credentials{Key: key}})
	}
	if _, err := connect("sk_test_1"); shopkeeper.CodeOf(err) != "validation_error" {
		t.Errorf("test money in production: %v", err)
	}
	made, err := connect("sk_live_1")
	if err != nil || !made.Config.LiveMode {
		t.Fatalf("%+v, %v", made, err)
	}
	if got := served(); got != "psp_spt" {
		t.Errorf("with Stripe %q are served", got)
	}
	if err := owner.Disconnect(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if got := served(); got != "" {
		t.Errorf("after disconnecting %q are served", got)
	}
}

// RotateMaster reseals credentials, webhook addresses and second factors, after which the old master key opens nothing.
func TestRotateMaster(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database, address := engine.URL(t), boottest.StartProvider(t).URL
			t.Run("connecting under the old key", func(t *testing.T) {
				app := boottest.Start(t, database, func(c *boot.Config) { c.MasterKey, c.StripeURL = "old", address })
				owner := shopkeeper.New(exchange.NewClient(exchange.Config{URL: app.URL()}), boottest.Key, "")
				shop, err := owner.CreateProject(t.Context(), shopkeeper.NewProject{Name: "Shop", Slug: "shop"})
				if err != nil {
					t.Fatal(err)
				}
				account := shopkeeper.NewIntegration{Type: "stripe", Credentials: shopkeeper.Credentials{Key: "sk_test_1"}}
				if _, err := owner.In(shop.ID).ConnectAPIKey(t.Context(), account); err != nil {
					t.Fatal(err)
				}
				if _, err := owner.In(shop.ID).Subscribe(t.Context(), shopkeeper.NewSubscription{URL: "https://example.com/hook", EventTypes: []string{"*"}}); err != nil {
					t.Fatal(err)
				}
				chat := `{"notifications": {"chat_webhook": "https://chat.example.com/hook"}}`
				apiClient{t, app.URL(), boottest.Key}.call(200, "PATCH", "/v1/projects/"+shop.ID+"/settings", chat)
				if _, err := owner.EnrolMFA(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
			wrong := boot.Config{
				DatabaseURL: database,
				Env:         "sandbox",
				MasterKey:   "wrong",
				Addr:        "127.0.0.1:0",
				OpsAddr:     "127.0.0.1:0",
			}
			if _, err := boot.New(t.Context(), wrong, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "HAGGLE_MASTER_KEY") {
				t.Errorf("a server under another key: %v", err)
			}
			for _, c := range []struct {
				keys string
				ok   bool
			}{{"new", false}, {"new, old", true}, {"new", true}, {"old", false}} {
				n, err := rotateMaster(t, database, c.keys)
				if (err == nil) != c.ok || c.ok && n != 4 {
					t.Errorf("with the keys %q: %d secrets, %v", c.keys, n, err)
				}
			}
			app := boottest.Start(t, database, func(c *boot.Config) { c.MasterKey, c.StripeURL = "new", address })
			m := apiClient{t, app.URL(), boottest.Key}
			project := m.call(200, "GET", "/v1/projects", "")["data"].([]any)[0].(map[string]any)
			if got := fmt.Sprint(m.call(200, "GET", "/v1/event-subscriptions", "", "X-Project-ID: "+project["id"].(string))); !strings.Contains(got, "url:https://example.com/hook]") {
				t.Errorf("under the new key the subscription is %s", got)
			}
			if got := fmt.Sprint(m.call(200, "GET", "/v1/projects/"+project["id"].(string)+"/settings", "")); !strings.Contains(got, "chat_webhook:https://chat.example.com/hook ") {
				t.Errorf("under the new key the settings are %s", got)
			}
		})
	}
}

func rotateMaster(t *testing.T, database, keys string) (int, error) {
	t.Helper()
	config := boot.Config{
		DatabaseURL: database,
		Env:         "sandbox",
		MasterKey:   keys,
	}
	app, err := boot.NewTools(context.Background(), config, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	return app.RotateMaster(t.Context())
}

func TestConfig_Check_emptyMasterKey(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{",", "a,", ",a", "a, ,b"} {
		c := boot.Config{
			DatabaseURL: "sqlite://x",
			Env:         "sandbox",
			MasterKey:   keys,
		}
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "HAGGLE_MASTER_KEY") {
			t.Errorf("%q: %v", keys, err)
		}
	}
}
