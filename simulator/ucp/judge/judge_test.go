package judge_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

var all = judge.Capabilities{judge.Search, judge.Lookup, judge.Cart, judge.Checkout, judge.Order, judge.Discount, judge.Fulfillment}

var noon = func() time.Time { return time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC) }

// strict is the judge that the scenarios use: with Haggle's own rules and a clock.
func strict(version schema.Version) judge.Judge { return judge.New(version).House().At(noon) }

func TestAnswer_rightMessages(t *testing.T) {
	for version, answers := range messages(t) {
		for name, body := range answers {
			operation := judge.Operation(name)
			if name == "error" {
				operation = judge.GetCheckout
			}
			if err := strict(version).Answer(operation, all, body); err != nil {
				t.Errorf("%s %s:\n%v", version, name, err)
			}
		}
		if err := strict(version).Answer(judge.OrderWebhook, all, answers["get_order"]); err != nil {
			t.Error(err)
		}
	}
}

// A shop on the local machine has no host that could own a name. It may publish its own schemas there, but none of UCP's.
func TestAnswer_profileOnThisMachine(t *testing.T) {
	const own, other = "$.ucp.capabilities['com.example.shop.negotiation.quote'][0]", "$.ucp.capabilities['dev.ucp.shopping.cart'][0]"
	for version, answers := range messages(t) {
		for _, field := range []string{".schema", ".spec"} {
			body := mutated(t, answers["business_profile"], own+field, `"http://127.0.0.1:8080/ucp/schemas/negotiation.json"`)
			if err := strict(version).Answer(judge.BusinessProfile, all, body); err != nil {
				t.Errorf("%s:\n%v", version, err)
			}
			body = mutated(t, body, other+field, `"http://127.0.0.1:8080/cart.json"`)
			if err := strict(version).Answer(judge.BusinessProfile, all, body); err == nil {
				t.Errorf("%s: the cart's %s may lie on this machine", version, field)
			}
		}
	}
}

// mutation changes one place of a valid message. An empty to removes it.
type mutation struct {
	operation judge.Operation
	path      string
	to        string // JSON; "" removes
	want      string // in the error
}

var mutations = []mutation{
	{"create_checkout", "$.totals[4].amount", `48885`, "$.totals: all but the total add up to 48884, the total is 48885"},
	{"create_checkout", "$.totals[0].type", `"fee"`, "$.totals: there must be one entry of type subtotal"},
	{"create_checkout", "$.totals[2].lines", `[{"display_text": "a", "amount": 499}]`, "$.totals[2].lines: they add up to 499, the entry is 500"},
	{"create_checkout", "$.totals[1].amount", `-5000`, "the lines' items_discount add up to -5100, it is -5000"},
	{"create_checkout", "$.line_items[0].totals[0].amount", `49901`, "$.line_items[0].totals"},
	{"create_checkout", "$.line_items[0].item.price", `24951`, "2 × 24951 is not the subtotal 49900"},
	{"create_checkout", "$.line_items[0].quantity", `1.5`, "$.line_items[0].quantity"},
	{"create_checkout", "$.line_items[0].id", `"li_9"`, `there is no line "li_1"`},
	{"create_checkout", "$.currency", `"usd"`, "is no ISO 4217 code"},
	{"create_checkout", "$.links", ``, "missing property 'links'"},
	{"create_checkout", "$.status", `"open"`, "$.status"},
	{"create_checkout", "$.status", `"completed"`, "an order is there exactly when the status is completed"},
	{"create_checkout", "$.order", `{"id": "o", "permalink_url": "https://shop.example.com/o"}`, "an order is there exactly when"},
	{"create_checkout", "$.status", `"requires_escalation"`, "an escalation needs a message with severity"},
	{"create_checkout", "$.messages", `[{"type": "error", "code": "x", "content": "y", "severity": "requires_buyer_review"}]`, "and a message wants the buyer"},
	{"create_checkout", "$.messages", `[{"type": "error", "code": "x", "content": "y", "severity": "unrecoverable"}]`, "an unrecoverable error leaves no checkout"},
	{"create_checkout", "$.messages", `[{"type": "error", "code": "x", "content": "y", "severity": "recoverable", "path": "buyer.email"}]`, "is no RFC 9535 path"},
	{"create_checkout", "$.messages", `[{"type": "info", "code": "x", "content": "y", "path": "$.line_items[1]"}]`, "there is no element 1"},
	{"create_checkout", "$.messages", `[{"type": "info", "code": "x", "content": "y", "path": "$.nonsense"}]`, `there is no "nonsense" in such an answer`},
	{"create_checkout", "$.messages", `[{"type": "info", "code": "x", "content": "y", "path": "$.line_items[?@.id=='z']"}]`, "selects nothing"},
	{"create_checkout", "$.status", `"incomplete"`, "an incomplete checkout says in an error what is missing"},
	{"create_checkout", "$.expires_at", `"2026-12-01T09:59:59Z"`, "$.expires_at: it is over"},
	{"create_checkout", "$.expires_at", `"tomorrow"`, "$.expires_at"},
	{"create_checkout", "$.continue_url", `"http://shop.example.com/c"`, "is no absolute https address"},
	{"create_checkout", "$.ucp.version", `"2026-01-11"`, "was agreed on"},
	{"create_checkout", "$.ucp.capabilities", `{"dev.ucp.shopping.checkout": [{"version": "2026-08-25"}], "dev.ucp.shopping.cart": [{"version": "2026-08-25"}]}`, "it does not matter to create_checkout"},
	{"create_checkout", "$.ucp.capabilities", `{}`, "dev.ucp.shopping.checkout is not named"},
	{"create_checkout", "$.ucp.payment_handlers", ``, "missing property 'payment_handlers'"},
	{"create_checkout", "$.ucp.request_constraints", `{"path": "line_items"}`, "$.ucp.request_constraints"},
	{"create_checkout", "$.ucp.map_order", `{"payment_handlers": ["com.other"]}`, "is not in the map"},
	{"create_checkout", "$.actions", `{"com.example.verify": [{"id": "a"}]}`, "none may be outstanding"},
	{"create_checkout", "$.payment", `{"instruments": [{"id": "i", "handler_id": "psp_spt", "type": "card", "credential": {"type": "token", "token": "spt_x"}}]}`, "a credential must not be sent back"},
	{"create_checkout", "$.payment", `{"instruments": [{"id": "i", "handler_id": "other", "type": "card"}]}`, "the checkout offers no handler"},
	{"create_checkout", "$.discounts.applied[0].amount", `5000`, "$.discounts.applied[0].allocations: they add up to 5100"},
	{"create_checkout", "$.discounts.applied[0].code", `"ct_other"`, "was not submitted"},
	{"create_checkout", "$.discounts.applied[0].allocations[0].path", `"$.line_items[3]"`, "there is no element 3"},
	{"create_checkout", "$.fulfillment.methods[0].selected_destination_id", `"dest_2"`, "is not among the destinations"},
	{"create_checkout", "$.fulfillment.methods[0].groups[0].selected_option_id", `"air"`, "is not among the options"},
	{"create_checkout", "$.fulfillment.methods[0].groups[0].options[1].title", `"Standard shipping"`, "another option is called"},
	{"create_checkout", "$.fulfillment.methods[0].groups[0].selected_option_id", `"express"`, "the selected option costs 1500, fulfillment is 500"},
	{"create_checkout", "$.fulfillment.methods[0].groups[0].options[0].totals", ``, "missing property 'totals'"},
	{"create_cart", "$.line_items[0].totals[1].amount", `5100`, "$.line_items[0].totals"},
	{"create_cart", "$.messages", `[{"type": "error", "code": "x", "content": "y", "severity": "unrecoverable"}]`, "comes without a cart"},
	{"create_cart", "$.totals[2].display_text", `"Total"`, "the total is an estimate"},
	{"get_order", "$.line_items[0].status", `"fulfilled"`, `1 of 2 are fulfilled, so it is partial`},
	{"get_order", "$.line_items[0].quantity.total", `0`, "so it is removed"},
	{"get_order", "$.fulfillment.events[0].line_items[0].id", `"li_7"`, `there is no line "li_7"`},
	{"get_order", "$.adjustments[0].totals[0].amount", `22400`, "would be paid by the buyer"},
	{"get_order", "$.permalink_url", ``, "missing property 'permalink_url'"},
	{"search_catalog", "$.products[0].variants[0].price.amount", `100`, "100 is not between 24950 and 25950"},
	{"search_catalog", "$.products[0].variants[0].price.currency", `"EUR"`, "the range is in USD"},
	{"search_catalog", "$.products[0].variants[1].id", `"var_1"`, "is there twice"},
	{"search_catalog", "$.products[0].variants[0].list_price.amount", `24950`, "is no more than the price"},
	{"search_catalog", "$.pagination.cursor", ``, "missing property 'cursor'"},
	{"search_catalog", "$.products[0].variants[0].options[0].label", `"XXL"`, "the product has no Size"},
	{"lookup_catalog", "$.products[0].variants[0].inputs", ``, "missing property 'inputs'"},
	{"get_product", "$.product.selected", ``, "says what is selected"},
	{"business_profile", "$.ucp.services", ``, "missing property 'services'"},
	{"business_profile", "$.ucp.capabilities['dev.ucp.shopping.cart'][0].schema", `"https://ucp.example/schemas/cart.json"`, "does not own the name"},
	{"business_profile", "$.ucp.services['dev.ucp.shopping'][0].endpoint", `"http://shop.example.com/ucp"`, "is no absolute https address"},
	{"business_profile", "$.ucp.capabilities['dev.ucp.shopping.fulfillment'][0].extends", `"dev.ucp.shopping.wish"`, "is offered"},
	{"business_profile", "$.ucp.capabilities['dev.ucp.shopping.fulfillment'][0].config", `{"multi_destination": {"shipping": false}, "allows_multi_destination": []}`, "$.ucp.capabilities['dev.ucp.shopping.fulfillment'][0].config"},
	{"make_offer", "$.standing_price.amount", `25000`, "is above the list price"},
	{"make_offer", "$.status", `"accepted"`, "an accepted offer brings one"},
	{"make_offer", "$.final", `true`, "a final price takes no offer"},
	{"make_offer", "$.rounds.used", `7`, "7 of 6"},
	{"make_offer", "$.ucp.capabilities", `{}`, "none is"},
	{"make_offer", "$.lines[0].quantity", `2`, "$.lines[0].quantity"},
	{"error", "$.messages", `[]`, "minItems"},
	{"error", "$.messages[0].type", `"info"`, "there is no resource"},
	{"error", "$.id", `"chk_1"`, "additional properties"},
}

func TestAnswer_mutations(t *testing.T) {
	for version, answers := range messages(t) {
		for _, m := range mutations {
			if version == schema.V20260408 && (strings.Contains(m.path, "map_order") || strings.Contains(m.want, "dev.ucp.shopping.wish")) {
				continue
			}
			body := mutated(t, answers[string(m.operation)], m.path, m.to)
			operation := m.operation
			if operation == "error" {
				operation = judge.GetCheckout
			}
			err := strict(version).Answer(operation, all, body)
			var found schema.Problems
			if !errors.As(err, &found) || !strings.Contains(err.Error(), m.want) {
				t.Errorf("%s %s %s = %s: want %q, got:\n%v", version, m.operation, m.path, m.to, m.want, err)
			}
		}
	}
}

// mutated changes one place of a message.
func mutated(t *testing.T, body []byte, path, to string) []byte {
	t.Helper()
	value := valueOf(t, body)
	here := value
	steps := split(path)
	for i, step := range steps {
		last := i == len(steps)-1
		switch at := here.(type) {
		case map[string]any:
			switch {
			case last && to == "":
				delete(at, step)
			case last:
				at[step] = valueOf(t, []byte(to))
			}
			here = at[step]
		case []any:
			index := must(0, nil)
			for _, digit := range step {
				index = index*10 + int(digit-'0')
			}
			if last {
				at[index] = valueOf(t, []byte(to))
			}
			here = at[index]
		default:
			t.Fatalf("%s leads nowhere", path)
		}
	}
	changed, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func split(path string) []string {
	var steps []string
	for rest := path[1:]; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "['"):
			name, after, _ := strings.Cut(rest[2:], "']")
			steps, rest = append(steps, name), after
		case rest[0] == '[':
			index, after, _ := strings.Cut(rest[1:], "]")
			steps, rest = append(steps, index), after
		default:
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			steps, rest = append(steps, rest[1:end+1]), rest[end+1:]
		}
	}
	return steps
}

func TestRequest(t *testing.T) {
	tests := []struct {
		name      string
		version   schema.Version
		operation judge.Operation
		body      string
		want      string // "" means valid
	}{
		{"create", schema.V20260825, judge.CreateCheckout, `{"line_items": [{"item": {"id": "var_1"}, "quantity": 2}], "discounts": {"codes": ["ct_x"]}}`, ""},
		{"from a cart", schema.V20260825, judge.CreateCheckout, `{"cart_id": "sess_1", "line_items": []}`, ""},
		{"no lines", schema.V20260825, judge.CreateCheckout, `{"cart_id": "sess_1"}`, "missing property 'line_items'"},
		{"the shop's id", schema.V20260825, judge.UpdateCheckout, `{"id": "chk_1", "line_items": []}`, "$.id: is not sent in a request to update"},
		{"update with a destination", schema.V20260825, judge.UpdateCheckout,
			`{"line_items": [{"id": "li_1", "item": {"id": "v"}, "quantity": 1}], "fulfillment": {"methods": [{"type": "shipping", "line_item_ids": ["li_1"], "destinations": [{"street_address": "1 Main St"}], "groups": [{"id": "grp_1", "selected_option_id": "express"}]}]}}`, ""},
		{"group without id", schema.V20260825, judge.UpdateCheckout,
			`{"line_items": [], "fulfillment": {"methods": [{"type": "shipping", "line_item_ids": [], "groups": [{"selected_option_id": "x"}]}]}}`, "missing property 'id'"},
		{"complete without payment", schema.V20260825, judge.CompleteCheckout, `{}`, "missing property 'payment'"},
		{"complete with lines", schema.V20260825, judge.CompleteCheckout, `{"payment": {"instruments": []}, "line_items": []}`, "is not sent in a request to complete"},
		{"cart of 2026-04-08 with id", schema.V20260408, judge.UpdateCart, `{"id": "sess_1", "line_items": []}`, ""},
		{"cart of 2026-04-08 without id", schema.V20260408, judge.UpdateCart, `{"line_items": []}`, "missing property 'id'"},
		{"consent of 2026-04-08", schema.V20260408, judge.CreateCart, `{"line_items": []}`, ""},
		{"lookup of nothing", schema.V20260825, judge.LookupCatalog, `{"ids": []}`, "minItems"},
		{"offer", schema.V20260825, judge.MakeOffer, `{"offer": {"amount": 20000, "currency": "USD"}}`, ""},
		{"offer with a fraction", schema.V20260825, judge.MakeOffer, `{"offer": {"amount": 200.5, "currency": "USD"}}`, "$.offer.amount"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := judge.New(test.version).Request(test.operation, append(judge.Capabilities{judge.Consent}, all...), []byte(test.body))
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("want %q, got %v", test.want, err)
			}
		})
	}
}

func TestStructuredContent(t *testing.T) {
	for result, want := range map[string]string{
		`{"structuredContent": {"a": 1}, "content": [{"type": "text", "text": "{\"a\": 1}"}]}`: "",
		`{"structuredContent": {"a": 1}}`:                                                  "",
		`{"structuredContent": {"a": 1}, "content": [{"type": "text", "text": "a is 1"}]}`: "it is not the JSON of structuredContent",
		`{"content": [{"type": "text", "text": "{}"}]}`:                                    "the answer belongs there",
		`{"structuredContent": {}, "isError": true}`:                                       "is no error of the tool",
	} {
		_, err := judge.StructuredContent([]byte(result))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: want %q, got %v", result, want, err)
		}
	}
}

func TestTransportError(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		right  bool
	}{
		{429, "", true},
		{424, `{"code": "profile_unreachable", "content": "no answer"}`, true},
		{400, `{"code": "profile_unreachable", "content": "no answer"}`, false},
		{400, `{"code": "x"}`, false},
		{405, `{"code": "method_not_allowed", "content": "There is no such method."}`, true},
		{405, `{"error": {"code": "method_not_allowed"}}`, false},
		{418, "", false},
	} {
		if err := judge.TransportError(test.status, []byte(test.body)); (err == nil) != test.right {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
}

func TestOwns(t *testing.T) {
	for address, name := range map[string]string{
		"https://ucp.dev/a.json":          "dev.ucp.shopping.cart",
		"https://pay.example.com/a.json":  "com.example.pay",
		"https://UCP.dev./a":              "dev.ucp.x",
		"https://shop.example.com:8443/a": "com.example.shop.negotiation",
	} {
		if !judge.Owns(address, name) {
			t.Errorf("%s does not own %s", address, name)
		}
	}
	for address, name := range map[string]string{
		"http://ucp.dev/a.json":          "dev.ucp.shopping.cart",
		"https://ucp.dev@evil.example/a": "dev.ucp.x",
		"https://uc.dev/a":               "dev.ucp.x",
		"https://203.0.113.10/a":         "10.113.0.203.x",
		"https://localhost/a":            "localhost.x",
	} {
		if judge.Owns(address, name) {
			t.Errorf("%s owns %s", address, name)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, answers := range messages(f) {
		for _, body := range answers {
			f.Add([]byte(body), uint8(0))
		}
	}
	operations := []judge.Operation{judge.GetCheckout, judge.GetCart, judge.GetOrder, judge.SearchCatalog, judge.GetProduct, judge.BusinessProfile, judge.MakeOffer}
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		for _, version := range schema.Versions {
			_ = strict(version).Answer(operations[int(which)%len(operations)], all, body)
			_ = strict(version).Request(judge.UpdateCheckout, all, body)
		}
	})
}
