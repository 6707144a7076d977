Feature: What waits for a merchant
  A merchant sees what has to be done, money at stake first. Each kind is shown to those who may read what it is about.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |

  Rule: What waits is counted by kind

    Scenario: Nothing waits
      When the merchant sends GET /v1/attention
      Then it answers 200
      And the answer shows:
        | data | [] |

    Scenario: An order waits to be shipped
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      When the merchant sends GET /v1/attention
      Then it answers 200
      And the answer shows:
        | data.0.kind          | "order_to_ship" |
        | data.0.count         | 1               |
        | data.0.currency      | "USD"           |
        | data.0.amount        | 195.99          |
        | data.0.late          | 0               |
        | data.0.due_at        | matches T       |
        | data.0.example.id    | matches ^ord_   |
        | data.0.example.words | matches ^HG-    |
        | data.1               | absent          |

    Scenario: Only how many wait
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      When the merchant sends GET /v1/attention/counts
      Then it answers 200
      And the answer shows:
        | data.0.kind  | "order_to_ship" |
        | data.0.count | 1               |
        | data.0.more  | false           |
        | data.1       | absent          |

    Scenario: A subscription that the merchant switched off does not wait
      Given the merchant sends POST /v1/event-subscriptions {"url": "https://example.com/hook", "event_types": ["*"]}
      And the answer's "id" is called "subscription"
      And the merchant sends PATCH /v1/event-subscriptions/$subscription {"status": "disabled"}
      When the merchant sends GET /v1/attention
      Then the answer shows:
        | data | [] |

  Rule: A kind is shown to those who may read what it is about

    Scenario: Somebody who may not read money
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And a key "Clerk" with {"scopes": ["projects:read", "integrations:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET /v1/attention
      Then it answers 200
      And the answer shows:
        | data | [] |
      When the holder of "Clerk" sends GET /v1/attention/counts
      Then it answers 200
      And the answer shows:
        | data | [] |

    Scenario: Somebody who may not read the project
      Given a key "Clerk" with {"scopes": ["finance:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET /v1/attention
      Then it is refused: 403 insufficient_scope
