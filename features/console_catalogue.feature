@browser
Feature: Catalogue in the console
  Members see price, cost, margin, floor and stock of each product, change one or many products, and import files.

  Background:
    Given a merchant with an account of its own
    And a shop selling:
      | name       | price  | cost  | stock |
      | Trail Tent | 100.00 | 60.00 | 7     |
      | Camp Stove | 40.00  |       | 0     |

  Rule: Members see what each product can earn

    Scenario: A manager sees margin and floor
      Given "Max" is signed in as manager
      When "Max" presses "Catalogue"
      Then "Max" sees "2 products"
      And "Max" sees "40%"
      And "Max" sees "Floor to target"
      And "Max" sees "Sold out"
      And "Max" sees "No cost"

    Scenario: Support sees no floor and changes nothing
      Given "Sam" is signed in as support
      When "Sam" presses "Catalogue"
      Then "Sam" sees "Trail Tent"
      And "Sam" does not see "Floor"
      And "Sam" finds no "Edit" to press

    Scenario: Finding a product
      Given "Max" is signed in as manager
      When "Max" looks for "stove" in the catalogue
      Then "Max" sees "1 product"
      When "Max" looks for "lantern" in the catalogue
      Then "Max" sees "No products match."

  Rule: A product is changed in the table, or on its page

    Scenario: Changing a price in the table, and undoing it
      Given "Max" is signed in as manager
      When "Max" looks for "tent" in the catalogue
      And "Max" presses "Edit"
      And "Max" types "12,50" over "List price of Trail Tent"
      And "Max" presses "Save"
      Then "Max" sees "must be a number"
      When "Max" types "110" over "List price of Trail Tent"
      And "Max" presses "Save"
      Then "Max" sees "$110.00"
      And "Max" sees "The product was changed."
      When "Max" presses "Undo"
      Then "Max" sees "$100.00"

    Scenario: Fields that the member did not change keep what others set
      Given "Max" is signed in as manager
      When "Max" looks for "tent" in the catalogue
      And "Max" presses "Trail Tent"
      And the price of the "Trail Tent" becomes 120 meanwhile
      And "Max" fills in "Cost" with "20"
      And "Max" presses "Save"
      Then "Max" sees "The product was changed."
      And "Max" still has "120.00" in "List price"
      And "Max" still has "20.00" in "Cost"

    Scenario: Pieces are added to stock while others are sold
      Given "Max" is signed in as manager
      When "Max" looks for "tent" in the catalogue
      And "Max" presses "Trail Tent"
      Given a buyer who ordered 2 of the "Trail Tent"
      When "Max" types "5" over "Pieces to add or take"
      And "Max" presses "Change stock"
      Then "Max" sees "The stock was changed."
      And there are 10 of the "Trail Tent" left
      When "Max" presses "Undo"
      Then "Max" sees "It is as it was before."
      And there are 5 of the "Trail Tent" left

  Rule: Several products are changed after a preview

    Scenario: Lowering prices for a sale
      Given "Max" is signed in as manager
      When "Max" opens the catalogue
      And "Max" selects "Trail Tent"
      And "Max" selects "Camp Stove"
      And "Max" presses "Change"
      And "Max" chooses "Lower list prices by" for "What"
      And "Max" fills in "Per cent" with "12.55"
      And "Max" presses "Preview"
      Then "Max" sees "must be a percentage"
      When "Max" fills in "Per cent" with "12.5"
      And "Max" presses "Preview"
      Then "Max" sees "$87.50"
      And "Max" sees "$35.00"
      When "Max" presses "Change products"
      Then "Max" sees "The products were changed."
      And "Max" sees "$87.50"
      When "Max" presses "Undo"
      Then "Max" sees "$100.00"

  Rule: Products are imported from a file

    Scenario: A file with a line that is refused
      Given "Max" is signed in as manager
      When "Max" opens the product import
      And "Max" chooses a file for "File" with:
        | sku | name | price |
        | M-1 | Mug  | 12.50 |
        | M-2 | Mat  | 12,50 |
      And "Max" unchecks "Preview: check the file, and store nothing"
      And "Max" presses "Read file"
      Then "Max" sees "is not a decimal number; write 12.50"
      And "Max" sees "Download refused products"
      When "Max" opens the catalogue
      Then "Max" sees "Mug"
