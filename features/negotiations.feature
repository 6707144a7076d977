Feature: Negotiations
  A merchant looks at what buyers offered and what the shop answered, by the name under which orders and events know a
  negotiation. Who may not see how the agents decide sees offers and prices alone.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
      | Camp Stove | 40.00  | 50    |

  Rule: The negotiation of an order is found by its name

    Scenario: A deal that was paid
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      When the merchant sends GET /v1/orders
      And the answer's "data.0.negotiation_id" is called "negotiation"
      And the merchant sends GET /v1/negotiations/$negotiation
      Then it answers 200
      And the answer shows:
        | id                         | "$negotiation"     |
        | state                      | "deal"             |
        | protocol                   | "haggle"           |
        | agent                      | absent             |
        | session_id                 | absent             |
        | items.0.product_name       | "Trail Tent"       |
        | items.0.variant_name       | ""                 |
        | items.0.quantity           | 2                  |
        | items.0.state              | "deal"             |
        | items.0.deal_price         | 95.00              |
        | items.0.off_list_percent   | 5                  |
        | items.0.list_price         | 100.00             |
        | items.0.currency           | "USD"              |
        | steps.0.seq                | 1                  |
        | steps.0.product_name       | "Trail Tent"       |
        | steps.0.decision.rule      | matches ^[a-z_]+$  |
        | steps.0.decision.session_id | absent            |
        | orders.0.id                | matches ^ord_      |
        | orders.0.confirmation_number | matches ^HG-     |
        | orders.1                   | absent             |

    Scenario: A buyer who is still there
      Given a buyer who wants 1 of the "Trail Tent"
      And the buyer offers 70.00
      When the merchant sends GET /v1/negotiations
      And the answer's "data.0.id" is called "negotiation"
      And the merchant sends GET /v1/negotiations/$negotiation
      Then the answer shows:
        | state              | "open" |
        | items.0.state      | "open" |
        | items.0.last_offer | 70.00  |
        | items.0.deal_price | null   |
        | items.0.off_list_percent | null |
        | orders             | []     |

    Scenario Outline: A name that names nothing
      When the merchant sends GET /v1/negotiations/<name>
      Then it is refused: 404 negotiation_not_found

      Examples:
        | name                           |
        | neg_00000000000000000000000000 |
        | sess_x                         |

  Rule: Negotiations are listed, those with the newest step first

    Scenario: A list in parts
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And another buyer who wants 2 of the "Camp Stove"
      And the buyer offers 1.00
      When the merchant sends GET /v1/negotiations?limit=1
      Then it answers 200
      And the answer shows:
        | data.0.id           | matches ^neg_ |
        | data.0.product_name | "Camp Stove"  |
        | data.0.quantity     | 2             |
        | data.0.state        | "open"        |
        | data.0.last_offer   | 1.00          |
        | data.0.list_price   | 40.00         |
        | data.0.protocol     | "haggle"      |
        | data.0.session_id   | absent        |
        | data.1              | absent        |
        | meta.limit          | 1             |
      When the answer's "meta.next" is called "next"
      And the merchant sends GET /v1/negotiations?limit=1&after=$next
      Then the answer shows:
        | data.0.product_name     | "Trail Tent" |
        | data.0.state            | "deal"       |
        | data.0.off_list_percent | 5            |
        | meta.next               | null         |

    Scenario Outline: A part of the list
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      When the merchant sends GET /v1/negotiations
      And the answer's "data.0.id" is called "negotiation"
      Given another buyer who wants 1 of the "Camp Stove"
      And the buyer offers 1.00
      When the merchant sends GET /v1/negotiations?<filter>
      Then the answer shows:
        | data.0.product_name | <product> |
        | data.1              | absent    |

      Examples:
        | filter                                | product      |
        | state=deal                            | "Trail Tent" |
        | state=open                            | "Camp Stove" |
        | state=left                            | absent       |
        | protocol=ucp                          | absent       |
        | state=deal&protocol=haggle            | "Trail Tent" |
        | to=2026-01-01                         | absent       |
        | product_id=prod_x                     | absent       |
        | ids=$negotiation                      | "Trail Tent" |
        | ids=$negotiation,neg_none             | "Trail Tent" |
        | ids=neg_none                          | absent       |
        | ids=$negotiation&state=open           | absent       |

    Scenario Outline: A list that cannot be
      When the merchant sends GET /v1/negotiations?<query>
      Then it is refused: <status> <code>
      And the refusal names "<field>"

      Examples:
        | query       | status | code             | field |
        | after=x     | 422    | validation_error | after |
        | state=won   | 400    | invalid_request  | state |
        | limit=101   | 400    | invalid_request  | limit |

  Rule: Limits and reasons are for those who may read agents, orders for those who may read money

    Scenario: Somebody who may read orders alone
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And a key "Support" with {"scopes": ["finance:read"], "project_ids": ["$shop"]}
      When the holder of "Support" sends GET /v1/negotiations
      Then it answers 200
      And the answer shows:
        | data.0.shop_price | 95.00  |
        | data.0.floor      | absent |
      When the answer's "data.0.id" is called "negotiation"
      And the holder of "Support" sends GET /v1/negotiations/$negotiation
      Then it answers 200
      And the answer shows:
        | items.0.floor    | absent        |
        | steps.0.decision | absent        |
        | orders.0.id      | matches ^ord_ |

    Scenario: Somebody who may read agents alone
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And a key "Analyst" with {"scopes": ["agents:read"], "project_ids": ["$shop"]}
      When the holder of "Analyst" sends GET /v1/negotiations
      Then it answers 200
      And the answer's "data.0.id" is called "negotiation"
      When the holder of "Analyst" sends GET /v1/negotiations/$negotiation
      Then it answers 200
      And the answer shows:
        | items.0.floor                 | 80.00  |
        | steps.0.decision.bounds.floor | 80.00  |
        | orders                        | absent |

    Scenario Outline: Somebody who may read neither
      Given a key "Clerk" with {"scopes": ["catalog:write", "projects:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET <path>
      Then it is refused: 403 insufficient_scope

      Examples:
        | path                                             |
        | /v1/negotiations                                 |
        | /v1/negotiations/neg_00000000000000000000000000  |
