Feature: Guidance for buyers' agents
  An agent that knows only the shop's address learns from each answer what it can do next. A warning or a refusal says
  how to go on.

  Background:
    Given a shop selling:
      | name       | price   | stock |
      | Trail Tent | 1000.00 | 7     |

  Rule: An offer on an accepted quote is answered with the state of the deal

    Scenario: The deal is open
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer offers 900 on the accepted quote
      Then the offer is refused, because the deal at 995 is open

    Scenario: The token of the deal was lost
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer makes the agreed offer of 995 for 2 again
      Then the buyer gets the deal at 995 and its token again

    Scenario: The deal was bought
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      And the buyer checks out
      And the buyer pays
      When the buyer offers 900 on the accepted quote
      Then the offer is refused, because the deal was bought

  Rule: An unknown payment token may be replaced by another one

    Scenario: A token that the payment provider does not know
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by psp_spt with "nonsense"
      Then the payment fails, and the buyer may use another token
      When the buyer pays
      Then the payment succeeds

    Scenario: A stolen card ends the checkout
      Given a buyer at the checkout with 1 of the "Trail Tent"
      When the buyer pays by psp_spt with "spt_sandbox_decline_stolen_card"
      Then the payment fails, and the buyer needs a new checkout

  Rule: A checkout without the token of an agreed price has a warning

    Scenario: The token is added later
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer checks out 2 of them without the token
      Then the checkout is at 1000 each, with a warning of the agreed 995
      When the buyer revises the checkout without the token
      Then the checkout is at 1000 each, with a warning of the agreed 995
      When the buyer adds the token to the checkout
      Then the checkout is at 995 each, without a warning

    Scenario: With the token
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      When the buyer checks out
      Then the checkout is at 995 each, without a warning

    Scenario: The deal was bought before
      Given a buyer who agreed on 2 of the "Trail Tent" at 995
      And the buyer checks out
      And the buyer pays
      When the buyer checks out 2 of them without the token
      Then the checkout is at 1000 each, without a warning
