Feature: Events
  The server sends events about the shop to addresses that the merchant gives, signed, until they have arrived.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |

  Rule: A shop has at most 50 subscriptions

    Scenario: One subscription too many
      Given 49 subscriptions to all events
      When the merchant subscribes 4 times at once
      Then 1 request succeeds and 3 are refused because there are too many subscriptions

  Rule: A subscription gets the events of its types and of its shop, signed

    Scenario: An order
      Given a subscription to "order.completed"
      And a buyer who ordered 2 of the "Trail Tent"
      Then 1 event "order.completed" arrives, signed
      And it names the order

    Scenario: A test event is sent whatever the types
      Given a subscription to "order.completed"
      When the merchant sends a test event
      Then 1 event "ping" arrives, signed

    Scenario: Events of other types are not sent
      Given a subscription to "return.requested"
      And a buyer who ordered 2 of the "Trail Tent"
      When the merchant sends a test event
      Then 1 event "ping" arrives, signed
      And no event "order.completed" arrived

    Scenario: Events of other shops are not sent
      Given a subscription to all events
      And the merchant switches to another shop
      And a subscription to all events
      When the merchant sends a test event
      Then 1 event "ping" arrives, signed
      And every event that arrived is of the current shop

    Scenario: After a rotation, both secrets sign
      Given a subscription to all events
      When the merchant rotates the subscription's secret
      And the merchant sends a test event
      Then 1 event "ping" arrives, signed by both secrets

  Rule: An event that does not arrive is sent again

    Scenario: The receiver fails
      Given a subscription to "order.completed"
      And the receiver fails once
      And a buyer who ordered 2 of the "Trail Tent"
      Then 2 events "order.completed" arrive, signed
      And they are the same event

    Scenario: The merchant asks for an event again
      Given a subscription to "order.completed"
      And a buyer who ordered 2 of the "Trail Tent"
      And 1 event "order.completed" arrives, signed
      When the merchant asks for the event again
      Then 2 events "order.completed" arrive, signed
      And they are the same event

    Scenario: The receiver is gone
      Given a subscription to all events
      And the receiver answers once that it is gone
      When the merchant sends a test event
      Then within 5 seconds the subscription is disabled because its receiver is gone

    Scenario: Events during a pause are not sent later
      Given a subscription to "order.completed"
      And the merchant disables the subscription
      And a buyer who ordered 2 of the "Trail Tent"
      And the merchant enables the subscription
      When the merchant sends a test event
      Then 1 event "ping" arrives, signed
      And no event "order.completed" arrived
