@browser
Feature: Roles in the console
  Each role reaches the pages and forms that its scopes allow, and nothing of another shop.

  Scenario: What each role reaches
    Given a merchant with platforms
    And a merchant with an account of its own
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
    Then each role reaches the pages and forms of the table
