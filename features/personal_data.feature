Feature: A buyer's personal data
  A merchant exports what is stored of a buyer, and erases it. The books and the record of decisions stay.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
    And a buyer who ordered 2 of the "Trail Tent"

  Rule: Everything about a buyer is exported as one document

    Scenario: Exporting
      When the merchant exports the data of "buyer@example.com"
      Then the export holds the order and the session
      And the audit log names the export, but not the buyer

    Scenario: Exporting a stranger
      When the merchant exports the data of "stranger@example.com"
      Then the export is empty

  Rule: Finished orders are erased, and orders in progress stay whole

    Scenario: Erasing an order in progress
      When the merchant erases the data of "buyer@example.com"
      Then nothing is erased, because the order was not delivered
      And the order still holds the buyer's address

    Scenario: Erasing an order that was delivered
      Given the merchant ships the order
      And the order was delivered
      And the merchant noted on the order "A. Buyer rang twice"
      When the merchant erases the data of "buyer@example.com"
      Then all of the buyer is erased
      And of the buyer, the order keeps the country only
      And the order's total is still 205.99
      And the order's notes are empty
      And the events of orders do not name the buyer
      And the audit log names the erasure, but not the buyer
      When the merchant exports the data of "buyer@example.com"
      Then the export is empty

  Rule: Only those who may move money export and erase, with a second factor where the shop requires one

    Scenario Outline: A key without the scope
      Given a key "Clerk" for finance:read, agents:write and projects:write, in this shop only
      Then "Clerk" may not <do>
      And the order still holds the buyer's address

      Examples:
        | do                      |
        | export the buyer's data |
        | erase the buyer's data  |

    Scenario Outline: A shop that requires a second factor
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with no code the merchant <operation>
      Then it is refused because a valid code is missing
      When with a wrong code the merchant <operation>
      Then it is refused because a valid code is missing
      When with a recovery code the merchant <operation>
      Then it is allowed

      Examples:
        | operation         |
        | exports the buyer |
        | erases the buyer  |
