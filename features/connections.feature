Feature: Platforms that are connected
  A merchant connects the systems that hold its data: by the consent of whoever owns the account, or by a key.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: Consent is asked for at the platform, and comes back with a code

    Scenario: Connecting Shopify
      When the merchant sends POST /v1/integrations/connect {"type": "shopify", "redirect_uri": "https://shop.example.com/back", "store_domain": "https://Trailhead-Outfitters.myshopify.com/"}
      Then it answers 200
      And the answer shows:
        | authorization_url | matches /shopify/admin/oauth/authorize\?.*client_id=haggle-sandbox |
        | authorization_url | matches redirect_uri=\S+%2Foauth%2Fcallback                      |
        | authorization_url | matches shop=trailhead-outfitters.myshopify.com                    |
        | state             | matches ^\S{40,}$                                                  |
        | expires_in        | 600                                                                |
      When the merchant begins to connect shopify for "trailhead-outfitters.myshopify.com"
      And the merchant consents at the platform
      And the merchant comes back
      Then it answers 201
      And the answer shows:
        | id           | matches ^int_                        |
        | type         | "shopify"                            |
        | status       | "connected"                          |
        | store_domain | "trailhead-outfitters.myshopify.com" |
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | name                   | "Shopify"                            |
        | status                 | "connected"                          |
        | config.store_domain    | "trailhead-outfitters.myshopify.com" |
        | config.sync_products   | true                                 |
        | config.sync_orders     | true                                 |
        | config.sync_customers  | true                                 |
        | last_sync              | null                                 |
        | last_error             | null                                 |
        | metrics                | {"products_synced": 0, "orders_synced": 0, "errors_24h": 0} |
        | webhook                | absent                               |
      And nothing tells a key or a token

    Scenario: Connecting a Shopify shop that is chosen at Shopify
      When the merchant begins to connect shopify
      And the merchant consents at the platform
      And the merchant comes back
      Then it answers 201
      And the answer shows:
        | store_domain | "trailhead-outfitters.myshopify.com" |

    Scenario Outline: Coming back without what Shopify has signed
      Given the merchant begins to connect <asked>
      And the merchant consents at the platform
      When the merchant comes back with {"callback_query": null}
      Then it is refused: 422 validation_error
      And the refusal names "code"
      When the merchant comes back with {"callback_query": null, "store_domain": "trailhead-outfitters.myshopify.com"}
      Then it is refused: 422 validation_error
      And the refusal names "code"
      When the merchant comes back
      Then it answers 201

      Examples:
        | asked                                            |
        | shopify                                          |
        | shopify for "trailhead-outfitters.myshopify.com" |

    Scenario: Coming back with the redirect's query alone
      Given the merchant begins to connect shopify
      And the merchant consents at the platform
      When the merchant comes back with {"code": null, "state": null}
      Then it answers 201

    Scenario: Connecting HubSpot
      When the merchant begins to connect hubspot
      Then the answer shows:
        | authorization_url | matches code_challenge=\S+          |
        | authorization_url | matches code_challenge_method=S256  |
      When the merchant consents at the platform
      And the merchant comes back
      Then it answers 201
      And the answer shows:
        | type         | "hubspot"   |
        | status       | "connected" |
        | store_domain | null        |
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | config.account_id     | present |
        | config.store_domain   | absent  |
        | config.sync_products  | absent  |
        | config.sync_orders    | true    |
        | config.sync_customers | true    |
      And nothing tells a key or a token

    Scenario Outline: Connections that are refused
      When the merchant sends POST /v1/integrations/connect <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                                                                                            | field        |
        | {"redirect_uri": "https://a.example.com/"}                                                                      | type         |
        | {"type": "teapot", "redirect_uri": "https://a.example.com/"}                                                    | type         |
        | {"type": "stripe", "redirect_uri": "https://a.example.com/"}                                                    | type         |
        | {"type": "paypal", "redirect_uri": "https://a.example.com/"}                                                    | type         |
        | {"type": "shipstation", "redirect_uri": "https://a.example.com/"}                                               | type         |
        | {"type": "custom", "redirect_uri": "https://a.example.com/"}                                                    | type         |
        | {"type": "shopify"}                                                                                             | redirect_uri |
        | {"type": "shopify", "redirect_uri": "a.example.com/back"}                                                       | redirect_uri |
        | {"type": "shopify", "redirect_uri": "http://a.example.com/back"}                                                | redirect_uri |
        | {"type": "shopify", "redirect_uri": "ftp://127.0.0.1/back"}                                                     | redirect_uri |
        | {"type": "shopify", "redirect_uri": "javascript:alert(1)"}                                                      | redirect_uri |
        | {"type": "shopify", "redirect_uri": "https://ada:pw@a.example.com/"}                                            | redirect_uri |
        | {"type": "shopify", "redirect_uri": "https://a.example.com/#top"}                                               | redirect_uri |
        | {"type": "shopify", "redirect_uri": "https://a.example.com/", "store_domain": "evil.example.com"}               | store_domain |
        | {"type": "shopify", "redirect_uri": "https://a.example.com/", "store_domain": "a.myshopify.com/x"}              | store_domain |
        | {"type": "shopify", "redirect_uri": "https://a.example.com/", "store_domain": "evil.example.com#.myshopify.com"} | store_domain |
        | {"type": "hubspot", "redirect_uri": "https://a.example.com/", "store_domain": "a.myshopify.com"}                | store_domain |

    Scenario Outline: Merchants come back to their own machine, too
      When the merchant sends POST /v1/integrations/connect {"type": "hubspot", "redirect_uri": "<uri>"}
      Then it answers 200

      Examples:
        | uri                        |
        | http://localhost:3000/back |
        | http://127.0.0.1/back      |
        | http://[::1]:3000/back     |

  Rule: A callback is believed if it is the platform's

    Scenario Outline: Callbacks that somebody has changed
      Given the merchant begins to connect shopify for "trailhead-outfitters.myshopify.com"
      And the merchant consents at the platform
      And the callback's "<name>" is changed to "<value>"
      When the merchant comes back
      Then it is refused: <status> <code>
      And the shop has no integration

      Examples:
        | name      | value                   | status | code                 |
        | hmac      | 00                      | 422    | authorization_failed |
        | timestamp | 1700000000              | 422    | authorization_failed |
        | shop      | another.myshopify.com   | 400    | invalid_state        |
        | shop      | evil.example.com        | 422    | validation_error     |

    Scenario: The platform tells of a shop that was not asked for
      Given the merchant begins to connect shopify for "another.myshopify.com"
      And the merchant consents at the platform
      When the merchant comes back
      Then it is refused: 400 invalid_state
      And the shop has no integration

    Scenario Outline: Consent that is denied
      Given the merchant begins to connect <type>
      And the merchant denies consent at the platform
      When the merchant comes back
      Then it is refused: <status> <code>
      And the shop has no integration

      Examples:
        | type    | status | code                 |
        | hubspot | 422    | validation_error     |

    Scenario Outline: A code that the platform does not take
      Given the merchant begins to connect <type>
      And the merchant consents at the platform
      When the merchant comes back with <changes>
      Then it is refused: 422 authorization_failed
      And the refusal names "code"
      And the shop has no integration
      When the merchant comes back
      Then it is refused: 400 invalid_state

      Examples:
        | type    | changes                                      |
        | shopify | {"code": "guessed"}                          |
        | hubspot | {"code": "guessed", "callback_query": null}  |

    Scenario: A platform that does not answer
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      And hubspot meets {"kind": "error", "resource": "token", "times": -1}
      When the merchant comes back
      Then it is refused: 503 provider_unavailable
      And the shop has no integration

  Rule: A state is good for one completion, with whom it was given to

    Scenario: A state that was used
      Given a connected hubspot account
      When the merchant comes back
      Then it is refused: 400 invalid_state
      And the refusal names "state"

    Scenario: Twenty completions at once
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      When the merchant comes back 20 times at once
      Then 1 of them succeeds and 19 are refused: 400 invalid_state
      When the merchant sends GET /v1/integrations
      Then the answer shows:
        | data.*.type   | ["hubspot"]   |
        | data.*.status | ["connected"] |
        | meta.total    | 1             |

    Scenario: Twenty completions at once under one key
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      When under the key "a" the merchant comes back 20 times at once
      Then all of them got one answer, or were told that the first is under way
      When the merchant sends GET /v1/integrations
      Then the answer shows:
        | data.*.status | ["connected"] |

    Scenario Outline: A state that is not for this
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      When the merchant comes back with <changes>
      Then it is refused: <status> <code>
      When the merchant comes back
      Then it answers 201

      Examples:
        | changes                                                                                                  | status | code             |
        | {"state": "guessed"}                                                                                     | 400    | invalid_state    |
        | {"state": null}                                                                                          | 422    | validation_error |
        | {"code": null}                                                                                           | 422    | validation_error |
        | {"redirect_uri": "https://evil.example.com/back"}                                                        | 400    | invalid_state    |
        | {"type": "shopify", "callback_query": "shop=a.myshopify.com"}                                            | 400    | invalid_state    |
        | {"type": "stripe"}                                                                                       | 422    | validation_error |
        | {"type": "teapot"}                                                                                       | 422    | validation_error |
        | {"type": null}                                                                                           | 422    | validation_error |

    Scenario: A state that comes back with its redirect_uri
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      When the merchant comes back with {"redirect_uri": "http://127.0.0.1:9/back"}
      Then it answers 201

    Scenario: A state of another shop
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      And another shop that the merchant goes to
      When the merchant comes back
      Then it is refused: 400 invalid_state
      And the shop has no integration

    Scenario: A state of another account
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      And a merchant with an account of its own
      And a shop
      When the merchant comes back
      Then it is refused: 400 invalid_state
      And the shop has no integration

  Rule: An account is connected once, and can be connected anew

    Scenario: Consenting again
      Given a connected shopify account
      And the merchant sends PATCH /v1/integrations/$integration {"name": "Our shop", "config": {"sync_orders": false}}
      And the answer's "id" is called "before"
      And shopify lets nobody in any more
      When the merchant begins to connect shopify
      And the merchant consents at the platform
      And the merchant comes back
      Then the answer shows:
        | id     | "$before"   |
        | status | "connected" |
      When the merchant sends GET /v1/integrations
      Then the answer shows:
        | meta.total                | 1          |
        | data.0.name               | "Our shop" |
        | data.0.config.sync_orders | false      |
      And the merchant has synced with {"resources": ["customers"]}

    Scenario: Consenting for another account
      Given a connected shopify account
      And the merchant moves to other platforms that hold {"shop": "another.myshopify.com"}
      When the merchant begins to connect shopify
      And the merchant consents at the platform
      And the merchant comes back
      Then it is refused: 409 integration_exists

    Scenario: Connecting again what was disconnected
      Given a connected hubspot account
      And the answer's "id" is called "before"
      And the merchant sends PATCH /v1/integrations/$integration {"name": "Our CRM"}
      And the merchant sends DELETE /v1/integrations/$integration
      When the merchant begins to connect hubspot
      And the merchant consents at the platform
      And the merchant comes back
      Then the answer shows:
        | id     | "$before"   |
        | status | "connected" |
      When the merchant sends GET /v1/integrations/$before
      Then the answer shows:
        | name | "Our CRM" |

  Rule: Other platforms are connected by a key

    Scenario: Connecting ShipStation
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}, "name": "Warehouse"}
      Then it answers 201
      And the answer shows:
        | type                 | "shipstation" |
        | name                 | "Warehouse"   |
        | status               | "connected"   |
        | config.account_id    | present       |
        | config.sync_orders   | true          |
        | config.sync_products | absent        |
        | credentials          | absent        |

    Scenario: Connecting ShipStation by the key of its API V2, which has no secret
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "shipstation", "credentials": {"api_key": "$ship_v2_key"}}
      Then it answers 201
      And the answer shows:
        | status            | "connected"       |
        | config.account_id | matches ^carrier- |

    Scenario: Connecting a system of the merchant's own
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url/", "sync_customers": false}}
      Then it answers 201
      And the answer shows:
        | type                  | "custom"    |
        | name                  | "Custom"    |
        | status                | "connected" |
        | config.base_url       | "$base_url" |
        | config.sync_products  | true        |
        | config.sync_orders    | true        |
        | config.sync_customers | false       |
        | credentials           | absent      |

    Scenario Outline: Accounts that cannot be connected
      When the merchant sends POST /v1/integrations/connect/api-key <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                                                                                              | field                  |
        | {"type": "hubspot", "credentials": {"api_key": "k"}}                                                              | type                   |
        | {"type": "shopify", "credentials": {"api_key": "k"}}                                                              | type                   |
        | {"type": "shipstation", "credentials": {"api_secret": "s"}}                                                       | credentials.api_key    |
        | {"type": "custom", "credentials": {"api_key": "k"}}                                                               | config.base_url        |
        | {"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "ftp://a.example.com"}}                | config.base_url        |
        | {"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "https://a:b@a.example.com"}}          | config.base_url        |
        | {"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "https://a.example.com?x=1"}}          | config.base_url        |
        | {"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "https://a.example.com", "sync": true}} | config.sync            |

    Scenario Outline: Credentials that the platform refuses
      When the merchant sends POST /v1/integrations/connect/api-key <body>
      Then it is refused: 422 authorization_failed
      And the refusal names "credentials.api_key"
      And the shop has no integration

      Examples:
        | body                                                                                                     |
        | {"type": "shipstation", "credentials": {"api_key": "guessed", "api_secret": "guessed"}}                  |
        | {"type": "shipstation", "credentials": {"api_key": "guessed"}}                                           |
        | {"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "guessed"}}                |
        | {"type": "custom", "credentials": {"api_key": "guessed"}, "config": {"base_url": "$base_url"}}           |

    Scenario Outline: A platform that is not well
      Given <platform> meets {"kind": "<kind>", "times": -1, "resource": "account", "ms": 100}
      When the merchant sends POST /v1/integrations/connect/api-key <body>
      Then it is refused: <status> <code>
      And the shop has no integration

      Examples:
        | platform    | kind    | status | code                 | body                                                                                                 |
        | custom      | error   | 503    | provider_unavailable | {"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}   |
        | custom      | garbage | 503    | provider_unavailable | {"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}   |
        | shipstation | throttle | 503   | provider_unavailable | {"type": "shipstation", "credentials": {"api_key": "$ship_key", "api_secret": "$ship_secret"}}       |

    Scenario: A second system
      Given a connected custom account
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}
      Then it is refused: 409 integration_exists

    Scenario: Connecting at once
      When the merchant sends 8 times at once POST /v1/integrations/connect/api-key {"type": "custom", "credentials": {"api_key": "$custom_key"}, "config": {"base_url": "$base_url"}}
      Then 1 of them succeeds and 7 are refused: 409 integration_exists
      When the merchant sends GET /v1/integrations
      Then the answer shows:
        | meta.total | 1 |

  Rule: What is connected can be changed

    Scenario: Name and data
      Given a connected custom account
      When the merchant sends PATCH /v1/integrations/$integration {"name": "Our ERP", "config": {"sync_products": false, "sync_customers": false}}
      Then the answer shows:
        | name                  | "Our ERP" |
        | config.sync_products  | false     |
        | config.sync_orders    | true      |
        | config.sync_customers | false     |
      When the merchant sends PATCH /v1/integrations/$integration {"name": null, "config": {"sync_products": null}}
      Then the answer shows:
        | name                  | "Custom" |
        | config.sync_products  | true     |
        | config.sync_customers | false    |
      When the merchant sends PATCH /v1/integrations/$integration {"config": null}
      Then the answer shows:
        | config.sync_customers | true        |
        | config.base_url       | "$base_url" |

    Scenario Outline: Changes that cannot be
      Given a connected custom account
      When the merchant sends PATCH /v1/integrations/$integration <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                                   | field               |
        | {"name": ""}                                           | name                |
        | {"status": "connected"}                                | status              |
        | {"config": {"base_url": "https://other.example.com"}}  | config.base_url     |
        | {"config": {"sync_orders": "yes"}}                     | config.sync_orders  |

    Scenario: Other credentials
      Given a connected shipstation account
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "$ship_key", "api_secret": "guessed"}
      Then it is refused: 422 authorization_failed
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "$ship_key"}
      Then it is refused: 422 authorization_failed
      And the refusal names "api_key"
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "$ship_key", "api_secret": "$ship_secret"}
      Then the answer shows:
        | id     | "$integration" |
        | status | "connected"    |

    Scenario: Consent is not replaced by a key
      Given a connected hubspot account
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "guessed"}
      Then it is refused: 422 validation_error

  Rule: What is disconnected is left alone

    Scenario: Disconnecting
      Given a connected custom account
      And a webhook for "products/update"
      And a webhook for "inventory_levels/update"
      And custom knows 2 webhooks
      And the merchant has synced
      And custom meets {"kind": "slow", "ms": 5000, "times": -1}
      And the merchant starts a sync
      When the merchant sends DELETE /v1/integrations/$integration
      Then it answers 204
      And custom knows 0 webhooks
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status                  | "disconnected" |
        | metrics.products_synced | 12             |
      When the merchant sends GET /v1/integrations/$integration/sync/$sync
      Then the answer shows:
        | status | "canceled" |
      When the merchant sends GET /v1/integrations/$integration/webhooks
      Then the answer shows:
        | data | [] |
      When the merchant sends DELETE /v1/integrations/$integration
      Then it answers 204
      When the merchant sends POST /v1/integrations/$integration/sync
      Then it is refused: 409 integration_disconnected
      When the merchant sends POST /v1/integrations/$integration/webhooks {"topic": "products/update"}
      Then it is refused: 409 integration_disconnected
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "$custom_key"}
      Then it is refused: 409 integration_disconnected
      And nothing tells a key or a token

    Scenario: Calls after disconnecting
      Given a connected shopify account
      And a webhook for "products/update"
      And the merchant sends DELETE /v1/integrations/$integration
      And shopify knows 0 webhooks
      When shopify calls as "too late" with:
        """
        {"id": 1}
        """
      Then it answers 404

    Scenario: Connecting again finds what was there
      Given a connected custom account
      And the merchant has synced
      And the merchant sends DELETE /v1/integrations/$integration
      And a connected custom account
      And 10 changes of "products/update, products/create, inventory_levels/update" happen at custom
      When the merchant has synced with {"full_sync": true}
      Then the answer shows:
        | resources.products.created | at most 9 |
      And the shop has what custom has

    Scenario: What it had brought stays
      Given a connected custom account
      And the merchant has synced
      And a product of custom
      And the merchant sends DELETE /v1/integrations/$integration
      Then buyers find it

  Rule: The shop shows what it is connected to

    Scenario: Several platforms
      Given a connected custom account
      And a connected hubspot account
      And a connected shipstation account
      When the merchant looks at the shop
      Then the answer shows:
        | integrations.# | 3 |
        | integrations   | contains {"type": "custom", "status": "connected"}      |
        | integrations   | contains {"type": "hubspot", "status": "connected"}     |
        | integrations   | contains {"type": "shipstation", "status": "connected"} |

    Scenario Outline: Another shop does not see it
      Given a connected custom account
      And another shop that the merchant goes to
      When the merchant sends <request>
      Then it is refused: 404 integration_not_found

      Examples:
        | request                                                               |
        | PATCH /v1/integrations/$integration {"name": "x"}                     |
        | POST /v1/integrations/$integration/sync                               |
        | GET /v1/integrations/$integration/sync/history                        |
        | GET /v1/integrations/$integration/sync/sync_0000000000000000000000000a |
        | GET /v1/integrations/$integration/records?resource=products           |
        | GET /v1/integrations/$integration/webhooks                            |
        | POST /v1/integrations/$integration/webhooks {"topic": "products/update"} |
        | GET /v1/integrations/$integration/webhooks/logs                       |

    Scenario Outline: Scopes
      Given a connected custom account
      And a key "Clerk" with {"scopes": ["integrations:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | request                                                                                          |
        | POST /v1/integrations/connect {"type": "hubspot", "redirect_uri": "https://a.example.com/"}      |
        | POST /v1/integrations/connect/complete {"type": "hubspot", "code": "c", "state": "s"}            |
        | PATCH /v1/integrations/$integration {"name": "x"}                                                |
        | POST /v1/integrations/$integration/sync                                                          |
        | POST /v1/integrations/$integration/sync/sync_0000000000000000000000000a/cancel                   |
        | POST /v1/integrations/$integration/webhooks {"topic": "products/update"}                         |
        | DELETE /v1/integrations/$integration/webhooks/wh_0000000000000000000000000a                      |
        | POST /v1/integrations/$integration/webhooks/logs/whlog_0000000000000000000000000a/retry          |
