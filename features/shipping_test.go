package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

const someLabel = `{"weight_grams": 500, "carrier_code": "fedex", "service_code": "fedex_2day"}`

func (w *world) labelsPath() string { return w.expand(ordersPath + "/$order/labels") }

func (w *world) buysLabelAtOnce(times int) {
	path := w.labelsPath()
	w.atOnce(times, func(int) error { return w.send("POST", path, someLabel, nil) })
}

// hasSoldLabels reads ShipStation's own books.
func (w *world) hasSoldLabels(want int) error {
	sold, err := remote[json.RawMessage](w, "shipstation", "shipments")
	if err == nil && len(sold) != want {
		err = fmt.Errorf("it has sold %s", sold)
	}
	return err
}

func (w *world) buysLabelCalled(name, tracking string) error {
	if err := w.send("POST", w.labelsPath(), someLabel, nil); err != nil {
		return err
	}
	if err := w.callsIt("id", name); err != nil {
		return err
	}
	return w.callsIt("tracking_number", tracking)
}

func (w *world) voidPath(label string) string {
	return w.labelsPath() + "/" + w.expand(label) + "/void"
}

// voidsAndBuysAtOnce has half of the crowd void the label, and half buy one.
func (w *world) voidsAndBuysAtOnce(label string, times int) {
	void, buy := w.voidPath(label), w.labelsPath()
	w.atOnce(times, func(i int) error {
		if i%2 == 0 {
			return w.send("POST", void, "", nil)
		}
		return w.send("POST", buy, someLabel, nil)
	})
}

// voidsWithin repeats the request until the lease of the lost one has ended.
func (w *world) voidsWithin(seconds int, label string) error {
	return within(seconds, func() error { return w.send("POST", w.voidPath(label), "", nil) })
}

// hasGoodLabels reads ShipStation's own books.
func (w *world) hasGoodLabels(want int) error {
	sold, err := remote[struct{ Voided bool }](w, "shipstation", "shipments")
	good := 0
	for _, one := range sold {
		if !one.Voided {
			good++
		}
	}
	if err == nil && good != want {
		err = fmt.Errorf("%d of %d are not voided", good, len(sold))
	}
	return err
}

// voidsThere voids a label as a person does at ShipStation's own pages.
func (w *world) voidsThere(tracking string) error {
	sold, err := remote[struct {
		ID       int    `json:"shipmentId"`
		Tracking string `json:"trackingNumber"`
	}](w, "shipstation", "shipments")
	if err != nil {
		return err
	}
	for _, one := range sold {
		if one.Tracking == w.expand(tracking) {
			return w.askShipStation("/shipments/voidlabel", fmt.Sprintf(`{"shipmentId": %d}`, one.ID), nil)
		}
	}
	return fmt.Errorf("there is no such label in %v", sold)
}

func (w *world) ratesRise() error {
	prices, found := at(w.tape.last().value(), "data.*.price")
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

// refersTo has the merchant's own system hold an order that is ours, or ship it.
func (w *world) refersTo(ship bool) error {
	_, err := w.platforms.AddOrder(platforms.NewOrder{
		Platform:  platforms.Custom,
		Reference: w.expand("$order"),
		Ship:      ship,
	})
	return err
}

// shipsThere ships the order as a person does at ShipStation's own pages: it is made there, and labeled.
func (w *world) shipsThere() error {
	body := w.expand(`{"orderKey": "$order", "orderNumber": "1001", "orderDate": "2026-01-01T00:00:00", "orderStatus": "awaiting_shipment",
		"billTo": {"name": "A. Buyer"}, "shipTo": {"name": "A. Buyer"}, "items": []}`)
	var made struct {
		ID int `json:"orderId"`
	}
	if err := w.askShipStation("/orders/createorder", body, &made); err != nil {
		return err
	}
	return w.askShipStation("/orders/createlabelfororder", fmt.Sprintf(`{"orderId": %d, "carrierCode": "fedex", "serviceCode": "fedex_2day",
		"packageCode": "package", "shipDate": "2026-01-02", "weight": {"value": 20, "units": "ounces"}}`, made.ID), nil)
}

func (w *world) askShipStation(path, body string, into any) error {
	request, err := http.NewRequestWithContext(w.ctx, "POST", w.server.town.url+"/shipstation"+path, strings.NewReader(body))
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
