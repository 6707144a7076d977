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
// is not accepted in its place. The currency (ISO 4217) is that of prices, if given.
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
// # Errors
//
// Bodies of errors are not read. What counts is the status:
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
