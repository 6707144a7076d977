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
        | messages.*.code                              | ["unsupported"]    |
        | messages.*.severity                          | ["recoverable"]    |
      When over <transport> an agent sends GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | fulfillment.methods.*.line_item_ids          | [["li_1", "li_2"]] |
        | fulfillment.methods.0.groups.*.line_item_ids | [["li_1", "li_2"]] |

      Examples:
        | door        | transport | methods                                                                                                                                                                                                                          |
        |             | REST      | [{"id": "shipping", "selected_destination_id": "dest_1", "groups": [{"id": "grp_1", "line_item_ids": ["li_1"], "selected_option_id": "express"}, {"id": "grp_2", "line_item_ids": ["li_2"], "selected_option_id": "standard"}]}] |
        |             | REST      | [{"id": "shipping", "selected_destination_id": "dest_1", "line_item_ids": ["li_1"]}, {"type": "shipping", "line_item_ids": ["li_2"]}]                                                                                            |
        | /2026-04-08 | REST      | [{"id": "shipping", "selected_destination_id": "dest_1", "groups": [{"id": "grp_1", "line_item_ids": ["li_1"]}, {"id": "grp_2", "line_item_ids": ["li_2"]}]}]                                                                    |
        |             | MCP       | [{"id": "shipping", "selected_destination_id": "dest_1", "groups": [{"id": "grp_1", "line_item_ids": ["li_1"]}, {"id": "grp_2", "line_item_ids": ["li_2"]}]}]                                                                    |
        | /2026-04-08 | MCP       | [{"id": "shipping", "selected_destination_id": "dest_1", "line_item_ids": ["li_1"]}, {"type": "pickup", "line_item_ids": ["li_2"]}]                                                                                              |
