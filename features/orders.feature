Feature: Orders and returns
  A merchant ships what was ordered, cancels what was not shipped, and decides what may come back.

  Background:
    Given a shop selling:
      | name       | price  | stock | cost  |
      | Trail Tent | 100.00 | 20    | 51.37 |
      | Camp Stove | 40.00  | 50    |       |

  Rule: Orders can be found and read

    Scenario: Reading an order
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant reads the order
      Then it answers 200
      And the answer shows:
        | id                          | "$order"            |
        | confirmation_number         | "$confirmation"     |
        | status                      | "confirmed"         |
        | email                       | "buyer@example.com" |
        | total                       | 205.99              |
        | subtotal                    | 200                 |
        | shipping                    | 5.99                |
        | tax                         | 0                   |
        | savings                     | 0                   |
        | currency                    | "USD"               |
        | payment.id                  | "$payment"          |
        | payment.status              | "succeeded"         |
        | payment.amount              | 205.99              |
        | fulfillment.status          | "processing"        |
        | fulfillment.shipping_option | "standard"          |
        | fulfillment.carrier         | null                |
        | fulfillment.shipped_at      | null                |
        | shipping_address.name       | "A. Buyer"          |
        | shipping_address.country    | "US"                |
        | lines.#                     | 1                   |
        | lines.0.product_id          | "$product"          |
        | lines.0.name                | "Trail Tent"        |
        | lines.0.quantity            | 2                   |
        | lines.0.unit_price          | 100                 |
        | refunds                     | []                  |
        | returns                     | []                  |
      And the answer tells no secret

    Scenario: Newest first
      Given a buyer who ordered 1 of the "Trail Tent"
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/orders?limit=1
      Then the answer shows:
        | data.*.total | [45.99] |
        | meta.total   | 2       |
      And the answer tells no secret

    Scenario Outline: Looking for orders
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant cancels the order
      And a buyer who ordered 1 of the "Camp Stove"
      And the merchant ships the order
      When the merchant sends GET /v1/orders?<query>
      Then the answer shows:
        | data.*.total | <totals> |

      Examples:
        | query                               | totals          |
        | status=confirmed                    | [45.99]         |
        | status=canceled                     | [105.99]        |
        | fulfillment=shipped                 | [45.99]         |
        | fulfillment=processing              | []              |
        | fulfillment=canceled                | [105.99]        |
        | q=$confirmation                     | [45.99]         |
        | q=HG-0000-0000                      | []              |
        | q=buyer@example.com                 | [45.99, 105.99] |
        | q=nobody@example.com                | []              |
        | ids=$order                          | [45.99]         |
        | ids=$order,ord_none                 | [45.99]         |
        | ids=ord_none                        | []              |
        | ids=$order&status=canceled          | []              |
        | from=2020-01-01T00:00:00Z           | [45.99, 105.99] |
        | to=2020-01-01T00:00:00Z             | []              |
        | from=2020-01-01                     | [45.99, 105.99] |
        | from=2020-01-01&to=2020-01-02       | []              |
        | status=canceled&fulfillment=shipped | []              |

    Scenario: A list goes on where a part ended, whatever is sold meanwhile
      Given a buyer who ordered 1 of the "Trail Tent"
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/orders?limit=1
      Then the answer shows:
        | data.*.total         | [45.99]       |
        | meta.total           | 2             |
        | meta.total_precision | "exact"       |
        | meta.previous        | null          |
      When the answer's "meta.next" is called "next"
      Given a buyer who ordered 1 of the "Trail Tent"
      When the merchant sends GET /v1/orders?limit=1&after=$next
      Then the answer shows:
        | data.*.total         | [105.99]   |
        | meta.next            | null       |
        | meta.limit           | 1          |
        | meta.offset          | 0          |
        | meta.total           | 1          |
        | meta.total_precision | "at_least" |
      When the answer's "meta.previous" is called "previous"
      And the merchant sends GET /v1/orders?limit=1&before=$previous
      Then the answer shows:
        | data.*.total | [45.99] |
      When the answer's "meta.previous" is called "previous"
      And the merchant sends GET /v1/orders?limit=1&before=$previous
      Then the answer shows:
        | data.*.total  | [105.99] |
        | meta.previous | null     |

    Scenario: Counting ends where the merchant wants it
      Given a buyer who ordered 1 of the "Trail Tent"
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/orders?total_limit=1
      Then the answer shows:
        | data.*.total         | [45.99, 105.99] |
        | meta.total           | 1               |
        | meta.total_precision | "at_least"      |
      When the merchant sends GET /v1/orders?total_limit=2
      Then the answer shows:
        | meta.total           | 2       |
        | meta.total_precision | "exact" |

    Scenario Outline: Every list goes on
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant refunds 5 of the payment
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/<list>limit=1
      And the answer's "meta.next" is called "next"
      And the merchant sends GET /v1/<list>limit=1&after=$next
      Then the answer shows:
        | data.0.<value> | <second> |
        | data.1         | absent   |

      Examples:
        | list                            | value  | second         |
        | orders?                         | total  | 105.99         |
        | finance/payments?               | amount | 105.99         |
        | finance/transactions?           | type   | "refund"       |
        | finance/transactions?type=sale& | amount | 105.99         |
        | audit-events?                   | action | matches ^      |

    Scenario Outline: Places that are in no such list
      Given a buyer who ordered 1 of the "Trail Tent"
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/orders?limit=1
      And the answer's "meta.next" is called "next"
      And the merchant sends GET /v1/<question>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | question                         | field  |
        | orders?after=x                   | after  |
        | orders?before=x                  | before |
        | orders?after=$next&offset=1      | offset |
        | orders?after=$next&before=$next  | before |
        | returns?after=$next              | after  |
        | finance/payments?after=$next     | after  |
        | finance/transactions?after=$next | after  |
        | audit-events?after=$next         | after  |

    Scenario Outline: Questions that cannot be answered
      When the merchant sends GET /v1/<question>
      Then it is refused: 400 invalid_request
      And the refusal names "<field>"

      Examples:
        | question                 | field       |
        | orders?status=lost       | status      |
        | orders?fulfillment=lost  | fulfillment |
        | orders?from=yesterday    | from        |
        | returns?status=lost      | status      |
        | returns?offset=-1        | offset      |
        | returns?sort=newer       | sort        |
        | orders?total_limit=0     | total_limit |

    Scenario Outline: Things that are none
      When the merchant sends <request>
      Then it is refused: 404 <code>

      Examples:
        | request                                                                         | code             |
        | GET /v1/orders/ord_unknown                                                      | order_not_found  |
        | GET /v1/orders/ord_0000000000000000000000000a                                   | order_not_found  |
        | POST /v1/orders/ord_unknown/cancel                                              | order_not_found  |
        | POST /v1/orders/ord_0000000000000000000000000a/cancel                           | order_not_found  |
        | GET /v1/orders/ord_0000000000000000000000000a/notes                             | order_not_found  |
        | POST /v1/orders/ord_0000000000000000000000000a/notes {"text": "Lost"}           | order_not_found  |
        | POST /v1/orders/ord_0000000000000000000000000a/fulfillment {"status": "shipped"} | order_not_found |
        | GET /v1/returns/ret_0000000000000000000000000a                                  | return_not_found |
        | POST /v1/returns/ret_0000000000000000000000000a/approve                         | return_not_found |
        | POST /v1/returns/ret_unknown/approve {"amount": 1}                              | return_not_found |
        | POST /v1/returns/ret_0000000000000000000000000a/reject                          | return_not_found |

    Scenario Outline: Nothing of it belongs to another shop
      Given a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And another shop
      When in the other shop the merchant sends <request>
      Then it is refused: 404 <code>
      And the payment is "succeeded", with 0 given back
      And the order's "status" is "confirmed"
      And the return's "status" is "requested"

      Examples:
        | request                                              | code             |
        | GET /v1/orders/$order                                | order_not_found  |
        | POST /v1/orders/$order/cancel                        | order_not_found  |
        | GET /v1/orders/$order/notes                          | order_not_found  |
        | POST /v1/orders/$order/notes {"text": "Lost"}        | order_not_found  |
        | POST /v1/orders/$order/fulfillment {"status": "shipped"} | order_not_found |
        | GET /v1/returns/$return                              | return_not_found |
        | POST /v1/returns/$return/approve                     | return_not_found |
        | POST /v1/returns/$return/reject                      | return_not_found |

    Scenario Outline: Orders are for those who may see money, or move it
      Given a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And a key "Clerk" with {"scopes": ["<scope>"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | scope         | request                                                  |
        | catalog:write | GET /v1/orders                                           |
        | catalog:write | GET /v1/orders/$order                                    |
        | catalog:write | GET /v1/orders/$order/notes                              |
        | finance:read  | POST /v1/orders/$order/notes {"text": "Wrap it"}         |
        | catalog:write | GET /v1/returns                                          |
        | catalog:write | GET /v1/returns/$return                                  |
        | finance:read  | POST /v1/orders/$order/cancel                            |
        | finance:read  | POST /v1/orders/$order/fulfillment {"status": "shipped"} |
        | finance:read  | POST /v1/returns/$return/approve                         |
        | finance:read  | POST /v1/returns/$return/reject                          |

  Rule: The merchant's people write notes on an order, which no buyer reads

    Scenario: Writing notes
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant sends POST /v1/orders/$order/notes {"text": "Quokka first"}
      Then it answers 201
      And the answer shows:
        | id     | matches ^note_ |
        | text   | "Quokka first" |
        | key_id | matches ^key_  |
        | member | absent         |
      When the merchant sends POST /v1/orders/$order/notes {"text": "Quokka second"}
      And the merchant sends GET /v1/orders/$order/notes
      Then it answers 200
      And the answer shows:
        | data.*.text | ["Quokka first", "Quokka second"] |

    Scenario: No answer to a buyer has them
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant sends POST /v1/orders/$order/notes {"text": "Quokka"}
      When the buyer sends GET /acp/orders/$order?manage_token=$manage_token
      Then it answers 200
      And the answer does not say "Quokka"
      When the buyer opens the receipt
      Then the receipt does not say "Quokka"
      When an agent sends GET /ucp/orders/$order
      Then it answers 200
      And the answer does not say "Quokka"
      When a model sends tools/call {"name": "get_order", "arguments": {"id": "$order"}} to /mcp
      Then it answers 200
      And the answer does not say "Quokka"

    Scenario: The audit log says that a note was written, and not what
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant sends POST /v1/orders/$order/notes {"text": "Quokka"}
      When the merchant sends GET /v1/audit-events?project_id=$shop&action=create-order-note
      Then the answer shows:
        | data.0.target | "$order" |
      And the answer does not say "Quokka"

    Scenario Outline: Notes that are none
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant sends POST /v1/orders/$order/notes <body>
      Then it is refused: 422 validation_error
      And the refusal names "text"

      Examples:
        | body            |
        | {"text": ""}    |
        | {"text": "  "}  |

  Rule: What was not shipped can be canceled

    Scenario: Canceling
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant cancels the order
      Then it answers 200
      And the answer shows:
        | status                  | "canceled"  |
        | fulfillment.status      | "canceled"  |
        | payment.status          | "refunded"  |
        | payment.refunded_amount | 205.99      |
        | refunds.*.amount        | [205.99]    |
        | refunds.*.status        | ["succeeded"] |
      And there are 20 of the "Trail Tent"
      And buyers can have 20 of the "Trail Tent"
      And the payment is "refunded", with 205.99 given back
      And the books balance
      When the buyer reads the order
      Then the answer shows:
        | order.status       | "canceled" |
        | payment.status     | "refunded" |
        | fulfillment.status | "canceled" |

    Scenario: What was given back before is not given back again
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant cancels the order
      Then the answer shows:
        | refunds.*.amount        | [50, 155.99] |
        | payment.refunded_amount | 205.99       |
      And the books balance

    Scenario: All was given back before
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds the payment
      When the merchant cancels the order
      Then it answers 200
      And the answer shows:
        | status           | "canceled" |
        | refunds.*.amount | [205.99]   |
      And there are 20 of the "Trail Tent"

    Scenario: Twice
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant cancels the order
      When the merchant cancels the order
      Then it is refused: 409 order_canceled
      And there are 20 of the "Trail Tent"
      And the payment is "refunded", with 205.99 given back

    Scenario: The same request again
      Given a buyer who ordered 2 of the "Trail Tent"
      And under the key "once" the merchant sends POST /v1/orders/$order/cancel {"reason": "Out of season"}
      When under the key "once" the merchant sends POST /v1/orders/$order/cancel {"reason": "Out of season"}
      Then it is the answer from before, and says so
      And the answer shows:
        | payment.status | "refunded" |

    Scenario: At the same time
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant cancels the order 8 times at once
      Then 1 of them succeeds and 7 are refused: 409 order_canceled
      And there are 20 of the "Trail Tent"
      And the payment is "refunded", with 205.99 given back
      And the books balance

    Scenario: It is on its way
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      When the merchant cancels the order
      Then it is refused: 409 order_shipped
      And there are 18 of the "Trail Tent"
      And the payment is "succeeded", with 0 given back
      And the order's "status" is "confirmed"

    Scenario: A return is not decided yet
      Given a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant cancels the order
      Then it is refused: 409 return_open
      And the payment is "succeeded", with 0 given back

    Scenario: A canceled order takes no returns
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant cancels the order
      When the buyer sends back 1 of the "Trail Tent"
      Then it is refused: 409 order_canceled

    Scenario: A reason that is too long
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant cancels the order with a reason of 2001 characters
      Then it is refused: 422 validation_error
      And the refusal names "reason"
      And the order's "status" is "confirmed"

  Rule: An order goes out and arrives

    Scenario: On its way
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant tells of the order {"status": "shipped", "carrier": "UPS", "tracking_number": "1Z", "tracking_url": "https://ups.example.com/1Z"}
      Then it answers 200
      And the answer shows:
        | status                      | "confirmed"                  |
        | fulfillment.status          | "shipped"                    |
        | fulfillment.carrier         | "UPS"                        |
        | fulfillment.tracking_number | "1Z"                         |
        | fulfillment.tracking_url    | "https://ups.example.com/1Z" |
        | fulfillment.shipped_at      | matches Z$                   |
        | fulfillment.delivered_at    | null                         |
      When the buyer reads the order
      Then the answer shows:
        | fulfillment.status | "shipped"                    |
        | tracking.available | true                         |
        | tracking.url       | "https://ups.example.com/1Z" |

    Scenario: There
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      When the merchant tells of the order {"status": "delivered"}
      Then the answer shows:
        | fulfillment.status       | "delivered" |
        | fulfillment.delivered_at | matches Z$  |
      When the buyer reads the order
      Then the answer shows:
        | fulfillment.status | "delivered" |

    Scenario: The same again
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      When the merchant tells of the order {"status": "shipped", "carrier": "DHL"}
      Then it answers 200
      And the order's "fulfillment.carrier" is "DHL"
      When the merchant tells of the order {"status": "delivered"}
      And the merchant tells of the order {"status": "delivered"}
      Then it answers 200
      And the order's "fulfillment.status" is "delivered"

    Scenario: Not there before it is on its way
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant tells of the order {"status": "delivered"}
      Then it is refused: 409 order_not_shipped
      And the order's "fulfillment.status" is "processing"

    Scenario: Not back on its way
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      And the merchant tells of the order {"status": "delivered"}
      When the merchant tells of the order {"status": "shipped"}
      Then it is refused: 409 order_delivered
      And the order's "fulfillment.status" is "delivered"

    Scenario Outline: Not when it is canceled
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant cancels the order
      When the merchant tells of the order {"status": "<status>"}
      Then it is refused: 409 order_canceled
      And the order's "fulfillment.status" is "canceled"

      Examples:
        | status    |
        | shipped   |
        | delivered |

    Scenario Outline: What cannot be told of an order
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant tells of the order <what>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the order's "fulfillment.status" is "processing"

      Examples:
        | what                                                              | field        |
        | {}                                                                | status       |
        | {"status": "lost"}                                                | status       |
        | {"status": "processing"}                                          | status       |
        | {"status": "shipped", "tracking_url": "http://ups.example.com/"}  | tracking_url |
        | {"status": "shipped", "tracking_url": "javascript:alert(1)"}      | tracking_url |
        | {"status": "shipped", "price": 1}                                 | price        |
        | {"status": "delivered", "carrier": "UPS"}                         | carrier      |

  Rule: The merchant decides about returns

    Scenario: A buyer wants to send something back
      Given the merchant sets the storefront's "tax_rates" to [{"country": "US", "rate": 10}]
      And a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the merchant sends GET /v1/returns
      Then the answer shows:
        | data.#                  | 1           |
        | data.0.id               | "$return"   |
        | data.0.order_id         | "$order"    |
        | data.0.status           | "requested" |
        | data.0.refund_estimate  | 220         |
        | data.0.currency         | "USD"       |
        | data.0.refund_id        | null        |
        | data.0.decided_at       | null        |
        | data.0.items.0.quantity | 2           |
        | data.0.items.0.reason   | "Too large" |
        | meta.total              | 1           |
      When the merchant reads the order
      Then the answer shows:
        | returns.*.id | ["$return"] |

    Scenario: Approved
      Given the merchant sets the storefront's "tax_rates" to [{"country": "US", "rate": 10}]
      And a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the merchant approves the return
      Then it answers 200
      And the answer shows:
        | status           | "approved"  |
        | restocked        | 2           |
        | decided_at       | matches Z$  |
        | refund.amount    | 220         |
        | refund.status    | "succeeded" |
        | refund.return_id | "$return"   |
      And there are 19 of the "Trail Tent"
      And buyers can have 19 of the "Trail Tent"
      And the payment is "partially_refunded", with 220 given back
      And the books balance
      And the return's "refund.status" is "succeeded"
      When the merchant sends GET /v1/returns?status=approved
      Then the answer shows:
        | data.*.id | ["$return"] |
      When the merchant sends GET /v1/returns?status=requested
      Then the answer shows:
        | meta.total | 0 |
      And the buyer's return is "approved"

    Scenario: Less is given for it, and it cannot be sold again
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the merchant approves the return with {"amount": 150.50, "restock": false}
      Then the answer shows:
        | refund.amount | 150.50 |
        | restocked     | 0      |
      And there are 17 of the "Trail Tent"
      And the payment is "partially_refunded", with 150.50 given back

    Scenario: No more than is left
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And the merchant refunds 60 of the payment
      When the merchant approves the return with {"amount": 46}
      Then it is refused: 422 validation_error
      And the refusal names "amount"
      And the return's "status" is "requested"
      When the merchant approves the return
      Then the answer shows:
        | refund.amount | 45.99 |
      And the payment is "refunded", with 105.99 given back
      And the books balance

    Scenario Outline: Approvals that cannot be
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant approves the return with <request>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the return's "status" is "requested"
      And there are 19 of the "Trail Tent"

      Examples:
        | request            | field   |
        | {"amount": -1}     | amount  |
        | {"amount": 0.001}  | amount  |
        | {"amount": 106}    | amount  |
        | {"restock": "no"}  | restock |
        | {"refund": 5}      | refund  |

    Scenario: Approved without giving anything back
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant approves the return with {"amount": 0}
      Then it answers 200
      And the answer shows:
        | status | "approved" |
        | refund | absent     |
      And there are 20 of the "Trail Tent"
      And the payment is "succeeded", with 0 given back

    Scenario: Rejected
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant sends POST /v1/returns/$return/reject {"reason": "It is burnt"}
      Then it answers 200
      And the answer shows:
        | status     | "rejected"    |
        | reason     | "It is burnt" |
        | refund     | absent        |
        | decided_at | matches Z$    |
      And there are 19 of the "Trail Tent"
      And the payment is "succeeded", with 0 given back
      And the buyer's return is "rejected"
      When the buyer sends back 1 of the "Trail Tent"
      Then it answers 201

    Scenario Outline: A return is decided once
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And the merchant sends POST /v1/returns/$return/<first>
      When the merchant sends POST /v1/returns/$return/<second>
      Then it is refused: 409 return_closed
      And the payment is "<payment>", with <amount> given back
      And there are <stock> of the "Trail Tent"

      Examples:
        | first   | second  | payment            | amount | stock |
        | approve | approve | partially_refunded | 100    | 20    |
        | approve | reject  | partially_refunded | 100    | 20    |
        | reject  | approve | succeeded          | 0      | 19    |
        | reject  | reject  | succeeded          | 0      | 19    |

    Scenario: The same approval again
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And under the key "once" the merchant sends POST /v1/returns/$return/approve {"restock": true}
      When under the key "once" the merchant sends POST /v1/returns/$return/approve {"restock": true}
      Then it is the answer from before, and says so
      And the answer shows:
        | refund.status | "succeeded" |

    Scenario: Approvals at the same time
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the merchant approves the return 8 times at once
      Then 1 of them succeeds and 7 are refused: 409 return_closed
      And there are 19 of the "Trail Tent"
      And the payment is "partially_refunded", with 200 given back
      And the books balance

    Scenario: Canceling after a return puts back only the rest
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      And the merchant approves the return
      When the merchant cancels the order
      Then the answer shows:
        | payment.status | "refunded" |
      And there are 20 of the "Trail Tent"
      And the books balance

  Rule: What gives money back is guarded, and logged without the buyer

    Scenario Outline: A shop that requires a second factor
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then it is refused: 403 mfa_required
      And the payment is "succeeded", with 0 given back

      Examples:
        | code         | does                |
        | no code      | cancels the order   |
        | a wrong code | cancels the order   |
        | no code      | approves the return |
        | a wrong code | approves the return |

    Scenario: With a code that is good
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with a recovery code the merchant approves the return
      Then it answers 200
      When with a recovery code the merchant cancels the order
      Then it answers 200
      And the payment is "refunded", with 205.99 given back

    Scenario: The log
      Given a merchant with an account of its own
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And the merchant approves the return
      And the merchant ships the order
      When the merchant sends GET /v1/audit-events?project_id=$shop&limit=2
      Then the answer shows:
        | data.*.action                | ["update-fulfillment", "approve-return"] |
        | data.*.target                | ["$order", "$return"]                    |
        | data.0.after.fulfillment     | "shipped"                                |
        | data.1.after.status          | "approved"                               |
        | data.1.after.refund.amount   | 100                                      |
      And the answer does not name the buyer
      Given a key "Auditor" with {"scopes": ["keys:read"]}
      When the holder of "Auditor" sends GET /v1/audit-events?action=approve-return
      Then the answer shows:
        | data.*.target | [""]   |
        | data.*.before | [null] |
        | data.*.after  | [null] |
