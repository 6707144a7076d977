Feature: Buying over the Universal Commerce Protocol
  Any agent that speaks the protocol checks out and pays, in the version that it speaks, over HTTP or by the tools of MCP.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |
      | Sold Lamp  | 20.00  | 0     |

  Rule: A checkout can be paid once the shop knows who buys and where the goods go

    Scenario Outline: From a checkout to an order
      Given an agent that speaks <protocol>
      When the agent opens a checkout of 2 of the "Trail Tent"
      Then the agent cannot pay: it lacks a buyer and an address
      When the agent names the buyer of the 2 of the "Trail Tent", and chooses express delivery
      Then the agent can pay 214.99 USD
      When the agent pays
      Then the agent has an order
      And there are 5 of the "Trail Tent" left

      Examples:
        | protocol          |
        | UCP               |
        | UCP of 2026-04-08 |
        | MCP               |

    Scenario: A checkout that is canceled
      Given an agent that speaks UCP
      And the agent checks out 1 of the "Camp Stove"
      When the agent cancels the checkout
      And the agent changes the checkout to 1 of the "Camp Stove"
      Then the agent cannot pay: the checkout is canceled
      And the shop has 0 orders

  Rule: Only what the shop has is sold

    Scenario: An item that the shop does not sell
      Given an agent that speaks UCP
      When the agent opens a checkout of 1 of the "Camp Stove" and of an item that the shop does not sell
      Then the agent cannot pay: the shop does not sell one of its items

    Scenario: A product that is sold out
      Given an agent that speaks UCP
      And the agent checks out 3 of the "Sold Lamp"
      When the agent pays
      Then the agent cannot pay: the product is sold out
      And the shop has 0 orders

  Rule: An agreed price is paid by the code of the deal

    Scenario: The price that a buyer agreed on
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And an agent that speaks UCP
      When the agent checks out 2 of the "Trail Tent" by the buyer's code
      Then the agent can pay 195.99 USD
      When the agent leaves out the code, and checks out 2 of the "Trail Tent"
      Then the agent can pay 205.99 USD

    Scenario: A deal for another quantity
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And an agent that speaks UCP
      When the agent checks out 3 of the "Trail Tent" by the buyer's code
      Then the agent cannot pay: the deal is for another quantity

    Scenario Outline: A deal that another order has redeemed
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And an agent that speaks <protocol>
      And the agent checks out 2 of the "Trail Tent" by the buyer's code
      And the agent pays
      When the agent checks out 2 of the "Trail Tent" by the buyer's code
      Then the agent cannot pay: another order has redeemed the deal
      When the agent leaves out the code, and checks out 2 of the "Trail Tent"
      Then the agent can pay 205.99 USD
      And the shop has 1 order

      Examples:
        | protocol |
        | UCP      |
        | MCP      |

  Rule: A cart becomes one checkout, with its deal

    Scenario: The buyer's cart
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And an agent that speaks UCP
      And the agent fills the buyer's cart with 2 of the "Trail Tent" and 1 of the "Camp Stove"
      When the agent checks out the buyer's cart
      Then the agent can pay 235.99 USD
      And checking out the cart again is the same checkout
