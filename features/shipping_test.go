package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const (
	labelBody     = `{"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}`
	testLabelBody = `{"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day", "test_label": true}`
)

// shippingContext buys and voids labels.
type shippingContext struct{ *scenario }

func (c *shippingContext) labelsPath() string { return c.expand(ordersPath + "/$order/labels") }

func (c *shippingContext) buysLabelConcurrently(times int) {
	path := c.labelsPath()
	c.runConcurrently(times, func(int) error { return c.send("POST", path, labelBody, nil) })
}

// soldLabelsAre checks the number of ShipStation's shipments.
func (c *shippingContext) soldLabelsAre(want int) error {
	sold, err := platformRecords[json.RawMessage](c.scenario, "shipstation", "shipments")
	if err == nil && len(sold) != want {
		err = fmt.Errorf("it has sold %s", sold)
	}
	return err
}

// buysLabel tries to buy the usual label.
func (c *shippingContext) buysLabel() error {
	return c.merchantSends("POST", c.labelsPath(), labelBody)
}

// getsLabelAgain buys a label that the order has: nothing is created.
func (c *shippingContext) getsLabelAgain(body string) error {
	return errors.Join(c.orders.succeeds("POST", c.labelsPath(), body), c.statusIs(http.StatusOK))
}

// buysNamedLabel buys a label and names its id $label_NAME and its tracking number $parcel_NAME.
func (c *shippingContext) buysNamedLabel(name string) error {
	if err := c.orders.succeeds("POST", c.labelsPath(), labelBody); err != nil {
		return err
	}
	return errors.Join(c.statusIs(http.StatusCreated), c.namesLabel(name))
}

func (c *shippingContext) namesLabel(name string) error {
	if err := c.platforms.namesAnswerField("id", "label_"+name); err != nil {
		return err
	}
	return c.platforms.namesAnswerField("tracking_number", "parcel_"+name)
}

// buysUPSLabel buys a label, named "ups", and checks the answer.
func (c *shippingContext) buysUPSLabel() error {
	err := c.orders.succeeds("POST", c.labelsPath(), `{"weight_grams": 2000, "carrier_code": "ups_walleted", "service_code": "ups_ground"}`)
	if err != nil {
		return err
	}
	return errors.Join(c.statusIs(http.StatusCreated), c.namesLabel("ups"), c.answerShows(
		"id", "matches ^lbl_",
		"order_id", `"$order"`,
		"carrier_code", `"ups_walleted"`,
		"service_code", `"ups_ground"`,
		"tracking_number", "matches ^9400",
		"price", "above 8",
		"currency", `"USD"`,
		"label_pdf", "matches ^JVBER",
		"test_label", "false",
		"created_at", "matches Z$",
	))
}

// answerIsUPSLabel checks that the latest answer is the label that buysUPSLabel bought.
func (c *shippingContext) answerIsUPSLabel() error {
	return errors.Join(c.statusIs(http.StatusOK), c.answerShows(
		"id", `"$label_ups"`,
		"service_code", `"ups_ground"`,
		"tracking_number", `"$parcel_ups"`,
	))
}

func (c *shippingContext) buysTestLabel() error {
	return errors.Join(c.orders.succeeds("POST", c.labelsPath(), testLabelBody), c.statusIs(http.StatusCreated))
}

func (c *shippingContext) orderHasLabel(name string) error {
	return c.orders.resourceShows(ordersPath+"/$order",
		"fulfillment.status", `"shipped"`,
		"fulfillment.tracking_number", `"$parcel_`+name+`"`,
	)
}

// parcels are the buyer's fields of an order's tracking, by the steps' words for who carries the parcel.
var parcels = map[string][]string{
	"with UPS":                     {"tracking.carrier", `"ups_walleted"`, "tracking.number", `"$parcel_ups"`},
	"with FedEx":                   {"tracking.carrier", `"fedex"`, "tracking.number", "matches ^9400"},
	"of the merchant's own system": {"tracking.available", "true", "tracking.url", "matches ^https://track.example.com/94", "tracking.number", "matches ^94"},
}

func (c *shippingContext) buyerTracksParcel(whose string) error {
	return c.orders.buyerShows(append([]string{"fulfillment.status", `"shipped"`}, parcels[whose]...)...)
}

// labelsAre checks the order's labels: a current one, and a voided one.
func (c *shippingContext) labelsAre(current, voided string) error {
	return c.orders.resourceShows(c.labelsPath(),
		"data.*.id", fmt.Sprintf(`["$label_%s", "$label_%s"]`, current, voided),
		"data.0.voided_at", "null",
		"data.0.label_pdf", "absent",
	)
}

func (c *shippingContext) voidPath(label string) string {
	return c.labelsPath() + "/" + c.expand("$label_"+label) + "/void"
}

// voids voids a label, which must succeed, and checks the answer.
func (c *shippingContext) voids(label string) error {
	return errors.Join(c.orders.succeeds("POST", c.voidPath(label), ""), c.statusIs(http.StatusOK), c.answerShows(
		"id", `"$label_`+label+`"`,
		"tracking_number", `"$parcel_`+label+`"`,
		"label_pdf", "null",
		"voided_at", "matches Z$",
	))
}

// webhookCallsProcessed waits until the integration has processed so many webhook calls.
func (c *shippingContext) webhookCallsProcessed(seconds, want int) error {
	return within(seconds, func() error {
		if err := c.send("GET", c.platforms.integrationPath("/webhooks/logs?status=processed"), "", nil); err != nil {
			return err
		}
		return c.answerShows("meta.total", fmt.Sprint(want))
	})
}

// customRecordRefersToOrder checks the integration's record of the order in the merchant's own system.
func (c *shippingContext) customRecordRefersToOrder() error {
	return c.orders.resourceShows(c.platforms.integrationPath("/records?resource=orders"),
		"data.0.local_id", `"$order"`,
		"data.0.order.reference", `"$order"`,
	)
}

// voidsAndBuysConcurrently sends concurrent requests: half void the label, half buy one.
func (c *shippingContext) voidsAndBuysConcurrently(label string, times int) {
	void, buy := c.voidPath(label), c.labelsPath()
	c.runConcurrently(times, func(i int) error {
		if i%2 == 0 {
			return c.send("POST", void, "", nil)
		}
		return c.send("POST", buy, labelBody, nil)
	})
}

// voidsWithin retries until the lease of an earlier, lost request has expired.
func (c *shippingContext) voidsWithin(seconds int, label string) error {
	return within(seconds, func() error { return c.send("POST", c.voidPath(label), "", nil) })
}

// unvoidedLabelsAre checks the number of ShipStation's shipments that are not voided.
func (c *shippingContext) unvoidedLabelsAre(want int) error {
	sold, err := platformRecords[struct{ Voided bool }](c.scenario, "shipstation", "shipments")
	unvoided := 0
	for _, one := range sold {
		if !one.Voided {
			unvoided++
		}
	}
	if err == nil && unvoided != want {
		err = fmt.Errorf("%d of %d are not voided", unvoided, len(sold))
	}
	return err
}

// voidsAtShipStation voids a label at ShipStation directly, as in its web application.
func (c *shippingContext) voidsAtShipStation(label string) error {
	tracking := c.expand("$parcel_" + label)
	sold, err := platformRecords[struct {
		ID       int    `json:"shipmentId"`
		Tracking string `json:"trackingNumber"`
	}](c.scenario, "shipstation", "shipments")
	if err != nil {
		return err
	}
	for _, one := range sold {
		if one.Tracking == tracking {
			return c.callShipStation("/shipments/voidlabel", fmt.Sprintf(`{"shipmentId": %d}`, one.ID), nil)
		}
	}
	return fmt.Errorf("there is no such label in %v", sold)
}

func (c *shippingContext) ratesRise() error {
	prices, found := valueAt(c.recorder.last().value(), "data.*.price")
	list, _ := prices.([]any)
	if !found || len(list) < 2 {
		return errors.New("there are no rates to compare")
	}
	for n, price := range list[1:] {
		if ok, known := compare(price, fmt.Sprintf("at least %s", list[n])); !ok || !known {
			return fmt.Errorf("%s comes after %s", price, list[n])
		}
	}
	return nil
}

// addsOrderAtCustom adds the order to the merchant's own system, and optionally ships it there.
func (c *shippingContext) addsOrderAtCustom(ship bool) error {
	_, err := c.platforms.platforms.AddOrder(platforms.NewOrder{
		Platform:  platforms.Custom,
		Reference: c.expand("$order"),
		Ship:      ship,
	})
	return err
}

// shipsAtShipStation creates the order at ShipStation and buys a label there, as in its web application.
func (c *shippingContext) shipsAtShipStation() error {
	body := c.expand(`{"orderKey": "$order", "orderNumber": "1001", "orderDate": "2026-01-01T00:00:00", "orderStatus": "awaiting_shipment",
		"billTo": {"name": "A. Buyer"}, "shipTo": {"name": "A. Buyer"}, "items": []}`)
	var made struct {
		ID int `json:"orderId"`
	}
	if err := c.callShipStation("/orders/createorder", body, &made); err != nil {
		return err
	}
	return c.callShipStation("/orders/createlabelfororder", fmt.Sprintf(`{"orderId": %d, "carrierCode": "fedex", "serviceCode": "fedex_2day",
		"packageCode": "package", "shipDate": "2026-01-02", "weight": {"value": 20, "units": "ounces"}}`, made.ID), nil)
}

func (c *shippingContext) callShipStation(path, body string, into any) error {
	request, err := http.NewRequestWithContext(c.ctx, "POST", c.server.platformHost.url+"/shipstation"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.SetBasicAuth(c.expand("$ship_key"), c.expand("$ship_secret"))
	request.Header.Set("Content-Type", "application/json")
	response, err := c.server.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("shipstation answers %d to %s", response.StatusCode, path)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
