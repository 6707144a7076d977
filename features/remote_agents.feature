Feature: Agents that a merchant runs
  A merchant's own program may answer for its shop. Whatever it does, or fails to do, buyers get an answer that keeps
  the shop's promises and bounds, and the record says who gave it.

  The tent costs the merchant 770.05, so that its floor is 850: 770.05 and a tenth more is 847.06, raised to the grid of
  prices that may tell of a cost, which is 50 at a list price of 1,000. What the house hopes for is 943.75.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price   | stock | cost   |
      | Trail Tent | 1000.00 | 40    | 770.05 |
      | Camp Tent  | 300.00  | 20    |        |
      | Camp Stove | 60.00   | 20    |        |
    And the active agent

  Rule: A handler's prices and words reach the buyer

    Scenario: Its own way to concede
      Given a handler of the merchant's own for ["quote"] that is told to honest
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 880
      Then the merchant counters at 975
      And the answer shows:
        | reasoning | "We can come down to 975.00 USD." |
      When the buyer offers 900
      Then the merchant counters at 950
      When the buyer offers 945
      Then the merchant accepts at 945
      And the answer shows:
        | message | "It is yours." |
      And the handler was asked 3 times about acp.quote
      And the record of "agent" names the handlers ["remote"]
      And the record of "agent" names the fallbacks [null]
      And no text had a number that its answer does not show

    Scenario: What is too low is the house's matter
      Given a handler of the merchant's own for ["quote"] that is told to honest
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 500
      Then the merchant rejects the offer, hinting at "850"
      And the handler was asked 0 times about acp.quote

    Scenario: A search in its own order, with its own reasons
      Given a handler of the merchant's own for ["search"] that is told to honest
      And the handler answers acp.search with {"results": [{"product_id": "${Camp Tent}", "score": 0.5, "reasons": ["Our favourite"]}, {"product_id": "${Trail Tent}"}]}
      When a buyer searches for "tent"
      Then the answer shows:
        | results.*.name                   | ["Camp Tent", "Trail Tent"] |
        | results.0.semantic_match.score   | 0.5                         |
        | results.0.semantic_match.reasons | ["Our favourite"]           |
      Given the handler answers acp.search with {"results": [{"product_id": "${Trail Tent}"}, {"product_id": "${Camp Tent}"}]}
      When a buyer searches for "tent"
      Then the answer shows:
        | results.*.name | ["Trail Tent", "Camp Tent"] |

    Scenario: A search that drops some
      Given a handler of the merchant's own for ["search"] that is told to honest
      And the handler answers acp.search with {"results": [{"product_id": "${Camp Tent}"}]}
      When a buyer searches for "tent"
      Then the search finds exactly "Camp Tent"
      Given the handler answers acp.search with {"results": []}
      When a buyer searches for "tent"
      Then the search finds exactly nothing

    Scenario Outline: Products that were no candidates are not shown
      Given a handler of the merchant's own for ["search"] that is told to honest
      And the handler answers acp.search with {"results": [<results>]}
      When a buyer searches for "tent"
      Then the search finds exactly "Camp Tent", "Trail Tent"

      Examples:
        | results                                                                 |
        | {"product_id": "${Camp Tent}"}, {"product_id": "${Camp Stove}"}         |
        | {"product_id": "${Camp Tent}"}, {"product_id": "${Camp Tent}"}          |
        | {"product_id": "prod_00000000000000000000000000", "name": "Free Tent"}  |

  Rule: A handler may refuse a checkout, and a payment

    Scenario: A checkout
      Given a handler of the merchant's own for ["checkout", "finalize"] that is told to honest
      And the handler answers acp.checkout with {"approve": false, "reason": "Tents do not go to Oregon."}
      And a buyer who agreed on 1 of the "Trail Tent" at 960.00
      When the buyer checks out
      Then it is refused: 409 checkout_refused
      And the answer shows:
        | message | "Tents do not go to Oregon." |
      Given the handler answers acp.checkout with {"approve": true}
      When the buyer checks out again
      And the buyer pays
      Then the payment succeeds
      And the handler was asked 2 times about acp.checkout
      And the handler was asked 1 times about acp.finalize

    Scenario: A checkout that a person has to look at first
      Given a handler of the merchant's own for ["checkout", "finalize"] that is told to honest
      And the handler answers acp.checkout with {"approve": false, "review": true, "reason": "We look at large orders first."}
      And a buyer who agreed on 1 of the "Trail Tent" at 960.00
      When the buyer checks out
      Then it is refused: 409 checkout_refused
      And the answer shows:
        | message | "We look at large orders first." |

    Scenario Outline: A payment over UCP that a person has to look at first
      Given a handler of the merchant's own for ["checkout", "finalize"] that is told to honest
      And the handler answers acp.finalize with {"approve": false, "review": true, "reason": "We look at large orders first."}
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      Then the answer shows:
        | status | "ready_for_complete" |
      Given the buyer remembers the answer's id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer shows:
        | status              | "requires_escalation"                    |
        | continue_url        | matches /acp/checkout/chk_[0-9a-z]+/page$ |
        | messages.0.severity | "requires_buyer_review"                  |
        | messages.0.content  | "We look at large orders first."         |
      And there are 40 of the "Trail Tent" left
      Given the handler answers acp.finalize with {"approve": true}
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer shows:
        | status | "completed" |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    Scenario: A payment
      Given a handler of the merchant's own for ["checkout", "finalize"] that is told to honest
      And the handler answers acp.finalize with {"approve": false}
      And a buyer who agreed on 1 of the "Trail Tent" at 960.00
      And the buyer checks out
      When the buyer pays
      Then it is refused: 409 finalize_refused
      And the answer shows:
        | message | present |
      And there are 40 of the "Trail Tent" left
      Given the handler answers acp.finalize with {"approve": true, "reason": "Go on."}
      When the buyer pays
      Then the payment succeeds
      And there are 39 of the "Trail Tent" left

  Rule: Whatever a handler does, every deal is struck within the bounds, and nothing leaks

    Scenario Outline: Misbehaviour
      Given a handler of the merchant's own for ["search", "quote", "checkout", "finalize"] that is told to <mode>
      When buyers bargain for the "Trail Tent" in every way, and pay
      Then all of them have an order
      And no price was below 850 or above 1000
      And no text had a number that its answer does not show
      And no answer to a buyer had 770.05, 847.06, 943.75, 425.00
      And the record of "agent" names the handlers <handlers>
      And the record of "agent" names the fallbacks <fallbacks>

      Examples:
        | mode     | handlers                     | fallbacks                                      |
        | honest   | ["builtin:haggle", "remote"] | [null]                                         |
        | leak     | ["builtin:haggle", "remote"] | [null]                                         |
        | gouge    | ["builtin:haggle", "remote"] | [null]                                         |
        | undercut | ["builtin:haggle", "remote"] | ["agent_nonsense", null]                       |
        | nonsense | ["builtin:haggle"]           | ["agent_nonsense", "agent_suspended", null]    |
        | refuse   | ["builtin:haggle"]           | ["agent_refused", "agent_suspended", null]     |
        | flap     | ["builtin:haggle", "remote"] | ["agent_refused", "agent_suspended", null]     |

    Scenario: An agent's own policy binds its handlers
      Given a handler of the merchant's own for ["quote"] that is told to undercut
      And the merchant sends PATCH /v1/agents/$agent {"policy": {"max_discount_percent": 5}}
      When buyers bargain for the "Trail Tent" in every way, and pay
      Then no price was below 950 or above 1000

    Scenario: A handler that hangs is waited for a little, and then no longer
      Given a handler of the merchant's own for ["search", "quote", "checkout", "finalize"] that is told to hang
      When 5 buyers at once offer 880 for the "Trail Tent"
      Then each was answered within 12 seconds
      And the handler was asked 5 times about acp.quote
      And the record of "agent" names the fallbacks ["agent_timeout"]
      When buyers bargain for the "Trail Tent" in every way, and pay
      Then all of them have an order
      And the handler was asked 5 times in all, and at most once in each 30 seconds after
      And no price was below 850 or above 1000
      And the record of "agent" names the handlers ["builtin:haggle"]
      And the record of "agent" names the fallbacks ["agent_suspended", "agent_timeout", null]

    Scenario: A slow handler is waited for
      Given a handler of the merchant's own for ["quote", "finalize"] that is told to slow
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the buyer offers the counter
      And the buyer checks out
      When the buyer pays
      Then the payment succeeds
      And the handler was asked 1 times about acp.quote
      And the handler was asked 1 times about acp.finalize

    Scenario: A handler that cannot be reached
      Given the agent {"name": "Ann", "handlers": {"search": {"type": "remote", "url": "http://127.0.0.1:1/agent"}, "quote": {"type": "remote", "url": "http://127.0.0.1:1/agent"}, "checkout": {"type": "remote", "url": "http://127.0.0.1:1/agent"}, "finalize": {"type": "remote", "url": "http://127.0.0.1:1/agent"}}}
      And the agent "agent" takes over
      When buyers bargain for the "Trail Tent" in every way, and pay
      Then all of them have an order
      And the record of "agent" names the fallbacks ["agent_suspended", "agent_unreachable", null]

  Rule: A handler believes only who knows the agent's secret

    Scenario: A new secret
      Given a handler of the merchant's own for ["quote"] that is told to honest
      When the merchant sends POST /v1/agents/$agent/rotate-secret
      Given a buyer who looks at the "Trail Tent"
      When the buyer offers 880
      Then the merchant counters at 976.80
      And the record of "agent" names the fallbacks ["agent_refused"]
      When the merchant sends POST /v1/agents/$agent/rotate-secret
      And the handler learns the agent's secret
      Given a buyer who looks at the "Trail Tent"
      When the buyer offers 880
      Then the merchant counters at 975

  Rule: What one agent promised, another one keeps

    Scenario: From a handler to the house
      Given a handler of the merchant's own for ["quote"] that is told to honest
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the merchant counters at 975
      When the agent "active" takes over
      And the merchant sends DELETE /v1/agents/$agent
      And the buyer offers the counter
      Then the merchant accepts at 975
      And the record of "active" names the handlers ["builtin:haggle"]

    Scenario: From the house to a handler that wants more
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the merchant counters at 976.80
      And a handler of the merchant's own for ["quote"] that is told to gouge
      When the buyer offers 900
      Then the merchant counters with the same price
      When the buyer offers the counter
      Then the merchant accepts at 976.80

    Scenario: To an agent that would not go so far
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 860
      And the buyer offers 870
      And the merchant counters at 899.50
      And the agent {"name": "Strict", "policy": {"max_discount_percent": 1}}
      When the agent "agent" takes over
      And the buyer offers what stands
      Then the merchant accepts at 899.50
      When the buyer checks out
      And the buyer pays
      Then the payment succeeds

    Scenario: A handler that turns bad halfway
      Given a handler of the merchant's own for ["quote"] that is told to honest
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the merchant counters at 975
      When the handler is told to gouge
      And the buyer offers 900
      Then the merchant counters at 975
      When the handler is told to refuse
      And the buyer offers the counter
      Then the merchant accepts at 975
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 900
      And the merchant counters at 999.00
      When the handler is told to undercut
      And the buyer offers 912
      Then the merchant accepts at 912
