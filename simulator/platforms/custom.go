package platforms

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// custom is a merchant's own system.
type custom struct {
	*side
	*shop
}

func openCustom(p *Platforms) *custom {
	s := &shop{config: p.config, stream: 2, unit: time.Millisecond}
	c := &custom{shop: s}
	c.side = p.side(Custom, s, func(_ int, text string) any { return map[string]any{"error": text} })
	s.name = func(topic string, changed Changed) string { return c.payload(topic, changed)["id"].(string) }
	c.hooks.send, c.side.event = c.post, c.tell
	c.route("GET", "/account", "account", c.keyed(func(*call) answer {
		return ok(map[string]any{"id": "acct-tarn", "name": "Tarn & Tundra", "currency": "USD"})
	}))
	for resource, list := range map[string]lister{
		"products": c.listProducts, "inventory": c.listInventory, "customers": c.listCustomers, "orders": c.listOrders,
	} {
		c.route("GET", "/"+resource, resource, c.keyed(func(call *call) answer { return c.list(call, list) }))
	}
	c.route("POST", "/webhooks", "webhooks", c.keyed(c.subscribe))
	c.route("DELETE", "/webhooks/{id}", "webhooks", c.keyed(c.unsubscribe))
	return c
}

func (c *custom) keyed(handle func(*call) answer) func(*call) answer {
	return func(call *call) answer {
		key, found := strings.CutPrefix(call.Header.Get("Authorization"), "Bearer ")
		if !found || subtle.ConstantTimeCompare([]byte(key), []byte(c.p.config.CustomKey)) != 1 {
			return c.refuse(http.StatusUnauthorized, "the API key is missing or wrong")
		}
		return handle(call)
	}
}

// lister shows those of n records from after one position that changed since.
type lister func(w *world, since int64, after, limit int) (records []any, next, total int)

func (c *custom) list(call *call, list lister) answer {
	limit := call.number("limit", 100)
	if limit < 1 || limit > 500 {
		return c.refuse(http.StatusBadRequest, "limit must be 1 to 500")
	}
	after, good := readCursor(call.URL.Query().Get("cursor"))
	since, err := readSince(call.URL.Query().Get("updated_since"))
	if !good || err != nil {
		return c.refuse(http.StatusBadRequest, "cursor or updated_since cannot be read")
	}
	var records []any
	var next, total int
	c.read(func(w *world) { records, next, total = list(w, since, after, limit) })
	if records == nil {
		records = []any{}
	}
	body := map[string]any{"data": records, "next_cursor": nil, "total": total}
	if next >= 0 {
		body["next_cursor"] = writeCursor(next)
	}
	if call.fault.Kind == circle {
		body["next_cursor"] = writeCursor(after)
	}
	return ok(body)
}

func readSince(text string) (int64, error) {
	if text == "" {
		return -1 << 62, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return at.UnixMilli(), err
}

// A cursor is opaque to clients.
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

func (c *custom) listProducts(w *world, since int64, after, limit int) (records []any, next, total int) {
	will := func(n int) bool {
		p := w.products[n]
		return p.updated >= since && (!p.deleted || since > 0) // what is gone is told only to who asks for changes
	}
	found, next := page(len(w.products), after, limit, will)
	for _, n := range found {
		records = append(records, c.product(n))
	}
	return records, next, tally(len(w.products), will)
}

func tally(n int, will func(int) bool) (total int) {
	for i := range n {
		if will(i) {
			total++
		}
	}
	return total
}

// A level's position is that of its item, twice, plus its place.
func (c *custom) listInventory(w *world, since int64, after, limit int) (records []any, next, total int) {
	will := func(n int) bool {
		i := w.items[n/2]
		return i.levels[n%2].updated >= since && !w.products[i.product].deleted
	}
	found, next := page(2*len(w.items), after, limit, will)
	for _, n := range found {
		records = append(records, c.level(n/2, n%2))
	}
	return records, next, tally(2*len(w.items), will)
}

func (c *custom) listCustomers(w *world, since int64, after, limit int) (records []any, next, total int) {
	will := func(n int) bool {
		p := w.customers[n]
		return p.updated >= since && (!p.deleted || since > 0)
	}
	found, next := page(len(w.customers), after, limit, will)
	for _, n := range found {
		records = append(records, c.customer(n))
	}
	return records, next, tally(len(w.customers), will)
}

func (c *custom) listOrders(w *world, since int64, after, limit int) (records []any, next, total int) {
	will := func(n int) bool { return w.orders[n].updated >= since }
	found, next := page(len(w.orders), after, limit, will)
	for _, n := range found {
		records = append(records, c.order(n))
	}
	return records, next, tally(len(w.orders), will)
}

// subscribe keeps the secret it was given, or makes one.
func (c *custom) subscribe(call *call) answer {
	var asked struct{ Topic, URL, Secret string }
	if json.Unmarshal(call.body, &asked) != nil || changers[asked.Topic] == nil || asked.URL == "" {
		return c.refuse(http.StatusUnprocessableEntity, "topic, url and secret are needed")
	}
	if _, err := signingKey(asked.Secret); err != nil {
		return c.refuse(http.StatusUnprocessableEntity, "secret must be whsec_ and base64")
	}
	h := c.hooks.add(hook{Topic: asked.Topic, URL: asked.URL, Secret: asked.Secret})
	return answer{status: http.StatusCreated, body: map[string]any{"id": customHook(h.Number)}}
}

func customHook(number int) string { return "wh-" + strconv.Itoa(number) }

func (c *custom) unsubscribe(call *call) answer {
	for _, h := range c.hooks.list() {
		if customHook(h.Number) == call.PathValue("id") {
			c.hooks.remove(h.Number)
			return answer{status: http.StatusNoContent}
		}
	}
	return c.refuse(http.StatusNotFound, "there is no such webhook")
}

func randomText(n int) string {
	raw := make([]byte, n)
	_, _ = rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}
