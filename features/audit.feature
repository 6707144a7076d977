Feature: The audit log
  Every change that a merchant makes is written down with the change itself: who made it, what it was, and where it
  came from. Nobody can change or delete what is written.

  Background:
    Given a merchant with an account of its own

  Rule: An event says who did what

    Scenario: A change by the holder of a key
      Given a shop
      And a key "Clerk" for catalog:write, in this shop only
      When "Clerk" adds a product
      Then the latest event says that "Clerk" did create-product

    Scenario: Changes of the second factor
      Given a merchant with an authenticator
      When with a fresh code the merchant removes the authenticator
      Then the audit log holds, newest first: disable-mfa, confirm-mfa, enrol-mfa

    Scenario: Events contain no secrets
      Given a merchant with an authenticator
      And a shop
      And a key "Clerk" for catalog:read
      Then no event contains a secret

  Rule: A refused change has no event

    Scenario: Closing a shop without confirmation
      Given a shop
      When the merchant closes the shop without confirmation
      Then it is refused because closing was not confirmed
      And the audit log holds, newest first: create-project

  Rule: Merchants see their own events only

    Scenario: A key for one shop sees what happened in that shop
      Given a shop
      And another shop
      And a key "Clerk" for keys:read, in this shop only
      Then "Clerk" sees 1 event, of this shop

    Scenario: Another merchant
      Given a shop
      And a merchant with an account of its own
      Then the merchant sees no event of the shop

  Rule: Events outlive what they are about

    Scenario: The events of a closed shop
      Given a shop
      When the merchant closes the shop for good
      Then the audit log holds, newest first: delete-project, create-project
