Feature: The search index
  A merchant sees whether buyers' searches know the whole catalogue yet. Indexes live in memory: the first search
  builds one.

  Scenario: A shop that sells nothing yet
    Given a shop
    When the merchant sends GET /v1/catalog/search-index
    Then it answers 200
    And the answer shows:
      | status          | "ready"                                                              |
      | catalog_version | 0                                                                    |
      | indexed_version | 0                                                                    |
      | products        | 0                                                                    |
      | vectors         | {"source": null, "model": null, "embedded": 0, "pending": 0}         |
      | embedding_error | null                                                                 |
      | memory_bytes    | 0                                                                    |
      | left_out        | []                                                                   |

  Scenario: The first search builds it, and changes get in
    Given a shop with 7 products
    Then the search index is idle with 0 products
    And the search index is idle with 0 products
    Given a buyer who searched for "product"
    Then the search index is ready with 7 products
    When the merchant creates a product with:
      """
      {"name": "Late Mug", "sku": "LATE", "price": 10, "category": "things"}
      """
    Then the search index is ready with 8 products
    When the merchant deletes the product
    Then the search index is ready with 7 products

  Scenario: What the catalogue itself teaches
    Given a shop with products of 8 kinds in 8 colours
    And a buyer who searched for "red mug"
    Then the search index soon compares meanings by "catalogue"
