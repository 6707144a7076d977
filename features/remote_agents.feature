Feature: Agents that a merchant runs
  A merchant's own program may answer for its shop, as the handler of an agent's events. Whatever it does, or fails to do,
  buyers get an answer that keeps the shop's promises and bounds, and the record says who gave it.

  The tent costs the merchant 770.05, so its floor is 850: cost plus 10% is 847.06, raised to the next multiple of 50,
  because prices that could reveal a cost are multiples of 50 at a list price of 1,000. The built-in target is 943.75.

  Background:
    Given a server beside the merchant's systems
    And a shop selling:
      | name       | price   | stock | cost   |
      | Trail Tent | 1000.00 | 40    | 770.05 |
      | Camp Tent  | 300.00  | 20    |        |
      | Camp Stove | 60.00   | 20    |        |
    And the active agent

  Rule: A handler's prices and texts reach the buyer

    Scenario: A handler concedes in its own way
      Given the merchant's own handler for quotes, in "honest" mode
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 880
      Then the merchant counters at 975
      And the handler's reasoning reaches the buyer: "We can come down to 975.00 USD."
      When the buyer offers 900
      Then the merchant counters at 950
      When the buyer offers 945
      Then the merchant accepts at 945
      And the handler's message reaches the buyer: "It is yours."
      And the handler was asked 3 times about quotes
      And the new agent's record names the handlers remote
      And the new agent's record names the fallbacks none
      And no text contains a number that its answer does not show

    Scenario: Offers that are too low are rejected without the handler
      Given the merchant's own handler for quotes, in "honest" mode
      And a buyer who looks at the "Trail Tent"
      When the buyer offers 500
      Then the merchant rejects the offer, hinting at "850"
      And the handler was asked 0 times about quotes

    Scenario: A handler sorts the search results
      Given the merchant's own handler for searches, in "honest" mode
      And the handler finds "Camp Tent", "Trail Tent"
      When a buyer searches for "tent"
      Then the handler's order is kept: "Camp Tent", "Trail Tent"
      Given the handler finds "Trail Tent", "Camp Tent"
      When a buyer searches for "tent"
      Then the handler's order is kept: "Trail Tent", "Camp Tent"

    Scenario: A handler drops search results
      Given the merchant's own handler for searches, in "honest" mode
      And the handler finds "Camp Tent"
      When a buyer searches for "tent"
      Then the search finds exactly "Camp Tent"
      Given the handler finds nothing
      When a buyer searches for "tent"
      Then the search finds exactly nothing

    Scenario Outline: A handler's search results are not used if it adds or repeats products
      Given the merchant's own handler for searches, in "honest" mode
      And the handler finds <products>
      When a buyer searches for "tent"
      Then the search finds exactly "Camp Tent", "Trail Tent"

      Examples:
        | products                  |
        | "Camp Tent", "Camp Stove" |
        | "Camp Tent", "Camp Tent"  |
        | "Free Tent"               |

  Rule: A handler may refuse a checkout, and a payment

    Scenario: A refused checkout
      Given the merchant's own handler for checkouts and payments, in "honest" mode
      And the handler refuses checkouts, saying "Tents do not go to Oregon."
      And a buyer who agreed on 1 of the "Trail Tent" at 960.00
      When the buyer checks out
      Then the handler has refused the checkout, and the buyer reads "Tents do not go to Oregon."
      Given the handler approves checkouts
      When the buyer checks out again
      And the buyer pays
      Then the payment succeeds
      And the handler was asked 2 times about checkouts
      And the handler was asked 1 time about payments

    Scenario: A checkout that a person has to review
      Given the merchant's own handler for checkouts and payments, in "honest" mode
      And the handler holds checkouts for review, saying "We look at large orders first."
      And a buyer who agreed on 1 of the "Trail Tent" at 960.00
      When the buyer checks out
      Then the handler has refused the checkout, and the buyer reads "We look at large orders first."

    Scenario Outline: A UCP payment that a person has to review
      Given the merchant's own handler for checkouts and payments, in "honest" mode
      And the handler holds payments for review, saying "We look at large orders first."
      When a UCP <version> agent orders 2 of the "Trail Tent"
      Then the UCP agent is referred to a review that says "We look at large orders first."
      And there are 40 of the "Trail Tent" left
      Given the handler approves payments
      When the UCP agent completes the checkout again
      Then the UCP agent's checkout is completed

      Examples:
        | version    |
        | 2026-08-25 |
        | 2026-04-08 |

    Scenario: A refused payment
      Given the merchant's own handler for checkouts and payments, in "honest" mode
      And the handler refuses payments
      And a buyer who agreed on 1 of the "Trail Tent" at 960.00
      And the buyer checks out
      When the buyer pays
      Then the handler has refused the payment, and the buyer reads a reason
      And there are 40 of the "Trail Tent" left
      Given the handler approves payments, saying "Go on."
      When the buyer pays
      Then the payment succeeds
      And there are 39 of the "Trail Tent" left

  Rule: Whatever a handler does, prices stay within the bounds, and no secret leaks

    Scenario Outline: A misbehaving handler
      Given the merchant's own handler for searches, quotes, checkouts and payments, in "<mode>" mode
      When buyers of every strategy negotiate for the "Trail Tent", and pay
      Then all of them have an order
      And no price was below 850 or above 1000
      And no text contains a number that its answer does not show
      And no answer to a buyer contains the numbers 770.05, 847.06, 943.75, 425.00
      And the new agent's record names the handlers <handlers>
      And the new agent's record names the fallbacks <fallbacks>

      Examples:
        | mode     | handlers               | fallbacks                             |
        | honest   | builtin:haggle, remote | none                                  |
        | leak     | builtin:haggle, remote | none                                  |
        | gouge    | builtin:haggle, remote | none                                  |
        | undercut | builtin:haggle, remote | agent_nonsense, none                  |
        | nonsense | builtin:haggle         | agent_nonsense, agent_suspended, none |
        | refuse   | builtin:haggle         | agent_refused, agent_suspended, none  |
        | flap     | builtin:haggle, remote | agent_refused, agent_suspended, none  |

    Scenario: The policy of an agent limits its handlers
      Given the merchant's own handler for quotes, in "undercut" mode
      And the merchant limits discounts to 5%
      When buyers of every strategy negotiate for the "Trail Tent", and pay
      Then no price was below 950 or above 1000

    Scenario: A handler that hangs is waited for briefly, then suspended
      Given the merchant's own handler for searches, quotes, checkouts and payments, in "hang" mode
      When 5 buyers at once offer 880 for the "Trail Tent"
      Then each was answered within 12 seconds
      And the handler was asked 5 times about quotes
      And the new agent's record names the fallbacks agent_timeout
      When buyers of every strategy negotiate for the "Trail Tent", and pay
      Then all of them have an order
      And the handler was asked 5 times in all, and at most once in each 30 seconds after
      And no price was below 850 or above 1000
      And the new agent's record names the handlers builtin:haggle
      And the new agent's record names the fallbacks agent_suspended, agent_timeout, none

    Scenario: A slow handler is waited for
      Given the merchant's own handler for quotes and payments, in "slow" mode
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the buyer offers the counter
      And the buyer checks out
      When the buyer pays
      Then the payment succeeds
      And the handler was asked 1 time about quotes
      And the handler was asked 1 time about payments

    Scenario: A handler that cannot be reached
      Given the merchant's own handler, which cannot be reached
      When buyers of every strategy negotiate for the "Trail Tent", and pay
      Then all of them have an order
      And the new agent's record names the fallbacks agent_suspended, agent_unreachable, none

  Rule: A handler answers only requests that are signed with the agent's secret

    Scenario: A new secret
      Given the merchant's own handler for quotes, in "honest" mode
      When the merchant rotates the agent's secret
      Given a buyer who looks at the "Trail Tent"
      When the buyer offers 880
      Then the merchant counters at 976.80
      And the new agent's record names the fallbacks agent_refused
      When the merchant rotates the agent's secret
      And the handler gets the new secret
      Given a buyer who looks at the "Trail Tent"
      When the buyer offers 880
      Then the merchant counters at 975

  Rule: An agent keeps what the agent before it promised

    Scenario: From a handler to the built-in agent
      Given the merchant's own handler for quotes, in "honest" mode
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the merchant counters at 975
      When the built-in agent takes over
      And the merchant deletes the new agent
      And the buyer offers the counter
      Then the merchant accepts at 975
      And the built-in agent's record names the handlers builtin:haggle

    Scenario: From the built-in agent to a handler that asks for more
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the merchant counters at 976.80
      And the merchant's own handler for quotes, in "gouge" mode
      When the buyer offers 900
      Then the merchant counters with the same price
      When the buyer offers the counter
      Then the merchant accepts at 976.80

    Scenario: To an agent with a tighter policy
      Given an agent that concedes patiently
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 860
      And the buyer offers 870
      And the merchant counters at 899.50
      And a new agent that gives discounts of at most 1%
      When the new agent takes over
      And the buyer offers the current price
      Then the merchant accepts at 899.50
      When the buyer checks out
      And the buyer pays
      Then the payment succeeds

    Scenario: A handler that starts to misbehave during a negotiation
      Given the merchant's own handler for quotes, in "honest" mode
      And a buyer who looks at the "Trail Tent"
      And the buyer offers 880
      And the merchant counters at 975
      When the handler switches to "gouge" mode
      And the buyer offers 900
      Then the merchant counters at 975
      When the handler switches to "refuse" mode
      And the buyer offers the counter
      Then the merchant accepts at 975
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 900
      And the merchant counters at 999.00
      When the handler switches to "undercut" mode
      And the buyer offers 912
      Then the merchant accepts at 912
