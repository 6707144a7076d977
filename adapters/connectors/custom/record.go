package custom

import (
	"cmp"
	"encoding/json"
	"strconv"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// instant is a time. wholeSecond means that it has a precision of one second.
type instant struct {
	at          time.Time
	wholeSecond bool
}

// record reads one record. happened is the time of its change if it has no updated_at.
func record(of syncrun.Resource, raw json.RawMessage, happened instant) syncrun.Record {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil || values == nil {
		return syncrun.Record{Resource: of, Problem: "It is no object."}
	}
	f := fieldsOf(values)
	r := syncrun.Record{
		Resource: of,
		Remote:   f.id("id"),
		At:       f.moment("updated_at"),
		Deleted:  f.boolean("deleted"),
	}
	if r.At.IsZero() {
		r.At, r.WholeSecond = happened.at, happened.wholeSecond
	} else {
		r.WholeSecond = f.wholeSecond("updated_at")
	}
	if r.Remote == "" {
		f.addProblem("id", "is required")
	}
	if !r.Deleted {
		f.content(&r)
	}
	if r.Problem = f.problem(); r.Problem != "" {
		return syncrun.Record{
			Resource: of,
			Remote:   r.Remote,
			At:       r.At,
			Problem:  "It cannot be read: " + r.Problem + ".",
		}
	}
	return r
}

func (f fields) content(r *syncrun.Record) {
	switch r.Resource {
	case syncrun.Products:
		r.Product = f.product()
	case syncrun.Inventory:
		r.Level = f.level()
	case syncrun.Customers:
		r.Customer = &syncrun.Customer{
			Email:     f.text("email"),
			Name:      f.text("name"),
			Tier:      f.text("loyalty_tier"),
			Purchases: f.integer("purchases"),
		}
	case syncrun.Orders:
		r.Order = f.order()
	}
}

func (f fields) product() *syncrun.Product {
	p := &syncrun.Product{
		SKU:         f.text("sku"),
		Name:        f.text("name"),
		Description: f.text("description"),
		Brand:       f.text("brand"),
		Category:    f.text("category"),
		Price:       f.digits("price"),
		Currency:    f.currency("currency"),
		Attributes:  f.attributes(),
		Item:        itemOf(f.id("item_id"), f.text("sku")),
		GTIN:        f.gtin("gtin"),
		MPN:         f.text("mpn"),
		Shipping:    f.shipping("requires_shipping"),
	}
	for i, raw := range f.list("tags") {
		tag := fields{
			values: map[string]json.RawMessage{strconv.Itoa(i): raw},
			path:   "tags.",
			wrong:  f.wrong,
		}
		if text := tag.text(strconv.Itoa(i)); text != "" {
			p.Tags = append(p.Tags, text)
		}
	}
	for i, raw := range f.list("images") {
		image := f.readFields(raw, "images."+strconv.Itoa(i))
		p.Images = append(p.Images, catalog.Image{URL: image.text("url"), Alt: image.text("alt")})
	}
	for i, raw := range f.list("variants") {
		v := f.readFields(raw, "variants."+strconv.Itoa(i))
		p.Variants = append(p.Variants, syncrun.Variant{
			SKU:      v.text("sku"),
			Size:     v.text("size"),
			Color:    v.text("color"),
			Price:    v.digits("price"),
			Item:     itemOf(v.id("item_id"), v.text("sku")),
			GTIN:     v.gtin("gtin"),
			MPN:      v.text("mpn"),
			Shipping: v.shipping("requires_shipping"),
		})
	}
	switch status := f.text("status"); status {
	case "", "active":
	case "archived":
		p.Archived = true
	default:
		f.addProblem("status", "must be active or archived")
	}
	return p
}

// gtin returns a GTIN, or "" if it is invalid: an invalid GTIN is no reason to reject the product.
func (f fields) gtin(name string) string {
	digits, _ := catalog.ParseGTIN(f.id(name))
	return digits
}

// shipping returns "" if the field is left out.
func (f fields) shipping(name string) syncrun.Shipping {
	if f.raw(name) == nil {
		return ""
	}
	return syncrun.ShippingOf(f.boolean(name))
}

// attributes returns the attributes as text. It keeps numbers and booleans as they are written.
func (f fields) attributes() map[string]string {
	raw := f.raw("attributes")
	if raw == nil {
		return nil
	}
	inner := f.readFields(raw, "attributes")
	found := map[string]string{}
	for name := range inner.values {
		switch value := inner.raw(name); {
		case value == nil:
		case value[0] == '{' || value[0] == '[':
			inner.addProblem(name, "must be text, a number, true or false")
		case value[0] == '"':
			found[plain(name)] = inner.text(name)
		default:
			found[plain(name)] = string(value)
		}
	}
	return found
}

func (f fields) level() *syncrun.Level {
	l := &syncrun.Level{
		Item:     f.id("item_id"),
		SKU:      f.text("sku"),
		Location: cmp.Or(f.text("location"), project.DefaultLocation),
		Quantity: f.integer("quantity"),
	}
	if f.raw("quantity") == nil {
		f.addProblem("quantity", "is required")
	}
	if l.Item == "" && l.SKU == "" {
		f.addProblem("sku", "or item_id is required")
	}
	return l
}

func (f fields) order() *syncrun.Order {
	o := &syncrun.Order{
		Number:    f.text("number"),
		Email:     f.text("email"),
		Status:    f.text("status"),
		Total:     f.digits("total"),
		Currency:  f.currency("currency"),
		Items:     f.integer("items"),
		PlacedAt:  f.moment("placed_at"),
		Reference: f.text("reference"),
		Canceled:  f.boolean("canceled"),
		Refunded:  f.refunded(),
	}
	if raw := f.raw("shipment"); raw != nil {
		s := f.readFields(raw, "shipment")
		o.Shipment = &syncrun.Shipment{
			Carrier:     s.text("carrier"),
			Number:      s.text("tracking_number"),
			TrackingURL: s.text("tracking_url"),
			ShippedAt:   s.moment("shipped_at"),
			Delivered:   s.boolean("delivered"),
			Voided:      s.boolean("voided"),
		}
	}
	return o
}
