Feature: Analytics
  A merchant sees how many buyers come, where negotiations end, what deals give away and what was sold. Everything is
  counted from the records of negotiations, checkouts, orders and refunds.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
      | Camp Stove | 40.00  | 50    |

  Rule: Figures are those of the shop's own records

    Scenario: A deal that is paid and partly refunded
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      When the merchant refunds 10.00 of the payment
      Then the summary shows:
        | sessions              | 1     |
        | negotiations          | 1     |
        | deals                 | 1     |
        | deal rate             | 1     |
        | median discount       | 5%    |
        | orders                | 1     |
        | conversion            | 1     |
        | refunded              | 10.00 |
        | sessions before these | 0     |

    Scenario: How far negotiations come
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And another buyer who wants 1 of the "Camp Stove"
      When the buyer offers 1.00
      Then the funnel shows:
        | quoted          | 2 |
        | rejected        | 1 |
        | checkout_opened | 1 |

    Scenario: What was sold
      Given a buyer who ordered 2 of the "Trail Tent"
      And a buyer who ordered 1 of the "Camp Stove"
      Then the sales show:
        | orders         | 2      |
        | units          | 3      |
        | goods          | 240.00 |
        | discount given | 0.00   |
        | refunded       | 0.00   |
      And the best-selling product is the "Trail Tent" with 2 units for 200.00

    Scenario: Another shop's buyers are not counted
      Given a buyer who ordered 1 of the "Trail Tent"
      And another shop
      Then the other shop's summary shows:
        | sessions     | 0    |
        | negotiations | 0    |
        | orders       | 0    |
        | revenue      | 0.00 |

  Rule: The merchant sees by which protocols and through which agents buyers come

    Scenario: A deal is made over MCP and ordered over UCP
      Given an agent that speaks MCP
      And the agent asks for the price of 2 of the "Trail Tent"
      And the agent accepts the standing price
      And the agent goes on over UCP
      And the agent checks out 2 of the "Trail Tent" by the code
      And the agent pays
      And a buyer who agreed on 1 of the "Camp Stove" at 38.00
      Then the buyers came by these protocols:
        | protocol | sessions | deals | orders |
        | haggle   | 1        | 1     | 0      |
        | ucp      | 0        | 0     | 1      |
        | mcp      | 1        | 1     | 0      |
      And the buyers came through these agents:
        | profile                      | sessions | deals | orders |
        | https://haggle.invalid/agent | 1        | 1     | 1      |
        | none                         | 1        | 1     | 0      |
      And no buyer came on 2026-03-01
