Feature: On sale
  What a shop at Shopify does not sell to everybody is not offered to buyers here, unless the merchant wants it.

  Background:
    Given a merchant with platforms
    And a shop

  Rule: Products that are not on sale are archived

    Scenario Outline: By the kind of product
      Given the merchant moves to other platforms that hold {"products": 2, "seed": 2, "<hidden>": ["DP-00001"]}
      And a connected shopify account
      And the merchant has synced with {"full_sync": true}
      When the merchant sends GET /v1/catalog/products?status=active
      Then the answer shows:
        | data.*.sku | ["BP-00002"] |
      When the merchant sends PATCH /v1/integrations/$integration {"config": {"<setting>": true}}
      Then the answer shows:
        | config.<setting> | true |
      Given the merchant has synced with {"full_sync": true}
      When the merchant sends GET /v1/catalog/products?status=active
      Then the answer shows:
        | data.# | 2 |
      When the merchant sends PATCH /v1/integrations/$integration {"config": {"<setting>": false}}
      And the merchant has synced with {"full_sync": true}
      When the merchant sends GET /v1/catalog/products?status=archived
      Then the answer shows:
        | data.*.sku | ["DP-00001"] |

      Examples:
        | hidden             | setting                 |
        | ShopifyUnpublished | offer_unpublished       |
        | ShopifyGiftCards   | offer_gift_cards        |
        | ShopifySubscribed  | offer_subscription_only |

    Scenario: Digital goods of a platform
      Given the merchant moves to other platforms that hold {"products": 1, "seed": 2, "Digital": ["DP-00001"]}
      And a connected shopify account
      And the merchant has synced with {"full_sync": true}
      When the merchant sends GET /v1/catalog/products?status=active
      Then the answer shows:
        | data.*.variants.*.requires_shipping | [[false]] |

    Scenario: Settings of Shopify alone
      Given a connected custom account
      When the merchant sends PATCH /v1/integrations/$integration {"config": {"offer_gift_cards": true}}
      Then it is refused: 422 validation_error
      And the refusal names "config.offer_gift_cards"
