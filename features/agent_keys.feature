Feature: Agent keys
  A merchant gives an agent that does not sign its requests a key. What is sent with it counts as signed by the agent whose
  profile the key is for: a model's client needs nothing but a header in its configuration.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |

  Rule: A key is shown once, and then known by its beginning

    Scenario: Creating a key
      When the merchant sends POST /v1/agent-keys {"name": "Laptop", "profile": "https://haggle.invalid/agent"}
      Then it answers 201
      And the answer shows:
        | id         | matches ^akey_                    |
        | name       | "Laptop"                          |
        | profile    | "https://haggle.invalid/agent"    |
        | key        | matches ^hak_test_[0-9a-z]{32}$   |
        | prefix     | matches ^hak_test_[0-9a-z]{4}$    |
        | created_at | matches Z$                        |
      Given the merchant remembers the answer's id
      When the merchant sends GET /v1/agent-keys
      Then the answer shows:
        | data.#      | 1                              |
        | data.0.id   | "$remembered_id"               |
        | data.0.name | "Laptop"                       |
        | data.0.key  | absent                         |
        | data.0.hash | absent                         |
        | meta.total  | 1                              |
      When the merchant sends GET /v1/audit-events?project_id=$shop
      Then the answer shows:
        | data.0.action      | "create-agent-key"                       |
        | data.0.target      | "$remembered_id"                         |
        | data.0.after.profile | "https://haggle.invalid/agent"         |
        | data.0.after.key   | absent                                   |

    Scenario Outline: A key that cannot be created
      When the merchant sends POST /v1/agent-keys <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                                        | field   |
        | {"profile": "https://haggle.invalid/agent"}                 | name    |
        | {"name": " ", "profile": "https://haggle.invalid/agent"}    | name    |
        | {"name": "Laptop"}                                          | profile |
        | {"name": "Laptop", "profile": "http://agent.example/p"}     | profile |
        | {"name": "Laptop", "profile": "https://a:b@agent.example/"} | profile |
        | {"name": "Laptop", "profile": "agent"}                      | profile |

    Scenario Outline: Agent keys are for those who may see keys
      Given a key "Clerk" with {"scopes": ["<scope>"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | scope         | request                                                                                   |
        | catalog:write | GET /v1/agent-keys                                                                        |
        | keys:read     | POST /v1/agent-keys {"name": "Laptop", "profile": "https://haggle.invalid/agent"}         |
        | keys:read     | DELETE /v1/agent-keys/akey_00000000000000000000000000                                     |

    Scenario Outline: Revoking what is no key
      When the merchant sends DELETE /v1/agent-keys/<id>
      Then it is refused: 404 agent_key_not_found

      Examples:
        | id                              |
        | akey_00000000000000000000000000 |
        | akey_unknown                    |
        | $shop                           |

  Rule: What is sent with a key counts as signed, over every protocol and version that names agents

    Scenario Outline: Reading an order where agents must sign
      Given the merchant sets "agents.authentication" to "signed"
      And an agent key "Laptop" for <profile>
      When with the key "Laptop" somebody sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      Then it answers 201
      Given the buyer remembers the answer's id
      When with the key "Laptop" somebody sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then it answers 200
      Given the buyer remembers the answer's order.id
      When with the key "Laptop" somebody sends GET <door>/ucp/orders/$remembered_order_id
      Then it answers 200
      And the answer shows:
        | id | "$remembered_order_id" |
      When with the key "Laptop" a model calls get_order {"id": "$remembered_order_id"} at <door>/mcp
      Then it answers 200
      And the answer shows:
        | result.structuredContent.id | "$remembered_order_id" |
      When a model sends tools/call {"name": "get_order", "arguments": {"id": "$remembered_order_id"}} to <door>/mcp
      Then it answers 401
      And the answer shows:
        | error.data.code | "signature_missing" |

      Examples:
        | profile                                 | door        |
        | https://haggle.invalid/agent            |             |
        | https://haggle.invalid/2026-04-08/agent | /2026-04-08 |

    Scenario Outline: What a model's client made with a key is there for its agent alone
      Given an agent key "Laptop" for https://haggle.invalid/agent
      And an agent key "Phone" for https://haggle.invalid/agent
      And an agent key "Other" for https://haggle.invalid/2026-04-08/agent
      When with the key "Laptop" a model calls create_cart {"meta": {"idempotency-key": "0123456789012345678901"}, "cart": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}} at /mcp
      Then it answers 200
      Given the buyer remembers the answer's result.structuredContent.id
      When <how> a model calls get_cart {"id": "$remembered_result_structuredContent_id"} at /mcp
      Then it answers 200
      And the answer shows:
        | <member> | <value> |

      Examples:
        | how                   | member                                   | value                                     |
        | with the key "Laptop" | result.structuredContent.id              | "$remembered_result_structuredContent_id" |
        | with the key "Phone"  | result.structuredContent.id              | "$remembered_result_structuredContent_id" |
        | with the key "Other"  | result.structuredContent.messages.0.code | "not_found"                               |
        | without a key         | result.structuredContent.messages.0.code | "not_found"                               |

  Rule: A key that is wrong is refused, and never treated as if it were not there

    Scenario Outline: Keys that are no keys of the shop
      When with the secret <secret> somebody sends POST /ucp/carts {"line_items": []}
      Then it answers 401
      And the answer shows:
        | code | "agent_key_invalid" |
      When with the secret <secret> a model calls search_catalog {"catalog": {"query": "tent"}} at <door>/mcp
      Then it answers 401
      And the answer shows:
        | error.data.code | "agent_key_invalid" |

      Examples:
        | secret                                    | door        |
        | hak_test_00000000000000000000000000000000 |             |
        | hak_test_00000000000000000000000000000000 | /2026-04-08 |
        | hak_live_00000000000000000000000000000000 |             |
        | hak_                                      |             |

    Scenario Outline: Where nothing is asked of an agent
      When with the secret hak_test_00000000000000000000000000000000 somebody sends <request>
      Then it answers 401
      And the answer shows:
        | <member> | "agent_key_invalid" |

      Examples:
        | request                                                                                                                                        | member          |
        | POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}                                                                                  | error.data.code |
        | POST /2026-04-08/mcp {"jsonrpc": "2.0", "id": 1, "method": "ping"}                                                                             | error.data.code |
        | POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "a", "version": "1"}}} | error.data.code |
        | GET /.well-known/ucp                                                                                                                           | code            |
        | GET /2026-04-08/.well-known/ucp                                                                                                                | code            |
        | POST /acp/search {"query": "tent"}                                                                                                             | error           |

    Scenario: A key that works changes nothing where nothing is asked
      Given an agent key "Laptop" for https://haggle.invalid/agent
      When with the key "Laptop" somebody sends POST /mcp {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
      Then it answers 200
      When with the key "Laptop" somebody sends POST /acp/search {"query": "tent"}
      Then it answers 200

    Scenario: A key that was revoked
      Given an agent key "Laptop" for https://haggle.invalid/agent
      When with the key "Laptop" somebody sends POST /ucp/carts {"line_items": []}
      Then it answers 201
      When the merchant sends DELETE /v1/agent-keys/$agent_key_Laptop
      Then it answers 204
      When with the key "Laptop" somebody sends POST /ucp/carts {"line_items": []}
      Then it answers 401
      And the answer shows:
        | code | "agent_key_invalid" |
      When with the key "Laptop" a model calls search_catalog {"catalog": {"query": "tent"}} at /mcp
      Then it answers 401
      When the merchant sends GET /v1/audit-events?project_id=$shop
      Then the answer shows:
        | data.0.action | "revoke-agent-key"  |
        | data.0.target | "$agent_key_Laptop" |
      When the merchant sends GET /v1/agent-keys
      Then the answer shows:
        | data | [] |
      When the merchant sends DELETE /v1/agent-keys/$agent_key_Laptop
      Then it is refused: 404 agent_key_not_found

    Scenario: A key for another agent than the one that a request names
      Given an agent key "Laptop" for https://haggle.invalid/agent
      When as https://haggle.invalid/2026-04-08/agent with the key "Laptop" somebody sends POST /ucp/carts {"line_items": []}
      Then it answers 401
      And the answer shows:
        | code | "agent_key_invalid" |
      When as https://haggle.invalid/agent with the key "Laptop" somebody sends POST /ucp/carts {"line_items": []}
      Then it answers 201
      When with the key "Laptop" a model calls search_catalog {"meta": {"ucp-agent": {"profile": "https://haggle.invalid/2026-04-08/agent"}}, "catalog": {"query": "tent"}} at /mcp
      Then it answers 401
      And the answer shows:
        | error.data.code | "agent_key_invalid" |

    Scenario: A key of another shop
      Given another shop
      And in the other shop an agent key "Laptop" for https://haggle.invalid/agent
      When with the key "Laptop" somebody sends POST /ucp/carts {"line_items": []}
      Then it answers 401
      And the answer shows:
        | code | "agent_key_invalid" |

    Scenario Outline: Other credentials say nothing
      When with the secret <secret> a model calls search_catalog {"catalog": {"query": "tent"}} at /mcp
      Then it answers 200

      Examples:
        | secret                                   |
        | hk_test_00000000000000000000000000000000 |
        | something                                |

  Rule: Declined payments count for the agent that proved who it is

    Scenario: An agent whose payments are declined locks out no other agent behind its address
      Given an agent key "Laptop" for https://haggle.invalid/agent
      And an agent key "Phone" for https://haggle.invalid/agent
      And an agent key "Other" for https://haggle.invalid/2026-04-08/agent
      When with the key "Laptop" somebody has 10 payments declined
      And with the key "Laptop" somebody pays for a checkout
      Then it answers 429
      And the answer shows:
        | code | "too_many_declines" |
      When with the key "Phone" somebody pays for a checkout
      Then it answers 429
      When with the key "Other" somebody pays for a checkout at /2026-04-08
      Then the answer shows:
        | status | "completed" |
      When as https://haggle.invalid/agent without a key somebody pays for a checkout
      Then the answer shows:
        | status | "completed" |

    Scenario: Agents that prove nothing are counted by their address
      When as https://haggle.invalid/agent without a key somebody has 10 payments declined
      And as https://haggle.invalid/2026-04-08/agent without a key somebody pays for a checkout at /2026-04-08
      Then it answers 429
      And the answer shows:
        | code | "too_many_declines" |
