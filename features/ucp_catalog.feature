Feature: The catalogue over the Universal Commerce Protocol
  Any agent that speaks the protocol searches, looks products up by their ids and reads one, in the version that it speaks. Every
  answer is held against the protocol's schemas and rules.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
      | Camp Stove | 40.00  | 0     |

  Rule: A search has words or filters, and shows list prices in minor units

    Scenario Outline: Search
      When an agent sends POST <door>/ucp/catalog/search {"query": "tent"}
      Then the answer shows:
        | products.0.id                                | "${Trail Tent}" |
        | products.0.price_range.min.amount            | 10000           |
        | products.0.price_range.min.currency          | "USD"           |
        | products.0.variants.0.availability.available | true            |
        | messages                                     | absent          |
      When an agent sends POST <door>/ucp/catalog/search {"filters": {"price": {"max": 5000}}, "pagination": {"limit": 1000}}
      Then the answer shows:
        | products.#                                   | 1               |
        | products.0.id                                | "${Camp Stove}" |
        | products.0.variants.0.availability.available | false           |
        | pagination.has_next_page                     | false           |
        | pagination.total_count                       | 1               |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    Scenario: Neither words nor filters
      When an agent sends POST /ucp/catalog/search {}
      Then the answer shows:
        | ucp.status      | "error"         |
        | messages.0.code | "invalid_input" |

    Scenario: A filter that the shop does not have
      When an agent sends POST /ucp/catalog/search {"query": "tent", "filters": {"mood": "cosy"}}
      Then the answer shows:
        | products.#      | 1                |
        | messages.0.type | "warning"        |
        | messages.0.code | "unknown_filter" |

    Scenario: A price in another currency
      When an agent sends POST /ucp/catalog/search {"query": "tent", "filters": {"price": {"max": 1}}, "context": {"currency": "EUR"}}
      Then the answer shows:
        | products.#      | 1                      |
        | messages.0.code | "price_filter_ignored" |

    Scenario: A page goes on where the one before ended
      When an agent sends POST /ucp/catalog/search {"filters": {"price": {"min": 1}}, "pagination": {"limit": 1}}
      Then the answer shows:
        | products.#               | 1    |
        | pagination.has_next_page | true |
        | pagination.total_count   | 2    |

  Rule: A lookup tells which id led to which variant

    Scenario Outline: Ids that are known, twice, and unknown
      When an agent sends POST <door>/ucp/catalog/lookup {"ids": ["${Trail Tent}", "${Trail Tent}", "prod_unknown", "${Camp Stove}"]}
      Then the answer shows:
        | products.*.id                       | ["${Trail Tent}", "${Camp Stove}"]                 |
        | products.0.variants.0.inputs        | [{"id": "${Trail Tent}", "match": "featured"}]     |
        | messages.*.code                     | ["not_found"]                                      |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

  Rule: One product is shown in full

    Scenario Outline: A product and one that is none
      When an agent sends POST <door>/ucp/catalog/product {"id": "${Trail Tent}"}
      Then the answer shows:
        | product.id         | "${Trail Tent}" |
        | product.variants.# | 1               |
      When an agent sends POST <door>/ucp/catalog/product {"id": "prod_unknown"}
      Then the answer shows:
        | ucp.status          | "error"         |
        | messages.0.code     | "not_found"     |
        | messages.0.severity | "unrecoverable" |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |
