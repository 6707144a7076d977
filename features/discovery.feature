Feature: Discovery
  A buyer's agent learns what a shop offers, finds products by what is meant, looks at one, and asks whether
  it can be had.

  Rule: The manifest says what a shop offers, and where

    Scenario: The manifest of a shop
      Given a shop selling:
        | name       | price  | category      | stock |
        | Trail Tent | 100.00 | outdoor/tents | 5     |
      When a buyer reads the manifest
      Then the answer shows:
        | acp_version                      | "1.0"                                              |
        | merchant.id                      | "$shop"                                            |
        | merchant.name                    | "Test Shop"                                        |
        | merchant.capabilities            | contains "negotiate"                               |
        | merchant.capabilities            | contains "recommend"                               |
        | endpoints.search                 | "/acp/search"                                      |
        | endpoints.product                | "/acp/products/{id}"                               |
        | endpoints.quote                  | "/acp/quote"                                       |
        | endpoints.checkout               | "/acp/checkout/init"                               |
        | endpoints.finalize               | "/acp/checkout/finalize"                           |
        | endpoints.orders                 | "/acp/orders/{id}"                                 |
        | endpoints.returns                | "/acp/returns"                                     |
        | payment_methods.*.type           | ["psp_spt", "wallet_ba"]                           |
        | payment_methods.*.currencies     | [["USD"], ["USD"]]                                 |
        | supported_currencies             | ["USD"]                                            |
        | shipping_regions                 | ["US"]                                             |
        | policies.negotiation_enabled     | true                                               |
        | policies.max_discount_percent    | 20                                                 |
        | policies.return_window_days      | 30                                                 |
        | policies.free_shipping_threshold | null                                               |
        | categories                       | [{"id": "outdoor", "name": "Outdoor", "product_count": 1}, {"id": "outdoor/tents", "name": "Tents", "product_count": 1}] |

    Scenario: A manifest that is known already
      Given a shop
      And a buyer reads the manifest
      When the buyer asks whether the manifest has changed
      Then it answers 304
      When the merchant sets the storefront's "description" to "New words"
      And the buyer asks whether the manifest has changed
      Then it answers 200

    Scenario: A shop that is none
      When a buyer goes to a shop that does not exist
      Then it is refused: 404 project_not_found

  Rule: Search finds by the meaning of words

    Background:
      Given a shop selling:
        | name               | price  | category         | brand    | stock | description                              | tags           | variants                        |
        | Trail Tent         | 249.00 | outdoor/tents    | Norrsken | 5     | Sleeps two people in the rain.           | waterproof     |                                 |
        | Family Tent        | 399.00 | outdoor/tents    | Lumi     | 5     | Room for six, with a porch.              |                |                                 |
        | Running Shoe Swift | 89.00  | shoes/running    | Lumi     | 5     | Light, for the road.                     |                | S/Red=2, M/Red=1, M/Blue=0      |
        | Hiking Boot Granit | 149.00 | shoes/hiking     | Norrsken | 5     | Ankle-high leather boot.                 | waterproof     | M/Brown=3, L/Black=2            |
        | Camp Stove         | 49.00  | outdoor/kitchen  | Ember    | 5     | Boils a litre in three minutes.          |                |                                 |

    Scenario Outline: What a query finds first
      When a buyer searches for "<query>"
      Then the first result is "<first>"

      Examples:
        | query                                | first              |
        | trail tents                          | Trail Tent         |
        | family tents                         | Family Tent        |
        | I want shoes to run in               | Running Shoe Swift |
        | hiking boots                         | Hiking Boot Granit |
        | BOOTS                                | Hiking Boot Granit |
        | something for cooking, a stove       | Camp Stove         |
        | ember                                | Camp Stove         |
        | lumi tent                            | Family Tent        |
        | kitchen                              | Camp Stove         |
        | waterproof boot                      | Hiking Boot Granit |
        | leather                              | Hiking Boot Granit |
        | red shoe                             | Running Shoe Swift |

    Scenario: What a result says
      When a buyer searches for "waterproof tent"
      Then the answer shows:
        | session_id                               | matches ^sess_                   |
        | results.0.product_id                     | matches ^prod_                   |
        | results.0.name                           | "Trail Tent"                     |
        | results.0.description                    | "Sleeps two people in the rain." |
        | results.0.brand                          | "Norrsken"                       |
        | results.0.list_price                     | 249                              |
        | results.0.negotiable                     | true                             |
        | results.0.semantic_match.score           | above 0                          |
        | results.0.semantic_match.reasons.0       | present                          |
        | results.0.images                         | []                               |
        | results.0.availability.in_stock          | true                             |
        | results.0.availability.quantity          | 5                                |
        | results.0.availability.shipping_estimate | present                          |
        | results.0.variants.*.in_stock            | [true]                           |
        | total_count                              | at least 2                       |

    Scenario: Better matches score higher
      When a buyer searches for "waterproof tent"
      Then the scores never rise

    Scenario: Nothing fits
      When a buyer searches for "submarine"
      Then the answer shows:
        | results         | [] |
        | total_count     | 0  |
        | recommendations | [] |

    Scenario: A buyer who says nothing sees everything
      When a buyer searches for ""
      Then the answer shows:
        | total_count | 5 |
        | results.#   | 5 |

    Scenario: Facets count all matches
      When a buyer searches for "" with limit 1
      Then the answer shows:
        | results.#                   | 1                                                    |
        | total_count                 | 5                                                    |
        | facets.brands               | contains {"name": "Lumi", "count": 2}                |
        | facets.brands               | contains {"name": "Ember", "count": 1}               |
        | facets.colors               | contains {"name": "Red", "count": 1}                 |
        | facets.price_ranges.#       | at least 1                                           |
      And the price ranges count every match once

    Scenario Outline: Filters
      When a buyer searches for "" with filters <filters>
      Then the search finds exactly <names>

      Examples:
        | filters                                                       | names                                                |
        | {"category": "outdoor"}                                       | "Trail Tent", "Family Tent", "Camp Stove"            |
        | {"category": "outdoor/tents"}                                 | "Trail Tent", "Family Tent"                          |
        | {"category": "out"}                                           | nothing                                              |
        | {"price_max": 89}                                             | "Running Shoe Swift", "Camp Stove"                   |
        | {"price_max": 88.99}                                          | "Camp Stove"                                         |
        | {"price_max": 0}                                              | nothing                                              |
        | {"size": "L"}                                                 | "Hiking Boot Granit"                                 |
        | {"size": "m"}                                                 | "Running Shoe Swift", "Hiking Boot Granit"           |
        | {"color_preference": ["red", "black"]}                        | "Running Shoe Swift", "Hiking Boot Granit"           |
        | {"color_preference": ["green"]}                               | nothing                                              |
        | {"category": "shoes", "price_max": 100, "size": "S"}          | "Running Shoe Swift"                                 |
        | {"size": "L", "color_preference": ["brown"]}                  | nothing                                              |

    Scenario Outline: A search that cannot be answered
      When the buyer sends POST /acp/search <request>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | request                                     | field                      |
        | {"query": "tent", "limit": 0}               | limit                      |
        | {"query": "tent", "limit": -1}              | limit                      |
        | {"query": "tent", "limit": 101}              | limit                      |
        | {"query": 5}                                | query                      |
        | {"filters": {"price_max": -1}}              | filters.price_max          |
        | {"filters": {"price_max": 10.001}}          | filters.price_max          |
        | {"filters": {"price_max": 1e400}}           | filters.price_max          |
        | {"filters": {"color_preference": "red"}}    | filters.color_preference   |
        | {"filters": {"color_preference": ["red", 5]}} | filters.color_preference.1 |

    Scenario: What buyers' agents say beyond the contract is ignored
      When the buyer sends POST /acp/search {"query": "tent", "mood": "sunny", "filters": {"smell": "pine"}}
      Then it answers 200

  Rule: What the buyer likes comes first

    Background:
      Given a shop selling:
        | name     | price | stock | variants   |
        | Tee Ada  | 20.00 | 5     | M/Red=3    |
        | Tee Bea  | 20.00 | 5     | M/Blue=3   |
        | Tee Cleo | 20.00 | 5     | M/Green=3  |

    Scenario Outline: Colours that the buyer likes rank higher, and exclude nothing
      When the buyer sends POST /acp/search {"query": "tee", "buyer_context": {"color_preference": <colours>}}
      Then the answer shows:
        | total_count    | 3         |
        | results.0.name | "<first>" |

      Examples:
        | colours                    | first    |
        | ["red"]                    | Tee Ada  |
        | ["Blue"]                   | Tee Bea  |
        | ["green"]                  | Tee Cleo |
        | ["sunshine", "", "blue"]   | Tee Bea  |

    Scenario Outline: Colours that are none
      When the buyer sends POST /acp/search {"query": "tee", "buyer_context": {"color_preference": <colours>}}
      Then it is refused: 422 validation_error
      And the refusal names "buyer_context.color_preference<at>"

      Examples:
        | colours      | at |
        | "red"        |    |
        | {"0": "red"} |    |
        | ["red", 5]   | .1 |

    Scenario: Looking at a product, liked colours mean nothing
      When the buyer sends GET /acp/products/$product?buyer_context=%7B%22color_preference%22%3A%5B%22red%22%5D%7D
      Then it answers 200

  Rule: What is in stock comes first

    Scenario: The better match is sold out
      Given a shop selling:
        | name              | price  | stock |
        | Tent              | 100.00 | 0     |
        | Tent with a porch | 100.00 | 3     |
      When a buyer searches for "tent"
      Then the answer shows:
        | results.*.name                  | ["Tent with a porch", "Tent"] |
        | results.*.availability.in_stock | [true, false]                 |

  Rule: A search shows ten results unless told otherwise

    Scenario Outline: How many
      Given a shop with 60 products
      When a buyer searches for "product" <limit>
      Then the answer shows:
        | results.#   | <shown> |
        | total_count | 60      |

      Examples:
        | limit         | shown |
        |               | 10    |
        | with limit 1  | 1     |
        | with limit 50 | 50    |

  Rule: Searches of one buyer belong together

    Scenario: A second search in the session
      Given a shop
      And a buyer who searched for "tent"
      When the buyer searches again for "stove"
      Then the session is the same

    Scenario Outline: A session that is none
      Given a shop
      When the buyer sends POST /acp/search {"query": "tent", "session_id": "<session>"}
      Then it is refused: 404 session_not_found

      Examples:
        | session                         |
        | sess_unknown                    |
        | sess_0000000000000000000000000a |
        | proj_0000000000000000000000000a |
        | 7                               |

    Scenario: A session of another shop
      Given a shop
      And a buyer who searched for "tent"
      And another shop
      When the buyer goes on in the other shop
      Then it is refused: 404 session_not_found

  Rule: What goes with a product is recommended

    Scenario: Related products
      Given a shop selling:
        | name       | price  | stock | related          |
        | Trail Tent | 500.00 | 20    | Ground Mat, Peg  |
        | Ground Mat | 100.00 | 20    |                  |
        | Peg        | 2.00   | 20    |                  |
      When a buyer searches for "tent"
      Then the answer shows:
        | results.*.name                   | ["Trail Tent"]        |
        | recommendations.*.type           | ["complementary", "complementary"] |
        | recommendations.*.name           | ["Ground Mat", "Peg"] |
        | recommendations.*.price          | [100, 2]              |
        | recommendations.0.bundle_discount | matches ^[0-9]+(\.[0-9])?%$ |

  Rule: A product's page says what it costs this buyer

    Background:
      Given a shop
      And a product with:
        """
        {"name": "Trail Tent", "sku": "TENT", "price": 1000, "category": "outdoor/tents", "brand": "Norrsken",
         "description": "Sleeps two.", "cost": 500, "attributes": {"weight": "1.9 kg"},
         "images": [{"url": "https://cdn.example.com/a.jpg"}, {"url": "/b.jpg"}],
         "reviews": {"average_rating": 4.5, "count": 12, "summary": "Light."},
         "variants": [{"sku": "TENT-G", "size": "2P", "color": "Green", "quantity": 9},
                      {"sku": "TENT-R", "size": "3P", "color": "Red", "price": 1200, "quantity": 0}]}
        """

    Scenario: The page
      When a buyer looks at the product
      Then the answer shows:
        | product_id                                  | "$product"                          |
        | name                                        | "Trail Tent"                        |
        | description                                 | "Sleeps two."                       |
        | brand                                       | "Norrsken"                          |
        | category                                    | "outdoor/tents"                     |
        | list_price                                  | 1000                                |
        | negotiable                                  | true                                |
        | personalized_price.price                    | at most 1000                        |
        | personalized_price.price                    | at least 800                        |
        | personalized_price.discount                 | matches ^[0-9]+(\.[0-9])?%$         |
        | personalized_price.reason                   | present                             |
        | negotiation_hints.suggested_offer           | at least 800                        |
        | negotiation_hints.likely_acceptance_range.# | 2                                   |
        | negotiation_hints.likely_acceptance_range.0 | at least 800                        |
        | negotiation_hints.likely_acceptance_range.1 | 1000                                |
        | attributes                                  | {"weight": "1.9 kg"}                |
        | variants.*.sku                              | ["TENT-G", "TENT-R"]                |
        | variants.*.size                             | ["2P", "3P"]                        |
        | variants.*.color                            | ["Green", "Red"]                    |
        | variants.*.in_stock                         | [true, false]                       |
        | variants.*.quantity                         | [9, 0]                              |
        | images.*.position                           | [1, 2]                              |
        | images.0.url                                | "https://cdn.example.com/a.jpg"     |
        | images.1.url                                | matches ^http.*/b\.jpg$             |
        | reviews                                     | {"average_rating": 4.5, "count": 12, "summary": "Light."} |
        | shipping.free_shipping                      | false                               |
        | shipping.estimated_delivery                 | present                             |
        | returns.allowed                             | true                                |
        | returns.window_days                         | 30                                  |

    Scenario: The range tells a multiple of five, and not where the limits are
      When a buyer looks at the product
      Then the likely acceptance range begins at a multiple of five

    Scenario: An offer in the likely range
      Given a buyer who looks at the "Trail Tent"
      When the buyer offers the bottom of the likely range
      Then the merchant accepts the offer

    Scenario: A loyal buyer is greeted with a better price
      When a buyer looks at the product as {"loyalty_tier": "platinum", "purchase_history": 30, "urgency": "flexible"}
      Then the personalized price is below a stranger's

    Scenario Outline: Claims that nobody can read
      When the buyer sends GET /acp/products/$product?buyer_context=<claims>
      Then it is refused: 400 invalid_request
      And the refusal names "buyer_context"

      Examples:
        | claims                                    |
        | gold                                      |
        | %7B%22loyalty_tier%22%3A                  |
        | %5B%5D                                    |
        | null                                      |
        | %7B%22purchase_history%22%3A%22many%22%7D |

    Scenario Outline: Pages that are none
      When the buyer sends GET /acp/products/<id>
      Then it is refused: 404 product_not_found

      Examples:
        | id                              |
        | prod_unknown                    |
        | prod_0000000000000000000000000a |
        | $variant                        |
        | 7                               |

    Scenario: A page in a session that is none
      When the buyer sends GET /acp/products/$product?session_id=sess_unknown
      Then it is refused: 404 session_not_found

  Rule: A buyer learns whether it can have what it wants, and what shipping costs

    Background:
      Given a shop selling:
        | name       | price  | stock | variants               |
        | Trail Tent | 100.00 | 5     |                        |
        | Camp Stove | 40.00  | 0     |                        |
        | Boot       | 80.00  |       | M/Brown=3, L/Black=0   |

    Scenario: All of it
      When a buyer asks for 2 of the "Trail Tent"
      Then the answer shows:
        | available                        | true                                 |
        | items.0.product_id               | "$product"                           |
        | items.0.variant_id               | "$variant"                           |
        | items.0.requested_quantity       | 2                                    |
        | items.0.available_quantity       | 5                                    |
        | items.0.status                   | "in_stock"                           |
        | items.0.warehouse                | present                              |
        | items.0.shipping_estimate.method | "standard"                           |
        | items.0.shipping_estimate.days   | "3-5"                                |
        | items.0.shipping_estimate.cost   | 5.99                                 |
        | shipping_options.*.method        | ["standard", "express", "overnight"] |
        | shipping_options.*.cost          | [5.99, 14.99, 29.99]                 |
        | total_shipping                   | 5.99                                 |
        | free_shipping_qualified          | false                                |

    Scenario: A part of it
      When a buyer asks for 6 of the "Trail Tent"
      Then the answer shows:
        | available                  | false     |
        | items.0.available_quantity | 5         |
        | items.0.status             | "partial" |

    Scenario: None of it
      When a buyer asks for 1 of the "Camp Stove"
      Then the answer shows:
        | available      | false          |
        | items.0.status | "out_of_stock" |

    Scenario: Enough for free shipping
      Given the merchant sets the storefront's "free_shipping_threshold" to 200
      When a buyer asks for 2 of the "Trail Tent"
      Then the answer shows:
        | free_shipping_qualified | true |
        | total_shipping          | 0    |

    Scenario Outline: Questions that cannot be answered
      When the buyer sends POST /acp/availability <request>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | request                                                                                                                        | field                    |
        | {"items": [], "shipping_address": {"postal_code": "97205", "country": "US"}}                                                    | items                    |
        | {"shipping_address": {"postal_code": "97205", "country": "US"}}                                                                 | items                    |
        | {"items": [{"product_id": "$product", "quantity": 0}], "shipping_address": {"country": "US"}}                                   | items.0.quantity         |
        | {"items": [{"product_id": "$product", "quantity": 1001}], "shipping_address": {"country": "US"}}                                | items.0.quantity         |
        | {"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {"country": "FR"}}                                   | shipping_address.country |
        | {"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {"country": "Oregon"}}                               | shipping_address.country |
        | {"items": [{"product_id": "$product", "quantity": 1}], "shipping_address": {"postal_code": "97205"}}                            | shipping_address.country |
        | {"items": [{"quantity": 1}], "shipping_address": {"country": "US"}}                                                             | items.0.product_id       |

    Scenario: Which variant is meant must be said
      When a buyer asks for 1 of the "Boot" without saying which variant
      Then it is refused: 422 validation_error
      And the refusal names "items.0.variant_id"

    Scenario Outline: Things that are none
      When the buyer sends POST /acp/availability {"items": [<item>], "shipping_address": {"postal_code": "97205", "country": "US"}}
      Then it is refused: 404 <code>

      Examples:
        | item                                                                   | code              |
        | {"product_id": "prod_unknown", "quantity": 1}                          | product_not_found |
        | {"product_id": "prod_0000000000000000000000000a", "quantity": 1}       | product_not_found |
        | {"product_id": "$product", "variant_id": "var_unknown", "quantity": 1} | variant_not_found |
