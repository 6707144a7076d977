Feature: Checkout
  A buyer's agent turns an agreement, or products at their list prices, into a paid order.

  Background:
    Given a shop selling:
      | name       | price  | stock | variants             |
      | Trail Tent | 100.00 | 7     |                      |
      | Camp Stove | 40.00  | 50    |                      |
      | Boot       | 80.00  |       | M/Brown=5, L/Black=1 |

  Rule: A checkout adds up what is bought, shipping and tax

    Scenario: At list price
      Given the merchant sets the storefront's "tax_rates" to [{"country": "US", "state": "OR", "rate": 8.875}]
      And a buyer who wants 2 of the "Trail Tent"
      When the buyer checks out
      Then the answer shows:
        | checkout_id              | matches ^chk_                        |
        | status                   | "ready"                              |
        | summary.subtotal         | 200                                  |
        | summary.shipping         | 5.99                                 |
        | summary.tax              | 17.75                                |
        | summary.total            | 223.74                               |
        | summary.savings          | 0                                    |
        | summary.currency         | "USD"                                |
        | items.#                  | 1                                    |
        | items.0.product_id       | "${Trail Tent}"            |
        | items.0.name             | "Trail Tent"                         |
        | items.0.quantity         | 2                                    |
        | items.0.unit_price       | 100                                  |
        | items.0.original_price   | 100                                  |
        | shipping_options.*.id    | ["standard", "express", "overnight"] |
        | shipping_options.*.price | [5.99, 14.99, 29.99]                 |
        | shipping_options.0.selected | true                              |
        | payment_methods.*.type   | ["psp_spt", "wallet_ba"]             |
        | payment_methods.*.ready  | [true, true]                         |
      And the answer is valid for 30 minutes

    Scenario: At an agreed price
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer checks out
      Then the answer shows:
        | items.0.unit_price     | 95     |
        | items.0.original_price | 100    |
        | items.0.discount       | "5%"   |
        | summary.subtotal       | 190    |
        | summary.savings        | 10     |
        | summary.total          | 195.99 |

    Scenario: What the token covers, when nothing else is said
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "checkout_token": "$token", "shipping_address": $address}
      Then the answer shows:
        | items.0.quantity | 2   |
        | summary.subtotal | 190 |

    Scenario: A token alone names its session
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer sends POST /acp/checkout/init {"checkout_token": "$token", "shipping_address": $address}
      Then the answer shows:
        | summary.subtotal | 190    |

    Scenario: A checkout without a session opens one
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": $address}
      Then the answer shows:
        | summary.subtotal | 100            |
        | session_id       | matches ^sess_ |

    Scenario: A variant by name
      Given a buyer who wants 1 of the "Boot" in L/Black
      When the buyer checks out
      Then the answer shows:
        | items.0.variant | matches L.*Black |

    Scenario: An agreement and something else at its list price
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "checkout_token": "$token", "items": [{"product_id": "${Trail Tent}", "quantity": 1, "negotiated_price": 95}, {"product_id": "${Camp Stove}", "quantity": 2}], "shipping_address": $address}
      Then the answer shows:
        | items.*.unit_price | [95, 40] |
        | summary.subtotal   | 175      |
        | summary.savings    | 5        |

    Scenario: Two agreements, each with its token
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer remembers the token
      And the buyer agrees on 1 of the "Camp Stove" at 39
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 1, "checkout_token": "$remembered_token"}, {"product_id": "${Camp Stove}", "quantity": 1, "checkout_token": "$token"}], "shipping_address": $address}
      Then the answer shows:
        | items.*.unit_price | [95, 39] |
        | summary.subtotal   | 134      |

    Scenario: Free standard shipping
      Given the merchant sets the storefront's "free_shipping_threshold" to 190
      And a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer checks out
      Then the answer shows:
        | summary.shipping         | 0                  |
        | summary.total            | 190                |
        | shipping_options.*.price | [0, 14.99, 29.99]  |

    Scenario: Not quite enough for free shipping
      Given the merchant sets the storefront's "free_shipping_threshold" to 190.01
      And a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer checks out
      Then the answer shows:
        | summary.shipping | 5.99 |

    Scenario Outline: Tax is that of where it goes
      Given the merchant changes the storefront with:
        """
        {"shipping_regions": ["US", "CA"],
         "tax_rates": [{"country": "US", "rate": 5}, {"country": "US", "state": "NY", "rate": 8.875}]}
        """
      And a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to <country> <state>
      Then the answer shows:
        | summary.tax | <tax> |

      Examples:
        | country | state | tax  |
        | US      | NY    | 8.88 |
        | US      | OR    | 5    |
        | CA      | QC    | 0    |

    Scenario Outline: A state that nobody knows is named where the tax depends on it
      Given the merchant changes the storefront with:
        """
        {"shipping_regions": ["US", "CA"], "tax_rates": [{"country": "US", "rate": 5}, {"country": "US", "state": "NY", "rate": 8.875}]}
        """
      And a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to <country> <state>
      Then the answer shows:
        | warnings.0.code | <warning> |

      Examples:
        | country | state   | warning         |
        | US      | Oregano | "state_unknown" |
        | US      | oregon  | absent          |
        | CA      | Oregano | absent          |

    Scenario: Shipping is that of where it goes
      Given the merchant changes the storefront with:
        """
        {"shipping_regions": ["US", "CA"],
         "shipping_rates": [{"region": "*", "method": "standard", "price": 5, "min_days": 3, "max_days": 5},
                            {"region": "CA", "method": "standard", "price": 12.5, "min_days": 7, "max_days": 9},
                            {"region": "CA", "method": "express", "price": 30, "min_days": 2, "max_days": 3}]}
        """
      And a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to CA QC
      Then the answer shows:
        | shipping_options.*.id       | ["standard", "express"] |
        | shipping_options.*.price    | [12.5, 30]              |
        | shipping_options.0.estimate | matches 7-9             |

  Rule: A price is the agreed one or the list price, and no other

    Scenario: Another price than the token's
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer checks out at 90
      Then it is refused: 422 price_mismatch
      And the refusal names "items.0.negotiated_price"

    Scenario: A discount that nobody agreed to
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out at 99.99
      Then it is refused: 422 price_mismatch
      And the refusal names "items.0.negotiated_price"

    Scenario: The list price, said out loud
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out at 100
      Then it answers 200

    Scenario: More pieces than were agreed on
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer checks out 2 of the "Trail Tent" with the token
      Then it is refused: 422 price_mismatch
      And the refusal names "checkout_token"

    Scenario: Another product than was agreed on
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer checks out 1 of the "Camp Stove" with the token
      Then it is refused: 422 price_mismatch
      And the refusal names "checkout_token"

    Scenario: The agreed price twice
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "checkout_token": "$token", "items": [{"product_id": "$product", "quantity": 1, "negotiated_price": 95}, {"product_id": "$product", "quantity": 1, "negotiated_price": 95}], "shipping_address": $address}
      Then it is refused: 422 price_mismatch
      And the refusal names "items.1.negotiated_price"

  Rule: A token belongs to its buyer and buys once

    Scenario: Another buyer's token
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer remembers the token
      And another buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "checkout_token": "$remembered_token", "shipping_address": $address}
      Then it is refused: 422 validation_error
      And the refusal names "checkout_token"

    Scenario: A token that nobody gave
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "checkout_token": "ct_made_up", "shipping_address": $address}
      Then it is refused: 422 validation_error
      And the refusal names "checkout_token"

    Scenario: A token that has bought
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer pays
      When the buyer checks out again
      Then it is refused: 409 token_redeemed

    Scenario: Two checkouts, one token
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer remembers the checkout
      And the buyer checks out again
      And the buyer pays
      When the buyer pays for the remembered checkout
      Then it is refused: 409 token_redeemed
      And there are 6 of the "Trail Tent" left
      And the shop has 1 order

  Rule: It must be known what goes where

    Scenario: A country that the shop does not ship to
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to FR 75
      Then it is refused: 422 validation_error
      And the refusal names "shipping_address.country"

    Scenario: An empty address
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {}}
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | shipping_address.name        |
        | shipping_address.line1       |
        | shipping_address.city        |
        | shipping_address.postal_code |
        | shipping_address.country     |

    Scenario: An address of empty lines
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {"name": " ", "line1": "", "city": "", "postal_code": "", "country": ""}}
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | shipping_address.name        |
        | shipping_address.line1       |
        | shipping_address.city        |
        | shipping_address.postal_code |
        | shipping_address.country     |

    Scenario: No address at all
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "$product", "quantity": 1}]}
      Then it is refused: 422 validation_error
      And the refusal names "shipping_address.line1"

    Scenario Outline: Items that cannot be bought
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [<item>], "shipping_address": $address}
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | item                                                                 | field                    |
        | {"product_id": "$product", "quantity": 0}                            | items.0.quantity         |
        | {"product_id": "$product", "quantity": 1001}                         | items.0.quantity         |
        | {"product_id": "$product"}                                           | items.0.quantity         |
        | {"quantity": 1}                                                      | items.0.product_id       |
        | {"product_id": "$product", "quantity": 1, "negotiated_price": 9.999} | items.0.negotiated_price |
        | {"product_id": "$product", "quantity": 1, "negotiated_price": -1}    | items.0.negotiated_price |
        | {"product_id": "${Boot}", "quantity": 1}                   | items.0.variant_id       |

    Scenario: Nothing to buy
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [], "shipping_address": $address}
      Then it is refused: 422 validation_error
      And the refusal names "items"

    Scenario Outline: How many lines
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out <lines> lines of the "Camp Stove"
      Then <outcome>

      Examples:
        | lines | outcome                             |
        | 50    | it answers 200                      |
        | 51    | it is refused: 422 validation_error |

    Scenario Outline: Things that are none
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "<session>", "items": [{"product_id": "<product>", <rest> "quantity": 1}], "shipping_address": $address}
      Then it is refused: 404 <code>

      Examples:
        | session      | product      | rest                          | code              |
        | sess_unknown | $product     |                               | session_not_found |
        | $session     | prod_unknown |                               | product_not_found |
        | $session     | $product     | "variant_id": "var_unknown",  | variant_not_found |

  Rule: A checkout can be changed until it is paid

    Scenario: Read
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer sends GET /acp/checkout/$checkout
      Then the answer shows:
        | status               | "ready"     |
        | revision             | 1           |
        | missing              | []          |
        | items.0.line_id      | "li_1" |
        | items.0.unit_price   | 95          |
        | items.0.agreed       | true        |
        | summary.total        | 195.99      |
        | shipping_address     | absent      |
        | buyer                | absent      |

    Scenario: Something is added, and the agreed price stays
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer sends PUT /acp/checkout/$checkout {"revision": 1, "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 2}, {"product_id": "${Camp Stove}", "quantity": 1}], "shipping_address": $address, "shipping_option": "express"}
      Then the answer shows:
        | status             | "ready"  |
        | revision           | 2        |
        | items.*.line_id    | ["li_1", "li_2"] |
        | items.*.unit_price | [95, 40] |
        | summary.subtotal   | 230      |
        | summary.shipping   | 14.99    |
        | summary.total      | 244.99   |
      And the answer is valid for 30 minutes
      When the buyer pays
      Then the payment succeeds
      And there are 5 of the "Trail Tent" left
      And there are 49 of the "Camp Stove" left

    Scenario: What is left out is gone
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}
      Then the answer shows:
        | items.*.unit_price | [100] |
        | items.*.agreed     | [false] |
        | summary.total      | 105.99  |

    Scenario: An agreed price is good for what was agreed
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 3}], "shipping_address": $address}
      Then it is refused: 422 price_mismatch
      And the refusal names "items.0.quantity"

    Scenario: Opened before the address is known
      Given a buyer who wants 2 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2}], "shipping_address": {"country": "US"}, "allow_incomplete": true, "buyer": {"email": "ada@example.com"}}
      Then the answer shows:
        | status        | "incomplete"                                                                                             |
        | missing       | ["shipping_address.name", "shipping_address.line1", "shipping_address.city", "shipping_address.postal_code"] |
        | summary.total | 205.99                                                                                                   |
      And the answer's "checkout_id" is called "early"
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$early", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is refused: 409 checkout_incomplete
      And the refusal names "shipping_address.line1"
      When the buyer sends PUT /acp/checkout/$early {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 2}], "shipping_address": $address, "buyer": {"email": "ada@example.com"}}
      Then the answer shows:
        | status  | "ready" |
        | missing | []      |
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$early", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then the answer shows:
        | status | "success" |
      When the buyer sends GET /acp/checkout/$early
      Then the answer shows:
        | status   | "completed"   |
        | order_id | matches ^ord_ |

    Scenario: After a declined payment
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays by psp_spt with "spt_sandbox_decline_do_not_honor"
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}
      Then the answer shows:
        | status        | "pending" |
        | summary.total | 105.99    |
      When the buyer pays
      Then the payment succeeds
      And there are 6 of the "Trail Tent" left

    Scenario: By a revision that is not the newest
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer sends PUT /acp/checkout/$checkout {"revision": 1, "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}
      And the buyer sends PUT /acp/checkout/$checkout {"revision": 1, "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 3}], "shipping_address": $address}
      Then it is refused: 409 checkout_changed

    Scenario: Payment of a revision that is not the newest
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}
      And the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "revision": 1, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is refused: 409 checkout_changed
      And there are 7 of the "Trail Tent" left

    Scenario: A declined payment with another shipping option
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "revision": 1, "shipping_option": "express", "payment": {"method": "psp_spt", "token": "spt_sandbox_decline_insufficient_funds"}}
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "revision": 1, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is refused: 409 checkout_changed
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "revision": 2, "shipping_option": "express", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then the answer shows:
        | status | "success" |

    Scenario Outline: Too late
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/<how>
      And the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}
      Then it is refused: 409 <code>

      Examples:
        | how                                                                                                  | code               |
        | cancel {"checkout_id": "$checkout"}                                                                  | checkout_canceled  |
        | finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}} | checkout_completed |

    Scenario: What was agreed stays agreed, also where no line is named
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"product_id": "${Camp Stove}", "quantity": 1}, {"product_id": "${Trail Tent}", "quantity": 2}], "shipping_address": $address}
      Then the answer shows:
        | items.*.line_id    | ["li_2", "li_1"] |
        | items.1.agreed     | true             |
        | items.1.unit_price | 95               |
        | warnings           | absent           |

    Scenario: The way of shipping is chosen when the checkout is opened
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "shipping_option": "express"}
      Then the answer shows:
        | shipping_options.0.selected | false |
        | shipping_options.1.selected | true  |
        | summary.shipping            | 14.99 |
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "shipping_option": "drone"}
      Then it is refused: 422 validation_error
      And the refusal names "shipping_option"

    Scenario Outline: Not a line of it
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "<line>", "product_id": "${Camp Stove}", "quantity": 1}], "shipping_address": $address}
      Then it is refused: 422 validation_error
      And the refusal names "items.0.line_id"

      Examples:
        | line  |
        | li_1  |
        | li_9  |
        | seven |

  Rule: Paying makes an order

    Scenario: What an order says
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer pays
      Then the answer shows:
        | status                          | "success"                              |
        | order.id                        | matches ^ord_                          |
        | order.confirmation_number       | present                                |
        | order.status                    | "confirmed"                            |
        | order.created_at                | matches Z$                             |
        | payment.id                      | matches ^pay_                          |
        | payment.status                  | "succeeded"                            |
        | payment.amount                  | 195.99                                 |
        | payment.currency                | "USD"                                  |
        | payment.method                  | present                                |
        | fulfillment.status              | "processing"                           |
        | fulfillment.estimated_ship_date | matches ^\d{4}-\d\d-\d\d$              |
        | fulfillment.estimated_delivery  | matches ^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$ |
        | order.manage_token              | matches ^om_[0-9a-z]{32}$              |
        | receipt_url                     | matches ^http.*/acp/orders/ord_[0-9a-z]{26}/receipt/rc_[0-9a-f]{32}$ |
        | tracking.available              | false                                  |
        | tracking.url                    | null                                   |
        | tracking.message                | present                                |
        | items.0.product_id              | "$product"                             |
        | items.0.quantity                | 2                                      |
        | summary.items                   | [{"name": "Trail Tent", "quantity": 2, "price": 95}] |
        | summary.subtotal                | 190                                    |
        | summary.shipping                | 5.99                                   |
        | summary.tax                     | 0                                      |
        | summary.total                   | 195.99                                 |

    Scenario Outline: Ways to pay
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by <method> with "<token>"
      Then the payment succeeds

      Examples:
        | method    | token                   |
        | psp_spt   | spt_sandbox_ok          |
        | psp_spt   | spt_sandbox_ok_anything |
        | wallet_ba | ba_sandbox_ok           |

    Scenario Outline: The buyer chooses how it ships
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays for <option> shipping
      Then the answer shows:
        | summary.shipping | <price> |
        | payment.amount   | <total> |

      Examples:
        | option    | price | total  |
        | standard  | 5.99  | 105.99 |
        | express   | 14.99 | 114.99 |
        | overnight | 29.99 | 129.99 |

    Scenario: What an order takes from the shop
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer pays
      Then there are 5 of the "Trail Tent" left
      And the cart is empty
      And a search for "tent" shows 5 in stock

    Scenario: A checkout holds nothing until it is paid
      Given a buyer at the checkout with 2 of the "Trail Tent"
      Then there are 7 of the "Trail Tent" left

    Scenario: What is not said when paying
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then the answer shows:
        | status           | "success" |
        | summary.shipping | 5.99      |

  Rule: A declined payment is an answer, and may be tried again

    Scenario Outline: Declined
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays by <method> with "<token>"
      Then the answer shows:
        | status             | "payment_failed" |
        | error.code         | <code>           |
        | error.message      | present          |
        | error.decline_code | "<reason>"       |
        | checkout_id        | "$checkout"      |
        | checkout_status    | "pending"        |
        | retry_allowed      | true             |
      And there are 7 of the "Trail Tent" left
      When the buyer pays
      Then the payment succeeds
      And there are 5 of the "Trail Tent" left

      Examples:
        | method    | token                                  | code            | reason             |
        | psp_spt   | spt_sandbox_decline_insufficient_funds | "card_declined" | insufficient_funds |
        | psp_spt   | spt_sandbox_decline_expired_card       | "card_declined" | expired_card       |
        | psp_spt   | spt_sandbox_decline_do_not_honor       | "card_declined" | do_not_honor       |
        | psp_spt   | nonsense                               | "card_declined" | invalid_token      |
        | psp_spt   | ba_sandbox_ok                          | "card_declined" | invalid_token      |
        | wallet_ba | spt_sandbox_ok                         | present         | invalid_token      |

    Scenario Outline: Declined for good
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_decline_<reason>"
      Then the answer shows:
        | error.decline_code | "<reason>" |
        | checkout_status    | "canceled" |
        | retry_allowed      | false      |
      And there are 7 of the "Trail Tent" left
      When the buyer pays
      Then it is refused: 409 checkout_canceled

      Examples:
        | reason      |
        | stolen_card |
        | fraudulent  |

    Scenario: Five times is enough
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the payment is declined 4 times, and may be tried again each time
      When the buyer pays by psp_spt with "spt_sandbox_decline_do_not_honor"
      Then the answer shows:
        | checkout_status | "canceled" |
        | retry_allowed   | false      |
      When the buyer pays
      Then it is refused: 409 checkout_canceled

    Scenario: A session whose payments were declined ten times waits
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the payment is declined 4 times, and may be tried again each time
      And the buyer pays by psp_spt with "spt_sandbox_decline_do_not_honor"
      And the buyer checks out again
      And the payment is declined 4 times, and may be tried again each time
      And the buyer pays by psp_spt with "spt_sandbox_decline_do_not_honor"
      And the buyer checks out again
      When the buyer pays
      Then it is refused: 429 too_many_declines
      And the buyer is told when to try again

    Scenario: An agreed price survives a declined payment
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer pays by psp_spt with "spt_sandbox_decline_stolen_card"
      When the buyer checks out again
      And the buyer pays
      Then the order holds 1 of the "Trail Tent" at the agreed price

  Rule: A checkout that is not being paid may be given up

    Scenario: Given up
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/cancel {"checkout_id": "$checkout"}
      Then the answer shows:
        | checkout_id | "$checkout" |
        | status      | "canceled"  |
      When the buyer sends POST /acp/checkout/cancel {"checkout_id": "$checkout"}
      Then the answer shows:
        | status | "canceled" |
      When the buyer pays
      Then it is refused: 409 checkout_canceled

    Scenario: The token of a checkout that was given up buys in another one
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer sends POST /acp/checkout/cancel {"checkout_id": "$checkout"}
      And the buyer checks out again
      And the buyer pays
      Then the payment succeeds
      And the order holds 1 of the "Trail Tent" at the agreed price

    Scenario: What is paid is canceled as an order
      Given a buyer who ordered 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/cancel {"checkout_id": "$checkout"}
      Then it is refused: 409 checkout_completed

    Scenario: A checkout that nobody knows
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/cancel {"checkout_id": "chk_00000000000000000000000000"}
      Then it is refused: 404 checkout_not_found

  Rule: Nobody pays twice, whatever gets lost

    Scenario: Paying again returns the same order
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays
      And the buyer remembers the manage_token
      When the buyer pays again
      Then it is the same order
      And the answer shows:
        | order.manage_token | "$remembered_manage_token" |
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

    Scenario: Paying again with another token returns the same order
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays
      When the buyer pays by psp_spt with "spt_sandbox_decline_stolen_card"
      Then it is the same order
      But the answer shows:
        | order.manage_token | absent            |
        | receipt_url        | matches /receipt$ |

    Scenario: The provider's answer is lost
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_lost_reply"
      Then it is refused: 503 payment_unresolved
      And the buyer is told when to try again
      When the buyer pays again
      Then the payment succeeds
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

    Scenario: The provider stumbles
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_outage_2"
      Then the payment succeeds

    Scenario: The provider is out for longer
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_outage_5"
      Then it is refused: 503 payment_unresolved
      And the buyer is told when to try again
      When the buyer pays again
      Then the payment succeeds
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

    Scenario: Twelve times at once
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays 12 times at once
      Then every answer is the same order
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

  Rule: Nothing is sold that is not there

    Scenario: Twenty-four buyers, seven pieces
      Given 24 buyers at the checkout, each with 1 of the "Trail Tent"
      When they all pay at once
      Then 7 of them have an order and 17 are refused: 409 out_of_stock
      And the shop has 7 orders
      And there are 0 of the "Trail Tent" left

    Scenario: Sold out meanwhile
      Given a buyer at the checkout with 3 of the "Trail Tent"
      And the merchant has only 2 of the "Trail Tent" left
      When the buyer pays
      Then it is refused: 409 out_of_stock
      And the refusal names "items.0.quantity"
      And the shop has 0 orders
      And there are 2 of the "Trail Tent" left

    Scenario: Back in stock, the same checkout can be paid
      Given a buyer at the checkout with 3 of the "Trail Tent"
      And the merchant has only 2 of the "Trail Tent" left
      And the buyer pays in vain: 409 out_of_stock
      And the merchant has 9 of the "Trail Tent" again
      When the buyer pays
      Then the payment succeeds
      And there are 6 of the "Trail Tent" left

    Scenario: One of two things is sold out
      Given a buyer at the checkout with 2 of the "Camp Stove" and 3 of the "Trail Tent"
      And the merchant has only 2 of the "Trail Tent" left
      When the buyer pays
      Then it is refused: 409 out_of_stock
      And the refusal names exactly:
        | items.1.quantity |
      And there are 50 of the "Camp Stove" left
      And there are 2 of the "Trail Tent" left

    Scenario: Two lines of the same thing count together
      Given a buyer at the checkout with 4 of the "Trail Tent" and 4 of the "Trail Tent"
      When the buyer pays
      Then it is refused: 409 out_of_stock
      And there are 7 of the "Trail Tent" left

    Scenario: Stock of several locations
      Given the merchant sets stock with:
        """
        {"levels": [{"sku": "trail-tent", "location": "main", "quantity": 1}, {"sku": "trail-tent", "location": "berlin", "quantity": 2}]}
        """
      And a buyer at the checkout with 3 of the "Trail Tent"
      When the buyer pays
      Then the payment succeeds
      And there are 0 of the "Trail Tent" left


  Rule: Some things are sold whatever there is of them

    Scenario: Made to order
      Given the merchant sends the batch:
        """
        {"products": [{"sku": "trail-tent", "inventory_policy": "always_available", "quantity": 0}]}
        """
      Then a buyer who looks at the "Trail Tent" sees:
        | variants.0.in_stock     | true       |
        | variants.0.availability | "in_stock" |
        | variants.0.quantity     | 0          |
      Given a buyer at the checkout with 3 of the "Trail Tent"
      When the buyer pays
      Then the payment succeeds
      And there are 0 of the "Trail Tent" left

    Scenario: On backorder
      Given the merchant sends the batch:
        """
        {"products": [{"sku": "trail-tent", "inventory_policy": "backorder", "quantity": 1}]}
        """
      And a buyer at the checkout with 3 of the "Trail Tent"
      When the buyer pays
      Then the payment succeeds
      And a buyer who looks at the "Trail Tent" sees:
        | variants.0.in_stock     | true        |
        | variants.0.availability | "backorder" |
        | variants.0.quantity     | 0           |
      Given the merchant has 6 of the "Trail Tent" again
      Then buyers can have 6 of the "Trail Tent"

    Scenario: Tracked again while a buyer is at the checkout
      Given the merchant sends the batch:
        """
        {"products": [{"sku": "trail-tent", "inventory_policy": "backorder", "quantity": 1}]}
        """
      And a buyer at the checkout with 3 of the "Trail Tent"
      And the merchant sends the batch:
        """
        {"products": [{"sku": "trail-tent", "inventory_policy": "tracked"}]}
        """
      When the buyer pays
      Then it is refused: 409 out_of_stock
      And there are 1 of the "Trail Tent" left

  Rule: Paying needs a checkout, a way to pay and a token

    Scenario Outline: Payments that are none
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/finalize <request>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the shop has 0 orders

      Examples:
        | request                                                                                                                         | field           |
        | {"checkout_id": "$checkout", "payment": {"method": "cash", "token": "spt_sandbox_ok"}}                                          | payment.method  |
        | {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": ""}}                                                     | payment.token   |
        | {"checkout_id": "$checkout", "payment": {"method": "psp_spt"}}                                                                  | payment.token   |
        | {"checkout_id": "$checkout"}                                                                                                    | payment         |
        | {"payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}                                                                   | checkout_id     |
        | {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "shipping_option": "pigeon"}          | shipping_option |
        | {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "nobody"}              | buyer_email     |
        | {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "A <a@example.com>"}   | buyer_email     |

    Scenario: A note that is too long
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays with a note of 2001 characters
      Then it is refused: 422 validation_error
      And the refusal names "notes"

    Scenario Outline: Checkouts that are none
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "<checkout>", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is refused: 404 checkout_not_found

      Examples:
        | checkout                       |
        | chk_unknown                    |
        | chk_0000000000000000000000000a |
        | $session                       |

    Scenario: A checkout of another shop
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And another shop
      When the buyer pays for it in the other shop
      Then it is refused: 404 checkout_not_found
