Feature: Storefront
  What buyers see of a shop, and what shipping, tax and returns are computed from.

  Rule: A new shop ships within its country

    Scenario Outline: The country is the region of the shop's locale
      When the merchant opens a shop in the locale <locale>
      Then the shop ships only to <country>

      Examples:
        | locale     | country |
        | de-DE      | DE      |
        | zh-Hant-TW | TW      |
        | ja         | US      |

    Scenario: Shipping rates are in the shop's currency
      Given a shop whose default_currency is "JPY"
      Then the shop ships for 599, 1499, 2999

  Rule: Buyers see what the merchant says about shipping and returns

    Scenario: On a product's page
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      When the merchant ships free from 80, and takes back "Dry and clean." goods within 7 days
      Then the "Trail Tent" has free shipping from 80, and may be returned "Dry and clean." within 7 days
