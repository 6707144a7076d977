package custom_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

func TestRead_records(t *testing.T) {
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
			syncrun.Record{
				Remote: "P-1",
				At:     changed,
				Product: &syncrun.Product{
					SKU:         "MUG",
					Name:        "Mug",
					Description: "Plain.",
					Brand:       "Acme",
					Category:    "Home/Kitchen",
					Price:       "12.50",
					Currency:    "EUR",
					Tags:        []string{"new", "hot"},
					Images:      []catalog.Image{{URL: "https://x.example/m.jpg", Alt: "A mug"}},
					Attributes:  map[string]string{"m": "stone", "ml": "300.10", "d": "true"},
					Variants: []syncrun.Variant{
						{SKU: "S", Size: "S", Color: "white", Item: "11", Shipping: syncrun.Digital},
						{SKU: "L", Price: "14", Item: "sku:L", GTIN: "4006381333931", MPN: "F-1", Shipping: syncrun.Ships},
					},
					Item:     "I-10",
					MPN:      "F-0",
					Archived: true,
				},
			}},
		"a price of many digits": {syncrun.Products, `{"id": 9007199254740993, "price": 12345678.10, "sku": null}`,
			syncrun.Record{Remote: "9007199254740993", Product: &syncrun.Product{Price: "12345678.10"}}},
		"a download": {syncrun.Products, `{"id": 1, "requires_shipping": false}`,
			syncrun.Record{Remote: "1", Product: &syncrun.Product{Shipping: syncrun.Digital}}},
		"a product that is gone": {syncrun.Products, `{"id": "P-1", "updated_at": "2026-03-04T05:06:07.089Z", "deleted": true, "price": []}`,
			syncrun.Record{
				Remote:  "P-1",
				At:      changed,
				Deleted: true,
			}},
		"a level": {syncrun.Inventory, `{"id": "a", "sku": "MUG", "quantity": "-3"}`,
			syncrun.Record{Remote: "a", Level: &syncrun.Level{
				SKU:      "MUG",
				Location: "main",
				Quantity: -3,
			}}},
		"a level of an item elsewhere": {syncrun.Inventory, `{"id": "a", "item_id": 5, "location": "east", "quantity": 3e2}`,
			syncrun.Record{Remote: "a", Level: &syncrun.Level{
				Item:     "5",
				Location: "east",
				Quantity: 300,
			}}},
		"a customer": {syncrun.Customers, `{"id": 7, "email": "ada@example.com", "name": "Ada\u0000", "loyalty_tier": "gold", "purchases": 12}`,
			syncrun.Record{Remote: "7", Customer: &syncrun.Customer{
				Email:     "ada@example.com",
				Name:      "Ada",
				Tier:      "gold",
				Purchases: 12,
			}}},
		"an order of ours": {syncrun.Orders, `{"id": 1, "number": "#1", "email": "a@b.c", "status": "shipped", "total": 27.00, "currency": "EUR", "items": 2,
			"placed_at": "2026-03-04T05:06:07.089Z", "reference": "ord_1", "shipment": {"carrier": "ups", "tracking_number": "1Z", "tracking_url": "https://u",
			"shipped_at": "2026-03-04T05:06:07.089Z", "delivered": true}}`,
			syncrun.Record{Remote: "1", Order: &syncrun.Order{
				Number:    "#1",
				Email:     "a@b.c",
				Status:    "shipped",
				Total:     "27.00",
				Currency:  "EUR",
				Items:     2,
				PlacedAt:  changed,
				Reference: "ord_1",
				Shipment: &syncrun.Shipment{
					Carrier:     "ups",
					Number:      "1Z",
					TrackingURL: "https://u",
					ShippedAt:   changed,
					Delivered:   true,
				},
			}}},
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

// readOne reads a page that has a good record before and after record.
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

func TestRead_unreadableRecords(t *testing.T) {
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
			if want := (syncrun.Record{
				Resource: test.resource,
				Remote:   test.remote,
				Problem:  test.says,
			}); !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n got %+v\nwant %+v", test.json, got, want)
			}
		})
	}
}
