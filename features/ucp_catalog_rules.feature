@form
Feature: What the Universal Commerce Protocol demands of catalogues
  Rules of the protocol's texts that any agent may rely on, over REST and MCP, in both versions that the shop serves.

  Background:
    Given a shop selling:
      | name       | price  | stock | variants                   |
      | Trail Tent | 100.00 | 7     |                            |
      | Camp Stove | 40.00  | 50    |                            |
      | Rain Coat  | 80.00  |       | S/Red=2, M/Red=0, M/Blue=4 |

  Rule: Search results come in pages

    @CAT-001 @CAT-002 @CAT-003 @CAT-024
    Scenario Outline: Following the cursors reads every product once
      Given a shop with 23 products
      Then following the cursors at "<door>" over <transport>, an agent reads 23 products, each once, in pages of [10,10,3]

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    @CAT-005
    Scenario Outline: A page has 10 products unless the agent wants fewer
      Given a shop with 12 products
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"filters": {"price": {"min": 0}}, "pagination": {}}
      Then the answer shows:
        | products.#               | 10   |
        | pagination.has_next_page | true |
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"filters": {"price": {"min": 0}}, "pagination": {"limit": 1}}
      Then the answer shows:
        | products.#               | 1    |
        | pagination.has_next_page | true |
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"filters": {"price": {"min": 0}}, "pagination": {"limit": 0}}
      Then it answers 400
      And the answer shows:
        | content  | contains "limit" |
        | products | absent           |
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"filters": {"price": {"min": 0}}, "pagination": {"limit": -1}}
      Then it answers 400

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

  Rule: A search has an input that the shop knows

    @CAT-009 @CAT-010
    Scenario Outline: Words or a filter are enough, and nothing else is
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"query": "stove"}
      Then the answer shows:
        | ucp.status    | "success"                |
        | products.*.id | contains "${Camp Stove}" |
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"filters": {"price": {"max": 5000}}}
      Then the answer shows:
        | ucp.status    | "success"         |
        | products.*.id | ["${Camp Stove}"] |
      When over <transport> an agent sends POST <door>/ucp/catalog/search <body>
      Then it answers 200
      And the answer shows:
        | ucp.status      | "error"           |
        | products        | absent            |
        | messages.*.type | ["error"]         |
        | messages.*.code | ["invalid_input"] |

      Examples:
        | door        | transport | body                                                         |
        |             | REST      | {}                                                           |
        |             | REST      | {"query": "", "filters": {}}                                 |
        |             | REST      | {"query": " "}                                               |
        |             | REST      | {"mood": "cosy"}                                             |
        |             | REST      | {"filters": {"mood": "cosy"}}                                |
        |             | REST      | {"context": {"currency": "USD"}, "pagination": {"limit": 5}} |
        | /2026-04-08 | REST      | {}                                                           |
        | /2026-04-08 | REST      | {"filters": {"mood": "cosy", "categories": []}}              |
        |             | MCP       | {}                                                           |
        |             | MCP       | {"mood": "cosy"}                                             |
        | /2026-04-08 | MCP       | {"filters": {"price": {}}}                                   |

    @CAT-012 @CAT-020 @CAT-029
    Scenario Outline: Finding something, and finding nothing
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"query": "tent"}
      Then it answers 200
      And the answer shows:
        | ucp.version   | "<version>"              |
        | ucp.status    | "success"                |
        | products.*.id | contains "${Trail Tent}" |
        | messages      | absent                   |
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"query": "tent", "filters": {"price": {"min": 99999}}}
      Then it answers 200
      And the answer shows:
        | ucp.version              | "<version>" |
        | ucp.status               | "success"   |
        | products                 | []          |
        | pagination.has_next_page | false       |
        | messages                 | absent      |
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"query": "zeppelin hangar"}
      Then it answers 200
      And the answer shows:
        | ucp.status | "success" |
        | products   | []        |
        | messages   | absent    |

      Examples:
        | door        | transport | version    |
        |             | REST      | 2026-08-25 |
        | /2026-04-08 | REST      | 2026-04-08 |
        |             | MCP       | 2026-08-25 |
        | /2026-04-08 | MCP       | 2026-04-08 |

  Rule: A lookup answers each product once, with the variants that ids led to

    @CAT-013 @CAT-017 @CAT-018 @CAT-030
    Scenario Outline: A product by its id, and variants by theirs
      When over <transport> an agent sends POST <door>/ucp/catalog/lookup {"ids": ["${Trail Tent}", "${Rain Coat: M/Blue}", "${Camp Stove: variant}"]}
      Then it answers 200
      And the answer shows:
        | ucp.version                  | "<version>"                                          |
        | ucp.status                   | "success"                                            |
        | products.*.id                | ["${Trail Tent}", "${Rain Coat}", "${Camp Stove}"]   |
        | products.*.variants.#        | [1, 1, 1]                                            |
        | products.0.variants.0.id     | "${Trail Tent: variant}"                             |
        | products.0.variants.0.inputs | [{"id": "${Trail Tent}", "match": "featured"}]       |
        | products.1.variants.0.id     | "${Rain Coat: M/Blue}"                               |
        | products.1.variants.0.inputs | [{"id": "${Rain Coat: M/Blue}", "match": "exact"}]   |
        | products.2.variants.0.id     | "${Camp Stove: variant}"                             |
        | products.2.variants.0.inputs | [{"id": "${Camp Stove: variant}", "match": "exact"}] |
      When over <transport> an agent sends POST <door>/ucp/catalog/lookup {"ids": ["prod_unknown"]}
      Then it answers 200
      And the answer shows:
        | ucp.version | "<version>" |
        | ucp.status  | "success"   |
        | products    | []          |

      Examples:
        | door        | transport | version    |
        |             | REST      | 2026-08-25 |
        | /2026-04-08 | REST      | 2026-04-08 |
        |             | MCP       | 2026-08-25 |
        | /2026-04-08 | MCP       | 2026-04-08 |

    @CAT-015 @CAT-016
    Scenario Outline: An id that is sent twice, and ids of one product
      When over <transport> an agent sends POST <door>/ucp/catalog/lookup {"ids": ["${Rain Coat: M/Blue}", "${Rain Coat}", "${Rain Coat: M/Blue}", "${Rain Coat: M/Red}", "${Rain Coat}"]}
      Then the answer shows:
        | products.*.id                     | ["${Rain Coat}"]                                                       |
        | products.0.variants.*.id          | ["${Rain Coat: M/Blue}", "${Rain Coat: S/Red}", "${Rain Coat: M/Red}"] |
        | products.0.variants.*.inputs.*.id | [["${Rain Coat: M/Blue}"], ["${Rain Coat}"], ["${Rain Coat: M/Red}"]]  |
        | messages                          | absent                                                                 |
      When over <transport> an agent sends POST <door>/ucp/catalog/lookup {"ids": ["prod_unknown", "${Trail Tent: variant}", "${Trail Tent}", "prod_unknown"]}
      Then the answer shows:
        | products.*.id                | ["${Trail Tent}"]                                                                                    |
        | products.0.variants.*.inputs | [[{"id": "${Trail Tent: variant}", "match": "exact"}, {"id": "${Trail Tent}", "match": "featured"}]] |
        | messages.*.code              | ["not_found"]                                                                                        |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    @CAT-020 @CAT-025
    Scenario Outline: An id that nothing has makes the answer shorter
      When over <transport> an agent sends POST <door>/ucp/catalog/lookup {"ids": ["prod_unknown", "${Trail Tent}"]}
      Then it answers 200
      And the answer shows:
        | ucp.status      | "success"         |
        | products.*.id   | ["${Trail Tent}"] |
        | messages.*.type | ["info"]          |
        | messages.*.code | ["not_found"]     |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |

    @CAT-026 @CAT-027
    Scenario Outline: At most 50 ids
      When over <transport> an agent looks up 50 ids at "<door>", the first of which is "${Trail Tent}"
      Then it answers 200
      And the answer shows:
        | products.*.id | ["${Trail Tent}"] |
      When over <transport> an agent looks up 51 ids at "<door>", the first of which is "${Trail Tent}"
      Then it answers 400
      And the answer shows:
        | code     | "request_too_large" |
        | content  | contains "50"       |
        | rpc      | <rpc>               |
        | products | absent              |

      Examples:
        | door        | transport | rpc    |
        |             | REST      | absent |
        | /2026-04-08 | REST      | absent |
        |             | MCP       | -32602 |
        | /2026-04-08 | MCP       | -32602 |

    @CAT-028
    Scenario Outline: At least one id
      When over <transport> an agent sends POST <door>/ucp/catalog/lookup <body>
      Then it answers 400
      And the answer shows:
        | content  | contains "ids" |
        | rpc      | <rpc>          |
        | products | absent         |

      Examples:
        | door        | transport | rpc    | body                       |
        |             | REST      | absent | {}                         |
        |             | REST      | absent | {"ids": []}                |
        |             | REST      | absent | {"ids": null}              |
        | /2026-04-08 | REST      | absent | {}                         |
        | /2026-04-08 | REST      | absent | {"ids": [], "filters": {}} |
        |             | MCP       | -32602 | {}                         |
        | /2026-04-08 | MCP       | -32602 | {"ids": []}                |

  Rule: One product is shown with what is selected of its options

    @CAT-014 @CAT-031 @CAT-032
    Scenario Outline: By its own id, and by a variant's
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "${Rain Coat}"}
      Then it answers 200
      And the answer shows:
        | ucp.version           | "<version>"           |
        | ucp.status            | "success"             |
        | product.id            | "${Rain Coat}"        |
        | product.variants.0.id | "${Rain Coat: S/Red}" |
        | products              | absent                |
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "<variant>"}
      Then it answers 200
      And the answer shows:
        | ucp.version           | "<version>"    |
        | product.id            | "${Rain Coat}" |
        | product.variants.0.id | "<variant>"    |
        | products              | absent         |
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "<variant>", "selected": [{"name": "Color", "label": "Red"}, {"name": "Size", "label": "S"}]}
      Then the answer shows:
        | product.variants.0.id | "<variant>" |

      Examples:
        | door        | transport | version    | variant              |
        |             | REST      | 2026-08-25 | ${Rain Coat: M/Blue} |
        |             | REST      | 2026-08-25 | ${Rain Coat: M/Red}  |
        | /2026-04-08 | REST      | 2026-04-08 | ${Rain Coat: M/Blue} |
        |             | MCP       | 2026-08-25 | ${Rain Coat: M/Red}  |
        | /2026-04-08 | MCP       | 2026-04-08 | ${Rain Coat: M/Blue} |

    @CAT-033
    Scenario Outline: Which options the shown variant has
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "${Rain Coat}"}
      Then the answer shows:
        | product.options.*.name | ["Size", "Color"]                                                   |
        | product.selected       | [{"name": "Size", "label": "S"}, {"name": "Color", "label": "Red"}] |
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "${Rain Coat: M/Blue}"}
      Then the answer shows:
        | product.selected | [{"name": "Size", "label": "M"}, {"name": "Color", "label": "Blue"}] |
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "${Rain Coat}", "selected": [{"name": "Size", "label": "M"}]}
      Then the answer shows:
        | product.selected | [{"name": "Size", "label": "M"}] |
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "${Rain Coat}", "selected": [{"name": "Size", "label": "S"}, {"name": "Color", "label": "Blue"}], "preferences": ["Color", "Size"]}
      Then the answer shows:
        | product.selected | [{"name": "Color", "label": "Blue"}] |

      Examples:
        | door        | transport |
        |             | REST      |
        | /2026-04-08 | REST      |
        |             | MCP       |
        | /2026-04-08 | MCP       |

    @CAT-019 @CAT-020
    Scenario Outline: A product that there is not
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "<id>"}
      Then it answers 200
      And the answer shows:
        | ucp.version         | "<version>"        |
        | ucp.status          | "error"            |
        | product             | absent             |
        | messages.*.type     | ["error"]          |
        | messages.*.code     | ["not_found"]      |
        | messages.*.severity | ["unrecoverable"]  |
        | messages.0.content  | contains "product" |

      Examples:
        | door        | transport | version    | id           |
        |             | REST      | 2026-08-25 | prod_unknown |
        |             | REST      | 2026-08-25 | no id at all |
        | /2026-04-08 | REST      | 2026-04-08 | var_unknown  |
        |             | MCP       | 2026-08-25 | prod_unknown |
        | /2026-04-08 | MCP       | 2026-04-08 | var_unknown  |

  Rule: What the profile advertises is there

    @CAT-022 @CAT-023
    Scenario Outline: Search, lookup and product at the address of the profile
      When an agent sends GET <door>/.well-known/ucp
      Then the answer shows:
        | ucp.capabilities.[dev.ucp.shopping.catalog.search].*.version | ["<version>"]               |
        | ucp.capabilities.[dev.ucp.shopping.catalog.lookup].*.version | ["<version>"]               |
        | ucp.services.[dev.ucp.shopping].*.transport                  | ["rest", "mcp"]             |
        | ucp.services.[dev.ucp.shopping].0.endpoint                   | matches /p/$slug<door>/ucp$ |
        | ucp.services.[dev.ucp.shopping].1.endpoint                   | matches /p/$slug<door>/mcp$ |
      When over <transport> an agent sends POST <door>/ucp/catalog/search {"query": "tent"}
      Then it answers 200
      And the answer shows:
        | ucp.capabilities.[dev.ucp.shopping.catalog.search].*.version | ["<version>"]            |
        | products.*.id                                                | contains "${Trail Tent}" |
      When over <transport> an agent sends POST <door>/ucp/catalog/lookup {"ids": ["${Trail Tent}"]}
      Then it answers 200
      And the answer shows:
        | ucp.capabilities.[dev.ucp.shopping.catalog.lookup].*.version | ["<version>"]     |
        | products.*.id                                                | ["${Trail Tent}"] |
      When over <transport> an agent sends POST <door>/ucp/catalog/product {"id": "${Trail Tent}"}
      Then it answers 200
      And the answer shows:
        | ucp.capabilities.[dev.ucp.shopping.catalog.lookup].*.version | ["<version>"]   |
        | product.id                                                   | "${Trail Tent}" |

      Examples:
        | door        | transport | version    |
        |             | REST      | 2026-08-25 |
        | /2026-04-08 | REST      | 2026-04-08 |
        |             | MCP       | 2026-08-25 |
        | /2026-04-08 | MCP       | 2026-04-08 |
