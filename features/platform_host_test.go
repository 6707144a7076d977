package features

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// platformHost serves the fake platforms of all scenarios at one URL. It routes a request by the key, code or token that
// the request carries.
type platformHost struct {
	url          string
	fallback     *platforms.Platforms // refuses requests without a known credential
	mu           sync.Mutex
	byCredential map[string]*platforms.Platforms // by key, code or token
	secrets      map[*platforms.Platforms][]string
}

// scenarioHeader names the platforms that a scenario's own requests are for.
const scenarioHeader = "X-Scenario"

func startPlatformHost(t testing.TB) *platformHost {
	host := &platformHost{byCredential: map[string]*platforms.Platforms{}, secrets: map[*platforms.Platforms][]string{}}
	host.fallback = platforms.Open(platforms.Config{
		CustomKey:      rand.Text(),
		ShipStationKey: rand.Text(),
		Products:       -1,
		Customers:      -1,
		Orders:         -1,
	})
	server := httptest.NewServer(host)
	host.url = server.URL
	t.Cleanup(server.Close)
	return host
}

// open opens platforms with unique keys, derived from name.
func (t *platformHost) open(name string, c platforms.Config) *platforms.Platforms {
	c.PublicURL, c.CustomKey = t.url, "custom-key-"+name
	c.ShipStationKey, c.ShipStationSecret, c.ShipStationV2Key = "shipstation-key-"+name, "shipstation-secret-"+name, "shipstation-v2-key-"+name
	c.WooCommerceKey = "ck_" + name
	c.ShopifyBucket, c.ShopifyRestore, c.HubSpotPer10s, c.ShipStationRate = 1e6, 1e6, 1e6, 1e6
	p := platforms.Open(c)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byCredential[name] = p
	t.registerLocked(p, c.CustomKey, c.ShipStationKey, c.ShipStationSecret, c.ShipStationV2Key, c.WooCommerceKey)
	return p
}

func (t *platformHost) remove(p *platforms.Platforms) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.secrets, p)
	maps.DeleteFunc(t.byCredential, func(_ string, of *platforms.Platforms) bool { return of == p })
}

// registerLocked is register; the caller holds mu.
func (t *platformHost) registerLocked(p *platforms.Platforms, secrets ...string) {
	for _, secret := range secrets {
		if secret != "" {
			t.byCredential[secret], t.secrets[p] = p, append(t.secrets[p], secret)
		}
	}
}

// register routes requests with these credentials to p.
func (t *platformHost) register(p *platforms.Platforms, secrets ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.registerLocked(p, secrets...)
}

// secretsOf returns all credentials of p's clients.
func (t *platformHost) secretsOf(p *platforms.Platforms) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.secrets[p])
}

func (t *platformHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has disconnected
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	target := t.platformsFor(r, body)
	switch {
	case strings.HasPrefix(r.URL.Path, "/shopify/bulk/"):
		t.download(w, r)
	case strings.HasSuffix(r.URL.Path, "/access_token"), strings.HasSuffix(r.URL.Path, "/2026-03/token"):
		t.forwardTokens(target, w, r)
	case r.Method == "POST" && r.URL.Path == "/custom/webhooks":
		var given struct{ Secret string }
		_ = json.Unmarshal(body, &given) // the platform validates the body
		t.register(target, given.Secret)
		target.ServeHTTP(w, r)
	default:
		target.ServeHTTP(w, r)
	}
}

func (t *platformHost) platformsFor(r *http.Request, body []byte) *platforms.Platforms {
	form, _ := url.ParseQuery(string(body)) // empty if the body is no form
	user, _, _ := r.BasicAuth()
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, credential := range []string{
		r.Header.Get(scenarioHeader), r.Header.Get("X-Shopify-Access-Token"), r.Header.Get("API-Key"), user, bearer, form.Get("code"), form.Get("refresh_token"),
		form.Get("token"), path.Base(r.URL.Path),
	} {
		if p := t.byCredential[credential]; p != nil && credential != "" {
			return p
		}
	}
	return t.fallback
}

// forwardTokens serves a token request and registers the issued tokens.
func (t *platformHost) forwardTokens(target *platforms.Platforms, w http.ResponseWriter, r *http.Request) {
	written := httptest.NewRecorder()
	target.ServeHTTP(written, r)
	var given struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if json.Unmarshal(written.Body.Bytes(), &given) == nil {
		t.register(target, given.Access, given.Refresh)
	}
	maps.Copy(w.Header(), written.Header())
	w.WriteHeader(written.Code)
	_, _ = w.Write(written.Body.Bytes()) // the client may have disconnected
}

// download tries all platforms, because the request's only credential is the file's URL.
func (t *platformHost) download(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	all := map[*platforms.Platforms]bool{}
	for _, p := range t.byCredential {
		all[p] = true
	}
	t.mu.Unlock()
	for p := range all {
		written := httptest.NewRecorder()
		if p.ServeHTTP(written, r); written.Code != http.StatusNotFound {
			maps.Copy(w.Header(), written.Header())
			w.WriteHeader(written.Code)
			_, _ = w.Write(written.Body.Bytes()) // the client may have disconnected
			return
		}
	}
	http.NotFound(w, r)
}
