Feature: Buying over MCP
  A model that has nothing but the address of a shop haggles, checks out and pays by tools.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |

  Scenario: Haggling and buying
    Given an agent that speaks MCP
    And the agent asks for the price of 1 of the "Trail Tent"
    And the agent offers 90.00 USD
    And the agent accepts the standing price
    When the agent checks out what was agreed
    Then the agent can pay the agreed price
    When the agent pays
    Then the agent has an order

  Rule: A deal is redeemed once, over whichever protocol

    Scenario: Agreed over MCP, redeemed over UCP, refused over Haggle's own protocol
      Given an agent that speaks MCP
      And the agent asks for the price of 2 of the "Trail Tent"
      And the agent accepts the standing price
      When the agent goes on over UCP
      And the agent checks out 2 of the "Trail Tent" by the code
      And the agent pays
      Then the agent has an order
      When the buyer redeems the agent's code for 2 of the "Trail Tent"
      Then the shop refuses the code, because it is redeemed
