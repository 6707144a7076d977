// Package custom connects a merchant's own system, which serves the contract below. This comment is the whole
// contract: Haggle requires nothing else of a system.
//
// # Requests
//
// The merchant enters a base URL, such as https://erp.example.com/haggle, and an API key. Every path below is
// appended to the base URL. Every request has
//
//	Authorization: Bearer <the API key>
//	Accept: application/json
//
// and every answer is JSON in UTF-8, of at most 8 MiB, sent within 15 seconds. A GET may be redirected on the
// same host. Times are RFC 3339 with an offset: 2026-03-04T05:06:07.089Z. A time
// without a fraction may be any moment of its second: an exact one is written 2026-03-04T05:06:07.000Z. Amounts are JSON numbers or
// text of decimal digits, 12.5 or "12.50", and are read without rounding. Ids are text or whole numbers of at most 200
// characters; 42 and "42" are the same id. A field that is null counts as left out, and fields that are not named here
// are ignored.
//
//	GET    /account          the account of the system
//	GET    /products         ┐
//	GET    /inventory        │ data, page by page
//	GET    /customers        │
//	GET    /orders           ┘
//	POST   /orders           creates an order that was paid at Haggle, if the system takes orders
//	POST   /webhooks         registers a webhook
//	DELETE /webhooks/{id}    removes a webhook
//
// # Account
//
// GET /account answers
//
//	{"id": "acme", "name": "Acme GmbH", "currency": "EUR"}
//
// The id is required. It must never change for a system, because Haggle does not accept an API key of another
// account in its place. The currency (ISO 4217) is that of the prices, if given. "writes_orders": true says that
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
//	  - limit is how many records the page may have. Haggle refuses a page of more than 500.
//	  - updated_since, if there, lets the system leave out records whose updated_at is earlier. A system that does
//	    not know leaves none out.
//	  - cursor, if there, is the unchanged next_cursor of the previous page, of at most 2,000 characters. It comes
//	    with the same updated_since. Haggle may request the same cursor again, at once or hours later.
//	  - next_cursor is left out, null or "" on the last page, and only there. A page may be empty and have one.
//	  - total, if there, is how many records all pages of this updated_since have. Haggle only displays progress
//	    with it. It may be on any page, and may be approximate.
//	  - data is required. A system without such data answers {"data": []}.
//
// A record that changes while the pages are read may come twice. A change must not cause another record to be
// left out: page by id, or by updated_at and then id, rather than by position.
//
// A record has an id, and should have updated_at, the time of its last change: of two versions of a record
// the one with the later updated_at counts, in whatever order they come. A deleted record is sent as
// {"id": …, "updated_at": …, "deleted": true}. Products and customers that a full sync does not find count as
// deleted, too. A record that cannot be read, because it has no id or a field has another type than below, is
// reported to the merchant with the reason; the other records of its page are imported.
//
// GET /products: the goods for sale. A product without variants is itself for sale.
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
// A product without variants, and a variant, may have a gtin (EAN, UPC, ISBN; an invalid one is ignored), an mpn, and
// requires_shipping: false says that it is digital. If requires_shipping is left out,
// it keeps its value, which is true at first.
//
// id, sku, name and price are required, of a variant its sku. currency is the project's if left out, and must
// be the project's. item_id names the stock of the product or variant in the inventory, if the inventory
// does not go by sku. status is active (the default) or archived.
//
// GET /inventory: how many pieces there are, one record for each item and location.
//
//	{"id": "I-11@main", "updated_at": "2026-03-04T05:06:07.089Z", "sku": "MUG-S", "item_id": "I-11", "location": "main", "quantity": 25}
//
// id, quantity and one of sku and item_id are required. location is main if left out. Haggle adds the difference
// to the previous quantity to its stock, so that pieces it sold meanwhile stay sold. A quantity is a whole number
// within ±1,000,000,000; a negative one counts as 0.
//
// GET /customers: the customers, with their loyalty tier and number of purchases.
//
//	{"id": 7, "updated_at": "2026-03-04T05:06:07.089Z", "email": "ada@example.com", "name": "Ada Lovelace", "loyalty_tier": "gold", "purchases": 12}
//
// Only id is required; Haggle recognizes a customer by email only.
//
// GET /orders: orders that were placed elsewhere, and the state of those that were placed at Haggle.
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
// Only id is required. reference is the id of the Haggle order that the record describes. With it, shipment updates
// that order: it is shipped, it is delivered if delivered is true, and it goes back to unshipped if voided is true.
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
// that was connected before it took orders needs its key again (PUT /v1/integrations/{id}/credentials).
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
// Amounts are text. Empty fields are left out: email, notes, shipping_method, address (of an order that is not shipped) and
// parts of the address.
//
//   - The order is paid: payment has the provider and its reference. The system charges nothing. test is true if
//     the payment was made with test money.
//   - unit_price is what the buyer agreed to pay for a piece, and list_price is what it costs otherwise. subtotal is the sum of
//     quantity times unit_price. total is subtotal, shipping and tax. tax is not part of the prices.
//   - A line has the item_id of the product or variant, or its sku if it has no item_id. A line may have both. A line with
//     neither is for goods that the system does not have: it has a name and a price only.
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
// That shows every order as soon as it is created, and canceled orders too. While the system still processes the first request,
// a repeated one waits for it or is answered with 425.
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
// POST /orders/{id}/cancel has the body {}. The system puts the pieces back into its stock. It answers with any 2xx, also for an order
// that is canceled already, and with 409 or 422 as above if the order cannot be canceled because it is on its way. Haggle
// refunds the payment and sends each refund in a request of its own.
//
// POST /orders/{id}/refunds records a refund, also of a canceled order. The system refunds nothing itself. The
// request has the header Idempotency-Key, which is Haggle's id of the refund, and the body
//
//	{"reference": "ref_01jx…", "amount": "11.00", "currency": "EUR", "reason": "Too small", "restock": [{"item_id": "I-11", "sku": "MUG-S", "quantity": 1}]}
//
// restock, if there, lists the returned goods: the system adds it to its stock. The answer is 201, or 200 for a
// repeated request, which records nothing, and {"id": "R-7"}.
//
// POST /orders/{id}/fulfillment has the body {"carrier": "ups", "tracking_number": "1Z999", "tracking_url": "https://…"}, each
// field only if it is known, and is answered with any 2xx. A second one replaces the tracking.
//
// 404 or 410 from any of these means that the system does not have the order any more.
//
// Haggle reads the staff's changes to such an order from its record, in a sync of orders, or at once from a webhook
// orders/updated. In addition to shipment the record has
//
//	"canceled": true,
//	"refunds": [{"id": "R-7", "amount": "11.00", "reference": "ref_01jx…"}]
//
// A refund's id and amount are required, and the order's currency with them. reference is Haggle's id of a refund that Haggle sent. A
// refund without one was made in the system. It moves no money, so Haggle alerts the merchant. A canceled order is canceled at Haggle.
//
// # Errors
//
// Haggle reads the bodies of errors only for 409 and 422 to a POST under /orders. Otherwise the status decides:
//
//	401, 403        the API key is refused: Haggle asks the merchant for another one
//	429             too many requests; Retry-After says how long to wait, in seconds or as an HTTP date;
//	                Haggle waits at most five minutes
//	408, 425, 5xx   a temporary failure: Haggle retries with growing pauses
//	any other       the request is not understood: the sync fails at once
//
// An answer that is late, too long, cut off or not JSON counts as a temporary failure. After five consecutive failures
// Haggle sends no requests for half a minute.
//
// # Webhooks
//
// POST /webhooks registers a webhook for a topic:
//
//	{"topic": "products/update", "url": "https://haggle.example.com/hooks/wh_01jx…", "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD…"}
//
// answers with any 2xx and
//
//	{"id": "41"}
//
// A system that already has a webhook with this topic and url keeps it, answers with its id, and signs with the
// new secret from then on. Topics are products/create, products/update, products/delete,
// inventory_levels/update, orders/create, orders/updated, customers/create, customers/update and
// customers/delete. DELETE /webhooks/{id} answers with any 2xx, or with 404 or 410 if there is no such webhook.
//
// A call is a POST to the url, signed as in Standard Webhooks (https://www.standardwebhooks.com):
//
//	webhook-id: msg_2KWPBgLlAfxdpx2AI54pPJ85f4W
//	webhook-timestamp: 1772600767
//	webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
//
//	{"type": "products/update", "timestamp": "2026-03-04T05:06:07.089Z", "data": {"id": "P-1", …}}
//
// The signature is "v1," and the base64 of an HMAC-SHA256 over webhook-id, webhook-timestamp and the body, joined by
// dots. Its key is the base64-decoded rest of the secret after whsec_. webhook-timestamp is the time of sending in
// seconds since 1970, and may be off by five minutes. webhook-id, of at most 200 characters, stays the same when a
// call is repeated; Haggle processes it once. type is the topic,
// timestamp is when it happened, and data is the whole record as above; for a deletion {"id": "P-1"} is
// enough. For a record without updated_at, timestamp is the time of its change.
//
// Haggle answers a call with 200 within a second. After any other answer, or none, the system repeats the call, with
// growing pauses, the same webhook-id, and a new webhook-timestamp and signature. 401 means that the signature is
// missing, wrong or too old; 404 that Haggle has no such webhook any more.
package custom
