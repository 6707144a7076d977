Feature: Catalogue
  A merchant keeps the products of a shop: what they are, what they cost, and how many there are of each
  variant at each location.

  Rule: What bounds the prices is shown to those who may see policies

    Scenario: Products with what bounds their prices
      Given a shop selling:
        | name       | price  | cost  | stock |
        | Trail Tent | 100.00 | 50.00 | 7     |
      When the merchant lists products with "bounds=true"
      Then the answer shows:
        | data.0.price         | 100.00 |
        | data.0.bounds.floor  | 80.00  |
        | data.0.bounds.target | 92.50  |

    Scenario: With a key for the catalogue alone
      Given a merchant with an account of its own
      And a shop
      And a key "Stock" with {"scopes": ["catalog:read"], "project_ids": ["$shop"]}
      When the holder of "Stock" sends GET /v1/catalog/products?bounds=true
      Then it is refused: 403 insufficient_scope

  Rule: A product needs a name, a sku and a price

    Scenario: A product with little said about it
      Given a shop
      When the merchant creates a product with:
        """
        {"name": "Trail Tent", "sku": "TENT-1", "price": 249.9, "category": "outdoor/tents"}
        """
      Then it answers 201
      And the answer shows:
        | id               | matches ^prod_  |
        | name             | "Trail Tent"    |
        | sku              | "TENT-1"        |
        | price            | 249.90          |
        | category         | "outdoor/tents" |
        | created_at       | matches Z$      |
        | updated_at       | matches Z$      |
        | description      | ""              |
        | brand            | ""              |
        | negotiable       | true            |
        | cost             | null            |
        | competitor_price | null            |
        | status           | "active"        |
        | quantity         | 0               |
        | variants.#       | 1               |
        | variants.0.id    | matches ^var_   |
        | variants.0.sku   | "TENT-1"        |
      And the product reads the same

    Scenario: A product with everything said about it
      Given a shop
      When the merchant creates a product with:
        """
        {"name": "Trail Tent", "sku": "TENT-2", "price": 249.90, "category": "outdoor/tents",
         "description": "Sleeps two.", "brand": "Norrsken", "negotiable": false, "cost": 120, "competitor_price": 239.00,
         "images": [{"url": "https://cdn.example.com/tent.jpg", "alt": "A tent"}, {"url": "/images/tent-2.jpg"}],
         "attributes": {"weight": "1.9 kg", "season": "3"}, "tags": ["light", "two-person"],
         "reviews": {"average_rating": 4.55, "count": 31, "summary": "Light, but loud in wind."},
         "related": ["STOVE-1"], "status": "archived",
         "variants": [{"sku": "TENT-2-G", "size": "2P", "color": "Green", "quantity": 4},
                      {"sku": "TENT-2-R", "size": "3P", "color": "Red", "price": 299, "quantity": 0}]}
        """
      Then it answers 201
      And the answer shows:
        | brand                  | "Norrsken"                           |
        | negotiable             | false                                |
        | cost                   | 120                                  |
        | competitor_price       | 239                                  |
        | images.*.url           | ["https://cdn.example.com/tent.jpg", "/images/tent-2.jpg"] |
        | images.0.alt           | "A tent"                             |
        | attributes             | {"weight": "1.9 kg", "season": "3"}  |
        | tags                   | ["light", "two-person"]              |
        | reviews.average_rating | 4.55                                 |
        | reviews.count          | 31                                   |
        | related                | ["STOVE-1"]                          |
        | status                 | "archived"                           |
        | variants.*.sku         | ["TENT-2-G", "TENT-2-R"]             |
        | variants.*.size        | ["2P", "3P"]                         |
        | variants.*.color       | ["Green", "Red"]                     |
        | variants.*.price       | [null, 299]                          |
        | variants.*.quantity    | [4, 0]                               |
        | quantity               | 4                                    |
      And the product reads the same

    Scenario: Stock that comes with a product
      Given a shop
      When the merchant creates a product with:
        """
        {"name": "Stove", "sku": "STOVE-1", "price": 49, "quantity": 12}
        """
      Then the answer shows:
        | quantity            | 12 |
        | variants.0.quantity | 12 |

    Scenario Outline: A product that cannot be
      Given a shop
      When the merchant creates a product whose <field> is <value>
      Then it is refused: 422 validation_error
      And the refusal names "<problem>"

      Examples:
        | field            | value                                   | problem                |
        | name             | missing                                 | name                   |
        | name             | ""                                      | name                   |
        | name             | 501 characters long                     | name                   |
        | sku              | missing                                 | sku                    |
        | sku              | ""                                      | sku                    |
        | sku              | 101 characters long                     | sku                    |
        | price            | missing                                 | price                  |
        | price            | null                                    | price                  |
        | price            | 0                                       | price                  |
        | price            | -1                                      | price                  |
        | price            | 19.999                                  | price                  |
        | price            | 1e400                                   | price                  |
        | price            | 10000000000                             | price                  |
        | price            | "19.99"                                 | price                  |
        | cost             | -0.01                                   | cost                   |
        | cost             | 1.001                                   | cost                   |
        | competitor_price | 0                                       | competitor_price       |
        | category         | "/outdoor"                              | category               |
        | category         | "outdoor//tents"                        | category               |
        | category         | 201 characters long                     | category               |
        | description      | 5001 characters long                    | description            |
        | brand            | 201 characters long                     | brand                  |
        | status           | "hidden"                                | status                 |
        | negotiable       | "no"                                    | negotiable             |
        | quantity         | -1                                      | quantity               |
        | quantity         | 1.5                                     | quantity               |
        | images           | [{"url": ""}]                           | images.0.url           |
        | images           | [{"url": "javascript:alert(1)"}]        | images.0.url           |
        | images           | [{"url": "//evil.example.com/x.jpg"}]   | images.0.url           |
        | reviews          | {"average_rating": 5.01, "count": 1}    | reviews.average_rating |
        | reviews          | {"average_rating": 4, "count": -1}      | reviews.count          |
        | tags             | [""]                                    | tags.0                 |
        | related          | ["", "STOVE"]                           | related.0              |
        | variants         | [{"sku": "A"}, {"sku": "A"}]            | variants.1.sku         |
        | variants         | [{"sku": ""}]                           | variants.0.sku         |
        | variants         | [{"sku": "A", "price": -5}]             | variants.0.price       |
        | variants         | [{"sku": "A", "price": 5.005}]          | variants.0.price       |
        | variants         | [{"sku": "A", "quantity": -5}]          | variants.0.quantity    |
        | colour           | "red"                                   | colour                 |

    Scenario: Everything wrong is named at once
      Given a shop
      When the merchant creates a product with:
        """
        {"name": "", "price": 1.234, "category": "/", "cost": -1, "status": "gone"}
        """
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | name     |
        | sku      |
        | price    |
        | category |
        | cost     |
        | status   |

    Scenario Outline: Prices have the decimals of the shop's currency
      Given a shop whose default_currency is "<currency>"
      When the merchant creates a product whose price is <price>
      Then <outcome>

      Examples:
        | currency | price  | outcome                             |
        | JPY      | 1200   | it answers 201                      |
        | JPY      | 1200.5 | it is refused: 422 validation_error |
        | BHD      | 12.125 | it answers 201                      |
        | BHD      | 1.0005 | it is refused: 422 validation_error |
        | USD      | 49.9   | it answers 201                      |
        | USD      | 49.900 | it answers 201                      |

  Rule: A sku belongs to one product

    Scenario Outline: A sku that is in use
      Given a shop
      And a product with:
        """
        {"name": "Trail Tent", "sku": "TENT", "price": 100, "variants": [{"sku": "TENT-G"}, {"sku": "TENT-R"}]}
        """
      When the merchant creates a product with:
        """
        <product>
        """
      Then it is refused: 409 sku_taken

      Examples:
        | product                                                                      |
        | {"name": "Copy", "sku": "TENT", "price": 5}                                  |
        | {"name": "Copy", "sku": "COPY", "price": 5, "variants": [{"sku": "TENT-G"}]} |

    Scenario: Another shop has skus of its own
      Given a shop
      And a product with:
        """
        {"name": "Trail Tent", "sku": "TENT", "price": 100}
        """
      And another shop
      When the merchant creates a product in the other shop with:
        """
        {"name": "Trail Tent", "sku": "TENT", "price": 100}
        """
      Then it answers 201

  Rule: The merchant finds its products

    Background:
      Given a shop selling:
        | name         | sku    | price  | category         | status   |
        | Trail Tent   | TENT-1 | 249.00 | outdoor/tents    | active   |
        | Family Tent  | TENT-2 | 399.00 | outdoor/tents    | archived |
        | Camp Stove   | STV-1  | 49.00  | outdoor/kitchen  | active   |
        | Outdoor Book | BOOK-1 | 19.00  | outdoors         | active   |

    Scenario Outline: Lists
      When the merchant lists products with "<query>"
      Then the answer shows:
        | meta.total | <total> |
        | data.#     | <shown> |

      Examples:
        | query                          | total | shown |
        |                                | 4     | 4     |
        | q=tent                         | 2     | 2     |
        | q=STV-1                        | 1     | 1     |
        | q=nothing-like-it              | 0     | 0     |
        | category=outdoor               | 3     | 3     |
        | category=outdoor/tents         | 2     | 2     |
        | status=archived                | 1     | 1     |
        | status=active                  | 3     | 3     |
        | q=tent&status=active           | 1     | 1     |
        | limit=3                        | 4     | 3     |
        | limit=3&offset=3               | 4     | 1     |
        | offset=4                       | 4     | 0     |

    Scenario Outline: Lists that are none
      When the merchant lists products with "<query>"
      Then it is refused: 400 invalid_request
      And the refusal names "<parameter>"

      Examples:
        | query         | parameter |
        | status=hidden | status    |
        | limit=0       | limit     |
        | limit=101     | limit     |
        | offset=-1     | offset    |

    Scenario: Categories are counted at every level, active products only
      When the merchant lists categories
      Then the answer shows:
        | data.*.id            | ["outdoor", "outdoor/kitchen", "outdoor/tents", "outdoors"] |
        | data.*.name          | ["outdoor", "kitchen", "tents", "outdoors"]                 |
        | data.*.product_count | [2, 1, 1, 1]                                                |
        | meta.total           | 4                                                           |

    Scenario: Buyers see the same categories
      Then the manifest shows:
        | categories.*.id            | ["outdoor", "outdoor/kitchen", "outdoor/tents", "outdoors"] |
        | categories.*.product_count | [2, 1, 1, 1]                                                |

  Rule: A change touches only what it names

    Background:
      Given a shop
      And a product with:
        """
        {"name": "Trail Tent", "sku": "TENT", "price": 100, "brand": "Norrsken", "cost": 60, "quantity": 5}
        """

    Scenario: A new price
      When the merchant changes the product with:
        """
        {"price": 89.5}
        """
      Then the answer shows:
        | id       | "$product"   |
        | price    | 89.5         |
        | name     | "Trail Tent" |
        | brand    | "Norrsken"   |
        | cost     | 60           |
        | quantity | 5            |
      And the product reads the same

    Scenario: Null takes away
      When the merchant changes the product with:
        """
        {"brand": null, "cost": null}
        """
      Then the answer shows:
        | brand | ""   |
        | cost  | null |

    Scenario: Variants keep their identity by sku
      When the merchant changes the product with:
        """
        {"variants": [{"sku": "TENT", "color": "Green"}, {"sku": "TENT-XL", "size": "XL", "quantity": 2}]}
        """
      Then the answer shows:
        | variants.0.id       | "$variant" |
        | variants.*.sku      | ["TENT", "TENT-XL"] |
        | variants.*.quantity | [5, 2]     |

    Scenario Outline: A change that is refused
      When the merchant changes the product with:
        """
        <change>
        """
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the product's "price" is 100

      Examples:
        | change                              | field  |
        | {"price": 12.345}                   | price  |
        | {"price": null}                     | price  |
        | {"price": 50, "name": ""}           | name   |
        | {"price": 50, "sku": null}          | sku    |
        | {"price": 50, "colour": "red"}      | colour |
        | {"price": 50, "id": "prod_another"} | id     |

    Scenario: A sku of another product
      Given a product with:
        """
        {"name": "Stove", "sku": "STOVE", "price": 50}
        """
      When the merchant changes the product with:
        """
        {"sku": "TENT"}
        """
      Then it is refused: 409 sku_taken

  Rule: A product that is deleted is gone

    Scenario: Deleting
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 5     |
      And a buyer who looks at the "Trail Tent"
      When the merchant deletes the product
      Then it answers 204
      And the merchant no longer finds the product
      And buyers no longer find the product
      And a search for "tent" finds nothing

    Scenario Outline: Products that are none
      Given a shop
      When the merchant sends <request>
      Then it is refused: 404 product_not_found

      Examples:
        | request                                              |
        | GET /v1/catalog/products/prod_unknown                |
        | GET /v1/catalog/products/1                           |
        | GET /v1/catalog/products/$shop                       |
        | PATCH /v1/catalog/products/prod_unknown {"price": 5} |
        | DELETE /v1/catalog/products/prod_unknown             |

    Scenario: A product of another shop
      Given a shop selling:
        | name       | price  |
        | Trail Tent | 100.00 |
      And another shop
      When the merchant looks for the product in the other shop
      Then it is refused: 404 product_not_found

  Rule: Many products are written at once, each for itself

    Scenario: Some new, some known, some unacceptable
      Given a shop
      And a product with:
        """
        {"name": "Trail Tent", "sku": "TENT", "price": 100, "brand": "Norrsken", "quantity": 5}
        """
      When the merchant sends the batch:
        """
        {"products": [
          {"sku": "TENT", "price": 90},
          {"sku": "STOVE", "name": "Stove", "price": 50, "quantity": 3},
          {"sku": "MUG", "name": "Mug", "price": 9.999},
          {"sku": "POT"},
          {"name": "No sku", "price": 1},
          {"sku": "SPOON", "name": "Spoon", "price": 4}
        ]}
        """
      Then it answers 200
      And the answer shows:
        | data.*.sku          | ["TENT", "STOVE", "MUG", "POT", "", "SPOON"]                              |
        | data.*.status       | ["updated", "created", "failed", "failed", "failed", "created"]           |
        | data.0.id           | "$product"                                                                |
        | data.0.errors       | []                                                                        |
        | data.1.id           | matches ^prod_                                                            |
        | data.2.id           | null                                                                      |
        | data.2.errors.0.field | "price"                                                                 |
        | data.3.errors.*.field | ["name", "price"]                                                       |
        | data.4.errors.0.field | "sku"                                                                   |
      And the product's "price" is 90
      And the product's "brand" is "Norrsken"
      And the shop has 3 products

    Scenario: Products that are no products fail alone, with all that is wrong with them
      Given a shop
      When the merchant sends the batch:
        """
        {"products": [
          {"sku": "TENT", "name": "Tent", "price": "abc", "colour": "red", "cost": 1.999},
          {"SKU": "MUG", "name": "Mug", "price": 9},
          7,
          {"sku": "STOVE", "name": "Stove", "price": 50}
        ]}
        """
      Then it answers 200
      And the answer shows:
        | data.*.sku            | ["TENT", "", "", "STOVE"]                 |
        | data.*.status         | ["failed", "failed", "failed", "created"] |
        | data.0.errors.*.field | ["colour", "price", "cost"]               |
        | data.1.errors.*.field | ["SKU", "sku"]                            |
        | data.2.errors.*.field | ["", "sku"]                               |
      And the shop has 1 product

    Scenario: A sku that is taken by another product's variant
      Given a shop
      And a product with:
        """
        {"name": "Trail Tent", "sku": "TENT", "price": 100, "variants": [{"sku": "TENT-G"}]}
        """
      When the merchant sends the batch:
        """
        {"products": [{"sku": "OTHER", "name": "Other", "price": 5, "variants": [{"sku": "TENT-G"}]}]}
        """
      Then the answer shows:
        | data.*.status | ["failed"] |
      And the shop has 1 product

    Scenario: Written twice, stored once
      Given a shop
      When the merchant sends the batch:
        """
        {"products": [{"sku": "MUG", "name": "Mug", "price": 9}, {"sku": "MUG", "price": 8}]}
        """
      Then the answer shows:
        | data.*.status | ["created", "updated"] |
      And the shop has 1 product

    Scenario Outline: A batch that is none
      Given a shop
      When the merchant sends the batch:
        """
        <batch>
        """
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | batch                          | field             |
        | {"products": []}               | products          |
        | {}                             | products          |
        | {"products": {}}               | products          |
        | {"products": [], "dry": true}  | dry               |
        | {"product": []}                | product           |

    Scenario: At most a thousand
      Given a shop
      When the merchant sends a batch of 1001 products
      Then it is refused: 422 validation_error
      And the refusal names "products"

    Scenario: A thousand
      Given a shop
      When the merchant sends a batch of 1000 products
      Then it answers 200
      And the shop has 1000 products

  Rule: Stock is kept by variant and location, and never falls below zero

    Background:
      Given a shop selling:
        | name       | sku   | price  | stock |
        | Trail Tent | TENT  | 100.00 | 5     |
        | Camp Stove | STOVE | 50.00  | 0     |

    Scenario: Reading
      When the merchant reads the stock of "TENT"
      Then the answer shows:
        | data.#            | 1            |
        | data.0.sku        | "TENT"       |
        | data.0.product_id | "$product"   |
        | data.0.variant_id | "$variant"   |
        | data.0.location   | "main"       |
        | data.0.quantity   | 5            |
        | meta.total        | 1            |

    Scenario: Setting
      When the merchant sets stock with:
        """
        {"levels": [{"sku": "TENT", "location": "main", "quantity": 9}, {"sku": "TENT", "location": "berlin", "quantity": 4},
                    {"sku": "STOVE", "quantity": 2}]}
        """
      Then it answers 200
      And there are 13 of the "Trail Tent"
      And there are 2 of the "Camp Stove"
      And buyers can have 13 of the "Trail Tent"

    Scenario: Moving
      When the merchant moves stock with:
        """
        {"adjustments": [{"sku": "TENT", "location": "main", "delta": -2, "reason": "Damaged"},
                         {"sku": "STOVE", "location": "main", "delta": 7, "reason": "Delivery"}]}
        """
      Then it answers 200
      And there are 3 of the "Trail Tent"
      And there are 7 of the "Camp Stove"

    Scenario: Never below zero, and then nothing moves
      When the merchant moves stock with:
        """
        {"adjustments": [{"sku": "STOVE", "location": "main", "delta": 1}, {"sku": "TENT", "location": "main", "delta": -6}]}
        """
      Then it is refused: 409 insufficient_stock
      And there are 5 of the "Trail Tent"
      And there are 0 of the "Camp Stove"

    Scenario: Movements at the same time
      When the merchant takes 1 of the "TENT" 12 times at once
      Then 5 of them succeed and 7 are refused: 409 insufficient_stock
      And there are 0 of the "Trail Tent"

    Scenario Outline: Levels that are none
      When the merchant sets stock with:
        """
        {"levels": [<level>]}
        """
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And there are 5 of the "Trail Tent"

      Examples:
        | level                                                         | field             |
        | {"sku": "TENT", "quantity": -1}                               | levels.0.quantity |
        | {"sku": "TENT", "quantity": 1.5}                              | levels.0.quantity |
        | {"sku": "TENT", "quantity": 1000000001}                       | levels.0.quantity |
        | {"sku": "", "quantity": 1}                                    | levels.0.sku      |
        | {"sku": "UNKNOWN", "quantity": 1}                             | levels.0.sku      |
        | {"sku": "TENT", "quantity": 1}, {"sku": "NO", "quantity": 1}  | levels.1.sku      |
        | {"sku": "TENT", "location": "New York", "quantity": 1}        | levels.0.location |
        | {"sku": "TENT", "quantity": 1}, {"sku": "TENT", "quantity": 2}| levels.1.sku      |
        | {"sku": "TENT"}                                               | levels.0.quantity |

    Scenario Outline: Movements that are none
      When the merchant moves stock with:
        """
        {"adjustments": [<adjustment>]}
        """
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | adjustment                                   | field                  |
        | {"sku": "TENT", "delta": 0}                  | adjustments.0.delta    |
        | {"sku": "UNKNOWN", "delta": 1}               | adjustments.0.sku      |
        | {"sku": "TENT", "delta": 2000000000}         | adjustments.0.delta    |
        | {"sku": "TENT", "delta": 1, "location": "?"} | adjustments.0.location |

    Scenario: Stock of a sku that nothing has
      When the merchant reads the stock of "UNKNOWN"
      Then the answer shows:
        | data       | [] |
        | meta.total | 0  |

  Rule: A product is found as soon as it is written

    Scenario: Created, changed, restocked, archived
      Given a shop
      And a buyer who searched for "lantern" in vain
      When the merchant creates a product with:
        """
        {"name": "Storm Lantern", "sku": "LAMP", "price": 30, "quantity": 3}
        """
      Then a search for "lantern" finds "Storm Lantern"
      When the merchant changes the product with:
        """
        {"name": "Gas Torch"}
        """
      Then a search for "lantern" finds nothing
      And a search for "torch" finds "Gas Torch"
      When the merchant changes the product with:
        """
        {"status": "archived"}
        """
      Then a search for "torch" finds nothing

    Scenario: A batch
      Given a shop
      And a buyer who searched for "lantern" in vain
      When the merchant sends the batch:
        """
        {"products": [{"sku": "LAMP", "name": "Storm Lantern", "price": 30}]}
        """
      Then a search for "lantern" finds "Storm Lantern"

  Rule: Whoever writes a catalogue says whose

    Scenario Outline: No shop named
      When the merchant sends <request>
      Then it is refused: 400 project_required

      Examples:
        | request                                                        |
        | GET /v1/catalog/products                                       |
        | POST /v1/catalog/products {"name": "X", "sku": "X", "price": 1} |
        | POST /v1/catalog/products/batch {"products": [{"sku": "X"}]}   |
        | GET /v1/catalog/products/prod_unknown                          |
        | GET /v1/catalog/categories                                     |
        | GET /v1/catalog/inventory                                      |
        | PUT /v1/catalog/inventory {"levels": []}                       |
        | POST /v1/catalog/inventory/adjust {"adjustments": []}          |

    Scenario Outline: An unknown shop named
      Given a merchant of the shop "<shop>"
      When the merchant sends GET /v1/catalog/products
      Then it is refused: 404 project_not_found

      Examples:
        | shop                            |
        | proj_unknown                    |
        | proj_0000000000000000000000000a |
        | prod_0000000000000000000000000a |
        | *                               |
