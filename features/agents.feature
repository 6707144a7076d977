Feature: Agents
  A merchant's agents answer its buyers. One serves the shop, others are drafts; each has handlers for the four events,
  a policy in numbered versions, and a record of what it decided.

  Rule: A shop begins with an agent of the house, and may have others

    Scenario: The agent of a new shop
      Given a shop
      When the merchant sends GET /v1/agents
      Then the answer shows:
        | meta.total                       | 1                                       |
        | data.0.id                        | matches ^agent_                         |
        | data.0.status                    | "active"                                |
        | data.0.handlers.search           | {"type": "builtin", "program": "haggle"} |
        | data.0.handlers.finalize         | {"type": "builtin", "program": "haggle"} |
        | data.0.policy_version            | 1                                       |
        | data.0.policy.enabled            | true                                    |
        | data.0.policy.round_cap          | 6                                       |
        | data.0.policy.min_margin_percent | 10                                      |
        | data.0.model.wording             | false                                   |
        | data.0.model.provider            | null                                    |
        | data.0.model.temperature         | null                                    |
        | data.0.tuning.automatic          | false                                   |
        | data.0.tuning.baseline_version   | null                                    |
        | data.0.secret                    | absent                                  |

    Scenario: A draft
      Given a shop
      When the merchant sends POST /v1/agents {"name": "Ann"}
      Then it answers 201
      And the answer shows:
        | status         | "draft"                             |
        | policy_version | 1                                   |
        | secret         | matches ^whsec_[A-Za-z0-9+/=]{32,}$ |
      And the agent reads the same

    Scenario: A draft with everything
      Given a shop
      When the merchant sends POST /v1/agents {"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://example.com/quote"}}, "policy": {"max_discount_percent": 12.5, "curve": {"give_percent": [20, 60.5, 100]}, "segments": [{"name": "Tents", "category": "outdoor/tents", "cost_to_percent": 40, "price_min": 10.50, "curve": {"take_percent": [50]}}], "leanings": {"tiers": {"platinum": 40}, "volume": [{"from": 3, "lean_percent": 7.5}]}, "bundles": {"enabled": false}}, "model": {"provider": "openai", "name": "small", "max_tokens": 200, "temperature": 0.25, "wording": true}}
      Then it answers 201
      And the answer shows:
        | handlers.quote                             | {"type": "remote", "url": "https://example.com/quote"} |
        | handlers.search.type                       | "builtin"                                              |
        | policy.max_discount_percent                | 12.5                                                   |
        | policy.curve.reach_percent                 | 111                                                    |
        | policy.curve.give_percent                  | [20, 60.5, 100]                                        |
        | policy.segments.0.name                     | "Tents"                                                |
        | policy.segments.0.price_min                | 10.50                                                  |
        | policy.segments.0.cost_to_percent          | 40                                                     |
        | policy.segments.0.curve.give_percent       | [20, 60.5, 100]                                        |
        | policy.segments.0.curve.take_percent       | [50]                                                   |
        | policy.leanings.tiers                      | {"bronze": 5, "silver": 10, "gold": 15, "platinum": 40} |
        | policy.leanings.volume                     | [{"from": 3, "lean_percent": 7.5}]                     |
        | policy.bundles.enabled                     | false                                                  |
        | policy.probing                             | {"session": 40, "client": 0, "product": 20}            |
        | model.temperature                          | 0.25                                                   |
        | model.max_tokens                           | 200                                                    |
        | model.wording                              | true                                                   |
        | model.strategy                             | false                                                  |
      And the agent reads the same

    Scenario Outline: A draft that cannot be
      Given a shop
      When the merchant sends POST /v1/agents <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      And the active agent is "Negotiator"

      Examples:
        | body                                                                                                | field                                 |
        | {}                                                                                                  | name                                  |
        | {"name": ""}                                                                                        | name                                  |
        | {"name": null}                                                                                      | name                                  |
        | {"name": "a\u0000b"}                                                                                | name                                  |
        | {"name": "Ann", "handlers": {"quote": {"type": "lambda"}}}                                          | handlers.quote.type                   |
        | {"name": "Ann", "handlers": {"search": {"type": "builtin", "program": "mine"}}}                     | handlers.search.program               |
        | {"name": "Ann", "handlers": {"checkout": {"type": "remote"}}}                                       | handlers.checkout.url                 |
        | {"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "http://example.com/q"}}}           | handlers.quote.url                    |
        | {"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://10.0.0.1/q"}}}             | handlers.quote.url                    |
        | {"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://127.0.0.1/q"}}}            | handlers.quote.url                    |
        | {"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://169.254.169.254/latest"}}} | handlers.quote.url                    |
        | {"name": "Ann", "handlers": {"finalize": {"type": "remote", "url": "https://ada:pw@example.com"}}}  | handlers.finalize.url                 |
        | {"name": "Ann", "policy": {"max_discount_percent": 91}}                                             | policy.max_discount_percent           |
        | {"name": "Ann", "policy": {"max_discount_percent": 12.55}}                                          | policy.max_discount_percent           |
        | {"name": "Ann", "policy": {"round_cap": 0}}                                                         | policy.round_cap                      |
        | {"name": "Ann", "policy": {"curve": {"give_percent": []}}}                                          | policy.curve.give_percent             |
        | {"name": "Ann", "policy": {"curve": {"give_percent": [50, 40]}}}                                    | policy.curve.give_percent.1           |
        | {"name": "Ann", "policy": {"curve": {"take_percent": [1, 2, 3, 4, 5, 6, 7, 8, 9]}}}                 | policy.curve.take_percent             |
        | {"name": "Ann", "policy": {"curve": {"take_percent": [10, 20.05]}}}                                 | policy.curve.take_percent.1           |
        | {"name": "Ann", "policy": {"segments": [{"name": ""}]}}                                             | policy.segments.0.name                |
        | {"name": "Ann", "policy": {"segments": [{"name": "a\u0000b"}]}}                                     | policy.segments.0.name                |
        | {"name": "Ann", "policy": {"segments": [{"name": "a", "price_min": 1.999}]}}                        | policy.segments.0.price_min           |
        | {"name": "Ann", "policy": {"segments": [{"name": "a", "price_min": 9, "price_max": 8}]}}            | policy.segments.0.price_max           |
        | {"name": "Ann", "policy": {"leanings": {"volume": [{"from": 5, "lean_percent": 101}]}}}             | policy.leanings.volume.0.lean_percent |
        | {"name": "Ann", "policy": {"bundles": {"share_percent": -1}}}                                       | policy.bundles.share_percent          |
        | {"name": "Ann", "policy": {"discount": 5}}                                                          | policy.discount                       |
        | {"name": "Ann", "model": {"temperature": 2.1}}                                                      | model.temperature                     |
        | {"name": "Ann", "model": {"temperature": 0.0001}}                                                   | model.temperature                     |
        | {"name": "Ann", "model": {"max_tokens": 0}}                                                         | model.max_tokens                      |
        | {"name": "Ann", "tuning": {"holdout_percent": 51}}                                                  | tuning.holdout_percent                |
        | {"name": "Ann", "status": "active"}                                                                 | status                                |

    Scenario: Everything wrong is named at once
      Given a shop
      When the merchant sends POST /v1/agents {"handlers": {"quote": {"type": "remote", "url": "https://10.0.0.1"}}, "policy": {"depth_percent": 101, "round_cap": 21}, "model": {"max_tokens": -1}}
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | name                 |
        | handlers.quote.url   |
        | policy.depth_percent |
        | policy.round_cap     |
        | model.max_tokens     |

    Scenario: The last one, and one more
      Given a shop
      And 19 agents beside the active one
      When the merchant sends POST /v1/agents {"name": "One more"}
      Then it is refused: 409 too_many_agents

  Rule: A change touches only what it names

    Background:
      Given a shop
      And the agent {"name": "Ann", "policy": {"max_discount_percent": 15, "curve": {"reach_percent": 120}}, "model": {"temperature": 1, "wording": true}}

    Scenario Outline: Changes
      When the merchant sends PATCH /v1/agents/$agent <change>
      Then it answers 200
      And the answer shows:
        | id             | "$agent"  |
        | policy_version | <version> |
        | <path>         | <value>   |
      And the agent reads the same

      Examples:
        | change                                                         | version | path                           | value                                    |
        | {}                                                             | 1       | name                           | "Ann"                                    |
        | {"name": "Bob"}                                                | 1       | name                           | "Bob"                                    |
        | {"handlers": {"search": {"type": "remote", "url": "https://example.com"}}} | 1 | handlers.search.url      | "https://example.com"                    |
        | {"handlers": null}                                             | 1       | handlers.search                | {"type": "builtin", "program": "haggle"} |
        | {"model": {"temperature": null}}                               | 1       | model.temperature              | null                                     |
        | {"model": {"temperature": null}}                               | 1       | model.wording                  | true                                     |
        | {"model": null}                                                | 1       | model.wording                  | false                                    |
        | {"model": {"templates": [{"id": "warm", "answer": "counter_offer", "message": "{product}: {price}?"}]}} | 1 | model.templates | [{"id": "warm", "answer": "counter_offer", "message": "{product}: {price}?"}] |
        | {"model": {"templates": null}}                                 | 1       | model.templates                | []                                       |
        | {"policy": {"round_cap": 4}}                                   | 2       | policy.round_cap               | 4                                        |
        | {"policy": {"round_cap": 4}}                                   | 2       | policy.max_discount_percent    | 15                                       |
        | {"policy": {"max_discount_percent": null}}                     | 2       | policy.max_discount_percent    | 90                                       |
        | {"policy": {"curve": {"markup_percent": 115}}}                 | 2       | policy.curve.reach_percent     | 120                                      |
        | {"policy": {"curve": null}}                                    | 2       | policy.curve.reach_percent     | 111                                      |
        | {"policy": null}                                               | 2       | policy.max_discount_percent    | 90                                       |
        | {"policy": {"leanings": {"purchases": null, "cart_times": 3}}} | 2       | policy.leanings.cart_times     | 3                                        |
        | {"tuning": {"automatic": true, "holdout_percent": 10}}         | 1       | tuning.baseline_version        | 1                                        |

    Scenario Outline: Changes that are refused
      When the merchant sends PATCH /v1/agents/$agent <change>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      When the merchant sends GET /v1/agents/$agent
      Then the answer shows:
        | name           | "Ann" |
        | policy_version | 1     |

      Examples:
        | change                                                                        | field               |
        | {"name": null}                                                                | name                |
        | {"handlers": {"quote": {"type": "remote", "url": "https://192.168.0.1/"}}}    | handlers.quote.url  |
        | {"name": "Bob", "policy": {"round_cap": 99}}                                  | policy.round_cap    |
        | {"policy": {"anchor_percent": 1.23}}                                          | policy.anchor_percent |
        | {"model": {"max_tokens": 2000000}}                                            | model.max_tokens    |
        | {"model": {"templates": [{"id": "a", "answer": "quote", "message": "Yes."}]}} | model.templates.0.answer |
        | {"model": {"templates": [{"id": "A b", "answer": "accept", "message": "Yes."}]}} | model.templates.0.id |
        | {"model": {"templates": [{"id": "a", "answer": "accept", "message": "Yes."}, {"id": "a", "answer": "reject", "message": "No."}]}} | model.templates.1.id |
        | {"model": {"templates": [{"id": "a", "answer": "accept"}]}}                   | model.templates.0.message |
        | {"model": {"templates": [{"id": "a", "answer": "accept", "message": "Yours at 95 USD."}]}} | model.templates.0.message |
        | {"model": {"templates": [{"id": "a", "answer": "accept", "reasoning": "{floor}"}]}} | model.templates.0.reasoning |
        | {"model": {"templates": [{"id": "a", "answer": "accept", "reasoning": "{hint}"}]}} | model.templates.0.reasoning |
        | {"id": "agent_mine"}                                                          | id                  |

    Scenario: A new secret
      When the merchant sends POST /v1/agents/$agent/rotate-secret
      Then it answers 200
      And the answer shows:
        | id     | "$agent"                            |
        | secret | matches ^whsec_[A-Za-z0-9+/=]{32,}$ |

  Rule: One agent serves the shop, and it stays until another one does

    Background:
      Given a shop
      And the active agent
      And the agent {"name": "Ann"}

    Scenario: Taking over
      When the merchant sends POST /v1/agents/$agent/activate
      Then it answers 200
      And the answer shows:
        | status | "active" |
      And the active agent is "Ann"
      When the merchant sends DELETE /v1/agents/$active
      Then it answers 204
      When the merchant sends GET /v1/agents/$active
      Then it is refused: 404 agent_not_found

    Scenario: Taking over twice changes nothing
      Given the agent serves the shop
      When the merchant sends POST /v1/agents/$agent/activate
      Then it answers 200
      And the active agent is "Ann"

    Scenario: The active one is not deleted
      When the merchant sends DELETE /v1/agents/$active
      Then it is refused: 409 agent_active
      And the active agent is "Negotiator"

    Scenario: Deleting a draft
      When the merchant sends DELETE /v1/agents/$agent
      Then it answers 204
      When the merchant sends DELETE /v1/agents/$agent
      Then it is refused: 404 agent_not_found
      When the merchant sends GET /v1/agents/$agent/policies
      Then it is refused: 404 agent_not_found

  Rule: A policy has versions, of which one is in force

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And the active agent

    Scenario: Writing one, and putting it in force
      When the merchant sends POST /v1/agents/$active/policies {"policy": {"max_discount_percent": 5}, "note": "Spring"}
      Then it answers 201
      And the answer shows:
        | version                     | 2          |
        | origin                      | "merchant" |
        | note                        | "Spring"   |
        | in_force                    | false      |
        | activated_at                | null       |
        | policy.max_discount_percent | 5          |
      When the merchant sends POST /v1/agents/$active/policies/2/activate
      Then it answers 200
      And the answer shows:
        | policy_version              | 2 |
        | policy.max_discount_percent | 5 |
      When the merchant sends GET /v1/agents/$active/policies
      Then the answer shows:
        | data.*.version      | [2, 1]                  |
        | data.*.in_force     | [true, false]           |
        | data.*.origin       | ["merchant", "builtin"] |
        | data.0.activated_at | matches Z$              |
      When the merchant sends POST /v1/agents/$active/policies/1/activate
      Then the answer shows:
        | policy_version | 1 |
      When the merchant sends GET /v1/agents/$active/policies/2
      Then the answer shows:
        | in_force                    | false |
        | policy.max_discount_percent | 5     |

    Scenario: Buyers feel what is in force
      Given the merchant sends PATCH /v1/agents/$active {"policy": {"max_discount_percent": 5}}
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 80
      Then the merchant rejects the offer, hinting at "96"

    Scenario Outline: Policies that are refused
      When the merchant sends POST /v1/agents/$active/policies <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"
      When the merchant sends GET /v1/agents/$active/policies
      Then the answer shows:
        | meta.total | 1 |

      Examples:
        | body                                          | field                   |
        | {}                                            | policy                  |
        | {"policy": {"round_cap": 21}}                 | policy.round_cap        |
        | {"policy": {}, "note": "a\u0000b"}            | note                    |
        | {"policy": {"probing": {"session": -1}}}      | policy.probing.session  |
        | {"policy": {"min_margin_percent": "10"}}      | policy.min_margin_percent |

    Scenario: Versions that there are not
      When the merchant sends GET /v1/agents/$active/policies/9
      Then it is refused: 404 policy_not_found
      When the merchant sends POST /v1/agents/$active/policies/9/activate
      Then it is refused: 404 policy_not_found

    Scenario: A dry run shows what a policy would change
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 82
      When the merchant sends POST /v1/agents/$active/policies/dry-run {"policy": {"max_discount_percent": 10}}
      Then it answers 200
      And the answer shows:
        | products.#                   | 1            |
        | products.0.name              | "Trail Tent" |
        | products.0.before.floor      | 80           |
        | products.0.before.target     | 92.50        |
        | products.0.after.floor       | 90           |
        | products.0.after.target      | 96.25        |
        | products.0.after.opening     | 100          |
        | products.0.after.hint        | 90           |
        | policy.max_discount_percent  | 10           |
        | record.negotiations          | 1            |
        | record.decisions             | 1            |
        | record.identical             | 0            |
        | record.policy_version        | null         |
      When the merchant sends GET /v1/agents/$active/policies
      Then the answer shows:
        | meta.total | 1 |

    Scenario Outline: Dry runs that are refused
      When the merchant sends POST /v1/agents/$active/policies/dry-run <body>
      Then it is refused: <status> <code>

      Examples:
        | body                                                         | status | code              |
        | {}                                                           | 422    | validation_error  |
        | {"policy": {"depth_percent": -1}}                            | 422    | validation_error  |
        | {"policy": {}, "product_ids": ["prod_unknown"]}              | 404    | product_not_found |
        | {"policy": {}, "product_ids": ["a","a","a","a","a","a","a","a","a","a","a"]} | 404 | product_not_found |

  Rule: A simulation plays a negotiation, and leaves no trace

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
      And the active agent

    Scenario: About a product of the shop
      Given a buyer who looks at the "Trail Tent"
      When the merchant sends POST /v1/agents/$active/simulate {"product_id": "$product", "offers": [null, 75, 79, 82, 99]}
      Then it answers 200
      And the answer shows:
        | policy_version           | 1                                         |
        | bounds.floor             | 80                                        |
        | bounds.target            | 92.50                                     |
        | bounds.hint              | 80                                        |
        | steps.*.answer.response  | ["quote", "reject", "reject", "accept"]   |
        | steps.*.answer.price     | [100, 83.25, 83.25, 82]                   |
        | steps.*.rule             | ["no_offer", "below_floor", "below_floor", "at_ask"] |
        | steps.1.answer.floor_hint | 80                                       |
        | steps.3.progress.moves   | 2                                         |
        | steps.3.progress.counter | 83.25                                     |
        | steps.0.handler          | "builtin:haggle"                          |
        | deal                     | 82                                        |
      When the merchant sends GET /v1/agents/$active/decisions
      Then the answer shows:
        | meta.total | 0 |

    Scenario: About a product that is made up, under a policy that is not written
      When the merchant sends POST /v1/agents/$active/simulate {"list_price": 200, "cost": 170, "stock": 5, "quantity": 2, "buyer_context": {"loyalty_tier": "gold"}, "offers": [150], "policy": {"max_discount_percent": 50, "leanings": {"volume": [], "tiers": {"gold": 0, "bronze": 0, "silver": 0, "platinum": 0}}}}
      Then it answers 200
      And the answer shows:
        | policy_version    | null     |
        | bounds.floor      | 190      |
        | steps.*.rule      | ["below_floor"] |
        | deal              | null     |

    Scenario: Under a version
      Given the merchant sends POST /v1/agents/$active/policies {"policy": {"enabled": false}}
      When the merchant sends POST /v1/agents/$active/simulate {"list_price": 200, "offers": [199], "policy_version": 2}
      Then the answer shows:
        | policy_version | 2               |
        | bounds.floor   | 200             |
        | steps.*.rule   | ["list_only"]   |

    Scenario: A handler elsewhere is asked only if that is wanted
      Given the agent {"name": "Ann", "handlers": {"quote": {"type": "remote", "url": "https://agent.invalid/quote"}}}
      When the merchant sends POST /v1/agents/$agent/simulate {"list_price": 100, "offers": [95]}
      Then the answer shows:
        | steps.0.handler  | "builtin:haggle" |
        | steps.0.fallback | null             |
      When the merchant sends POST /v1/agents/$agent/simulate {"list_price": 100, "offers": [95], "remote": true}
      Then the answer shows:
        | steps.0.handler  | "builtin:haggle"    |
        | steps.0.fallback | "agent_unreachable" |
        | deal             | 95                  |

    Scenario Outline: Simulations that are refused
      When the merchant sends POST /v1/agents/$active/simulate <body>
      Then it is refused: <status> <code>

      Examples:
        | body                                                                  | status | code              |
        | {"offers": [1]}                                                       | 422    | validation_error  |
        | {"list_price": 100}                                                   | 422    | validation_error  |
        | {"list_price": 100, "offers": []}                                     | 422    | validation_error  |
        | {"list_price": 100, "offers": [0]}                                    | 422    | validation_error  |
        | {"list_price": 100, "offers": [1.999]}                                | 422    | validation_error  |
        | {"list_price": 0, "offers": [1]}                                      | 422    | validation_error  |
        | {"list_price": 100, "offers": [1], "quantity": 0}                     | 422    | validation_error  |
        | {"list_price": 100, "offers": [1], "policy": {}, "policy_version": 1} | 422    | validation_error  |
        | {"list_price": 100, "offers": [1], "policy_version": 9}               | 404    | policy_not_found  |
        | {"list_price": 100, "offers": [1], "policy": {"round_cap": 0}}        | 422    | validation_error  |
        | {"product_id": "prod_unknown", "offers": [1]}                         | 404    | product_not_found |
        | {"product_id": "$product", "list_price": 5, "offers": [1]}            | 422    | validation_error  |

    Scenario: What is wrong has names
      When the merchant sends POST /v1/agents/$active/simulate {"cost": -1, "stock": -1, "quantity": 1001, "offers": [50, 0, -3]}
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | list_price |
        | cost       |
        | stock      |
        | quantity   |
        | offers.1   |
        | offers.2   |

  Rule: What was decided is on record, sealed, and can be decided again

    Background:
      Given a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 20    |
        | Camp Stove | 60.00  | 20    |
      And the active agent
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 75
      And the buyer offers 79
      And the buyer offers 82

    Scenario: The record
      When the merchant sends GET /v1/agents/$active/decisions
      Then the answer shows:
        | meta.total                 | 3                                                  |
        | data.*.answer.response     | ["accept", "reject", "reject"]                     |
        | data.*.answer.price        | [82, 83.25, 83.25]                                 |
        | data.*.offer               | [82, 79, 75]                                       |
        | data.*.rule                | ["at_ask", "below_floor", "below_floor"]           |
        | data.0.policy_version      | 1                                                  |
        | data.0.handler             | "builtin:haggle"                                   |
        | data.0.fallback            | null                                               |
        | data.0.bounds.floor        | 80                                                 |
        | data.0.progress.moves      | 2                                                  |
        | data.0.progress.best_offer | 79                                                 |
        | data.2.progress.counter    | null                                               |
        | data.0.inputs.list_price   | 100                                                |
        | data.0.inputs.stock        | 20                                                 |
        | data.0.session_id          | "$session"                                         |
        | data.0.negotiation_id      | matches ^neg_                                      |

    Scenario Outline: A part of the record
      When the merchant sends GET /v1/agents/$active/decisions?<query>
      Then the answer shows:
        | meta.total | <n> |

      Examples:
        | query                            | n |
        | response=reject                  | 2 |
        | rule=at_ask                      | 1 |
        | rule=concession                  | 0 |
        | session_id=$session              | 3 |
        | quote_id=$quote&response=accept  | 1 |
        | order_id=ord_unknown             | 0 |
        | product_id=$product              | 3 |
        | session_id=sess_unknown          | 0 |
        | product_id=prod_unknown          | 0 |
        | from=2020-01-01T00:00:00Z        | 3 |
        | to=2020-01-01T00:00:00Z          | 0 |
        | from=2020-01-01                  | 3 |
        | to=2020-01-01                    | 0 |

    Scenario Outline: Parts that are none
      When the merchant sends GET /v1/agents/$active/decisions?<query>
      Then it is refused: <status> <code>

      Examples:
        | query                                                | status | code             |
        | response=maybe                                       | 400    | invalid_request  |
        | rule=whim                                            | 400    | invalid_request  |
        | limit=101                                            | 400    | invalid_request  |
        | from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z    | 422    | validation_error |

    Scenario: The chain
      Given all decisions are sealed
      When the merchant sends GET /v1/agents/$active/decisions/verify
      Then the answer shows:
        | verified      | true                    |
        | decisions     | 3                       |
        | checkpoint    | null                    |
        | head.position | 3                       |
        | head.hash     | matches ^[0-9a-f]{64}$  |
        | broken_at     | null                    |
        | next          | null                    |
      When the merchant sends GET /v1/agents/$active/decisions/verify?from=3
      Then the answer shows:
        | verified  | true |
        | decisions | 1    |
      When the merchant sends GET /v1/agents/$active/decisions/verify?from=9
      Then the answer shows:
        | verified  | true |
        | decisions | 0    |
      When the merchant sends GET /v1/agents/$active/decisions
      Then the answer shows:
        | data.*.chain.position | [3, 2, 1]              |
        | data.0.chain.hash     | matches ^[0-9a-f]{64}$ |
        | data.2.chain.prior    | null                   |

    Scenario: Replay under the policy that decided
      When the merchant sends POST /v1/agents/$active/replay {}
      Then it answers 200
      And the answer shows:
        | policy_version                  | 1     |
        | negotiations                    | 1     |
        | decisions                       | 3     |
        | identical                       | 3     |
        | changed                         | 0     |
        | deals.before                    | 1     |
        | deals.bought                    | 0     |
        | deals.after_certain             | 1     |
        | deals.after_possible            | 1     |
        | before.revenue                  | 82    |
        | after.revenue                   | 82    |
        | before.average_discount_percent | 18    |
        | examples                        | []    |

    Scenario: Replay under another policy
      Given the merchant sends POST /v1/agents/$active/policies {"policy": {"max_discount_percent": 10}}
      When the merchant sends POST /v1/agents/$active/replay {"policy_version": 2}
      Then the answer shows:
        | policy_version           | 2          |
        | identical                | 0          |
        | changed                  | 3          |
        | deals.before             | 1          |
        | deals.after_certain      | 0          |
        | deals.after_possible     | 1          |
        | before.revenue           | 82         |
        | after.revenue            | 0          |
        | examples.#               | 1          |
        | examples.0.before        | {"response": "reject", "price": 83.25} |
        | examples.0.after         | {"response": "reject", "price": 96.90} |
        | examples.0.offer         | 75         |

    Scenario: Replay under a policy of a draft's
      Given the agent {"name": "Ann", "policy": {"max_discount_percent": 10}}
      When the merchant sends POST /v1/agents/$agent/replay {}
      Then the answer shows:
        | policy_version | 1 |
        | negotiations   | 1 |
        | identical      | 0 |

    Scenario Outline: Which negotiations
      When the merchant sends POST /v1/agents/$active/replay <body>
      Then the answer shows:
        | negotiations | <n> |

      Examples:
        | body                                              | n |
        | {"from": "2020-01-01T00:00:00Z", "limit": 10000}  | 1 |
        | {"to": "2020-01-01T00:00:00Z"}                    | 0 |
        | {"from": "2020-01-01"}                            | 1 |
        | {"to": "2020-01-01"}                              | 0 |

    Scenario: Replay of negotiations by their ids
      Given the merchant sends GET /v1/negotiations
      And the answer's "data.0.id" is called "negotiation"
      When the merchant sends POST /v1/agents/$active/replay {"negotiation_ids": ["$negotiation", "neg_00000000000000000000000000"]}
      Then the answer shows:
        | negotiations | 1 |
      When the merchant sends POST /v1/agents/$active/replay {"negotiation_ids": ["neg_00000000000000000000000000"]}
      Then the answer shows:
        | negotiations | 0 |
      When the merchant sends POST /v1/agents/$active/replay {"negotiation_ids": ["$negotiation", "$session"]}
      Then it is refused: 422 validation_error
      And the answer shows:
        | error.details.0.field | "negotiation_ids.1" |

    Scenario: What possible deals would be worth
      When the merchant sends POST /v1/agents/$active/replay {"policy": {"max_discount_percent": 10}}
      Then the answer shows:
        | after.revenue                           | 0     |
        | after_possible.revenue                  | 92.10 |
        | after_possible.average_discount_percent | 7.9   |

    Scenario Outline: Replays that are refused
      When the merchant sends POST /v1/agents/$active/replay <body>
      Then it is refused: <status> <code>

      Examples:
        | body                                                                  | status | code             |
        | {"limit": 0}                                                          | 422    | validation_error |
        | {"limit": 10001}                                                      | 422    | validation_error |
        | {"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}        | 422    | validation_error |
        | {"policy_version": 7}                                                 | 404    | policy_not_found |
        | {"policy": {"depth_percent": 300}}                                    | 422    | validation_error |
        | {"policy": {}, "policy_version": 1}                                   | 422    | validation_error |

    Scenario: Policies to start from
      When the merchant sends GET /v1/agents/policy-presets
      Then the answer shows:
        | data.*.name                 | ["keep_margin", "balanced", "clear_stock"] |
        | data.*.policy.depth_percent | [60, 100, 100]                             |
      When the merchant sends GET /v1/agents/$active
      Then the answer shows:
        | policy.curve.give_percent | [31, 67, 79, 87, 94, 100] |

  Rule: An agent is the shop's own

    Scenario Outline: In another shop it is unknown
      Given a shop
      And the active agent
      And another shop
      When in the other shop the merchant sends <request>
      Then it is refused: 404 agent_not_found

      Examples:
        | request                                                          |
        | GET /v1/agents/$active                                           |
        | PATCH /v1/agents/$active {"name": "Taken over"}                  |
        | DELETE /v1/agents/$active                                        |
        | POST /v1/agents/$active/activate                                 |
        | POST /v1/agents/$active/rotate-secret                            |
        | GET /v1/agents/$active/policies                                  |
        | POST /v1/agents/$active/policies {"policy": {}}                  |
        | GET /v1/agents/$active/policies/1                                |
        | POST /v1/agents/$active/policies/1/activate                      |
        | POST /v1/agents/$active/policies/dry-run {"policy": {}}          |
        | GET /v1/agents/$active/decisions                                 |
        | GET /v1/agents/$active/decisions/verify                          |
        | POST /v1/agents/$active/simulate {"list_price": 9, "offers": [1]} |
        | POST /v1/agents/$active/replay {}                                |
        | GET /v1/agents/agent_unknown                                     |

    Scenario Outline: A key that may only read
      Given a shop
      And the active agent
      And a key "Clerk" with {"scopes": ["agents:read", "projects:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | request                                         |
        | POST /v1/agents {"name": "Ann"}                 |
        | PATCH /v1/agents/$active {"name": "Taken over"} |
        | DELETE /v1/agents/$active                       |
        | POST /v1/agents/$active/activate                |
        | POST /v1/agents/$active/rotate-secret           |
        | POST /v1/agents/$active/policies {"policy": {}} |
        | POST /v1/agents/$active/policies/1/activate     |

    Scenario Outline: A key that may not even read
      Given a shop
      And the active agent
      And a key "Clerk" with {"scopes": ["catalog:write", "analytics:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | request                                                           |
        | GET /v1/agents                                                    |
        | GET /v1/agents/$active/decisions                                  |
        | POST /v1/agents/$active/simulate {"list_price": 9, "offers": [1]} |
        | POST /v1/agents/$active/replay {}                                 |
        | POST /v1/agents/$active/policies/dry-run {"policy": {}}           |

  Rule: What is sent again takes effect once, and what changed is written down

    Scenario Outline: Under a key
      Given a shop
      And the active agent
      And the agent {"name": "Ann"}
      When under the key "a" the merchant sends <request>
      Then it answers <status>
      When under the key "a" the merchant sends <request>
      Then it is the answer from before, and says so

      Examples:
        | request                                                          | status |
        | POST /v1/agents {"name": "Bob"}                                  | 201    |
        | PATCH /v1/agents/$agent {"policy": {"round_cap": 3}}             | 200    |
        | POST /v1/agents/$agent/activate                                  | 200    |
        | POST /v1/agents/$agent/rotate-secret                             | 200    |
        | POST /v1/agents/$agent/policies {"policy": {"round_cap": 3}}     | 201    |
        | DELETE /v1/agents/$agent                                         | 204    |
        | POST /v1/agents/$agent/simulate {"list_price": 9, "offers": [1]} | 200    |
        | POST /v1/agents/$agent/replay {}                                 | 200    |

    Scenario: The audit log
      Given a merchant with an account of its own
      And a shop
      And the agent {"name": "Ann"}
      And the merchant sends PATCH /v1/agents/$agent {"policy": {"round_cap": 3}}
      And the merchant sends POST /v1/agents/$agent/simulate {"list_price": 9, "offers": [1]}
      And the merchant sends POST /v1/agents/$agent/activate
      When the merchant sends GET /v1/audit-events
      Then the answer shows:
        | data.0.action                  | "activate-agent" |
        | data.0.target                  | "$agent"         |
        | data.0.after.status            | "active"         |
        | data.1.action                  | "update-agent"   |
        | data.1.before.policy.round_cap | 6                |
        | data.1.after.policy.round_cap  | 3                |
        | data.1.after.policy_version    | 2                |
        | data.2.action                  | "create-agent"   |
        | data.2.after.name              | "Ann"            |
        | data.2.after.secret            | absent           |
