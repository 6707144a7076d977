Feature: Limits
  Nobody can take more of a server than is their share. The strict server of these scenarios lets an account send 60
  requests a minute and 20 at once, and a buyer's address 60 a minute and 10 at once to each shop. It stands behind a
  proxy that tells in X-Forwarded-For where requests come from.

  Rule: An account has a rate, whichever of its keys are used

    Scenario: What is left is told with every answer
      Given a merchant on the strict server
      When the merchant sends GET /v1/account
      Then the answer shows:
        | limits.requests_per_minute | 60 |
        | limits.burst               | 20 |
      And the answer's headers show:
        | RateLimit-Limit     | 20        |
        | RateLimit-Remaining | 19        |
        | RateLimit-Reset     | at most 1 |
        | Retry-After         | absent    |

    Scenario: In refusals too
      Given a merchant on the strict server
      When the merchant sends GET /v1/projects/proj_unknown
      Then it is refused: 404 project_not_found
      And the answer's headers show:
        | RateLimit-Limit     | 20 |
        | RateLimit-Remaining | 19 |

    Scenario: Too many requests
      Given a merchant on the strict server
      When the merchant asks until it is refused
      Then it is refused: 429 rate_limited
      And the refusal is in the words of the merchants'
      And it had been answered 20 times before, and once more for each second that passed
      And the answer's headers show:
        | RateLimit-Limit     | 20         |
        | RateLimit-Remaining | 0          |
        | RateLimit-Reset     | at most 20 |
        | Retry-After         | 1          |
      And the refusal tells when to come back, and who comes back then is answered

    Scenario: Another key of the account is no way around
      Given a merchant on the strict server
      And a key "Other" with {"scopes": ["projects:read"]}
      When the merchant asks until it is refused
      Then it is refused: 429 rate_limited
      And the merchant is still refused with another key

    Scenario: Other merchants are not concerned
      Given a merchant on the strict server
      When the merchant asks until it is refused
      Then it is refused: 429 rate_limited
      And another merchant is answered

  Rule: A buyer's address has a rate in each shop

    Scenario: Too many requests
      Given a merchant on the strict server
      And a shop
      When a buyer asks from "198.51.100.7" until it is refused
      Then it is refused: 429 rate_limited
      And the refusal is in the words of the buyers'
      And it had been answered 10 times before, and once more for each second that passed
      And the answer's headers show:
        | RateLimit-Limit     | 10         |
        | RateLimit-Remaining | 0          |
        | RateLimit-Reset     | at most 10 |
        | Retry-After         | 1          |
      And the answer shows:
        | retry_after | 1 |
      And the refusal tells when to come back, and who comes back then is answered

    Scenario: Others are not concerned
      Given a merchant on the strict server
      And a shop
      And another shop
      When a buyer asks from "198.51.100.7" until it is refused
      Then it is refused: 429 rate_limited
      And a buyer is answered from "198.51.100.8"
      And a buyer is answered from "198.51.100.7" in the other shop
      And the merchant is answered from "198.51.100.7"

    Scenario: An address of the newer kind counts with its network
      Given a merchant on the strict server
      And a shop
      When a buyer asks from "2001:db8:0:1::1" until it is refused
      Then it is refused: 429 rate_limited
      And a buyer is refused from "2001:db8:0:1:ffff::2"
      And a buyer is answered from "2001:db8:0:2::1"

    Scenario: Only the proxy is believed where a buyer comes from
      Given a merchant on the strict server
      And a shop
      When a buyer asks from "203.0.113.5, 198.51.100.7" until it is refused
      Then it is refused: 429 rate_limited
      And a buyer is refused from "203.0.113.6, 198.51.100.7"
      And a buyer is answered from "198.51.100.7, 203.0.113.5"

    Scenario: A server whose buyers' rate is off
      Given a shop
      When a buyer asks from "198.51.100.7" 50 times
      Then the answer's headers show:
        | RateLimit-Limit     | absent |
        | RateLimit-Remaining | absent |

  Rule: Who has no key that is good is limited by address

    Scenario: Guessing keys
      Given a merchant on the strict server
      And the merchant is answered from "198.51.100.9"
      When somebody without a key asks from "198.51.100.9" until it is refused for good
      Then it is refused: 429 rate_limited
      And it had been answered 150 times before, and once more for each 600 ms that passed
      And the answer's headers show:
        | RateLimit-Remaining | 0 |
        | Retry-After         | 1 |
      And somebody without a key is told from "198.51.100.10" that it needs one
      And the merchant is answered from "198.51.100.9"

  Rule: A shop may admit some addresses only

    Scenario Outline: Where a request comes from
      Given a merchant on the strict server
      And a shop
      And from "198.51.100.7" the merchant sends PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["198.51.100.0/28", "2001:db8::7"]}}
      When from "<address>" the merchant sends <request>
      Then <outcome>

      Examples:
        | address                     | request                                  | outcome                           |
        | 198.51.100.7                | GET /v1/projects/$shop                   | it answers 200                    |
        | 198.51.100.15               | GET /v1/projects/$shop/settings          | it answers 200                    |
        | 2001:db8::7                 | GET /v1/catalog/products                 | it answers 200                    |
        | 203.0.113.5, 198.51.100.7   | GET /v1/projects/$shop                   | it answers 200                    |
        | 198.51.100.7, 127.0.0.1     | GET /v1/projects/$shop                   | it answers 200                    |
        | 198.51.100.16               | GET /v1/projects/$shop                   | it is refused: 403 ip_not_allowed |
        | 198.51.100.16               | PATCH /v1/projects/$shop {"name": "X"}   | it is refused: 403 ip_not_allowed |
        | 198.51.100.16               | DELETE /v1/projects/$shop                | it is refused: 403 ip_not_allowed |
        | 203.0.113.5                 | GET /v1/catalog/products                 | it is refused: 403 ip_not_allowed |
        | 2001:db8::8                 | GET /v1/catalog/products                 | it is refused: 403 ip_not_allowed |
        | 198.51.100.7, 203.0.113.5   | GET /v1/projects/$shop                   | it is refused: 403 ip_not_allowed |
        | 203.0.113.5                 | GET /v1/projects                         | it answers 200                    |
        | 203.0.113.5                 | GET /v1/account                          | it answers 200                    |

    Scenario: Buyers come from anywhere
      Given a merchant on the strict server
      And a shop
      And from "198.51.100.7" the merchant sends PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["198.51.100.7"]}}
      Then a buyer is answered from "203.0.113.5"

    Scenario: The merchant cannot lock itself out
      Given a merchant on the strict server
      And a shop
      When from "203.0.113.5" the merchant sends PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["198.51.100.0/24"]}}
      Then it is refused: 422 validation_error
      And the refusal names "security.ip_allowlist"

    Scenario: Where no proxy is trusted, nobody is believed
      Given a merchant on a server that trusts no proxy
      And a shop
      When from "198.51.100.7" the merchant sends PATCH /v1/projects/$shop/settings {"security": {"ip_allowlist": ["198.51.100.7"]}}
      Then it is refused: 422 validation_error
      When the merchant sets "security.ip_allowlist" to ["127.0.0.1"]
      And from "198.51.100.7" the merchant sends GET /v1/projects/$shop
      Then it answers 200

    Scenario: The log tells where a change came from
      Given a merchant on the strict server
      And a shop
      And from "203.0.113.5, 198.51.100.7" the merchant sends PATCH /v1/projects/$shop {"name": "From There"}
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.action  | "update-project" |
        | data.0.address | "198.51.100.7"   |
        | data.1.address | "127.0.0.1"      |
