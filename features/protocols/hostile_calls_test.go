package protocols

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/exchange"
)

func exchangeWith(url string) *exchange.Client { return exchange.NewClient(exchange.Config{URL: url}) }

// visitor calls a shop's operations as an agent does, over REST or MCP.
type visitor struct {
	*testing.T
	shop    hostileShop
	client  string
	version string // before the path; "": the current one
	mcp     bool
	seen    []answered
}

// visit negotiates, buys and reads everything, over REST and MCP in both versions, and returns all responses.
func (s hostileShop) visit(t *testing.T) (all []answered) {
	t.Helper()
	for _, version := range []string{"", "/2026-04-08"} {
		for _, mcp := range []bool{false, true} {
			v := &visitor{
				T:       t,
				shop:    s,
				client:  newCaller(),
				version: version,
				mcp:     mcp,
			}
			if mcp {
				v.rpc("initialize", `{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "visitor", "version": "1"}}`)
				v.rpc("tools/list", `{}`)
			}
			v.browses()
			v.buys(v.haggles())
			v.isRefused()
			all = append(all, v.seen...)
		}
	}
	return all
}

func (v *visitor) browses() {
	product, variant := v.shop.items[0].product, v.shop.items[0].variant
	v.call("search_catalog", "", object{"query": "lantern"})
	v.call("lookup_catalog", "", object{"ids": []string{product, variant}})
	v.call("get_product", "", object{"id": product})
}

// haggles agrees on a price, and sends the text with every step.
func (v *visitor) haggles() (cart string) {
	message := v.shop.fit(2_000)
	asked := v.call("start_negotiation", "", object{
		"item":     object{"id": v.shop.items[0].variant},
		"quantity": 1,
		"message":  message,
		"context":  object{"intent": v.shop.fit(500)},
	})
	id := asked.text("id")
	low := v.call("make_offer", id, object{"offer": usd(1), "message": message})
	v.call("make_offer", id, object{"offer": usd(170_00), "message": message})
	stands := v.call("get_negotiation", id, nil)
	if stands["status"] == "accepted" {
		return low.text("cart_id")
	}
	v.call("accept_offer", id, object{"price": stands["standing_price"]})
	return low.text("cart_id")
}

func (v *visitor) buys(cart string) {
	v.call("get_cart", cart, nil)
	made := v.call("create_checkout", "", object{
		"cart_id":    cart,
		"line_items": []any{},
		"buyer":      object{"email": "ada@example.com", "first_name": v.shop.fit(90), "last_name": v.shop.fit(90)},
		"fulfillment": object{"methods": []any{object{"type": "shipping", "destinations": []any{object{
			"street_address":   v.shop.fit(180),
			"address_locality": v.shop.fit(90),
			"address_region":   "TX",
			"postal_code":      "78701",
			"address_country":  "US",
			"first_name":       v.shop.fit(90),
			"last_name":        v.shop.fit(90),
		}}}}},
	})
	id := made.text("id")
	v.call("get_checkout", id, nil)
	paid := v.call("complete_checkout", id, object{"payment": object{"instruments": []any{object{
		"id":         "i1",
		"handler_id": "psp_spt",
		"type":       "token",
		"credential": object{"type": "token", "token": "spt_sandbox_ok"},
	}}}})
	order, _ := paid["order"].(map[string]any)
	v.call("get_order", object(order).text("id"), nil)
}

// refusals is the number of calls in isRefused.
const refusals = 9

// isRefused makes calls that the shop refuses. The error messages must be the server's own text.
func (v *visitor) isRefused() {
	product, variant := v.shop.items[0].product, v.shop.items[0].variant
	v.call("start_negotiation", "", object{"item": object{"id": product}, "quantity": 1})
	v.call("start_negotiation", "", object{"item": object{"id": variant}, "quantity": 0})
	v.call("create_cart", "", object{"line_items": []any{object{"item": object{"id": variant}, "quantity": plenty * 2}}})
	v.call("create_cart", "", object{"line_items": []any{object{"item": object{"id": "unknown"}, "quantity": 1}}})
	v.call("create_checkout", "", object{
		"line_items": []any{object{"item": object{"id": variant}, "quantity": 1}},
		"discounts":  object{"codes": []string{"ct_unknown"}},
	})
	// These calls have the text as a value of the caller. The error may contain the value, but has to be an error.
	own := v.shop.fit(100)
	v.call("get_product", "", object{"id": own})
	v.call("start_negotiation", "", object{"item": object{"id": own}, "quantity": 1})
	v.call("create_cart", "", object{"line_items": own})
	v.call("create_checkout", "", object{"cart_id": own, "line_items": []any{}})
}

type object map[string]any

func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

func usd(amount int) object { return object{"amount": amount, "currency": "USD"} }

// operations has each operation's REST method and path, and the MCP argument with the body; if that is empty, the arguments are
// the body.
var operations = map[string]struct{ method, path, argument string }{
	"search_catalog":    {"POST", "/catalog/search", "catalog"},
	"lookup_catalog":    {"POST", "/catalog/lookup", "catalog"},
	"get_product":       {"POST", "/catalog/product", "catalog"},
	"start_negotiation": {"POST", "/negotiations", ""},
	"make_offer":        {"POST", "/negotiations/{id}/offers", ""},
	"get_negotiation":   {"GET", "/negotiations/{id}", ""},
	"accept_offer":      {"POST", "/negotiations/{id}/accept", ""},
	"create_cart":       {"POST", "/carts", "cart"},
	"get_cart":          {"GET", "/carts/{id}", ""},
	"create_checkout":   {"POST", "/checkout-sessions", "checkout"},
	"get_checkout":      {"GET", "/checkout-sessions/{id}", ""},
	"complete_checkout": {"POST", "/checkout-sessions/{id}/complete", "checkout"},
	"get_order":         {"GET", "/orders/{id}", ""},
}

// call calls an operation, records the response, and returns its object.
func (v *visitor) call(operation, id string, body object) object {
	v.Helper()
	o := operations[operation]
	if !v.mcp {
		text := []byte(nil)
		if body != nil {
			text, _ = json.Marshal(body)
		}
		return v.note("REST"+v.version+" "+operation, v.send(o.method, "/ucp"+strings.Replace(o.path, "{id}", id, 1), text))
	}
	arguments := object{"meta": object{"idempotency-key": rand.Text()}}
	if o.method == "GET" {
		delete(arguments, "meta")
	}
	if id != "" {
		arguments["id"] = id
	}
	for name, value := range body {
		if o.argument == "" {
			arguments[name] = value
		}
	}
	if o.argument != "" {
		arguments[o.argument] = body
	}
	text, _ := json.Marshal(object{"name": operation, "arguments": arguments})
	return v.result(operation, v.rpc("tools/call", string(text)))
}

// result returns a tool's response, which must be exactly one object.
func (v *visitor) result(tool string, message object) object {
	v.Helper()
	result, ok := message["result"].(map[string]any)
	if !ok {
		return nil // an error, which was recorded
	}
	content, _ := result["content"].([]any)
	if len(content) != 1 {
		v.Fatalf("%s: the content is %v", tool, content)
	}
	item, _ := content[0].(map[string]any)
	text, _ := item["text"].(string)
	structured, _ := result["structuredContent"].(map[string]any)
	var repeated map[string]any
	if item["type"] != "text" || len(item) != 2 || structured == nil || json.Unmarshal([]byte(text), &repeated) != nil {
		v.Fatalf("%s: the content is %v", tool, content)
	}
	if differ(structured, repeated, "$") != "" {
		v.Fatalf("%s: the text is no copy of the structured content: %.300s", tool, text)
	}
	for name := range result {
		if name != "content" && name != "structuredContent" && name != "_meta" {
			v.Fatalf("%s: the result has %s", tool, name)
		}
	}
	return structured
}

// rpc sends a message of MCP, and records the response without the copy of its structured content.
func (v *visitor) rpc(method, params string) object {
	v.Helper()
	body := v.send("POST", "/mcp", []byte(`{"jsonrpc": "2.0", "id": 1, "method": "`+method+`", "params": `+params+`}`))
	var message object
	if err := json.Unmarshal(body, &message); err != nil {
		v.Fatalf("%s: %v: %.500s", method, err, body)
	}
	noted := message
	if result, ok := message["result"].(map[string]any); ok && method == "tools/call" {
		noted = result["structuredContent"].(map[string]any)
	}
	v.seen = append(v.seen, answered{"MCP" + v.version + " " + method + " " + params, method != "tools/call", body, map[string]any(noted)})
	return message
}

func (v *visitor) note(step string, body []byte) object {
	v.Helper()
	var value map[string]any
	if err := json.Unmarshal(body, &value); err != nil {
		v.Fatalf("%s: %v: %.500s", step, err, body)
	}
	v.seen = append(v.seen, answered{step, false, body, value})
	return value
}

func (v *visitor) send(method, path string, body []byte) []byte {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, v.shop.url+"/p/"+v.shop.slug+v.version+path, bytes.NewReader(body))
	must(v, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("X-Forwarded-For", v.client)
	if !v.mcp {
		r.Header.Set("UCP-Agent", `profile="https://haggle.invalid`+v.version+`/agent"`)
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	answer, err := http.DefaultClient.Do(r)
	must(v, err)
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	must(v, err)
	return read
}
