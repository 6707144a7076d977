package shipstation_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shipstation"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

type object = map[string]any

const keyV2 = "v2-key-0123456789abcdef"

// rsaKey signs the calls of the platform.
var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// fakeAccountV2 is an account of a fake ShipStation, API V2.
type fakeAccountV2 struct {
	t         *testing.T
	mu        sync.Mutex
	labels    []object          // in the order of their creation
	shipments map[string]string // ids by external id
	hooks     []object
	last      map[string]object
	bought    int
	voids     int    // number of approved voids
	keep      string // the reason why no label is voided; "": labels are voided
	code      string // the reason_code for a label that was voided before
	oldest    bool   // answer with the first label of a shipment
	keyID     string // id of the signing key
	keysAsked int
	keysFail  bool
	lose      map[string]bool // the operation succeeds without an answer
	fail      map[string]int  // the operation answers with a status, once
	race      func()          // runs before a label is bought
}

func (a *fakeAccountV2) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	what := r.Method + " " + r.URL.Path
	if what == "GET /jwks" {
		a.jwks(w)
		return
	}
	if r.Header.Get("API-Key") != keyV2 || r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var body object
	if (r.Method == http.MethodPost || r.Method == http.MethodPut) && !strings.HasSuffix(what, "/void") {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			a.t.Errorf("%s: %v", what, err)
		}
		a.last[what] = body
	}
	if status := a.fail[what]; status != 0 {
		delete(a.fail, what)
		refuse(w, status, "It is wrong.")
		return
	}
	answer, status := a.answer(what, r, body)
	if a.lose[what] {
		delete(a.lose, what)
		panic(http.ErrAbortHandler)
	}
	switch {
	case status != 0:
		refuse(w, status, "It is not unique.")
	case answer == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"request_id": "1", "errors": []object{{"message": text}}})
}

func (a *fakeAccountV2) jwks(w http.ResponseWriter) {
	a.keysAsked++
	if a.keysFail {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	encode := base64.RawURLEncoding.EncodeToString
	public := rsaKey().PublicKey
	_ = json.NewEncoder(w).Encode(object{"keys": []object{
		{"kty": "EC", "kid": "curve", "crv": "P-256", "x": "AA", "y": "AA"},
		{"kty": "RSA", "kid": "short", "n": encode(public.N.Bytes()[:64]), "e": "AQAB"},
		{"kty": "RSA", "kid": a.keyID, "n": encode(public.N.Bytes()), "e": encode(big.NewInt(int64(public.E)).Bytes())},
	}})
}

func (a *fakeAccountV2) answer(what string, r *http.Request, body object) (any, int) {
	switch what {
	case "GET /v2/carriers":
		return object{"carriers": []object{{"carrier_id": "se-12", "carrier_code": "ups"}, {"carrier_id": "se-9", "carrier_code": "usps"}}}, 0
	case "GET /v2/warehouses":
		origin := object{"city_locality": "Austin", "state_province": "TX", "postal_code": "78703", "country_code": "US"}
		return object{"warehouses": []object{
			{"warehouse_id": "se-1", "is_default": true, "origin_address": object{"postal_code": "10001"}},
			{"warehouse_id": "se-2", "origin_address": origin},
		}}, 0
	case "POST /v2/rates/estimate":
		return a.rates(body["carrier_ids"].([]any)), 0
	case "GET /v2/labels":
		return a.list(r.URL.Query()), 0
	case "POST /v2/labels":
		return a.buy(body["shipment"].(object))
	case "GET /v2/environment/webhooks":
		return a.hooks, 0
	case "POST /v2/environment/webhooks":
		made := object{"webhook_id": fmt.Sprintf("se-%d", 500+len(a.hooks)), "url": body["url"], "event": body["event"]}
		a.hooks = append(a.hooks, made)
		return made, 0
	}
	return a.one(what), 0
}

// one answers requests for an object by its id.
func (a *fakeAccountV2) one(what string) any {
	path, name := what[:strings.LastIndex(what, "/")], what[strings.LastIndex(what, "/")+1:]
	if label, ok := strings.CutPrefix(path, "PUT /v2/labels/"); ok && name == "void" {
		return a.void(label)
	}
	switch path {
	case "GET /v2/labels/external_shipment_id":
		list := slices.Clone(a.labels)
		if !a.oldest {
			slices.Reverse(list)
		}
		for _, l := range list {
			if l["external_shipment_id"] == name {
				return l
			}
		}
	case "GET /v2/labels":
		for _, l := range a.labels {
			if l["label_id"] == name {
				return l
			}
		}
	case "GET /v2/shipments/external_shipment_id":
		if id := a.shipments[name]; id != "" {
			return object{"shipment_id": id}
		}
	case "PUT /v2/shipments":
		return object{"shipment_id": name}
	case "POST /v2/labels/shipment":
		for key, id := range a.shipments {
			if id == name {
				return a.label(key)
			}
		}
	case "DELETE /v2/environment/webhooks":
		for i, h := range a.hooks {
			if h["webhook_id"] == name {
				a.hooks = slices.Delete(a.hooks, i, i+1)
				return object{}
			}
		}
	}
	return nil
}

func (a *fakeAccountV2) void(id string) any {
	for _, l := range a.labels {
		switch {
		case l["label_id"] != id:
		case l["voided"] == true:
			return object{"approved": false, "message": "No.", "reason_code": a.code}
		case a.keep != "":
			return object{"approved": false, "message": a.keep, "reason_code": "label_already_used"}
		default:
			l["voided"], l["status"], l["voided_at"] = true, "voided", time.Now().UTC().Format(time.RFC3339)
			a.voids++
			return object{"approved": true, "message": "Request for refund submitted."}
		}
	}
	return nil
}

func (a *fakeAccountV2) rates(ids []any) any {
	list := []object{}
	for _, id := range ids {
		code := map[any]string{"se-12": "ups", "se-9": "usps"}[id]
		list = append(list, object{
			"carrier_code": code, "service_code": code + "_ground", "service_type": code + " Ground", "validation_status": "valid",
			"shipping_amount": object{"currency": "usd", "amount": 5.4}, "other_amount": object{"currency": "usd", "amount": 4.65},
		}, object{"carrier_code": code, "service_code": "none", "validation_status": "invalid", "error_messages": []string{"too heavy"}})
	}
	return list
}

// buy creates a shipment, whose external id is unique, and its label.
func (a *fakeAccountV2) buy(shipment object) (any, int) {
	if a.race != nil {
		a.race()
		a.race = nil
	}
	key := shipment["external_shipment_id"].(string)
	if a.shipments[key] != "" {
		return nil, http.StatusBadRequest
	}
	a.shipments[key] = fmt.Sprintf("se-%d", 1000+len(a.shipments))
	return a.label(key), 0
}

func (a *fakeAccountV2) label(key string) object {
	a.bought++
	l := a.add(time.Now(), key)
	l["shipment_cost"], l["insurance_cost"] = object{"currency": "usd", "amount": json.Number("7.05")}, object{"currency": "usd", "amount": 0.2}
	l["label_download"] = object{"href": "data:application/pdf;base64," + base64.StdEncoding.EncodeToString([]byte("%PDF-1.4 "+key))}
	return l
}

// add adds a label.
func (a *fakeAccountV2) add(at time.Time, key string) object {
	n := len(a.labels)
	l := object{
		"label_id": fmt.Sprintf("se-%d", 70000+n), "status": "completed", "external_shipment_id": key, "shipment_number": fmt.Sprintf("#%d", n),
		"created_at": at.UTC().Format(time.RFC3339Nano), "ship_date": at.UTC().Format(time.RFC3339), "tracking_number": fmt.Sprintf("1Z%05d", n),
		"carrier_code": "ups", "service_code": "ups_ground", "voided": false, "is_return_label": false, "shipment_id": a.shipments[key],
	}
	a.labels = append(a.labels, l)
	return l
}

func (a *fakeAccountV2) list(q url.Values) any {
	since, _ := time.Parse(time.RFC3339, q.Get("created_at_start"))
	found := []object{}
	for _, l := range a.labels {
		at, _ := time.Parse(time.RFC3339, l["created_at"].(string))
		if !at.Before(since) && (q.Get("label_status") == "" || q.Get("label_status") == l["status"]) &&
			(q.Get("shipment_id") == "" || q.Get("shipment_id") == l["shipment_id"]) && (q.Get("tracking_number") == "" || q.Get("tracking_number") == l["tracking_number"]) {
			found = append(found, l)
		}
	}
	page, _ := strconv.Atoi(q.Get("page"))
	size, _ := strconv.Atoi(q.Get("page_size"))
	from, to := min((page-1)*size, len(found)), min(page*size, len(found))
	return object{"labels": found[from:to], "page": page, "pages": (len(found) + size - 1) / size}
}

// fixtureV2 is a connector with an account of a fake ShipStation, API V2.
type fixtureV2 struct {
	*fakeAccountV2
	*shipstation.Connector
	connection ports.Connection
	platform   *adaptertest.Platform
}

func newFixtureV2(t *testing.T) *fixtureV2 {
	a := &fakeAccountV2{
		t:         t,
		shipments: map[string]string{},
		hooks:     []object{},
		last:      map[string]object{},
		lose:      map[string]bool{},
		fail:      map[string]int{},
		keyID:     "key-1",
	}
	platform := adaptertest.NewPlatform(t, a)
	return &fixtureV2{
		fakeAccountV2: a, platform: platform,
		Connector: shipstation.New(shipstation.Config{
			URL:    platform.URL + "/",
			Client: platform.Client(),
			Clock:  clock{},
		}),
		connection: ports.Connection{Key: "int_1", Credentials: integration.Credentials{Key: keyV2}},
	}
}

// call returns a call of a webhook that was signed at a time.
func (w *fixtureV2) call(at time.Time, path string) ports.Call {
	body, _ := json.Marshal(object{"resource_url": w.platform.URL + path, "resource_type": "LABEL_CREATED_V2"})
	stamp := at.UTC().Format(time.RFC3339)
	return ports.Call{
		Header:  w.signed(stamp, body),
		Payload: body,
		Now:     at,
	}
}

func (w *fixtureV2) signed(stamp string, body []byte) func(string) string {
	sum := sha256.Sum256(append([]byte(stamp+"."), body...))
	signature, err := rsa.SignPKCS1v15(rand.Reader, rsaKey(), crypto.SHA256, sum[:])
	if err != nil {
		w.t.Fatal(err)
	}
	header := http.Header{}
	header.Set("x-shipengine-rsa-sha256-key-id", w.keyID)
	header.Set("x-shipengine-rsa-sha256-signature", base64.StdEncoding.EncodeToString(signature))
	header.Set("x-shipengine-timestamp", stamp)
	return header.Get
}
