package shipstation_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

// parcel is an order as a package.
func parcel() ports.Package {
	return ports.Package{
		Grams:  1200,
		Origin: "78703",
		Order: &order.Order{
			ID:           someOrder,
			Confirmation: "HG-7K2M-9QXA",
			Email:        "ada@example.com",
			Notes:        "Ring twice.",
			Lines:        []checkout.Line{{Variant: id.New[id.Variant]([16]byte{7}), SKU: "T-G", Name: "Tent", Label: "green", Quantity: 2, Unit: usd(95_00)}},
			Address: checkout.Address{
				Name:       "Ada",
				Line1:      "1 Main St",
				Line2:      "Apt 2",
				City:       "Austin",
				State:      "TX",
				PostalCode: "78701",
				Country:    "US",
				Phone:      "555",
			},
			Subtotal:  usd(190_00),
			Tax:       usd(15_68),
			Shipping:  usd(5_99),
			Total:     usd(211_67),
			CreatedAt: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC),
		},
	}
}

func labelRequest() ports.LabelRequest {
	return ports.LabelRequest{
		Package: parcel(),
		Carrier: "usps",
		Service: "usps_priority_mail",
	}
}

func TestRates_allCarriers(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.carriers = []string{"ups", "broken", "usps"}
	rates, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel()})
	want := []ports.ShippingRate{
		{Carrier: "ups", Service: "ups_ground", Name: "ups Ground", Price: "5.51", Currency: "USD"}, // 5.505
		{Carrier: "ups", Service: "ups_air", Name: "ups Air", Price: "21.00", Currency: "USD"},
		{Carrier: "usps", Service: "usps_ground", Name: "usps Ground", Price: "5.51", Currency: "USD"},
		{Carrier: "usps", Service: "usps_air", Name: "usps Air", Price: "21.00", Currency: "USD"},
	}
	if err != nil || !reflect.DeepEqual(rates, want) {
		t.Fatalf("%+v, %v", rates, err)
	}
	asked := w.last["POST /shipments/getrates"]
	delete(asked, "carrierCode")
	if want := map[string]any{
		"serviceCode": nil, "packageCode": nil, "confirmation": "none", "residential": true, "fromPostalCode": "78703",
		"toCity": "Austin", "toState": "TX", "toPostalCode": "78701", "toCountry": "US",
		"weight": map[string]any{"value": 1200.0, "units": "grams"},
	}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked %v", asked)
	}
}

func TestRates_oneCarrier(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	rates, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel(), Carrier: "usps"})
	if err != nil || len(rates) != 2 || rates[0].Carrier != "usps" {
		t.Errorf("%+v, %v", rates, err)
	}
}

// Rates ignores the error of one carrier if others have rates. If none has, it returns the error.
func TestRates_failingCarrier(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.fail["POST /shipments/getrates"] = 500
	if rates, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel()}); err != nil || len(rates) != 2 {
		t.Errorf("%+v, %v", rates, err)
	}
	w.fail["POST /shipments/getrates"] = 400
	var refusal *ports.PlatformRefusal
	_, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel(), Carrier: "ups"})
	if !errors.As(err, &refusal) || refusal.Reason != "ShipStation refused the request: The address is wrong." {
		t.Errorf("%v", err)
	}
	for _, status := range []int{401, 429} {
		w.fail["POST /shipments/getrates"] = status
		if rates, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel()}); err == nil {
			t.Errorf("%d: %+v", status, rates)
		}
	}
}

func TestBuy(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	if found, err := w.Bought(ports.NewOutbound(t.Context()), w.connection, parcel().Order); found != nil || err != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	got, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest())
	want := ports.ShippingLabel{
		Remote:         "70000",
		Carrier:        "usps",
		Service:        "usps_priority_mail",
		TrackingNumber: "1Z00000",
		Price:          "7.25",
		Currency:       "USD",
		PDF:            []byte("%PDF-1.4 " + someOrder.String()),
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	made := w.last["POST /orders/createorder"]
	if made["orderNumber"] != "HG-7K2M-9QXA" || made["orderKey"] != someOrder.String() || made["amountPaid"] != 211.67 ||
		made["shipTo"].(map[string]any)["street1"] != "1 Main St" || made["items"].([]any)[0].(map[string]any)["name"] != "Tent (green)" {
		t.Errorf("made %v", made)
	}
	if label := w.last["POST /orders/createlabelfororder"]; label["testLabel"] != false || label["orderId"] != 1000.0 {
		t.Errorf("bought %v", label)
	}
	// A second purchase returns the existing label.
	want.PDF = nil
	again, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest())
	if err != nil || !reflect.DeepEqual(again, want) || w.labels != 1 {
		t.Errorf("%+v, %v; %d bought", again, err, w.labels)
	}
	found, err := w.Bought(ports.NewOutbound(t.Context()), w.connection, parcel().Order)
	if err != nil || !reflect.DeepEqual(*found, want) {
		t.Errorf("%+v, %v", found, err)
	}
}

// After a lost answer, a repeated purchase finds the label and buys none.
func TestBuy_lostAnswer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.lose["POST /orders/createlabelfororder"] = true
	var failure *ports.PlatformFailure
	if _, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest()); !errors.As(err, &failure) {
		t.Fatalf("%v", err)
	}
	got, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest())
	if err != nil || got.Remote != "70000" || w.labels != 1 {
		t.Errorf("%+v, %v; %d bought", got, err, w.labels)
	}
}

// An exception is a refusal if the label was not bought, and no error if it was.
func TestBuy_exceptions(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.fail["POST /orders/createlabelfororder"] = 500
	var refusal *ports.PlatformRefusal
	if _, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest()); !errors.As(err, &refusal) || w.labels != 0 || len(w.query) != 2 {
		t.Errorf("%v; %d bought, asked for %q", err, w.labels, w.query)
	}
	w.late["POST /orders/createlabelfororder"] = true
	if l, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest()); err != nil || l.Remote != "70000" || w.labels != 1 {
		t.Errorf("%+v, %v; %d bought", l, err, w.labels)
	}
	w.fail["POST /shipments/getrates"] = 500
	if _, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel(), Carrier: "ups"}); !errors.As(err, &refusal) {
		t.Errorf("%v", err)
	}
}

// A label with the order's number belongs to the order only if its key does, too, or it has none.
func TestBought_otherLabels(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	number := parcel().Order.Confirmation
	w.add(time.Now(), id.New[id.Order]([16]byte{9}).String(), number)
	w.add(time.Now(), someOrder.String(), number).Voided = true
	w.add(time.Now(), someOrder.String(), number).Return = true
	w.add(time.Now(), someOrder.String(), "another")
	if found, err := w.Bought(ports.NewOutbound(t.Context()), w.connection, parcel().Order); found != nil || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	w.add(time.Now(), "", number) // without a key, the number decides
	if found, err := w.Bought(ports.NewOutbound(t.Context()), w.connection, parcel().Order); err != nil || found == nil || found.Remote != "70004" {
		t.Errorf("%+v, %v", found, err)
	}
}

// Test labels and real labels of an order do not affect each other.
func TestBuy_testLabels(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	test := labelRequest()
	test.Test = true
	if _, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, test); err != nil || w.last["POST /orders/createlabelfororder"]["testLabel"] != true {
		t.Fatalf("%v, %v", err, w.last["POST /orders/createlabelfororder"])
	}
	if found, err := w.Bought(ports.NewOutbound(t.Context()), w.connection, parcel().Order); found != nil || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest()); err != nil || w.labels != 2 {
		t.Errorf("%v; %d bought", err, w.labels)
	}
	if again, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, test); err != nil || again.Remote != "70000" || w.labels != 2 {
		t.Errorf("%+v, %v; %d bought", again, err, w.labels)
	}
}

// If the state of the order's label is unknown, Buy buys none and returns no refusal.
func TestBuy_unknownState(t *testing.T) {
	t.Parallel()
	for what, prepare := range map[string]func(*fixture){
		"the search fails":           func(w *fixture) { w.fail["GET /shipments"] = 500 },
		"the order is not made":      func(w *fixture) { w.fail["POST /orders/createorder"] = 502 },
		"the order is shipped there": func(w *fixture) { w.orders[someOrder.String()], w.status[1000] = 1000, "shipped" },
	} {
		w := newFixture(t)
		prepare(w)
		var failure *ports.PlatformFailure
		if got, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest()); !errors.As(err, &failure) || w.labels != 0 {
			t.Errorf("%s: %+v, %v; %d bought", what, got, err, w.labels)
		}
	}
	w := newFixture(t)
	w.orders[someOrder.String()], w.status[1000] = 1000, "cancelled"
	var refusal *ports.PlatformRefusal
	if _, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, labelRequest()); !errors.As(err, &refusal) || w.labels != 0 {
		t.Errorf("%v; %d bought", err, w.labels)
	}
}
