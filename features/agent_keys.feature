Feature: Agent keys
  A merchant gives an agent that does not sign its requests a key. A request with the key counts as signed by the agent whose
  profile the key is for: a model's client needs only a header in its configuration.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |

  Rule: Requests with a key count as signed, over every protocol and version that names agents

    Scenario Outline: An agent with a key orders where agents must sign, and reads its order
      Given the merchant accepts only signed requests of agents
      And an agent key "Laptop" for the UCP <version> agent
      When the UCP <version> agent orders 1 of the "Trail Tent" with the key "Laptop"
      Then the order can be read with the key "Laptop", over REST and MCP
      And the order cannot be read over MCP without a signature

      Examples:
        | version    |
        | 2026-08-25 |
        | 2026-04-08 |

    Scenario: A cart that was made with a key is visible to its agent alone
      Given an agent key "Laptop" for the UCP 2026-08-25 agent
      And an agent key "Phone" for the UCP 2026-08-25 agent
      And an agent key "Other" for the UCP 2026-04-08 agent
      When a model's client creates a cart with the key "Laptop"
      Then the model's client finds the cart with the key "Laptop"
      And the model's client finds the cart with the key "Phone"
      But the model's client does not find the cart with the key "Other"
      And the model's client does not find the cart without a key

  Rule: A wrong key is refused, and never ignored

    Scenario: A revoked key
      Given an agent key "Laptop" for the UCP 2026-08-25 agent
      Then requests with the key "Laptop" are accepted
      When the merchant revokes the agent key "Laptop"
      Then requests with the key "Laptop" are refused

    Scenario: A key of another agent than the one that the request names
      Given an agent key "Laptop" for the UCP 2026-08-25 agent
      Then requests of the UCP 2026-04-08 agent with the key "Laptop" are refused
      But requests of the UCP 2026-08-25 agent with the key "Laptop" are accepted

    Scenario: A key of another shop
      Given another shop
      And an agent key "Laptop" of the other shop
      Then requests with the key "Laptop" are refused

  Rule: Declined payments count for the agent that proved who it is

    Scenario: An agent whose payments are declined does not lock out other agents behind its address
      Given an agent key "Laptop" for the UCP 2026-08-25 agent
      And an agent key "Phone" for the UCP 2026-08-25 agent
      And an agent key "Other" for the UCP 2026-04-08 agent
      When 10 payments with the key "Laptop" are declined
      Then a payment with the key "Laptop" is refused after too many declines
      And a payment with the key "Phone" is refused after too many declines
      But a payment over UCP 2026-04-08 with the key "Other" succeeds
      And a payment without a key succeeds

    Scenario: Agents without a key are counted by their address
      When 10 payments without a key are declined
      Then a payment over UCP 2026-04-08 without a key is refused after too many declines
