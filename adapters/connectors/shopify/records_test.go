package shopify_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// readNodes reads the only page of a resource with the given nodes.
func readNodes(t *testing.T, r syncrun.Resource, since time.Time, list ...string) []syncrun.Record {
	t.Helper()
	s, c, conn := connect(t)
	connection := map[syncrun.Resource]string{
		syncrun.Products: "products", syncrun.Inventory: "inventoryLevels", syncrun.Orders: "orders", syncrun.Customers: "customers",
	}[r]
	for _, node := range list {
		s.data[connection] = append(s.data[connection], record{noon, node})
	}
	page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: r, Since: since})
	if err != nil || page.Next != "" {
		t.Fatalf("next %q, %v", page.Next, err)
	}
	return page.Records
}

// readWebhook reads a webhook's payload.
func readWebhook(t *testing.T, topic string, at time.Time, payload string) ([]syncrun.Record, error) {
	t.Helper()
	_, c, conn := connect(t)
	return c.News(ports.NewOutbound(t.Context()), conn, topic, at, []byte(payload))
}

func want(t *testing.T, what string, got []syncrun.Record, wanted ...syncrun.Record) {
	t.Helper()
	if len(got) == 0 && len(wanted) == 0 {
		return
	}
	if !reflect.DeepEqual(got, wanted) {
		a, _ := json.MarshalIndent(got, "", " ")
		b, _ := json.MarshalIndent(wanted, "", " ")
		t.Errorf("%s:\n%s\nwant\n%s", what, a, b)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	got, err := c.Inspect(ports.NewOutbound(t.Context()), conn)
	if wanted := (integration.Config{
		Account:  "9007199254740993",
		Store:    store,
		Currency: "EUR",
	}); err != nil || got != wanted {
		t.Errorf("%+v, %v", got, err)
	}
	for _, nobody := range []string{`{"shop": null}`, `{"shop": {"id": null}}`, `{}`} {
		s.say("Shop", nobody)
		if _, err := c.Inspect(ports.NewOutbound(t.Context()), conn); !failed(err) {
			t.Errorf("%s: %v", nobody, err)
		}
	}
}

// An unreadable record does not affect the others.
func TestRead_badRecords(t *testing.T) {
	t.Parallel()
	for r, bad := range map[syncrun.Resource]string{
		syncrun.Orders: `{"id": "gid://shopify/Order/1", "totalPriceSet": 3}`, syncrun.Customers: `{"id": "gid://shopify/Customer/1", "numberOfOrders": "many"}`,
		syncrun.Inventory: `{"item": {"id": "gid://shopify/InventoryItem/1"}, "quantities": 5}`,
	} {
		good := strings.Replace(bad[:strings.Index(bad, ",")]+"}", "/1", "/2", 1)
		if r == syncrun.Inventory {
			good = levelNode(2, noon)
		}
		list := readNodes(t, r, time.Time{}, bad, `"nonsense"`, good)
		if len(list) != 3 || strings.TrimSuffix(list[0].Remote, ":7") != "1" || list[0].Problem == "" || list[1].Problem == "" || list[2].Problem != "" {
			t.Errorf("%s: %+v", r, list)
		}
	}
}

func TestLevelRecords(t *testing.T) {
	t.Parallel()
	node := `{"id": "gid://shopify/InventoryLevel/5?inventory_item_id=43729076", "updatedAt": "2026-03-01T12:00:00Z",
		"item": {"id": "gid://shopify/InventoryItem/43729076", "sku": " A "}, "quantities": [{"name": "on_hand", "quantity": 9}, {"name": "available", "quantity": -2}]}`
	untold := `{"updatedAt": "2026-03-01T11:00:00Z", "item": {"id": "gid://shopify/InventoryItem/5", "sku": null}, "quantities": []}`
	first := syncrun.Record{
		Resource:    syncrun.Inventory,
		Remote:      "43729076:7",
		At:          noon,
		WholeSecond: true,
		Level: &syncrun.Level{
			Item:     "43729076",
			SKU:      "A",
			Location: "shopify-7",
			Quantity: -2,
		},
	}
	want(t, "the API", readNodes(t, syncrun.Inventory, time.Time{}, node, untold), first)

	news, err := readWebhook(t, "inventory_levels/update", noon.Add(time.Second),
		`{"inventory_item_id": 43729076, "location_id": 7, "available": -2, "updated_at": "2026-03-01T07:00:00-05:00"}`)
	first.Level.SKU = ""
	if want(t, "a webhook", news, first); err != nil {
		t.Error(err)
	}
	finer := first
	finer.At, finer.WholeSecond = noon.Add(700*time.Millisecond), false
	news, err = readWebhook(t, "inventory_levels/update", finer.At,
		`{"inventory_item_id": 43729076, "location_id": 7, "available": -2, "updated_at": "2026-03-01T12:00:00Z"}`)
	if want(t, "one of several in a second", news, finer); err != nil {
		t.Error(err)
	}
	first.WholeSecond = false
	news, err = readWebhook(t, "inventory_levels/update", noon, `{"inventory_item_id": 43729076, "location_id": 7, "available": -2}`)
	if want(t, "a webhook without a time", news, first); err != nil {
		t.Error(err)
	}
	if news, err = readWebhook(t, "inventory_levels/update", noon, `{"inventory_item_id": 1, "location_id": 7, "available": null}`); err != nil || len(news) != 0 {
		t.Errorf("stock that is not counted: %+v, %v", news, err)
	}
}

// Stock is read location by location, in the order of their numbers, even if locations are added or closed meanwhile.
func TestLocationAfter(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	names := s.fill(syncrun.Inventory, 251, noon)
	s.locations = locations(12, 7, 3)
	var got, cursors []string
	r := ports.PageRequest{Resource: syncrun.Inventory, Since: noon}
	for len(cursors) < 10 {
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Records {
			got = append(got, record.Remote)
		}
		if r.Cursor = page.Next; page.Next == "" {
			break
		}
		cursors = append(cursors, page.Next)
	}
	if strings.Join(got, " ") != strings.Join(names, " ") || strings.Join(cursors, " ") != "page:7: page:7:.250.9007199254741242.250 page:12:" {
		t.Errorf("%d records by %v", len(got), cursors)
	}
	s.say("Levels", `{"location": null}`)
	if page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Inventory, Cursor: "page:7:.250.1.250"}); err != nil || page.Next != "page:12:" {
		t.Errorf("a location that was closed: %+v, %v", page, err)
	}
	s.locations = locations()
	if page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Inventory}); err != nil || page.Next != "" {
		t.Errorf("no location: %+v, %v", page, err)
	}
	for _, none := range []string{`{"data": {}}`, `{"data": {"locations": {"pageInfo": {}}}}`} {
		s.locations = none
		if _, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Inventory}); !failed(err) {
			t.Errorf("%s: %v", none, err)
		}
	}
}

func TestOrderRecords(t *testing.T) {
	t.Parallel()
	node := `{"id": "gid://shopify/Order/820982911946154508", "name": "#1001", "email": "jon@example.com", "displayFinancialStatus": "PAID",
		"displayFulfillmentStatus": "PARTIALLY_FULFILLED", "cancelledAt": null, "createdAt": "2026-03-01T11:00:00Z", "updatedAt": "2026-03-01T12:00:00Z",
		"subtotalLineItemsQuantity": 3, "totalPriceSet": {"shopMoney": {"amount": "403.00", "currencyCode": "USD"}}}`
	payload := `{"id": 820982911946154508, "name": "#1001", "email": "jon@example.com", "financial_status": "paid", "fulfillment_status": "partial",
		"cancelled_at": null, "created_at": "2026-03-01T11:00:00Z", "updated_at": "2026-03-01T12:00:00Z", "total_price": "403.00", "currency": "USD",
		"line_items": [{"id": 1, "quantity": 1}, {"id": 2, "quantity": 2}], "source_identifier": null}`
	order := syncrun.Record{
		Resource: syncrun.Orders,
		Remote:   "820982911946154508",
		At:       noon,
		Order: &syncrun.Order{
			Number:   "#1001",
			Email:    "jon@example.com",
			Status:   "paid/partially_fulfilled",
			Total:    "403.00",
			Currency: "USD",
			Items:    3,
			PlacedAt: noon.Add(-time.Hour),
		},
	}
	toTheSecond := order
	toTheSecond.WholeSecond = true
	want(t, "the API", readNodes(t, syncrun.Orders, time.Time{}, node), toTheSecond)
	for _, topic := range []string{"orders/create", "orders/updated"} {
		news, err := readWebhook(t, topic, noon, payload)
		if want(t, topic, news, order); err != nil {
			t.Error(err)
		}
	}
	cancelled := strings.Replace(payload, `"cancelled_at": null`, `"cancelled_at": "2026-03-01T12:00:00Z"`, 1)
	unshipped := strings.Replace(payload, `"partial"`, `null`, 1)
	for status, payload := range map[string]string{"cancelled": cancelled, "paid/unfulfilled": unshipped, "unfulfilled": `{"id": 1, "source_identifier": null}`} {
		if news, err := readWebhook(t, "orders/updated", noon, payload); err != nil || news[0].Order.Status != status {
			t.Errorf("%+v, %v", news[0].Order, err)
		}
	}
}

func TestCustomerRecords(t *testing.T) {
	t.Parallel()
	node := func(tags, metafield string) string {
		return `{"id": "gid://shopify/Customer/7", "firstName": "Ada", "lastName": "Byron", "defaultEmailAddress": {"emailAddress": "ada@example.com"},
			"tags": ` + tags + `, "numberOfOrders": "12", "updatedAt": "2026-03-01T12:00:00Z", "metafield": ` + metafield + `}`
	}
	ada := func(tier string) syncrun.Record {
		return syncrun.Record{
			Resource:    syncrun.Customers,
			Remote:      "7",
			At:          noon,
			WholeSecond: true,
			Customer: &syncrun.Customer{
				Email:     "ada@example.com",
				Name:      "Ada Byron",
				Tier:      tier,
				Purchases: 12,
			},
		}
	}
	want(t, "a tag", readNodes(t, syncrun.Customers, time.Time{}, node(`["vip", "Tier: gold"]`, `{"value": "silver"}`)), ada("gold"))
	want(t, "a metafield", readNodes(t, syncrun.Customers, time.Time{}, node(`[]`, `{"value": "silver"}`)), ada("silver"))
	want(t, "neither", readNodes(t, syncrun.Customers, time.Time{}, node(`["vip"]`, `null`)), ada(""))
	want(t, "little known", readNodes(t, syncrun.Customers, time.Time{}, `{"id": "gid://shopify/Customer/7", "defaultEmailAddress": null}`),
		syncrun.Record{
			Resource: syncrun.Customers,
			Remote:   "7",
			Customer: &syncrun.Customer{},
		})
}

// News reads a customer from the API, because a webhook has not all fields. If the API refuses, it uses the payload.
func TestCustomerNews(t *testing.T) {
	t.Parallel()
	payload := `{"id": 7, "email": "ada@example.com", "first_name": "Ada", "last_name": null, "orders_count": 2, "tags": "vip, tier:gold", "updated_at": "2026-03-01T12:00:00Z"}`
	gold := syncrun.Record{
		Resource: syncrun.Customers,
		Remote:   "7",
		At:       noon,
		Customer: &syncrun.Customer{
			Email:     "ada@example.com",
			Name:      "Ada",
			Tier:      "gold",
			Purchases: 2,
		},
	}
	s, c, conn := connect(t)
	news := func() ([]syncrun.Record, error) {
		return c.News(ports.NewOutbound(t.Context()), conn, "customers/update", noon, []byte(payload))
	}
	for name, data := range map[string]string{"no such customer": `{"customer": null}`, "nothing": `{}`} {
		s.say("Customer", data)
		list, err := news()
		if want(t, name, list, gold); err != nil {
			t.Error(err)
		}
	}
	s.fail("Customer", `[{"message": "Access denied", "extensions": {"code": "ACCESS_DENIED"}}]`)
	list, err := news()
	if want(t, "no permission", list, gold); err != nil {
		t.Error(err)
	}
	s.say("Customer", `{"customer": {"id": "gid://shopify/Customer/7", "numberOfOrders": "12", "metafield": {"value": "silver"}, "updatedAt": "2026-03-01T12:00:01Z"}}`)
	list, err = news()
	if err != nil || len(list) != 1 || list[0].Customer.Tier != "silver" || list[0].Customer.Purchases != 12 || !list[0].At.Equal(noon.Add(time.Second)) {
		t.Errorf("%+v, %v", list, err)
	}
	s.fail("Customer", `[{"message": "", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}]`)
	if _, err := news(); !failed(err) {
		t.Error(err)
	}
}

func TestNews_deletions(t *testing.T) {
	t.Parallel()
	for topic, r := range map[string]syncrun.Resource{"products/delete": syncrun.Products, "customers/delete": syncrun.Customers} {
		news, err := readWebhook(t, topic, noon, `{"id": 9007199254740993}`)
		if want(t, topic, news, syncrun.Record{
			Resource: r,
			Remote:   "9007199254740993",
			At:       noon,
			Deleted:  true,
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestNews_unreadablePayloads(t *testing.T) {
	t.Parallel()
	for _, topic := range []string{
		"products/update", "products/delete", "inventory_levels/update", "orders/create", "customers/update", "customers/delete",
	} {
		for _, payload := range []string{"", "{", "[]", "null", "{}", `{"id": "x"}`, `{"id": {}}`} {
			if news, err := readWebhook(t, topic, noon, payload); !refused(err) || len(news) > 0 {
				t.Errorf("%s %s: %+v, %v", topic, payload, news, err)
			}
		}
	}
	for _, topic := range []string{"products/update", "orders/create", "customers/update"} {
		news, err := readWebhook(t, topic, noon, `{"id": 5, "updated_at": "never", "source_identifier": null}`)
		if err != nil || len(news) != 1 || news[0].Remote != "5" || news[0].Problem == "" {
			t.Errorf("%s: %+v, %v", topic, news, err)
		}
	}
	if news, err := readWebhook(t, "app/uninstalled", noon, `{"id": 5}`); err != nil || news != nil {
		t.Errorf("%+v, %v", news, err)
	}
}

func TestCurrency_cached(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	for range 3 {
		if _, err := c.News(ports.NewOutbound(context.Background()), conn, "products/update", noon, []byte(shirtPayload)); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count("Shop"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	conn.Key = "another"
	if _, err := c.News(ports.NewOutbound(context.Background()), conn, "products/update", noon, []byte(shirtPayload)); err != nil || s.count("Shop") != 2 {
		t.Error(err, s.count("Shop"))
	}
}
