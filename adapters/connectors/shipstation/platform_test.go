package shipstation_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shipstation"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

type clock struct{}

func (clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// shipment is a shipment in the answers of the platform.
type shipment struct {
	ID       int64       `json:"shipmentId"`
	Order    int64       `json:"orderId"`
	Key      *string     `json:"orderKey"`
	Number   string      `json:"orderNumber"`
	Created  string      `json:"createDate"`
	Ships    string      `json:"shipDate"`
	Cost     json.Number `json:"shipmentCost"`
	Insured  json.Number `json:"insuranceCost"`
	Tracking string      `json:"trackingNumber"`
	Return   bool        `json:"isReturnLabel"`
	Carrier  string      `json:"carrierCode"`
	Service  string      `json:"serviceCode"`
	Voided   bool        `json:"voided"`
	VoidedAt *string     `json:"voidDate"`
	Label    *string     `json:"labelData"`

	created time.Time
}

type hook struct {
	ID    int64  `json:"WebHookID"`
	Topic string `json:"HookType"`
	URL   string `json:"Url"`
}

// fakeAccount is an account of a fake ShipStation, API V1.
type fakeAccount struct {
	t        *testing.T
	mu       sync.Mutex
	stores   []int64
	sent     []shipment
	orders   map[string]int64 // by key
	status   map[int64]string // of orders; "": awaiting_shipment
	hooks    []hook
	carriers []string
	labels   int    // number of purchases
	voids    int    // number of approved voids
	keep     string // the reason why no label is voided; "": labels are voided
	last     map[string]map[string]any
	query    []string // of requests for shipments
	// fail has an operation answer with a status, once. lose has it succeed without an answer.
	fail map[string]int
	lose map[string]bool
	late map[string]bool // it succeeds, and the answer is an exception
}

const apiKey, apiSecret = "0123456789abcdef0123456789abcdef", "fedcba9876543210"

func (a *fakeAccount) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if user, password, ok := r.BasicAuth(); !ok || user != apiKey || password != apiSecret {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	what := r.Method + " " + r.URL.Path
	var body map[string]any
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			a.t.Errorf("%s: %v", what, err)
		}
		a.last[what] = body
	}
	if status := a.fail[what]; status != 0 {
		delete(a.fail, what)
		w.WriteHeader(status)
		fmt.Fprint(w, `{"ExceptionMessage":"The address is wrong."}`)
		return
	}
	answer := a.answer(what, r, body)
	if a.lose[what] {
		delete(a.lose, what)
		panic(http.ErrAbortHandler)
	}
	if a.late[what] {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"ExceptionMessage":"Object reference not set to an instance of an object."}`)
		return
	}
	if answer == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (a *fakeAccount) answer(what string, r *http.Request, body map[string]any) any {
	switch what {
	case "GET /stores":
		list := []map[string]any{}
		for _, id := range a.stores {
			list = append(list, map[string]any{"storeId": id, "storeName": "A store"})
		}
		return list
	case "GET /carriers":
		list := []map[string]any{}
		for _, code := range a.carriers {
			list = append(list, map[string]any{"code": code})
		}
		return list
	case "POST /shipments/getrates":
		return a.rates(body["carrierCode"].(string))
	case "GET /shipments":
		return a.list(r)
	case "POST /orders/createorder":
		key := body["orderKey"].(string)
		if a.orders[key] == 0 {
			a.orders[key] = int64(1000 + len(a.orders))
		}
		return map[string]any{"orderId": a.orders[key], "orderKey": key, "orderStatus": cmp.Or(a.status[a.orders[key]], "awaiting_shipment")}
	case "POST /orders/createlabelfororder":
		return a.buy(body)
	case "POST /shipments/voidlabel":
		return a.void(int64(body["shipmentId"].(float64)))
	case "GET /webhooks":
		return map[string]any{"webhooks": a.hooks}
	case "POST /webhooks/subscribe":
		a.hooks = append(a.hooks, hook{int64(500 + len(a.hooks)), body["event"].(string), body["target_url"].(string)})
		return map[string]any{"id": a.hooks[len(a.hooks)-1].ID}
	}
	for i, h := range a.hooks {
		if what == "DELETE /webhooks/"+strconv.FormatInt(h.ID, 10) {
			a.hooks = slices.Delete(a.hooks, i, i+1)
			return map[string]any{}
		}
	}
	return nil
}

func (a *fakeAccount) rates(carrier string) any {
	if carrier == "broken" {
		return []map[string]any{}
	}
	return []map[string]any{
		{"serviceName": carrier + " Ground", "serviceCode": carrier + "_ground", "shipmentCost": json.Number("5.405"), "otherCost": json.Number("0.1")},
		{"serviceName": carrier + " Air", "serviceCode": carrier + "_air", "shipmentCost": json.Number("21"), "otherCost": json.Number("0.0")},
	}
}

func (a *fakeAccount) buy(body map[string]any) any {
	a.labels++
	id := int64(body["orderId"].(float64))
	key := ""
	for k, order := range a.orders {
		if order == id {
			key = k
		}
	}
	bought := a.add(time.Now(), key, a.last["POST /orders/createorder"]["orderNumber"].(string))
	bought.Carrier, bought.Service = body["carrierCode"].(string), body["serviceCode"].(string)
	bought.Cost, bought.Insured = "7.05", "0.2"
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF-1.4 " + key))
	answer := *bought
	answer.Label = &pdf
	return answer
}

// void does not say whether a label was voided before.
func (a *fakeAccount) void(id int64) any {
	for i := range a.sent {
		one := &a.sent[i]
		if one.ID == id && !one.Voided && a.keep == "" {
			at := stamp(time.Now())
			one.Voided, one.VoidedAt = true, &at
			a.voids++
			return map[string]any{"approved": true, "message": "Label voided successfully"}
		}
	}
	return map[string]any{"approved": false, "message": cmp.Or(a.keep, "The label cannot be voided.")}
}

var pacific, _ = time.LoadLocation("America/Los_Angeles")

func stamp(at time.Time) string { return at.In(pacific).Format("2006-01-02T15:04:05.0000000") }

// add adds a shipment of an order.
func (a *fakeAccount) add(at time.Time, key, number string) *shipment {
	one := shipment{
		ID:       int64(70000 + len(a.sent)),
		Number:   number,
		Created:  stamp(at),
		Ships:    at.In(pacific).Format(time.DateOnly),
		Cost:     "1",
		Insured:  "0",
		Tracking: fmt.Sprintf("1Z%05d", len(a.sent)),
		Carrier:  "ups",
		Service:  "ups_ground",
		created:  at,
	}
	if key != "" {
		one.Key = &key
	}
	a.sent = append(a.sent, one)
	return &a.sent[len(a.sent)-1]
}

func (a *fakeAccount) list(r *http.Request) any {
	q := r.URL.Query()
	a.query = append(a.query, r.URL.RawQuery)
	since := func(name string) time.Time {
		at, err := time.ParseInLocation(time.DateTime, q.Get(name), pacific)
		if q.Get(name) != "" && err != nil {
			a.t.Errorf("%s: %v", name, err)
		}
		return at
	}
	found := []shipment{}
	for _, s := range a.sent {
		switch {
		case q.Get("orderNumber") != "" && s.Number != q.Get("orderNumber"):
		case s.created.Before(since("createDateStart")):
		case q.Get("voidDateStart") != "" && s.VoidedAt == nil:
		default:
			found = append(found, s)
		}
	}
	if q.Get("sortDir") == "DESC" {
		slices.Reverse(found)
	}
	page, _ := strconv.Atoi(q.Get("page"))
	size, _ := strconv.Atoi(q.Get("pageSize"))
	from, to := min((page-1)*size, len(found)), min(page*size, len(found))
	return map[string]any{"shipments": found[from:to], "total": len(found), "page": page, "pages": (len(found) + size - 1) / size}
}

// fixture is a connector with an account of a fake ShipStation.
type fixture struct {
	*fakeAccount
	*shipstation.Connector
	connection ports.Connection
	platform   *adaptertest.Platform
}

func newFixture(t *testing.T) *fixture {
	a := &fakeAccount{
		t:        t,
		orders:   map[string]int64{},
		status:   map[int64]string{},
		last:     map[string]map[string]any{},
		fail:     map[string]int{},
		lose:     map[string]bool{},
		late:     map[string]bool{},
		carriers: []string{"ups", "usps"},
		stores:   []int64{320, 77, 4100},
	}
	platform := adaptertest.NewPlatform(t, a)
	return &fixture{
		fakeAccount: a, platform: platform,
		Connector: shipstation.New(shipstation.Config{
			URL:    platform.URL + "/",
			Client: platform.Client(),
			Clock:  clock{},
		}),
		connection: ports.Connection{Key: "int_1", Credentials: integration.Credentials{Key: apiKey, Secret: apiSecret}},
	}
}
