Feature: What the merchant changes in search
  A merchant's synonyms, products and related products show in the buyers' next search.

  Rule: The merchant says which words mean the same

    Background:
      Given a shop selling:
        | name              | price  | category    | stock |
        | Velvet Sofa       | 899.00 | furniture   | 5     |
        | Floor Lamp        | 89.00  | lights      | 5     |
        | Mobile Nova       | 399.00 | electronics | 5     |
        | Prepaid Cell Card | 10.00  | electronics | 5     |
        | Desk Phone        | 49.00  | electronics | 5     |
        | Zibble            | 9.00   | toys        | 5     |

    Scenario: From the first synonym to the last
      Then a search for "plonkar" finds nothing
      Given "plonkar" means "sofa" in this shop
      Then a search for "plonkar" finds "Velvet Sofa"
      And the reasons for "Velvet Sofa" include "'plonkar' understood as 'sofa'"
      When the merchant lets "plonkar" mean "lamp" instead
      Then a search for "plonkar" finds "Floor Lamp"
      When the merchant replaces all synonyms by the pair "zibble", "plonkar"
      Then a search for "plonkar" finds "Zibble"
      When the merchant replaces all synonyms by none
      Then a search for "plonkar" finds nothing
      Given "plonkar", "lamp" mean the same in this shop
      Then a search for "plonkar" finds "Floor Lamp"
      When the merchant deletes the synonym for "plonkar"
      Then a search for "plonkar" finds nothing

    Scenario: One way
      Given "mobile" means "zibble" in this shop
      Then a search for "mobile" finds "Mobile Nova", "Zibble"
      And a search for "zibble" finds "Zibble"

    Scenario: Both ways
      Given "mobile", "zibble" mean the same in this shop
      Then a search for "mobile" finds "Mobile Nova", "Zibble"
      And a search for "zibble" finds "Mobile Nova", "Zibble"

    Scenario: Several words for one, and one for several
      Given "cell phone", "mobile" mean the same in this shop
      When a buyer searches for "cell phone"
      Then the first result is "Mobile Nova"
      And the reasons for "Mobile Nova" include "understood as 'mobile'"
      When a buyer searches for "cheap cell phones"
      Then the first result is "Mobile Nova"
      Then a search for "cell" finds "Prepaid Cell Card"
      And a search for "phone cell" finds "Desk Phone", "Prepaid Cell Card"

    Scenario: One for several words of a product
      Given "settle" means "velvet sofa" in this shop
      Then a search for "settle" finds "Velvet Sofa"
      Given the shop also sells:
        | name           | price | stock |
        | Velvet Cushion | 19.00 | 5     |
      Then a search for "settle" finds "Velvet Sofa"

    Scenario: In any letters, and with numbers
      Given the shop also sells:
        | name                 | price  | stock |
        | Zelt für Drei        | 199.00 | 5     |
        | Mattress 60 x 80 in. | 599.00 | 5     |
      And "ZELT", "Schirmchen" mean the same in this shop
      And "queen size" means "60x80" in this shop
      Then a search for "schirmchen" finds "Zelt für Drei"
      And a search for "Queen-Size mattresses" finds "Mattress 60 x 80 in."
      And a search for "queen size" finds "Mattress 60 x 80 in."

    Scenario: A synonym is not corrected as a misspelling
      Given "sofas bed" means "zibble" in this shop
      And "zibbla" means "lamp" in this shop
      Then a search for "zibbla" finds "Floor Lamp"

    Scenario: Another shop has synonyms of its own
      Given "plonkar" means "sofa" in this shop
      And a shop selling:
        | name      | price | stock |
        | Grey Sofa | 10.00 | 5     |
      Then a search for "plonkar" finds nothing

  Rule: A change of a product shows in the next search

    Background:
      Given a shop selling:
        | name        | price  | category | brand | stock | description   |
        | Trail Tent  | 249.00 | outdoor  | Lumi  | 5     | Sleeps two.   |
        | Family Tent | 399.00 | outdoor  | Lumi  | 5     | Room for six. |

    Scenario: A price
      When the merchant lowers the price of the "Family Tent" to 99.5
      And a buyer searches for "tent" up to 100
      Then the search finds exactly "Family Tent"
      And the first result costs 99.5
      And the facets count what was found
      When the merchant lowers the price of the "Family Tent" to 1099
      And a buyer searches for "tent" up to 1098.99
      Then the search finds exactly "Trail Tent"

    Scenario: Name, brand and category
      Then a search for "wigwam" finds nothing
      When the merchant changes the product to:
        | name         | brand    | category        |
        | Trail Wigwam | Norrsken | outdoor/wigwams |
      Then a search for "wigwam" finds "Trail Wigwam"
      And a search for "tent" shows "Family Tent" before "Trail Wigwam" or without it
      When a buyer searches for "" in the category "outdoor/wigwams"
      Then the search finds exactly "Trail Wigwam"
      And the facets count what was found

    Scenario: Colors and sizes
      When the merchant changes the product to:
        | variants   |
        | XXL/Teal=2 |
      And a buyer searches for "teal tent" in the color "teal" in size "xxl"
      Then the search finds exactly "Trail Tent"
      And the facets count what was found

    Scenario: An archived product
      When the merchant archives the product
      Then a search for "tent" finds "Family Tent"
      And a search for "trail" finds nothing
      When a buyer searches for ""
      Then the facets count what was found
      And the search has found 1 product
      When the merchant sells the product again
      Then a search for "trail" finds "Trail Tent"

    Scenario: A deleted product
      When the merchant deletes the product
      Then a search for "tent" finds "Family Tent"
      And a search for "trail" finds nothing

    Scenario: A new product
      When the merchant creates the product "Snow Igloo"
      Then a search for "igloo" finds "Snow Igloo"

  Rule: Products that go with the first result are recommended

    Background:
      Given a shop selling:
        | name         | price  | category        | brand    | stock | related              |
        | Trail Tent   | 500.00 | outdoor/tents   | Norrsken | 20    | Ground Mat, Gone Mat |
        | Family Tent  | 700.00 | outdoor/tents   | Norrsken | 20    |                      |
        | Ground Mat   | 50.00  | bedroom         | Ember    | 20    |                      |
        | Gone Mat     | 50.00  | bedroom         | Ember    | 0     |                      |
        | Camp Stove   | 80.00  | outdoor/kitchen | Ember    | 20    |                      |
        | Camp Lantern | 40.00  | outdoor/lights  | Norrsken | 20    |                      |
        | Night Mask   | 10.00  | bedroom         | Norrsken | 20    |                      |

    Scenario: Related products first, then neighboring categories, the same brand first
      When a buyer searches for "trail tent"
      Then the first result is "Trail Tent"
      And the search recommends "Ground Mat", "Camp Lantern", "Camp Stove" in this order, each with a bundle discount

    Scenario: Without related products, those of neighboring categories
      When a buyer searches for "family tent"
      Then the first result is "Family Tent"
      And the search recommends "Camp Lantern", "Camp Stove" in this order

    Scenario: Products without stock are not recommended
      Given the merchant has 0 of the "Ground Mat" left
      And the merchant has 0 of the "Camp Lantern" left
      When a buyer searches for "trail tent"
      Then the search recommends "Camp Stove" in this order

    Scenario: A product whose last piece was just sold is not recommended
      Given the merchant has 1 of the "Camp Lantern" left
      And a buyer who ordered 1 of the "Camp Lantern"
      When a buyer searches for "trail tent"
      Then the search recommends "Ground Mat", "Camp Stove" in this order

    Scenario: A shop that gives no discounts on bundles
      Given the merchant sets "commerce.bundle_suggestions" to false
      When a buyer searches for "trail tent"
      Then the search recommends "Ground Mat", "Camp Lantern", "Camp Stove" in this order, none with a bundle discount
