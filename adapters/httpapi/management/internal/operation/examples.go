package operation

import (
	"encoding/json"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
)

// examples has request bodies by operation. The ids are placeholders for those of the reader's shop.
var examples = map[string]string{
	"adjust-inventory":          `{"adjustments": [{"sku": "TENT-2", "delta": -2, "reason": "Damaged"}]}`,
	"approve-return":            `{"restock": true}`,
	"cancel-order":              `{"reason": "The buyer asked"}`,
	"complete-connection":       `{"type": "shopify", "callback_query": "code=…&hmac=…&shop=my-shop.myshopify.com&state=…"}`,
	"confirm-mfa":               `{"code": "123456"}`,
	"connect-api-key":           `{"type": "stripe", "name": "Stripe", "credentials": {"api_key": "rk_test_of_your_account"}}`,
	"connect-integration":       `{"type": "shopify", "store_domain": "my-shop.myshopify.com", "redirect_uri": "https://shop.example.com/connected"}`,
	"create-agent":              `{"name": "Patient", "policy": {"max_discount_percent": 15, "min_margin_percent": 10}}`,
	"create-agent-key":          `{"name": "Ada's agent", "profile": "https://agent.example/profile.json"}`,
	"create-agent-policy":       `{"note": "A little more room", "policy": {"max_discount_percent": 18}}`,
	"create-api-key":            `{"name": "Warehouse", "scopes": ["catalog:write"], "project_ids": ["proj_06fszq2d8v3m5xk9t1c7w4hpeg"]}`,
	"create-buyer-token":        `{"email": "ada@example.com", "expires_in": 3600}`,
	"create-event-subscription": `{"url": "https://hooks.example.com/haggle", "event_types": ["order.completed", "return.requested"]}`,
	"create-invitation":         `{"email": "ada@example.com", "role": "support", "project_ids": ["proj_06fszq2d8v3m5xk9t1c7w4hpeg"]}`,
	"create-order-note":         `{"text": "Wrap it as a gift."}`,
	"create-product": `{"sku": "LAMP-1", "name": "Reading lamp", "price": 49.9, "cost": 21, "quantity": 40, "category": "home/lighting",
		"description": "A lamp with a warm light and a heavy foot."}`,
	"create-project":            `{"name": "Lamps", "slug": "lamps", "settings": {"default_currency": "USD", "timezone": "America/New_York"}}`,
	"create-shipping-label":     `{"carrier_code": "ups", "service_code": "ups_ground", "weight_grams": 1200, "test_label": true}`,
	"create-synonym":            `{"words": ["couch", "sofa"]}`,
	"dry-run-agent-policy":      `{"policy": {"max_discount_percent": 18}, "product_ids": ["prod_06fszq2d8v3m5xk9t1c7w4hpeg"]}`,
	"erase-buyer":               `{"email": "ada@example.com"}`,
	"export-buyer":              `{"email": "ada@example.com"}`,
	"get-shipping-rates":        `{"carrier_code": "ups", "weight_grams": 1200}`,
	"open-sandbox-dispute":      `{"payment_id": "pay_06fszq2d8v3m5xk9t1c7w4hpeg", "reason": "fraudulent"}`,
	"redeliver-failed-events":   `{"since": "2026-03-04T12:00:00Z"}`,
	"refund-payment":            `{"amount": 5, "reason": "A scratch"}`,
	"register-webhook":          `{"topic": "products/update"}`,
	"reject-return":             `{"reason": "The seal is broken"}`,
	"replace-synonyms":          `{"synonyms": [{"words": ["couch", "sofa"]}, {"input": "phone", "words": ["smartphone"]}]}`,
	"replay-agent":              `{"policy": {"max_discount_percent": 18}, "limit": 1000}`,
	"resolve-orphan":            `{"outcome": "succeeded", "reason": "Seen at the provider"}`,
	"resolve-payment":           `{"outcome": "not_charged", "reason": "The provider has no such charge"}`,
	"resolve-refund":            `{"outcome": "succeeded", "reason": "Seen at the provider"}`,
	"rotate-credentials":        `{"api_key": "rk_test_of_your_account"}`,
	"send-test-buyers":          `{"count": 20}`,
	"set-inventory":             `{"levels": [{"sku": "TENT-2", "quantity": 120}]}`,
	"simulate-agent":            `{"product_id": "prod_06fszq2d8v3m5xk9t1c7w4hpeg", "variant_id": "var_06fszq2d8v3m5xk9t1c7w4hpeg", "quantity": 1, "offers": [26, 28, 30]}`,
	"start-market":              `{"policy": {"max_discount_percent": 18}, "buyers": 500}`,
	"start-sync":                `{"full_sync": true}`,
	"submit-evidence":           `{"note": "The carrier handed it over on March 5."}`,
	"tune-agent":                `{"limit": 1000, "note": "From the last weeks"}`,
	"update-account":            `{"console_session_minutes": 480}`,
	"update-agent":              `{"policy": {"max_discount_percent": 15}}`,
	"update-event-subscription": `{"event_types": ["order.completed"]}`,
	"update-fulfillment":        `{"status": "shipped", "carrier": "UPS", "tracking_number": "1Z999AA10123456784"}`,
	"update-integration":        `{"name": "Shopify, main store"}`,
	"update-member":             `{"role": "manager"}`,
	"update-product":            `{"price": 32.5}`,
	"update-project":            `{"description": "Lamps for reading"}`,
	"update-settings":           `{"commerce": {"max_discount_percent": 15}}`,
	"update-storefront":         `{"return_window_days": 30, "free_shipping_threshold": 75, "personalization": {"default": "allowed"}}`,
	"update-synonym":            `{"words": ["couch", "sofa", "settee"]}`,
	"upsert-products": `{"products": [
		{"sku": "LAMP-1", "name": "Reading lamp", "price": 49.9, "quantity": 40},
		{"sku": "LAMP-2", "name": "Floor lamp", "price": 89, "quantity": 12}]}`,
}

// ShowExamples puts the examples into the OpenAPI document, once all operations are registered.
func (a *API) ShowExamples() {
	for _, item := range a.Document().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op == nil || op.RequestBody == nil || examples[op.OperationID] == "" {
				continue
			}
			var value any
			if err := json.Unmarshal([]byte(examples[op.OperationID]), &value); err != nil {
				panic(fmt.Sprintf("the example of %s: %v", op.OperationID, err))
			}
			op.RequestBody.Content["application/json"].Example = value
		}
	}
}
