package custom_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/adapters/connectors/custom"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

const apiKey = "key_0123456789abcdef"

type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// own is a merchant's system, as the package comment asks for one.
type own struct {
	mu      sync.Mutex
	records map[string][]map[string]any // in the order of their ids
	account string                      // what is said of it
	page    string                      // instead of any page of data
	circle  bool
	hooks   map[string]map[string]string // by id
	asked   []string
}

func (o *own) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /base/account", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(o.account))
	})
	mux.HandleFunc("GET /base/{resource}", o.data)
	mux.HandleFunc("POST /base/webhooks", o.register)
	mux.HandleFunc("DELETE /base/webhooks/{id}", o.unregister)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.asked = append(o.asked, r.URL.RequestURI())
		if r.Header.Get("Authorization") != "Bearer "+apiKey {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (o *own) data(w http.ResponseWriter, r *http.Request) {
	if o.page != "" {
		_, _ = w.Write([]byte(o.page))
		return
	}
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("limit"))
	since, err := time.Parse(time.RFC3339, q.Get("updated_since"))
	if q.Has("updated_since") && err != nil || limit == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	page := map[string]any{}
	data, total := []any{}, 0
	for _, record := range o.records[r.PathValue("resource")] {
		changed, _ := time.Parse(time.RFC3339, record["updated_at"].(string))
		if changed.Before(since) {
			continue
		}
		if total++; record["id"].(string) <= q.Get("cursor") {
			continue
		}
		if len(data) == limit {
			page["next_cursor"] = data[limit-1].(map[string]any)["id"]
			continue
		}
		data = append(data, record)
	}
	if o.circle && q.Has("cursor") {
		page["next_cursor"] = q.Get("cursor")
	}
	page["data"], page["total"] = data, total
	_ = json.NewEncoder(w).Encode(page)
}

func (o *own) register(w http.ResponseWriter, r *http.Request) {
	var wanted map[string]string
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil || !strings.HasPrefix(wanted["secret"], "whsec_") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id := strconv.Itoa(len(o.hooks) + 1)
	for there, hook := range o.hooks {
		if hook["topic"] == wanted["topic"] && hook["url"] == wanted["url"] {
			id = there
		}
	}
	o.hooks[id] = wanted
	_ = json.NewEncoder(w).Encode(map[string]string{"id": id})
}

func (o *own) unregister(w http.ResponseWriter, r *http.Request) {
	if _, there := o.hooks[r.PathValue("id")]; !there {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	delete(o.hooks, r.PathValue("id"))
	w.WriteHeader(http.StatusNoContent)
}

func (o *own) fill(_ *testing.T, r syncrun.Resource, n int, since time.Time) (names []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.records[r.String()] = nil
	for i := range n {
		id := fmt.Sprintf("R-%05d", i)
		names = append(names, id)
		o.records[r.String()] = append(o.records[r.String()], map[string]any{
			"id": id, "updated_at": since.Add(time.Duration(i) * time.Second).In(time.FixedZone("", 3600)).Format(time.RFC3339Nano),
			"sku": "SKU-" + id, "name": "Thing " + id, "price": 12.5, "quantity": i,
		})
	}
	return names
}

// connect connects a system that is new.
func connect(t *testing.T) (*own, *adaptertest.Platform, *custom.Connector, ports.Connection) {
	t.Helper()
	o := &own{account: `{"id": 4711, "name": "Acme", "currency": "eur"}`, records: map[string][]map[string]any{}, hooks: map[string]map[string]string{}}
	p := adaptertest.NewPlatform(t, o.handler())
	c := ports.Connection{Key: "itg_1", BaseURL: p.URL + "/base/", Credentials: integration.Credentials{Key: apiKey}}
	return o, p, custom.New(custom.Config{Client: p.Client(), Clock: clock{}}), c
}

func TestConnector(t *testing.T) {
	t.Parallel()
	adaptertest.Connector(t, func(t *testing.T) adaptertest.ConnectorWorld {
		o, p, s, c := connect(t)
		return adaptertest.ConnectorWorld{
			Connector: s, Connection: c, Platform: p, Resources: syncrun.Resources, Fill: o.fill,
			Circle: func(syncrun.Resource) {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.circle = true
			},
		}
	})
}

func TestCalledConnector(t *testing.T) {
	t.Parallel()
	adaptertest.CalledConnector(t, func(t *testing.T) adaptertest.CalledWorld {
		o, p, s, c := connect(t)
		return adaptertest.CalledWorld{
			CalledConnector: s, Connection: c, Platform: p, Topic: "products/update",
			Hooks: func() int {
				o.mu.Lock()
				defer o.mu.Unlock()
				return len(o.hooks)
			},
			Call: func(t *testing.T, signing string, at time.Time) (ports.Call, string) {
				body := fmt.Sprintf(`{"type":"products/update","timestamp":%q,"data":{"id":"P-1","sku":"MUG","name":"Mug","price":"12.50"}}`,
					at.Format(time.RFC3339Nano))
				return signed(t, signing, "msg_"+strconv.FormatInt(at.UnixMilli(), 10), at, body), "P-1"
			},
		}
	})
}

func signed(t *testing.T, secret, id string, at time.Time, body string) ports.Call {
	t.Helper()
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := key.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("webhook-signature", signature)
	return ports.Call{Header: header.Get, Payload: []byte(body), Now: at}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	_, _, s, c := connect(t)
	got, err := s.Inspect(ports.NewOutbound(t.Context()), c)
	if want := (integration.Config{Account: "4711", Currency: "EUR", BaseURL: c.BaseURL}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestAnAccountWithoutAName(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for _, o.account = range []string{`{}`, `null`, `{"id": null}`, `{"id": ""}`, `{"id": {}}`} {
		got, err := s.Inspect(ports.NewOutbound(t.Context()), c)
		if _, ok := err.(*ports.PlatformFailure); !ok {
			t.Errorf("%s: %+v, %v", o.account, got, err)
		}
	}
}

var changed = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

func TestRecords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource syncrun.Resource
		json     string
		want     syncrun.Record
	}{
		"a whole product": {syncrun.Products, `{
			"id": "P-1", "updated_at": "2026-03-04T06:06:07.0899+01:00", "sku": "MUG", "name": "Mug", "description": "Plain.", "brand": "Acme",
			"category": "Home/Kitchen", "price": "12.50", "currency": "eur", "tags": ["new", "hot"],
			"images": [{"url": "https://x.example/m.jpg", "alt": "A mug"}], "attributes": {"m": "stone", "ml": 300.10, "d": true, "n": null},
			"variants": [{"sku": "S", "size": "S", "color": "white", "item_id": 11, "requires_shipping": false},
				{"sku": "L", "price": 14, "gtin": 4006381333931, "mpn": "F-1", "requires_shipping": true}],
			"item_id": "I-10", "status": "archived", "gtin": "none", "mpn": "F-0", "requires_shipping": null,
			"unknown": {"a": [1]}}`,
			syncrun.Record{Remote: "P-1", At: changed, Product: &syncrun.Product{
				SKU: "MUG", Name: "Mug", Description: "Plain.", Brand: "Acme", Category: "Home/Kitchen", Price: "12.50", Currency: "EUR",
				Tags: []string{"new", "hot"}, Images: []catalog.Image{{URL: "https://x.example/m.jpg", Alt: "A mug"}},
				Attributes: map[string]string{"m": "stone", "ml": "300.10", "d": "true"},
				Variants: []syncrun.Variant{
					{SKU: "S", Size: "S", Color: "white", Item: "11", Shipping: syncrun.Digital},
					{SKU: "L", Price: "14", Item: "sku:L", GTIN: "4006381333931", MPN: "F-1", Shipping: syncrun.Ships},
				},
				Item: "I-10", MPN: "F-0", Archived: true,
			}}},
		"a price of many digits": {syncrun.Products, `{"id": 9007199254740993, "price": 12345678.10, "sku": null}`,
			syncrun.Record{Remote: "9007199254740993", Product: &syncrun.Product{Price: "12345678.10"}}},
		"a download": {syncrun.Products, `{"id": 1, "requires_shipping": false}`,
			syncrun.Record{Remote: "1", Product: &syncrun.Product{Shipping: syncrun.Digital}}},
		"a product that is gone": {syncrun.Products, `{"id": "P-1", "updated_at": "2026-03-04T05:06:07.089Z", "deleted": true, "price": []}`,
			syncrun.Record{Remote: "P-1", At: changed, Deleted: true}},
		"a level": {syncrun.Inventory, `{"id": "a", "sku": "MUG", "quantity": "-3"}`,
			syncrun.Record{Remote: "a", Level: &syncrun.Level{SKU: "MUG", Location: "main", Quantity: -3}}},
		"a level of an item elsewhere": {syncrun.Inventory, `{"id": "a", "item_id": 5, "location": "east", "quantity": 3e2}`,
			syncrun.Record{Remote: "a", Level: &syncrun.Level{Item: "5", Location: "east", Quantity: 300}}},
		"a customer": {syncrun.Customers, `{"id": 7, "email": "ada@example.com", "name": "Ada\u0000", "loyalty_tier": "gold", "purchases": 12}`,
			syncrun.Record{Remote: "7", Customer: &syncrun.Customer{Email: "ada@example.com", Name: "Ada", Tier: "gold", Purchases: 12}}},
		"an order of ours": {syncrun.Orders, `{"id": 1, "number": "#1", "email": "a@b.c", "status": "shipped", "total": 27.00, "currency": "EUR", "items": 2,
			"placed_at": "2026-03-04T05:06:07.089Z", "reference": "ord_1", "shipment": {"carrier": "ups", "tracking_number": "1Z", "tracking_url": "https://u",
			"shipped_at": "2026-03-04T05:06:07.089Z", "delivered": true}}`,
			syncrun.Record{Remote: "1", Order: &syncrun.Order{Number: "#1", Email: "a@b.c", Status: "shipped", Total: "27.00", Currency: "EUR", Items: 2,
				PlacedAt: changed, Reference: "ord_1",
				Shipment: &syncrun.Shipment{Carrier: "ups", Number: "1Z", TrackingURL: "https://u", ShippedAt: changed, Delivered: true}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.Resource = test.resource
			if got := readOne(t, test.resource, test.json); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s\n got %+v %+v\nwant %+v %+v", test.json, got, got.Product, test.want, test.want.Product)
			}
		})
	}
}

// readOne reads a page with a good record on either side.
func readOne(t *testing.T, r syncrun.Resource, record string) syncrun.Record {
	t.Helper()
	o, _, s, c := connect(t)
	o.page = fmt.Sprintf(`{"data": [{"id": "before", "deleted": true}, %s, {"id": "after", "deleted": true}], "next_cursor": null}`, record)
	page, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: r})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Records) != 3 || page.Records[0].Remote != "before" || page.Records[2].Remote != "after" || page.Next != "" {
		t.Fatalf("%+v", page)
	}
	return page.Records[1]
}

func TestRecordsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource     syncrun.Resource
		json         string
		remote, says string
	}{
		"no object":      {syncrun.Products, `"mug"`, "", "Record 2 of its page: It is no object."},
		"null":           {syncrun.Products, `null`, "", "Record 2 of its page: It is no object."},
		"no id":          {syncrun.Products, `{"sku": "a"}`, "", "Record 2 of its page: It cannot be read: id is required."},
		"an id of parts": {syncrun.Products, `{"id": 1.5}`, "", "Record 2 of its page: It cannot be read: id is required; id must be text or a whole number."},
		"a long id":      {syncrun.Products, `{"id": "` + strings.Repeat("x", 201) + `"}`, "", "Record 2 of its page: It cannot be read: id has more than 200 characters; id is required."},
		"everything wrong with a product": {syncrun.Products,
			`{"id": 1, "price": "a lot", "name": 5, "tags": ["a", 2], "images": ["u"], "variants": [{"sku": 7}, 8], "attributes": {"x": []}, "status": "gone", "updated_at": "today"}`,
			"1", "It cannot be read: attributes.x must be text, a number, true or false; images.0 must be an object; name must be text; price must be a number; " +
				"status must be active or archived; tags.1 must be text; updated_at must be a time such as 2026-03-04T05:06:07Z; " +
				"variants.0.sku must be text; variants.1 must be an object."},
		"a flag that is text":       {syncrun.Products, `{"id": 1, "requires_shipping": "no"}`, "1", "It cannot be read: requires_shipping must be true or false."},
		"a price that is an object": {syncrun.Products, `{"id": 1, "price": {"amount": 5}}`, "1", "It cannot be read: price must be a number."},
		"a price of endless digits": {syncrun.Products, `{"id": 1, "price": ` + strings.Repeat("1", 41) + `}`, "1", "It cannot be read: price must be a number."},
		"half a piece":              {syncrun.Inventory, `{"id": 1, "sku": "a", "quantity": 0.5}`, "1", "It cannot be read: quantity must be a whole number within ±1,000,000,000."},
		"a level of nothing":        {syncrun.Inventory, `{"id": 1}`, "1", "It cannot be read: quantity is required; sku or item_id is required."},
		"a customer of lists":       {syncrun.Customers, `{"id": 1, "email": ["a"]}`, "1", "It cannot be read: email must be text."},
		"a shipment in words": {syncrun.Orders, `{"id": 1, "shipment": "ups", "items": true}`, "1",
			"It cannot be read: items must be a number; shipment must be an object."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readOne(t, test.resource, test.json)
			got.At = time.Time{}
			if want := (syncrun.Record{Resource: test.resource, Remote: test.remote, Problem: test.says}); !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n got %+v\nwant %+v", test.json, got, want)
			}
		})
	}
}

func TestPagesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for _, page := range []string{
		`{}`, `[]`, `null`, `{"data": null}`, `{"data": {}}`, `{"data": [], "next_cursor": 5}`, `{"data": []} {"data": []}`, `{"data": [`,
		`{"data": [], "next_cursor": "` + strings.Repeat("x", 2001) + `"}`,
		`{"data": [` + strings.Repeat("{},", 500) + `{}]}`,
	} {
		o.page = page
		got, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: syncrun.Products, Full: true})
		failure, ok := err.(*ports.PlatformFailure)
		if !ok || got.Records != nil || !strings.HasPrefix(failure.Reason, "Your system sent ") {
			t.Errorf("%.40s: %+v, %v", page, got, err)
		}
	}
}

func TestAFullReadingAsksForEverything(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for _, r := range []ports.PageRequest{
		{Resource: syncrun.Orders, Since: changed},
		{Resource: syncrun.Orders, Since: changed, Full: true, Cursor: "a&b=c"},
	} {
		if _, err := s.Read(ports.NewOutbound(t.Context()), c, r); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"/base/orders?limit=250&updated_since=2026-03-04T05%3A06%3A07.089Z", "/base/orders?cursor=a%26b%3Dc&limit=250"}
	if !slices.Equal(o.asked, want) {
		t.Errorf("asked for %q, want %q", o.asked, want)
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	_, _, s, c := connect(t)
	for name, test := range map[string]struct {
		topic, data string
		want        syncrun.Record
	}{
		"a level": {"inventory_levels/update", `{"id": "a", "sku": "MUG", "quantity": 3, "updated_at": "2026-03-04T05:06:00Z"}`,
			syncrun.Record{Resource: syncrun.Inventory, Remote: "a", At: changed.Truncate(time.Minute), WholeSecond: true, Level: &syncrun.Level{SKU: "MUG", Location: "main", Quantity: 3}}},
		"an exact time on a whole second": {"inventory_levels/update", `{"id": "a", "sku": "MUG", "quantity": 3, "updated_at": "2026-03-04T05:06:00.000Z"}`,
			syncrun.Record{Resource: syncrun.Inventory, Remote: "a", At: changed.Truncate(time.Minute), Level: &syncrun.Level{SKU: "MUG", Location: "main", Quantity: 3}}},
		"a customer without a time": {"customers/create", `{"id": "a", "email": "a@b.c"}`,
			syncrun.Record{Resource: syncrun.Customers, Remote: "a", At: changed, Customer: &syncrun.Customer{Email: "a@b.c"}}},
		"a product that is gone": {"products/delete", `{"id": 5, "updated_at": "2020-03-04T05:06:00Z", "price": 7}`,
			syncrun.Record{Resource: syncrun.Products, Remote: "5", At: changed, Deleted: true}},
		"a product that cannot be read": {"products/update", `{"id": 5, "price": []}`,
			syncrun.Record{Resource: syncrun.Products, Remote: "5", At: changed, Problem: "It cannot be read: price must be a number."}},
		"something that is gone": {"products/delete", `7`,
			syncrun.Record{Resource: syncrun.Products, At: changed, Problem: "It cannot be read: id is required."}},
	} {
		body := fmt.Sprintf(`{"type": %q, "timestamp": "2026-03-04T05:06:07.089Z", "data": %s}`, test.topic, test.data)
		got, err := s.News(ports.NewOutbound(t.Context()), c, test.topic, changed, []byte(body))
		if err != nil || !reflect.DeepEqual(got, []syncrun.Record{test.want}) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, test.want)
		}
	}
	for _, body := range []string{``, `[]`, `{}`, `{"type": "orders/create", "timestamp": "now", "data": {}}`, `{"type": "orders/create", "data": null}`} {
		if got, err := s.News(ports.NewOutbound(t.Context()), c, "orders/create", changed, []byte(body)); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// A signature that is right counts, whatever it is over: what it tells is judged later.
func TestVerifyOfABodyThatIsNoCall(t *testing.T) {
	t.Parallel()
	_, _, s, _ := connect(t)
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	stamp, err := s.Verify(signed(t, secret, "msg_1", changed, "hello"), secret)
	if want := (ports.CallStamp{Delivery: "msg_1"}); err != nil || stamp != want {
		t.Errorf("%+v, %v", stamp, err)
	}
	for _, weak := range []string{"", "whsec_", "whsec_%"} {
		empty := signed(t, "whsec_", "msg_1", changed, "hello")
		if stamp, err := s.Verify(empty, weak); err == nil {
			t.Errorf("signed with the secret %q: %+v", weak, stamp)
		}
	}
	if _, err := s.Verify(signed(t, secret, strings.Repeat("x", 201), changed, "hello"), secret); err == nil {
		t.Error("an id of 201 characters is taken")
	}
}

func TestTotals(t *testing.T) {
	t.Parallel()
	o, _, s, c := connect(t)
	for total, want := range map[string]int{`1200`: 1200, `0`: 0, `null`: 0, `"many"`: 0, `1.5`: 0, `99999999999`: 0} {
		o.page = `{"data": [{"id": 1, "deleted": true}], "total": ` + total + `}`
		page, err := s.Read(ports.NewOutbound(t.Context()), c, ports.PageRequest{Resource: syncrun.Products})
		if err != nil || len(page.Records) != 1 || page.Total != (syncrun.Total{Count: want}) {
			t.Errorf("%s: %+v, %v", total, page.Total, err)
		}
	}
}
