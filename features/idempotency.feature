Feature: Requests that are sent again
  Answers get lost. Whoever names a request with an Idempotency-Key may send it again: it takes effect once, and gets
  the answer that it got before.

  Rule: The same request under the same key changes nothing, and is answered as before

    Scenario: Creating a product
      Given a shop
      When under the key "a" the merchant sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201
      And it is an answer of its own
      When under the key "a" the merchant sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201
      And it is the answer from before, and says so
      And the shop has 1 product

    Scenario: The same body in other writing
      Given a shop
      When under the key "a" the merchant sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      And under the key "a" the merchant creates a product with:
        """
        {
          "price": 10.0,
          "sku":   "T\u002d1",
          "name":  "Tent"
        }
        """
      Then it is the answer from before, and says so

    Scenario Outline: Each kind of request
      Given a shop selling:
        | name | price | stock |
        | Tent | 10    | 5     |
      When under the key "a" the merchant sends <request>
      Then it answers <status>
      When under the key "a" the merchant sends <request>
      Then it is the answer from before, and says so

      Examples:
        | request                                                                                                        | status |
        | PATCH /v1/projects/$shop {"name": "Again"}                                                                     | 200    |
        | PATCH /v1/projects/$shop/settings {"commerce": {"max_discount_percent": 5}}                                    | 200    |
        | PATCH /v1/projects/$shop/storefront {"return_window_days": 60}                                                 | 200    |
        | PATCH /v1/catalog/products/$product {"price": 12}                                                              | 200    |
        | DELETE /v1/catalog/products/$product                                                                           | 204    |
        | POST /v1/catalog/products/batch {"products": [{"name": "Mat", "sku": "M-1", "price": 5}]}                      | 200    |
        | POST /v1/projects {"name": "Another", "slug": "$new_slug"}                                                     | 201    |

    Scenario: Stock moves once
      Given a shop selling:
        | name | price | stock |
        | Tent | 10    | 5     |
      When under the key "a" the merchant sends POST /v1/catalog/inventory/adjust {"adjustments": [{"sku": "tent", "location": "main", "delta": -2, "reason": "broken"}]}
      And under the key "a" the merchant sends POST /v1/catalog/inventory/adjust {"adjustments": [{"sku": "tent", "location": "main", "delta": -2, "reason": "broken"}]}
      Then it is the answer from before, and says so
      And there are 3 of the "Tent" left

    Scenario: An API key's secret is not lost with its answer
      Given a merchant with an account of its own
      When under the key "a" the merchant sends POST /v1/api-keys {"name": "Clerk", "scopes": ["catalog:read"]}
      And under the key "a" the merchant sends POST /v1/api-keys {"name": "Clerk", "scopes": ["catalog:read"]}
      Then it is the answer from before, and says so
      When the merchant sends GET /v1/api-keys
      Then the answer shows:
        | meta.total | 2 |

    Scenario: Closing a shop
      Given a shop
      When under the key "a" the merchant closes the shop
      Then it answers 204
      When under the key "a" the merchant closes the shop
      Then it answers 204
      And it is the answer from before, and says so
      When under the key "b" the merchant closes the shop
      Then it is refused: 404 project_not_found

    Scenario: Many times at once
      Given a shop
      When under the key "a" the merchant creates a product 8 times at once
      Then all of them got one answer, or were told that the first is under way
      And the shop has 1 product

    Scenario: Reading is never from before
      Given a shop named "Before"
      When under the key "a" the merchant sends GET /v1/projects/$shop
      And the merchant sends PATCH /v1/projects/$shop {"name": "After"}
      And under the key "a" the merchant sends GET /v1/projects/$shop
      Then it is an answer of its own
      And the answer shows:
        | name | "After" |

  Rule: Refusals are answers too

    Scenario: A refusal that would be another one now
      Given a shop selling:
        | name | price | stock |
        | Tent | 10    | 5     |
      When under the key "a" the merchant sends POST /v1/catalog/products {"name": "Double", "sku": "tent", "price": 10}
      Then it is refused: 409 sku_taken
      When the merchant deletes the product
      And under the key "a" the merchant sends POST /v1/catalog/products {"name": "Double", "sku": "tent", "price": 10}
      Then it is refused: 409 sku_taken
      And the answer's headers show:
        | Idempotent-Replayed | true |

    Scenario: A refused body
      Given a shop
      When under the key "a" the merchant sends PATCH /v1/projects/$shop {"name": ""}
      Then it is refused: 422 validation_error
      When under the key "a" the merchant sends PATCH /v1/projects/$shop {"name": ""}
      Then it is refused: 422 validation_error
      And it is the answer from before, and says so

    Scenario: Who was not allowed to ask has not asked
      Given a merchant with an account of its own
      And a shop
      And a key "Reader" with {"scopes": ["catalog:read"], "project_ids": ["$shop"]}
      And a key "Writer" with {"scopes": ["catalog:write"], "project_ids": ["$shop"]}
      When under the key "a" the holder of "Reader" sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it is refused: 403 insufficient_scope
      When under the key "a" the holder of "Writer" sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201

    Scenario: What is not JSON is refused under a key, too
      Given a shop
      When under the key "a" the merchant sends POST /v1/catalog/products {
      Then it is refused: 400 invalid_request

  Rule: A key names one request

    Scenario Outline: Another body
      Given a shop
      When under the key "a" the merchant sends PATCH /v1/projects/$shop {"name": "One"}
      And under the key "a" the merchant sends PATCH /v1/projects/$shop <body>
      Then it is refused: 422 idempotency_key_reused
      And the shop is still named "One"

      Examples:
        | body                            |
        | {"name": "Two"}                 |
        | {"name": "one"}                 |
        | {"name": "One", "settings": {}} |
        | {}                              |

    Scenario: The same key in another shop
      Given a shop
      And another shop
      When under the key "a" the merchant sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201
      Given a merchant of the shop "$other"
      When under the key "a" the merchant sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201
      And it is an answer of its own

    Scenario: The same key of another merchant
      Given a merchant with an account of its own
      When under the key "a" the merchant sends PATCH /v1/account {"name": "Renamed"}
      Then it answers 200
      Given a merchant with an account of its own
      When under the key "a" the merchant sends PATCH /v1/account {"name": "Renamed"}
      Then it answers 200
      And it is an answer of its own

    Scenario: The same key in another shop that nobody has to name
      Given a merchant with an account of its own
      And a shop
      And another shop
      And a key "Clerk" with {"scopes": ["catalog:write"], "project_ids": ["$shop"]}
      And a key "Other" with {"scopes": ["catalog:write"], "project_ids": ["$other"]}
      When under the key "a" the holder of "Clerk" sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201
      When under the key "a" the holder of "Other" sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201
      And it is an answer of its own

    Scenario: An answer is not for a key that could not have got it
      Given a merchant with an account of its own
      And a key "Clerk" with {"scopes": ["keys:write"]}
      When under the key "a" the merchant sends POST /v1/api-keys {"name": "Master", "scopes": ["*"]}
      Then it answers 201
      When under the key "a" the holder of "Clerk" sends POST /v1/api-keys {"name": "Master", "scopes": ["*"]}
      Then it is refused: 422 validation_error
      And the refusal names "scopes.0"

    Scenario: The same key at another address of the API
      Given a shop
      When under the key "a" the merchant sends PATCH /v1/projects/$shop {}
      And under the key "a" the merchant sends PATCH /v1/projects/$shop/settings {}
      Then it answers 200
      And it is an answer of its own

    Scenario Outline: Keys at the edge
      Given a shop
      When under the key "<key>" the merchant sends PATCH /v1/projects/$shop {"name": "Edge"}
      Then it answers 200

      Examples:
        | key                 |
        | 1 character long    |
        | 255 characters long |
        | with spaces (& so)  |

    Scenario: A key that is too long
      Given a shop
      When under the key "256 characters long" the merchant sends PATCH /v1/projects/$shop {"name": "Edge"}
      Then it is refused: 400 invalid_request
      And the refusal names "Idempotency-Key"

  Rule: Buyers may send again, too

    Background:
      Given a shop selling:
        | name       | price   | stock |
        | Trail Tent | 1000.00 | 20    |
      And a buyer who looks at the "Trail Tent"

    Scenario: A quote
      When under the key "key-of-the-buyer" the buyer sends POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "offer_price": 1}
      Then it answers 200
      When under the key "key-of-the-buyer" the buyer sends POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "offer_price": 1}
      Then it is the answer from before, and says so
      When the buyer reads the session
      Then the answer shows:
        | negotiation_history.# | 1 |

    Scenario: A search opens one session
      When under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tent"}
      And under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tent"}
      Then it is the answer from before, and says so

    Scenario: A checkout
      When under the key "key-of-the-buyer" the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}
      Then it answers 200
      When under the key "key-of-the-buyer" the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}
      Then it is the answer from before, and says so

    Scenario: A payment
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When under the key "a" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it answers 200
      And it is an answer of its own
      When under the key "a" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is the answer from before, and says so
      And the shop has 1 order
      And there are 19 of the "Trail Tent" left

    Scenario: A payment that was declined
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When under the key "a" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_decline_do_not_honor"}}
      And under the key "a" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_decline_do_not_honor"}}
      Then it is the answer from before, and says so
      And the answer shows:
        | status | "payment_failed" |
      When under the key "a" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is refused: 422 idempotency_key_reused
      When under the key "b" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then the answer shows:
        | status | "success" |

    Scenario: A payment many times at once
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When under the key "a" the buyer pays 8 times at once
      Then all of them got one answer, or were told that the first is under way
      And the shop has 1 order

    Scenario: A refusal
      When under the key "key-of-the-buyer" the buyer sends POST /acp/quote {"product_id": "prod_unknown", "quantity": 1}
      Then it is refused: 404 product_not_found
      When under the key "key-of-the-buyer" the buyer sends POST /acp/quote {"product_id": "prod_unknown", "quantity": 1}
      Then it is refused: 404 product_not_found
      And it is the answer from before, and says so

    Scenario: Another body
      When under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tent"}
      And under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tents"}
      Then it is refused: 422 idempotency_key_reused
      And the refusal is in the words of the buyers'

    Scenario: A key that is too long
      When under the key "256 characters long" the buyer sends POST /acp/search {"query": "tent"}
      Then it is refused: 400 invalid_request
      And the refusal names "Idempotency-Key"

    Scenario Outline: A key that others might try
      When under the key "15 characters long" the buyer sends POST <request>
      Then it is refused: 422 idempotency_key_too_short
      And the refusal names "Idempotency-Key"
      And the refusal is in the words of the buyers'

      Examples:
        | request                                                                                                                                             |
        | /acp/search {"query": "tent"}                                                                                                                       |
        | /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1}                                                                      |
        | /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address} |

    Scenario: The same key in another session
      When under the key "key-of-the-buyer" the buyer sends POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "offer_price": 900}
      Then it answers 200
      Given a buyer who looks at the "Trail Tent"
      When under the key "key-of-the-buyer" the buyer sends POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "offer_price": 950}
      Then it answers 200
      And it is an answer of its own

    Scenario Outline: Nobody gets into a session that is in use
      When under the key "key-of-the-buyer" the buyer sends POST <request>
      Then it answers 200
      When the merchant remembers the answer's session_id
      And the buyer sends <use>
      Then it answers 200
      When under the key "key-of-the-buyer" the buyer sends POST <request>
      Then it is refused: 409 idempotency_key_used
      And the answer does not say "$remembered_session_id"

      Examples:
        | request                                                            | use                                                                                                        |
        | /acp/search {"query": "tent"}                                      | GET /acp/sessions/$remembered_session_id                                                                   |
        | /acp/search {"query": "tent"}                                      | POST /acp/search {"query": "tent", "session_id": "$remembered_session_id"}                                 |
        | /acp/quote {"product_id": "$product", "quantity": 1}               | POST /acp/quote {"session_id": "$remembered_session_id", "product_id": "$product", "quantity": 1}          |
        | /acp/quote {"product_id": "$product", "quantity": 1}               | POST /acp/sessions/$remembered_session_id/extend {"duration_minutes": 5}                                   |
        | /acp/quote {"product_id": "$product", "quantity": 1}               | POST /acp/checkout/init {"session_id": "$remembered_session_id", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address} |

    Scenario Outline: No other agent gets into what one opened and uses
      Given under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/<request>
      And the buyer remembers the answer's id
      When under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/<request>
      Then the answer shows:
        | id | "$remembered_id" |
      When an agent sends <use>
      Then it answers 200
      When under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/<request>
      Then it answers 409
      And the answer shows:
        | code | "idempotency_key_used" |
      And the answer does not say "$remembered_id"

      Examples:
        | request                                                                        | use                                                                                                        |
        | carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}             | GET /ucp/carts/$remembered_id                                                                              |
        | negotiations {"item": {"id": "${Trail Tent}"}, "quantity": 1}                        | GET /ucp/negotiations/$remembered_id                                                                       |
        | checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]} | PUT /ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]} |
        | checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]} | POST /ucp/checkout-sessions/$remembered_id/cancel {}                                                       |

    Scenario: The same key for another checkout
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When under the key "a" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it answers 200
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When under the key "a" the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it answers 200
      And it is an answer of its own

    Scenario: The same key in another shop
      Given another shop
      When under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tent"}
      Then it answers 200
      When under the key "key-of-the-buyer" a buyer of the other shop sends POST /acp/search {"query": "tent"}
      Then it answers 200
      And it is an answer of its own

  Rule: A buyer without a session is known by its address

    Scenario: The same key from another address
      Given a merchant on the strict server
      And a shop
      When from "198.51.100.7" under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tent"}
      And from "198.51.100.8" under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tent"}
      Then it answers 200
      And it is an answer of its own
      When from "198.51.100.8" under the key "key-of-the-buyer" the buyer sends POST /acp/search {"query": "tent"}
      Then it is the answer from before, and says so
