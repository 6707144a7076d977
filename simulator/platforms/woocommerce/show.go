package woocommerce

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// The functions below require the shop's lock. WordPress has one sequence of ids, so no two objects have the same id.
const (
	firstProduct   = 1_000
	firstVariation = 1_000_000
	firstOrder     = 2_000_000
	firstCustomer  = 10
)

func (w *Platform) id(resource string, c host.Changed) string {
	switch resource {
	case "products":
		return strconv.Itoa(firstProduct + c.Index)
	case "inventory":
		return w.itemID(c.Index) + ":" + []string{"main", "outlet"}[c.Location]
	case "customers":
		return strconv.Itoa(firstCustomer + c.Index)
	}
	return strconv.Itoa(firstOrder + c.Index)
}

// itemID returns the id that an item's stock is kept under: that of its product if it is simple, else of its variation.
func (w *Platform) itemID(n int) string {
	if of := w.Items[n].Product; w.kind(of) == "simple" {
		return strconv.Itoa(firstProduct + of)
	}
	return strconv.Itoa(firstVariation + n)
}

func (w *Platform) kind(n int) string {
	if w.Products[n].Count == 1 {
		return "simple"
	}
	return "variable"
}

func gmt(ms int64) string { return host.Moment(ms).Format(timeForm) }

// stock adds an item's stock fields. The shop's two locations are one at WooCommerce.
func (w *Platform) stock(shown map[string]any, n int) {
	i := w.Items[n]
	quantity := i.Levels[0].Quantity + i.Levels[1].Quantity
	shown["manage_stock"], shown["stock_quantity"], shown["backorders"], shown["stock_status"] = true, quantity, "no", "instock"
	if quantity <= 0 {
		shown["stock_status"] = "outofstock"
	}
	switch i.Product % 10 {
	case 3:
		shown["manage_stock"], shown["stock_quantity"], shown["stock_status"] = false, nil, "instock"
	case 7:
		shown["backorders"] = "notify"
		if quantity <= 0 {
			shown["stock_status"] = "onbackorder"
		}
	}
}

// delivery adds the fields that say whether an item is shipped. "virtual: If the product is virtual", "downloadable: If
// the product is downloadable", "shipping_required: Shows if the product need to be shipped"
// (woocommerce.github.io/woocommerce-rest-api-docs, "Product properties", read 2026-11-29). Variations have only the
// first two.
func (w *Platform) delivery(shown map[string]any, n int) {
	shown["virtual"], shown["downloadable"] = w.Items[n].Digital, w.Items[n].Digital
	if shown["type"] != "variation" {
		shown["shipping_required"] = !w.Items[n].Digital
	}
}

func (w *Platform) product(n int) map[string]any {
	p := w.Products[n]
	first := w.Items[p.First]
	status := "publish"
	if p.Status != "active" {
		status = "draft"
	}
	tags := []any{}
	for k, tag := range p.Tags() {
		tags = append(tags, map[string]any{"id": 500 + k, "name": tag, "slug": tag})
	}
	images := []any{}
	for k := range p.Images {
		images = append(images, map[string]any{"id": k + 1, "src": address("product", strconv.Itoa(n), strconv.Itoa(k)), "name": p.Title, "alt": p.Title})
	}
	shown := map[string]any{
		"id": firstProduct + n, "name": w.ShowTitle(p), "type": w.kind(n), "status": status, "description": "<p>" + p.Description + "</p>\n", "short_description": "",
		"sku": first.SKU, "price": w.ShowPrice(first), "regular_price": w.ShowPrice(first), "date_created_gmt": gmt(p.Created), "date_modified_gmt": gmt(p.Updated),
		"categories": []any{map[string]any{"id": 9, "name": p.Category, "slug": "c"}}, "brands": []any{map[string]any{"id": 8, "name": p.Brand, "slug": "b"}},
		"tags": tags, "images": images, "parent_id": 0, "variations": []any{}, "meta_data": []any{}, "purchasable": true, "global_unique_id": "",
		"attributes": []any{map[string]any{"id": 0, "name": "Material", "variation": false, "options": []any{p.Material}}},
	}
	shown["virtual"], shown["downloadable"], shown["shipping_required"] = false, false, true
	if w.kind(n) == "simple" {
		w.stock(shown, p.First)
		w.delivery(shown, p.First)
		shown["date_modified_gmt"] = gmt(max(p.Updated, first.Levels[0].Updated, first.Levels[1].Updated))
		return shown
	}
	shown["sku"] = strings.ToUpper("P-" + strconv.Itoa(n))
	shown["manage_stock"], shown["stock_quantity"], shown["stock_status"], shown["backorders"] = false, nil, "instock", "no"
	ids := []any{}
	for k := range p.Count {
		ids = append(ids, firstVariation+p.First+k)
	}
	shown["variations"] = ids
	return shown
}

func (w *Platform) variation(product, n int) map[string]any {
	i := w.Items[n]
	attributes := []any{}
	for name, option := range map[string]string{"Size": i.Size, "Color": i.Color} {
		if option != "" {
			attributes = append(attributes, map[string]any{"id": 0, "name": name, "option": option})
		}
	}
	shown := map[string]any{
		"id": firstVariation + n, "type": "variation", "parent_id": firstProduct + product, "status": "publish", "sku": i.SKU, "price": w.ShowPrice(i),
		"attributes": attributes, "date_modified_gmt": gmt(max(i.Updated, w.Products[product].Created, i.Levels[0].Updated, i.Levels[1].Updated)),
		"description": "", "global_unique_id": "", "meta_data": []any{},
	}
	w.stock(shown, n)
	w.delivery(shown, n)
	return shown
}

func (w *Platform) customer(n int) map[string]any {
	c := w.Customers[n]
	return map[string]any{
		"id": firstCustomer + n, "email": c.Email, "first_name": c.First, "last_name": c.Last, "role": "customer", "is_paying_customer": c.Purchases > 0,
		"date_created_gmt": gmt(c.Created), "date_modified_gmt": gmt(c.Updated), "meta_data": []any{map[string]any{"id": 1, "key": "loyalty_tier", "value": c.Tier}},
	}
}

func (w *Platform) order(n int) map[string]any {
	if p := w.purchases[n]; p != nil {
		return w.show(p)
	}
	o := w.Orders[n]
	status := map[string]string{"paid": "processing", "fulfilled": "completed", "refunded": "refunded", "canceled": "cancelled"}[o.Status]
	meta := []any{map[string]any{"id": 1, "key": "_other", "value": map[string]any{"a": 1}}}
	if o.Reference != "" {
		meta = append(meta, map[string]any{"id": 2, "key": "haggle_order_id", "value": o.Reference})
	}
	lines := []any{}
	for _, l := range o.Lines {
		lines = append(lines, map[string]any{"id": l.Item, "sku": w.Items[l.Item].SKU, "quantity": l.Quantity, "total": host.Dollars(l.Cents * int64(l.Quantity))})
	}
	return map[string]any{
		"id": firstOrder + n, "number": strconv.Itoa(firstOrder + n), "status": status, "currency": "USD", "total": host.Dollars(o.Cents),
		"date_created_gmt": gmt(o.Placed), "date_modified_gmt": gmt(o.Updated), "billing": map[string]any{"email": w.Customers[o.Customer].Email},
		"line_items": lines, "meta_data": meta,
	}
}

// payload returns the record in the webhook of a change.
func (w *Platform) payload(c host.Changed) map[string]any {
	if strings.HasSuffix(c.Topic, "/delete") {
		number, _ := strconv.Atoi(w.id(host.ResourceOf(c.Topic), c))
		return map[string]any{"id": number}
	}
	switch host.ResourceOf(c.Topic) {
	case "products":
		return w.product(c.Index)
	case "customers":
		return w.customer(c.Index)
	}
	return w.order(c.Index)
}
