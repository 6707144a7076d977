Feature: Settings
  A merchant changes how a shop sells. Buyers see each change at once.

  Rule: A shop with products keeps its currency

    Scenario: Another currency for an empty shop
      Given a shop
      When the merchant changes the currency to "EUR"
      Then buyers see prices in "EUR"

    Scenario: Another currency for a shop with products
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      When the merchant changes the currency to "EUR"
      Then it is refused because there are products with prices already
      And the shop's currency is "USD"

  Rule: A shop that does not negotiate sells at list price only

    Scenario: No negotiation in the manifest
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      When the merchant turns negotiation off
      Then the manifest does not offer negotiation

    Scenario: Offers at other prices
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And the merchant turns negotiation off
      And a buyer who looks at the "Trail Tent"
      When the buyer asks the price
      Then the merchant quotes 100
      When the buyer offers 99.99
      Then the merchant rejects the offer, hinting at "100"
      When the buyer offers 100
      Then the merchant accepts at 100

  Rule: The largest discount bounds the deepest price

    Scenario Outline: A buyer who bargains to the end
      Given a shop selling:
        | name       | price   | stock |
        | Trail Tent | 1000.00 | 100   |
      And the merchant allows discounts of up to <percent>%
      And a buyer who looks at the "Trail Tent"
      When the buyer bargains to the end
      Then the agreed price is at least <deepest>
      And the agreed price is below 1000
      And the manifest names discounts of up to <percent>%

      Examples:
        | percent | deepest |
        | 1.5     | 985     |
        | 5       | 950     |
        | 20      | 800     |
        | 90      | 100     |

    Scenario: No discount at all
      Given a shop selling:
        | name       | price   | stock |
        | Trail Tent | 1000.00 | 100   |
      And the merchant allows discounts of up to 0%
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 999.99
      Then the merchant rejects the offer, hinting at "1000"

  Rule: A session lasts as long as the shop says

    Scenario Outline: Sessions of several lengths
      Given a shop
      When the merchant lets sessions last <minutes> minutes
      Then a new session lasts <minutes> minutes

      Examples:
        | minutes |
        | 5       |
        | 45      |
        | 1440    |

  Rule: Bundles are suggested where the shop wants it

    Scenario: Bundles are suggested
      Given a shop selling:
        | name       | price  | stock | related |
        | Trail Tent | 500.00 | 20    | Stove   |
        | Stove      | 100.00 | 20    |         |
      And a buyer who looks at the "Trail Tent"
      When the buyer makes an offer that is countered
      Then the counter suggests the "Stove"
      And the manifest offers bundles

    Scenario: Bundles are not suggested
      Given a shop selling:
        | name       | price  | stock | related |
        | Trail Tent | 500.00 | 20    | Stove   |
        | Stove      | 100.00 | 20    |         |
      And the merchant turns bundle suggestions off
      And a buyer who looks at the "Trail Tent"
      When the buyer makes an offer that is countered
      Then the counter suggests nothing
      And the manifest does not offer bundles

  Rule: Subscriptions are announced where the shop sells them

    Scenario Outline: Subscriptions in the manifest
      Given a shop
      When the merchant turns subscriptions <state>
      Then the manifest <shows> subscriptions

      Examples:
        | state | shows          |
        | on    | offers         |
        | off   | does not offer |

  Rule: A new slug is a new address

    Scenario: A new slug
      Given a shop named "Mover"
      When the merchant gives the shop a new slug
      Then buyers no longer find the shop at its old address
      And buyers find the shop at its address
      And buyers see the shop as "Mover"

    Scenario: The slug of another shop
      Given a shop
      And another shop
      When the merchant gives the shop the other shop's slug
      Then it is refused because another shop has the slug
      And buyers find the shop at its address

  Rule: The merchant cannot lock itself out

    Scenario: Access from another network only
      Given a shop
      When the merchant allows access from "192.0.2.0/24" only
      Then it is refused because it would shut out the merchant
      And access is allowed from everywhere

  Rule: Dates are those of the shop's time zone

    Scenario: A receipt
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And the merchant changes the time zone to "Asia/Tokyo"
      And a buyer who ordered 1 of the "Trail Tent"
      When the buyer opens the receipt
      Then the receipt says "JST"
