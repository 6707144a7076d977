Feature: Undecided payments, and what is taken back
  Payments may stay undecided while the merchant counts the shelf. Providers take refunds back, and lose disputes for
  the merchant. Stock, payments and books follow.

  Background:
    Given a shop selling:
      | name       | sku  | price  | stock |
      | Trail Tent | tent | 100.00 | 20    |

  Rule: What payment attempts hold lies on the shelf, and is not for sale

    Scenario Outline: The merchant counts while a payment is undecided
      Given a connected PayPal account
      And a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays by wallet_ba, which PayPal leaves pending
      Then it is refused: 503 payment_unresolved
      When the merchant sends GET /v1/catalog/inventory?sku=tent
      Then the answer shows:
        | data.0.quantity  | 20 |
        | data.0.held      | 2  |
        | data.0.available | 18 |
        | data.0.oversold  | 0  |
      When the merchant sends GET /v1/catalog/products
      Then the answer shows:
        | data.*.quantity | [20] |
      When the merchant sends PUT /v1/catalog/inventory {"levels": [{"sku": "tent", "quantity": <counted>}]}
      Then the answer shows:
        | data.0.quantity  | <counted>   |
        | data.0.held      | 2           |
        | data.0.available | <available> |
        | data.0.oversold  | <oversold>  |
      When the merchant sends GET /v1/catalog/products
      Then the answer shows:
        | data.*.quantity | [<counted>] |
      When PayPal <decides> the payment
      And the merchant sends GET /v1/catalog/inventory?sku=tent
      Then within 60 seconds the answer shows:
        | data.0.held      | 0            |
        | data.0.quantity  | <quantity>   |
        | data.0.available | <quantity>   |
        | data.0.oversold  | <still over> |

      Examples:
        | counted | available | oversold | decides  | quantity | still over |
        | 10      | 8         | 0        | captures | 8        | 0          |
        | 10      | 8         | 0        | denies   | 10       | 0          |
        | 1       | 0         | 1        | captures | 0        | 1          |
        | 1       | 0         | 1        | denies   | 1        | 0          |

  Rule: What the provider takes back is booked and announced

    Scenario: A refund that fails after it had succeeded
      Given a server beside the merchant's systems
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a connected Stripe account
      And a subscription to ["refund.failed"]
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "ok"
      When the merchant refunds 50 of the payment
      Then within 30 seconds the payment is "partially_refunded", with 50 given back
      When the provider takes the refund back
      Then within 60 seconds the payment is "succeeded", with 0 given back
      And 1 event "refund.failed" arrives, signed
      And the books balance
      When the merchant sends GET /v1/finance/refunds?status=failed
      Then the answer shows:
        | data.*.amount       | [50]                       |
        | data.0.status       | "failed"                   |
        | data.0.failure_code | "expired_or_canceled_card" |
        | data.0.reversed_at  | matches Z$                 |

    Scenario: A dispute that is lost
      Given a server beside the merchant's systems
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a connected Stripe account
      And a subscription to ["dispute.opened", "dispute.closed"]
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "ok"
      When the buyer disputes the payment
      Then 1 event "dispute.opened" arrives, signed
      When the merchant loses the dispute
      Then 1 event "dispute.closed" arrives, signed
      When the merchant reads the payment
      Then within 60 seconds the answer shows:
        | disputed_amount             | 205.99       |
        | disputes.*.status           | ["lost"]     |
        | disputes.0.amount           | 205.99       |
        | disputes.0.withdrawn_amount | 205.99       |
        | disputes.0.fee_amount       | 15           |
      When the merchant refunds the payment
      Then it is refused: 409 payment_refunded
      When the merchant sends GET /v1/finance/transactions?type=dispute
      Then the answer shows:
        | data.0.payment_id | "$payment" |

  Rule: Returned pieces are worth what was paid for them

    Scenario: Pieces of one product at two prices
      Given the merchant sets the storefront's "tax_rates" to [{"country": "US", "rate": 7.3}]
      And a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out the agreed 1 and 2 more of the "Trail Tent"
      And the buyer pays
      And the buyer sends back 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant sends GET /v1/returns?order_id=$order
      Then the estimates sum to the goods and the tax of the order
      And the answer shows:
        | data.# | 3 |
