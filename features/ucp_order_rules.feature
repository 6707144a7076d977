@form
Feature: Orders of the Universal Commerce Protocol, and how platforms hear of them
  An order is told whole, to whoever asks for it and to the platform that wants to hear of it: what was bought, what became of
  it, and what was taken back.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |
      | Camp Stove | 40.00  | 30    |

  Rule: An order is whole, whoever reads it

    @ORD-001 @ORD-003 @ORD-004 @ORD-005 @ORD-006 @ORD-018 @ORD-020 @ORD-021 @ORD-029
    Scenario Outline: An order that was placed
      Given a platform that speaks <version>
      And it wants to hear of its orders
      When the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Given the buyer remembers the answer's id
      When the platform sends: POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | order.id            | matches ^ord_                     |
        | order.permalink_url | matches ^http://127.0.0.1.*/ord_  |
      Given the buyer remembers the answer's order.id
      Then the platform hears 1 times of the order
      When the platform sends: GET <door>/ucp/orders/$remembered_order_id
      Then the answer shows:
        | id                                       | "$remembered_order_id"                                                |
        | checkout_id                              | "$remembered_id"                                                      |
        | currency                                 | "USD"                                                                 |
        | permalink_url                            | matches ^http://127.0.0.1.*/ord_                                      |
        | line_items.*.id                          | ["li_1", "li_2"]                                                      |
        | line_items.*.item.title                  | ["Trail Tent", "Camp Stove"]                                          |
        | line_items.*.item.price                  | [10000, 4000]                                                         |
        | line_items.0.quantity                    | {"original": 2, "total": 2, "fulfilled": 0}                           |
        | line_items.1.quantity                    | {"original": 1, "total": 1, "fulfilled": 0}                           |
        | line_items.*.totals.0.amount             | [20000, 4000]                                                         |
        | line_items.*.status                      | ["processing", "processing"]                                          |
        | fulfillment.expectations.0.id            | present                                                               |
        | fulfillment.expectations.0.line_items    | [{"id": "li_1", "quantity": 2}, {"id": "li_2", "quantity": 1}]        |
        | fulfillment.expectations.0.method_type   | "shipping"                                                            |
        | fulfillment.expectations.0.destination   | {"address_country": "US", "address_region": "OR"}                     |
        | totals.*.type                            | ["subtotal", "fulfillment", "tax", "total"]                           |
        | totals.0.amount                          | 24000                                                                 |
      And what it heard last is the order as it reads it
      And every answer is JSON

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @ORD-001 @ORD-002 @ORD-007 @ORD-008 @ORD-009 @ORD-019 @ORD-021 @ORD-030
    Scenario Outline: An order that is shipped, and of which a part comes back
      Given a platform that speaks <version>
      And it wants to hear of its orders
      And the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And the buyer remembers the answer's id
      And the platform sends: POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      And the buyer remembers the answer's order.id
      And the platform hears 1 times of the order
      When the merchant sends POST /v1/orders/$remembered_order_id/fulfillment {"status": "shipped", "carrier": "DHL", "tracking_url": "https://example.com/123"}
      Then the platform hears 2 times of the order
      And what it heard last shows:
        | line_items.*.status                 | ["fulfilled", "fulfilled"]                                     |
        | line_items.0.quantity               | {"original": 2, "total": 2, "fulfilled": 2}                    |
        | fulfillment.expectations.#          | 1                                                              |
        | fulfillment.events.*.type           | ["shipped"]                                                    |
        | fulfillment.events.0.id             | present                                                        |
        | fulfillment.events.0.occurred_at    | matches Z$                                                     |
        | fulfillment.events.0.line_items     | [{"id": "li_1", "quantity": 2}, {"id": "li_2", "quantity": 1}] |
        | fulfillment.events.0.tracking_url   | "https://example.com/123"                                      |
        | totals.#                            | 4                                                              |
      When the merchant sends POST /v1/orders/$remembered_order_id/fulfillment {"status": "delivered"}
      Then the platform hears 3 times of the order
      And what it heard last shows:
        | fulfillment.events.*.type | ["shipped", "delivered"] |
        | line_items.#              | 2                        |
        | totals.#                  | 4                        |
      When the buyer sends POST /acp/returns {"order_id": "$remembered_order_id", "items": [{"product_id": "${Trail Tent}", "quantity": 1}]}
      And the buyer remembers the answer's return_id
      Then the platform hears 4 times of the order
      And what it heard last shows:
        | adjustments.0.id          | present                         |
        | adjustments.0.type        | "return"                        |
        | adjustments.0.status      | "pending"                       |
        | adjustments.0.occurred_at | matches Z$                      |
        | adjustments.0.line_items  | [{"id": "li_1", "quantity": -1}] |
        | line_items.#              | 2                               |
        | totals.#                  | 4                               |
      When the merchant sends POST /v1/returns/$remembered_return_id/approve {"amount": 100}
      Then the platform hears 6 times of the order
      When the platform sends: GET <door>/ucp/orders/$remembered_order_id
      Then the answer shows:
        | adjustments.*.type          | ["return", "refund"]         |
        | adjustments.*.status        | ["completed", "completed"]   |
        | adjustments.*.id            | present                      |
        | adjustments.*.occurred_at   | present                      |
        | adjustments.1.totals.0.type | "total"                      |
        | adjustments.1.totals.*.amount | [-10000]                   |
        | line_items.*.id             | ["li_1", "li_2"]             |
        | totals.#                    | 4                            |
      And every answer is JSON

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @ORD-002 @ORD-007 @ORD-008 @ORD-009
    Scenario Outline: An order that is canceled keeps its lines
      Given a platform that speaks <version>
      And it wants to hear of its orders
      And the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And the buyer remembers the answer's id
      And the platform sends: POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      And the buyer remembers the answer's order.id
      And the platform hears 1 times of the order
      When the merchant sends POST /v1/orders/$remembered_order_id/cancel {"reason": "Out of season"}
      Then the platform hears 3 times of the order
      When the platform sends: GET <door>/ucp/orders/$remembered_order_id
      Then the answer shows:
        | line_items.*.id              | ["li_1", "li_2"]                                                 |
        | line_items.*.status          | ["removed", "removed"]                                           |
        | line_items.0.quantity        | {"original": 2, "total": 0, "fulfilled": 0}                      |
        | adjustments.*.type           | ["refund", "cancellation"]                                       |
        | adjustments.*.status         | ["completed", "completed"]                                       |
        | adjustments.0.totals.0.amount | at most -24000                                                  |
        | adjustments.1.line_items     | [{"id": "li_1", "quantity": -2}, {"id": "li_2", "quantity": -1}] |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

  Rule: What a platform hears is signed, and comes until it is heard

    @ORD-026 @ORD-027 @ORD-028 @ORD-031 @SIG-027 @SIG-041
    Scenario Outline: A platform that fails at first
      Given a platform that speaks <version>
      And it wants to hear of its orders
      And the agent answers 500 once
      And the platform sends, signed: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And the buyer remembers the answer's id
      When the platform sends, signed: POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      And the buyer remembers the answer's order.id
      Then the platform hears 2 times of the order
      And what it heard is one event
      When the platform sends, signed: GET <door>/ucp/orders/$remembered_order_id
      Then what it heard last is the order as it reads it

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |
