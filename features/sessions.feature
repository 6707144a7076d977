Feature: Sessions
  A session is one buyer's visit: what it said of itself, what lies in its cart, what was offered and answered.

  Background:
    Given a shop selling:
      | name       | price   | stock | related    |
      | Trail Tent | 1000.00 | 20    | Ground Mat |
      | Ground Mat | 100.00  | 20    |            |

  Rule: A session remembers

    Scenario: A new session
      Given a buyer who searched for "tent"
      When the buyer reads the session
      Then the answer shows:
        | session_id                       | "$session"     |
        | status                           | "active"       |
        | created_at                       | matches Z$     |
        | last_activity                    | matches Z$     |
        | expires_at                       | matches Z$     |
        | cart.items                       | []             |
        | cart.subtotal                    | 0              |
        | negotiation_history              | []             |
        | recommendations_shown.#          | 1              |
        | recommendations_shown.0.accepted | false          |

    Scenario: What a buyer says of itself
      Given a buyer who searched for "tent" as {"loyalty_tier": "gold", "purchase_history": 12}
      When the buyer reads the session
      Then the answer shows:
        | buyer_context.loyalty_tier     | "gold" |
        | buyer_context.purchase_history | 12     |

    Scenario: What was offered and answered
      Given a buyer who looks at the "Trail Tent"
      And the buyer asks the price
      And the buyer offers 500
      And the buyer offers what is hinted at
      And the buyer offers 1000
      When the buyer reads the session
      Then the answer shows:
        | negotiation_history.*.type        | ["quote_request", "quote_request", "quote_request", "quote_request"] |
        | negotiation_history.*.response    | ["quote", "reject", "counter_offer", "accept"]                       |
        | negotiation_history.0.offer       | null                                                                 |
        | negotiation_history.1.offer       | 500                                                                  |
        | negotiation_history.2.counter     | below 1000                                                           |
        | negotiation_history.3.offer       | 1000                                                                 |
        | negotiation_history.3.final_price | at most 1000                                                         |
        | negotiation_history.0.timestamp   | matches Z$                                                           |
        | quotes.#                          | 1                                                                    |
        | quotes.0.product_id               | "$product"                                                           |
        | quotes.0.quantity                 | 1                                                                    |
        | quotes.0.response                 | "accept"                                                             |
        | quotes.0.price                    | at most 1000                                                         |
        | cart.items.#                      | 1                                                                    |
        | cart.items.0.product_id           | "$product"                                                           |
        | cart.items.0.name                 | "Trail Tent"                                                         |
        | cart.items.0.quantity             | 1                                                                    |
        | cart.items.0.negotiated_price     | at most 1000                                                         |
        | cart.subtotal                     | at most 1000                                                         |

    Scenario: A recommendation that is bought
      Given a buyer who searched for "tent"
      And the buyer agrees on 1 of the "Ground Mat" at 100
      And the buyer checks out
      And the buyer pays
      When the buyer reads the session
      Then the answer shows:
        | recommendations_shown.*.product_id | ["${Ground Mat}"] |
        | recommendations_shown.*.accepted   | [true]                      |

  Rule: A session can be extended, up to a day after it began

    Scenario Outline: By so many minutes
      Given a buyer who searched for "tent"
      When the buyer extends the session by <minutes> minutes
      Then the session ends <minutes> minutes later

      Examples:
        | minutes |
        | 1       |
        | 60      |
        | 1409    |

    Scenario Outline: By more than there is
      Given a buyer who searched for "tent"
      When the buyer sends POST /acp/sessions/$session/extend {"duration_minutes": <minutes>}
      Then it is refused: 422 validation_error
      And the refusal names "duration_minutes"

      Examples:
        | minutes |
        | 0       |
        | -5      |
        | 1411    |
        | 1440    |
        | 1441    |
        | 1.5     |
        | null    |
        | "60"    |

    Scenario: By nothing
      Given a buyer who searched for "tent"
      When the buyer sends POST /acp/sessions/$session/extend {}
      Then it is refused: 422 validation_error
      And the refusal names "duration_minutes"

  Rule: What does not exist cannot be found

    Scenario Outline: Sessions that are none
      When the buyer sends <request>
      Then it is refused: 404 session_not_found

      Examples:
        | request                                                        |
        | GET /acp/sessions/sess_unknown                                 |
        | GET /acp/sessions/sess_0000000000000000000000000a              |
        | GET /acp/sessions/$shop                                        |
        | POST /acp/sessions/sess_unknown/extend {"duration_minutes": 5} |

    Scenario: A session of another shop
      Given a buyer who searched for "tent"
      And another shop
      When the buyer reads the session in the other shop
      Then it is refused: 404 session_not_found
