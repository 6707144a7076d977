Feature: Events
  A merchant's systems hear of what happens in the shop: events are sent to addresses that the merchant gives, signed,
  until they have arrived.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |

  Rule: A subscription says where events go, and its secret is shown once

    Scenario: Subscribing
      When the merchant subscribes to ["order.completed", "return.requested"]
      Then it answers 201
      And the answer shows:
        | id              | matches ^sub_                           |
        | url             | "$hook"                                 |
        | event_types     | ["order.completed", "return.requested"] |
        | status          | "active"                                |
        | disabled_reason | null                                    |
        | secret          | matches ^whsec_[A-Za-z0-9+/=]{32,}$     |
      When the merchant sends GET /v1/event-subscriptions/$subscription
      Then the answer shows:
        | url    | "$hook" |
        | secret | absent  |
      When the merchant sends GET /v1/event-subscriptions
      Then the answer shows:
        | data.*.id     | ["$subscription"] |
        | data.0.secret | absent            |
        | meta.total    | 1                 |

    Scenario: Changing and ending a subscription
      Given a subscription to ["*"]
      When the merchant sends PATCH /v1/event-subscriptions/$subscription {"event_types": ["quote.accepted"], "description": "Stock desk"}
      Then the answer shows:
        | event_types | ["quote.accepted"] |
        | description | "Stock desk"       |
        | secret      | absent             |
      When the merchant sends DELETE /v1/event-subscriptions/$subscription
      Then it answers 204
      When the merchant sends GET /v1/event-subscriptions/$subscription
      Then it is refused: 404 subscription_not_found
      When the merchant sends GET /v1/event-subscriptions/$subscription/deliveries
      Then it is refused: 404 subscription_not_found

    Scenario Outline: Subscriptions that are refused
      When the merchant sends POST /v1/event-subscriptions {"url": "<url>", "event_types": <types>}
      Then it is refused: 422 validation_error
      And the refusal names "<named>"

      Examples:
        | url                            | types                                | named         |
        |                                | ["*"]                                | url           |
        | example.com/hook               | ["*"]                                | url           |
        | http://example.com/hook        | ["*"]                                | url           |
        | ftp://example.com/hook         | ["*"]                                | url           |
        | https://ada:pw@example.com     | ["*"]                                | url           |
        | https://example.com:99999/     | ["*"]                                | url           |
        | https://10.0.0.1/hook          | ["*"]                                | url           |
        | https://169.254.169.254/latest | ["*"]                                | url           |
        | https://[fd00::1]/hook         | ["*"]                                | url           |
        | https://[::ffff:10.0.0.1]/hook | ["*"]                                | url           |
        | https://[64:ff9b::a00:1]/hook  | ["*"]                                | url           |
        | https://[2002:a00:1::]/hook    | ["*"]                                | url           |
        | https://198.18.0.1/hook        | ["*"]                                | url           |
        | https://192.0.2.1/hook         | ["*"]                                | url           |
        | https://255.255.255.255/hook   | ["*"]                                | url           |
        | https://①⓪.⓪.⓪.①/hook          | ["*"]                                | url           |
        | https://DB.INTERNAL./hook      | ["*"]                                | url           |
        | https://2130706433/hook        | ["*"]                                | url           |
        | https://example.com/hook       | []                                   | event_types   |
        | https://example.com/hook       | ["order.lost"]                    | event_types.0 |
        | https://example.com/hook       | ["ping"]                             | event_types.0 |
        | https://example.com/hook       | ["order.completed", "*"]             | event_types.1 |
        | https://example.com/hook       | ["order.completed","order.completed"] | event_types.1 |

    Scenario: One subscription too many
      Given 49 subscriptions to ["*"]
      When the merchant subscribes 4 times at once
      Then 1 of them succeeds and 3 are refused: 409 too_many_subscriptions

    Scenario Outline: Events are for those who may see events
      Given a subscription to ["*"]
      And a key "Clerk" with {"scopes": ["<scope>"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | scope         | request                                                  |
        | catalog:write | GET /v1/event-subscriptions                              |
        | catalog:write | GET /v1/events                                           |
        | events:read   | DELETE /v1/event-subscriptions/$subscription             |
        | events:read   | POST /v1/event-subscriptions/$subscription/rotate-secret |

    Scenario Outline: A subscription of another shop
      Given a subscription to ["*"]
      And the merchant turns to another shop
      When the merchant sends <request>
      Then it is refused: 404 subscription_not_found

      Examples:
        | request                                                    |
        | GET /v1/event-subscriptions/$subscription                  |
        | PATCH /v1/event-subscriptions/$subscription {"status": "disabled"} |
        | DELETE /v1/event-subscriptions/$subscription               |
        | POST /v1/event-subscriptions/$subscription/rotate-secret   |
        | POST /v1/event-subscriptions/$subscription/test            |
        | GET /v1/event-subscriptions/$subscription/deliveries       |

  Rule: An event arrives signed, and says what happened

    Scenario: An order
      Given a subscription to ["order.completed"]
      And a buyer who ordered 2 of the "Trail Tent"
      Then 1 event "order.completed" arrives, signed
      And it tells the order
      And the event shows:
        | negotiation_id | matches ^neg_ |
        | session_id     | absent        |
      When the merchant sends GET /v1/event-subscriptions/$subscription/deliveries?status=delivered
      Then within 5 seconds the answer shows:
        | data.0.type             | "order.completed" |
        | data.0.event_id         | "$event"          |
        | data.0.attempts         | 1                 |
        | data.0.last_status_code | 204               |
        | data.0.last_error       | null              |
        | data.0.next_attempt_at  | null              |
        | meta.total              | 1                 |
      When the merchant sends GET /v1/events/$event
      Then the answer shows:
        | id         | "$event"          |
        | type       | "order.completed" |
        | project_id | "$shop"           |

    Scenario: A test
      Given a subscription to ["order.completed"]
      When the merchant sends POST /v1/event-subscriptions/$subscription/test
      Then it answers 202
      And 1 event "ping" arrives, signed

    Scenario: What is not wanted does not come
      Given a subscription to ["return.requested"]
      And a buyer who ordered 2 of the "Trail Tent"
      When the merchant sends POST /v1/event-subscriptions/$subscription/test
      Then 1 event "ping" arrives, signed
      And no event "order.completed" arrived

    Scenario: Nothing of another shop comes
      Given a subscription to ["*"]
      And the merchant turns to another shop
      And a subscription to ["*"]
      When the merchant sends POST /v1/event-subscriptions/$subscription/test
      Then 1 event "ping" arrives, signed
      And all that arrived is of the shop

    Scenario: A new secret
      Given a subscription to ["*"]
      When the merchant sends POST /v1/event-subscriptions/$subscription/rotate-secret
      Then the secret is another one
      When the merchant sends POST /v1/event-subscriptions/$subscription/test
      Then 1 event "ping" arrives, signed by both secrets

  Rule: What does not arrive is tried again

    Scenario: The receiver fails
      Given a subscription to ["order.completed"]
      And the receiver answers 500 once
      And a buyer who ordered 2 of the "Trail Tent"
      Then 2 events "order.completed" arrive, signed
      And they are the same event

    Scenario: Asking for an event again
      Given a subscription to ["order.completed"]
      And a buyer who ordered 2 of the "Trail Tent"
      And 1 event "order.completed" arrives, signed
      When the merchant asks for it again
      Then it answers 202
      And 2 events "order.completed" arrive, signed
      And they are the same event

    Scenario: The receiver is gone
      Given a subscription to ["*"]
      And the receiver answers 410 once
      When the merchant sends POST /v1/event-subscriptions/$subscription/test
      And the merchant sends GET /v1/event-subscriptions/$subscription
      Then within 5 seconds the answer shows:
        | status          | "disabled" |
        | disabled_reason | "gone"     |
      When the merchant sends GET /v1/events?type=subscription.disabled
      Then the answer shows:
        | data.0.data.subscription_id | "$subscription" |
        | data.0.data.reason          | "gone"          |
      When the merchant sends POST /v1/event-subscriptions/$subscription/test
      Then it is refused: 409 subscription_disabled

    Scenario: A pause
      Given a subscription to ["order.completed"]
      And the merchant sends PATCH /v1/event-subscriptions/$subscription {"status": "disabled"}
      And a buyer who ordered 2 of the "Trail Tent"
      And the merchant sends PATCH /v1/event-subscriptions/$subscription {"status": "active"}
      When the merchant sends POST /v1/event-subscriptions/$subscription/test
      Then 1 event "ping" arrives, signed
      And no event "order.completed" arrived
