Feature: Catalog
  A merchant keeps the products of a shop: what they are, what they cost, and how many there are of each
  variant at each location.

  Rule: Only those who may see policies see which prices a policy allows

    Scenario: The merchant sees the lowest and the target price
      Given a shop selling:
        | name       | price  | cost  | stock |
        | Trail Tent | 100.00 | 50.00 | 7     |
      When the merchant lists products with the prices that the policy allows
      Then the policy allows 80.00 and aims at 88.50 for a list price of 100.00

    Scenario: A key for the catalog alone
      Given a merchant with an account of its own
      And a shop
      And a key "Stock" that may only read this shop's catalog
      When the holder of "Stock" lists products with the prices that the policy allows
      Then it is refused, because the key may not do this

  Rule: Prices have the decimals of the shop's currency

    Scenario Outline: Decimals of a price
      Given a shop whose default_currency is "<currency>"
      When the merchant creates a product for <price>
      Then <outcome>

      Examples:
        | currency | price  | outcome              |
        | JPY      | 1200   | the shop has it      |
        | JPY      | 1200.5 | its price is refused |
        | BHD      | 12.125 | the shop has it      |
        | BHD      | 1.0005 | its price is refused |
        | USD      | 49.9   | the shop has it      |
        | USD      | 49.900 | the shop has it      |

  Rule: A SKU belongs to one product of a shop

    Background:
      Given a shop selling:
        | name       | sku  | price  |
        | Trail Tent | TENT | 100.00 |

    Scenario: A SKU that is in use
      When the merchant creates a product with the SKU "TENT"
      Then it is refused, because the SKU is taken

    Scenario: Another shop has SKUs of its own
      Given another shop
      When the merchant creates a product with the SKU "TENT" in the other shop
      Then the shop has it

  Rule: A deleted product is gone for the merchant and for buyers

    Scenario: Deleting
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a buyer who looks at the "Trail Tent"
      When the merchant deletes the product
      Then the merchant no longer finds the product
      And buyers no longer find the product
      And a search for "tent" finds nothing

    Scenario: A product of another shop cannot be found
      Given a shop selling:
        | name       | price  |
        | Trail Tent | 100.00 |
      And another shop
      When the merchant looks for the product in the other shop
      Then it is refused, because there is no such product

  Rule: A batch holds up to a thousand products

    Scenario: A thousand
      Given a shop
      When the merchant uploads 1000 products
      Then the shop has 1000 products

    Scenario: One more
      Given a shop
      When the merchant uploads 1001 products
      Then it is refused, because there are too many products
      And the shop has 0 products

  Rule: Stock is kept by variant and location, and never falls below zero

    Background:
      Given a shop selling:
        | name       | sku   | price  | stock |
        | Trail Tent | TENT  | 100.00 | 5     |
        | Camp Stove | STOVE | 50.00  | 0     |

    Scenario: Counting the stock
      When the merchant counts the stock:
        | sku   | location | quantity |
        | TENT  | main     | 9        |
        | TENT  | berlin   | 4        |
        | STOVE |          | 2        |
      Then there are 13 of the "Trail Tent"
      And there are 2 of the "Camp Stove"
      And buyers can have 13 of the "Trail Tent"

    Scenario: Adding and removing stock
      When the merchant adjusts the stock:
        | sku   | by | reason   |
        | TENT  | -2 | Damaged  |
        | STOVE | 7  | Delivery |
      Then there are 3 of the "Trail Tent"
      And there are 7 of the "Camp Stove"

    Scenario: An adjustment below zero changes no stock
      When the merchant adjusts the stock:
        | sku   | by |
        | STOVE | 1  |
        | TENT  | -6 |
      Then it is refused, because there is too little stock
      And there are 5 of the "Trail Tent"
      And there are 0 of the "Camp Stove"

    Scenario: Several adjustments at the same time
      When the merchant takes 1 of the "TENT" 12 times at once
      Then 5 of them succeed, and 7 find too little stock
      And there are 0 of the "Trail Tent"

  Rule: Buyers find a product as soon as it is stored

    Scenario: Created, renamed, archived
      Given a shop
      And a buyer who searched for "lantern" in vain
      When the merchant creates the product "Storm Lantern"
      Then a search for "lantern" finds "Storm Lantern"
      When the merchant renames the product to "Gas Torch"
      Then a search for "lantern" finds nothing
      And a search for "torch" finds "Gas Torch"
      When the merchant archives the product
      Then a search for "torch" finds nothing

    Scenario: A batch
      Given a shop
      And a buyer who searched for "lantern" in vain
      When the merchant uploads products:
        | name          | price |
        | Storm Lantern | 30.00 |
      Then a search for "lantern" finds "Storm Lantern"
