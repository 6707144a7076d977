package apidocs

// bodies are example bodies of UCP operations and MCP tools, by operation. Values between "@" are replaced by the demo
// shop's. If neither this map nor the OpenAPI document has an example, one is generated from the schema.
var bodies = map[string]string{
	"start_negotiation":      `{"item": {"id": "@variant@"}, "quantity": 1, "offer": {"amount": 3000, "currency": "USD"}}`,
	"make_offer":             `{"offer": {"amount": 3100, "currency": "USD"}}`,
	"accept_offer":           `{"price": {"amount": 3300, "currency": "USD"}}`,
	"decline_offer":          `{}`,
	"tool-search_catalog":    `{"catalog": {"query": "tent for two"}}`,
	"tool-lookup_catalog":    `{"catalog": {"ids": ["@variant@"]}}`,
	"tool-get_product":       `{"catalog": {"id": "@product@"}}`,
	"tool-start_negotiation": `{"item": {"id": "@variant@"}, "quantity": 1, "offer": {"amount": 3000, "currency": "USD"}}`,
	"tool-make_offer":        `{"id": "$tool-start_negotiation.response.body#/result/structuredContent/id", "offer": {"amount": 3100, "currency": "USD"}}`,
	"tool-accept_offer": `{"id": "$tool-start_negotiation.response.body#/result/structuredContent/id",
		"price": {"amount": 3300, "currency": "USD"}}`,
	"tool-decline_offer":   `{"id": "$tool-start_negotiation.response.body#/result/structuredContent/id"}`,
	"tool-get_negotiation": `{"id": "$tool-start_negotiation.response.body#/result/structuredContent/id"}`,
	"tool-create_cart":     `{"cart": {"line_items": [{"item": {"id": "@variant@"}, "quantity": 1}]}}`,
	"tool-get_cart":        `{"id": "$tool-create_cart.response.body#/result/structuredContent/id"}`,
	"tool-update_cart": `{"id": "$tool-create_cart.response.body#/result/structuredContent/id",
		"cart": {"line_items": [{"item": {"id": "@variant@"}, "quantity": 2}]}}`,
	"tool-cancel_cart": `{"id": "$tool-create_cart.response.body#/result/structuredContent/id",
		"meta": {"idempotency-key": "5b6f0f0e-6a52-4a6c-9d0e-2b1f6c9d8e71"}}`,
	"tool-create_checkout": `{"checkout": {"line_items": [{"item": {"id": "@variant@"}, "quantity": 1}]}}`,
	"tool-get_checkout":    `{"id": "$tool-create_checkout.response.body#/result/structuredContent/id"}`,
	"tool-update_checkout": `{"id": "$tool-create_checkout.response.body#/result/structuredContent/id",
		"checkout": {"buyer": {"email": "ada@example.com"},
			"line_items": [{"item": {"id": "@variant@"}, "quantity": 1}]}}`,
	"tool-complete_checkout": `{"id": "$tool-create_checkout.response.body#/result/structuredContent/id",
		"meta": {"idempotency-key": "0a3d6f6e-6d4b-4f0a-8a64-77a0ad5e6c11"},
		"checkout": {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token",
			"credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}}`,
	"tool-cancel_checkout": `{"id": "$tool-create_checkout.response.body#/result/structuredContent/id",
		"meta": {"idempotency-key": "5b6f0f0e-6a52-4a6c-9d0e-2b1f6c9d8e71"}}`,
}

// collections maps a path parameter to the list that has its ids, where that is not the path before the parameter.
var collections = map[string]string{
	"/v1/integrations/{integration_id}/sync": "/v1/integrations/{integration_id}/sync/history",
}
