@form
Feature: What the Universal Commerce Protocol demands of payments
  A checkout says how it can be paid now. Only instruments of these handlers are taken, and what pays is never told again.

  Rule: The handlers that a shop lists are those that it serves now

    @PAY-001 @PAY-002 @PAY-003 @PAY-005 @PAY-007
    Scenario Outline: In the profile, in checkouts and in orders
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      When an agent sends GET <door>/.well-known/ucp
      Then the answer shows:
        | ucp.payment_handlers.[com.haggle.sandbox].*.id                              | ["psp_spt", "wallet_ba"] |
        | ucp.payment_handlers.[com.haggle.sandbox].*.version                         | ["<version>", "<version>"] |
        | ucp.payment_handlers.[com.haggle.sandbox].0.available_instruments.*.type    | ["card", "token"]        |
        | ucp.payment_handlers.[com.haggle.sandbox].1.available_instruments.*.type    | ["card", "token"]        |
      And the answer's payment handlers are under ["com.haggle.sandbox"]
      Given an agent's checkout at "<door>" of 2 of the "Trail Tent"
      Then the answer shows:
        | ucp.payment_handlers.[com.haggle.sandbox].*.id                              | ["psp_spt", "wallet_ba"] |
        | ucp.payment_handlers.[com.haggle.sandbox].0.available_instruments.*.type    | ["card", "token"]        |
        | ucp.payment_handlers.[com.haggle.sandbox].1.available_instruments.*.type    | ["card", "token"]        |
      And the answer's payment handlers are under ["com.haggle.sandbox"]

      Examples:
        | door        | version    |
        |             | 2026-08-25 |
        | /2026-04-08 | 2026-04-08 |

    @PAY-003
    Scenario Outline: A shop that nobody can pay yet
      Given a production server at "https://shops.example.com" that knows the agents:
        | agent                   | version   | without |
        | https://agent.example/1 | <version> |         |
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      When an agent sends GET <door>/.well-known/ucp
      Then the answer shows:
        | ucp.payment_handlers | {} |
      When as https://agent.example/1 an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then it answers 201
      And the answer shows:
        | ucp.payment_handlers | {} |

      Examples:
        | door        | version    |
        |             | 2026-08-25 |
        | /2026-04-08 | 2026-04-08 |

    @PAY-015
    Scenario Outline: A provider that is connected, and disconnected again
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      And an agent's checkout at "<door>" that is ready, of 1 of the "Trail Tent"
      And a connected Stripe account
      When an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | ucp.payment_handlers.[com.stripe.payments].*.id                           | ["psp_spt"]              |
        | ucp.payment_handlers.[com.stripe.payments].0.available_instruments.*.type | ["shared_payment_token"] |
        | ucp.payment_handlers.[com.haggle.sandbox].*.id                            | ["wallet_ba"]            |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "ready_for_complete"        |
        | messages.*.code | ["invalid_payment_handler"] |
      And the account has received 0 payments
      Given the merchant sends DELETE /v1/integrations/$integration
      When an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer's payment handlers are under ["com.haggle.sandbox"]
      When an agent sends GET <door>/.well-known/ucp
      Then the answer's payment handlers are under ["com.haggle.sandbox"]

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: An instrument is complete, and of a handler that the checkout lists

    @PAY-019 @PAY-020 @PAY-024
    Scenario Outline: Instruments that lack something
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      And an agent's checkout at "<door>" that is ready, of 1 of the "Trail Tent"
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [<instrument>]}}
      Then it answers 400
      And the answer shows:
        | code    | "validation_error"  |
        | content | contains "<lacks>"  |
      And the shop has 0 orders
      And there are 7 of the "Trail Tent" left

      Examples:
        | door        | lacks      | instrument                                                                                                      |
        |             | id         | {"handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}          |
        |             | handler_id | {"id": "pi_1", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}                     |
        |             | type       | {"id": "pi_1", "handler_id": "psp_spt", "credential": {"type": "token", "token": "spt_sandbox_ok"}}             |
        |             | type       | {"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"token": "spt_sandbox_ok"}}             |
        |             | token      | {"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token"}}                       |
        | /2026-04-08 | id         | {"handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}          |
        | /2026-04-08 | token      | {"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": ""}}          |

    @PAY-014
    Scenario Outline: Handlers that the checkout does not list
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      And an agent's checkout at "<door>" that is ready, of 1 of the "Trail Tent"
      And the agent notes what it reads at <door>/ucp/checkout-sessions/$remembered_id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "<handler>", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then it answers 200
      And the answer shows:
        | status              | "ready_for_complete"        |
        | order               | absent                      |
        | messages.*.code     | ["invalid_payment_handler"] |
        | messages.*.severity | ["recoverable"]             |
      And the agent reads the same at <door>/ucp/checkout-sessions/$remembered_id
      And the shop has 0 orders
      And there are 7 of the "Trail Tent" left

      Examples:
        | door        | handler             |
        |             | com.haggle.sandbox  |
        |             | PSP_SPT             |
        | /2026-04-08 | gpay                |

    @PAY-023
    Scenario Outline: A card is an instrument of type card
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      And an agent's checkout at "<door>" that is ready, of 1 of the "Trail Tent"
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "credit_card", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then it answers 200
      And the answer shows:
        | status          | "ready_for_complete"                     |
        | messages.*.code | ["invalid_payment_handler"]              |
        | messages.0.content | contains "available_instruments"      |
      And the shop has 0 orders
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "card", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer shows:
        | status   | "completed"    |
        | order.id | matches ^ord_  |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: A credential goes to the shop, and never comes back

    @PAY-011 @PAY-012
    Scenario Outline: Nobody is told the token
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      And an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_decline_insufficient_funds"}}]}}
      Then the answer shows:
        | status | "ready_for_complete" |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok_$slug"}}]}}
      Then the answer shows:
        | status | "completed" |
      Given the agent keeps the answer's id as "paid"
      And the buyer remembers the answer's order.id
      When an agent sends GET <door>/ucp/checkout-sessions/$remembered_paid
      And an agent sends GET <door>/ucp/orders/$remembered_order_id
      Then no answer to an agent or a merchant holds "spt_sandbox_ok_$slug"
      And no answer to an agent or a merchant holds "spt_sandbox_decline_insufficient_funds"
      And no answer to an agent or a merchant holds "credential"

      Examples:
        | door        |
        |             |
        | /2026-04-08 |
