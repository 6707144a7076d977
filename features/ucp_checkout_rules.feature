@form
Feature: What the Universal Commerce Protocol demands of checkouts
  Rules of the protocol's texts that any agent may rely on, in both versions that the shop serves. Every answer is held against
  the protocol's schemas besides.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |
      | Sold Lamp  | 20.00  | 0     |

  Rule: A checkout that needs the buyer leads to the shop's page

    @CHK-001 @CHK-004 @CHK-014 @CHK-015 @CHK-043 @PAY-018
    Scenario Outline: An agent that cannot say where the goods go
      Given a sandbox server at "https://shops.example.com" that knows the agents:
        | agent                   | version   | without                      |
        | https://agent.example/1 | <version> | dev.ucp.shopping.fulfillment |
        | https://agent.example/2 | <version> |                              |
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      When as https://agent.example/1 an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}}
      Then it answers 201
      And the answer shows:
        | status              | "requires_escalation"                                                       |
        | continue_url        | matches ^https://shops\.example\.com/p/$slug/acp/checkout/chk_[^/]+/page$   |
        | messages.*.type     | ["error"]                                                                   |
        | messages.*.severity | ["requires_buyer_input"]                                                    |
        | fulfillment         | absent                                                                      |
      And the page at the answer's continue_url shows "Trail Tent"
      And the page at the answer's continue_url shows "200.00"
      Given the buyer remembers the answer's id
      When as https://agent.example/1 an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | status              | "requires_escalation"                                                               |
        | continue_url        | "https://shops.example.com/p/$slug/acp/checkout/$remembered_id/page"                |
        | messages.*.severity | ["requires_buyer_input"]                                                            |
      When as https://agent.example/2 an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then the answer shows:
        | status       | "incomplete"                                                               |
        | continue_url | matches ^https://shops\.example\.com/p/$slug/acp/checkout/chk_[^/]+/page$  |

      Examples:
        | door        | version    |
        |             | 2026-08-25 |
        | /2026-04-08 | 2026-04-08 |

  Rule: A checkout answers to what is sent, and to nothing else

    @CHK-013 @CHK-019
    Scenario Outline: The same requests make the same checkout
      Given an agent's checkout at "<door>" of 1 of the "Trail Tent"
      When an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 3}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status                     | "ready_for_complete" |
        | line_items.*.quantity      | [3]                  |
        | buyer.email                | "ada@example.com"    |
      When an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then it answers 200
      And the two latest answers are alike, but for times
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then it answers 201
      And the two latest answers are alike, but for times and ids

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CHK-035
    Scenario Outline: An id in the body of a request
      Given an agent's checkout at "<door>" of 1 of the "Trail Tent"
      And the agent notes what it reads at <door>/ucp/checkout-sessions/$remembered_id
      When an agent sends POST <door>/ucp/checkout-sessions {"id": "$remembered_id", "line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then it answers 201
      And the answer shows:
        | id              | matches ^chk_                 |
        | id              | other than "$remembered_id"   |
        | line_items.*.item.id | ["${Camp Stove: variant}"] |
      And the agent reads the same at <door>/ucp/checkout-sessions/$remembered_id

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CHK-038
    Scenario Outline: Lines are sent to create and to update, and not to complete
      When an agent sends POST <door>/ucp/checkout-sessions {"buyer": {"email": "ada@example.com"}}
      Then it answers 400
      And the answer shows:
        | content | contains "line_items" |
      Given an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      When an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"buyer": {"email": "ada@example.com"}}
      Then it answers 400
      And the answer shows:
        | content | contains "line_items" |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 9}], "payment": $payment_ok}
      Then it answers 200
      And the answer shows:
        | status                | "completed"                       |
        | line_items.*.item.id  | ["${Trail Tent: variant}"]        |
        | line_items.*.quantity | [2]                               |
      And there are 5 of the "Trail Tent" left
      And there are 50 of the "Camp Stove" left

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CHK-039
    Scenario Outline: Payment is sent to complete, and need not be before
      Given an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      And the agent notes what it reads at <door>/ucp/checkout-sessions/$remembered_id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {}
      Then it answers 400
      And the answer shows:
        | content | contains "payment" |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {}}
      Then it answers 200
      And the answer shows:
        | status              | "ready_for_complete" |
        | order               | absent               |
        | messages.*.severity | ["recoverable"]      |
        | messages.*.path     | ["$.payment"]        |
      And the agent reads the same at <door>/ucp/checkout-sessions/$remembered_id
      And the shop has 0 orders
      And there are 7 of the "Trail Tent" left

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CHK-044
    Scenario Outline: Every body is JSON
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]
      Then it answers 400
      And the body is JSON
      Given an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      And the body is JSON
      When an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id line_items=1
      Then it answers 400
      And the body is JSON
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok,}
      Then it answers 400
      And the body is JSON
      When an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then it answers 200
      And the body is JSON
      And the answer shows:
        | status | "ready_for_complete" |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then it answers 200
      And the body is JSON
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/cancel {}
      Then it answers 200
      And the body is JSON

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: A checkout has one of six statuses, and the last ones are for good

    @CHK-033
    Scenario Outline: From incomplete to completed
      Given an agent's checkout at "<door>" of 2 of the "Trail Tent"
      Then the answer shows:
        | status | "incomplete" |
      When an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status | "ready_for_complete" |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_decline_insufficient_funds"}}]}}
      Then the answer shows:
        | status          | "ready_for_complete" |
        | messages.*.code | ["payment_failed"]   |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_lost_reply"}}]}}
      Then the answer shows:
        | status | "complete_in_progress" |
        | order  | absent                 |
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_lost_reply"}}]}}
      Then the answer shows:
        | status | "completed" |
      Given an agent's checkout at "<door>" of 1 of the "Trail Tent"
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/cancel {}
      Then the answer shows:
        | status | "canceled" |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CHK-017
    Scenario Outline: A completed checkout stays as it is
      Given an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      And an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      And the agent notes what it reads at <door>/ucp/checkout-sessions/$remembered_id
      When an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then it answers 200
      And the answer shows:
        | status                | "completed"    |
        | order.id              | matches ^ord_  |
        | line_items.*.quantity | [2]            |
      And the agent reads the same at <door>/ucp/checkout-sessions/$remembered_id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/cancel {}
      Then it answers 200
      And the answer shows:
        | status              | "completed"        |
        | order.id            | matches ^ord_      |
        | messages.*.type     | ["error"]          |
        | messages.*.code     | ["not_cancelable"] |
        | messages.*.severity | ["recoverable"]    |
      And the agent reads the same at <door>/ucp/checkout-sessions/$remembered_id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then it answers 200
      And the answer shows:
        | status   | "completed"    |
        | order.id | matches ^ord_  |
      And the agent reads the same at <door>/ucp/checkout-sessions/$remembered_id
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: What is not to be had is an answer

    @CHK-051
    Scenario Outline: An item that is sold out
      Given an agent's checkout at "<door>" that is ready, of 3 of the "Sold Lamp"
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then it answers 200
      And the answer shows:
        | ucp.status          | "success"            |
        | status              | "ready_for_complete" |
        | messages.*.type     | ["error"]            |
        | messages.*.code     | ["out_of_stock"]     |
        | messages.*.severity | ["recoverable"]      |
        | messages.*.path     | ["$.line_items[0]"]  |
      And the shop has 0 orders

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: Nothing is paid that the latest update did not ask for

    Scenario Outline: An update of which nothing is sold
      Given an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": <items>, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then it answers 200
      And the answer shows:
        | ucp.status            | "success"                  |
        | status                | "incomplete"               |
        | line_items.*.item.id  | ["${Trail Tent: variant}"] |
        | line_items.*.quantity | [2]                        |
        | messages.*.type       | ["error"]                  |
        | messages.*.code       | ["item_unavailable"]       |
        | messages.*.severity   | ["recoverable"]            |
        | messages.*.path       | ["$.line_items"]           |
      When over <transport> an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | status          | "incomplete"         |
        | messages.*.code | ["item_unavailable"] |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "incomplete"         |
        | messages.*.code | ["item_unavailable"] |
        | order           | absent               |
      And the shop has 0 orders
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 3}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status                | "ready_for_complete" |
        | line_items.*.quantity | [3]                  |
        | messages              | absent               |

      Examples:
        | door        | transport | items                                               |
        |             | REST      | [{"item": {"id": "var_unknown"}, "quantity": 1}]    |
        |             | REST      | []                                                  |
        | /2026-04-08 | REST      | [{"item": {"id": "var_unknown"}, "quantity": 1}]    |
        |             | MCP       | [{"item": {"id": "var_unknown"}, "quantity": 1}]    |
        | /2026-04-08 | MCP       | [{"item": {"id": "var_unknown"}, "quantity": 1}]    |

  Rule: A deal that another order has used keeps a checkout from being paid until it is left out

    Scenario Outline: Two checkouts with one deal
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And the agent keeps the answer's id as "first"
      And over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And the agent keeps the answer's id as "second"
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_first/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_lost_reply"}}]}}
      Then the answer shows:
        | status | "complete_in_progress" |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_second/complete {"payment": $payment_ok}
      Then the answer shows:
        | status              | "ready_for_complete" |
        | messages.*.code     | ["deal_in_use"]      |
        | messages.*.severity | ["recoverable"]      |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_first/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_lost_reply"}}]}}
      Then the answer shows:
        | status | "completed" |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_second/complete {"payment": $payment_ok}
      Then the answer shows:
        | status              | "incomplete"        |
        | messages.*.code     | ["deal_redeemed"]   |
        | messages.*.severity | ["recoverable"]     |
        | messages.*.path     | ["$.line_items[0]"] |
      When over <transport> an agent sends GET <door>/ucp/checkout-sessions/$remembered_second
      Then the answer shows:
        | status                  | "incomplete"      |
        | messages.*.code         | ["deal_redeemed"] |
        | ucp.request_constraints | absent            |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_second/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "incomplete"      |
        | messages.*.code | ["deal_redeemed"] |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_second {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": []}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status          | "ready_for_complete"   |
        | totals.*.amount | [20000, 599, 0, 20599] |
      And the shop has 1 order

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

  Rule: What is not in stock is told before it is paid

    Scenario Outline: More than there is
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 9}, {"item": {"id": "${Sold Lamp}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status             | "ready_for_complete"                                       |
        | messages.*.type    | ["warning", "warning"]                                     |
        | messages.*.code    | ["insufficient_stock", "out_of_stock"]                     |
        | messages.*.path    | ["$.line_items[0].quantity", "$.line_items[1].quantity"]   |
        | messages.0.content | contains "7"                                               |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 5}, {"item": {"id": "${Trail Tent}"}, "quantity": 3}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | messages.*.code | ["insufficient_stock"]        |
        | messages.*.path | ["$.line_items[1].quantity"]  |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 7}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status   | "ready_for_complete" |
        | messages | absent               |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

  Rule: A limit that was met is asked about anew

    Scenario: As many open checkouts as a cart can have
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And an agent opens 20 checkouts of 2 of the "Trail Tent" with the code "$token"
      When under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}}
      Then it answers 409
      And the answer shows:
        | code    | "limit_reached" |
        | content | contains "cart" |
      When an agent sends POST /ucp/checkout-sessions/$remembered_id/cancel {}
      And under the key "key-of-an-agent-0123456789" an agent sends POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}}
      Then it answers 201
