@form
Feature: What the Universal Commerce Protocol demands of discounts
  A price that was agreed is a discount, and its code is the deal's. Rules of the protocol's texts that any agent may rely on, over
  REST and MCP, in both versions that the shop serves.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |

  Rule: Codes replace those of before

    @DSC-003
    Scenario Outline: An update with another code
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer remembers the token
      And the buyer agrees on 1 of the "Camp Stove" at 38
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"codes": ["$remembered_token"]}}
      Then the answer shows:
        | discounts.codes | ["$remembered_token"] |
        | totals.*.amount | [24000, -1000, 23000] |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"codes": ["$token"]}}
      Then the answer shows:
        | discounts.codes          | ["$token"]           |
        | discounts.applied.*.code | ["$token"]           |
        | totals.*.amount          | [24000, -200, 23800] |
      When over <transport> an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | discounts.codes | ["$token"]           |
        | totals.*.amount | [24000, -200, 23800] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    @DSC-003
    Scenario Outline: A cart with another code
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer remembers the token
      And the buyer agrees on 1 of the "Camp Stove" at 38
      When over <transport> an agent sends PUT <door>/ucp/carts/$session {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"codes": ["$remembered_token"]}}
      Then the answer shows:
        | discounts.codes | ["$remembered_token"] |
        | totals.*.amount | [24000, -1000, 23000] |
      When over <transport> an agent sends PUT <door>/ucp/carts/$session {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"codes": ["$token"]}}
      And over <transport> an agent sends GET <door>/ucp/carts/$session
      Then the answer shows:
        | discounts.codes | ["$token"]           |
        | totals.*.amount | [24000, -200, 23800] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |

  Rule: What is applied says what it takes off, and where

    @DSC-020 @DSC-021 @DSC-023 @DSC-024 @DSC-026 @DSC-029
    Scenario Outline: Two deals in one checkout
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer remembers the token
      And the buyer agrees on 1 of the "Camp Stove" at 38
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}, {"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$remembered_token", "$token"]}}
      Then the answer shows:
        | discounts.codes                 | ["$remembered_token", "$token"]               |
        | discounts.applied.*.code        | ["$token", "$remembered_token"]               |
        | discounts.applied.*.title       | ["Agreed price", "Agreed price"]              |
        | discounts.applied.*.amount      | [200, 1000]                                   |
        | discounts.applied.*.method      | ["each", "each"]                              |
        | discounts.applied.0.allocations | [{"path": "$.line_items[0]", "amount": 200}]  |
        | discounts.applied.1.allocations | [{"path": "$.line_items[1]", "amount": 1000}] |
        | totals.*.type                   | ["subtotal", "items_discount", "total"]       |
        | totals.*.amount                 | [24000, -1200, 22800]                         |
        | line_items.0.totals.*.amount    | [4000, -200, 3800]                            |
        | line_items.1.totals.*.amount    | [20000, -1000, 19000]                         |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then the answer shows:
        | discounts                  | absent                |
        | totals.*.type              | ["subtotal", "total"] |
        | line_items.0.totals.*.type | ["subtotal", "total"] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    @DSC-020 @DSC-021
    Scenario Outline: A deal that takes nothing off any more
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the merchant lowers the price of the "Trail Tent" to <price>
      And over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}}
      Then the answer shows:
        | discounts.codes                                                     | ["$token"]            |
        | discounts.applied                                                   | absent                |
        | ucp.request_constraints.properties.discounts.properties.codes.const | <held>                |
        | totals.*.type                                                       | ["subtotal", "total"] |
        | totals.*.amount                                                     | [<sum>, <sum>]        |
        | line_items.0.totals.*.type                                          | ["subtotal", "total"] |

      Examples:
        | door        | transport | price | sum   | held       |
        |             | REST      | 95    | 19000 | ["$token"] |
        |             | REST      | 80    | 16000 | ["$token"] |
        | /2026-04-08 | REST      | 80    | 16000 | absent     |
        |             | MCP       | 80    | 16000 | ["$token"] |

    @DSC-020 @DSC-021
    Scenario Outline: A deal at the list price
      Given a buyer who agreed on 2 of the "Trail Tent" at 100
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}}
      Then the answer shows:
        | discounts.codes                                                     | ["$token"]            |
        | discounts.applied                                                   | absent                |
        | ucp.request_constraints.properties.discounts.properties.codes.const | <held>                |
        | totals.*.type                                                       | ["subtotal", "total"] |
        | totals.*.amount                                                     | [<sum>, <sum>]        |
        | line_items.0.totals.*.type                                          | ["subtotal", "total"] |

      Examples:
        | door        | transport | sum   | held       |
        |             | REST      | 20000 | ["$token"] |
        | /2026-04-08 | REST      | 20000 | absent     |
        |             | MCP       | 20000 | ["$token"] |

  Rule: What is the shop's to say changes nothing in a request

    @DSC-027
    Scenario Outline: Discounts that an agent says are applied
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"codes": ["$token"], "applied": [{"title": "All of it", "amount": 24000, "automatic": true, "allocations": [{"path": "$.line_items[1]", "amount": 4000}]}]}}
      Then the answer shows:
        | discounts.applied.*.title  | ["Agreed price"]      |
        | discounts.applied.*.amount | [1000]                |
        | totals.*.amount            | [24000, -1000, 23000] |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"applied": [{"code": "$token", "title": "Half of it", "amount": 12000}]}}
      Then the answer shows:
        | discounts.applied.*.title  | ["Agreed price"]      |
        | discounts.applied.*.amount | [1000]                |
        | totals.*.amount            | [24000, -1000, 23000] |
      When over <transport> an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"applied": [{"title": "All of it", "amount": 4000}]}}
      Then the answer shows:
        | discounts       | absent       |
        | totals.*.amount | [4000, 4000] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    @DSC-028
    Scenario Outline: Codes that come with the payment
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok, "discounts": {"codes": ["$token"]}}
      Then it answers 200
      And the answer shows:
        | status          | "completed"            |
        | discounts       | absent                 |
        | totals.*.amount | [20000, 599, 0, 20599] |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | totals.*.amount | [20000, -1000, 599, 0, 19599] |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok, "discounts": {"codes": []}}
      Then the answer shows:
        | status          | "completed"                   |
        | discounts.codes | ["$token"]                    |
        | totals.*.amount | [20000, -1000, 599, 0, 19599] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    @DSC-034
    Scenario Outline: A buyer that comes with the payment
      Given an agent's checkout at "<door>" that is ready, of 1 of the "Trail Tent"
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok, "buyer": {"email": "eve@example.com", "first_name": "Eve", "consent": {"marketing": true}}}
      Then it answers 200
      And the answer shows:
        | status           | "completed"       |
        | buyer.email      | "ada@example.com" |
        | buyer.first_name | absent            |
        | buyer.consent    | absent            |
      When the merchant sends GET /v1/orders
      Then the answer shows:
        | data.#       | 1                 |
        | data.0.email | "ada@example.com" |
      And no answer to an agent or a merchant holds "eve@example.com"

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

  Rule: An update that gives up an agreed price says so, and how to have it again

    Scenario Outline: A checkout without its deal
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": []}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status             | "ready_for_complete"   |
        | totals.*.amount    | [20000, 599, 0, 20599] |
        | messages.*.type    | ["warning"]            |
        | messages.*.code    | ["deal_dropped"]       |
        | messages.*.path    | ["$.line_items[0]"]    |
        | messages.0.content | contains "quantity 2"  |
        | messages.0.content | contains "$token"      |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | totals.*.amount | [20000, -1000, 599, 0, 19599] |
        | messages        | absent                        |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 3}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status             | "incomplete"                                |
        | totals.*.amount    | [30000, 599, 0, 30599]                      |
        | messages.*.code    | ["deal_dropped", "deal_not_applicable"]     |
        | messages.*.path    | ["$.line_items[0]", "$.line_items[0]"]      |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 2}], "discounts": {"codes": ["$token"]}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}], "discounts": {"codes": []}, "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status          | "ready_for_complete" |
        | messages.*.code | ["deal_dropped"]     |
        | messages.*.path | ["$.line_items"]     |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    Scenario Outline: A cart without its deal
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When over <transport> an agent sends PUT <door>/ucp/carts/$session {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": <quantity>}]<codes>}
      Then the answer shows:
        | totals.*.amount    | [<sum>, <sum>]        |
        | messages.*.type    | ["warning"]           |
        | messages.*.code    | ["deal_dropped"]      |
        | messages.*.path    | ["$.line_items[0]"]   |
        | messages.0.content | contains "quantity 2" |

      Examples:
        | door        | transport | quantity | codes                      | sum   |
        |             | REST      | 2        | , "discounts": {"codes": []} | 20000 |
        |             | REST      | 3        |                            | 30000 |
        | /2026-04-08 | REST      | 3        |                            | 30000 |
        |             | MCP       | 3        |                            | 30000 |
