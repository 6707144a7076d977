Feature: Undecided payments, and money that is taken back
  A payment may stay undecided while the merchant counts the shelf. Providers reverse refunds, and buyers win disputes.
  Stock, payments and books follow.

  Background:
    Given a shop selling:
      | name       | sku  | price  | stock |
      | Trail Tent | tent | 100.00 | 20    |

  Rule: Goods of an undecided payment are on the shelf, and not for sale

    Scenario Outline: The merchant counts the shelf while a payment is undecided
      Given a connected PayPal account
      And a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays by PayPal, which leaves the payment pending
      Then the payment is refused because the payment's outcome is unknown
      And the stock of the "Trail Tent" is 20: 2 held, 18 available and 0 oversold
      When the merchant counts <counted> of the "Trail Tent"
      Then the stock of the "Trail Tent" is <counted>: 2 held, <available> available and <oversold> oversold
      When PayPal <decides> the payment
      Then within 60 seconds the stock of the "Trail Tent" is <quantity>: 0 held, <quantity> available and <still over> oversold

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
      And the buyer pays through Stripe
      When the merchant refunds 50 of the payment
      Then within 30 seconds the payment is partially refunded, 50 of 205.99
      When the provider reverses the refund
      Then within 60 seconds the payment is not refunded
      And 1 event "refund.failed" arrives, signed
      And the books balance
      And the refund of 50 is listed as failed and reversed

    Scenario: A dispute that is lost
      Given a server beside the merchant's systems
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a connected Stripe account
      And a subscription to ["dispute.opened", "dispute.closed"]
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays through Stripe
      When the buyer disputes the payment
      Then 1 event "dispute.opened" arrives, signed
      When the merchant loses the dispute
      Then 1 event "dispute.closed" arrives, signed
      And within 60 seconds the payment of 205.99 has a lost dispute, with a fee of 15
      When the merchant refunds the payment
      Then the refund is refused because all of it was refunded
      And the books have the dispute

  Rule: Returned goods are worth what was paid for them

    Scenario: Three of one product at two prices
      Given orders to the US are taxed at 7.3%
      And a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out the agreed 1 and 2 more of the "Trail Tent"
      And the buyer pays
      When the buyer sends back 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      Then the estimates of the 3 returns sum to the goods and the tax of the order
