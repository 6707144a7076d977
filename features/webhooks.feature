Feature: Webhooks of platforms
  A platform tells of changes as they happen. Only the platform is believed, and each call counts once.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: A webhook is registered with the platform

    Scenario Outline: Registering
      Given a connected <type> account
      When the merchant registers a webhook for "<topic>" with the actions <actions>
      Then it answers 201
      And the answer shows:
        | id         | matches ^wh_              |
        | topic      | "<topic>"                 |
        | endpoint   | matches ^http.*/hooks/wh_ |
        | status     | "active"                  |
        | actions    | <actions>                 |
        | created_at | matches Z$                |
      And <type> knows 1 webhook
      When the merchant sends GET /v1/integrations/$integration/webhooks
      Then the answer shows:
        | data.*.id    | ["$wh"]     |
        | data.0.topic | "<topic>"   |
        | data.0.actions | <actions> |
        | meta.total   | 1           |
      When the merchant sends DELETE /v1/integrations/$integration/webhooks/$wh
      Then it answers 204
      And <type> knows 0 webhooks
      When the merchant sends GET /v1/integrations/$integration/webhooks
      Then the answer shows:
        | data | [] |
      When the merchant sends DELETE /v1/integrations/$integration/webhooks/$wh
      Then it is refused: 404 webhook_not_found
      And nothing tells a key or a token

      Examples:
        | type        | topic                   | actions                             |
        | shopify     | products/update         | ["sync_inventory"]                  |
        | custom      | inventory_levels/update | ["sync_products", "sync_customers"] |
        | shipstation | SHIP_NOTIFY             | ["sync_orders"]                     |
        | custom      | orders/create           | []                                  |

    Scenario Outline: Webhooks that cannot be
      Given a connected <type> account
      When the merchant sends POST /v1/integrations/$integration/webhooks <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | type        | body                                                                           | field     |
        | custom      | {}                                                                             | topic     |
        | custom      | {"topic": "teapots/boil"}                                                      | topic     |
        | custom      | {"topic": "SHIP_NOTIFY"}                                                       | topic     |
        | shipstation | {"topic": "products/update"}                                                   | topic     |
        | hubspot     | {"topic": "customers/update"}                                                  | topic     |
        | custom      | {"topic": "products/update", "actions": ["boil"]}                              | actions.0 |
        | custom      | {"topic": "products/update", "actions": ["sync_orders", "sync_orders"]}        | actions.1 |
        | shipstation | {"topic": "SHIP_NOTIFY", "actions": ["sync_products"]}                         | actions.0 |

    Scenario: A second webhook for a topic
      Given a connected custom account
      And a webhook for "products/update"
      When the merchant registers a webhook for "products/update"
      Then it is refused: 409 webhook_exists
      And the refusal names "topic"
      And custom knows 1 webhook

    Scenario: Registering at once
      Given a connected custom account
      When the merchant sends 8 times at once POST /v1/integrations/$integration/webhooks {"topic": "products/update"}
      Then 1 of them succeeds and 7 are refused: 409 webhook_exists
      And custom knows 1 webhook

    Scenario: A platform that does not answer
      Given a connected custom account
      And custom meets {"kind": "error", "resource": "webhooks", "times": -1}
      When the merchant registers a webhook for "products/update"
      Then it is refused: 503 provider_unavailable
      When the merchant sends GET /v1/integrations/$integration/webhooks
      Then the answer shows:
        | data | [] |

    Scenario: A platform that does not answer when a webhook is removed
      Given a connected custom account
      And a webhook for "products/update"
      And custom meets {"kind": "error", "resource": "webhooks"}
      When the merchant sends DELETE /v1/integrations/$integration/webhooks/$wh
      Then it is refused: 503 provider_unavailable
      When the merchant sends GET /v1/integrations/$integration/webhooks
      Then the answer shows:
        | data.*.id | ["$wh"] |
      When the merchant sends DELETE /v1/integrations/$integration/webhooks/$wh
      Then it answers 204
      And custom knows 0 webhooks

    Scenario: A platform that lets nobody in
      Given a connected custom account
      And custom meets {"kind": "refuse", "resource": "webhooks", "times": -1}
      When the merchant registers a webhook for "products/update"
      Then it is refused: 409 credentials_refused

  Rule: What a platform tells is taken in

    Scenario Outline: Changes
      Given a connected <platform> account
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a webhook for "products/update"
      And a webhook for "inventory_levels/update"
      When <platform> tells of 12 changes
      Then 12 genuine calls were answered 200
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed&limit=50
      Then within 20 seconds the answer shows:
        | meta.total          | 12               |
        | data.0.id           | matches ^whlog_  |
        | data.0.webhook_id   | matches ^wh_     |
        | data.0.topic        | matches /        |
        | data.0.status       | "processed"      |
        | data.0.error        | null             |
        | data.0.payload_size | above 10         |
        | data.0.received_at  | matches Z$       |
      And the shop has what <platform> has
      And nothing tells a key or a token

      Examples:
        | platform |
        | custom   |
        | shopify  |

    Scenario Outline: Calls that are late, repeated, in another order and forged
      Given the merchant moves to other platforms that hold {"products": 2, "seed": 2}
      And a connected <platform> account
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a webhook for "products/update"
      And a webhook for "inventory_levels/update"
      When <platform> tells of 15 changes {"late": 0.3, "duplicate": 1, "reorder": 0.5, "tamper": 1}
      Then 30 genuine calls were answered 200
      And 15 forged calls were answered 401
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 20 seconds the answer shows:
        | meta.total | 15 |
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=duplicate
      Then the answer shows:
        | meta.total | 15 |
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=rejected&limit=1
      Then the answer shows:
        | meta.total    | at least 5 |
        | data.0.status | "rejected" |
        | data.0.error  | present    |
      And the shop has what <platform> has

      Examples:
        | platform |
        | custom   |
        | shopify  |

    Scenario: Deleted at the platform
      Given a connected custom account
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a product of custom
      And a webhook for "products/delete"
      When custom tells of 12 changes
      Then 12 genuine calls were answered 200
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 20 seconds the answer shows:
        | meta.total | 12 |
      And the shop has what custom has
      And buyers do not find it

    Scenario: Customers and orders
      Given a connected custom account
      And a webhook for "customers/create"
      And a webhook for "orders/create"
      When custom tells of 10 changes
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 20 seconds the answer shows:
        | meta.total | 10 |
      When the merchant sends GET /v1/integrations/$integration/records?resource=customers
      Then the answer shows:
        | data.0.customer.email | matches @example.com$ |
      When the merchant sends GET /v1/integrations/$integration/records?resource=orders
      Then the answer shows:
        | data.0.order.currency | "USD" |

    Scenario: A call that has more read
      Given a connected custom account
      And the merchant has synced
      And a webhook for "orders/create" with the actions ["sync_inventory"]
      And 8 changes of "inventory_levels/update" happen at custom
      When custom tells of 3 changes
      Then at least 2 syncs have completed
      And the answer shows:
        | data.0.full_sync           | false      |
        | data.0.resources.inventory | present    |
        | data.0.resources.products  | absent     |
      And the shop has what custom has

    Scenario: New products and their stock
      Given a connected custom account
      And the merchant has synced
      And a webhook for "products/create" with the actions ["sync_inventory"]
      When custom tells of 2 changes
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 20 seconds the answer shows:
        | meta.total | 2 |
      And the shop has 14 products
      And within 20 seconds the shop has what custom has

  Rule: Only the platform is believed

    Scenario: Somebody else's call
      Given a connected shopify account
      And a webhook for "products/update"
      When somebody calls in shopify's name with:
        """
        {"id": 1, "title": "Free tent", "variants": [{"id": 2, "price": "0.01"}]}
        """
      Then it answers 401
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs
      Then within 5 seconds the answer shows:
        | data.*.status | ["rejected"] |
        | data.0.error  | present      |
      And the shop has 0 products

    Scenario Outline: A signed call that does not say of what it is
      Given a connected shopify account
      And a webhook for "products/update"
      When a call of shopify's is sent again without "<header>":
        """
        {"id": 1}
        """
      Then it answers 401
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs
      Then within 5 seconds the answer shows:
        | data.*.status | ["rejected"] |

      Examples:
        | header                |
        | X-Shopify-Topic       |
        | X-Shopify-Shop-Domain |

    Scenario: A call of ShipStation's that leads elsewhere
      Given a connected shipstation account
      And a webhook for "SHIP_NOTIFY"
      When shopify calls as "led astray" with:
        """
        {"resource_url": "http://169.254.169.254/shipments?batchId=1", "resource_type": "SHIP_NOTIFY"}
        """
      Then it answers 200
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=failed
      Then within 5 seconds the answer shows:
        | data.0.topic | "SHIP_NOTIFY" |
        | data.0.error | present       |

    Scenario: After the webhook was removed
      Given a connected shopify account
      And a webhook for "products/update"
      And the merchant sends DELETE /v1/integrations/$integration/webhooks/$wh
      When shopify calls as "too late" with:
        """
        {"id": 1}
        """
      Then it answers 404

  Rule: The log tells what became of calls

    Scenario: What is not known yet is tried again
      Given a connected shopify account
      And a webhook for "inventory_levels/update"
      When shopify calls as "early" with:
        """
        {"inventory_item_id": 44000000001, "location_id": 61000001, "available": 4321, "updated_at": "2025-06-01T00:00:00Z"}
        """
      Then it answers 200
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs
      Then within 5 seconds the answer shows:
        | data.0.status      | "received" |
        | data.0.retry_count | at least 1 |
        | data.0.error       | present    |
      When the merchant has synced with {"resources": ["products"]}
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?since=1h
      Then within 20 seconds the answer shows:
        | data.0.status | "processed" |
        | data.0.error  | null        |
      When the merchant sends GET /v1/catalog/inventory?limit=100
      Then the answer shows:
        | data.*.quantity | contains 4321 |

    Scenario: An older event does not win
      Given a connected shopify account
      And the merchant has synced with {"resources": ["products", "inventory"]}
      And a webhook for "inventory_levels/update"
      When shopify calls as "newer" with:
        """
        {"inventory_item_id": 44000000001, "location_id": 61000001, "available": 4321, "updated_at": "2025-06-01T00:00:01Z"}
        """
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 5 seconds the answer shows:
        | meta.total | 1 |
      When shopify calls as "older" with:
        """
        {"inventory_item_id": 44000000001, "location_id": 61000001, "available": 1234, "updated_at": "2025-06-01T00:00:00Z"}
        """
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 5 seconds the answer shows:
        | meta.total | 2 |
      When shopify calls as "another id" with:
        """
        {"inventory_item_id": 44000000001, "location_id": 61000001, "available": 4321, "updated_at": "2025-06-01T00:00:01Z"}
        """
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 5 seconds the answer shows:
        | meta.total | 3 |
      When shopify calls as "newer" with:
        """
        {"inventory_item_id": 44000000001, "location_id": 61000001, "available": 4321, "updated_at": "2025-06-01T00:00:01Z"}
        """
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=duplicate
      Then within 5 seconds the answer shows:
        | meta.total | 1 |
      When the merchant sends GET /v1/catalog/inventory?limit=100
      Then the answer shows:
        | data.*.quantity | contains 4321 |
        | data.*.quantity | without 1234  |

    Scenario: A record that is not acceptable
      Given a connected shopify account
      And a webhook for "products/update"
      When shopify calls as "bad" with:
        """
        {"id": 7000000001, "title": "", "status": "active", "updated_at": "2026-01-01T00:00:00Z", "variants": [{"id": 78, "sku": "S-77", "price": "abc", "inventory_management": "shopify"}]}
        """
      Then it answers 200
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=failed
      Then within 5 seconds the answer shows:
        | data.0.error       | present |
        | data.0.retry_count | 0       |
      And the answer's "data.0.id" is called "log"
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | metrics.errors_24h | 1 |
      When the merchant sends POST /v1/integrations/$integration/webhooks/logs/$log/retry
      Then it answers 202
      And the answer shows:
        | id     | "$log"     |
        | status | "received" |
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=failed
      Then within 5 seconds the answer shows:
        | data.*.id | ["$log"] |

    Scenario: A failed call is worked on once more
      Given a connected shipstation account
      And a webhook for "SHIP_NOTIFY"
      And shipstation meets {"kind": "error", "status": 400, "resource": "shipments"}
      When shipstation tells of 1 change
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=failed
      Then within 5 seconds the answer shows:
        | meta.total   | 1       |
        | data.0.error | present |
      And the answer's "data.0.id" is called "log"
      When the merchant sends POST /v1/integrations/$integration/webhooks/logs/$log/retry
      Then it answers 202
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 5 seconds the answer shows:
        | data.*.id    | ["$log"] |
        | data.0.error | null     |
      When the merchant sends POST /v1/integrations/$integration/webhooks/logs/$log/retry
      Then it is refused: 409 delivery_not_failed

    Scenario Outline: The log by time and by what became of calls
      Given a connected shopify account
      And a webhook for "products/update"
      And somebody calls in shopify's name with:
        """
        {}
        """
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs
      And within 5 seconds the answer shows:
        | meta.total | 1 |
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?<query>
      Then the answer shows:
        | meta.total | <total> |

      Examples:
        | query                     | total |
        | since=30m                 | 1     |
        | since=1h                  | 1     |
        | since=7d&status=rejected  | 1     |
        | since=1h&status=failed    | 0     |
        | status=duplicate          | 0     |
        | status=rejected&offset=1  | 1     |

    Scenario Outline: What the log is not asked for well
      Given a connected custom account
      When the merchant sends GET /v1/integrations/$integration/webhooks/logs?<query>
      Then it is refused: 400 invalid_request

      Examples:
        | query        |
        | since=1      |
        | since=h      |
        | since=0h     |
        | since=-1h    |
        | since=1w     |
        | since=31d    |
        | since=1.5h   |
        | status=lost  |

    Scenario: A call that is none
      Given a connected custom account
      When the merchant sends POST /v1/integrations/$integration/webhooks/logs/whlog_0000000000000000000000000a/retry
      Then it is refused: 404 delivery_not_found
