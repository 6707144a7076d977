Feature: Checkout
  A buyer's agent turns an agreement, or products at their list prices, into a paid order.

  Background:
    Given a shop selling:
      | name       | price  | stock | variants             |
      | Trail Tent | 100.00 | 7     |                      |
      | Camp Stove | 40.00  | 50    |                      |
      | Boot       | 80.00  |       | M/Brown=5, L/Black=1 |

  Rule: A checkout adds up items, shipping and tax

    Scenario: At list price
      Given the shop charges tax:
        | country | state | percent |
        | US      | OR    | 8.875   |
      And a buyer who wants 2 of the "Trail Tent"
      When the buyer checks out
      Then the checkout holds:
        | product    | quantity | price | list price |
        | Trail Tent | 2        | 100   | 100        |
      And the checkout costs:
        | subtotal | shipping | tax   | total  |
        | 200      | 5.99     | 17.75 | 223.74 |

    Scenario: At an agreed price
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer checks out
      Then the checkout holds:
        | product    | quantity | price | list price | discount |
        | Trail Tent | 2        | 95    | 100        | 5%       |
      And the checkout costs:
        | subtotal | savings | total  |
        | 190      | 10      | 195.99 |

    Scenario: One variant of a product
      Given a buyer who wants 1 of the "Boot" in L/Black
      When the buyer checks out
      Then the checkout holds:
        | product | variant | quantity | price |
        | Boot    | L/Black | 1        | 80    |

    Scenario: Free standard shipping
      Given standard shipping is free from 190
      And a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer checks out
      Then the checkout costs:
        | subtotal | shipping | total |
        | 190      | 0        | 190   |
      And the shipping options are:
        | option    | price |
        | standard  | 0     |
        | express   | 14.99 |
        | overnight | 29.99 |

    Scenario: A cent below the limit for free shipping
      Given standard shipping is free from 190.01
      And a buyer who agreed on 2 of the "Trail Tent" at 95
      When the buyer checks out
      Then the checkout costs:
        | subtotal | shipping |
        | 190      | 5.99     |

    Scenario Outline: The destination decides the tax
      Given the shop ships to US, CA
      And the shop charges tax:
        | country | state | percent |
        | US      |       | 5       |
        | US      | NY    | 8.875   |
      And a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to <country> <state>
      Then the checkout costs:
        | tax   |
        | <tax> |

      Examples:
        | country | state | tax  |
        | US      | NY    | 8.88 |
        | US      | OR    | 5    |
        | CA      | QC    | 0    |

    Scenario Outline: A warning about an unknown state where the tax depends on the state
      Given the shop ships to US, CA
      And the shop charges tax:
        | country | state | percent |
        | US      |       | 5       |
        | US      | NY    | 8.875   |
      And a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to <country> <state>
      Then the buyer <is warned>

      Examples:
        | country | state   | is warned                |
        | US      | Oregano | is warned: state unknown |
        | US      | oregon  | is not warned            |
        | CA      | Oregano | is not warned            |

    Scenario: The destination decides the shipping options
      Given the shop ships to US, CA
      And the shop's shipping rates are:
        | region | option   | price | days |
        | *      | standard | 5     | 3-5  |
        | CA     | standard | 12.5  | 7-9  |
        | CA     | express  | 30    | 2-3  |
      And a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to CA QC
      Then the shipping options are:
        | option   | price | days |
        | standard | 12.5  | 7-9  |
        | express  | 30    | 2-3  |

    Scenario: A country that the shop does not ship to
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out to FR 75
      Then the checkout is refused: validation error, because of the country

  Rule: A price is the agreed one or the list price, and no other

    Scenario: Another price than the agreed one
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer checks out at 90
      Then the checkout is refused: price mismatch, because of the price of item 1

    Scenario: A discount without an agreement
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out at 99.99
      Then the checkout is refused: price mismatch, because of the price of item 1

    Scenario: The list price, stated by the buyer
      Given a buyer who wants 1 of the "Trail Tent"
      When the buyer checks out at 100
      Then the checkout is ready

    Scenario: More pieces than were agreed on
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer checks out 2 of the "Trail Tent" with the token
      Then the checkout is refused: price mismatch, because of the agreement

    Scenario: Another product than was agreed on
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      When the buyer checks out 1 of the "Camp Stove" with the token
      Then the checkout is refused: price mismatch, because of the agreement

  Rule: An agreement belongs to its buyer and buys once

    Scenario: Another buyer's agreement
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And another buyer who wants 1 of the "Trail Tent"
      When the buyer checks out with the first buyer's agreement
      Then the checkout is refused: validation error, because of the agreement

    Scenario: An agreement that was paid
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer pays
      When the buyer checks out again
      Then the checkout is refused: token redeemed

    Scenario: Two checkouts of one agreement
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer remembers the checkout
      And the buyer checks out again
      And the buyer pays
      When the buyer pays for the remembered checkout
      Then the payment is refused: token redeemed
      And there are 6 of the "Trail Tent" left
      And the shop has 1 order

  Rule: A checkout can be changed until it is paid

    Scenario: Something is added, and the agreed price stays
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer changes the checkout to:
        | line | product    | quantity |
        | li_1 | Trail Tent | 2        |
        |      | Camp Stove | 1        |
      Then the checkout holds:
        | line | product    | quantity | price | agreed |
        | li_1 | Trail Tent | 2        | 95    | yes    |
        | li_2 | Camp Stove | 1        | 40    | no     |
      And the checkout costs:
        | subtotal | total  |
        | 230      | 235.99 |
      And the answer is valid for 30 minutes
      When the buyer pays
      Then the payment succeeds
      And there are 5 of the "Trail Tent" left
      And there are 49 of the "Camp Stove" left

    Scenario: Items that a change leaves out are removed
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer changes the checkout to:
        | product    | quantity |
        | Trail Tent | 1        |
      Then the checkout holds:
        | product    | quantity | price | agreed |
        | Trail Tent | 1        | 100   | no     |
      And the checkout costs:
        | total  |
        | 105.99 |

    Scenario: An agreed price is valid for the agreed quantity
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer changes the checkout to:
        | line | product    | quantity |
        | li_1 | Trail Tent | 3        |
      Then the change is refused: price mismatch, because of the quantity of item 1

    Scenario: An agreed item stays agreed if the change does not name its line
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer changes the checkout to:
        | product    | quantity |
        | Camp Stove | 1        |
        | Trail Tent | 2        |
      Then the checkout holds:
        | line | product    | quantity | price | agreed |
        | li_2 | Camp Stove | 1        | 40    | no     |
        | li_1 | Trail Tent | 2        | 95    | yes    |
      And the buyer is not warned

    Scenario: A checkout that is opened before the address is known
      Given a buyer who wants 2 of the "Trail Tent"
      When the buyer checks out before the address is known
      Then the checkout is incomplete
      When the buyer pays
      Then the payment is refused: checkout incomplete, because of the address
      When the buyer adds the address to the checkout
      Then the checkout is ready
      When the buyer pays
      Then the payment succeeds
      And the checkout is completed

    Scenario: After a declined payment
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a card that is declined: do not honor
      When the buyer changes the checkout to:
        | line | product    | quantity |
        | li_1 | Trail Tent | 1        |
      Then the checkout costs:
        | total  |
        | 105.99 |
      And the checkout is pending
      When the buyer pays
      Then the payment succeeds
      And there are 6 of the "Trail Tent" left

    Scenario: After it was canceled
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer cancels the checkout
      When the buyer changes the checkout to:
        | line | product    | quantity |
        | li_1 | Trail Tent | 1        |
      Then the change is refused: checkout canceled

    Scenario: After it was paid
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays
      When the buyer changes the checkout to:
        | line | product    | quantity |
        | li_1 | Trail Tent | 1        |
      Then the change is refused: checkout completed

  Rule: Paying makes an order

    Scenario: An order at the agreed price
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer pays
      Then the payment succeeds
      And the order holds 2 of the "Trail Tent" at the agreed price
      And the buyer paid 195.99, including 5.99 for shipping

    Scenario Outline: Ways to pay
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by <method>
      Then the payment succeeds

      Examples:
        | method |
        | card   |
        | wallet |

    Scenario Outline: The buyer chooses the shipping option
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays for <option> shipping
      Then the buyer paid <total>, including <price> for shipping

      Examples:
        | option    | price | total  |
        | standard  | 5.99  | 105.99 |
        | express   | 14.99 | 114.99 |
        | overnight | 29.99 | 129.99 |

    Scenario: An order reduces the stock and empties the cart
      Given a buyer who agreed on 2 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer pays
      Then there are 5 of the "Trail Tent" left
      And the cart is empty
      And a search for "tent" shows 5 in stock

    Scenario: A checkout holds nothing until it is paid
      Given a buyer at the checkout with 2 of the "Trail Tent"
      Then there are 7 of the "Trail Tent" left

  Rule: A buyer may try again after a declined payment

    Scenario Outline: Declined
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays with a card that is declined: <reason>
      Then the payment is declined, and the buyer may try again
      And there are 7 of the "Trail Tent" left
      When the buyer pays
      Then the payment succeeds
      And there are 5 of the "Trail Tent" left

      Examples:
        | reason             |
        | insufficient funds |
        | expired card       |
        | do not honor       |

    Scenario Outline: Declined for good
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays with a card that is declined: <reason>
      Then the payment is declined, and the checkout is canceled
      And there are 7 of the "Trail Tent" left
      When the buyer pays
      Then the payment is refused: checkout canceled

      Examples:
        | reason      |
        | stolen card |
        | fraudulent  |

    Scenario: The fifth declined payment cancels the checkout
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the payment is declined 4 times, and may be tried again each time
      When the buyer pays with a card that is declined: do not honor
      Then the payment is declined, and the checkout is canceled
      When the buyer pays
      Then the payment is refused: checkout canceled

    Scenario: A buyer waits after ten declined payments
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the payment is declined 4 times, and may be tried again each time
      And the buyer pays with a card that is declined: do not honor
      And the buyer checks out again
      And the payment is declined 4 times, and may be tried again each time
      And the buyer pays with a card that is declined: do not honor
      And the buyer checks out again
      When the buyer pays
      Then the payment is refused: too many declines
      And the answer says when to try again

    Scenario: An agreed price survives a declined payment
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      And the buyer pays with a card that is declined: stolen card
      When the buyer checks out again
      And the buyer pays
      Then the order holds 1 of the "Trail Tent" at the agreed price

  Rule: A buyer may cancel a checkout that is not paid

    Scenario: Canceled
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer cancels the checkout
      Then the checkout is canceled
      When the buyer cancels the checkout
      Then the checkout is canceled
      When the buyer pays
      Then the payment is refused: checkout canceled

    Scenario: The agreement of a canceled checkout buys in another one
      Given a buyer who agreed on 1 of the "Trail Tent" at 95
      And the buyer checks out
      When the buyer cancels the checkout
      And the buyer checks out again
      And the buyer pays
      Then the payment succeeds
      And the order holds 1 of the "Trail Tent" at the agreed price

    Scenario: A paid checkout is canceled as an order
      Given a buyer who ordered 1 of the "Trail Tent"
      When the buyer cancels the checkout
      Then the cancellation is refused: checkout completed

  Rule: A buyer pays once, even if answers are lost

    Scenario: Paying again returns the same order
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays
      When the buyer pays again
      Then it is the same order
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

    Scenario: Paying again with another card returns the same order
      Given a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays
      When the buyer pays with a card that is declined: stolen card
      Then it is the same order

    Scenario: The provider's answer is lost
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays, and the provider's answer is lost
      Then the payment is refused: payment unresolved
      And the answer says when to try again
      When the buyer pays again
      Then the payment succeeds
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

    Scenario: The provider fails twice
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays, and the provider fails 2 times
      Then the payment succeeds

    Scenario: The provider fails for longer
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays, and the provider fails 5 times
      Then the payment is refused: payment unresolved
      And the answer says when to try again
      When the buyer pays again
      Then the payment succeeds
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

    Scenario: Twelve times at once
      Given a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays 12 times at once
      Then every answer is the same order
      And the shop has 1 order
      And there are 5 of the "Trail Tent" left

  Rule: A shop sells no more than it has

    Scenario: Twenty-four buyers, seven pieces
      Given 24 buyers at the checkout, each with 1 of the "Trail Tent"
      When they all pay at once
      Then 7 of them have an order, and 17 are refused: out of stock
      And the shop has 7 orders
      And there are 0 of the "Trail Tent" left

    Scenario: Sold out meanwhile
      Given a buyer at the checkout with 3 of the "Trail Tent"
      And the merchant has only 2 of the "Trail Tent" left
      When the buyer pays
      Then the payment is refused: out of stock, because of the quantity of item 1
      And the shop has 0 orders
      And there are 2 of the "Trail Tent" left

    Scenario: Back in stock, the same checkout can be paid
      Given a buyer at the checkout with 3 of the "Trail Tent"
      And the merchant has only 2 of the "Trail Tent" left
      And the buyer pays in vain: out of stock
      And the merchant has 9 of the "Trail Tent" again
      When the buyer pays
      Then the payment succeeds
      And there are 6 of the "Trail Tent" left

    Scenario: One of two things is sold out
      Given a buyer at the checkout with 2 of the "Camp Stove" and 3 of the "Trail Tent"
      And the merchant has only 2 of the "Trail Tent" left
      When the buyer pays
      Then the payment is refused: out of stock, because of the quantity of item 2 alone
      And there are 50 of the "Camp Stove" left
      And there are 2 of the "Trail Tent" left

    Scenario: Two lines of the same thing count together
      Given a buyer at the checkout with 4 of the "Trail Tent" and 4 of the "Trail Tent"
      When the buyer pays
      Then the payment is refused: out of stock
      And there are 7 of the "Trail Tent" left

    Scenario: Stock of several locations
      Given the merchant has 1 of the "Trail Tent" in "main" and 2 in "berlin"
      And a buyer at the checkout with 3 of the "Trail Tent"
      When the buyer pays
      Then the payment succeeds
      And there are 0 of the "Trail Tent" left

  Rule: Some products are sold without stock

    Scenario: Made to order
      Given the "Trail Tent" is made to order
      And the merchant has only 0 of the "Trail Tent" left
      Then a buyer who looks at the "Trail Tent" finds it in stock, with 0 in store
      Given a buyer at the checkout with 3 of the "Trail Tent"
      When the buyer pays
      Then the payment succeeds
      And there are 0 of the "Trail Tent" left

    Scenario: On backorder
      Given the "Trail Tent" is sold on backorder
      And the merchant has only 1 of the "Trail Tent" left
      And a buyer at the checkout with 3 of the "Trail Tent"
      When the buyer pays
      Then the payment succeeds
      And a buyer who looks at the "Trail Tent" finds it on backorder, with 0 in store
      Given the merchant has 6 of the "Trail Tent" again
      Then buyers can have 6 of the "Trail Tent"

    Scenario: Sold from stock again while a buyer is at the checkout
      Given the "Trail Tent" is sold on backorder
      And the merchant has only 1 of the "Trail Tent" left
      And a buyer at the checkout with 3 of the "Trail Tent"
      And the "Trail Tent" is sold from stock
      When the buyer pays
      Then the payment is refused: out of stock
      And there are 1 of the "Trail Tent" left

  Rule: A checkout is known in its own shop only

    Scenario: A checkout of another shop
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And another shop
      When the buyer pays for it in the other shop
      Then the payment is refused: checkout not found
