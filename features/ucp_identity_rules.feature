@form
Feature: Who speaks the Universal Commerce Protocol, and what both sides can do
  A platform says by its profile which version it speaks and what it can do. The shop answers in that version, and does what
  both can.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |

  Rule: What keeps two from talking is an error of the transport

    @NEG-001 @NEG-003 @NEG-004
    Scenario Outline: A profile that is of no use
      Given a platform that speaks 2026-08-25
      And its profile is answered with <profile>
      When the platform sends: POST /ucp/carts {"line_items": []}
      Then it answers <status>
      And the answer shows:
        | code    | "<code>"           |
        | content | contains "<words>" |
      When the platform calls: create_cart {"cart": {"line_items": []}}
      Then it answers <status>
      And the answer shows:
        | error.code         | -32001             |
        | error.data.code    | "<code>"           |
        | error.data.content | contains "<words>" |

      Examples:
        | profile                                                        | status | code                | words         |
        | 200: {"ucp": {"version": "2020-01-01"}}                        | 422    | version_unsupported | 2026-08-25    |
        | 200: {"ucp": {"version": "2020-01-01"}}                        | 422    | version_unsupported | 2026-04-08    |
        | 200: {"ucp": {"version": "2027-01-01"}}                        | 422    | version_unsupported | 2026-08-25    |
        | 404: {}                                                        | 424    | profile_unreachable | profile       |
        | 500: {}                                                        | 424    | profile_unreachable | profile       |
        | 302: {}                                                        | 424    | profile_unreachable | profile       |
        | 200: <html>                                                    | 422    | profile_malformed   | not JSON      |
        | 200: {}                                                        | 422    | profile_malformed   | ucp.version   |
        | 200: {"ucp": {"version": "draft"}}                             | 422    | profile_malformed   | ucp.version   |
        | 200: {"ucp": {"version": "2026-08-25", "capabilities": []}}    | 422    | profile_malformed   | capabilities  |

    @NEG-003
    Scenario: A profile that is never answered
      Given a platform that speaks 2026-08-25
      And its profile is never answered
      When the platform sends: POST /ucp/carts {"line_items": []}
      Then it answers 424
      And the answer shows:
        | code    | "profile_unreachable" |
        | content | contains "in time"    |

    @NEG-001
    Scenario: A platform of a newer version at the address of the version before
      Given a platform that speaks 2026-08-25
      When the platform sends: POST /2026-04-08/ucp/carts {"line_items": []}
      Then it answers 422
      And the answer shows:
        | code    | "version_unsupported"  |
        | content | contains "2026-04-08"  |

  Rule: What two cannot do together is an answer of the business

    @NEG-002
    Scenario Outline: Nothing in common that the operation needs
      Given a platform that speaks <version>
      And its profile has only catalog.search
      When the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then it answers 200
      And the answer shows:
        | ucp.status          | "error"                     |
        | messages.0.code     | "capabilities_incompatible" |
        | messages.0.severity | "unrecoverable"             |
        | continue_url        | matches /p/$slug$           |
        | line_items          | absent                      |
      When the platform calls: create_checkout {"checkout": {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}}
      Then it answers 200
      And the answer shows:
        | result.structuredContent.ucp.status      | "error"                     |
        | result.structuredContent.messages.0.code | "capabilities_incompatible" |
        | result.structuredContent.continue_url    | matches /p/$slug$           |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @OVR-012
    Scenario Outline: An extension of something that the platform cannot do
      Given a platform that speaks <version>
      And its profile has only cart, discount, fulfillment
      When the platform sends: POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      Then the answer's active capabilities are cart, discount
      When the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      Then the answer shows:
        | messages.0.code | "capabilities_incompatible" |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @OVR-012
    Scenario Outline: Extensions without anything to extend
      Given a platform that speaks <version>
      And its profile has only catalog.search, discount, fulfillment
      When the platform sends: POST <door>/ucp/catalog/search {"query": "tent"}
      Then the answer's active capabilities are catalog.search

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

  Rule: An answer names the version and the capabilities that made it

    @OVR-004 @OVR-005
    Scenario Outline: From the catalogue to the order
      Given a platform that speaks <version>
      When the platform sends: POST <door>/ucp/catalog/search {"query": "tent"}
      Then the answer's active capabilities are catalog.search
      When the platform sends: POST <door>/ucp/catalog/lookup {"ids": ["${Trail Tent}"]}
      Then the answer's active capabilities are catalog.lookup
      When the platform sends: POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then the answer's active capabilities are cart, discount
      When the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      Then the answer's active capabilities are checkout, discount, fulfillment
      Given the buyer remembers the answer's id
      When the platform sends: POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer's active capabilities are checkout, discount, fulfillment
      Given the buyer remembers the answer's order.id
      When the platform sends: GET <door>/ucp/orders/$remembered_order_id
      Then the answer's active capabilities are order
      When the platform sends: GET <door>/ucp/orders/ord_unknown
      Then the answer has nothing but ucp and messages
      And every answer names the version <version>, and active capabilities
      And every answer is JSON

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @OVR-005
    Scenario Outline: Only what both can do
      Given a platform that speaks <version>
      And its profile has only checkout, order
      When the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then the answer's active capabilities are checkout
      And the answer shows:
        | fulfillment | absent |
        | discounts   | absent |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @OVR-003
    Scenario Outline: Names lie where their owners are
      When an agent sends GET <door>/.well-known/ucp
      Then every capability has its specification and schema where its name is at home

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: Requests and answers are JSON

    @OVR-008
    Scenario Outline: Another type of content
      Given a platform that speaks <version>
      When the platform sends: POST <door>/ucp/carts {"line_items": []}
      Then it answers 201
      When the platform sends, typed <type>: POST <door>/ucp/carts {"line_items": []}
      Then it answers 400
      And the answer shows:
        | code    | present                     |
        | content | contains "application/json" |
      And every answer is JSON

      Examples:
        | version    | door        | type                              |
        | 2026-08-25 |             | text/plain                        |
        | 2026-08-25 |             | application/x-www-form-urlencoded |
        | 2026-04-08 | /2026-04-08 | text/plain                        |
        | 2026-04-08 | /2026-04-08 | application/xml                   |
