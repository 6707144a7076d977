Feature: Shops
  A merchant runs any number of shops. The Management API calls a shop a project: it owns its catalogue,
  its settings and its own address for buyers' agents.

  Rule: A new shop is open at once

    Scenario: Opening a shop
      When the merchant opens a shop named "Alpine Gear"
      Then buyers find the shop at its address
      And buyers see the shop as "Alpine Gear"
      And the merchant finds the Management API at its address

  Rule: A shop needs a slug that no other shop has

    Scenario: A slug that another shop has
      Given a shop
      When the merchant opens a shop with the same slug
      Then it is refused because another shop has the slug

  Rule: A shop shows its figures

    Scenario: A shop with a sale
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
        | Stove      | 40.00  | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      Then the shop has 2 products
      And the shop has 1 order
      And the shop's revenue is 205.99

  Rule: Buyers see a change at once

    Scenario: A new name
      Given a shop named "Before"
      When the merchant renames the shop to "After"
      Then buyers see the shop as "After"

  Rule: Closing a shop needs confirmation

    Scenario: Closing without confirmation
      Given a shop
      When the merchant closes the shop without confirmation
      Then it is refused because closing was not confirmed
      And the shop is still open

    Scenario: Confirming another shop
      Given a shop
      When the merchant closes the shop, but confirms another one
      Then it is refused because closing was not confirmed
      And the shop is still open

    Scenario: Closing
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      When the merchant closes the shop for good
      Then the merchant no longer finds the shop
      And buyers no longer find the shop
      And its slug is free again

  Rule: A key gives access only as far as its scopes reach

    Scenario Outline: Scopes that do not suffice
      Given a shop
      When somebody with a key for <scope> <does>
      Then it is refused because the scopes do not allow it

      Examples:
        | scope         | does                 |
        | catalog:read  | looks at the shop    |
        | projects:read | closes the shop      |
        | projects:read | changes the settings |
        | projects:read | lists products       |
        | catalog:read  | creates a product    |

    Scenario Outline: Scopes that suffice
      Given a shop
      When somebody with a key for <scope> <does>
      Then it is allowed

      Examples:
        | scope          | does                 |
        | projects:read  | looks at the shop    |
        | projects:write | looks at the shop    |
        | projects:write | changes the settings |
        | catalog:write  | lists products       |
        | catalog:write  | creates a product    |
