package boot_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// mcpClient is an MCP client that knows only the address of a shop's endpoint.
type mcpClient struct {
	*testing.T
	session *mcp.ClientSession
}

func newMCPClient(t *testing.T, address string) mcpClient {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return mcpClient{t, session}
}

func (m mcpClient) call(tool, arguments string) map[string]any {
	m.Helper()
	result, err := m.session.CallTool(m.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		m.Fatalf("%s %s: %v", tool, arguments, err)
	}
	answer, ok := result.StructuredContent.(map[string]any)
	text, _ := result.Content[0].(*mcp.TextContent)
	var repeated map[string]any
	if !ok || text == nil || json.Unmarshal([]byte(text.Text), &repeated) != nil || len(repeated) != len(answer) {
		m.Fatalf("%s: %v beside %v", tool, result.StructuredContent, result.Content)
	}
	return answer
}

// valueAt returns the value at a path such as totals.0.amount. In a path | stands for a dot in a name, and a number for the first
// element of a list.
func valueAt(t *testing.T, value any, path string) any {
	t.Helper()
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[strings.ReplaceAll(step, "|", ".")]
		case []any:
			if len(v) == 0 {
				return nil
			}
			value = v[0]
		}
	}
	return value
}

func textAt(t *testing.T, value any, path string) string {
	t.Helper()
	found, _ := valueAt(t, value, path).(string)
	return found
}

const (
	buyerJSON = `"buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Byron"}, "fulfillment": {"methods": [{"type": "shipping",
  "destinations": [{"street_address": "1 Main St", "address_locality": "Austin", "address_region": "TX", "postal_code": "78701",
    "address_country": "US", "first_name": "Ada", "last_name": "Byron"}]}]}`
	paymentJSON = `"payment": {"instruments": [{"id": "i1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}`
)

// A plain MCP client negotiates, checks out and pays. The redeemed deal cannot be used again.
func TestServeTools_purchase(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		for _, prefix := range []string{"", "/2026-04-08"} {
			t.Run(engine.Name+prefix, func(t *testing.T) {
				t.Parallel()
				app := boottest.Start(t, engine.URL(t))
				demo, err := app.Demo(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				buysOverMCP(t, app, demo, prefix)
			})
		}
	}
}

func buysOverMCP(t *testing.T, app *boot.App, demo boot.DemoShop, prefix string) {
	m := newMCPClient(t, app.URL()+"/p/demo"+prefix+"/mcp")
	asked := m.call("start_negotiation", `{"item": {"id": "`+demo.Variant.String()+`"}, "quantity": 1}`)
	if textAt(t, asked, "status") != "open" || textAt(t, asked, "id") == "" {
		t.Fatalf("asked: %v", asked)
	}
	quote, cart := textAt(t, asked, "id"), textAt(t, asked, "cart_id")
	currency := textAt(t, asked, "standing_price.currency")
	low := m.call("make_offer", `{"id": "`+quote+`", "offer": {"amount": 1, "currency": "`+currency+`"}}`)
	if textAt(t, low, "status") != "rejected" || valueAt(t, low, "hint.amount") == nil {
		t.Fatalf("a low offer: %v", low)
	}
	wrong := m.call("accept_offer", `{"id": "`+quote+`", "price": {"amount": 1, "currency": "`+currency+`"}}`)
	if textAt(t, wrong, "messages.0.code") != "price_changed" || textAt(t, wrong, "status") != "rejected" {
		t.Fatalf("another price: %v", wrong)
	}
	price, _ := json.Marshal(valueAt(t, low, "standing_price"))
	const key = `"meta": {"idempotency-key": "3f0c4a52-8a51-4e3e-9d27-7f1b5d8b3a10"}`
	accept := `{` + key + `, "id": "` + quote + `", "price": ` + string(price) + `}`
	agreed := m.call("accept_offer", accept)
	code := textAt(t, agreed, "deal.code")
	if textAt(t, agreed, "status") != "accepted" || code == "" {
		t.Fatalf("accepted: %v", agreed)
	}
	if again := m.call("accept_offer", accept); textAt(t, again, "deal.code") != code {
		t.Errorf("the same request again: %v", again)
	}
	if read := m.call("get_negotiation", `{"id": "`+quote+`"}`); textAt(t, read, "status") != "accepted" || read["deal"] != nil {
		t.Errorf("read: %v", read)
	}
	made := m.call("create_checkout", `{"checkout": {"cart_id": "`+cart+`", "line_items": [], `+buyerJSON+`}}`)
	if textAt(t, made, "status") != "ready_for_complete" {
		t.Fatalf("checkout: %v", made)
	}
	id := textAt(t, made, "id")
	pay := `{"meta": {"idempotency-key": "9f0c4a52-8a51-4e3e-9d27-7f1b5d8b3a11"}, "id": "` + id + `", "checkout": {` + paymentJSON + `}}`
	paid := m.call("complete_checkout", pay)
	if textAt(t, paid, "status") != "completed" || textAt(t, paid, "order.id") == "" {
		t.Fatalf("paid: %v", paid)
	}
	late := m.call("update_cart", `{"id": "`+cart+`", "cart": {"line_items": [{"item": {"id": "`+demo.Variant.String()+`"}, "quantity": 1}], "discounts": {"codes": ["`+code+`"]}}}`)
	if textAt(t, late, "messages.0.code") != "deal_redeemed" {
		t.Errorf("the deal once more: %v", late)
	}
	many := m.call("start_negotiation", `{"item": {"id": "`+demo.Product.String()+`"}}`)
	if textAt(t, many, "messages.0.code") != "item_unavailable" || !strings.Contains(textAt(t, many, "messages.0.content"), "variants") {
		t.Errorf("a product with several variants: %v", many)
	}
	refused := m.call("get_negotiation", `{"id": "quote_unknown"}`)
	if textAt(t, refused, "messages.0.code") != "not_found" || textAt(t, refused, "ucp.status") != "error" {
		t.Errorf("an unknown negotiation: %v", refused)
	}
}

// A deal that was made over MCP is redeemed over UCP, and then refused over ACP.
func TestServeTools_dealRedeemedOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			app := boottest.Start(t, engine.URL(t))
			demo, err := app.Demo(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m := newMCPClient(t, app.URL()+"/p/demo/mcp")
			asked := m.call("start_negotiation", `{"lines": [{"item": {"id": "`+demo.Variant.String()+`"}, "quantity": 2}], "terms": {}}`)
			price, _ := json.Marshal(valueAt(t, asked, "standing_price"))
			agreed := m.call("accept_offer", `{"id": "`+textAt(t, asked, "id")+`", "price": `+string(price)+`}`)
			code := textAt(t, agreed, "deal.code")

			ucp := app.URL() + "/p/demo/ucp"
			made := post(t, ucp+"/checkout-sessions", `{"line_items": [{"item": {"id": "`+demo.Variant.String()+`"}, "quantity": 2}],
  "discounts": {"codes": ["`+code+`"]}, `+buyerJSON+`}`)
			paid := post(t, ucp+"/checkout-sessions/"+textAt(t, made, "id")+"/complete", `{`+paymentJSON+`}`)
			if textAt(t, paid, "status") != "completed" {
				t.Fatalf("over UCP: %v, after %v", paid, made)
			}
			own := post(t, app.URL()+"/p/demo/acp/checkout/init", `{"session_id": "`+textAt(t, asked, "cart_id")+`", "items": [{"product_id": "`+
				demo.Product.String()+`", "variant_id": "`+demo.Variant.String()+`", "quantity": 2, "checkout_token": "`+code+`"}],
  "shipping_address": {"name": "Ada", "line1": "1 Main St", "city": "Austin", "state": "TX", "postal_code": "78701", "country": "US"}}`)
			if !strings.Contains(textAt(t, own, "error.code")+textAt(t, own, "code"), "token_redeemed") {
				t.Errorf("over Haggle's own: %v", own)
			}
		})
	}
}

func post(t *testing.T, url, body string) (answer map[string]any) {
	t.Helper()
	sent, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	sent.Header.Set("Content-Type", "application/json")
	sent.Header.Set("UCP-Agent", `profile="https://haggle.invalid/agent"`)
	r, err := http.DefaultClient.Do(sent)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// Valid and invalid messages are answered with the expected status and JSON-RPC error code.
func TestServeTools_refusals(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	if _, err := app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := func(tool, arguments string) string {
		return `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "` + tool + `", "arguments": ` + arguments + `}}`
	}
	get := call("get_cart", `{"id": "sess_unknown"}`)
	for name, c := range map[string]struct {
		method, path, body string
		header             [2]string
		status             int
		code               int64
	}{
		"a call":                      {"POST", "/p/demo/mcp", get, [2]string{}, 200, 0},
		"one type accepted":           {"POST", "/p/demo/mcp", get, [2]string{"Accept", "application/json"}, 200, 0},
		"the other one":               {"POST", "/p/demo/mcp", get, [2]string{"Accept", "text/event-stream"}, 200, 0},
		"its own origin":              {"POST", "/p/demo/mcp", get, [2]string{"Origin", app.URL()}, 200, 0},
		"another origin":              {"POST", "/p/demo/mcp", get, [2]string{"Origin", "https://evil.example"}, 403, jsonrpc.CodeInvalidRequest},
		"no origin at all":            {"POST", "/p/demo/mcp", get, [2]string{"Origin", "null"}, 403, jsonrpc.CodeInvalidRequest},
		"another host":                {"POST", "/p/demo/mcp", get, [2]string{"Host", "evil.example"}, 403, jsonrpc.CodeInvalidRequest},
		"a GET":                       {"GET", "/p/demo/mcp", "", [2]string{}, 405, jsonrpc.CodeInvalidRequest},
		"a DELETE":                    {"DELETE", "/p/demo/mcp", "", [2]string{}, 405, jsonrpc.CodeInvalidRequest},
		"two messages":                {"POST", "/p/demo/mcp", "[" + get + "," + get + "]", [2]string{}, 400, jsonrpc.CodeInvalidRequest},
		"no JSON":                     {"POST", "/p/demo/mcp", "{", [2]string{}, 400, jsonrpc.CodeParseError},
		"too deep":                    {"POST", "/p/demo/mcp", call("get_cart", strings.Repeat(`{"id":`, 40)+`1`+strings.Repeat(`}`, 40)), [2]string{}, 400, jsonrpc.CodeInvalidRequest},
		"too large":                   {"POST", "/p/demo/mcp", call("get_cart", `{"id": "`+strings.Repeat("x", 64<<10)+`"}`), [2]string{}, 413, jsonrpc.CodeInvalidRequest},
		"an unknown tool":             {"POST", "/p/demo/mcp", call("drop_tables", `{}`), [2]string{}, 400, jsonrpc.CodeInvalidParams},
		"an unknown method":           {"POST", "/p/demo/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/sell"}`, [2]string{}, 404, jsonrpc.CodeMethodNotFound},
		"an unknown shop":             {"POST", "/p/nobody/mcp", get, [2]string{}, 404, -32000},
		"no id":                       {"POST", "/p/demo/mcp", call("get_cart", `{}`), [2]string{}, 400, jsonrpc.CodeInvalidParams},
		"a wrong type":                {"POST", "/p/demo/mcp", call("create_cart", `{"cart": {"line_items": "all"}}`), [2]string{}, 400, jsonrpc.CodeInvalidParams},
		"no body":                     {"POST", "/p/demo/mcp", call("create_cart", `{}`), [2]string{}, 400, jsonrpc.CodeInvalidParams},
		"no key":                      {"POST", "/p/demo/mcp", call("complete_checkout", `{"id": "chk_unknown", "checkout": {}}`), [2]string{}, 400, jsonrpc.CodeInvalidParams},
		"a key that may be guessed":   {"POST", "/p/demo/mcp", call("cancel_cart", `{"id": "sess_unknown", "meta": {"idempotency-key": "1"}}`), [2]string{}, 400, jsonrpc.CodeInvalidParams},
		"a profile that is no URL":    {"POST", "/p/demo/mcp", call("get_cart", `{"id": "sess_unknown", "meta": {"ucp-agent": {"profile": "me"}}}`), [2]string{}, 400, -32001},
		"an id that leads elsewhere":  {"POST", "/p/demo/mcp", call("get_cart", `{"id": "../checkout-sessions/x"}`), [2]string{}, 200, 0},
		"an offer of another shop's":  {"POST", "/p/demo/mcp", call("make_offer", `{"id": "quote_0000000000000000000000000a", "offer": {"amount": 5, "currency": "USD"}}`), [2]string{}, 200, 0},
		"a tool's operation directly": {"POST", "/p/demo/mcp/tools/carts", `{"line_items": []}`, [2]string{}, 404, 0},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, app.URL()+c.path, bytes.NewReader([]byte(c.body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		switch c.header[0] {
		case "Host":
			r.Host = c.header[1]
		case "":
		default:
			r.Header.Set(c.header[0], c.header[1])
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		var said struct {
			Error struct {
				Code int64 `json:"code"`
			} `json:"error"`
		}
		_ = json.Unmarshal(body, &said)
		if answer.StatusCode != c.status || said.Error.Code != c.code {
			t.Errorf("%s: %d %s", name, answer.StatusCode, body)
		}
	}
}

// Every tool and parameter has a description, descriptions are short, and annotations are right, because models trust them.
func TestServeTools_descriptions(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	if _, err := app.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	listed, err := newMCPClient(t, app.URL()+"/p/demo/mcp").session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Tools) != 18 {
		t.Errorf("%d tools", len(listed.Tools))
	}
	if all, _ := json.Marshal(listed); len(all) > 32<<10 {
		t.Errorf("the list has %d bytes", len(all))
	}
	for _, tool := range listed.Tools {
		for _, field := range undescribed(tool.InputSchema, "") {
			t.Errorf("%s does not say what %s is", tool.Name, field)
		}
		schema, _ := json.Marshal(tool.InputSchema)
		if strings.Contains(string(schema), "$ref") || len(tool.Description) > 500 || tool.Description == "" || tool.OutputSchema != nil {
			t.Errorf("%s: %d characters, schema %s", tool.Name, len(tool.Description), schema)
		}
		a := tool.Annotations
		if reads := strings.HasPrefix(tool.Name, "get_") || strings.HasSuffix(tool.Name, "_catalog"); a.ReadOnlyHint != reads || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if pays := strings.HasPrefix(tool.Name, "cancel_") || tool.Name == "complete_checkout"; pays && (!*a.DestructiveHint || a.IdempotentHint) {
			t.Errorf("%s: %+v", tool.Name, a)
		}
	}
}

// plainFields need no description, because their names are clear.
var plainFields = []string{"first_name", "last_name", "phone_number", "extended_address", "postal_code", "selected", "name", "label"}

// undescribed returns the paths of strings, numbers and booleans in a schema that have no description.
func undescribed(schema any, path string) (fields []string) {
	s, _ := schema.(map[string]any)
	if items, ok := s["items"].(map[string]any); ok && items["properties"] != nil {
		return undescribed(items, path+"[]")
	}
	properties, _ := s["properties"].(map[string]any)
	for name, field := range properties {
		fields = append(fields, undescribed(field, path+"."+name)...)
	}
	name := path[strings.LastIndex(path, ".")+1:]
	if len(properties) == 0 && s["type"] != "object" && s["description"] == nil && !slices.Contains(plainFields, name) {
		fields = append(fields, path)
	}
	return fields
}
