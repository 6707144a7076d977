Feature: The account and its second factor
  An account owns shops and keys, and pays for a plan. With an authenticator its owner confirms what must not be
  done by whoever got hold of a key.

  Rule: An account shows its plan, and may be renamed

    Scenario: Looking at the account
      Given a merchant with an account of its own
      When the merchant sends GET /v1/account
      Then the answer shows:
        | id                         | matches ^acct_ |
        | name                       | "$scenario"    |
        | plan                       | "enterprise"   |
        | limits.requests_per_minute | 1000000        |
        | limits.burst               | 1000000        |
        | mfa.enabled                | false          |
        | mfa.recovery_codes_left    | 0              |
        | created_at                 | matches Z$     |

    Scenario: A new name
      Given a merchant with an account of its own
      When the merchant sends PATCH /v1/account {"name": "Zoë's Outdoor"}
      Then the answer shows:
        | name | "Zoë's Outdoor" |
        | plan | "enterprise"    |
      When the merchant sends GET /v1/account
      Then the answer shows:
        | name | "Zoë's Outdoor" |

    Scenario Outline: How long a name may be
      Given a merchant with an account of its own
      When the merchant renames the account to <name>
      Then <outcome>

      Examples:
        | name                | outcome                              |
        | 1 character long    | it answers 200                       |
        | 200 characters long | it answers 200                       |
        | 201 characters long | it is refused: 422 validation_error  |

    Scenario: A change of nothing
      Given a merchant with an account of its own
      When the merchant sends PATCH /v1/account {}
      Then the answer shows:
        | name | "$scenario" |

    Scenario Outline: Names that are none, and what is not the merchant's to change
      Given a merchant with an account of its own
      When the merchant sends PATCH /v1/account <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                   | field  |
        | {"name": ""}           | name   |
        | {"name": null}         | name   |
        | {"name": 7}            | name   |
        | {"plan": "enterprise"} | plan   |
        | {"mfa": null}          | mfa    |
        | {"limits": {}}         | limits |

  Rule: An authenticator counts once it has shown that it works

    Scenario: Enrolling
      Given a merchant with an account of its own
      When the merchant enrols an authenticator
      Then it answers 201
      And the answer shows:
        | secret           | matches ^[A-Z2-7]{32,}$                      |
        | otpauth_url      | matches ^otpauth://totp/Haggle:.*issuer=Haggle |
        | recovery_codes.# | 10                                           |
      And the second factor is off

    Scenario: Confirming
      Given a merchant with an account of its own
      And the merchant enrols an authenticator
      When the merchant confirms it with a fresh code
      Then the answer shows:
        | enabled             | true |
        | recovery_codes_left | 10   |
      And the second factor is on
      And the authenticator's secret was shown once

    Scenario Outline: Codes that confirm nothing
      Given a merchant with an account of its own
      And the merchant enrols an authenticator
      When the merchant confirms it with <code>
      Then it is refused: 422 validation_error
      And the refusal names "code"
      And the second factor is off

      Examples:
        | code            |
        | no code         |
        | a wrong code    |
        | a recovery code |

    Scenario Outline: Bodies that confirm nothing
      Given a merchant with an account of its own
      And the merchant enrols an authenticator
      When the merchant sends POST /v1/account/mfa/confirm <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                   | field |
        | {}                                     | code  |
        | {"code": 123456}                       | code  |
        | {"code": null}                         | code  |
        | {"code": "000000", "secret": "ABCDEF"} | secret |

    Scenario: Nothing to confirm
      Given a merchant with an account of its own
      When the merchant confirms it with a wrong code
      Then it is refused: 404 mfa_not_found

    Scenario: Nothing to remove
      Given a merchant with an account of its own
      When with no code the merchant removes the authenticator
      Then it is refused: 404 mfa_not_found

    Scenario: A confirmed one is not confirmed again
      Given a merchant with an authenticator
      When the merchant confirms it with a fresh code
      Then it is refused: 404 mfa_not_found

    Scenario: Who tries too often has to wait
      Given a merchant with an account of its own
      And the merchant enrols an authenticator
      And the merchant confirms five times with a wrong code
      When the merchant confirms it with a fresh code
      Then it is refused: 429 rate_limited
      And the answer's headers show:
        | Retry-After | at most 300 |
      And the second factor is off

  Rule: A code is good once

    Scenario: Removing the authenticator
      Given a merchant with an authenticator
      When with a fresh code the merchant removes the authenticator
      Then it answers 204
      And the second factor is off

    Scenario Outline: Codes that remove nothing
      Given a merchant with an authenticator
      When with <code> the merchant removes the authenticator
      Then it is refused: 403 mfa_required
      And the second factor is on

      Examples:
        | code          |
        | no code       |
        | a wrong code  |
        | the same code |

    Scenario: A recovery code stands in for a code, once
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a recovery code the merchant creates a key for the shop
      Then it answers 201
      And there are 9 recovery codes left
      When with the same code the merchant creates a key for the shop
      Then it is refused: 403 mfa_required
      And there are 9 recovery codes left

    Scenario: Another authenticator takes the place of the first
      Given a merchant with an authenticator
      When with no code the merchant enrols another authenticator
      Then it is refused: 403 mfa_required
      When with a recovery code the merchant enrols another authenticator
      Then it answers 201
      And there are 9 recovery codes left
      When the merchant confirms it with a fresh code
      Then it answers 200
      And there are 10 recovery codes left

  Rule: A shop that requires a second factor is guarded by it

    Scenario Outline: Without an authenticator
      Given a merchant with an account of its own
      And a shop
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then it is refused: 403 mfa_required
      And the shop is still open

      Examples:
        | code         | does                        |
        | no code      | closes the shop             |
        | a wrong code | closes the shop             |
        | no code      | creates a key for the shop  |
        | no code      | creates a key for all shops |

    Scenario Outline: Without a code that is good
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then it is refused: 403 mfa_required
      And the setting "security.mfa_required" is true
      And the shop is still open

      Examples:
        | code          | does                         |
        | no code       | closes the shop              |
        | a wrong code  | closes the shop              |
        | the same code | closes the shop              |
        | no code       | creates a key for the shop   |
        | a wrong code  | creates a key for the shop   |
        | no code       | creates a key for all shops  |
        | no code       | no longer requires it        |
        | a wrong code  | no longer requires it        |
        | no code       | restores whether it requires |
        | no code       | restores all of the security |

    Scenario Outline: With a code that is good
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then it answers <status>

      Examples:
        | code            | does                         | status |
        | a fresh code    | closes the shop              | 204    |
        | a recovery code | closes the shop              | 204    |
        | a fresh code    | creates a key for the shop   | 201    |
        | a fresh code    | creates a key for all shops  | 201    |
        | a fresh code    | no longer requires it        | 200    |
        | a recovery code | no longer requires it        | 200    |
        | a fresh code    | restores whether it requires | 200    |
        | a fresh code    | restores all of the security | 200    |

    Scenario Outline: What needs no code
      Given a merchant with an authenticator
      And a shop
      And another shop
      And with no code the merchant requires it
      When with no code the merchant <does>
      Then it answers <status>

      Examples:
        | does                        | status |
        | renames the shop            | 200    |
        | requires it                 | 200    |
        | creates a key for the other | 201    |
        | closes the other shop       | 204    |

    Scenario: Who requires a second factor without having one can still turn back
      Given a merchant with an account of its own
      And a shop
      And with no code the merchant requires it
      When with no code the merchant no longer requires it
      Then it answers 200
      And the setting "security.mfa_required" is false

    Scenario Outline: A request that is not acceptable spends no code
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a fresh code the merchant <does>
      Then it is refused: <refusal>
      When with the same code the merchant <does then>
      Then it answers <status>

      Examples:
        | does                           | refusal                   | does then                  | status |
        | creates a key for a lost shop  | 422 validation_error      | creates a key for the shop | 201    |
        | closes the shop unconfirmed    | 400 confirmation_required | closes the shop            | 204    |

    Scenario: What is refused after the code was looked at has used it up
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a fresh code the merchant spoils the settings
      Then it is refused: 422 validation_error
      When with the same code the merchant no longer requires it
      Then it is refused: 403 mfa_required

    Scenario: A code is good once, however many try at once
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a fresh code the merchant creates a key for the shop 6 times at once
      Then 1 of them succeeds and 5 are refused: 403 mfa_required

    Scenario: A request without a code may be sent again with one
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with no code under the key "a" the merchant closes the shop
      Then it is refused: 403 mfa_required
      When with a fresh code under the key "a" the merchant closes the shop
      Then it answers 204
      When with no code under the key "a" the merchant closes the shop
      Then it is the answer from before, and says so
