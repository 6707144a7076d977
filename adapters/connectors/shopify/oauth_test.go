package shopify_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

func TestConsent(t *testing.T) {
	t.Parallel()
	own := shopify.New(shopify.Config{
		ClientID:     clientID,
		ClientSecret: secret,
		Clock:        fixedClock(noon),
	})
	proxied := shopify.New(shopify.Config{
		URL:          "http://localhost:1/shopify/",
		ClientID:     clientID,
		ClientSecret: secret,
		Clock:        fixedClock(noon),
	})
	for want, c := range map[string]struct {
		connector *shopify.Connector
		store     string
	}{
		"https://acme.myshopify.com/admin/oauth/authorize": {own, store},
		"http://localhost:1/shopify/admin/oauth/authorize": {proxied, ""}, "http://localhost:1/shopify/admin/oauth/authorize#": {proxied, store},
	} {
		address, err := c.connector.Consent(ports.Consent{
			Store:       c.store,
			RedirectURI: "https://m.example/back?a=b",
			State:       "st&1",
			Verifier:    "v",
		})
		u, _ := url.Parse(address)
		if err != nil || u == nil || !strings.HasPrefix(address, strings.TrimSuffix(want, "#")+"?") {
			t.Errorf("%s: %s, %v", want, address, err)
			continue
		}
		q := u.Query()
		if q.Get("client_id") != clientID || q.Get("redirect_uri") != "https://m.example/back?a=b" || q.Get("state") != "st&1" ||
			q.Get("scope") != "read_products,read_inventory,read_locations,read_orders,read_customers,write_orders,"+
				"read_merchant_managed_fulfillment_orders,write_merchant_managed_fulfillment_orders" || q.Has("code_challenge") {
			t.Errorf("%s: %v", want, q)
		}
	}
	for _, wrong := range []string{"", "evil.example"} {
		if _, err := own.Consent(ports.Consent{Store: wrong}); !refused(err) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if !own.NeedsStore() || proxied.NeedsStore() {
		t.Error("a store is needed where no address stands for all shops")
	}
}

// granted returns a grant whose callback is changed by change.
func granted(change func(q url.Values, g *ports.CodeGrant)) ports.CodeGrant {
	q := callback("code-1", "state-1", store, noon)
	g := ports.CodeGrant{
		Store: store,
		Code:  "code-1",
		State: "state-1",
	}
	change(q, &g)
	g.Callback = q.Encode()
	return g
}

func TestCheckCallback(t *testing.T) {
	t.Parallel()
	resigned := func(code, state, shop string, at time.Time) func(url.Values, *ports.CodeGrant) {
		return func(q url.Values, _ *ports.CodeGrant) {
			clear(q)
			for key, values := range callback(code, state, shop, at) {
				q[key] = values
			}
		}
	}
	for name, change := range map[string]func(url.Values, *ports.CodeGrant){
		"no signature":           func(q url.Values, _ *ports.CodeGrant) { q.Del("hmac") },
		"an empty signature":     func(q url.Values, _ *ports.CodeGrant) { q.Set("hmac", "") },
		"another signature":      func(q url.Values, _ *ports.CodeGrant) { q.Set("hmac", strings.Repeat("0", 64)) },
		"no hex":                 func(q url.Values, _ *ports.CodeGrant) { q.Set("hmac", q.Get("hmac")[:63]+"x") },
		"a parameter more":       func(q url.Values, _ *ports.CodeGrant) { q.Set("more", "1") },
		"a parameter less":       func(q url.Values, _ *ports.CodeGrant) { q.Del("host") },
		"a parameter twice":      func(q url.Values, _ *ports.CodeGrant) { q.Add("shop", "evil.myshopify.com") },
		"another shop, unsigned": func(q url.Values, _ *ports.CodeGrant) { q.Set("shop", "evil.myshopify.com") },
		"parameters in one": func(q url.Values, g *ports.CodeGrant) { // the same signed text, split differently
			q.Set("code", q.Get("code")+"&host="+q.Get("host"))
			q.Del("host")
			g.Code = q.Get("code")
		},
		"another code of the grant":  func(_ url.Values, g *ports.CodeGrant) { g.Code = "code-2" },
		"another state of the grant": func(_ url.Values, g *ports.CodeGrant) { g.State = "state-2" },
		"another shop of the grant":  func(_ url.Values, g *ports.CodeGrant) { g.Store = "other.myshopify.com" },
		"a signed other code":        resigned("code-2", "state-1", store, noon),
		"a signed other state":       resigned("code-1", "state-2", store, noon),
		"a signed other shop":        resigned("code-1", "state-1", "other.myshopify.com", noon),
		"a time long past":           resigned("code-1", "state-1", store, noon.Add(-11*time.Minute)),
		"a time to come":             resigned("code-1", "state-1", store, noon.Add(3*time.Minute)),
	} {
		s, c, _ := connect(t)
		g := granted(change)
		s.codes["code-1"], s.codes["code-2"], s.codes[g.Code] = true, true, true
		before := len(s.codes)
		if _, err := c.Exchange(ports.NewOutbound(t.Context()), g); !errors.Is(err, ports.ErrCredentialsRefused) || len(s.codes) != before || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(url.Values, *ports.CodeGrant){
		"as it is":    func(url.Values, *ports.CodeGrant) {},
		"a while ago": resigned("code-1", "state-1", store, noon.Add(-9*time.Minute)),
		"a clock off": resigned("code-1", "state-1", store, noon.Add(time.Minute)),
		"no store":    func(_ url.Values, g *ports.CodeGrant) { g.Store = "" },
		"upper case":  func(q url.Values, _ *ports.CodeGrant) { q.Set("hmac", strings.ToUpper(q.Get("hmac"))) },
		"encoded form": func(q url.Values, _ *ports.CodeGrant) {
			q.Set("host", "a+b=")
			q.Del("hmac")
			q.Set("hmac", fmt.Sprintf("%x", sign(q.Encode())))
		},
	} {
		s, c, _ := connect(t)
		s.codes["code-1"] = true
		if got, err := c.Exchange(ports.NewOutbound(t.Context()), granted(change)); err != nil || got != (integration.Credentials{Key: token}) || len(s.codes) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without a secret every signature is wrong.
	s, _, _ := connect(t)
	bare := shopify.New(shopify.Config{
		URL:      s.url,
		ClientID: clientID,
		Clock:    fixedClock(noon),
	})
	if _, err := bare.Exchange(ports.NewOutbound(t.Context()), granted(func(url.Values, *ports.CodeGrant) {})); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Error(err)
	}
}

// The code is sent to the shop of the grant, or else to that of the signed callback.
func TestExchange_address(t *testing.T) {
	t.Parallel()
	var asked []string
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.String())
		return nil, errors.New("no network")
	})}
	c := shopify.New(shopify.Config{
		ClientID:     clientID,
		ClientSecret: secret,
		Client:       client,
		Clock:        fixedClock(noon),
	})
	unsigned := ports.CodeGrant{
		Code:  "code-1",
		State: "state-1",
		Store: store,
	}
	if _, err := c.Exchange(ports.NewOutbound(t.Context()), unsigned); !errors.Is(err, ports.ErrCredentialsRefused) || asked != nil {
		t.Errorf("no callback: %v, %v", asked, err)
	}
	named := granted(func(url.Values, *ports.CodeGrant) {})
	signed := granted(func(_ url.Values, g *ports.CodeGrant) { g.Store = "" })
	for _, g := range []ports.CodeGrant{named, signed} {
		asked = nil
		if _, err := c.Exchange(ports.NewOutbound(t.Context()), g); !failed(err) || len(asked) != 1 || asked[0] != "https://acme.myshopify.com/admin/oauth/access_token" {
			t.Errorf("%v, %v", asked, err)
		}
	}
	evil := callback("code-1", "state-1", "evil.example", noon).Encode()
	if _, err := c.Exchange(ports.NewOutbound(t.Context()), ports.CodeGrant{
		Code:     "code-1",
		State:    "state-1",
		Callback: evil,
	}); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Error(err)
	}
}

// A public app requests a token that expires, a custom one does not. Both accept either kind of token.
func TestExchange_expiring(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		custom bool
		asks   string
		answer string
		want   integration.Credentials
	}{
		{false, "1", `{"access_token": "shpat_1", "expires_in": 3600, "refresh_token": "shprt_1", "refresh_token_expires_in": 7776000, "scope": "a"}`,
			integration.Credentials{
				Key:     "shpat_1",
				Refresh: "shprt_1",
				Expires: noon.Add(time.Hour),
			}},
		{false, "1", `{"access_token": "shpat_1", "scope": "a"}`, integration.Credentials{Key: "shpat_1"}},
		{true, "", `{"access_token": "shpat_1", "scope": "a"}`, integration.Credentials{Key: "shpat_1"}},
	} {
		asked := "?"
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.FormValue("expiring")
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, test.answer)
		}))
		c := shopify.New(shopify.Config{
			Custom:       test.custom,
			URL:          server.URL,
			ClientID:     clientID,
			ClientSecret: secret,
			Clock:        fixedClock(noon),
		})
		got, err := c.Exchange(ports.NewOutbound(t.Context()), granted(func(url.Values, *ports.CodeGrant) {}))
		server.Close()
		if err != nil || got != test.want || asked != test.asks {
			t.Errorf("custom %v: %+v, %v, asked with expiring=%q", test.custom, got, err, asked)
		}
	}
}

// While the app's secret is rotated, signatures with the current and the previous secret are valid.
func TestConfig_PreviousSecret(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		current, previous string
		taken             bool
	}{
		"the current one":  {secret, "old", true},
		"the previous one": {"new", secret, true},
		"neither":          {"new", "old", false},
		"no secret at all": {"", "", false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token": "shpat_1"}`)
		}))
		c := shopify.New(shopify.Config{
			URL:            server.URL,
			ClientID:       clientID,
			ClientSecret:   test.current,
			PreviousSecret: test.previous,
			Clock:          fixedClock(noon),
		})
		_, errCallback := c.Exchange(ports.NewOutbound(t.Context()), granted(func(url.Values, *ports.CodeGrant) {}))
		_, errCall := c.Verify(call("products/update", "d-1", noon, `{"id":1}`), "")
		server.Close()
		if (errCallback == nil) != test.taken || (errCall == nil) != test.taken {
			t.Errorf("%s: the callback: %v; the call: %v", name, errCallback, errCall)
		}
	}
}

// The refusal of a token that never expires is ErrCredentialsRefused, and says what to do.
func TestNonExpiring(t *testing.T) {
	t.Parallel()
	const body = `{"errors": "[API] Non-expiring access tokens are no longer accepted for the Admin API. Start using expiring offline tokens: https://shopify.dev/"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	for custom, want := range map[bool]string{false: "Connect again", true: "HAGGLE_SHOPIFY_APP to public"} {
		c := shopify.New(shopify.Config{
			Custom:       custom,
			URL:          server.URL,
			ClientID:     clientID,
			ClientSecret: secret,
			Clock:        fixedClock(noon),
		})
		for _, ask := range []func() error{
			func() error { _, err := c.Inspect(ports.NewOutbound(t.Context()), connection(t)); return err },
			func() error {
				_, err := c.Exchange(ports.NewOutbound(t.Context()), granted(func(url.Values, *ports.CodeGrant) {}))
				return err
			},
		} {
			err := ask()
			if why := ports.WhyRefused(err, ""); !errors.Is(err, ports.ErrCredentialsRefused) || !strings.Contains(why, "never expires") || !strings.Contains(why, want) {
				t.Errorf("custom %v: %v", custom, err)
			}
		}
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.FormValue("grant_type") != "refresh_token" || r.FormValue("refresh_token") != "shprt_1" || r.FormValue("client_secret") != secret {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"access_token": "shpat_2", "expires_in": 3600, "refresh_token": "shprt_2", "refresh_token_expires_in": 7776000}`)
	}))
	t.Cleanup(server.Close)
	c := shopify.New(shopify.Config{
		URL:          server.URL,
		ClientID:     clientID,
		ClientSecret: secret,
		Clock:        fixedClock(noon),
	})
	conn := connection(t)
	if _, err := c.Refresh(ports.NewOutbound(t.Context()), conn); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("nothing to refresh: %v", err)
	}
	conn.Credentials.Refresh = "shprt_1"
	got, err := c.Refresh(ports.NewOutbound(t.Context()), conn)
	if err != nil || got != (integration.Credentials{
		Key:     "shpat_2",
		Refresh: "shprt_2",
		Expires: noon.Add(time.Hour),
	}) {
		t.Errorf("%+v, %v", got, err)
	}
	conn.Credentials.Refresh = "shprt_9"
	if _, err := c.Refresh(ports.NewOutbound(t.Context()), conn); !errors.Is(err, ports.ErrCredentialsRefused) {
		t.Error(err)
	}
}
