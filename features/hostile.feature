Feature: Hostile requests
  Agents vary, and some mean harm. Whatever is sent, the answer has the shape of its API and tells no secret.

  Background:
    Given a shop selling:
      | name       | price   | stock | cost   |
      | Trail Tent | 1000.00 | 20    | 437.21 |
    And a buyer who looks at the "Trail Tent"

  Rule: A name written twice, or in other letters, fools nobody

    Scenario Outline: The same name in capitals
      When the buyer sends POST /acp/quote {"product_id": "$product", "quantity": 1, "offer_price": 100, "OFFER_PRICE": <offer>}
      Then it is refused: 422 validation_error
      And the refusal names "OFFER_PRICE"

      Examples:
        | offer |
        | -1    |
        | 1000  |

    Scenario Outline: The same name twice
      When the buyer sends <request>
      Then it is refused: 400 invalid_request

      Examples:
        | request                                                                                                  |
        | POST /acp/quote {"product_id": "$product", "quantity": 1, "offer_price": 100, "offer_price": 1000}       |
        | POST /acp/search {"query": "tent", "filters": {"size": "M", "size": "L"}}                                |
        | POST /acp/search {"query": "tent", "unheard_of": {"a": 1, "a": 2}}                                       |

    Scenario Outline: The merchant's names twice, or in other letters
      When the merchant sends <request>
      Then it is refused: <refusal>

      Examples:
        | request                                                                                | refusal              |
        | POST /v1/catalog/products {"name": "A", "sku": "A", "price": 5, "price": 1}            | 400 invalid_request  |
        | POST /v1/catalog/products {"name": "A", "sku": "A", "price": 5, "PRICE": -1}           | 422 validation_error |
        | PATCH /v1/projects/$shop {"NAME": "Capital"}                                           | 422 validation_error |

  Rule: A parameter that the merchant misspells is not passed over

    Scenario Outline: Parameters that are not known
      When the merchant sends <request>
      Then it is refused: 400 invalid_request
      And the refusal names "<parameter>"

      Examples:
        | request                                                             | parameter     |
        | GET /v1/orders?stauts=confirmed                                     | stauts        |
        | GET /v1/orders?Status=confirmed                                     | Status        |
        | GET /v1/catalog/products?offset=0&page=2                            | page          |
        | GET /v1/projects/$shop?expand=settings                              | expand        |
        | GET /v1/finance/payments.csv?limit=5                                | limit         |
        | GET /v1/audit-events?since=2026-01-01                               | since         |
        | PATCH /v1/projects/$shop?dry_run=true {"name": "Never"}             | dry_run       |
        | POST /v1/catalog/products?upsert=1 {"name": "A", "sku": "A", "price": 5} | upsert   |

    Scenario: Buyers' agents add what they like
      When the buyer sends POST /acp/search?utm_source=agent {"query": "tent"}
      Then it answers 200

  Rule: What is not JSON is not read

    Scenario Outline: Buyers
      When the buyer sends POST /acp/search <body>
      Then it is refused: 400 invalid_request

      Examples:
        | body                        |
        | {                           |
        | {"query": "tent"} {}        |
        | {"query": "tent",}          |
        | {'query': 'tent'}           |
        | tent                        |
        | {"query": NaN}              |
        | {"query": "\ud800"}         |

    Scenario Outline: Not an object
      When the buyer sends POST /acp/search <body>
      Then it is refused: 422 validation_error

      Examples:
        | body    |
        | []      |
        | "tent"  |
        | 5       |

    Scenario: No body
      When the buyer sends POST /acp/search
      Then it is refused: 400 invalid_request

    Scenario Outline: Merchants
      When the merchant sends POST /v1/projects <body>
      Then it is refused: 400 invalid_request

      Examples:
        | body                 |
        | {                    |
        | {"name": "A"} x      |
        | {"name": "\x"}       |

    Scenario Outline: Another content type
      When the buyer sends the search as "<type>"
      Then it is refused: 400 invalid_request

      Examples:
        | type                              |
        | text/plain                        |
        | application/xml                   |
        | application/x-www-form-urlencoded |
        | application/json; charset=utf-16  |

    Scenario: A packed body
      When the buyer sends the search packed with "gzip"
      Then it is refused: 415 unsupported_media_type

    Scenario Outline: Merchants' bodies of another kind
      When the merchant sends a key as <header> "<value>"
      Then it is refused: <refusal>
      And the refusal is in the words of the merchants'

      Examples:
        | header           | value            | refusal                    |
        | Content-Type     | text/plain       | 400 invalid_request        |
        | Content-Type     | application/json | 422 validation_error       |
        | Content-Encoding | gzip             | 415 unsupported_media_type |

  Rule: What is too much is not read

    Scenario: A merchant's two mebibytes under a key
      When under the key "a" the merchant sends 2 MiB to /v1/api-keys
      Then it is refused: 413 body_too_large

    Scenario: A buyer's two mebibytes
      When the buyer sends 2 MiB to /acp/search
      Then it is refused: 413 body_too_large

    Scenario: A merchant's two mebibytes
      When the merchant sends 2 MiB to /v1/event-subscriptions
      Then it is refused: 413 body_too_large

    Scenario: A product of many variants may be larger
      When the merchant sends 2 MiB to /v1/catalog/products
      Then it is refused: 422 validation_error

    Scenario: A batch may be larger
      When the merchant sends 2 MiB to /v1/catalog/products/batch
      Then it is refused: 422 validation_error

    Scenario Outline: Deep nesting
      When the buyer sends a search nested <depth> deep
      Then <outcome>

      Examples:
        | depth | outcome                            |
        | 20    | it answers 200                     |
        | 40    | it is refused: 400 invalid_request |
        | 9000  | it is refused: 400 invalid_request |

  Rule: Texts are texts

    Scenario Outline: NUL in what buyers say
      When the buyer sends <request>
      Then it is refused: 422 validation_error

      Examples:
        | request                                                                                           |
        | POST /acp/search {"query": "tent\u0000"}                                                          |
        | POST /acp/search {"query": "tent", "buyer_context": {"loyalty_tier": "gold\u0000"}}               |
        | POST /acp/quote {"product_id": "$product", "quantity": 1, "offer_price": 500, "message": "\u0000"} |

    Scenario Outline: NUL in what merchants write
      When the merchant sends <request>
      Then it is refused: 422 validation_error

      Examples:
        | request                                                                 |
        | POST /v1/projects {"name": "A\u0000", "slug": "$new_slug"}              |
        | PATCH /v1/projects/$shop/storefront {"description": "\u0000"}           |
        | POST /v1/catalog/products {"name": "A", "sku": "A\u0000", "price": 5}   |

    Scenario Outline: Addresses that are no text
      When the buyer sends GET <path>
      Then it is refused: 400 invalid_request

      Examples:
        | path                       |
        | /acp/products/%00          |
        | /acp/products/%ff          |
        | /acp/sessions/a%00b        |

    Scenario Outline: Texts that look like something else
      When the buyer searches for <text>
      Then it answers 200

      Examples:
        | text                                  |
        | "'; DROP TABLE products; --"          |
        | "%' OR '1'='1"                        |
        | "<script>alert(1)</script>"           |
        | "((((((((((((((((((((((((((((((((((("  |
        | "🔥🔥🔥 ‮tent‬ ﷽"                        |
        | "tent AND NOT OR NEAR(tent, 5) *"     |
        | "..\\..\\..\\etc\\passwd"             |

  Rule: What is not there is said in the words of its API

    Scenario Outline: Addresses that lead nowhere
      When <who> sends <request>
      Then it is refused: 404 <code>
      And the refusal is in the words of <api>

      Examples:
        | who          | request                            | code              | api            |
        | the merchant | GET /v1/unheard-of                 | route_not_found   | the merchants' |
        | the merchant | GET /v1                            | route_not_found   | the merchants' |
        | the merchant | GET /v1/projects/$shop/unheard-of  | route_not_found   | the merchants' |
        | the merchant | GET /unheard-of                    | route_not_found   | the merchants' |
        | the buyer    | GET /acp/unheard-of                | route_not_found   | the buyers'    |
        | the buyer    | GET /acp                           | route_not_found   | the buyers'    |
        | the buyer    | POST /acp/checkout                 | route_not_found   | the buyers'    |

    Scenario Outline: Methods that an address does not have
      When <who> sends <request>
      Then it is refused: 405 method_not_allowed
      And the refusal is in the words of <api>
      And the answer tells the methods there are: <allowed>

      Examples:
        | who          | request                     | allowed            | api            |
        | the merchant | PUT /v1/projects            | GET, HEAD, POST    | the merchants' |
        | the merchant | DELETE /v1/catalog/products | GET, HEAD, POST    | the merchants' |
        | the merchant | PATCH /v1/api-keys          | GET, HEAD, POST    | the merchants' |
        | the merchant | PATCH /v1/api-keys/x        | GET, HEAD, DELETE  | the merchants' |
        | the merchant | DELETE /v1/account          | GET, HEAD, PATCH   | the merchants' |
        | the merchant | GET /v1/account/mfa         | POST, DELETE       | the merchants' |
        | the merchant | GET /v1/account/mfa/confirm | POST               | the merchants' |
        | the buyer    | GET /acp/search             | POST               | the buyers'    |
        | the buyer    | DELETE /acp/quote           | POST               | the buyers'    |
        | the buyer    | POST /acp/products/x        | GET, HEAD          | the buyers'    |

  Rule: Every answer names its request

    Scenario Outline: A name that is kept
      When the buyer asks under the request id "<id>"
      Then the answer names the same request id

      Examples:
        | id                                   |
        | a                                    |
        | 7f1c9f0e-3b1a-4a56-9f3e-0a4c7d9e2b11 |
        | with spaces and "quotes"             |

    Scenario Outline: A name that is replaced
      When the buyer asks under a request id of <characters>
      Then the answer names another request id

      Examples:
        | characters           |
        | 129 characters       |
        | no characters        |
        | unprintable characters |

    Scenario: Merchants' requests too
      When as request "find-me" the merchant sends GET /v1/api-keys/key_unknown
      Then it is refused: 404 api_key_not_found
      And the answer shows request id "find-me" in the merchants' words
      When as request "find-me-too" the merchant sends GET /v1/unheard-of
      Then it is refused: 404 route_not_found
      And the answer shows request id "find-me-too" in the merchants' words

    Scenario: In refusals too
      When the buyer asks for a missing product under the request id "find-me"
      Then it is refused: 404 product_not_found
      And the answer shows request id "find-me" in header and body

  Rule: No answer tells a secret

    Scenario: Nothing that a buyer sees is named after what it must not know
      Given the merchant looks for the product's cost and finds 437.21
      When the buyer goes through everything there is
      Then no answer names a floor, a target, a cost or a margin

    Scenario Outline: A failure tells nothing of the inside
      When the buyer sends <request>
      Then the answer tells nothing of the inside

      Examples:
        | request                                           |
        | GET /acp/products/'%20OR%201=1                    |
        | POST /acp/search {"query": {"$ne": null}}         |
        | POST /acp/quote {"product_id": ["a"], "quantity": {}} |
