package exposure

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// outside has simulated platforms whose secrets are all known, including those that they issue, and a receiver of events.
type outside struct {
	*platforms.Platforms
	url, listener string
	events        vessel

	mu       sync.Mutex
	captured []string
}

const oauthSecret = "Os1PLANTEDoauthPLANTED4wTzH"

// lookOutside starts the platforms and configures a server to use them.
func lookOutside(o *tour, c *boot.Config) *outside {
	p := platforms.Config{
		Products:          12,
		Customers:         5,
		Orders:            5,
		ClientID:          "app-of-haggle",
		ClientSecret:      o.grant("secret of the OAuth app", oauthSecret),
		ShipStationKey:    o.grant("ShipStation's key", "Sk2PLANTEDshipstation5xUaJ"),
		ShipStationSecret: o.grant("ShipStation's secret", "Ss3PLANTEDshipstation6yVbK"),
		CustomKey:         o.grant("key of the own system", "Ck4PLANTEDcustom7zWcL"),
		HubSpotPer10s:     10_000,
		ShipStationRate:   10_000,
	}
	out := &outside{Platforms: platforms.Open(p)}
	o.Cleanup(out.Close)
	server, sink := httptest.NewServer(out), httptest.NewServer(http.HandlerFunc(out.listen))
	o.Cleanup(server.Close)
	o.Cleanup(sink.Close)
	out.url, out.listener = server.URL, sink.URL
	c.AllowLoopback = true
	c.ShopifyURL, c.ShopifyID, c.ShopifySecret = server.URL+"/shopify", p.ClientID, p.ClientSecret
	c.HubSpotURL, c.HubSpotID, c.HubSpotSecret = server.URL+"/hubspot", p.ClientID, p.ClientSecret
	c.ShipStationURL = server.URL + "/shipstation"
	return out
}

// grant plants a credential, which must not be in any response.
func (o *tour) grant(kind, value string) string {
	o.credentials[kind] = value
	return o.plant(kind, value)
}

func (out *outside) listen(w http.ResponseWriter, r *http.Request) {
	_ = r.Header.Write(&out.events)
	_, _ = io.Copy(&out.events, r.Body)
}

// handed matches secrets in the requests and responses of token and webhook endpoints.
var handed = regexp.MustCompile(`"?\b(access_token|refresh_token|code_verifier|code|secret)"?[:=]"?([^"&]+)`)

// ServeHTTP serves the platforms, and records the secrets that pass.
func (out *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secret := strings.Contains(r.URL.Path, "/oauth/") || strings.HasSuffix(r.URL.Path, "/webhooks")
	if !secret || strings.HasSuffix(r.URL.Path, "authorize") {
		out.Platforms.ServeHTTP(w, r)
		return
	}
	asked, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(asked))
	given := httptest.NewRecorder()
	out.Platforms.ServeHTTP(given, r)
	out.mu.Lock()
	for _, found := range handed.FindAllStringSubmatch(string(asked)+"\n"+given.Body.String(), -1) {
		value, _ := url.QueryUnescape(strings.ReplaceAll(found[2], "+", "%2B"))
		out.captured = append(out.captured, found[1]+" "+value)
	}
	out.mu.Unlock()
	for name, values := range given.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(given.Code)
	_, _ = w.Write(given.Body.Bytes())
}

// plantCaptured plants the recorded secrets.
func (out *outside) plantCaptured(o *tour) {
	out.mu.Lock()
	defer out.mu.Unlock()
	seen := map[string]int{}
	for n, captured := range out.captured {
		kind, value, _ := strings.Cut(captured, " ")
		seen[kind]++
		o.grant(fmt.Sprint(kind, " ", n), value)
		if text, signing := strings.CutPrefix(value, "whsec_"); signing {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				o.Errorf("a signing secret: %v", err)
			}
			o.grant(fmt.Sprint("bytes of ", kind, " ", n), string(raw))
		}
	}
	for kind, least := range map[string]int{"access_token": 3, "refresh_token": 2, "code_verifier": 1, "code": 2, "secret": 1} {
		if seen[kind] < least {
			o.Errorf("platforms handed %d × %s out, want %d at least: %v", seen[kind], kind, least, seen)
		}
	}
}

// platforms connects every platform with valid and invalid credentials, and makes each be read, send webhooks and fail.
func (o *tour) platforms() {
	sink := o.do(o.admin, 201, "POST", "/v1/event-subscriptions", `{"url":"`+o.outside.listener+"/hooks/"+
		o.plant("token of a subscription's address", "Sa7PLANTEDaddress2mQxT")+`/end","event_types":["*"]}`)
	o.do(o.admin, 200, "PATCH", "/v1/projects/"+o.admin.headers["X-Project-ID"]+"/settings", `{"notifications":{"alert_channels":["chat"],
		"chat_webhook":"https://chat.example.com/services/`+o.plant("token of a chat's address", "Cw8PLANTEDchat3nRyU")+`/end"}}`)
	o.plant("signing secret of a subscription", sink.field("secret"))
	o.do(o.admin, 200, "PATCH", "/v1/projects/"+o.admin.headers["X-Project-ID"]+"/storefront", `{"warehouses":[{"name":"Main","location":"main","postal_code":"78703"}]}`)
	own := `{"type":"custom","config":{"base_url":"` + o.outside.url + `/custom"},"credentials":`
	ids := map[string]string{
		"custom":      o.byKey(own, "Ck4PLANTEDcustom7zWcL", ""),
		"shipstation": o.byKey(`{"type":"shipstation","credentials":`, "Sk2PLANTEDshipstation5xUaJ", "Ss3PLANTEDshipstation6yVbK"),
		"shopify":     o.byConsent("shopify", `,"store_domain":"trailhead-outfitters.myshopify.com"`),
		"hubspot":     o.byConsent("hubspot", ""),
	}
	for kind, id := range ids {
		o.synchronise(kind, "/v1/integrations/"+id)
	}
	o.shipping(ids["shipstation"])
	o.vouching()
	wrong := o.grant("wrong key for another", "Wk6PLANTEDrotate9bYeN")
	o.do(o.admin, 422, "PUT", "/v1/integrations/"+ids["custom"]+"/credentials", `{"api_key":"`+wrong+`"}`)
	o.do(o.admin.with(keyHeader, "rotate"), 200, "PUT", "/v1/integrations/"+ids["custom"]+"/credentials", `{"api_key":"Ck4PLANTEDcustom7zWcL"}`)
	for kind, id := range ids {
		o.refused(kind, "/v1/integrations/"+id)
	}
	for _, path := range []string{"/v1/integrations", "/v1/audit-events?limit=100", "/v1/event-subscriptions/" + sink.field("id") + "/deliveries?limit=100"} {
		o.do(o.admin, 200, "GET", path, "")
	}
	for end := time.Now().Add(30 * time.Second); strings.Count(o.outside.events.String(), `"integration.error"`) < 4; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			o.Errorf("not all events come: %s", o.outside.events.String())
			break
		}
	}
	o.connected = o.dump()
	holds(o.T, "the database before", o.connected, ids["custom"])
	for _, id := range ids {
		o.do(o.admin, 204, "DELETE", "/v1/integrations/"+id, "")
	}
}

// byKey connects an account by its key, after a wrong key was refused.
func (o *tour) byKey(begin, key, secret string) string {
	wrong := o.grant("wrong key for "+begin[:15], "Wk5PLANTEDwrong8aXdM"+fmt.Sprint(len(begin)))
	body := func(key string) string {
		return begin + `{"api_key":"` + key + `","api_secret":"` + secret + `"}}`
	}
	o.do(o.admin, 422, "POST", "/v1/integrations/connect/api-key", body(wrong))
	keyed := o.admin.with(keyHeader, fmt.Sprint("connect ", len(begin)))
	made := o.do(keyed, 201, "POST", "/v1/integrations/connect/api-key", body(key))
	same(o.T, keyed.send("POST", "/v1/integrations/connect/api-key", body(key)), made)
	return made.field("id")
}

// byConsent connects an account by OAuth consent, after a wrong state and a wrong code.
func (o *tour) byConsent(kind, store string) string {
	body := func(state, code, query string) string {
		return `{"type":"` + kind + `","state":"` + state + `","code":"` + code + `","callback_query":"` + query + `"}`
	}
	begin := func(try string) url.Values {
		asked := `{"type":"` + kind + `","redirect_uri":"https://example.com/back"` + store + `}`
		keyed := o.admin.with(keyHeader, "begin "+kind+try)
		begun := o.do(keyed, 200, "POST", "/v1/integrations/connect", asked)
		same(o.T, keyed.send("POST", "/v1/integrations/connect", asked), begun)
		o.plant("state "+kind+try, begun.field("state"))
		back, err := approve(begun.field("authorization_url"))
		if err != nil {
			o.Fatal(err)
		}
		o.grant("code "+kind+try, back.Get("code"))
		return back
	}
	const complete = "/v1/integrations/connect/complete"
	back := begin("")
	o.do(o.admin, 400, "POST", complete, body(o.grant("wrong state "+kind, "Ws7PLANTEDstate0cZfO"+kind), back.Get("code"), back.Encode()))
	wrong := o.grant("wrong code "+kind, "Wc8PLANTEDcode1dAgP"+kind)
	if r := o.admin.send("POST", complete, body(back.Get("state"), wrong, back.Encode())); r.status < 400 || r.status >= 500 {
		o.Errorf("a wrong code: %d %s", r.status, r.body)
	} else {
		fmt.Fprintf(&o.errors, "%s\n", r.body)
	}
	back = begin(" again")
	keyed := o.admin.with(keyHeader, "complete "+kind)
	done := body(back.Get("state"), back.Get("code"), back.Encode())
	made := o.do(keyed, 201, "POST", complete, done)
	same(o.T, keyed.send("POST", complete, done), made)
	return made.field("id")
}

// topics are the webhook topics that the platforms send.
var topics = map[string]string{"custom": "customers/update", "shopify": "customers/update", "shipstation": "SHIP_NOTIFY"}

// synchronise reads all records of a platform, whose first two responses fail, and makes it call the webhook.
func (o *tour) synchronise(kind, one string) {
	resource := map[string]string{"hubspot": "contacts", "shipstation": "shipments"}[kind]
	if resource == "" {
		resource = "customers"
	}
	faults := []string{"error", "garbage"}
	if kind == "hubspot" {
		faults = append(faults, "refuse") // the expired token is refreshed
	}
	for _, fault := range faults {
		if err := o.outside.Fault(platforms.Fault{
			Platform: kind,
			Kind:     fault,
			Resource: resource,
		}); err != nil {
			o.Fatal(err)
		}
	}
	run := o.do(o.admin, 202, "POST", one+"/sync", `{"full_sync":true}`).field("sync_id")
	o.until(one+"/sync/"+run, "status", "completed")
	if left := o.outside.Faults(); len(left) > 0 {
		o.Errorf("%s did not meet %v", kind, left)
	}
	o.do(o.admin, 200, "GET", one+"/sync/"+run+"/errors", "")
	o.do(o.admin, 200, "GET", one+"/records?resource=customers", "")
	topic := topics[kind]
	if topic == "" {
		return
	}
	o.do(o.admin.with(keyHeader, "webhook "+kind), 201, "POST", one+"/webhooks", `{"topic":"`+topic+`"}`)
	sent, err := o.outside.Webhooks(o.Context(), platforms.Webhooks{
		Platform:  kind,
		Count:     3,
		Tamper:    1,
		Duplicate: 1,
	})
	if err != nil || sent.Answers[200] == 0 {
		o.Errorf("%s called with %+v, %v", kind, sent, err)
	}
	o.until(one+"/webhooks/logs?status=received", "meta.total", "0")
	o.do(o.admin, 200, "GET", one+"/webhooks/logs?limit=100", "")
	o.do(o.admin, 200, "GET", one+"/webhooks", "")
}

func (o *tour) until(path, field, want string) {
	o.Helper()
	end := time.Now().Add(60 * time.Second)
	for r := o.do(o.admin, 200, "GET", path, ""); r.field(field) != want; r = o.do(o.admin, 200, "GET", path, "") {
		if time.Now().After(end) {
			o.Fatalf("%s: %s is not %s: %s", path, field, want, r.body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// shipping requests rates and a label.
func (o *tour) shipping(id string) {
	one, parcel := "/v1/orders/"+o.order, `{"integration_id":"`+id+`","weight_grams":500,"carrier_code":"stamps_com"`
	for fault, status := range map[string]int{"error": 422, "garbage": 503} {
		_ = o.outside.Fault(platforms.Fault{
			Platform: "shipstation",
			Kind:     fault,
			Resource: "rates",
		})
		o.do(o.admin, status, "POST", one+"/rates", parcel+`}`)
	}
	o.do(o.admin, 200, "POST", one+"/rates", parcel+`}`)
	o.do(o.admin.with(keyHeader, "label"), 201, "POST", one+"/labels", parcel+`,"service_code":"usps_priority_mail"}`)
}

// vouching has an identity provider attest a buyer whose e-mail address must not be stored.
func (o *tour) vouching() {
	body := `{"email":"` + o.plant("email of a buyer", "vb6planted.buyer@example.com") + `"}`
	keyed := o.admin.with(keyHeader, "vouch")
	made := o.do(keyed, 201, "POST", "/v1/buyer-tokens", body)
	same(o.T, keyed.send("POST", "/v1/buyer-tokens", body), made)
	token := o.plant("buyer token", made.field("buyer_token"))
	search := func(status int, token string) {
		o.do(o.admin.with("Authorization", ""), status, "POST", "/p/shop/acp/search", `{"query":"mug","buyer_context":{"buyer_token":"`+token+`"}}`)
	}
	search(200, token)
	search(422, o.plant("wrong buyer token", "bt_Wb9PLANTEDbuyer2eBhQ"))
}

// refused makes a platform refuse the credentials permanently.
func (o *tour) refused(kind, one string) {
	if err := o.outside.Revoke(kind); err != nil {
		_ = o.outside.Fault(platforms.Fault{
			Platform: kind,
			Kind:     "refuse",
			Times:    -1,
		})
	}
	run := o.do(o.admin, 202, "POST", one+"/sync", `{}`).field("sync_id")
	o.until(one+"/sync/"+run, "status", "failed")
	o.until(one, "status", "error")
}
