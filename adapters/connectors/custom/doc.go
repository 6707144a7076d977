// Package custom connects a merchant's own system, which serves the contract below. This comment is where
// the contract is told; nothing else is asked of a system.
//
// # Requests
//
// Haggle is given a base URL, such as https://erp.example.com/haggle, and an API key. Every path below is
// added to the base URL. Every request has
//
//	Authorization: Bearer <the API key>
//	Accept: application/json
//
// and every answer is JSON in UTF-8, of at most 8 MiB, sent within 15 seconds. A GET may be redirected on the
// same host. Times are RFC 3339 with an offset: 2026-03-04T05:06:07.089Z. One
// without a fraction may be any moment of its second: an exact one is written 2026-03-04T05:06:07.000Z. Amounts are JSON numbers or
// text of decimal digits, 12.5 or "12.50"; their digits are taken exactly. Ids are text or whole numbers, 42
// and "42" are the same id, and have at most 200 characters. A field that is null counts as one that is left
// out, and fields that are not named here are ignored.
//
//	GET    /account          whose system it is
//	GET    /products         ┐
//	GET    /inventory        │ data, page by page
//	GET    /customers        │
//	GET    /orders           ┘
//	POST   /orders           creates an order that was paid at Haggle, if the system takes orders
//	POST   /webhooks         asks for calls
//	DELETE /webhooks/{id}    wants them no more
//
// # Account
//
// GET /account answers
//
//	{"id": "acme", "name": "Acme GmbH", "currency": "EUR"}
//
// The id is required. It must stay the same as long as the system is the same: an API key of another account
// is not accepted in its place. The currency (ISO 4217) is that of prices, if given. "writes_orders": true says that
// the system takes orders; see Paid orders below.
//
// # Data
//
//	GET /products?limit=250&updated_since=2026-03-04T05:06:07.089Z&cursor=eyJhZnRlciI6MjUwfQ
//
// answers with a page:
//
//		{"data": [ … ], "next_cursor": "eyJhZnRlciI6NTAwfQ", "total": 1200}
//
//	  - limit is how many records the page may have. A page of more than 500 is refused.
//	  - updated_since, if there, lets records be left out whose updated_at is earlier. A system that cannot tell
//	    leaves none out.
//	  - cursor, if there, is the next_cursor of the page before, as it was given, of at most 2,000 characters.
//	    It comes with the same updated_since. The same cursor may be asked for again, at once or hours later.
//	  - next_cursor is left out, null or "" on the last page, and only there. A page may be empty and have one.
//	  - total, if there, is how many records all pages of this updated_since have. It is for the display of the
//	    progress alone, and may be told on any page, and be rough.
//	  - data is required. A system without such data answers {"data": []}.
//
// A record that changes while the pages are read may come twice. None may be left out because another one
// changed: page by id, or by updated_at and then id, rather than by position.
//
// A record has an id, and should have updated_at, the time of its last change: of two versions of a record
// the one with the later updated_at counts, in whatever order they come. A record that is gone is told as
// {"id": …, "updated_at": …, "deleted": true}; products and customers that a full sync does not find are gone,
// too. A record that cannot be read, because it has no id or a field is of another type than below, is
// reported to the merchant with the reason; the others of its page are taken all the same.
//
// GET /products: what is sold. Without variants, the product itself is.
//
//	{
//	  "id": "P-1", "updated_at": "2026-03-04T05:06:07.089Z",
//	  "sku": "MUG", "name": "Mug", "description": "Plain text.", "brand": "Acme", "category": "Home/Kitchen",
//	  "price": "12.50", "currency": "EUR",
//	  "tags": ["new"], "images": [{"url": "https://erp.example.com/mug.jpg", "alt": "A mug"}],
//	  "attributes": {"material": "stoneware", "volume_ml": 300, "dishwasher": true},
//	  "variants": [
//	    {"sku": "MUG-S", "size": "S", "color": "white", "item_id": "I-11"},
//	    {"sku": "MUG-L", "size": "L", "color": "white", "item_id": "I-12", "price": 14}
//	  ],
//	  "item_id": "I-10", "status": "active"
//	}
//
// A product without variants, and a variant, may have a gtin (EAN, UPC, ISBN; what is none is dropped), an mpn, and
// requires_shipping: false says that it is digital. Left out, it stays as it is, which is true at first.
//
// id, sku, name and price are required, of a variant its sku. currency is the project's if left out, and must
// be the project's. item_id is what the inventory calls the stock of the product, or of the variant, where it
// does not go by sku. status is active (the default) or archived.
//
// GET /inventory: how many pieces there are, one record for each item and location.
//
//	{"id": "I-11@main", "updated_at": "2026-03-04T05:06:07.089Z", "sku": "MUG-S", "item_id": "I-11", "location": "main", "quantity": 25}
//
// id, quantity and one of sku and item_id are required. location is main if left out. The difference to
// the quantity that was told before is added to the stock, so that pieces sold meanwhile stay sold. A
// quantity is a whole number within ±1,000,000,000; less than none counts as none.
//
// GET /customers: who has bought, and as what they are valued.
//
//	{"id": 7, "updated_at": "2026-03-04T05:06:07.089Z", "email": "ada@example.com", "name": "Ada Lovelace", "loyalty_tier": "gold", "purchases": 12}
//
// Only id is required; a customer without email is found nowhere.
//
// GET /orders: orders that were placed elsewhere, and what became of those that were placed at Haggle.
//
//	{
//	  "id": 1001, "updated_at": "2026-03-04T05:06:07.089Z", "number": "#1001", "email": "ada@example.com", "status": "shipped",
//	  "total": "27.00", "currency": "EUR", "items": 2, "placed_at": "2026-03-03T10:00:00Z",
//	  "reference": "ord_01jx…",
//	  "shipment": {
//	    "carrier": "ups", "tracking_number": "1Z999", "tracking_url": "https://www.ups.com/track?tracknum=1Z999",
//	    "shipped_at": "2026-03-04T05:00:00Z", "delivered": false, "voided": false
//	  }
//	}
//
// Only id is required. reference is the id of the Haggle order that the record is of; with it, shipment moves
// that order on: it is shipped, delivered when delivered is true, and back in the warehouse when voided is.
//
// # Paid orders
//
// This part is optional. A system takes the orders that buyers pay at Haggle if its account says so:
//
//	{"id": "acme", "currency": "EUR", "writes_orders": true}
//
// If writes_orders is left out, Haggle requests none of the following. If it is true, the system serves
//
//	GET  /orders?reference=ord_01jx…     a page with the order that has this reference, or an empty page
//	GET  /inventory?item_id=I-11         a page with the levels of one item, and of no other
//	GET  /inventory?sku=MUG-S            the same, for items that have no item_id
//	POST /orders                         creates an order
//	GET  /orders/{id}                    the order's record
//	POST /orders/{id}/cancel             cancels it
//	POST /orders/{id}/refunds            records a refund
//	POST /orders/{id}/fulfillment        marks it as shipped, or corrects its tracking
//
// The merchant turns the writing of orders off and on with config.write_orders of the integration. It is on at first. A system
// that was connected before it took orders is given its key again (PUT /v1/integrations/{id}/credentials).
//
// POST /orders has the header Idempotency-Key, which is Haggle's id of the order, and the body
//
//	{
//	  "reference": "ord_01jx…", "number": "HG-7K2M-9QXA", "test": false, "placed_at": "2026-03-04T05:06:07.089Z",
//	  "currency": "EUR", "email": "ada@example.com", "notes": "Ring twice.",
//	  "lines": [{
//	    "variant_id": "var_01jx…", "item_id": "I-11", "sku": "MUG-S", "name": "Mug S / white", "quantity": 2,
//	    "unit_price": "11.00", "list_price": "12.50", "requires_shipping": true
//	  }],
//	  "subtotal": "22.00", "shipping": "4.90", "tax": "5.11", "total": "32.01", "shipping_method": "standard",
//	  "address": {
//	    "name": "Ada Lovelace", "first_name": "Ada", "last_name": "Lovelace", "line1": "1 Main St", "line2": "Flat 2",
//	    "city": "Berlin", "state": "BE", "postal_code": "10115", "country": "DE", "phone": "+49 30 1234"
//	  },
//	  "payment": {"id": "pay_01jx…", "provider": "stripe", "reference": "pi_3Mtw…", "amount": "32.01"}
//	}
//
// Amounts are text. What is empty is left out: email, notes, shipping_method, address (of an order that is not shipped) and
// parts of the address.
//
//   - The order is paid: payment says by whom, under which reference of theirs. The system charges nothing. test is true if
//     the payment was made with test money.
//   - unit_price is what the buyer agreed to pay for a piece, and list_price is what it costs otherwise. subtotal is the sum of
//     quantity times unit_price. total is subtotal, shipping and tax. tax is not part of the prices.
//   - A line has the item_id of the product or variant, or its sku if it has no item_id. sku may come beside item_id. A line with
//     neither is of goods that the system does not have: it has a name and a price only.
//   - The system takes the pieces from its stock at once, and /inventory shows the new quantity when the answer is sent.
//
// It answers with 201, or 200 if it had the order already, and the order's record as GET /orders has it:
//
//	{"id": 1042, "number": "#1042", "reference": "ord_01jx…", "total": "32.01", "currency": "EUR", "url": "https://erp.example.com/orders/1042"}
//
// id is required. number is what the merchant's staff call the order, and url is where they see it. If total is given and is
// another one, the merchant is alerted.
//
// The system creates one order for each Idempotency-Key, also when requests with the same key overlap. A repeated request gets the
// same answer, months later too, and takes no stock. Before Haggle repeats a request, it asks for GET /orders?reference=….
// That shows every order as soon as it is created, and canceled orders too. While the first request is still worked on, a repeated one
// waits for it or is answered with 425.
//
// If the system refuses an order, it answers with 409 or 422 and
//
//	{"code": "sold_out", "message": "Only one left of MUG-S."}
//
// and creates nothing. It does not remember the refusal: the merchant may have the order written again, with the same
// Idempotency-Key, once there is stock. The code sold_out means that it has too little stock: the merchant is alerted, and the
// integration's refused_orders decides whether the order is kept, or canceled and refunded. For any other code the merchant is alerted
// with the message.
//
// POST /orders/{id}/cancel has the body {}. The system puts the pieces back into its stock. It answers with any 2xx, for an order that
// is canceled already too, and with 409 or 422 as above if the order cannot be canceled, for it is on its way. Its payment is given back by
// Haggle; each refund is sent in a request of its own.
//
// POST /orders/{id}/refunds records money that was given back, of canceled orders too. The system gives no money back itself. The
// request has the header Idempotency-Key, which is Haggle's id of the refund, and the body
//
//	{"reference": "ref_01jx…", "amount": "11.00", "currency": "EUR", "reason": "Too small", "restock": [{"item_id": "I-11", "sku": "MUG-S", "quantity": 1}]}
//
// restock, if there, is what a return has brought back: the system adds it to its stock. The answer is 201, or 200 for a
// repeated request, which records nothing, and {"id": "R-7"}.
//
// POST /orders/{id}/fulfillment has the body {"carrier": "ups", "tracking_number": "1Z999", "tracking_url": "https://…"}, each
// of them only if known, and is answered with any 2xx. A second one replaces the tracking.
//
// 404 or 410 from any of these means that the system does not have the order any more.
//
// What the staff do to such an order in the system is read from its record, by a sync of orders, or at once by a webhook
// orders/updated. Beside shipment the record has
//
//	"canceled": true,
//	"refunds": [{"id": "R-7", "amount": "11.00", "reference": "ref_01jx…"}]
//
// A refund's id and amount are required, and the order's currency with them. reference is Haggle's id of a refund that Haggle told of. A
// refund without one was made in the system: it moves no money, so the merchant is alerted. A canceled order is canceled at Haggle.
//
// # Errors
//
// Bodies of errors are not read, but of 409 and 422 to a POST under /orders. What counts is the status:
//
//	401, 403        the API key is refused: the merchant is told to give another one
//	429             too many requests; Retry-After says for how long to wait, in seconds or as an HTTP date,
//	                of which at most five minutes are waited
//	408, 425, 5xx   trouble that may pass: asked again, with growing pauses
//	any other       the request is not understood: the sync fails at once
//
// An answer that is late, too long, cut off or no JSON counts as trouble that may pass. After five failures in
// a row the system is left alone for half a minute.
//
// # Webhooks
//
// POST /webhooks asks for calls with a topic:
//
//	{"topic": "products/update", "url": "https://haggle.example.com/hooks/wh_01jx…", "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD…"}
//
// answers with any 2xx and
//
//	{"id": "41"}
//
// A system that has a webhook with this topic and url keeps that one, answers with its id, and signs with the
// new secret from then on. Topics are products/create, products/update, products/delete,
// inventory_levels/update, orders/create, orders/updated, customers/create, customers/update and
// customers/delete. DELETE /webhooks/{id} answers with any 2xx, or with 404 or 410 for one that is gone.
//
// A call is a POST to the url, signed by Standard Webhooks (https://www.standardwebhooks.com):
//
//	webhook-id: msg_2KWPBgLlAfxdpx2AI54pPJ85f4W
//	webhook-timestamp: 1772600767
//	webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
//
//	{"type": "products/update", "timestamp": "2026-03-04T05:06:07.089Z", "data": {"id": "P-1", …}}
//
// The signature is v1, and the base64 of HMAC-SHA256, by the bytes that the secret is the base64 of after
// whsec_, over webhook-id, webhook-timestamp and the body with dots between them. webhook-timestamp is the
// time of sending in seconds since 1970, and may be off by five minutes. webhook-id, of at most 200
// characters, is the same when a call is repeated, and then nothing happens twice. type is the topic,
// timestamp is when it happened, and data is the whole record as above; for a deletion {"id": "P-1"} is
// enough. A record without updated_at is taken as of timestamp.
//
// A call is answered with 200 within a second. After any other answer, or none, it is to be repeated, with
// growing pauses, under the same webhook-id and with a new webhook-timestamp and signature. 401 means that the
// signature is missing, wrong or too old; 404 that the webhook is not wanted any more.
package custom
