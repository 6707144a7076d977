Feature: Orders over the Universal Commerce Protocol
  The agent that bought follows the order, without learning more of the buyer than it needs. Every answer is held against the
  protocol's schemas and rules.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |

  Rule: An order shows what was bought and what became of it, and nobody's address

    Scenario Outline: An order that was just placed
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      Given the buyer remembers the answer's id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Given the buyer remembers the answer's order.id
      When an agent sends GET <door>/ucp/orders/$remembered_order_id
      Then the answer shows:
        | checkout_id                              | matches ^chk_                                |
        | permalink_url                            | matches /acp/orders/ord_                     |
        | line_items.0.id                          | "li_1"                                       |
        | line_items.0.quantity                    | {"original": 2, "total": 2, "fulfilled": 0}  |
        | line_items.0.status                      | "processing"                                 |
        | fulfillment.expectations.0.destination   | {"address_country": "US", "address_region": "OR"} |
        | fulfillment.events                       | absent                                       |
        | adjustments                              | absent                                       |
        | totals.*.type                            | ["subtotal", "fulfillment", "tax", "total"]  |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    Scenario: An order that is none
      When an agent sends GET /ucp/orders/ord_unknown
      Then the answer shows:
        | ucp.status      | "error"     |
        | messages.0.code | "not_found" |

  Rule: A merchant may want agents to sign before they read orders

    Scenario Outline: An agent that does not sign
      Given the merchant sets "agents.authentication" to "signed"
      When an agent sends GET <door>/ucp/orders/ord_unknown
      Then it answers 401
      And the answer shows:
        | code | "signature_missing" |
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then it answers 201
      Given the merchant sets "agents.authentication" to null
      When an agent sends GET <door>/ucp/orders/ord_unknown
      Then it answers 200

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    Scenario: A model that has no key
      Given the merchant sets "agents.authentication" to "signed"
      When a model sends tools/call {"name": "get_order", "arguments": {"id": "ord_unknown"}} to /mcp
      Then it answers 401
      And the answer shows:
        | error.data.code | "signature_missing" |
      When a model sends tools/call {"name": "search_catalog", "arguments": {"catalog": {"query": "tent"}}} to /mcp
      Then it answers 200
