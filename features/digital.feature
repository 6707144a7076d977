Feature: Digital goods
  A buyer buys a digital product over Haggle's own protocol without an address. Other protocols do not offer digital
  products, because their checkouts cannot express them yet.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Trail Map  | 10.00  | 50    |
    And the "Trail Map" is digital
    And the shop charges tax:
      | country | percent |
      | US      | 10      |
      | DE      | 19      |
    And the shop ships to US, DE

  Rule: Digital products need no address, and are taxed

    Scenario: Without an address
      When the buyer checks out 2 of the "Trail Map" without an address
      Then the checkout costs:
        | subtotal | shipping | tax | total |
        | 20       | 0        | 2   | 22    |
      And there are no shipping options
      When the buyer pays
      Then the payment succeeds
      And there are 48 of the "Trail Map" left
      When the merchant ships the order
      Then the shipment is refused: nothing to ship

    Scenario: With the buyer's country
      When the buyer checks out 2 of the "Trail Map" with the country DE alone
      Then the checkout costs:
        | tax | total |
        | 3.8 | 23.8  |
      When the buyer checks out 2 of the "Trail Map" with the country FR alone
      Then the checkout is refused: validation error, because of the country

    Scenario: Together with a product that is shipped
      When the buyer checks out 2 of the "Trail Map" and 1 of the "Trail Tent" without an address
      Then the checkout is refused: validation error, because of the address
      When the buyer checks out 2 of the "Trail Map" and 1 of the "Trail Tent" with an address
      Then the checkout costs:
        | subtotal | shipping | tax | total  |
        | 120      | 5.99     | 12  | 137.99 |

  Rule: A checkout stays what was agreed, or is refused

    Scenario: A digital product that has to be shipped by the time it is paid
      Given the buyer checks out 2 of the "Trail Map" without an address
      And the "Trail Map" is shipped
      When the buyer pays
      Then the payment is refused: shipping required
      And the shop has 0 orders
      And there are 50 of the "Trail Map" left

    Scenario: A product that has become digital by the time it is paid
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the "Trail Tent" is digital
      When the buyer pays
      Then the payment succeeds
      And the buyer paid 115.99, including 5.99 for shipping

  Rule: The Universal Commerce Protocol does not offer digital products

    Scenario: Its catalogue has only products that are shipped
      Then an agent's search for "trail" over the Universal Commerce Protocol finds the "Trail Tent" alone
