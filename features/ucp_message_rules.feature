@form
Feature: What the shop says over the Universal Commerce Protocol
  What a platform has to do or to show its buyer stands in messages of a few kinds, beside the resource or in its place.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |

  Rule: What there is to say is said in messages of three kinds

    @ERR-001 @ERR-002 @ERR-003 @ERR-005 @ERR-009 @ERR-010 @ERR-025 @ERR-026 @ERR-031
    Scenario Outline: Errors, warnings and information
      Given a platform that speaks <version>
      When the platform sends: POST <door>/ucp/catalog/lookup {"ids": ["${Trail Tent}", "prod_unknown"]}
      Then the answer shows:
        | messages.0.type | "info" |
      When the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}, {"item": {"id": "var_unknown"}, "quantity": 1}], "discounts": {"codes": ["SUMMER20"]}, "buyer": {"email": "nobody"}}
      Then the answer shows:
        | messages.*.type | contains "warning" |
        | messages.*.type | contains "error"   |
      When the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "var_unknown"}, "quantity": 1}]}
      And the platform sends: GET <door>/ucp/carts/sess_unknown
      And the platform sends: POST <door>/ucp/catalog/product {"id": "prod_unknown"}
      Then every message has what its kind must have

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @ERR-028 @ERR-029 @ERR-030
    Scenario Outline: Nothing to answer with
      Given a platform that speaks <version>
      When the platform sends: <request>
      Then it answers 200
      And the answer has nothing but ucp and messages

      Examples:
        | version    | request                                                                                                        |
        | 2026-08-25 | POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "var_unknown"}, "quantity": 1}]}                   |
        | 2026-08-25 | POST /ucp/checkout-sessions {"cart_id": "sess_unknown", "line_items": []}                                      |
        | 2026-08-25 | GET /ucp/checkout-sessions/chk_unknown                                                                         |
        | 2026-08-25 | GET /ucp/carts/sess_unknown                                                                                    |
        | 2026-08-25 | GET /ucp/orders/ord_unknown                                                                                    |
        | 2026-08-25 | POST /ucp/catalog/product {"id": "prod_unknown"}                                                               |
        | 2026-04-08 | POST /2026-04-08/ucp/checkout-sessions {"line_items": [{"item": {"id": "var_unknown"}, "quantity": 1}]}        |
        | 2026-04-08 | POST /2026-04-08/ucp/checkout-sessions {"cart_id": "sess_unknown", "line_items": []}                           |
        | 2026-04-08 | GET /2026-04-08/ucp/checkout-sessions/chk_unknown                                                              |
        | 2026-04-08 | GET /2026-04-08/ucp/carts/sess_unknown                                                                         |
        | 2026-04-08 | GET /2026-04-08/ucp/orders/ord_unknown                                                                         |
        | 2026-04-08 | POST /2026-04-08/ucp/catalog/product {"id": "prod_unknown"}                                                    |

  Rule: What is none of the protocol's is refused in its words

    Scenario Outline: An address that nothing is at
      When an agent sends <request>
      Then it answers 404
      And the answer shows:
        | code    | "route_not_found" |
        | content | present           |
        | error   | absent            |

      Examples:
        | request                                            |
        | GET /ucp/nowhere                                   |
        | GET /ucp/                                          |
        | POST /ucp/carts/sess_unknown/pay {}                |
        | GET /2026-04-08/ucp/checkout-sessions/chk_x/orders |

    Scenario Outline: A method that an address does not have
      When an agent sends <request>
      Then it answers 405
      And the answer shows:
        | code    | "method_not_allowed" |
        | content | present              |
        | error   | absent               |
      And the answer's headers show:
        | Allow | "<allowed>" |

      Examples:
        | request                                       | allowed        |
        | GET /ucp/carts                                | POST           |
        | DELETE /ucp/checkout-sessions/chk_unknown     | GET, HEAD, PUT |
        | PATCH /ucp/checkout-sessions/chk_unknown {}   | GET, HEAD, PUT |
        | GET /ucp/negotiations                         | POST           |
        | POST /ucp/orders/ord_unknown {}               | GET, HEAD      |
        | PUT /2026-04-08/ucp/carts/sess_x/cancel {}    | POST           |
        | DELETE /2026-04-08/ucp/catalog/search         | POST           |

  Rule: Free texts are bounded

    Scenario Outline: A text that is too long
      When over <transport> an agent sends <request>
      Then it answers 400
      And the answer shows:
        | content | contains "<field>" |

      Examples:
        | transport | request                                                                                          | field           |
        | REST      | POST /ucp/catalog/search {"query": "tent", "context": {"intent": "$long_text"}}                  | context.intent  |
        | MCP       | POST /ucp/catalog/search {"query": "tent", "context": {"intent": "$long_text"}}                  | context.intent  |
        | REST      | POST /ucp/carts {"line_items": [], "context": {"intent": "$long_text"}}                          | context.intent  |
        | MCP       | POST /ucp/carts {"line_items": [], "context": {"intent": "$long_text"}}                          | context.intent  |
        | REST      | POST /ucp/checkout-sessions {"line_items": [], "context": {"intent": "$long_text"}}              | context.intent  |
        | MCP       | POST /2026-04-08/ucp/checkout-sessions {"line_items": [], "context": {"intent": "$long_text"}}   | context.intent  |
        | REST      | POST /ucp/carts {"line_items": [], "attribution": {"gclid": "$long_text"}}                       | attribution     |
        | REST      | POST /2026-04-08/ucp/catalog/search {"query": "tent", "attribution": {"gclid": "$long_text"}}    | attribution     |
