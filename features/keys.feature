Feature: API keys
  Programs work for a merchant by API keys. A key says what its holder may do, in which shops, and until when;
  its secret is shown once.

  Background:
    Given a merchant with an account of its own

  Rule: A key is shown once, and then known by its beginning

    Scenario: Creating a key
      When the merchant creates a key with:
        """
        {"name": "Warehouse", "scopes": ["catalog:write", "projects:read"]}
        """
      Then it answers 201
      And the answer shows:
        | id          | matches ^key_                      |
        | name        | "Warehouse"                        |
        | key         | matches ^hk_test_[0-9A-Za-z]{32,}$ |
        | prefix      | matches ^hk_test_                  |
        | scopes      | ["catalog:write", "projects:read"] |
        | project_ids | []                                 |
        | created_at  | matches Z$                         |
        | expires_at  | null                               |
      And the key begins with its prefix
      And the key works

    Scenario: Looking at a key
      Given a key "Warehouse" with {"scopes": ["catalog:write"]}
      When the merchant sends GET /v1/api-keys/$key_Warehouse
      Then the answer shows:
        | id           | "$key_Warehouse"  |
        | name         | "Warehouse"       |
        | key          | absent            |
        | prefix       | matches ^hk_test_ |
        | status       | "active"          |
        | scopes       | ["catalog:write"] |
        | project_ids  | []                |
        | expires_at   | null              |
        | last_used_at | null              |
      And the key "Warehouse" was shown once

    Scenario: Listing keys
      Given a key "Warehouse" with {"scopes": ["catalog:write"]}
      When the merchant sends GET /v1/api-keys
      Then the answer shows:
        | data.*.name | ["Warehouse", "Owner"] |
        | data.0.key  | absent                 |
        | meta.total  | 2                      |
        | meta.limit  | 20                     |
        | meta.offset | 0                      |
      And the key "Warehouse" was shown once

    Scenario: A page of the list
      Given a key "One" with {"scopes": ["catalog:read"]}
      And a key "Two" with {"scopes": ["catalog:read"]}
      When the merchant sends GET /v1/api-keys?limit=1&offset=1
      Then the answer shows:
        | data.*.name | ["One"] |
        | meta.total  | 3       |
        | meta.limit  | 1       |
        | meta.offset | 1       |

    Scenario Outline: A page that is none
      When the merchant sends GET /v1/api-keys?<page>
      Then it is refused: 400 invalid_request
      And the refusal names "<parameter>"

      Examples:
        | page      | parameter |
        | limit=0   | limit     |
        | limit=101 | limit     |
        | offset=-1 | offset    |

    Scenario Outline: Keys that are none
      When the merchant sends <request>
      Then it is refused: 404 api_key_not_found

      Examples:
        | request                                          |
        | GET /v1/api-keys/key_unknown                     |
        | GET /v1/api-keys/key_00000000000000000000000000  |
        | GET /v1/api-keys/proj_00000000000000000000000000 |
        | DELETE /v1/api-keys/key_unknown                  |
        | DELETE /v1/api-keys/%20                          |

    Scenario: Another merchant's key
      Given a key "Mine" with {"scopes": ["*"]}
      And a merchant with an account of its own
      When the merchant sends GET /v1/api-keys/$key_Mine
      Then it is refused: 404 api_key_not_found
      When the merchant sends DELETE /v1/api-keys/$key_Mine
      Then it is refused: 404 api_key_not_found
      And the key "Mine" works

  Rule: A key needs a name, and scopes that there are

    Scenario Outline: A key at the edge
      When the merchant creates a key whose <field> is <value>
      Then it answers 201

      Examples:
        | field       | value                                                      |
        | name        | 1 character long                                           |
        | name        | 200 characters long                                        |
        | scopes      | ["*"]                                                      |
        | scopes      | ["projects:read", "agents:write", "integrations:read"]     |
        | scopes      | ["finance:write", "analytics:read", "events:read", "keys:read"] |
        | project_ids | []                                                         |
        | expires_at  | null                                                       |
        | expires_at  | "2999-12-31T23:59:59+01:00"                                |

    Scenario Outline: A key that cannot be created
      When the merchant creates a key whose <field> is <value>
      Then it is refused: 422 validation_error
      And the refusal names "<named>"

      Examples:
        | field       | value                                    | named         |
        | name        | missing                                  | name          |
        | name        | ""                                       | name          |
        | name        | null                                     | name          |
        | name        | 7                                        | name          |
        | name        | 201 characters long                      | name          |
        | scopes      | missing                                  | scopes        |
        | scopes      | []                                       | scopes        |
        | scopes      | "catalog:read"                           | scopes        |
        | scopes      | ["catalog:read", "dogs:read"]            | scopes.1      |
        | scopes      | ["catalog"]                              | scopes.0      |
        | scopes      | ["catalog:delete"]                       | scopes.0      |
        | scopes      | ["*:read"]                               | scopes.0      |
        | scopes      | ["CATALOG:read"]                         | scopes.0      |
        | scopes      | ["catalog:read", "catalog:read"]         | scopes.1      |
        | project_ids | ["proj_unknown"]                         | project_ids.0 |
        | project_ids | ["proj_00000000000000000000000000"]      | project_ids.0 |
        | expires_at  | "2000-01-01T00:00:00Z"                   | expires_at    |
        | expires_at  | "tomorrow"                               | expires_at    |
        | expires_at  | 7                                        | expires_at    |
        | colour      | "red"                                    | colour        |

    Scenario: Everything wrong is named at once
      When the merchant creates a key with:
        """
        {"name": "", "scopes": ["catalog:read", "dogs:read", "cats"], "project_ids": ["x"], "expires_at": "2000-01-01T00:00:00Z"}
        """
      Then it is refused: 422 validation_error
      And the refusal names exactly:
        | name          |
        | scopes.1      |
        | scopes.2      |
        | project_ids.0 |
        | expires_at    |

    Scenario: Another merchant's shop
      Given a shop
      And a merchant with an account of its own
      When the merchant creates a key whose project_ids is ["$shop"]
      Then it is refused: 422 validation_error
      And the refusal names "project_ids.0"

    Scenario: One key too many
      Given the account may have one key more
      When the merchant creates 4 keys at once
      Then 1 of them succeeds and 3 are refused: 409 too_many_keys
      Given the merchant revokes the key "Many"
      When the merchant creates a key whose name is "One More"
      Then it answers 201

  Rule: A key opens what its scopes and its shops say

    Scenario: A key for one shop need not name it
      Given a shop
      And another shop
      And a key "Clerk" with {"scopes": ["catalog:write", "projects:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends POST /v1/catalog/products {"name": "Tent", "sku": "T-1", "price": 10}
      Then it answers 201
      And the shop has 1 product
      When the holder of "Clerk" sends GET /v1/projects/$shop
      Then it answers 200
      When the holder of "Clerk" sends GET /v1/projects/$other
      Then it is refused: 404 project_not_found

    Scenario: A key for one shop sees that shop only
      Given a shop named "Seen"
      And another shop
      And a key "Clerk" with {"scopes": ["projects:read"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET /v1/projects
      Then the answer shows:
        | data.*.name | ["Seen"] |
        | meta.total  | 1        |

    Scenario: A key for several shops has to name one
      Given a shop
      And another shop
      And a key "Clerk" with {"scopes": ["catalog:read"], "project_ids": ["$shop", "$other"]}
      When the holder of "Clerk" sends GET /v1/catalog/products
      Then it is refused: 400 project_required

    Scenario: A key for all shops has to name one
      Given a shop
      And a key "Clerk" with {"scopes": ["catalog:read"]}
      When the holder of "Clerk" sends GET /v1/catalog/products
      Then it is refused: 400 project_required

    Scenario Outline: Keys are for those who may see keys
      Given a key "Clerk" with {"scopes": ["<scope>"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | scope         | request                                                         |
        | catalog:write | GET /v1/api-keys                                                |
        | catalog:write | GET /v1/api-keys/$key_Clerk                                     |
        | keys:read     | POST /v1/api-keys {"name": "More", "scopes": ["keys:read"]}     |
        | keys:read     | DELETE /v1/api-keys/$key_Clerk                                  |
        | keys:read     | PATCH /v1/account {"name": "Mine"}                              |
        | keys:read     | GET /v1/account                                                 |
        | catalog:write | GET /v1/audit-events                                            |
        | keys:read     | POST /v1/account/mfa                                            |
        | keys:read     | DELETE /v1/account/mfa                                          |

  Rule: A key gives no more than it has

    Scenario Outline: More scopes
      Given a key "Clerk" with {"scopes": ["keys:write", "catalog:read"]}
      When the holder of "Clerk" creates a key with {"scopes": <scopes>}
      Then it is refused: 422 validation_error
      And the refusal names "<named>"

      Examples:
        | scopes                          | named    |
        | ["*"]                           | scopes.0 |
        | ["catalog:write"]               | scopes.0 |
        | ["catalog:read", "events:read"] | scopes.1 |

    Scenario: As much as it has
      Given a key "Clerk" with {"scopes": ["keys:write", "catalog:read"]}
      When the holder of "Clerk" creates a key with {"scopes": ["catalog:read", "keys:read", "keys:write"]}
      Then it answers 201
      And the key works

    Scenario Outline: More shops
      Given a shop
      And another shop
      And a key "Clerk" with {"scopes": ["keys:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" creates a key with {"scopes": ["keys:read"]<projects>}
      Then it is refused: 422 validation_error
      And the refusal names "<named>"

      Examples:
        | projects                              | named         |
        |                                       | project_ids   |
        | , "project_ids": []                   | project_ids   |
        | , "project_ids": ["$other"]           | project_ids.0 |
        | , "project_ids": ["$shop", "$other"]  | project_ids.1 |

    Scenario Outline: A longer life
      Given a key "Clerk" with {"scopes": ["keys:write"], "expires_at": "2100-01-01T00:00:00Z"}
      When the holder of "Clerk" creates a key with {"scopes": ["keys:read"]<end>}
      Then it is refused: 422 validation_error
      And the refusal names "expires_at"

      Examples:
        | end                                    |
        |                                        |
        | , "expires_at": null                   |
        | , "expires_at": "2100-01-01T00:00:01Z" |

    Scenario: A key for one shop oversees the keys of that shop only
      Given a shop
      And a key "Everywhere" with {"scopes": ["*"]}
      And a key "Clerk" with {"scopes": ["keys:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends GET /v1/api-keys
      Then the answer shows:
        | data.*.name | ["Clerk"] |
        | meta.total  | 1         |
      When the holder of "Clerk" sends GET /v1/api-keys/$key_Everywhere
      Then it is refused: 404 api_key_not_found
      When the holder of "Clerk" sends DELETE /v1/api-keys/$key_Everywhere
      Then it is refused: 404 api_key_not_found
      And the key "Everywhere" works

    Scenario Outline: A key for one shop does not speak for the account
      Given a shop
      And a key "Clerk" with {"scopes": ["keys:write", "projects:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | request                                                    |
        | PATCH /v1/account {"name": "Mine"}                         |
        | POST /v1/account/mfa                                       |

    Scenario: A key for one shop opens no others
      Given a shop
      And a key "Clerk" with {"scopes": ["projects:write"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends POST /v1/projects {"name": "Another", "slug": "$new_slug"}
      Then it is refused: 403 insufficient_scope

  Rule: A key ends when it is revoked, or when it says

    Scenario: Revoking a key
      Given a key "Lost" with {"scopes": ["projects:read"]}
      And the key "Lost" works
      When the merchant revokes the key "Lost"
      Then it answers 204
      And within 1 second the key "Lost" opens nothing
      When the merchant sends GET /v1/api-keys/$key_Lost
      Then it is refused: 404 api_key_not_found
      When the merchant revokes the key "Lost"
      Then it is refused: 404 api_key_not_found
      When the merchant sends GET /v1/api-keys
      Then the answer shows:
        | data.*.name | ["Owner"] |

    Scenario: A key may revoke itself
      Given a key "Clerk" with {"scopes": ["keys:write"]}
      When the holder of "Clerk" sends DELETE /v1/api-keys/$key_Clerk
      Then it answers 204
      And within 1 second the key "Clerk" opens nothing

    Scenario: A key with an end
      Given a key "Brief" that ends in 5 seconds
      And the key "Brief" works
      Then within 10 seconds the key "Brief" opens nothing
      When the merchant sends GET /v1/api-keys/$key_Brief
      Then the answer shows:
        | status | "expired" |

    Scenario: A closed shop's key opens nothing there
      Given a shop
      And a key "Clerk" with {"scopes": ["catalog:read", "projects:read"], "project_ids": ["$shop"]}
      When the merchant closes the shop, confirming "$shop"
      Then it answers 204
      When the holder of "Clerk" sends GET /v1/projects/$shop
      Then it is refused: 404 project_not_found
      When the holder of "Clerk" sends GET /v1/catalog/products
      Then it is refused: 404 project_not_found
