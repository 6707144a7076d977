@browser
Feature: Integrations in the console
  Managers connect the shop's platforms by clicks, and see what a sync reads, which records it rejects, and the platform's webhook calls.

  Background:
    Given a merchant with platforms
    And a shop
    And "Max" manages the shop

  Rule: A platform is connected by clicks

    Scenario: By a key
      Given "Max" signed in to the console
      When "Max" opens /console/$slug
      And "Max" presses "Integrations"
      Then "Max" sees "Nothing is connected."
      When "Max" presses "Connect"
      Then "Max" sees "Sales are written to it as orders."
      When "Max" opens /console/$slug/connect/custom
      And "Max" fills in "Address" with "$base_url"
      And "Max" fills in "API key" with "wrong"
      And "Max" presses "Connect"
      Then "Max" sees "Custom rejected the credentials."
      And "Max" still has "$base_url" in "Address"
      When "Max" fills in "API key" with "$custom_key"
      And "Max" fills in "Name" with "Warehouse"
      And "Max" presses "Connect"
      Then "Max" sees "It is connected."
      And "Max" sees "Warehouse"
      And "Max" does not see "$custom_key"

    Scenario Outline: By the consent of the account's owner
      Given "Max" signed in to the console
      When "Max" opens /console/$slug/connect/hubspot
      And "Max" presses "Sign in at HubSpot"
      Then "Max" sees "You come back here."
      When "Max" <decides> at the platform by "Continue to HubSpot"
      Then "Max" sees "<seen>"

      Examples:
        | decides  | seen                                                      |
        | consents | It is connected.                                          |
        | declines | Nothing was connected: HubSpot was not given consent. |

    Scenario: An address that no platform has redirected to
      Given "Max" signed in to the console
      When "Max" opens /console/$slug/connect/hubspot/return?code=guessed&state=guessed
      Then "Max" sees "This link was used or has expired."
      When "Max" opens /console/$slug/connect/ebay
      Then "Max" sees "There is no such platform."

    Scenario: Disconnecting, and connecting again
      Given a connected custom account
      And "Max" signed in to the console
      When "Max" opens /console/$slug/integrations/$integration
      And "Max" presses "Disconnect"
      Then "Max" is asked "Disconnect Custom?"
      When "Max" presses "Disconnect"
      Then "Max" sees "It is disconnected."
      When "Max" presses "Connect again"
      And "Max" fills in "Address" with "$base_url"
      And "Max" fills in "API key" with "$custom_key"
      And "Max" presses "Connect"
      Then "Max" sees "It is connected."
      And "Max" is at /console/$slug/integrations/$integration

    Scenario: Other credentials of the same account
      Given a connected custom account
      And "Max" signed in to the console
      When "Max" opens /console/$slug/integrations/$integration
      And "Max" presses "Replace credentials"
      And "Max" fills in "API key" with "wrong"
      And "Max" presses "Replace credentials"
      Then "Max" sees "Custom rejected the credentials."
      When "Max" fills in "API key" with "$custom_key"
      And "Max" presses "Replace credentials"
      Then "Max" sees "The credentials were replaced."

  Rule: Syncs are started, followed and stopped

    Scenario: A sync that ends while its page is open
      Given a connected custom account
      And "Max" signed in to the console
      When "Max" opens /console/$slug/integrations/$integration
      Then "Max" sees "Nothing was read yet."
      When "Max" presses "Sync changes"
      Then "Max" sees "Products: 12 (12 new)"
      And "Max" finds no "Cancel sync" to press

    Scenario: A preview changes nothing
      Given a connected custom account
      And "Max" signed in to the console
      When "Max" opens /console/$slug/integrations/$integration
      And "Max" presses "Preview"
      Then "Max" sees "Products: 12 (12 new)"
      When "Max" opens the page of the latest sync
      Then "Max" sees "Record by record"
      And the shop has 0 products

    Scenario: A conflict
      Given the platforms have 1 product
      And a connected custom account
      And the merchant has synced
      And a product of custom
      And the merchant changes the product's price, category and brand
      And custom changes its name, texts and price
      And the merchant has synced
      And "Max" signed in to the console
      When "Max" opens /console/$slug/integrations/$integration
      And "Max" presses "Conflicts"
      Then "Max" sees "Ours stays: it was edited here."
      And "Max" sees "$1.50"
      When "Max" opens /console/$slug/integrations/$integration/syncs/$sync
      Then "Max" sees "Ours stays: it was edited here."

    Scenario: A schedule
      Given a connected custom account
      And "Max" signed in to the console
      When "Max" opens /console/$slug/integrations/$integration
      And "Max" chooses "Every hour" for "Sync changes"
      And "Max" presses "Save schedule"
      Then "Max" sees "The schedule was saved."
      And the integration syncs every hour

  Rule: The page shows the platform's calls

    Scenario: A webhook is registered, called and removed
      Given a connected custom account
      And "Max" signed in to the console
      When "Max" opens /console/$slug/integrations/$integration
      Then "Max" sees "The platform does not call."
      When "Max" chooses "products/update" for "Topic"
      And "Max" presses "Register webhook"
      Then "Max" sees "The webhook is registered."
      When custom reports 1 change
      And "Max" presses "Webhook calls"
      Then "Max" sees "products/update"
      When "Max" opens /console/$slug/integrations/$integration
      And "Max" presses "Remove"
      Then "Max" sees "The webhook was removed."
