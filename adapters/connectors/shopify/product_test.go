package shopify_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

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
		Resource: syncrun.Products,
		Remote:   "9007199254740993",
		At:       time.Date(2026, 3, 1, 13, 0, 0, 500_000_000, time.UTC),
		Product: &syncrun.Product{
			SKU:         "shirt",
			Name:        "Linen shirt",
			Description: "Soft & light.\nOne\nTwo",
			Brand:       "Acme",
			Category:    "apparel/shirts",
			Price:       "29.90",
			Currency:    "EUR",
			Tags:        []string{"summer", "linen"},
			Attributes:  map[string]string{"Material": "Linen"},
			Images:      []catalog.Image{{URL: "https://cdn.example/1.png", Alt: "Front"}, {URL: "https://cdn.example/2.png"}},
			Variants: []syncrun.Variant{
				{SKU: "SH-M-G", Size: "M", Color: "Green", Item: "111"},
				{SKU: "shopify-12", Size: "L", Color: "Green", Price: "31.00", Item: "112"},
				{SKU: "shopify-13", Size: "XL", Color: "Red"},
			},
		},
	}
}

// The records of a product are the same from the API and from webhooks.
func TestProduct_record(t *testing.T) {
	t.Parallel()
	want(t, "the API", readNodes(t, syncrun.Products, time.Time{}, shirtNode), shirt())
	for _, topic := range []string{"products/create", "products/update"} {
		news, err := readWebhook(t, topic, noon, shirtPayload)
		if err != nil {
			t.Fatal(err)
		}
		want(t, topic, news, shirt())
	}
}

// productWith reads a product of the API with the fields of change.
func productWith(t *testing.T, change string) syncrun.Record {
	t.Helper()
	var node map[string]any
	for _, text := range []string{productNode(5, noon), change} {
		if err := json.Unmarshal([]byte(text), &node); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := json.Marshal(node)
	list := readNodes(t, syncrun.Products, time.Time{}, string(text))
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

func TestProduct_addVariants(t *testing.T) {
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

func TestProduct_fields(t *testing.T) {
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

// A barcode is a GTIN only if its check digit is right.
func TestVariant_gtin(t *testing.T) {
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
		news, err := readWebhook(t, "products/update", noon, scanned(shirtPayload))
		if err != nil || news[0].Product.Variants[0].GTIN != want {
			t.Errorf("%q of a webhook: %+v, %v", barcode, news, err)
		}
	}
}
