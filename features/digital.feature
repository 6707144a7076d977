Feature: Digital goods
  A variant that is not shipped is bought over Haggle's own protocol without an address, and is not offered over protocols whose
  checkouts have no such thing here yet.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Trail Map  | 10.00  | 50    |
    And the merchant sends the batch:
      """
      {"products": [{"sku": "trail-map", "requires_shipping": false}]}
      """
    And the merchant sets the storefront's "tax_rates" to [{"country": "US", "rate": 10}, {"country": "DE", "rate": 19}]
    And the merchant sets the storefront's "shipping_regions" to ["US", "DE"]

  Rule: Digital items need no address, and are taxed all the same

    Scenario: Without an address
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}]}
      Then the answer shows:
        | status                    | "ready" |
        | items.0.requires_shipping | false   |
        | shipping_options          | []      |
        | summary.subtotal          | 20      |
        | summary.shipping          | 0       |
        | summary.tax               | 2       |
        | summary.total             | 22      |
      Given the answer's "checkout_id" is called "map"
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$map", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "shipping_option": "standard"}
      Then it is refused: 422 validation_error
      And the refusal names "shipping_option"
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$map", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "ada@example.com"}
      Then the answer shows:
        | order.id      | matches ^ord_ |
        | summary.total | 22            |
      Given the answer's "order.id" is called "sold"
      Then there are 48 of the "Trail Map" left
      When the merchant sends GET /v1/orders/$sold
      Then the answer shows:
        | lines.0.requires_shipping   | false        |
        | fulfillment.status          | "processing" |
        | fulfillment.shipping_option | ""           |
      When the merchant sends POST /v1/orders/$sold/fulfillment {"status": "shipped", "carrier": "UPS", "tracking_number": "1Z"}
      Then it is refused: 409 nothing_to_ship
      When the merchant sends POST /v1/orders/$sold/fulfillment {"status": "delivered"}
      Then the answer shows:
        | fulfillment.status     | "delivered" |
        | fulfillment.shipped_at | null        |

    Scenario: With the country of a buyer
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}], "shipping_address": {"country": "DE"}}
      Then the answer shows:
        | status        | "ready" |
        | summary.tax   | 3.8     |
        | summary.total | 23.8    |
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}], "shipping_address": {"country": "FR"}}
      Then it is refused: 422 validation_error
      And the refusal names "shipping_address.country"

    Scenario: With something that is shipped
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}, {"product_id": "${Trail Tent}", "quantity": 1}]}
      Then it is refused: 422 validation_error
      And the refusal names "shipping_address.line1"
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}, {"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}
      Then the answer shows:
        | items.*.requires_shipping | [false, true] |
        | summary.subtotal          | 120           |
        | summary.shipping          | 5.99          |
        | summary.tax               | 12            |
        | summary.total             | 137.99        |

  Rule: A checkout stays what it was agreed on, or is refused

    Scenario: Shipped by the time it is paid
      Given the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}]}
      And the answer's "checkout_id" is called "map"
      And the merchant sends the batch:
        """
        {"products": [{"sku": "trail-map", "requires_shipping": true}]}
        """
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$map", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is refused: 409 shipping_required
      And the shop has 0 orders
      And there are 50 of the "Trail Map" left

    Scenario: Digital by the time it is paid
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the merchant sends the batch:
        """
        {"products": [{"sku": "trail-tent", "requires_shipping": false}]}
        """
      When the buyer pays
      Then the payment succeeds
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | lines.0.requires_shipping | true   |
        | shipping                  | 5.99   |
        | total                     | 115.99 |

  Rule: Digital items are not offered over the Universal Commerce Protocol

    Scenario Outline: The catalogue
      When an agent sends POST <door>/ucp/catalog/search {"query": "trail"}
      Then the answer shows:
        | products.*.id | ["${Trail Tent}"] |
      When an agent sends POST <door>/ucp/catalog/lookup {"ids": ["${Trail Tent}", "${Trail Map}", "${Trail Map: variant}"]}
      Then the answer shows:
        | products.*.id   | ["${Trail Tent}"]          |
        | messages.*.code | ["not_found", "not_found"] |
      When an agent sends POST <door>/ucp/catalog/product {"id": "${Trail Map}"}
      Then the answer shows:
        | ucp.status      | "error"     |
        | messages.0.code | "not_found" |
      When an agent sends POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Map}"}, "quantity": 1}]}
      Then the answer shows:
        | ucp.status      | "error"            |
        | messages.0.code | "item_unavailable" |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    Scenario Outline: A checkout that was begun over another protocol
      Given the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}<more>], "shipping_address": $address, "buyer": {"email": "ada@example.com"}}
      And the answer's "checkout_id" is called "map"
      When an agent sends GET <door>/ucp/checkout-sessions/$map
      Then the answer shows:
        | status              | "requires_escalation"  |
        | messages.0.code     | "item_unavailable"     |
        | messages.0.path     | "$.line_items[0]"      |
        | messages.0.severity | "requires_buyer_input" |
        | continue_url        | matches /page$         |
      When an agent sends POST <door>/ucp/checkout-sessions/$map/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer shows:
        | status          | "requires_escalation" |
        | messages.0.code | "item_unavailable"    |
        | order           | absent                |
      And the shop has 0 orders
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$map", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then the answer shows:
        | order.id | matches ^ord_ |
      When an agent sends GET <door>/ucp/checkout-sessions/$map
      Then the answer shows:
        | status   | "completed"   |
        | order.id | matches ^ord_ |

      Examples:
        | door        | more                                             |
        |             |                                                  |
        |             | , {"product_id": "${Trail Tent}", "quantity": 1} |
        | /2026-04-08 |                                                  |
        | /2026-04-08 | , {"product_id": "${Trail Tent}", "quantity": 1} |

    Scenario Outline: It is not paid over the Model Context Protocol
      Given the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}], "buyer": {"email": "ada@example.com"}}
      And the answer's "checkout_id" is called "map"
      When a model sends tools/call {"name": "complete_checkout", "arguments": {"meta": {"idempotency-key": "0b2c4b4e-6d0a-4a6e-9d6e-1f0f4c1c7a11"}, "id": "$map", "checkout": {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}}} to <door>/mcp
      Then the answer shows:
        | result.structuredContent.status | "requires_escalation" |
      And the shop has 0 orders

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    Scenario: It goes on without what is digital
      Given the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Map}", "quantity": 2}, {"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "buyer": {"email": "ada@example.com"}}
      And the answer's "checkout_id" is called "map"
      When an agent sends PUT /ucp/checkout-sessions/$map {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"first_name": "Ada", "last_name": "Buyer", "street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      Then the answer shows:
        | status          | "ready_for_complete" |
        | line_items.#    | 1                    |
        | messages        | absent               |
