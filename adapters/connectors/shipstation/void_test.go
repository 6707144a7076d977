package shipstation_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func voidRequest(l ports.ShippingLabel) ports.VoidRequest {
	return ports.VoidRequest{
		Order:          parcel().Order,
		Remote:         l.Remote,
		TrackingNumber: l.TrackingNumber,
	}
}

func mustBuy(t *testing.T, s ports.Shipper, c ports.Connection) ports.VoidRequest {
	t.Helper()
	l, err := s.Buy(ports.NewOutbound(t.Context()), c, labelRequest())
	if err != nil {
		t.Fatal(err)
	}
	return voidRequest(l)
}

func TestVoid(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := mustBuy(t, w, w.connection)
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); err != nil || !w.sent[0].Voided || w.last["POST /shipments/voidlabel"]["shipmentId"] != 70000.0 {
		t.Fatalf("%v, %+v", err, w.sent[0])
	}
	// ShipStation does not approve a second void, nor say why. The label itself shows that it is voided.
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); err != nil || w.voids != 1 {
		t.Errorf("again: %v; %d voids", err, w.voids)
	}
	again := labelRequest()
	again.Voided = []order.VoidedLabel{{Remote: r.Remote}}
	next, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, again)
	if err != nil || next.Remote == r.Remote || w.labels != 2 {
		t.Errorf("another one: %+v, %v; %d bought", next, err, w.labels)
	}
}

func TestVoid_lostAnswer(t *testing.T) {
	t.Parallel()
	for _, trouble := range []func(*fixture){
		func(w *fixture) { w.lose["POST /shipments/voidlabel"] = true },
		func(w *fixture) { w.fail["POST /shipments/voidlabel"] = 503 },
	} {
		w := newFixture(t)
		r := mustBuy(t, w, w.connection)
		trouble(w)
		var failure *ports.PlatformFailure
		if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); !errors.As(err, &failure) {
			t.Fatal(err)
		}
		if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); err != nil || w.voids != 1 || !w.sent[0].Voided {
			t.Errorf("%v; %d voids", err, w.voids)
		}
	}
	w := newFixture(t) // an exception after the void
	r := mustBuy(t, w, w.connection)
	w.late["POST /shipments/voidlabel"] = true
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); err != nil || !w.sent[0].Voided {
		t.Error(err)
	}
}

func TestVoid_notApproved(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := mustBuy(t, w, w.connection)
	w.keep = "The carrier has scanned it. Key " + apiKey
	var refusal *ports.PlatformRefusal
	err := w.Void(ports.NewOutbound(t.Context()), w.connection, r)
	if !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Reason, "ShipStation does not void the label: The carrier has scanned it.") || strings.Contains(refusal.Reason, apiKey) {
		t.Errorf("%v", err)
	}
	w.fail["GET /shipments"] = 503 // it is unknown whether it was voided before
	var failure *ports.PlatformFailure
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); !errors.As(err, &failure) {
		t.Errorf("%v", err)
	}
	r.Remote, r.TrackingNumber = "", "another" // no void is requested
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); !fault.Is(err, "label_not_voided") || !strings.Contains(err.Error(), "does not show the label") || errors.As(err, &refusal) {
		t.Errorf("%v", err)
	}
}

// checkUnknownOutcome checks that err means neither that the void was refused nor that no void was requested.
func checkUnknownOutcome(t *testing.T, what string, err error) {
	t.Helper()
	var failure *ports.PlatformFailure
	var refusal *ports.PlatformRefusal
	var throttled ports.Throttled
	var known *fault.Error
	if !errors.As(err, &failure) || errors.As(err, &refusal) || errors.As(err, &throttled) || errors.As(err, &known) || errors.Is(err, ports.ErrCredentialsRefused) {
		t.Errorf("%s: %v", what, err)
	}
}

// ShipStation does not approve, and the look-up after it does not say whether the label is voided.
func TestVoid_failedLookUp(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]int{"throttled": 429, "credentials": 401, "refused": 400, "failed": 503} {
		for _, status := range []int{0, 400, 500} { // of the void; 0: an answer that does not approve
			w := newFixture(t)
			r := mustBuy(t, w, w.connection)
			w.keep, w.fail["POST /shipments/voidlabel"] = "No.", status
			w.fail["GET /shipments"] = answer
			checkUnknownOutcome(t, what, w.Void(ports.NewOutbound(t.Context()), w.connection, r))
			v2 := newFixtureV2(t)
			r = mustBuy(t, v2, v2.connection)
			v2.keep, v2.fail["PUT /v2/labels/se-70000/void"] = "No.", status
			v2.fail["GET /v2/labels/se-70000"] = answer
			checkUnknownOutcome(t, "V2, "+what, v2.Void(ports.NewOutbound(t.Context()), v2.connection, r))
		}
	}
}

// The look-up after ShipStation did not approve does not show the label.
func TestVoid_labelNotShown(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := mustBuy(t, w, w.connection)
	w.sent = nil
	checkUnknownOutcome(t, "V1", w.Void(ports.NewOutbound(t.Context()), w.connection, r))
	v2 := newFixtureV2(t)
	r = mustBuy(t, v2, v2.connection)
	v2.labels = nil
	checkUnknownOutcome(t, "V2", v2.Void(ports.NewOutbound(t.Context()), v2.connection, r))
}

// An exception is no refusal, though the label is not voided yet.
func TestVoid_exception(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := mustBuy(t, w, w.connection)
	w.fail["POST /shipments/voidlabel"] = 500
	checkUnknownOutcome(t, "V1", w.Void(ports.NewOutbound(t.Context()), w.connection, r))
	v2 := newFixtureV2(t)
	r = mustBuy(t, v2, v2.connection)
	v2.fail["PUT /v2/labels/se-70000/void"] = 500
	checkUnknownOutcome(t, "V2", v2.Void(ports.NewOutbound(t.Context()), v2.connection, r))
}

// A refused look-up before the void does not mean that an earlier void was refused.
func TestVoid_refusedLookUpBefore(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := mustBuy(t, w, w.connection)
	r.Remote, w.fail["GET /shipments"] = "", 400
	v2 := newFixtureV2(t)
	r2 := mustBuy(t, v2, v2.connection)
	r2.Remote, v2.fail["GET /v2/labels"] = "", 400
	var refusal *ports.PlatformRefusal
	for _, err := range []error{w.Void(ports.NewOutbound(t.Context()), w.connection, r), v2.Void(ports.NewOutbound(t.Context()), v2.connection, r2)} {
		if !fault.Is(err, "label_not_voided") || errors.As(err, &refusal) {
			t.Errorf("%v", err)
		}
	}
	if w.voids != 0 || v2.voids != 0 {
		t.Errorf("%d and %d voids", w.voids, v2.voids)
	}
}

// A label whose id is unknown, or of the other API, is found by its tracking number.
func TestVoid_idOfTheOtherAPI(t *testing.T) {
	t.Parallel()
	for _, remote := range []string{"se-70000", ""} {
		w := newFixture(t)
		r := mustBuy(t, w, w.connection)
		r.Remote = remote
		for range 2 {
			if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); err != nil || w.voids != 1 || !w.sent[0].Voided {
				t.Errorf("%q: %v; %d voids", remote, err, w.voids)
			}
		}
	}
	for _, remote := range []string{"70000", ""} {
		w := newFixtureV2(t)
		r := mustBuy(t, w, w.connection)
		r.Remote = remote
		for range 2 {
			if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); err != nil || w.voids != 1 || w.labels[0]["status"] != "voided" {
				t.Errorf("V2, %q: %v; %d voids", remote, err, w.voids)
			}
		}
	}
}

func TestVoid_v2(t *testing.T) {
	t.Parallel()
	w := newFixtureV2(t)
	r := mustBuy(t, w, w.connection)
	w.lose["PUT /v2/labels/se-70000/void"] = true
	var failure *ports.PlatformFailure
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); !errors.As(err, &failure) {
		t.Fatal(err)
	}
	for _, code := range []string{"label_already_voided", "unknown"} {
		w.code = code
		if err := w.Void(ports.NewOutbound(t.Context()), w.connection, r); err != nil || w.voids != 1 {
			t.Errorf("%s: %v; %d voids", code, err, w.voids)
		}
	}
	again := labelRequest()
	again.Voided = []order.VoidedLabel{{Remote: r.Remote}}
	next, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, again)
	if err != nil || next.Remote == r.Remote || w.bought != 2 {
		t.Errorf("another one: %+v, %v; %d bought", next, err, w.bought)
	}
	// Buy finds the valid label, whichever label of the shipment ShipStation returns for our id.
	w.oldest = true
	if found, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, again); err != nil || found.Remote != next.Remote || w.bought != 2 {
		t.Errorf("found %+v, %v; %d bought", found, err, w.bought)
	}
	w.keep = "It was scanned."
	var refusal *ports.PlatformRefusal
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, voidRequest(next)); !errors.As(err, &refusal) || refusal.Reason != "ShipStation does not void the label: It was scanned." {
		t.Errorf("%v", err)
	}
	w.fail["PUT /v2/labels/"+next.Remote+"/void"] = 404
	if err := w.Void(ports.NewOutbound(t.Context()), w.connection, voidRequest(next)); !errors.As(err, &refusal) {
		t.Errorf("%v", err)
	}
}

// Buy does not return a voided label that ShipStation still lists as valid.
func TestBuy_voidNotShownYet(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	r := mustBuy(t, w, w.connection)
	again := labelRequest()
	again.Voided = []order.VoidedLabel{{Remote: r.Remote}}
	w.status[1000] = "shipped"
	var failure *ports.PlatformFailure
	if l, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, again); !errors.As(err, &failure) || w.labels != 1 {
		t.Errorf("%+v, %v; %d bought", l, err, w.labels)
	}
	again.Voided = []order.VoidedLabel{{Remote: "se-1", TrackingNumber: r.TrackingNumber}} // of the other API
	if l, err := w.Buy(ports.NewOutbound(t.Context()), w.connection, again); !errors.As(err, &failure) || w.labels != 1 {
		t.Errorf("by its tracking number: %+v, %v; %d bought", l, err, w.labels)
	}
	v2 := newFixtureV2(t)
	r = mustBuy(t, v2, v2.connection)
	again.Voided = []order.VoidedLabel{{TrackingNumber: r.TrackingNumber}}
	if l, err := v2.Buy(ports.NewOutbound(t.Context()), v2.connection, again); err == nil && l.Remote == r.Remote {
		t.Errorf("V2, by its tracking number: %+v", l)
	}
	r = mustBuy(t, v2, v2.connection)
	again.Voided = []order.VoidedLabel{{Remote: r.Remote}}
	if l, err := v2.Buy(ports.NewOutbound(t.Context()), v2.connection, again); err == nil && l.Remote == r.Remote {
		t.Errorf("V2: %+v", l)
	}
}
