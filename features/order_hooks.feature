Feature: Order webhooks
  An agent that buys may ask for webhooks about its order: at an address that it gives with the checkout, signed with the
  shop's key, until the order is done.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
    And an agent that receives webhooks

  Rule: The agent is notified when the order is placed and when it changes

    Scenario: An order from its beginning to its arrival
      When the agent's buyer orders 2 of the "Trail Tent"
      Then the agent has received 1 webhook, the latest of "order.completed"
      And the webhook shows the new order
      And the webhook has the order as anybody who knows its id reads it
      When the merchant ships the order with a tracking link
      Then the agent has received 2 webhooks, the latest of "order.updated"
      And webhook 2 of the order shows it as shipped
      And the webhook has the tracking link
      When the merchant marks the order as delivered
      Then the agent has received 3 webhooks, the latest of "order.updated"
      And webhook 3 of the order shows it as delivered
      And no webhook names the buyer

    Scenario: A canceled order
      Given the agent's buyer orders 1 of the "Trail Tent"
      And the agent has received 1 webhook, the latest of "order.completed"
      When the merchant cancels the order
      Then the agent has received 3 webhooks, the latest of "order.updated"
      And the webhook shows the order as canceled and refunded

    Scenario: The merchant's own systems have webhooks of their own
      Given a subscription to ["order.completed"]
      When the agent's buyer orders 1 of the "Trail Tent"
      Then the agent and the merchant's system receive one webhook each

    Scenario: An order without a webhook
      Given a buyer who ordered 1 of the "Trail Tent"
      Then the agent receives no more webhooks
      And the order has no webhook

  Rule: A webhook that fails is sent again, with the order as it is then

    Scenario: An agent that fails once
      Given the agent answers 500 once
      When the agent's buyer orders 1 of the "Trail Tent"
      Then the agent has received 2 webhooks, the latest of "order.completed"
      And they are the same event
      And within 5 seconds the merchant sees 1 webhook, delivered in 2 attempts

    Scenario: The order changed meanwhile
      Given the agent answers 500 once
      And the agent's buyer orders 1 of the "Trail Tent"
      And the agent has received 1 webhook, the latest of "order.completed"
      When the merchant ships the order
      Then the agent has received 3 webhooks, the latest of "order.completed"
      And webhook 2 of the order shows it as shipped

    Scenario: The signing key is replaced between two attempts
      Given the agent answers 500 once
      And the agent's buyer orders 1 of the "Trail Tent"
      And the agent has received 1 webhook, the latest of "order.completed"
      And the signing keys were published 10m ago
      When the merchant rotates the signing keys
      Then the agent has received 2 webhooks, the latest of "order.completed"
      And the webhooks are signed with keys that the shop publishes
      And the webhooks are signed with 2 different keys

    Scenario: An agent that is gone
      Given the agent answers 410
      And the agent's buyer orders 1 of the "Trail Tent"
      And the agent has received 1 webhook, the latest of "order.completed"
      Then within 5 seconds the order's webhook has ended
      When the merchant ships the order
      Then the agent receives no more webhooks

  Rule: Nothing more is sent about a buyer whose data was erased

    Scenario: The buyer is erased
      Given the agent's buyer orders 1 of the "Trail Tent"
      And the agent has received 1 webhook, the latest of "order.completed"
      And the merchant ships the order
      And the agent has received 2 webhooks, the latest of "order.updated"
      And the merchant marks the order as delivered
      And the agent has received 3 webhooks, the latest of "order.updated"
      When the merchant erases the agent's buyer
      And the buyer sends back 1 of the "Trail Tent"
      Then the agent receives no more webhooks
