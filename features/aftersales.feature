Feature: After the sale
  A buyer's agent follows an order, prints its receipt, and sends things back.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |

  Rule: An order can be read by who knows it

    Scenario: Reading
      Given a buyer who ordered 2 of the "Trail Tent"
      When the buyer reads the order
      Then the answer shows:
        | order.id                       | "$order"     |
        | order.status                   | "confirmed"  |
        | order.confirmation_number      | present      |
        | payment.status                 | "succeeded"  |
        | payment.amount                 | 205.99       |
        | fulfillment.status             | "processing" |
        | tracking.available             | false        |
        | summary.items                  | [{"name": "Trail Tent", "quantity": 2, "price": 100}] |
        | summary.total                  | 205.99       |
        | items.*.product_id             | ["${Trail Tent}"] |
        | items.*.quantity               | [2]          |

    Scenario: Who knows the order's id sees nothing of its buyer
      Given a buyer who ordered 2 of the "Trail Tent"
      When the buyer sends GET /acp/orders/$order
      Then the answer shows:
        | order.id           | "$order"  |
        | summary.total      | 205.99    |
        | order.manage_token | absent    |
        | receipt_url        | absent    |
        | payment.method     | "psp_spt" |
      And the answer does not say "A. Buyer"
      When the buyer sends GET /acp/orders/$order/receipt
      Then the receipt says "205.99"
      And the receipt does not say "A. Buyer"
      When the buyer opens the receipt
      Then the receipt says "A. Buyer"
      When the buyer sends GET /acp/orders/$order?manage_token=$manage_token
      Then the answer shows:
        | receipt_url    | matches /receipt/rc_ |
        | payment.method | present              |

    Scenario Outline: Tokens and receipts that are not the order's
      Given a buyer who ordered 1 of the "Camp Stove"
      And the buyer remembers the manage_token
      And a buyer who ordered 2 of the "Trail Tent"
      When the buyer sends GET /acp/orders/$order<rest>
      Then it is refused: <status> <code>

      Examples:
        | rest                                         | status | code                 |
        | ?manage_token=$remembered_manage_token       | 403    | order_token_required |
        | ?manage_token=om_made_up                     | 403    | order_token_required |
        | /receipt/rc_00000000000000000000000000000000 | 404    | receipt_not_found    |
        | /receipt/$manage_token                       | 404    | receipt_not_found    |

    Scenario Outline: Orders that are none
      When the buyer sends GET /acp/orders/<order>
      Then it is refused: 404 order_not_found

      Examples:
        | order                                  |
        | ord_unknown                            |
        | ord_0000000000000000000000000a         |
        | 1                                      |
        | ord_0000000000000000000000000a/receipt |

    Scenario: An order of another shop
      Given a buyer who ordered 2 of the "Trail Tent"
      And another shop
      When the buyer reads the order in the other shop
      Then it is refused: 404 order_not_found

    Scenario: A product that is deleted stays in its orders
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant deletes the product
      When the buyer reads the order
      Then the answer shows:
        | summary.items.0.name | "Trail Tent" |

  Rule: Only its buyer cancels an order

    Scenario Outline: With the right to it
      Given a buyer who ordered 2 of the "Trail Tent"
      When the buyer sends POST /acp/orders/$order/cancel <body>
      Then it answers 200
      And the answer shows:
        | order.status | "canceled" |
      And there are 7 of the "Trail Tent" left

      Examples:
        | body                                                          |
        | {"manage_token": "$manage_token", "reason": "Ordered twice"}  |
        | {"session_id": "$session"}                                    |

    Scenario Outline: Without
      Given a buyer who ordered 1 of the "Camp Stove"
      And the buyer remembers the manage_token
      And the buyer remembers the session
      And a buyer who ordered 2 of the "Trail Tent"
      When the buyer sends POST /acp/orders/$order/cancel <body>
      Then it is refused: 403 order_token_required
      And there are 5 of the "Trail Tent" left

      Examples:
        | body                                         |
        | {}                                           |
        | {"manage_token": "$order"}                   |
        | {"manage_token": "om_made_up"}               |
        | {"manage_token": "$remembered_manage_token"} |
        | {"session_id": "$remembered_session"}        |

    Scenario: What the merchant's staff sees cancels nothing
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant reads the order
      Then the answer shows:
        | negotiation_id | matches ^neg_[0-9a-z]{26}$ |
        | session_id     | absent                     |
      When the merchant remembers the answer's negotiation_id
      And the buyer sends POST /acp/orders/$order/cancel {"session_id": "$remembered_negotiation_id"}
      Then it is refused: 403 order_token_required
      When the buyer sends GET /acp/sessions/$remembered_negotiation_id
      Then it is refused: 404 session_not_found
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$checkout", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok_of_another"}}
      Then the answer shows:
        | order.id           | "$order" |
        | order.manage_token | absent   |

  Rule: A receipt is a page to print, and nothing in it runs

    Scenario: The receipt
      Given a buyer who ordered 2 of the "Trail Tent"
      When the buyer opens the receipt
      Then the receipt says "Trail Tent"
      And the receipt says "205.99"
      And the receipt says "Test Shop"
      And the receipt loads and runs nothing

    Scenario: Hostile names
      Given a shop named "<script>alert('shop')</script>"
      And a product with:
        """
        {"name": "<img src=x onerror=alert(1)> & \"Co\"", "sku": "XSS", "price": 10,
         "variants": [{"sku": "XSS-1", "color": "<b>red</b>", "quantity": 5}]}
        """
      And a buyer named "</td><script>alert('buyer')</script>" who ordered the product
      When the buyer opens the receipt
      Then the receipt says "&lt;img src=x onerror=alert(1)&gt;"
      And the receipt does not say "<script"
      And the receipt does not say "<img"
      And the receipt does not say "<b>red"
      And the receipt loads and runs nothing

  Rule: What was bought can be sent back within the window

    Scenario: Sending back a part
      Given the merchant sets the storefront's "tax_rates" to [{"country": "US", "rate": 10}]
      And a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 2 of the "Trail Tent"
      Then it answers 201
      And the answer shows:
        | return_id       | matches ^ret_ |
        | status          | "requested"   |
        | refund_estimate | 220           |
        | currency        | "USD"         |
        | instructions    | present       |
      And the return reads the same

    Scenario: All of it, bit by bit
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the buyer sends back 1 of the "Trail Tent"
      Then it answers 201
      When the buyer sends back 1 of the "Trail Tent"
      Then it is refused: 422 validation_error
      And the refusal names "items.0.quantity"

    Scenario: More than was bought
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 4 of the "Trail Tent"
      Then it is refused: 422 validation_error
      And the refusal names "items.0.quantity"

    Scenario: Something else
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 1 of the "Camp Stove"
      Then it is refused: 422 validation_error
      And the refusal names "items.0.product_id"

    Scenario: Returns at the same time
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 1 of the "Trail Tent" 8 times at once
      Then 3 of them succeed and 5 are refused: 422 validation_error

    Scenario: A shop that takes nothing back
      Given the merchant sets the storefront's "return_window_days" to 0
      And a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 1 of the "Trail Tent"
      Then it is refused: 422 validation_error
      And the refusal names "order_id"
      And a buyer who looks at the "Trail Tent" sees:
        | returns.allowed     | false |
        | returns.window_days | 0     |

    Scenario Outline: Returns that cannot be
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends POST /acp/returns <request>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | request                                                                          | field              |
        | {"order_id": "$order", "items": []}                                              | items              |
        | {"order_id": "$order"}                                                           | items              |
        | {"items": [{"product_id": "$product", "quantity": 1}]}                           | order_id           |
        | {"order_id": "$order", "items": [{"product_id": "$product", "quantity": 0}]}     | items.0.quantity   |
        | {"order_id": "$order", "items": [{"quantity": 1}]}                               | items.0.product_id |

    Scenario Outline: Things that are none
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends <request>
      Then it is refused: 404 <code>

      Examples:
        | request                                                                                                | code             |
        | POST /acp/returns {"order_id": "ord_unknown", "items": [{"product_id": "$product", "quantity": 1}]}    | order_not_found  |
        | GET /acp/returns/ret_unknown                                                                           | return_not_found |
        | GET /acp/returns/ret_0000000000000000000000000a                                                        | return_not_found |
        | GET /acp/returns/$order                                                                                | return_not_found |
