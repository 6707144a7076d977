Feature: Hostile requests
  Buyers' agents vary, and some are hostile. Whatever they send, no answer contains a secret of the merchant.

  Background:
    Given a shop selling:
      | name       | price   | stock | cost   |
      | Trail Tent | 1000.00 | 20    | 437.21 |
    And a buyer who looks at the "Trail Tent"

  Scenario Outline: A search for code is a search for text
    When the buyer searches for <text>
    Then the search succeeds

    Examples:
      | text                                  |
      | "'; DROP TABLE products; --"          |
      | "%' OR '1'='1"                        |
      | "<script>alert(1)</script>"           |
      | "((((((((((((((((((((((((((((((((((("  |
      | "🔥🔥🔥 ‮tent‬ ﷽"                        |
      | "tent AND NOT OR NEAR(tent, 5) *"     |
      | "..\\..\\..\\etc\\passwd"             |

  Scenario: Buyers see no floor, target, cost or margin
    Given the "Trail Tent" costs the merchant 437.21
    And an agent that concedes patiently
    When the buyer makes every kind of request
    Then no answer names a floor, a target, a cost or a margin
