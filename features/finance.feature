Feature: Money
  A merchant sees what was paid, gives money back, and keeps books that can be checked against those of the payment
  providers.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 20    |
      | Camp Stove | 40.00  | 50    |

  Rule: A payment shows what was taken and what was given back

    Scenario: Reading a payment
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant reads the payment
      Then it answers 200
      And the answer shows:
        | id              | "$payment"  |
        | status          | "succeeded" |
        | amount          | 205.99      |
        | refunded_amount | 0           |
        | currency        | "USD"       |
        | method          | "psp_spt"   |
        | instrument      | present     |
        | provider        | "sandbox"   |
        | order_id        | "$order"    |
        | checkout_id     | "$checkout" |
        | created_at      | matches Z$  |
        | refunds         | []          |

    Scenario: What was declined is no payment
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the payment is declined 1 times, and may be tried again each time
      When the merchant sends GET /v1/finance/payments
      Then the answer shows:
        | data       | [] |
        | meta.total | 0  |

    Scenario: Newest first, in parts
      Given a buyer who ordered 1 of the "Trail Tent"
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/finance/payments?limit=1
      Then the answer shows:
        | data.*.amount | [45.99]    |
        | data.0.id     | "$payment" |
        | meta.total    | 2          |
      When the merchant sends GET /v1/finance/payments?limit=1&offset=1
      Then the answer shows:
        | data.*.amount | [105.99] |
        | meta.offset   | 1        |

    Scenario Outline: Looking for payments
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant refunds 5 of the payment
      And a buyer at the checkout with 1 of the "Camp Stove"
      And the buyer pays by wallet_ba with "ba_sandbox_ok"
      When the merchant sends GET /v1/finance/payments?<query>
      Then the answer shows:
        | data.*.amount | <amounts> |

      Examples:
        | query                            | amounts         |
        | status=partially_refunded        | [105.99]        |
        | status=succeeded                 | [45.99]         |
        | status=refunded                  | []              |
        | method=wallet_ba                 | [45.99]         |
        | method=psp_spt                   | [105.99]        |
        | order_id=$order                  | [45.99]         |
        | order_id=ord_unknown             | []              |
        | from=2020-01-01T00:00:00Z        | [45.99, 105.99] |
        | from=2100-01-01T00:00:00Z        | []              |
        | to=2020-01-01T00:00:00Z          | []              |
        | from=2020-01-01                  | [45.99, 105.99] |
        | to=2020-01-01                    | []              |
        | method=psp_spt&status=succeeded  | []              |

    Scenario Outline: Questions that cannot be answered
      When the merchant sends GET /v1/finance/<question>
      Then it is refused: 400 invalid_request
      And the refusal names "<field>"

      Examples:
        | question                        | field  |
        | payments?status=paid            | status |
        | payments?method=cash            | method |
        | payments?from=yesterday         | from   |
        | payments?limit=101              | limit  |
        | transactions?type=gift          | type   |
        | transactions?to=2026-13-01      | to     |
        | payments.csv?from=1             | from   |
        | transactions.csv?to=1           | to     |
        | reconciliation?to=2026-01-01T00:00:00Z | from |

    Scenario Outline: Things that are none
      When the merchant sends <request>
      Then it is refused: 404 <code>

      Examples:
        | request                                                      | code                  |
        | GET /v1/finance/payments/pay_unknown                         | payment_not_found     |
        | GET /v1/finance/payments/pay_0000000000000000000000000a      | payment_not_found     |
        | GET /v1/finance/payments/pay_unknown/refunds                 | payment_not_found     |
        | POST /v1/finance/payments/pay_unknown/refund                 | payment_not_found     |
        | POST /v1/finance/payments/pay_0000000000000000000000000a/refund {"amount": 1} | payment_not_found |
        | GET /v1/finance/refunds/ref_0000000000000000000000000a       | refund_not_found      |
        | GET /v1/finance/transactions/txn_0000000000000000000000000a  | transaction_not_found |

    Scenario Outline: Nothing of it belongs to another shop
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant refunds 5 of the payment
      And another shop
      When in the other shop the merchant sends <request>
      Then it is refused: 404 <code>
      And the payment is "partially_refunded", with 5 given back

      Examples:
        | request                                    | code                  |
        | GET /v1/finance/payments/$payment          | payment_not_found     |
        | GET /v1/finance/payments/$payment/refunds  | payment_not_found     |
        | POST /v1/finance/payments/$payment/refund  | payment_not_found     |
        | GET /v1/finance/refunds/$refund            | refund_not_found      |
        | GET /v1/finance/transactions/$transaction  | transaction_not_found |

    Scenario: Lists of another shop are empty
      Given a buyer who ordered 1 of the "Trail Tent"
      And another shop
      When in the other shop the merchant sends GET /v1/finance/payments
      Then the answer shows:
        | meta.total | 0 |
      When in the other shop the merchant sends GET /v1/finance/transactions?order_id=$order
      Then the answer shows:
        | meta.total | 0 |
      When in the other shop the merchant sends GET /v1/finance/wallets
      Then the answer shows:
        | data | [] |

    Scenario Outline: Money is for those who may see it, or move it
      Given a buyer who ordered 1 of the "Trail Tent"
      And a key "Clerk" with {"scopes": ["<scope>"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope
      And the payment is "succeeded", with 0 given back

      Examples:
        | scope         | request                                          |
        | catalog:write | GET /v1/finance/payments                         |
        | catalog:write | GET /v1/finance/payments/$payment                |
        | catalog:write | GET /v1/finance/wallets                          |
        | catalog:write | GET /v1/finance/transactions                     |
        | catalog:write | GET /v1/finance/payments.csv                     |
        | catalog:write | GET /v1/finance/transactions.csv                 |
        | catalog:write | GET /v1/finance/reconciliation?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z |
        | finance:read  | POST /v1/finance/payments/$payment/refund        |

  Rule: Money is given back once, and never more than was taken

    Scenario: All of it
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds the payment
      Then it answers 201
      And the answer shows:
        | id                      | matches ^ref_ |
        | payment_id              | "$payment"    |
        | order_id                | "$order"      |
        | return_id               | null          |
        | amount                  | 205.99        |
        | currency                | "USD"         |
        | status                  | "succeeded"   |
        | reason                  | ""            |
        | failure_code            | null          |
        | payment.id              | "$payment"    |
        | payment.status          | "refunded"    |
        | payment.refunded_amount | 205.99        |
      And the payment is "refunded", with 205.99 given back
      And the books balance

    Scenario: A part, and then the rest
      Given a buyer who ordered 2 of the "Trail Tent"
      When under the key "part" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 50, "reason": "A scratch"}
      Then it answers 201
      And the answer shows:
        | amount                  | 50                   |
        | reason                  | "A scratch"          |
        | payment.status          | "partially_refunded" |
        | payment.refunded_amount | 50                   |
      And the payment is "partially_refunded", with 50 given back
      When the merchant refunds the payment
      Then the answer shows:
        | amount                  | 155.99     |
        | payment.status          | "refunded" |
        | payment.refunded_amount | 205.99     |
      And the books balance
      When the merchant sends GET /v1/finance/payments/$payment/refunds
      Then the answer shows:
        | data.*.amount | [50, 155.99]               |
        | data.*.status | ["succeeded", "succeeded"] |
        | meta.total    | 2                          |
      When the merchant sends GET /v1/finance/payments/$payment/refunds?limit=1&offset=1
      Then the answer shows:
        | data.*.amount | [155.99] |
        | meta.total    | 2        |

    Scenario: A refund can be read
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant sends GET /v1/finance/refunds/$refund
      Then the answer shows:
        | id                      | "$refund"            |
        | amount                  | 50                   |
        | status                  | "succeeded"          |
        | payment.id              | "$payment"           |
        | payment.refunded_amount | 50                   |

    Scenario: Nothing is left
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds the payment
      When the merchant refunds the payment
      Then it is refused: 409 payment_refunded
      When the merchant refunds 1 of the payment
      Then it is refused: 409 payment_refunded
      And the payment is "refunded", with 205.99 given back
      And the books balance

    Scenario: More than is left
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 200 of the payment
      When the merchant refunds 6 of the payment
      Then it is refused: 422 validation_error
      And the refusal names "amount"
      And the payment is "partially_refunded", with 200 given back

    Scenario Outline: Refunds that cannot be
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant sends POST /v1/finance/payments/$payment/refund <request>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the payment is "succeeded", with 0 given back

      Examples:
        | request              | field    |
        | {"amount": 206}      | amount   |
        | {"amount": 0}        | amount   |
        | {"amount": -1}       | amount   |
        | {"amount": 1.999}    | amount   |
        | {"amount": "5"}      | amount   |
        | {"amount": 1e400}    | amount   |
        | {"reason": 5}        | reason   |
        | {"currency": "EUR"}  | currency |

    Scenario: A reason that is too long
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds the payment with a reason of 2001 characters
      Then it is refused: 422 validation_error
      And the refusal names "reason"
      And the payment is "succeeded", with 0 given back

    Scenario: The same request again
      Given a buyer who ordered 2 of the "Trail Tent"
      And under the key "once" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 50}
      When under the key "once" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 50.00}
      Then it is the answer from before, and says so
      And the answer shows:
        | status | "succeeded" |
      And the payment is "partially_refunded", with 50 given back

    Scenario: Another request under the key
      Given a buyer who ordered 2 of the "Trail Tent"
      And under the key "once" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 50}
      When under the key "once" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 51}
      Then it is refused: 422 idempotency_key_reused
      And the payment is "partially_refunded", with 50 given back

    Scenario: One key, many times at once
      Given a buyer who ordered 2 of the "Trail Tent"
      When under the key "once" the merchant refunds 50 of the payment 8 times at once
      Then the payment is "partially_refunded", with 50 given back
      And the books balance
      When under the key "once" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 50}
      Then it answers 201
      And the answer shows:
        | status                  | "succeeded" |
        | payment.refunded_amount | 50          |

    Scenario: Parts at the same time
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds 60 of the payment 8 times at once
      Then 3 of them succeed and 5 are refused: 422 validation_error
      And the payment is "partially_refunded", with 180 given back
      And the books balance

    Scenario: All of it at the same time
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant refunds all of the payment 8 times at once
      Then 1 of them succeeds and 7 are refused: 409 payment_refunded
      And the payment is "refunded", with 205.99 given back
      And the books balance

    Scenario: A shop that requires a second factor
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 1 of the "Trail Tent"
      And with no code the merchant requires it
      When with no code the merchant refunds the payment
      Then it is refused: 403 mfa_required
      When with a wrong code the merchant refunds the payment
      Then it is refused: 403 mfa_required
      And the payment is "succeeded", with 0 given back
      When with a recovery code the merchant refunds the payment
      Then it answers 201
      And the payment is "refunded", with 105.99 given back

    Scenario: The log says who gave back how much, and not why
      Given a merchant with an account of its own
      And a shop selling:
        | name       | price | stock |
        | Trail Tent | 100   | 5     |
      And a buyer who ordered 1 of the "Trail Tent"
      And the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 5, "reason": "Mrs Lovelace wrote"}
      When the merchant sends GET /v1/audit-events?action=refund-payment
      Then the answer shows:
        | data.#                | 1                |
        | data.0.action         | "refund-payment" |
        | data.0.target         | "$payment"       |
        | data.0.project_id     | "$shop"          |
        | data.0.after.amount   | 5                |
        | data.0.after.currency | "USD"            |
        | data.0.after.reason   | absent           |

  Rule: A refund that the provider has not decided is pending, and is seen to

    Scenario: The provider has its troubles
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "refund.error_before:5"
      When under the key "once" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 50}
      Then it answers 201
      And the answer shows:
        | status                  | "pending"   |
        | failure_code            | null        |
        | payment.status          | "succeeded" |
        | payment.refunded_amount | 0           |
      And the books balance
      When the merchant refunds 160 of the payment
      Then it is refused: 422 validation_error
      And the refusal names "amount"
      And within 30 seconds the payment is "partially_refunded", with 50 given back
      And the books balance
      When under the key "once" the merchant sends POST /v1/finance/payments/$payment/refund {"amount": 50}
      Then it answers 201
      And the answer shows:
        | status | "pending" |
      And the payment is "partially_refunded", with 50 given back
      When the merchant sends GET /v1/finance/payments/$payment/refunds
      Then the answer shows:
        | data.*.status | ["succeeded"] |

    Scenario: The answer is lost
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "refund.reset_after"
      When the merchant refunds the payment
      Then it answers 201
      And within 30 seconds the payment is "refunded", with 205.99 given back
      And the account has given back 205.99 in 1 refund

    Scenario: The provider refuses
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "refund.decline:insufficient_funds:1"
      When the merchant refunds the payment
      Then it answers 201
      And the answer shows:
        | status                  | "failed"    |
        | failure_code            | present     |
        | payment.status          | "succeeded" |
        | payment.refunded_amount | 0           |
      And the books balance
      When the merchant refunds the payment
      Then the answer shows:
        | status         | "succeeded" |
        | payment.status | "refunded"  |
      And the books balance

    Scenario: A canceled order whose money is not back yet
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "refund.error_before:5"
      When the merchant cancels the order
      Then the answer shows:
        | status           | "canceled"  |
        | payment.status   | "succeeded" |
        | refunds.*.status | ["pending"] |
      And there are 20 of the "Trail Tent"
      And within 30 seconds the payment is "refunded", with 205.99 given back

  Rule: The ledger balances

    Scenario: What a sale is made of
      Given the merchant sets the storefront's "tax_rates" to [{"country": "US", "rate": 10}]
      And a buyer who ordered 2 of the "Trail Tent"
      When the merchant sends GET /v1/finance/transactions
      Then the answer shows:
        | data.#           | 1             |
        | data.0.id        | matches ^txn_ |
        | data.0.type      | "sale"        |
        | data.0.currency  | "USD"         |
        | data.0.amount    | 225.99        |
        | data.0.order_id  | "$order"      |
        | data.0.payment_id | "$payment"   |
        | data.0.refund_id | null          |
        | data.0.entries   | [{"account": "funds:sandbox", "amount": 225.99}, {"account": "sales", "amount": -200}, {"account": "shipping", "amount": -5.99}, {"account": "tax", "amount": -20}] |
      And the books balance

    Scenario: What a refund is made of
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant sends GET /v1/finance/transactions?type=refund
      Then the answer shows:
        | data.#           | 1         |
        | data.0.amount    | 50        |
        | data.0.refund_id | "$refund" |
        | data.0.entries   | [{"account": "refunds", "amount": 50}, {"account": "funds:sandbox", "amount": -50}] |
      And the books balance

    Scenario: Newest first, and one by one
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant sends GET /v1/finance/transactions?order_id=$order
      Then the answer shows:
        | data.*.type | ["refund", "sale"] |
        | meta.total  | 2                  |
      When the merchant sends GET /v1/finance/transactions/$transaction
      Then the answer shows:
        | id     | "$transaction" |
        | type   | "refund"       |
        | amount | 50             |
      When the merchant sends GET /v1/finance/transactions?type=sale&limit=1
      Then the answer shows:
        | data.*.type | ["sale"] |
        | meta.total  | 1        |
      When the merchant sends GET /v1/finance/transactions?from=2100-01-01T00:00:00Z
      Then the answer shows:
        | meta.total | 0 |

  Rule: A wallet holds what was taken less what was given back

    Scenario: Nothing was sold
      When the merchant sends GET /v1/finance/wallets
      Then the answer shows:
        | data       | [] |
        | meta.total | 0  |

    Scenario: Sales and refunds
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant sends GET /v1/finance/wallets
      Then the answer shows:
        | data.#           | 1      |
        | data.0.currency  | "USD"  |
        | data.0.captured  | 251.98 |
        | data.0.refunded  | 50     |
        | data.0.balance   | 201.98 |
        | data.0.providers | [{"provider": "sandbox", "balance": 201.98}] |
        | meta.total       | 1      |
      And the books balance

    Scenario: Two providers
      Given a buyer who ordered 2 of the "Trail Tent"
      And a connected Stripe account
      And a buyer at the checkout with 1 of the "Camp Stove"
      And the buyer pays with a token of the account scripted "ok"
      When the merchant sends GET /v1/finance/wallets
      Then the answer shows:
        | data.#           | 1      |
        | data.0.balance   | 251.98 |
        | data.0.providers | [{"provider": "sandbox", "balance": 205.99}, {"provider": "stripe", "balance": 45.99}] |
      And the books balance

  Rule: The books can be downloaded

    Scenario: Payments
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant downloads the payments
      Then the table is called "payments.csv", and has 1 row
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

    Scenario: The ledger, entry by entry
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      When the merchant downloads the transactions
      Then the table is called "transactions.csv", and has 5 rows
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
      Then the table is called "transactions.csv", and has 0 rows

    Scenario: A part of the time
      Given a buyer who ordered 2 of the "Trail Tent"
      When the merchant downloads the payments from "2100-01-01T00:00:00Z"
      Then the table is called "payments.csv", and has 0 rows

  Rule: The books agree with those of the provider

    Scenario: Sales and refunds
      Given a buyer who ordered 2 of the "Trail Tent"
      And the merchant refunds 50 of the payment
      And a buyer who ordered 1 of the "Camp Stove"
      When the merchant compares the books of the last hour with the provider's
      Then it answers 200
      And the answer shows:
        | providers.#                   | 1                                        |
        | providers.0.provider          | "sandbox"                                |
        | providers.0.matched           | 3                                        |
        | providers.0.ours              | [{"currency": "USD", "amount": 201.98}]  |
        | providers.0.theirs            | [{"currency": "USD", "amount": 201.98}]  |
        | providers.0.differences       | []                                       |
        | providers.0.differences_found | 0                                        |

    Scenario: Declined payments are in nobody's books
      Given a buyer at the checkout with 1 of the "Trail Tent"
      And the payment is declined 1 times, and may be tried again each time
      When the merchant compares the books of the last hour with the provider's
      Then the answer shows:
        | providers.0.matched     | 0  |
        | providers.0.differences | [] |

    Scenario: Two providers
      Given a buyer who ordered 1 of the "Camp Stove"
      And a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "ok"
      And the merchant refunds 50 of the payment
      When the merchant compares the books of the last hour with the provider's
      Then the answer shows:
        | providers.*.provider    | ["sandbox", "stripe"] |
        | providers.*.matched     | [1, 2]                |
        | providers.0.theirs      | [{"currency": "USD", "amount": 45.99}]  |
        | providers.1.theirs      | [{"currency": "USD", "amount": 155.99}] |
        | providers.0.differences | []                    |
        | providers.1.differences | []                    |

    Scenario: A provider that the merchant left
      Given a connected Stripe account
      And a buyer at the checkout with 2 of the "Trail Tent"
      And the buyer pays with a token of the account scripted "ok"
      And the merchant sends DELETE /v1/integrations/$integration
      When the merchant compares the books of the last hour with the provider's
      Then it is refused: 409 provider_not_connected

    Scenario Outline: Too much at once
      When the merchant sends GET /v1/finance/reconciliation?from=<from>&to=<to>
      Then it is refused: 422 validation_error
      And the refusal names "to"

      Examples:
        | from                 | to                   |
        | 2026-01-01T00:00:00Z | 2026-02-01T00:00:01Z |
        | 2026-01-02T00:00:00Z | 2026-01-01T00:00:00Z |

  Rule: A person decides what the provider does not tell

    Scenario: Money was taken, and its answer is lost
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account whose webhooks are signed with "whsec_of_nobody"
      And a buyer at the checkout with 2 of the "Trail Tent"
      And every answer of the account gets lost from now on
      When the buyer pays with a token granted to the account
      Then it is refused: 503 payment_unresolved
      When the merchant sends GET /v1/finance/payments?status=unresolved&method=psp_spt
      Then the answer shows:
        | data.*.checkout_id | ["$checkout"] |
        | data.0.status      | "unresolved"  |
        | data.0.unresolved.attempt | 1             |
        | data.0.amount      | 205.99        |
        | data.0.currency    | "USD"         |
        | data.0.provider    | "stripe"      |
        | data.0.unresolved.problem     | present       |
        | data.0.unresolved.times_asked | present       |
        | data.0.unresolved.alerted_at  | null          |
        | meta.total         | 1             |
      When with a recovery code the merchant says it was charged
      Then it is refused: 409 payment_too_recent
      Given the payment began 11m earlier
      When with no code the merchant says it was charged
      Then it is refused: 403 mfa_required
      When with a recovery code the merchant says it was charged
      Then it answers 200
      And the answer shows:
        | checkout_id | "$checkout"   |
        | outcome     | "charged"     |
        | order_id    | matches ^ord_ |
        | payment_id  | matches ^pay_ |
      And the shop has 1 order
      And there are 3 of the "Trail Tent" left
      And the account has received 1 payment
      When the merchant sends GET /v1/finance/payments?status=unresolved
      Then the answer shows:
        | data | [] |
      When with a recovery code the merchant says it was not charged
      Then it is refused: 409 payment_decided
      When the merchant sends GET /v1/audit-events?action=resolve-payment
      Then the answer shows:
        | data.*.after.outcome | ["charged"] |

    Scenario: Money was not taken, and the buyer may pay again
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a connected Stripe account whose webhooks are signed with "whsec_of_nobody"
      And a buyer at the checkout with 2 of the "Trail Tent"
      And every request of the account gets lost from now on
      When the buyer pays with a token granted to the account
      Then it is refused: 503 payment_unresolved
      And there are 3 of the "Trail Tent" left
      Given the payment began 11m earlier
      When with a recovery code the merchant says it was not charged
      Then the answer shows:
        | outcome  | "not_charged" |
        | order_id | null          |
      And there are 5 of the "Trail Tent" left

    Scenario: Money was given back, and its answer is lost
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
      Then the answer shows:
        | status | "pending" |
      When the merchant sends GET /v1/finance/refunds?status=unresolved
      Then the answer shows:
        | data.*.id          | ["$unresolved"] |
        | data.0.status      | "pending"       |
        | data.0.amount      | 50              |
        | data.0.unresolved.provider | "stripe"        |
        | data.0.unresolved.problem     | present         |
        | data.0.unresolved.times_asked | present         |
        | data.0.unresolved.alerted_at  | null            |
        | meta.total         | 1               |
      When with a recovery code the merchant says it was refunded
      Then it is refused: 409 refund_too_recent
      Given the refund began 11m earlier
      When with no code the merchant says it was refunded
      Then it is refused: 403 mfa_required
      When with a recovery code the merchant says it was refunded
      Then it answers 200
      And the answer shows:
        | status | "succeeded" |
      And the payment is "partially_refunded", with 50 given back
      And the account has given back 50 in 1 refund
      And the books balance
      When the merchant sends GET /v1/finance/refunds?status=unresolved
      Then the answer shows:
        | data | [] |

    Scenario Outline: Lists of what is unresolved are as other lists
      When the merchant sends GET /v1/finance/<question>
      Then it is refused: 400 invalid_request
      And the refusal names "<field>"

      Examples:
        | question                                 | field  |
        | payments?status=unresolved&limit=101     | limit  |
        | payments?status=unresolved&method=cash   | method |
        | refunds?status=unresolved&from=yesterday | from   |
        | refunds?status=undecided                 | status |
