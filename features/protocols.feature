Feature: Protocols of a shop
  The merchant decides by which protocols agents reach the shop, in addition to Haggle's own. A protocol that is off has no
  address, and nothing that the shop publishes names it.

  Background:
    Given a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |

  Scenario: The Model Context Protocol is off
    Given the merchant turns MCP off
    Then agents are served over UCP and ACP
    And agents are not served over MCP
    And the manifest names UCP, and not MCP

  Scenario: The Universal Commerce Protocol is off
    Given the merchant turns UCP off
    Then agents are served over MCP and ACP
    And agents are not served over UCP
    And the manifest names MCP, and not UCP

  Scenario: A protocol is turned on again
    Given the merchant turns MCP off
    When the merchant turns MCP on
    And the merchant turns UCP off
    Then agents are served over MCP and ACP
    And the manifest names MCP, and not UCP
