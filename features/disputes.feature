Feature: Disputes
  A buyer disputes a payment at the bank, which asks the merchant. The merchant submits evidence before the deadline, or
  accepts the dispute.

  Rule: Evidence goes to the provider once, and the provider decides

    Scenario Outline: A dispute that is answered and won
      Given a server beside the merchant's systems
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a connected <provider> account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer <pays>
      When the buyer disputes the payment
      Then within 30 seconds the merchant has to answer a dispute of 205.99 at <provider>
      And the order is offered as evidence of 2 × Trail Tent for 205.99 USD
      When the merchant submits the note "It was handed over." as evidence, without a receipt
      Then the evidence of 2 × Trail Tent is under review, without a receipt
      When the merchant submits the note "And once more." as evidence
      Then the evidence is refused because the dispute was answered
      When the merchant wins the dispute
      Then within 60 seconds the dispute is won and closed

      Examples:
        | provider | pays                                       |
        | Stripe   | pays through Stripe                        |
        | PayPal   | pays by PayPal, which captures the payment |

  Rule: In the sandbox, the merchant plays the buyer who disputes a payment

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a buyer who ordered 1 of the "Trail Tent"

    Scenario: An accepted dispute is lost for good
      When the buyer disputes the payment in the sandbox, as nothing was received
      Then the merchant's attention is drawn to a dispute of 105.99
      When the merchant accepts the dispute
      And the merchant accepts the dispute
      And the merchant submits the note "It was handed over." as evidence
      Then the evidence is refused because the dispute is closed
      And the merchant's attention is drawn to no dispute

    Scenario Outline: Evidence that decides a dispute
      Given the buyer disputes the payment in the sandbox
      When the merchant submits the note "<note>" as evidence
      Then the dispute is <status>, and <taken> is withdrawn

      Examples:
        | note             | status | taken  |
        | winning_evidence | won    | 0      |
        | losing_evidence  | lost   | 105.99 |
        | It was sent.     | open   | 105.99 |

  Rule: Accepting a dispute needs a second factor if the shop requires it

    Scenario: A dispute that is accepted with a code
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a buyer who ordered 1 of the "Trail Tent"
      And the buyer disputes the payment in the sandbox
      And with no code the merchant requires it
      When with no code the merchant accepts the dispute
      Then the acceptance is refused because a code is required
      When with a wrong code the merchant accepts the dispute
      Then the acceptance is refused because a code is required
      And the dispute is still open
      When with a recovery code the merchant accepts the dispute
      Then the merchant loses the accepted dispute
