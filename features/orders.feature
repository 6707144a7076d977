Feature: Orders and returns
  A merchant ships what was ordered, cancels what was not shipped, and decides about returns.

  Background:
    Given a shop selling:
      | name       | price  | stock | cost  |
      | Trail Tent | 100.00 | 20    | 51.37 |
      | Camp Stove | 40.00  | 50    |       |

  Rule: Orders belong to one shop, and to those who may see or move money

    Scenario Outline: Another shop's merchant
      Given a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      Then the merchant of another shop cannot <act>
      And the payment is not refunded
      And the order is confirmed
      And the return is requested

      Examples:
        | act                |
        | read the order     |
        | cancel the order   |
        | read the notes     |
        | write a note       |
        | ship the order     |
        | read the return    |
        | approve the return |
        | reject the return  |

    Scenario Outline: A clerk with too few rights
      Given a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      Then a clerk who may only <do> may not <act>

      Examples:
        | do               | act                |
        | edit the catalog | list the orders    |
        | edit the catalog | read the order     |
        | edit the catalog | read the notes     |
        | see the finances | write a note       |
        | edit the catalog | list the returns   |
        | edit the catalog | read the return    |
        | see the finances | cancel the order   |
        | see the finances | ship the order     |
        | see the finances | approve the return |
        | see the finances | reject the return  |

  Rule: The merchant's staff writes notes on an order, which no buyer reads

    Scenario: A note is not shown to buyers
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant writes the note "Quokka" on the order
      Then neither the buyer nor an agent reads "Quokka"

    Scenario: The audit log records a note without its text
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant writes the note "Quokka" on the order
      Then the audit log has the note without "Quokka"

  Rule: An order that was not shipped can be canceled

    Scenario: Canceling refunds the payment and restocks the goods
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant cancels the order
      Then the order is canceled
      And the order's refunds are 205.99
      And there are 20 of the "Trail Tent"
      And buyers can have 20 of the "Trail Tent"
      And the payment is refunded, 205.99 of 205.99
      And the books balance
      And the buyer sees the order as canceled

    Scenario: Canceling after a partial refund refunds the rest
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant cancels the order
      Then the order's refunds are 50 and 155.99
      And the payment is refunded, 205.99 of 205.99
      And the books balance

    Scenario: Canceling after a full refund only restocks the goods
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds the payment
      When the merchant cancels the order
      Then the order is canceled
      And the order's refunds are 205.99
      And there are 20 of the "Trail Tent"

    Scenario: Canceling twice
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant cancels the order
      When the merchant cancels the order
      Then the cancellation is refused because the order is canceled
      And there are 20 of the "Trail Tent"
      And the payment is refunded, 205.99 of 205.99

    Scenario: Concurrent cancellations
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant cancels the order 8 times at once
      Then 1 request succeeds and 7 are refused because the order is canceled
      And there are 20 of the "Trail Tent"
      And the payment is refunded, 205.99 of 205.99
      And the books balance

    Scenario: A shipped order cannot be canceled
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      When the merchant cancels the order
      Then the cancellation is refused because the order was shipped
      And there are 18 of the "Trail Tent"
      And the payment is not refunded
      And the order is confirmed

    Scenario: An order with an undecided return cannot be canceled
      Given a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant cancels the order
      Then the cancellation is refused because a return is not decided yet
      And the payment is not refunded

    Scenario: Goods of a canceled order cannot be returned
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant cancels the order
      When the buyer sends back 1 of the "Trail Tent"
      Then the return is refused because the order is canceled

  Rule: The buyer sees that an order is shipped and delivered

    Scenario: Shipping with a tracking link
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant ships the order with a tracking link
      Then the buyer sees the order as shipped
      And the buyer can follow the tracking link

    Scenario: Delivery
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      When the merchant marks the order as delivered
      Then the order is delivered
      And the buyer sees the order as delivered

    Scenario: The merchant may repeat and correct what it reported
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      When the merchant corrects the carrier to "DHL"
      Then the order's carrier is "DHL"
      When the merchant marks the order as delivered
      And the merchant marks the order as delivered
      Then the order is delivered

    Scenario: Only a shipped order is delivered
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant marks the order as delivered
      Then the change is refused because the order was not shipped
      And the order is not shipped yet

    Scenario: A delivered order is not shipped again
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant ships the order
      And the merchant marks the order as delivered
      When the merchant ships the order
      Then the change is refused because the order was delivered
      And the order is delivered

    Scenario Outline: A canceled order is neither shipped nor delivered
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant cancels the order
      When the merchant <does>
      Then the change is refused because the order is canceled
      And the order is canceled

      Examples:
        | does                         |
        | ships the order              |
        | marks the order as delivered |

  Rule: The merchant decides about returns

    Scenario: Approving a return refunds the goods with their tax, and restocks them
      Given orders to the US are taxed at 10%
      And a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the merchant approves the return
      Then the merchant's approval refunds 220 and restocks 2
      And the return is approved
      And there are 19 of the "Trail Tent"
      And buyers can have 19 of the "Trail Tent"
      And the payment is partially refunded, 220 of 335.99
      And the books balance

    Scenario: The merchant may refund less, and restock nothing
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the merchant approves the return, refunding 150.50 and restocking nothing
      Then the merchant's approval refunds 150.50 and restocks 0
      And there are 17 of the "Trail Tent"
      And the payment is partially refunded, 150.50 of 305.99

    Scenario: A return refunds at most what is left of the payment
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And the merchant refunds 60 of the payment
      When the merchant approves the return, refunding 46
      Then the approval is refused because it exceeds the rest of the payment
      And the return is requested
      When the merchant approves the return
      Then the merchant's approval refunds 45.99 and restocks 1
      And the payment is refunded, 105.99 of 105.99
      And the books balance

    Scenario: Approving a return without a refund
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant approves the return, refunding 0
      Then the merchant's approval refunds nothing
      And there are 20 of the "Trail Tent"
      And the payment is not refunded

    Scenario: A rejected return refunds nothing, and the buyer may ask again
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      When the merchant rejects the return
      Then the return is rejected
      And there are 19 of the "Trail Tent"
      And the payment is not refunded
      When the buyer sends back 1 of the "Trail Tent"
      Then the return is requested

    Scenario Outline: A return is decided once
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And the merchant <first> the return
      When the merchant <second> the return
      Then the decision is refused because the return is decided already
      And the payment is <refunded>
      And there are <stock> of the "Trail Tent"

      Examples:
        | first    | second   | refunded                           | stock |
        | approves | approves | partially refunded, 100 of 105.99  | 20    |
        | approves | rejects  | partially refunded, 100 of 105.99  | 20    |
        | rejects  | approves | not refunded                       | 19    |
        | rejects  | rejects  | not refunded                       | 19    |

    Scenario: Concurrent approvals
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      When the merchant approves the return 8 times at once
      Then 1 request succeeds and 7 are refused because the return is decided already
      And there are 19 of the "Trail Tent"
      And the payment is partially refunded, 200 of 305.99
      And the books balance

    Scenario: Canceling after a return restocks only the rest
      Given a buyer who ordered 3 of the "Trail Tent"
      And the buyer sends back 2 of the "Trail Tent"
      And the merchant approves the return
      When the merchant cancels the order
      Then the payment is refunded, 305.99 of 305.99
      And there are 20 of the "Trail Tent"
      And the books balance

  Rule: What refunds money needs a second factor if the shop requires it

    Scenario Outline: Without a good code
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then the decision is refused because a code is required
      And the payment is not refunded

      Examples:
        | code         | does                |
        | no code      | cancels the order   |
        | a wrong code | cancels the order   |
        | no code      | approves the return |
        | a wrong code | approves the return |

    Scenario: With a good code
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with a recovery code the merchant approves the return
      And with a recovery code the merchant cancels the order
      Then the payment is refunded, 205.99 of 205.99
