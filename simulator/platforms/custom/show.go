package custom

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// The functions below require the shop's lock.

func customID(kind string, n int) string { return kind + "-" + strconv.Itoa(1001+n) }

func (c *Platform) product(n int) map[string]any {
	w := c.World
	p := w.Products[n]
	shown := map[string]any{"id": customID("p", n), "updated_at": host.WithMillis(p.Updated)}
	if p.Deleted {
		shown["deleted"] = true
		return shown
	}
	first := w.Items[p.First]
	shown["sku"], shown["name"], shown["description"] = first.SKU, w.ShowTitle(p), p.Description
	shown["brand"], shown["category"], shown["status"] = p.Brand, p.Category, p.Status
	shown["currency"], shown["tags"] = "USD", p.Tags()
	shown["images"] = c.images(p, n)
	shown["attributes"] = map[string]any{"material": p.Material, "use": p.Use}
	shown["price"] = any(w.ShowPrice(first))
	if n%2 == 0 && p.Damaged != host.BadPrice {
		shown["price"] = host.ExactNumber(first.Cents)
	}
	if p.Count == 1 {
		c.nameItem(shown, p.First)
		if first.Digital {
			shown["requires_shipping"] = false
		}
		return shown
	}
	if first.Size != "" {
		shown["sku"] = strings.TrimSuffix(first.SKU, "-"+strings.ToUpper(first.Size))
	}
	variants := make([]any, 0, p.Count)
	for k, i := range w.ItemsOf(p) {
		v := map[string]any{"sku": i.SKU, "size": i.Size, "color": i.Color, "price": w.ShowPrice(i)}
		c.nameItem(v, p.First+k)
		if i.Digital {
			v["requires_shipping"] = false
		}
		variants = append(variants, v)
	}
	shown["variants"] = variants
	return shown
}

func (c *Platform) nameItem(shown map[string]any, n int) {
	if !c.Host.Config.CustomNoItems {
		shown["item_id"] = customID("i", n)
	}
}

func (c *Platform) images(p host.Product, n int) []any {
	images := make([]any, 0, p.Images)
	for k := range p.Images {
		images = append(images, map[string]any{
			"url": fmt.Sprintf("https://images.example.com/tarn/%d-%d.jpg", n+1, k+1), "alt": p.Title,
		})
	}
	return images
}

// level omits the name of the first location, which is the default one.
func (c *Platform) level(n, place int) map[string]any {
	i := c.Items[n]
	l := i.Levels[place]
	shown := map[string]any{
		"id": customID("i", n) + ":main", "updated_at": host.WithMillis(l.Updated), "sku": i.SKU, "quantity": l.Quantity,
	}
	c.nameItem(shown, n)
	if place == 1 {
		shown["id"], shown["location"] = customID("i", n)+":outlet", "outlet"
	}
	return shown
}

func (c *Platform) customer(n int) map[string]any {
	p := c.Customers[n]
	shown := map[string]any{"id": customID("c", n), "updated_at": host.WithMillis(p.Updated)}
	if p.Deleted {
		shown["deleted"] = true
		return shown
	}
	shown["email"], shown["name"], shown["loyalty_tier"], shown["purchases"] = p.Email, p.Name(), p.Tier, p.Purchases
	return shown
}

func (c *Platform) order(n int) map[string]any {
	o := c.Orders[n]
	shown := map[string]any{
		"id": customID("o", n), "updated_at": host.WithMillis(o.Updated), "number": strconv.Itoa(5001 + n), "email": c.EmailOf(n),
		"status": o.Status, "total": host.Dollars(o.Cents), "currency": "USD", "items": o.Count(), "placed_at": host.WithMillis(o.Placed),
	}
	if o.Reference != "" {
		shown["reference"] = o.Reference
	}
	if o.Shipped > 0 {
		shown["shipment"] = map[string]any{
			"carrier": o.Carrier, "tracking_number": o.Tracking, "tracking_url": "https://track.example.com/" + o.Tracking,
			"shipped_at": host.WithMillis(o.Shipped), "delivered": false, "voided": false,
		}
	}
	if p := c.purchases[n]; p != nil {
		refunds := []any{}
		for _, r := range p.refunds {
			refunds = append(refunds, showRefund(r))
		}
		shown["canceled"], shown["refunds"] = p.canceled, refunds
		shown["url"] = "https://erp.example.com/orders/" + shown["id"].(string)
	}
	return shown
}

// payload returns the record in the webhook of a change.
func (c *Platform) payload(topic string, changed host.Changed) map[string]any {
	switch host.ResourceOf(topic) {
	case "products":
		if topic == "products/delete" {
			return map[string]any{"id": customID("p", changed.Index)}
		}
		return c.product(changed.Index)
	case "inventory":
		return c.level(changed.Index, changed.Location)
	case "customers":
		if topic == "customers/delete" {
			return map[string]any{"id": customID("c", changed.Index)}
		}
		return c.customer(changed.Index)
	}
	return c.order(changed.Index)
}

func (c *Platform) webhookBodies(changed host.Changed, at time.Time) (body, tampered any) {
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

// post signs with the time of sending. A late delivery is recognized by the times in its data.
func (c *Platform) post(h host.Hook, d host.Delivery) (http.Header, error) {
	key, err := signingKey(h.Secret)
	if err != nil {
		return nil, err
	}
	now := c.Host.Config.Now()
	signature, err := key.Sign(d.ID, now, d.Signed)
	header := http.Header{}
	header.Set("webhook-id", d.ID)
	header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("webhook-signature", signature)
	return header, err
}
