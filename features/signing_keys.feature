Feature: Signing keys
  A shop signs what it sends to agents. Its public keys are where every agent finds them. A key is published before it
  signs, and for a while afterwards, so that no agent receives a signature by a key that it cannot know.

  Background:
    Given a server beside the merchant's systems
    And a shop
    And the shop has signing keys

  Rule: The next key signs after a rotation, once agents have had the time to read it

    Scenario: Rotating
      Given the signing keys were published 10m ago
      When the merchant rotates the signing keys
      Then the current, next and retired key are published

    Scenario: Too soon after the next key was published
      When the merchant tries to rotate the signing keys
      Then the rotation is refused because the next key is too new
      And the refusal says when the keys may be rotated

  Rule: A stolen key is no longer published, at once

    Scenario: Revoking the key that signs
      When the merchant revokes the current signing key
      Then the current and next key are published

  Rule: Signing keys are for those who may see or change them

    Scenario Outline: A clerk with too few rights
      Then a clerk who may only <do> may not <act>

      Examples:
        | do               | act                     |
        | edit the catalog | see the signing keys    |
        | see the keys     | replace the signing key |
        | see the keys     | revoke a signing key    |
