package woocommerce_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/woocommerce"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

// fakeOrderShop is a fake shop that accepts orders. Item 7 is a product with stock pieces, item 51 a variation that shares the stock of
// product 50.
type fakeOrderShop struct {
	mu     sync.Mutex
	orders []object // the oldest first
	total  string   // of the next order that is created
	exempt string   // its total once it is exempt from tax
	stock  int
	refuse int // the status of every request that changes something
	asked  []string
	posted object
}

func (s *fakeOrderShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/wp-json/wc/v3")
	s.asked = append(s.asked, r.Method+" "+path)
	var body object
	if r.Method != http.MethodGet {
		_ = json.NewDecoder(r.Body).Decode(&body)
		if s.refuse > 0 {
			respond(w, s.refuse, object{"code": "woocommerce_rest_cannot_create", "message": "Sorry, you are not allowed to create resources."})
			return
		}
	}
	stocked := func(of object) object {
		of["manage_stock"], of["stock_quantity"], of["backorders"], of["date_modified_gmt"] = true, s.stock, "no", "2026-03-04T05:06:07"
		return of
	}
	switch {
	case r.Method+path == "POST/orders":
		s.posted = maps.Clone(body)
		body["id"], body["total"], body["date_created_gmt"] = 100+len(s.orders), s.total, time.Now().UTC().Format(form)
		s.orders = append(s.orders, body)
		respond(w, 201, body)
	case path == "/orders":
		s.list(w, r)
	case path == "/products/7":
		respond(w, 200, stocked(object{"id": 7, "type": "simple", "sku": "T"}))
	case path == "/products/50":
		respond(w, 200, stocked(object{"id": 50, "type": "variable", "sku": "J"}))
	case path == "/products/51":
		respond(w, 200, object{"id": 51, "type": "variation", "parent_id": 50, "sku": "J", "manage_stock": "parent", "date_modified_gmt": "2026-03-04T05:06:07"})
	case strings.HasPrefix(path, "/orders/"):
		s.one(w, r.Method, strings.TrimPrefix(path, "/orders/"), body)
	default:
		respond(w, 404, object{"code": "woocommerce_rest_product_invalid_id", "message": "Invalid ID."})
	}
}

// list responds with a page of the newest orders.
func (s *fakeOrderShop) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	before, err := time.Parse(form, q.Get("before"))
	newest := slices.DeleteFunc(slices.Clone(s.orders), func(o object) bool {
		created, _ := time.Parse(form, o["date_created_gmt"].(string))
		return err == nil && !created.Before(before)
	})
	slices.Reverse(newest)
	page, _ := strconv.Atoi(q.Get("page"))
	size, _ := strconv.Atoi(q.Get("per_page"))
	respond(w, 200, newest[min((page-1)*size, len(newest)):min(page*size, len(newest))])
}

func (s *fakeOrderShop) one(w http.ResponseWriter, method, remote string, change object) {
	n := slices.IndexFunc(s.orders, func(o object) bool { return strconv.Itoa(o["id"].(int)) == remote })
	if n < 0 {
		respond(w, 404, object{"code": "woocommerce_rest_shop_order_invalid_id", "message": "Invalid ID."})
		return
	}
	o := s.orders[n]
	switch {
	case method == http.MethodDelete:
		s.orders = slices.Delete(s.orders, n, n+1)
	case change["set_paid"] == true:
		o["status"], o["date_paid_gmt"] = "processing", "2026-03-04T05:06:07"
		o["line_items"] = []object{{"id": 1, "product_id": 50, "variation_id": 51, "meta_data": []object{{"key": "_reduced_stock", "value": 2}}}}
	case change["fee_lines"] != nil:
		o["total"] = s.exempt
	}
	respond(w, 200, o)
}

func (s *fakeOrderShop) connect(t *testing.T) (*woocommerce.Connector, ports.Connection) {
	p := adaptertest.NewPlatform(t, s)
	c := woocommerce.New(woocommerce.Config{Client: p.Client(), Clock: clock{}})
	return c, ports.Connection{
		Key:         "int_1",
		BaseURL:     p.URL,
		Credentials: integration.Credentials{Key: key, Secret: secret},
	}
}

// existingOrder returns an order of the shop with our id in its metadata.
func existingOrder(number int, of id.Order, more object) object {
	o := object{
		"id": number, "number": strconv.Itoa(number), "status": "pending", "currency": "EUR", "total": "25.50", "date_created_gmt": time.Now().UTC().Format(form),
		"meta_data": []object{{"key": "haggle_order_id", "value": of.String()}},
	}
	for name, value := range more {
		o[name] = value
	}
	return o
}

func amount(text, currency string) money.Amount {
	c, err := money.ParseCurrency(currency)
	if err != nil {
		panic(err)
	}
	a, err := money.Parse(text, c)
	if err != nil {
		panic(err)
	}
	return a
}

// draft is an order of two pieces of item 51, and one piece of goods that the shop does not have.
func draft(currency, unit, other, shipping, tax, total string) ports.OrderDraft {
	o := &order.Order{
		ID:           id.New[id.Order]([16]byte{9}),
		Confirmation: "H-1",
		Email:        "ada@example.com",
		CreatedAt:    time.Now(),
		Lines: []checkout.Line{
			{Name: "Jacket", Quantity: 2, Unit: amount(unit, currency), Original: amount(unit, currency)},
			{Name: "Mug", Quantity: 1, Unit: amount(other, currency), Original: amount(other, currency)},
		},
		Shipping: amount(shipping, currency),
		Tax:      amount(tax, currency),
		Total:    amount(total, currency),
		Address: checkout.Address{
			Name:       "Ada Byron",
			Line1:      "1 Main St",
			City:       "Berlin",
			PostalCode: "10115",
			Country:    "DE",
		},
		Fulfillment: order.Fulfillment{ShippingOption: "standard"},
	}
	o.Payment.ID = id.New[id.Payment]([16]byte{8})
	return ports.OrderDraft{Order: o, Items: []string{"51", ""}}
}

// Amounts are text with the currency's decimals, goods that the shop does not have are a fee, and the buyer is a guest.
func TestWriteOrder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		d      ports.OrderDraft
		total  string // as the shop calculates it
		exempt string
		line   string
		fee    string
		puts   int
	}{
		"with decimals":           {d: draft("EUR", "10.25", "0.50", "4.50", "0", "25.50"), total: "25.50", line: "20.50", fee: "0.50", puts: 1},
		"without decimals":        {d: draft("JPY", "1200", "50", "0", "0", "2450"), total: "2450.00", line: "2400", fee: "50", puts: 1},
		"the shop's tax is ours":  {d: draft("EUR", "10.25", "0.50", "4.50", "4.85", "30.35"), total: "30.35", line: "20.50", fee: "0.50", puts: 1},
		"the shop's tax is other": {d: draft("EUR", "10.25", "0.50", "4.50", "4.85", "30.35"), total: "30.36", exempt: "30.35", line: "20.50", fee: "0.50", puts: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &fakeOrderShop{
				total:  test.total,
				exempt: test.exempt,
				stock:  2,
			}
			c, connection := s.connect(t)
			w, err := c.WriteOrder(ports.NewOutbound(t.Context()), connection, test.d)
			if err != nil || w.Remote != "100" || w.Unfinished || !slices.Equal(w.Counted, []string{"51"}) {
				t.Fatalf("%+v, %v", w, err)
			}
			text, _ := json.Marshal(s.posted)
			for _, want := range []string{
				fmt.Sprintf(`"product_id":51,"quantity":2,"subtotal":%q,"total":%[1]q`, test.line), fmt.Sprintf(`"fee_lines":[{"name":"Mug × 1","total":%q}]`, test.fee),
				`"email":"ada@example.com"`, `"last_name":"Byron"`, `"payment_method":"haggle"`, `"currency":"` + test.d.Order.Total.Currency().Code() + `"`,
				`{"key":"haggle_order_id","value":"` + test.d.Order.ID.String() + `"}`,
			} {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %s in\n%s", want, text)
				}
			}
			puts := 0
			for _, one := range s.asked {
				if one == "PUT /orders/100" {
					puts++
				}
			}
			if puts != test.puts {
				t.Errorf("%d changes, want %d: %v", puts, test.puts, s.asked)
			}
		})
	}
}

// Of duplicate orders the paid one is kept, or else the oldest.
func TestWriteOrder_duplicates(t *testing.T) {
	t.Parallel()
	d := draft("EUR", "10.25", "0.50", "4.50", "0", "25.50")
	for name, test := range map[string]struct {
		before object
		want   string
	}{
		"an older one":         {existingOrder(9, d.Order.ID, nil), "9"},
		"an older, paid one":   {existingOrder(9, d.Order.ID, object{"status": "processing", "date_paid_gmt": "2026-03-04T05:06:07"}), "9"},
		"of another order":     {existingOrder(9, id.New[id.Order]([16]byte{1}), nil), "101"},
		"a newer and paid one": {existingOrder(900, d.Order.ID, object{"status": "processing", "date_paid_gmt": "2026-03-04T05:06:07"}), "900"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &fakeOrderShop{
				orders: []object{test.before},
				total:  "25.50",
				stock:  2,
			}
			c, connection := s.connect(t)
			w, err := c.WriteOrder(ports.NewOutbound(t.Context()), connection, d)
			if err != nil || w.Remote != test.want || w.Unfinished {
				t.Fatalf("%+v, %v", w, err)
			}
			ours := 0
			for _, o := range s.orders {
				if text, _ := json.Marshal(o["meta_data"]); strings.Contains(string(text), d.Order.ID.String()) {
					ours++
				}
			}
			if ours != 1 {
				t.Errorf("%d orders: %v", ours, s.orders)
			}
		})
	}
}

// The duplicate of an unfinished order may be as old as that order, although later attempts are newer.
func TestConnector_deduplicate_oldOrder(t *testing.T) {
	t.Parallel()
	d := draft("EUR", "10.25", "0.50", "4.50", "0", "25.50")
	d.Asked, d.Unfinished = time.Now(), "8"
	ago := func(hours int) object {
		return object{"date_created_gmt": time.Now().Add(-time.Duration(hours) * time.Hour).UTC().Format(form)}
	}
	s := &fakeOrderShop{orders: []object{existingOrder(8, d.Order.ID, ago(48)), existingOrder(9, d.Order.ID, ago(48))}, stock: 2}
	for n := range 60 {
		s.orders = append(s.orders, existingOrder(100+n, id.New[id.Order]([16]byte{1}), ago(24)))
	}
	c, connection := s.connect(t)
	w, err := c.WriteOrder(ports.NewOutbound(t.Context()), connection, d)
	if err != nil || w.Remote != "8" || len(s.orders) != 61 || s.orders[1]["id"] != 100 {
		t.Errorf("%+v, %v, %d orders", w, err, len(s.orders))
	}
}

// An unfinished order is found as such. WriteOrder finishes it, or deletes it if its goods are sold out meanwhile.
func TestWriteOrder_unfinished(t *testing.T) {
	t.Parallel()
	d := draft("EUR", "10.25", "0.50", "4.50", "0", "25.50")
	for pieces, left := range map[int]int{2: 1, 1: 0} {
		s := &fakeOrderShop{orders: []object{existingOrder(9, d.Order.ID, nil)}, stock: pieces}
		c, connection := s.connect(t)
		ctx := ports.NewOutbound(t.Context())
		w, err := c.FindOrder(ctx, connection, d)
		if err != nil || w == nil || w.Remote != "9" || !w.Unfinished {
			t.Fatalf("%+v, %v", w, err)
		}
		finish := d
		finish.Unfinished = w.Remote
		_, err = c.WriteOrder(ctx, connection, finish)
		var soldOut *ports.SoldOut
		if errors.As(err, &soldOut) != (left == 0) || err != nil && left > 0 || len(s.orders) != left {
			t.Errorf("%d pieces: %v, %v", pieces, err, s.orders)
		}
	}
}

// A known unfinished order is read by its id, without a search.
func TestFindOrder_unfinished(t *testing.T) {
	t.Parallel()
	d := draft("EUR", "10.25", "0.50", "4.50", "0", "25.50")
	d.Unfinished = "9"
	s := &fakeOrderShop{orders: []object{existingOrder(9, d.Order.ID, nil)}}
	c, connection := s.connect(t)
	w, err := c.FindOrder(ports.NewOutbound(t.Context()), connection, d)
	if err != nil || w == nil || w.Remote != "9" || !w.Unfinished || !slices.Equal(s.asked, []string{"GET /orders/9"}) {
		t.Errorf("%+v, %v, asked %v", w, err, s.asked)
	}
}

// An order that was paid after it was last read is not deleted when the goods are sold out.
func TestWriteOrder_paidMeanwhile(t *testing.T) {
	t.Parallel()
	d := draft("EUR", "10.25", "0.50", "4.50", "0", "25.50")
	d.Unfinished = "9"
	s := &fakeOrderShop{orders: []object{existingOrder(9, d.Order.ID, object{"status": "processing", "date_paid_gmt": "2026-03-04T05:06:07"})}, stock: 1}
	c, connection := s.connect(t)
	_, err := c.WriteOrder(ports.NewOutbound(t.Context()), connection, d)
	var failure *ports.PlatformFailure
	if !errors.As(err, &failure) || len(s.orders) != 1 {
		t.Errorf("%v, %v", err, s.orders)
	}
}

// An order whose total was changed in the shop is found with that total.
func TestFindOrder_wrongTotal(t *testing.T) {
	t.Parallel()
	d := draft("EUR", "10.25", "0.50", "4.50", "0", "25.50")
	for total, want := range map[string]string{"25.50": "", "25.51": "25.51 EUR"} {
		paid := object{"status": "processing", "date_paid_gmt": "2026-03-04T05:06:07", "total": total, "currency": "EUR"}
		s := &fakeOrderShop{orders: []object{existingOrder(9, d.Order.ID, paid)}}
		c, connection := s.connect(t)
		w, err := c.FindOrder(ports.NewOutbound(t.Context()), connection, d)
		if err != nil || w == nil || w.WrongTotal != want {
			t.Errorf("%s: %+v, %v", total, w, err)
		}
	}
}

// The error of a read-only key says what to do, and is not ErrCredentialsRefused.
func TestWriteOrder_readOnlyKey(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403} {
		s := &fakeOrderShop{refuse: status, stock: 9}
		c, connection := s.connect(t)
		_, err := c.WriteOrder(ports.NewOutbound(t.Context()), connection, draft("EUR", "1", "1", "0", "0", "3"))
		var refusal *ports.PlatformRefusal
		if !errors.As(err, &refusal) || errors.Is(err, ports.ErrCredentialsRefused) || !strings.Contains(refusal.Reason, "Read/Write") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// The level of a variation that shares the stock of its product is that of the product.
func TestReadLevels(t *testing.T) {
	t.Parallel()
	s := &fakeOrderShop{stock: 4}
	c, connection := s.connect(t)
	levels, err := c.ReadLevels(ports.NewOutbound(t.Context()), connection, []string{"51", "7", "99"})
	if err != nil || len(levels) != 2 {
		t.Fatalf("%+v, %v", levels, err)
	}
	for n, want := range []string{"WC-51", "T"} {
		if l := levels[n].Level; l.SKU != want || l.Quantity != 4 {
			t.Errorf("%+v, want %s", l, want)
		}
	}
}
