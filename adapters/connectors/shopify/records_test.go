package shopify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// taken reads the only page of a resource, whose nodes are given.
func taken(t *testing.T, r syncrun.Resource, since time.Time, list ...string) []syncrun.Record {
	t.Helper()
	s, c, conn := open(t)
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

// told reads a webhook's payload.
func told(t *testing.T, topic string, at time.Time, payload string) ([]syncrun.Record, error) {
	t.Helper()
	_, c, conn := open(t)
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

func TestShop(t *testing.T) {
	t.Parallel()
	s, c, conn := open(t)
	got, err := c.Inspect(ports.NewOutbound(t.Context()), conn)
	if wanted := (integration.Config{Account: "9007199254740993", Store: store, Currency: "EUR"}); err != nil || got != wanted {
		t.Errorf("%+v, %v", got, err)
	}
	for _, nobody := range []string{`{"shop": null}`, `{"shop": {"id": null}}`, `{}`} {
		s.say("Shop", nobody)
		if _, err := c.Inspect(ports.NewOutbound(t.Context()), conn); !failed(err) {
			t.Errorf("%s: %v", nobody, err)
		}
	}
}

const shirtNode = `{"id": "gid://shopify/Product/9007199254740993", "handle": "shirt", "title": " Linen\u0000 shirt ",
	"descriptionHtml": "<p>Soft &amp; <b>li</b>ght.</p><script>x()</script>\n<ul><li>One</li><li>Two</li></ul>",
	"vendor": "Acme", "productType": "Apparel / Shirts", "status": "ACTIVE", "tags": ["summer", "linen", "summer"], "updatedAt": "2026-03-01T13:00:00.5Z", "publishedAt": "2026-01-01T00:00:00Z",
	"variants": {"pageInfo": {"hasNextPage": false}, "nodes": [
		{"id": "gid://shopify/ProductVariant/11", "sku": "SH-M-G", "price": "29.90", "inventoryItem": {"id": "gid://shopify/InventoryItem/111"},
			"selectedOptions": [{"name": "Size", "value": "M"}, {"name": "Colour", "value": "Green"}, {"name": "Material", "value": "Linen"}]},
		{"id": "gid://shopify/ProductVariant/12", "sku": "", "price": "31.00", "inventoryItem": {"id": "gid://shopify/InventoryItem/112"},
			"selectedOptions": [{"name": "Size", "value": "L"}, {"name": "Colour", "value": "Green"}, {"name": "Material", "value": "Linen"}]},
		{"id": "gid://shopify/ProductVariant/13", "sku": "SH-M-G", "price": "29.90", "inventoryItem": null,
			"selectedOptions": [{"name": "Size", "value": "XL"}, {"name": "Colour", "value": "Red"}, {"name": "Material", "value": "Linen"}]}]},
	"media": {"nodes": [{"id": "gid://shopify/MediaImage/1", "image": {"url": "https://cdn.example/1.png", "altText": "Front"}}, {},
		{"id": "gid://shopify/MediaImage/2", "image": {"url": "https://cdn.example/2.png", "altText": null}}, {"image": null}]}}`

const shirtPayload = `{"id": 9007199254740993, "handle": "shirt", "title": "Linen shirt",
	"body_html": "<p>Soft &amp; <b>li</b>ght.</p><script>x()</script>\n<ul><li>One</li><li>Two</li></ul>",
	"vendor": "Acme", "product_type": "Apparel / Shirts", "status": "active", "tags": "summer, linen", "updated_at": "2026-03-01T08:00:00.5-05:00", "published_at": "2026-01-01T00:00:00Z",
	"options": [{"id": 1, "name": "Size", "position": 1}, {"id": 2, "name": "Colour", "position": 2}, {"id": 3, "name": "Material", "position": 3}],
	"variants": [
		{"id": 11, "sku": "SH-M-G", "price": "29.90", "option1": "M", "option2": "Green", "option3": "Linen", "inventory_item_id": 111},
		{"id": 12, "sku": null, "price": "31.00", "option1": "L", "option2": "Green", "option3": "Linen", "inventory_item_id": 112},
		{"id": 13, "sku": "SH-M-G", "price": "29.90", "option1": "XL", "option2": "Red", "option3": "Linen", "inventory_item_id": null}],
	"images": [{"id": 1, "src": "https://cdn.example/1.png", "alt": "Front"}, {"id": 2, "src": "https://cdn.example/2.png", "alt": null}]}`

func shirt() syncrun.Record {
	return syncrun.Record{
		Resource: syncrun.Products, Remote: "9007199254740993", At: time.Date(2026, 3, 1, 13, 0, 0, 500_000_000, time.UTC),
		Product: &syncrun.Product{
			SKU: "shirt", Name: "Linen shirt", Description: "Soft & light.\nOne\nTwo", Brand: "Acme", Category: "apparel/shirts",
			Price: "29.90", Currency: "EUR", Tags: []string{"summer", "linen"}, Attributes: map[string]string{"Material": "Linen"},
			Images: []catalog.Image{{URL: "https://cdn.example/1.png", Alt: "Front"}, {URL: "https://cdn.example/2.png"}},
			Variants: []syncrun.Variant{
				{SKU: "SH-M-G", Size: "M", Color: "Green", Item: "111"},
				{SKU: "shopify-12", Size: "L", Color: "Green", Price: "31.00", Item: "112"},
				{SKU: "shopify-13", Size: "XL", Color: "Red"},
			},
		},
	}
}

// The API and the webhooks tell the same of a product, so that either recognises what the other told.
func TestProducts(t *testing.T) {
	t.Parallel()
	want(t, "the API", taken(t, syncrun.Products, time.Time{}, shirtNode), shirt())
	for _, topic := range []string{"products/create", "products/update"} {
		news, err := told(t, topic, noon, shirtPayload)
		if err != nil {
			t.Fatal(err)
		}
		want(t, topic, news, shirt())
	}
}

// productWith is a product of the API with what is given in place.
func productWith(t *testing.T, change string) syncrun.Record {
	t.Helper()
	var node map[string]any
	for _, text := range []string{productNode(5, noon), change} {
		if err := json.Unmarshal([]byte(text), &node); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := json.Marshal(node)
	list := taken(t, syncrun.Products, time.Time{}, string(text))
	if len(list) != 1 || list[0].Remote != "5" {
		t.Fatalf("%+v", list)
	}
	return list[0]
}

func variants(list ...string) string {
	return `{"variants": {"pageInfo": {"hasNextPage": false}, "nodes": [` + strings.Join(list, ",") + `]}}`
}

func variantOf(id int, sku string, options ...string) string {
	var list []string
	for i := 0; i < len(options); i += 2 {
		list = append(list, fmt.Sprintf(`{"name": %q, "value": %q}`, options[i], options[i+1]))
	}
	return fmt.Sprintf(`{"id": "gid://shopify/ProductVariant/%d", "sku": %q, "price": "1.00", "inventoryItem": {"id": "gid://shopify/InventoryItem/%d"},
		"selectedOptions": [%s]}`, id, sku, id, strings.Join(list, ","))
}

func TestWhatIsSoldOfAProduct(t *testing.T) {
	t.Parallel()
	type sold struct {
		SKU, Item  string
		Attributes map[string]string
		Variants   []syncrun.Variant
	}
	long := strings.Repeat("x", 101)
	for name, c := range map[string]struct {
		change string
		want   sold
	}{
		"itself":            {variants(variantOf(1, " A-1 ", "Title", "Default Title")), sold{SKU: "A-1", Item: "1"}},
		"itself, nameless":  {variants(variantOf(1, "", "Title", "Default Title")), sold{SKU: "shopify-1", Item: "1"}},
		"itself, too long":  {variants(variantOf(1, long, "Title", "Default Title")), sold{SKU: "shopify-1", Item: "1"}},
		"without options":   {variants(variantOf(1, "A")), sold{SKU: "A", Item: "1"}},
		"one of one option": {variants(variantOf(1, "A", "SIZE", "M")), sold{SKU: "p5", Variants: []syncrun.Variant{{SKU: "A", Size: "M", Item: "1"}}}},
		"a sku that is the handle": {
			variants(variantOf(1, "p5", "color", "Red"), variantOf(2, "B", "color", "Blue")),
			sold{SKU: "p5", Variants: []syncrun.Variant{{SKU: "shopify-1", Color: "Red", Item: "1"}, {SKU: "B", Color: "Blue", Item: "2"}}},
		},
		"other options": {
			variants(variantOf(1, "A", "Length", "10 m", "Size", "M", "Kind", "Thin"), variantOf(2, "B", "Length", "20 m", "Size", "M", "Kind", "Thin")),
			sold{
				SKU: "p5", Attributes: map[string]string{"Kind": "Thin"},
				Variants: []syncrun.Variant{{SKU: "A", Size: "10 m / M", Item: "1"}, {SKU: "B", Size: "20 m / M", Item: "2"}},
			},
		},
	} {
		p := productWith(t, c.change).Product
		if got := (sold{p.SKU, p.Item, p.Attributes, p.Variants}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", name, got, c.want)
		}
	}
	if sku := productWith(t, `{"handle": "`+long+`", `+variants(variantOf(1, "A", "Size", "M"))[1:]).Product.SKU; sku != "shopify-5" {
		t.Error(sku)
	}
}

func TestPartsOfAProduct(t *testing.T) {
	t.Parallel()
	for status, archived := range map[string]bool{"ACTIVE": false, "DRAFT": true, "ARCHIVED": true, "UNLISTED": true} {
		if p := productWith(t, `{"status": "`+status+`", "publishedAt": "2026-01-01T00:00:00Z"}`).Product; p.Archived != archived {
			t.Errorf("%s: %v", status, p.Archived)
		}
	}
	for kind, category := range map[string]string{"": "", "Shoes": "shoes", " A / /B// C ": "a/b/c", "/": ""} {
		if p := productWith(t, `{"productType": "`+kind+`"}`).Product; p.Category != category {
			t.Errorf("%q: %q", kind, p.Category)
		}
	}
	if p := productWith(t, `{"descriptionHtml": "`+strings.Repeat("é", 6000)+`", "vendor": null}`).Product; len([]rune(p.Description)) != 5000 || p.Brand != "" {
		t.Error(len(p.Description), p.Brand)
	}
	images := strings.Repeat(`{"image": {"url": "https://cdn.example/x.png"}},`, 12)
	if p := productWith(t, `{"media": {"nodes": [`+strings.TrimSuffix(images, ",")+`]}}`).Product; len(p.Images) != 10 {
		t.Error(len(p.Images))
	}
	for problem, change := range map[string]string{
		"It has no variants.":                    `{"variants": {"pageInfo": {"hasNextPage": false}, "nodes": []}}`,
		"Shopify's data of it cannot be read.":   `{"title": 5}`,
		"Shopify's data of it cannot be read. ":  `{"updatedAt": "yesterday"}`,
		"Shopify's data of it cannot be read.  ": `{"variants": {"pageInfo": {}, "nodes": [{"id": "five"}]}}`,
	} {
		if r := productWith(t, change); r.Problem != strings.TrimSpace(problem) || r.Product != nil {
			t.Errorf("%s: %+v", change, r)
		}
	}
}

// One record that cannot be read does not hide the others.
func TestBadRecordsStandAlone(t *testing.T) {
	t.Parallel()
	for r, bad := range map[syncrun.Resource]string{
		syncrun.Orders: `{"id": "gid://shopify/Order/1", "totalPriceSet": 3}`, syncrun.Customers: `{"id": "gid://shopify/Customer/1", "numberOfOrders": "many"}`,
		syncrun.Inventory: `{"item": {"id": "gid://shopify/InventoryItem/1"}, "quantities": 5}`,
	} {
		good := strings.Replace(bad[:strings.Index(bad, ",")]+"}", "/1", "/2", 1)
		if r == syncrun.Inventory {
			good = levelNode(2, noon)
		}
		list := taken(t, r, time.Time{}, bad, `"nonsense"`, good)
		if len(list) != 3 || strings.TrimSuffix(list[0].Remote, ":7") != "1" || list[0].Problem == "" || list[1].Problem == "" || list[2].Problem != "" {
			t.Errorf("%s: %+v", r, list)
		}
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	node := `{"id": "gid://shopify/InventoryLevel/5?inventory_item_id=43729076", "updatedAt": "2026-03-01T12:00:00Z",
		"item": {"id": "gid://shopify/InventoryItem/43729076", "sku": " A "}, "quantities": [{"name": "on_hand", "quantity": 9}, {"name": "available", "quantity": -2}]}`
	untold := `{"updatedAt": "2026-03-01T11:00:00Z", "item": {"id": "gid://shopify/InventoryItem/5", "sku": null}, "quantities": []}`
	first := syncrun.Record{
		Resource: syncrun.Inventory, Remote: "43729076:7", At: noon, WholeSecond: true,
		Level: &syncrun.Level{Item: "43729076", SKU: "A", Location: "shopify-7", Quantity: -2},
	}
	want(t, "the API", taken(t, syncrun.Inventory, time.Time{}, node, untold), first)

	news, err := told(t, "inventory_levels/update", noon.Add(time.Second),
		`{"inventory_item_id": 43729076, "location_id": 7, "available": -2, "updated_at": "2026-03-01T07:00:00-05:00"}`)
	first.Level.SKU = ""
	if want(t, "a webhook", news, first); err != nil {
		t.Error(err)
	}
	finer := first
	finer.At, finer.WholeSecond = noon.Add(700*time.Millisecond), false
	news, err = told(t, "inventory_levels/update", finer.At,
		`{"inventory_item_id": 43729076, "location_id": 7, "available": -2, "updated_at": "2026-03-01T12:00:00Z"}`)
	if want(t, "one of several in a second", news, finer); err != nil {
		t.Error(err)
	}
	first.WholeSecond = false
	news, err = told(t, "inventory_levels/update", noon, `{"inventory_item_id": 43729076, "location_id": 7, "available": -2}`)
	if want(t, "a webhook without a time", news, first); err != nil {
		t.Error(err)
	}
	if news, err = told(t, "inventory_levels/update", noon, `{"inventory_item_id": 1, "location_id": 7, "available": null}`); err != nil || len(news) != 0 {
		t.Errorf("stock that is not counted: %+v, %v", news, err)
	}
}

// Stock is read location by location, in the order of their numbers, whichever there are at the time.
func TestLocations(t *testing.T) {
	t.Parallel()
	s, c, conn := open(t)
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

func TestOrders(t *testing.T) {
	t.Parallel()
	node := `{"id": "gid://shopify/Order/820982911946154508", "name": "#1001", "email": "jon@example.com", "displayFinancialStatus": "PAID",
		"displayFulfillmentStatus": "PARTIALLY_FULFILLED", "cancelledAt": null, "createdAt": "2026-03-01T11:00:00Z", "updatedAt": "2026-03-01T12:00:00Z",
		"subtotalLineItemsQuantity": 3, "totalPriceSet": {"shopMoney": {"amount": "403.00", "currencyCode": "USD"}}}`
	payload := `{"id": 820982911946154508, "name": "#1001", "email": "jon@example.com", "financial_status": "paid", "fulfillment_status": "partial",
		"cancelled_at": null, "created_at": "2026-03-01T11:00:00Z", "updated_at": "2026-03-01T12:00:00Z", "total_price": "403.00", "currency": "USD",
		"line_items": [{"id": 1, "quantity": 1}, {"id": 2, "quantity": 2}], "source_identifier": null}`
	order := syncrun.Record{
		Resource: syncrun.Orders, Remote: "820982911946154508", At: noon,
		Order: &syncrun.Order{
			Number: "#1001", Email: "jon@example.com", Status: "paid/partially_fulfilled", Total: "403.00", Currency: "USD", Items: 3,
			PlacedAt: noon.Add(-time.Hour),
		},
	}
	toTheSecond := order
	toTheSecond.WholeSecond = true
	want(t, "the API", taken(t, syncrun.Orders, time.Time{}, node), toTheSecond)
	for _, topic := range []string{"orders/create", "orders/updated"} {
		news, err := told(t, topic, noon, payload)
		if want(t, topic, news, order); err != nil {
			t.Error(err)
		}
	}
	cancelled := strings.Replace(payload, `"cancelled_at": null`, `"cancelled_at": "2026-03-01T12:00:00Z"`, 1)
	unshipped := strings.Replace(payload, `"partial"`, `null`, 1)
	for status, payload := range map[string]string{"cancelled": cancelled, "paid/unfulfilled": unshipped, "unfulfilled": `{"id": 1, "source_identifier": null}`} {
		if news, err := told(t, "orders/updated", noon, payload); err != nil || news[0].Order.Status != status {
			t.Errorf("%+v, %v", news[0].Order, err)
		}
	}
}

func TestCustomers(t *testing.T) {
	t.Parallel()
	node := func(tags, metafield string) string {
		return `{"id": "gid://shopify/Customer/7", "firstName": "Ada", "lastName": "Byron", "defaultEmailAddress": {"emailAddress": "ada@example.com"},
			"tags": ` + tags + `, "numberOfOrders": "12", "updatedAt": "2026-03-01T12:00:00Z", "metafield": ` + metafield + `}`
	}
	ada := func(tier string) syncrun.Record {
		return syncrun.Record{
			Resource: syncrun.Customers, Remote: "7", At: noon, WholeSecond: true,
			Customer: &syncrun.Customer{Email: "ada@example.com", Name: "Ada Byron", Tier: tier, Purchases: 12},
		}
	}
	want(t, "a tag", taken(t, syncrun.Customers, time.Time{}, node(`["vip", "Tier: gold"]`, `{"value": "silver"}`)), ada("gold"))
	want(t, "a metafield", taken(t, syncrun.Customers, time.Time{}, node(`[]`, `{"value": "silver"}`)), ada("silver"))
	want(t, "neither", taken(t, syncrun.Customers, time.Time{}, node(`["vip"]`, `null`)), ada(""))
	want(t, "little known", taken(t, syncrun.Customers, time.Time{}, `{"id": "gid://shopify/Customer/7", "defaultEmailAddress": null}`),
		syncrun.Record{Resource: syncrun.Customers, Remote: "7", Customer: &syncrun.Customer{}})
}

// A webhook does not tell all of a customer: the API is asked, and the payload believed where it knows less.
func TestCustomerNews(t *testing.T) {
	t.Parallel()
	payload := `{"id": 7, "email": "ada@example.com", "first_name": "Ada", "last_name": null, "orders_count": 2, "tags": "vip, tier:gold", "updated_at": "2026-03-01T12:00:00Z"}`
	gold := syncrun.Record{
		Resource: syncrun.Customers, Remote: "7", At: noon, Customer: &syncrun.Customer{Email: "ada@example.com", Name: "Ada", Tier: "gold", Purchases: 2},
	}
	s, c, conn := open(t)
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

func TestDeletions(t *testing.T) {
	t.Parallel()
	for topic, r := range map[string]syncrun.Resource{"products/delete": syncrun.Products, "customers/delete": syncrun.Customers} {
		news, err := told(t, topic, noon, `{"id": 9007199254740993}`)
		if want(t, topic, news, syncrun.Record{Resource: r, Remote: "9007199254740993", At: noon, Deleted: true}); err != nil {
			t.Error(err)
		}
	}
}

func TestPayloadsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, topic := range []string{
		"products/update", "products/delete", "inventory_levels/update", "orders/create", "customers/update", "customers/delete",
	} {
		for _, payload := range []string{"", "{", "[]", "null", "{}", `{"id": "x"}`, `{"id": {}}`} {
			if news, err := told(t, topic, noon, payload); !refused(err) || len(news) > 0 {
				t.Errorf("%s %s: %+v, %v", topic, payload, news, err)
			}
		}
	}
	for _, topic := range []string{"products/update", "orders/create", "customers/update"} {
		news, err := told(t, topic, noon, `{"id": 5, "updated_at": "never", "source_identifier": null}`)
		if err != nil || len(news) != 1 || news[0].Remote != "5" || news[0].Problem == "" {
			t.Errorf("%s: %+v, %v", topic, news, err)
		}
	}
	if news, err := told(t, "app/uninstalled", noon, `{"id": 5}`); err != nil || news != nil {
		t.Errorf("%+v, %v", news, err)
	}
}

func TestTheCurrencyIsAskedForOnce(t *testing.T) {
	t.Parallel()
	s, c, conn := open(t)
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

// A barcode is a GTIN if its check digit is right. Merchants print others, too.
func TestBarcodes(t *testing.T) {
	t.Parallel()
	for barcode, want := range map[string]string{"4006381333931": "4006381333931", " 0-36000-29145-2 ": "036000291452", "INTERNAL-7": "", "4006381333932": ""} {
		scanned := func(text string) string {
			return strings.Replace(text, `"sku"`, `"barcode": "`+barcode+`", "sku"`, 1)
		}
		if got := productWith(t, variants(scanned(variantOf(1, "A", "Title", "Default Title")))).Product.GTIN; got != want {
			t.Errorf("%q of a product is %q, want %q", barcode, got, want)
		}
		of := productWith(t, variants(scanned(variantOf(1, "A", "Size", "M")), variantOf(2, "B", "Size", "L"))).Product.Variants
		if of[0].GTIN != want || of[1].GTIN != "" {
			t.Errorf("%q of a variant: %+v", barcode, of)
		}
		news, err := told(t, "products/update", noon, scanned(shirtPayload))
		if err != nil || news[0].Product.Variants[0].GTIN != want {
			t.Errorf("%q of a webhook: %+v, %v", barcode, news, err)
		}
	}
}
