Feature: Webhooks of platforms
  A platform calls as its records change. Only signed calls are accepted, and each counts once.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: A change at the platform is a change in the shop

    Scenario Outline: Changed products and stock
      Given a connected <platform> account
      And the merchant has synced products and inventory
      And a webhook for "products/update"
      And a webhook for "inventory_levels/update"
      When <platform> reports 12 changes
      Then all 12 calls are accepted
      And within 20 seconds 12 calls are processed
      And the shop has what <platform> has
      And no answer contains a key or a token

      Examples:
        | platform |
        | custom   |
        | shopify  |

    Scenario Outline: Calls that are late, repeated, out of order and forged
      Given the platforms have 2 products
      And a connected <platform> account
      And the merchant has synced products and inventory
      And a webhook for "products/update"
      And a webhook for "inventory_levels/update"
      When <platform> reports 15 changes twice, late and out of order, and somebody forges each call
      Then all 30 calls are accepted
      And all 15 forged calls are rejected
      And within 20 seconds 15 calls are processed
      And within 20 seconds 15 calls are duplicate
      And within 20 seconds at least 5 calls are rejected
      And the shop has what <platform> has

      Examples:
        | platform |
        | custom   |
        | shopify  |

    Scenario: Deleted at the platform
      Given a connected custom account
      And the merchant has synced products and inventory
      And a product of custom
      And a webhook for "products/delete"
      When custom reports 12 changes
      Then all 12 calls are accepted
      And within 20 seconds 12 calls are processed
      And the shop has what custom has
      And buyers do not find it

    Scenario: A call after which stock is read
      Given a connected custom account
      And the merchant has synced
      And a webhook for "orders/create" that syncs inventory
      And 8 changes at custom: changed stock
      When custom reports 3 changes
      Then a sync of inventory alone has completed
      And the shop has what custom has

    Scenario: New products and their stock
      Given a connected custom account
      And the merchant has synced
      And a webhook for "products/create" that syncs inventory
      When custom reports 2 changes
      Then within 20 seconds 2 calls are processed
      And the shop has 14 products
      And within 20 seconds the shop has what custom has

    Scenario: An older report does not win
      Given a connected shopify account
      And the merchant has synced products and inventory
      And a webhook for "inventory_levels/update"
      When shopify reports a stock of 4321 as of 12:01, in the call "newer"
      Then within 20 seconds 1 call is processed
      When shopify reports a stock of 1234 as of 12:00, in the call "older"
      Then within 20 seconds 2 calls are processed
      When shopify reports a stock of 4321 as of 12:01, in the call "another"
      Then within 20 seconds 3 calls are processed
      When shopify reports a stock of 4321 as of 12:01, in the call "newer"
      Then within 20 seconds 1 call is duplicate
      And a stock of 4321 is known, and none of 1234

    Scenario: Stock of a product that is not known yet
      Given a connected shopify account
      And a webhook for "inventory_levels/update"
      When shopify reports a stock of 4321 as of 12:00, in the call "early"
      Then the call is accepted
      And within 20 seconds 1 call is waiting
      When the merchant has synced products
      Then within 20 seconds 1 call is processed
      And a stock of 4321 is known, and none of 1234

  Rule: Only signed calls are accepted

    Scenario: Somebody else's call
      Given a connected shopify account
      And a webhook for "products/update"
      When somebody calls in shopify's name
      Then the call is rejected
      And within 20 seconds 1 call is rejected
      And the shop has 0 products

    Scenario: After the webhook was removed
      Given a connected shopify account
      And a webhook for "products/update"
      And the merchant removes the webhook
      When shopify calls about a product
      Then the call finds no webhook
