@form
Feature: What the Universal Commerce Protocol demands of profiles
  What a shop says of itself, and whose word of itself it takes.

  Rule: A profile may be kept, and names public addresses

    @DISC-003
    Scenario Outline: Caches may keep the profile
      Given a shop
      When an agent sends GET <door>/.well-known/ucp
      Then it answers 200
      And the answer's headers show:
        | Cache-Control | matches (^\|, )public(,\|$)                           |
        | Cache-Control | matches (^\|, )max-age=([6-9]\d\|[1-9]\d\d+)(,\|$)    |
        | Cache-Control | without "private"                                     |
        | Cache-Control | without "no-store"                                    |
        | Cache-Control | without "no-cache"                                    |

      Examples:
        | door        |
        |             |
        | /2026-04-08 |

    @DISC-005
    Scenario Outline: Endpoints at the shop's public address
      Given a sandbox server at "https://shops.example.com" that knows the agents:
        | agent                   | version   | without |
        | https://agent.example/1 | <version> |         |
      And a shop
      When an agent sends GET <door>/.well-known/ucp
      Then the answer shows:
        | ucp.services.[dev.ucp.shopping].*.transport            | ["rest", "mcp"]                                                                          |
        | ucp.services.[dev.ucp.shopping].*.endpoint             | ["https://shops.example.com/p/$slug<door>/ucp", "https://shops.example.com/p/$slug<door>/mcp"] |
        | ucp.services.[com.example.shops.negotiation].*.endpoint | ["https://shops.example.com/p/$slug<door>/ucp", "https://shops.example.com/p/$slug<door>/mcp"] |
      When as https://agent.example/1 an agent sends GET <door>/ucp/checkout-sessions/chk_unknown
      Then it answers 200

      Examples:
        | door        | version    |
        |             | 2026-08-25 |
        | /2026-04-08 | 2026-04-08 |

  Rule: A profile is read over https only

    @DISC-004
    Scenario Outline: A platform whose profile is not on https
      Given a shop
      When as <agent> an agent sends POST <door>/ucp/carts {"line_items": []}
      Then it answers 400
      And the answer shows:
        | code | "invalid_profile_url" |

      Examples:
        | door        | agent                            |
        |             | http://agent.example/profile     |
        |             | ftp://agent.example/profile      |
        | /2026-04-08 | http://agent.example/profile     |
