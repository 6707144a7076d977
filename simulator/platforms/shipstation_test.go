package platforms_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
	"github.com/haggle-commerce/haggle/simulator/receiver"
)

func ship(t *testing.T, s *platforms.Server, method, path string, body any) reply {
	t.Helper()
	key := base64.StdEncoding.EncodeToString([]byte("shipstation-key:shipstation-secret"))
	return do(t, method, s.URL+"/shipstation"+path, body, "Authorization", "Basic "+key)
}

var plenty = platforms.Config{ShipStationRate: 1000}

func orderBody(key string) object {
	place := object{"name": "Ada Byron", "street1": "1 Main St", "city": "Denver", "state": "CO", "postalCode": "80202", "country": "US"}
	return object{
		"orderNumber": "H-" + key, "orderKey": key, "orderDate": "2026-03-01T10:00:00.0000000", "orderStatus": "awaiting_shipment",
		"customerEmail": "ada@example.com", "billTo": place, "shipTo": place, "items": []any{object{"sku": "TN-00001", "name": "Tent", "quantity": 1}},
	}
}

func labelBody(order any) object {
	return object{
		"orderId": order, "carrierCode": "stamps_com", "serviceCode": "usps_priority_mail", "packageCode": "package", "confirmation": "none",
		"shipDate": "2026-03-02", "weight": object{"value": 2, "units": "pounds"}, "testLabel": false,
	}
}

func TestShipStation_ratesAndCarriers(t *testing.T) {
	s := start(t, plenty)
	var carriers []any
	_ = json.Unmarshal(ship(t, s, "GET", "/carriers", nil).text, &carriers)
	is(t, "first carrier", at(t, carriers, 0, "code"), any("stamps_com"))
	asked := object{"carrierCode": "stamps_com", "fromPostalCode": "97201", "toPostalCode": "80202", "toCountry": "US", "toState": "CO", "weight": object{"value": 3, "units": "ounces"}}
	var rates []any
	_ = json.Unmarshal(ship(t, s, "POST", "/shipments/getrates", asked).text, &rates)
	is(t, "rates", len(rates), 3)
	is(t, "cost", at(t, rates, 0, "shipmentCost"), any(4.31))
	delete(asked, "weight")
	is(t, "without a weight", ship(t, s, "POST", "/shipments/getrates", asked).StatusCode, 400)
	is(t, "without a key", do(t, "GET", s.URL+"/shipstation/stores", nil).StatusCode, 401)
}

func TestShipStation_repeatedLabels(t *testing.T) {
	s := start(t, plenty)
	first := ship(t, s, "POST", "/orders/createorder", orderBody("ord-1")).object(t)
	again := ship(t, s, "POST", "/orders/createorder", orderBody("ord-1")).object(t)
	is(t, "the same order", first["orderId"], again["orderId"])
	label := ship(t, s, "POST", "/orders/createlabelfororder", labelBody(first["orderId"])).object(t)
	pdf, err := base64.StdEncoding.DecodeString(label["labelData"].(string))
	if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-1.4")) || !bytes.Contains(pdf, []byte("Order H-ord-1")) {
		t.Errorf("no label: %v %.40s", err, pdf)
	}
	is(t, "cost", label["shipmentCost"], any(11.43))
	order(t, s, platforms.Fault{
		Platform: "shipstation",
		Kind:     "lost",
		Resource: "labels",
	})
	key := base64.StdEncoding.EncodeToString([]byte("shipstation-key:shipstation-secret"))
	if _, err := send(t, "POST", s.URL+"/shipstation/orders/createlabelfororder", labelBody(first["orderId"]), "Authorization", "Basic "+key); err == nil {
		t.Error("a lost answer arrived")
	}
	list := ship(t, s, "GET", "/shipments?orderNumber=H-ord-1", nil).object(t)
	is(t, "labels", list["total"], any(2.0))
	is(t, "paid", at(t, do(t, "GET", s.URL+"/control/state", nil).object(t), "platforms", "shipstation", "labels_cents"), any(2286.0))
	is(t, "an unknown order", ship(t, s, "POST", "/orders/createlabelfororder", labelBody(5)).StatusCode, 500)
}

func TestShipStation_shipmentsByTimeAndPage(t *testing.T) {
	now, config := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), plenty // not an hour that Pacific time has twice
	config.Now = func() time.Time { return now }
	s := start(t, config)
	whole := ship(t, s, "GET", "/shipments?pageSize=20", nil).object(t)
	total := int(whole["total"].(float64))
	is(t, "pages", whole["pages"], any(float64((total+19)/20)))
	is(t, "on a page", len(whole["shipments"].([]any)), 20)
	made := at(t, ship(t, s, "POST", "/orders/createorder", orderBody("ord-2")).object(t), "orderId")
	pacific, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Fatal(err)
	}
	since := now.In(pacific).Add(-time.Second).Format("2006-01-02T15:04:05")
	ship(t, s, "POST", "/orders/createlabelfororder", labelBody(made))
	is(t, "since", ship(t, s, "GET", "/shipments?createDateStart="+since, nil).object(t)["total"], any(1.0))
}

func TestShipStation_rateLimit(t *testing.T) {
	now := time.Now()
	s := start(t, platforms.Config{ShipStationRate: 2, Now: func() time.Time { return now }})
	is(t, "left", ship(t, s, "GET", "/carriers", nil).Header.Get("X-Rate-Limit-Remaining"), "1")
	ship(t, s, "GET", "/carriers", nil)
	over := ship(t, s, "GET", "/carriers", nil)
	is(t, "over", over.StatusCode, http.StatusTooManyRequests)
	if over.Header.Get("X-Rate-Limit-Reset") == "" {
		t.Error("nobody says when it ends")
	}
}

func TestShipStation_shipmentWebhook(t *testing.T) {
	s := start(t, plenty)
	got, err := receiver.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Close() }()
	id := ship(t, s, "POST", "/webhooks/subscribe", object{"target_url": got.URL(), "event": "SHIP_NOTIFY", "friendly_name": "x"}).object(t)["id"]
	made := ship(t, s, "POST", "/orders/createorder", orderBody("ord-3")).object(t)["orderId"]
	ship(t, s, "POST", "/orders/createlabelfororder", labelBody(made))
	calls, err := got.Wait("", 1, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var news struct {
		URL  string `json:"resource_url"`
		Type string `json:"resource_type"`
	}
	if err := json.Unmarshal(calls[0].Body, &news); err != nil || news.Type != "SHIP_NOTIFY" {
		t.Fatalf("%s: %v", calls[0].Body, err)
	}
	key := base64.StdEncoding.EncodeToString([]byte("shipstation-key:shipstation-secret"))
	found := do(t, "GET", news.URL, nil, "Authorization", "Basic "+key).object(t)
	is(t, "told of", at(t, found, "shipments", 0, "orderKey"), any("ord-3"))
	is(t, "of how many", found["total"], any(1.0))
	is(t, "removed", ship(t, s, "DELETE", "/webhooks/"+fmt.Sprint(id), nil).StatusCode, 204)
	is(t, "removed again", ship(t, s, "DELETE", "/webhooks/"+fmt.Sprint(id), nil).StatusCode, 404)
}

func TestShipStation_voidLabel(t *testing.T) {
	s := start(t, plenty)
	spent := func() any {
		return at(t, do(t, "GET", s.URL+"/control/state", nil).object(t), "platforms", "shipstation", "labels_cents")
	}
	made := ship(t, s, "POST", "/orders/createorder", orderBody("ord-4")).object(t)["orderId"]
	label := ship(t, s, "POST", "/orders/createlabelfororder", labelBody(made)).object(t)
	asked := object{"shipmentId": label["shipmentId"]}
	is(t, "voided", ship(t, s, "POST", "/shipments/voidlabel", asked).object(t)["approved"], any(true))
	is(t, "voided again", ship(t, s, "POST", "/shipments/voidlabel", asked).object(t)["approved"], any(false))
	is(t, "spent", spent(), any(0.0))
	is(t, "the order", ship(t, s, "POST", "/orders/createorder", orderBody("ord-4")).object(t)["orderStatus"], any("awaiting_shipment"))
	second := ship(t, s, "POST", "/orders/createlabelfororder", labelBody(made)).object(t)
	is(t, "the order of another label", ship(t, s, "POST", "/orders/createorder", orderBody("ord-4")).object(t)["orderStatus"], any("shipped"))
	do(t, "POST", s.URL+"/control/collect", object{"tracking": second["trackingNumber"]}).object(t)
	id := fmt.Sprintf("/v2/labels/se-%v", int(second["shipmentId"].(float64)))
	refused := do(t, "PUT", s.URL+"/shipstation"+id+"/void", nil, "API-Key", "shipstation-v2-key").object(t)
	is(t, "collected", refused["approved"], any(false))
	is(t, "why", refused["reason_code"], any("label_already_used"))
	is(t, "the label", do(t, "GET", s.URL+"/shipstation"+id, nil, "API-Key", "shipstation-v2-key").object(t)["status"], any("completed"))
	is(t, "nothing is collected", do(t, "POST", s.URL+"/control/collect", object{"tracking": "x"}).StatusCode, 422)
	first := fmt.Sprintf("/v2/labels/se-%v/void", int(label["shipmentId"].(float64)))
	is(t, "already", do(t, "PUT", s.URL+"/shipstation"+first, nil, "API-Key", "shipstation-v2-key").object(t)["reason_code"], any("label_already_voided"))
	is(t, "unknown", do(t, "PUT", s.URL+"/shipstation/v2/labels/se-1/void", nil, "API-Key", "shipstation-v2-key").StatusCode, 404)
}
