Feature: Disputes
  A buyer disputes a payment at the bank, which asks the merchant. The merchant answers with evidence before the deadline, or
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
      And the merchant sends GET /v1/disputes?response=needed
      Then within 30 seconds the answer shows:
        | data.*.status   | ["open"]     |
        | data.0.amount   | 205.99       |
        | data.0.provider | "<name>"     |
        | data.0.due_by   | matches T    |
        | data.0.evidence | absent       |
        | meta.next       | null         |
      And the answer's "data.0.id" is called "dispute"
      When the merchant sends GET /v1/disputes/$dispute
      Then the answer shows:
        | order_evidence.product | matches ^2 × Trail Tent |
        | order_evidence.receipt | matches 205.99 USD      |
      When the merchant sends POST /v1/disputes/$dispute/evidence {"note": "It was handed over.", "receipt": ""}
      Then it answers 200
      And the answer shows:
        | status           | "open"                  |
        | response         | "under_review"          |
        | evidence.note    | "It was handed over."   |
        | evidence.product | matches ^2 × Trail Tent |
        | evidence.receipt | ""                      |
        | answered_at      | matches Z$              |
      When the merchant sends POST /v1/disputes/$dispute/evidence {"note": "And once more."}
      Then it is refused: 409 dispute_answered
      When the merchant wins the dispute
      And the merchant sends GET /v1/disputes/$dispute
      Then within 60 seconds the answer shows:
        | status   | "won"    |
        | response | "closed" |

      Examples:
        | provider | name   | pays                                        |
        | Stripe   | stripe | pays with a token of the account scripted "ok" |
        | PayPal   | paypal | pays by wallet_ba, which PayPal takes       |

  Rule: In the sandbox, buyers dispute what they paid when they are told to

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a buyer who ordered 1 of the "Trail Tent"
      And the merchant sends GET /v1/orders/$order
      And the answer's "payment.id" is called "disputed"

    Scenario: Accepting a dispute, which cannot be undone
      When the merchant sends POST /v1/sandbox/disputes {"payment_id": "$disputed", "reason": "product_not_received"}
      Then it answers 201
      And the answer's "id" is called "dispute"
      When the merchant sends GET /v1/attention
      Then the answer shows:
        | data.0.kind   | "dispute_open" |
        | data.0.amount | 105.99         |
        | data.0.due_at | matches T      |
      When the merchant sends POST /v1/disputes/$dispute/accept
      Then it answers 200
      And the answer shows:
        | status | "lost" |
      When the merchant sends POST /v1/disputes/$dispute/accept
      Then it answers 200
      When the merchant sends POST /v1/disputes/$dispute/evidence {"note": "It was handed over."}
      Then it is refused: 409 dispute_closed
      When the merchant sends GET /v1/attention
      Then the answer shows:
        | data.*.kind | ["order_to_ship"] |

    Scenario Outline: Evidence that decides a dispute
      Given the merchant sends POST /v1/sandbox/disputes {"payment_id": "$disputed"}
      And the answer's "id" is called "dispute"
      When the merchant sends POST /v1/disputes/$dispute/evidence {"note": "<note>"}
      Then the answer shows:
        | status           | "<status>" |
        | withdrawn_amount | <taken>    |

      Examples:
        | note             | status | taken  |
        | winning_evidence | won    | 0      |
        | losing_evidence  | lost   | 105.99 |
        | It was sent.     | open   | 105.99 |

    Scenario Outline: Evidence that says nothing, or too much
      Given the merchant sends POST /v1/sandbox/disputes {"payment_id": "$disputed"}
      And the answer's "id" is called "dispute"
      When the merchant sends POST /v1/disputes/$dispute/evidence <evidence>
      Then it is refused: 422 validation_error
      And the answer shows:
        | error.details.*.field | ["<field>"] |

      Examples:
        | evidence                                    | field      |
        | {"product": "", "receipt": "", "note": " "} | note       |
        | {"shipped_on": "yesterday"}                 | shipped_on |

  Rule: What gives money up is guarded, and logged without the buyer

    Scenario: A dispute that is accepted with a code
      Given a merchant with an authenticator
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a buyer who ordered 1 of the "Trail Tent"
      And the merchant sends POST /v1/sandbox/disputes {"payment_id": "$payment"}
      And the answer's "id" is called "dispute"
      And with no code the merchant requires it
      When with no code the merchant accepts the dispute
      Then it is refused: 403 mfa_required
      When with a wrong code the merchant accepts the dispute
      Then it is refused: 403 mfa_required
      When the merchant sends GET /v1/disputes/$dispute
      Then the answer shows:
        | status | "open" |
      When with a recovery code the merchant accepts the dispute
      Then it answers 200
      And the answer shows:
        | status | "lost" |

    Scenario: A dispute that is answered is in the log, and the evidence is not
      Given a merchant with an account of its own
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And a buyer who ordered 1 of the "Trail Tent"
      And the merchant sends POST /v1/sandbox/disputes {"payment_id": "$payment"}
      And the answer's "id" is called "dispute"
      And the merchant sends POST /v1/disputes/$dispute/evidence {"note": "Mrs Lovelace signed for it."}
      When the merchant sends GET /v1/audit-events?project_id=$shop&action=submit-evidence
      Then the answer shows:
        | data.#                | 1              |
        | data.0.target         | "$dispute"     |
        | data.0.after.response | "under_review" |
      And the answer does not say "Lovelace"
