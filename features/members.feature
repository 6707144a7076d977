Feature: Members
  People work for an account as its members. Each is invited to a role, in all shops or in some, joins by a link with a
  password of their own, and signs in.

  Background:
    Given a merchant with an account of its own

  Rule: An invitation is a link that works once

    Scenario: Inviting somebody
      When the merchant invites "Ada" as support
      Then the link of "Ada" was shown once
      And the only open invitation is that of "Ada" as support

    Scenario: Joining
      Given the merchant invites "Ada" as support
      When "Ada" joins by the link
      Then the session of "Ada" works
      And the members are:
        | Ada | support |
      And no invitation is open

    Scenario: Several people use the same link
      Given the merchant invites "Ada" as support
      When 4 people join by the link of "Ada" at once
      Then 1 of them joins

    Scenario: A revoked link
      Given the merchant invites "Ada" as support
      And the merchant revokes the invitation of "Ada"
      When "Ada" joins by the link
      Then it is refused because the link is not valid

    Scenario: A second invitation replaces the first
      Given the merchant invites "Ada" as support
      When the merchant invites "Ada" as analyst
      Then the only open invitation is that of "Ada" as analyst

    Scenario Outline: A password that is easy to guess
      Given the merchant invites "Ada" as support
      When somebody joins by the link of "Ada" as "Ada Lovelace" with the password "<password>"
      Then it is refused because the password is easy to guess
      When "Ada" joins by the link
      Then the session of "Ada" works

      Examples:
        | password         |
        | elevenchars      |
        | aaaaaaaaaaaaaaaa |
        | Ada Lovelace 1   |

    Scenario: Inviting a member
      Given "Ada" joined as owner
      When the merchant invites "Ada" as support
      Then it is refused because the address belongs to a member

    Scenario: One invitation too many
      Given the account has 200 invitations
      When the merchant invites "Ada" as support
      Then it is refused because the account has too many members

  Rule: A member may do what the role says, in the shops that it is for

    Scenario Outline: What a role allows
      Given a shop
      And "Ada" joined as <role>
      Then "Ada" may <do>

      Examples:
        | role    | do                          |
        | owner   | create a key for everything |
        | manager | see the keys                |
        | manager | rename the shop             |
        | support | see the shop                |
        | analyst | see the settings            |

    Scenario Outline: What a role does not allow
      Given a shop
      And "Ada" joined as <role>
      Then "Ada" may not <do>

      Examples:
        | role    | do                |
        | manager | create a key      |
        | manager | invite an analyst |
        | manager | become an owner   |
        | support | rename the shop   |
        | support | see the members   |
        | analyst | rename the shop   |
        | analyst | see the audit log |

    Scenario: A member of one shop
      Given a shop named "Seen"
      And another shop
      And "Ada" joined as analyst of this shop only
      Then "Ada" sees no shop but "Seen"
      And "Ada" does not find the other shop

    Scenario: A new role counts at once
      Given a shop
      And "Ada" joined as analyst
      When the merchant makes "Ada" a manager
      Then "Ada" may rename the shop

    Scenario: Nobody gives more rights than they have
      Given a key "Clerk" for keys:write, projects:read, catalog:read and finance:write
      And "Ada" joined as owner
      Then "Clerk" may not invite an owner
      And "Clerk" may not rename Ada
      And "Clerk" may not remove Ada
      And "Clerk" may not replace Ada's password

    Scenario: Another merchant's member
      Given "Ada" joined as owner
      And a merchant with an account of its own
      Then the merchant finds no member "Ada"
      And the session of "Ada" works

  Rule: An account keeps at least one owner

    Scenario: The last owner
      Given "Ada" joined as owner
      When "Ada" removes the member "Ada"
      Then it is refused because an account needs an owner
      When "Ada" makes "Ada" a manager
      Then it is refused because the last owner stays owner

    Scenario: One of two owners
      Given "Ada" joined as owner
      And "Grace" joined as owner
      When "Ada" removes the member "Ada"
      Then the session of "Ada" does not work

  Rule: A removed member loses access at once

    Scenario: Removing a member
      Given "Ada" joined as support
      When the merchant removes the member "Ada"
      Then the session of "Ada" does not work
      And the merchant finds no member "Ada"
      When "Ada" signs in
      Then it is refused because the address or the password is wrong

    Scenario: The audit log names members, even after they are removed
      Given a shop
      And "Ada" joined as manager
      And "Ada" renames the shop
      When the merchant removes the member "Ada"
      Then the audit log says of "Ada": update-project, join-account

  Rule: Signing in does not reveal who is a member

    Scenario: Signing in
      Given "Ada" joined as support
      When "Ada" signs in
      Then the session of "Ada" works

    Scenario Outline: A wrong address or password
      Given "Ada" joined as support
      When somebody signs in as "<who>" with the password "<password>"
      Then it is refused because the address or the password is wrong

      Examples:
        | who                | password              |
        | Ada                | wrong horse battery   |
        | Ada                |                       |
        | Eve                | correct horse battery |
        | nobody@example.com | correct horse battery |

    Scenario Outline: Too many attempts, for a member or a stranger
      Given "Ada" joined as support
      And somebody guesses passwords until they have to wait, as "<who>"
      When somebody signs in as "<who>" with the password "correct horse battery"
      Then it is refused because there were too many attempts

      Examples:
        | who |
        | Ada |
        | Eve |

    Scenario: A stranger who guesses does not keep a member out
      Given "Ada" joined as support
      And somebody guesses passwords until they have to wait, as "Ada"
      When "Ada" signs in
      Then it is refused because there were too many attempts
      When "Ada" signs in from elsewhere
      Then the session of "Ada" works
      And within 20 seconds the merchant's audit log has a "block-sign-ins" of "Ada"

    Scenario: Another password by a link
      Given "Ada" joined as support
      And the merchant requests a password link for "Ada"
      When "Ada" sets the password "another horse battery" by the link
      Then the session of "Ada" does not work
      When "Ada" signs in
      Then it is refused because the address or the password is wrong
      When "Ada" signs in with the password "another horse battery"
      Then the session of "Ada" works
      When "Ada" sets the password "a third horse battery" by the link
      Then it is refused because the link is not valid

  Rule: A member with an authenticator needs its code

    Scenario: Signing in in two steps
      Given "Ada" joined as support
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in
      Then a code of "Ada" is due
      And the session of "Ada" does not work
      When "Ada" gives a wrong code
      Then it is refused because the code is wrong
      When "Ada" gives the same code
      Then it is refused because the code is wrong
      When "Ada" gives a fresh code
      Then the session of "Ada" works

    Scenario: Signing in by a recovery code
      Given "Ada" joined as support
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in
      And "Ada" gives a recovery code
      Then the session of "Ada" works

    Scenario: A shop that requires a second factor asks for the member's own
      Given "Ada" joined as owner
      And a shop that requires a second factor
      When "Ada" invites "Grace" as analyst with no code
      Then it is refused because a valid code is missing
      Given "Ada" enrols an authenticator of their own
      When "Ada" invites "Grace" as analyst with a fresh code
      Then the only open invitation is that of "Grace" as analyst
      And the second factor of "Ada" is on
      And the second factor is off

    Scenario: An owner resets the lost second factor of another member
      Given "Ada" joined as owner
      And "Grace" joined as manager
      And "Grace" enrols an authenticator of their own
      When "Ada" resets the second factor of "Grace" with no code
      Then it is refused because a valid code is missing
      Given "Ada" enrols an authenticator of their own
      When "Grace" resets the second factor of "Ada" with a fresh code
      Then it is refused because the role does not allow it
      When "Ada" resets the second factor of "Ada" with no code
      Then it is refused because it is their own second factor
      When "Ada" resets the second factor of "Grace" with no code
      Then it is refused because a valid code is missing
      When "Ada" resets the second factor of "Grace" with a fresh code
      Then the session of "Grace" does not work
      When "Grace" signs in
      Then the session of "Grace" works
      When "Ada" resets the second factor of "Grace" with no code
      Then it is refused because there is no second factor
      And the audit log says that "Ada" reset the second factor of "Grace"

  Rule: Members see and end their own sessions

    Scenario: One session
      Given "Ada" joined as analyst
      And "Grace" joined as owner
      Then "Ada" sees their own session only
      When "Ada" ends the session of "Grace"
      Then it is refused because the session is somebody else's
      When "Ada" ends the session of "Ada"
      Then the session of "Ada" does not work

    Scenario: All other sessions of a member
      Given "Ada" joined as owner
      And "Ada" signs in again from another browser
      And "Ada" has 2 sessions
      When "Ada" ends all their other sessions
      Then the session of "Ada" works
      And the account's only session is that of "Ada"
