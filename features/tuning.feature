Feature: Agents that learn
  A merchant's agent learns from its own record what its buyers are like, and proposes a policy that would have earned
  more. Its bounds stay as the merchant set them.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock  |
      | Trail Tent | 100.00 | 100000 |

  # The baseline concedes to buyers who raise their offers. The policy in force then never concedes.
  Scenario: A holdout shows whether the policy in force earns more than the one before
    Given a holdout of 50% of the sessions
    And the merchant activates a policy that never concedes
    And 40 buyers haggled for the "Trail Tent", who would pay 80 to 99% of its price
    Then the holdout compares policy version 1 with version 2
    And more than 0 negotiations were held under each of them
    And the baseline of the holdout has earned something
    And the holdout's verdict is "undecided"
    Given 360 buyers haggled for the "Trail Tent", who would pay 80 to 99% of its price
    Then the holdout compares policy version 1 with version 2
    And more than 100 negotiations were held under each of them
    And the holdout's verdict is "worse"
    # Bounds apply to every session, so new bounds begin a new baseline.
    When the merchant limits discounts to 5%
    Then policy version 3 is the new baseline, with nothing to compare it with
    When the merchant activates a policy with another curve
    Then the holdout compares policy version 3 with version 4
    Given a holdout of 0% of the sessions
    Then there is nothing to compare

  # A policy that never concedes loses buyers who offered enough.
  Scenario: An agent proposes a better policy once its record is long enough
    Given the merchant activates a policy that never concedes, with discounts of up to 15% and 4 rounds
    And 3 buyers haggled for the "Trail Tent", who would pay 80 to 105% of its price
    Then the agent has too few negotiations to learn from
    And the agent has 2 policy versions
    Given 217 buyers haggled for the "Trail Tent", who would pay 80 to 105% of its price
    When the agent learns from its record, with the note "First"
    Then it has learned from 220 negotiations, and proposes policy version 3, which earns more
    And policy version 3 is noted "First", and still has discounts of up to 15% and 4 rounds
    And policy version 2 is in force
    When the agent learns from its record, and its proposal is put in force
    Then policy version 4 earns more, and is in force with discounts of up to 15% and 4 rounds
    Given a buyer who looks at the "Trail Tent"
    When the buyer offers 80
    Then the merchant rejects the offer, hinting at "86"
