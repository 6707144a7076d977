Feature: Sessions
  A session is one buyer's visit: its claims, its cart, its offers and the answers to them.

  Background:
    Given a shop selling:
      | name       | price   | stock | related    |
      | Trail Tent | 1000.00 | 20    | Ground Mat |
      | Ground Mat | 100.00  | 20    |            |

  Rule: A session remembers the visit

    Scenario: A new session
      Given a buyer who searched for "tent"
      Then the cart is empty
      And the session has 0 offers and answers
      And the session recommended 1 product, and 0 were bought

    Scenario: Offers and answers
      Given a buyer who looks at the "Trail Tent"
      And the buyer asks the price
      And the buyer offers 500
      And the buyer offers what is hinted at
      And the buyer offers 1000
      Then the session has 4 offers and answers
      And the cart holds 1 of the "Trail Tent" at the agreed price

    Scenario: A recommended product is bought
      Given a buyer who searched for "tent"
      And the buyer agrees on 1 of the "Ground Mat" at 100
      And the buyer checks out
      And the buyer pays
      Then the session recommended 1 product, and 1 was bought

  Rule: A session can be extended, up to a day after it began

    Scenario Outline: By so many minutes
      Given a buyer who searched for "tent"
      When the buyer extends the session by <minutes> minutes
      Then the session ends <minutes> minutes later

      Examples:
        | minutes |
        | 1       |
        | 60      |
        | 1409    |

  Rule: A session is known in its own shop only

    Scenario: A session of another shop
      Given a buyer who searched for "tent"
      And another shop
      When the buyer reads the session in the other shop
      Then the session is refused: session not found
