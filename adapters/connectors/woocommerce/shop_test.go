package woocommerce_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/woocommerce"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

type object = map[string]any

const key, secret = "ck_0123456789abcdef", "cs_fedcba9876543210"

type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// fakeShop has the parts of WooCommerce's API that the connector uses.
type fakeShop struct {
	mu         sync.Mutex
	records    map[string][]object // by the last part of their path, in the order of their ids
	variations map[string][]object // by product
	hooks      []object
	body       string // if set, the body of every list
	silent     bool   // without the headers with the number of pages
	asked      []string
	next       int
}

const base = "/shop/wp-json/wc/v3/"

func (s *fakeShop) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+base+"data/currencies/current", func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, object{"code": "eur"}) })
	mux.HandleFunc("GET "+base+"{resource}", func(w http.ResponseWriter, r *http.Request) { s.list(w, r, s.records[r.PathValue("resource")]) })
	mux.HandleFunc("GET "+base+"products/{id}", s.product)
	mux.HandleFunc("GET "+base+"products/{id}/variations", func(w http.ResponseWriter, r *http.Request) { s.list(w, r, s.variations[r.PathValue("id")]) })
	mux.HandleFunc("GET "+base+"webhooks", func(w http.ResponseWriter, r *http.Request) { s.list(w, r, s.hooks) })
	mux.HandleFunc("POST "+base+"webhooks", s.register)
	mux.HandleFunc("PUT "+base+"webhooks/{id}", s.change)
	mux.HandleFunc("DELETE "+base+"webhooks/{id}", s.remove)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.URL.RequestURI())
		if user, password, _ := r.BasicAuth(); user != key || password != secret {
			respond(w, 401, object{"code": "woocommerce_rest_cannot_view"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func respond(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

const form = "2006-01-02T15:04:05.999"

func (s *fakeShop) list(w http.ResponseWriter, r *http.Request, all []object) {
	if s.body != "" {
		_, _ = w.Write([]byte(s.body))
		return
	}
	q := r.URL.Query()
	since, err := time.Parse(form, q.Get("modified_after"))
	if q.Has("modified_after") && (err != nil || q.Get("dates_are_gmt") != "true") {
		respond(w, 400, object{"code": "rest_invalid_param", "message": "Invalid parameter(s): modified_after"})
		return
	}
	found := []object{}
	for _, one := range all {
		at, _ := one["date_modified_gmt"].(string)
		modified, _ := time.Parse(form, at)
		if (since.IsZero() || modified.After(since)) && (q.Get("type") == "" || q.Get("type") == one["type"]) {
			found = append(found, one)
		}
	}
	page, _ := strconv.Atoi(q.Get("page"))
	size, _ := strconv.Atoi(q.Get("per_page"))
	if page < 1 || size < 1 || size > 100 {
		respond(w, 400, object{"code": "rest_invalid_param", "message": "Invalid parameter(s): per_page"})
		return
	}
	if !s.silent {
		w.Header().Set("X-WP-Total", strconv.Itoa(len(found)))
		w.Header().Set("X-WP-TotalPages", strconv.Itoa((len(found)+size-1)/size))
	}
	respond(w, 200, found[min((page-1)*size, len(found)):min(page*size, len(found))])
}

func (s *fakeShop) product(w http.ResponseWriter, r *http.Request) {
	for _, one := range s.records["products"] {
		if strconv.Itoa(one["id"].(int)) == r.PathValue("id") {
			respond(w, 200, one)
			return
		}
	}
	respond(w, 404, object{"code": "woocommerce_rest_product_invalid_id", "message": "Invalid ID."})
}

func (s *fakeShop) register(w http.ResponseWriter, r *http.Request) {
	var asked object
	if json.NewDecoder(r.Body).Decode(&asked) != nil || asked["secret"] == "" || asked["status"] != "active" {
		respond(w, 400, object{})
		return
	}
	s.next++
	asked["id"] = s.next
	s.hooks = append(s.hooks, asked)
	respond(w, 201, asked)
}

func (s *fakeShop) hook(r *http.Request) int {
	return slices.IndexFunc(s.hooks, func(h object) bool { return strconv.Itoa(h["id"].(int)) == r.PathValue("id") })
}

func (s *fakeShop) change(w http.ResponseWriter, r *http.Request) {
	var asked object
	n := s.hook(r)
	if n < 0 || json.NewDecoder(r.Body).Decode(&asked) != nil {
		respond(w, 404, object{"message": "Invalid ID."})
		return
	}
	s.hooks[n]["secret"] = asked["secret"]
	respond(w, 200, s.hooks[n])
}

func (s *fakeShop) remove(w http.ResponseWriter, r *http.Request) {
	n := s.hook(r)
	switch {
	case n < 0:
		respond(w, 404, object{"message": "Invalid ID."})
	case r.URL.Query().Get("force") != "true":
		respond(w, 501, object{"message": "Webhooks do not support trashing."})
	default:
		s.hooks = slices.Delete(s.hooks, n, n+1)
		respond(w, 200, object{})
	}
}

var paths = map[syncrun.Resource]string{
	syncrun.Products: "products", syncrun.Inventory: "products", syncrun.Customers: "customers", syncrun.Orders: "orders",
}

func (s *fakeShop) fill(_ *testing.T, r syncrun.Resource, n int, since time.Time) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[paths[r]] = nil
	for i := range n {
		s.records[paths[r]] = append(s.records[paths[r]], object{
			"id": 1000 + i, "type": "simple", "status": "publish", "name": "Tent", "sku": "T-" + strconv.Itoa(i), "price": "12.50",
			"manage_stock": true, "stock_quantity": i, "date_modified_gmt": since.Add(time.Duration(i) * time.Second).UTC().Format(form),
		})
		names = append(names, strconv.Itoa(1000+i))
	}
	return names
}

// connect returns a connector and a new shop.
func connect(t *testing.T) (*fakeShop, *adaptertest.Platform, *woocommerce.Connector, ports.Connection) {
	t.Helper()
	s := &fakeShop{records: map[string][]object{}, variations: map[string][]object{}}
	p := adaptertest.NewPlatform(t, s.handler())
	c := woocommerce.New(woocommerce.Config{Client: p.Client(), Clock: clock{}})
	return s, p, c, ports.Connection{
		Key:         "int_1",
		BaseURL:     p.URL + "/shop/",
		Credentials: integration.Credentials{Key: key, Secret: secret},
	}
}

// call returns a call of a webhook.
func call(topic, signing string, payload []byte, now time.Time) ports.Call {
	sum := hmac.New(sha256.New, []byte(signing))
	sum.Write(payload)
	header := http.Header{}
	header.Set("X-WC-Webhook-Signature", base64.StdEncoding.EncodeToString(sum.Sum(nil)))
	header.Set("X-WC-Webhook-Topic", topic)
	header.Set("X-WC-Webhook-Delivery-ID", strings.Repeat("d", 32))
	return ports.Call{
		Header:  header.Get,
		Payload: payload,
		Now:     now,
	}
}
