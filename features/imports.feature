Feature: Imports
  A merchant sends a file of products. The server imports it in the background, as far as it is right, and reports what it
  refused and why.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |

  Rule: A file is imported as far as it is right

    Scenario: A price with a comma is refused
      When the merchant imports a file:
        | sku | name | price | quantity |
        | M-1 | Mug  | 12.50 | 3        |
        | M-2 | Mat  | 12,50 | 3        |
      Then the import has created 1 product and refused 1
      And the shop has 2 products

    Scenario: A dry run stores nothing
      When the merchant imports a file as a dry run:
        | sku | name | price |
        | M-1 | Mug  | 12.50 |
      Then the import has created 1 product and refused 0
      And the shop has 1 product

    Scenario: A second import changes only what differs
      Given the merchant has imported a file:
        | sku | name | price | quantity |
        | M-1 | Mug  | 12.50 | 3        |
        | M-2 | Mat  | 5     | 1        |
      Then the import has created 2 products and refused 0
      When the merchant imports a file:
        | sku | name | price | quantity |
        | M-1 | Mug  | 12.50 | 3        |
        | M-2 | Mat  | 5     | 2        |
      Then the import has changed 1 product and left 1 as it was

    Scenario: An import that has ended cannot be canceled
      Given the merchant has imported a file:
        | sku | name | price |
        | M-1 | Mug  | 12.50 |
      When the merchant cancels the import
      Then it is refused, because the import has ended

  Rule: Those who may change the catalog see imports, and no market runs

    Scenario: A key for the catalog
      Given a key "Clerk" that may only change this shop's catalog
      When the merchant imports a file:
        | sku | name | price |
        | M-1 | Mug  | 12.50 |
      And the merchant starts a market run with 50 buyers
      Then the holder of "Clerk" sees the import, and neither sees nor cancels the market run
