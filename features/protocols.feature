Feature: Protocols of a shop
  The merchant decides by which protocols agents reach the shop, beside Haggle's own. A protocol that is off has no address,
  and nothing that the shop publishes names it.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |

  Rule: A protocol that is off has no address

    Scenario Outline: The Universal Commerce Protocol is off
      Given the merchant sets "protocols.ucp" to false
      When an agent sends <request>
      Then it answers 404
      And the answer shows:
        | code | "protocol_off" |

      Examples:
        | request                                                                                                       |
        | GET /.well-known/ucp                                                                                          |
        | GET /2026-04-08/.well-known/ucp                                                                               |
        | POST /ucp/catalog/search {"query": "tent"}                                                                    |
        | POST /2026-04-08/ucp/catalog/search {"query": "tent"}                                                         |
        | POST /ucp/checkout-sessions {"line_items": [{"item": {"id": "${Trail Tent}"}, "quantity": 1}]}                |
        | GET /ucp/orders/ord_unknown                                                                                   |

    Scenario Outline: The Model Context Protocol is off
      Given the merchant sets "protocols.mcp" to false
      When a model sends <message> to <address>
      Then it answers 404
      And the answer shows:
        | error.data.code | "protocol_off" |

      Examples:
        | message                                                                       | address         |
        | initialize                                                                    | /mcp            |
        | tools/list                                                                    | /mcp            |
        | tools/list                                                                    | /2026-04-08/mcp |
        | tools/call {"name": "search_catalog", "arguments": {"catalog": {"query": "tent"}}} | /mcp       |

    Scenario: One protocol is off, and the others serve
      Given the merchant sets "protocols.mcp" to false
      When an agent sends POST /ucp/catalog/search {"query": "tent"}
      Then it answers 200
      Given the merchant sets "protocols.mcp" to true
      And the merchant sets "protocols.ucp" to false
      When a model sends tools/call {"name": "search_catalog", "arguments": {"catalog": {"query": "tent"}}} to /mcp
      Then it answers 200
      When a buyer searches for "trail tent"
      Then it answers 200

  Rule: What the shop publishes names the protocols that are on

    Scenario: The manifest
      Given the merchant sets "protocols.mcp" to false
      When a buyer reads the manifest
      Then the answer shows:
        | protocols.ucp | matches /.well-known/ucp$ |
        | protocols.mcp | absent                    |
      Given the merchant sets "protocols.mcp" to true
      And the merchant sets "protocols.ucp" to false
      When a buyer reads the manifest
      Then the answer shows:
        | protocols.ucp | absent         |
        | protocols.mcp | matches /mcp$ |

    Scenario Outline: The profile
      Given the merchant sets "protocols.mcp" to false
      When somebody reads <version>/.well-known/ucp
      Then the answer shows:
        | ucp.services.*.*.transport | [["rest"], ["rest"]] |
      Given the merchant sets "protocols.mcp" to null
      When somebody reads <version>/.well-known/ucp
      Then the answer shows:
        | ucp.services.*.*.transport | [["rest", "mcp"], ["rest", "mcp"]] |

      Examples:
        | version     |
        |             |
        | /2026-04-08 |

    Scenario Outline: The introduction for language models
      Given the merchant sets "protocols.<protocol>" to false
      When somebody reads /llms.txt
      Then it answers 200
      And the introduction does not name "<address>"
      Given the merchant sets "protocols.<protocol>" to true
      When somebody reads /llms.txt
      Then the introduction names "<address>"

      Examples:
        | protocol | address          |
        | ucp      | /.well-known/ucp |
        | mcp      | /mcp             |
