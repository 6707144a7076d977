Feature: Negotiating over UCP
  Agents of any platform negotiate with the shop, by a capability of its own that its profile names. The rules and prices are
  those of Haggle's own protocol.

  Background:
    Given a shop selling:
      | name       | sku    | price  | stock |
      | Trail Tent | TENT-1 | 100.00 | 30    |

  Rule: An agent asks, offers, and accepts what stands

    Scenario Outline: From the question to the deal
      Given an agent that speaks <protocol>
      When the agent asks for the price of 2 of the "Trail Tent"
      Then the agent is answered:
        | ucp.status                | "success"                                        |
        | status                    | "open"                                           |
        | id                        | matches ^quote_                                  |
        | cart_id                   | matches ^sess_                                   |
        | item.title                | "Trail Tent"                                     |
        | item.list_price.amount    | 10000                                            |
        | quantity                  | 2                                                |
        | lines.0.quantity          | 2                                                |
        | rounds.used               | 0                                                |
        | standing_price.currency   | "USD"                                            |
        | deal                      | null                                             |
        | buyer_actions             | ["make_offer", "accept_offer", "decline_offer"]  |
      When the agent offers 1.00 USD
      Then the agent is answered:
        | status          | "rejected" |
        | messages.0.code | "reject"   |
        | messages.0.type | "info"     |
        | hint.currency   | "USD"      |
      When the agent accepts 1.00 USD
      Then the agent is answered:
        | status              | "rejected"      |
        | messages.0.code     | "price_changed" |
        | messages.0.severity | "recoverable"   |
        | rounds.used         | 1               |
      When the agent accepts the standing price
      Then the agent is answered:
        | status        | "accepted"          |
        | deal.code     | matches ^ct_        |
        | deal.quantity | 2                   |
        | buyer_actions | ["create_checkout"] |
      When the agent reads the negotiation
      Then the agent is answered:
        | status | "accepted" |
        | deal   | null       |
      When the agent offers 99.00 USD
      Then the agent is answered:
        | status          | "accepted"       |
        | messages.0.code | "quote_accepted" |

      Examples:
        | protocol |
        | UCP      |
        | MCP      |

    Scenario: An item by its SKU
      Given an agent that speaks UCP
      When the agent asks for the price of 1 of the item "TENT-1"
      Then the agent is answered:
        | status     | "open"       |
        | item.title | "Trail Tent" |

    Scenario Outline: What there is not
      Given an agent that speaks <protocol>
      When the agent asks for the price of 1 of the item "nothing"
      Then the agent is answered:
        | ucp.status      | "error"            |
        | messages.0.code | "item_unavailable" |
      When the agent reads the negotiation "quote_unknown"
      Then the agent is answered:
        | ucp.status      | "error"     |
        | messages.0.code | "not_found" |

      Examples:
        | protocol |
        | UCP      |
        | MCP      |

    Scenario: Another currency
      Given an agent that speaks UCP
      And the agent asks for the price of 1 of the "Trail Tent"
      When the agent offers 90.00 EUR
      Then the agent is answered:
        | status              | "open"                  |
        | messages.0.code     | "invalid_input"         |
        | messages.0.content  | matches ^offer.currency |
        | messages.0.severity | "recoverable"           |

  Rule: A buyer that gives up says why, once

    Scenario Outline: Giving up
      Given an agent that speaks <protocol>
      And the agent asks for the price of 1 of the "Trail Tent"
      When the agent gives up because of "shipping_cost"
      Then the agent is answered:
        | status         | "declined"            |
        | standing_price | null                  |
        | buyer_actions  | ["start_negotiation"] |
      When the agent gives up because of "comparison"
      Then the agent is answered:
        | status | "declined" |
      When the agent offers 99.00 USD
      Then the agent is answered:
        | status          | "declined"     |
        | messages.0.code | "quote_closed" |

      Examples:
        | protocol |
        | UCP      |
        | MCP      |
