Feature: Settings
  A shop's settings come in seven groups. A change is a merge patch: it touches what it names, and null
  restores a default. Each setting shows in what buyers meet.

  Rule: Every setting has a default

    Scenario: The settings of a new shop
      Given a shop named "Fresh"
      When the merchant reads the settings
      Then the answer shows:
        | general.name                     | "Fresh"        |
        | general.slug                     | "$slug"        |
        | general.timezone                 | "UTC"          |
        | general.locale                   | "en-US"        |
        | general.default_currency         | "USD"          |
        | commerce.negotiation_enabled     | true           |
        | commerce.max_discount_percent    | 20             |
        | commerce.bundle_suggestions      | true           |
        | commerce.subscription_enabled    | false          |
        | agents.default_llm_provider      | ""             |
        | agents.default_llm_model         | ""             |
        | agents.max_tokens_per_request    | 1024           |
        | agents.temperature               | 0.7            |
        | agents.authentication            | null           |
        | notifications.email_enabled      | false          |
        | notifications.chat_webhook       | ""             |
        | notifications.alert_channels     | []             |
        | security.ip_allowlist            | []             |
        | security.mfa_required            | false          |
        | security.session_timeout_minutes | 30             |
        | retention.messages               | 30             |
        | retention.sessions               | 30             |
        | retention.decisions              | 180            |
        | retention.events                 | 90             |
        | retention.deliveries             | 90             |
        | retention.logs                   | 90             |
        | protocols.ucp                    | true           |
        | protocols.mcp                    | true           |
        | protocols.oai_acp                | false          |

  Rule: A change touches only what it names

    Scenario: One setting of one group
      Given a shop
      When the merchant sets "commerce.max_discount_percent" to 33.3
      Then the answer shows:
        | commerce.max_discount_percent | 33.3    |
        | commerce.negotiation_enabled  | true    |
        | general.slug                  | "$slug" |
        | agents.temperature            | 0.7     |
      And the settings read the same

    Scenario: Settings of several groups
      Given a shop
      When the merchant changes the settings with:
        """
        {"general": {"name": "Renamed", "timezone": "Europe/Berlin"},
         "agents": {"default_llm_provider": "local", "default_llm_model": "small", "temperature": 0},
         "notifications": {"alert_channels": ["email", "chat"], "email_enabled": true}}
        """
      Then the answer shows:
        | general.name                 | "Renamed"         |
        | general.timezone             | "Europe/Berlin"   |
        | general.locale               | "en-US"           |
        | agents.default_llm_provider  | "local"           |
        | agents.default_llm_model     | "small"           |
        | agents.temperature           | 0                 |
        | notifications.alert_channels | ["email", "chat"] |
        | notifications.email_enabled  | true              |
        | notifications.chat_webhook   | ""                |
      And the settings read the same

    Scenario: A change of nothing
      Given a shop
      When the merchant changes the settings with:
        """
        {}
        """
      Then the answer shows:
        | commerce.max_discount_percent | 20 |

  Rule: Null restores the default

    Scenario Outline: One setting
      Given a shop
      And the merchant sets "<setting>" to <value>
      When the merchant sets "<setting>" to null
      Then the setting "<setting>" is <default>

      Examples:
        | setting                          | value           | default |
        | general.timezone                 | "Asia/Tokyo"    | "UTC"   |
        | general.locale                   | "de-DE"         | "en-US" |
        | general.default_currency         | "EUR"           | "USD"   |
        | commerce.negotiation_enabled     | false           | true    |
        | commerce.max_discount_percent    | 5               | 20      |
        | commerce.bundle_suggestions      | false           | true    |
        | commerce.subscription_enabled    | true            | false   |
        | agents.max_tokens_per_request    | 5               | 1024    |
        | agents.temperature               | 2               | 0.7     |
        | notifications.alert_channels     | ["chat"]        | []      |
        | security.ip_allowlist            | ["127.0.0.0/8"] | []      |
        | security.session_timeout_minutes | 5               | 30      |
        | retention.sessions               | 7               | 30      |
        | retention.logs                   | 400             | 90      |
        | agents.authentication            | "signed"        | null    |
        | protocols.ucp                    | false           | true    |
        | protocols.mcp                    | false           | true    |

    Scenario: A whole group
      Given a shop
      And the merchant sets "commerce.max_discount_percent" to 5
      And the merchant sets "commerce.bundle_suggestions" to false
      When the merchant sets "commerce" to null
      Then the answer shows:
        | commerce.max_discount_percent | 20   |
        | commerce.bundle_suggestions   | true |

    Scenario Outline: What has no default cannot be taken away
      Given a shop
      When the merchant sets "<setting>" to null
      Then it is refused: 422 validation_error
      And the refusal names "<setting>"

      Examples:
        | setting      |
        | general.name |
        | general.slug |

  Rule: Every setting has its bounds

    Scenario Outline: At the edge
      Given a shop
      When the merchant sets "<setting>" to <value>
      Then the setting "<setting>" is <value>

      Examples:
        | setting                          | value                    |
        | general.timezone                 | "America/New_York"       |
        | general.locale                   | "zh-Hant-TW"             |
        | general.locale                   | "es-419"                 |
        | general.default_currency         | "BHD"                    |
        | commerce.max_discount_percent    | 0                        |
        | commerce.max_discount_percent    | 0.1                      |
        | commerce.max_discount_percent    | 90                       |
        | agents.max_tokens_per_request    | 1                        |
        | agents.max_tokens_per_request    | 1000000                  |
        | agents.temperature               | 0                        |
        | agents.temperature               | 2                        |
        | notifications.chat_webhook       | "https://192.0.66.2/hook" |
        | notifications.alert_channels     | ["chat", "email"]        |
        | security.ip_allowlist            | ["127.0.0.1"]            |
        | security.ip_allowlist            | ["127.0.0.0/8", "::1"]   |
        | security.session_timeout_minutes | 5                        |
        | security.session_timeout_minutes | 1440                     |
        | retention.messages               | 1                        |
        | retention.sessions               | 180                      |
        | retention.decisions              | 30                       |
        | retention.decisions              | 3650                     |
        | retention.deliveries             | 90                       |

    Scenario Outline: Beyond the edge
      Given a shop
      When the merchant sets "<setting>" to <value>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | setting                          | value                     | field                            |
        | general.name                     | ""                        | general.name                     |
        | general.slug                     | "x"                       | general.slug                     |
        | general.slug                     | "Upper"                   | general.slug                     |
        | general.timezone                 | "Local"                   | general.timezone                 |
        | general.timezone                 | ""                        | general.timezone                 |
        | general.timezone                 | "Middle/Earth"            | general.timezone                 |
        | general.locale                   | ""                        | general.locale                   |
        | general.locale                   | "en_US"                   | general.locale                   |
        | general.default_currency         | "usd"                     | general.default_currency         |
        | general.default_currency         | "QQQ"                     | general.default_currency         |
        | commerce.max_discount_percent    | -0.1                      | commerce.max_discount_percent    |
        | commerce.max_discount_percent    | 90.1                      | commerce.max_discount_percent    |
        | commerce.max_discount_percent    | 20.25                     | commerce.max_discount_percent    |
        | commerce.max_discount_percent    | "20"                      | commerce.max_discount_percent    |
        | commerce.negotiation_enabled     | 1                         | commerce.negotiation_enabled     |
        | agents.max_tokens_per_request    | 0                         | agents.max_tokens_per_request    |
        | agents.max_tokens_per_request    | 1000001                   | agents.max_tokens_per_request    |
        | agents.max_tokens_per_request    | 1.5                       | agents.max_tokens_per_request    |
        | agents.temperature               | -0.1                      | agents.temperature               |
        | agents.temperature               | 2.1                       | agents.temperature               |
        | notifications.chat_webhook       | "http://192.0.66.2/hook"  | notifications.chat_webhook       |
        | notifications.chat_webhook       | "not a url"               | notifications.chat_webhook       |
        | notifications.chat_webhook       | "https://10.1.2.3/hook"   | notifications.chat_webhook       |
        | notifications.chat_webhook       | "https://127.0.0.1/hook"  | notifications.chat_webhook       |
        | notifications.chat_webhook       | "https://localhost/hook"  | notifications.chat_webhook       |
        | notifications.chat_webhook       | "https://169.254.169.254" | notifications.chat_webhook       |
        | notifications.alert_channels     | ["pigeon"]                | notifications.alert_channels.0   |
        | notifications.alert_channels     | ["email", "email"]        | notifications.alert_channels     |
        | security.ip_allowlist            | ["127.0.0.1", "nowhere"]  | security.ip_allowlist.1          |
        | security.ip_allowlist            | ["127.0.0.1/33"]          | security.ip_allowlist.0          |
        | security.session_timeout_minutes | 4                         | security.session_timeout_minutes |
        | security.session_timeout_minutes | 1441                      | security.session_timeout_minutes |
        | security.unknown                 | true                      | security.unknown                 |
        | retention.messages               | 0                         | retention.messages               |
        | retention.sessions               | 3651                      | retention.sessions               |
        | retention.decisions              | 6                         | retention.decisions              |
        | retention.decisions              | 29                        | retention.decisions              |
        | retention.deliveries             | 91                        | retention.deliveries             |
        | protocols.oai_acp                | true                      | protocols.oai_acp                |
        | protocols.ucp                    | "on"                      | protocols.ucp                    |
        | agents.authentication            | "none"                    | agents.authentication            |
        | retention.logs                   | 1.5                       | retention.logs                   |
        | retention.orders                 | 1                         | retention.orders                 |
        | unknown                          | {}                        | unknown                          |
        | commerce                         | []                        | commerce                         |

    Scenario: Everything wrong is named at once
      Given a shop
      When the merchant changes the settings with:
        """
        {"general": {"slug": "?", "timezone": "?", "locale": "?", "default_currency": "?"},
         "commerce": {"max_discount_percent": 100},
         "agents": {"max_tokens_per_request": 0, "temperature": 3},
         "notifications": {"chat_webhook": "?", "alert_channels": ["fax"]},
         "security": {"ip_allowlist": ["?"], "session_timeout_minutes": 1}}
        """
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | general.slug                     |
        | general.timezone                 |
        | general.locale                   |
        | general.default_currency         |
        | commerce.max_discount_percent    |
        | agents.max_tokens_per_request    |
        | agents.temperature               |
        | notifications.chat_webhook       |
        | notifications.alert_channels.0   |
        | security.ip_allowlist.0          |
        | security.session_timeout_minutes |
      And the setting "general.timezone" is "UTC"

  Rule: The currency is settled once there is something to sell

    Scenario: Another currency for an empty shop
      Given a shop
      When the merchant sets "general.default_currency" to "EUR"
      Then buyers see prices in "EUR"

    Scenario: Another currency for a shop with products
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      When the merchant sets "general.default_currency" to "EUR"
      Then it is refused: 409 currency_in_use
      And the setting "general.default_currency" is "USD"

  Rule: A shop that does not negotiate sells at list price only

    Scenario: What buyers see of it
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      When the merchant sets "commerce.negotiation_enabled" to false
      Then the manifest shows:
        | policies.negotiation_enabled | false               |
        | merchant.capabilities        | without "negotiate" |
      And a buyer who looks at the "Trail Tent" sees:
        | negotiable               | false |
        | personalized_price.price | 100   |

    Scenario: Offers
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And the merchant sets "commerce.negotiation_enabled" to false
      And a buyer who looks at the "Trail Tent"
      When the buyer asks the price
      Then the merchant quotes 100
      When the buyer offers 99.99
      Then the merchant rejects the offer, hinting at "100"
      When the buyer offers 100
      Then the merchant accepts at 100

  Rule: The largest discount bounds the deepest price

    Scenario Outline: The deepest price
      Given a shop selling:
        | name       | price   | stock |
        | Trail Tent | 1000.00 | 100   |
      And the merchant sets "commerce.max_discount_percent" to <percent>
      And a buyer who looks at the "Trail Tent"
      When the buyer bargains to the end
      Then the agreed price is at least <deepest>
      And the agreed price is below 1000
      And the manifest shows:
        | policies.max_discount_percent | <percent> |

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
      And the merchant sets "commerce.max_discount_percent" to 0
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 999.99
      Then the merchant rejects the offer, hinting at "1000"

  Rule: A session lasts as long as the shop says

    Scenario Outline: How long
      Given a shop
      When the merchant sets "security.session_timeout_minutes" to <minutes>
      Then a new session lasts <minutes> minutes

      Examples:
        | minutes |
        | 5       |
        | 45      |
        | 1440    |

  Rule: Bundles are suggested where the shop wants it

    Scenario: Wanted
      Given a shop selling:
        | name       | price  | stock | related |
        | Trail Tent | 500.00 | 20    | Stove   |
        | Stove      | 100.00 | 20    |         |
      And a buyer who looks at the "Trail Tent"
      When the buyer makes an offer that is countered
      Then the counter suggests the "Stove"
      And the manifest shows:
        | merchant.capabilities | contains "bundle" |

    Scenario: Not wanted
      Given a shop selling:
        | name       | price  | stock | related |
        | Trail Tent | 500.00 | 20    | Stove   |
        | Stove      | 100.00 | 20    |         |
      And the merchant sets "commerce.bundle_suggestions" to false
      And a buyer who looks at the "Trail Tent"
      When the buyer makes an offer that is countered
      Then the counter suggests nothing
      And the manifest shows:
        | merchant.capabilities | without "bundle" |

  Rule: Subscriptions are announced where the shop sells them

    Scenario Outline: Announced or not
      Given a shop
      When the merchant sets "commerce.subscription_enabled" to <enabled>
      Then the manifest shows:
        | merchant.capabilities | <shown> "subscribe" |

      Examples:
        | enabled | shown    |
        | true    | contains |
        | false   | without  |

  Rule: A new slug moves the shop

    Scenario: Moving
      Given a shop named "Mover"
      When the merchant sets "general.slug" to "$new_slug"
      Then buyers no longer find the shop at its old address
      And buyers find the shop at its address
      And buyers see the shop as "Mover"

    Scenario: Moving where another shop is
      Given a shop
      And another shop
      When the merchant gives the shop the other shop's slug
      Then it is refused: 409 slug_taken
      And buyers find the shop at its address

  Rule: The merchant cannot lock itself out

    Scenario: A list without the merchant's own address
      Given a shop
      When the merchant sets "security.ip_allowlist" to ["192.0.2.0/24"]
      Then it is refused: 422 validation_error
      And the refusal names "security.ip_allowlist"
      And the setting "security.ip_allowlist" is []

  Rule: Dates are those of the shop's time zone

    Scenario: A receipt
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And the merchant sets "general.timezone" to "Asia/Tokyo"
      And a buyer who ordered 1 of the "Trail Tent"
      When the buyer opens the receipt
      Then the receipt says "JST"
