@browser
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
      Then "Ada" sees "The link is invalid, has been used, or has expired."

    Scenario: Signing in at the merchant's own provider
      Given "Ada" is a member with {"role": "owner"}
      When "Ada" opens /console/$slug/orders
      And "Ada" presses "Sign in with Example ID"
      And "Ada" fills in "E-mail at Example ID" with "$email_Ada"
      And "Ada" presses "Continue"
      Then "Ada" sees "No orders yet."
      And "Ada" is at /console/$slug/orders
      When "Eve" opens /console/sign-in
      And "Eve" presses "Sign in with Example ID"
      And "Eve" fills in "E-mail at Example ID" with "eve@example.com"
      And "Eve" presses "Continue"
      Then "Eve" sees "No account belongs to this sign-in."
      When "Eve" opens /console/$slug
      Then "Eve" sees "Forgotten your password?"

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

    Scenario: On a phone, four tabs and one for the rest
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" looks on a phone
      Then "Ada" sees "Lost deals"
      And "Ada" finds no "Money" to press
      When "Ada" presses "More"
      And "Ada" presses "Money"
      Then "Ada" sees "Movements"
      And "Ada" finds no "Settings" to press
      When "Ada" presses "Orders"
      Then "Ada" sees "No orders yet."

    Scenario: On a phone, support has the places that it sees
      Given "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" looks on a phone
      And "Sam" presses "Catalogue"
      Then "Sam" sees "1 product"
      And "Sam" finds no "Policy" to press
      When "Sam" presses "More"
      And "Sam" presses "Settings"
      Then "Sam" sees "Sign-in and sessions"

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

    Scenario: The navigation says how many wait
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And a buyer who ordered 2 of the "Trail Tent"
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Money"
      Then "Ada" is told that "2 to ship" at "Orders"
      And "Ada" is told that "1 to decide" at "Returns"
      And "Ada" is told that "" at "Money"
      When "Ada" presses "Today"
      Then "Ada" is told that "2 kinds of things wait" at "Today"
      And "Ada" is told that "2 to ship" at "Orders"

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
      And "Ada" fills in "Code of your authenticator" with a wrong code
      And "Ada" presses "Refund"
      Then "Ada" sees "authenticator"
      When "Ada" fills in "Code of your authenticator" with a recovery code
      And "Ada" presses "Refund"
      Then "Ada" sees "The refund is made."
      And "Ada" sees "Refunded $12.50"
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | payment.refunded_amount | 12.5 |

    Scenario: Shipping several orders, one of which was cancelled meanwhile
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant sends GET /v1/orders/$order
      And the answer's "confirmation_number" is called "first"
      And a buyer who ordered 2 of the "Trail Tent"
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" presses "Orders"
      Then "Sam" finds no "Export CSV" to press
      When "Sam" selects "$first"
      And "Sam" selects "$confirmation"
      Then "Sam" sees "2 selected:"
      When "Sam" presses "Ship"
      Then "Sam" is asked "Ship 2 orders?"
      When "Sam" fills in "Carrier" with "UPS"
      And "Sam" fills in "$first, tracking number" with "1Z999AA10123456784"
      And the merchant sends POST /v1/orders/$order/cancel {}
      And "Sam" presses "Ship 2 orders"
      Then "Sam" sees "1 of 2 orders are shipped"
      And "Sam" sees "Not shipped"
      When "Sam" presses "$first"
      Then "Sam" sees "UPS 1Z999AA10123456784"

    Scenario: Orders that are selected without scripts
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ana" is a member with {"role": "analyst"}
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      And "Sam" looks without scripts
      When "Sam" presses "Orders"
      And "Sam" selects "$confirmation"
      And "Sam" presses "Ship"
      And "Sam" presses "Ship 1 order"
      Then "Sam" sees "1 of 1 order is shipped"
      When "Sam" downloads /console/$slug/orders/selected.csv?order=$order
      Then the file says "$confirmation"
      And the file says "shipped"
      When "Ana" signed in to the console
      And "Ana" presses "Orders"
      Then "Ana" finds no "Ship" to press

    Scenario: Writing a note on an order
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Sam" is a member with {"role": "support"}
      And "Ana" is a member with {"role": "analyst"}
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

    Scenario: A refund is asked for over the page, and its fields are kept
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
      Then "Ada" is asked "Refund $confirmation?"
      When "Ada" strikes "Escape"
      Then "Ada" is asked nothing
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
      Then "Ada" is asked nothing
      And "Ada" has the focus on "Refund"

    Scenario: A refund without scripts
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      And "Ada" looks without scripts
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
      Given a buyer who looks at the "Trail Tent"
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
      And the page of "Ada" prints on one sheet

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
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 79
      And "Ada" is a member with {"role": "analyst"}
      And "Ada" signed in to the console
      When "Ada" presses "Lost deals"
      Then "Ada" sees "Left near the floor"
      And "Ada" sees "Trail Tent"
      And "Ada" sees "$79.00"
  Rule: How the shop haggles is changed in the policy studio

    Scenario: Starting from a preset
      Given a buyer who agreed on 2 of the "Trail Tent" at 95.00
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Policy studio"
      Then "Ada" sees "On your last 1 negotiation"
      And "Ada" sees "No answer on your record changes."
      And "Ada" sees "You edit a draft. Version 1 stays in force"
      When "Ada" presses "Keep margin"
      Then "Ada" sees "5 changes from version 1"
      And "Ada" sees "Certain: 0 deals, possible: 1, where you had 1."
      And "Ada" sees "was $80.00"
      When "Ada" presses "Discard"
      Then "Ada" sees "None yet. Move a slider"
      And "Ada" does not see "changes from version 1"

    Scenario: A draft shows its effect while it changes
      Given "Ada" is a member with {"role": "manager"}
      And "Ada" signed in to the console
      When "Ada" presses "Policy studio"
      And "Ada" fills in "Most discount" with "10"
      Then "Ada" sees "Was 90%."
      And "Ada" sees "1 change from version 1"
      And "Ada" sees "was $80.00"
      And "Ada" is at /console/$slug/policy?max_discount_percent=10
      When "Ada" presses "All numbers"
      Then "Ada" sees "max_discount_percent"
      And "Ada" sees "1 change from version 1"

    Scenario: Saving a version, putting it in force, and rolling back
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
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
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
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

    Scenario: Numbers that do not work
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Policy studio"
      And "Ada" fills in "Least margin to keep" with "lots"
      Then "Ada" sees "must be a number such as 12.5"
      When "Ada" fills in "Least margin to keep" with "5000"
      Then "Ada" sees "must be between 0 and 1,000"
      And "Ada" finds no "Save as version 2" to press
      When "Ada" fills in "Least margin to keep" with "12.5"
      Then "Ada" sees "1 change from version 1"

    Scenario: An analyst tries drafts, and changes nothing
      Given "Ana" is a member with {"role": "analyst"}
      And "Ana" signed in to the console
      When "Ana" presses "Policy studio"
      And "Ana" presses "Clear stock"
      Then "Ana" sees "changes from version 1"
      And "Ana" finds no "Save as version 2" to press
      And "Ana" finds no "Activate…" to press
      And "Ana" finds no "Suggest from my record" to press
      When "Ana" opens /console/$slug/policy/activate?give=60
      Then "Ana" sees "Your role does not change policies."

    Scenario: Support sees nothing of it
      Given "Sam" is a member with {"role": "support"}
      When "Sam" signs in to the console
      Then "Sam" sees "Today"
      And "Sam" finds no "Policy studio" to press
      When "Sam" opens /console/$slug/policy
      Then "Sam" sees "Not for your role"

    Scenario: A deal that was lost
      Given a buyer who looks at the "Trail Tent"
      And the buyer offers 79
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Lost deals"
      And "Ada" presses "Test 4% in the studio"
      Then "Ada" sees "This case: Trail Tent"
      And "Ada" sees "$79.00 offered"
      And "Ada" sees "The draft asks $87.69 where the buyer offered $79.00 at last."
      And "Ada" sees "Capped at 20% in Settings."

    Scenario: Simulating the market
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Policy studio"
      And "Ada" presses "Clear stock"
      And "Ada" presses "Simulate the market"
      Then "Ada" sees "The draft"
      And "Ada" sees "No product has a known cost, so there is no margin to compare."
      And "Ada" sees "changes from version 1"

    Scenario: Learning from a short record
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Policy studio"
      And "Ada" presses "Suggest from my record"
      Then "Ada" sees "A better policy is saved as a version"

  Rule: Returns are decided, the oldest first

    Scenario: Approving returns one after the other
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And a buyer who ordered 2 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
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
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | payment.refunded_amount | 40         |
        | returns.0.status        | "approved" |
        | returns.0.restocked     | 0          |
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

    Scenario: Deciding a return by keys
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" presses "Returns"
      And "Sam" presses "$confirmation"
      And "Sam" strikes "a"
      And "Sam" strikes "Enter"
      Then "Sam" sees "The return is approved."

    Scenario: Rejecting a return
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ada" is a member with {"role": "manager"}
      And "Ada" signed in to the console
      When "Ada" presses "Returns"
      And "Ada" presses "$confirmation"
      And "Ada" fills in "Reason" with "The product shows use."
      And "Ada" presses "Reject return"
      Then "Ada" sees "The return is rejected."
      And "Ada" sees "No return waits for you."
      When "Ada" presses "See it"
      Then "Ada" sees "The product shows use."
      When the merchant sends GET /v1/orders/$order
      Then the answer shows:
        | returns.0.status | "rejected" |

    Scenario: Answering a dispute
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant sends GET /v1/orders/$order
      And the answer's "payment.id" is called "disputed"
      And the merchant sends POST /v1/sandbox/disputes {"payment_id": "$disputed", "reason": "product_not_received"}
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
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
      And the merchant sends GET /v1/orders/$order
      And the answer's "payment.id" is called "disputed"
      And the merchant sends POST /v1/sandbox/disputes {"payment_id": "$disputed"}
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Returns"
      And "Ada" presses "Disputes"
      And "Ada" presses "$confirmation"
      And "Ada" presses "Accept dispute"
      Then "Ada" sees "The dispute is accepted. The buyer keeps the money."
      And "Ada" finds no "Send evidence" to press

    Scenario: Amounts that cannot be given back
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
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
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" presses "Returns"
      And "Ada" presses "$confirmation"
      And the merchant sends POST /v1/returns/$return/reject {"reason": "Too late"}
      And "Ada" presses "Approve return"
      Then "Ada" sees "The return has been decided."
      And "Ada" sees "Too late"
      And "Ada" finds no "Approve return" to press

    Scenario: Approving with a code
      Given a buyer who ordered 1 of the "Trail Tent"
      And the buyer sends back 1 of the "Trail Tent"
      And "Ada" is a member with {"role": "manager"}
      And "Ada" enrols an authenticator of their own
      And the merchant sends PATCH /v1/projects/$shop/settings {"security": {"mfa_required": true}}
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
      And "Ana" is a member with {"role": "analyst"}
      And "Ana" signed in to the console
      When "Ana" presses "Returns"
      And "Ana" presses "$confirmation"
      Then "Ana" sees "What the buyer sends back"
      And "Ana" finds no "Approve return" to press
      And "Ana" finds no "Reject return" to press

  Rule: Money is followed from the list price to what providers hold

    Scenario: Following the money
      Given a buyer who ordered 1 of the "Trail Tent"
      And the merchant refunds 20 of the payment
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
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
      And "Ana" is a member with {"role": "analyst"}
      And "Ana" signed in to the console
      When "Ana" downloads /console/$slug/money/payments.csv
      Then the file says "text/csv"
      And the file says "attachment; filename="
      And the file says "$order"
      When "Ana" downloads /console/$slug/money/movements.csv
      Then the file says "funds:sandbox"
      When "Ana" downloads /console/$slug/money/movements.csv?from=yesterday
      Then the file says "400"
      And the file says "from"

    Scenario: Support sees money and no figures
      Given a buyer who ordered 1 of the "Trail Tent"
      And "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" presses "Money"
      Then "Sam" sees "Your role, support, does not include figures."
      And "Sam" sees "Held now"
      And "Sam" does not see "Goods at list"

    Scenario: Filters that there are not
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/returns?colour=red
      Then "Ada" sees "There is no filter colour."
      When "Ada" opens /console/$slug/money/payments?status=lost
      Then "Ada" sees "There is no filter status=lost."
      When "Ada" opens /console/$slug/returns/ret_none
      Then "Ada" sees "Not found"

    Scenario: A payment without an answer
      Given a connected Stripe account whose webhooks are signed with "whsec_of_nobody"
      And a buyer at the checkout with 2 of the "Trail Tent"
      And every request of the account gets lost from now on
      When the buyer pays with a token granted to the account
      Then it is refused: 503 payment_unresolved
      Given "Ana" is a member with {"role": "analyst"}
      And "Ana" signed in to the console
      When "Ana" presses "Money"
      Then "Ana" sees "Payments without an answer"
      And "Ana" finds no "Decide" to press
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" enrols an authenticator of their own
      When "Ada" signs in to the console
      And "Ada" fills in "Code of your authenticator" with a fresh code
      And "Ada" presses "Continue"
      And "Ada" presses "Money"
      And "Ada" presses "Decide"
      Then "Ada" sees "$205.99 without an answer"
      When "Ada" fills in "Why you know it was not taken" with "Looked it up"
      And "Ada" decides with a wrong code by "Release the goods"
      Then "Ada" sees "The payment attempt is less than 10 minutes old"
      Given the payment began 11m earlier
      When "Ada" decides with a wrong code by "Release the goods"
      Then "Ada" sees "The code is wrong"
      When "Ada" decides with a recovery code by "Release the goods"
      Then "Ada" sees "The payment was not taken. Its goods are back in stock."
      And there are 7 of the "Trail Tent" left
  Rule: Owners decide who has access

    Scenario: Inviting somebody from the console
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/people
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
      When "Ada" hands the link that is shown to "Bea"
      And "Bea" opens the link
      Then "Bea" sees "You are invited as analyst"
      When "Ada" opens /console/$slug/settings/people
      Then "Ada" sees "Open invitations"
      When "Ada" presses "Revoke the invitation of bea@example.com"
      Then "Ada" sees "The invitation is revoked."
      When "Bea" opens the link
      Then "Bea" sees "The link is invalid, has been used, or has expired."

    Scenario: Changing what a member may do
      Given another shop
      And "Ada" is a member with {"role": "owner"}
      And "Sam" is a member with {"role": "support", "project_ids": ["$shop"]}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/people
      And "Ada" presses "Sam"
      And "Ada" chooses "Owner" for "Role"
      And "Ada" presses "Save"
      Then "Ada" sees "must be empty: an owner has all projects of the account"
      When "Ada" opens /console/$slug/settings/people/$member_Sam
      And "Ada" fills in "Name" with "Samuel"
      And "Ada" chooses "Manager" for "Role"
      And "Ada" ticks "Another Shop"
      And "Ada" presses "Save"
      Then "Ada" sees "The change is saved. It counts at once."
      When the merchant sends GET /v1/members/$member_Sam
      Then the answer shows:
        | name          | "Samuel"  |
        | role          | "manager" |
        | project_ids.# | 2         |

    Scenario: A change that needs a code
      Given "Ada" is a member with {"role": "owner"}
      And "Sam" is a member with {"role": "support"}
      And "Ada" signed in to the console
      And "Ada" enrols an authenticator of their own
      And the merchant sends PATCH /v1/projects/$shop/settings {"security": {"mfa_required": true}}
      When "Ada" opens /console/$slug/settings/people/$member_Sam
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
      Given "Ada" is a member with {"role": "owner"}
      And "Sam" is a member with {"role": "support"}
      And the merchant sends PATCH /v1/projects/$shop/settings {"security": {"mfa_required": true}}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/people/$member_Sam
      And "Ada" chooses "Manager" for "Role"
      And "Ada" presses "Save"
      Then "Ada" sees "You have no authenticator, and this needs its code. Nothing was changed."
      And "Ada" sees "Set one up in Settings, under Sign-in and sessions, and try again."

    Scenario: Removing a member
      Given "Ada" is a member with {"role": "owner"}
      And "Sam" is a member with {"role": "support"}
      And "Ada" signed in to the console
      And "Sam" signed in to the console
      When "Ada" opens /console/$slug/settings/people/$member_Sam
      And "Ada" presses "Remove"
      Then "Ada" sees "Sam can no longer sign in, and all of their sessions end at once."
      When "Ada" presses "Remove member"
      Then "Ada" sees "The member is removed"
      And "Ada" does not see "Sam"
      When "Sam" opens /console/$slug
      Then "Sam" sees "Sign in"

    Scenario: The last owner stays
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/people/$member_Ada
      And "Ada" presses "Remove"
      Then "Ada" sees "You are removing yourself"
      When "Ada" presses "Remove member"
      Then "Ada" sees "The account has no other owner."

    Scenario: A link for a forgotten password
      Given "Ada" is a member with {"role": "owner"}
      And "Sam" is a member with {"role": "support"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/people/$member_Sam
      And "Ada" presses "Password link"
      And "Ada" presses "Make password link"
      Then "Ada" sees "A link to choose another password"
      When "Ada" hands the link that is shown to "Sam"
      And "Sam" opens the link
      And "Sam" fills in "New password" with "battery staple horse"
      And "Sam" presses "Set password"
      Then "Sam" sees "Your password is set."

    Scenario: A manager sees people and keys, and changes neither
      Given "Ada" is a member with {"role": "owner"}
      And "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
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
      Given "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" presses "Settings"
      Then "Sam" sees "Owners and managers change the settings of a shop."
      And "Sam" finds no "Save settings" to press
      And "Sam" finds no "People" to press
      And "Sam" finds no "Audit log" to press
      When "Sam" opens /console/$slug/settings/people
      Then "Sam" sees "Not for your role"

  Rule: Members look after their own access

    Scenario: Setting up an authenticator, and removing it
      Given "Sam" is a member with {"role": "support", "project_ids": ["$shop"]}
      And "Sam" signed in to the console
      When "Sam" opens /console/$slug/settings/sign-in
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
      Given "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" opens /console/$slug/settings/sign-in
      Then "Sam" sees "Chrome on"
      And "Sam" sees "198.18."
      And "Sam" sees "This session"
      When "Sam" presses "End all others"
      Then "Sam" is asked "End all your other sessions?"
      When "Sam" presses "End sessions"
      Then "Sam" sees "The sessions have ended."
      And "Sam" finds no "End session" to press
      And the session of "Sam" is good for nothing

    Scenario: Ending one session
      Given "Sam" is a member with {"role": "support"}
      And "Sam" signed in to the console
      When "Sam" opens /console/$slug/settings/sign-in
      And "Sam" presses "End session"
      Then "Sam" sees "The session has ended."
      And the session of "Sam" is good for nothing

  Rule: Keys are made, shown once and revoked

    Scenario: An API key from the console
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/api-keys
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
      And the holder of "Feed" sends GET /v1/projects
      Then it answers 200
      When "Ada" opens /console/$slug/settings/api-keys
      Then "Ada" sees "Change catalogue; read shop settings"
      When "Ada" presses "Revoke"
      Then "Ada" sees "Revoke “Feed”?"
      When "Ada" presses "Revoke key"
      Then "Ada" sees "The key is revoked."
      When the holder of "Feed" sends GET /v1/projects
      Then it is refused: 401 unauthenticated

    Scenario: An agent's key from the console
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/agent-keys
      Then "Ada" sees "No agent keys."
      When "Ada" presses "Make a key"
      And "Ada" fills in "Name" with "Partner"
      And "Ada" fills in "Agent's profile" with "http://agent.example/profile.json"
      And "Ada" presses "Make key"
      Then "Ada" sees "Nothing was saved."
      When "Ada" fills in "Agent's profile" with "https://agent.example/profile.json"
      And "Ada" presses "Make key"
      Then "Ada" sees "The key “Partner” is made"
      When "Ada" opens /console/$slug/settings/agent-keys
      And "Ada" presses "Revoke"
      And "Ada" presses "Revoke key"
      Then "Ada" sees "The key is revoked."
      And "Ada" sees "No agent keys."

  Rule: In the sandbox, test buyers come at a press

    Scenario: Sending buyers
      Given a server beside the merchant's systems
      And a merchant with an account of its own
      And a shop selling:
        | name       | price  | stock |
        | Trail Tent | 100.00 | 7     |
      And "Sam" is a member with {"role": "support"}
      And "Ada" is a member with {"role": "owner"}
      When "Sam" signs in to the console
      Then "Sam" sees "Waiting for you"
      And "Sam" finds no "Send 20 test buyers" to press
      When "Ada" signs in to the console
      And "Ada" presses "Send 20 test buyers"
      Then "Ada" sees "20 test buyers are on their way."
      And "Ada" sees "Test buyers under way"
      And "Ada" finds no "Send 20 test buyers" to press

  Rule: What was done is said for a moment, and undone where it can be

    Scenario: Undoing a change of settings
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" presses "Settings"
      And "Max" fills in "Most discount" with "33"
      And "Max" presses "Save settings"
      Then "Max" sees "The settings are saved."
      When "Max" presses "Undo"
      Then "Max" sees "Undone. It is as it was before."
      And "Max" still has "20" in "Most discount"
      And "Max" finds no "Undo" to press
      When the merchant sends GET /v1/projects/$shop/settings
      Then the answer shows:
        | commerce.max_discount_percent | 20 |

    Scenario: Undoing by a key
      Given the merchant sends POST /v1/event-subscriptions {"url": "https://hooks.example/haggle", "event_types": ["*"], "description": "Warehouse"}
      And "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/settings/events
      And "Max" presses "Warehouse"
      And "Max" presses "Switch off"
      Then "Max" sees "The subscription is switched off."
      When "Max" strikes "z"
      Then "Max" sees "Undone. It is as it was before."
      And "Max" finds no "Switch on" to press

    Scenario: Undoing an activation
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/policy/activate?preset=keep_margin
      And "Ada" presses "Activate version 2"
      Then "Ada" sees "The version is in force."
      When "Ada" presses "Undo"
      Then "Ada" sees "Undone. It is as it was before."
      And "Ada" sees "Version 1 stays in force until you activate another."

    Scenario: What was done is not said twice
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/sign-in?done=ended
      Then "Ada" sees "The session has ended."
      And "Ada" is at /console/$slug/settings/sign-in
      And "Ada" is no longer told "The session has ended."

  Rule: The audit log tells who changed what

    Scenario: A long log is turned over
      Given the merchant changed the shop's name 30 times
      And "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/audit-log?action=update-project
      Then "Ada" sees "30 changes"
      And "Ada" does not see "Newer"
      When "Ada" presses "Older"
      Then "Ada" sees "Older changes"
      When "Ada" presses "Newer"
      Then "Ada" sees "30 changes"
      When "Ada" opens /console/$slug/settings/audit-log?action=update-project&after=x
      Then "Ada" sees "There is no filter after=x."
      And "Ada" sees "30 changes"

    Scenario: Who changed the settings
      Given "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" presses "Settings"
      And "Max" fills in "Most discount" with "33"
      And "Max" presses "Save settings"
      Then "Max" sees "The settings are saved."
      When "Max" presses "Who changed settings"
      Then "Max" sees "Changed the shop's settings"
      And "Max" sees "1 change"
      When "Max" presses "What changed"
      Then "Max" sees "commerce: max discount percent"
      When "Max" opens /console/$slug/settings/audit-log?who=$member_Max&from=2020-01-01&to=2020-01-31
      Then "Max" sees "No changes match."
      When "Max" opens /console/$slug/settings/audit-log?colour=red
      Then "Max" sees "There is no filter colour."
      And "Max" sees "API key"

    Scenario: Settings that cannot be saved
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
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
      When the merchant sends GET /v1/projects/$shop/settings
      Then the answer shows:
        | commerce.max_discount_percent | 25.5            |
        | general.timezone              | "Europe/Berlin" |

    Scenario: Changing the storefront
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/storefront
      And "Ada" fills in "Days to ask for a return" with "4000"
      And "Ada" presses "Save settings"
      Then "Ada" sees "must be between 0 and 3,650"
      When "Ada" fills in "Days to ask for a return" with "45"
      And "Ada" fills in "Free shipping from" with "75"
      And the merchant sends PATCH /v1/projects/$shop/storefront {"return_conditions": "Unworn"}
      And "Ada" presses "Save settings"
      Then "Ada" sees "The settings are saved."
      When the merchant sends GET /v1/projects/$shop/storefront
      Then the answer shows:
        | return_window_days      | 45       |
        | free_shipping_threshold | 75       |
        | return_conditions       | "Unworn" |

  Rule: Event subscriptions are watched, tested and switched on

    Scenario: A subscription in the console
      Given the merchant sends POST /v1/event-subscriptions {"url": "https://hooks.example/haggle", "event_types": ["order.completed"], "description": "Stock desk"}
      And "Max" is a member with {"role": "manager"}
      And "Max" signed in to the console
      When "Max" opens /console/$slug/settings/events
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
      Given the merchant sends POST /v1/event-subscriptions {"url": "https://hooks.example/haggle", "event_types": ["*"], "description": "Stock desk"}
      And "Ana" is a member with {"role": "analyst"}
      And "Ana" signed in to the console
      When "Ana" opens /console/$slug/settings/events
      Then "Ana" sees "All events"
      When "Ana" presses "Stock desk"
      Then "Ana" sees "Nothing was sent yet."
      And "Ana" finds no "Send test event" to press
      And "Ana" finds no "Switch off" to press

  Rule: Who haggles for the shop is a setting

    Scenario: An agent of one's own
      Given "Ada" is a member with {"role": "manager"}
      And "Ada" signs in to the console
      When "Ada" opens /console/$slug/settings/agents
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
      When "Ada" opens /console/$slug/settings/agents
      Then "Ada" sees "Your program: quote"
      When "Ada" presses "Clearance"
      And "Ada" presses "Activate"
      Then "Ada" sees "Prices that were promised stay promised."
      When "Ada" presses "Activate agent"
      Then "Ada" sees "The agent is active."
      When "Ada" presses "Clearance"
      Then "Ada" finds no "Delete" to press

    Scenario: Deleting an agent that serves no shop
      Given "Ada" is a member with {"role": "manager"}
      And "Ada" signed in to the console
      When "Ada" opens /console/$slug/settings/agents
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
      Given "Sam" is a member with {"role": "support"}
      And "Sam" signs in to the console
      When "Sam" opens /console/$slug/settings/agents
      Then "Sam" sees "Not for your role"

  Rule: Everything is found by its name or number

    Scenario: Finding things from the keyboard
      Given "Ada" is a member with {"role": "owner"}
      And "Ada" signs in to the console
      And "Ada" opens /console/$slug/orders
      When "Ada" strikes "Ctrl K"
      And "Ada" strikes "t r a i l"
      Then "Ada" sees "negotiations about it"
      When "Ada" strikes "Enter"
      Then "Ada" sees "No haggling yet."
      When "Ada" strikes "g m"
      Then "Ada" is at /console/$slug/money
      When "Ada" strikes "?"
      Then "Ada" sees "Keyboard shortcuts"
      When "Ada" checks "Single keys work"
      And "Ada" presses "Close"
      And "Ada" strikes "g o"
      And "Ada" opens /console/$slug/find?q=trail%20x
      Then "Ada" sees "Nothing is found for “trail x”."

    Scenario: What a role does not see it does not find
      Given "Sam" is a member with {"role": "support"}
      And "Sam" signs in to the console
      When "Sam" opens /console/$slug/find
      Then "Sam" sees "Orders"
      And "Sam" does not see "Lost deals"
      When "Sam" opens /console/$slug/find?q=ada
      Then "Sam" sees "Nothing is found"

  Rule: What others write is shown as text

    Scenario: A shop whose every text is an attack
      Given a shop whose every text is an attack
      And "Ada" is a member with {"role": "owner"}
      When "Ada" reads every page of the console
      Then 150 pages or more are whole
      When "Ada" signs in to the console
      Then nothing runs in the browser of "Ada"
