Feature: Negotiations
  A merchant sees what buyers offered and what the shop answered. Limits and reasons of the agents need a permission of
  their own.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
      | Camp Stove | 40.00  | 50    |

  Rule: The merchant sees each negotiation

    Scenario: The negotiation of an order
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      When the merchant opens the negotiation of the order
      Then the negotiation is a deal on 2 of the "Trail Tent" at 95.00, 5% below the list price
      And the negotiation names the order

    Scenario: An open negotiation
      Given a buyer who wants 1 of the "Trail Tent"
      And the buyer offers 70.00
      When the merchant opens the latest negotiation
      Then the negotiation is open, with a last offer of 70.00

    Scenario: The negotiation with the newest step comes first
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And another buyer who wants 2 of the "Camp Stove"
      And the buyer offers 1.00
      Then the merchant sees these negotiations:
        | product    | quantity | state |
        | Camp Stove | 2        | open  |
        | Trail Tent | 1        | deal  |

  Rule: Limits and reasons need the permission to read agents, orders the permission to read money

    Background:
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays

    Scenario: A colleague who may read money alone
      Given the colleague "Support", who may read money alone
      Then "Support" sees the negotiation with its order, without limits and reasons

    Scenario: A colleague who may read agents alone
      Given the colleague "Analyst", who may read agents alone
      Then "Analyst" sees the negotiation with limits and reasons, without its order

    Scenario: A colleague who may read neither
      Given the colleague "Clerk", who may write the catalog alone
      Then the negotiations are refused to "Clerk"
