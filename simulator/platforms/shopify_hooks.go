package platforms

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// eastern is the shop's time zone, which the times of payloads are written in.
var eastern = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		return time.FixedZone("EST", -5*3600)
	}
	return zone
}()

func restTime(ms int64) string { return time.UnixMilli(ms).In(eastern).Format(time.RFC3339) }

// topicHeads are the resources of topics; what follows is what happened.
var topicHeads = []string{"PRODUCTS", "INVENTORY_LEVELS", "INVENTORY_ITEMS", "ORDERS", "CUSTOMERS", "FULFILLMENTS", "REFUNDS", "APP"}

// topicName turns PRODUCTS_UPDATE into products/update.
func topicName(enum string) string {
	for _, head := range topicHeads {
		if rest, is := strings.CutPrefix(enum, head+"_"); is {
			return strings.ToLower(head + "/" + rest)
		}
	}
	return strings.ToLower(enum)
}

func topicEnum(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "/", "_")) }

func (s *shopify) showHook(h hook) object {
	return facts{"WebhookSubscription", map[string]any{
		"id": gid("WebhookSubscription", hookBase+h.Number), "legacyResourceId": strconv.Itoa(hookBase + h.Number), "topic": topicEnum(h.Topic), "uri": h.URL,
		"callbackUrl": h.URL, "format": "JSON", "createdAt": wholeSeconds(epoch.UnixMilli()),
		"endpoint": facts{"WebhookHttpEndpoint", map[string]any{"callbackUrl": h.URL}},
	}}
}

func (s *shopify) createHook(args map[string]any) any {
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
	for _, h := range s.hooks.list() {
		if h.Topic == topicName(topic) && h.URL == address {
			return refused("Address for this topic has already been taken")
		}
	}
	h := s.hooks.add(hook{Topic: topicName(topic), URL: address})
	return facts{"WebhookSubscriptionCreatePayload", map[string]any{"webhookSubscription": s.showHook(h), "userErrors": []object{}}}
}

func (s *shopify) deleteHook(id string) any {
	payload := map[string]any{"deletedWebhookSubscriptionId": nil, "userErrors": []object{}}
	if n, is := numberOf(id, "WebhookSubscription"); is && s.hooks.remove(n-hookBase) {
		payload["deletedWebhookSubscriptionId"] = id
	} else {
		payload["userErrors"] = []object{facts{"UserError", map[string]any{"field": []string{"id"}, "message": "Webhook subscription does not exist"}}}
	}
	return facts{"WebhookSubscriptionDeletePayload", payload}
}

func (s *shopify) listHooks(args map[string]any) any {
	list := s.hooks.list()
	uri, _ := args["uri"].(string)
	if uri == "" {
		uri, _ = args["callbackUrl"].(string)
	}
	return listing{
		of: "WebhookSubscription", n: len(list), will: func(n int) bool { return uri == "" || list[n].URL == uri },
		show: func(n int) object { return s.showHook(list[n]) },
	}.connection(args)
}

// tell is the payload of a change in the form of the REST API, and a forged one.
func (s *shopify) tell(changed Changed, _ time.Time) (body, tampered any) {
	record, forged := s.payload(changed), map[string]any{}
	for name, value := range record {
		forged[name] = value
	}
	forged["title"], forged["available"], forged["total_price"] = "Forged", 999, "0.01"
	return record, forged
}

func (s *shopify) payload(changed Changed) map[string]any {
	n := changed.index
	switch resourceOf(changed.Topic) {
	case "products":
		if changed.Topic == "products/delete" {
			return map[string]any{"id": productBase + n}
		}
		return s.restProduct(n)
	case "inventory":
		l := s.items[n].levels[changed.location]
		return map[string]any{
			"inventory_item_id": itemBase + n, "location_id": locationNumbers[changed.location], "available": l.quantity, "updated_at": restTime(l.updated),
			"admin_graphql_api_id": levelObject{s, n, changed.location}.field("id", nil),
		}
	case "customers":
		if changed.Topic == "customers/delete" {
			return map[string]any{"id": customerBase + n, "admin_graphql_api_id": gid("Customer", customerBase+n)}
		}
		return s.restCustomer(n)
	}
	return s.restOrder(n)
}

func (s *shopify) restProduct(n int) map[string]any {
	p, o := s.products[n], productObject{s, n}
	variants, images, options := []any{}, []any{}, []any{}
	for k, i := range s.itemsOf(p) {
		v := variantObject{s, p.first + k}
		option1, option2 := any("Default Title"), any(nil)
		if i.size != "" {
			option1, option2 = i.size, i.color
		}
		variants = append(variants, map[string]any{
			"id": variantBase + p.first + k, "product_id": productBase + n, "title": v.title(), "sku": i.sku, "price": s.showPrice(i), "position": k + 1,
			"option1": option1, "option2": option2, "option3": nil, "inventory_item_id": itemBase + p.first + k,
			"inventory_quantity": i.levels[0].quantity + i.levels[1].quantity, "created_at": restTime(p.created), "updated_at": restTime(p.updated),
			"admin_graphql_api_id": gid("ProductVariant", variantBase+p.first+k),
		})
	}
	for k := range p.images {
		images = append(images, map[string]any{
			"id": 30_000_000_001 + n*4 + k, "product_id": productBase + n, "position": k + 1, "src": o.imageURL(k), "alt": p.title, "width": 1200, "height": 900, "variant_ids": []int{},
		})
	}
	for _, one := range o.options() {
		options = append(options, map[string]any{"product_id": productBase + n, "name": one.field("name", nil), "position": one.field("position", nil), "values": one.field("values", nil)})
	}
	return map[string]any{
		"id": productBase + n, "admin_graphql_api_id": gid("Product", productBase+n), "title": s.showTitle(p), "body_html": "<p>" + p.description + "</p>",
		"vendor": p.brand, "product_type": p.category, "handle": o.handle(), "tags": strings.Join(p.tags(), ", "), "status": p.status,
		"created_at": restTime(p.created), "updated_at": restTime(p.updated), "published_at": restTime(p.created),
		"variants": variants, "images": images, "image": images[0], "options": options,
	}
}

func (s *shopify) restCustomer(n int) map[string]any {
	c := s.customers[n]
	return map[string]any{
		"id": customerBase + n, "admin_graphql_api_id": gid("Customer", customerBase+n), "email": c.email, "first_name": c.first, "last_name": c.last,
		"orders_count": c.purchases, "total_spent": dollars(s.spent(n)), "tags": strings.Join(loyalty(c.tier), ", "), "state": "enabled", "verified_email": true,
		"currency": "USD", "created_at": restTime(c.created), "updated_at": restTime(c.updated),
	}
}

func (s *shopify) restOrder(n int) map[string]any {
	o := s.orders[n]
	lines, sent, attributes := []any{}, []any{}, []any{}
	for k, l := range o.lines {
		i := s.items[l.item]
		lines = append(lines, map[string]any{
			"id": 12_000_000_001 + n*4 + k, "product_id": productBase + i.product, "variant_id": variantBase + l.item, "sku": i.sku,
			"title": s.products[i.product].title, "quantity": l.quantity, "price": dollars(l.cents),
		})
	}
	status, cancelled := any(nil), any(nil)
	if o.shipped > 0 {
		status = "fulfilled"
		sent = append(sent, map[string]any{
			"id": 5_600_000_001 + n, "order_id": orderBase + n, "status": "success", "tracking_company": o.carrier, "tracking_number": o.tracking,
			"tracking_url": "https://track.example.com/" + o.tracking, "created_at": restTime(o.shipped), "updated_at": restTime(o.shipped),
		})
	}
	if o.status == "canceled" {
		cancelled = restTime(o.updated)
	}
	if o.reference != "" {
		attributes = append(attributes, map[string]any{"name": "reference", "value": o.reference})
	}
	email := s.customers[o.customer].email
	return map[string]any{
		"id": orderBase + n, "admin_graphql_api_id": gid("Order", orderBase+n), "name": orderName(n), "order_number": 1001 + n, "number": 1 + n, "email": email,
		"contact_email": email, "total_price": dollars(o.cents), "subtotal_price": dollars(o.cents), "currency": "USD", "financial_status": strings.ToLower(financial[o.status]),
		"fulfillment_status": status, "created_at": restTime(o.placed), "updated_at": restTime(o.updated), "processed_at": restTime(o.placed), "cancelled_at": cancelled,
		"source_identifier": orNull(o.reference), "note_attributes": attributes, "line_items": lines, "fulfillments": sent, "customer": s.restCustomer(o.customer), "tags": "", "test": false,
	}
}

func (s *shopify) post(h hook, d delivery) (http.Header, error) {
	mac := hmac.New(sha256.New, []byte(s.p.config.ClientSecret))
	mac.Write(d.signed)
	header := http.Header{}
	header.Set("X-Shopify-Topic", d.topic)
	header.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	header.Set("X-Shopify-Shop-Domain", s.p.config.Shop)
	header.Set("X-Shopify-Api-Version", "2025-10")
	header.Set("X-Shopify-Webhook-Id", d.id)
	header.Set("X-Shopify-Event-Id", d.id)
	header.Set("X-Shopify-Triggered-At", d.at.UTC().Format("2006-01-02T15:04:05.000000000Z"))
	return header, nil
}
