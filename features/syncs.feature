Feature: Syncs
  The server reads a platform's records into the shop: everything at first, and then what has changed.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: A sync reads all that the platform has, or what it is asked for

    Scenario: Everything of a system of the merchant's own
      Given a connected custom account
      When the merchant has synced
      Then 12 products were created
      And 0 stock levels were rejected
      And 8 customers were created
      And 6 orders were created
      And the shop has what custom has
      And no answer contains a key or a token

    Scenario: Everything of a Shopify shop
      Given a connected shopify account
      When the merchant has synced
      Then 12 products were created
      And 0 products were rejected
      And 0 stock levels were rejected
      And 8 customers were created
      And 6 orders were created
      And the shop has what shopify has
      Given 20 changes at shopify: changed products, new products, deleted products and changed stock
      When the merchant has synced everything again
      Then the shop has what shopify has
      And no answer contains a key or a token

    Scenario: Everything of a CRM
      Given a connected hubspot account
      When the merchant has synced
      Then 8 customers were created
      And 6 orders were created
      And no answer contains a key or a token

    Scenario: Products and stock only
      Given a connected custom account
      When the merchant has synced products and inventory
      Then the shop has what custom has

    Scenario: What is turned off is not read
      Given a connected custom account
      And the merchant turns off the reading of products and customers
      When the merchant has synced
      Then 6 orders were created
      And the shop has 0 products

    Scenario: A preview stores nothing
      Given a connected custom account
      When the merchant has previewed a sync
      Then 12 products would be created
      And 6 orders would be created
      And the shop has 0 products
      When the merchant has synced
      Then 12 products were created

  Rule: What is synced is sold

    Scenario: With the writing of orders turned off, the platform keeps its stock
      Given a connected custom account
      And the merchant turns off the writing of orders
      And the merchant has synced products and inventory
      And a product of custom
      Then buyers find it
      And buyers can have all that there is
      When a buyer orders 2 of it
      Then the shop has 2 fewer of it than custom
      When the merchant has synced inventory
      Then the shop has 2 fewer of it than custom
      When 1 change at custom: changed stock
      And the merchant has synced inventory
      Then the shop has 2 fewer of it than custom

    Scenario Outline: An order of a buyer lowers the stock at the platform, too
      Given a connected <platform> account
      And the merchant has synced products and inventory
      And a product of <platform>
      When a buyer orders 2 of it
      Then <platform> and the shop have 2 fewer of it than before
      When the merchant has synced inventory
      Then <platform> and the shop have 2 fewer of it than before

      Examples:
        | platform    |
        | shopify     |
        | woocommerce |
        | custom      |

    Scenario: An order of a buyer is a deal in the CRM, too
      Given a connected hubspot account
      And a connected shopify account
      And the merchant has synced products and inventory
      And a product of shopify
      When a buyer orders 2 of it
      Then hubspot has the order as one deal that is won
      And shopify and the shop have 2 fewer of it than before
      When the merchant cancels the order
      Then hubspot has the order as one deal that is lost

    Scenario: Sold out at the platform, and in stock again
      Given the platforms have 1 product
      And a connected shopify account
      And the merchant has synced products and inventory
      And a product of shopify
      And a webhook for "inventory_levels/update"
      When shopify reports that 0 of it are left at the first location
      And shopify reports that 0 of it are left at the second location
      Then within 10 seconds buyers can have 0 of it
      When shopify reports that 9 of it are left at the second location
      Then within 10 seconds buyers can have 9 of it

    Scenario: A product of the shop with the platform's SKU becomes the platform's
      Given a connected custom account
      And the merchant has synced
      And a product of custom
      And another shop that the merchant goes to
      And the merchant already sells a product with its SKU
      And a connected custom account
      When the merchant has synced
      Then 11 products were created
      And 1 product was updated
      And the shop has what custom has
      And the shop has 12 products
      And the product that the merchant sold before is one of custom's

  Rule: A later sync reads what has changed

    Scenario: Changes
      Given a connected custom account
      And the merchant has synced
      And 30 changes at custom: changed products, new products, changed stock, changed customers and new orders
      When the merchant has synced
      Then at least 1 product was created
      And at least 1 product was updated
      And at least 1 order was created
      And the shop has what custom has

    Scenario: No changes
      Given a connected custom account
      And the merchant has synced
      When the merchant has synced everything again
      Then 12 products were left unchanged
      And 0 products were updated
      And 8 customers were left unchanged
      And 6 orders were left unchanged
      And the shop has what custom has

    Scenario: What the merchant has edited stays until everything is read again
      Given the platforms have 1 product
      And a connected custom account
      And the merchant has synced
      And a product of custom
      And the merchant names the product "Our own name" and describes it as "Our own words"
      And custom changes its name, texts and price
      When the merchant has synced
      Then the product is named "Our own name" and described as "Our own words"
      When the merchant has synced everything again
      Then the shop has what custom has
      And the product has custom's description

    Scenario: What both sides have changed is shown as a conflict
      Given the platforms have 1 product
      And a connected custom account
      And the merchant has synced
      And a product of custom
      And the merchant changes the product's price, category and brand
      And custom changes its name, texts and price
      When the merchant has synced
      Then 1 conflict about the price is shown, which the shop's price wins
      When the merchant has synced everything again
      Then 1 conflict about the price is shown, which the platform's price wins

    Scenario: What the platform deletes is archived
      Given the platforms have 3 products
      And a connected custom account
      And the merchant has synced
      And 1 change at custom: deleted products
      When the merchant has synced all products again
      Then 1 product was updated
      And 2 products were left unchanged
      And the shop has what custom has
      And 1 product is archived

    Scenario: A sync of changes reads deletions, too
      Given a connected custom account
      And the merchant has synced
      And a product of custom
      And 3 changes at custom: deleted products
      When the merchant has synced
      Then the shop has what custom has
      And the shop has 12 products

    Scenario: If most products are gone, the sync fails instead of archiving them
      Given the platforms have 24 products
      And a connected custom account
      And the merchant has synced
      And 14 changes at custom: deleted products
      When the merchant starts to sync all products again
      Then the sync fails with an error about "14 of 24"
      And at most 3 products are archived

  Rule: One bad record does not stop the others

    Scenario: Products without a usable name or price
      Given a connected custom account
      And custom sends 2 products with a bad price
      And custom sends 1 product without a name
      When the merchant has synced products
      Then 9 products were created
      And 3 products were rejected

    Scenario: Two products with one SKU
      Given a connected custom account
      And custom sends 1 product with another's SKU
      When the merchant has synced products
      Then 11 products were created
      And 1 product was rejected

    Scenario: A stock below zero counts as none
      Given a connected custom account
      And custom sends 3 stock levels below zero
      When the merchant has synced products and inventory
      Then 0 stock levels were rejected
      And the shop has what custom has

  Rule: One sync runs at a time, and can be canceled

    Scenario: One at a time
      Given a connected custom account
      And custom is slow
      And the merchant starts a sync
      Then no other sync can be started
      When the merchant cancels the sync
      And the platforms are well again
      And the merchant has synced
      Then the shop has what custom has

    Scenario: Starting at once
      Given a connected custom account
      And custom is slow
      When the merchant starts a sync 8 times at once
      Then 1 sync runs, and 7 are refused

  Rule: A platform that fails for a while is read all the same

    Scenario Outline: Failures that pass
      Given a connected <platform> account
      And <platform> <fails> when it is asked for <resource>
      When the merchant has synced <resource>
      Then <number> <resource> were created
      And 0 <resource> were rejected

      Examples:
        | platform | resource  | number | fails                     |
        | custom   | products  | 12     | once limits the rate      |
        | custom   | products  | 12     | once fails                |
        | custom   | orders    | 6      | once sends garbage        |
        | custom   | customers | 8      | once answers late         |
        | custom   | customers | 8      | once loses its answer     |
        | shopify  | customers | 8      | once refuses the cost     |
        | hubspot  | customers | 8      | once limits the rate      |
        | hubspot  | orders    | 6      | once has a bad gateway    |

    Scenario: Stale tokens are refreshed
      Given the platforms' tokens last a second
      And a connected hubspot account
      When the merchant has synced
      Then 8 customers were created
      And the integration is connected
      And no answer contains a key or a token

  Rule: A failure that does not pass ends the sync, and is announced

    Scenario: Pages that lead in a circle
      Given a subscription to ["sync.failed", "sync.completed"]
      And a connected custom account
      And custom sends its pages in a circle
      When the merchant starts a sync
      Then the sync fails with an error about "loop"
      And 1 event "sync.failed" arrives, signed
      And no event "sync.completed" arrived
      And the integration is connected

    Scenario: A sync that has completed
      Given a subscription to ["sync.failed", "sync.completed"]
      And a connected custom account
      When the merchant has synced customers and orders
      Then 1 event "sync.completed" arrives, signed
      And no event "sync.failed" arrived

    Scenario: A key that has become invalid
      Given a subscription to ["integration.error"]
      And a connected custom account
      And custom no longer accepts the key
      When the merchant starts a sync
      Then the sync fails
      And 1 event "integration.error" arrives, signed
      And the integration has an error
      When the platforms are well again
      And the merchant replaces the key
      Then the integration is connected
      When the merchant has synced
      Then the shop has what custom has

    Scenario: Consent that is withdrawn
      Given a subscription to ["integration.error"]
      And a connected hubspot account
      And hubspot withdraws the access
      When the merchant starts a sync
      Then the sync fails
      And 1 event "integration.error" arrives, signed
      And the integration has an error
      When the merchant begins to connect hubspot
      And the merchant consents at the platform
      And the merchant returns from the platform
      Then the integration is connected
      And the merchant has synced
