@form
Feature: What the Universal Commerce Protocol demands of carts
  Rules of the protocol's texts that any agent may rely on, in both versions that the shop serves.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |

  Rule: A cart shows what is in it, and what it is estimated to cost

    @CART-029 @CART-031 @CART-033
    Scenario Outline: What a cart has
      When an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then it answers 201
      And the answer shows:
        | ucp.version                     | "<version>"                                          |
        | id                              | matches .                                            |
        | currency                        | "USD"                                                |
        | totals.*.type                   | ["subtotal", "total"]                                |
        | totals.*.amount                 | [24000, 24000]                                       |
        | line_items.*.id                 | ["li_1", "li_2"]                                     |
        | line_items.*.quantity           | [2, 1]                                               |
        | line_items.*.item.id            | ["${Trail Tent: variant}", "${Camp Stove: variant}"] |
        | line_items.*.item.title         | ["Trail Tent", "Camp Stove"]                         |
        | line_items.*.item.price         | [10000, 4000]                                        |
        | line_items.0.totals.*.type      | ["subtotal", "total"]                                |
        | line_items.0.totals.*.amount    | [20000, 20000]                                       |
        | line_items.1.totals.*.amount    | [4000, 4000]                                         |

      Examples:
        | door        | version    |
        |             | 2026-08-25 |
        | /2026-04-08 | 2026-04-08 |

    @CART-032
    Scenario Outline: Quantities are whole numbers from 1
      When an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": <quantity>}]}
      Then it answers 400
      And the answer shows:
        | content | contains "quantity" |
      When an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then it answers 201
      And the answer shows:
        | line_items.*.quantity | [1] |

      Examples:
        | door        | quantity |
        |             | 0        |
        |             | -1       |
        |             | 1.5      |
        | /2026-04-08 | 0        |
        | /2026-04-08 | "2"      |

    @CART-022
    Scenario Outline: Every body is JSON
      When an agent sends POST <door>/ucp/carts {"line_items": [
      Then it answers 400
      And the body is JSON
      When an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then it answers 201
      And the body is JSON
      Given the buyer remembers the answer's id
      When an agent sends PUT <door>/ucp/carts/$remembered_id quantity=2
      Then it answers 400
      And the body is JSON
      When an agent sends GET <door>/ucp/carts/$remembered_id
      Then it answers 200
      And the body is JSON
      And the answer shows:
        | line_items.*.quantity | [1] |
      When an agent sends POST <door>/ucp/carts/$remembered_id/cancel {}
      Then it answers 200
      And the body is JSON
      When an agent sends GET <door>/ucp/carts/sess_unknown
      Then it answers 200
      And the body is JSON

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: A cart is replaced as a whole, and canceled as a whole

    @CART-017
    Scenario Outline: What is left out is gone
      Given an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      And the buyer remembers the answer's id
      When an agent sends PUT <door>/ucp/carts/$remembered_id {"line_items": [{"id": "li_2", "item": {"id": "${Camp Stove}"}, "quantity": 3}]}
      Then it answers 200
      When an agent sends GET <door>/ucp/carts/$remembered_id
      Then the answer shows:
        | id                    | "$remembered_id"           |
        | line_items.*.id       | ["li_2"]                   |
        | line_items.*.item.id  | ["${Camp Stove: variant}"] |
        | line_items.*.quantity | [3]                        |
        | totals.*.amount       | [12000, 12000]             |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CART-018
    Scenario Outline: Canceling shows the cart as it was
      Given an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      And the buyer remembers the answer's id
      When an agent sends POST <door>/ucp/carts/$remembered_id/cancel {}
      Then it answers 200
      And the answer shows:
        | id                    | "$remembered_id" |
        | line_items.*.quantity | [2]              |
        | totals.*.amount       | [20000, 20000]   |
      When an agent sends GET <door>/ucp/carts/$remembered_id
      Then the answer shows:
        | line_items.#    | 0      |
        | totals.*.amount | [0, 0] |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CART-026
    Scenario Outline: A key that is used twice
      Given under the key "key-of-an-agent-0123456789" an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      And the buyer remembers the answer's id
      When under the key "key-of-an-agent-0123456789" an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then it is the answer from before, and says so
      And the answer shows:
        | id | "$remembered_id" |
      When under the key "key-of-an-agent-0123456789" an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 2}]}
      Then it answers 409
      And the answer shows:
        | code | "idempotency_conflict" |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: A cart becomes one checkout

    @CART-001
    Scenario Outline: The cart's contents win
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When over <transport> an agent sends PUT <door>/ucp/carts/$session {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com", "first_name": "Ada"}}
      Then the answer shows:
        | buyer | {"email": "ada@example.com", "first_name": "Ada"} |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"cart_id": "$session", "line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 9}], "buyer": {"email": "eve@example.com", "last_name": "Eve"}, "context": {"address_country": "FR", "currency": "EUR"}, "discounts": {"codes": []}}
      Then the answer shows:
        | line_items.*.item.id  | ["${Trail Tent: variant}"]                        |
        | line_items.*.quantity | [2]                                               |
        | totals.*.amount       | [20000, -1000, 19000]                             |
        | discounts.codes       | ["$token"]                                        |
        | currency              | "USD"                                             |
        | buyer                 | {"email": "ada@example.com", "first_name": "Ada"} |
      When over <transport> an agent sends GET <door>/ucp/carts/$session
      Then the answer shows:
        | line_items.*.quantity | [2]               |
        | buyer.email           | "ada@example.com" |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    Scenario: A buyer that the cart does not know
      Given an agent sends POST /ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}}
      And the buyer remembers the answer's id
      When an agent sends PUT /ucp/carts/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then the answer shows:
        | buyer | absent |
      When an agent sends POST /ucp/checkout-sessions {"cart_id": "$remembered_id", "line_items": [], "buyer": {"email": "eve@example.com"}}
      Then the answer shows:
        | buyer | {"email": "eve@example.com"} |

    @CART-002
    Scenario Outline: A checkout that the cart has already
      Given an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      And the buyer remembers the answer's id
      When an agent sends POST <door>/ucp/checkout-sessions {"cart_id": "$remembered_id", "line_items": []}
      Then it answers 201
      And the answer shows:
        | status                | "incomplete" |
        | line_items.*.quantity | [2]          |
      When an agent sends POST <door>/ucp/checkout-sessions {"cart_id": "$remembered_id", "line_items": []}
      Then it answers 200
      And the two latest answers are alike, but for times

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @CART-030
    Scenario Outline: A cart in an update of a checkout
      Given an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 5}]}
      And the agent keeps the answer's id as "cart"
      And an agent's checkout at "<door>" of 1 of the "Trail Tent"
      When an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"cart_id": "$remembered_cart", "line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      Then it answers 200
      And the answer shows:
        | line_items.*.item.id  | ["${Trail Tent: variant}"] |
        | line_items.*.quantity | [2]                        |
      When an agent sends GET <door>/ucp/carts/$remembered_cart
      Then the answer shows:
        | line_items.*.quantity | [5] |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: An update of which nothing is sold changes nothing, and is an error

    Scenario Outline: A cart that is replaced with what there is not
      Given over <transport> an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      And the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/carts/$remembered_id {"line_items": [{"item": {"id": "var_unknown"}, "quantity": 1}]}
      Then the answer shows:
        | ucp.status         | "error"                                |
        | id                 | absent                                 |
        | line_items         | absent                                 |
        | messages.*.code    | ["item_unavailable"]                   |
        | messages.0.content | contains "The cart is unchanged"      |
      When over <transport> an agent sends GET <door>/ucp/carts/$remembered_id
      Then the answer shows:
        | line_items.*.quantity | [2] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

  Rule: What is not in stock is told

    Scenario Outline: More than there is
      When over <transport> an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 8}]}
      Then the answer shows:
        | messages.*.type | ["warning"]                  |
        | messages.*.code | ["insufficient_stock"]       |
        | messages.*.path | ["$.line_items[0].quantity"] |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends GET <door>/ucp/carts/$remembered_id
      Then the answer shows:
        | messages.*.code | ["insufficient_stock"] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |
