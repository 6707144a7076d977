Feature: The account and its second factor
  An account owns shops and keys. With the codes of an authenticator its owner confirms what a thief of a key must not
  do.

  Rule: An authenticator counts after its first code

    Scenario: Enrolling and confirming
      Given a merchant with an account of its own
      When the merchant enrols an authenticator
      Then the second factor is off
      When the merchant confirms it with a fresh code
      Then the second factor is on
      And there are 10 recovery codes left
      And the authenticator's secret was shown once

    Scenario Outline: Wrong codes
      Given a merchant with an account of its own
      And the merchant enrols an authenticator
      When the merchant confirms it with <code>
      Then it is refused because the code does not confirm
      And the second factor is off

      Examples:
        | code            |
        | no code         |
        | a wrong code    |
        | a recovery code |

    Scenario: Confirming without an authenticator
      Given a merchant with an account of its own
      When the merchant confirms it with a wrong code
      Then it is refused because no authenticator waits for its first code

    Scenario: Removing without an authenticator
      Given a merchant with an account of its own
      When with no code the merchant removes the authenticator
      Then it is refused because there is no authenticator

    Scenario: Confirming twice
      Given a merchant with an authenticator
      When the merchant confirms it with a fresh code
      Then it is refused because no authenticator waits for its first code

    Scenario: Too many wrong codes
      Given a merchant with an account of its own
      And the merchant enrols an authenticator
      And the merchant confirms five times with a wrong code
      When the merchant confirms it with a fresh code
      Then it is refused because there were too many wrong codes
      And the merchant may try again within 300 seconds
      And the second factor is off

  Rule: A code can be used once

    Scenario: Removing the authenticator
      Given a merchant with an authenticator
      When with a fresh code the merchant removes the authenticator
      Then the second factor is off

    Scenario Outline: Removing it without a valid code
      Given a merchant with an authenticator
      When with <code> the merchant removes the authenticator
      Then it is refused because a valid code is missing
      And the second factor is on

      Examples:
        | code          |
        | no code       |
        | a wrong code  |
        | the same code |

    Scenario: A recovery code replaces a code, once
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a recovery code the merchant creates a key for the shop
      Then it is allowed
      And there are 9 recovery codes left
      When with the same code the merchant creates a key for the shop
      Then it is refused because a valid code is missing
      And there are 9 recovery codes left

    Scenario: Another authenticator replaces the first
      Given a merchant with an authenticator
      When with no code the merchant enrols another authenticator
      Then it is refused because a valid code is missing
      When with a recovery code the merchant enrols another authenticator
      Then it is allowed
      And there are 9 recovery codes left
      When the merchant confirms it with a fresh code
      Then there are 10 recovery codes left

  Rule: A shop that requires a second factor is guarded by it

    Scenario Outline: Without an authenticator
      Given a merchant with an account of its own
      And a shop
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then it is refused because a valid code is missing
      And the shop is still open

      Examples:
        | code         | does                        |
        | no code      | closes the shop             |
        | a wrong code | closes the shop             |
        | no code      | creates a key for the shop  |
        | no code      | creates a key for all shops |

    Scenario Outline: Without a valid code
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then it is refused because a valid code is missing
      And the shop requires a second factor
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
        | no code       | restores the default of it   |
        | no code       | restores security defaults   |

    Scenario Outline: With a valid code
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with <code> the merchant <does>
      Then it is allowed

      Examples:
        | code            | does                         |
        | a fresh code    | closes the shop              |
        | a recovery code | closes the shop              |
        | a fresh code    | creates a key for the shop   |
        | a fresh code    | creates a key for all shops  |
        | a fresh code    | no longer requires it        |
        | a recovery code | no longer requires it        |
        | a fresh code    | restores the default of it   |
        | a fresh code    | restores security defaults   |

    Scenario Outline: What needs no code
      Given a merchant with an authenticator
      And a shop
      And another shop
      And with no code the merchant requires it
      When with no code the merchant <does>
      Then it is allowed

      Examples:
        | does                        |
        | renames the shop            |
        | requires it                 |
        | creates a key for the other |
        | closes the other shop       |

    Scenario: A merchant without a second factor may stop requiring one
      Given a merchant with an account of its own
      And a shop
      And with no code the merchant requires it
      When with no code the merchant no longer requires it
      Then it is allowed
      And the shop requires no second factor

    Scenario Outline: A request that is refused before its code is checked uses no code
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a fresh code the merchant <does>
      Then it is refused because <reason>
      When with the same code the merchant <does then>
      Then it is allowed

      Examples:
        | does                          | reason                    | does then                  |
        | creates a key for a lost shop | a shop does not exist     | creates a key for the shop |
        | closes the shop unconfirmed   | closing was not confirmed | closes the shop            |

    Scenario: A request that is refused after its code was checked has used the code
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a fresh code the merchant sends a wrong setting
      Then it is refused because a setting is wrong
      When with the same code the merchant no longer requires it
      Then it is refused because a valid code is missing

    Scenario: Several requests with the same code at once
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with a fresh code the merchant creates a key for the shop 6 times at once
      Then 1 request succeeds and 5 are refused because a valid code is missing

    Scenario: A request without a code may be sent again with one
      Given a merchant with an authenticator
      And a shop
      And with no code the merchant requires it
      When with no code under the key "a" the merchant closes the shop
      Then it is refused because a valid code is missing
      When with a fresh code under the key "a" the merchant closes the shop
      Then it is allowed
      When with no code under the key "a" the merchant closes the shop
      Then it is the answer from before, and says so
