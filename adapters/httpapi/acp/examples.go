package acp

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// The examples of the buyers' document. Each runs as it stands, but for values that begin with "$": they come from the
// answer to the first example of another operation. Values between "@" are filled in for each shop; see slots.

// of refers to a value in the answer to another operation's first example.
func of(operation, pointer string) string { return "$" + operation + ".response.body#" + pointer }

// example is a call of an operation, with bodies by name. Other examples take values from the answer to the body with the first
// name.
type example struct {
	parameters map[string]any
	bodies     map[string]body
}

type body struct {
	summary string
	value   map[string]any
}

// only returns the example of an operation with one body.
func only(value map[string]any) map[string]body { return map[string]body{"": {value: value}} }

func onID(operation, pointer string) map[string]any {
	return map[string]any{"id": of(operation, pointer)}
}

var (
	exampleItem = map[string]any{
		"product_id": "@product@",
		"variant_id": "@variant@",
		"quantity":   1,
	}
	exampleAddress = map[string]any{
		"name":        "Ada Buyer",
		"line1":       "12 Harbor Street",
		"city":        "Portland",
		"state":       "@state@",
		"postal_code": "97205",
		"country":     "@country@",
	}
	exampleCheckout = map[string]any{
		"items":            []any{exampleItem},
		"shipping_address": exampleAddress,
		"buyer":            map[string]any{"email": "ada@example.com"},
	}
)

// examples has the examples of all operations with input.
var examples = map[string]example{
	searchID: {bodies: only(map[string]any{
		"query":   "@query@",
		"filters": map[string]any{"price_max": "@list_price@"},
		"limit":   3,
	})},
	productID: {parameters: map[string]any{"id": "@product@"}},
	availabilityID: {bodies: only(map[string]any{
		"items":            []any{exampleItem},
		"shipping_address": map[string]any{"country": "@country@", "postal_code": "97205"},
	})},
	quoteID: {bodies: map[string]body{
		"accept": {"An offer at the list price is accepted at once; the response has a checkout_token", map[string]any{
			"product_id":  "@product@",
			"variant_id":  "@variant@",
			"quantity":    1,
			"offer_price": "@list_price@",
		}},
		"ask": {"Without an offer the response is a price", map[string]any{
			"product_id": "@product@",
			"variant_id": "@variant@",
			"quantity":   1,
		}},
		"offer": {"An offer below the list price; follow up with session_id and quote_id of the response", map[string]any{
			"product_id":  "@product@",
			"variant_id":  "@variant@",
			"quantity":    1,
			"offer_price": "@offer@",
			"message":     "We would take it today.",
		}},
	}},
	initID: {bodies: map[string]body{
		"at_list_price": {"Without an agreed price", exampleCheckout},
		"with_token": {"At an agreed price", map[string]any{
			"checkout_token":   of(quoteID, "/checkout_token"),
			"shipping_address": exampleAddress,
			"buyer":            map[string]any{"email": "ada@example.com"},
		}},
	}},
	cartPutID:    {bodies: only(map[string]any{"items": []any{exampleItem}})},
	cartID:       {parameters: map[string]any{"session_id": of(cartPutID, "/session_id")}},
	cartCancelID: {parameters: map[string]any{"session_id": of(cartPutID, "/session_id")}},
	checkoutID:   {parameters: onID(initID, "/checkout_id")},
	checkoutReviseID: {parameters: onID(initID, "/checkout_id"), bodies: only(map[string]any{
		"items": []any{map[string]any{
			"line_id":    of(initID, "/lines/0/line_id"),
			"product_id": "@product@",
			"quantity":   1,
		}},
		"shipping_address": exampleAddress,
		"buyer":            map[string]any{"email": "ada@example.com"},
	})},
	checkoutCancelID: {bodies: only(map[string]any{"checkout_id": of(initID, "/checkout_id")})},
	finalizeID: {bodies: only(map[string]any{
		"checkout_id": of(initID, "/checkout_id"),
		"payment":     map[string]any{"method": "@method@", "token": "@token@"},
	})},
	sessionID:       {parameters: onID(quoteID, "/session_id")},
	sessionExtendID: {parameters: onID(quoteID, "/session_id"), bodies: only(map[string]any{"duration_minutes": 30})},
	orderID:         {parameters: onID(finalizeID, "/order/id")},
	orderCancelID: {parameters: onID(finalizeID, "/order/id"), bodies: only(map[string]any{
		"manage_token": of(finalizeID, "/order/manage_token"),
		"reason":       "Ordered twice",
	})},
	orderPageID: {parameters: onID(finalizeID, "/order/id")},
	returnCreateID: {bodies: only(map[string]any{
		"order_id": of(finalizeID, "/order/id"),
		"items":    []any{map[string]any{"product_id": "@product@", "variant_id": "@variant@", "quantity": 1, "reason": "Too small"}},
	})},
	returnReadID: {parameters: onID(returnCreateID, "/return_id")},
}

// exemplify gives an operation its examples.
func exemplify(op *huma.Operation) {
	known := examples[op.OperationID]
	for _, p := range op.Parameters {
		if value, ok := known.parameters[p.Name]; ok {
			p.Example = value
		}
	}
	if op.RequestBody == nil {
		return
	}
	media := op.RequestBody.Content["application/json"]
	if media == nil {
		return
	}
	for name, b := range known.bodies {
		if name == "" {
			media.Example = b.value
			continue
		}
		if media.Examples == nil {
			media.Examples = map[string]*huma.Example{}
		}
		media.Examples[name] = &huma.Example{Summary: b.summary, Value: b.value}
	}
}

// anyShop has the values between "@" for a document that is not of one shop.
var anyShop = map[string]any{
	"product":    "prod_06fszq2d8v3m5xk9t1c7w4hpeg",
	"variant":    "var_06fszq2d8v3m5xk9t1c7w4hpeg",
	"query":      "rain jacket",
	"list_price": 100,
	"offer":      90,
	"country":    "US",
	"state":      "OR",
	"method":     "psp_spt",
	"token":      "spt_sandbox_ok",
}

// showExamples adds the examples to a document that is not of one shop.
func showExamples(doc *huma.OpenAPI) {
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete} {
			if op == nil || !ofBuyers(op) {
				continue
			}
			exemplify(op)
			if op.RequestBody == nil {
				continue
			}
			media := op.RequestBody.Content["application/json"]
			media.Example = inAnyShop(media.Example)
			for _, one := range media.Examples {
				one.Value = inAnyShop(one.Value)
			}
			for _, p := range op.Parameters {
				p.Example = inAnyShop(p.Example)
			}
		}
	}
}

// inAnyShop returns an example with values for those between "@".
func inAnyShop(value any) any {
	switch v := value.(type) {
	case string:
		name, slot := strings.CutPrefix(v, "@")
		if slot {
			return anyShop[strings.TrimSuffix(name, "@")]
		}
	case []any:
		filled := make([]any, len(v))
		for i, one := range v {
			filled[i] = inAnyShop(one)
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name, one := range v {
			filled[name] = inAnyShop(one)
		}
		return filled
	}
	return value
}
