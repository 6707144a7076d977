// Package shopify tests whole servers with a simulated Shopify, which is written from shopify.dev's pages of November 2026,
// over real HTTP and on both engines.
package shopify

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/features/platforms/platformtest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const store = "trailhead-outfitters.myshopify.com"

// shop is a merchant with a project, whose server is connected to the simulated Shopify.
type shop struct{ platformtest.Shop }

func TestMain(m *testing.M) {
	boottest.AtOnce(8)
	os.Exit(m.Run())
}

// each runs a test on both engines, in parallel with other tests.
func each(t *testing.T, run func(t *testing.T, database string)) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			run(t, engine.URL(t))
		})
	}
}

func lookalike(t *testing.T, c platforms.Config) *platforms.Server {
	t.Helper()
	s, err := platforms.Start("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// open starts a server for a merchant. If the simulator is behind a proxy, at is the proxy's URL.
func open(t testing.TB, database string, there *platforms.Server, at string, change ...func(*boot.Config)) *shop {
	t.Helper()
	if at == "" {
		at = there.URL
	}
	app := boottest.Start(t, database, append([]func(*boot.Config){func(c *boot.Config) {
		c.AllowLoopback = true
		c.ShopifyURL, c.ShopifyID, c.ShopifySecret = at+"/shopify", "haggle-sandbox", "haggle-sandbox-secret"
	}}, change...)...)
	return &shop{platformtest.Shop{
		Merchant:  boottest.NewMerchant(t, app),
		Server:    there,
		Platform:  "shopify",
		Orders:    "shopify_orders",
		Reference: "sourceIdentifier",
	}}
}

func (s *shop) openProject(slug, currency string) string {
	s.Helper()
	made := s.Ask(201, "POST", "/v1/projects", fmt.Sprintf(`{"name": %q, "slug": %q, "settings": {"default_currency": %q}}`, slug, slug, currency))
	return made["id"].(string)
}

// in returns the same merchant in another project.
func (s *shop) in(project string) *shop {
	merchant := *s.Merchant
	merchant.Project = project
	other := *s
	other.Merchant = &merchant
	return &other
}

var browser = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// consent begins connecting, approves as the merchant, and returns the body that completes it.
func (s *shop) consent() string {
	s.Helper()
	begun := s.Ask(200, "POST", "/v1/integrations/connect", `{"type": "shopify", "redirect_uri": "https://example.com/back", "store_domain": "`+store+`"}`)
	back := s.approve(begun["authorization_url"].(string))
	return fmt.Sprintf(`{"type": "shopify", "state": %q, "code": %q, "callback_query": %q}`, begun["state"], back.Query().Get("code"), back.RawQuery)
}

// connect connects the shop, and returns the integration's path.
func (s *shop) connect() string {
	s.Helper()
	return "/v1/integrations/" + s.Ask(201, "POST", "/v1/integrations/connect/complete", s.consent())["id"].(string)
}

// sync runs a sync and waits for its end.
func (s *shop) sync(integration, body string) map[string]any {
	s.Helper()
	run := integration + "/sync/" + s.Ask(202, "POST", integration+"/sync", body)["sync_id"].(string)
	var now map[string]any
	s.Until("a sync ends", func() bool {
		now = s.Ask(200, "GET", run, "")
		return now["status"] != "running"
	})
	return now
}

// proxy is between a server and the simulator, and may respond in its place.
type proxy struct {
	*httptest.Server
	next   http.Handler
	answer atomic.Pointer[func(w http.ResponseWriter, r *http.Request, body []byte) bool]
}

func before(t *testing.T, next http.Handler) *proxy {
	p := &proxy{next: next}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if answer := p.answer.Load(); answer != nil && (*answer)(w, r, body) {
		return
	}
	p.next.ServeHTTP(w, r)
}

func (p *proxy) answers(with func(w http.ResponseWriter, r *http.Request, body []byte) bool) {
	p.answer.Store(&with)
}
