Feature: What waits for a merchant
  A merchant sees what has to be done, money at stake first. Each kind is shown to those who may read what it is about.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |

  Rule: What waits is counted by kind

    Scenario: Nothing waits
      Then nothing waits for the merchant

    Scenario: An order waits to be shipped
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      Then 1 order of 195.99 waits to be shipped, and nothing else waits

    Scenario: A subscription that the merchant switched off does not wait
      Given an event subscription that the merchant switched off
      Then nothing waits for the merchant

  Rule: A kind is shown to those who may read what it is about

    Scenario: Somebody who may not read money
      Given a buyer who agreed on 1 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And the member "Clerk" reads the shop and its integrations, but no money
      Then nothing waits for "Clerk"

    Scenario: Somebody who may not read the shop
      Given the member "Clerk" reads the shop's money, but not the shop
      Then "Clerk" cannot read what waits
