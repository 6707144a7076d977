Feature: Requests that are repeated
  Answers get lost. A request with an idempotency key may be repeated: it takes effect once, and gets the answer that it
  got before.

  Rule: A merchant's request takes effect once

    Background:
      Given a shop selling:
        | name | price | stock |
        | Tent | 10    | 5     |

    Scenario: Creating a product
      When the merchant creates a "Mat" under the key "a"
      Then the answer is new
      When the merchant creates a "Mat" under the key "a"
      Then it is the answer from before, and says so
      And the shop has 2 products

    Scenario: Creating a product many times at once
      When the merchant creates a "Mat" under the key "a" 8 times at once
      Then all of them got one answer, or were told that the first is under way
      And the shop has 2 products

    Scenario: Removing pieces from stock
      When the merchant removes 2 of the "Tent" from stock under the key "a"
      And the merchant removes 2 of the "Tent" from stock under the key "a"
      Then it is the answer from before, and says so
      And there are 3 of the "Tent" left

  Rule: A buyer's payment takes effect once

    Background:
      Given a shop selling:
        | name       | price   | stock |
        | Trail Tent | 1000.00 | 20    |
      And a buyer who looks at the "Trail Tent"
      And a buyer at the checkout with 1 of the "Trail Tent"

    Scenario: Paying twice
      When the buyer pays under the key "a"
      Then the answer is new
      When the buyer pays under the key "a"
      Then it is the answer from before, and says so
      And the shop has 1 order
      And there are 19 of the "Trail Tent" left

    Scenario: Paying many times at once
      When the buyer pays under the key "a" 8 times at once
      Then all of them got one answer, or were told that the first is under way
      And the shop has 1 order

    Scenario: Paying for another checkout under the same key
      When the buyer pays under the key "a"
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays under the key "a"
      Then the answer is new
      And the shop has 2 orders
