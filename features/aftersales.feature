Feature: After the sale
  A buyer's agent follows an order, prints its receipt, and returns goods.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |

  Rule: An order's id shows the order, and only its token or session shows the buyer

    Scenario: Reading an order by its id alone
      Given a buyer who ordered 2 of the "Trail Tent"
      Then the order's id alone shows the order without its buyer
      When the buyer opens the receipt
      Then the receipt says "A. Buyer"

    Scenario: A deleted product stays in its orders
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant deletes the product
      Then the buyer's order still names the "Trail Tent"

  Rule: Only its buyer cancels an order

    Scenario Outline: With the token of the order, or in its session
      Given a buyer who ordered 2 of the "Trail Tent"
      When the buyer cancels the order with <proof>
      Then the buyer sees the order as canceled
      And there are 7 of the "Trail Tent" left

      Examples:
        | proof           |
        | its token       |
        | its own session |

    Scenario Outline: Without
      Given a buyer who ordered 1 of the "Camp Stove"
      And the buyer remembers the manage_token
      And the buyer remembers the session
      And a buyer who ordered 2 of the "Trail Tent"
      When the buyer cancels the order with <proof>
      Then the cancellation is refused because only the order's buyer may
      And there are 5 of the "Trail Tent" left

      Examples:
        | proof                     |
        | nothing                   |
        | the order's id            |
        | a made-up token           |
        | another order's token     |
        | another buyer's session   |

  Rule: A receipt is a page to print, and nothing in it runs

    Scenario: The receipt
      Given a buyer who ordered 2 of the "Trail Tent"
      When the buyer opens the receipt
      Then the receipt says "Trail Tent"
      And the receipt says "205.99"
      And the receipt says "Test Shop"
      And the receipt loads and runs nothing

  Rule: Goods can be returned within the shop's return window

    Scenario: Returning goods in parts
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the buyer sends back 1 of the "Trail Tent"
      Then the return is requested
      When the buyer sends back 1 of the "Trail Tent"
      Then the return is refused because it exceeds what was bought

    Scenario: More than was bought
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 4 of the "Trail Tent"
      Then the return is refused because it exceeds what was bought

    Scenario: A product that was not bought
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 1 of the "Camp Stove"
      Then the return is refused because the order has no such product

    Scenario: Concurrent returns
      Given a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 1 of the "Trail Tent" 8 times at once
      Then 3 requests succeed and 5 are refused because it exceeds what was bought

    Scenario: A shop that takes nothing back
      Given the merchant sets the storefront's "return_window_days" to 0
      And a buyer who ordered 3 of the "Trail Tent"
      When the buyer sends back 1 of the "Trail Tent"
      Then the return is refused because the shop takes nothing back
      And buyers see that the "Trail Tent" cannot be returned
