Feature: Buyers whom the merchant vouches for
  The merchant's server gives a buyer's agent a token. The buyer's records at the connected platforms then count.

  Background:
    Given a merchant whose CRM has 20 customers with 400 orders
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 200.00 | 50    |
    And a connected hubspot account
    And the customers of the CRM are synced

  Rule: A buyer's records at the platforms count in full

    Scenario: A token
      When the merchant vouches for a platinum customer of hubspot
      Then the token is for a platinum customer with at least 10 purchases

    Scenario: A token for an email address without records
      When the merchant vouches for "stranger@example.com"
      Then the token is for a stranger

    Scenario: A known customer pays less than a buyer who claims to be one
      Given the merchant vouches for a platinum customer of hubspot
      When a buyer who claims nothing looks at the "Trail Tent"
      And the opening price is called "stranger"
      And a buyer who claims platinum loyalty and 100 purchases looks at the "Trail Tent"
      And the opening price is called "claimant"
      And a buyer who shows the token looks at the "Trail Tent"
      Then the personalized price is below a stranger's
      And the opening price is called "member"
      And the price "claimant" is at most "stranger"
      And the price "member" is below "claimant"
      And the price "member" is below "stranger"
      And no answer to a buyer has the token

    Scenario: The tier counts, and not the token
      Given the merchant vouches for a platinum customer of hubspot
      And a buyer who shows the token looks at the "Trail Tent"
      And the opening price is called "platinum"
      And the merchant vouches for a bronze customer of hubspot
      And a buyer who shows the token looks at the "Trail Tent"
      And the opening price is called "bronze"
      And the merchant vouches for "stranger@example.com"
      And a buyer who shows the token looks at the "Trail Tent"
      And the opening price is called "stranger"
      Then the price "platinum" is below "bronze"
      And the price "bronze" is below "stranger"

    Scenario: Claims add nothing to the records of a good customer
      Given the merchant vouches for a platinum customer of hubspot
      And a buyer who shows the token looks at the "Trail Tent"
      And the opening price is called "without"
      And a buyer who shows the token and claims platinum loyalty and 1000 purchases looks at the "Trail Tent"
      And the opening price is called "with"
      Then the price "without" is at most "with"

    Scenario: The session knows the buyer and does not show the token
      Given the merchant vouches for a gold customer of hubspot
      And a buyer who shows the token looks at the "Trail Tent"
      And the buyer asks the price
      When the buyer reads the session
      Then no answer to a buyer has the token
      And no answer contains a key or a token

    Scenario: A token of another shop
      Given the merchant vouches for a gold customer of hubspot
      And another shop that the merchant goes to
      When a buyer who shows the token searches for "tent"
      Then the token is refused
