Feature: A model that knows what texts mean
  Where the merchant's server may ask an embedding model, a buyer finds what has none of its words. When the model
  does not answer, or answers nonsense, search goes on by words, and no buyer hears of it.

  Background:
    Given a server that asks a model what texts mean
    And a shop selling:
      | name           | price | category | brand  | stock | description        |
      | Herbal Shampoo | 9.00  | bath     | Verde  | 5     |                    |
      | Mint Soap      | 4.00  | bath     | Verde  | 5     |                    |
      | Paper Lantern  | 19.00 | garden   | Ember  | 5     |                    |

  Rule: What means the same is found without a common word

    Scenario: Close in meaning
      Given a search for "haircare" soon finds "Herbal Shampoo"
      Then the reasons for "Herbal Shampoo" include "close in meaning"
      And every result says why
      And the scores lie between 0 and 1, and fall with the rank among what is in stock

    Scenario: Words and meaning together
      Given a search for "haircare" soon finds "Herbal Shampoo"
      When a buyer searches for "verde haircare"
      Then the first result is "Herbal Shampoo"
      And the reasons for "Herbal Shampoo" include "brand Verde"
      And every result says why

    Scenario: Each query is asked about once
      Given a search for "haircare" soon finds "Herbal Shampoo"
      When a buyer searches for " HAIRCARE "
      Then the first result is "Herbal Shampoo"
      And the model was asked about "haircare" 1 time

    Scenario Outline: Meaning widens no filter
      Given a search for "haircare" soon finds "Herbal Shampoo"
      When a buyer searches for "haircare" with filters <filters>
      Then the search finds exactly <names>
      And the facets count what was found

      Examples:
        | filters                                | names            |
        | {"category": "bath", "price_max": 9}   | "Herbal Shampoo" |
        | {"category": "garden"}                 | nothing          |
        | {"price_max": 8.99}                    | nothing          |
        | {"size": "M"}                          | nothing          |
        | {"color_preference": ["green"]}        | nothing          |

    Scenario: What changes is read again
      Given a search for "haircare" soon finds "Herbal Shampoo"
      When the merchant changes the product with:
        """
        {"name": "Steel Flashlight", "category": "tools"}
        """
      Then a search for "haircare" soon finds nothing
      And a search for "headlamp" soon finds "Steel Flashlight"
      When the merchant changes the product with:
        """
        {"status": "archived"}
        """
      Then a search for "headlamp" finds nothing

    Scenario: What is sold out comes later
      Given a product with:
        """
        {"name": "Dry Shampoo", "sku": "DRY", "price": 8, "category": "bath", "brand": "Verde", "quantity": 5}
        """
      And a search for "haircare" soon finds "Herbal Shampoo", "Dry Shampoo"
      And the merchant has 0 of the "Herbal Shampoo" left
      When a buyer searches for "haircare"
      Then the answer shows:
        | results.*.name | ["Dry Shampoo", "Herbal Shampoo"] |
      Given the merchant has 5 of the "Herbal Shampoo" again
      And the merchant has 0 of the "Dry Shampoo" left
      When a buyer searches for "haircare"
      Then the answer shows:
        | results.*.name | ["Herbal Shampoo", "Dry Shampoo"] |

  Rule: A model that fails is survived, and used again when it is well

    Scenario Outline: Answers that are of no use
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint answers with {"kind": "<kind>", "times": -1}
      When a buyer searches for "herbal haircare"
      Then the first result is "Herbal Shampoo"
      And the reasons for "Herbal Shampoo" include "'herbal' in the name"
      When a buyer searches for "haircare"
      Then it answers 200
      And the search finds exactly nothing
      And a search for "luminaire" finds "Paper Lantern"
      When the model's endpoint is well again
      Then a search for "haircare" soon finds "Herbal Shampoo"
      And the reasons for "Herbal Shampoo" include "close in meaning"

      Examples:
        | kind        |
        | hang        |
        | error       |
        | throttle    |
        | wrong_size  |
        | wrong_count |
        | zeros       |
        | nan         |
        | huge        |
        | empty       |
        | garbage     |
        | page        |
        | endless     |
        | lost        |
        | redirect    |

    Scenario: A slow model makes no buyer wait, and its late answer is there for the next one
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint answers with {"kind": "slow", "ms": 1000, "times": -1}
      When a buyer searches for "herbal haircare"
      Then the first result is "Herbal Shampoo"
      When a buyer searches for "haircare"
      Then the search finds exactly nothing
      And a search for "haircare" soon finds "Herbal Shampoo"
      And the model was asked about "haircare" 1 time

    Scenario: Nobody is there
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint is down
      When a buyer searches for "haircare"
      Then the search finds exactly nothing
      When a buyer searches for "shampoo"
      Then the search finds exactly "Herbal Shampoo"
      And a search for "luminaire" finds "Paper Lantern"
      When the model's endpoint is back
      Then a search for "haircare" soon finds "Herbal Shampoo"

    Scenario Outline: Products that are written while the model fails
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint answers with {"kind": "<kind>", "times": 2, "match": "Steel Flashlight"}
      And a product with:
        """
        {"name": "Steel Flashlight", "sku": "FLASH", "price": 30, "category": "tools", "quantity": 5}
        """
      Then a search for "flashlight" finds "Steel Flashlight"
      And a search for "headlamp" soon finds "Steel Flashlight"
      And the reasons for "Steel Flashlight" include "close in meaning"

      Examples:
        | kind        |
        | error       |
        | throttle    |
        | garbage     |
        | zeros       |
        | lost        |
        | wrong_count |
        | wrong_size  |

    Scenario: The first answer of all has the wrong length
      Given the model's endpoint answers with {"kind": "wrong_size", "match": "First Lamp"}
      And a shop selling:
        | name        | price | stock |
        | First Lamp  | 10.00 | 5     |
      And the model is soon asked about "First Lamp"
      And a product with:
        """
        {"name": "Herbal Shampoo", "sku": "HERBAL", "price": 9, "quantity": 5}
        """
      When a buyer searches for "herbal haircare"
      Then the first result is "Herbal Shampoo"
      And a search for "lamp" finds "First Lamp"
