Feature: Orders over the Universal Commerce Protocol
  The agent that bought follows the order, without learning more of the buyer than it needs.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |
      | Camp Stove | 40.00  | 30    |

  Rule: An order shows what was bought and what became of it, and nobody's address

    Scenario: An order that was just placed
      Given an agent that bought 2 of the "Trail Tent" over UCP
      When the agent reads the order
      Then the agent sees 2 of the "Trail Tent" processing, and no street address

  Rule: A merchant may require agents to sign before they read orders

    Scenario: An agent that does not sign
      Given an agent that bought 2 of the "Trail Tent" over UCP
      And the merchant requires agents to sign
      When the agent reads the order
      Then the agent is asked to sign
      When the agent checks out 1 of the "Camp Stove"
      Then the agent can pay 45.99 USD
      When the merchant requires no signatures any more
      And the agent reads the order
      Then the agent sees 2 of the "Trail Tent" processing, and no street address

  Rule: A platform is notified of all that becomes of its orders

    Scenario Outline: From the purchase to a refund
      Given an agent's platform of UCP <version> that follows its orders
      When the platform buys 2 of the "Trail Tent" and 1 of the "Camp Stove"
      Then the platform is notified 1 time, last that the order is placed
      When the merchant ships the platform's order
      Then the platform is notified 2 times, last that the order is shipped
      When the merchant delivers the platform's order
      Then the platform is notified 3 times, last that the order is delivered
      When the buyer returns 1 of the "Trail Tent" of the platform's order
      Then the platform is notified 4 times, last that the order is returned in part
      When the merchant refunds 100.00 USD for the platform's return
      Then the platform is notified 6 times, last that the order is refunded in part

      Examples:
        | version    |
        | 2026-08-25 |
        | 2026-04-08 |

    Scenario: An order that the merchant cancels
      Given an agent's platform of UCP 2026-08-25 that follows its orders
      And the platform buys 2 of the "Trail Tent" and 1 of the "Camp Stove"
      And the platform is notified 1 time, last that the order is placed
      When the merchant cancels the platform's order
      Then the platform is notified 3 times, last that the order is canceled

    Scenario: A platform that fails at first
      Given an agent's platform of UCP 2026-08-25 that follows its orders
      And the platform fails once
      When the platform buys 2 of the "Trail Tent" and 1 of the "Camp Stove"
      Then the platform is notified 2 times, last that the order is placed
      And both notifications are of one event
