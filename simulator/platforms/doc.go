// Package platforms is look-alikes of the systems that a merchant connects: Shopify, HubSpot, ShipStation, WooCommerce and
// a merchant's own system. They speak the platforms' protocols over real HTTP, hold believable data of an outdoor shop, and fail as
// they are told to. They know nothing of who calls them, and share no type with it. Everything is in memory.
//
//	s, err := platforms.Start("127.0.0.1:0", platforms.Config{Seed: 7, Products: 200})
//	defer s.Close()                  // s.URL + "/shopify", "/hubspot", "/shipstation", "/custom", "/control"
//
// or platforms.Open(config), which is an http.Handler. The same seed holds the same data, dated in early 2025; changes are
// dated by Config.Now, and always later than what they change by a unit of the platform's times at least: a second at
// Shopify, a millisecond elsewhere. So a record that is changed often within one second is dated a little ahead. A
// platform's data is made when it is first asked for: 50,000 products take a fraction of a second and some 30 MB.
//
// # Shopify: /shopify
//
//	GET    /admin/oauth/authorize       client_id, scope, redirect_uri, state: the consent page; POST with approve=1 goes on
//	POST   /admin/oauth/access_token    client_id, client_secret, code or refresh_token; a form or JSON → access_token, scope
//	POST   /admin/api/{version}/graphql.json   X-Shopify-Access-Token
//	GET    /bulk/{file}                 the result of a bulk operation: JSON lines; Range is understood; no token
//
// With expiring=1 a code gives an access token that lives Config.ShopifyLife, with expires_in and a refresh token of 90 days,
// and ends the shop's earlier ones. Refreshing gives another pair; the refresh token before is good until its replacement
// is used. Config.ShopifyApp is "public": created since April 2026, so that a token without an end is 403; or "custom".
//
// A connection is paged through for Config.ShopifyPaged objects. Config.ShopifyDenied are fields that the app is not approved
// for: null, with ACCESS_DENIED beside the rest. Config.ShopifyNoBulk denies bulk queries.
//
// Versions of the API are Config.ShopifyVersions; a request for an older one falls forward to the oldest of them, which
// X-Shopify-API-Version tells.
//
// The callback has code, hmac, host, shop, state and timestamp; hmac is hex HMAC-SHA256 by the app's secret over the others,
// sorted and joined as k=v&…. The schema that queries are judged by is schema.graphql: shop, products, productVariants,
// inventoryItems (and levels), locations, orders, customers, webhookSubscriptions, node, currentBulkOperation, and the
// mutations webhookSubscriptionCreate, …Delete, bulkOperationRunQuery, …Cancel. Connections need first (1 to 250); last and
// before are not answered. query knows updated_at, created_at, id, status, sku, email and name with : :> :>= :< :<=,
// joined by AND; anything else is an error, where Shopify ignores it. sortKey: ID, UPDATED_AT, CREATED_AT.
//
// A query costs 1 for each object and 2 plus first times its node for each connection; more than Config.ShopifyMaxCost is
// MAX_COST_EXCEEDED, more than the bucket holds THROTTLED, both with status 200. What was not used is given back.
// extensions.cost tells. Scopes are enforced (ACCESS_DENIED). A bulk operation needs one connection at the top; its
// nested connections are lines with __parentId, the id of the line they belong to. One runs at a time.
//
// Orders are written with orderCreate, which claims stock as options.inventoryBehaviour says, whole or not at all; with
// orderCancel, whose job is done after Config.ShopifyJobTime; with refundCreate, which needs @idempotent(key:) from version
// 2026-04 on; with fulfillmentCreate by fulfillment order, and fulfillmentTrackingInfoUpdate. metafieldDefinitionCreate
// defines metafields of orders; those of the type id are unique, and orderByIdentifier finds an order by them at once, where
// a search such as orders(query: "source_identifier:…") finds it Config.ShopifySearchLag later. nodes, job and
// currentAppInstallation are there. An order has one currency, with whole cents. Each change calls the webhooks that are
// registered for it, in the background, up to four times: orders/create, …/paid, …/updated, …/cancelled, …/fulfilled,
// …/partially_fulfilled, refunds/create, fulfillments/create, …/update, inventory_levels/update, customers/create, …/update.
// With Config.ShopifyDevelopment five orders a minute may be created. orders.graphql and aftermath.graphql have the shapes;
// the comments there and beside the code name the pages that each thing follows from, and what is not documented.
//
// Webhooks are signed with X-Shopify-Hmac-Sha256 (base64, by the app's secret, over the body) and carry X-Shopify-Topic,
// -Webhook-Id, -Event-Id, -Shop-Domain, -Triggered-At and -Api-Version. Payloads have the form of the REST API, times with
// the shop's offset (New York). A customer's loyalty tier is the tag "loyalty:gold" and the metafield loyalty.tier. An
// order's reference is sourceIdentifier and the attribute "reference". A change of stock moves the item's updatedAt
// too, and not the product's.
//
// # HubSpot: /hubspot
//
//	GET    /oauth/authorize             as above; code_challenge with S256 is verified if it was given
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
// The scopes of optional_scope are given but for Config.HubSpotDenied; without a scope a write is 403 MISSING_SCOPES. A deal in
// another currency than Config.HubSpotCurrency is 400. Config.HubSpotStages gives stages ids of the account's own.
//
// Access tokens live Config.HubSpotLife; the refresh token stays the same. A search reaches 10,000 results: a page beyond is
// 400. Config.HubSpotPer10s requests in ten seconds and five searches in one; then 429 with Retry-After. A contact is a
// customer with loyalty_tier and num_associated_deals, a deal an order.
//
// # ShipStation: /shipstation
//
// Basic authentication. Times are Pacific and do not say so.
//
//	GET    /carriers, /carriers/listservices, /stores, /orders, /shipments, /webhooks
//	POST   /shipments/getrates
//	POST   /orders/createorder          by orderKey: makes it or, until it is shipped, changes it
//	POST   /orders/createlabelfororder  a label (PDF, base64) and its cost, once more each time it is asked
//	POST   /shipments/voidlabel         gives the cost back, until the carrier has scanned the parcel (POST /control/collect)
//	POST   /webhooks/subscribe          DELETE /webhooks/{id}
//
// By API V2, with API-Key: Config.ShipStationV2Key, the same account, whose labels belong to shipments:
//
//	GET    /v2/carriers, /v2/warehouses, /v2/labels, /v2/labels/{id}, /v2/labels/external_shipment_id/{key}, /v2/shipments/external_shipment_id/{key}
//	POST   /v2/rates/estimate
//	POST   /v2/labels                   a shipment and its label, once by external_shipment_id; /v2/labels/shipment/{id}
//	PUT    /v2/shipments/{id}, /v2/labels/{id}/void
//	GET    /v2/environment/webhooks     POST, and DELETE …/{id}; calls are signed by a key of GET /jwks
//
// Config.ShipStationRate requests in a minute, told by X-Rate-Limit-Limit, -Remaining and -Reset; then 429. A label that is
// no test calls the webhooks for SHIP_NOTIFY in the background, with a resource_url and without a signature.
//
// # Custom: /custom
//
// Authorization: Bearer {Config.CustomKey}.
//
//	GET    /account                     {"id", "name", "currency", "writes_orders"}
//	GET    /{products|inventory|customers|orders}    limit (to 500), updated_since, cursor → {"data", "next_cursor", "total"}
//	                                    and for orders reference, for inventory item_id or sku
//	POST   /orders                      Idempotency-Key; creates an order once, or refuses it with the code sold_out; GET /orders/{id}
//	POST   /orders/{id}/cancel          puts its pieces back
//	POST   /orders/{id}/refunds         Idempotency-Key; records a refund once
//	POST   /orders/{id}/fulfillment     carrier, tracking_number
//	POST   /webhooks                    {"topic", "url", "secret"} → {"id"}; DELETE /webhooks/{id}
//
// With Config.CustomReadOnly it takes no orders, and with Config.CustomNoItems it has no item_id. Prices are in USD. An order is taken whole
// or not at all, from the first place first; {id} may be its reference as well. It calls the webhooks orders/create, orders/updated and
// inventory_levels/update in the background.
//
// Records are ordered by their making. What was deleted is told to who asks with updated_since, as {"id", "updated_at",
// "deleted": true}. Prices are numbers and text by turns. The first place of stock goes unnamed, the second is "outlet".
// Webhooks are Standard Webhooks: {"type", "timestamp", "data": record}, for products/delete data {"id"} alone.
//
// # WooCommerce: /woocommerce
//
// See package woocommerce, for it and its key.
//
// # Control
//
// Without authentication, JSON. Each has a Go method on [Platforms].
//
//	GET    /control/state               counts by platform, requests by "GET /path" and by "platform:resource"; in shopify_orders
//	                                    every order that was written or changed, with its transactions, refunds and stock claims,
//	                                    and in woocommerce_orders and custom_orders every order that was written there,
//	                                    in hubspot_deals every deal
//	GET    /control/state/{platform}/{resource}    everything, in one plain form for all platforms: {"data"}
//	POST   /control/change              [Change]: n random changes, nobody is told
//	POST   /control/webhooks            [Webhooks]: changes that are told, late, twice, out of order, forged → [Sent]; GET lists
//	POST   /control/webhooks/lose       [Lose]: a platform deletes or stops the registered webhooks → {"lost"}
//	POST   /control/faults              [Fault]; GET shows what was not met yet, DELETE clears
//	POST   /control/orders              [NewOrder]: an order with a reference; again with ship: it is sent
//	POST   /control/collect             {"tracking"}: the carrier scans a parcel of ShipStation's, whose label is not voided then
//	POST   /control/shopify/cancel      [AdminCancel]: a merchant cancels an order in Shopify's admin
//	POST   /control/shopify/refund      [AdminRefund] → {"id"}
//	POST   /control/shopify/fulfill     [AdminFulfill] → {"id"}
//	POST   /control/shopify/sell        [AdminSale]: sells pieces of a variant there → {"id"}
//	POST   /control/woocommerce/change  [WooCommerceChange]: a merchant changes or refunds an order in the shop's admin
//	POST   /control/woocommerce/sell    [WooCommerceSale]: sells pieces there
//	POST   /control/custom/change       [CustomChange]: a merchant cancels, refunds or sends an order in their own system
//	POST   /control/custom/sell         [CustomSale]: sells pieces there
//	POST   /control/hubspot/change      [HubSpotChange]: staff delete, merge or change a deal
//	POST   /control/revoke              {"platform"}: Shopify's or HubSpot's tokens are worthless
//	POST   /control/expire              {"platform"}: Shopify's or, without a body, HubSpot's access tokens are stale
//
// A fault has a platform, a kind, and may name a resource, after how many requests it begins and how many times it is met:
//
//	throttle       429 with Retry-After (retry_after seconds)
//	cost           Shopify: THROTTLED, with status 200
//	error          500, or status
//	slow           waits ms first
//	late           does what was asked at once and answers after ms
//	circle         a page leads to itself, or to the first
//	garbage        half of the JSON
//	long_page      an answer of 50 MB, or bytes
//	refuse         401
//	lost           does what was asked and cuts the connection
//	unpaid         WooCommerce: an order is saved, and its payment is not complete
//	duplicate_sku, negative_stock, no_name, bad_price    spoils so many records at once
//
// Resources: products, inventory, customers, orders, contacts, deals, account, rates, labels, shipments, shop, bulk (the
// download), bulk_operation (running and polling); of Shopify's orders order_create, order_find (by identifier),
// order_cancel, refund_create, fulfillment_create, fulfillment_update, metafield_definition; of the custom system's order_create,
// order_read, order_cancel, refund_create, fulfillment_create; of HubSpot's deals properties, property_create, pipelines,
// deal_upsert, deal_update, contact_create, associations. token, webhooks and consent are
// met only by name.
//
// # Limits
//
// One shop, one hub, one account. Shopify's limit of 60 days of orders is not enforced. There are no webhooks of HubSpot and
// no writing to products or stock but by orders. Fulfillment orders are there at once. Orders have no duties, no store
// credit beyond a cancellation's, no returns and no second currency.
package platforms
