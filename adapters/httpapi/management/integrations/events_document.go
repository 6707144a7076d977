package integrations

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// payloads has an example of the data of every event type. Prices are per unit, and amounts have all of their currency's
// decimals.
var payloads = map[string]struct{ summary, data string }{
	"order.completed": {"An order is paid and confirmed", `{"order_id": "ord_0", "sequence": 1, "confirmation_number": "HG-7K2M-9QXA",
		"checkout_id": "chk_0", "negotiation_id": "neg_0",
		"payment": {"id": "pay_0", "status": "succeeded", "amount": 196.94, "currency": "USD", "method": "psp_spt"},
		"items": [{"product_id": "prod_0", "variant_id": "var_0", "sku": "TENT-2", "name": "Tent", "quantity": 2, "price": 95.00, "original_price": 100.00}],
		"subtotal": 190.00, "shipping": 5.99, "tax": 0.95, "total": 196.94, "savings": 10.00, "currency": "USD",
		"buyer_email": "ada@example.com", "notes": "Ring twice",
		"shipping_address": {"name": "Ada", "line1": "1 Main St", "line2": "", "city": "Portland", "state": "OR", "postal_code": "97205", "country": "US", "phone": ""},
		"fulfillment": {"shipping_option": "standard", "estimated_ship_date": "2026-03-05", "estimated_delivery_from": "2026-03-10", "estimated_delivery_by": "2026-03-12"},
		"created_at": "2026-03-04T12:00:00Z"}`},
	"order.shipped": {"An order has shipped", `{"order_id": "ord_0", "sequence": 2, "carrier": "DHL", "tracking_number": "00340434161094",
		"tracking_url": "https://example.com/track/00340434161094", "shipped_at": "2026-03-05T12:00:00Z"}`},
	"order.updated": {"A shipped order has new tracking, or is no longer shipped because its label was voided: the texts are empty, and shipped_at is null", `{"order_id": "ord_0", "sequence": 3, "carrier": "DHL", "tracking_number": "00340434161095",
		"tracking_url": "https://example.com/track/00340434161095", "shipped_at": "2026-03-05T12:00:00Z"}`},
	"order.delivered": {"An order has been delivered", `{"order_id": "ord_0", "sequence": 4, "delivered_at": "2026-03-08T12:00:00Z"}`},
	"order.canceled": {"An order was canceled before shipping; the refund is null if nothing was left to refund", `{"order_id": "ord_0", "sequence": 2,
		"reason": "The buyer changed their mind", "refund_id": "ref_0", "refund_amount": 196.94, "currency": "USD"}`},
	"order.refunded": {"A refund of an order succeeded; external if it was not requested with this API", `{"refund_id": "ref_0", "order_id": "ord_0",
		"sequence": 7, "payment_id": "pay_0", "amount": 95.00, "refunded_amount": 95.00, "currency": "USD", "reason": "damaged",
		"external": false, "return_id": "ret_0"}`},
	"return.requested": {"A buyer requests a return", `{"return_id": "ret_0", "order_id": "ord_0", "sequence": 5,
		"refund_estimate": 95.00, "currency": "USD"}`},
	"return.approved": {"The shop approves a return; the refund is null if nothing is refunded", `{"return_id": "ret_0", "order_id": "ord_0",
		"sequence": 6, "refund_id": "ref_0", "refund_amount": 95.00, "currency": "USD"}`},
	"return.rejected": {"The shop rejects a return", `{"return_id": "ret_0", "order_id": "ord_0", "sequence": 6, "reason": "The tent was used"}`},
	"refund.failed": {"A refund failed: the provider rejected it, or reversed it after it had succeeded", `{"refund_id": "ref_0",
		"order_id": "ord_0", "sequence": 8, "payment_id": "pay_0", "amount": 95.00, "refunded_amount": 0.00, "currency": "USD",
		"failure_code": "expired_or_canceled_card", "previous_status": "succeeded", "return_id": "ret_0"}`},
	"dispute.opened": {"A buyer disputes a payment; amounts are totals", `{"dispute_id": "dsp_0", "order_id": "ord_0", "sequence": 5,
		"payment_id": "pay_0", "provider_id": "du_0", "status": "open", "reason": "fraudulent", "amount": 196.94, "currency": "USD",
		"withdrawn_amount": 196.94, "withdrawn_currency": "USD", "fee_amount": 15.00, "fee_currency": "USD"}`},
	"dispute.closed": {"A dispute was won or lost; amounts are totals", `{"dispute_id": "dsp_0", "order_id": "ord_0", "sequence": 6,
		"payment_id": "pay_0", "provider_id": "du_0", "status": "lost", "reason": "fraudulent", "amount": 196.94, "currency": "USD",
		"withdrawn_amount": 196.94, "withdrawn_currency": "USD", "fee_amount": 15.00, "fee_currency": "USD"}`},
	"quote.accepted": {"A price was agreed", `{"quote_id": "quote_0", "negotiation_id": "neg_0", "product_id": "prod_0", "variant_id": "var_0",
		"quantity": 2, "list_price": 100.00, "final_price": 95.00, "currency": "USD"}`},
	"negotiation.lost": {"A negotiation ended without a deal; prices are per unit, and reason is why the buyer gave up, or null", `{"product_id": "prod_0", "variant_id": "var_0",
		"quantity": 2, "list_price": 100.00, "best_offer": 80.00, "last_counter": 92.00, "currency": "USD", "reason": "shipping_cost"}`},
	"checkout.abandoned": {"A checkout expired or was canceled unpaid", `{"checkout_id": "chk_0", "phase": "ready",
		"items": [{"product_id": "prod_0", "variant_id": "var_0", "sku": "TENT-2", "name": "Tent", "quantity": 2, "price": 95.00, "original_price": 100.00}],
		"total": 196.94, "currency": "USD", "buyer_email": "ada@example.com"}`},
	"payment.orphaned": {"A provider captured money for an attempt without an order; it is refunded automatically", `{"checkout_id": "chk_0",
		"attempt": 1, "provider": "stripe", "charge_id": "pi_0", "amount": 196.94, "currency": "USD", "refund_status": "pending"}`},
	"money.unexplained": {"A payment provider's books differ from yours without an explanation; each difference is in one event", `{
		"integration_id": "int_0", "provider": "stripe", "found": 1, "differences": [{"kind": "missing_here", "type": "sale",
		"reference": "chk_0-1", "provider_id": "pi_0", "currency": "USD", "ours": null, "theirs": 196.94, "at": "2026-03-04T12:00:00Z"}]}`},
	"payment.unresolved": {"The outcome of a payment attempt is unknown; an order may follow. Repeated after an hour, and every day", `{
		"checkout_id": "chk_0", "attempt": 1, "amount": 196.94, "currency": "USD", "method": "psp_spt", "provider": "stripe",
		"since": "2026-03-04T12:00:00Z", "times_asked": 1, "problem": "The provider did not respond in time."}`},
	"refund.unresolved": {"The outcome of a refund that was requested an hour ago is unknown. Repeated every day", `{"refund_id": "ref_0",
		"order_id": "ord_0", "payment_id": "pay_0", "amount": 95.00, "currency": "USD", "provider": "stripe",
		"since": "2026-03-04T12:00:00Z", "times_asked": 12, "problem": "The provider rejects the credentials."}`},
	"inventory.low": {"The stock of a variant is low, over all locations", `{"product_id": "prod_0", "variant_id": "var_0", "sku": "TENT-2", "quantity": 3}`},
	"sync.completed": {"A sync run has completed", `{"sync_id": "sync_0", "integration_id": "int_0", "full_sync": false,
		"resources": {"products": {"total": 120, "created": 3, "updated": 5, "unchanged": 111, "errors": 1}},
		"started_at": "2026-03-04T12:00:00Z", "completed_at": "2026-03-04T12:00:09.25Z", "duration_ms": 9250}`},
	"sync.failed": {"A sync run has failed; the records that it had read are kept", `{"sync_id": "sync_0", "integration_id": "int_0",
		"error": "The platform does not answer.",
		"resources": {"products": {"total": 120, "created": 3, "updated": 5, "unchanged": 111, "errors": 1}},
		"started_at": "2026-03-04T12:00:00Z", "failed_at": "2026-03-04T12:21:00Z", "duration_ms": 1260000}`},
	"integration.error": {"A platform rejects an integration's credentials", `{"integration_id": "int_0", "type": "shopify",
		"name": "Tents & more", "error": "Shopify refuses the access token."}`},
	"customer.data_requested": {"A customer of a platform's shop requests their data; POST /v1/buyers/export returns it", `{"integration_id": "int_0",
		"type": "shopify", "subject": "buyer_5f0c", "platform_customer_id": "207119551", "platform_order_ids": ["299938"],
		"orders": 2, "sessions": 3, "platform_records": 4}`},
	"subscription.disabled": {"An event subscription was disabled and gets no more events until it is enabled", `{"subscription_id": "sub_0",
		"url": "https://example.com/…k3Jd", "reason": "unreachable"}`},
	"ping": {"A test", `{"subscription_id": "sub_0"}`},
}

// documentEvents adds the events to the webhooks of the OpenAPI document.
func documentEvents(doc *huma.OpenAPI) {
	if doc.Webhooks == nil {
		doc.Webhooks = map[string]*huma.PathItem{}
	}
	for kind, p := range payloads {
		example := map[string]any{
			"id": "evt_0", "type": kind, "created_at": "2026-03-04T12:00:00Z", "project_id": "proj_0", "data": json.RawMessage(p.data),
		}
		text := &huma.Schema{Type: huma.TypeString}
		doc.Webhooks[kind] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "on-" + kind,
			Summary:     p.summary,
			Tags:        []string{"Events"},
			Description: p.summary + ". Signed by Standard Webhooks. webhook-id is the event's id: deduplicate by it. Deliveries may " +
				"arrive in a different order than the events occurred: sequence numbers an order's events from 1, without " +
				"gaps.",
			Parameters: []*huma.Param{
				{
					Name:     "webhook-id",
					In:       "header",
					Required: true,
					Schema:   text,
				},
				{
					Name:     "webhook-timestamp",
					In:       "header",
					Required: true,
					Schema:   text,
				},
				{
					Name:     "webhook-signature",
					In:       "header",
					Required: true,
					Schema:   text,
				},
			},
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
				"application/json": {
					Schema: &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
						"id": text, "type": {Type: huma.TypeString, Enum: []any{kind}}, "created_at": {Type: huma.TypeString, Format: "date-time"},
						"project_id": text, "data": schemaOf(p.data),
					}, Required: []string{"id", "type", "created_at", "project_id", "data"}},
					Example: example,
				},
			}},
			Responses: map[string]*huma.Response{"2XX": {Description: "The event was received. Any other response is retried for a day."}},
		}}
	}
}

// schemaOf returns the schema of an event's data, from an example that has all of its fields. A field that is null in the example
// may have a value, and any field may be null if the event's summary says so.
func schemaOf(example string) *huma.Schema {
	var value any
	if err := json.Unmarshal([]byte(example), &value); err != nil {
		panic("integrations: an example is not JSON: " + err.Error())
	}
	return schemaOfValue(value)
}

func schemaOfValue(value any) *huma.Schema {
	switch v := value.(type) {
	case string:
		return &huma.Schema{Type: huma.TypeString, Nullable: true}
	case float64:
		return &huma.Schema{Type: huma.TypeNumber, Nullable: true}
	case bool:
		return &huma.Schema{Type: huma.TypeBoolean}
	case []any:
		return &huma.Schema{Type: huma.TypeArray, Items: schemaOfValue(v[0])}
	case map[string]any:
		s := &huma.Schema{
			Type:                 huma.TypeObject,
			Properties:           map[string]*huma.Schema{},
			AdditionalProperties: true,
		}
		for name, field := range v {
			s.Properties[name] = schemaOfValue(field)
		}
		return s
	}
	return &huma.Schema{}
}
