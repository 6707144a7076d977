Feature: On sale
  What a shop at Shopify does not sell to everybody is not offered to buyers here, unless the merchant wants it.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: Products that are not on sale are archived

    Scenario Outline: By the kind of product
      Given the merchant syncs a Shopify shop with 2 products, one of them <kind>
      Then the shop sells only the other one
      When the merchant chooses to offer what is <kind>, and syncs
      Then the shop sells both
      When the merchant chooses not to offer what is <kind>, and syncs
      Then the one product is archived

      Examples:
        | kind                     |
        | unpublished              |
        | a gift card              |
        | sold by subscription only |

    Scenario: Digital goods of a platform need no shipping
      Given the merchant syncs a Shopify shop with 1 product, which is digital
      Then the shop sells it without shipping

    Scenario: Only Shopify has gift cards
      Given a connected custom account
      When the merchant chooses to offer what is a gift card
      Then it is refused, because only Shopify has this setting
