Feature: Shipping labels
  A merchant asks what sending an order costs, and buys its label once.

  Background:
    Given a merchant with platforms that hold {"orders": -1}
    And a shop selling:
      | name       | price  | stock |
      | Trail Tent | 100.00 | 7     |
    And the merchant sets the storefront's "warehouses" to [{"location": "main", "name": "Portland", "country": "US", "postal_code": "97201"}]
    And a buyer who ordered 1 of the "Trail Tent"

  Rule: Rates are asked for

    Scenario: All carriers
      Given a connected shipstation account
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 2000}
      Then it answers 200
      And the answer shows:
        | data.#              | 7                                  |
        | data.0.carrier_code | present                            |
        | data.0.service_code | present                            |
        | data.0.name         | present                            |
        | data.0.price        | above 0                            |
        | data.*.currency     | contains "USD"                     |
        | data.*.carrier_code | contains "fedex"                   |
      And the rates rise

    Scenario: One carrier
      Given a connected shipstation account
      When the merchant sends POST /v1/orders/$order/rates {"integration_id": "$integration", "weight_grams": 2000, "carrier_code": "fedex"}
      Then the answer shows:
        | data.*.carrier_code | ["fedex", "fedex"]                    |
        | data.*.service_code | ["fedex_home_delivery", "fedex_2day"] |

    Scenario Outline: Rates that are not asked for well
      Given a connected shipstation account
      When the merchant sends POST /v1/orders/<order>/rates <body>
      Then it is refused: <status> <code>

      Examples:
        | order                          | body                                                                                       | status | code                  |
        | $order                         | {}                                                                                         | 422    | validation_error      |
        | $order                         | {"weight_grams": 0}                                                                        | 422    | validation_error      |
        | $order                         | {"weight_grams": 100001}                                                                   | 422    | validation_error      |
        | $order                         | {"weight_grams": 500, "carrier_code": "pigeon post"}                                       | 422    | validation_error      |
        | $order                         | {"weight_grams": 500, "carrier_code": "pigeon"}                                            | 422    | shipping_refused      |
        | $order                         | {"weight_grams": 500, "integration_id": "int_0000000000000000000000000a"}                  | 404    | integration_not_found |
        | ord_0000000000000000000000000a | {"weight_grams": 500}                                                                      | 404    | order_not_found       |

    Scenario: Nobody ships
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 500}
      Then it is refused: 409 no_shipping_integration
      Given a connected hubspot account
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 500, "integration_id": "$integration"}
      Then it is refused: 422 validation_error
      And the refusal names "integration_id"

    Scenario: The platform is not connected any more
      Given a connected shipstation account
      And the merchant sends DELETE /v1/integrations/$integration
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 500, "integration_id": "$integration"}
      Then it is refused: 409 integration_disconnected

    Scenario: Nobody knows where parcels leave from
      Given a connected shipstation account
      And the merchant sets the storefront's "warehouses" to [{"location": "main", "name": "Portland"}]
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 500}
      Then it is refused: 422 origin_missing
      And the refusal names "warehouses.0.postal_code"
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it is refused: 422 origin_missing

    Scenario Outline: The platform is not well
      Given a connected shipstation account
      And shipstation meets <trouble>
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 500}
      Then it is refused: <status> <code>
      Given the platforms are well again
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 500}
      Then it answers 200

      Examples:
        | trouble                                                | status | code                 |
        | {"kind": "error", "resource": "rates", "times": -1, "status": 503} | 503    | provider_unavailable |
        | {"kind": "throttle", "resource": "rates", "times": -1} | 503    | provider_unavailable |
        | {"kind": "garbage", "resource": "rates", "times": -1}  | 503    | provider_unavailable |
        | {"kind": "refuse", "times": -1}                        | 409    | credentials_refused  |

  Rule: A label is bought once, and sends the order on its way

    Scenario: Buying
      Given a connected shipstation account
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 2000, "carrier_code": "ups_walleted", "service_code": "ups_ground"}
      Then it answers 201
      And the answer shows:
        | id              | matches ^lbl_     |
        | order_id        | "$order"          |
        | carrier_code    | "ups_walleted"    |
        | service_code    | "ups_ground"      |
        | tracking_number | matches ^9400     |
        | price           | above 8           |
        | currency        | "USD"             |
        | label_pdf       | matches ^JVBER    |
        | test_label      | false             |
        | created_at      | matches Z$        |
      And the answer's "id" is called "label"
      And the answer's "tracking_number" is called "tracking"
      When the merchant reads the order
      Then the answer shows:
        | fulfillment.status          | "shipped"   |
        | fulfillment.tracking_number | "$tracking" |
      When the buyer reads the order
      Then the answer shows:
        | fulfillment.status | "shipped"      |
        | tracking.carrier   | "ups_walleted" |
        | tracking.number    | "$tracking"    |
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it answers 200
      And the answer shows:
        | id              | "$label"     |
        | service_code    | "ups_ground" |
        | tracking_number | "$tracking"  |
      And shipstation has sold 1 label
      And nothing tells a key or a token

    Scenario: Buying by API V2
      Given a connected shipstation-v2 account
      When the merchant sends POST /v1/orders/$order/rates {"weight_grams": 2000}
      Then it answers 200
      And the answer shows:
        | data.#              | 7                |
        | data.*.currency     | contains "USD"   |
        | data.*.carrier_code | contains "fedex" |
      And the rates rise
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 2000, "carrier_code": "ups_walleted", "service_code": "ups_ground"}
      Then it answers 201
      And the answer shows:
        | tracking_number | matches ^9400  |
        | currency        | "USD"          |
        | label_pdf       | matches ^JVBER |
      And shipstation has sold 1 label
      And nothing tells a key or a token

    Scenario: Buying at once
      Given a connected shipstation account
      When the merchant buys the label 8 times at once
      Then shipstation has sold 1 label
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it answers 200

    Scenario: A label whose sale was not heard of
      Given a connected shipstation account
      And shipstation meets {"kind": "lost", "resource": "labels"}
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it is refused: 503 provider_unavailable
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it is refused: 409 label_in_progress
      And shipstation has sold 1 label

    Scenario: A test
      Given a connected shipstation account
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day", "test_label": true}
      Then it answers 201
      And the answer shows:
        | test_label | true |
        | price      | 0    |
      When the merchant reads the order
      Then the answer shows:
        | fulfillment.status | "processing" |
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day", "test_label": true}
      Then it answers 200
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it answers 201
      And the order's "fulfillment.status" is "shipped"

    Scenario Outline: Labels that cannot be
      Given a connected shipstation account
      When the merchant sends POST /v1/orders/$order/labels <body>
      Then it is refused: <status> <code>
      And the order's "fulfillment.status" is "processing"

      Examples:
        | body                                                                           | status | code             |
        | {"weight_grams": 500, "service_code": "fedex_2day"}                            | 422    | validation_error |
        | {"weight_grams": 500, "carrier_code": "fedex"}                                 | 422    | validation_error |
        | {"carrier_code": "fedex", "service_code": "fedex_2day"}                        | 422    | validation_error |
        | {"weight_grams": 500, "carrier_code": "fedex", "service_code": "pigeon"}       | 422    | shipping_refused |

    Scenario: An order that is canceled
      Given a connected shipstation account
      And the merchant cancels the order
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it is refused: 409 order_canceled
      And shipstation has sold 0 labels

    Scenario Outline: Scopes
      Given a key "Clerk" with {"scopes": ["<scope>"], "project_ids": ["$shop"]}
      When the holder of "Clerk" sends POST /v1/orders/$order/<path> {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it is refused: 403 insufficient_scope

      Examples:
        | scope             | path                                       |
        | catalog:read      | rates                                      |
        | integrations:read | labels                                     |
        | integrations:read | labels/lbl_0000000000000000000000000a/void |

  Rule: A label that is not used is voided, and the order gets another one

    Scenario Outline: Voiding
      Given a connected <account> account
      And the merchant buys a label, called "first", with the tracking number "parcel"
      When the merchant sends POST /v1/orders/$order/labels/$first/void
      Then it answers 200
      And the answer shows:
        | id              | "$first"   |
        | tracking_number | "$parcel"      |
        | label_pdf       | null       |
        | voided_at       | matches Z$ |
      And shipstation has 0 labels that are not voided
      And the order's "fulfillment.status" is "processing"
      When the merchant reads the order
      Then the answer shows:
        | fulfillment.tracking_number | null |
        | fulfillment.shipped_at      | null |
      When the buyer reads the order
      Then the answer shows:
        | fulfillment.status | "processing" |
        | tracking.number    | absent       |
      When the merchant sends POST /v1/orders/$order/labels/$first/void
      Then it answers 200
      When the merchant buys a label, called "second", with the tracking number "other"
      Then shipstation has 1 label that is not voided
      When the merchant reads the order
      Then the answer shows:
        | fulfillment.status          | "shipped" |
        | fulfillment.tracking_number | "$other"  |
      When the merchant sends POST /v1/orders/$order/labels/$first/void
      Then it answers 200
      When the merchant reads the order
      Then the answer shows:
        | fulfillment.status          | "shipped" |
        | fulfillment.tracking_number | "$other"  |
      When the merchant sends GET /v1/orders/$order/labels
      Then the answer shows:
        | data.*.id        | ["$second", "$first"] |
        | data.0.voided_at | null                  |
        | data.0.label_pdf | absent                |
      When the merchant has synced
      And the merchant reads the order
      Then the answer shows:
        | fulfillment.tracking_number | "$other" |
      And nothing tells a key or a token

      Examples:
        | account        |
        | shipstation    |
        | shipstation-v2 |

    Scenario Outline: A parcel that the carrier has collected
      Given a connected <account> account
      And the merchant buys a label, called "label", with the tracking number "parcel"
      And the carrier has collected the parcel "$parcel"
      When the merchant sends POST /v1/orders/$order/labels/$label/void
      Then it is refused: 409 label_not_voided
      And shipstation has 1 label that is not voided
      And the order's "fulfillment.status" is "shipped"
      When the merchant tells of the order {"status": "delivered"}
      And the merchant sends POST /v1/orders/$order/labels/$label/void
      Then it is refused: 409 order_delivered

      Examples:
        | account        |
        | shipstation    |
        | shipstation-v2 |

    Scenario Outline: A void whose answer was lost
      Given a connected <account> account
      And the merchant buys a label, called "label", with the tracking number "parcel"
      And shipstation meets {"kind": "lost", "resource": "voids"}
      When the merchant sends POST /v1/orders/$order/labels/$label/void
      Then it is refused: 503 provider_unavailable
      And shipstation has 0 labels that are not voided
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it is refused: 409 label_in_progress
      Then within 10 seconds the merchant has voided the label "$label"
      And the order's "fulfillment.status" is "processing"
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then it answers 201
      And shipstation has 1 label that is not voided

      Examples:
        | account        |
        | shipstation    |
        | shipstation-v2 |

    Scenario: Voiding and buying at once
      Given a connected shipstation account
      And the merchant buys a label, called "label", with the tracking number "parcel"
      When the merchant voids the label "$label" and buys one 8 times at once
      And the merchant sends POST /v1/orders/$order/labels/$label/void
      Then it answers 200
      When the merchant sends POST /v1/orders/$order/labels {"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}
      Then shipstation has 1 label that is not voided

    Scenario: A label that was voided at ShipStation itself
      Given a connected shipstation account
      And the merchant buys a label, called "label", with the tracking number "parcel"
      And the label "$parcel" is voided at shipstation itself
      When the merchant sends POST /v1/orders/$order/labels/$label/void
      Then it answers 200
      And the answer shows:
        | voided_at | matches Z$ |

    Scenario: A platform that is not connected any more
      Given a connected shipstation account
      And the merchant buys a label, called "label", with the tracking number "parcel"
      And the merchant sends DELETE /v1/integrations/$integration
      When the merchant sends POST /v1/orders/$order/labels/$label/void
      Then it is refused: 409 integration_disconnected
      And the order's "fulfillment.status" is "shipped"

    Scenario: Labels that are not known
      Given a connected shipstation account
      When the merchant sends POST /v1/orders/$order/labels/lbl_0000000000000000000000000a/void
      Then it is refused: 404 label_not_found
      When the merchant sends POST /v1/orders/ord_0000000000000000000000000a/labels/lbl_0000000000000000000000000a/void
      Then it is refused: 404 order_not_found
      When the merchant sends GET /v1/orders/$order/labels
      Then the answer shows:
        | data.# | 0 |

    Scenario: Voiding from the console
      Given a connected shipstation account
      And the merchant buys a label, called "label", with the tracking number "parcel"
      And "Ada" is a member with {"role": "manager", "project_ids": ["$shop"]}
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

  Rule: What is shipped there is shipped here

    Scenario: A sync of shipments
      Given a connected shipstation account
      And the merchant ships the order at shipstation
      When the merchant has synced
      Then the answer shows:
        | resources.orders.created | 1 |
      When the buyer reads the order
      Then the answer shows:
        | fulfillment.status | "shipped"     |
        | tracking.carrier   | "fedex"       |
        | tracking.number    | matches ^9400 |

    Scenario: A call about a shipment
      Given a connected shipstation account
      And a webhook for "SHIP_NOTIFY"
      When the merchant ships the order at shipstation
      And the merchant sends GET /v1/integrations/$integration/webhooks/logs?status=processed
      Then within 10 seconds the answer shows:
        | meta.total | 1 |
      And the order's "fulfillment.status" is "shipped"

    Scenario: An order of the merchant's own system that refers to ours
      Given a connected custom account
      And custom has the order
      When the merchant has synced with {"resources": ["orders"]}
      Then the order's "fulfillment.status" is "processing"
      Given custom ships the order
      When the merchant has synced with {"resources": ["orders"]}
      Then the order's "fulfillment.status" is "shipped"
      When the buyer reads the order
      Then the answer shows:
        | tracking.available | true                                    |
        | tracking.url       | matches ^https://track.example.com/94   |
        | tracking.number    | matches ^94                             |
      When the merchant sends GET /v1/integrations/$integration/records?resource=orders
      Then the answer shows:
        | data.0.local_id        | "$order" |
        | data.0.order.reference | "$order" |
