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

// town is one address at which every scenario has platforms of its own. A request goes to those whose key, code
// or token it carries.
type town struct {
	url      string
	stranger *platforms.Platforms // refuses whoever carries nothing that is known
	mu       sync.Mutex
	homes    map[string]*platforms.Platforms // by what a request carries
	secrets  map[*platforms.Platforms][]string
}

// visitorHeader says whose platforms a scenario's own requests are for.
const visitorHeader = "X-Scenario"

func startTown(t *testing.T) *town {
	made := &town{homes: map[string]*platforms.Platforms{}, secrets: map[*platforms.Platforms][]string{}}
	made.stranger = platforms.Open(platforms.Config{
		CustomKey:      rand.Text(),
		ShipStationKey: rand.Text(),
		Products:       -1,
		Customers:      -1,
		Orders:         -1,
	})
	listening := httptest.NewServer(made)
	made.url = listening.URL
	t.Cleanup(listening.Close)
	return made
}

// settle opens platforms whose keys nobody else has.
func (t *town) settle(name string, c platforms.Config) *platforms.Platforms {
	c.PublicURL, c.CustomKey = t.url, "custom-key-"+name
	c.ShipStationKey, c.ShipStationSecret, c.ShipStationV2Key = "shipstation-key-"+name, "shipstation-secret-"+name, "shipstation-v2-key-"+name
	c.WooCommerceKey = "ck_" + name
	c.ShopifyBucket, c.ShopifyRestore, c.HubSpotPer10s, c.ShipStationRate = 1e6, 1e6, 1e6, 1e6
	p := platforms.Open(c)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.homes[name] = p
	t.know(p, c.CustomKey, c.ShipStationKey, c.ShipStationSecret, c.ShipStationV2Key, c.WooCommerceKey)
	return p
}

func (t *town) leave(p *platforms.Platforms) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.secrets, p)
	maps.DeleteFunc(t.homes, func(_ string, of *platforms.Platforms) bool { return of == p })
}

// know needs the lock.
func (t *town) know(p *platforms.Platforms, secrets ...string) {
	for _, secret := range secrets {
		if secret != "" {
			t.homes[secret], t.secrets[p] = p, append(t.secrets[p], secret)
		}
	}
}

// learn notes what platforms gave somebody.
func (t *town) learn(p *platforms.Platforms, secrets ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.know(p, secrets...)
}

// told is all that is secret between the platforms and whoever is connected to them.
func (t *town) told(p *platforms.Platforms) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.secrets[p])
}

func (t *town) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	at := t.home(r, body)
	switch {
	case strings.HasPrefix(r.URL.Path, "/shopify/bulk/"):
		t.download(w, r)
	case strings.HasSuffix(r.URL.Path, "/access_token"), strings.HasSuffix(r.URL.Path, "/2026-03/token"):
		t.grant(at, w, r)
	case r.Method == "POST" && r.URL.Path == "/custom/webhooks":
		var given struct{ Secret string }
		_ = json.Unmarshal(body, &given) // the platform judges it
		t.learn(at, given.Secret)
		at.ServeHTTP(w, r)
	default:
		at.ServeHTTP(w, r)
	}
}

func (t *town) home(r *http.Request, body []byte) *platforms.Platforms {
	form, _ := url.ParseQuery(string(body)) // or it is none
	user, _, _ := r.BasicAuth()
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, carried := range []string{
		r.Header.Get(visitorHeader), r.Header.Get("X-Shopify-Access-Token"), r.Header.Get("API-Key"), user, bearer, form.Get("code"), form.Get("refresh_token"),
		form.Get("token"), path.Base(r.URL.Path),
	} {
		if p := t.homes[carried]; p != nil && carried != "" {
			return p
		}
	}
	return t.stranger
}

// grant passes tokens on and notes whose they are.
func (t *town) grant(at *platforms.Platforms, w http.ResponseWriter, r *http.Request) {
	written := httptest.NewRecorder()
	at.ServeHTTP(written, r)
	var given struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if json.Unmarshal(written.Body.Bytes(), &given) == nil {
		t.learn(at, given.Access, given.Refresh)
	}
	maps.Copy(w.Header(), written.Header())
	w.WriteHeader(written.Code)
	_, _ = w.Write(written.Body.Bytes()) // whoever asked may have gone
}

// download asks all, for a file's address is its only secret.
func (t *town) download(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	all := map[*platforms.Platforms]bool{}
	for _, p := range t.homes {
		all[p] = true
	}
	t.mu.Unlock()
	for p := range all {
		written := httptest.NewRecorder()
		if p.ServeHTTP(written, r); written.Code != http.StatusNotFound {
			maps.Copy(w.Header(), written.Header())
			w.WriteHeader(written.Code)
			_, _ = w.Write(written.Body.Bytes()) // whoever asked may have gone
			return
		}
	}
	http.NotFound(w, r)
}
