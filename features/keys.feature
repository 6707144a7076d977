Feature: API keys
  Programs work for a merchant by API keys. A key says what its holder may do, in which shops, and until when;
  its secret is shown once.

  Background:
    Given a merchant with an account of its own

  Rule: A key belongs to one account

    Scenario: The secret is shown once
      Given a key "Warehouse" for catalog:write
      When the merchant creates a key named "Second"
      Then the key "Warehouse" was shown once
      And the key "Warehouse" works

    Scenario: Another merchant's key
      Given a key "Mine" for everything
      And a merchant with an account of its own
      Then the merchant finds no key "Mine"
      And the key "Mine" works

    Scenario: One key too many
      Given the account may have one key more
      When the merchant creates 4 keys at once
      Then 1 request succeeds and 3 are refused because there are too many keys
      Given the merchant revokes the key "Many"
      When the merchant creates a key named "One More"
      Then the key works

  Rule: A key gives access to what its scopes and its shops say

    Scenario: A key for one shop need not name it
      Given a shop
      And another shop
      And a key "Clerk" for catalog:write and projects:read, in this shop only
      When "Clerk" adds a product
      Then the shop has 1 product
      And "Clerk" may see the shop
      And "Clerk" does not find the other shop

    Scenario: A key for one shop sees that shop only
      Given a shop named "Seen"
      And another shop
      And a key "Clerk" for projects:read, in this shop only
      Then "Clerk" sees no shop but "Seen"

    Scenario: A key for several shops has to name one
      Given a shop
      And another shop
      And a key "Clerk" for catalog:read, in both shops
      Then "Clerk" may not list products without naming a shop

    Scenario: A key for all shops has to name one
      Given a shop
      And a key "Clerk" for catalog:read
      Then "Clerk" may not list products without naming a shop

    Scenario Outline: Keys, the account and the audit log need scopes of their own
      Given a key "Clerk" for <scope>
      Then "Clerk" may not <do>

      Examples:
        | scope         | do                       |
        | catalog:write | see the keys             |
        | catalog:write | see its own key          |
        | keys:read     | create a key to see keys |
        | keys:read     | revoke its own key       |
        | keys:read     | rename the account       |
        | keys:read     | see the account          |
        | catalog:write | see the audit log        |
        | keys:read     | enrol an authenticator   |
        | keys:read     | remove the authenticator |

  Rule: A key gives no more than it has

    Scenario: As much as it has, and no more
      Given a key "Clerk" for keys:write and catalog:read
      When "Clerk" creates a key for catalog:read, keys:read and keys:write
      Then the key works
      When "Clerk" creates a key for catalog:write
      Then it is refused because nobody gives more than they have

    Scenario: A key for one shop manages the keys of that shop only
      Given a shop
      And a key "Everywhere" for everything
      And a key "Clerk" for keys:write, in this shop only
      Then "Clerk" sees no key but "Clerk"
      And "Clerk" finds no key "Everywhere"
      And the key "Everywhere" works

    Scenario Outline: A key for one shop does not change the account
      Given a shop
      And a key "Clerk" for keys:write and projects:write, in this shop only
      Then "Clerk" may not <do>

      Examples:
        | do                     |
        | rename the account     |
        | enrol an authenticator |
        | open a shop            |

  Rule: A key stops working when it is revoked, expires, or its shop closes

    Scenario: Revoking a key
      Given a key "Lost" for projects:read
      And the key "Lost" works
      When the merchant revokes the key "Lost"
      Then within 1 second the key "Lost" no longer works
      And the merchant finds no key "Lost"
      And the merchant sees no key but "Owner"

    Scenario: A key may revoke itself
      Given a key "Clerk" for keys:write
      Then "Clerk" may revoke its own key
      And within 1 second the key "Clerk" no longer works

    Scenario: A key that expires
      Given a key "Brief" that ends in 5 seconds
      And the key "Brief" works
      Then within 10 seconds the key "Brief" no longer works
      And the key "Brief" is shown as expired

    Scenario: A key for a shop that is closed
      Given a shop
      And a key "Clerk" for catalog:read and projects:read, in this shop only
      When the merchant closes the shop for good
      Then "Clerk" finds neither the shop nor its products
