Feature: Synonyms
  A merchant says which words mean the same in the shop: in both directions, or in one direction from an input.

  Rule: All synonyms can be replaced at once

    Scenario: Replacing all synonyms
      Given a shop with 1 synonym
      When the merchant replaces the synonyms by 3
      Then the shop has 3 synonyms
      When the merchant replaces the synonyms by 0
      Then the shop has 0 synonyms

    Scenario: Replacing the synonyms of one shop leaves other shops alone
      Given a shop with 1 synonym
      And another shop
      Then the other shop has no synonyms
      When the merchant replaces the synonyms of the other shop by none
      Then the shop has 1 synonym

  Rule: A shop on the enterprise plan has at most 10,000 synonyms

    Scenario: The last synonym, and one more
      Given a shop with 9999 synonyms
      When the merchant adds a synonym
      And the merchant tries to add another synonym
      Then that is one synonym too many
      And the shop has 10000 synonyms

    Scenario: Many synonyms at once
      Given a shop with 9997 synonyms
      When the merchant adds a synonym 12 times at once
      Then 3 of the synonyms are added and 9 are too many
      And the shop has 10000 synonyms

    Scenario: Replacing synonyms by 10,000, and by one more
      Given a shop with 3 synonyms
      When the merchant replaces the synonyms by 10000
      Then the shop has 10000 synonyms
      When the merchant replaces the synonyms by 10001
      Then that is refused, because a shop has no room for as many synonyms
      And the shop has 10000 synonyms
