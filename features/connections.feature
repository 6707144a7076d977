Feature: Connecting platforms
  A merchant connects the systems that hold its data: by consent at the platform, or by a key.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: A platform is connected by the consent of the account's owner

    Scenario Outline: Consenting
      When the merchant begins to connect <platform>
      And the merchant consents at the platform
      And the merchant returns from the platform
      Then <platform> is connected
      And no answer contains a key or a token

      Examples:
        | platform |
        | hubspot  |
        | shopify  |

    Scenario: Connecting a Shopify shop that is chosen at Shopify
      When the merchant begins to connect shopify
      And the merchant consents at the platform
      And the merchant returns from the platform
      Then the Shopify shop "trailhead-outfitters.myshopify.com" is connected

    Scenario: Declining
      Given the merchant begins to connect hubspot
      And the merchant denies consent at the platform
      When the merchant returns from the platform
      Then nothing is connected, because consent was denied

    Scenario: A platform that does not answer
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      And hubspot is down
      When the merchant returns from the platform
      Then nothing is connected, because the platform does not answer

  Rule: A callback counts only if the platform has signed it

    Scenario Outline: Callbacks that somebody has changed
      Given the merchant begins to connect shopify for "trailhead-outfitters.myshopify.com"
      And the merchant consents at the platform
      And the callback's "<name>" is changed to "<value>"
      When the merchant returns from the platform
      Then nothing is connected, because <reason>

      Examples:
        | name      | value                 | reason                                  |
        | hmac      | 00                    | the platform has not signed it          |
        | timestamp | 1700000000            | the platform has not signed it          |
        | shop      | another.myshopify.com | consent was asked for something else    |
        | shop      | evil.example.com      | it is not about a Shopify shop          |

    Scenario: A callback about a shop that was not asked for
      Given the merchant begins to connect shopify for "another.myshopify.com"
      And the merchant consents at the platform
      When the merchant returns from the platform
      Then nothing is connected, because consent was asked for something else

  Rule: A consent connects one account, once, to the shop that asked for it

    Scenario: Using a consent twice
      Given a connected hubspot account
      When the merchant returns from the platform
      Then the consent cannot be used again

    Scenario: Using a consent twenty times at once
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      When the merchant returns from the platform 20 times at once
      Then 1 of the 20 connects hubspot, and the others are refused

    Scenario: The consent of another shop
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      And another shop that the merchant goes to
      When the merchant returns from the platform
      Then nothing is connected, because consent was asked for something else

    Scenario: The consent of another merchant
      Given the merchant begins to connect hubspot
      And the merchant consents at the platform
      And a merchant with an account of its own
      And a shop
      When the merchant returns from the platform
      Then nothing is connected, because consent was asked for something else

  Rule: A shop connects one account of a platform, and can connect it again

    Scenario: Consenting again
      Given a connected shopify account
      And the merchant names the integration "Our shop"
      And shopify withdraws the access
      When the merchant begins to connect shopify
      And the merchant consents at the platform
      And the merchant returns from the platform
      Then the only integration is "Our shop", and it is connected
      And the merchant has synced customers

    Scenario: Consenting for another account
      Given a connected shopify account
      And the merchant moves to another Shopify shop
      When the merchant begins to connect shopify
      And the merchant consents at the platform
      And the merchant returns from the platform
      Then it is refused, because another account is connected

    Scenario: Connecting again what was disconnected
      Given a connected hubspot account
      And the merchant names the integration "Our CRM"
      And the merchant disconnects the integration
      When the merchant begins to connect hubspot
      And the merchant consents at the platform
      And the merchant returns from the platform
      Then the only integration is "Our CRM", and it is connected

  Rule: A disconnected platform is left alone

    Scenario: Disconnecting during a sync
      Given a connected custom account
      And a webhook for "products/update"
      And a webhook for "inventory_levels/update"
      And custom is slow
      And the merchant starts a sync
      When the merchant disconnects the integration
      Then custom knows 0 webhooks
      And the sync is canceled

    Scenario: Calls after disconnecting
      Given a connected shopify account
      And a webhook for "products/update"
      And the merchant disconnects the integration
      And shopify knows 0 webhooks
      When shopify calls about a product
      Then the call finds no webhook

    Scenario: Connecting again reuses the products that were synced
      Given a connected custom account
      And the merchant has synced
      And the merchant disconnects the integration
      And a connected custom account
      And 10 changes at custom: changed products, new products and changed stock
      When the merchant has synced everything again
      Then at most 9 products were created
      And the shop has what custom has

    Scenario: Synced products stay in the shop
      Given a connected custom account
      And the merchant has synced
      And a product of custom
      And the merchant disconnects the integration
      Then buyers find it
