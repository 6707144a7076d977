Feature: Storefront
  What buyers see of a shop, and what shipping, tax and returns are computed from.

  Rule: A new shop ships within its country

    Scenario: The storefront of a new shop
      Given a shop
      When the merchant reads the storefront
      Then the answer shows:
        | description                 | ""                          |
        | logo_url                    | ""                          |
        | shipping_regions            | ["US"]                      |
        | shipping_rates.*.region     | ["*", "*", "*"]             |
        | shipping_rates.*.method     | ["standard", "express", "overnight"] |
        | shipping_rates.*.price      | [5.99, 14.99, 29.99]        |
        | free_shipping_threshold     | null                        |
        | tax_rates                   | []                          |
        | return_window_days          | 30                          |
        | return_conditions           | present                     |
        | checkout_instructions       | ""                          |
        | warehouses.0.location       | "main"                      |

    Scenario Outline: The country is that of the shop's language region
      When the merchant opens a shop whose settings.locale is <locale>
      Then the storefront's "shipping_regions" is <regions>

      Examples:
        | locale       | regions |
        | "de-DE"      | ["DE"]  |
        | "zh-Hant-TW" | ["TW"]  |
        | "ja"         | ["US"]  |

    Scenario: Rates are in the shop's currency
      When the merchant opens a shop whose settings.default_currency is "JPY"
      Then the storefront's "shipping_rates.*.price" is [599, 1499, 2999]

  Rule: Buyers see what the merchant says

    Scenario: The manifest
      Given a shop
      When the merchant changes the storefront with:
        """
        {"description": "Everything for the trail", "logo_url": "https://cdn.example.com/logo.png",
         "shipping_regions": ["US", "CA"], "free_shipping_threshold": 75, "return_window_days": 14}
        """
      Then the answer shows:
        | description             | "Everything for the trail"         |
        | logo_url                | "https://cdn.example.com/logo.png" |
        | shipping_regions        | ["US", "CA"]                       |
        | free_shipping_threshold | 75                                 |
        | return_window_days      | 14                                 |
        | shipping_rates.#        | 3                                  |
      And the storefront reads the same
      And the manifest shows:
        | merchant.description             | "Everything for the trail"         |
        | merchant.logo_url                | "https://cdn.example.com/logo.png" |
        | shipping_regions                 | ["US", "CA"]                       |
        | policies.free_shipping_threshold | 75                                 |
        | policies.return_window_days      | 14                                 |

    Scenario: A product's page
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      When the merchant changes the storefront with:
        """
        {"free_shipping_threshold": 80, "return_window_days": 7, "return_conditions": "Dry and clean."}
        """
      Then a buyer who looks at the "Trail Tent" sees:
        | shipping.free_shipping           | true             |
        | shipping.free_shipping_threshold | 80               |
        | shipping.estimated_delivery      | matches 3-5      |
        | returns.allowed                  | true             |
        | returns.window_days              | 7                |
        | returns.conditions               | "Dry and clean." |

  Rule: Null restores the default

    Scenario Outline: One field
      Given a shop
      And the merchant sets the storefront's "<field>" to <value>
      When the merchant sets the storefront's "<field>" to null
      Then the storefront's "<field>" is <default>

      Examples:
        | field                   | value                                    | default |
        | description             | "Words"                                  | ""      |
        | logo_url                | "https://example.com/l.png"              | ""      |
        | shipping_regions        | ["FR"]                                   | ["US"]  |
        | free_shipping_threshold | 10                                       | null    |
        | tax_rates               | [{"country": "US", "rate": 5}]           | []      |
        | return_window_days      | 0                                        | 30      |
        | checkout_instructions   | "Call us."                               | ""      |

  Rule: Every field has its bounds

    Scenario Outline: At the edge
      Given a shop
      When the merchant sets the storefront's "<field>" to <value>
      Then the storefront's "<field>" is <value>

      Examples:
        | field                   | value                                                                                           |
        | free_shipping_threshold | 0                                                                                               |
        | return_window_days      | 0                                                                                               |
        | return_window_days      | 3650                                                                                            |
        | tax_rates               | [{"country": "US", "rate": 0}, {"country": "US", "state": "CA", "rate": 100}]                   |
        | tax_rates               | [{"country": "US", "state": "NY", "rate": 8.875}]                                               |
        | shipping_rates          | [{"region": "US", "method": "standard", "price": 0, "min_days": 0, "max_days": 0}]              |

    Scenario Outline: Beyond the edge
      Given a shop
      When the merchant sets the storefront's "<field>" to <value>
      Then it is refused: 422 validation_error
      And the refusal names "<problem>"

      Examples:
        | field                   | value                                                                                  | problem                      |
        | description             | 5001 characters long                                                                   | description                  |
        | logo_url                | "http://example.com/l.png"                                                             | logo_url                     |
        | logo_url                | "logo"                                                                                 | logo_url                     |
        | shipping_regions        | []                                                                                     | shipping_regions             |
        | shipping_regions        | ["US", "Canada"]                                                                       | shipping_regions.1           |
        | shipping_regions        | ["us"]                                                                                 | shipping_regions.0           |
        | shipping_regions        | ["US", "US"]                                                                           | shipping_regions             |
        | shipping_rates          | []                                                                                     | shipping_rates               |
        | shipping_rates          | [{"region": "CA", "method": "standard", "price": 1, "min_days": 1, "max_days": 2}]     | shipping_rates               |
        | shipping_rates          | [{"region": "US", "method": "pigeon", "price": 1, "min_days": 1, "max_days": 2}]       | shipping_rates.0.method      |
        | shipping_rates          | [{"region": "US", "method": "standard", "price": -1, "min_days": 1, "max_days": 2}]    | shipping_rates.0.price       |
        | shipping_rates          | [{"region": "US", "method": "standard", "price": 1.005, "min_days": 1, "max_days": 2}] | shipping_rates.0.price       |
        | shipping_rates          | [{"region": "US", "method": "standard", "price": 1, "min_days": 3, "max_days": 2}]     | shipping_rates.0.max_days    |
        | free_shipping_threshold | -1                                                                                     | free_shipping_threshold      |
        | free_shipping_threshold | 10.001                                                                                 | free_shipping_threshold      |
        | free_shipping_threshold | 1e400                                                                                  | free_shipping_threshold      |
        | tax_rates               | [{"country": "USA", "rate": 5}]                                                        | tax_rates.0.country          |
        | tax_rates               | [{"country": "US", "rate": -1}]                                                        | tax_rates.0.rate             |
        | tax_rates               | [{"country": "US", "rate": 100.001}]                                                   | tax_rates.0.rate             |
        | return_window_days      | -1                                                                                     | return_window_days           |
        | return_window_days      | 3651                                                                                   | return_window_days           |
        | return_window_days      | "30"                                                                                   | return_window_days           |
        | colour                  | "red"                                                                                  | colour                       |

    Scenario: Everything wrong is named at once, and nothing changes
      Given a shop
      When the merchant changes the storefront with:
        """
        {"description": "New words", "logo_url": "?", "shipping_regions": ["?"], "return_window_days": -1}
        """
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | logo_url           |
        | shipping_regions.0 |
        | return_window_days |
      And the storefront's "description" is ""
