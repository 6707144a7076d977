Feature: Narrowing, sorting and reading on
  A buyer's agent says what must hold, in which order it wants to see the rest, and reads on until it has seen everything.
  Whatever it asks in vain is explained, and what it asks wrongly is named.

  Rule: A buyer narrows a search to what must hold

    Background:
      Given a shop with:
        """
        [{"name": "Tent One", "sku": "T1", "price": 100, "brand": "Fjord", "attributes": {"Season": "3", "fabric": "Nylon"},
          "reviews": {"average_rating": 4.5, "count": 12}, "variants":
           [{"sku": "T1-G", "size": "2P", "color": "Green", "quantity": 0}, {"sku": "T1-R", "size": "3P", "color": "Red", "quantity": 1}]},
         {"name": "Tent Two", "sku": "T2", "price": 200, "brand": "Lumi", "attributes": {"season": "4", "Fabric": "nylon"},
          "reviews": {"average_rating": 3.9, "count": 40}, "quantity": 3},
         {"name": "Tent Three", "sku": "T3", "price": 300, "brand": "lumi ", "attributes": {"season": "4", "fabric": "Cotton"}, "quantity": 0},
         {"name": "Tent Peg", "sku": "T5", "price": 1.5, "brand": "Ember", "quantity": 5}]
        """

    Scenario Outline: By one thing, and by several
      When a buyer searches for "tent" with filters <filters>
      Then the search finds exactly <names>
      And the facets count what was found

      Examples:
        | filters                                                     | names                              |
        | {"brand": ["LUMI"]}                                         | "Tent Two", "Tent Three"           |
        | {"brand": ["fjord", "Ember"]}                               | "Tent One", "Tent Peg"             |
        | {"brand": ["Nobody"]}                                       | nothing                            |
        | {"price_min": 200}                                          | "Tent Two", "Tent Three"           |
        | {"price_min": 200.01}                                       | "Tent Three"                       |
        | {"price_min": 100, "price_max": 139.99}                     | "Tent One"                         |
        | {"price_min": 110, "price_max": 130}                        | nothing                            |
        | {"in_stock": true}                                          | "Tent One", "Tent Two", "Tent Peg" |
        | {"in_stock": false}                                         | "Tent One", "Tent Two", "Tent Three", "Tent Peg" |
        | {"in_stock": true, "size": "2P"}                            | nothing                            |
        | {"in_stock": true, "price_max": 199, "brand": ["lumi"]}     | nothing                            |
        | {"attributes": {"season": ["4"]}}                           | "Tent Two", "Tent Three"           |
        | {"attributes": {"SEASON": ["3", "4"], "fabric": ["NYLON"]}} | "Tent One", "Tent Two"             |
        | {"attributes": {"smell": ["pine"]}}                         | nothing                            |
        | {"rating_min": 3.9}                                         | "Tent One", "Tent Two"             |
        | {"rating_min": 3.91}                                        | "Tent One"                         |

    Scenario: One brand, and one value, need no list
      When the buyer sends POST /acp/search {"filters": {"brand": "Lumi", "attributes": {"fabric": "cotton"}}}
      Then the answer shows:
        | results.*.name | ["Tent Three"] |

    Scenario Outline: What cannot hold is refused
      When the buyer sends POST /acp/search <request>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | request                                                | field                |
        | {"filters": {"price_min": 20, "price_max": 19.99}}     | filters.price_min    |
        | {"filters": {"price_min": 10.001}}                     | filters.price_min    |
        | {"filters": {"rating_min": 5.5}}                       | filters.rating_min   |
        | {"filters": {"in_stock": "yes"}}                       | filters.in_stock     |
        | {"filters": {"brand": 7}}                              | filters.brand        |
        | {"sort": "cheapest"}                                   | sort                 |

    Scenario: A facet counts what choosing another value would find
      When a buyer searches for "tent" with filters {"brand": ["Fjord"], "price_max": 150}
      Then the search finds exactly "Tent One"
      And the answer shows:
        | facets.brands         | contains {"name": "Fjord", "count": 1} |
        | facets.brands         | contains {"name": "Ember", "count": 1} |
        | facets.price_ranges.# | 1                                      |

  Rule: Results come in the order that the buyer asks for

    Background:
      Given a shop with:
        """
        [{"name": "Tent B", "sku": "B", "price": 200, "reviews": {"average_rating": 4, "count": 2}, "quantity": 5},
         {"name": "Tent A", "sku": "A", "price": 90, "reviews": {"average_rating": 4, "count": 9}, "quantity": 0},
         {"name": "Tent C", "sku": "C", "price": 140, "reviews": {"average_rating": 5, "count": 1}, "quantity": 5}]
        """

    Scenario Outline: By a value
      When the buyer sends POST /acp/search {"query": "tent", "sort": "<sort>"}
      Then the answer shows:
        | results.*.name | <names> |

      Examples:
        | sort       | names                          |
        | price_asc  | ["Tent A", "Tent C", "Tent B"] |
        | price_desc | ["Tent B", "Tent C", "Tent A"] |
        | rating     | ["Tent C", "Tent A", "Tent B"] |

    Scenario: The newest first
      Given a product with:
        """
        {"name": "Tent D", "sku": "D", "price": 10, "quantity": 5}
        """
      When the buyer sends POST /acp/search {"query": "tent", "sort": "newest", "limit": 1}
      Then the answer shows:
        | results.*.name | ["Tent D"] |

  Rule: A buyer reads on until it has seen everything once

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Tent One   | 100.00 | 5     |
        | Tent Two   | 200.00 | 5     |
        | Tent Three | 300.00 | 5     |
        | Tent Four  | 400.00 | 5     |
        | Tent Five  | 500.00 | 5     |

    Scenario Outline: Page by page
      When a buyer reads all results of {"query": "tent", "limit": <limit>, "sort": "<sort>"}
      Then the buyer has seen "Tent One", "Tent Two", "Tent Three", "Tent Four", "Tent Five", each once, on <pages> pages

      Examples:
        | limit | sort       | pages |
        | 2     | relevance  | 3     |
        | 5     | price_asc  | 1     |
        | 1     | newest     | 5     |
        | 3     | price_desc | 2     |

    Scenario: The catalogue changes on the way
      When a buyer asks {"query": "tent", "limit": 2, "sort": "price_asc"}
      Then the answer shows:
        | results.*.name | ["Tent One", "Tent Two"] |
      When the merchant lowers the price of the "Tent Five" to 1
      And the merchant lowers the price of the "Tent One" to 450
      Given the merchant has 0 of the "Tent Three" left
      When the buyer reads on to the end
      Then the buyer has seen "Tent One", "Tent Two", "Tent Three", "Tent Four", "Tent Five", each once, on 3 pages

    Scenario: A cursor is good for its own search alone
      When a buyer asks {"query": "tent", "limit": 2, "filters": {"price_max": 450}}
      And the buyer keeps the cursor
      And the buyer sends POST /acp/search {"query": "tents", "limit": 2, "filters": {"price_max": 450}, "cursor": "$cursor"}
      Then it is refused: 422 validation_error
      And the refusal names "cursor"
      When the buyer sends POST /acp/search {"query": "tent", "filters": {"price_max": 451}, "cursor": "$cursor"}
      Then it is refused: 422 validation_error
      And the refusal names "cursor"
      When the buyer sends POST /acp/search {"query": "tent", "filters": {"price_max": 450}, "sort": "newest", "cursor": "$cursor"}
      Then it is refused: 422 validation_error
      And the refusal names "cursor"
      When the buyer sends POST /acp/search {"query": "tent", "filters": {"price_max": 450}, "cursor": "A$cursor"}
      Then it is refused: 422 validation_error
      And the refusal names "cursor"
      When the buyer sends POST /acp/search {"query": "tent", "limit": 1, "filters": {"price_max": 450}, "cursor": "$cursor"}
      Then the answer shows:
        | results.# | 1 |
        | total_count | 4 |

    Scenario: A cursor of another shop
      When a buyer asks {"query": "tent", "limit": 2}
      And the buyer keeps the cursor
      Given a shop selling:
        | name     | price | stock |
        | Tent One | 10.00 | 5     |
      When the buyer sends POST /acp/search {"query": "tent", "limit": 2, "cursor": "$cursor"}
      Then it is refused: 422 validation_error
      And the refusal names "cursor"

  Rule: A search that finds nothing says why

    Background:
      Given a shop with:
        """
        [{"name": "Trail Tent", "sku": "T1", "price": 249, "brand": "Lumi", "variants":
           [{"sku": "T1-G", "size": "2P", "color": "Green", "quantity": 1}, {"sku": "T1-R", "size": "3P", "color": "Red", "quantity": 1}]},
         {"name": "Family Tent", "sku": "T2", "price": 399, "brand": "Lumi", "quantity": 5},
         {"name": "Camp Stove", "sku": "S1", "price": 49, "brand": "Ember", "quantity": 5}]
        """

    Scenario: A filter removed it
      When a buyer searches for "tent" with filters {"price_max": 100, "brand": ["Lumi"]}
      Then the answer shows:
        | total_count                        | 0                                                                  |
        | no_results.message                 | "2 products match without filters; price_max removes 2 of them."   |
        | no_results.matched_without_filters | 2                                                                  |
        | no_results.removed_by              | contains {"filter": "price_max", "removed": 2, "found_without": 2} |
        | no_results.removed_by              | contains {"filter": "brand", "removed": 0, "found_without": 0}     |

    Scenario: No variant passes all of it
      When a buyer searches for "tent" with filters {"size": "2P", "color_preference": ["red"]}
      Then the answer shows:
        | no_results.removed_by | contains {"filter": "size", "removed": 1, "found_without": 1} |

    Scenario: A word that nothing has
      When a buyer searches for "zzqqx"
      Then the answer shows:
        | results.#                          | 0                                                        |
        | no_results.matched_without_filters | 0                                                        |
        | no_results.message                 | "0 match 'zzqqx', and the shop has no similar word."   |

    Scenario: A word that is like one of the shop's
      When a buyer searches for "tant"
      Then the search finds exactly "Trail Tent", "Family Tent"
      When a buyer searches for "lump"
      Then the answer shows:
        | results.#               | 0                                  |
        | no_results.did_you_mean | ["lumi"]                           |
        | no_results.message      | "0 match 'lump'; did you mean lumi?" |

    Scenario: A search that finds something explains nothing
      When a buyer searches for "tent"
      Then the answer shows:
        | no_results | absent |
        | warnings   | absent |

  Rule: What a shop does not know is ignored, and named

    Background:
      Given a shop selling:
        | name     | price  | stock |
        | Tent One | 100.00 | 5     |

    Scenario: A filter of another name
      When the buyer sends POST /acp/search {"query": "tent", "filters": {"max_price": 10}, "keywords": "stove"}
      Then the answer shows:
        | results.*.name     | ["Tent One"]         |
        | warnings.0.code    | "unknown_field"      |
        | warnings.0.field   | "keywords"           |
        | warnings.1.code    | "unknown_filter"     |
        | warnings.1.field   | "filters.max_price"  |
        | warnings.1.message | "max_price is not a filter; did you mean price_max? It was ignored. Known: category, brand, price_min, price_max, size, color_preference, in_stock, attributes, rating_min." |

  Rule: A product is found by its numbers

    Background:
      Given a shop with:
        """
        [{"name": "Cordless Drill", "sku": "CD-771/C2", "price": 129, "gtin": "4006381333931", "mpn": "DCD771.C2", "quantity": 5},
         {"name": "Stoneware Mug", "sku": "MUG", "price": 9, "variants": [{"sku": "MUG-1", "size": "S", "gtin": "036000291452", "quantity": 5},
          {"sku": "MUG-2", "size": "L", "quantity": 5}]},
         {"name": "Drill Bits", "sku": "BITS", "price": 19, "attributes": {"Part number": "B 100 X"}, "quantity": 5}]
        """

    Scenario Outline: However the number is written
      When a buyer searches for "<query>"
      Then the first result is "<first>"
      And the reasons for "<first>" include "<reason>"

      Examples:
        | query                  | first          | reason               |
        | CD-771/C2              | Cordless Drill | SKU CD-771/C2        |
        | cd771c2                | Cordless Drill | SKU CD-771/C2        |
        | 4006381333931          | Cordless Drill | GTIN 4006381333931   |
        | 4-006381-333931        | Cordless Drill | GTIN 4006381333931   |
        | dcd 771 c2             | Cordless Drill | MPN DCD771.C2        |
        | mug-2                  | Stoneware Mug  | SKU MUG-2            |
        | 0036000291452          | Stoneware Mug  | GTIN 036000291452    |
        | b100x                  | Drill Bits     | part number B 100 X  |
        | a drill or mug MUG-1   | Stoneware Mug  | SKU MUG-1            |

    Scenario Outline: A number that is none is refused
      When the merchant creates a product with:
        """
        {"name": "Lamp", "sku": "LAMP", "price": 10, "gtin": "<gtin>"}
        """
      Then it is refused: 422 validation_error
      And the refusal names "gtin"

      Examples:
        | gtin          |
        | 4006381333932 |
        | 12345         |
        | EAN           |

  Rule: Words without spaces between them are found

    Background:
      Given a shop selling:
        | name                              | price  | stock |
        | 小米手机14 Pro 徕卡光学镜头       | 499.00 | 5     |
        | ワイヤレスイヤホン 防水           | 89.00  | 5     |
        | 농심 신라면 매운맛                | 9.00   | 5     |
        | กาแฟอาราบิก้าคั่วบด                | 19.00  | 5     |

    Scenario Outline: A piece of a name
      When a buyer searches for "<query>"
      Then the search finds exactly "<name>"

      Examples:
        | query    | name                        |
        | 手机     | 小米手机14 Pro 徕卡光学镜头 |
        | 光       | 小米手机14 Pro 徕卡光学镜头 |
        | イヤホン | ワイヤレスイヤホン 防水     |
        | ｲﾔﾎﾝ     | ワイヤレスイヤホン 防水     |
        | 라면     | 농심 신라면 매운맛          |
        | กาแฟ     | กาแฟอาราบิก้าคั่วบด          |
