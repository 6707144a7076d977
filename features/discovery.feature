Feature: Discovery
  A buyer's agent learns what a shop offers, finds products by what is meant, looks at one, and asks whether
  it can be had.

  Rule: The manifest changes only when the shop does

    Scenario: A manifest that the buyer has read before
      Given a shop
      And a buyer reads the manifest
      When the buyer asks whether the manifest has changed
      Then it has not changed
      When the merchant sets the storefront's "description" to "New words"
      And the buyer asks whether the manifest has changed
      Then it has changed

    Scenario: A shop that does not exist
      When a buyer goes to a shop that does not exist
      Then it is refused, because there is no such shop

  Rule: Search finds by the meaning of words

    Background:
      Given a shop selling:
        | name               | price  | category         | brand    | stock | description                              | tags           | variants                        |
        | Trail Tent         | 249.00 | outdoor/tents    | Norrsken | 5     | Sleeps two people in the rain.           | waterproof     |                                 |
        | Family Tent        | 399.00 | outdoor/tents    | Lumi     | 5     | Room for six, with a porch.              |                |                                 |
        | Running Shoe Swift | 89.00  | shoes/running    | Lumi     | 5     | Light, for the road.                     |                | S/Red=2, M/Red=1, M/Blue=0      |
        | Hiking Boot Granit | 149.00 | shoes/hiking     | Norrsken | 5     | Ankle-high leather boot.                 | waterproof     | M/Brown=3, L/Black=2            |
        | Camp Stove         | 49.00  | outdoor/kitchen  | Ember    | 5     | Boils a litre in three minutes.          |                |                                 |

    Scenario Outline: What a query finds first
      When a buyer searches for "<query>"
      Then the first result is "<first>"

      Examples:
        | query                                | first              |
        | trail tents                          | Trail Tent         |
        | family tents                         | Family Tent        |
        | I want shoes to run in               | Running Shoe Swift |
        | hiking boots                         | Hiking Boot Granit |
        | BOOTS                                | Hiking Boot Granit |
        | something for cooking, a stove       | Camp Stove         |
        | ember                                | Camp Stove         |
        | lumi tent                            | Family Tent        |
        | kitchen                              | Camp Stove         |
        | waterproof boot                      | Hiking Boot Granit |
        | leather                              | Hiking Boot Granit |
        | red shoe                             | Running Shoe Swift |

    Scenario: Better matches score higher
      When a buyer searches for "waterproof tent"
      Then the scores never rise

    Scenario: No product matches
      When a buyer searches for "submarine"
      Then the search finds exactly nothing
      And the search recommends nothing

    Scenario: An empty query finds all products
      When a buyer searches for ""
      Then the search finds exactly "Trail Tent", "Family Tent", "Running Shoe Swift", "Hiking Boot Granit", "Camp Stove"

  Rule: Colors that the buyer likes come first

    Scenario Outline: Liked colors exclude nothing
      Given a shop selling:
        | name     | price | stock | variants   |
        | Tee Ada  | 20.00 | 5     | M/Red=3    |
        | Tee Bea  | 20.00 | 5     | M/Blue=3   |
        | Tee Cleo | 20.00 | 5     | M/Green=3  |
      When a buyer who likes "<color>" searches for "tee"
      Then the first result is "<first>"
      And the search has found 3 products

      Examples:
        | color | first    |
        | red   | Tee Ada  |
        | Blue  | Tee Bea  |
        | green | Tee Cleo |

  Rule: Products in stock come first

    Scenario: The better match is sold out
      Given a shop selling:
        | name              | price  | stock |
        | Tent              | 100.00 | 0     |
        | Tent with a porch | 100.00 | 3     |
      When a buyer searches for "tent"
      Then the search shows "Tent with a porch", "Tent" in this order
      And only "Tent" is shown as sold out

  Rule: Searches of one buyer belong together

    Scenario: A second search in the session
      Given a shop
      And a buyer who searched for "tent"
      When the buyer searches again for "stove"
      Then the session is the same

    Scenario: A session of another shop
      Given a shop
      And a buyer who searched for "tent"
      And another shop
      When the buyer goes on in the other shop
      Then it is refused, because the session belongs to another shop

  Rule: Related products are recommended

    Scenario: Related products
      Given a shop selling:
        | name       | price  | stock | related          |
        | Trail Tent | 500.00 | 20    | Ground Mat, Peg  |
        | Ground Mat | 100.00 | 20    |                  |
        | Peg        | 2.00   | 20    |                  |
      When a buyer searches for "tent"
      Then the search shows "Trail Tent" in this order
      And the search recommends "Ground Mat", "Peg" in this order

  Rule: A product's page shows a price for this buyer, and no limits of the policy

    Background:
      Given a shop selling:
        | name       | price   | cost   | stock |
        | Trail Tent | 1000.00 | 500.00 | 9     |

    Scenario: The likely range shows only a multiple of five
      When a buyer looks at the product
      Then the likely acceptance range begins at a multiple of five

    Scenario: An offer in the likely range
      Given a buyer who looks at the "Trail Tent"
      When the buyer offers the bottom of the likely range
      Then the merchant accepts the offer

    Scenario: A loyal buyer sees a lower price
      When a loyal buyer without hurry looks at the product
      Then the personalized price is below a stranger's

  Rule: A buyer learns how many it can have, and what shipping costs

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
        | Camp Stove | 40.00  | 0     |

    Scenario: Enough of them
      When a buyer asks for 2 of the "Trail Tent"
      Then the buyer can have them all
      And shipping costs 5.99

    Scenario: Some of them
      When a buyer asks for 6 of the "Trail Tent"
      Then the buyer can have only 5

    Scenario: None of them
      When a buyer asks for 1 of the "Camp Stove"
      Then the buyer can have none

    Scenario: Enough for free shipping
      Given the merchant sets the storefront's "free_shipping_threshold" to 200
      When a buyer asks for 2 of the "Trail Tent"
      Then shipping is free
