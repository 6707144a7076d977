package shopify

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/plaintext"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// product is a product of Shopify, from the API or a webhook.
type product struct {
	id       string
	handle   string
	title    string
	html     string
	vendor   string
	kind     string
	status   string
	tags     []string
	updated  time.Time
	variants []variant
	images   []catalog.Image
	sale     sale
}

// sale says how a product is for sale at Shopify (shopify.dev/docs/api/admin-graphql/latest/objects/Product, a copy of api_version
// 2026-01, read 2026-11-29).
//
// A product counts as published if it is in the Online Store: publishedAt is "The date and time when the product was published to the online
// store". That null means unpublished is documented for the REST API's published_at, which webhooks have: "null … means the product
// would not be published on the Online Store channel" (Shopify staff,
// community.shopify.com/t/create-product-by-rest-admin-api-published-at-is-not-effective/214011). Publishing can be scheduled:
// "Only online store channels support scheduled publishing" (mutations/publishablePublish, api_version 2026-10). It is
// not documented that publishedAt is in the future until then; the code handles that. The other field cannot be used:
// publishedOnCurrentPublication is "Whether the resource is published to the app's publication", and this app has no publication,
// because it is no sales channel.
//
// isGiftCard is "Whether the product is a gift card" and requiresSellingPlan "Whether the product can only be purchased with a
// selling plan". Such products "can only be published to online stores" (publishablePublish). All three need
// only the scope read_products.
type sale struct {
	unpublished      bool
	giftCard         bool
	subscriptionOnly bool
}

// offered reports whether the merchant offers products that are for sale in this way.
func (s sale) offered(o integration.Offers) bool {
	return (!s.unpublished || o.Unpublished) && (!s.giftCard || o.GiftCards) && (!s.subscriptionOnly || o.SubscriptionOnly)
}

type variant struct {
	id, sku, price, item string
	barcode              string   // any code, not only a GTIN
	options              []option // in the order of the product's options
	policy               string   // a name of package catalog; "" if Shopify does not say
	shipping             syncrun.Shipping
}

// policyOf returns the inventory policy in our terms. Untracked goods are always available. Tracked goods with CONTINUE are sold
// without stock, those with DENY are not (shopify.dev, "InventoryItem": "tracked: Whether inventory levels are tracked for
// the item"; "ProductVariantInventoryPolicy": "CONTINUE: Customers can buy this product variant after it's out of stock. DENY:
// Customers can't buy this product variant after it's out of stock", API version 2025-10). The REST API writes the policy in lower
// case.
func policyOf(tracked *bool, policy string) string {
	switch {
	case tracked != nil && !*tracked:
		return catalog.AlwaysAvailable.String()
	case strings.EqualFold(policy, "continue"):
		return catalog.Backorder.String()
	case strings.EqualFold(policy, "deny"):
		return catalog.Tracked.String()
	}
	return ""
}

type option struct{ Name, Value string }

// Limits of a product.
const (
	maxVariants    = catalog.MaxVariants
	maxImages      = 10
	maxTags        = 100
	maxDescription = 5000
	maxSKU         = 100
	maxText        = 200
)

// record converts a product. A product that is not for sale, or not offered, is archived.
func (p product) record(with recordContext) syncrun.Record {
	r := syncrun.Record{
		Resource: syncrun.Products,
		Remote:   p.id,
		At:       p.updated,
	}
	switch {
	case len(p.variants) > maxVariants:
		r.Problem = "It has more than 2,048 variants."
		return r
	case len(p.variants) == 0:
		r.Problem = "It has no variants."
		return r
	}
	first := p.variants[0]
	r.Product = &syncrun.Product{
		Name:        line(p.title, 500),
		Description: plaintext.Cut(plaintext.FromHTML(p.html), maxDescription),
		Brand:       line(p.vendor, maxText),
		Category:    path(p.kind),
		Price:       first.price,
		Currency:    with.currency,
		Tags:        tagsOf(p.tags),
		Images:      p.images[:min(len(p.images), maxImages)],
		Archived:    !strings.EqualFold(p.status, "active") || !p.sale.offered(with.offer),
	}
	if p.single() {
		r.Product.SKU, r.Product.Item, r.Product.GTIN = first.skuOrID(), first.item, first.gtin()
		r.Product.InventoryPolicy, r.Product.Shipping = first.policy, first.shipping
		return r
	}
	r.Product.SKU = p.handle
	if n := utf8.RuneCountInString(p.handle); n == 0 || n > maxSKU {
		r.Product.SKU = "shopify-" + p.id
	}
	p.addVariants(r.Product)
	return r
}

// single reports whether the product has no variants to choose from: Shopify gives such a product one default variant.
func (p product) single() bool {
	if len(p.variants) != 1 {
		return false
	}
	options := p.variants[0].options
	return len(options) == 0 || len(options) == 1 && strings.EqualFold(options[0].Value, "Default Title")
}

// skuOrID returns the variant's SKU, or one that is made from its id if the merchant gave it none.
func (v variant) skuOrID() string {
	if v.sku == "" || utf8.RuneCountInString(v.sku) > maxSKU {
		return "shopify-" + v.id
	}
	return v.sku
}

// gtin returns the barcode if it is a GTIN, else "": merchants use other barcodes, too.
func (v variant) gtin() string {
	if digits, valid := catalog.ParseGTIN(strings.TrimSpace(v.barcode)); valid {
		return digits
	}
	return ""
}

// addVariants maps options by name: size and color have their own fields. Another option with the same value for all
// variants becomes an attribute. The remaining options distinguish variants and are added to the size.
func (p product) addVariants(to *syncrun.Product) {
	same := p.singleValued()
	taken := map[string]bool{to.SKU: true}
	for _, v := range p.variants {
		mapped := syncrun.Variant{
			SKU:             v.skuOrID(),
			Item:            v.item,
			GTIN:            v.gtin(),
			InventoryPolicy: v.policy,
			Shipping:        v.shipping,
		}
		if taken[mapped.SKU] { // Shopify lets variants share one
			mapped.SKU = "shopify-" + v.id
		}
		taken[mapped.SKU] = true
		if v.price != to.Price {
			mapped.Price = v.price
		}
		var sizes []string
		for _, o := range v.options {
			switch {
			case isColor(o.Name):
				mapped.Color = line(o.Value, 100)
			case isSize(o.Name) || !same[o.Name]:
				sizes = append(sizes, line(o.Value, 100))
			default:
				if to.Attributes == nil {
					to.Attributes = map[string]string{}
				}
				to.Attributes[line(o.Name, maxText)] = line(o.Value, 2000)
			}
		}
		mapped.Size = plaintext.Cut(strings.Join(sizes, " / "), 100)
		to.Variants = append(to.Variants, mapped)
	}
}

func isSize(name string) bool { return strings.EqualFold(strings.TrimSpace(name), "size") }

func isColor(name string) bool {
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, "color") || strings.EqualFold(name, "colour")
}

// singleValued returns the names of the options that have the same value in all variants.
func (p product) singleValued() map[string]bool {
	values := map[string]string{}
	same := map[string]bool{}
	for _, v := range p.variants {
		for _, o := range v.options {
			value, seen := values[o.Name]
			same[o.Name] = !seen || same[o.Name] && value == o.Value
			values[o.Name] = o.Value
		}
	}
	return same
}

// path converts a product type to a category: lower case, with slashes between its parts.
func path(kind string) string {
	parts := strings.Split(strings.ToLower(line(kind, maxText)), "/")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "/")
}

func tagsOf(list []string) []string {
	var tags []string
	for _, tag := range list {
		tag = line(tag, maxText)
		if tag != "" && !slices.Contains(tags, tag) && len(tags) < maxTags {
			tags = append(tags, tag)
		}
	}
	return tags
}

// gid is the number in a global id: "12" in "gid://shopify/Product/12". Webhooks contain only the number.
type gid string

func (g *gid) UnmarshalJSON(text []byte) error {
	plain := strings.Trim(string(text), `"`)
	if plain == "null" {
		return nil
	}
	plain, _, _ = strings.Cut(plain, "?")
	plain = plain[strings.LastIndexByte(plain, '/')+1:]
	if plain == "" || strings.Trim(plain, "0123456789") != "" {
		return errors.New("not an id of Shopify's")
	}
	*g = gid(plain)
	return nil
}

// moment is a time, truncated to milliseconds.
type moment time.Time

func (m *moment) UnmarshalJSON(text []byte) error {
	var at *time.Time
	if err := json.Unmarshal(text, &at); err != nil || at == nil {
		return err
	}
	*m = moment(at.UTC().Truncate(time.Millisecond))
	return nil
}

// line returns text on one line, of at most most characters.
func line(text string, most int) string { return plaintext.Cut(plaintext.Line(text), most) }
