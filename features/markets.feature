Feature: Market runs
  Before a merchant puts a policy in force, simulated buyers meet it and the one in force, over the shop's own products.
  The run is a job: it is started, looked at, and read when it is done.

  Background:
    Given a shop selling:
      | name       | price  | cost  | stock |
      | Trail Tent | 100.00 | 50.00 | 20    |
    And the active agent
    And the merchant sends GET /v1/catalog/products
    And the answer's "data.0.id" is called "tent"

  Rule: A run tells in money what another policy would earn

    Scenario: Money per month
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 75
      When the merchant sends POST /v1/agents/$active/market {"policy": {"max_discount_percent": 10}, "buyers": 200, "seed": 7}
      Then it answers 202
      And the answer shows:
        | id                      | matches ^job_ |
        | kind                    | "market"      |
        | status                  | "queued"      |
        | agent_id                | "$active"     |
        | progress.done           | 0             |
        | request.policy_version  | null          |
        | request.against_version | 1             |
        | result                  | null          |
      And the answer's "id" is called "job"
      When the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status                              | "succeeded"   |
        | progress.done                       | 2000          |
        | progress.total                      | 2000          |
        | finished_at                         | matches Z$    |
        | error                               | null          |
        | result.currency                     | "USD"         |
        | result.negotiations_per_month       | 1             |
        | result.before.policy_version        | 1             |
        | result.after.policy_version         | null          |
        | result.populations.#                | 5             |
        | result.products.#                   | 1             |
        | result.products.0.product_id        | "$tent"       |
        | result.products.0.cost              | 50            |
        | result.before.margin_per_thousand   | at least 20000 |
        | result.before.margin_per_month      | at least 20   |
        | result.difference.low_per_month     | at least -40  |
        | result.best_posted_price.deals_share | at least 0.4 |
      When the merchant sends GET /v1/jobs?kind=market&agent_id=$active
      Then the answer shows:
        | data.*.id  | ["$job"] |
        | meta.total | 1        |

    Scenario: A shop without a record or a known cost
      Given the merchant sends PATCH /v1/catalog/products/$tent {"cost": null}
      When the merchant sends POST /v1/agents/$active/market {"buyers": 50}
      And the answer's "id" is called "job"
      And the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status                             | "succeeded" |
        | request.policy_version             | 1           |
        | result.negotiations_per_month      | null        |
        | result.products_without_cost       | 1           |
        | result.before.margin_per_thousand  | null        |
        | result.before.revenue_per_month    | null        |
        | result.difference                  | null        |
        | result.best_posted_price           | null        |
        | result.products.0.cost             | null        |

    Scenario: A shop with nothing to sell
      Given the merchant sends DELETE /v1/catalog/products/$tent
      When the merchant sends POST /v1/agents/$active/market {}
      And the answer's "id" is called "job"
      And the merchant sends GET /v1/jobs/$job
      Then within 30 seconds the answer shows:
        | status     | "failed"      |
        | error.code | "no_products" |
        | result     | null          |

    Scenario Outline: Runs that are refused
      When the merchant sends POST /v1/agents/$active/market <body>
      Then it is refused: <status> <code>

      Examples:
        | body                                               | status | code              |
        | {"buyers": 49}                                     | 422    | validation_error  |
        | {"buyers": 5001}                                   | 422    | validation_error  |
        | {"seed": 9007199254740992}                         | 422    | validation_error  |
        | {"policy": {"depth_percent": 300}}                 | 422    | validation_error  |
        | {"policy": {}, "policy_version": 1}                | 422    | validation_error  |
        | {"policy_version": 7}                              | 404    | policy_not_found  |
        | {"against_version": 7}                             | 404    | policy_not_found  |
        | {"product_ids": ["$active"]}                       | 422    | validation_error  |
        | {"product_ids": ["$tent", "$tent"]}                | 422    | validation_error  |
        | {"product_ids": ["prod_00000000000000000000000000"]} | 404  | product_not_found |

  Rule: A run can be canceled, and a shop has two at a time

    Scenario: The third is refused until one is canceled
      Given the merchant sends POST /v1/agents/$active/market {"buyers": 5000}
      And the merchant sends POST /v1/agents/$active/market {"buyers": 5000}
      And the answer's "id" is called "job"
      When the merchant sends POST /v1/agents/$active/market {"buyers": 5000}
      Then it is refused: 409 too_many_jobs
      When the merchant sends POST /v1/jobs/$job/cancel
      Then it answers 200
      And the answer shows:
        | status      | "canceled" |
        | finished_at | matches Z$ |
        | result      | null       |
      When the merchant sends POST /v1/jobs/$job/cancel
      Then it is refused: 409 job_finished
      When the merchant sends POST /v1/agents/$active/market {"buyers": 50}
      Then it answers 202

    Scenario: What is sent again starts one run
      When under the key "a" the merchant sends POST /v1/agents/$active/market {"buyers": 50}
      Then it answers 202
      When under the key "a" the merchant sends POST /v1/agents/$active/market {"buyers": 50}
      Then it is the answer from before, and says so

    Scenario: The audit log
      Given a merchant with an account of its own
      And a shop
      And the active agent
      And the merchant sends POST /v1/agents/$active/market {"buyers": 5000}
      And the answer's "id" is called "job"
      And the merchant sends POST /v1/jobs/$job/cancel
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.action | "cancel-job"   |
        | data.0.target | "$job"         |
        | data.1.action | "start-market" |
        | data.1.target | "$job"         |

  Rule: A job is the shop's own

    Scenario Outline: In another shop it is unknown
      Given the merchant sends POST /v1/agents/$active/market {"buyers": 5000}
      And the answer's "id" is called "job"
      And another shop
      When in the other shop the merchant sends <request>
      Then it is refused: 404 <code>

      Examples:
        | request                             | code            |
        | GET /v1/jobs/$job                   | job_not_found   |
        | POST /v1/jobs/$job/cancel           | job_not_found   |
        | POST /v1/agents/$active/market {}   | agent_not_found |

    Scenario: A key that may only read
      Given a key "Clerk" with {"scopes": ["agents:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET /v1/jobs
      Then it answers 200
      When the holder of "Clerk" sends POST /v1/agents/$active/market {}
      Then it is refused: 403 insufficient_scope
