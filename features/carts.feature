Feature: Carts
  A buyer's agent writes its cart before it knows where things go. What was agreed keeps its price there, everything else
  sells at list price, and one checkout buys it.

  Background:
    Given a shop selling:
      | name       | price  | stock | variants             |
      | Trail Tent | 100.00 | 30    |                      |
      | Camp Stove | 40.00  | 50    |                      |
      | Boot       | 80.00  |       | M/Brown=5, L/Black=1 |

  Rule: A buyer writes its cart

    Scenario: A cart opens a session
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
        | Camp Stove | 1        |
      When the buyer reads the cart
      Then the answer shows:
        | session_id             | "$session"                                 |
        | items.*.line_id        | ["li_1", "li_2"]                           |
        | items.*.product_id     | ["${Trail Tent}", "${Camp Stove}"]         |
        | items.*.variant_id     | ["${Trail Tent: variant}", "${Camp Stove: variant}"] |
        | items.*.name           | ["Trail Tent", "Camp Stove"]               |
        | items.*.quantity       | [2, 1]                                     |
        | items.*.unit_price     | [100, 40]                                  |
        | items.*.original_price | [100, 40]                                  |
        | items.*.discount       | ["0%", "0%"]                               |
        | items.*.agreed         | [false, false]                             |
        | items.0.quote_id       | absent                                     |
        | subtotal               | 240                                        |
        | savings                | 0                                          |
        | currency               | "USD"                                      |
        | expires_at             | matches Z$                                 |
        | checkout_id            | absent                                     |
        | warnings               | absent                                     |
        | next_actions           | ["init_checkout", "put_cart", "make_offer", "ask_price"] |

    Scenario: What is written replaces what was there
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
        | Camp Stove | 1        |
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Camp Stove | 3        | li_2 |
        | Boot       | 1        |      |
      Then it is refused: 422 validation_error
      And the refusal names "items.1.variant_id"
      When the buyer puts into the cart:
        | product    | quantity | line | variant |
        | Camp Stove | 3        | li_2 |         |
        | Boot       | 1        |      | L/Black |
      Then the answer shows:
        | items.*.line_id  | ["li_2", "li_3"]            |
        | items.*.quantity | [3, 1]                      |
        | items.1.variant  | matches L.*Black            |
        | subtotal         | 200                         |

    Scenario: A line's id is never given to another line
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      And the buyer empties the cart
      When the buyer puts into the cart:
        | product    | quantity |
        | Camp Stove | 1        |
      Then the answer shows:
        | items.*.line_id | ["li_2"] |

    Scenario: A line may become another product
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Camp Stove | 1        | li_1 |
      Then the answer shows:
        | items.0.line_id    | "li_1"       |
        | items.0.name       | "Camp Stove" |
        | items.0.unit_price | 40           |

    Scenario: A product may lie there in several lines
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 1        | li_1 |
        | Trail Tent | 2        |      |
      Then the answer shows:
        | items.*.unit_price | [95, 100] |
        | subtotal           | 295       |
        | savings            | 5         |

    Scenario: The list price is that of now
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      And the merchant sends PATCH /v1/catalog/products/$product {"price": 110}
      When the buyer reads the cart
      Then the answer shows:
        | items.0.unit_price | 110 |
        | subtotal           | 220 |
      When the buyer reads the session
      Then the answer shows:
        | cart.items.0.negotiated_price | 110 |
        | cart.subtotal                 | 220 |

    Scenario: What is not sold any more is named
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
        | Camp Stove | 1        |
      And the merchant sends DELETE /v1/catalog/products/$product
      When the buyer reads the cart
      Then the answer shows:
        | warnings.*.code  | ["item_unavailable"] |
        | warnings.*.field | ["items.0"]          |
        | next_actions.0   | "put_cart"           |
      When the buyer checks out the cart
      Then it is refused: 422 validation_error
      And the refusal names "items.0.product_id"

    Scenario: A cart that is empty
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      When the buyer empties the cart
      Then the answer shows:
        | items        | []                       |
        | subtotal     | 0                        |
        | next_actions | ["search", "put_cart"]   |
      When the buyer reads the session
      Then the answer shows:
        | cart.items | [] |

    Scenario: A line at list price in the session
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 1        | li_1 |
        | Camp Stove | 2        |      |
      When the buyer reads the session
      Then the answer shows:
        | cart.items.*.negotiated_price | [95, 40] |
        | cart.items.0.at_list_price    | absent   |
        | cart.items.1.at_list_price    | true     |
        | cart.subtotal                 | 175      |

  Rule: What was agreed keeps its price in the cart

    Scenario: An agreement goes into the cart
      Given a buyer who put into the cart:
        | product    | quantity |
        | Camp Stove | 1        |
      And the buyer agrees on 2 of the "Trail Tent" at 95
      When the buyer reads the cart
      Then the answer shows:
        | items.*.line_id        | ["li_1", "li_2"] |
        | items.*.unit_price     | [40, 95]         |
        | items.1.original_price | 100              |
        | items.1.discount       | "5%"             |
        | items.*.agreed         | [false, true]    |
        | items.1.quote_id       | "$quote"         |
        | subtotal               | 230              |
        | savings                | 10               |

    Scenario: An agreement takes the place of the line that it is about
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
        | Camp Stove | 1        |
      And the buyer agrees on 2 of the "Trail Tent" at 95
      When the buyer reads the cart
      Then the answer shows:
        | items.*.line_id  | ["li_2", "li_1"] |
        | items.*.quantity | [1, 2]           |

    Scenario: A line that is kept keeps its agreement
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Camp Stove | 1        |      |
        | Trail Tent | 2        | li_1 |
      Then the answer shows:
        | items.*.unit_price | [40, 95] |
        | items.1.agreed     | true     |
        | warnings           | absent   |

    Scenario: Another quantity gives the agreement up
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 3        | li_1 |
      Then the answer shows:
        | items.0.line_id          | "li_1"                 |
        | items.0.unit_price       | 100                    |
        | items.0.agreed           | false                  |
        | warnings.*.code          | ["agreement_not_used"] |
        | warnings.0.field         | "items.0"              |
        | warnings.0.quote_id      | "$quote"               |
        | warnings.0.agreed_price  | 95                     |

    Scenario: A line left out is gone, and its token puts it back
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer empties the cart
      When the buyer puts into the cart:
        | product    | quantity | token  |
        | Trail Tent | 2        | $token |
      Then the answer shows:
        | items.0.line_id    | "li_2" |
        | items.0.unit_price | 95     |
        | items.0.agreed     | true   |

    Scenario: A list price that fell below the agreed one
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the merchant sends PATCH /v1/catalog/products/$product {"price": 90}
      When the buyer reads the cart
      Then the answer shows:
        | items.0.unit_price     | 90   |
        | items.0.original_price | 90   |
        | items.0.agreed         | true |

  Rule: A cart that cannot be is refused

    Scenario: A price that was agreed and is not used is named
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer sends PUT /acp/cart {"session_id": "$session", "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}]}
      When the buyer sends PUT /acp/cart {"session_id": "$session", "items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 2}]}
      Then the answer shows:
        | items.0.agreed          | false                |
        | warnings.#              | 1                    |
        | warnings.0.code         | "agreement_not_used" |
        | warnings.0.field        | "items.0"            |
        | warnings.0.agreed_price | 95                   |
      When the buyer sends GET /acp/cart?session_id=$session
      Then the answer shows:
        | warnings.0.code | "agreement_not_used" |
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "from_cart": true, "shipping_address": $address}
      Then the answer shows:
        | status          | "ready"              |
        | warnings.0.code | "agreement_not_used" |
      When the buyer sends PUT /acp/cart {"session_id": "$session", "items": [{"product_id": "${Trail Tent}", "quantity": 2, "checkout_token": "$token"}]}
      Then the answer shows:
        | items.0.agreed      | true       |
        | items.0.valid_until | matches Z$ |
        | warnings            | absent     |

    Scenario Outline: An item that is none
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product   | quantity   | line   | token   | price   |
        | <product> | <quantity> | <line> | <token> | <price> |
      Then it is refused: <status> <code>
      And the refusal names "<field>"

      Examples:
        | product    | quantity | line  | token      | price | status | code             | field                    |
        | Trail Tent | 0        |       |            |       | 422    | validation_error | items.0.quantity         |
        | Trail Tent | 1001     |       |            |       | 422    | validation_error | items.0.quantity         |
        | Trail Tent | 2        | li_7  |            |       | 422    | validation_error | items.0.line_id          |
        | Trail Tent | 2        | seven |            |       | 422    | validation_error | items.0.line_id          |
        | Trail Tent | 2        |       | ct_unknown |       | 422    | validation_error | items.0.checkout_token   |
        | Trail Tent | 3        |       | $token     |       | 422    | price_mismatch   | items.0.checkout_token   |
        | Trail Tent | 3        |       |            | 95    | 422    | price_mismatch   | items.0.negotiated_price |
        | Trail Tent | 2        | li_1  |            | 94    | 422    | price_mismatch   | items.0.negotiated_price |

    Scenario: A product that is not sold
      When the buyer puts into the cart:
        | product | quantity |
        | prod_1  | 1        |
      Then it is refused: 404 product_not_found

    Scenario: A line named twice
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 1        | li_1 |
        | Trail Tent | 1        | li_1 |
      Then it is refused: 422 validation_error
      And the refusal names "items.1.line_id"

    Scenario: A token for two lines
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product    | quantity | token  |
        | Trail Tent | 2        | $token |
        | Trail Tent | 2        | $token |
      Then it is refused: 422 price_mismatch
      And the refusal names "items.1.checkout_token"

    Scenario: More than 50 lines
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer puts into the cart in 50 lines 1 of the "Trail Tent"
      Then the answer shows:
        | items.# | 50 |
      When the buyer puts into the cart in 51 lines 1 of the "Trail Tent"
      Then it is refused: 422 validation_error
      And the refusal names "items"

    Scenario: The token of another buyer
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer remembers the token
      And another buyer who wants 1 of the "Trail Tent"
      When the buyer puts into the cart:
        | product    | quantity | token             |
        | Trail Tent | 2        | $remembered_token |
      Then it is refused: 422 validation_error
      And the refusal names "items.0.checkout_token"

    Scenario: A token that is used up
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer pays
      When the buyer puts into the cart:
        | product    | quantity | token  |
        | Trail Tent | 2        | $token |
      Then it is refused: 409 token_redeemed

    Scenario Outline: A session that is none
      When the buyer sends <method> <path>
      Then it is refused: 404 session_not_found

      Examples:
        | method | path                                                    |
        | GET    | /acp/cart?session_id=sess_06fszq2d8v3m5xk9t1c7w4hpeg    |
        | DELETE | /acp/cart?session_id=sess_06fszq2d8v3m5xk9t1c7w4hpeg    |
        | GET    | /acp/cart?session_id=nonsense                           |

    Scenario: A session that is unknown when the cart is written
      When the buyer sends PUT /acp/cart {"session_id": "sess_06fszq2d8v3m5xk9t1c7w4hpeg", "items": []}
      Then it is refused: 404 session_not_found

    Scenario: A request without a session
      When the buyer sends GET /acp/cart
      Then it is refused: 400 invalid_request

    Scenario: A request that does not say what lies in the cart
      When the buyer sends PUT /acp/cart {}
      Then it is refused: 422 validation_error
      And the refusal names "items"

  Rule: A cart in another shop is unknown there

    Scenario: The session of another shop
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And another shop
      When the buyer reads the cart in the other shop
      Then it is refused: 404 session_not_found

  Rule: A checkout buys the cart

    Scenario: Everything in the cart, each at its price
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 2        | li_1 |
        | Camp Stove | 3        |      |
      When the buyer checks out the cart
      Then the answer shows:
        | status             | "ready"   |
        | items.*.quantity   | [2, 3]    |
        | items.*.unit_price | [95, 40]  |
        | summary.subtotal   | 310       |
        | summary.savings    | 10        |
      When the buyer pays
      Then the payment succeeds
      When the buyer reads the cart
      Then the answer shows:
        | items       | []     |
        | checkout_id | absent |

    Scenario: What was not in the checkout stays in the cart
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 1        | li_1 |
        | Camp Stove | 2        |      |
      And the buyer pays
      When the buyer reads the cart
      Then the answer shows:
        | items.*.name | ["Camp Stove"] |

    Scenario: The token of a cart's agreement is used up
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out the cart
      And the buyer pays
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "checkout_token": "$token", "shipping_address": $address}
      Then it is refused: 409 token_redeemed

    Scenario: A checkout of the cart before the address is known
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer sends POST /acp/checkout/init {"session_id": "$session", "from_cart": true, "allow_incomplete": true, "shipping_address": {}}
      Then the answer shows:
        | status    | "incomplete"               |
        | missing.0 | "shipping_address.name"    |

    Scenario Outline: Who buys the cart buys nothing else by it
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer sends POST /acp/checkout/init {<session>"from_cart": true, <more>"shipping_address": $address}
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | session                   | more                                                            | field          |
        | "session_id": "$session", | "items": [{"product_id": "${Camp Stove}", "quantity": 1}],      | items          |
        | "session_id": "$session", | "checkout_token": "$token",                                     | checkout_token |
        |                           |                                                                 | session_id     |

    Scenario: An empty cart
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer empties the cart
      When the buyer checks out the cart
      Then it is refused: 422 validation_error
      And the refusal names "from_cart"

    Scenario: A first checkout without an address
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer checks out the cart without an address
      Then it is refused: 422 validation_error
      And the refusal names "shipping_address.line1"

  Rule: A cart has one checkout at a time

    Scenario: Asked for again, it is the same
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out the cart again
      Then it is the same checkout
      When the buyer sends GET /acp/checkout/$checkout
      Then the answer shows:
        | revision | 1 |
      When the buyer reads the cart
      Then the answer shows:
        | checkout_id | "$checkout" |

    Scenario: What was said of the address need not be said again
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out the cart without an address
      Then it is the same checkout
      And the answer shows:
        | status | "ready" |

    Scenario: A cart that changed changes its checkout
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out the cart
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 2        | li_1 |
        | Camp Stove | 1        |      |
      When the buyer checks out the cart again
      Then it is the same checkout
      And the answer shows:
        | items.*.unit_price | [95, 40] |
        | summary.subtotal   | 230      |
      When the buyer sends GET /acp/checkout/$checkout
      Then the answer shows:
        | revision        | 2      |
        | items.*.line_id | ["li_1", "li_2"] |

    Scenario: Another address
      Given the merchant sets the storefront's "shipping_regions" to ["US", "CA"]
      And a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out the cart to CA QC
      Then it is the same checkout
      When the buyer sends GET /acp/checkout/$checkout
      Then the answer shows:
        | revision | 2 |

    Scenario: After it was paid there is another
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer pays
      And the buyer puts into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer checks out the cart again
      Then it is another checkout

    Scenario: After it was canceled there is another
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer sends POST /acp/checkout/cancel {"checkout_id": "$checkout"}
      When the buyer checks out the cart again
      Then it is another checkout

    Scenario: A declined payment leaves the same checkout
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer pays by psp_spt with "spt_sandbox_decline_do_not_honor"
      When the buyer checks out the cart again
      Then it is the same checkout
      And the answer shows:
        | status | "pending" |

    Scenario: Asked for by many at once
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer checks out the cart 8 times at once
      Then every answer is the same checkout

    Scenario: A checkout of items is one of its own
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out beside the cart 1 of the "Trail Tent"
      Then it is another checkout

  Rule: What lies in the cart at list price is a claim that earns little

    Scenario Outline: What a full cart is worth
      Given a shop selling:
        | name     | price   | stock |
        | Gas Lamp | 1000.00 | 20    |
        | Palace   | 9000.00 | 20    |
      And a buyer, claiming <claims>, looks at the "Gas Lamp"
      And the buyer puts into the cart:
        | product | quantity   |
        | Palace  | <palaces>  |
      When the buyer asks the price
      Then the merchant quotes <price>

      Examples: beside other claims it adds nothing to the whole of what claims may move
        | claims                                                | palaces | price |
        | {}                                                    | 1       | 990   |
        | {}                                                    | 1000    | 990   |
        | {"loyalty_tier": "platinum"}                          | 1       | 950   |
        | {"loyalty_tier": "platinum", "purchase_history": 100} | 1       | 950   |

    Scenario: What is agreed on counts in full
      Given a shop selling:
        | name     | price   | stock |
        | Gas Lamp | 1000.00 | 20    |
        | Palace   | 9000.00 | 20    |
      And a buyer, claiming {"loyalty_tier": "platinum", "purchase_history": 100}, looks at the "Palace"
      And the buyer agrees on 1 of the "Palace" at 9000
      When the buyer looks for the "Gas Lamp" too
      And the buyer asks the price
      Then the merchant quotes 940

    Scenario: Writing and emptying a cart leaves prices as they were
      Given a shop selling:
        | name     | price   | stock |
        | Gas Lamp | 1000.00 | 20    |
        | Palace   | 9000.00 | 20    |
      And a buyer who looks at the "Gas Lamp"
      And the buyer puts into the cart:
        | product | quantity |
        | Palace  | 1000     |
      And the buyer empties the cart
      When the buyer asks the price
      Then the merchant quotes 1000

  Rule: A cart that is sent again is written once

    Scenario: The same cart under one key
      Given under the key "cart-0123456789abcdef" the buyer sends PUT /acp/cart {"items": [{"product_id": "${Trail Tent}", "quantity": 1}]}
      And the buyer remembers the answer's session_id
      When under the key "cart-0123456789abcdef" the buyer sends PUT /acp/cart {"items": [{"product_id": "${Trail Tent}", "quantity": 1}]}
      Then the answer shows:
        | session_id | "$remembered_session_id" |
      And the answer's headers show:
        | Idempotent-Replayed | true |

    Scenario: A key that could be guessed
      When under the key "cart" the buyer sends PUT /acp/cart {"items": []}
      Then it is refused: 422 idempotency_key_too_short
