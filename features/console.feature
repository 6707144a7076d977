Feature: Console
  The merchant's people see their shop in a browser, and act in it. What they may see and do is what their role may.

  Background:
    Given a merchant with an account of its own
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |

  Rule: Members come in by their password, and by a code if they have an authenticator

    Scenario: Signing in
      Given "Ada" is a member with {"role": "owner"}
      When "Ada" opens /console/$slug/orders
      Then "Ada" sees "Sign in"
      When "Ada" fills in "E-mail" with "$email_Ada"
      And "Ada" fills in "Password" with "correct horse battery"
      And "Ada" presses "Sign in"
      Then "Ada" sees "No orders yet."
      And "Ada" is at /console/$slug/orders

    Scenario: A wrong password
      Given "Ada" is a member with {"role": "owner"}
      When "Ada" opens /console/sign-in
      And "Ada" fills in "E-mail" with "$email_Ada"
      And "Ada" fills in "Password" with "correct horse batteries"
      And "Ada" presses "Sign in"
      Then "Ada" sees "The e-mail address or the password is wrong."
      When "Ada" opens /console/$slug
      Then "Ada" sees "Sign in"

    Scenario: Signing in with a code
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in to the console
      Then "Ada" sees "Enter your code"
      When "Ada" opens /console/$slug
      Then "Ada" sees "Sign in"
      When "Ada" signs in to the console
      And "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Continue"
      Then "Ada" sees "The code is wrong"
      When "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Continue"
      Then "Ada" sees "Today"

    Scenario: Joining
      Given the merchant invites "Ada" with {"role": "support"}
      When "Ada" opens the link
      Then "Ada" sees "You are invited as support"
      When "Ada" fills in "Your name" with "Ada"
      And "Ada" fills in "Choose a password" with "ada@ada@ada@"
      And "Ada" presses "Join"
      Then "Ada" sees "must have at least 5 different characters"
      When "Ada" fills in "Choose a password" with "correct horse battery"
      And "Ada" presses "Join"
      Then "Ada" sees "Today"
      When "Ada" opens the link
      Then "Ada" sees "The link is wrong, was used, or is too old."

    Scenario: Signing out
      Given "Ada" is a member with {"role": "owner"}
      When "Ada" signs in to the console
      Then "Ada" sees "Today"
      When "Ada" presses "Ada, owner"
      And "Ada" presses "Sign out"
      Then "Ada" sees "Sign in"
      When "Ada" opens /console/$slug
      Then "Ada" sees "Sign in"

  Rule: A role sees what it may

    Scenario: Support sees orders and no figures
      Given "Sam" is a member with {"role": "support"}
      When "Sam" signs in to the console
      Then "Sam" sees "Your role, support, does not include figures."
      When "Sam" presses "Orders"
      Then "Sam" sees "No orders yet."

    Scenario: A shop that a member is not bound to
      Given another shop
      And "Sam" is a member with {"role": "support", "project_ids": ["$shop"]}
      When "Sam" signs in to the console
      And "Sam" opens /console/$slug/orders
      Then "Sam" sees "No orders yet."
      When "Sam" opens /console/$other_slug/orders
      Then "Sam" sees "There is no shop of this name"

  Rule: Orders are found, shipped, refunded and cancelled

    Scenario: Finding an order
      Given a buyer who ordered 2 of the "Trail Tent"
      And "Ada" is a member with {"role": "owner"}
      When "Ada" signs in to the console
      And "Ada" presses "Orders"
      Then "Ada" sees "1 order"
      When "Ada" presses "$confirmation"
      Then "Ada" sees "Trail Tent"
      And "Ada" sees "To ship"

    Scenario: Shipping an order
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" presses "Orders"
      And "Sam" presses "$confirmation"
      And "Sam" presses "Ship order"
      And "Sam" fills in "Carrier" with "UPS"
      And "Sam" fills in "Tracking number" with "1Z999AA10123456784"
      And "Sam" presses "Ship order"
      Then "Sam" sees "The order is shipped."
      And "Sam" sees "1Z999AA10123456784"
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | fulfillment.status | "shipped" |
        | fulfillment.carrier | "UPS"    |

    Scenario: Refunding with a code
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ada" is a member with {"role": "manager"}
      And "Ada" enrols an authenticator of their own
      And the merchant sends PATCH /v1/projects/$shop/settings {"security": {"mfa_required": true}}
      When "Ada" signs in to the console
      And "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Continue"
      And "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      And "Ada" presses "Refund"
      And "Ada" fills in "Amount" with "12,50"
      And "Ada" fills in "Reason" with "Scratched"
      And "Ada" presses "Refund"
      Then "Ada" sees "must be a number such as 1234.50, without a comma"
      When "Ada" fills in "Amount" with "12.50"
      And "Ada" fills in "Reason" with "Scratched"
      And "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Refund"
      Then "Ada" sees "authenticator"
      When "Ada" fills in "Amount" with "12.50"
      And "Ada" fills in "Reason" with "Scratched"
      And "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Refund"
      Then "Ada" sees "The refund is made."
      And "Ada" sees "Refunded $12.50"
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | payment.refunded_amount | 12.5 |

    Scenario: Cancelling an order
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      And "Ada" presses "Cancel"
      Then "Ada" sees "back, and what was bought goes back to stock."
      When "Ada" presses "Cancel order"
      Then "Ada" sees "The order is cancelled."
      And "Ada" sees "Cancelled"

    Scenario: An analyst changes nothing
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ana" is a member with {"role": "analyst"}
      And "Ana" signed in to the console
      When "Ana" presses "Orders"
      And "Ana" presses "$confirmation"
      Then "Ana" sees "What was bought"
      And "Ana" finds no "Refund" to press
      And "Ana" finds no "Ship order" to press

    Scenario Outline: A hostile name is shown as text
      Given a shop selling:
        | name   | price  | stock |
        | <name> | 100.00 | 7     |
      And a buyer who ordered 1 of the "<name>"
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/orders
      Then "Ada" sees "<name>"
      When "Ada" presses "$confirmation"
      Then "Ada" sees "<name>"

      Examples:
        | name                                        |
        | <script>document.title='owned'</script>     |
        | <img src=x onerror=alert(1)>                |
        | </title></svg><svg onload=alert(1)>         |
        | {{.Asset}} ' onmouseover=alert(1) x=        |

  Rule: Members see how prices come to be

    Scenario: The feed moves while a buyer haggles
      Given a buyer who searched for "Trail Tent"
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      And "Ada" sees "No haggling yet."
      When the buyer offers 70
      Then "Ada" sees "$70.00 offered"
      When "Ada" presses "See all"
      Then "Ada" sees "Under way"
      And "Ada" sees "Trail Tent"

    Scenario: The price path of an order
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      Then "Ada" sees "How the price came to be"
      And "Ada" sees "Close enough"
      And "Ada" sees "Floor"

    Scenario: Support sees offers and prices, and no limits
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" presses "Orders"
      And "Sam" presses "$confirmation"
      Then "Sam" sees "Your role does not show price limits."
      And "Sam" sees "$95.00"
      And "Sam" does not see "Floor"
      And "Sam" does not see "Target"

    Scenario: Deals that were lost near the floor
      Given a buyer who searched for "Trail Tent"
      And the buyer offers 79
      And "Ada" is a member with {"role": "analyst"}
      And "Ada" signed in to the console
      When "Ada" presses "Lost deals"
      Then "Ada" sees "Left near the floor"
      And "Ada" sees "Trail Tent"
      And "Ada" sees "$79.00"
