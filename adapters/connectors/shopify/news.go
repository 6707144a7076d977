package shopify

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// News reads the payload of a webhook, which has the shape of the REST API. What it lacks the API is asked. A
// payload tells whole seconds, and the call of when it was sent more: of two in one second, as when the last
// pieces are sold, the later is known so.
func (c *Connector) News(ctx ports.Outbound, conn ports.Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error) {
	records, err := c.news(ctx, conn, topic, at, payload)
	for i, r := range records {
		if at.Truncate(time.Second).Equal(r.At) {
			records[i].At = at
		} else {
			records[i].WholeSecond = wholeSecond(r.At)
		}
	}
	return records, err
}

// wholeSecond reports whether a record's time is one of those that Shopify tells to the second only.
func wholeSecond(at time.Time) bool { return !at.IsZero() && at.Nanosecond() == 0 }

func (c *Connector) news(ctx ports.Outbound, conn ports.Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error) {
	resource, what, _ := strings.Cut(topic, "/")
	switch resource {
	case "products":
		if what == "delete" {
			return c.gone(syncrun.Products, at, payload)
		}
		return c.productNews(ctx, conn, payload)
	case "inventory_levels":
		return c.levelNews(at, payload)
	case "orders":
		return c.orderEvent(ctx, conn, payload)
	case "refunds":
		return c.refundNews(ctx, conn, payload)
	case "customers":
		if what == "delete" {
			return c.gone(syncrun.Customers, at, payload)
		}
		return c.customerNews(ctx, conn, payload)
	}
	return nil, nil
}

const unreadable = "called with what cannot be read"

// told reads a payload. One that does not even say of what it is cannot be a record's problem.
func (c *Connector) told(resource syncrun.Resource, payload []byte, with circumstances, records mapping) ([]syncrun.Record, error) {
	list := read(resource, payload, with, records)
	if len(list) > 0 && list[0].Remote == "" {
		return nil, c.platform.Refused(unreadable)
	}
	return list, nil
}

// gone is what a platform no longer has. Nothing is said of when, but in the call.
func (c *Connector) gone(resource syncrun.Resource, at time.Time, payload []byte) ([]syncrun.Record, error) {
	var n struct{ ID gid }
	if named(json.Unmarshal(payload, &n), &n.ID) != nil {
		return nil, c.platform.Refused(unreadable)
	}
	return []syncrun.Record{{
		Resource: resource,
		Remote:   string(n.ID),
		At:       at,
		Deleted:  true,
	}}, nil
}

func (c *Connector) productNews(ctx ports.Outbound, conn ports.Connection, payload []byte) ([]syncrun.Record, error) {
	currency, err := c.currency(ctx, conn)
	if err != nil {
		return nil, err
	}
	with := circumstances{
		currency: currency,
		offer:    conn.Offer,
		now:      c.Clock.Now(),
	}
	failed := c.readsRest(ctx, conn, &with)
	records, err := c.told(syncrun.Products, payload, with, productPayload)
	if *failed != nil && (len(records) == 0 || !refused(*failed)) {
		return nil, *failed
	}
	c.accounts.Of(conn.Key).forgetVariants()
	return records, err
}

func productPayload(payload json.RawMessage, with circumstances) ([]syncrun.Record, error) {
	var n struct {
		ID          gid             `json:"id"`
		Handle      string          `json:"handle"`
		Title       string          `json:"title"`
		HTML        string          `json:"body_html"`
		Vendor      string          `json:"vendor"`
		Type        string          `json:"product_type"`
		Status      string          `json:"status"`
		Tags        string          `json:"tags"`
		UpdatedAt   moment          `json:"updated_at"`
		PublishedAt *string         `json:"published_at"`
		Options     []optionPayload `json:"options"`
		Variants    []variantPayload
		VariantGIDs []json.RawMessage `json:"variant_gids"` // of all, where Variants are not
		Images      []struct {
			Src, Alt string
		}
	}
	if err := named(json.Unmarshal(payload, &n), &n.ID); err != nil {
		return nil, err
	}
	p := product{
		id:      string(n.ID),
		handle:  n.Handle,
		title:   n.Title,
		html:    n.HTML,
		vendor:  n.Vendor,
		kind:    n.Type,
		status:  n.Status,
		tags:    strings.Split(n.Tags, ","),
		updated: time.Time(n.UpdatedAt),
		sale:    sale{unpublished: with.unpublished(n.PublishedAt)},
	}
	for _, v := range n.Variants {
		p.variants = append(p.variants, v.variant(n.Options))
	}
	// A payload in the shape of the REST API has no more than 100 variants, but names them all. What it does not say the API is
	// asked: whether the product is a gift card, or for subscribers, and whether variants are shipped, it never says.
	some := len(n.VariantGIDs) > len(n.Variants)
	if len(n.Variants) > 0 {
		all, gone := with.rest(p, "")
		if gone || some && all.list == nil {
			return nil, nil
		}
		if all.list != nil {
			with.veiled = all.veiled && n.PublishedAt == nil
			p.variants, p.sale = nil, all.sale.sale(with)
		}
		for _, v := range all.list {
			p.addVariant(v)
		}
	}
	for _, image := range n.Images {
		if image.Src != "" && len(p.images) < maxImages {
			p.images = append(p.images, catalog.Image{URL: image.Src, Alt: line(image.Alt, 500)})
		}
	}
	return []syncrun.Record{p.record(with)}, nil
}

type optionPayload struct{ Name string }

type variantPayload struct {
	ID      gid
	SKU     string
	Barcode string
	Price   string
	Option1 *string
	Option2 *string
	Option3 *string
	Item    gid `json:"inventory_item_id"`
	// Management names who tracks stock, and is null where nobody does. Payloads of API version 2024-07 and later lack it
	// (community.shopify.dev/t/5701, "Webhook containing both product + variant + inventory item").
	Management json.RawMessage `json:"inventory_management"`
	Policy     string          `json:"inventory_policy"`
}

func (v variantPayload) variant(options []optionPayload) variant {
	mapped := variant{
		id:      string(v.ID),
		sku:     strings.TrimSpace(v.SKU),
		price:   v.Price,
		item:    string(v.Item),
		barcode: v.Barcode,
	}
	if len(v.Management) > 0 { // else DENY may be of what is not tracked, which is sold all the same
		mapped.policy = policyOf(new(string(v.Management) != "null" && string(v.Management) != `""`), v.Policy)
	}
	for i, value := range []*string{v.Option1, v.Option2, v.Option3} {
		if value != nil && i < len(options) {
			mapped.options = append(mapped.options, option{options[i].Name, *value})
		}
	}
	return mapped
}

// levelNews knows no sku. A level without a number is of an item whose stock is not counted.
func (c *Connector) levelNews(at time.Time, payload []byte) ([]syncrun.Record, error) {
	var n struct {
		Item      gid    `json:"inventory_item_id"`
		Location  gid    `json:"location_id"`
		Available *int   `json:"available"`
		UpdatedAt moment `json:"updated_at"`
	}
	switch err := json.Unmarshal(payload, &n); {
	case err != nil || n.Item == "" || n.Location == "":
		return nil, c.platform.Refused(unreadable)
	case n.Available == nil:
		return nil, nil
	}
	if updated := time.Time(n.UpdatedAt); !updated.IsZero() {
		at = updated
	}
	return []syncrun.Record{level(string(n.Item), "", string(n.Location), *n.Available, at)}, nil
}

func orderPayload(payload json.RawMessage, _ circumstances) ([]syncrun.Record, error) {
	var n struct {
		ID          gid                      `json:"id"`
		Name        string                   `json:"name"`
		Email       string                   `json:"email"`
		Total       string                   `json:"total_price"`
		Currency    string                   `json:"currency"`
		Financial   string                   `json:"financial_status"`
		Fulfillment string                   `json:"fulfillment_status"`
		CancelledAt *string                  `json:"cancelled_at"`
		CreatedAt   moment                   `json:"created_at"`
		UpdatedAt   moment                   `json:"updated_at"`
		LineItems   []struct{ Quantity int } `json:"line_items"`
		Reference   string                   `json:"source_identifier"`
		Sent        []struct {
			Status    string `json:"status"`
			CreatedAt moment `json:"created_at"`
			Carrier   string `json:"tracking_company"`
			Number    string `json:"tracking_number"`
			URL       string `json:"tracking_url"`
			Shipment  string `json:"shipment_status"`
		} `json:"fulfillments"`
		Refunds []struct {
			Transactions []struct{ Kind, Status, Amount string }
		}
	}
	if err := named(json.Unmarshal(payload, &n), &n.ID); err != nil {
		return nil, err
	}
	items := 0
	for _, l := range n.LineItems {
		items += l.Quantity
	}
	var sent []syncrun.Shipment
	for _, f := range n.Sent {
		if f.Status == "success" {
			sent = append(sent, syncrun.Shipment{
				Carrier:     f.Carrier,
				Number:      f.Number,
				TrackingURL: f.URL,
				ShippedAt:   time.Time(f.CreatedAt),
				Delivered:   f.Shipment == "delivered",
			})
		}
	}
	var back []string
	for _, r := range n.Refunds {
		for _, t := range r.Transactions {
			if t.Kind == "refund" && t.Status == "success" {
				back = append(back, t.Amount)
			}
		}
	}
	return []syncrun.Record{orderRecord(string(n.ID), time.Time(n.UpdatedAt), syncrun.Order{
		Number:    n.Name,
		Email:     n.Email,
		Status:    status(n.Financial, n.Fulfillment, n.CancelledAt != nil),
		Total:     n.Total,
		Currency:  n.Currency,
		Items:     items,
		PlacedAt:  time.Time(n.CreatedAt),
		Reference: n.Reference,
		Shipment:  sentWhole(n.Fulfillment, sent),
		Canceled:  n.CancelledAt != nil,
		Refunded:  refunded(back, n.Currency),
	})}, nil
}

const customerQuery = `query Customer($id: ID!) {
  customer(id: $id) { ` + customerFields + ` }
}`

// customerNews asks for the customer: the payload has neither metafields nor, in newer versions, the number
// of orders. It is believed where the API does not tell.
func (c *Connector) customerNews(ctx context.Context, conn ports.Connection, payload []byte) ([]syncrun.Record, error) {
	told, err := c.told(syncrun.Customers, payload, circumstances{}, customerPayload)
	if err != nil || told[0].Problem != "" {
		return told, err
	}
	var found struct{ Customer json.RawMessage }
	_, err = c.askPartly(ctx, conn, customerQuery, map[string]any{"id": "gid://shopify/Customer/" + told[0].Remote}, &found)
	switch {
	case refused(err) || err == nil && (len(found.Customer) == 0 || string(found.Customer) == "null"):
		return told, nil
	case err != nil:
		return nil, err
	}
	return read(syncrun.Customers, found.Customer, circumstances{}, customerRecords), nil
}

func customerPayload(payload json.RawMessage, _ circumstances) ([]syncrun.Record, error) {
	var n struct {
		ID        gid    `json:"id"`
		Email     string `json:"email"`
		First     string `json:"first_name"`
		Last      string `json:"last_name"`
		Orders    count  `json:"orders_count"`
		Tags      string `json:"tags"`
		UpdatedAt moment `json:"updated_at"`
	}
	if err := named(json.Unmarshal(payload, &n), &n.ID); err != nil {
		return nil, err
	}
	return []syncrun.Record{customer(string(n.ID), time.Time(n.UpdatedAt), n.First, n.Last, syncrun.Customer{
		Email:     n.Email,
		Tier:      tierOf(strings.Split(n.Tags, ",")),
		Purchases: int(n.Orders),
	})}, nil
}
