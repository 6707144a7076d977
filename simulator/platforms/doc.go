// Package platforms has look-alikes of the systems that a merchant connects: Shopify, HubSpot, ShipStation, WooCommerce and
// a merchant's own system. They serve the platforms' APIs over real HTTP with the data of an outdoor shop, and fail on
// command. They share no type with the server that calls them. All data is in memory.
//
//	s, err := platforms.Start("127.0.0.1:0", platforms.Config{Seed: 7, Products: 200})
//	defer s.Close()                  // s.URL + "/shopify", "/hubspot", "/shipstation", "/custom", "/control"
//
// or platforms.Open(config), which returns an http.Handler. The same seed gives the same data, dated in early 2025. Changes
// are dated by Config.Now, but at least one unit of the platform's times after the previous change of the record: a second
// at Shopify, a millisecond elsewhere. A record that changes often within a second is therefore dated a little ahead. A
// platform's data is generated at its first use: 50,000 products take a fraction of a second and some 30 MB.
//
// # Shopify: /shopify
//
//	GET    /admin/oauth/authorize       client_id, scope, redirect_uri, state: the consent page; POST with approve=1 approves
//	POST   /admin/oauth/access_token    client_id, client_secret, code or refresh_token; a form or JSON → access_token, scope
//	POST   /admin/api/{version}/graphql.json   X-Shopify-Access-Token
//	GET    /bulk/{file}                 the result of a bulk operation: JSON lines; supports Range; needs no token
//
// With expiring=1 a code is exchanged for an access token that expires after Config.ShopifyLife, with expires_in and a
// refresh token of 90 days. The shop's earlier tokens become invalid. A refresh returns a new pair; the old refresh token
// is valid until the new one is used. If Config.ShopifyApp is "public", the app counts as created since April 2026 and tokens
// without expiry are refused with 403; the other kind is "custom".
//
// A connection can be paged through up to Config.ShopifyPaged objects. Config.ShopifyDenied are fields that the app is not
// approved for: they are null, with an ACCESS_DENIED error. Config.ShopifyNoBulk denies bulk queries.
//
// Config.ShopifyVersions are the API versions. A request for an older version gets the oldest of them, as
// X-Shopify-API-Version shows.
//
// The callback has code, hmac, host, shop, state and timestamp; hmac is hex HMAC-SHA256 by the app's secret over the others,
// sorted and joined as k=v&…. Queries are validated against schema.graphql: shop, products, productVariants,
// inventoryItems (and levels), locations, orders, customers, webhookSubscriptions, node, currentBulkOperation, and the
// mutations webhookSubscriptionCreate, …Delete, bulkOperationRunQuery, …Cancel. Connections need first (1 to 250); last and
// before are not supported. query supports updated_at, created_at, id, status, sku, email and name with : :> :>= :< :<=,
// joined by AND; anything else is an error, where Shopify ignores it. sortKey: ID, UPDATED_AT, CREATED_AT.
//
// A query costs 1 for each object, and 2 plus first times the cost of its node for each connection. A cost above
// Config.ShopifyMaxCost is MAX_COST_EXCEEDED, above the content of the bucket THROTTLED, both with status 200. Unused cost
// is refunded. extensions.cost has the numbers. Scopes are enforced (ACCESS_DENIED). A bulk operation needs one connection
// at the top. Objects of nested connections are lines with __parentId, the id of their parent's line. One operation runs
// at a time.
//
// Orders are written with orderCreate, which claims the whole stock or none, as options.inventoryBehaviour says; with
// orderCancel, whose job is done after Config.ShopifyJobTime; with refundCreate, which needs @idempotent(key:) from version
// 2026-04 on; with fulfillmentCreate by fulfillment order, and fulfillmentTrackingInfoUpdate. metafieldDefinitionCreate
// defines metafields of orders; values of the type id are unique. orderByIdentifier finds an order by such a value at once,
// but a search such as orders(query: "source_identifier:…") only after Config.ShopifySearchLag. nodes, job and
// currentAppInstallation are supported. An order has one currency with two decimals. Each change calls the webhooks that
// are registered for it, in the background, up to four times: orders/create, …/paid, …/updated, …/cancelled, …/fulfilled,
// …/partially_fulfilled, refunds/create, fulfillments/create, …/update, inventory_levels/update, customers/create, …/update.
// With Config.ShopifyDevelopment only five orders a minute may be created. The types are in orders.graphql and
// aftermath.graphql. Comments there and in the code cite the documentation, and say what is not documented.
//
// Webhooks are signed with X-Shopify-Hmac-Sha256 (base64, by the app's secret, over the body) and carry X-Shopify-Topic,
// -Webhook-Id, -Event-Id, -Shop-Domain, -Triggered-At and -Api-Version. Payloads have the REST API's format and times with
// the shop's offset (New York). A customer's loyalty tier is the tag "loyalty:gold" and the metafield loyalty.tier. An
// order's reference is sourceIdentifier and the attribute "reference". A change of stock updates the item's updatedAt
// but not the product's.
//
// # HubSpot: /hubspot
//
//	GET    /oauth/authorize             as above; a code_challenge with S256 is verified
//	POST   /oauth/2026-03/token         a form: authorization_code (redirect_uri, code_verifier) or refresh_token
//	POST   /oauth/2026-03/token/introspect     a form: client_id, client_secret, token
//	GET    /crm/objects/2026-09/{contacts|deals}    limit (to 100), after, properties; and …/{id}
//	POST   /crm/objects/2026-09/{contacts|deals}/search    filterGroups, sorts (one), properties, limit (to 200), after
//	GET    /crm/objects/2026-09/{contacts|deals}/{value}    with idProperty: email, or a deal's property with unique values
//	POST   /crm/objects/2026-09/deals/batch/upsert    inputs: id, idProperty, properties
//	PATCH  /crm/objects/2026-09/deals/{id}
//	POST   /crm/objects/2026-09/contacts, and …/batch/read with idProperty email
//	PUT    /crm/objects/2026-09/deals/{id}/associations/default/contacts/{contact}    DELETE …/associations/contacts/{contact}
//	GET    /crm/pipelines/2026-03/deals, /crm/properties/2026-03/deals/{name}; POST /crm/properties/2026-03/deals
//
// The scopes of optional_scope are granted except for Config.HubSpotDenied. A write without its scope gets 403
// MISSING_SCOPES, and a deal in another currency than Config.HubSpotCurrency gets 400. Config.HubSpotStages gives stages
// custom ids.
//
// Access tokens expire after Config.HubSpotLife; the refresh token stays the same. A search returns at most 10,000 results;
// a page beyond them gets 400. More than Config.HubSpotPer10s requests in ten seconds, or five searches in one second, get
// 429 with Retry-After. A contact is a customer with loyalty_tier and num_associated_deals, a deal is an order.
//
// # ShipStation: /shipstation
//
// Basic authentication. Times are Pacific time without an offset.
//
//	GET    /carriers, /carriers/listservices, /stores, /orders, /shipments, /webhooks
//	POST   /shipments/getrates
//	POST   /orders/createorder          by orderKey: creates it or, until it is shipped, changes it
//	POST   /orders/createlabelfororder  a label (PDF, base64) and its cost; each request creates another one
//	POST   /shipments/voidlabel         refunds the cost, until the carrier has scanned the parcel (POST /control/collect)
//	POST   /webhooks/subscribe          DELETE /webhooks/{id}
//
// API V2 serves the same account with API-Key: Config.ShipStationV2Key. Its labels belong to shipments:
//
//	GET    /v2/carriers, /v2/warehouses, /v2/labels, /v2/labels/{id}, /v2/labels/external_shipment_id/{key}, /v2/shipments/external_shipment_id/{key}
//	POST   /v2/rates/estimate
//	POST   /v2/labels                   a shipment and its label, once for each external_shipment_id; /v2/labels/shipment/{id}
//	PUT    /v2/shipments/{id}, /v2/labels/{id}/void
//	GET    /v2/environment/webhooks     POST, and DELETE …/{id}; calls are signed with a key of GET /jwks
//
// More than Config.ShipStationRate requests in a minute get 429; see X-Rate-Limit-Limit, -Remaining and -Reset. A label that
// is not a test calls the webhooks for SHIP_NOTIFY in the background, with a resource_url and without a signature.
//
// # Custom: /custom
//
// Authorization: Bearer {Config.CustomKey}.
//
//	GET    /account                     {"id", "name", "currency", "writes_orders"}
//	GET    /{products|inventory|customers|orders}    limit (to 500), updated_since, cursor → {"data", "next_cursor", "total"}
//	                                    and for orders reference, for inventory item_id or sku
//	POST   /orders                      Idempotency-Key; creates an order once, or refuses it with the code sold_out; GET /orders/{id}
//	POST   /orders/{id}/cancel          releases its stock
//	POST   /orders/{id}/refunds         Idempotency-Key; records a refund once
//	POST   /orders/{id}/fulfillment     carrier, tracking_number
//	POST   /webhooks                    {"topic", "url", "secret"} → {"id"}; DELETE /webhooks/{id}
//
// With Config.CustomReadOnly the system takes no orders, and with Config.CustomNoItems it has no item_id. Prices are in
// USD. An order gets all of its stock or is refused; stock of the first location is used first. {id} may be the order's
// reference. The webhooks orders/create, orders/updated and inventory_levels/update are called in the background.
//
// Records are listed in the order of their creation. Requests with updated_since also list deleted records, as {"id",
// "updated_at", "deleted": true}. Prices alternate between numbers and text. The first location of stock has no name, the
// second is "outlet".
// Webhooks are Standard Webhooks: {"type", "timestamp", "data": record}, for products/delete data {"id"} alone.
//
// # WooCommerce: /woocommerce
//
// See package woocommerce.
//
// # Control
//
// The control endpoints speak JSON and need no authentication. Each has a Go method on [Platforms].
//
//	GET    /control/state               counts by platform, requests by "GET /path" and by "platform:resource"; in shopify_orders
//	                                    every order that was written or changed, with its transactions, refunds and stock claims,
//	                                    and in woocommerce_orders and custom_orders every order that was written there,
//	                                    in hubspot_deals every deal
//	GET    /control/state/{platform}/{resource}    all records, in the same format for all platforms: {"data"}
//	POST   /control/change              [Change]: n random changes without webhooks
//	POST   /control/webhooks            [Webhooks]: changes with webhooks, late, twice, out of order, forged → [Sent]; GET lists
//	POST   /control/webhooks/lose       [Lose]: a platform deletes or stops the registered webhooks → {"lost"}
//	POST   /control/faults              [Fault]; GET lists the faults still to be applied, DELETE clears them
//	POST   /control/orders              [NewOrder]: an order with a reference; with ship it is shipped
//	POST   /control/collect             {"tracking"}: the carrier scans a ShipStation parcel, whose label can no longer be voided
//	POST   /control/shopify/cancel      [AdminCancel]: a merchant cancels an order in Shopify's admin
//	POST   /control/shopify/refund      [AdminRefund] → {"id"}
//	POST   /control/shopify/fulfill     [AdminFulfill] → {"id"}
//	POST   /control/shopify/sell        [AdminSale]: sells pieces of a variant there → {"id"}
//	POST   /control/woocommerce/change  [WooCommerceChange]: a merchant changes or refunds an order in the shop's admin
//	POST   /control/woocommerce/sell    [WooCommerceSale]: sells pieces there
//	POST   /control/custom/change       [CustomChange]: a merchant cancels, refunds or sends an order in their own system
//	POST   /control/custom/sell         [CustomSale]: sells pieces there
//	POST   /control/hubspot/change      [HubSpotChange]: staff delete, merge or change a deal
//	POST   /control/revoke              {"platform"}: revokes Shopify's or HubSpot's tokens
//	POST   /control/expire              {"platform"}: expires Shopify's or, without a body, HubSpot's access tokens
//
// A fault has a platform and a kind. It may have a resource, a number of requests that pass first, and a number of times:
//
//	throttle       429 with Retry-After (retry_after seconds)
//	cost           Shopify: THROTTLED, with status 200
//	error          500, or status
//	slow           waits ms first
//	late           executes at once and answers after ms
//	circle         a page's cursor leads to itself, or to the first page
//	garbage        half of the JSON
//	long_page      an answer of 50 MB, or bytes
//	refuse         401
//	lost           executes and cuts the connection
//	unpaid         WooCommerce: saves the order without completing its payment
//	duplicate_sku, negative_stock, no_name, bad_price    damages so many records at once
//
// Resources: products, inventory, customers, orders, contacts, deals, account, rates, labels, shipments, shop, bulk (the
// download), bulk_operation (running and polling); of Shopify's orders order_create, order_find (by identifier),
// order_cancel, refund_create, fulfillment_create, fulfillment_update, metafield_definition; of the custom system's
// order_create, order_read, order_cancel, refund_create, fulfillment_create; of HubSpot's deals properties,
// property_create, pipelines, deal_upsert, deal_update, contact_create, associations. Faults without a resource do not
// apply to token, webhooks and consent.
//
// # Limits
//
// One shop, one hub, one account. Shopify's limit of 60 days of orders is not enforced. HubSpot has no webhooks. Only orders
// change products and stock. Fulfillment orders exist at once. Orders have no duties, no store credit except from a
// cancellation, no returns and no second currency.
package platforms
