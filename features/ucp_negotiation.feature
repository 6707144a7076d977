Feature: Negotiating over the Universal Commerce Protocol
  Agents of any platform negotiate with the shop, by a capability of its own that its profile names. The rules and prices are
  those of Haggle's own protocol.

  Background:
    Given a shop selling:
      | name       | sku    | price  | stock |
      | Trail Tent | TENT-1 | 100.00 | 30    |

  Rule: An agent asks for a price, makes offers, and accepts the standing price

    Scenario Outline: From the question to the deal
      Given an agent that speaks <protocol>
      When the agent asks for the price of 2 of the "Trail Tent"
      Then the negotiation is open, for 2 of the "Trail Tent" at a list price of 100.00 USD
      When the agent offers 1.00 USD
      Then the negotiation is rejected
      When the agent accepts 1.00 USD
      Then the shop refuses that price, because its own has changed
      When the agent accepts the standing price
      Then the agent has a deal for 2
      When the agent offers 99.00 USD
      Then the negotiation is accepted

      Examples:
        | protocol |
        | UCP      |
        | MCP      |

    Scenario: A product by its SKU
      Given an agent that speaks UCP
      When the agent asks for the price of 1 of the SKU "TENT-1"
      Then the negotiation is open, for 1 of the "Trail Tent" at a list price of 100.00 USD

    Scenario: An offer in another currency
      Given an agent that speaks UCP
      And the agent asks for the price of 1 of the "Trail Tent"
      When the agent offers 90.00 EUR
      Then the shop refuses the currency

  Rule: A negotiation that the buyer has given up stays closed

    Scenario Outline: Giving up
      Given an agent that speaks <protocol>
      And the agent asks for the price of 1 of the "Trail Tent"
      When the agent gives up because of "shipping_cost"
      Then the negotiation is declined
      When the agent offers 99.00 USD
      Then the negotiation is declined

      Examples:
        | protocol |
        | UCP      |
        | MCP      |
