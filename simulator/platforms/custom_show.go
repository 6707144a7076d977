package platforms

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// What follows is called with the shop's lock held.

func customID(kind string, n int) string { return kind + "-" + strconv.Itoa(1001+n) }

func (c *custom) product(n int) map[string]any {
	w := c.world
	p := w.products[n]
	shown := map[string]any{"id": customID("p", n), "updated_at": withMillis(p.updated)}
	if p.deleted {
		shown["deleted"] = true
		return shown
	}
	first := w.items[p.first]
	shown["sku"], shown["name"], shown["description"] = first.sku, w.showTitle(p), p.description
	shown["brand"], shown["category"], shown["status"] = p.brand, p.category, p.status
	shown["currency"], shown["tags"] = "USD", p.tags()
	shown["images"] = c.images(p, n)
	shown["attributes"] = map[string]any{"material": p.material, "use": p.use}
	shown["price"] = any(w.showPrice(first))
	if n%2 == 0 && p.damaged != badPrice {
		shown["price"] = number(first.cents)
	}
	if p.count == 1 {
		shown["item_id"] = customID("i", p.first)
		return shown
	}
	if first.size != "" {
		shown["sku"] = strings.TrimSuffix(first.sku, "-"+strings.ToUpper(first.size))
	}
	variants := make([]any, 0, p.count)
	for k, i := range w.itemsOf(p) {
		variants = append(variants, map[string]any{
			"sku": i.sku, "size": i.size, "color": i.color, "price": w.showPrice(i), "item_id": customID("i", p.first+k),
		})
	}
	shown["variants"] = variants
	return shown
}

// number is an amount as a JSON number, written exactly.
func number(cents int64) any { return exact(dollars(cents)) }

type exact string

func (e exact) MarshalJSON() ([]byte, error) { return []byte(e), nil }

func (c *custom) images(p product, n int) []any {
	images := make([]any, 0, p.images)
	for k := range p.images {
		images = append(images, map[string]any{
			"url": fmt.Sprintf("https://images.example.com/tarn/%d-%d.jpg", n+1, k+1), "alt": p.title,
		})
	}
	return images
}

// level leaves the first place unnamed: it is the one meant by default.
func (c *custom) level(n, place int) map[string]any {
	i := c.items[n]
	l := i.levels[place]
	shown := map[string]any{
		"id": customID("i", n) + ":main", "updated_at": withMillis(l.updated), "item_id": customID("i", n), "sku": i.sku, "quantity": l.quantity,
	}
	if place == 1 {
		shown["id"], shown["location"] = customID("i", n)+":outlet", "outlet"
	}
	return shown
}

func (c *custom) customer(n int) map[string]any {
	p := c.customers[n]
	shown := map[string]any{"id": customID("c", n), "updated_at": withMillis(p.updated)}
	if p.deleted {
		shown["deleted"] = true
		return shown
	}
	shown["email"], shown["name"], shown["loyalty_tier"], shown["purchases"] = p.email, p.name(), p.tier, p.purchases
	return shown
}

func (c *custom) order(n int) map[string]any {
	o := c.orders[n]
	shown := map[string]any{
		"id": customID("o", n), "updated_at": withMillis(o.updated), "number": strconv.Itoa(5001 + n), "email": c.customers[o.customer].email,
		"status": o.status, "total": dollars(o.cents), "currency": "USD", "items": o.count(), "placed_at": withMillis(o.placed),
	}
	if o.reference != "" {
		shown["reference"] = o.reference
	}
	if o.shipped > 0 {
		shown["shipment"] = map[string]any{
			"carrier": o.carrier, "tracking_number": o.tracking, "tracking_url": "https://track.example.com/" + o.tracking,
			"shipped_at": withMillis(o.shipped), "delivered": false, "voided": false,
		}
	}
	return shown
}

// payload is the record that a change is told with.
func (c *custom) payload(topic string, changed Changed) map[string]any {
	switch resourceOf(topic) {
	case "products":
		if topic == "products/delete" {
			return map[string]any{"id": customID("p", changed.index)}
		}
		return c.product(changed.index)
	case "inventory":
		return c.level(changed.index, changed.location)
	case "customers":
		if topic == "customers/delete" {
			return map[string]any{"id": customID("c", changed.index)}
		}
		return c.customer(changed.index)
	}
	return c.order(changed.index)
}

func (c *custom) tell(changed Changed, at time.Time) (body, tampered any) {
	record := c.payload(changed.Topic, changed)
	shown := map[string]any{"type": changed.Topic, "timestamp": at.UTC().Format("2006-01-02T15:04:05.000Z"), "data": record}
	forged := map[string]any{}
	for name, value := range record {
		forged[name] = value
	}
	forged["name"], forged["quantity"], forged["price"] = "Forged", 999, "0.01"
	return shown, map[string]any{"type": changed.Topic, "timestamp": shown["timestamp"], "data": forged}
}

func signingKey(secret string) (*standardwebhooks.Webhook, error) {
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); err != nil || len(raw) == 0 {
		return nil, fmt.Errorf("platforms: not a signing secret")
	}
	return standardwebhooks.NewWebhook(secret)
}

// post signs with the time of sending: what is late is late by what its data says.
func (c *custom) post(h hook, d delivery) (http.Header, error) {
	key, err := signingKey(h.Secret)
	if err != nil {
		return nil, err
	}
	now := c.p.config.Now()
	signature, err := key.Sign(d.id, now, d.signed)
	header := http.Header{}
	header.Set("webhook-id", d.id)
	header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("webhook-signature", signature)
	return header, err
}
