Feature: Agents
  A merchant's agents answer its buyers. One agent is active, the others are drafts. Each has handlers for the four events,
  a policy in numbered versions, and a record of its decisions.

  Rule: One agent is active until another one is activated

    Background:
      Given a shop

    Scenario: A new shop has an active agent
      Then the active agent is "Negotiator"

    Scenario: A new agent is a draft until it is activated
      When the merchant creates the agent "Ann"
      Then the active agent is "Negotiator"
      When the merchant activates the agent "Ann"
      Then the active agent is "Ann"
      And the merchant can delete the agent "Negotiator"

    Scenario: The active agent cannot be deleted
      When the merchant creates the agent "Ann"
      Then the merchant cannot delete the agent "Negotiator", which is active

    Scenario: A shop has at most 20 agents
      Given 19 agents beside the active one
      Then the merchant cannot create another agent

  Rule: A policy applies from its activation

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |

    Scenario: Buyers notice a tighter policy
      Given the merchant limits discounts to 5%
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 80
      Then the merchant rejects the offer, hinting at "96"

    Scenario: A stored policy version applies once it is activated, and can be replaced by an older one
      When the merchant stores a policy version with discounts of up to 5%
      Then policy version 1 is in force
      When the merchant activates policy version 2
      Then policy version 2 is in force
      Given a buyer who looks at the "Trail Tent"
      When the buyer offers 79
      Then the merchant rejects the offer, hinting at "96"
      When the merchant activates policy version 1
      Then policy version 1 is in force
      Given another buyer who looks at the "Trail Tent"
      When the buyer offers 79
      Then the merchant rejects the offer, hinting at "80"

  Rule: A merchant can try out a policy before it applies

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |

    Scenario: A dry run shows how a policy would change the lowest price
      When the merchant tries out discounts of up to 10%
      Then the lowest price of the "Trail Tent" would change from 80 to 90
      And policy version 1 is in force

    Scenario: A simulation answers as a buyer would be answered, and is not recorded
      When the merchant simulates the offers 75, 79, 82 for the "Trail Tent"
      Then the simulation ends in a deal at 82
      And no decision is recorded

    Scenario: A replay shows which deals another policy would have made
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 75
      When the buyer offers 82
      Then the merchant accepts at 82
      When the merchant replays the record with discounts of up to 10%
      Then the replay counts 1 deal: 0 certain and 1 possible under that policy

  Rule: Every decision is recorded and sealed

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 75
      And the buyer offers 79
      And the buyer offers 82

    Scenario: The record shows each offer, its answer, and the rule that decided
      Then the record shows, latest first:
        | offer | answer | price | rule        |
        | 82    | accept | 82    | at_ask      |
        | 79    | reject | 83.25 | below_floor |
        | 75    | reject | 83.25 | below_floor |

    Scenario: The record is sealed against later changes
      When all decisions are sealed
      Then the seals of 3 decisions are valid
