// Package custom is the look-alike of a merchant's own system: lists of records with cursors, orders, and Standard
// Webhooks. Data, faults and webhook delivery are those of package host.
package custom

import (
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms/internal/host"
)

// Platform is a merchant's own system.
type Platform struct {
	*host.Side
	*host.Shop
	purchases map[int]*purchase // by position among the shop's orders
	numbers   int               // of refunds so far
}

// Open adds the platform to the host.
func Open(p *host.Host) *Platform {
	s := &host.Shop{
		Config: p.Config,
		Stream: 2,
		Unit:   time.Millisecond,
	}
	c := &Platform{Shop: s, purchases: map[int]*purchase{}}
	c.Side = p.Side(host.Custom, s, func(_ int, text string) any { return map[string]any{"error": text} })
	s.Name = func(topic string, changed host.Changed) string { return c.payload(topic, changed)["id"].(string) }
	c.Hooks.Send, c.Side.Event = c.post, c.webhookBodies
	c.Route("GET", "/account", "account", c.keyed(func(*host.Call) host.Answer {
		account := map[string]any{"id": "acct-tarn", "name": "Tarn & Tundra", "currency": "USD"}
		if !p.Config.CustomReadOnly {
			account["writes_orders"] = true
		}
		return host.OK(account)
	}))
	for resource, list := range map[string]func(url.Values) lister{
		"products": always(c.listProducts), "inventory": c.listInventory, "customers": always(c.listCustomers), "orders": c.listOrders,
	} {
		c.Route("GET", "/"+resource, resource, c.keyed(func(call *host.Call) host.Answer { return c.list(call, list(call.URL.Query())) }))
	}
	c.routeOrders()
	c.Route("POST", "/webhooks", "webhooks", c.keyed(c.subscribe))
	c.Route("DELETE", "/webhooks/{id}", "webhooks", c.keyed(c.unsubscribe))
	return c
}

func (c *Platform) keyed(handle func(*host.Call) host.Answer) func(*host.Call) host.Answer {
	return func(call *host.Call) host.Answer {
		key, found := strings.CutPrefix(call.Header.Get("Authorization"), "Bearer ")
		if !found || subtle.ConstantTimeCompare([]byte(key), []byte(c.Host.Config.CustomKey)) != 1 {
			return c.Refuse(http.StatusUnauthorized, "the API key is missing or wrong")
		}
		return handle(call)
	}
}

// lister returns records after a position that changed since a time.
type lister func(w *host.World, since int64, after, limit int) (records []any, next, total int)

func always(list lister) func(url.Values) lister { return func(url.Values) lister { return list } }

func (c *Platform) list(call *host.Call, list lister) host.Answer {
	limit := call.Number("limit", 100)
	if limit < 1 || limit > 500 {
		return c.Refuse(http.StatusBadRequest, "limit must be 1 to 500")
	}
	after, good := readCursor(call.URL.Query().Get("cursor"))
	since, err := readSince(call.URL.Query().Get("updated_since"))
	if !good || err != nil {
		return c.Refuse(http.StatusBadRequest, "cursor or updated_since cannot be read")
	}
	var records []any
	var next, total int
	c.Read(func(w *host.World) { records, next, total = list(w, since, after, limit) })
	if records == nil {
		records = []any{}
	}
	body := map[string]any{"data": records, "next_cursor": nil, "total": total}
	if next >= 0 {
		body["next_cursor"] = writeCursor(next)
	}
	if call.Fault.Kind == host.Circle {
		body["next_cursor"] = writeCursor(after)
	}
	return host.OK(body)
}

func readSince(text string) (int64, error) {
	if text == "" {
		return -1 << 62, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return at.UnixMilli(), err
}

// Cursors are opaque to clients.
func writeCursor(position int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("after:" + strconv.Itoa(position)))
}

func readCursor(text string) (position int, good bool) {
	if text == "" {
		return -1, true
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	digits, found := strings.CutPrefix(string(raw), "after:")
	position, e := strconv.Atoi(digits)
	return position, err == nil && found && e == nil
}

func (c *Platform) listProducts(w *host.World, since int64, after, limit int) (records []any, next, total int) {
	will := func(n int) bool {
		p := w.Products[n]
		return p.Updated >= since && (!p.Deleted || since > 0) // only requests for changes list deleted records
	}
	found, next := host.Page(len(w.Products), after, limit, will)
	for _, n := range found {
		records = append(records, c.product(n))
	}
	return records, next, host.Tally(len(w.Products), will)
}

// The position of a stock level is twice that of its item, plus its location.
func (c *Platform) listInventory(query url.Values) lister {
	item, sku := query.Get("item_id"), query.Get("sku")
	return func(w *host.World, since int64, after, limit int) (records []any, next, total int) {
		will := func(n int) bool {
			i := w.Items[n/2]
			return i.Levels[n%2].Updated >= since && !w.Products[i.Product].Deleted &&
				(item == "" || customID("i", n/2) == item) && (sku == "" || i.SKU == sku)
		}
		found, next := host.Page(2*len(w.Items), after, limit, will)
		for _, n := range found {
			records = append(records, c.level(n/2, n%2))
		}
		return records, next, host.Tally(2*len(w.Items), will)
	}
}

func (c *Platform) listCustomers(w *host.World, since int64, after, limit int) (records []any, next, total int) {
	will := func(n int) bool {
		p := w.Customers[n]
		return p.Updated >= since && (!p.Deleted || since > 0)
	}
	found, next := host.Page(len(w.Customers), after, limit, will)
	for _, n := range found {
		records = append(records, c.customer(n))
	}
	return records, next, host.Tally(len(w.Customers), will)
}

func (c *Platform) listOrders(query url.Values) lister {
	reference := query.Get("reference")
	return func(w *host.World, since int64, after, limit int) (records []any, next, total int) {
		will := func(n int) bool {
			return w.Orders[n].Updated >= since && (reference == "" || w.Orders[n].Reference == reference)
		}
		found, next := host.Page(len(w.Orders), after, limit, will)
		for _, n := range found {
			records = append(records, c.order(n))
		}
		return records, next, host.Tally(len(w.Orders), will)
	}
}

// subscribe registers a webhook. If there is one with the topic and the address, it gets the new secret.
func (c *Platform) subscribe(call *host.Call) host.Answer {
	var asked struct{ Topic, URL, Secret string }
	if json.Unmarshal(call.Content, &asked) != nil || host.Changers[asked.Topic] == nil || asked.URL == "" {
		return c.Refuse(http.StatusUnprocessableEntity, "topic, url and secret are needed")
	}
	if _, err := signingKey(asked.Secret); err != nil {
		return c.Refuse(http.StatusUnprocessableEntity, "secret must be whsec_ and base64")
	}
	for _, h := range c.Hooks.List() {
		if h.Topic == asked.Topic && h.URL == asked.URL {
			h.Secret = asked.Secret
			c.Hooks.Replace(h)
			return host.OK(map[string]any{"id": customHook(h.Number)})
		}
	}
	h := c.Hooks.Add(host.Hook{
		Topic:  asked.Topic,
		URL:    asked.URL,
		Secret: asked.Secret,
	})
	return host.Answer{Status: http.StatusCreated, Body: map[string]any{"id": customHook(h.Number)}}
}

func customHook(number int) string { return "wh-" + strconv.Itoa(number) }

func (c *Platform) unsubscribe(call *host.Call) host.Answer {
	for _, h := range c.Hooks.List() {
		if customHook(h.Number) == call.PathValue("id") {
			c.Hooks.Remove(h.Number)
			return host.Answer{Status: http.StatusNoContent}
		}
	}
	return c.Refuse(http.StatusNotFound, "there is no such webhook")
}
