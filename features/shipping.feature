Feature: Shipping labels
  A merchant asks what sending an order costs, and buys its label once.

  Background:
    Given a merchant whose platforms hold no orders
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
    And parcels leave from a warehouse in Portland
    And a buyer who ordered 1 of the "Trail Tent"

  Rule: A label is bought once, and ships the order

    Scenario Outline: Buying a label
      Given a connected <account> account
      When the merchant buys a UPS label
      Then the order is shipped with the label's tracking number
      And the buyer can track the parcel with UPS
      When the merchant buys another label for the order
      Then the merchant gets the first label again
      And shipstation has sold 1 label
      And no answer contains a key or a token

      Examples:
        | account        |
        | shipstation    |
        | shipstation-v2 |

    Scenario: Buying concurrently
      Given a connected shipstation account
      When the merchant buys the label 8 times at once
      Then shipstation has sold 1 label
      And the merchant gets the label by buying it again

    Scenario: A label whose purchase got no answer is not bought again
      Given a connected shipstation account
      And shipstation's next answer about labels is lost
      When the merchant buys a label
      Then the label is refused because shipstation is unavailable
      When the merchant buys a label
      Then the label is refused because an earlier request about a label is unfinished
      And shipstation has sold 1 label

    Scenario: A test label costs nothing and ships nothing
      Given a connected shipstation account
      When the merchant buys a test label
      Then the test label is free
      And the order is not shipped yet
      And the merchant gets the test label by buying it again
      When the merchant buys the label "real"
      Then the order is shipped

    Scenario: A canceled order gets no label
      Given a connected shipstation account
      And the merchant cancels the order
      When the merchant buys a label
      Then the label is refused because the order is canceled
      And shipstation has sold 0 labels

    Scenario Outline: A clerk with too few rights
      Then a clerk who may only <do> may not <act>

      Examples:
        | do                   | act                     |
        | see the catalog      | ask what shipping costs |
        | see the integrations | buy a label             |
        | see the integrations | void a label            |

  Rule: A label that is not used is voided, and the order gets another one

    Scenario Outline: Voiding
      Given a connected <account> account
      And the merchant buys the label "first"
      When the merchant voids the label "first"
      Then shipstation has 0 labels that are not voided
      And the order is not shipped yet
      And the buyer sees the order as not shipped yet
      When the merchant voids the label "first"
      And the merchant buys the label "second"
      Then shipstation has 1 label that is not voided
      And the order is shipped with the label "second"
      When the merchant voids the label "first"
      Then the order is shipped with the label "second"
      And the order's labels are "second" and the voided "first"
      When the merchant has synced
      Then the order is shipped with the label "second"
      And no answer contains a key or a token

      Examples:
        | account        |
        | shipstation    |
        | shipstation-v2 |

    Scenario Outline: A parcel that the carrier has collected
      Given a connected <account> account
      And the merchant buys the label "used"
      And the carrier has collected the parcel of the label "used"
      When the merchant tries to void the label "used"
      Then the void is refused because the carrier has the parcel
      And shipstation has 1 label that is not voided
      And the order is shipped
      When the merchant marks the order as delivered
      And the merchant tries to void the label "used"
      Then the void is refused because the order was delivered

      Examples:
        | account        |
        | shipstation    |
        | shipstation-v2 |

    Scenario Outline: A void that got no answer
      Given a connected <account> account
      And the merchant buys the label "first"
      And shipstation's next answer about voids is lost
      When the merchant tries to void the label "first"
      Then the void is refused because shipstation is unavailable
      And shipstation has 0 labels that are not voided
      When the merchant buys a label
      Then the label is refused because an earlier request about a label is unfinished
      And within 10 seconds the merchant has voided the label "first"
      And the order is not shipped yet
      When the merchant buys the label "second"
      Then shipstation has 1 label that is not voided

      Examples:
        | account        |
        | shipstation    |
        | shipstation-v2 |

    Scenario: Concurrent voids and purchases
      Given a connected shipstation account
      And the merchant buys the label "first"
      When the merchant voids the label "first" and buys one 8 times at once
      And the merchant voids the label "first"
      And the merchant buys a label
      Then shipstation has 1 label that is not voided

    Scenario: A label that was voided at ShipStation itself
      Given a connected shipstation account
      And the merchant buys the label "first"
      And the label "first" is voided at shipstation itself
      Then the merchant voids the label "first"

    Scenario: A platform that is not connected any more
      Given a connected shipstation account
      And the merchant buys the label "first"
      And the merchant disconnects shipstation
      When the merchant tries to void the label "first"
      Then the void is refused because shipstation was disconnected
      And the order is shipped

    Scenario: Voiding from the console
      Given a connected shipstation account
      And the merchant buys the label "first"
      And "Ada" manages this shop
      And "Ada" signed in to the console
      When "Ada" presses "Orders"
      And "Ada" presses "$confirmation"
      Then "Ada" sees "Label bought for"
      When "Ada" presses "Void label"
      Then "Ada" sees "The carrier is asked to give"
      When "Ada" presses "Void label"
      Then "Ada" sees "The label is voided."
      And "Ada" sees "Label voided"
      And "Ada" finds no "Void label" to press
      And shipstation has 0 labels that are not voided

  Rule: An order that is shipped on a platform is shipped in the shop

    Scenario: A sync of shipments
      Given a connected shipstation account
      And the merchant ships the order at shipstation
      When the merchant has synced
      Then the sync has brought 1 shipped order
      And the buyer sees the order as shipped
      And the buyer can track the parcel with FedEx

    Scenario: A webhook about a shipment
      Given a connected shipstation account
      And a webhook for "SHIP_NOTIFY"
      When the merchant ships the order at shipstation
      Then within 10 seconds 1 webhook call of shipstation is processed
      And the order is shipped

    Scenario: An order of the merchant's own system that refers to ours
      Given a connected custom account
      And custom has the order
      When the merchant has fetched custom's orders
      Then the order is not shipped yet
      Given custom ships the order
      When the merchant has fetched custom's orders
      Then the order is shipped
      And the buyer can track the parcel of the merchant's own system
      And custom's record of the order refers to it
