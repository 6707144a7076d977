package shopify_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const oneVariant = `"variants": {"pageInfo": {"hasNextPage": false}, "nodes": [{"id": "gid://shopify/ProductVariant/1", "sku": "A", "price": "9.00",
	"selectedOptions": [], "inventoryPolicy": "DENY", "inventoryItem": {"id": "gid://shopify/InventoryItem/1", "tracked": true, "requiresShipping": false}}]}`

const published = `"publishedAt": "2026-01-01T00:00:00Z"`

// sales has products that are for sale in different ways, and whether they become archived.
var sales = map[string]struct {
	node     string
	offer    integration.Offers
	archived bool
}{
	"published":               {node: published},
	"unpublished":             {node: `"publishedAt": null`, archived: true},
	"scheduled":               {node: `"publishedAt": "2026-03-01T12:00:01Z"`, archived: true},
	"unpublished and wanted":  {node: `"publishedAt": null`, offer: integration.Offers{Unpublished: true}},
	"gift card":               {node: published + `, "isGiftCard": true`, archived: true},
	"gift card and wanted":    {node: published + `, "isGiftCard": true`, offer: integration.Offers{GiftCards: true}},
	"subscription":            {node: published + `, "requiresSellingPlan": true`, archived: true},
	"subscription and wanted": {node: published + `, "requiresSellingPlan": true`, offer: integration.Offers{SubscriptionOnly: true}},
	"unpublished gift card":   {node: `"publishedAt": null, "isGiftCard": true`, offer: integration.Offers{GiftCards: true}, archived: true},
}

func TestRead_onSale(t *testing.T) {
	t.Parallel()
	for name, one := range sales {
		s, c, conn := connect(t)
		conn.Key, conn.Offer = conn.Key+name, one.offer
		s.data["products"] = []record{{noon, `{"id": "gid://shopify/Product/5", "handle": "p", "title": "P", "status": "ACTIVE", "updatedAt": "2026-03-01T12:00:00Z",
			"tags": [], "media": {"nodes": []}, ` + one.node + `, ` + oneVariant + `}`}}
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Products, Since: noon.AddDate(-1, 0, 0)})
		if err != nil || len(page.Records) != 1 || page.Records[0].Product == nil {
			t.Fatalf("%s: %v %+v", name, err, page)
		}
		if p := page.Records[0].Product; p.Archived != one.archived || p.Shipping != syncrun.Digital {
			t.Errorf("%s: archived %v, shipping %q", name, p.Archived, p.Shipping)
		}
	}
}

func TestBulk_onSale(t *testing.T) {
	t.Parallel()
	for name, one := range sales {
		s, c, conn := connect(t)
		conn.Key, conn.Offer = conn.Key+name, one.offer
		s.bulk(`{"id": "gid://shopify/Product/5", "handle": "p", "title": "P", "status": "ACTIVE", "tags": [], "updatedAt": "2026-03-01T12:00:00Z", ` + one.node + `}
{"id": "gid://shopify/ProductVariant/1", "sku": "A", "price": "9.00", "selectedOptions": [], "inventoryItem": {"id": "gid://shopify/InventoryItem/1", ` +
			`"tracked": true, "requiresShipping": false}, "__parentId": "gid://shopify/Product/5"}
`)
		records, _ := readRest(t, c, conn, "bulk:products:720918")
		if len(records) != 1 || records[0].Product == nil {
			t.Fatalf("%s: %+v", name, records)
		}
		if p := records[0].Product; p.Archived != one.archived || p.Shipping != syncrun.Digital {
			t.Errorf("%s: archived %v, shipping %q", name, p.Archived, p.Shipping)
		}
	}
}

// A webhook does not say whether a product is a gift card or for subscribers, so News reads that from the API. If the API refuses, it
// uses the payload.
func TestNews_onSale(t *testing.T) {
	t.Parallel()
	news := func(s *fakeShop, c *shopify.Connector, conn ports.Connection, at string) *syncrun.Product {
		payload := `{"id": 5, "title": "P", "handle": "p", "status": "active", "published_at": ` + at + `, "updated_at": "2026-03-01T12:00:00Z",
			"variants": [{"inventory_management": "shopify", "id": 1, "sku": "A", "price": "9.00", "inventory_policy": "deny", "inventory_item_id": 1}]}`
		records, err := c.News(ports.NewOutbound(t.Context()), conn, "products/update", noon, []byte(payload))
		if err != nil || len(records) != 1 || records[0].Product == nil {
			t.Fatalf("%+v, %v", records, err)
		}
		return records[0].Product
	}
	for name, one := range sales {
		s, c, conn := connect(t)
		conn.Key, conn.Offer = conn.Key+name, one.offer
		s.say("Variants", `{"product": {`+one.node+`, `+oneVariant+`}}`)
		if p := news(s, c, conn, `"2026-01-01T00:00:00Z"`); p.Archived != one.archived || p.Shipping != syncrun.Digital {
			t.Errorf("%s: archived %v, shipping %q", name, p.Archived, p.Shipping)
		}
	}
	for at, archived := range map[string]bool{`null`: true, `"2026-01-01T00:00:00Z"`: false} {
		s, c, conn := connect(t)
		if p := news(s, c, conn, at); p.Archived != archived || p.Shipping != "" {
			t.Errorf("published at %s, and refused: archived %v, shipping %q", at, p.Archived, p.Shipping)
		}
	}
}

// A product whose publication the app may not read counts as published.
func TestRead_publicationDenied(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.on("Products", func(map[string]any) (int, string) {
		return 200, `{"errors": [{"message": "Access denied for publishedAt field.", "path": ["products", "nodes", 0, "publishedAt"],
			"extensions": {"code": "ACCESS_DENIED"}}],
			"data": {"products": {"pageInfo": {"hasNextPage": false}, "nodes": [{"id": "gid://shopify/Product/5", "handle": "p", "title": "P", "status": "ACTIVE",
			"updatedAt": "2026-03-01T12:00:00Z", "tags": [], "media": {"nodes": []}, "publishedAt": null, ` + oneVariant + `}]}}}`
	})
	page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Products, Since: noon.AddDate(-1, 0, 0)})
	if err != nil || len(page.Records) != 1 || page.Records[0].Product.Archived || len(page.Notices) != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}
