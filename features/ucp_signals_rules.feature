@form
Feature: What platforms tell of buyers over the Universal Commerce Protocol
  A platform may say where a buyer comes from, what the buyer is entitled to and what it observed. Nobody proved any of it, so
  no price moves by it.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |

  Rule: What is said of the buyer moves nothing

    @SAE-002 @SAE-003 @SAE-008 @SAE-010 @SAE-011
    Scenario Outline: The same answer, whatever is said
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery, <said>}
      Then it answers 201
      And the two latest answers are alike, but for times and ids
      When an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}]}
      And an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], <said>}
      Then it answers 201
      And the two latest answers are alike, but for times and ids
      When an agent sends POST <door>/ucp/catalog/search {"query": "tent"}
      And an agent sends POST <door>/ucp/catalog/search {"query": "tent", <said>}
      Then it answers 200
      And the two latest answers are alike, but for times

      Examples:
        | door        | said                                                                                     |
        |             | "signals": {"dev.ucp.buyer_ip": "203.0.113.7", "com.example.device_id": "d-1"}           |
        |             | "signals": {"buyer_ip": "203.0.113.7", "Discount": 50, "loyalty-tier": "gold"}           |
        |             | "attribution": {"campaign_id": "18234567890", "gclid": "EAIaIQobChMI", "position": "1"}  |
        |             | "context": {"eligibility": ["com.example.loyalty_gold", "org.school.student"]}           |
        |             | "context": {"eligibility": ["gold", "Ada Byron"]}                                        |
        | /2026-04-08 | "signals": {"dev.ucp.buyer_ip": "203.0.113.7", "com.example.device_id": "d-1"}           |
        | /2026-04-08 | "signals": {"buyer_ip": "203.0.113.7", "Discount": 50, "loyalty-tier": "gold"}           |
        | /2026-04-08 | "attribution": {"campaign_id": "18234567890", "gclid": "EAIaIQobChMI", "position": "1"}  |
        | /2026-04-08 | "context": {"eligibility": ["com.example.loyalty_gold", "org.school.student"]}           |
        | /2026-04-08 | "context": {"eligibility": ["gold", "Ada Byron"]}                                        |

    @SAE-014
    Scenario Outline: Claims that nobody knows do not keep a buyer from paying
      Given an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery, "context": {"eligibility": ["com.example.loyalty_gold"]}}
      And the buyer remembers the answer's id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "completed" |
        | totals.0.amount | 10000       |
        | messages        | absent      |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @SAE-012
    Scenario Outline: What is paid follows from the address, and not from what was said before
      Given an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      And the agent keeps the answer's id as "plain"
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_plain/complete {"payment": $payment_ok}
      Then the answer shows:
        | totals.*.amount | [10000, 599, 0, 10599] |
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery, "context": {"address_country": "JP", "address_region": "13", "postal_code": "100-0001", "currency": "JPY", "eligibility": ["com.example.employee"]}}
      Given the buyer remembers the answer's id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "completed"            |
        | currency        | "USD"                  |
        | totals.*.amount | [10000, 599, 0, 10599] |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: Where a buyer came from is told in words of a query

    @SAE-007
    Scenario Outline: Values that are no text
      When an agent sends <request>
      Then it answers 400
      And the answer shows:
        | content | contains "attribution" |

      Examples:
        | request                                                                                                                                        |
        | POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "attribution": {"position": 1}}                 |
        | POST /ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "attribution": {"returning": true}}                         |
        | POST /ucp/catalog/search {"query": "tent", "attribution": {"position": 1}}                                                                     |
        | POST /ucp/catalog/lookup {"ids": ["${Trail Tent}"], "attribution": {"position": 1}}                                                            |
        | POST /ucp/catalog/product {"id": "${Trail Tent}", "attribution": {"position": 1}}                                                              |
        | POST /2026-04-08/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "attribution": {"returning": false}} |
        | POST /2026-04-08/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "attribution": {"position": 1.5}}                |
        | POST /2026-04-08/ucp/catalog/search {"query": "tent", "attribution": {"position": 1}}                                                          |
