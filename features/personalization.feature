Feature: Personal signals in prices
  Loyalty that a buyer claims, or that the shop knows, can move a negotiated price. Such a price says so, and the merchant decides
  by region whether these signals count and which text is shown with the price.

  Background:
    Given a shop selling:
      | name       | price   | stock |
      | Trail Tent | 1000.00 | 20    |

  Rule: A price says which personal signals moved it

    Scenario Outline: What buyers claim
      Given a buyer who claims <claims> looks at the "Trail Tent"
      When the buyer asks the price
      Then the price says that <signals> moved it

      Examples:
        | claims                       | signals                            |
        | gold loyalty                 | claimed_loyalty                    |
        | gold loyalty and 5 purchases | claimed_loyalty, claimed_purchases |
        | flexible urgency             | nothing personal                   |

    Scenario: A buyer about whom nothing is known
      Given a buyer who looks at the "Trail Tent"
      When the buyer asks the price
      Then the price says that nothing personal moved it

  Rule: The merchant can switch personal signals off

    Scenario: Everywhere
      Given personal signals do not count
      And a buyer who claims gold loyalty looks at the "Trail Tent"
      When the buyer asks the price
      Then the price says that nothing personal moved it
      And the buyer pays the list price

    Scenario: A price that was agreed before
      Given a buyer who claims gold loyalty looks at the "Trail Tent"
      And the buyer asks the price
      And the merchant decides that personal signals do not count
      When the buyer offers the quoted price
      Then the merchant accepts the offer
