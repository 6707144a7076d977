Feature: Market runs
  Before a merchant puts a policy in force, simulated buyers negotiate under it and under the policy in force, for the shop's
  own products. The run is a job: the merchant starts it, follows its progress, and reads the result when it is done.

  Background:
    Given a shop selling:
      | name       | price  | cost  | stock |
      | Trail Tent | 100.00 | 50.00 | 20    |

  Rule: A run estimates in money what another policy would earn

    Scenario: Money per month
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 75
      When the merchant starts a market run with 200 buyers and a discount of at most 10%
      Then the run estimates that the policy in force earns at least 20 a month, and the other at most 40 less

    Scenario: A shop with nothing to sell
      Given the merchant deletes the product
      When the merchant starts a market run with 50 buyers
      Then the run fails, because the shop has no products

  Rule: A run can be canceled, and a shop has two at a time

    Scenario: The third is refused until one is canceled
      Given the merchant starts a market run with 5000 buyers
      And the merchant starts a market run with 5000 buyers
      When the merchant starts another market run
      Then it is refused, because two runs are under way
      When the merchant cancels the run
      Then the run ends without a result
      When the merchant cancels the run
      Then it is refused, because the run has ended
      When the merchant starts another market run
      Then the run is queued

  Rule: The audit log records the start and the cancellation of a run

    Scenario: The audit log
      Given a merchant with an account of its own
      And a shop
      And the merchant starts a market run with 5000 buyers
      When the merchant cancels the run
      Then the audit log has the start and the cancellation of the run

  Rule: A run belongs to a shop, and those who may only read agents start none

    Scenario Outline: Another shop does not know the run
      Given the merchant starts a market run with 5000 buyers
      And another shop
      When in the other shop the merchant <does>
      Then it is refused, because <reason>

      Examples:
        | does                    | reason                          |
        | looks for the run       | the run belongs to another shop |
        | cancels the run         | the run belongs to another shop |
        | starts a run of the agent | the agent belongs to another shop |

    Scenario: A key that may only read
      Given a key "Clerk" that may only read this shop's agents
      When the holder of "Clerk" lists the runs
      Then no run is listed
      When the holder of "Clerk" starts a market run
      Then it is refused, because the key may not do this
