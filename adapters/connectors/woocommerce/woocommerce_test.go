package woocommerce_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

func TestConnector(t *testing.T) {
	t.Parallel()
	adaptertest.Connector(t, func(t *testing.T) adaptertest.ConnectorWorld {
		s, p, c, connection := connect(t)
		return adaptertest.ConnectorWorld{
			Connector:  c,
			Connection: connection,
			Platform:   p,
			Fill:       s.fill,
			Resources:  []syncrun.Resource{syncrun.Products, syncrun.Inventory, syncrun.Customers, syncrun.Orders},
		}
	})
}

func TestInspect(t *testing.T) {
	t.Parallel()
	_, p, c, connection := connect(t)
	got, err := c.Inspect(ports.NewOutbound(t.Context()), connection)
	want := integration.Config{
		Account:  strings.TrimPrefix(p.URL, "http://") + "/shop",
		BaseURL:  p.URL + "/shop/",
		Currency: "EUR",
	}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

var changed = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

const at = `"date_modified_gmt": "2026-03-04T05:06:07"`

func readOne(t *testing.T, s *fakeShop, of syncrun.Resource, record string) syncrun.Record {
	t.Helper()
	_, _, c, connection := connect(t)
	p := adaptertest.NewPlatform(t, s.handler())
	connection.BaseURL = p.URL + "/shop"
	var one object
	if err := json.Unmarshal([]byte(record), &one); err != nil {
		t.Fatal(err)
	}
	s.records = map[string][]object{paths[of]: {one}}
	page, err := c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: of})
	if err != nil || len(page.Records) == 0 {
		t.Fatalf("%+v, %v", page, err)
	}
	return page.Records[0]
}

func TestRead_records(t *testing.T) {
	t.Parallel()
	ours := id.New[id.Order]([16]byte{9}).String()
	for name, test := range map[string]struct {
		json string
		want syncrun.Record
	}{
		"a product": {`{"id": 5, "type": "simple", "status": "publish", "name": "Tent &amp; pegs", "sku": "T1", "price": "19.90", ` + at + `,
			"description": "<p>Warm<br>and dry</p>", "categories": [{"name": "Tents"}, {"name": "Sale"}], "brands": [{"name": "Tarn"}],
			"tags": [{"name": "new"}], "images": [{"src": "https://i.example/1.jpg", "alt": "A tent"}], "global_unique_id": "4006381333931",
			"attributes": [{"name": "Material", "options": ["Silk", "Wool"]}]}`,
			syncrun.Record{Resource: syncrun.Products, Product: &syncrun.Product{
				SKU:         "T1",
				Name:        "Tent & pegs",
				Description: "Warm and dry",
				Category:    "Tents",
				Brand:       "Tarn",
				Price:       "19.90",
				Tags:        []string{"new"},
				Images:      []catalog.Image{{URL: "https://i.example/1.jpg", Alt: "A tent"}},
				GTIN:        "4006381333931",
				Item:        "5",
				Attributes:  map[string]string{"Material": "Silk, Wool"},
			}}},
		"a product of few words": {`{"id": 5, "type": "simple", "status": "publish", "name": "Tent", "sku": "", "price": 7, "short_description": "Dry", ` + at + `}`,
			syncrun.Record{Resource: syncrun.Products, Product: &syncrun.Product{
				SKU:         "WC-5",
				Name:        "Tent",
				Description: "Dry",
				Price:       "7",
				Item:        "5",
			}}},
		"a download": {`{"id": 5, "type": "simple", "status": "publish", "name": "Song", "sku": "S", "price": "1", "virtual": true, "downloadable": true, ` + at + `}`,
			syncrun.Record{Resource: syncrun.Products, Product: &syncrun.Product{
				SKU:      "S",
				Name:     "Song",
				Price:    "1",
				Item:     "5",
				Shipping: syncrun.Digital,
			}}},
		"a disc, with a download": {`{"id": 5, "type": "simple", "status": "publish", "name": "Song", "sku": "S", "price": "1", "virtual": false, "downloadable": true, ` + at + `}`,
			syncrun.Record{Resource: syncrun.Products, Product: &syncrun.Product{
				SKU:      "S",
				Name:     "Song",
				Price:    "1",
				Item:     "5",
				Shipping: syncrun.Ships,
			}}},
		"a draft": {`{"id": 5, "type": "simple", "status": "draft", "name": "Tent", "sku": "T", "price": "", ` + at + `}`,
			syncrun.Record{Resource: syncrun.Products, Product: &syncrun.Product{
				SKU:      "T",
				Name:     "Tent",
				Item:     "5",
				Archived: true,
			}}},
		"what is sold elsewhere": {`{"id": 5, "type": "external", "status": "publish", "name": "Tent", "sku": "T", "price": "1", ` + at + `}`,
			syncrun.Record{Resource: syncrun.Products, Product: &syncrun.Product{
				SKU:      "T",
				Name:     "Tent",
				Price:    "1",
				Item:     "5",
				Archived: true,
			}}},
		"an order": {`{"id": 5, "number": "1005", "status": "processing", "currency": "eur", "total": "12.00", "date_created_gmt": "2026-03-04T05:06:07", ` + at + `,
			"billing": {"email": "ada@example.com"}, "line_items": [{"quantity": 2}, {"quantity": 1}],
			"meta_data": [{"key": "x", "value": {"y": 1}}, {"key": "haggle_order_id", "value": "` + ours + `"}]}`,
			syncrun.Record{Resource: syncrun.Orders, Order: &syncrun.Order{
				Number:    "1005",
				Email:     "ada@example.com",
				Status:    "processing",
				Total:     "12.00",
				Currency:  "EUR",
				Items:     3,
				PlacedAt:  changed,
				Reference: ours,
			}}},
		"an order of somebody who claims to be us": {`{"id": 5, "number": "5", ` + at + `, "meta_data": [{"key": "haggle_order_id", "value": "1 OR 1"}]}`,
			syncrun.Record{Resource: syncrun.Orders, Order: &syncrun.Order{Number: "5"}}},
		"a customer": {`{"id": 5, "email": "ada@example.com", "first_name": "Ada", "last_name": "Byron", "is_paying_customer": true, ` + at + `,
			"meta_data": [{"key": "loyalty_tier", "value": "gold"}]}`,
			syncrun.Record{Resource: syncrun.Customers, Customer: &syncrun.Customer{
				Email:     "ada@example.com",
				Name:      "Ada Byron",
				Tier:      "gold",
				Purchases: 1,
			}}},
	} {
		test.want.Remote, test.want.At, test.want.WholeSecond = "5", changed, true
		if got := readOne(t, &fakeShop{}, test.want.Resource, test.json); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n got %+v %+v\nwant %+v %+v", name, got, got.Product, test.want, test.want.Product)
		}
	}
}

func TestStock(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]int{
		`"manage_stock": true, "stock_quantity": 7, "backorders": "no", "stock_status": "instock"`:          7,
		`"manage_stock": true, "stock_quantity": -2, "backorders": "no", "stock_status": "outofstock"`:      -2,
		`"manage_stock": true, "stock_quantity": 2.5, "backorders": "no"`:                                   2,
		`"manage_stock": true, "stock_quantity": null, "backorders": "no"`:                                  0,
		`"manage_stock": true, "stock_quantity": -2, "backorders": "notify", "stock_status": "onbackorder"`: 998,
		`"manage_stock": true, "stock_quantity": 3, "backorders": "yes", "stock_status": "instock"`:         1003,
		`"manage_stock": false, "stock_quantity": null, "stock_status": "instock"`:                          1000,
		`"manage_stock": false, "stock_quantity": null, "stock_status": "outofstock"`:                       0,
	} {
		got := readOne(t, &fakeShop{}, syncrun.Inventory, `{"id": 5, "type": "simple", "sku": "T", `+fields+`, `+at+`}`)
		if got.Level == nil || *got.Level != (syncrun.Level{
			Item:     "5",
			SKU:      "T",
			Location: "main",
			Quantity: want,
		}) {
			t.Errorf("%s: %+v %s, want %d", fields, got.Level, got.Problem, want)
		}
	}
	if got := readOne(t, &fakeShop{}, syncrun.Inventory, `{"id": 5, "type": "simple", "manage_stock": true, "stock_quantity": "many", `+at+`}`); got.Problem == "" {
		t.Errorf("%+v", got)
	}
}

// jacket adds a product with variations. One of them was changed later than the product.
func jacket(s *fakeShop) {
	s.records["products"] = []object{{
		"id": 50, "type": "variable", "status": "publish", "name": "Jacket", "sku": "J", "price": "90", "manage_stock": true, "stock_quantity": 4,
		"date_modified_gmt": "2026-03-04T05:06:07",
	}}
	s.variations["50"] = []object{
		{"id": 51, "type": "variation", "sku": "J-S", "price": "90", "virtual": false, "manage_stock": true, "stock_quantity": 3, "status": "publish",
			"date_modified_gmt": "2026-03-04T06:00:00", "attributes": []object{{"name": "pa_color", "option": "Red"}, {"name": "Size", "option": "S"}}},
		{"id": 52, "type": "variation", "sku": "J", "price": "95", "virtual": true, "manage_stock": "parent", "status": "publish",
			"date_modified_gmt": "2026-03-04T05:00:00", "attributes": []object{{"name": "Size", "option": "M"}, {"name": "Fit", "option": "Slim"}}},
		{"id": 53, "type": "variation", "sku": "J-L", "status": "private", "manage_stock": false, "stock_status": "outofstock", "date_modified_gmt": "2026-03-04T05:00:00"},
	}
}

func TestVariations(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	jacket(s)
	page, err := c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: syncrun.Products})
	later := time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC)
	want := syncrun.Record{
		Resource:    syncrun.Products,
		Remote:      "50",
		At:          later,
		WholeSecond: true,
		Product: &syncrun.Product{
			SKU:   "J",
			Name:  "Jacket",
			Price: "90",
			Variants: []syncrun.Variant{
				{SKU: "J-S", Size: "S", Color: "Red", Price: "90", Item: "51", Shipping: syncrun.Ships},
				{SKU: "WC-52", Size: "M / Slim", Price: "95", Item: "52", Shipping: syncrun.Digital},
			},
		},
	}
	if err != nil || len(page.Records) != 1 || !reflect.DeepEqual(page.Records[0], want) {
		t.Fatalf("%v\n got %+v\nwant %+v", err, page.Records[0].Product, want.Product)
	}
	page, err = c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: syncrun.Inventory})
	if err != nil || len(page.Records) != 3 {
		t.Fatalf("%+v, %v", page, err)
	}
	for i, want := range []syncrun.Level{
		{Item: "51", SKU: "J-S", Location: "main", Quantity: 3}, {Item: "52", SKU: "WC-52", Location: "main", Quantity: 4}, {Item: "53", SKU: "J-L", Location: "main"},
	} {
		if got := page.Records[i].Level; got == nil || *got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// A changed variation is found, even if its product counts as unchanged.
func TestRead_changedVariation(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	jacket(s)
	for of, want := range map[syncrun.Resource]string{syncrun.Products: "50", syncrun.Inventory: "51"} {
		r := ports.PageRequest{Resource: of, Since: time.Date(2026, 3, 4, 5, 30, 0, 0, time.UTC)}
		var found []string
		for range 5 {
			page, err := c.Read(ports.NewOutbound(t.Context()), connection, r)
			if err != nil {
				t.Fatal(err)
			}
			for _, record := range page.Records {
				found = append(found, record.Remote)
			}
			if r.Cursor = page.Next; r.Cursor == "" {
				break
			}
		}
		if !reflect.DeepEqual(found, []string{want}) {
			t.Errorf("%s: %v, want %s", of, found, want)
		}
	}
}

func TestVariations_manyPages(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	jacket(s)
	s.variations["50"] = nil
	for i := range 250 {
		s.variations["50"] = append(s.variations["50"], object{"id": 100 + i, "sku": "J-" + strconv.Itoa(i), "date_modified_gmt": "2026-03-04T05:00:00"})
	}
	page, err := c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: syncrun.Products})
	if err != nil || len(page.Records) != 1 || len(page.Records[0].Product.Variants) != 250 {
		t.Errorf("%+v, %v", page.Records, err)
	}
}

// A proxy may remove the headers with the number of pages.
func TestRead_withoutPageHeaders(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	s.silent = true
	names := s.fill(t, syncrun.Orders, 230, changed)
	r, found := ports.PageRequest{Resource: syncrun.Orders}, 0
	for range 5 {
		page, err := c.Read(ports.NewOutbound(t.Context()), connection, r)
		if err != nil {
			t.Fatal(err)
		}
		found += len(page.Records)
		if r.Cursor = page.Next; r.Cursor == "" {
			break
		}
	}
	if found != len(names) || r.Cursor != "" {
		t.Errorf("%d of %d orders", found, len(names))
	}
}

func TestRead_unreadableAnswers(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	for _, body := range []string{`{}`, `null`, `[`, `"text"`} {
		s.body = body
		var failure *ports.PlatformFailure
		if page, err := c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: syncrun.Orders}); !errors.As(err, &failure) {
			t.Errorf("%s: %+v, %v", body, page, err)
		}
	}
	s.body = `[{"id": 1, ` + at + `}, {"status": "x"}, 5, {"id": 2, ` + at + `}]`
	page, err := c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: syncrun.Orders})
	if err != nil || len(page.Records) != 4 || page.Records[1].Problem == "" || page.Records[2].Problem == "" || page.Records[3].Remote != "2" {
		t.Errorf("%+v, %v", page.Records, err)
	}
	var refusal *ports.PlatformRefusal
	if _, err := c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: syncrun.Orders, Cursor: "x:1"}); !errors.As(err, &refusal) {
		t.Error(err)
	}
}

// X-WP-Total is the total if every item of the list is one record.
func TestRead_total(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	for _, r := range []syncrun.Resource{syncrun.Products, syncrun.Customers, syncrun.Orders} {
		s.fill(t, r, 130, changed)
	}
	total := func(r syncrun.Resource, since time.Time) int {
		page, err := c.Read(ports.NewOutbound(t.Context()), connection, ports.PageRequest{Resource: r, Since: since})
		if err != nil {
			t.Fatal(err)
		}
		return page.Total.Count
	}
	since := changed.Add(30*time.Second - time.Millisecond)
	for r, want := range map[syncrun.Resource][2]int{
		syncrun.Products: {130, 0}, syncrun.Inventory: {0, 0}, syncrun.Customers: {130, 0}, syncrun.Orders: {130, 100},
	} {
		if got := [2]int{total(r, time.Time{}), total(r, since)}; got != want && !(r == syncrun.Orders && got[0] == 130 && got[1] > 0 && got[1] < 130) {
			t.Errorf("%s: %v, want %v", r, got, want)
		}
	}
	s.silent = true
	if got := total(syncrun.Orders, time.Time{}); got != 0 {
		t.Errorf("without headers: %d", got)
	}
}
