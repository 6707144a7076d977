Feature: A buyer's personal data
  A merchant exports what is kept of a buyer, and erases it. The books and the record of decisions stay.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
    And a buyer who ordered 2 of the "Trail Tent"

  Rule: Everything about a buyer is exported as one document

    Scenario: Exporting
      When the merchant sends POST /v1/buyers/export {"email": "Buyer@Example.COM"}
      Then it answers 200
      And the answer shows:
        | subject                          | matches ^buyer_[0-9a-f]+$ |
        | orders.#                         | 1                         |
        | orders.0.id                      | "$order"                  |
        | orders.0.email                   | "buyer@example.com"       |
        | orders.0.shipping_address.name   | "A. Buyer"                |
        | sessions.#                       | 1                         |
        | checkouts                        | []                        |
        | events.#                         | at least 1                |
        | events.0.type                    | "order.completed"         |
        | events.0.data.buyer_email        | "buyer@example.com"       |
        | platforms                        | []                        |
        | next_offset                      | null                      |
      When the merchant sends GET /v1/audit-events?action=export-buyer
      Then the answer shows:
        | data.0.action | "export-buyer"  |
        | data.0.target | matches ^buyer_ |
      And the answer does not name the buyer

    Scenario: Exporting what there is not
      When the merchant sends POST /v1/buyers/export {"email": "stranger@example.com"}
      Then it answers 200
      And the answer shows:
        | orders   | [] |
        | sessions | [] |
        | events   | [] |

  Rule: What is done is erased, and what is in progress stays whole

    Scenario: Erasing an order that is under way
      When the merchant sends POST /v1/buyers/erase {"email": "buyer@example.com"}
      Then it answers 200
      And the answer shows:
        | complete           | false             |
        | erased.orders      | 0                 |
        | pending.#          | 1                 |
        | pending.0.order_id | "$order"          |
        | pending.0.reasons  | ["not_delivered"] |
      And the order's "email" is "buyer@example.com"
      And the order's "shipping_address.city" is "Portland"

    Scenario: Erasing an order that was delivered
      Given the merchant ships the order
      And under the key "delivered" the merchant sends POST /v1/orders/$order/fulfillment {"status": "delivered"}
      And the merchant sends POST /v1/orders/$order/notes {"text": "A. Buyer rang twice"}
      When the merchant sends POST /v1/buyers/erase {"email": "BUYER@example.com"}
      Then it answers 200
      And the answer shows:
        | complete         | true |
        | erased.sessions  | 1    |
        | erased.orders    | 1    |
        | erased.checkouts | 1    |
        | kept_messages    | 0    |
        | pending          | []   |
      And the order's "email" is ""
      And the order's "shipping_address.name" is ""
      And the order's "shipping_address.country" is "US"
      And the order's "total" is 205.99
      When the merchant sends GET /v1/orders/$order/notes
      Then the answer shows:
        | data.*.text | [""] |
      When the merchant sends GET /v1/events?type=order.completed
      Then the answer does not name the buyer
      When under the key "delivered" the merchant sends POST /v1/orders/$order/fulfillment {"status": "delivered"}
      Then it is refused: 409 answer_erased
      When the merchant sends GET /v1/audit-events?action=erase-buyer
      Then the answer shows:
        | data.0.action | "erase-buyer"   |
        | data.0.target | matches ^buyer_ |
      And the answer does not name the buyer
      When the merchant sends POST /v1/buyers/export {"email": "buyer@example.com"}
      Then the answer shows:
        | orders   | [] |
        | sessions | [] |

    Scenario: Erasing nobody
      When the merchant sends POST /v1/buyers/erase {"email": "Everybody"}
      Then it is refused: 422 validation_error
      And the refusal names "email"

  Rule: Only those who may move money export and erase, with a second factor where the shop requires one

    Scenario Outline: A key without the scope
      Given a key "Clerk" with {"scopes": ["finance:read", "agents:write", "projects:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends POST /v1/buyers/<operation> {"email": "buyer@example.com"}
      Then it is refused: 403 insufficient_scope
      And the order's "email" is "buyer@example.com"

      Examples:
        | operation |
        | export    |
        | erase     |

    Scenario Outline: A shop that requires a second factor
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with no code the merchant <operation>
      Then it is refused: 403 mfa_required
      When with a wrong code the merchant <operation>
      Then it is refused: 403 mfa_required
      When with a recovery code the merchant <operation>
      Then it answers 200

      Examples:
        | operation         |
        | exports the buyer |
        | erases the buyer  |
