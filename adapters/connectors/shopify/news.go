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

// News reads the payload of a webhook, which has the shape of the REST API. It reads missing fields from the API. The
// times in a payload have a precision of one second. News replaces a time in the same second with the more precise
// time of the call, which orders two changes within a second, as when the last pieces are sold.
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

// wholeSecond reports whether a record's time has a precision of one second.
func wholeSecond(at time.Time) bool { return !at.IsZero() && at.Nanosecond() == 0 }

func (c *Connector) news(ctx ports.Outbound, conn ports.Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error) {
	resource, what, _ := strings.Cut(topic, "/")
	switch resource {
	case "products":
		if what == "delete" {
			return c.deletion(syncrun.Products, at, payload)
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
			return c.deletion(syncrun.Customers, at, payload)
		}
		return c.customerNews(ctx, conn, payload)
	}
	return nil, nil
}

const unreadable = "called with what cannot be read"

// readPayload reads a payload. A payload without an id is refused, because its problem belongs to no record.
func (c *Connector) readPayload(resource syncrun.Resource, payload []byte, with recordContext, records mapping) ([]syncrun.Record, error) {
	list := read(resource, payload, with, records)
	if len(list) > 0 && list[0].Remote == "" {
		return nil, c.platform.Refused(unreadable)
	}
	return list, nil
}

// deletion returns a deleted record. Only the call has the time of the deletion.
func (c *Connector) deletion(resource syncrun.Resource, at time.Time, payload []byte) ([]syncrun.Record, error) {
	var n struct{ ID gid }
	if requireID(json.Unmarshal(payload, &n), &n.ID) != nil {
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
	with := recordContext{
		currency: currency,
		offer:    conn.Offer,
		now:      c.Clock.Now(),
	}
	failed := c.setRest(ctx, conn, &with)
	records, err := c.readPayload(syncrun.Products, payload, with, productPayload)
	if *failed != nil && (len(records) == 0 || !refused(*failed)) {
		return nil, *failed
	}
	c.accounts.Of(conn.Key).forgetVariants()
	return records, err
}

func productPayload(payload json.RawMessage, with recordContext) ([]syncrun.Record, error) {
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
		VariantGIDs []json.RawMessage `json:"variant_gids"` // of all variants, if Variants has not all
		Images      []struct {
			Src, Alt string
		}
	}
	if err := requireID(json.Unmarshal(payload, &n), &n.ID); err != nil {
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
	// A payload in the shape of the REST API has at most 100 variants, but the ids of all. It never says whether the product is a gift
	// card or for subscribers, and whether variants are shipped. These are read from the API.
	some := len(n.VariantGIDs) > len(n.Variants)
	if len(n.Variants) > 0 {
		all, gone := with.rest(p, "")
		if gone || some && all.list == nil {
			return nil, nil
		}
		if all.list != nil {
			with.publicationHidden = all.publicationHidden && n.PublishedAt == nil
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
	// Management names the service that tracks the stock, or is null if it is untracked. Payloads of API version 2024-07 and later lack it
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
	if len(v.Management) > 0 { // without it, DENY may belong to untracked stock, which is always available
		mapped.policy = policyOf(new(string(v.Management) != "null" && string(v.Management) != `""`), v.Policy)
	}
	for i, value := range []*string{v.Option1, v.Option2, v.Option3} {
		if value != nil && i < len(options) {
			mapped.options = append(mapped.options, option{options[i].Name, *value})
		}
	}
	return mapped
}

// levelNews reads a level, which has no SKU. A level without a quantity belongs to an item with untracked stock.
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

func orderPayload(payload json.RawMessage, _ recordContext) ([]syncrun.Record, error) {
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
	if err := requireID(json.Unmarshal(payload, &n), &n.ID); err != nil {
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
		Shipment:  fulfilledShipment(n.Fulfillment, sent),
		Canceled:  n.CancelledAt != nil,
		Refunded:  refunded(back, n.Currency),
	})}, nil
}

const customerQuery = `query Customer($id: ID!) {
  customer(id: $id) { ` + customerFields + ` }
}`

// customerNews reads the customer from the API, because the payload has neither metafields nor, in newer versions,
// the number of orders. It uses the payload if the API refuses.
func (c *Connector) customerNews(ctx context.Context, conn ports.Connection, payload []byte) ([]syncrun.Record, error) {
	records, err := c.readPayload(syncrun.Customers, payload, recordContext{}, customerPayload)
	if err != nil || records[0].Problem != "" {
		return records, err
	}
	var found struct{ Customer json.RawMessage }
	_, err = c.askPartial(ctx, conn, customerQuery, map[string]any{"id": "gid://shopify/Customer/" + records[0].Remote}, &found)
	switch {
	case refused(err) || err == nil && (len(found.Customer) == 0 || string(found.Customer) == "null"):
		return records, nil
	case err != nil:
		return nil, err
	}
	return read(syncrun.Customers, found.Customer, recordContext{}, customerRecords), nil
}

func customerPayload(payload json.RawMessage, _ recordContext) ([]syncrun.Record, error) {
	var n struct {
		ID        gid    `json:"id"`
		Email     string `json:"email"`
		First     string `json:"first_name"`
		Last      string `json:"last_name"`
		Orders    count  `json:"orders_count"`
		Tags      string `json:"tags"`
		UpdatedAt moment `json:"updated_at"`
	}
	if err := requireID(json.Unmarshal(payload, &n), &n.ID); err != nil {
		return nil, err
	}
	return []syncrun.Record{customer(string(n.ID), time.Time(n.UpdatedAt), n.First, n.Last, syncrun.Customer{
		Email:     n.Email,
		Tier:      tierOf(strings.Split(n.Tags, ",")),
		Purchases: int(n.Orders),
	})}, nil
}
