package shopify_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const oneVariant = `"variants": {"pageInfo": {"hasNextPage": false}, "nodes": [{"id": "gid://shopify/ProductVariant/1", "sku": "A", "price": "9.00",
	"selectedOptions": [], "inventoryPolicy": "DENY", "inventoryItem": {"id": "gid://shopify/InventoryItem/1", "tracked": true, "requiresShipping": false}}]}`

func TestProducts_onSale(t *testing.T) {
	t.Parallel()
	const published = `"publishedAt": "2026-01-01T00:00:00Z"`
	for name, one := range map[string]struct {
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
		"unpublished gift card":   {node: `"isGiftCard": true`, offer: integration.Offers{GiftCards: true}, archived: true},
	} {
		s, c, conn := open(t)
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
