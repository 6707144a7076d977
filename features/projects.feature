Feature: Shops
  A merchant runs any number of shops. The Management API calls a shop a project: it owns its catalogue,
  its settings and its own address for buyers' agents.

  Rule: A new shop is open at once, with sensible settings

    Scenario: Opening a shop
      When the merchant opens a shop with:
        """
        {"name": "Alpine Gear", "slug": "$new_slug"}
        """
      Then it answers 201
      And the answer shows:
        | id                            | matches ^proj_       |
        | name                          | "Alpine Gear"        |
        | slug                          | "$new_slug"          |
        | description                   | ""                   |
        | status                        | "active"             |
        | created_at                    | matches Z$           |
        | updated_at                    | matches Z$           |
        | settings.default_currency     | "USD"                |
        | settings.timezone             | "UTC"                |
        | settings.locale               | "en-US"              |
        | settings.negotiation_enabled  | true                 |
        | settings.max_discount_percent | 20                   |
        | endpoints.acp                 | matches /$new_slug$  |
        | endpoints.api                 | matches /v1$         |
      And buyers find the shop at its address
      And the merchant finds the Management API at its address

    Scenario: Opening a shop with settings of its own
      When the merchant opens a shop with:
        """
        {"name": "和風", "slug": "$new_slug", "description": "Tea and tea things",
         "settings": {"default_currency": "JPY", "timezone": "Asia/Tokyo", "locale": "ja-JP",
                      "negotiation_enabled": false, "max_discount_percent": 12.5}}
        """
      Then it answers 201
      And the answer shows:
        | name                          | "和風"                 |
        | description                   | "Tea and tea things" |
        | settings.default_currency     | "JPY"                |
        | settings.timezone             | "Asia/Tokyo"         |
        | settings.locale               | "ja-JP"              |
        | settings.negotiation_enabled  | false                |
        | settings.max_discount_percent | 12.5                 |

    Scenario Outline: Names and slugs at the edge of what is allowed
      When the merchant opens a shop whose <field> is <value>
      Then it answers 201

      Examples:
        | field       | value                |
        | name        | 1 character long     |
        | name        | 200 characters long  |
        | slug        | 3 characters long    |
        | slug        | 63 characters long   |
        | description | 5000 characters long |

  Rule: A shop needs a name, and a slug that no other shop has

    Scenario Outline: A shop that cannot be opened
      When the merchant opens a shop whose <field> is <value>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | field                         | value                |
        | name                          | missing              |
        | name                          | ""                   |
        | name                          | null                 |
        | name                          | 7                    |
        | name                          | 201 characters long  |
        | slug                          | missing              |
        | slug                          | null                 |
        | slug                          | ""                   |
        | slug                          | 2 characters long    |
        | slug                          | 64 characters long   |
        | slug                          | "Alpine"             |
        | slug                          | "-alpine"            |
        | slug                          | "alpine-"            |
        | slug                          | "al pine"            |
        | slug                          | "alpíne"             |
        | slug                          | "admin"              |
        | slug                          | "demo"               |
        | description                   | 5001 characters long |
        | settings.default_currency     | "EURO"               |
        | settings.default_currency     | "eur"                |
        | settings.timezone             | "Mars/Phobos"        |
        | settings.locale               | "english"            |
        | settings.max_discount_percent | 91                   |
        | settings.max_discount_percent | -1                   |
        | settings.max_discount_percent | 12.55                |
        | settings.negotiation_enabled  | "yes"                |
        | settings.colour               | "red"                |
        | colour                        | "red"                |

    Scenario: Everything wrong is named at once
      When the merchant opens a shop with:
        """
        {"name": "", "slug": "No Slug", "settings": {"default_currency": "XXQ", "timezone": "Nowhere", "locale": "?", "max_discount_percent": 99}}
        """
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | name                          |
        | slug                          |
        | settings.default_currency     |
        | settings.timezone             |
        | settings.locale               |
        | settings.max_discount_percent |

    Scenario: A slug that another shop has
      Given a shop
      When the merchant opens a shop with:
        """
        {"name": "Copycat", "slug": "$slug"}
        """
      Then it is refused: 409 slug_taken

  Rule: The merchant sees its shops, page by page

    Scenario: A new shop heads the list
      Given a shop named "Newcomer"
      When the merchant lists shops with "limit=100"
      Then the shop is in the list, and shows nothing but:
        | id         |
        | name       |
        | slug       |
        | status     |
        | created_at |

    Scenario: A page of the list
      Given 3 more shops
      When the merchant lists shops with "limit=2&offset=1"
      Then the answer shows:
        | data.#      | 2          |
        | meta.limit  | 2          |
        | meta.offset | 1          |
        | meta.total  | at least 3 |

    Scenario: A page is twenty shops unless told otherwise
      Given a shop
      When the merchant lists shops with ""
      Then the answer shows:
        | data.#      | at most 20 |
        | meta.limit  | 20         |
        | meta.offset | 0          |

    Scenario: A page past the end is empty
      When the merchant lists shops with "offset=1000000"
      Then the answer shows:
        | data       | []         |
        | meta.total | at least 0 |

    Scenario Outline: The edges of a page
      When the merchant lists shops with "<page>"
      Then it answers 200

      Examples:
        | page      |
        | limit=1   |
        | limit=100 |
        | offset=0  |

    Scenario Outline: A page that is none
      When the merchant lists shops with "<page>"
      Then it is refused: 400 invalid_request
      And the refusal names "<parameter>"

      Examples:
        | page       | parameter |
        | limit=0    | limit     |
        | limit=101  | limit     |
        | limit=-1   | limit     |
        | limit=ten  | limit     |
        | limit=1.5  | limit     |
        | offset=-1  | offset    |
        | offset=one | offset    |

  Rule: A shop shows its settings, its figures and its integrations

    Scenario: A shop without business yet
      Given a shop named "Quiet Corner"
      When the merchant looks at the shop
      Then the answer shows:
        | id                       | "$shop"         |
        | name                     | "Quiet Corner"  |
        | slug                     | "$slug"         |
        | status                   | "active"        |
        | settings.timezone        | "UTC"           |
        | statistics.products      | 0               |
        | statistics.agents        | 1               |
        | statistics.orders_30d    | 0               |
        | statistics.revenue_30d   | 0               |
        | integrations             | []              |
        | endpoints.acp            | matches /$slug$ |

    Scenario: A shop with a sale
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
        | Stove      | 40.00  | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      When the merchant looks at the shop
      Then the answer shows:
        | statistics.products    | 2      |
        | statistics.orders_30d  | 1      |
        | statistics.revenue_30d | 205.99 |

  Rule: A change touches only what it names

    Scenario: A new name
      Given a shop named "Before"
      When the merchant changes the shop with:
        """
        {"name": "After"}
        """
      Then the answer shows:
        | id                            | "$shop"    |
        | name                          | "After"    |
        | settings.default_currency     | "USD"      |
        | settings.max_discount_percent | 20         |
        | updated_at                    | matches Z$ |
      And the shop was updated after it was created
      And buyers see the shop as "After"

    Scenario: One setting
      Given a shop named "Steady"
      When the merchant changes the shop with:
        """
        {"settings": {"max_discount_percent": 35}}
        """
      Then the answer shows:
        | name                          | "Steady" |
        | settings.max_discount_percent | 35       |
        | settings.negotiation_enabled  | true     |
        | settings.locale               | "en-US"  |

    Scenario: Null restores a setting's default
      Given a shop whose max_discount_percent is 50
      When the merchant changes the shop with:
        """
        {"settings": {"max_discount_percent": null}}
        """
      Then the answer shows:
        | settings.max_discount_percent | 20 |

    Scenario Outline: A change that is refused leaves the shop as it was
      Given a shop named "Steady"
      When the merchant changes the shop with:
        """
        {"name": "Changed", <change>}
        """
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the shop is still named "Steady"

      Examples:
        | change                                       | field                         |
        | "settings": {"max_discount_percent": 90.1}   | settings.max_discount_percent |
        | "settings": {"timezone": ""}                 | settings.timezone             |
        | "settings": {"colour": "red"}                | settings.colour               |
        | "colour": "red"                              | colour                        |
        | "status": "closed"                           | status                        |
        | "settings": 5                                | settings                      |

    Scenario: A shop cannot do without a name
      Given a shop named "Steady"
      When the merchant changes the shop with:
        """
        {"name": null}
        """
      Then it is refused: 422 validation_error
      And the refusal names "name"

  Rule: A shop is closed only by who names it twice

    Scenario: Closing without confirmation
      Given a shop
      When the merchant closes the shop without confirmation
      Then it is refused: 400 confirmation_required
      And the shop is still open

    Scenario: Closing with the wrong confirmation
      Given a shop
      When the merchant closes the shop, confirming "proj_of_another"
      Then it is refused: 400 confirmation_required
      And the shop is still open

    Scenario: Closing
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a buyer who ordered 2 of the "Trail Tent"
      When the merchant closes the shop, confirming "$shop"
      Then it answers 204
      And the merchant no longer finds the shop
      And buyers no longer find the shop
      And its slug is free again

  Rule: Only who holds a key gets in, and only as far as the key reaches

    Scenario Outline: Keys that open nothing
      Given a shop
      When somebody with <credentials> looks at the shop
      Then it is refused: 401 unauthenticated
      And the answer tells to come back with a bearer key

      Examples:
        | credentials                                            |
        | no key                                                 |
        | the key "hk_test_0000000000000000000000000000000000"   |
        | the key "hk_live_0123456789abcdefghijklmnopqrstuvwxyz" |
        | the key "nonsense"                                     |
        | the authorization "Basic aGtfdGVzdDo="                 |
        | the authorization "Bearer"                             |

    Scenario Outline: A key that reaches less far
      Given a shop
      When somebody with a key for <scope> <does>
      Then it is refused: 403 insufficient_scope

      Examples:
        | scope         | does                 |
        | catalog:read  | looks at the shop    |
        | projects:read | closes the shop      |
        | projects:read | changes the settings |
        | projects:read | lists products       |
        | catalog:read  | creates a product    |

    Scenario Outline: A key that reaches far enough
      Given a shop
      When somebody with a key for <scope> <does>
      Then it answers <status>

      Examples:
        | scope          | does                 | status |
        | projects:read  | looks at the shop    | 200    |
        | projects:write | looks at the shop    | 200    |
        | projects:write | changes the settings | 200    |
        | catalog:write  | lists products       | 200    |
        | catalog:write  | creates a product    | 201    |

  Rule: What does not exist cannot be found

    Scenario Outline: Shops that are none
      When the merchant sends <request>
      Then it is refused: 404 project_not_found

      Examples:
        | request                                                   |
        | GET /v1/projects/proj_unknown                             |
        | GET /v1/projects/proj_0000000000000000000000000a          |
        | GET /v1/projects/sess_0000000000000000000000000a          |
        | GET /v1/projects/1                                        |
        | GET /v1/projects/%20                                      |
        | PATCH /v1/projects/proj_unknown {"name": "X"}             |
        | DELETE /v1/projects/proj_unknown                          |
        | GET /v1/projects/proj_unknown/settings                    |
        | PATCH /v1/projects/proj_unknown/settings {"general": {}}  |
        | GET /v1/projects/proj_unknown/storefront                  |
        | PATCH /v1/projects/proj_unknown/storefront {}             |
