@browser
Feature: Catalogue in the console
  The shop's people see price, cost, margin, floor and stock of each product side by side, change one or many, and import files.

  Background:
    Given a merchant with an account of its own
    And a shop selling:
      | name       | price  | cost  | stock |
      | Trail Tent | 100.00 | 60.00 | 7     |
      | Camp Stove | 40.00  |       | 0     |

  Rule: Products are seen with what can be earned by them

    Scenario: A manager
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" presses "Catalogue"
      Then "Max" sees "2 products"
      And "Max" sees "40%"
      And "Max" sees "Floor to target"
      And "Max" sees "Sold out"
      And "Max" sees "No cost"

    Scenario: Support sees no floor and changes nothing
      Given "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" presses "Catalogue"
      Then "Sam" sees "Trail Tent"
      And "Sam" does not see "Floor"
      And "Sam" finds no "Edit" to press

    Scenario: Finding a product
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/catalogue?q=stove
      Then "Max" sees "1 product"
      When "Max" opens /console/$slug/catalogue?q=lantern
      Then "Max" sees "No products match."

  Rule: A product is changed in its row, or on its page

    Scenario: In its row, and back
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/catalogue?q=tent
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

    Scenario: What nobody touched stays as it is
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/catalogue?q=tent
      And "Max" presses "Trail Tent"
      And the merchant changes the product with:
        """
        {"price": 120}
        """
      And "Max" fills in "Cost" with "20"
      And "Max" presses "Save"
      Then "Max" sees "The product was changed."
      And "Max" still has "120.00" in "List price"
      And "Max" still has "20.00" in "Cost"

    Scenario: Pieces are added to the stock while others are sold
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/catalogue?q=tent
      And "Max" presses "Trail Tent"
      Given a buyer who ordered 2 of the "Trail Tent"
      When "Max" types "5" over "Pieces to add or take"
      And "Max" presses "Change stock"
      Then "Max" sees "The stock was changed."
      When the merchant sends GET /v1/catalog/inventory?sku=trail-tent
      Then the answer shows:
        | data.0.quantity | 10 |
      When "Max" presses "Undo"
      Then "Max" sees "It is as it was before."
      When the merchant sends GET /v1/catalog/inventory?sku=trail-tent
      Then the answer shows:
        | data.0.quantity | 5 |

  Rule: Several products are changed after a preview

    Scenario: A sale
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/catalogue
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

  Rule: A file is imported

    Scenario: A file with lines that are refused
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/catalogue/import
      And "Max" gives the file "products.csv" for "File":
        """
        sku,name,price
        M-1,Mug,12.50
        M-2,Mat,"12,50"
        """
      And "Max" unchecks "Preview: check the file, and store nothing"
      And "Max" presses "Read file"
      Then "Max" sees "is not a decimal number; write 12.50"
      And "Max" sees "Download refused products"
      When "Max" opens /console/$slug/catalogue
      Then "Max" sees "Mug"
