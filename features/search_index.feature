Feature: The search index
  A merchant sees whether buyers' searches know the whole catalogue yet. Indexes are kept in memory: the first search
  builds one.

  Scenario: The first search builds the index, and later changes are added to it
    Given a shop with 7 products
    Then the search index is idle with 0 products
    And the search index is idle with 0 products
    Given a buyer who searched for "product"
    Then the search index is ready with 7 products
    When the merchant adds the "Late Mug" (things) for 10
    Then the search index is ready with 8 products
    When the merchant deletes the product
    Then the search index is ready with 7 products

  Scenario: Meanings are learned from the catalogue itself
    Given a shop with products of 8 kinds in 8 colours
    And a buyer who searched for "red mug"
    Then the search index soon compares meanings by "catalogue"
