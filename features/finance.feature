Feature: Money
  A merchant sees payments, refunds them, and keeps books that can be compared with those of the payment providers.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
      | Camp Stove | 40.00  | 50    |

  Rule: Payments belong to one shop, and to those who may see or move money

    Scenario Outline: Another shop's merchant
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant refunds 5 of the payment
      Then the merchant of another shop cannot <act>
      And the payment is partially refunded, 5 of 105.99

      Examples:
        | act                        |
        | read the payment           |
        | list the payment's refunds |
        | refund the payment         |
        | read the refund            |
        | read the transaction       |

    Scenario Outline: A clerk with too few rights
      Given a buyer who ordered 1 of the "Trail Tent"
      Then a clerk who may only <do> may not <act>
      And the payment is not refunded

      Examples:
        | do               | act                       |
        | edit the catalog | list the payments         |
        | edit the catalog | read the payment          |
        | edit the catalog | read the wallets          |
        | edit the catalog | list the transactions     |
        | edit the catalog | download the payments     |
        | edit the catalog | download the transactions |
        | edit the catalog | compare the books         |
        | see the finances | refund the payment        |

  Rule: A payment is refunded at most once in full

    Scenario: A full refund
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds the payment
      Then the payment is refunded, 205.99 of 205.99
      And the books balance

    Scenario: A partial refund, and then the rest
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds 50 of the payment
      Then the payment is partially refunded, 50 of 205.99
      When the merchant refunds the payment
      Then the payment is refunded, 205.99 of 205.99
      And the books balance

    Scenario: A refunded payment cannot be refunded again
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds the payment
      When the merchant refunds the payment
      Then the refund is refused because all of it was refunded
      When the merchant refunds 1 of the payment
      Then the refund is refused because all of it was refunded
      And the payment is refunded, 205.99 of 205.99
      And the books balance

    Scenario: A refund of more than is left
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 200 of the payment
      When the merchant refunds 6 of the payment
      Then the refund is refused because it exceeds the rest of the payment
      And the payment is partially refunded, 200 of 205.99

    Scenario: Concurrent partial refunds
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds 60 of the payment 8 times at once
      Then 3 requests succeed and 5 are refused because it exceeds the rest of the payment
      And the payment is partially refunded, 180 of 205.99
      And the books balance

    Scenario: Concurrent full refunds
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds all of the payment 8 times at once
      Then 1 request succeeds and 7 are refused because all of it was refunded
      And the payment is refunded, 205.99 of 205.99
      And the books balance

    Scenario: A shop that requires a second factor
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with no code the merchant refunds the payment
      Then the refund is refused because a code is required
      When with a wrong code the merchant refunds the payment
      Then the refund is refused because a code is required
      And the payment is not refunded
      When with a recovery code the merchant refunds the payment
      Then the payment is refunded, 105.99 of 105.99

  Rule: A refund that the provider has not decided is pending, and is retried

    Scenario: The provider fails for a while
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays through Stripe, where the first 5 tries to refund fail
      When the merchant refunds 50 of the payment
      Then the refund is pending
      And the books balance
      When the merchant refunds 160 of the payment
      Then the refund is refused because it exceeds the rest of the payment
      And within 30 seconds the payment is partially refunded, 50 of 205.99
      And the books balance

    Scenario: The provider's answer is lost
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays through Stripe, where the answer to a refund is lost
      When the merchant refunds the payment
      Then within 30 seconds the payment is refunded, 205.99 of 205.99
      And the account has refunded 205.99 in 1 refund

    Scenario: The provider declines the refund
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays through Stripe, where the first refund is declined
      When the merchant refunds the payment
      Then the refund has failed
      And the books balance
      When the merchant refunds the payment
      Then the refund is complete
      And the books balance

    Scenario: A canceled order whose refund is pending
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays through Stripe, where the first 5 tries to refund fail
      When the merchant cancels the order
      Then the cancellation's refund is pending
      And there are 20 of the "Trail Tent"
      And within 30 seconds the payment is refunded, 205.99 of 205.99

  Rule: A wallet holds what was captured less what was refunded

    Scenario: Nothing was sold
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the payment is declined 1 times, and may be tried again each time
      Then the shop has no payments
      And the shop has no wallet

    Scenario: Sales and refunds
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      And a buyer who ordered 1 of the "Camp Stove"
      Then the wallet holds 201.98: 251.98 captured less 50 refunded
      And the books balance

    Scenario: Two providers
      Given a buyer who ordered 2 of the "Trail Tent"
      And a connected Stripe account
      And a buyer at the checkout with 1 of the "Camp Stove"
      And the buyer pays through Stripe
      Then the wallet holds 251.98: 205.99 in the sandbox and 45.99 at Stripe
      And the books balance

  Rule: The books can be downloaded

    Scenario: Payments
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant downloads the payments
      Then the file "payments.csv" has 1 row
      And its row 1 shows:
        | id              | $payment           |
        | status          | partially_refunded |
        | amount          | 205.99             |
        | refunded_amount | 50.00              |
        | currency        | USD                |
        | method          | psp_spt            |
        | provider        | sandbox            |
        | order_id        | $order             |
        | checkout_id     | $checkout          |

    Scenario: The entries of the ledger
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant downloads the transactions
      Then the file "transactions.csv" has 5 rows
      And its row 1 shows:
        | transaction_id | $transaction |
        | type           | refund       |
        | account        | refunds      |
        | amount         | 50.00        |
        | refund_id      | $refund      |
        | payment_id     | $payment     |
      And its row 2 shows:
        | account | funds:sandbox |
        | amount  | -50.00        |
      And its row 3 shows:
        | type      | sale          |
        | account   | funds:sandbox |
        | amount    | 205.99        |
        | refund_id |               |
      And the column "amount" sums to 0.00

    Scenario: Nothing to download
      When the merchant downloads the transactions
      Then the file "transactions.csv" has 0 rows

    Scenario: A period without payments
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant downloads the payments from "2100-01-01T00:00:00Z"
      Then the file "payments.csv" has 0 rows

  Rule: The books agree with those of the provider

    Scenario: Sales and refunds
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant compares the books of the last hour with the provider's
      Then 1 provider was compared
      And the sandbox's books agree in 3 bookings, 201.98 in all

    Scenario: Declined payments are in nobody's books
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the payment is declined 1 times, and may be tried again each time
      When the merchant compares the books of the last hour with the provider's
      Then the sandbox's books agree in 0 bookings

    Scenario: Two providers
      Given a buyer who ordered 1 of the "Camp Stove"
      And a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays through Stripe
      And the merchant refunds 50 of the payment
      When the merchant compares the books of the last hour with the provider's
      Then 2 providers were compared
      And the sandbox's books agree in 1 booking, 45.99 in all
      And Stripe's books agree in 2 bookings, 155.99 in all

    Scenario: A provider that is no longer connected
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays through Stripe
      And the merchant has disconnected Stripe
      When the merchant compares the books of the last hour with the provider's
      Then the comparison is refused, as Stripe is not connected

  Rule: A person decides about a payment whose outcome the provider does not report

    Scenario: A charge whose answer is lost
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account whose webhooks are signed with "whsec_of_nobody"
      And a buyer at the checkout with 2 of the "Trail Tent"
      And every answer of the account gets lost from now on
      When the buyer pays with a token granted to the account
      Then the payment is refused because the payment's outcome is unknown
      And the payment is listed as unresolved
      When with a recovery code the merchant says it was charged
      Then the decision is refused because the provider may still report the payment
      Given the payment began 11m earlier
      When with no code the merchant says it was charged
      Then the decision is refused because a code is required
      When with a recovery code the merchant says it was charged
      Then the decision creates an order
      And the shop has 1 order
      And there are 3 of the "Trail Tent" left
      And the account has received 1 payment
      And no payment is listed as unresolved
      When with a recovery code the merchant says it was not charged
      Then the decision is refused because it was decided already
      And the audit log has the decision "charged"

    Scenario: A charge that was not made
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account whose webhooks are signed with "whsec_of_nobody"
      And a buyer at the checkout with 2 of the "Trail Tent"
      And every request of the account gets lost from now on
      When the buyer pays with a token granted to the account
      Then the payment is refused because the payment's outcome is unknown
      And there are 3 of the "Trail Tent" left
      Given the payment began 11m earlier
      When with a recovery code the merchant says it was not charged
      Then the decision creates no order
      And there are 5 of the "Trail Tent" left

    Scenario: A refund whose answer is lost
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account whose webhooks are signed with "whsec_of_nobody"
      And a buyer at the checkout with 2 of the "Trail Tent"
      When the buyer pays with a token granted to the account
      Then the payment succeeds
      Given every answer of the account gets lost from now on
      When the merchant refunds 50 of the payment
      Then the refund is pending
      And the refund of 50 is listed as unresolved
      When with a recovery code the merchant says it was refunded
      Then the decision is refused because the provider may still report the refund
      Given the refund began 11m earlier
      When with no code the merchant says it was refunded
      Then the decision is refused because a code is required
      When with a recovery code the merchant says it was refunded
      Then the decision completes the refund
      And the payment is partially refunded, 50 of 205.99
      And the account has refunded 50 in 1 refund
      And the books balance
      And no refund is listed as unresolved
