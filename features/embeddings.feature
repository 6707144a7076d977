Feature: A model that knows what texts mean
  Where the merchant's server may ask an embedding model, a buyer finds products that contain none of the words of the
  query. When the model does not answer, or answers nonsense, search goes on by words, and no buyer notices.

  Background:
    Given a server that asks a model what texts mean
    And a shop selling:
      | name           | price | category | brand  | stock | description        |
      | Herbal Shampoo | 9.00  | bath     | Verde  | 5     |                    |
      | Mint Soap      | 4.00  | bath     | Verde  | 5     |                    |
      | Paper Lantern  | 19.00 | garden   | Ember  | 5     |                    |

  Rule: A product of the same meaning is found without a common word

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

    Scenario: The model is asked once about a query
      Given a search for "haircare" soon finds "Herbal Shampoo"
      When a buyer searches for " HAIRCARE "
      Then the first result is "Herbal Shampoo"
      And the model was asked about "haircare" 1 time

    Scenario: A changed product is embedded again
      Given a search for "haircare" soon finds "Herbal Shampoo"
      When the merchant turns the product into the "Steel Flashlight" (tools)
      Then a search for "haircare" soon finds nothing
      And a search for "headlamp" soon finds "Steel Flashlight"
      When the merchant takes the product off sale
      Then a search for "headlamp" finds nothing

    Scenario: Products that are sold out come last
      Given the merchant adds the "Dry Shampoo" (bath, Verde) for 8
      And a search for "haircare" soon finds "Herbal Shampoo", "Dry Shampoo"
      And the merchant has 0 of the "Herbal Shampoo" left
      When a buyer searches for "haircare"
      Then the results by meaning are, in order: "Dry Shampoo", "Herbal Shampoo"
      Given the merchant has 5 of the "Herbal Shampoo" again
      And the merchant has 0 of the "Dry Shampoo" left
      When a buyer searches for "haircare"
      Then the results by meaning are, in order: "Herbal Shampoo", "Dry Shampoo"

  Rule: Search survives a model that fails, and uses it again when it works

    Scenario Outline: Useless answers
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint always fails with "<fault>"
      When a buyer searches for "herbal haircare"
      Then the first result is "Herbal Shampoo"
      And the reasons for "Herbal Shampoo" include "'herbal' in the name"
      When a buyer searches for "haircare"
      Then the search finds exactly nothing
      And a search for "luminaire" finds "Paper Lantern"
      When the model's endpoint works again
      Then a search for "haircare" soon finds "Herbal Shampoo"
      And the reasons for "Herbal Shampoo" include "close in meaning"

      Examples:
        | fault       |
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

    Scenario: A slow model makes no buyer wait, and its late answer is used for the next search
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint takes 1 second for each answer
      When a buyer searches for "herbal haircare"
      Then the first result is "Herbal Shampoo"
      When a buyer searches for "haircare"
      Then the search finds exactly nothing
      And a search for "haircare" soon finds "Herbal Shampoo"
      And the model was asked about "haircare" 1 time

    Scenario: The endpoint cannot be reached
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint is down
      When a buyer searches for "haircare"
      Then the search finds exactly nothing
      When a buyer searches for "shampoo"
      Then the search finds exactly "Herbal Shampoo"
      And a search for "luminaire" finds "Paper Lantern"
      When the model's endpoint is back
      Then a search for "haircare" soon finds "Herbal Shampoo"

    Scenario Outline: Products that are added while the model fails
      Given a search for "luminaire" soon finds "Paper Lantern"
      And the model's endpoint fails twice with "<fault>" about the "Steel Flashlight"
      And the merchant adds the "Steel Flashlight" (tools) for 30
      Then a search for "flashlight" finds "Steel Flashlight"
      And a search for "headlamp" soon finds "Steel Flashlight"
      And the reasons for "Steel Flashlight" include "close in meaning"

      Examples:
        | fault       |
        | error       |
        | throttle    |
        | garbage     |
        | zeros       |
        | lost        |
        | wrong_count |
        | wrong_size  |

    Scenario: The model's very first answer has the wrong length
      Given the model's endpoint fails once with "wrong_size" about the "First Lamp"
      And a shop selling:
        | name        | price | stock |
        | First Lamp  | 10.00 | 5     |
      And the model is soon asked about "First Lamp"
      And the merchant adds the "Herbal Shampoo" for 9
      When a buyer searches for "herbal haircare"
      Then the first result is "Herbal Shampoo"
      And a search for "lamp" finds "First Lamp"
