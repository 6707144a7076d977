Feature: Members
  People work for an account as its members. Each is invited to a role, in all shops or in some, joins by a link with a
  password of their own, and signs in.

  Background:
    Given a merchant with an account of its own

  Rule: Who is invited joins by a link, once

    Scenario: Inviting somebody
      When the merchant invites "Ada" with {"role": "support"}
      Then it answers 201
      And the answer shows:
        | id          | matches ^link_                                    |
        | email       | matches ^ada@                                     |
        | role        | "support"                                         |
        | project_ids | []                                                |
        | invited_by  | matches ^key_                                     |
        | link        | matches ^http://.*/console/join/[0-9a-z]{32}$     |
        | mailed      | false                                             |
      And the link of "Ada" was shown once
      When the merchant sends GET /v1/members/invitations
      Then the answer shows:
        | data.0.id  | "$invitation_Ada" |
        | meta.total | 1                 |

    Scenario: Joining
      Given the merchant invites "Ada" with {"role": "support"}
      When "Ada" joins by the link
      Then the session of "Ada" works
      When the merchant sends GET /v1/members
      Then the answer shows:
        | data.0.id    | "$member_Ada" |
        | data.0.name  | "Ada"         |
        | data.0.role  | "support"     |
        | meta.total   | 1             |
      When the merchant sends GET /v1/members/invitations
      Then the answer shows:
        | meta.total | 0 |

    Scenario: A link works once
      Given the merchant invites "Ada" with {"role": "support"}
      When 4 people join by the link of "Ada" at once
      Then 1 of them joins

    Scenario: A revoked link
      Given the merchant invites "Ada" with {"role": "support"}
      When the merchant sends DELETE /v1/members/invitations/$invitation_Ada
      Then it answers 204
      When "Ada" joins by the link
      Then coming in is refused: link_not_found
      When the merchant sends DELETE /v1/members/invitations/$invitation_Ada
      Then it is refused: 404 invitation_not_found

    Scenario: A second invitation takes the place of the first
      Given the merchant invites "Ada" with {"role": "support"}
      And the merchant invites "Ada" with {"role": "analyst"}
      When the merchant sends GET /v1/members/invitations
      Then the answer shows:
        | data.0.role | "analyst" |
        | meta.total  | 1         |

    Scenario Outline: A password that is soon guessed
      Given the merchant invites "Ada" with {"role": "support"}
      When somebody joins by the link of "Ada" as "Ada Lovelace" with the password "<password>"
      Then coming in is refused: validation_error, naming "password"
      When "Ada" joins by the link
      Then the session of "Ada" works

      Examples:
        | password         |
        | elevenchars      |
        | aaaaaaaaaaaaaaaa |
        | Ada Lovelace 1   |

    Scenario Outline: An invitation that cannot be made
      When the merchant sends POST /v1/members/invitations <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                                                                                | field         |
        | {"role": "support"}                                                                                 | email         |
        | {"email": "ada", "role": "support"}                                                                 | email         |
        | {"email": "a@example.com, b@example.com", "role": "support"}                                        | email         |
        | {"email": "ada@example.com"}                                                                        | role          |
        | {"email": "ada@example.com", "role": "admin"}                                                       | role          |
        | {"email": "ada@example.com", "role": "support", "project_ids": ["proj_00000000000000000000000000"]} | project_ids.0 |
        | {"email": "ada@example.com", "role": "owner", "project_ids": ["proj_00000000000000000000000000"]}   | project_ids   |
        | {"email": "ada@example.com", "role": "support", "password": "x"}                                    | password      |

    Scenario: Somebody who is a member
      Given "Ada" is a member with {"role": "owner"}
      When the merchant invites "Ada" with {"role": "support"}
      Then it is refused: 409 email_taken

    Scenario: One invitation too many
      Given the account has 200 invitations
      When the merchant invites "Ada" with {"role": "support"}
      Then it is refused: 409 too_many_members

  Rule: A member may do what the role says, in the shops that it is for

    Scenario Outline: Roles
      Given a shop
      And "Ada" is a member with {"role": "<role>"}
      When the holder of "Ada" sends <request>
      Then it answers <status>

      Examples:
        | role    | request                                                            | status |
        | owner   | POST /v1/api-keys {"name": "Mine", "scopes": ["*"]}                | 201    |
        | manager | GET /v1/api-keys                                                   | 200    |
        | manager | PATCH /v1/projects/$shop {"name": "Renamed"}                       | 200    |
        | support | GET /v1/projects/$shop                                             | 200    |
        | analyst | GET /v1/projects/$shop/settings                                    | 200    |

    Scenario Outline: What a role does not allow
      Given a shop
      And "Ada" is a member with {"role": "<role>"}
      When the holder of "Ada" sends <request>
      Then it is refused: 403 insufficient_scope

      Examples:
        | role    | request                                                                       |
        | manager | POST /v1/api-keys {"name": "Mine", "scopes": ["catalog:read"]}                |
        | manager | POST /v1/members/invitations {"email": "eve@example.com", "role": "analyst"}  |
        | manager | PATCH /v1/members/$member_Ada {"role": "owner"}                               |
        | support | PATCH /v1/projects/$shop {"name": "Renamed"}                                  |
        | support | GET /v1/members                                                               |
        | analyst | PATCH /v1/projects/$shop {"name": "Renamed"}                                  |
        | analyst | GET /v1/audit-events                                                          |

    Scenario: A member of one shop
      Given a shop named "Seen"
      And another shop
      And "Ada" is a member with {"role": "analyst", "project_ids": ["$shop"]}
      When the holder of "Ada" sends GET /v1/projects
      Then the answer shows:
        | data.*.name | ["Seen"] |
      When the holder of "Ada" sends GET /v1/projects/$other
      Then it is refused: 404 project_not_found

    Scenario: Another role counts at once
      Given a shop
      And "Ada" is a member with {"role": "analyst"}
      When the merchant sends PATCH /v1/members/$member_Ada {"role": "manager", "name": "Ada L."}
      Then the answer shows:
        | role | "manager" |
        | name | "Ada L."  |
      When the holder of "Ada" sends PATCH /v1/projects/$shop {"name": "Renamed"}
      Then it answers 200

    Scenario Outline: A change that makes no member
      Given "Ada" is a member with {"role": "support"}
      When the merchant sends PATCH /v1/members/$member_Ada <body>
      Then it is refused: 422 validation_error
      And the refusal names "<field>"

      Examples:
        | body                                                 | field         |
        | {"name": ""}                                         | name          |
        | {"role": "admin"}                                    | role          |
        | {"role": null}                                       | role          |
        | {"project_ids": ["proj_00000000000000000000000000"]} | project_ids.0 |
        | {"email": "eve@example.com"}                         | email         |

    Scenario: Nobody gives more than they have
      Given a key "Clerk" with {"scopes": ["keys:write", "projects:read", "catalog:read", "finance:write"]}
      And "Ada" is a member with {"role": "owner"}
      When the holder of "Clerk" sends POST /v1/members/invitations {"email": "eve@example.com", "role": "owner"}
      Then it is refused: 422 validation_error
      And the refusal names "role"
      When the holder of "Clerk" sends PATCH /v1/members/$member_Ada {"name": "Eve"}
      Then it is refused: 403 insufficient_scope
      When the holder of "Clerk" sends DELETE /v1/members/$member_Ada
      Then it is refused: 403 insufficient_scope
      When the holder of "Clerk" sends POST /v1/members/$member_Ada/password-link
      Then it is refused: 403 insufficient_scope

    Scenario Outline: Members that are none
      When the merchant sends <request>
      Then it is refused: 404 <code>

      Examples:
        | request                                                      | code                      |
        | GET /v1/members/mem_unknown                                  | member_not_found          |
        | PATCH /v1/members/mem_00000000000000000000000000 {}          | member_not_found          |
        | DELETE /v1/members/mem_00000000000000000000000000            | member_not_found          |
        | POST /v1/members/mem_00000000000000000000000000/password-link | member_not_found         |
        | POST /v1/members/mem_00000000000000000000000000/reset-mfa    | member_not_found          |
        | DELETE /v1/members/invitations/link_unknown                  | invitation_not_found      |
        | DELETE /v1/console-sessions/csess_unknown                    | console_session_not_found |
        | DELETE /v1/console-sessions?member_id=mem_unknown            | member_not_found          |

    Scenario: Another merchant's member
      Given "Ada" is a member with {"role": "owner"}
      And a merchant with an account of its own
      When the merchant sends GET /v1/members/$member_Ada
      Then it is refused: 404 member_not_found
      When the merchant sends DELETE /v1/members/$member_Ada
      Then it is refused: 404 member_not_found
      When the merchant sends DELETE /v1/console-sessions/$session_Ada
      Then it is refused: 404 console_session_not_found
      And the session of "Ada" works

  Rule: An owner stays

    Scenario: The last owner
      Given "Ada" is a member with {"role": "owner"}
      When the holder of "Ada" sends DELETE /v1/members/$member_Ada
      Then it is refused: 409 last_owner
      When the holder of "Ada" sends PATCH /v1/members/$member_Ada {"role": "manager"}
      Then it is refused: 422 validation_error
      And the refusal names "role"

    Scenario: One of two owners
      Given "Ada" is a member with {"role": "owner"}
      And "Grace" is a member with {"role": "owner"}
      When the holder of "Ada" sends DELETE /v1/members/$member_Ada
      Then it answers 204
      And the session of "Ada" is good for nothing

  Rule: A removed member is nobody at once

    Scenario: Removing a member
      Given "Ada" is a member with {"role": "support"}
      When the merchant sends DELETE /v1/members/$member_Ada
      Then it answers 204
      And the session of "Ada" is good for nothing
      When "Ada" signs in
      Then coming in is refused: sign_in_refused
      When the merchant sends GET /v1/members/$member_Ada
      Then it is refused: 404 member_not_found

    Scenario: The log names who did what, also when they are gone
      Given a shop
      And "Ada" is a member with {"role": "manager"}
      And the holder of "Ada" sends PATCH /v1/projects/$shop {"name": "Renamed"}
      And the merchant sends DELETE /v1/members/$member_Ada
      When the merchant sends GET /v1/audit-events?member_id=$member_Ada
      Then the answer shows:
        | meta.total         | 2                                  |
        | data.*.action      | ["update-project", "join-account"] |
        | data.0.key_id      | ""                                 |
        | data.0.member.id   | "$member_Ada"                      |
        | data.0.member.name | "Ada"                              |

    Scenario: The log names who signed in, and how
      Given "Ada" is a member with {"role": "support"}
      And "Ada" signed in
      When somebody signs in as "Ada" with the password "wrong horse battery"
      And the merchant sends GET /v1/audit-events?member_id=$member_Ada
      Then the answer shows:
        | data.*.action     | ["sign-in", "join-account"] |
        | data.*.after.by   | ["password", "invitation"]  |
        | data.0.target     | "$member_Ada"               |
        | data.0.project_id | null                        |

  Rule: Signing in tells nobody who is a member

    Scenario: Signing in
      Given "Ada" is a member with {"role": "support"}
      When "Ada" signs in
      Then the session of "Ada" works

    Scenario Outline: What does not sign in
      Given "Ada" is a member with {"role": "support"}
      When somebody signs in as "<who>" with the password "<password>"
      Then coming in is refused: sign_in_refused

      Examples:
        | who                | password              |
        | Ada                | wrong horse battery   |
        | Ada                |                       |
        | Eve                | correct horse battery |
        | nobody@example.com | correct horse battery |

    Scenario Outline: Who tries too often has to wait, member or not
      Given "Ada" is a member with {"role": "support"}
      And somebody guesses passwords until they have to wait, as "<who>"
      When somebody signs in as "<who>" with the password "correct horse battery"
      Then coming in is refused: rate_limited

      Examples:
        | who |
        | Ada |
        | Eve |

    Scenario: A stranger who guesses does not keep a member out
      Given "Ada" is a member with {"role": "support"}
      And somebody guesses passwords until they have to wait, as "Ada"
      When "Ada" signs in
      Then coming in is refused: rate_limited
      When "Ada" signs in from elsewhere
      Then the session of "Ada" works
      And within 20 seconds the merchant's audit log has a "block-sign-ins" of "Ada"

    Scenario: Another password by a link
      Given "Ada" is a member with {"role": "support"}
      When the merchant sends POST /v1/members/$member_Ada/password-link
      Then it answers 201
      When "Ada" sets the password "another horse battery" by the link
      Then the session of "Ada" is good for nothing
      When "Ada" signs in
      Then coming in is refused: sign_in_refused
      When "Ada" signs in with the password "another horse battery"
      Then the session of "Ada" works
      When "Ada" sets the password "a third horse battery" by the link
      Then coming in is refused: link_not_found

  Rule: A member with an authenticator needs its code

    Scenario: Signing in in two steps
      Given "Ada" is a member with {"role": "support"}
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in
      Then a code of "Ada" is due
      And the session of "Ada" is good for nothing
      When "Ada" gives a wrong code
      Then coming in is refused: code_refused
      When "Ada" gives the same code
      Then coming in is refused: code_refused
      When "Ada" gives a fresh code
      Then the session of "Ada" works

    Scenario: Signing in by a recovery code
      Given "Ada" is a member with {"role": "support"}
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in
      And "Ada" gives a recovery code
      Then the session of "Ada" works

    Scenario: A shop that requires a second factor asks for the member's own
      Given a shop
      And "Ada" is a member with {"role": "owner"}
      And the merchant sends PATCH /v1/projects/$shop/settings {"security": {"mfa_required": true}}
      When with no code "Ada" invites "Grace" with {"role": "analyst"}
      Then it is refused: 403 mfa_required
      Given "Ada" enrols an authenticator of their own
      When with a fresh code of "Ada" "Ada" invites "Grace" with {"role": "analyst"}
      Then it answers 201
      When the holder of "Ada" sends GET /v1/account
      Then the answer shows:
        | mfa.enabled | true |
      When the merchant sends GET /v1/account
      Then the answer shows:
        | mfa.enabled | false |

    Scenario: An owner removes the lost authenticator of another member
      Given "Ada" is a member with {"role": "owner"}
      And "Grace" is a member with {"role": "manager"}
      And "Grace" enrols an authenticator of their own
      When "Ada" resets the second factor of "Grace" with no code
      Then it is refused: 403 mfa_required
      Given "Ada" enrols an authenticator of their own
      When "Grace" resets the second factor of "Ada" with a fresh code
      Then it is refused: 403 insufficient_scope
      When "Ada" resets the second factor of "Ada" with no code
      Then it is refused: 409 own_mfa
      When "Ada" resets the second factor of "Grace" with no code
      Then it is refused: 403 mfa_required
      When "Ada" resets the second factor of "Grace" with a fresh code
      Then it answers 204
      And the session of "Grace" is good for nothing
      When "Grace" signs in
      Then the session of "Grace" works
      When "Ada" resets the second factor of "Grace" with no code
      Then it is refused: 409 mfa_not_enrolled
      When the merchant sends GET /v1/audit-events?action=reset-member-mfa
      Then the answer shows:
        | data.*.target      | ["$member_Grace"] |
        | data.0.member.name | "Ada"             |

  Rule: Sessions are seen, and ended

    Scenario: A member's own sessions
      Given "Ada" is a member with {"role": "analyst"}
      And "Grace" is a member with {"role": "owner"}
      When the holder of "Ada" sends GET /v1/console-sessions
      Then the answer shows:
        | data.0.id        | "$session_Ada" |
        | data.0.member_id | "$member_Ada"  |
        | data.0.current   | true           |
        | meta.total       | 1              |
      When the holder of "Ada" sends DELETE /v1/console-sessions/$session_Grace
      Then it is refused: 404 console_session_not_found
      When the holder of "Ada" sends DELETE /v1/console-sessions/$session_Ada
      Then it answers 204
      And the session of "Ada" is good for nothing

    Scenario: All others of a member
      Given "Ada" is a member with {"role": "owner"}
      When somebody signs in as "Ada" with the password "correct horse battery"
      And the merchant sends GET /v1/console-sessions?member_id=$member_Ada
      Then the answer shows:
        | meta.total | 2 |
      When the holder of "Ada" sends DELETE /v1/console-sessions?member_id=$member_Ada
      Then it answers 204
      And the session of "Ada" works
      When the merchant sends GET /v1/console-sessions
      Then the answer shows:
        | data.*.id  | ["$session_Ada"] |
        | meta.total | 1                |

    Scenario Outline: How long sessions may be left alone
      When the merchant sends PATCH /v1/account {"console_session_minutes": <minutes>}
      Then the answer shows:
        | console_session_minutes | <shown> |

      Examples:
        | minutes | shown |
        | 5       | 5     |
        | 10080   | 10080 |
        | null    | 480   |

    Scenario Outline: Minutes that are none
      When the merchant sends PATCH /v1/account {"console_session_minutes": <minutes>}
      Then it is refused: 422 validation_error
      And the refusal names "console_session_minutes"

      Examples:
        | minutes |
        | 4       |
        | 10081   |
        | "60"    |
