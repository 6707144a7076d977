@form
Feature: Signatures of the Universal Commerce Protocol
  A platform proves by a signature who it is, and the shop does the same. A signature that is wrong is refused, whatever is
  wrong with it: it is never treated as if it were not there.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 30    |

  Rule: A signature proves which platform a request is from

    @SIG-001 @SIG-002
    Scenario Outline: What a platform made by a signed request is there for it alone
      Given a platform that speaks <version>
      When the platform sends, signed: POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then it answers 201
      Given the buyer remembers the answer's id
      When the platform sends: GET <door>/ucp/carts/$remembered_id
      Then the answer shows:
        | ucp.status      | "error"     |
        | messages.0.code | "not_found" |
      When the platform sends, signed: GET <door>/ucp/carts/$remembered_id
      Then the answer shows:
        | id | "$remembered_id" |
      When the platform calls: get_cart {"id": "$remembered_id"}
      Then the answer shows:
        | result.structuredContent.messages.0.code | "not_found" |
      When the platform calls, signed: get_cart {"id": "$remembered_id"}
      Then the answer shows:
        | result.structuredContent.id | "$remembered_id" |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    Scenario Outline: The buyer and the deals of a cart made by a signed request go to no other agent's checkout
      Given a platform that speaks <version>
      And the platform sends, signed: POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}}
      And the buyer remembers the answer's id
      And the platform sends: GET <door>/ucp/carts/sess_06fszq2d8v3m5xk9t1c7w4hpeg
      When the platform sends: POST <door>/ucp/checkout-sessions {"cart_id": "$remembered_id", "line_items": []}
      Then it answers 200
      And the two answers are alike but for ids and times
      And the answer shows:
        | messages.0.code    | "not_found"              |
        | messages.0.content | "There is no such cart." |
        | buyer              | absent                   |
      When the platform calls: create_checkout {"checkout": {"cart_id": "$remembered_id", "line_items": []}}
      Then the answer shows:
        | result.structuredContent.messages.0.code | "not_found" |
        | result.structuredContent.buyer           | absent      |
      When the buyer sends POST /acp/checkout/init {"session_id": "$remembered_id", "from_cart": true}
      Then it is refused: 404 session_not_found
      When the platform sends, signed: POST <door>/ucp/checkout-sessions {"cart_id": "$remembered_id", "line_items": []}
      Then it answers 201
      And the answer shows:
        | buyer.email | "ada@example.com" |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    Scenario Outline: Haggle's own protocol has nothing of what was made by a signed request
      Given a platform that speaks <version>
      And the platform sends, signed: POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      And the buyer remembers the answer's id
      When the buyer sends GET /acp/cart?session_id=$remembered_id
      Then it is refused: 404 session_not_found
      When the buyer sends PUT /acp/cart {"session_id": "$remembered_id", "items": []}
      Then it is refused: 404 session_not_found
      When the buyer sends DELETE /acp/cart?session_id=$remembered_id
      Then it is refused: 404 session_not_found
      When the buyer sends GET /acp/sessions/$remembered_id
      Then it is refused: 404 session_not_found
      When the buyer sends POST /acp/sessions/$remembered_id/extend {"duration_minutes": 5}
      Then it is refused: 404 session_not_found
      When the buyer sends POST /acp/search {"query": "tent", "session_id": "$remembered_id"}
      Then it is refused: 404 session_not_found
      Given the platform sends, signed: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      And the buyer remembers the answer's id
      When the buyer sends GET /acp/checkout/$remembered_id
      Then it is refused: 404 checkout_not_found
      When the buyer sends PUT /acp/checkout/$remembered_id {"items": [{"product_id": "prod_06fszq2d8v3m5xk9t1c7w4hpeg", "quantity": 2}], "allow_incomplete": true}
      Then it is refused: 404 checkout_not_found
      When the buyer sends POST /acp/checkout/finalize {"checkout_id": "$remembered_id", "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}}
      Then it is refused: 404 checkout_not_found
      When the buyer sends POST /acp/checkout/cancel {"checkout_id": "$remembered_id"}
      Then it is refused: 404 checkout_not_found
      When the platform sends: POST <door>/ucp/checkout-sessions/$remembered_id/cancel {}
      Then the answer shows:
        | messages.0.content | "There is no such checkout." |
      When the platform sends, signed: GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | status | "incomplete" |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    Scenario: Who buys is shown to whoever has the id only while the checkout is open
      Given a platform that speaks 2026-08-25
      And the platform sends: POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com"}}
      And the buyer remembers the answer's id
      When the platform sends: GET /ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | buyer.email | "ada@example.com" |
      Given the platform sends: POST /ucp/checkout-sessions/$remembered_id/cancel {}
      When the platform sends: GET /ucp/checkout-sessions/$remembered_id
      Then the answer shows:
        | status | "canceled" |
        | buyer  | absent     |
      When the platform calls: get_checkout {"id": "$remembered_id"}
      Then the answer shows:
        | result.structuredContent.buyer | absent |

    @SIG-006
    Scenario Outline: The key says by which algorithm it signs, and not the request
      Given a platform that speaks 2026-08-25
      When the platform sends, signed, saying alg="<algorithm>": POST /ucp/carts {"line_items": []}
      Then it answers <status>
      Given the platform sends, signed: POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      And the buyer remembers the answer's id
      When the platform sends, signed: POST /ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": []}}
      Then the answer is signed with a key of the shop's profile

      Examples:
        | algorithm         | status |
        | ecdsa-p256-sha256 | 201    |
        | hmac-sha256       | 400    |
        | none              | 400    |

    @SIG-040
    Scenario Outline: A profile that is named in no way that can be read
      Given a platform that speaks 2026-08-25
      And its UCP-Agent says <agent>
      When the platform sends: POST /ucp/carts {"line_items": []}
      Then it answers 400
      And the answer shows:
        | code    | "invalid_profile_url" |
        | content | present               |

      Examples:
        | agent                                    |
        | profile=https://agent.example/profile    |
        | profile="http://agent.example/profile"   |
        | profile="ftp://agent.example/profile"    |
        | profile=?1                               |
        | "https://agent.example/profile"          |
        | https://agent.example/profile            |
        | agent="https://agent.example/profile"    |

    @SIG-040
    Scenario: Over MCP a profile that is not https is refused, too
      Given a platform that speaks 2026-08-25
      When the platform calls: get_cart {"id": "x", "meta": {"ucp-agent": {"profile": "http://agent.example/profile"}}}
      Then it answers 400
      And the answer shows:
        | error.code      | -32001                |
        | error.data.code | "invalid_profile_url" |

  Rule: A signature covers everything that the request is

    @SIG-014 @SIG-015 @SIG-016 @SIG-017 @SIG-018
    Scenario Outline: A signature that leaves something out
      Given a platform that speaks <version>
      When the platform sends, signed, keyed "<key>", without <component>: POST <door>/ucp/carts?from=mail {"line_items": []}
      Then it answers 401
      And the answer shows:
        | code    | "signature_invalid"    |
        | content | contains "<component>" |
      When the platform sends, signed, keyed "<key>": POST <door>/ucp/carts?from=mail {"line_items": []}
      Then it answers 201

      Examples:
        | version    | door        | component       | key                        |
        | 2026-08-25 |             | @method         | key-of-a-platform-00000001 |
        | 2026-08-25 |             | @authority      | key-of-a-platform-00000001 |
        | 2026-08-25 |             | @path           | key-of-a-platform-00000001 |
        | 2026-08-25 |             | @query          | key-of-a-platform-00000001 |
        | 2026-08-25 |             | ucp-agent       | key-of-a-platform-00000001 |
        | 2026-08-25 |             | idempotency-key | key-of-a-platform-00000001 |
        | 2026-08-25 |             | content-digest  | key-of-a-platform-00000001 |
        | 2026-08-25 |             | content-type    | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | @method         | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | @authority      | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | @path           | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | @query          | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | ucp-agent       | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | idempotency-key | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | content-digest  | key-of-a-platform-00000001 |
        | 2026-04-08 | /2026-04-08 | content-type    | key-of-a-platform-00000001 |

    @SIG-014 @SIG-015 @SIG-018
    Scenario Outline: The shop's own requests are signed by the same rules
      Given a platform that speaks <version>
      And it wants to hear of its orders
      And the platform sends, signed: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      And the buyer remembers the answer's id
      When the platform sends, signed: POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the platform hears 1 times of the order

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

  Rule: What is wrong with a signature is told by its code

    @SIG-010 @SIG-019 @SIG-031 @SIG-032 @SIG-033 @SIG-034 @SIG-036 @SIG-038
    Scenario Outline: Over REST
      Given a platform that speaks <version>
      When the platform sends, signed, keyed "key-of-a-platform-00000002"<how>: POST <door>/ucp/carts {"line_items": []}
      Then it answers <status>
      And the answer shows:
        | code    | "<code>" |
        | content | present  |

      Examples:
        | version    | door        | how                              | status | code              |
        | 2026-08-25 |             | , then without Signature         | 401    | signature_missing |
        | 2026-08-25 |             | , then without Signature-Input   | 401    | signature_missing |
        | 2026-08-25 |             | , by another's key               | 401    | signature_invalid |
        | 2026-08-25 |             | , in DER                         | 401    | signature_invalid |
        | 2026-08-25 |             | , then another Idempotency-Key   | 401    | signature_invalid |
        | 2026-08-25 |             | , naming nobodys-key             | 401    | key_not_found     |
        | 2026-08-25 |             | , with the digest of other bytes | 400    | digest_mismatch   |
        | 2026-08-25 |             | , with a digest by SHA-512       | 400    | digest_mismatch   |
        | 2026-08-25 |             | , then more body                 | 400    | digest_mismatch   |
        | 2026-04-08 | /2026-04-08 | , then without Signature         | 401    | signature_missing |
        | 2026-04-08 | /2026-04-08 | , then without Signature-Input   | 401    | signature_missing |
        | 2026-04-08 | /2026-04-08 | , by another's key               | 401    | signature_invalid |
        | 2026-04-08 | /2026-04-08 | , in DER                         | 401    | signature_invalid |
        | 2026-04-08 | /2026-04-08 | , then another Idempotency-Key   | 401    | signature_invalid |
        | 2026-04-08 | /2026-04-08 | , naming nobodys-key             | 401    | key_not_found     |
        | 2026-04-08 | /2026-04-08 | , with the digest of other bytes | 400    | digest_mismatch   |
        | 2026-04-08 | /2026-04-08 | , with a digest by SHA-512       | 400    | digest_mismatch   |
        | 2026-04-08 | /2026-04-08 | , then more body                 | 400    | digest_mismatch   |

    Scenario Outline: Over MCP
      Given a platform that speaks 2026-08-25
      When the platform calls, signed<how>: create_cart {"cart": {"line_items": []}}
      Then it answers <status>
      And the answer shows:
        | error.code         | <number> |
        | error.data.code    | "<code>" |
        | error.data.content | present  |

      Examples:
        | how                              | status | number | code              |
        | , then without Signature         | 401    | -32000 | signature_missing |
        | , by another's key               | 401    | -32000 | signature_invalid |
        | , naming nobodys-key             | 401    | -32000 | key_not_found     |
        | , with the digest of other bytes | 400    | -32600 | digest_mismatch   |
        | , then more body                 | 400    | -32600 | digest_mismatch   |

    Scenario Outline: Where nothing is asked of an agent
      Given a platform that speaks <version>
      When the platform says, signed<how>: {"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}}
      Then it answers <status>
      And the answer shows:
        | id              | "list"   |
        | error.data.code | "<code>" |
      When the platform says, signed: {"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}}
      Then it answers 200
      When the platform says: {"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}}
      Then it answers 200

      Examples:
        | version    | how                              | status | code              |
        | 2026-08-25 | , then without Signature         | 401    | signature_missing |
        | 2026-08-25 | , then without Signature-Input   | 401    | signature_missing |
        | 2026-08-25 | , by another's key               | 401    | signature_invalid |
        | 2026-08-25 | , with the digest of other bytes | 400    | digest_mismatch   |
        | 2026-04-08 | , by another's key               | 401    | signature_invalid |

    Scenario Outline: The profile of the shop
      Given a platform that speaks <version>
      When the platform sends, signed, by another's key: GET <door>/.well-known/ucp
      Then it answers 401
      And the answer shows:
        | code | "signature_invalid" |
      When the platform sends, signed: GET <door>/.well-known/ucp
      Then it answers 200

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @SIG-035
    Scenario Outline: A key of a curve that the shop cannot verify
      Given a platform that speaks <version>
      And it publishes its key as one of the curve P-521
      When the platform sends, signed: POST <door>/ucp/carts {"line_items": []}
      Then it answers 400
      And the answer shows:
        | code    | "algorithm_unsupported" |
        | content | present                 |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @SIG-037
    Scenario Outline: A platform replaces its key
      Given a platform that speaks <version>
      And the platform sends, signed: POST <door>/ucp/carts {"line_items": []}
      And it publishes another key in the place of its own
      When the platform sends until its new key is known, signed: POST <door>/ucp/carts {"line_items": []}
      Then it answers 201
      When the platform sends, signed, by its former key: POST <door>/ucp/carts {"line_items": []}
      Then it answers 401
      And the answer shows:
        | code | "key_not_found" |
      And its profile was read 2 times

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

  Rule: The shop signs what it says of a payment

    @SIG-012 @SIG-013 @SIG-020 @SIG-021
    Scenario Outline: The answer to complete
      Given a platform that speaks <version>
      And the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      And the buyer remembers the answer's id
      When the platform sends, keyed "key-of-a-platform-00000003": POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_decline_insufficient_funds"}}]}}
      Then the answer shows:
        | status          | "ready_for_complete" |
        | messages.0.code | "payment_failed"     |
      And the answer is signed with a key of the shop's profile
      When the platform sends, keyed "key-of-a-platform-00000004": POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer shows:
        | status | "completed" |
      And the answer is signed with a key of the shop's profile
      When the platform sends, keyed "key-of-a-platform-00000004": POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the answer's headers show:
        | Idempotent-Replayed | true |
      And the answer is signed with a key of the shop's profile
      When the platform sends: GET <door>/ucp/checkout-sessions/$remembered_id
      Then the answer is not signed

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @SIG-007 @SIG-008
    Scenario Outline: The keys of the shop are in its profile
      When an agent sends GET <door>/.well-known/ucp
      Then the answer shows:
        | <keys>.#     | 2                        |
        | <keys>.0.kid | matches ^[A-Za-z0-9_-]+$ |
        | <keys>.0.kty | "EC"                     |
        | <keys>.0.crv | "P-256"                  |
        | <keys>.0.x   | matches ^[A-Za-z0-9_-]+$ |
        | <keys>.0.y   | matches ^[A-Za-z0-9_-]+$ |
        | <keys>.0.d   | absent                   |
        | <other>      | absent                   |

      Examples:
        | door        | keys         | other        |
        |             | keys         | signing_keys |
        | /2026-04-08 | signing_keys | keys         |

    @SIG-009
    Scenario Outline: A key that was replaced is published for a week more
      Given an agent sends GET <door>/.well-known/ucp
      And the signing keys were published 10m ago
      And the merchant sends POST /v1/signing-keys/rotate
      When the signing key was retired 167h ago
      And an agent sends GET <door>/.well-known/ucp
      Then the answer shows:
        | <keys>.# | 3 |
      When the signing key was retired 1h ago
      And an agent sends GET <door>/.well-known/ucp
      Then the answer shows:
        | <keys>.# | 2 |

      Examples:
        | door        | keys         |
        |             | keys         |
        | /2026-04-08 | signing_keys |

  Rule: A repeated request is the first one

    @SIG-023 @SIG-025
    Scenario Outline: A retry after almost a day
      Given a platform that speaks <version>
      And the platform sends: POST <door>/ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 2}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, "fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", "address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}
      And the buyer remembers the answer's id
      And the platform sends, keyed "key-of-a-platform-00000005": POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      And the buyer remembers the answer's order.id
      And the keys about "$remembered_order_id" were used 23h ago
      When the platform sends, keyed "key-of-a-platform-00000005": POST <door>/ucp/checkout-sessions/$remembered_id/complete {"payment": {"instruments": [{"id": "pi_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}
      Then the two answers are alike but for ids and times
      And the answer shows:
        | order.id | "$remembered_order_id" |
      And the answer's headers show:
        | Idempotent-Replayed | true |
      And there are 28 of the "Trail Tent" left
      When the merchant sends GET /v1/finance/payments
      Then the answer shows:
        | data.# | 1 |

      Examples:
        | version    | door        |
        | 2026-08-25 |             |
        | 2026-04-08 | /2026-04-08 |

    @SIG-024
    Scenario Outline: The store of the keys is out of reach
      Given a server of the scenario's own
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 30    |
      And the store of idempotency keys is out of reach
      When under the key "key-of-a-platform-00000006" an agent sends POST <door>/ucp/carts {"line_items": []}
      Then it answers 503
      And the answer shows:
        | code    | matches ^(storage_unavailable\|overloaded)$ |
        | content | present                                    |
      Given the store of idempotency keys is back
      When under the key "key-of-a-platform-00000006" an agent sends POST <door>/ucp/carts {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}
      Then it answers 201
      And the answer's headers show:
        | Idempotent-Replayed | absent |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |
