Feature: Agents that learn
  A merchant's agent learns from its own record what its buyers are like, and proposes a policy that would have earned
  more. Its bounds stay as the merchant set them.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock  |
      | Trail Tent | 100.00 | 100000 |
    And the active agent

  Scenario Outline: What cannot be
    When the merchant sends POST /v1/agents/<agent>/tune <body>
    Then it is refused: <refusal>

    Examples:
      | agent         | body                                                           | refusal              |
      | $active       | {"limit": 199}                                                 | 422 validation_error |
      | $active       | {"limit": 5001}                                                | 422 validation_error |
      | $active       | {"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"} | 422 validation_error |
      | agent_unknown | {}                                                             | 404 agent_not_found  |

  Scenario: No holdout to compare with
    When the merchant sends GET /v1/agents/$active/holdout
    Then it is refused: 409 no_holdout
    When the merchant sends GET /v1/agents/agent_unknown/holdout
    Then it is refused: 404 agent_not_found
    Given the merchant sends PATCH /v1/agents/$active {"tuning": {"holdout_percent": 50}}
    When the merchant sends GET /v1/agents/$active/holdout
    Then it is refused: 409 no_holdout

  # The baseline comes down to whoever comes up; what is in force then never gives way.
  Scenario: A holdout shows what a policy is worth
    Given the merchant sends PATCH /v1/agents/$active {"tuning": {"holdout_percent": 50}}
    And the merchant sends PATCH /v1/agents/$active {"policy": {"curve": {"reach_percent": 100, "markup_percent": 150, "give_percent": [0], "take_percent": [0]}}}
    And 40 buyers haggled for the "Trail Tent", who would pay 80 to 99% of its price
    When the merchant sends GET /v1/agents/$active/holdout
    Then it answers 200
    And the answer shows:
      | baseline.policy_version    | 1           |
      | baseline.negotiations      | above 0     |
      | baseline.earned.deal_rate  | above 0     |
      | baseline.earned.mean_price | above 0     |
      | baseline.earned.margin     | above 0     |
      | in_force.policy_version    | 2           |
      | in_force.negotiations      | above 0     |
      | verdict                    | "undecided" |
    Given 360 buyers haggled for the "Trail Tent", who would pay 80 to 99% of its price
    When the merchant sends GET /v1/agents/$active/holdout
    Then the answer shows:
      | baseline.negotiations | above 100 |
      | in_force.negotiations | above 100 |
      | verdict               | "worse"   |
    # Bounds are for every session.
    When the merchant sends PATCH /v1/agents/$active {"policy": {"max_discount_percent": 5}}
    Then the answer shows:
      | tuning.baseline_version | 3 |
    When the merchant sends GET /v1/agents/$active/holdout
    Then it is refused: 409 no_holdout
    Given the merchant sends PATCH /v1/agents/$active {"policy": {"curve": {"take_percent": [100]}}}
    When the merchant sends GET /v1/agents/$active/holdout
    Then the answer shows:
      | baseline.policy_version | 3 |
      | in_force.policy_version | 4 |
    Given the merchant sends PATCH /v1/agents/$active {"tuning": {"holdout_percent": 0}}
    When the merchant sends GET /v1/agents/$active/holdout
    Then it is refused: 409 no_holdout

  # A policy that never gives way loses buyers who offered enough.
  Scenario: Too little to learn from, then a proposal, then one that is put in force
    Given the merchant sends PATCH /v1/agents/$active {"policy": {"max_discount_percent": 15, "round_cap": 4, "curve": {"reach_percent": 100, "markup_percent": 150, "give_percent": [0], "take_percent": [0]}}}
    And 3 buyers haggled for the "Trail Tent", who would pay 80 to 105% of its price
    When the merchant sends POST /v1/agents/$active/tune {}
    Then it is refused: 409 too_few_negotiations
    When the merchant sends GET /v1/agents/$active/policies
    Then the answer shows:
      | meta.total | 2 |
    Given 217 buyers haggled for the "Trail Tent", who would pay 80 to 105% of its price
    When the merchant has the agent learn with {"note": "First"}
    Then it answers 200
    And the answer shows:
      | negotiations        | 220      |
      | buyers.0.share      | above 0  |
      | before.deal_rate    | above 0  |
      | before.margin       | above 0  |
      | after.margin        | above 0  |
      | gain.low            | above 0  |
      | replay.negotiations | 220      |
      | better              | true     |
      | policy_version      | 3        |
      | in_force            | false    |
    When the merchant sends GET /v1/agents/$active/policies/3
    Then the answer shows:
      | origin                      | "tuned" |
      | note                        | "First" |
      | in_force                    | false   |
      | policy.max_discount_percent | 15      |
      | policy.round_cap            | 4       |
    When the merchant has the agent learn with {"activate": true}
    Then the answer shows:
      | better         | true |
      | policy_version | 4    |
      | in_force       | true |
    When the merchant sends GET /v1/agents/$active
    Then the answer shows:
      | policy_version              | 4  |
      | policy.max_discount_percent | 15 |
      | policy.round_cap            | 4  |
    Given a buyer who looks at the "Trail Tent"
    When the buyer offers 80
    Then the merchant rejects the offer, hinting at "86"
