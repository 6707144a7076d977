Feature: The audit log
  Every change that a merchant makes is written down with the change itself: who made it, what it was, and where it
  came from. Nobody can change or delete what is written.

  Background:
    Given a merchant with an account of its own

  Rule: An event says who did what, from where

    Scenario: Opening a shop
      Given a shop named "First"
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.#                  | 1                  |
        | data.0.id               | present            |
        | data.0.action           | "create-project"   |
        | data.0.target           | "$shop"            |
        | data.0.project_id       | "$shop"            |
        | data.0.key_id           | matches ^key_      |
        | data.0.address          | "127.0.0.1"        |
        | data.0.request_id       | matches ^$scenario |
        | data.0.created_at       | matches Z$         |
        | data.0.before           | null               |
        | data.0.after.name       | "First"            |
        | meta.total              | 1                  |

    Scenario: A change names its request
      Given a shop
      And as request "change-1" the merchant sends PATCH /v1/projects/$shop {"name": "Named"}
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.request_id | "change-1"       |
        | data.0.action     | "update-project" |

    Scenario: Before and after hold what differs
      Given a shop named "Before"
      And the merchant changes the settings with:
        """
        {"general": {"name": "After"}, "commerce": {"max_discount_percent": 35, "bundle_suggestions": true}}
        """
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.action                               | "update-settings" |
        | data.0.target                               | "$shop"           |
        | data.0.before.general.name                  | "Before"          |
        | data.0.after.general.name                   | "After"           |
        | data.0.before.commerce.max_discount_percent | 20                |
        | data.0.after.commerce.max_discount_percent  | 35                |
        | data.0.after.commerce.bundle_suggestions    | absent            |
        | data.0.after.general.timezone               | absent            |
        | data.0.after.security                       | absent            |

    Scenario: Who did it
      Given a shop
      And a key "Clerk" with {"scopes": ["catalog:write"], "project_ids": ["$shop"]}
      And the holder of "Clerk" sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.action     | "create-product" |
        | data.0.key_id     | "$key_Clerk"     |
        | data.0.project_id | "$shop"          |
        | data.0.target     | matches ^prod_   |
        | data.1.action     | "create-api-key" |
        | data.1.target     | "$key_Clerk"     |
        | data.1.project_id | null             |

    Scenario Outline: Each kind of change has its event
      Given a shop selling:
        | name | price | stock |
        | Tent | 10    | 5     |
      And a key "Clerk" with {"scopes": ["catalog:read"]}
      And the merchant sends <request>
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.action | "<action>" |
        | data.0.target | <target>   |

      Examples:
        | request                                                                                                              | action            | target            |
        | PATCH /v1/projects/$shop/storefront {"return_window_days": 60}                                                       | update-storefront | "$shop"           |
        | POST /v1/catalog/products {"name": "Mat", "sku": "M-1", "price": 5}                                                  | create-product    | matches ^prod_    |
        | PATCH /v1/catalog/products/$product {"price": 12}                                                                    | update-product    | "$product"        |
        | DELETE /v1/catalog/products/$product                                                                                 | delete-product    | "$product"        |
        | POST /v1/catalog/products/batch {"products": [{"name": "Mat", "sku": "M-1", "price": 5}]}                            | upsert-products   | present           |
        | PUT /v1/catalog/inventory {"levels": [{"sku": "tent", "location": "main", "quantity": 3}]}                           | set-inventory     | present           |
        | POST /v1/catalog/inventory/adjust {"adjustments": [{"sku": "tent", "location": "main", "delta": 1, "reason": "found"}]} | adjust-inventory  | present           |
        | DELETE /v1/api-keys/$key_Clerk                                                                                       | revoke-api-key    | "$key_Clerk"      |
        | PATCH /v1/account {"name": "Renamed"}                                                                                | update-account    | matches ^acct_    |
        | POST /v1/account/mfa                                                                                                 | enrol-mfa         | matches ^acct_    |

    Scenario: The second factor's events
      Given a merchant with an authenticator
      And with a fresh code the merchant removes the authenticator
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.*.action | ["disable-mfa", "confirm-mfa", "enrol-mfa"] |
        | data.0.before | null                                        |

    Scenario: A chat's address is as good as a password
      Given a shop
      And the merchant sets "notifications.chat_webhook" to "https://192.0.66.2/hooks/s3cr3t"
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.before.notifications.chat_webhook | ""                        |
        | data.0.after.notifications.chat_webhook  | "https://192.0.66.2/…"    |

    Scenario: No secrets
      Given a merchant with an authenticator
      And a shop
      And a key "Clerk" with {"scopes": ["catalog:read"]}
      Then no event tells a secret

  Rule: What changes nothing is not written down

    Scenario Outline: Refused, or only looked at
      Given a shop
      When the merchant sends <request>
      Then <outcome>
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.*.action | ["create-project"] |

      Examples:
        | request                                                   | outcome                              |
        | GET /v1/projects/$shop                                    | it answers 200                       |
        | PATCH /v1/projects/$shop {"name": ""}                     | it is refused: 422 validation_error  |
        | DELETE /v1/projects/$shop                                 | it is refused: 400 confirmation_required |
        | POST /v1/projects {"name": "Copy", "slug": "$slug"}       | it is refused: 409 slug_taken        |
        | PATCH /v1/catalog/products/prod_unknown {"price": 1}      | it is refused: 404 product_not_found |

    Scenario: A change that is sent again is written down once
      Given a shop
      And under the key "once" the merchant sends PATCH /v1/projects/$shop {"name": "Once"}
      And under the key "once" the merchant sends PATCH /v1/projects/$shop {"name": "Once"}
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.*.action | ["update-project", "create-project"] |

  Rule: The log can be searched

    Scenario Outline: By what was done
      Given a shop
      And the merchant changed the shop's name 2 times
      When the merchant sends GET /v1/audit-events?<filter>
      Then the answer shows:
        | data.#     | <found> |
        | meta.total | <found> |

      Examples:
        | filter                                                     | found |
        | action=update-project                                      | 2     |
        | action=create-project                                      | 1     |
        | action=delete-project                                      | 0     |
        | project_id=$shop                                           | 3     |
        | project_id=proj_00000000000000000000000000                 | 0     |
        | project_id=nonsense                                        | 0     |
        | key_id=key_00000000000000000000000000                      | 0     |
        | key_id=nonsense                                            | 0     |
        | from=2000-01-01T00:00:00Z                                  | 3     |
        | to=2000-01-01T00:00:00Z                                    | 0     |
        | from=2000-01-01                                            | 3     |
        | to=2000-01-01                                              | 0     |
        | from=2999-01-01T00:00:00Z                                  | 0     |
        | from=2000-01-01T00:00:00Z&to=2999-01-01T00:00:00%2B02:00   | 3     |
        | action=update-project&project_id=$shop&to=2999-01-01T00:00:00Z | 2 |

    Scenario: By who did it
      Given a shop
      And a key "Clerk" with {"scopes": ["projects:write"]}
      And the holder of "Clerk" sends PATCH /v1/projects/$shop {"name": "Clerk's"}
      When the merchant sends GET /v1/audit-events?key_id=$key_Clerk
      Then the answer shows:
        | data.*.action             | ["update-project"] |
        | data.0.after.general.name | "Clerk's"          |

    Scenario: From a time, and until it
      Given a shop
      When the merchant sends GET /v1/audit-events
      And the merchant sends GET /v1/audit-events?from=$latest_time
      Then the answer shows:
        | meta.total | 1 |
      When the merchant sends GET /v1/audit-events?to=$latest_time
      Then the answer shows:
        | meta.total | 0 |

    Scenario: Page by page, newest first
      Given a shop
      And the merchant changed the shop's name 5 times
      When the merchant sends GET /v1/audit-events?limit=2&offset=1
      Then the answer shows:
        | data.*.after.general.name | ["Name 4", "Name 3"] |
        | meta.total                | 6                    |
        | meta.limit                | 2                    |
        | meta.offset               | 1                    |

    Scenario Outline: A search that is none
      When the merchant sends GET /v1/audit-events?<filter>
      Then it is refused: 400 invalid_request
      And the refusal names "<parameter>"

      Examples:
        | filter         | parameter |
        | from=yesterday | from      |
        | to=1           | to        |
        | limit=0        | limit     |
        | limit=101      | limit     |
        | offset=-1      | offset    |

  Rule: Everybody sees only their own

    Scenario: A key for one shop sees what happened in that shop
      Given a shop
      And another shop
      And a key "Clerk" with {"scopes": ["keys:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET /v1/audit-events
      Then the answer shows:
        | data.*.project_id | ["$shop"] |
        | meta.total        | 1         |
      When the holder of "Clerk" sends GET /v1/audit-events?project_id=$other
      Then the answer shows:
        | meta.total | 0 |

    Scenario: Another merchant sees nothing of it
      Given a shop
      And a merchant with an account of its own
      When the merchant sends GET /v1/audit-events?project_id=$shop
      Then the answer shows:
        | data       | [] |
        | meta.total | 0  |

  Rule: What is written stays

    Scenario: The events of a closed shop
      Given a shop named "Short-lived"
      And the merchant closes the shop, confirming "$shop"
      When the merchant sends GET /v1/audit-events?project_id=$shop
      Then the answer shows:
        | data.*.action      | ["delete-project", "create-project"] |
        | data.0.target      | "$shop"                              |
        | data.0.before.name | "Short-lived"                        |
        | data.0.after       | null                                 |

    Scenario Outline: Nobody writes in it
      When the merchant sends <request>
      Then it is refused: 405 method_not_allowed
      And the answer tells the methods there are: GET, HEAD

      Examples:
        | request                    |
        | POST /v1/audit-events {}   |
        | PATCH /v1/audit-events {}  |
        | DELETE /v1/audit-events    |
