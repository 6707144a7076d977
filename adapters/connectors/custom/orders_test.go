package custom_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/custom"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

// stubSystem answers every request with the same response and records the requests.
type stubSystem struct {
	mu     sync.Mutex
	status int
	answer string
	asked  []string
	keys   []string
	body   map[string]any
}

func (o *stubSystem) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked, o.keys, o.body = append(o.asked, r.Method+" "+r.URL.RequestURI()), append(o.keys, r.Header.Get("Idempotency-Key")), nil
	_ = json.NewDecoder(r.Body).Decode(&o.body)
	w.WriteHeader(o.status)
	_, _ = w.Write([]byte(o.answer))
}

func connectStub(t *testing.T, status int, answer string) (*stubSystem, *custom.Connector, ports.Outbound, ports.Connection) {
	t.Helper()
	o := &stubSystem{status: status, answer: answer}
	p := adaptertest.NewPlatform(t, o)
	c := custom.New(custom.Config{Client: p.Client(), Clock: clock{}})
	return o, c, ports.NewOutbound(t.Context()), ports.Connection{
		Key:         "int_1",
		BaseURL:     p.URL,
		Credentials: integration.Credentials{Key: apiKey},
	}
}

func euro(text string) money.Amount {
	c, err := money.ParseCurrency("EUR")
	if err != nil {
		panic(err)
	}
	a, err := money.Parse(text, c)
	if err != nil {
		panic(err)
	}
	return a
}

var (
	mug, cup = id.New[id.Variant]([16]byte{1}), id.New[id.Variant]([16]byte{2})
	ours     = id.New[id.Order]([16]byte{9})
)

// draft is an order of two pieces of item I-11, one item that has a SKU only, and goods that the system does not have.
func draft() ports.OrderDraft {
	o := &order.Order{
		ID:           ours,
		Confirmation: "HG-1",
		Email:        "ada@example.com",
		CreatedAt:    changed,
		Lines: []checkout.Line{
			{Variant: mug, SKU: "MUG-S", Name: "Mug", Label: "S", Quantity: 2, Unit: euro("11.00"), Original: euro("12.50")},
			{Variant: cup, SKU: "CUP", Name: "Cup", Quantity: 1, Unit: euro("5.00"), Original: euro("5.00"), Digital: true},
			{Name: "Card", Quantity: 1, Unit: euro("1.00"), Original: euro("1.00")},
		},
		Subtotal: euro("28.00"),
		Shipping: euro("4.90"),
		Tax:      euro("5.11"),
		Total:    euro("38.01"),
		Address: checkout.Address{
			Name:       "Ada Byron",
			Line1:      "1 Main St",
			City:       "Berlin",
			PostalCode: "10115",
			Country:    "DE",
		},
		Fulfillment: order.Fulfillment{ShippingOption: "standard"},
	}
	o.Payment = order.Payment{
		ID:       id.New[id.Payment]([16]byte{8}),
		Route:    project.PaymentRoute{Provider: "stripe"},
		Provider: "pi_1",
	}
	return ports.OrderDraft{
		Order: o,
		Items: []string{"I-11", "sku:CUP", ""},
		Live:  true,
	}
}

// Amounts are sent as text, and goods that the system does not have without an item_id and a SKU.
func TestWriteOrder(t *testing.T) {
	t.Parallel()
	o, s, ctx, c := connectStub(t, 201, `{"id": 42, "number": "#42", "total": 38.010, "currency": "eur", "url": "https://erp.example/42"}`)
	w, err := s.WriteOrder(ctx, c, draft())
	want := ports.WrittenOrder{
		Remote:  "42",
		Name:    "#42",
		URL:     "https://erp.example/42",
		Counted: []string{"I-11", "sku:CUP"},
	}
	if err != nil || !reflect.DeepEqual(w, want) {
		t.Errorf("%+v, %v", w, err)
	}
	var sent map[string]any
	_ = json.Unmarshal([]byte(`{
		"reference": "`+ours.String()+`", "number": "HG-1", "test": false, "placed_at": "2026-03-04T05:06:07.089Z", "currency": "EUR", "email": "ada@example.com",
		"lines": [
			{"variant_id": "`+mug.String()+`", "item_id": "I-11", "sku": "MUG-S", "name": "Mug S", "quantity": 2, "unit_price": "11.00", "list_price": "12.50", "requires_shipping": true},
			{"variant_id": "`+cup.String()+`", "sku": "CUP", "name": "Cup", "quantity": 1, "unit_price": "5.00", "list_price": "5.00", "requires_shipping": false},
			{"variant_id": "`+id.Variant{}.String()+`", "name": "Card", "quantity": 1, "unit_price": "1.00", "list_price": "1.00", "requires_shipping": true}
		],
		"subtotal": "28.00", "shipping": "4.90", "tax": "5.11", "total": "38.01", "shipping_method": "standard",
		"address": {"name": "Ada Byron", "first_name": "Ada", "last_name": "Byron", "line1": "1 Main St", "city": "Berlin", "postal_code": "10115", "country": "DE"},
		"payment": {"id": "`+id.New[id.Payment]([16]byte{8}).String()+`", "provider": "stripe", "reference": "pi_1", "amount": "38.01"}
	}`), &sent)
	if !reflect.DeepEqual(o.body, sent) || o.keys[0] != ours.String() {
		t.Errorf("sent %v\nwant %v\n%q", o.body, sent, o.keys)
	}
}

// The results of all possible answers to POST /orders.
func TestWriteOrder_answers(t *testing.T) {
	t.Parallel()
	var failure *ports.PlatformFailure
	for name, test := range map[string]struct {
		status       int
		answer       string
		total, error string // "": none
	}{
		"an id alone":          {200, `{"id": "7"}`, "", ""},
		"another total":        {200, `{"id": "7", "total": "38.00"}`, "38.00 EUR", ""},
		"another currency":     {200, `{"id": "7", "total": "38.01", "currency": "USD"}`, "38.01 USD", ""},
		"no id":                {201, `{"number": "7"}`, "", "Your system sent an order that cannot be read: id is required."},
		"sold out":             {409, `{"code": "sold_out", "message": "One left."}`, "", "Your system has too little stock for it."},
		"sold out, as invalid": {422, `{"code": "sold_out"}`, "", "Your system has too little stock for it."},
		"another reason":       {422, `{"code": "blocked", "message": "No ` + apiKey + ` to\nGuam"}`, "", "Your system refused the request: No … to Guam."},
		"no reason":            {409, `no`, "", "Your system refused the request (409)."},
		"still worked on":      {425, `{"code": "sold_out"}`, "", "Your system has a problem of its own (425)."},
		"half an answer":       {201, `{"id":`, "", "Your system sent an answer that cannot be read."},
	} {
		_, s, ctx, c := connectStub(t, test.status, test.answer)
		w, err := s.WriteOrder(ctx, c, draft())
		reason := ""
		if errors.As(err, &failure) {
			reason = failure.Reason
		} else if err != nil {
			reason = err.Error()
		}
		if uncertain := test.status < 300 || test.status == 425; err != nil && errors.As(err, new(*ports.PlatformFailure)) != uncertain {
			t.Errorf("%s: %T: whether the order is there is known only where the system refuses it", name, err)
		}
		if reason != test.error || w.WrongTotal != test.total {
			t.Errorf("%s: %+v, %q", name, w, reason)
		}
		var soldOut *ports.SoldOut
		if want := test.error == "Your system has too little stock for it."; errors.As(err, &soldOut) != want {
			t.Errorf("%s: %T", name, err)
		}
	}
}

// Only an http or https URL is stored.
func TestWriteOrder_url(t *testing.T) {
	t.Parallel()
	_, s, ctx, c := connectStub(t, 201, `{"id": 1, "url": "javascript:alert(1)"}`)
	if w, err := s.WriteOrder(ctx, c, draft()); err != nil || w.URL != "" || w.Name != "1" {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestFindOrder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer, found string
		failed        bool
	}{
		"none":           {`{"data": []}`, "", false},
		"one":            {`{"data": [{"id": 7, "reference": "` + ours.String() + `"}]}`, "7", false},
		"one is deleted": {`{"data": [{"id": 7, "reference": "` + ours.String() + `", "deleted": true}]}`, "", false},
		"any order":      {`{"data": [{"id": 7}]}`, "", true},
		"no object":      {`{"data": [7]}`, "", true},
	} {
		o, s, ctx, c := connectStub(t, 200, test.answer)
		w, err := s.FindOrder(ctx, c, draft())
		var failure *ports.PlatformFailure // no refusal, because the order may exist
		if errors.As(err, &failure) != test.failed || (w != nil) != (test.found != "") || w != nil && w.Remote != test.found {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
		if want := "GET /orders?limit=250&reference=" + ours.String(); o.asked[0] != want {
			t.Errorf("%s: %s", name, o.asked[0])
		}
	}
}

func TestUpdateOrder(t *testing.T) {
	t.Parallel()
	refund := order.Refund{ID: id.New[id.Refund]([16]byte{7}), Amount: euro("11.00")}
	back := []catalog.Reservation{{Variant: mug, Location: "main", Quantity: 1}, {Variant: mug, Location: "east", Quantity: 1}, {Variant: cup, Quantity: 1}}
	for name, test := range map[string]struct {
		step      order.PlatformStep
		path, key string
		body      map[string]any
		restocked bool
	}{
		"canceled": {order.CancelStep{}, "cancel", "", map[string]any{}, true},
		"refunded": {order.RefundStep{Refund: refund}, "refunds", refund.ID.String(),
			map[string]any{"reference": refund.ID.String(), "amount": "11.00", "currency": "EUR"}, false},
		"returned": {order.RefundStep{Refund: refund, Restocked: back}, "refunds", refund.ID.String(),
			map[string]any{"reference": refund.ID.String(), "amount": "11.00", "currency": "EUR", "restock": []any{
				map[string]any{"item_id": "I-11", "sku": "MUG-S", "quantity": 2.0}, map[string]any{"sku": "CUP", "quantity": 1.0},
			}}, true},
		"shipped": {order.ShipStep{Shipment: order.Shipment{Carrier: "ups", Number: "1Z"}}, "fulfillment", "",
			map[string]any{"carrier": "ups", "tracking_number": "1Z"}, false},
	} {
		o, s, ctx, c := connectStub(t, 204, "")
		restocked, err := s.UpdateOrder(ctx, c, "a/7", draft(), test.step)
		if err != nil || restocked != test.restocked || o.asked[0] != "POST /orders/a%2F7/"+test.path || o.keys[0] != test.key || !reflect.DeepEqual(o.body, test.body) {
			t.Errorf("%s: %v, %v, %q, %q, %v", name, restocked, err, o.asked, o.keys, o.body)
		}
		for status, want := range map[int]string{410: "Your system does not have the order any more.", 409: "Your system refused the request: sold_out."} {
			_, s, ctx, c := connectStub(t, status, `{"code": "sold_out"}`)
			if _, err := s.UpdateOrder(ctx, c, "7", draft(), test.step); err == nil || err.Error() != want {
				t.Errorf("%s: %d is %v", name, status, err)
			}
		}
	}
}

func TestReadOrder(t *testing.T) {
	t.Parallel()
	refund := id.New[id.Refund]([16]byte{7})
	_, s, ctx, c := connectStub(t, 200, `{"id": 7, "currency": "EUR", "canceled": true, "refunds": [
		{"id": 1, "amount": 5}, {"id": "R-2", "amount": "11.00", "reference": "`+refund.String()+`"}]}`)
	got, err := s.ReadOrder(ctx, c, "7", euro("1.00").Currency())
	want := order.PlatformState{Canceled: true, Refunds: []order.PlatformRefund{
		{Remote: "1", Amount: euro("5.00")}, {Remote: "R-2", Ours: refund, Amount: euro("11.00")},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for answer, want := range map[string]string{
		`{"deleted": true}`: "Your system does not have the order any more.",
		`{"currency": "USD", "refunds": [{"id": 1, "amount": 5}]}`: "Your system has refunds of the order in another currency.",
		`{"refunds": [{"id": 1, "amount": 5}]}`:                    "Your system sent an order that cannot be read: currency is required with refunds.",
		`{"currency": "EUR", "refunds": [{"amount": "5.001"}]}`:    "Your system sent an order that cannot be read: refunds.amount must be an amount in the order's currency; refunds.id is required.",
		`{"canceled": 1}`: "Your system sent an order that cannot be read: canceled must be true or false.",
	} {
		_, s, ctx, c := connectStub(t, 200, answer)
		if _, err := s.ReadOrder(ctx, c, "7", euro("1.00").Currency()); err == nil || err.Error() != want {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// A level belongs to the requested item, unless it names another one.
func TestReadLevels(t *testing.T) {
	t.Parallel()
	level := func(item, sku, location string) syncrun.Record {
		return syncrun.Record{
			Resource: syncrun.Inventory,
			Remote:   "a",
			Level: &syncrun.Level{
				Item:     item,
				SKU:      sku,
				Location: location,
				Quantity: 3,
			},
		}
	}
	for name, test := range map[string]struct {
		item, query, answer string
		want                []syncrun.Record
	}{
		"an item":        {"I-11", "item_id=I-11&limit=250", `{"data": [{"id": "a", "item_id": "I-11", "quantity": 3}]}`, []syncrun.Record{level("I-11", "", "main")}},
		"by its SKU":     {"sku:M S", "limit=250&sku=M+S", `{"data": [{"id": "a", "sku": "M S", "location": "east", "quantity": 3}]}`, []syncrun.Record{level("sku:M S", "M S", "east")}},
		"not named":      {"I-11", "item_id=I-11&limit=250", `{"data": [{"id": "a", "sku": "MUG", "quantity": 3}]}`, []syncrun.Record{level("I-11", "MUG", "main")}},
		"not counted":    {"I-11", "item_id=I-11&limit=250", `{"data": []}`, nil},
		"another item":   {"I-11", "item_id=I-11&limit=250", `{"data": [{"id": "a", "item_id": "I-12", "quantity": 3}]}`, nil},
		"another SKU":    {"sku:M", "limit=250&sku=M", `{"data": [{"id": "a", "sku": "N", "quantity": 3}]}`, nil},
		"several SKUs":   {"I-11", "item_id=I-11&limit=250", `{"data": [{"id": "a", "sku": "M", "quantity": 3}, {"id": "b", "sku": "N", "quantity": 3}]}`, nil},
		"a bad quantity": {"I-11", "item_id=I-11&limit=250", `{"data": [{"id": "a", "item_id": "I-11", "quantity": "many"}]}`, nil},
		"endless pages":  {"I-11", "item_id=I-11&limit=250", `{"data": [], "next_cursor": "x"}`, nil},
	} {
		o, s, ctx, c := connectStub(t, 200, test.answer)
		got, err := s.ReadLevels(ctx, c, []string{test.item, test.item})
		var failure *ports.PlatformFailure
		fails := test.want == nil && name != "not counted"
		if errors.As(err, &failure) != fails || len(got) != len(test.want) || len(got) > 0 && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if want := "GET /inventory?" + test.query; o.asked[0] != want {
			t.Errorf("%s: %s", name, o.asked[0])
		}
	}
}

// The account says whether the system takes orders.
func TestInspect_writesOrders(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{
		`{"id": 1}`: false, `{"id": 1, "writes_orders": true}`: true, `{"id": 1, "writes_orders": null}`: false, `{"id": 1, "writes_orders": "yes"}`: false,
	} {
		_, s, ctx, c := connectStub(t, 200, answer)
		if got, err := s.Inspect(ctx, c); err != nil || got.MayWriteOrders != want {
			t.Errorf("%s: %+v, %v", answer, got, err)
		}
	}
	if got := custom.New(custom.Config{}).RepeatAfter(); got != time.Duration(0) {
		t.Errorf("repeated after %s", got)
	}
}

// The record of an order has its cancellation and the sum of its refunds.
func TestRead_reversedOrder(t *testing.T) {
	t.Parallel()
	got := readOne(t, syncrun.Orders, `{"id": 1, "currency": "EUR", "canceled": true, "refunds": [{"id": 1, "amount": 5.1}, {"id": 2, "amount": "0.90"}]}`)
	if got.Problem != "" || !got.Order.Canceled || got.Order.Refunded != "6.00" {
		t.Errorf("%+v, %+v", got, got.Order)
	}
}
