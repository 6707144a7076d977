@form
Feature: What the Universal Commerce Protocol demands of fulfillment
  Everything is shipped together, to one destination, whatever an agent asks for. Rules of the protocol's texts that any agent may
  rely on, over REST and MCP, in both versions that the shop serves.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 50    |

  Rule: The only method is shipping

    @FUL-004
    Scenario Outline: An agent that asks for another method
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "fulfillment": {"methods": [{"type": "<type>"}]}}
      Then the answer shows:
        | status                     | "incomplete"            |
        | fulfillment.methods.*.type | ["shipping"]            |
        | messages.*.code            | contains "unsupported"  |
        | messages.0.path            | "$.fulfillment.methods" |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status                     | "ready_for_complete" |
        | fulfillment.methods.*.type | ["shipping"]         |
        | messages                   | absent               |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status                     | "completed"  |
        | fulfillment.methods.*.type | ["shipping"] |

      Examples:
        | door        | transport | type    |
        |             | REST      | pickup  |
        |             | REST      | digital |
        | /2026-04-08 | REST      | pickup  |
        |             | MCP       | pickup  |
        | /2026-04-08 | MCP       | pickup  |

  Rule: All lines are in one group

    @FUL-026
    Scenario Outline: An agent that asks for two groups, or two methods
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}, {"item": {"id": "${Camp Stove}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status                                       | "ready_for_complete" |
        | fulfillment.methods.*.line_item_ids          | [["li_1", "li_2"]]   |
        | fulfillment.methods.0.groups.*.line_item_ids | [["li_1", "li_2"]]   |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"id": "li_1", "item": {"id": "${Trail Tent}"}, "quantity": 1}, {"id": "li_2", "item": {"id": "${Camp Stove}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": <methods>}}
      Then the answer shows:
        | line_items.*.id                              | ["li_1", "li_2"]   |
        | fulfillment.methods.*.line_item_ids          | [["li_1", "li_2"]] |
        | fulfillment.methods.0.groups.*.line_item_ids | [["li_1", "li_2"]] |
        | status                                       | "incomplete"       |
        | messages.*.code                              | ["unsupported"]    |
        | messages.*.severity                          | ["recoverable"]    |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "incomplete"    |
        | messages.*.code | ["unsupported"] |
      When over <transport> an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | status                                       | "incomplete"       |
        | fulfillment.methods.*.line_item_ids          | [["li_1", "li_2"]] |
        | fulfillment.methods.0.groups.*.line_item_ids | [["li_1", "li_2"]] |

      Examples:
        | door        | transport | methods                                                                                                                                                                                                                          |
        |             | REST      | [{"id": "shipping", "selected_destination_id": "dest_1", "groups": [{"id": "grp_1", "line_item_ids": ["li_1"], "selected_option_id": "express"}, {"id": "grp_2", "line_item_ids": ["li_2"], "selected_option_id": "standard"}]}] |
        |             | REST      | [{"id": "shipping", "selected_destination_id": "dest_1", "line_item_ids": ["li_1"]}, {"type": "shipping", "line_item_ids": ["li_2"]}]                                                                                            |
        | /2026-04-08 | REST      | [{"id": "shipping", "selected_destination_id": "dest_1", "groups": [{"id": "grp_1", "line_item_ids": ["li_1"]}, {"id": "grp_2", "line_item_ids": ["li_2"]}]}]                                                                    |
        |             | MCP       | [{"id": "shipping", "selected_destination_id": "dest_1", "groups": [{"id": "grp_1", "line_item_ids": ["li_1"]}, {"id": "grp_2", "line_item_ids": ["li_2"]}]}]                                                                    |
        | /2026-04-08 | MCP       | [{"id": "shipping", "selected_destination_id": "dest_1", "line_item_ids": ["li_1"]}, {"type": "pickup", "line_item_ids": ["li_2"]}]                                                                                              |

  Rule: Goods go to the destination that is selected, and to no other

    Scenario Outline: Two addresses, by the agent's names for them
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": <both>, "selected_destination_id": "office"}]}}
      Then the answer shows:
        | status                                             | "ready_for_complete" |
        | fulfillment.methods.0.selected_destination_id      | "office"             |
        | fulfillment.methods.0.destinations.*.id            | ["office"]           |
        | fulfillment.methods.0.destinations.0.street_address | "9 Office Road"     |
      Given the buyer remembers the answer's id
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "line_item_ids": ["li_1"], "selected_destination_id": "office"}]}}
      Then the answer shows:
        | status                                              | "ready_for_complete" |
        | fulfillment.methods.0.destinations.*.id             | ["office"]           |
        | fulfillment.methods.0.destinations.0.street_address | "9 Office Road"      |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "line_item_ids": ["li_1"], "destinations": <both>, "selected_destination_id": "home"}]}}
      Then the answer shows:
        | fulfillment.methods.0.selected_destination_id       | "home"               |
        | fulfillment.methods.0.destinations.*.id             | ["home"]             |
        | fulfillment.methods.0.destinations.0.street_address | "12 Harbor Street"   |

      Examples:
        | door        | transport | both                                                                                                                                                                                                                                                                                                                                                                                                                     |
        |             | REST      | [{"id": "home", "first_name": "Ada", "last_name": "Byron", "street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}, {"id": "office", "first_name": "Ada", "last_name": "Byron", "street_address": "9 Office Road", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]   |
        | /2026-04-08 | REST      | [{"id": "home", "first_name": "Ada", "last_name": "Byron", "street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}, {"id": "office", "first_name": "Ada", "last_name": "Byron", "street_address": "9 Office Road", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]   |
        |             | MCP       | [{"id": "home", "first_name": "Ada", "last_name": "Byron", "street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}, {"id": "office", "first_name": "Ada", "last_name": "Byron", "street_address": "9 Office Road", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]   |

    Scenario Outline: A destination that nobody knows
      Given an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Camp Stove}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "line_item_ids": ["li_1"], "selected_destination_id": "elsewhere"}]}}
      Then it answers 200
      And the answer shows:
        | status                                              | "incomplete"                                            |
        | line_items.*.quantity                               | [2]                                                     |
        | fulfillment.methods.0.selected_destination_id       | "dest_1"                                                |
        | fulfillment.methods.0.destinations.0.street_address | "12 Harbor Street"                                      |
        | messages.*.code                                     | ["destination_unknown"]                                 |
        | messages.*.severity                                 | ["recoverable"]                                         |
        | messages.*.path                                     | ["$.fulfillment.methods[0].selected_destination_id"]    |
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "incomplete"            |
        | messages.*.code | ["destination_unknown"] |
      And the shop has 0 orders
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "selected_destination_id": "elsewhere"}]}}
      Then the answer shows:
        | status                                        | "incomplete"                   |
        | fulfillment.methods.0.selected_destination_id | null                           |
        | messages.*.code                               | contains "destination_unknown" |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    Scenario Outline: Destinations keep their names
      Given an agent's checkout at "<door>" that is ready, of 2 of the "Trail Tent"
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | fulfillment.methods.0.destinations.*.id | ["dest_1"] |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "line_item_ids": ["li_1"], "destinations": [{"first_name": "Ada", "last_name": "Byron", "street_address": "9 Office Road", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      Then the answer shows:
        | status                                  | "ready_for_complete" |
        | fulfillment.methods.0.destinations.*.id | ["dest_3"]           |
      When over <transport> an agent sends PUT <door>/ucp/checkout-sessions/$remembered_id {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "line_item_ids": ["li_1"], "selected_destination_id": "dest_1"}]}}
      Then the answer shows:
        | status                                              | "incomplete"            |
        | fulfillment.methods.0.destinations.0.street_address | "9 Office Road"         |
        | messages.*.code                                     | ["destination_unknown"] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

  Rule: A country is read by its code and by its name

    Scenario Outline: A country in other words
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"first_name": "Ada", "last_name": "Byron", "street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "Oregon", "postal_code": "97205", "address_country": "<country>"}]}]}}
      Then the answer shows:
        | status                                               | "ready_for_complete" |
        | fulfillment.methods.0.destinations.0.address_country | "US"                 |
        | fulfillment.methods.0.destinations.0.address_region  | "OR"                 |

      Examples:
        | door        | transport | country                  |
        |             | REST      | United States            |
        |             | REST      | USA                      |
        |             | REST      | us                       |
        | /2026-04-08 | REST      | U.S.A.                   |
        |             | MCP       | United States of America |

    Scenario Outline: A country that there is not
      When over <transport> an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"first_name": "Ada", "last_name": "Byron", "street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "Untied States"}]}]}}
      Then the answer shows:
        | status             | "incomplete"                                                   |
        | messages.*.code    | ["missing"]                                                    |
        | messages.*.path    | ["$.fulfillment.methods[0].destinations[0].address_country"]   |
        | messages.0.content | contains "ISO 3166-1 alpha-2"                                  |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |
