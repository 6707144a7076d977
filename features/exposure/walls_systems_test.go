package exposure

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// lookalikes starts simulated platforms that run as long as the test program, and returns their URL. Their rate limits are high
// enough that no tenant is refused because of others.
var lookalikes = sync.OnceValue(func() string {
	return httptest.NewServer(platforms.Open(platforms.Config{
		Products:        -1,
		Customers:       1,
		Orders:          1,
		HubSpotPer10s:   1_000_000,
		ShipStationRate: 1_000_000,
	})).URL
})

// ownSystems are the systems of all tenants, each at its slug, with a key that contains the slug. Their records contain the
// tenant's slug, and one of each two products cannot be imported.
type ownSystems struct {
	url     string
	mu      sync.Mutex
	signing map[string]string // by slug
}

var systems = sync.OnceValue(func() *ownSystems {
	s := &ownSystems{signing: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{slug}/account", s.answer(`{"id":"{}","name":"Own","currency":"USD"}`))
	for resource, records := range map[string]string{
		"products":  `{"id":"P-{}","sku":"own-{}","name":"Own","price":1},{"id":"bad-{}","sku":"bad-{}","price":1}`,
		"inventory": `{"id":"I-{}","sku":"own-{}","quantity":100}`,
		"customers": `{"id":"C-{}","email":"{}@example.com","loyalty_tier":"gold","purchases":3}`,
		"orders":    `{"id":"O-{}","number":"N-{}","email":"{}@example.com","status":"paid","total":"1","currency":"USD"}`,
	} {
		mux.HandleFunc("GET /{slug}/"+resource, s.answer(`{"data":[`+records+`],"next_cursor":null}`))
	}
	mux.HandleFunc("POST /{slug}/webhooks", s.subscribe)
	mux.HandleFunc("DELETE /{slug}/webhooks/{id}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.url = httptest.NewServer(mux).URL
	return s
})

// answer responds with text, in which {} is the slug, if the request has the slug's key.
func (s *ownSystems) answer(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		slug := r.PathValue("slug")
		if !strings.HasSuffix(r.Header.Get("Authorization"), "-of-"+slug) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, strings.ReplaceAll(text, "{}", slug))
	}
}

func (s *ownSystems) subscribe(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Secret string }
	_ = json.NewDecoder(r.Body).Decode(&asked)
	s.mu.Lock()
	s.signing[r.PathValue("slug")] = asked.Secret
	s.mu.Unlock()
	s.answer(`{"id":"W-{}"}`)(w, r)
}

// headers returns the headers that sign a webhook of a slug's system.
func (s *ownSystems) headers(slug, body string) []string {
	s.mu.Lock()
	secret := s.signing[slug]
	s.mu.Unlock()
	return signed(secret, "call-of-"+slug, body)
}

// signed returns the headers of a webhook signed by Standard Webhooks. With an invalid secret, the signature is invalid.
func signed(secret, id, body string) []string {
	at := time.Now()
	signature := "v1," + base64.StdEncoding.EncodeToString(make([]byte, 32))
	if key, err := standardwebhooks.NewWebhook(secret); err == nil {
		signature, _ = key.Sign(id, at, []byte(body))
	}
	return []string{"webhook-id", id, "webhook-timestamp", fmt.Sprint(at.Unix()), "webhook-signature", signature}
}

// connect connects the tenant's own system.
func (s *tenant) connect() {
	slug := s.ids["slug"]
	s.ids["integration_id"] = s.post("/v1/integrations/connect/api-key", `{"type":"custom","credentials":{"api_key":"key-of-`+slug+
		`"},"config":{"base_url":"`+systems().url+"/"+slug+`"}}`).field("id")
}

// synchronise syncs the tenant's own system, which has a record that cannot be imported.
func (s *tenant) synchronise() {
	one := "/v1/integrations/" + s.ids["integration_id"] + "/sync"
	s.ids["sync_id"] = s.post(one, `{}`).field("sync_id")
	run := s.until(one+"/"+s.ids["sync_id"], "status", "completed")
	if failed := run.field("resources.products.errors"); s.err == nil && failed != "1" {
		s.err = fmt.Errorf("a sync of two products, one of which is bad: %s", run.body)
	}
}

// listen makes the tenant's own system send a webhook that cannot be imported.
func (s *tenant) listen() {
	all := "/v1/integrations/" + s.ids["integration_id"] + "/webhooks"
	s.ids["webhook_id"] = s.post(all, `{"topic":"products/update"}`).field("id")
	body := `{"type":"products/update","timestamp":"2026-01-01T00:00:00Z","data":{"id":"bad-` + s.ids["slug"] + `","sku":"bad","price":1}}`
	called := *s
	called.caller = s.with("Authorization", "").with(systems().headers(s.ids["slug"], body)...)
	called.post("/hooks/"+s.ids["webhook_id"], body)
	s.err = called.err
	s.ids["log_id"] = s.until(all+"/logs", "data.0.status", "failed").field("data.0.id")
}

// ship lets the tenant send parcels.
func (s *tenant) ship() {
	s.ids["shipper_id"] = s.post("/v1/integrations/connect/api-key",
		`{"type":"shipstation","credentials":{"api_key":"shipstation-key","api_secret":"shipstation-secret"}}`).field("id")
	s.must("PATCH", "/v1/projects/"+s.ids["project_id"]+"/storefront", `{"warehouses":[{"name":"Main","location":"main","postal_code":"78703"}]}`)
}

// consent begins connecting a CRM by OAuth and does not complete it.
func (s *tenant) consent() {
	begun := s.post("/v1/integrations/connect", `{"type":"hubspot","redirect_uri":"https://example.com/back"}`)
	if s.err != nil {
		return
	}
	back, err := approve(begun.field("authorization_url"))
	s.err = err
	s.ids["state"], s.ids["code"] = back.Get("state"), back.Get("code")
}

// approve consents, and returns the query of the redirect.
func approve(address string) (url.Values, error) {
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.PostForm(address, url.Values{"approve": {"1"}})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	back, err := r.Location()
	if err != nil {
		return nil, fmt.Errorf("%s: %d %w", address, r.StatusCode, err)
	}
	return back.Query(), nil
}

// until polls until a field has a value.
func (s *tenant) until(path, field, want string) (r reply) {
	for end := time.Now().Add(30 * time.Second); s.err == nil; time.Sleep(10 * time.Millisecond) {
		if r = s.get(path); r.field(field) == want {
			return r
		}
		if time.Now().After(end) {
			s.err = fmt.Errorf("%s: %s is not %s: %s", path, field, want, r.body)
		}
	}
	return r
}
