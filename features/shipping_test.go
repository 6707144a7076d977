package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const labelBody = `{"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}`

func (w *world) labelsPath() string { return w.expand(ordersPath + "/$order/labels") }

func (w *world) buysLabelConcurrently(times int) {
	path := w.labelsPath()
	w.runConcurrently(times, func(int) error { return w.send("POST", path, labelBody, nil) })
}

// soldLabelsAre checks the number of ShipStation's shipments.
func (w *world) soldLabelsAre(want int) error {
	sold, err := platformRecords[json.RawMessage](w, "shipstation", "shipments")
	if err == nil && len(sold) != want {
		err = fmt.Errorf("it has sold %s", sold)
	}
	return err
}

func (w *world) buysNamedLabel(name, tracking string) error {
	if err := w.send("POST", w.labelsPath(), labelBody, nil); err != nil {
		return err
	}
	if err := w.namesAnswerField("id", name); err != nil {
		return err
	}
	return w.namesAnswerField("tracking_number", tracking)
}

func (w *world) voidPath(label string) string {
	return w.labelsPath() + "/" + w.expand(label) + "/void"
}

// voidsAndBuysConcurrently sends concurrent requests: half void the label, half buy one.
func (w *world) voidsAndBuysConcurrently(label string, times int) {
	void, buy := w.voidPath(label), w.labelsPath()
	w.runConcurrently(times, func(i int) error {
		if i%2 == 0 {
			return w.send("POST", void, "", nil)
		}
		return w.send("POST", buy, labelBody, nil)
	})
}

// voidsWithin retries until the lease of an earlier, lost request has expired.
func (w *world) voidsWithin(seconds int, label string) error {
	return within(seconds, func() error { return w.send("POST", w.voidPath(label), "", nil) })
}

// unvoidedLabelsAre checks the number of ShipStation's shipments that are not voided.
func (w *world) unvoidedLabelsAre(want int) error {
	sold, err := platformRecords[struct{ Voided bool }](w, "shipstation", "shipments")
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
func (w *world) voidsAtShipStation(tracking string) error {
	sold, err := platformRecords[struct {
		ID       int    `json:"shipmentId"`
		Tracking string `json:"trackingNumber"`
	}](w, "shipstation", "shipments")
	if err != nil {
		return err
	}
	for _, one := range sold {
		if one.Tracking == w.expand(tracking) {
			return w.callShipStation("/shipments/voidlabel", fmt.Sprintf(`{"shipmentId": %d}`, one.ID), nil)
		}
	}
	return fmt.Errorf("there is no such label in %v", sold)
}

func (w *world) ratesRise() error {
	prices, found := valueAt(w.recorder.last().value(), "data.*.price")
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
func (w *world) addsOrderAtCustom(ship bool) error {
	_, err := w.platforms.AddOrder(platforms.NewOrder{
		Platform:  platforms.Custom,
		Reference: w.expand("$order"),
		Ship:      ship,
	})
	return err
}

// shipsAtShipStation creates the order at ShipStation and buys a label there, as in its web application.
func (w *world) shipsAtShipStation() error {
	body := w.expand(`{"orderKey": "$order", "orderNumber": "1001", "orderDate": "2026-01-01T00:00:00", "orderStatus": "awaiting_shipment",
		"billTo": {"name": "A. Buyer"}, "shipTo": {"name": "A. Buyer"}, "items": []}`)
	var made struct {
		ID int `json:"orderId"`
	}
	if err := w.callShipStation("/orders/createorder", body, &made); err != nil {
		return err
	}
	return w.callShipStation("/orders/createlabelfororder", fmt.Sprintf(`{"orderId": %d, "carrierCode": "fedex", "serviceCode": "fedex_2day",
		"packageCode": "package", "shipDate": "2026-01-02", "weight": {"value": 20, "units": "ounces"}}`, made.ID), nil)
}

func (w *world) callShipStation(path, body string, into any) error {
	request, err := http.NewRequestWithContext(w.ctx, "POST", w.server.platformHost.url+"/shipstation"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.SetBasicAuth(w.expand("$ship_key"), w.expand("$ship_secret"))
	request.Header.Set("Content-Type", "application/json")
	response, err := w.server.transport.RoundTrip(request)
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
