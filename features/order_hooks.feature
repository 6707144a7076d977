Feature: Webhooks of orders
  An agent that buys may ask to hear of its order: at an address that it gives with the checkout, signed with the shop's
  key, until the order is done.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
    And an agent that listens

  Rule: The agent hears of the order when it is placed and when it changes

    Scenario: An order from its beginning to its arrival
      When the agent's buyer orders 2 of the "Trail Tent"
      Then the agent hears 1 times of the order, last "order.completed"
      And the news show:
        | id                         | matches ^evt_ |
        | created_at                 | matches Z$    |
        | sequence                   | 1             |
        | project_id                 | absent        |
        | order.order.id             | "$order"      |
        | order.order.manage_token   | absent        |
        | order.receipt_url          | absent        |
        | order.fulfillment.status   | "processing"  |
        | order.summary.items.0.name | "Trail Tent"  |
      And the news are the order as anybody who knows its id reads it
      When the merchant sends POST /v1/orders/$order/fulfillment {"status": "shipped", "carrier": "DHL", "tracking_url": "https://example.com/123"}
      Then the agent hears 2 times of the order, last "order.updated"
      And the news show:
        | sequence                 | 2                         |
        | order.fulfillment.status | "shipped"                 |
        | order.tracking.url       | "https://example.com/123" |
      When the merchant sends POST /v1/orders/$order/fulfillment {"status": "delivered"}
      Then the agent hears 3 times of the order, last "order.updated"
      And the news show:
        | sequence                 | 3           |
        | order.fulfillment.status | "delivered" |
      And the news tell nothing of the buyer

    Scenario: An order that is canceled
      Given the agent's buyer orders 1 of the "Trail Tent"
      And the agent hears 1 times of the order, last "order.completed"
      When the merchant sends POST /v1/orders/$order/cancel {"reason": "Out of season"}
      Then the agent hears 3 times of the order, last "order.updated"
      And the news show:
        | order.order.status   | "canceled" |
        | order.payment.status | "refunded" |

    Scenario: Beside the merchant's own systems
      Given a subscription to ["order.completed"]
      When the agent's buyer orders 1 of the "Trail Tent"
      Then the agent hears of the order, and so does the merchant's system

    Scenario: What nobody asked to hear of
      Given a buyer who ordered 1 of the "Trail Tent"
      Then the agent hears no more
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | order_webhook | absent |

    Scenario: A checkout that is revised without the address
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "order_webhook": {"url": "$hook"}}
      Then the answer shows:
        | order_webhook.url | "$hook" |
      When the buyer sends GET /acp/checkout/$checkout
      Then the answer shows:
        | order_webhook | absent |
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address}
      Then the answer shows:
        | order_webhook | absent |
      When the buyer pays
      Then the payment succeeds
      And the agent hears no more

  Rule: What does not arrive is sent again, as the order is then

    Scenario: An agent that fails once
      Given the agent answers 500 once
      When the agent's buyer orders 1 of the "Trail Tent"
      Then the agent hears 2 times of the order, last "order.completed"
      And they are the same event
      When the merchant sends GET /v1/orders/$order/webhook-deliveries
      Then within 5 seconds the answer shows:
        | data.#                  | 1                 |
        | data.0.type             | "order.completed" |
        | data.0.status           | "delivered"       |
        | data.0.attempts         | 2                 |
        | data.0.last_status_code | 204               |

    Scenario: The order changed meanwhile
      Given the agent answers 500 once
      And the agent's buyer orders 1 of the "Trail Tent"
      And the agent hears 1 times of the order, last "order.completed"
      When the merchant sends POST /v1/orders/$order/fulfillment {"status": "shipped"}
      Then the agent hears 3 times of the order, last "order.completed"
      And the news show:
        | sequence                 | 2         |
        | order.fulfillment.status | "shipped" |

    Scenario: The key is replaced between two attempts
      Given the agent answers 500 once
      And the agent's buyer orders 1 of the "Trail Tent"
      And the agent hears 1 times of the order, last "order.completed"
      And the signing keys were published 10m ago
      When the merchant sends POST /v1/signing-keys/rotate
      Then the agent hears 2 times of the order, last "order.completed"
      And all that it heard is signed with keys that the shop publishes
      And it was signed with 2 different keys

    Scenario: An agent that is gone
      Given the agent answers 410
      And the agent's buyer orders 1 of the "Trail Tent"
      And the agent hears 1 times of the order, last "order.completed"
      When the merchant sends GET /v1/orders/$order
      Then within 5 seconds the answer shows:
        | order_webhook.status   | "ended"    |
        | order_webhook.ended_at | matches Z$ |
      When the merchant sends POST /v1/orders/$order/fulfillment {"status": "shipped"}
      Then the agent hears no more

  Rule: The merchant sees who is told what

    Scenario: An order with a webhook
      Given the agent's buyer orders 1 of the "Trail Tent"
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | order_webhook.protocol | "haggle"                      |
        | order_webhook.url      | matches ^http://127.0.0.1:.*… |
        | order_webhook.status   | "active"                      |
        | order_webhook.ended_at | null                          |

    Scenario: The agent that bought
      Given an agent with the profile "https://agent.example/profile.json?key=1" buys 1 of the "Trail Tent"
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | agent.profile        | "https://agent.example/profile.json?key=1" |
        | agent.verified       | false                                      |
        | agent.key_thumbprint | null                                       |

    Scenario Outline: An agent that names itself in no way that can be read
      Given an agent with the profile "<profile>" buys 1 of the "Trail Tent"
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | agent | absent |

      Examples:
        | profile                      |
        | http://agent.example/profile |
        | agent.example                |

  Rule: An order is sent to public addresses only

    Scenario Outline: Addresses that are refused
      When the buyer sends POST /acp/checkout/init {"items": [{"product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "order_webhook": {"url": "<url>"}}
      Then it is refused: 422 validation_error
      And the refusal names "order_webhook.url"

      Examples:
        | url                        |
        |                            |
        | agent.example/hook         |
        | http://agent.example/hook  |
        | ftp://agent.example/hook   |
        | https://ada:pw@agent.example |
        | https://10.0.0.1/hook      |
        | https://169.254.169.254/   |
        | https://agent.internal/    |

    Scenario: An address that a revision gives
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer sends PUT /acp/checkout/$checkout {"items": [{"line_id": "li_1", "product_id": "${Trail Tent}", "quantity": 1}], "shipping_address": $address, "order_webhook": {"url": "http://agent.example/hook"}}
      Then it is refused: 422 validation_error
      And the refusal names "order_webhook.url"

  Rule: A buyer that is forgotten is told nothing more

    Scenario: The buyer is erased
      Given the agent's buyer orders 1 of the "Trail Tent"
      And the agent hears 1 times of the order, last "order.completed"
      And the merchant sends POST /v1/orders/$order/fulfillment {"status": "shipped"}
      And the agent hears 2 times of the order, last "order.updated"
      And the merchant sends POST /v1/orders/$order/fulfillment {"status": "delivered"}
      And the agent hears 3 times of the order, last "order.updated"
      When the merchant sends POST /v1/buyers/erase {"email": "buyer@example.com"}
      And the buyer sends POST /acp/returns {"order_id": "$order", "items": [{"product_id": "${Trail Tent}", "quantity": 1}]}
      Then it answers 201
      And the agent hears no more
