Feature: Buyers whom the merchant vouches for
  The merchant's server gives a buyer's agent a token. What the connected platforms know of the buyer then counts.

  Background:
    Given a merchant with platforms that hold {"customers": 20, "orders": 400}
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 200.00 | 50    |

  Rule: What the platforms know of a buyer counts in full

    Background:
      Given a connected hubspot account
      And the merchant has synced with {"resources": ["customers"]}

    Scenario: A token
      When the merchant vouches for a platinum customer of hubspot
      Then it answers 201
      And the answer shows:
        | buyer_token      | matches ^bt_          |
        | email            | matches @example.com$ |
        | loyalty_tier     | "platinum"            |
        | purchase_history | at least 10           |
        | expires_at       | matches Z$            |

    Scenario: A token for somebody whom nobody knows
      When the merchant vouches for "stranger@example.com"
      Then it answers 201
      And the answer shows:
        | email            | "stranger@example.com" |
        | loyalty_tier     | null                   |
        | purchase_history | 0                      |

    Scenario: Who is known pays less than who claims to be
      Given the merchant vouches for a platinum customer of hubspot
      When a buyer, claiming {}, looks at the "Trail Tent"
      And the opening price is called "stranger"
      And a buyer, claiming {"loyalty_tier": "platinum", "purchase_history": 100}, looks at the "Trail Tent"
      And the opening price is called "claimant"
      And a buyer, claiming {"buyer_token": "$buyer_token"}, looks at the "Trail Tent"
      Then the personalized price is below a stranger's
      And the opening price is called "member"
      And the price "claimant" is at most "stranger"
      And the price "member" is below "claimant"
      And the price "member" is below "stranger"
      And no answer to a buyer has the token

    Scenario: The tier counts, and not the token
      Given the merchant vouches for a platinum customer of hubspot
      And a buyer, claiming {"buyer_token": "$buyer_token"}, looks at the "Trail Tent"
      And the opening price is called "platinum"
      And the merchant vouches for a bronze customer of hubspot
      And a buyer, claiming {"buyer_token": "$buyer_token"}, looks at the "Trail Tent"
      And the opening price is called "bronze"
      And the merchant vouches for "stranger@example.com"
      And a buyer, claiming {"buyer_token": "$buyer_token"}, looks at the "Trail Tent"
      And the opening price is called "stranger"
      Then the price "platinum" is below "bronze"
      And the price "bronze" is below "stranger"

    Scenario: Claims say no more than what is known of a good customer
      Given the merchant vouches for a platinum customer of hubspot
      And a buyer, claiming {"buyer_token": "$buyer_token"}, looks at the "Trail Tent"
      And the opening price is called "silent"
      And a buyer, claiming {"buyer_token": "$buyer_token", "loyalty_tier": "platinum", "purchase_history": 1000}, looks at the "Trail Tent"
      And the opening price is called "boasting"
      Then the price "silent" is at most "boasting"

    Scenario: The session remembers who the buyer is, and shows no token
      Given the merchant vouches for a gold customer of hubspot
      And a buyer, claiming {"buyer_token": "$buyer_token"}, looks at the "Trail Tent"
      And the buyer asks the price
      When the buyer reads the session
      Then it answers 200
      And no answer to a buyer has the token
      And nothing tells a key or a token

    Scenario: A token of another shop
      Given the merchant vouches for a gold customer of hubspot
      And another shop that the merchant goes to
      When the buyer sends POST /acp/search {"query": "tent", "buyer_context": {"buyer_token": "$buyer_token"}}
      Then it is refused: 422 validation_error
      And the refusal names "buyer_context.buyer_token"

  Rule: A token is for whom the merchant vouches for

    Scenario Outline: Tokens that are refused
      When the merchant sends POST /v1/buyer-tokens <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                              | field      |
        | {}                                                | email      |
        | {"email": "nobody"}                               | email      |
        | {"email": "Ada <ada@example.com>"}                | email      |
        | {"email": "ada@example.com", "expires_in": 59}    | expires_in |
        | {"email": "ada@example.com", "expires_in": 86401} | expires_in |
        | {"email": "ada@example.com", "expires_in": -1}    | expires_in |
        | {"email": "ada@example.com", "tier": "gold"}      | tier       |

    Scenario: Who may vouch
      Given a key "Clerk" with {"scopes": ["integrations:write", "catalog:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends POST /v1/buyer-tokens {"email": "ada@example.com"}
      Then it is refused: 403 insufficient_scope

    Scenario Outline: Tokens that vouch for nobody
      Given a buyer who looks at the "Trail Tent"
      When the buyer sends <request>
      Then it is refused: 422 validation_error
      And the refusal names "buyer_context.buyer_token"

      Examples:
        | request                                                                                                                                         |
        | POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "buyer_context": {"buyer_token": "guessed"}}                |
        | POST /acp/quote {"session_id": "$session", "product_id": "$product", "quantity": 1, "buyer_context": {"buyer_token": "bt_guessed"}}             |
        | POST /acp/search {"query": "tent", "buyer_context": {"buyer_token": "bt_AAAA"}}                                                                 |
        | GET /acp/products/$product?buyer_context=%7B%22buyer_token%22%3A%22bt_AAAA%22%7D                                                                |
