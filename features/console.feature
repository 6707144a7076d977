@browser
Feature: Console
  The members of the merchant's account run the shop in a browser. Each sees and does what the role allows.

  Background:
    Given a merchant with an account of its own
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |

  Rule: Members sign in with their password, and with a code if they have an authenticator

    Scenario: Signing in
      Given "Ada" is a member as owner
      When "Ada" opens the orders
      Then "Ada" sees "Sign in"
      When "Ada" fills in "E-mail" with "$email_Ada"
      And "Ada" fills in "Password" with "correct horse battery"
      And "Ada" presses "Sign in"
      Then "Ada" sees "No orders yet."
      And "Ada" is at the orders

    Scenario: A wrong password
      Given "Ada" is a member as owner
      When "Ada" opens the sign-in page
      And "Ada" fills in "E-mail" with "$email_Ada"
      And "Ada" fills in "Password" with "correct horse batteries"
      And "Ada" presses "Sign in"
      Then "Ada" sees "The e-mail address or the password is wrong."
      When "Ada" opens the start page
      Then "Ada" sees "Sign in"

    Scenario: Signing in with a code
      Given "Ada" is a member as owner
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in to the console
      Then "Ada" sees "Enter your code"
      When "Ada" opens the start page
      Then "Ada" sees "Sign in"
      When "Ada" signs in to the console
      And "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Continue"
      Then "Ada" sees "The code is wrong"
      When "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Continue"
      Then "Ada" sees "Today"

    Scenario: Joining by an invitation
      Given "Ada" is invited as support
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
      Then "Ada" sees "The link is invalid, has been used, or has expired."

    Scenario: Signing in at the merchant's own provider
      Given "Ada" is a member as owner
      When "Ada" opens the orders
      And "Ada" presses "Sign in with Example ID"
      And "Ada" fills in "E-mail at Example ID" with "$email_Ada"
      And "Ada" presses "Continue"
      Then "Ada" sees "No orders yet."
      And "Ada" is at the orders
      When "Eve" opens the sign-in page
      And "Eve" presses "Sign in with Example ID"
      And "Eve" fills in "E-mail at Example ID" with "eve@example.com"
      And "Eve" presses "Continue"
      Then "Eve" sees "No account belongs to this sign-in."
      When "Eve" opens the start page
      Then "Eve" sees "Forgotten your password?"

    Scenario: Signing out
      Given "Ada" is signed in as owner
      Then "Ada" sees "Today"
      When "Ada" presses "Ada, owner"
      And "Ada" presses "Sign out"
      Then "Ada" sees "Sign in"
      When "Ada" opens the start page
      Then "Ada" sees "Sign in"

  Rule: Members see what their role allows

    Scenario: Support sees orders and no figures
      Given "Sam" is signed in as support
      Then "Sam" sees "Your role, support, does not include figures."
      When "Sam" presses "Orders"
      Then "Sam" sees "No orders yet."

    Scenario: A member of one shop does not see another
      Given another shop
      And "Sam" is signed in as support of this shop only
      When "Sam" opens the orders
      Then "Sam" sees "No orders yet."
      When "Sam" opens the other shop's orders
      Then "Sam" sees "There is no shop of this name"

    Scenario: A phone shows four tabs, and one for the other pages
      Given "Ada" is signed in as owner
      When "Ada" uses a phone
      Then "Ada" sees "Lost deals"
      And "Ada" finds no "Money" to press
      When "Ada" presses "More"
      And "Ada" presses "Money"
      Then "Ada" sees "Movements"
      And "Ada" finds no "Settings" to press
      When "Ada" presses "Orders"
      Then "Ada" sees "No orders yet."

    Scenario: A phone shows support the pages of its role
      Given "Sam" is signed in as support
      When "Sam" uses a phone
      And "Sam" presses "Catalogue"
      Then "Sam" sees "1 product"
      And "Sam" finds no "Policy" to press
      When "Sam" presses "More"
      And "Sam" presses "Settings"
      Then "Sam" sees "Sign-in and sessions"

  Rule: Orders are found, shipped, refunded and cancelled

    Scenario: Finding an order
      Given a buyer who ordered 2 of the "Trail Tent"
      And "Ada" is signed in as owner
      When "Ada" presses "Orders"
      Then "Ada" sees "1 order"
      When "Ada" presses "$confirmation"
      Then "Ada" sees "Trail Tent"
      And "Ada" sees "To ship"

    Scenario: The navigation shows how much there is to do
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And a buyer who ordered 2 of the "Trail Tent"
      And "Ada" is signed in as owner
      When "Ada" presses "Money"
      Then "Ada" sees "2 to ship" next to "Orders" in the navigation
      And "Ada" sees "1 to decide" next to "Returns" in the navigation
      And "Ada" sees nothing next to "Money" in the navigation
      When "Ada" presses "Today"
      Then "Ada" sees "2 kinds of things wait" next to "Today" in the navigation
      And "Ada" sees "2 to ship" next to "Orders" in the navigation

    Scenario: Shipping an order
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Sam" is signed in as support
      When "Sam" presses "Orders"
      And "Sam" presses "$confirmation"
      And "Sam" presses "Ship order"
      And "Sam" fills in "Carrier" with "UPS"
      And "Sam" fills in "Tracking number" with "1Z999AA10123456784"
      And "Sam" presses "Ship order"
      Then "Sam" sees "The order is shipped."
      And "Sam" sees "1Z999AA10123456784"
      And the order is shipped by "UPS"

    Scenario: Refunding with a code
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ada" is a member as manager
      And "Ada" enrols an authenticator of their own
      And the shop requires a second factor of its members
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
      And "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Refund"
      Then "Ada" sees "authenticator"
      When "Ada" fills in "Code of your authenticator" with a recovery code
      And "Ada" presses "Refund"
      Then "Ada" sees "The refund is made."
      And "Ada" sees "Refunded $12.50"
      And 12.50 of the order is refunded

    Scenario: Shipping several orders while one is canceled
      Given a buyer who ordered 1 of the "Trail Tent"
      And the number of the order is called "first"
      And a buyer who ordered 2 of the "Trail Tent"
      And "Sam" is signed in as support
      When "Sam" presses "Orders"
      Then "Sam" finds no "Export CSV" to press
      When "Sam" selects "$first"
      And "Sam" selects "$confirmation"
      Then "Sam" sees "2 selected:"
      When "Sam" presses "Ship"
      Then "Sam" is asked "Ship 2 orders?"
      When "Sam" fills in "Carrier" with "UPS"
      And "Sam" fills in "$first, tracking number" with "1Z999AA10123456784"
      And the order is cancelled meanwhile
      And "Sam" presses "Ship 2 orders"
      Then "Sam" sees "1 of 2 orders are shipped"
      And "Sam" sees "Not shipped"
      When "Sam" presses "$first"
      Then "Sam" sees "UPS 1Z999AA10123456784"

    Scenario: Orders that are selected without scripts
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ana" is a member as analyst
      And "Sam" is signed in as support
      And "Sam" turns scripts off
      When "Sam" presses "Orders"
      And "Sam" selects "$confirmation"
      And "Sam" presses "Ship"
      And "Sam" presses "Ship 1 order"
      Then "Sam" sees "1 of 1 order is shipped"
      When "Sam" downloads the selected order
      Then the file contains "$confirmation"
      And the file contains "shipped"
      When "Ana" signed in to the console
      And "Ana" presses "Orders"
      Then "Ana" finds no "Ship" to press

    Scenario: Writing a note on an order
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Sam" is a member as support
      And "Ana" is a member as analyst
      And "Sam" signed in to the console
      And "Ana" signed in to the console
      When "Sam" presses "Orders"
      And "Sam" presses "$confirmation"
      And "Sam" fills in "Note" with "Wrap it as a gift."
      And "Sam" presses "Add note"
      Then "Sam" sees "The note is added."
      When "Ana" presses "Orders"
      And "Ana" presses "$confirmation"
      Then "Ana" sees "Wrap it as a gift."
      And "Ana" sees "· Sam"
      And "Ana" finds no "Add note" to press

    Scenario: A refund has a dialog, which keeps its fields after an error
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ada" is a member as manager
      And "Ada" enrols an authenticator of their own
      And the shop requires a second factor of its members
      When "Ada" signs in to the console
      And "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Continue"
      And "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      And "Ada" presses "Refund"
      Then "Ada" is asked "Refund $confirmation?"
      When "Ada" presses the key "Escape"
      Then "Ada" sees no dialog
      And "Ada" has the focus on "Refund"
      When "Ada" presses "Refund"
      And "Ada" fills in "Amount" with "12.50"
      And "Ada" fills in "Reason" with "Scratched"
      And "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Refund"
      Then "Ada" is asked "Refund $confirmation?"
      And "Ada" sees "The code is wrong"
      And "Ada" still has "Scratched" in "Reason"
      And "Ada" still has "12.50" in "Amount"
      When "Ada" presses "Cancel"
      Then "Ada" sees no dialog
      And "Ada" has the focus on "Refund"

    Scenario: A refund without scripts
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ada" is signed in as owner
      And "Ada" turns scripts off
      When "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      Then "Ada" does not see "The buyer gets the money back"
      When "Ada" presses "Refund"
      And "Ada" fills in "Amount" with "12,50"
      And "Ada" fills in "Reason" with "Scratched"
      And "Ada" presses "Refund"
      Then "Ada" sees "must be a number such as 1234.50, without a comma"
      When "Ada" fills in "Amount" with "12.50"
      And "Ada" presses "Refund"
      Then "Ada" sees "The refund is made."

    Scenario: Cancelling an order
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ada" is signed in as owner
      When "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      And "Ada" presses "Cancel"
      Then "Ada" sees "back, and what was bought goes back to stock."
      When "Ada" presses "Cancel order"
      Then "Ada" sees "The order is cancelled."
      And "Ada" sees "Cancelled"

    Scenario: An analyst changes nothing
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ana" is signed in as analyst
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
      And "Ada" is signed in as owner
      When "Ada" opens the orders
      Then "Ada" sees "<name>"
      When "Ada" presses "$confirmation"
      Then "Ada" sees "<name>"

      Examples:
        | name                                        |
        | <script>document.title='owned'</script>     |
        | <img src=x onerror=alert(1)>                |
        | </title></svg><svg onload=alert(1)>         |
        | {{.Asset}} ' onmouseover=alert(1) x=        |

  Rule: Members see how prices were negotiated

    Scenario: The start page shows offers while a buyer haggles
      Given a buyer who looks at the "Trail Tent"
      And "Ada" is signed in as owner
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
      And "Ada" is signed in as owner
      When "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      Then "Ada" sees "How the price came to be"
      And "Ada" sees "Close enough"
      And "Ada" sees "Floor"
      And the page of "Ada" prints on one sheet

    Scenario: Support sees offers and prices, and no limits
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And the buyer checks out
      And the buyer pays
      And "Sam" is signed in as support
      When "Sam" presses "Orders"
      And "Sam" presses "$confirmation"
      Then "Sam" sees "Your role does not show price limits."
      And "Sam" sees "$95.00"
      And "Sam" does not see "Floor"
      And "Sam" does not see "Target"

    Scenario: Deals that were lost near the floor
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 79
      And "Ada" is signed in as analyst
      When "Ada" presses "Lost deals"
      Then "Ada" sees "Left near the floor"
      And "Ada" sees "Trail Tent"
      And "Ada" sees "$79.00"

  Rule: Members change in the policy studio how the shop haggles

    Scenario: Starting from a preset
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And "Ada" is signed in as owner
      When "Ada" presses "Policy studio"
      Then "Ada" sees "On your last 1 negotiation"
      And "Ada" sees "No answer on your record changes."
      And "Ada" sees "You edit a draft. Version 1 stays in force"
      When "Ada" presses "Keep margin"
      Then "Ada" sees "6 changes from version 1"
      And "Ada" sees "Certain: 0 deals, possible: 1, where you had 1."
      And "Ada" sees "was $80.00"
      When "Ada" presses "Discard"
      Then "Ada" sees "None yet. Move a slider"
      And "Ada" does not see "changes from version 1"

    Scenario: A draft shows its effect while it changes
      Given "Ada" is signed in as manager
      When "Ada" presses "Policy studio"
      And "Ada" fills in "Most discount" with "10"
      Then "Ada" sees "Was 90%."
      And "Ada" sees "1 change from version 1"
      And "Ada" sees "was $80.00"
      And "Ada" is at the policy studio with at most 10% discount
      When "Ada" presses "All numbers"
      Then "Ada" sees "max_discount_percent"
      And "Ada" sees "1 change from version 1"

    Scenario: Saving a version, putting it in force, and rolling back
      Given "Ada" is signed in as owner
      When "Ada" presses "Policy studio"
      And "Ada" fills in "Most discount" with "10"
      And "Ada" presses "Save as version 2"
      And "Ada" sees "It is kept under Versions, and changes nothing until you activate it."
      And "Ada" fills in "Note" with "Less for everyone"
      And "Ada" presses "Save version 2"
      Then "Ada" sees "The version is saved. It is not in force by that."
      And "Ada" sees "Less for everyone"
      And "Ada" sees "90%"
      When "Ada" presses "Activate…"
      Then "Ada" sees "Buyers who begin to haggle from now on get prices by version 2."
      When "Ada" presses "Activate version 2"
      Then "Ada" sees "The version is in force."
      And "Ada" sees "Version 2 stays in force until you activate another."
      When "Ada" presses "Versions"
      And "Ada" presses "Roll back to version 1"
      Then "Ada" sees "Roll back to version 1?"
      When "Ada" presses "Roll back to version 1"
      Then "Ada" sees "Version 1 stays in force until you activate another."

    Scenario: Holding buyers back to compare
      Given "Ada" is signed in as owner
      When "Ada" presses "Policy studio"
      And "Ada" fills in "How fast you come down" with "60"
      And "Ada" presses "Activate…"
      And "Ada" checks "Keep 10% of buyers on version 1 to compare"
      And "Ada" presses "Activate version 2"
      Then "Ada" sees "The version is in force."
      When "Ada" presses "Versions"
      Then "Ada" sees "10% of buyers stay on version 1."
      And "Ada" sees "Not decided yet."
      When "Ada" fills in "Hold back, % of buyers" with "80"
      And "Ada" presses "Change"
      Then "Ada" sees "must be between 0 and 50"
      When "Ada" fills in "Hold back, % of buyers" with "0"
      And "Ada" presses "Change"
      Then "Ada" sees "No buyers are held back."

    Scenario: Invalid numbers
      Given "Ada" is signed in as owner
      When "Ada" presses "Policy studio"
      And "Ada" fills in "Least margin to keep" with "lots"
      Then "Ada" sees "must be a number such as 12.5"
      When "Ada" fills in "Least margin to keep" with "5000"
      Then "Ada" sees "must be between 0 and 1,000"
      And "Ada" finds no "Save as version 2" to press
      When "Ada" fills in "Least margin to keep" with "12.5"
      Then "Ada" sees "1 change from version 1"

    Scenario: An analyst tries drafts, and changes nothing
      Given "Ana" is signed in as analyst
      When "Ana" presses "Policy studio"
      And "Ana" presses "Clear stock"
      Then "Ana" sees "changes from version 1"
      And "Ana" finds no "Save as version 2" to press
      And "Ana" finds no "Activate…" to press
      And "Ana" finds no "Suggest from my record" to press
      When "Ana" opens the activation of a draft
      Then "Ana" sees "Your role does not change policies."

    Scenario: Support does not see the policy studio
      Given "Sam" is signed in as support
      Then "Sam" sees "Today"
      And "Sam" finds no "Policy studio" to press
      When "Sam" opens the policy studio
      Then "Sam" sees "Not for your role"

    Scenario: A deal that was lost
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 79
      And "Ada" is signed in as owner
      When "Ada" presses "Lost deals"
      And "Ada" presses "Test 4% in the studio"
      Then "Ada" sees "This case: Trail Tent"
      And "Ada" sees "$79.00 offered"
      And "Ada" sees "The draft asks $87.69 where the buyer offered $79.00 at last."
      And "Ada" sees "Capped at 20% in Settings."

    Scenario: Simulating the market
      Given "Ada" is signed in as owner
      When "Ada" presses "Policy studio"
      And "Ada" presses "Clear stock"
      And "Ada" presses "Simulate the market"
      Then "Ada" sees "The draft"
      And "Ada" sees "No product has a known cost, so there is no margin to compare."
      And "Ada" sees "changes from version 1"

    Scenario: Learning from a short record
      Given "Ada" is signed in as owner
      When "Ada" presses "Policy studio"
      And "Ada" presses "Suggest from my record"
      Then "Ada" sees "A better policy is saved as a version"

  Rule: Returns are decided, the oldest first

    Scenario: Approving returns one after the other
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Sam" is signed in as support
      When "Sam" presses "Returns"
      Then "Sam" sees "2 returns to decide, the oldest first"
      And "Sam" sees "Too large"
      When "Sam" presses "$confirmation"
      Then "Sam" sees "Return of $confirmation"
      And "Sam" sees "1 of 2"
      And "Sam" sees "1 other waits to be decided."
      When "Sam" fills in "Refund, up to" with "40"
      And "Sam" unchecks "Put 1 piece back into stock"
      And "Sam" presses "Approve return"
      Then "Sam" sees "The return is approved."
      And "Sam" sees "1 of 1"
      And "Sam" does not see "Return of $confirmation"
      And the return is approved with 0 pieces restocked, and 40 is refunded
      When "Sam" presses "See it"
      Then "Sam" sees "$40.00 was refunded. Nothing went back to stock."
      And "Sam" finds no "Approve return" to press
      When "Sam" presses "Next to decide"
      And "Sam" presses "Approve return"
      Then "Sam" sees "No return waits for you."
      When "Sam" presses "See it"
      Then "Sam" sees "$100.00 was refunded. 1 piece went back to stock."
      When "Sam" presses "Returns"
      And "Sam" presses "Approved"
      Then "Sam" sees "2 returns approved"

    Scenario: Deciding a return by keyboard
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Sam" is signed in as support
      When "Sam" presses "Returns"
      And "Sam" presses "$confirmation"
      And "Sam" presses the key "a"
      And "Sam" presses the key "Enter"
      Then "Sam" sees "The return is approved."

    Scenario: Rejecting a return
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ada" is signed in as manager
      When "Ada" presses "Returns"
      And "Ada" presses "$confirmation"
      And "Ada" fills in "Reason" with "The product shows use."
      And "Ada" presses "Reject return"
      Then "Ada" sees "The return is rejected."
      And "Ada" sees "No return waits for you."
      When "Ada" presses "See it"
      Then "Ada" sees "The product shows use."
      And the order's return is rejected

    Scenario: Answering a dispute
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer disputed the order as not received
      And "Sam" is signed in as support
      When "Sam" presses "Answer disputes"
      And "Sam" presses "$confirmation"
      Then "Sam" sees "The buyer says the goods did not arrive."
      When "Sam" fills in "What speaks for you" with "winning_evidence"
      And "Sam" presses "Send evidence"
      Then "Sam" sees "The evidence is sent."
      And "Sam" sees "Won. The money stays with the shop."
      And "Sam" sees "1 × Trail Tent"
      And "Sam" finds no "Accept dispute" to press
      When "Sam" presses "Open order"
      And "Sam" presses "Open dispute"
      Then "Sam" sees "Evidence that was sent"

    Scenario: Accepting a dispute
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer disputed the order
      And "Ada" is signed in as owner
      When "Ada" presses "Returns"
      And "Ada" presses "Disputes"
      And "Ada" presses "$confirmation"
      And "Ada" presses "Accept dispute"
      Then "Ada" sees "The dispute is accepted. The buyer keeps the money."
      And "Ada" finds no "Send evidence" to press

    Scenario: Amounts that cannot be given back
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ada" is signed in as owner
      When "Ada" presses "Returns"
      And "Ada" presses "$confirmation"
      And "Ada" fills in "Refund, up to" with "12,50"
      And "Ada" presses "Approve return"
      Then "Ada" sees "must be a number such as 1234.50, without a comma"
      When "Ada" fills in "Refund, up to" with "1000"
      And "Ada" presses "Approve return"
      Then "Ada" sees "amount"
      And "Ada" sees "Reject return"

    Scenario: A return that was decided elsewhere
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ada" is signed in as owner
      When "Ada" presses "Returns"
      And "Ada" presses "$confirmation"
      And the return is rejected meanwhile because "Too late"
      And "Ada" presses "Approve return"
      Then "Ada" sees "The return has been decided."
      And "Ada" sees "Too late"
      And "Ada" finds no "Approve return" to press

    Scenario: Approving with a code
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ada" is a member as manager
      And "Ada" enrols an authenticator of their own
      And the shop requires a second factor of its members
      When "Ada" signs in to the console
      And "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Continue"
      And "Ada" presses "Returns"
      And "Ada" presses "$confirmation"
      And "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Approve return"
      Then "Ada" sees "authenticator"
      And "Ada" finds no "See it" to press
      When "Ada" fills in "Code of your authenticator" with a recovery code
      And "Ada" presses "Approve return"
      Then "Ada" sees "The return is approved."

    Scenario: An analyst decides no return
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ana" is signed in as analyst
      When "Ana" presses "Returns"
      And "Ana" presses "$confirmation"
      Then "Ana" sees "What the buyer sends back"
      And "Ana" finds no "Approve return" to press
      And "Ana" finds no "Reject return" to press

  Rule: Members follow the money from the list price to the provider

    Scenario: Following the money
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant refunds 20 of the payment
      And "Ada" is signed in as owner
      When "Ada" presses "Money"
      Then "Ada" sees "Goods at list"
      And "Ada" sees "After refunds"
      And "Ada" sees "$85.99"
      And "Ada" sees "−$20.00"
      And "Ada" sees "Not compared yet."
      When "Ada" presses "Check now"
      Then "Ada" sees "In agreement"
      And "Ada" sees "2 of 2 match"
      When "Ada" presses "All payments"
      And "Ada" presses "Partly refunded"
      Then "Ada" sees "1 payment"
      And "Ada" sees "$105.99"
      When "Ada" presses "Refunded"
      Then "Ada" sees "No payments match."
      When "Ada" presses "Movements"
      And "Ada" presses "Refunds"
      Then "Ada" sees "1 movement"
      And "Ada" sees "−$20.00"
      When "Ada" presses "$confirmation"
      Then "Ada" sees "What was bought"

    Scenario: Downloading tables
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ana" is signed in as analyst
      When "Ana" downloads the payments
      Then the file contains "text/csv"
      And the file contains "attachment; filename="
      And the file contains "$order"
      When "Ana" downloads the movements
      Then the file contains "funds:sandbox"
      When "Ana" downloads the movements from "yesterday"
      Then the download is refused
      And the file contains "from"

    Scenario: Support sees money and no figures
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Sam" is signed in as support
      When "Sam" presses "Money"
      Then "Sam" sees "Your role, support, does not include figures."
      And "Sam" sees "Held now"
      And "Sam" does not see "Goods at list"

    Scenario: Unknown filters
      Given "Ada" is signed in as owner
      When "Ada" opens the returns with the filter "colour"
      Then "Ada" sees "There is no filter colour."
      When "Ada" opens the payments with the status "lost"
      Then "Ada" sees "There is no filter status=lost."
      When "Ada" opens a return that does not exist
      Then "Ada" sees "Not found"

    Scenario: A payment whose outcome is unknown
      Given a connected Stripe account whose webhooks are signed with "whsec_of_nobody"
      And a buyer at the checkout with 2 of the "Trail Tent"
      And every request of the account gets lost from now on
      When the buyer pays with a token granted to the account
      Then it is refused because the payment's outcome is unknown
      Given "Ana" is signed in as analyst
      When "Ana" presses "Money"
      Then "Ana" sees "Payments without an answer"
      And "Ana" finds no "Decide" to press
      Given "Ada" is a member as owner
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in to the console
      And "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Continue"
      And "Ada" presses "Money"
      And "Ada" presses "Decide"
      Then "Ada" sees "$205.99 without an answer"
      When "Ada" fills in "Why you know it was not taken" with "Looked it up"
      And "Ada" presses "Release the goods" with a wrong code
      Then "Ada" sees "The payment attempt is less than 10 minutes old"
      Given the payment began 11m earlier
      When "Ada" presses "Release the goods" with a wrong code
      Then "Ada" sees "The code is wrong"
      When "Ada" presses "Release the goods" with a recovery code
      Then "Ada" sees "The payment was not taken. Its goods are back in stock."
      And there are 7 of the "Trail Tent" left

  Rule: Owners decide who has access

    Scenario: Inviting somebody from the console
      Given "Ada" is signed in as owner
      When "Ada" opens the members
      And "Ada" presses "Invite"
      And "Ada" fills in "E-mail" with "$email_Ada"
      And "Ada" chooses "Analyst" for "Role"
      And "Ada" presses "Invite member"
      Then "Ada" sees "is a member"
      And "Ada" still has "$email_Ada" in "E-mail"
      And "Ada" still has "analyst" in "Role"
      When "Ada" fills in "E-mail" with "bea@example.com"
      And "Ada" presses "Invite member"
      Then "Ada" sees "bea@example.com is invited as analyst"
      And "Ada" sees "It was not mailed. Hand it over yourself."
      When "Ada" gives the link that is shown to "Bea"
      And "Bea" opens the link
      Then "Bea" sees "You are invited as analyst"
      When "Ada" opens the members
      Then "Ada" sees "Open invitations"
      When "Ada" presses "Revoke the invitation of bea@example.com"
      Then "Ada" sees "The invitation is revoked."
      When "Bea" opens the link
      Then "Bea" sees "The link is invalid, has been used, or has expired."

    Scenario: Changing what a member may do
      Given another shop
      And "Ada" is a member as owner
      And "Sam" is a member as support of this shop only
      And "Ada" signed in to the console
      When "Ada" opens the members
      And "Ada" presses "Sam"
      And "Ada" chooses "Owner" for "Role"
      And "Ada" presses "Save"
      Then "Ada" sees "must be empty: an owner has all projects of the account"
      When "Ada" opens the page of "Sam"
      And "Ada" fills in "Name" with "Samuel"
      And "Ada" chooses "Manager" for "Role"
      And "Ada" ticks "Another Shop"
      And "Ada" presses "Save"
      Then "Ada" sees "The change is saved. It counts at once."
      And "Sam" is named "Samuel", and is manager of 2 shops

    Scenario: A change that needs a code
      Given "Ada" is a member as owner
      And "Sam" is a member as support
      And "Ada" signed in to the console
      And "Ada" enrols an authenticator of their own
      And the shop requires a second factor of its members
      When "Ada" opens the page of "Sam"
      And "Ada" chooses "Manager" for "Role"
      And "Ada" presses "Save"
      Then "Ada" sees "This needs a code of your authenticator, or a recovery code."
      And "Ada" still has "manager" in "Role"
      When "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Save"
      Then "Ada" sees "The code is wrong, was used, or is too old."
      When "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Save"
      Then "Ada" sees "The change is saved. It counts at once."

    Scenario: An owner without an authenticator where a code is asked for
      Given "Ada" is a member as owner
      And "Sam" is a member as support
      And the shop requires a second factor of its members
      And "Ada" signed in to the console
      When "Ada" opens the page of "Sam"
      And "Ada" chooses "Manager" for "Role"
      And "Ada" presses "Save"
      Then "Ada" sees "You have no authenticator, and this needs its code. Nothing was changed."
      And "Ada" sees "Set one up in Settings, under Sign-in and sessions, and try again."

    Scenario: Removing a member
      Given "Ada" is a member as owner
      And "Sam" is a member as support
      And "Ada" signed in to the console
      And "Sam" signed in to the console
      When "Ada" opens the page of "Sam"
      And "Ada" presses "Remove"
      Then "Ada" sees "Sam can no longer sign in, and all of their sessions end at once."
      When "Ada" presses "Remove member"
      Then "Ada" sees "The member is removed"
      And "Ada" does not see "Sam"
      When "Sam" opens the start page
      Then "Sam" sees "Sign in"

    Scenario: The last owner stays
      Given "Ada" is signed in as owner
      When "Ada" opens the page of "Ada"
      And "Ada" presses "Remove"
      Then "Ada" sees "You are removing yourself"
      When "Ada" presses "Remove member"
      Then "Ada" sees "The account has no other owner."

    Scenario: A link for a forgotten password
      Given "Ada" is a member as owner
      And "Sam" is a member as support
      And "Ada" signed in to the console
      When "Ada" opens the page of "Sam"
      And "Ada" presses "Password link"
      And "Ada" presses "Make password link"
      Then "Ada" sees "A link to choose another password"
      When "Ada" gives the link that is shown to "Sam"
      And "Sam" opens the link
      And "Sam" fills in "New password" with "battery staple horse"
      And "Sam" presses "Set password"
      Then "Sam" sees "Your password is set."

    Scenario: A manager sees people and keys, and changes neither
      Given "Ada" is a member as owner
      And "Max" is signed in as manager
      When "Max" presses "Settings"
      And "Max" presses "People"
      Then "Max" sees "Owners invite, change and remove members."
      And "Max" finds no "Invite" to press
      When "Max" presses "Ada"
      Then "Max" sees "Owners change and remove members."
      And "Max" finds no "Remove" to press
      And "Max" finds no "Save" to press
      When "Max" presses "API keys"
      Then "Max" sees "Owners make and revoke keys."
      And "Max" finds no "Make a key" to press
      And "Max" finds no "Revoke" to press

    Scenario: Support sees the settings of the shop and its own access
      Given "Sam" is signed in as support
      When "Sam" presses "Settings"
      Then "Sam" sees "Owners and managers change the settings of a shop."
      And "Sam" finds no "Save settings" to press
      And "Sam" finds no "People" to press
      And "Sam" finds no "Audit log" to press
      When "Sam" opens the members
      Then "Sam" sees "Not for your role"

  Rule: Members manage their own sign-in

    Scenario: Setting up an authenticator, and removing it
      Given "Sam" is signed in as support of this shop only
      When "Sam" opens the sign-in settings
      And "Sam" presses "Set up an authenticator"
      And "Sam" types the key that is shown into an authenticator
      And "Sam" fills in "First code of the app" with a wrong code
      And "Sam" presses "Confirm authenticator"
      Then "Sam" sees "is not the authenticator's current code"
      And "Sam" sees "Keep these recovery codes."
      When "Sam" fills in "First code of the app" with a fresh code
      And "Sam" presses "Confirm authenticator"
      Then "Sam" sees "The authenticator is in use."
      And "Sam" sees "10 recovery codes left"
      When "Sam" presses "Remove"
      And "Sam" presses "Remove authenticator"
      Then "Sam" sees "This needs a code of your authenticator, or a recovery code."
      When "Sam" fills in "Code of your authenticator" with a fresh code
      And "Sam" presses "Remove authenticator"
      Then "Sam" sees "The authenticator is removed."

    Scenario: Ending the other sessions
      Given "Sam" is signed in as support
      When "Sam" opens the sign-in settings
      Then "Sam" sees "Chrome on"
      And "Sam" sees "198.18."
      And "Sam" sees "This session"
      When "Sam" presses "End all others"
      Then "Sam" is asked "End all your other sessions?"
      When "Sam" presses "End sessions"
      Then "Sam" sees "The sessions have ended."
      And "Sam" finds no "End session" to press
      And the session of "Sam" does not work

    Scenario: Ending one session
      Given "Sam" is signed in as support
      When "Sam" opens the sign-in settings
      And "Sam" presses "End session"
      Then "Sam" sees "The session has ended."
      And the session of "Sam" does not work

  Rule: Owners make and revoke keys, which are shown once

    Scenario: An API key from the console
      Given "Ada" is signed in as owner
      When "Ada" opens the API keys
      And "Ada" presses "Make a key"
      And "Ada" fills in "Name" with "Feed"
      And "Ada" presses "Make key"
      Then "Ada" sees "must not be empty"
      And "Ada" still has "Feed" in "Name"
      When "Ada" chooses "Read and change" for "Catalogue"
      And "Ada" chooses "Read" for "Shop settings"
      And "Ada" presses "Make key"
      Then "Ada" sees "The key “Feed” is made"
      And "Ada" sees "It may: change catalogue; read shop settings."
      When "Ada" keeps the secret that is shown as the key "Feed"
      Then the key "Feed" is valid
      When "Ada" opens the API keys
      Then "Ada" sees "Change catalogue; read shop settings"
      When "Ada" presses "Revoke"
      Then "Ada" sees "Revoke “Feed”?"
      When "Ada" presses "Revoke key"
      Then "Ada" sees "The key is revoked."
      And the key "Feed" is invalid

    Scenario: An agent's key from the console
      Given "Ada" is signed in as owner
      When "Ada" opens the agent keys
      Then "Ada" sees "No agent keys."
      When "Ada" presses "Make a key"
      And "Ada" fills in "Name" with "Partner"
      And "Ada" fills in "Agent's profile" with "http://agent.example/profile.json"
      And "Ada" presses "Make key"
      Then "Ada" sees "Nothing was saved."
      When "Ada" fills in "Agent's profile" with "https://agent.example/profile.json"
      And "Ada" presses "Make key"
      Then "Ada" sees "The key “Partner” is made"
      When "Ada" opens the agent keys
      And "Ada" presses "Revoke"
      And "Ada" presses "Revoke key"
      Then "Ada" sees "The key is revoked."
      And "Ada" sees "No agent keys."

  Rule: In the sandbox, a button sends test buyers

    Scenario: Sending buyers
      Given a server beside the merchant's systems
      And a merchant with an account of its own
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      And "Sam" is a member as support
      And "Ada" is a member as owner
      When "Sam" signs in to the console
      Then "Sam" sees "Waiting for you"
      And "Sam" finds no "Send 20 test buyers" to press
      When "Ada" signs in to the console
      And "Ada" presses "Send 20 test buyers"
      Then "Ada" sees "20 test buyers are on their way."
      And "Ada" sees "Test buyers under way"
      And "Ada" finds no "Send 20 test buyers" to press

  Rule: A change is confirmed for a moment, and can be undone

    Scenario: Undoing a change of settings
      Given "Max" is signed in as manager
      When "Max" presses "Settings"
      And "Max" fills in "Most discount" with "33"
      And "Max" presses "Save settings"
      Then "Max" sees "The settings are saved."
      When "Max" presses "Undo"
      Then "Max" sees "Undone. It is as it was before."
      And "Max" still has "20" in "Most discount"
      And "Max" finds no "Undo" to press
      And the shop gives at most 20% discount

    Scenario: Undoing by keyboard
      Given "Warehouse" is a subscription to all events
      And "Max" is signed in as manager
      When "Max" opens the event subscriptions
      And "Max" presses "Warehouse"
      And "Max" presses "Switch off"
      Then "Max" sees "The subscription is switched off."
      When "Max" presses the key "z"
      Then "Max" sees "Undone. It is as it was before."
      And "Max" finds no "Switch on" to press

    Scenario: Undoing an activation
      Given "Ada" is signed in as owner
      When "Ada" opens the activation of the preset Keep margin
      And "Ada" presses "Activate version 2"
      Then "Ada" sees "The version is in force."
      When "Ada" presses "Undo"
      Then "Ada" sees "Undone. It is as it was before."
      And "Ada" sees "Version 1 stays in force until you activate another."

    Scenario: A confirmation is shown once
      Given "Ada" is signed in as owner
      When "Ada" opens the sign-in settings, where a session was just ended
      Then "Ada" sees "The session has ended."
      And "Ada" is at the sign-in settings
      And "Ada" no longer sees "The session has ended."

  Rule: The audit log shows who changed what

    Scenario: A long log has pages
      Given the merchant changed the shop's name 30 times
      And "Ada" is signed in as owner
      When "Ada" opens the log of the shop
      Then "Ada" sees "30 changes"
      And "Ada" does not see "Newer"
      When "Ada" presses "Older"
      Then "Ada" sees "Older changes"
      When "Ada" presses "Newer"
      Then "Ada" sees "30 changes"
      When "Ada" opens the log of the shop after a change that does not exist
      Then "Ada" sees "There is no filter after=x."
      And "Ada" sees "30 changes"

    Scenario: Who changed the settings
      Given "Max" is signed in as manager
      When "Max" presses "Settings"
      And "Max" fills in "Most discount" with "33"
      And "Max" presses "Save settings"
      Then "Max" sees "The settings are saved."
      When "Max" presses "Who changed settings"
      Then "Max" sees "Changed the shop's settings"
      And "Max" sees "1 change"
      When "Max" presses "What changed"
      Then "Max" sees "commerce: max discount percent"
      When "Max" opens the changes of Max in January 2020
      Then "Max" sees "No changes match."
      When "Max" opens the audit log with the filter "colour"
      Then "Max" sees "There is no filter colour."
      And "Max" sees "API key"

    Scenario: Settings that cannot be saved
      Given "Ada" is signed in as owner
      When "Ada" presses "Settings"
      And "Ada" fills in "Most discount" with "a lot"
      And "Ada" fills in "Time zone" with "Europe/Berlin"
      And "Ada" presses "Save settings"
      Then "Ada" sees "must be a number such as 30"
      And "Ada" still has "Europe/Berlin" in "Time zone"
      When "Ada" fills in "Most discount" with "95"
      And "Ada" presses "Save settings"
      Then "Ada" sees "Nothing was saved."
      When "Ada" fills in "Most discount" with "25.5"
      And "Ada" presses "Save settings"
      Then "Ada" sees "The settings are saved."
      And the shop gives at most 25.5% discount
      And the shop's time zone is "Europe/Berlin"

    Scenario: Changing the storefront
      Given "Ada" is signed in as owner
      When "Ada" opens the storefront settings
      And "Ada" fills in "Days to ask for a return" with "4000"
      And "Ada" presses "Save settings"
      Then "Ada" sees "must be between 0 and 3,650"
      When "Ada" fills in "Days to ask for a return" with "45"
      And "Ada" fills in "Free shipping from" with "75"
      And the return conditions become "Unworn" meanwhile
      And "Ada" presses "Save settings"
      Then "Ada" sees "The settings are saved."
      And the shop takes returns for 45 days, "Unworn", and ships for free from 75

  Rule: Event subscriptions are watched, tested and switched on

    Scenario: A subscription in the console
      Given "Stock desk" is a subscription to "order.completed"
      And "Max" is signed in as manager
      When "Max" opens the event subscriptions
      Then "Max" sees "order.completed"
      When "Max" presses "Stock desk"
      Then "Max" sees "Nothing was sent yet."
      When "Max" presses "Send test event"
      Then "Max" sees "A test event is on its way."
      And "Max" sees "ping"
      When "Max" presses "Switch off"
      Then "Max" sees "Switched off by hand."
      And "Max" finds no "Send test event" to press
      When "Max" presses "Switch on"
      Then "Max" sees "The subscription is on again."

    Scenario: An analyst watches subscriptions and changes none
      Given "Stock desk" is a subscription to all events
      And "Ana" is signed in as analyst
      When "Ana" opens the event subscriptions
      Then "Ana" sees "All events"
      When "Ana" presses "Stock desk"
      Then "Ana" sees "Nothing was sent yet."
      And "Ana" finds no "Send test event" to press
      And "Ana" finds no "Switch off" to press

  Rule: Managers choose the agent that haggles for the shop

    Scenario: An agent of one's own
      Given "Ada" is signed in as manager
      When "Ada" opens the agents
      And "Ada" presses "Make an agent"
      And "Ada" fills in "Name" with "Clearance"
      And "Ada" presses "Make agent"
      Then "Ada" sees "The secret of “Clearance”"
      When "Ada" presses "Clearance"
      And "Ada" chooses "A program of yours" for "Quote is served by"
      And "Ada" fills in "Address of your program for quote" with "http://quotes.example.com"
      And "Ada" presses "Save"
      Then "Ada" sees "https"
      When "Ada" fills in "Address of your program for quote" with "https://quotes.example.com/haggle"
      And "Ada" checks "Word the answers"
      And "Ada" presses "Save"
      Then "Ada" sees "The settings are saved."
      When "Ada" opens the agents
      Then "Ada" sees "Your program: quote"
      When "Ada" presses "Clearance"
      And "Ada" presses "Activate"
      Then "Ada" sees "Prices that were promised stay promised."
      When "Ada" presses "Activate agent"
      Then "Ada" sees "The agent is active."
      When "Ada" presses "Clearance"
      Then "Ada" finds no "Delete" to press

    Scenario: Deleting an agent that serves no shop
      Given "Ada" is signed in as manager
      When "Ada" opens the agents
      And "Ada" presses "Make an agent"
      And "Ada" fills in "Name" with "Clearance"
      And "Ada" presses "Make agent"
      Then "Ada" sees "The secret of “Clearance”"
      When "Ada" presses "Clearance"
      And "Ada" presses "Delete"
      Then "Ada" is asked "Delete Clearance?"
      And "Ada" sees "What it decided stays on record."
      When "Ada" presses "Delete agent"
      Then "Ada" sees "The agent is deleted."
      And "Ada" does not see "Clearance"

    Scenario: Support does not see agents
      Given "Sam" is signed in as support
      When "Sam" opens the agents
      Then "Sam" sees "Not for your role"

  Rule: The search finds everything by name or number

    Scenario: Searching by keyboard
      Given "Ada" is signed in as owner
      When "Ada" opens the orders
      And "Ada" presses the key "Ctrl K"
      And "Ada" presses the keys "t r a i l"
      Then "Ada" sees "negotiations about it"
      When "Ada" presses the key "Enter"
      Then "Ada" sees "No haggling yet."
      When "Ada" presses the keys "g m"
      Then "Ada" is at the money page
      When "Ada" presses the key "?"
      Then "Ada" sees "Keyboard shortcuts"
      When "Ada" checks "Single keys work"
      And "Ada" presses "Close"
      And "Ada" presses the keys "g o"
      And "Ada" looks for "trail x" in the search
      Then "Ada" sees "Nothing is found for “trail x”."

    Scenario: Support does not find what it may not see
      Given "Sam" is signed in as support
      When "Sam" opens the search
      Then "Sam" sees "Orders"
      And "Sam" does not see "Lost deals"
      When "Sam" looks for "ada" in the search
      Then "Sam" sees "Nothing is found"

  Rule: Texts that others wrote are shown as text

    Scenario: A shop whose every text is an attack
      Given a shop whose every text is an attack
      And "Ada" is a member as owner
      When "Ada" reads every page of the console
      Then at least 150 pages contain no attack
      When "Ada" signs in to the console
      Then no attack runs in the browser of "Ada"
