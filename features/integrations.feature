Feature: Payment integrations
  A merchant connects its own accounts with payment providers. From then on the shop's payments go through them.

  Background:
    Given a merchant with an account of its own

  Rule: Payments go through the connected account

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |

    Scenario: A payment through Stripe
      Given a connected Stripe account
      And a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays with a token granted to the account
      Then the payment succeeds
      And the account has received 1 payment

    Scenario: Stripe does not accept the sandbox's own tokens
      Given a connected Stripe account
      And a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays with a token of the sandbox
      Then Stripe declines the payment

    Scenario: A payment after disconnecting
      Given a connected Stripe account
      And the merchant disconnects the integration
      And a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays
      Then the payment succeeds
      And the account has received 0 payments

  Rule: Only calls that the provider has signed are accepted

    Background:
      Given a shop

    Scenario: A call of Stripe
      Given a connected Stripe account whose webhooks are signed
      When Stripe calls about a payment
      Then the call is accepted

    Scenario: A call of somebody else in Stripe's name
      Given a connected Stripe account whose webhooks are signed
      When somebody calls about a payment in Stripe's name
      Then the call is rejected

    Scenario: A call after disconnecting
      Given a connected Stripe account whose webhooks are signed
      And the merchant disconnects the integration
      When Stripe calls about a payment
      Then the call finds no webhook
