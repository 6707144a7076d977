@form
Feature: The rules of UCP over MCP
  A platform calls the operations of UCP as tools: by one message of JSON-RPC in a request, and with the same answers as over
  REST.

  Background:
    Given a server beside the merchant's systems

  Rule: Every operation is a tool

    @MCP-001 @MCP-003 @MCP-004 @MCP-005
    Scenario Outline: From the catalogue to the order
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 30    |
      And a platform that speaks <version>
      When the platform says: {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
      Then the answer shows:
        | result.tools.*.name | contains "search_catalog"    |
        | result.tools.*.name | contains "lookup_catalog"    |
        | result.tools.*.name | contains "get_product"       |
        | result.tools.*.name | contains "create_cart"       |
        | result.tools.*.name | contains "get_cart"          |
        | result.tools.*.name | contains "update_cart"       |
        | result.tools.*.name | contains "cancel_cart"       |
        | result.tools.*.name | contains "create_checkout"   |
        | result.tools.*.name | contains "get_checkout"      |
        | result.tools.*.name | contains "update_checkout"   |
        | result.tools.*.name | contains "complete_checkout" |
        | result.tools.*.name | contains "cancel_checkout"   |
        | result.tools.*.name | contains "get_order"         |
      When the platform calls: search_catalog {"catalog": {"query": "tent"}}
      Then the answer shows:
        | result.structuredContent.products.*.title | ["Trail Tent"] |
      When the platform calls: lookup_catalog {"catalog": {"ids": ["${Trail Tent}", "prod_unknown"]}}
      Then the answer shows:
        | result.structuredContent.products.*.title | ["Trail Tent"] |
      When the platform calls: get_product {"catalog": {"id": "${Trail Tent}"}}
      Then the answer shows:
        | result.structuredContent.product.title | "Trail Tent" |
      When the platform calls: create_cart {"cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}}
      Given the buyer remembers the answer's result.structuredContent.id
      When the platform calls: update_cart {"id": "$remembered_result_structuredContent_id", "cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 3}]}}
      And the platform calls: get_cart {"id": "$remembered_result_structuredContent_id"}
      Then the answer shows:
        | result.structuredContent.id                    | "$remembered_result_structuredContent_id" |
        | result.structuredContent.line_items.*.quantity | [3]                                       |
      When the platform calls: cancel_cart {"id": "$remembered_result_structuredContent_id"}
      Then the answer shows:
        | result.structuredContent.line_items.*.quantity | [3] |
      When the platform calls: create_checkout {"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}}
      Given the buyer remembers the answer's result.structuredContent.id
      When the platform calls: cancel_checkout {"id": "$remembered_result_structuredContent_id"}
      Then the answer shows:
        | result.structuredContent.status | "canceled" |
      When the platform calls: create_checkout {"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}}
      Then the answer shows:
        | result.structuredContent.status          | "incomplete" |
        | result.structuredContent.messages.0.type | "error"      |
      Given the buyer remembers the answer's result.structuredContent.id
      When the platform calls: update_checkout {"id": "$remembered_result_structuredContent_id", "checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}}
      And the platform calls: get_checkout {"id": "$remembered_result_structuredContent_id"}
      Then the answer shows:
        | result.structuredContent.status                | "ready_for_complete" |
        | result.structuredContent.line_items.*.quantity | [2]                  |
      When the platform calls: complete_checkout {"id": "$remembered_result_structuredContent_id", "checkout": {"payment": $payment_ok}}
      Then the answer shows:
        | result.structuredContent.status      | "completed" |
        | result.structuredContent.ucp.version | "<version>" |
      Given the buyer remembers the answer's result.structuredContent.order.id
      When the platform calls: get_order {"id": "$remembered_result_structuredContent_order_id"}
      Then the answer shows:
        | result.structuredContent.id                    | "$remembered_result_structuredContent_order_id" |
        | result.structuredContent.checkout_id           | "$remembered_result_structuredContent_id"       |
        | result.structuredContent.line_items.0.quantity | {"original": 2, "total": 2, "fulfilled": 0}     |
        | result.structuredContent.currency              | "USD"                                           |
      When the platform calls: get_order {"id": "ord_unknown"}
      Then the answer shows:
        | result.structuredContent.ucp.status      | "error"     |
        | result.structuredContent.messages.0.code | "not_found" |
      And every answer is JSON

      Examples:
        | version    |
        | 2026-08-25 |
        | 2026-04-08 |

    @MCP-003 @MCP-004 @MCP-006
    Scenario Outline: Messages of JSON-RPC
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 30    |
      And a platform that speaks <version>
      When the platform says: {"jsonrpc": "2.0", "id": "greeting", "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}}
      Then the answer shows:
        | jsonrpc                   | "2.0"      |
        | id                        | "greeting" |
        | result.protocolVersion    | present    |
        | result.capabilities.tools | present    |
      When the platform says: {"jsonrpc": "2.0", "id": 7, "method": "create_cart", "params": {"cart": {"line_items": []}}}
      Then the answer shows:
        | error.code | -32601 |
        | result     | absent |
      When the platform says: {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "make_coffee", "arguments": {}}}
      Then the answer shows:
        | id         | 8      |
        | error.code | -32602 |
      When the platform says: {"jsonrpc": "2.0", "id": 9, "method": }
      Then the answer shows:
        | error.code | -32700 |
      When the platform calls: get_checkout {"id": "chk_unknown"}
      Then it answers 200
      And the answer shows:
        | id                                       | 1           |
        | error                                    | absent      |
        | result.structuredContent.ucp.status      | "error"     |
        | result.structuredContent.messages.0.code | "not_found" |

      Examples:
        | version    |
        | 2026-08-25 |
        | 2026-04-08 |

    @MCP-003 @MCP-006
    Scenario Outline: Arguments that break their schema
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 30    |
      And a platform that speaks <version>
      When the platform calls: <call>
      Then it answers 400
      And the answer shows:
        | error.code         | -32602  |
        | error.data.content | present |
        | result             | absent  |

      Examples:
        | version    | call                                                                                     |
        | 2026-08-25 | search_catalog {"catalog": {"query": 1}}                                                 |
        | 2026-08-25 | search_catalog {"catalog": {"query": "tent", "pagination": {"limit": 0}}}                |
        | 2026-08-25 | lookup_catalog {"catalog": {"ids": []}}                                                  |
        | 2026-08-25 | lookup_catalog {"catalog": {}}                                                           |
        | 2026-08-25 | get_product {"catalog": {}}                                                              |
        | 2026-08-25 | create_cart {"cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 0}]}} |
        | 2026-08-25 | create_cart {}                                                                           |
        | 2026-08-25 | create_checkout {"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}}]}}        |
        | 2026-08-25 | complete_checkout {"id": "chk_unknown", "checkout": {}}                                  |
        | 2026-08-25 | get_order {}                                                                             |
        | 2026-04-08 | search_catalog {"catalog": {"query": 1}}                                                 |
        | 2026-04-08 | search_catalog {"catalog": {"query": "tent", "pagination": {"limit": 0}}}                |
        | 2026-04-08 | lookup_catalog {"catalog": {"ids": []}}                                                  |
        | 2026-04-08 | lookup_catalog {"catalog": {}}                                                           |
        | 2026-04-08 | get_product {"catalog": {}}                                                              |
        | 2026-04-08 | create_cart {"cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 0}]}} |
        | 2026-04-08 | create_cart {}                                                                           |
        | 2026-04-08 | create_checkout {"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}}]}}        |
        | 2026-04-08 | complete_checkout {"id": "chk_unknown", "checkout": {}}                                  |
        | 2026-04-08 | get_order {}                                                                             |

  Rule: What is refused is said in the shop's words, under the id of the message

    Scenario Outline: What the endpoint does not have
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 30    |
      And a platform that speaks <version>
      When the platform says: {"jsonrpc": "2.0", "id": "once", "method": "<method>", "params": {}}
      Then it answers 404
      And the answer shows:
        | id            | "once"                     |
        | error.code    | -32601                     |
        | error.message | "There is no such method." |

      Examples:
        | version    | method                   |
        | 2026-08-25 | resources/list           |
        | 2026-08-25 | resources/templates/list |
        | 2026-08-25 | prompts/list             |
        | 2026-08-25 | logging/setLevel         |
        | 2026-08-25 | completion/complete      |
        | 2026-04-08 | resources/list           |
        | 2026-04-08 | prompts/list             |

    Scenario Outline: Messages that break their schema
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 30    |
      And a platform that speaks <version>
      When the platform says: <message>
      Then it answers 400
      And the answer shows:
        | id            | 7                  |
        | error.message | contains "<field>" |

      Examples:
        | version    | message                                                                                        | field                  |
        | 2026-08-25 | {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 5}}                     | params.name            |
        | 2026-08-25 | {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": []}                              | params                 |
        | 2026-08-25 | {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 5}}          | params.protocolVersion |
        | 2026-08-25 | {"jsonrpc": "2.0", "id": 7, "method": 5}                                                       | method                 |
        | 2026-08-25 | {"id": 7, "method": "tools/list"}                                                              | jsonrpc                |
        | 2026-04-08 | {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_cart", "arguments": []}} | params.arguments |

  Rule: Pages and batches of the catalogue are bounded

    @MCP-006
    Scenario Outline: Pages of ten, and batches of fifty
      Given a shop selling:
        | name          | price  | stock |
        | Trail Tent 1  | 101.00 | 5     |
        | Trail Tent 2  | 102.00 | 5     |
        | Trail Tent 3  | 103.00 | 5     |
        | Trail Tent 4  | 104.00 | 5     |
        | Trail Tent 5  | 105.00 | 5     |
        | Trail Tent 6  | 106.00 | 5     |
        | Trail Tent 7  | 107.00 | 5     |
        | Trail Tent 8  | 108.00 | 5     |
        | Trail Tent 9  | 109.00 | 5     |
        | Trail Tent 10 | 110.00 | 5     |
        | Trail Tent 11 | 111.00 | 5     |
        | Trail Tent 12 | 112.00 | 5     |
      And a platform that speaks <version>
      When the platform calls: search_catalog {"catalog": {"query": "tent"}}
      Then the answer shows:
        | result.structuredContent.products.#                          | 10             |
        | result.structuredContent.pagination.has_next_page            | true           |
        | result.structuredContent.products.0.price_range.min.currency | "USD"          |
        | result.structuredContent.products.0.price_range.min.amount   | at least 10100 |
      Given the buyer remembers the answer's result.structuredContent.pagination.cursor
      When the platform calls: search_catalog {"catalog": {"query": "tent", "pagination": {"cursor": "$remembered_result_structuredContent_pagination_cursor"}}}
      Then the answer shows:
        | result.structuredContent.products.#               | 2     |
        | result.structuredContent.pagination.has_next_page | false |
      When the platform calls: lookup_catalog {"catalog": {"ids": ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", "p16", "p17", "p18", "p19", "p20", "p21", "p22", "p23", "p24", "p25", "p26", "p27", "p28", "p29", "p30", "p31", "p32", "p33", "p34", "p35", "p36", "p37", "p38", "p39", "p40", "p41", "p42", "p43", "p44", "p45", "p46", "p47", "p48", "p49", "p50", "p51"]}}
      Then it answers 400
      And the answer shows:
        | error.code      | -32602              |
        | error.data.code | "request_too_large" |
      When the platform calls: lookup_catalog {"catalog": {"ids": ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", "p16", "p17", "p18", "p19", "p20", "p21", "p22", "p23", "p24", "p25", "p26", "p27", "p28", "p29", "p30", "p31", "p32", "p33", "p34", "p35", "p36", "p37", "p38", "p39", "p40", "p41", "p42", "p43", "p44", "p45", "p46", "p47", "p48", "p49", "p50"]}}
      Then the answer shows:
        | result.structuredContent.products | [] |

      Examples:
        | version    |
        | 2026-08-25 |
        | 2026-04-08 |
