Feature: Carts and checkouts over the Universal Commerce Protocol
  Any agent that speaks the protocol fills a cart, checks out and pays, in the version that it speaks. Every answer is held
  against the protocol's schemas and rules.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |

  Rule: The shop says what it serves

    @DISC-002 @OVR-001 @OVR-010
    Scenario: The profile of the current version
      When an agent sends GET /.well-known/ucp
      Then the answer shows:
        | ucp.version                             | "2026-08-25"                     |
        | ucp.supported_versions.2026-04-08       | matches /2026-04-08/.well-known/ucp$ |
        | keys.#                                  | 2                                |

    @OVR-009
    Scenario: The profile of the version before
      When an agent sends GET /2026-04-08/.well-known/ucp
      Then the answer shows:
        | ucp.version            | "2026-04-08" |
        | ucp.supported_versions | absent       |
        | signing_keys.#         | 2            |

  Rule: A checkout says what it lacks, until it can be paid

    @CHK-018 @CHK-020 @CHK-021 @CHK-025 @CHK-034 @FUL-003 @FUL-007 @FUL-008 @FUL-030
    Scenario Outline: From a line to an order
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      Then it answers 201
      And the answer shows:
        | status                | "incomplete"                                                  |
        | line_items.0.id       | "li_1"                                                        |
        | messages.*.path       | ["$.buyer.email", "$.fulfillment.methods[0].selected_destination_id"] |
        | totals.*.type         | ["subtotal", "total"]                                         |
        | totals.1.display_text | "Estimated total"                                             |
      Given the buyer remembers the answer's id
      When an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}], "groups": [{"selected_option_id": "express"}]}]}}
      Then the answer shows:
        | status           | "ready_for_complete"                          |
        | totals.*.type    | ["subtotal", "fulfillment", "tax", "total"]   |
        | totals.*.amount  | [20000, 1499, 0, 21499]                       |
        | messages         | absent                                        |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer shows:
        | status              | "completed"                 |
        | order.id            | matches ^ord_               |
        | order.permalink_url | matches /acp/orders/ord_    |
      And there are 5 of the "Trail Tent" left

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CHK-022
    Scenario: Canceled, and canceled once more
      Given an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      And the buyer remembers the answer's id
      When an agent sends POST /ucp/checkout-sessions/$remembered_id/cancel {}
      Then the answer shows:
        | status | "canceled" |
      When an agent sends PUT /ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then it answers 200
      And the answer shows:
        | status              | "canceled"          |
        | messages.0.code     | "checkout_canceled" |
        | messages.0.severity | "unrecoverable"     |

  Rule: A refusal by the shop is an answer, and one by the transport is an error

    @CHK-053
    Scenario: Nothing of it is sold
      When an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "var_unknown"}, "quantity": 1}]}
      Then it answers 200
      And the answer shows:
        | ucp.status          | "error"            |
        | id                  | absent             |
        | messages.0.code     | "item_unavailable" |
        | messages.0.severity | "unrecoverable"    |

    Scenario: Some of it is sold
      When an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "var_unknown"}, "quantity": 1}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then the answer shows:
        | line_items.#    | 1                           |
        | messages.*.code | contains "item_unavailable" |

    Scenario: A checkout that there is not
      When an agent sends GET /ucp/checkout-sessions/chk_unknown
      Then it answers 200
      And the answer shows:
        | ucp.status      | "error"     |
        | messages.0.code | "not_found" |

    @NEG-005
    Scenario Outline: Nobody knows who asks
      When as <agent> an agent sends GET /ucp/checkout-sessions/chk_unknown
      Then it answers 400
      And the answer shows:
        | code | "invalid_profile_url" |

      Examples:
        | agent                      |
        | nobody                     |
        | http://agent.example/      |
        | https://127.0.0.1/profile  |

    @CHK-050
    Scenario: A body that is none
      When an agent sends POST /ucp/checkout-sessions {"line_items": 1}
      Then it answers 400
      And the answer shows:
        | code    | "validation_error"    |
        | content | contains "line_items" |

    @CHK-048
    Scenario: A key that is used twice
      Given under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      And the buyer remembers the answer's id
      When under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then the answer shows:
        | id | "$remembered_id" |
      When under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 2}]}
      Then it answers 409
      And the answer shows:
        | code | "idempotency_conflict" |

    Scenario: The shop does not ship there
      When an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "1 Rue", "address_locality": "Paris", "postal_code": "75001", "address_country": "FR", "first_name": "Ada", "last_name": "Buyer"}]}]}}
      Then the answer shows:
        | status          | "incomplete"              |
        | messages.0.code | "address_undeliverable"   |
        | messages.0.path | "$.fulfillment.methods[0].destinations[0]" |

  Rule: A price that was agreed is bought by its code

    @DSC-004 @DSC-005 @DSC-006 @DSC-008 @DSC-018 @DSC-019 @DSC-022
    Scenario: In the checkout
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}, {"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}}
      Then the answer shows:
        | totals.*.type                         | ["subtotal", "items_discount", "total"] |
        | totals.*.amount                       | [24000, -1000, 23000]                   |
        | discounts.codes                       | ["$token"]                              |
        | discounts.applied.0.amount            | 1000                                    |
        | discounts.applied.0.allocations.0.path | "$.line_items[1]"                      |
        | ucp.request_constraints.required      | ["discounts"]                           |
      Given the buyer remembers the answer's id
      When an agent sends PUT /ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      Then the answer shows:
        | discounts.codes | ["$token"]             |
        | totals.*.amount | [20000, -1000, 19000]  |
      When an agent sends PUT /ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": []}}
      Then the answer shows:
        | discounts       | absent         |
        | totals.*.amount | [20000, 20000] |

    @DSC-007 @DSC-030
    Scenario: One good code and two that are none
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["SUMMER20", "$token", "ct_unknown"]}}
      Then the answer shows:
        | discounts.applied.#  | 1                         |
        | messages.0.code      | "discount_code_invalid"   |
        | messages.0.path      | "$.discounts.codes[0]"    |
        | messages.1.code      | "deal_unknown"            |
        | messages.1.path      | "$.discounts.codes[2]"    |
        | messages.*.code      | contains "deal_unknown"   |

    Scenario: A deal for another quantity
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 3}], "discounts": {"codes": ["$token"]}}
      Then the answer shows:
        | status          | "incomplete"                     |
        | totals.*.amount | [30000, 30000]                   |
        | messages.*.code | contains "deal_not_applicable"   |

  Rule: A cart becomes one checkout

    @DSC-009
    Scenario: With its deal
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When an agent sends PUT /ucp/carts/$session {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then the answer shows:
        | id              | "$session"             |
        | totals.*.amount | [24000, -1000, 23000]  |
        | discounts.codes | ["$token"]             |
      When an agent sends POST /ucp/checkout-sessions {"cart_id": "$session", "line_items": []}
      Then it answers 201
      And the answer shows:
        | line_items.#    | 2                      |
        | totals.*.amount | [24000, -1000, 23000]  |
        | discounts.codes | ["$token"]             |
      Given the buyer remembers the answer's id
      When an agent sends POST /ucp/checkout-sessions {"cart_id": "$session", "line_items": []}
      Then it answers 200
      And the answer shows:
        | id | "$remembered_id" |

    Scenario: A cart of its own
      When an agent sends POST /ucp/carts {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 2}]}
      Then it answers 201
      And the answer shows:
        | line_items.0.totals.0.amount | 8000 |
      Given the buyer remembers the answer's id
      When an agent sends POST /ucp/carts/$remembered_id/cancel {}
      Then the answer shows:
        | line_items.# | 1 |
      When an agent sends GET /ucp/carts/$remembered_id
      Then the answer shows:
        | line_items.# | 0 |
