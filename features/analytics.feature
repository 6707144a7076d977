Feature: Analytics
  A merchant sees how many come, where negotiations end, what deals give away and what was sold. Everything is counted
  from the records of negotiations, checkouts, orders and refunds.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
      | Camp Stove | 40.00  | 50    |

  Rule: Figures are those of the shop's own records

    Scenario: A shop to which nobody came
      When the merchant sends GET /v1/analytics/summary?from=2026-03-01&to=2026-03-04
      Then it answers 200
      And the answer shows:
        | from             | "2026-03-01T00:00:00Z" |
        | to               | "2026-03-04T00:00:00Z" |
        | currency         | "USD"                  |
        | sessions         | 0                      |
        | deal_rate        | null                   |
        | discount.median  | null                   |
        | revenue.net      | 0.00                   |
        | previous.from    | "2026-02-26T00:00:00Z" |
        | previous.to      | "2026-03-01T00:00:00Z" |
        | series.2.from    | "2026-03-03T00:00:00Z" |
        | series.2.orders  | 0                      |

    Scenario: A deal that is paid and given back in part
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And the merchant refunds 10.00 of the payment
      When the merchant sends GET /v1/analytics/summary
      Then it answers 200
      And the answer shows:
        | sessions          | 1      |
        | negotiations      | 1      |
        | deals             | 1      |
        | deal_rate         | 1      |
        | discount.median   | "5%"   |
        | orders            | 1      |
        | conversion        | 1      |
        | revenue.refunded  | 10.00  |
        | previous.sessions | 0      |

    Scenario: How far negotiations come
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And another buyer who wants 1 of the "Camp Stove"
      And the buyer offers 1.00
      When the merchant sends GET /v1/analytics/negotiations
      Then it answers 200
      And the answer shows:
        | funnel.0.stage                         | "quoted"          |
        | funnel.0.count                         | 2                 |
        | funnel.1.count                         | 2                 |
        | funnel.3.stage                         | "rejected"        |
        | funnel.3.count                         | 1                 |
        | funnel.3.share                         | 0.5               |
        | funnel.4.count                         | 1                 |
        | funnel.5.stage                         | "checkout_opened" |
        | funnel.5.count                         | 1                 |
        | funnel.6.count                         | 0                 |
        | discounts.accepted_deals.count         | 1                 |
        | discounts.accepted_deals.p90           | "5%"              |
        | discounts.accepted_deals.histogram     | [{"percent": 5, "count": 1}] |
        | discounts.paid_orders.histogram        | []                |
        | lost_deals.count                       | 0                 |

    Scenario: A deal that was lost near the floor
      Given a buyer who wants 2 of the "Trail Tent"
      And the buyer offers 60.00
      When the merchant sends GET /v1/analytics/negotiations?near_floor_percent=50
      Then the answer shows:
        | lost_deals.near_floor_percent             | 50      |
        | lost_deals.count                          | 1       |
        | lost_deals.best_offers                    | 120.00  |
        | lost_deals.list                           | 200.00  |
        | lost_deals.share_of_list                  | 0.6     |
        | lost_deals.examples.data.0.best_offer     | 60.00   |
        | lost_deals.examples.data.0.quantity       | 2       |
        | lost_deals.examples.data.0.negotiation_id | matches ^neg_ |
        | lost_deals.examples.data.0.session_id     | absent  |
        | lost_deals.examples.data.0.floor          | present |
        | lost_deals.examples.data.0.standing_price | present |
        | lost_deals.examples.meta.total            | 1       |

    Scenario: What was sold
      Given a buyer who ordered 2 of the "Trail Tent"
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/analytics/sales?limit=1
      Then it answers 200
      And the answer shows:
        | total.orders                  | 2            |
        | total.units                   | 3            |
        | total.goods                   | 240.00       |
        | total.discount_given          | 0.00         |
        | total.refunded                | 0.00         |
        | top_products.0.name           | "Trail Tent" |
        | top_products.0.units          | 2            |
        | top_products.0.goods          | 200.00       |

    Scenario: Another shop's buyers are not counted
      Given a buyer who ordered 1 of the "Trail Tent"
      And another shop
      When in the other shop the merchant sends GET /v1/analytics/summary
      Then it answers 200
      And the answer shows:
        | sessions      | 0    |
        | negotiations  | 0    |
        | orders        | 0    |
        | revenue.gross | 0.00 |

  Rule: The merchant sees by which protocols and through which agents buyers come

    Scenario: A deal is made over MCP and ordered over UCP
      Given an agent that speaks MCP
      And the agent asks for the price of 2 of the "Trail Tent"
      And the agent accepts the standing price
      And the agent goes on over UCP
      And the agent checks out 2 of the "Trail Tent" by the code
      And the agent pays
      And a buyer who agreed on 1 of the "Camp Stove" at 38.00
      When the merchant sends GET /v1/analytics/protocols
      Then it answers 200
      And the answer shows:
        | protocols.*.protocol      | ["haggle", "ucp", "mcp"]        |
        | protocols.*.sessions      | [1, 0, 1]                       |
        | protocols.*.deals         | [1, 0, 1]                       |
        | protocols.*.orders        | [0, 1, 0]                       |
        | protocols.0.gross         | 0.00                            |
        | series.#                  | 30                              |
        | series.29.protocols.1.orders | 1                            |
        | agents.#                  | 2                               |
        | agents.0.profile          | "https://haggle.invalid/agent"  |
        | agents.0.verified         | false                           |
        | agents.0.sessions         | 1                               |
        | agents.0.deals            | 1                               |
        | agents.0.orders           | 1                               |
        | agents.1.profile          | null                            |
        | agents.1.sessions         | 1                               |
        | agents.1.deals            | 1                               |
        | agents.1.orders           | 0                               |
      When the merchant sends GET /v1/analytics/protocols?limit=1
      Then the answer shows:
        | agents.# | 1 |
      When the merchant sends GET /v1/analytics/protocols?from=2026-03-01&to=2026-03-02
      Then the answer shows:
        | protocols.*.sessions | [0, 0, 0] |
        | agents.#             | 0         |

  Rule: A period is cut where the shop's clock says

    Scenario: Days on which clocks move
      Given the merchant sets "general.timezone" to "Europe/Berlin"
      When the merchant sends GET /v1/analytics/sales?from=2026-03-28&to=2026-03-31
      Then the answer shows:
        | from          | "2026-03-27T23:00:00Z" |
        | to            | "2026-03-30T22:00:00Z" |
        | time_zone     | "Europe/Berlin"        |
        | series.1.from | "2026-03-28T23:00:00Z" |
        | series.1.to   | "2026-03-29T22:00:00Z" |
        | series.2.to   | "2026-03-30T22:00:00Z" |

    Scenario Outline: A period that cannot be
      When the merchant sends GET /v1/analytics/<asked>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | asked                                                    | field              |
        | summary?from=yesterday                                   | from               |
        | summary?to=2026-02-30                                    | to                 |
        | sales?from=2026-03-02&to=2026-03-02                      | from               |
        | sales?from=2026-03-02&to=2026-03-01                      | from               |
        | negotiations?from=2025-01-01&to=2026-03-01               | interval           |
        | sales?from=2026-03-01&to=2026-03-20&interval=hour        | interval           |
        | negotiations?near_floor_percent=51                       | near_floor_percent |
        | negotiations?near_floor_percent=5.55                     | near_floor_percent |

    Scenario Outline: What cannot be asked for
      When the merchant sends GET /v1/analytics/<asked>
      Then it is refused: 400 invalid_request
      And the refusal names "<field>"

      Examples:
        | asked                      | field    |
        | negotiations?interval=year | interval |
        | sales?limit=0              | limit    |
        | sales?limit=101            | limit    |
