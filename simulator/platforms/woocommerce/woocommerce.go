// Package woocommerce is the look-alike of a WooCommerce shop: the REST API v3 under /woocommerce/wp-json/wc/v3, with a
// consumer key and secret by basic authentication. Data, faults and webhook delivery are those of package host.
//
// Written from developer.woocommerce.com/docs/apis/rest-api (authentication, pagination, errors) and …/rest-api/v3/{products,
// product-variations,orders,customers,data,webhooks}, read in November 2026.
//
//	GET    /data/currencies/current
//	GET    /products, /products/{id}, /products/{id}/variations, /orders, /customers
//	POST   /orders                      GET, PUT and DELETE …/{id}; GET and POST …/{id}/refunds, …/{id}/notes
//	POST   /orders/batch                empty batches alone
//	GET    /webhooks                    POST; PUT and DELETE …/{id}, the latter with force=true
//
// Orders that apps write have lines, fees, shipping, refunds, notes and metadata. The shop computes their totals
// (Config.WooCommerceTax, …Whole), and their status changes the stock; see purchase. The resources of faults are
// order_create, order_read, order_update, order_delete, refund_create and note_create. The fault "unpaid" of order_create
// or order_update saves the order without completing its payment. Writes with a read-only key (Config.WooCommerceRead)
// get 401. Orders have one currency with two decimals, no coupons, and one tax rate. Seeded orders cannot be changed.
//
// Lists support page and per_page (to 100), have X-WP-Total, X-WP-TotalPages and Link, and are ordered by id.
// modified_after applies to products and orders, in the shop's time zone (New York) unless dates_are_gmt is set. A change
// of a variation does not change its product's time; WooCommerce does not document this. A change of stock calls no
// webhook.
//
// Of ten products, the fourth does not manage its stock and the eighth allows backorders. Webhooks are signed with
// X-WC-Webhook-Signature. A new webhook is pinged without a signature.
package woocommerce

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones, even if the system has none

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// The platform's name, and the secret of the consumer key Config.WooCommerceKey.
const (
	Name   = "woocommerce"
	Secret = "cs_woocommerce"
)

// Platform is a shop.
type Platform struct {
	*host.Side
	*host.Shop
	purchases map[int]*purchase // by position among the shop's orders
	parts     int               // ids of order parts so far
}

const root = "/wp-json/wc/v3"

var zone = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		return time.FixedZone("EST", -5*3600)
	}
	return zone
}()

const timeForm = "2006-01-02T15:04:05"

// Open adds the platform to the host.
func Open(p *host.Host) *Platform {
	s := &host.Shop{
		Config: p.Config,
		Stream: 5,
		Unit:   time.Second,
	}
	w := &Platform{Shop: s, purchases: map[int]*purchase{}}
	w.Side = p.Side(Name, s, func(status int, text string) any {
		return map[string]any{"code": "woocommerce_rest_" + strconv.Itoa(status), "message": text, "data": map[string]any{"status": status}}
	})
	s.Name = func(topic string, c host.Changed) string { return w.id(host.ResourceOf(topic), c) }
	w.Hooks.Send, w.Side.Event = w.sign, w.webhookBodies
	w.route("GET", "/data/currencies/current", "account", func(*host.Call) host.Answer {
		return host.OK(map[string]any{"code": "USD", "name": "United States (US) dollar", "symbol": "&#36;"})
	})
	w.route("GET", "/products", "products", w.products)
	w.route("GET", "/products/{id}", "products", w.oneProduct)
	w.route("GET", "/products/{id}/variations", "products", w.variations)
	w.route("GET", "/customers", "customers", w.customers)
	w.routeOrders()
	w.route("GET", "/webhooks", "webhooks", w.hooks)
	w.route("POST", "/webhooks", "webhooks", w.addHook)
	w.route("PUT", "/webhooks/{id}", "webhooks", w.changeHook)
	w.route("DELETE", "/webhooks/{id}", "webhooks", w.removeHook)
	return w
}

func (w *Platform) route(method, path, resource string, handle func(*host.Call) host.Answer) {
	w.Route(method, root+path, resource, func(c *host.Call) host.Answer {
		key, secret, _ := c.BasicAuth()
		if subtle.ConstantTimeCompare([]byte(key+"\x00"+secret), []byte(w.Host.Config.WooCommerceKey+"\x00"+Secret)) != 1 {
			a := w.Refuse(http.StatusUnauthorized, "Sorry, you cannot list resources.")
			a.Body.(map[string]any)["code"] = "woocommerce_rest_cannot_view"
			return a
		}
		if method != http.MethodGet && w.Host.Config.WooCommerceRead { // class-wc-rest-authentication.php, check_permissions
			return w.coded(http.StatusUnauthorized, "woocommerce_rest_authentication_error", "The API key provided does not have write permissions.")
		}
		return handle(c)
	})
}

// list returns a page of those of n records for which will returns true.
func (w *Platform) list(c *host.Call, n int, will func(int) bool, show func(int) any) host.Answer {
	number, size := c.Number("page", 1), c.Number("per_page", 10)
	if number < 1 || size < 1 || size > 100 {
		a := w.Refuse(http.StatusBadRequest, "Invalid parameter(s): page, per_page")
		a.Body.(map[string]any)["code"] = "rest_invalid_param"
		return a
	}
	var found []int
	for i := range n {
		if will(i) {
			found = append(found, i)
		}
	}
	shown := []any{}
	for _, i := range found[min((number-1)*size, len(found)):min(number*size, len(found))] {
		shown = append(shown, show(i))
	}
	pages := (len(found) + size - 1) / size
	if c.Fault.Kind == host.Circle {
		pages = number + 1
	}
	a := host.OK(shown).With("X-WP-Total", strconv.Itoa(len(found))).With("X-WP-TotalPages", strconv.Itoa(pages))
	if number < pages {
		next := *c.URL
		q := next.Query()
		q.Set("page", strconv.Itoa(number+1))
		next.RawQuery = q.Encode()
		a = a.With("Link", "<"+w.Host.Address("", c.Request)+next.String()[1:]+`>; rel="next"`)
	}
	return a
}

// seconds truncates a time to seconds, as WooCommerce does.
func seconds(ms int64) int64 { return ms - ms%1000 }

func (w *Platform) products(c *host.Call) host.Answer {
	since, good := instant(c, "modified_after", -1<<62)
	if !good {
		return w.Refuse(http.StatusBadRequest, "Invalid parameter(s): modified_after")
	}
	kind := c.URL.Query().Get("type")
	return w.read(func(all *host.World) host.Answer {
		return w.list(c, len(all.Products), func(n int) bool {
			p := all.Products[n]
			return !p.Deleted && seconds(p.Updated) > since && (kind == "" || kind == w.kind(n))
		}, func(n int) any { return w.product(n) })
	})
}

func (w *Platform) read(work func(*host.World) host.Answer) (a host.Answer) {
	w.Read(func(all *host.World) { a = work(all) })
	return a
}

func (w *Platform) oneProduct(c *host.Call) host.Answer {
	return w.read(func(all *host.World) host.Answer {
		if n, there := w.find(all, c.PathValue("id")); there {
			return host.OK(w.product(n))
		}
		if n, err := strconv.Atoi(c.PathValue("id")); err == nil && n >= firstVariation { // a variation is also a product
			if k := w.itemOf(n, ""); k >= 0 && !all.Products[all.Items[k].Product].Deleted {
				return host.OK(w.variation(all.Items[k].Product, k))
			}
		}
		return w.Refuse(http.StatusNotFound, "Invalid ID.")
	})
}

func (w *Platform) find(all *host.World, id string) (int, bool) {
	number, err := strconv.Atoi(id)
	n := number - firstProduct
	return n, err == nil && n >= 0 && n < len(all.Products) && !all.Products[n].Deleted
}

func (w *Platform) variations(c *host.Call) host.Answer {
	return w.read(func(all *host.World) host.Answer {
		n, there := w.find(all, c.PathValue("id"))
		if !there {
			return w.Refuse(http.StatusNotFound, "Invalid ID.")
		}
		count := all.Products[n].Count
		if w.kind(n) != "variable" {
			count = 0
		}
		return w.list(c, count, func(int) bool { return true }, func(k int) any { return w.variation(n, all.Products[n].First+k) })
	})
}

func (w *Platform) customers(c *host.Call) host.Answer {
	return w.read(func(all *host.World) host.Answer {
		return w.list(c, len(all.Customers), func(n int) bool { return !all.Customers[n].Deleted }, func(n int) any { return w.customer(n) })
	})
}

// topics maps changes to WooCommerce's webhook topics.
var topics = map[string]string{
	"product.created": "products/create", "product.updated": "products/update", "product.deleted": "products/delete",
	"order.created": "orders/create", "order.updated": "orders/updated", "order.deleted": "orders/delete",
	"customer.created": "customers/create", "customer.updated": "customers/update", "customer.deleted": "customers/delete",
}

func topicOf(change string) string {
	for topic, told := range topics {
		if told == change {
			return topic
		}
	}
	return change
}

func hookView(h host.Hook) map[string]any {
	return map[string]any{"id": h.Number, "name": "Haggle", "status": cmp.Or(h.Status, "active"), "topic": topicOf(h.Topic), "delivery_url": h.URL}
}

func (w *Platform) hooks(c *host.Call) host.Answer {
	all := w.Hooks.List()
	return w.list(c, len(all), func(int) bool { return true }, func(n int) any { return hookView(all[n]) })
}

type hookRequest struct {
	Topic  string `json:"topic"`
	URL    string `json:"delivery_url"`
	Secret string `json:"secret"`
	Status string `json:"status"`
}

func (w *Platform) addHook(c *host.Call) host.Answer {
	var asked hookRequest
	if !host.ReadJSON(c.Content, &asked) || topics[asked.Topic] == "" || !strings.HasPrefix(asked.URL, "http") {
		return w.Refuse(http.StatusBadRequest, "Webhook topic and delivery URL are required and must be valid.")
	}
	h := w.Hooks.Add(host.Hook{
		Topic:  topics[asked.Topic],
		URL:    asked.URL,
		Secret: asked.Secret,
	})
	w.Host.Calls.Go(func() {
		form := strings.NewReader("webhook_id=" + strconv.Itoa(h.Number))
		r, err := http.NewRequestWithContext(w.Host.Stop, http.MethodPost, h.URL, form)
		if err != nil {
			return
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if response, err := w.Host.Config.HTTP.Do(r); err == nil {
			_ = response.Body.Close()
		}
	})
	return host.Answer{Status: http.StatusCreated, Body: hookView(h)}
}

func (w *Platform) hook(c *host.Call) (host.Hook, bool) {
	all := w.Hooks.List()
	n := slices.IndexFunc(all, func(h host.Hook) bool { return strconv.Itoa(h.Number) == c.PathValue("id") })
	if n < 0 {
		return host.Hook{}, false
	}
	return all[n], true
}

func (w *Platform) changeHook(c *host.Call) host.Answer {
	var asked hookRequest
	h, there := w.hook(c)
	if !there || !host.ReadJSON(c.Content, &asked) {
		return w.Refuse(http.StatusNotFound, "Invalid ID.")
	}
	h.Secret = asked.Secret
	if asked.Status == "active" {
		h.Status = ""
	}
	w.Hooks.Replace(h)
	return host.OK(hookView(h))
}

func (w *Platform) removeHook(c *host.Call) host.Answer {
	h, there := w.hook(c)
	switch {
	case !there:
		return w.Refuse(http.StatusNotFound, "Invalid ID.")
	case c.URL.Query().Get("force") != "true":
		return w.Refuse(http.StatusNotImplemented, "Webhooks do not support trashing.")
	}
	w.Hooks.Remove(h.Number)
	return host.OK(hookView(h))
}

func (w *Platform) sign(h host.Hook, d host.Delivery) (http.Header, error) {
	sum := hmac.New(sha256.New, []byte(h.Secret))
	sum.Write(d.Signed)
	topic := topicOf(h.Topic)
	resource, event, _ := strings.Cut(topic, ".")
	header := http.Header{}
	for name, value := range map[string]string{
		"Topic": topic, "Resource": resource, "Event": event, "ID": strconv.Itoa(h.Number), "Delivery-ID": d.ID,
		"Source": w.Host.Address(Name, nil) + "/", "Signature": base64.StdEncoding.EncodeToString(sum.Sum(nil)),
	} {
		header.Set("X-WC-Webhook-"+name, value)
	}
	return header, nil
}

// webhookBodies returns the webhook body of a change, and a forged one.
func (w *Platform) webhookBodies(c host.Changed, _ time.Time) (body, forged any) {
	shown := w.payload(c)
	altered := map[string]any{}
	for name, value := range shown {
		altered[name] = value
	}
	altered["name"], altered["price"], altered["total"] = "Forged", "0.01", "0.01"
	return shown, altered
}

func address(parts ...string) string {
	return "https://images.example.com/" + url.PathEscape(strings.Join(parts, "-")) + ".jpg"
}
