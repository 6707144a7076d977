@form
Feature: What the Universal Commerce Protocol demands of sums
  Sums are whole minor units. What is taken off is negative, everything else is not, and there is one subtotal and one total.

  Rule: A cart, its checkout and its order have one receipt

    @TOT-005 @TOT-006 @TOT-014 @TOT-015 @TOT-020
    Scenario Outline: A deal, shipping and tax
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
        | Camp Stove | 40.00  | 50    |
      And the merchant sets the storefront's "tax_rates" to [{"country": "US", "state": "OR", "rate": 8.875}]
      And a buyer who agreed on 2 of the "Trail Tent" at 95
      When an agent sends PUT <door>/ucp/carts/$session {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}, {"item": {"id": "${Camp Stove}"}, "quantity": 1}]}
      Then the answer shows:
        | totals.*.type                | ["subtotal", "items_discount", "total"] |
        | totals.*.amount              | [24000, -1000, 23000]                   |
        | line_items.0.totals.*.type   | ["subtotal", "items_discount", "total"] |
        | line_items.0.totals.*.amount | [20000, -1000, 19000]                   |
        | line_items.1.totals.*.type   | ["subtotal", "total"]                   |
        | line_items.1.totals.*.amount | [4000, 4000]                            |
      When an agent sends POST <door>/ucp/checkout-sessions {"cart_id": "$session", "line_items": [], "buyer": {"email": "ada@example.com"}, "fulfillment": $home_delivery}
      Then the answer shows:
        | status                       | "ready_for_complete"                                           |
        | totals.*.type                | ["subtotal", "items_discount", "fulfillment", "tax", "total"]  |
        | totals.*.amount              | [24000, -1000, 599, 2041, 25640]                               |
        | line_items.0.totals.*.type   | ["subtotal", "items_discount", "total"]                        |
        | line_items.0.totals.*.amount | [20000, -1000, 19000]                                          |
        | line_items.1.totals.*.type   | ["subtotal", "total"]                                          |
        | line_items.1.totals.*.amount | [4000, 4000]                                                   |
      Given the buyer remembers the answer's id
      When an agent sends POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": $payment_ok}
      Then the answer shows:
        | status          | "completed"                                                    |
        | totals.*.type   | ["subtotal", "items_discount", "fulfillment", "tax", "total"]  |
        | totals.*.amount | [24000, -1000, 599, 2041, 25640]                               |
      Given the buyer remembers the answer's order.id
      When an agent sends GET <door>/ucp/orders/$remembered_order_id
      Then the answer shows:
        | totals.*.type                | ["subtotal", "items_discount", "fulfillment", "tax", "total"]  |
        | totals.*.amount              | [24000, -1000, 599, 2041, 25640]                               |
        | line_items.0.totals.*.type   | ["subtotal", "items_discount", "total"]                        |
        | line_items.0.totals.*.amount | [20000, -1000, 19000]                                          |
        | line_items.1.totals.*.type   | ["subtotal", "total"]                                          |
        | line_items.1.totals.*.amount | [4000, 4000]                                                   |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: A price is a whole number of minor units, and says its currency

    @TOT-021
    Scenario Outline: Currencies with other decimals
      Given a shop whose default_currency is "<currency>"
      And a product with:
        """
        {"name": "Trail Tent", "sku": "TENT-1", "price": <price>, "quantity": 7}
        """
      When an agent sends POST <door>/ucp/catalog/lookup {"ids": ["$product"]}
      Then the answer shows:
        | products.0.variants.0.price | {"amount": <minor>, "currency": "<currency>"} |
        | products.0.price_range.min  | {"amount": <minor>, "currency": "<currency>"} |
        | products.0.price_range.max  | {"amount": <minor>, "currency": "<currency>"} |

      Examples:
        | door        | currency | price  | minor |
        |             | JPY      | 1200   | 1200  |
        |             | BHD      | 12.125 | 12125 |
        |             | USD      | 49.9   | 4990  |
        | /2026-04-08 | JPY      | 1200   | 1200  |
        | /2026-04-08 | BHD      | 12.125 | 12125 |
