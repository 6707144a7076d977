package shopify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// eastern is the shop's time zone, which payloads use.
var eastern = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		return time.FixedZone("EST", -5*3600)
	}
	return zone
}()

func restTime(ms int64) string { return time.UnixMilli(ms).In(eastern).Format(time.RFC3339) }

// topicHeads are the resources in topics. The rest of a topic is the event.
var topicHeads = []string{"PRODUCTS", "INVENTORY_LEVELS", "INVENTORY_ITEMS", "ORDERS", "CUSTOMERS", "FULFILLMENTS", "REFUNDS", "APP"}

// topicName converts PRODUCTS_UPDATE to products/update.
func topicName(enum string) string {
	for _, head := range topicHeads {
		if rest, is := strings.CutPrefix(enum, head+"_"); is {
			return strings.ToLower(head + "/" + rest)
		}
	}
	return strings.ToLower(enum)
}

func topicEnum(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "/", "_")) }

func (s *Platform) showHook(h host.Hook) object {
	return facts{"WebhookSubscription", map[string]any{
		"id": gid("WebhookSubscription", hookBase+h.Number), "legacyResourceId": strconv.Itoa(hookBase + h.Number), "topic": topicEnum(h.Topic), "uri": h.URL,
		"callbackUrl": h.URL, "format": "JSON", "includeFields": append([]string{}, h.Fields...), "createdAt": host.WholeSeconds(host.Epoch.UnixMilli()),
		"endpoint": facts{"WebhookHttpEndpoint", map[string]any{"callbackUrl": h.URL}},
	}}
}

func (s *Platform) createHook(args map[string]any) any {
	input, _ := args["webhookSubscription"].(map[string]any)
	address, _ := input["uri"].(string)
	if address == "" {
		address, _ = input["callbackUrl"].(string)
	}
	topic, _ := args["topic"].(string)
	refused := func(text string) any {
		field := facts{"UserError", map[string]any{"field": []string{"webhookSubscription", "uri"}, "message": text}}
		return facts{"WebhookSubscriptionCreatePayload", map[string]any{"webhookSubscription": nil, "userErrors": []object{field}}}
	}
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return refused("Address is invalid")
	}
	if format := input["format"]; format == "XML" {
		return refused("The look-alike sends JSON only")
	}
	for _, h := range s.Hooks.List() {
		if h.Topic == topicName(topic) && h.URL == address {
			return refused("Address for this topic has already been taken")
		}
	}
	made := host.Hook{Topic: topicName(topic), URL: address}
	list, _ := input["includeFields"].([]any)
	for _, field := range list {
		if name, is := field.(string); is {
			made.Fields = append(made.Fields, name)
		}
	}
	h := s.Hooks.Add(made)
	return facts{"WebhookSubscriptionCreatePayload", map[string]any{"webhookSubscription": s.showHook(h), "userErrors": []object{}}}
}

func (s *Platform) deleteHook(id string) any {
	payload := map[string]any{"deletedWebhookSubscriptionId": nil, "userErrors": []object{}}
	if n, is := numberOf(id, "WebhookSubscription"); is && s.Hooks.Remove(n-hookBase) {
		payload["deletedWebhookSubscriptionId"] = id
	} else {
		payload["userErrors"] = []object{facts{"UserError", map[string]any{"field": []string{"id"}, "message": "Webhook subscription does not exist"}}}
	}
	return facts{"WebhookSubscriptionDeletePayload", payload}
}

func (s *Platform) listHooks(args map[string]any) any {
	list := s.Hooks.List()
	uri, _ := args["uri"].(string)
	if uri == "" {
		uri, _ = args["callbackUrl"].(string)
	}
	return listing{
		of:   "WebhookSubscription",
		n:    len(list),
		will: func(n int) bool { return uri == "" || list[n].URL == uri },
		show: func(n int) object { return s.showHook(list[n]) },
	}.connection(args)
}

// webhookBodies returns the webhook body of a change in the REST API's format, and a forged one.
func (s *Platform) webhookBodies(changed host.Changed, _ time.Time) (body, tampered any) {
	record, forged := s.payload(changed), map[string]any{}
	for name, value := range record {
		forged[name] = value
	}
	forged["title"], forged["available"], forged["total_price"] = "Forged", 999, "0.01"
	return record, forged
}

func (s *Platform) payload(changed host.Changed) map[string]any {
	n := changed.Index
	switch host.ResourceOf(changed.Topic) {
	case "products":
		if changed.Topic == "products/delete" {
			return map[string]any{"id": productBase + n}
		}
		return s.restProduct(n)
	case "inventory":
		l := s.Items[n].Levels[changed.Location]
		return map[string]any{
			"inventory_item_id": itemBase + n, "location_id": locationNumbers[changed.Location], "available": l.Quantity, "updated_at": restTime(l.Updated),
			"admin_graphql_api_id": levelObject{s, n, changed.Location}.field("id", nil),
		}
	case "customers":
		if changed.Topic == "customers/delete" {
			return map[string]any{"id": customerBase + n, "admin_graphql_api_id": gid("Customer", customerBase+n)}
		}
		return s.restCustomer(n)
	}
	return s.restPurchase(s.purchase(n))
}

// restVariants is the number of variants that the REST API shows of a product (shopify.dev, "Using the latest GraphQL
// product APIs": "The REST API won't return more than 100 variants for each product"). Webhooks list all of them in
// variant_gids.
const restVariants = 100

func (s *Platform) restProduct(n int) map[string]any {
	p, o := s.Products[n], productObject{s, n}
	variants, names, images, options := []any{}, []any{}, []any{}, []any{}
	for k, i := range s.ItemsOf(p) {
		names = append(names, map[string]any{"admin_graphql_api_id": gid("ProductVariant", variantBase+p.First+k), "updated_at": restTime(p.Updated)})
		if k >= restVariants {
			continue
		}
		v := variantObject{s, p.First + k}
		option1, option2 := any("Default Title"), any(nil)
		if i.Size != "" {
			option1, option2 = i.Size, i.Color
		}
		variants = append(variants, map[string]any{
			"id": variantBase + p.First + k, "product_id": productBase + n, "title": v.title(), "sku": i.SKU, "price": s.ShowPrice(i), "position": k + 1,
			"option1": option1, "option2": option2, "option3": nil, "inventory_item_id": itemBase + p.First + k,
			"inventory_policy": policyOf(i.Continue), "inventory_quantity": i.Levels[0].Quantity + i.Levels[1].Quantity, "created_at": restTime(p.Created), "updated_at": restTime(p.Updated),
			"admin_graphql_api_id": gid("ProductVariant", variantBase+p.First+k),
		})
	}
	for k := range p.Images {
		images = append(images, map[string]any{
			"id": 30_000_000_001 + n*4 + k, "product_id": productBase + n, "position": k + 1, "src": o.imageURL(k), "alt": p.Title, "width": 1200, "height": 900, "variant_ids": []int{},
		})
	}
	for _, one := range o.options() {
		options = append(options, map[string]any{"product_id": productBase + n, "name": one.field("name", nil), "position": one.field("position", nil), "values": one.field("values", nil)})
	}
	var published any
	if !p.Unpublished {
		published = restTime(p.Created)
	}
	return map[string]any{
		"id": productBase + n, "admin_graphql_api_id": gid("Product", productBase+n), "title": s.ShowTitle(p), "body_html": "<p>" + p.Description + "</p>",
		"vendor": p.Brand, "product_type": p.Category, "handle": o.handle(), "tags": strings.Join(p.Tags(), ", "), "status": p.Status,
		"created_at": restTime(p.Created), "updated_at": restTime(p.Updated), "published_at": published,
		"variants": variants, "variant_gids": names, "images": images, "image": images[0], "options": options,
	}
}

func (s *Platform) restCustomer(n int) map[string]any {
	c := s.Customers[n]
	return map[string]any{
		"id": customerBase + n, "admin_graphql_api_id": gid("Customer", customerBase+n), "email": c.Email, "first_name": c.First, "last_name": c.Last,
		"orders_count": c.Purchases, "total_spent": host.Dollars(s.spent(n)), "tags": strings.Join(loyalty(c.Tier), ", "), "state": "enabled", "verified_email": true,
		"currency": "USD", "created_at": restTime(c.Created), "updated_at": restTime(c.Updated),
	}
}

func (s *Platform) post(h host.Hook, d host.Delivery) (http.Header, error) {
	mac := hmac.New(sha256.New, []byte(s.Host.Config.ClientSecret))
	mac.Write(d.Signed)
	header := http.Header{}
	header.Set("X-Shopify-Topic", d.Topic)
	header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	header.Set("X-Shopify-Shop-Domain", s.Host.Config.Shop)
	header.Set("X-Shopify-Api-Version", s.Host.Config.ShopifyVersions[len(s.Host.Config.ShopifyVersions)-1])
	header.Set("X-Shopify-Webhook-Id", d.ID)
	header.Set("X-Shopify-Event-Id", d.ID)
	header.Set("X-Shopify-Triggered-At", d.At.UTC().Format("2006-01-02T15:04:05.000000000Z"))
	return header, nil
}
