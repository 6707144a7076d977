Feature: Payment integrations
  A merchant connects its own accounts with payment providers. From then on the shop's payments go through them.

  Background:
    Given a merchant with an account of its own
    And a shop

  Rule: An account is connected by its key, which the provider is asked about and nobody is shown again

    Scenario: Connecting Stripe
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "stripe", "credentials": {"api_key": "$stripe_key"}, "name": "Main account"}
      Then it answers 201
      And the answer shows:
        | id                      | matches ^int_            |
        | type                    | "stripe"                 |
        | name                    | "Main account"           |
        | status                  | "connected"              |
        | config.account_id       | matches ^acct_           |
        | config.live_mode        | false                    |
        | last_sync               | null                     |
        | last_error              | null                     |
        | metrics.products_synced | 0                        |
        | metrics.orders_synced   | 0                        |
        | metrics.errors_24h      | 0                        |
        | webhook.endpoint        | matches ^http.*/hooks/wh_ |
        | webhook.status          | "active"                 |
        | credentials             | absent                   |
        | created_at              | matches Z$               |
      And no answer, and no audit event, holds the account's key

    Scenario: Connecting PayPal
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "paypal", "credentials": {"api_key": "client-$slug", "api_secret": "secret-$slug"}}
      Then it answers 201
      And the answer shows:
        | type             | "paypal"       |
        | name             | "PayPal"       |
        | status           | "connected"    |
        | config.live_mode | false          |
        | webhook.status   | "active"       |

    Scenario Outline: Accounts that cannot be connected
      When the merchant sends POST /v1/integrations/connect/api-key <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                                                                 | field                  |
        | {"credentials": {"api_key": "sk_test_1"}}                                            | type                   |
        | {"type": "teapot", "credentials": {"api_key": "sk_test_1"}}                          | type                   |
        | {"type": "shopify", "credentials": {"api_key": "sk_test_1"}}                         | type                   |
        | {"type": "stripe"}                                                                   | credentials.api_key    |
        | {"type": "stripe", "credentials": {"api_key": ""}}                                   | credentials.api_key    |
        | {"type": "stripe", "credentials": {"api_key": "pk_test_1"}}                          | credentials.api_key    |
        | {"type": "stripe", "credentials": {"api_key": "sk_test_ 1"}}                         | credentials.api_key    |
        | {"type": "stripe", "credentials": {"api_key": "sk_live_1"}}                          | credentials.api_key    |
        | {"type": "stripe", "credentials": {"api_key": "rk_live_1"}}                          | credentials.api_key    |
        | {"type": "stripe", "credentials": {"api_key": "sk_test_1", "api_secret": "secret"}}  | credentials.api_secret |
        | {"type": "paypal", "credentials": {"api_key": "client"}}                             | credentials.api_secret |
        | {"type": "stripe", "credentials": {"api_key": "sk_test_1", "password": "x"}}         | credentials.password   |

    Scenario Outline: Credentials that the provider refuses
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "<type>", "credentials": <credentials>}
      Then it is refused: 422 authorization_failed
      And the refusal names "credentials.api_key"
      And the shop has no integration

      Examples:
        | type   | credentials                                 |
        | stripe | {"api_key": "sk_test_refused_1"}            |
        | paypal | {"api_key": "refused-1", "api_secret": "s"} |

    Scenario: Connecting a second account of a type
      Given a connected Stripe account
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "stripe", "credentials": {"api_key": "sk_test_other$slug"}}
      Then it is refused: 409 integration_exists

  Rule: What is connected can be looked at

    Scenario: Looking at it
      Given a connected Stripe account
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | id          | "$integration" |
        | status      | "connected"    |
        | credentials | absent         |
      When the merchant sends GET /v1/integrations
      Then the answer shows:
        | data.*.id  | ["$integration"] |
        | meta.total | 1                |
      When the merchant looks at the shop
      Then the answer shows:
        | integrations.*.type   | ["stripe"]    |
        | integrations.*.status | ["connected"] |

    Scenario Outline: Another shop does not see it
      Given a connected Stripe account
      And another shop that the merchant goes to
      When the merchant sends <request>
      Then it is refused: 404 integration_not_found

      Examples:
        | request                                                                 |
        | GET /v1/integrations/$integration                                       |
        | PUT /v1/integrations/$integration/credentials {"api_key": "sk_test_1"}  |
        | DELETE /v1/integrations/$integration                                    |
        | GET /v1/integrations/int_00000000000000000000000000                     |
        | GET /v1/integrations/nonsense                                           |

    Scenario Outline: Scopes
      Given a key "Clerk" with {"scopes": <scopes>, "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | scopes                | request                                                                                                  |
        | ["catalog:write"]     | GET /v1/integrations                                                                                     |
        | ["integrations:read"] | POST /v1/integrations/connect/api-key {"type": "stripe", "credentials": {"api_key": "sk_test_1"}}        |
        | ["integrations:read"] | PUT /v1/integrations/int_00000000000000000000000000/credentials {"api_key": "sk_test_1"}                 |
        | ["integrations:read"] | DELETE /v1/integrations/int_00000000000000000000000000                                                   |

  Rule: Credentials are replaced by others of the same account

    Scenario: Rotating a secret
      Given a connected PayPal account
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "client-$slug", "api_secret": "another"}
      Then the answer shows:
        | id          | "$integration" |
        | status      | "connected"    |
        | credentials | absent         |

    Scenario: Credentials of another account
      Given a connected Stripe account
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "sk_test_other$slug"}
      Then it is refused: 422 validation_error
      And the refusal names "api_key"

    Scenario: Credentials that are refused
      Given a connected Stripe account
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "sk_test_refused_1"}
      Then it is refused: 422 authorization_failed
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status | "connected" |

  Rule: Disconnecting forgets the credentials and keeps the history

    Scenario: Disconnecting
      Given a connected Stripe account
      When the merchant sends DELETE /v1/integrations/$integration
      Then it answers 204
      When the merchant sends GET /v1/integrations/$integration
      Then the answer shows:
        | status         | "disconnected" |
        | webhook.status | "none"         |
      When the merchant sends DELETE /v1/integrations/$integration
      Then it answers 204
      When the merchant sends PUT /v1/integrations/$integration/credentials {"api_key": "$stripe_key"}
      Then it is refused: 409 integration_disconnected

    Scenario: Connecting the same account again
      Given a connected Stripe account
      And the merchant sends DELETE /v1/integrations/$integration
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "stripe", "credentials": {"api_key": "$stripe_key"}}
      Then the answer shows:
        | id     | "$integration" |
        | status | "connected"    |

  Rule: Payments go through what is connected

    Scenario: A payment through Stripe
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account
      And a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays with a token granted to the account
      Then the payment succeeds
      And the account has received 1 payment

    Scenario: The sandbox's own tokens are none of Stripe's
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account
      And a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_outage_1"
      Then the answer shows:
        | status | "payment_failed" |

    Scenario: A payment after disconnecting
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account
      And the merchant sends DELETE /v1/integrations/$integration
      And a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_ok"
      Then the payment succeeds
      And the account has received 0 payments

  Rule: Only the provider is believed

    Scenario Outline: Calls to webhooks
      Given a connected Stripe account whose webhooks are signed with "whsec_$slug"
      When somebody calls <address> about a payment, signing it with "<secret>"
      Then it answers <status>

      Examples:
        | address                              | secret      | status |
        | $webhook                             | whsec_$slug | 200    |
        | $webhook                             | whsec_other | 401    |
        | $webhook                             |             | 401    |
        | /hooks/wh_00000000000000000000000000 | whsec_$slug | 404    |
        | /hooks/nonsense                      | whsec_$slug | 404    |

    Scenario: Calls after disconnecting
      Given a connected Stripe account whose webhooks are signed with "whsec_$slug"
      And the merchant sends DELETE /v1/integrations/$integration
      When somebody calls $webhook about a payment, signing it with "whsec_$slug"
      Then it answers 404

  Rule: A server that is not beside the merchant's systems goes to public addresses only

    Scenario Outline: Systems in places where no merchant's are
      When the merchant sends POST /v1/integrations/connect/api-key {"type": "custom", "credentials": {"api_key": "k"}, "config": {"base_url": "<url>"}}
      Then it is refused: 422 validation_error
      And the refusal names "config.base_url"
      And the shop has no integration

      Examples:
        | url                              |
        | http://erp.example.com           |
        | http://127.0.0.1:8095/custom     |
        | https://127.0.0.1:8095/custom    |
        | https://10.0.0.1/haggle          |
        | https://169.254.169.254/latest   |
        | https://[fd00::1]/haggle         |
        | https://[::ffff:10.0.0.1]/haggle |
