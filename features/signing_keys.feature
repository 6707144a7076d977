Feature: Signing keys
  A shop signs what it sends to agents. Its public keys are where every agent finds them; a key is published before it
  signs, and for a while after it did, so that no agent meets a signature by a key that it cannot know.

  Background:
    Given a server beside the merchant's systems
    And a shop

  Rule: A shop has keys as soon as somebody asks for them

    Scenario: The keys that agents find
      When the buyer sends GET /.well-known/jwks.json
      Then the answer shows:
        | keys.#     | 2                        |
        | keys.0.kid | matches ^[A-Za-z0-9_-]+$ |
        | keys.0.kty | "EC"                     |
        | keys.0.crv | "P-256"                  |
        | keys.0.x   | matches ^[A-Za-z0-9_-]+$ |
        | keys.0.y   | matches ^[A-Za-z0-9_-]+$ |
        | keys.0.d   | absent                   |
        | keys.0.use | "sig"                    |
        | keys.0.alg | "ES256"                  |
      And the answer's headers show:
        | Cache-Control | "public, max-age=300" |

    Scenario: The keys that the merchant sees
      When the merchant sends GET /v1/signing-keys
      Then the answer shows:
        | data.*.state        | ["current", "next"] |
        | data.*.alg          | ["ES256", "ES256"]  |
        | data.0.kid          | "$current_kid"      |
        | data.0.current_at   | matches Z$          |
        | data.0.retired_at   | null                |
        | data.0.may_sign_at  | null                |
        | data.1.current_at   | null                |
        | data.1.may_sign_at  | matches Z$          |
      When the buyer sends GET /.well-known/jwks.json
      Then the answer shows:
        | keys.*.kid | ["$current_kid", "$next_kid"] |

  Rule: The next key signs after a rotation, once agents have had the time to learn of it

    Scenario: Rotating
      Given the merchant sends GET /v1/signing-keys
      And the signing keys were published 10m ago
      When the merchant sends POST /v1/signing-keys/rotate
      Then the answer shows:
        | data.*.state      | ["current", "next", "retired"] |
        | data.2.retired_at | matches Z$                     |
        | data.2.gone_at    | matches Z$                     |
      When the buyer sends GET /.well-known/jwks.json
      Then the answer shows:
        | keys.*.kid | ["$current_kid", "$next_kid", "$retired_kid"] |
      When the merchant sends GET /v1/audit-events?project_id=$shop
      Then the answer shows:
        | data.0.action | "rotate-signing-keys" |
        | data.0.target | "$current_kid"        |

    Scenario: Too soon after the next key was published
      Given the merchant sends GET /v1/signing-keys
      When the merchant sends POST /v1/signing-keys/rotate
      Then it is refused: 409 signing_key_too_new
      And the answer's headers show:
        | Retry-After | present |

    Scenario: A rotation that is repeated is one rotation
      Given the merchant sends GET /v1/signing-keys
      And the signing keys were published 10m ago
      And under the key "once" the merchant sends POST /v1/signing-keys/rotate
      When under the key "once" the merchant sends POST /v1/signing-keys/rotate
      Then the answer shows:
        | data.*.state | ["current", "next", "retired"] |

  Rule: A key in wrong hands is published no more, at once

    Scenario: Revoking the key that signs
      When the merchant sends POST /v1/signing-keys/$current_kid/revoke
      Then the answer shows:
        | data.*.state | ["current", "next"] |
      When the buyer sends GET /.well-known/jwks.json
      Then the answer shows:
        | keys.*.kid | ["$current_kid", "$next_kid"] |

    Scenario: A key that is not the shop's
      Given the merchant sends GET /v1/signing-keys
      When the merchant sends POST /v1/signing-keys/nobodys/revoke
      Then it is refused: 404 signing_key_not_found

    Scenario Outline: Keys are for those who may see keys
      Given a key "Clerk" with {"scopes": ["<scope>"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | scope         | request                              |
        | catalog:write | GET /v1/signing-keys                 |
        | keys:read     | POST /v1/signing-keys/rotate         |
        | keys:read     | POST /v1/signing-keys/some/revoke    |
