Feature: Syncs
  What a platform has is read into the shop, at first everything and then what has changed.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: A sync reads what it is asked for, or all there is

    Scenario: Everything
      Given a connected custom account
      When the merchant starts a sync
      Then it answers 202
      And the answer shows:
        | sync_id    | matches ^sync_                                    |
        | status     | "running"                                         |
        | resources  | ["products", "inventory", "customers", "orders"]  |
        | started_at | matches Z$                                        |
      And the sync ends as "completed"
      And the answer shows:
        | sync_id                       | "$sync"    |
        | full_sync                     | false      |
        | resources.products.total      | 12         |
        | resources.products.created    | 12         |
        | resources.products.updated    | 0          |
        | resources.products.errors     | 0          |
        | resources.inventory.created   | at least 24 |
        | resources.inventory.errors    | 0          |
        | resources.customers.created   | 8          |
        | resources.orders.created      | 6          |
        | completed_at                  | matches Z$ |
        | duration_ms                   | at least 0 |
        | error                         | null       |
      And the shop has what custom has
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status                  | "connected" |
        | last_sync               | matches Z$  |
        | metrics.products_synced | 12          |
        | metrics.orders_synced   | 6           |
        | metrics.errors_24h      | 0           |
      And nothing tells a key or a token

    Scenario: Shopify
      Given a connected shopify account
      When the merchant has synced
      Then the answer shows:
        | resources.products.created  | 12 |
        | resources.products.errors   | 0  |
        | resources.inventory.errors  | 0  |
        | resources.customers.created | 8  |
        | resources.orders.created    | 6  |
      And the shop has what shopify has
      Given 20 changes of "products/update, products/create, products/delete, inventory_levels/update" happen at shopify
      When the merchant has synced with {"full_sync": true}
      Then the shop has what shopify has
      And nothing tells a key or a token

    Scenario: HubSpot
      Given a connected hubspot account
      When the merchant starts a sync
      Then the answer shows:
        | resources | ["customers", "orders"] |
      And the sync ends as "completed"
      And the answer shows:
        | resources.customers.created | 8 |
        | resources.orders.created    | 6 |
      When the merchant sends GET /v1/integrations/$integration/records?resource=customers
      Then the answer shows:
        | meta.total            | 8                     |
        | data.0.resource       | "customers"           |
        | data.0.customer.email | matches @example.com$ |
        | data.0.removed        | false                 |
      And nothing tells a key or a token

    Scenario: A part of it
      Given a connected custom account
      When the merchant starts a sync with {"resources": ["inventory", "products"]}
      Then the answer shows:
        | resources | ["products", "inventory"] |
      And the sync ends as "completed"
      And the answer shows:
        | resources.orders    | absent |
        | resources.customers | absent |
      And the shop has what custom has

    Scenario Outline: Nothing to read
      Given a connected <type> account
      When the merchant starts a sync with <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | type        | body                                    | field       |
        | custom      | {"resources": ["products", "teapots"]}  | resources.1 |
        | custom      | {"resources": ["items"]}                | resources.0 |
        | custom      | {"resources": ["orders", "orders"]}     | resources.1 |
        | custom      | {"resources": "orders"}                 | resources   |
        | custom      | {"full_sync": "yes"}                    | full_sync   |
        | hubspot     | {"resources": ["products"]}             | resources.0 |
        | shipstation | {"resources": ["customers"]}            | resources.0 |

    Scenario: Payment providers have nothing to read
      Given a shop
      And the merchant sends POST /v1/integrations/connect/api-key {"type": "paypal", "credentials": {"api_key": "client-$slug", "api_secret": "s"}}
      And the answer's "id" is called "paypal"
      When the merchant sends POST /v1/integrations/$paypal/sync
      Then it is refused: 422 validation_error
      And the refusal names "resources"
      When the merchant sends POST /v1/integrations/$paypal/webhooks {"topic": "products/update"}
      Then it is refused: 422 validation_error
      And the refusal names "topic"
      When the merchant sends PATCH /v1/integrations/$paypal {"config": {"sync_schedule": "@hourly"}}
      Then it is refused: 422 validation_error
      And the refusal names "config.sync_schedule"

    Scenario: What is turned off is not read
      Given a connected custom account
      And the merchant sends PATCH /v1/integrations/$integration {"config": {"sync_products": false, "sync_customers": false}}
      When the merchant starts a sync with {"resources": ["products"]}
      Then it is refused: 422 validation_error
      And the refusal names "resources.0"
      When the merchant has synced
      Then the answer shows:
        | resources.products | absent |
        | resources.orders.created | 6 |
      And the shop has 0 products
      Given the merchant sends PATCH /v1/integrations/$integration {"config": {"sync_orders": false}}
      When the merchant starts a sync
      Then it is refused: 422 validation_error
      And the refusal names "resources"

    Scenario: A preview stores nothing
      Given a connected custom account
      When the merchant has synced with {"preview": true}
      Then the answer shows:
        | status                     | "completed" |
        | preview                    | true        |
        | resources.products.created | 12          |
        | resources.orders.created   | 6           |
        | resources.inventory        | absent      |
      And the shop has 0 products
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | last_sync               | null |
        | metrics.products_synced | 0    |
      When the merchant starts a sync with {"preview": true, "resources": ["products", "inventory"]}
      Then it is refused: 422 validation_error
      And the refusal names "resources.1"
      When the merchant has synced
      Then the answer shows:
        | preview                    | false |
        | resources.products.created | 12    |

    Scenario: A preview lists what a sync would do
      Given the merchant moves to other platforms that hold {"products": 12, "seed": 2}
      And a connected custom account
      When the merchant has synced with {"preview": true, "resources": ["products", "customers"]}
      And the merchant sends GET /v1/integrations/$integration/sync/$sync/changes?kind=created&resource=products
      Then the answer shows:
        | data.#           | 12            |
        | data.0.kind      | "created"     |
        | data.0.local_id  | null          |
        | data.0.sync_id   | "$sync"       |
        | data.0.record_id | matches ^p-   |
        | data.0.title     | matches [a-z] |
        | data.0.fields    | []            |
        | meta.total       | 12            |
        | found.created    | at least 13   |
        | cut              | false         |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/changes?resource=customers&limit=1
      Then the answer shows:
        | data.0.record_id | matches .    |
        | data.0.title     | null         |
        | data.0.fields    | []           |
        | meta.total       | at least 1   |
      Given the merchant has synced
      And 1 change of "products/delete" happens at custom
      And 8 changes of "products/update" happen at custom, drawn by 4
      When the merchant has synced with {"preview": true, "full_sync": true, "resources": ["products"]}
      And the merchant sends GET /v1/integrations/$integration/sync/$sync/changes?kind=archived
      Then the answer shows:
        | data.0.kind     | "archived"     |
        | data.0.local_id | matches ^prod_ |
        | data.0.title    | matches [a-z]  |
        | found.archived  | at least 1     |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/changes?kind=changed
      Then the answer shows:
        | data.0.kind            | "changed"      |
        | data.0.local_id        | matches ^prod_ |
        | data.0.fields.#        | at least 1     |
        | data.0.fields.0.winner | absent         |
        | data.0.fields.0.rule   | absent         |
        | found.changed          | at least 1     |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/changes?kind=nonsense
      Then it is refused: 400 invalid_request
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/changes?resource=inventory
      Then it is refused: 400 invalid_request

    Scenario: A schedule
      Given a connected custom account
      When the merchant sends PATCH /v1/integrations/$integration {"config": {"sync_schedule": "CRON_TZ=Europe/Berlin 0 6 * * 1-5"}}
      Then the answer shows:
        | config.sync_schedule | "CRON_TZ=Europe/Berlin 0 6 * * 1-5" |
        | next_sync            | matches T0[45]:00:                  |
      When the merchant sends PATCH /v1/integrations/$integration {"config": {"sync_schedule": null}}
      Then the answer shows:
        | config.sync_schedule | absent |
        | next_sync            | null   |

    Scenario Outline: Schedules that are none
      Given a connected custom account
      When the merchant sends PATCH /v1/integrations/$integration {"config": {"sync_schedule": "<schedule>"}}
      Then it is refused: 422 validation_error
      And the refusal names "config.sync_schedule"

      Examples:
        | schedule   |
        | often      |
        | * * * * *  |
        | @every 1s  |
        | 0 0 30 2 * |
        | TZ=0       |

  Rule: What is synced is sold

    Scenario: With the writing of orders turned off, the platform keeps its stock
      Given a connected custom account
      And the merchant sends PATCH /v1/integrations/$integration {"config": {"write_orders": false}}
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a product of custom
      Then buyers find it
      And buyers can have all that there is
      When a buyer who ordered 2 of it
      Then there are 2 less of it than custom has
      When the merchant has synced with {"resources": ["inventory"]}
      Then there are 2 less of it than custom has
      When 1 change of "inventory_levels/update" happens at custom
      And the merchant has synced with {"resources": ["inventory"]}
      Then there are 2 less of it than custom has

    Scenario Outline: What buyers buy is sold at the platform, too
      Given a connected <platform> account
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a product of <platform>
      When a buyer who ordered 2 of it
      Then <platform> has 2 less of it, and so has the shop
      When the merchant has synced with {"resources": ["inventory"]}
      Then <platform> has 2 less of it, and so has the shop

      Examples:
        | platform    |
        | shopify     |
        | woocommerce |
        | custom      |

    Scenario: What buyers buy is a deal in the CRM, too
      Given a connected hubspot account
      And a connected shopify account
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a product of shopify
      When a buyer who ordered 2 of it
      Then hubspot has the order as one deal that is won
      And shopify has 2 less of it, and so has the shop
      When the merchant cancels the order
      Then hubspot has the order as one deal that is lost

    Scenario: Sold out at the platform, and there again
      Given the merchant moves to other platforms that hold {"products": 1, "seed": 2}
      And a connected shopify account
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a product of shopify
      And a webhook for "inventory_levels/update"
      When shopify calls as "none at the first place" with:
        """
        {"inventory_item_id": $item, "location_id": 61000001, "available": 0, "updated_at": "2025-06-01T00:00:00Z"}
        """
      And shopify calls as "none at the second place" with:
        """
        {"inventory_item_id": $item, "location_id": 61000002, "available": 0, "updated_at": "2025-06-01T00:00:00Z"}
        """
      Then within 10 seconds buyers can have 0 of it
      When shopify calls as "some again" with:
        """
        {"inventory_item_id": $item, "location_id": 61000002, "available": 9, "updated_at": "2025-06-01T00:00:01Z"}
        """
      Then within 10 seconds buyers can have 9 of it

    Scenario: What the shop sold before is the platform's by its sku
      Given a connected custom account
      And the merchant has synced
      And a product of custom
      And another shop that the merchant goes to
      And the merchant sends POST /v1/catalog/products {"name": "Old name", "sku": "$sku", "price": 5, "quantity": 1}
      And the answer's "id" is called "before"
      And a connected custom account
      When the merchant has synced
      Then the answer shows:
        | resources.products.created | 11 |
        | resources.products.updated | 1  |
      And the shop has what custom has
      And the shop has 12 products
      When the merchant sends GET /v1/integrations/$integration/records?resource=products&limit=100
      Then the answer shows:
        | data.*.local_id | contains "$before" |

  Rule: A later sync reads what has changed

    Scenario: Changes
      Given a connected custom account
      And the merchant has synced
      And 30 changes of "products/update, products/create, inventory_levels/update, customers/update, orders/create" happen at custom
      When the merchant has synced
      Then the answer shows:
        | resources.products.created | at least 1 |
        | resources.products.updated | at least 1 |
        | resources.orders.created   | at least 1 |
        | full_sync                  | false      |
      And the shop has what custom has

    Scenario: No changes
      Given a connected custom account
      And the merchant has synced
      When the merchant has synced with {"full_sync": true}
      Then the answer shows:
        | full_sync                     | true |
        | resources.products.unchanged  | 12   |
        | resources.products.updated    | 0    |
        | resources.customers.unchanged | 8    |
        | resources.orders.unchanged    | 6    |
      And the shop has what custom has

    Scenario: What was edited here is kept until everything is read
      Given the merchant moves to other platforms that hold {"products": 1, "seed": 2}
      And a connected custom account
      And the merchant has synced
      And a product of custom
      And the merchant changes the product with:
        """
        {"name": "Our own name", "description": "Our own words"}
        """
      And 6 changes of "products/update" happen at custom, drawn by 4
      When the merchant has synced
      Then the product's "name" is "Our own name"
      And the product's "description" is "Our own words"
      When the merchant has synced with {"full_sync": true}
      Then the shop has what custom has
      And the product's "description" is matches ^Made of

    Scenario: Fields that both sides changed are shown as conflicts
      Given the merchant moves to other platforms that hold {"products": 1, "seed": 2}
      And a connected custom account
      And the merchant has synced
      And a product of custom
      And the merchant changes the product with:
        """
        {"price": 1.5, "category": "our/own", "brand": "Our own"}
        """
      And 6 changes of "products/update" happen at custom, drawn by 4
      When the merchant has synced
      Then the answer shows:
        | resources.products.conflicts | at least 1 |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/changes?kind=conflict
      Then the answer shows:
        | data.0.kind            | "conflict"     |
        | data.0.local_id        | matches ^prod_ |
        | data.0.fields.#        | 1              |
        | data.0.fields.0.field  | "price"        |
        | data.0.fields.0.ours   | 1.5            |
        | data.0.fields.0.theirs | at least 2     |
        | data.0.fields.0.winner | "ours"         |
        | data.0.fields.0.rule   | "edited_here"  |
        | found.conflicts        | 1              |
        | found.changed          | 0              |
      When the merchant has synced with {"full_sync": true}
      And the merchant sends GET /v1/integrations/$integration/sync/$sync/changes
      Then the answer shows:
        | data.*.kind            | ["conflict"]  |
        | data.0.fields.0.winner | "theirs"      |
        | data.0.fields.0.rule   | "full_sync"   |
      When the merchant sends GET /v1/integrations/$integration/conflicts
      Then the answer shows:
        | data.*.fields.0.winner | ["theirs", "ours"] |
        | data.0.sync_id         | "$sync"            |

    Scenario: What the platform deletes is archived
      Given the merchant moves to other platforms that hold {"products": 3, "seed": 2}
      And a connected custom account
      And the merchant has synced
      And 1 change of "products/delete" happens at custom
      When the merchant has synced with {"full_sync": true, "resources": ["products"]}
      Then the answer shows:
        | resources.products.total   | 3 |
        | resources.products.updated | 1 |
      And the shop has what custom has
      When the merchant lists products with "status=archived"
      Then the answer shows:
        | meta.total | 1 |

    Scenario: What is deleted is told to who asks for changes, too
      Given a connected custom account
      And the merchant has synced
      And a product of custom
      And 3 changes of "products/delete" happen at custom
      When the merchant has synced
      Then the shop has what custom has
      And the shop has 12 products

    Scenario: A platform that has lost most of what it had is not believed
      Given the merchant moves to other platforms that hold {"products": 24}
      And a connected custom account
      And the merchant has synced
      And 14 changes of "products/delete" happen at custom
      When the merchant starts a sync with {"full_sync": true, "resources": ["products"]}
      Then the sync ends as "failed"
      And the answer shows:
        | error | matches 14 of 24 |
      When the merchant lists products with "status=archived"
      Then the answer shows:
        | data.#  | at most 3 |

  Rule: One bad record does not stop the others

    Scenario: Records that cannot be taken
      Given a connected custom account
      And custom meets {"kind": "bad_price", "times": 2}
      And custom meets {"kind": "no_name"}
      When the merchant has synced with {"resources": ["products"]}
      Then the answer shows:
        | resources.products.total   | 12 |
        | resources.products.errors  | 3  |
        | resources.products.created | 9  |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/errors
      Then the answer shows:
        | meta.total         | 3                                      |
        | data.*.resource    | ["products", "products", "products"]   |
        | data.0.record_id   | matches ^p-                                        |
        | data.0.reason      | present                                            |
        | data.0.at          | matches Z$                                         |
        | data.*.record_id   | contains "p-1001"                                  |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/errors?limit=1&offset=2
      Then the answer shows:
        | data.#      | 1 |
        | meta.offset | 2 |
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | metrics.products_synced | 9 |
        | metrics.errors_24h      | 3 |

    Scenario: Two records of one sku
      Given a connected custom account
      And custom meets {"kind": "duplicate_sku"}
      When the merchant has synced with {"resources": ["products"]}
      Then the answer shows:
        | resources.products.errors  | 1  |
        | resources.products.created | 11 |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync/errors
      Then the answer shows:
        | data.*.record_id | ["p-1002"]          |
        | data.0.reason    | matches (?i)sku     |

    Scenario: Less than nothing in stock
      Given a connected custom account
      And custom meets {"kind": "negative_stock", "times": 3}
      When the merchant has synced with {"resources": ["products", "inventory"]}
      Then the answer shows:
        | resources.inventory.errors | 0 |
      And the shop has what custom has

  Rule: A sync is looked at, and can be canceled

    Scenario: History
      Given a connected custom account
      When the merchant sends GET /v1/integrations/$integration/sync/history
      Then the answer shows:
        | data       | [] |
        | meta.total | 0  |
      Given the merchant has synced with {"resources": ["customers"]}
      And the answer's "sync_id" is called "first"
      And the merchant has synced with {"full_sync": true, "resources": ["orders"]}
      And the answer's "sync_id" is called "second"
      When the merchant sends GET /v1/integrations/$integration/sync/history
      Then the answer shows:
        | data.*.sync_id             | ["$second", "$first"]      |
        | data.*.status              | ["completed", "completed"] |
        | data.*.full_sync           | [true, false]              |
        | data.0.resources.orders.created | 6                     |
        | meta.total                 | 2                          |
      When the merchant sends GET /v1/integrations/$integration/sync/history?limit=1
      Then the answer shows:
        | data.*.sync_id | ["$second"] |
        | meta.limit     | 1           |
        | meta.total     | 2           |

    Scenario Outline: Syncs that are none
      Given a connected custom account
      When the merchant sends <request>
      Then it is refused: 404 sync_not_found

      Examples:
        | request                                                                             |
        | GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a              |
        | GET /v1/integrations/$integration/sync/nonsense                                     |
        | GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a/errors       |
        | GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a/changes      |
        | POST /v1/integrations/$integration/sync/sync_0000000000000000000000000a/cancel      |

    Scenario: One at a time
      Given a connected custom account
      And custom meets {"kind": "slow", "ms": 5000, "times": -1}
      And the merchant starts a sync
      When the merchant starts a sync with {"resources": ["orders"]}
      Then it is refused: 409 sync_in_progress
      When the merchant sends GET /v1/integrations/$integration/sync/$sync
      Then the answer shows:
        | status       | "running" |
        | completed_at | null      |
        | duration_ms  | null      |
      When the merchant sends POST /v1/integrations/$integration/sync/$sync/cancel
      Then the answer shows:
        | status       | "canceled" |
        | completed_at | matches Z$ |
      When the merchant sends POST /v1/integrations/$integration/sync/$sync/cancel
      Then the answer shows:
        | status | "canceled" |
      Given the platforms are well again
      When the merchant has synced
      Then the shop has what custom has

    Scenario: Starting at once
      Given a connected custom account
      And custom meets {"kind": "slow", "ms": 5000, "times": -1}
      When the merchant sends 8 times at once POST /v1/integrations/$integration/sync {}
      Then 1 of them succeeds and 7 are refused: 409 sync_in_progress
      When the merchant sends GET /v1/integrations/$integration/sync/history
      Then the answer shows:
        | meta.total | 1 |

    Scenario: Canceling what has ended
      Given a connected custom account
      And the merchant has synced with {"resources": ["orders"]}
      When the merchant sends POST /v1/integrations/$integration/sync/$sync/cancel
      Then it is refused: 409 sync_ended

    Scenario Outline: Records
      Given a connected custom account
      And the merchant has synced
      When the merchant sends GET /v1/integrations/$integration/records?resource=<resource>&limit=100
      Then the answer shows:
        | meta.total       | <total>           |
        | data.0.record_id | matches ^<prefix> |
        | data.0.local_id  | <local>           |
        | data.0.removed   | false             |

      Examples:
        | resource  | total | prefix | local          |
        | products  | 12    | p-     | matches ^prod_ |
        | customers | 8     | c-     | null           |
        | orders    | 6     | o-     | null           |

    Scenario Outline: Records that are not asked for well
      Given a connected custom account
      When the merchant sends GET /v1/integrations/$integration/records<query>
      Then it is refused: <status> <code>

      Examples:
        | query             | status | code            |
        |                   | 400    | invalid_request |
        | ?resource=teapots | 400    | invalid_request |

  Rule: A platform that fails for a while is read all the same

    Scenario Outline: Troubles that pass
      Given a connected <platform> account
      And <platform> meets <trouble>
      When the merchant has synced with {"resources": ["<resource>"]}
      Then the answer shows:
        | resources.<resource>.created | <number> |
        | resources.<resource>.errors  | 0        |
        | error                        | null     |

      Examples:
        | platform    | resource  | number | trouble                                                          |
        | custom      | products  | 12     | {"kind": "throttle", "resource": "products", "retry_after": 1}   |
        | custom      | products  | 12     | {"kind": "error", "resource": "products"}                        |
        | custom      | orders    | 6      | {"kind": "garbage", "resource": "orders"}                        |
        | custom      | customers | 8      | {"kind": "slow", "ms": 300, "resource": "customers"}             |
        | custom      | customers | 8      | {"kind": "lost", "resource": "customers"}                        |
        | shopify     | customers | 8      | {"kind": "cost", "resource": "customers"}                        |
        | hubspot     | customers | 8      | {"kind": "throttle", "resource": "contacts", "retry_after": 1}   |
        | hubspot     | orders    | 6      | {"kind": "error", "resource": "deals", "status": 502}            |

    Scenario: Stale tokens are refreshed
      Given the merchant moves to other platforms that hold {"hubspotlife": 1000000000}
      And a connected hubspot account
      When the merchant has synced
      Then the answer shows:
        | resources.customers.created | 8 |
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status | "connected" |
      And nothing tells a key or a token

  Rule: What does not pass ends the sync, and is announced

    Scenario: Pages that lead in a circle
      Given a subscription to ["sync.failed", "sync.completed"]
      And a connected custom account
      And custom meets {"kind": "circle", "resource": "products", "times": -1}
      When the merchant starts a sync
      Then the sync ends as "failed"
      And the answer shows:
        | error        | matches loop |
        | completed_at | matches Z$     |
      And 1 event "sync.failed" arrives, signed
      And the event shows:
        | sync_id        | "$sync"        |
        | integration_id | "$integration" |
        | error          | matches loop |
        | started_at     | matches Z$     |
        | failed_at      | matches Z$     |
      And no event "sync.completed" arrived
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status             | "connected" |
        | last_sync          | null        |
        | metrics.errors_24h | 1           |

    Scenario: A sync that has completed
      Given a subscription to ["sync.failed", "sync.completed"]
      And a connected custom account
      When the merchant has synced with {"resources": ["customers", "orders"]}
      Then 1 event "sync.completed" arrives, signed
      And the event shows:
        | sync_id             | "$sync"                                                                    |
        | integration_id      | "$integration"                                                             |
        | full_sync           | false                                                                      |
        | resources.customers | {"total": 8, "created": 8, "updated": 0, "unchanged": 0, "errors": 0}      |
        | resources.orders    | {"total": 6, "created": 6, "updated": 0, "unchanged": 0, "errors": 0}      |
        | started_at          | matches Z$                                                                 |
        | completed_at        | matches Z$                                                                 |
      And no event "sync.failed" arrived

    Scenario: A key that is good no more
      Given a subscription to ["integration.error"]
      And a connected custom account
      And custom meets {"kind": "refuse", "times": -1}
      When the merchant starts a sync
      Then the sync ends as "failed"
      And 1 event "integration.error" arrives, signed
      And the event shows:
        | integration_id | "$integration" |
        | type           | "custom"       |
        | name           | "Custom"       |
        | error          | present        |
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status     | "error" |
        | last_error | present |
      When the merchant looks at the shop
      Then the answer shows:
        | integrations | [{"type": "custom", "status": "error"}] |
      Given the platforms are well again
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "$custom_key"}
      Then the answer shows:
        | status     | "connected" |
        | last_error | null        |
      When the merchant has synced
      Then the shop has what custom has

    Scenario: Consent that is withdrawn
      Given a subscription to ["integration.error"]
      And a connected hubspot account
      And hubspot lets nobody in any more
      When the merchant starts a sync
      Then the sync ends as "failed"
      And 1 event "integration.error" arrives, signed
      And the event shows:
        | integration_id | "$integration" |
        | type           | "hubspot"      |
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status | "error" |
      When the merchant begins to connect hubspot
      And the merchant consents at the platform
      And the merchant comes back
      Then the answer shows:
        | id     | "$integration" |
        | status | "connected"    |
      And the merchant has synced
