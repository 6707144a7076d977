Feature: Synonyms
  A merchant says which words mean the same in the shop: both ways, or one way from an input.

  Rule: Words find each other, or are found by an input

    Scenario: Words that all mean the same
      Given a shop
      When the merchant sends POST /v1/catalog/synonyms {"words": ["Sofa", " couch ", "Chaise   longue"]}
      Then it answers 201
      And the answer shows:
        | id         | matches ^syn_                        |
        | input      | null                                 |
        | words      | ["Sofa", "couch", "Chaise longue"]   |
        | created_at | matches Z$                           |
        | updated_at | matches Z$                           |
      And the synonym reads the same

    Scenario: One way
      Given a shop
      When the merchant sends POST /v1/catalog/synonyms {"input": "Phone", "words": ["smartphone"]}
      Then it answers 201
      And the answer shows:
        | input | "Phone"        |
        | words | ["smartphone"] |
      And the synonym reads the same

    Scenario Outline: A synonym that can be
      Given a shop
      When the merchant sends POST /v1/catalog/synonyms <body>
      Then it answers 201
      And the synonym reads the same

      Examples:
        | body                                                                                                          |
        | {"input": null, "words": ["sofa", "couch"]}                                                                   |
        | {"words": ["電話", "スマホ"]}                                                                                   |
        | {"words": ["7", "seven"]}                                                                                     |
        | {"input": "tv", "words": ["a television that has a screen"]}                                                   |
        | {"words": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20"]} |

    Scenario Outline: A synonym that cannot be
      Given a shop
      When the merchant sends POST /v1/catalog/synonyms <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the shop has 0 synonyms

      Examples:
        | body                                                       | field   |
        | {}                                                         | words   |
        | {"input": "phone"}                                         | words   |
        | {"words": null}                                            | words   |
        | {"words": []}                                              | words   |
        | {"words": ["sofa"]}                                        | words   |
        | {"input": null, "words": ["sofa"]}                         | words   |
        | {"input": "phone", "words": []}                            | words   |
        | {"words": "sofa"}                                          | words   |
        | {"words": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21"]} | words |
        | {"words": ["sofa", ""]}                                    | words.1 |
        | {"words": ["sofa", "couch", " "]}                          | words.2 |
        | {"words": ["sofa", "couch", "--"]}                         | words.2 |
        | {"words": ["sofa", 7]}                                     | words.1 |
        | {"words": ["sofa", "a b c d e f g"]}                       | words.1 |
        | {"words": ["sofa", "a\u0000b"]}                            | words.1 |
        | {"words": ["sofa", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]} | words.1 |
        | {"words": ["sofa", "couch", "SOFA"]}                       | words.2 |
        | {"words": ["chaise longue", "Chaise  Longue"]}             | words.1 |
        | {"input": "phone", "words": ["mobile", "Phone"]}           | words.1 |
        | {"input": "", "words": ["sofa", "couch"]}                  | input   |
        | {"input": "?!", "words": ["sofa", "couch"]}                | input   |
        | {"input": "a b c d e f g", "words": ["sofa"]}              | input   |
        | {"input": 7, "words": ["sofa"]}                            | input   |
        | {"words": ["sofa", "couch"], "weight": 2}                  | weight  |
        | {"words": ["sofa", "couch"], "id": "syn_mine"}             | id      |

    Scenario: Everything wrong is named at once
      Given a shop
      When the merchant sends POST /v1/catalog/synonyms {"input": "!", "words": ["", "sofa", "Sofa", "a b c d e f g"]}
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | input   |
        | words.0 |
        | words.2 |
        | words.3 |

  Rule: The merchant finds its synonyms

    Background:
      Given a shop with 45 synonyms

    Scenario Outline: Lists
      When the merchant sends GET /v1/catalog/synonyms<query>
      Then the answer shows:
        | meta.total | 45      |
        | meta.limit | <limit> |
        | data.#     | <shown> |

      Examples:
        | query               | limit | shown |
        |                     | 20    | 20    |
        | ?limit=100          | 100   | 45    |
        | ?limit=30&offset=30 | 30    | 15    |
        | ?offset=45          | 20    | 0     |

    Scenario: In the order in which they were made
      When the merchant sends GET /v1/catalog/synonyms?limit=3&offset=10
      Then the answer shows:
        | data.*.words.0 | ["word 10", "word 11", "word 12"] |
      Given the synonym {"input": "late", "words": ["last"]}
      When the merchant sends GET /v1/catalog/synonyms?offset=44
      Then the answer shows:
        | data.*.input | [null, "late"] |

    Scenario Outline: Lists that are none
      When the merchant sends GET /v1/catalog/synonyms?<query>
      Then it is refused: 400 invalid_request
      And the refusal names "<parameter>"

      Examples:
        | query     | parameter |
        | limit=0   | limit     |
        | limit=101 | limit     |
        | offset=-1 | offset    |

  Rule: A change touches only what it names

    Background:
      Given a shop
      And the synonym {"input": "phone", "words": ["smartphone", "mobile"]}

    Scenario Outline: Changes
      When the merchant sends PATCH /v1/catalog/synonyms/$synonym <change>
      Then it answers 200
      And the answer shows:
        | id    | "$synonym" |
        | input | <input>    |
        | words | <words>    |
      And the synonym reads the same
      And the shop has 1 synonym

      Examples:
        | change                                     | input    | words                    |
        | {}                                         | "phone"  | ["smartphone", "mobile"] |
        | {"words": ["handset"]}                     | "phone"  | ["handset"]              |
        | {"input": "cell"}                          | "cell"   | ["smartphone", "mobile"] |
        | {"input": null}                            | null     | ["smartphone", "mobile"] |
        | {"input": "mobile", "words": ["phone"]}    | "mobile" | ["phone"]                |
        | {"input": null, "words": ["tent", "yurt"]} | null     | ["tent", "yurt"]         |

    Scenario Outline: Changes that are refused
      When the merchant sends PATCH /v1/catalog/synonyms/$synonym <change>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      When the merchant sends GET /v1/catalog/synonyms/$synonym
      Then the answer shows:
        | input | "phone"                  |
        | words | ["smartphone", "mobile"] |

      Examples:
        | change                             | field   |
        | {"words": null}                    | words   |
        | {"words": []}                      | words   |
        | {"input": null, "words": ["tent"]} | words   |
        | {"input": ""}                      | input   |
        | {"input": "Mobile"}                | words.1 |
        | {"words": ["PHONE"]}               | words.0 |
        | {"id": "syn_mine"}                 | id      |

    Scenario: Deleting
      When the merchant sends DELETE /v1/catalog/synonyms/$synonym
      Then it answers 204
      And the shop has 0 synonyms
      When the merchant sends GET /v1/catalog/synonyms/$synonym
      Then it is refused: 404 synonym_not_found
      When the merchant sends DELETE /v1/catalog/synonyms/$synonym
      Then it is refused: 404 synonym_not_found
      When the merchant sends PATCH /v1/catalog/synonyms/$synonym {"input": "cell"}
      Then it is refused: 404 synonym_not_found

  Rule: All are replaced at once

    Background:
      Given a shop
      And the synonym {"words": ["sofa", "couch"]}

    Scenario: By others
      When the merchant sends PUT /v1/catalog/synonyms {"synonyms": [{"words": ["zelt", "tent"]}, {"input": "phone", "words": ["mobile"]}, {"words": ["a", "b"]}]}
      Then it answers 200
      And the answer shows:
        | data.*.words.0 | ["zelt", "mobile", "a"] |
        | data.*.input   | [null, "phone", null]   |
        | data.0.id      | matches ^syn_           |
      And the shop has 3 synonyms
      When the merchant sends GET /v1/catalog/synonyms
      Then the answer shows:
        | data.*.words.0 | ["zelt", "mobile", "a"] |
      When the merchant sends GET /v1/catalog/synonyms/$synonym
      Then it is refused: 404 synonym_not_found

    Scenario: By none
      When the merchant sends PUT /v1/catalog/synonyms {"synonyms": []}
      Then it answers 200
      And the answer shows:
        | data | [] |
      And the shop has 0 synonyms

    Scenario Outline: By some that cannot be, which changes none
      When the merchant sends PUT /v1/catalog/synonyms <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the shop has 1 synonym

      Examples:
        | body                                                                                                      | field              |
        | {}                                                                                                        | synonyms           |
        | {"synonyms": null}                                                                                        | synonyms           |
        | {"synonyms": [{}]}                                                                                        | synonyms.0.words   |
        | {"synonyms": [{"words": ["a", "b"]}, {"words": ["a"]}]}                                                   | synonyms.1.words   |
        | {"synonyms": [{"words": ["a", "b"]}, {"words": ["a", "b"]}, {"words": ["a", "b"]}, {"words": ["-", "b"]}]} | synonyms.3.words.0 |
        | {"synonyms": [{"input": " ", "words": ["a", "b"]}]}                                                       | synonyms.0.input   |
        | {"synonyms": [{"words": ["a", "b"], "id": "syn_mine"}]}                                                   | synonyms.0.id      |

  Rule: A shop has on the enterprise plan has at most 10,000

    Scenario: The last one, and one more
      Given a shop with 9999 synonyms
      When the merchant sends POST /v1/catalog/synonyms {"words": ["sofa", "couch"]}
      Then it answers 201
      When the merchant sends POST /v1/catalog/synonyms {"words": ["tent", "yurt"]}
      Then it is refused: 409 limit_reached
      And the shop has 10000 synonyms

    Scenario: Many at once
      Given a shop with 9997 synonyms
      When the merchant sends 12 times at once POST /v1/catalog/synonyms {"words": ["sofa", "couch"]}
      Then 3 of them succeed and 9 are refused: 409 limit_reached
      And the shop has 10000 synonyms

    Scenario: Replaced by as many, and by more
      Given a shop with 3 synonyms
      When the merchant replaces the synonyms by 10000
      Then it answers 200
      And the shop has 10000 synonyms
      When the merchant replaces the synonyms by 10001
      Then it is refused: 422 validation_error
      And the refusal names "synonyms"
      And the shop has 10000 synonyms

  Rule: A synonym is the shop's own

    Background:
      Given a shop
      And another shop
      And the synonym {"words": ["sofa", "couch"]}

    Scenario Outline: In another shop it is unknown
      When in the other shop the merchant sends <request>
      Then it is refused: 404 synonym_not_found
      When the merchant sends GET /v1/catalog/synonyms/$synonym
      Then the answer shows:
        | words | ["sofa", "couch"] |

      Examples:
        | request                                                         |
        | GET /v1/catalog/synonyms/$synonym                               |
        | PATCH /v1/catalog/synonyms/$synonym {"words": ["tent", "yurt"]} |
        | DELETE /v1/catalog/synonyms/$synonym                            |
        | GET /v1/catalog/synonyms/syn_unknown                            |
        | GET /v1/catalog/synonyms/syn_0000000000000000000000000a         |

    Scenario: Lists and replacing
      When in the other shop the merchant sends GET /v1/catalog/synonyms
      Then the answer shows:
        | meta.total | 0 |
      When in the other shop the merchant sends PUT /v1/catalog/synonyms {"synonyms": []}
      Then it answers 200
      And the shop has 1 synonym

    Scenario Outline: No shop named
      Given a merchant of the shop ""
      When the merchant sends <request>
      Then it is refused: 400 project_required

      Examples:
        | request                                                |
        | GET /v1/catalog/synonyms                               |
        | POST /v1/catalog/synonyms {"words": ["sofa", "couch"]} |
        | PUT /v1/catalog/synonyms {"synonyms": []}              |

  Rule: Writing needs the scope of the catalogue

    Scenario Outline: A key that may only read
      Given a shop
      And the synonym {"words": ["sofa", "couch"]}
      And a key "Clerk" with {"scopes": ["catalog:read", "projects:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope
      And the shop has 1 synonym

      Examples:
        | request                                                         |
        | POST /v1/catalog/synonyms {"words": ["tent", "yurt"]}           |
        | PATCH /v1/catalog/synonyms/$synonym {"words": ["tent", "yurt"]} |
        | DELETE /v1/catalog/synonyms/$synonym                            |
        | PUT /v1/catalog/synonyms {"synonyms": []}                       |

    Scenario: Reading
      Given a shop
      And the synonym {"words": ["sofa", "couch"]}
      And a key "Clerk" with {"scopes": ["catalog:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET /v1/catalog/synonyms/$synonym
      Then it answers 200
      When the holder of "Clerk" sends GET /v1/catalog/synonyms
      Then it answers 200

  Rule: What is sent again takes effect once, and what changed is written down

    Scenario Outline: Under a key
      Given a shop
      And the synonym {"words": ["sofa", "couch"]}
      When under the key "a" the merchant sends <request>
      Then it answers <status>
      When under the key "a" the merchant sends <request>
      Then it is the answer from before, and says so
      And the shop has <n> synonyms

      Examples:
        | request                                                                 | status | n |
        | POST /v1/catalog/synonyms {"words": ["tent", "yurt"]}                   | 201    | 2 |
        | PATCH /v1/catalog/synonyms/$synonym {"words": ["tent", "yurt"]}         | 200    | 1 |
        | DELETE /v1/catalog/synonyms/$synonym                                    | 204    | 0 |
        | PUT /v1/catalog/synonyms {"synonyms": [{"input": "a", "words": ["b"]}]} | 200    | 1 |

    Scenario: The audit log
      Given a merchant with an account of its own
      And a shop
      And the synonym {"input": "phone", "words": ["mobile"]}
      And the merchant sends PATCH /v1/catalog/synonyms/$synonym {"words": ["handset"]}
      And the merchant sends DELETE /v1/catalog/synonyms/$synonym
      And the merchant sends PUT /v1/catalog/synonyms {"synonyms": [{"words": ["sofa", "couch"]}]}
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.action                 | "replace-synonyms"  |
        | data.0.target                 | "$shop"             |
        | data.0.after.synonyms.0.words | ["sofa", "couch"]   |
        | data.1.action                 | "delete-synonym"    |
        | data.1.target                 | "$synonym"          |
        | data.1.before.words           | ["handset"]         |
        | data.1.after                  | null                |
        | data.2.action                 | "update-synonym"    |
        | data.2.target                 | "$synonym"          |
        | data.2.before.words           | ["mobile"]          |
        | data.2.after.words            | ["handset"]         |
        | data.2.after.input            | absent              |
        | data.3.action                 | "create-synonym"    |
        | data.3.target                 | "$synonym"          |
        | data.3.after.input            | "phone"             |
