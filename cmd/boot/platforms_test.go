package boot_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// fakePlatforms is a server of simulated platforms. A test can intercept its requests.
type fakePlatforms struct {
	*platforms.Platforms
	url       string
	intercept atomic.Pointer[func(next http.Handler, w http.ResponseWriter, r *http.Request)]
}

func startFakePlatforms(t *testing.T, c platforms.Config) *fakePlatforms {
	t.Helper()
	o := &fakePlatforms{Platforms: platforms.Open(c)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if watch := o.intercept.Load(); watch != nil {
			(*watch)(o.Platforms, w, r)
			return
		}
		o.ServeHTTP(w, r)
	}))
	o.url = server.URL
	t.Cleanup(func() {
		o.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return o
}

func (o *fakePlatforms) setIntercept(intercept func(next http.Handler, w http.ResponseWriter, r *http.Request)) {
	o.intercept.Store(&intercept)
}

// config configures a server to use these platforms.
func (o *fakePlatforms) config(c *boot.Config) {
	c.AllowLoopback = true
	c.ShopifyURL, c.HubSpotURL, c.ShipStationURL = o.url+"/shopify", o.url+"/hubspot", o.url+"/shipstation"
	c.ShopifyID, c.ShopifySecret = "haggle-sandbox", "haggle-sandbox-secret"
	c.HubSpotID, c.HubSpotSecret = c.ShopifyID, c.ShopifySecret
}

// projectClient is an apiClient of one project.
type projectClient struct {
	apiClient
	project string
}

func (m apiClient) openProject(slug string) projectClient {
	return projectClient{m, m.openShop(slug, false)}
}

func (k projectClient) ask(status int, method, path, body string) map[string]any {
	k.Helper()
	return k.call(status, method, path, body, "X-Project-ID: "+k.project)
}

// connectCustom connects the merchant's own system and returns the integration's path.
func (k projectClient) connectCustom(o *fakePlatforms) (integration string) {
	k.Helper()
	return "/v1/integrations/" + k.ask(201, "POST", "/v1/integrations/connect/api-key",
		`{"type":"custom","credentials":{"api_key":"custom-key"},"config":{"base_url":"`+o.url+`/custom"}}`)["id"].(string)
}

// connectByConsent connects a platform by OAuth consent and returns the integration's path.
func (k projectClient) connectByConsent(kind string) (integration string) {
	k.Helper()
	store := map[string]string{"shopify": `,"store_domain":"trailhead-outfitters.myshopify.com"`}[kind]
	begun := k.ask(200, "POST", "/v1/integrations/connect", `{"type":"`+kind+`","redirect_uri":"https://example.com/back"`+store+`}`)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(begun["authorization_url"].(string), url.Values{"approve": {"1"}})
	if err != nil {
		k.Fatal(err)
	}
	defer answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		k.Fatal(err)
	}
	return "/v1/integrations/" + k.ask(201, "POST", "/v1/integrations/connect/complete",
		fmt.Sprintf(`{"type":%q,"state":%q,"code":%q,"callback_query":%q}`, kind, begun["state"], back.Query().Get("code"), back.RawQuery))["id"].(string)
}

// startSync starts a sync and returns its path.
func (k projectClient) startSync(integration, body string) (run string) {
	k.Helper()
	return integration + "/sync/" + k.ask(202, "POST", integration+"/sync", body)["sync_id"].(string)
}

// waitForSync waits until a sync has ended and returns it.
func (k projectClient) waitForSync(run string) map[string]any {
	k.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		now := k.ask(200, "GET", run, "")
		switch {
		case now["status"] != "running":
			return now
		case time.Now().After(end):
			k.Fatalf("a sync does not end: %v", now)
		}
	}
}

// expectSync expects a sync to complete with so many new records and no errors.
func (k projectClient) expectSync(run string, resource string, total int) {
	k.Helper()
	now := k.waitForSync(run)
	counters, _ := now["resources"].(map[string]any)[resource].(map[string]any)
	if now["status"] != "completed" || counters["total"] != float64(total) || counters["created"] != float64(total) || counters["errors"] != 0. {
		k.Errorf("%v, want %d %s", now, total, resource)
	}
}

// runServer runs a server until stop is called.
func runServer(t *testing.T, database string, change ...func(*boot.Config)) (address string, stop func()) {
	t.Helper()
	app, start := newServer(t, database, change...)
	return app.URL(), start()
}

// newServer creates a server. start runs it until stop is called.
func newServer(t *testing.T, database string, change ...func(*boot.Config)) (app *boot.App, start func() (stop func())) {
	t.Helper()
	config := boot.Config{
		Addr:           "127.0.0.1:0",
		OpsAddr:        "127.0.0.1:0",
		DatabaseURL:    database,
		Env:            "sandbox",
		BootstrapKey:   boottest.Key,
		ACPRate:        "off",
		EnterpriseRate: "1000000/1000000",
	}
	for _, c := range change {
		c(&config)
	}
	app, err := boot.New(context.Background(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return app, func() (stop func()) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- app.Run(ctx) }()
		stop = sync.OnceFunc(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("the server ended with: %v", err)
			}
			if err := app.Close(); err != nil {
				t.Error(err)
			}
		})
		t.Cleanup(stop)
		return stop
	}
}

// The background work on platforms is part of readiness and metrics, like all other loops.
func TestWorkers_readiness(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			ops := boottest.Start(t, engine.URL(t)).OpsURL()
			for _, name := range []string{"synchronise", "work on webhooks", "refresh tokens", "forget consents", "remove what is over"} {
				waitForRun(t, ops, name)
				r := request(t, "GET", ops+"/readyz", "")
				r.Header.Set("Accept", "application/json")
				if ready := send(t, r).expect(t, 200).body; !strings.Contains(ready, name) {
					t.Errorf("readiness does not look at %q: %s", name, ready)
				}
			}
		})
	}
}

// waitForRun waits until a loop has run without an error.
func waitForRun(t *testing.T, ops, name string) {
	t.Helper()
	line := fmt.Sprintf(`haggle_background_runs_total{loop=%q,result="ok"}`, name)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		metrics := get(t, ops+"/metrics").body
		if strings.Contains(metrics, line) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%q has not run: %s", name, metrics)
		}
	}
}
