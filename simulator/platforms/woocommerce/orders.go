package woocommerce

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// purchase is an order that was written through the API. The shop's lock protects it.
//
// This file follows developer.woocommerce.com/docs/apis/rest-api/v3/{orders,order-refunds,order-notes} and the source of
// woocommerce/woocommerce, plugins/woocommerce/includes:
// rest-api/Controllers/Version3/class-wc-rest-orders-controller.php, …/class-wc-rest-order-refunds-controller.php,
// Version2/class-wc-rest-orders-v2-controller.php, wc-stock-functions.php, wc-order-functions.php,
// abstracts/abstract-wc-order.php and class-wc-rest-authentication.php, all read on 2026-11-29.
type purchase struct {
	n                                int // position among the shop's orders
	status, currency                 string
	method, title, transaction, note string
	billing, shipping                map[string]any
	created, updated, paid, sent     int64 // ms; 0: never
	lines                            []*line
	meta                             []entry
	refunds                          []*refund
	notes                            []map[string]any
	reduced                          bool // its stock was reduced
	gone                             bool // deleted, and not in the trash
	whole                            bool // its total is rounded to no decimals
}

// line is a line item, a fee or a shipping line.
type line struct {
	id              int
	of              string // line_items, fee_lines, shipping_lines
	item            int    // negative: no product
	name, method    string
	quantity        int
	subtotal, total int64 // cents, without tax
	untaxed         bool
	tax             int64
	taken           int // _reduced_stock
	meta            []entry
}

// entry is an entry of meta_data.
type entry struct {
	id    int
	key   string
	value any
}

type refund struct {
	id     int
	cents  int64
	reason string
	made   int64
	lines  []map[string]any
	meta   []entry
}

// firstPart is the first id of lines, refunds and notes.
const firstPart = 3_000_000

func (w *Platform) next() int {
	w.parts++
	return firstPart + w.parts
}

func (w *Platform) routeOrders() {
	w.route("GET", "/orders", "orders", w.listOrders)
	w.route("POST", "/orders", "order_create", w.createOrder)
	w.route("POST", "/orders/batch", "account", w.batch)
	w.route("GET", "/orders/{id}", "order_read", func(c *host.Call) host.Answer { return w.withOrder(c, http.StatusNotFound, w.showOrder) })
	w.route("PUT", "/orders/{id}", "order_update", func(c *host.Call) host.Answer { return w.withOrder(c, http.StatusBadRequest, w.updateOrder) })
	w.route("DELETE", "/orders/{id}", "order_delete", func(c *host.Call) host.Answer { return w.withOrder(c, http.StatusNotFound, w.deleteOrder) })
	w.route("GET", "/orders/{id}/refunds", "refunds", func(c *host.Call) host.Answer { return w.withOrder(c, http.StatusNotFound, w.listRefunds) })
	w.route("POST", "/orders/{id}/refunds", "refund_create", func(c *host.Call) host.Answer { return w.withOrder(c, http.StatusNotFound, w.createRefund) })
	w.route("GET", "/orders/{id}/notes", "notes", func(c *host.Call) host.Answer { return w.withOrder(c, http.StatusNotFound, w.listNotes) })
	w.route("POST", "/orders/{id}/notes", "note_create", func(c *host.Call) host.Answer { return w.withOrder(c, http.StatusNotFound, w.createNote) })
}

// batch answers an empty batch: "create", "update" and "delete" are optional (class-wc-rest-controller.php, batch_items).
// Other batches are not supported.
func (w *Platform) batch(c *host.Call) host.Answer {
	var asked map[string]any
	if !host.ReadJSON(c.Content, &asked) || len(asked) > 0 {
		return w.coded(http.StatusBadRequest, "rest_invalid_param", "The look-alike serves empty batches alone.")
	}
	return host.OK(map[string]any{})
}

func (w *Platform) coded(status int, code, text string) host.Answer {
	a := w.Refuse(status, text)
	a.Body.(map[string]any)["code"] = code
	return a
}

// withOrder runs work with the order of the path, under the write lock.
func (w *Platform) withOrder(c *host.Call, missing int, work func(*host.Call, *purchase) host.Answer) (a host.Answer) {
	number, err := strconv.Atoi(c.PathValue("id"))
	w.Write(func(all *host.World) {
		n := number - firstOrder
		p := w.purchases[n]
		switch {
		case err == nil && p != nil && !p.gone:
			a = work(c, p)
		case err == nil && p == nil && n >= 0 && n < len(all.Orders) && c.Method == http.MethodGet && !strings.HasSuffix(c.URL.Path, "s"):
			a = host.OK(w.order(n))
		default:
			a = w.coded(missing, "woocommerce_rest_shop_order_invalid_id", "Invalid ID.")
		}
	})
	return a
}

func (w *Platform) showOrder(_ *host.Call, p *purchase) host.Answer { return host.OK(w.show(p)) }

// listOrders supports status, after and before (of the creation, "published"), modified_after, dates_are_gmt and order.
// It does not support search, because the searched fields depend on how the shop stores orders, and metadata is not among
// them (OrdersTableSearchQuery, wc_order_search).
func (w *Platform) listOrders(c *host.Call) host.Answer {
	modified, good := instant(c, "modified_after", -1<<62)
	after, good2 := instant(c, "after", -1<<62)
	before, good3 := instant(c, "before", 1<<62)
	if !good || !good2 || !good3 {
		return w.coded(http.StatusBadRequest, "rest_invalid_param", "Invalid parameter(s): modified_after, after, before")
	}
	status := c.URL.Query().Get("status")
	return w.read(func(all *host.World) host.Answer {
		last := len(all.Orders) - 1
		at := func(n int) int {
			if c.URL.Query().Get("order") == "asc" {
				return n
			}
			return last - n
		}
		return w.list(c, len(all.Orders), func(n int) bool {
			o, p := all.Orders[at(n)], w.purchases[at(n)]
			if p != nil && (p.gone || p.status == "trash" && status != "trash") {
				return false
			}
			return seconds(o.Updated) > modified && seconds(o.Placed) > after && seconds(o.Placed) < before &&
				(status == "" || status == "any" || w.order(at(n))["status"] == status)
		}, func(n int) any { return fields(c, w.order(at(n))) })
	})
}

// fields returns the fields of a record that _fields selects.
func fields(c *host.Call, all map[string]any) map[string]any {
	wanted := c.URL.Query().Get("_fields")
	if wanted == "" {
		return all
	}
	left := map[string]any{"id": all["id"]}
	for name := range strings.SplitSeq(wanted, ",") {
		if value, is := all[name]; is {
			left[name] = value
		}
	}
	return left
}

func (w *Platform) createOrder(c *host.Call) (a host.Answer) {
	w.Write(func(*host.World) {
		now := w.Tick(w.Host.Config.Now(), 0)
		p := &purchase{
			n:        -1,
			status:   "pending",
			currency: "USD",
			created:  now,
			updated:  now,
			billing:  map[string]any{},
			shipping: map[string]any{},
		}
		asked, problem := w.readOrder(c, p)
		if problem != nil {
			a = *problem
			return
		}
		w.calculate(p)
		var items, quantities []int
		for _, l := range p.lines {
			if l.item >= 0 {
				items, quantities = append(items, l.item), append(quantities, l.quantity)
			}
		}
		p.n = w.AddWritten(w.summary(p), items, quantities)
		w.purchases[p.n] = p
		w.setStatus(p, asked.Status)
		w.Announce([]host.Event{{Topic: "orders/create", Body: w.show(p)}})
		a = w.completePayment(c, p, asked, true)
		a.Status = max(a.Status, http.StatusCreated)
	})
	return a
}

// completePayment completes the payment of a saved order. The controller saves first and completes the payment then
// (save_object), so an order stays unpaid if the server dies in between.
func (w *Platform) completePayment(c *host.Call, p *purchase, asked orderRequest, creating bool) host.Answer {
	if c.Fault.Kind == host.Unpaid {
		return w.coded(http.StatusInternalServerError, "internal_server_error", "There has been a critical error on this website.")
	}
	if asked.SetPaid && (creating || p.needsPayment()) {
		w.complete(p, asked.Transaction)
	}
	return host.OK(w.show(p))
}

// needsPayment reports whether the order is "pending" or "failed" with a total that is not zero
// (WC_Order::needs_payment).
func (p *purchase) needsPayment() bool {
	return (p.status == "pending" || p.status == "failed") && p.total() > 0
}

// complete is payment_complete, for orders that are on hold, pending, failed or cancelled.
func (w *Platform) complete(p *purchase, transaction string) {
	if !slices.Contains([]string{"on-hold", "pending", "failed", "cancelled"}, p.status) {
		return
	}
	if transaction != "" {
		p.transaction = transaction
	}
	w.setStatus(p, "processing")
}

// setStatus changes the status and the stock: "processing", "completed" and "on-hold" reduce stock once, "cancelled" and
// "pending" restore it (wc-stock-functions.php). WooCommerce does not check whether there is enough.
func (w *Platform) setStatus(p *purchase, status string) {
	if status == "" || status == p.status {
		return
	}
	now := w.Tick(w.Host.Config.Now(), p.updated)
	p.status, p.updated = status, now
	switch status {
	case "processing", "completed", "on-hold":
		w.reduce(p)
	case "cancelled", "pending":
		w.restore(p)
	case "refunded": // wc_order_fully_refunded refunds the rest
		if left := p.total() - p.refunded(); left > 0 {
			p.refunds = append(p.refunds, &refund{
				id:     w.next(),
				cents:  left,
				reason: "Order fully refunded.",
				made:   now,
			})
		}
	}
	if (status == "processing" || status == "completed") && p.paid == 0 {
		p.paid = now
	}
	if status == "completed" && p.sent == 0 {
		p.sent = now
	}
	w.changed(p)
}

// changed updates the part of the order that all platforms show.
func (w *Platform) changed(p *purchase) {
	if p.n >= 0 {
		w.SetWritten(p.n, w.summary(p))
	}
}

func (w *Platform) summary(p *purchase) host.Written {
	status := map[string]string{"completed": "fulfilled", "refunded": "refunded", "cancelled": "canceled"}[p.status]
	if status == "" {
		status = "paid"
	}
	email, _ := p.billing["email"].(string)
	reference, _ := find(p.meta, "haggle_order_id").(string)
	return host.Written{
		Customer:  -1,
		Email:     email,
		Cents:     p.total(),
		Status:    status,
		Reference: reference,
		Placed:    p.created,
		Updated:   p.updated,
	}
}

func (w *Platform) reduce(p *purchase) {
	if p.reduced {
		return
	}
	p.reduced = true
	for _, l := range p.lines {
		if l.item >= 0 && w.managed(l.item) && l.taken == 0 {
			l.taken = l.quantity
			w.changeStock(l.item, -l.quantity)
		}
	}
}

func (w *Platform) restore(p *purchase) {
	if !p.reduced {
		return
	}
	p.reduced = false
	for _, l := range p.lines {
		if l.taken > 0 {
			w.changeStock(l.item, l.taken)
			l.taken = 0
		}
	}
}

// changeStock changes an item's stock. WooCommerce has a single figure, so the second location has what the first has not.
func (w *Platform) changeStock(item, by int) {
	first := max(by, -max(0, w.Items[item].Levels[0].Quantity))
	w.Stock(item, 0, first, w.Host.Config.Now())
	if by != first {
		w.Stock(item, 1, by-first, w.Host.Config.Now())
	}
}

// managed reports whether an item's stock is managed.
func (w *Platform) managed(item int) bool { return w.Items[item].Product%10 != 3 }

func find(list []entry, key string) any {
	for _, e := range list {
		if e.key == key {
			return e.value
		}
	}
	return nil
}
