package shipstation_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

func TestConnector_v2(t *testing.T) {
	t.Parallel()
	adaptertest.Connector(t, func(t *testing.T) adaptertest.ConnectorWorld {
		w := newFixtureV2(t)
		return adaptertest.ConnectorWorld{
			Connector:  w,
			Connection: w.connection,
			Platform:   w.platform,
			Resources:  []syncrun.Resource{syncrun.Orders},
			Fill: func(_ *testing.T, _ syncrun.Resource, n int, since time.Time) (names []string) {
				for i := range n {
					names = append(names, w.add(since.Add(time.Duration(i)*time.Second), "")["label_id"].(string))
				}
				return names
			},
		}
	})
}

func TestConnector_calledConnectorV2(t *testing.T) {
	t.Parallel()
	adaptertest.CalledConnector(t, func(t *testing.T) adaptertest.CalledWorld {
		w := newFixtureV2(t)
		return adaptertest.CalledWorld{
			CalledConnector: w,
			Connection:      w.connection,
			Platform:        w.platform,
			Topic:           "SHIP_NOTIFY",
			Hooks:           func() int { return len(w.hooks) },
			Call: func(_ *testing.T, signing string, at time.Time) (ports.Call, string) {
				if len(w.labels) == 0 {
					w.add(at, "")
				}
				call := w.call(at, "/v2/labels?batch_id=se-7")
				if signing != "rsa-sha256" { // a signature of another body
					call.Header = w.signed(at.UTC().Format(time.RFC3339), []byte("something else"))
				}
				return call, w.labels[0]["label_id"].(string)
			},
		}
	})
}

// The first carrier is the same for every key of the account.
func TestInspect_firstCarrierV2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	got, err := w.Inspect(ports.NewOutbound(t.Context()), w.connection)
	if err != nil || got != (integration.Config{Account: "carrier-se-9", Live: true}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRates_v2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	rates, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel()})
	want := []ports.ShippingRate{
		{Carrier: "ups", Service: "ups_ground", Name: "ups Ground", Price: "10.05", Currency: "USD"},
		{Carrier: "usps", Service: "usps_ground", Name: "usps Ground", Price: "10.05", Currency: "USD"},
	}
	if err != nil || !reflect.DeepEqual(rates, want) {
		t.Fatalf("%+v, %v", rates, err)
	}
	asked := w.last["POST /v2/rates/estimate"]
	wanted := object{"from_postal_code": "78703", "from_city_locality": "Austin", "to_postal_code": "78701", "address_residential_indicator": "yes"}
	for field, want := range wanted {
		if asked[field] != want {
			t.Errorf("asked with %s %v, want %v", field, asked[field], want)
		}
	}
	one, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel(), Carrier: "usps"})
	if err != nil || len(one) != 1 || one[0].Carrier != "usps" {
		t.Errorf("%+v, %v", one, err)
	}
	var refusal *ports.PlatformRefusal
	if _, err := w.Rates(ports.NewOutbound(t.Context()), w.connection, ports.RateRequest{Package: parcel(), Carrier: "pigeon"}); !errors.As(err, &refusal) {
		t.Errorf("a carrier that the account has not: %v", err)
	}
}

func (w *fixtureV2) buy(t *testing.T, test bool) (ports.ShippingLabel, error) {
	r := labelRequest()
	r.Test = test
	return w.Buy(ports.NewOutbound(t.Context()), w.connection, r)
}

func TestBuy_v2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	got, err := w.buy(t, false)
	want := ports.ShippingLabel{
		Remote:         "se-70000",
		Carrier:        "ups",
		Service:        "ups_ground",
		TrackingNumber: "1Z00000",
		Price:          "7.25",
		Currency:       "USD",
		PDF:            []byte("%PDF-1.4 " + someOrder.String()),
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v", got, err)
	}
	asked := w.last["POST /v2/labels"]
	shipment := asked["shipment"].(object)
	if asked["test_label"] != false || asked["label_download_type"] != "inline" || shipment["external_shipment_id"] != someOrder.String() ||
		shipment["carrier_id"] != "se-9" || shipment["warehouse_id"] != "se-2" || shipment["ship_to"].(object)["address_residential_indicator"] != "yes" {
		t.Errorf("asked %v", asked)
	}
	again, err := w.buy(t, false)
	if err != nil || again.Remote != got.Remote || w.bought != 1 {
		t.Errorf("%+v, %v; %d labels", again, err, w.bought)
	}
	found, err := w.Bought(ports.NewOutbound(t.Context()), w.connection, parcel().Order)
	if err != nil || found == nil || found.Remote != got.Remote {
		t.Errorf("%+v, %v", found, err)
	}
	test, err := w.buy(t, true)
	if err != nil || test.Remote == got.Remote || w.last["POST /v2/labels"]["test_label"] != true {
		t.Errorf("a test label: %+v, %v", test, err)
	}
}

func TestBuy_lostAnswerV2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	w.lose["POST /v2/labels"] = true
	var failure *ports.PlatformFailure
	if _, err := w.buy(t, false); !errors.As(err, &failure) {
		t.Fatal(err)
	}
	if got, err := w.buy(t, false); err != nil || got.Remote != "se-70000" || w.bought != 1 {
		t.Errorf("%+v, %v; %d labels", got, err, w.bought)
	}
}

// ShipStation refuses the second of two concurrent purchases with one external id. It returns the label of the first.
func TestBuy_concurrentV2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	w.race = func() {
		w.shipments[someOrder.String()] = "se-1000"
		w.label(someOrder.String())
	}
	if got, err := w.buy(t, false); err != nil || got.Remote != "se-70000" || w.bought != 1 {
		t.Errorf("%+v, %v; %d labels", got, err, w.bought)
	}
}

// Buy buys a label for an existing shipment without a label, or with a voided one.
func TestBuy_shipmentWithoutLabelV2(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*fixtureV2){
		"without a label": func(*fixtureV2) {},
		"its label was voided": func(w *fixtureV2) {
			l := w.label(someOrder.String())
			l["voided"], l["status"] = true, "voided"
		},
	} {
		w := newFixtureV2(t)
		w.shipments[someOrder.String()] = "se-1000"
		prepare(w)
		before := w.bought
		got, err := w.buy(t, false)
		if err != nil || got.TrackingNumber == "" || w.bought != before+1 || w.last["PUT /v2/shipments/se-1000"]["service_code"] != "usps_priority_mail" {
			t.Errorf("%s: %+v, %v; %d labels", name, got, err, w.bought)
		}
	}
}

// If the state of the order's label is unknown, Buy buys none and returns no refusal.
func TestBuy_unknownStateV2(t *testing.T) {
	t.Parallel()
	key := someOrder.String()
	for what, prepare := range map[string]func(*fixtureV2){
		"the search fails":       func(w *fixtureV2) { w.fail["GET /v2/labels/external_shipment_id/"+key] = 500 },
		"the shipment is hidden": func(w *fixtureV2) { w.fail["GET /v2/shipments/external_shipment_id/"+key] = 502 },
		"it is in the making":    func(w *fixtureV2) { w.add(time.Now(), key)["status"] = "processing" },
	} {
		w := newFixtureV2(t)
		prepare(w)
		var failure *ports.PlatformFailure
		if _, err := w.buy(t, false); !errors.As(err, &failure) || w.bought != 0 {
			t.Errorf("%s: %v; %d labels", what, err, w.bought)
		}
	}
}

func TestRead_recordsV2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	ours := w.add(at, someOrder.String())
	w.add(at, "another shop's")
	old := w.add(at.Add(-40*24*time.Hour), someOrder.String())
	old["voided"], old["status"], old["voided_at"] = true, "voided", at.Add(time.Hour).Format(time.RFC3339)
	back := w.add(at, someOrder.String())
	back["is_return_label"] = true
	page, err := w.Read(ports.NewOutbound(t.Context()), w.connection, ports.PageRequest{Resource: syncrun.Orders, Since: at})
	sent := func(number string, voided bool, shipped time.Time) *syncrun.Shipment {
		return &syncrun.Shipment{
			Carrier:   "ups",
			Number:    number,
			ShippedAt: shipped,
			Voided:    voided,
		}
	}
	want := []syncrun.Record{
		{Resource: syncrun.Orders, Remote: ours["label_id"].(string), At: at, Order: &syncrun.Order{
			Number:    "#0",
			Status:    "shipped",
			Reference: someOrder.String(),
			Shipment:  sent("1Z00000", false, at),
		}},
		{Resource: syncrun.Orders, Remote: "se-70001", At: at, Order: &syncrun.Order{Number: "#1", Status: "shipped"}},
		{Resource: syncrun.Orders, Remote: "se-70003", At: at, Order: &syncrun.Order{Number: "#3", Status: "return"}},
		{Resource: syncrun.Orders, Remote: "se-70002", At: at.Add(time.Hour), Order: &syncrun.Order{
			Number:    "#2",
			Status:    "voided",
			Reference: someOrder.String(),
			Shipment:  sent("1Z00002", true, at.Add(-40*24*time.Hour)),
		}},
	}
	if err != nil || !reflect.DeepEqual(page.Records, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, page.Records, want)
	}
}

func TestNews_otherAddressesV2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	w.add(time.Now(), "")
	news := func(payload string) ([]syncrun.Record, error) {
		return w.News(ports.NewOutbound(t.Context()), w.connection, "SHIP_NOTIFY", time.Now(), []byte(payload))
	}
	notice := func(address string) string {
		return `{"resource_url":"` + address + `","resource_type":"LABEL_CREATED_V2"}`
	}
	if got, err := news(notice(w.platform.URL + "/v2/labels/se-70000")); err != nil || len(got) != 1 || got[0].Remote != "se-70000" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, address := range []string{
		"http://elsewhere.example/v2/labels?batch_id=1", w.platform.URL + "/v2/carriers", w.platform.URL + "/v2/labels/../carriers",
		w.platform.URL + "/v2/labels/se-1/track", strings.Replace(w.platform.URL, "http://", "http://me@", 1) + "/v2/labels",
	} {
		var refusal *ports.PlatformRefusal
		if got, err := news(notice(address)); !errors.As(err, &refusal) {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
}

func TestKeyring_verify(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	now := time.Now()
	good := w.call(now, "/v2/labels?batch_id=1")
	verify := func(c ports.Call) error {
		_, err := w.Verify(c, "rsa-sha256")
		return err
	}
	changed := func(name, value string) ports.Call {
		c := good
		c.Header = func(asked string) string {
			if strings.EqualFold(asked, name) {
				return value
			}
			return good.Header(asked)
		}
		return c
	}
	if err := verify(good); err != nil {
		t.Fatal(err)
	}
	body := good
	body.Payload = append([]byte(" "), good.Payload...)
	old, early := w.call(now, "/v2/labels"), w.call(now, "/v2/labels")
	old.Now, early.Now = now.Add(6*time.Minute), now.Add(-6*time.Minute)
	for name, c := range map[string]ports.Call{
		"another body": body, "an old call": old, "a call of the future": early,
		"another time":  changed("x-shipengine-timestamp", now.UTC().Add(time.Second).Format(time.RFC3339)),
		"no time":       changed("x-shipengine-timestamp", ""),
		"no signature":  changed("x-shipengine-rsa-sha256-signature", ""),
		"a curve's key": changed("x-shipengine-rsa-sha256-key-id", "curve"),
		"a short key":   changed("x-shipengine-rsa-sha256-key-id", "short"),
		"no key":        changed("x-shipengine-rsa-sha256-key-id", ""),
		"unknown key":   changed("x-shipengine-rsa-sha256-key-id", "unknown"),
	} {
		if err := verify(c); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The keyring requests the keys once, and again, at most once a minute, if a call names an unknown key.
func TestKeyring_cache(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	now := time.Now()
	verify := func(at time.Time) error {
		_, err := w.Verify(w.call(at, "/v2/labels"), "rsa-sha256")
		return err
	}
	asked := func(want int) {
		t.Helper()
		if w.keysAsked != want {
			t.Errorf("asked %d times for the keys, want %d", w.keysAsked, want)
		}
	}
	for range 5 {
		if err := verify(now); err != nil {
			t.Fatal(err)
		}
	}
	asked(1)
	w.keyID = "key-2"
	for range 5 { // less than a minute after the last request
		if err := verify(now.Add(30 * time.Second)); fault.KindOf(err) != fault.Unauthenticated {
			t.Error(err)
		}
	}
	asked(1)
	if err := verify(now.Add(time.Minute)); err != nil {
		t.Error(err)
	}
	asked(2)
	w.keysFail = true
	if err := verify(now.Add(2 * time.Hour)); err != nil { // the cached keys stay valid
		t.Error(err)
	}
	asked(3)
	w.keyID = "key-3" // a key that is not cached
	if err := verify(now.Add(3 * time.Hour)); fault.KindOf(err) != fault.Unavailable {
		t.Error(err)
	}
	w.keyID = "key-2"
	if err := verify(now.Add(26 * time.Hour)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("keys of yesterday: %v", err)
	}
}
