Feature: The catalogue over the Universal Commerce Protocol
  Any agent that speaks the protocol searches by words and prices, and looks products up by their ids.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 0     |

  Scenario Outline: Searching, and looking up
    Given an agent that speaks <protocol>
    When the agent searches for "tent"
    Then the agent finds the "Trail Tent" at 100.00 USD, available
    When the agent searches for products up to 50.00 USD
    Then the agent finds the "Camp Stove" at 40.00 USD, sold out
    When the agent looks up the "Trail Tent" and a product that does not exist
    Then the agent finds only the "Trail Tent"

    Examples:
      | protocol          |
      | UCP               |
      | UCP of 2026-04-08 |
      | MCP               |
