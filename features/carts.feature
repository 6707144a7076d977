Feature: Carts
  A buyer's agent fills its cart before it knows the destination. An agreement keeps its price in the cart, everything else
  sells at its list price, and one checkout buys the cart.

  Background:
    Given a shop selling:
      | name       | price  | stock | variants             |
      | Trail Tent | 100.00 | 30    |                      |
      | Camp Stove | 40.00  | 50    |                      |
      | Boot       | 80.00  |       | M/Brown=5, L/Black=1 |

  Rule: A buyer fills its cart

    Scenario: Two products at their list prices
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
        | Camp Stove | 1        |
      When the buyer reads the cart
      Then the cart holds:
        | line | product    | quantity | price | list price | discount | agreed |
        | li_1 | Trail Tent | 2        | 100   | 100        | 0%       | no     |
        | li_2 | Camp Stove | 1        | 40    | 40         | 0%       | no     |
      And the cart costs 240, 0 less than at list prices
      And the buyer is not warned

    Scenario: Writing a cart replaces its items
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
        | Camp Stove | 1        |
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Camp Stove | 3        | li_2 |
        | Boot       | 1        |      |
      Then the cart is refused: validation error, because of the variant of item 2
      When the buyer puts into the cart:
        | product    | quantity | line | variant |
        | Camp Stove | 3        | li_2 |         |
        | Boot       | 1        |      | L/Black |
      Then the cart holds:
        | line | product    | quantity | variant |
        | li_2 | Camp Stove | 3        |         |
        | li_3 | Boot       | 1        | L/Black |
      And the cart costs 200

    Scenario: A line's id is never given to another line
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      And the buyer empties the cart
      When the buyer puts into the cart:
        | product    | quantity |
        | Camp Stove | 1        |
      Then the cart holds:
        | line | product    |
        | li_2 | Camp Stove |

    Scenario: A line may become another product
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Camp Stove | 1        | li_1 |
      Then the cart holds:
        | line | product    | price |
        | li_1 | Camp Stove | 40    |

    Scenario: A product may be in several lines
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 1        | li_1 |
        | Trail Tent | 2        |      |
      Then the cart holds:
        | product    | quantity | price |
        | Trail Tent | 1        | 95    |
        | Trail Tent | 2        | 100   |
      And the cart costs 295, 5 less than at list prices

    Scenario: The current list price applies
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      And the merchant raises the price of the "Trail Tent" to 110
      When the buyer reads the cart
      Then the cart holds:
        | product    | quantity | price |
        | Trail Tent | 2        | 110   |
      And the cart costs 220
      And the session's cart costs 220 and holds:
        | product    | quantity | price |
        | Trail Tent | 2        | 110   |

    Scenario: A product that is no longer sold
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
        | Camp Stove | 1        |
      And the merchant takes the "Trail Tent" off sale
      When the buyer reads the cart
      Then the buyer is warned of item 1: item unavailable
      When the buyer checks out the cart
      Then the checkout is refused: validation error, because of the product of item 1

    Scenario: An emptied cart
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 2        |
      When the buyer empties the cart
      Then the cart costs 0, 0 less than at list prices
      And the cart is empty

    Scenario: The session shows which items are at their list prices
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 1        | li_1 |
        | Camp Stove | 2        |      |
      Then the session's cart costs 175 and holds:
        | product    | quantity | price | at list price |
        | Trail Tent | 1        | 95    | no            |
        | Camp Stove | 2        | 40    | yes           |

  Rule: An agreement keeps its price in the cart

    Scenario: An agreement goes into the cart
      Given a buyer who put into the cart:
        | product    | quantity |
        | Camp Stove | 1        |
      And the buyer agrees on 2 of the "Trail Tent" at 95
      When the buyer reads the cart
      Then the cart holds:
        | line | product    | quantity | price | list price | discount | agreed |
        | li_1 | Camp Stove | 1        | 40    | 40         | 0%       | no     |
        | li_2 | Trail Tent | 2        | 95    | 100        | 5%       | yes    |
      And the cart costs 230, 10 less than at list prices

    Scenario: An agreement replaces the line of its product
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
        | Camp Stove | 1        |
      And the buyer agrees on 2 of the "Trail Tent" at 95
      When the buyer reads the cart
      Then the cart holds:
        | line | product    | quantity |
        | li_2 | Camp Stove | 1        |
        | li_1 | Trail Tent | 2        |

    Scenario: A line that stays keeps its agreement
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Camp Stove | 1        |      |
        | Trail Tent | 2        | li_1 |
      Then the cart holds:
        | product    | price | agreed |
        | Camp Stove | 40    | no     |
        | Trail Tent | 95    | yes    |
      And the buyer is not warned

    Scenario: Another quantity gives the agreement up
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 3        | li_1 |
      Then the cart holds:
        | line | product    | price | agreed |
        | li_1 | Trail Tent | 100   | no     |
      And the buyer is warned of item 1: agreement not used

    Scenario: An agreement puts a removed line back
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer empties the cart
      When the buyer puts into the cart:
        | product    | quantity | agreement |
        | Trail Tent | 2        | its own   |
      Then the cart holds:
        | line | product    | price | agreed |
        | li_2 | Trail Tent | 95    | yes    |

    Scenario: The list price falls below the agreed price
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the merchant lowers the price of the "Trail Tent" to 90
      And the buyer reads the cart
      Then the cart holds:
        | product    | price | list price | agreed |
        | Trail Tent | 90    | 90         | yes    |

    Scenario: The agreement of another buyer
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And another buyer who wants 1 of the "Trail Tent"
      When the buyer puts into the cart:
        | product    | quantity | agreement         |
        | Trail Tent | 2        | the first buyer's |
      Then the cart is refused: validation error, because of the agreement of item 1

    Scenario: An agreement that was paid
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer pays
      When the buyer puts into the cart:
        | product    | quantity | agreement |
        | Trail Tent | 2        | its own   |
      Then the cart is refused: token redeemed

  Rule: A cart is known in its own shop only

    Scenario: The session of another shop
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And another shop
      When the buyer reads the cart in the other shop
      Then the cart is refused: session not found

  Rule: A checkout buys the cart

    Scenario: Everything in the cart, each at its price
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 2        | li_1 |
        | Camp Stove | 3        |      |
      When the buyer checks out the cart
      Then the checkout holds:
        | product    | quantity | price |
        | Trail Tent | 2        | 95    |
        | Camp Stove | 3        | 40    |
      And the checkout costs:
        | subtotal | savings |
        | 310      | 10      |
      And the checkout is ready
      When the buyer pays
      Then the payment succeeds
      And the cart is empty

    Scenario: An item that was not in the checkout stays in the cart
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 1        | li_1 |
        | Camp Stove | 2        |      |
      And the buyer pays
      When the buyer reads the cart
      Then the cart holds:
        | product    |
        | Camp Stove |

    Scenario: The agreement of a paid cart is used up
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out the cart
      And the buyer pays
      When the buyer checks out again
      Then the checkout is refused: token redeemed

    Scenario: An empty cart
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer empties the cart
      When the buyer checks out the cart
      Then the checkout is refused: validation error, because of the cart

    Scenario: A first checkout without an address
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer checks out the cart without an address
      Then the checkout is refused: validation error, because of the address

  Rule: A cart has one checkout at a time

    Scenario: Checking out the same cart again returns the same checkout
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out the cart again
      Then it is the same checkout
      And the checkout is at revision 1

    Scenario: An address that was given need not be repeated
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out the cart without an address
      Then it is the same checkout
      And the checkout is ready

    Scenario: A cart that changed changes its checkout
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out the cart
      And the buyer puts into the cart:
        | product    | quantity | line |
        | Trail Tent | 2        | li_1 |
        | Camp Stove | 1        |      |
      When the buyer checks out the cart again
      Then it is the same checkout
      And the checkout holds:
        | product    | price |
        | Trail Tent | 95    |
        | Camp Stove | 40    |
      And the checkout costs:
        | subtotal |
        | 230      |
      And the checkout is at revision 2

    Scenario: Another address
      Given the shop ships to US, CA
      And a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out the cart to CA QC
      Then it is the same checkout
      And the checkout is at revision 2

    Scenario: After payment the cart gets another checkout
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer pays
      And the buyer puts into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer checks out the cart again
      Then it is another checkout

    Scenario: After a cancellation the cart gets another checkout
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer cancels the checkout
      When the buyer checks out the cart again
      Then it is another checkout

    Scenario: After a declined payment the cart keeps its checkout
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      And the buyer pays with a card that is declined: do not honor
      When the buyer checks out the cart again
      Then it is the same checkout
      And the checkout is pending

    Scenario: Eight checkouts of a cart at once
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      When the buyer checks out the cart 8 times at once
      Then every answer is the same checkout

    Scenario: A checkout of items is separate from the cart's checkout
      Given a buyer who put into the cart:
        | product    | quantity |
        | Trail Tent | 1        |
      And the buyer checks out the cart
      When the buyer checks out 1 of the "Trail Tent" without the cart
      Then it is another checkout

  Rule: A cart at list prices counts as a claim and lowers prices little

    Background:
      Given a shop selling:
        | name     | price   | stock |
        | Gas Lamp | 1000.00 | 20    |
        | Palace   | 9000.00 | 20    |

    Scenario Outline: A full cart adds nothing to other claims
      Given a buyer who claims <claims> looks at the "Gas Lamp"
      And the buyer puts into the cart:
        | product | quantity   |
        | Palace  | <palaces>  |
      When the buyer asks the price
      Then the merchant quotes <price>

      Examples:
        | claims                             | palaces | price |
        | nothing                            | 1       | 990   |
        | nothing                            | 1000    | 990   |
        | platinum loyalty                   | 1       | 950   |
        | platinum loyalty and 100 purchases | 1       | 950   |

    Scenario: An agreement counts in full
      Given a buyer who claims platinum loyalty and 100 purchases looks at the "Palace"
      And the buyer agrees on 1 of the "Palace" at 9000
      When the buyer looks for the "Gas Lamp" too
      And the buyer asks the price
      Then the merchant quotes 940

    Scenario: Filling and emptying a cart leaves prices unchanged
      Given a buyer who looks at the "Gas Lamp"
      And the buyer puts into the cart:
        | product | quantity |
        | Palace  | 1000     |
      And the buyer empties the cart
      When the buyer asks the price
      Then the merchant quotes 1000
