Feature: A front door that agents understand
  A buyer's agent that knows nothing but the shop's address finds every operation, learns after each answer what can
  follow it, and is told by a refusal what there is instead.

  Background:
    Given a shop selling:
      | name       | price   | stock | variants             |
      | Trail Tent | 1000.00 | 7     |                      |
      | Boot       | 80.00   |       | M/Brown=5, L/Black=1 |
      | Camp Stove | 40.00   | 0     |                      |

  Rule: The manifest has the absolute address of every operation, and says how to ask best

    Scenario: Addresses that need no base
      When a buyer reads the manifest
      Then the answer shows:
        | urls.search                        | matches ^http://127\.0\.0\.1:[0-9]+/p/[a-z0-9-]+/acp/search$ |
        | urls.keys                          | matches /\.well-known/jwks\.json$                            |
        | urls.product                       | matches /acp/products/\{id\}$                                |
        | urls.availability                  | matches /acp/availability$                                   |
        | urls.session                       | matches /acp/sessions/\{id\}$                                |
        | urls.checkout_cancel               | matches /acp/checkout/cancel$                                |
        | urls.order_cancel                  | matches /acp/orders/\{id\}/cancel$                           |
        | urls.openapi                       | matches /acp/openapi\.json$                                  |
        | protocols.ucp                      | matches /p/[^/]+/.well-known/ucp$                            |
        | protocols.mcp                      | matches /p/[^/]+/mcp$                                        |
        | usage.search                       | contains "keywords"                                          |
        | usage.next_actions.accept          | contains "current price"                                    |
        | usage.payment                      | contains "spt_sandbox_ok"                                    |

  Rule: Each answer says what can follow it

    Scenario: From the search to the order
      When a buyer searches for "trail tent"
      Then the answer shows:
        | next_actions | ["read_product", "make_offer", "ask_price", "put_cart", "init_checkout"] |
      Given a buyer who looks at the "Trail Tent"
      When the buyer asks the price
      Then the answer shows:
        | next_actions | ["accept", "counter", "decline"] |
      When the buyer offers 1
      Then the answer shows:
        | status       | "reject"                         |
        | next_actions | ["accept", "counter", "decline"] |
      When the buyer offers what stands
      Then the answer shows:
        | status       | "accept"          |
        | next_actions | ["init_checkout", "read_cart"] |
      When the buyer checks out
      Then the answer shows:
        | next_actions | ["finalize", "revise_checkout", "cancel_checkout"] |
      When the buyer pays by psp_spt with "spt_sandbox_decline_insufficient_funds"
      Then the answer shows:
        | next_actions | ["finalize", "revise_checkout", "cancel_checkout"] |
        | revision     | 1                                                  |
        | total        | above 0                                            |
      When the buyer pays
      Then the answer shows:
        | next_actions | ["read_order", "cancel_order"] |
      When the merchant ships the order
      And the buyer reads the order
      Then the answer shows:
        | next_actions | ["request_return"] |
      When the buyer sends back 1 of the "Trail Tent"
      Then the answer shows:
        | next_actions | ["read_return", "read_order"] |
      When the buyer reads the order
      Then the answer shows:
        | next_actions | ["read_return"] |

    Scenario: There is more to read
      When the buyer sends POST /acp/search {"query": "", "limit": 1}
      Then the answer shows:
        | next_actions | ["read_product", "read_on", "make_offer", "ask_price", "put_cart", "init_checkout"] |

    Scenario: Nothing found
      When a buyer searches for "trail tent" with filters {"category": "nowhere"}
      Then the answer shows:
        | results.#    | 0          |
        | next_actions | ["search"] |

    Scenario: A price that is not negotiable
      Given a product with:
        """
        {"name": "Gift Card", "sku": "GIFT", "price": 50, "negotiable": false, "quantity": 10}
        """
      And a buyer who looks at the "Gift Card"
      When the buyer asks the price
      Then the answer shows:
        | next_actions | ["accept", "decline"] |

    Scenario: A declined payment that ends the checkout
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_decline_stolen_card"
      Then the answer shows:
        | retry_allowed | false             |
        | next_actions  | ["init_checkout"] |

    Scenario Outline: A refusal says how to go on
      When the buyer sends <request>
      Then it is refused: <refusal>
      And the answer shows:
        | next_actions | <next> |

      Examples:
        | request                                                             | refusal               | next                |
        | GET /acp/products/prod_1                                            | 404 product_not_found | ["search"]          |
        | GET /acp/sessions/sess_1                                            | 404 session_not_found | ["new_session"]     |
        | GET /acp/orders/ord_1                                               | 404 order_not_found   | ["correct_request"] |
        | POST /acp/quote {"product_id": "${Trail Tent}", "offer_price": -1}  | 422 validation_error  | ["correct_request"] |
        | GET /acp/nowhere                                                    | 404 route_not_found   | ["read_manifest"]   |

    Scenario Outline: A field that nobody knows is named
      When the buyer sends <request>
      Then the answer shows:
        | warnings.0.code    | "unknown_field"      |
        | warnings.0.field   | <field>              |
        | warnings.0.message | contains <known>     |

      Examples:
        | request                                                                                                                                                          | field             | known             |
        | POST /acp/quote {"product_id": "${Trail Tent}", "quantity": 1, "offer": 900}                                                                                     | "offer"           | "offer_price?"    |
        | POST /acp/checkout/init {"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "shipping_method": "express"}                  | "shipping_method" | "shipping_option" |
        | PUT /acp/cart {"items": [], "line_items": []}                                                                                                                    | "line_items"      | "items"           |

  Rule: An offer on an accepted quote hears where the deal stands

    Scenario: The deal is open
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer sends POST /acp/quote {"session_id": "$session", "quote_id": "$quote", "offer_price": 900}
      Then it is refused: 409 quote_accepted
      And the answer shows:
        | deal.status      | "open"                                         |
        | deal.quote_id    | "$quote"                                       |
        | deal.final_price | 995                                            |
        | deal.currency    | "USD"                                          |
        | next_actions     | ["init_checkout", "make_offer", "read_session"] |

    Scenario: The token of the deal was lost
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer sends POST /acp/quote {"session_id": "$session", "product_id": "${Trail Tent}", "quantity": 2, "offer_price": 995}
      Then the answer shows:
        | status         | "accept"     |
        | final_price    | 995          |
        | checkout_token | matches ^ct_ |

    Scenario: The deal was bought
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      And the buyer checks out
      And the buyer pays
      When the buyer sends POST /acp/quote {"session_id": "$session", "quote_id": "$quote", "offer_price": 900}
      Then it is refused: 409 quote_accepted
      And the answer shows:
        | deal.status  | "redeemed"                                   |
        | next_actions | ["make_offer", "ask_price", "read_session"] |

  Rule: A payment token that is none may be replaced by another one

    Scenario: A made-up token
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by psp_spt with "nonsense"
      Then the answer shows:
        | status             | "payment_failed"                                   |
        | error.decline_code | "invalid_token"                                    |
        | error.message      | contains "another"                                 |
        | retry_allowed      | true                                               |
        | next_actions       | ["finalize", "revise_checkout", "cancel_checkout"] |
      When the buyer pays
      Then the payment succeeds

  Rule: An error that refuses a value lists those that there are

    Scenario: A country that is not served
      Given the merchant sets the storefront's "shipping_regions" to ["US", "CA"]
      And a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to DE 10115
      Then it is refused: 422 validation_error
      And the answer shows:
        | details.0.field   | "shipping_address.country"                      |
        | details.0.message | "DE is not in the shop's shipping_regions; it ships to US, CA" |

    Scenario: A variant that is not named
      When the buyer sends POST /acp/quote {"product_id": "${Boot}", "quantity": 1}
      Then it is refused: 422 validation_error
      And the answer shows:
        | details.0.field   | "variant_id"           |
        | details.0.message | contains "${Boot: variant}" |
        | details.0.message | contains "(M / Brown)" |
        | details.0.message | contains "(L / Black)" |

    Scenario: A variant of another product
      When the buyer sends POST /acp/quote {"product_id": "${Boot}", "variant_id": "${Trail Tent: variant}", "quantity": 1}
      Then it is refused: 404 variant_not_found
      And the answer shows:
        | message      | contains "(M / Brown)"     |
        | next_actions | ["read_product", "search"] |

    Scenario: A type of event that does not exist
      When the merchant sends POST /v1/event-subscriptions {"url": "https://example.com/hook", "event_types": ["order.eaten"]}
      Then it is refused: 422 validation_error
      And the answer shows:
        | error.details.0.field   | "event_types.0"             |
        | error.details.0.message | contains "order.completed"  |

    Scenario: The return that keeps an order from being canceled
      Given a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the buyer sends POST /acp/orders/$order/cancel {"session_id": "$session"}
      Then it is refused: 409 return_open
      And the answer shows:
        | message      | contains "$return"              |
        | next_actions | ["read_return", "read_order"] |

  Rule: People, browsers' pages and language models find their way, too

    Scenario: The shop's page, its document and its introduction
      When the buyer sends GET /acp/openapi.json
      Then the answer shows:
        | info.title    | contains "Test Shop"    |
        | servers.0.url | matches /p/shop-[a-z0-9]+$ |
      And the answer's headers show:
        | Access-Control-Allow-Origin | "*" |
      When the buyer sends GET /llms.txt
      Then it answers 200

    Scenario: A document that is known already
      When the buyer sends GET /acp/openapi.json
      Then the answer's headers show:
        | ETag          | matches ^[0-9a-f]+$   |
        | Cache-Control | "public, max-age=60"  |

  Rule: A checkout without the token of an agreed price says so

    Scenario: The token was forgotten
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2}], "shipping_address": $address}
      Then the answer shows:
        | status                  | "ready"              |
        | items.0.unit_price      | 1000                 |
        | warnings.#              | 1                    |
        | warnings.0.code         | "agreement_not_used" |
        | warnings.0.quote_id     | "$quote"             |
        | warnings.0.agreed_price | 995                  |
      When the merchant remembers the answer's checkout_id
      And the buyer sends PUT /acp/checkout/$remembered_checkout_id {"items": [{"product_id": "${Trail Tent}", "quantity": 2}], "shipping_address": $address}
      Then the answer shows:
        | warnings.0.code         | "agreement_not_used" |
      When the buyer sends PUT /acp/checkout/$remembered_checkout_id {"checkout_token": "$token", "shipping_address": $address}
      Then the answer shows:
        | items.0.unit_price | 995    |
        | warnings           | absent |

    Scenario: The token was forgotten, and the price was not
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2, "negotiated_price": 995}], "shipping_address": $address}
      Then it is refused: 422 price_mismatch
      And the answer shows:
        | details.0.field   | "items.0.negotiated_price" |
        | details.0.message | contains "give the checkout_token of that quote" |

    Scenario: With the token
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer checks out
      Then the answer shows:
        | warnings | absent |

    Scenario: The deal was bought before
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      And the buyer checks out
      And the buyer pays
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2}], "shipping_address": $address}
      Then the answer shows:
        | warnings | absent |
