package shipping_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

func (d *fixture) void(name id.Label) (*order.Label, bool, error) {
	return d.voidFor(context.Background(), parcel, name)
}

// voidFor voids a label and updates the order.
func (d *fixture) voidFor(ctx context.Context, of id.Order, name id.Label) (*order.Label, bool, error) {
	s := d.service()
	l, voided, err := s.Void(ports.NewOutbound(ctx), shop, of, name)
	if err == nil {
		err = s.UnmarkShipped(context.WithoutCancel(ctx), l)
	}
	return l, voided, err
}

// labeled returns a fixture whose order has a label.
func labeled(t *testing.T) (*fixture, id.Label) {
	t.Helper()
	d := newFixture()
	l, _, err := d.buy(wish())
	if err != nil {
		t.Fatal(err)
	}
	return d, l.ID
}

func (d *fixture) fulfillment() order.FulfillmentStatus { return d.kept.Order.Fulfillment.Status }

func TestVoid(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.pass(time.Hour)
	l, voided, err := d.void(name)
	if err != nil || !voided || !l.VoidedAt.Equal(noon.Add(time.Hour)) || l.ID != name || !l.VoidDueAt.IsZero() {
		t.Fatalf("%+v, %v, %v", l, voided, err)
	}
	if r := d.voids[0]; r.Remote != "7" || r.TrackingNumber != "1Z9" || r.Order.ID != parcel || r.Test {
		t.Errorf("asked %+v", r)
	}
	if f := d.kept.Order.Fulfillment; f != (order.Fulfillment{Status: order.FulfillmentProcessing}) {
		t.Errorf("the order is %+v", f)
	}
	d.list = nil // no integration is needed for a voided label
	again, voided, err := d.void(name)
	if err != nil || voided || !again.VoidedAt.Equal(l.VoidedAt) || len(d.voids) != 1 {
		t.Errorf("again %+v, %v, %v; asked %d times", again, voided, err, len(d.voids))
	}
}

func TestVoid_thenBuyAnother(t *testing.T) {
	t.Parallel()
	d, first := labeled(t)
	if _, _, err := d.void(first); err != nil {
		t.Fatal(err)
	}
	second, bought, err := d.buy(wish())
	if err != nil || !bought || second.ID == first || second.TrackingNumber != "1Z10" || second.Voided() {
		t.Fatalf("%+v, %v, %v", second, bought, err)
	}
	if asked := d.asked[1]; len(asked.Voided) != 1 || !asked.Voided[0].Is("7", "") {
		t.Errorf("the voided label may be found again: %+v", asked)
	}
	if f := d.kept.Order.Fulfillment; f.Status != order.Shipped || f.TrackingNumber != "1Z10" {
		t.Errorf("the order is %+v", f)
	}
	// The first label is still known, and voiding it again does not affect the second one.
	again, voided, err := d.void(first)
	if err != nil || voided || again.ID != first || !again.Voided() || d.fulfillment() != order.Shipped || len(d.voids) != 1 {
		t.Errorf("%+v, %v, %v", again, voided, err)
	}
	all, err := d.service().Bought(t.Context(), shop.ID, parcel)
	if err != nil || len(all) != 2 || all[0].ID != second.ID || all[1].ID != first || all[1].Price != usd(7_25) {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestVoid_unknownLabel(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	_, _, err := d.void(id.New[id.Label]([16]byte{99}))
	refused(t, err, fault.NotFound, "label_not_found")
	_, _, err = d.voidFor(t.Context(), id.New[id.Order]([16]byte{9}), name)
	refused(t, err, fault.NotFound, "order_not_found")
	// A label that is being bought cannot be voided.
	d = newFixture()
	d.after[1] = errResponseLost
	_, _, err = d.buy(wish())
	refused(t, err, fault.Unavailable, "provider_unavailable")
	_, _, err = d.void(d.labels[false].ID)
	refused(t, err, fault.NotFound, "label_not_found")
	if len(d.voids) != 0 {
		t.Errorf("the platform was asked: %+v", d.voids)
	}
}

func TestVoid_testLabel(t *testing.T) {
	t.Parallel()
	d, real := labeled(t)
	w := wish()
	w.Test = true
	test, _, err := d.buy(w)
	if err != nil {
		t.Fatal(err)
	}
	l, voided, err := d.void(test.ID)
	if err != nil || !voided || !l.Test || !d.voids[0].Test || d.fulfillment() != order.Shipped {
		t.Errorf("%+v, %v, %v", l, voided, err)
	}
	if kept, bought, err := d.buy(wish()); err != nil || bought || kept.ID != real {
		t.Errorf("%+v, %v, %v", kept, bought, err)
	}
}

// If the platform refuses to void a label, the label stays valid and the order shipped.
func TestVoid_refused(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.voidBefore[1] = &ports.PlatformRefusal{Reason: "ShipStation does not void the label: it was scanned."}
	_, _, err := d.void(name)
	refused(t, err, fault.Conflict, "label_not_voided")
	if l := d.labels[false]; l.Voided() || !l.VoidDueAt.IsZero() || l.Unsure || d.fulfillment() != order.Shipped {
		t.Errorf("%+v, %s", l, d.fulfillment())
	}
	if kept, bought, err := d.buy(wish()); err != nil || bought || kept.ID != name {
		t.Errorf("%+v, %v, %v", kept, bought, err)
	}
	if _, voided, err := d.void(name); err != nil || !voided {
		t.Errorf("later: %v, %v", voided, err)
	}
}

// If the request to void was certainly not sent, the label stays valid.
func TestVoid_notSent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		kind fault.Kind
		code string
	}{
		{ports.ErrCredentialsRefused, fault.Conflict, "credentials_refused"},
		{ports.Throttled{After: 30 * time.Second}, fault.Unavailable, "provider_unavailable"},
		{integration.ErrDisconnected(), fault.Conflict, "integration_disconnected"},
	} {
		d, name := labeled(t)
		d.voidBefore[1] = c.err
		_, _, err := d.void(name)
		refused(t, err, c.kind, c.code)
		if kept, bought, err := d.buy(wish()); err != nil || bought || kept.ID != name {
			t.Errorf("%v: %+v, %v, %v", c.err, kept, bought, err)
		}
	}
	d, name := labeled(t)
	d.list[0].Status = integration.Disconnected
	_, _, err := d.void(name)
	refused(t, err, fault.Conflict, "integration_disconnected")
	d.list = []*integration.Integration{account(8)} // another one cannot void it
	_, _, err = d.void(name)
	refused(t, err, fault.NotFound, "integration_not_found")
	if len(d.voids) != 0 {
		t.Errorf("the platform was asked: %+v", d.voids)
	}
}

func TestVoid_deliveredOrder(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.kept.Order.Fulfillment.Status = order.Delivered
	_, _, err := d.void(name)
	refused(t, err, fault.Conflict, "order_delivered")
	if len(d.voids) != 0 {
		t.Errorf("the platform was asked: %+v", d.voids)
	}
}

// The label of a canceled order can be voided, and the order stays canceled.
func TestVoid_canceledOrder(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.kept.Order.Status, d.kept.Order.Fulfillment.Status = order.Canceled, order.FulfillmentCanceled
	if _, voided, err := d.void(name); err != nil || !voided || d.fulfillment() != order.FulfillmentCanceled {
		t.Errorf("%v, %v, %s", voided, err, d.fulfillment())
	}
	_, _, err := d.buy(wish())
	refused(t, err, fault.Conflict, "order_canceled")
}

// An order that the merchant marked as shipped with another tracking number stays shipped.
func TestVoid_anotherTracking(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.kept.Order.Fulfillment.TrackingNumber = "by hand"
	if _, voided, err := d.void(name); err != nil || !voided || d.fulfillment() != order.Shipped {
		t.Errorf("%v, %v, %s", voided, err, d.fulfillment())
	}
}

// After a lost response, no other label can be bought until the label is voided again. The platform accepts that although the
// label is voided already.
func TestVoid_responseLost(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.voidAfter[1] = errResponseLost
	_, _, err := d.void(name)
	refused(t, err, fault.Unavailable, "provider_unavailable")
	_, _, err = d.void(name)
	refused(t, err, fault.Conflict, "label_in_progress")
	_, _, err = d.buy(wish())
	refused(t, err, fault.Conflict, "label_in_progress")
	d.pass(order.LabelLease)
	_, _, err = d.buy(wish())
	refused(t, err, fault.Conflict, "label_void_unresolved")
	d.voidBefore[2] = ports.Throttled{After: time.Second} // does not resolve it
	_, _, err = d.void(name)
	refused(t, err, fault.Unavailable, "provider_unavailable")
	_, _, err = d.buy(wish())
	refused(t, err, fault.Conflict, "label_void_unresolved")
	if len(d.asked) != 1 {
		t.Fatalf("%d labels were asked for", len(d.asked))
	}
	if l, voided, err := d.void(name); err != nil || !voided || !l.Voided() || d.fulfillment() != order.FulfillmentProcessing {
		t.Errorf("%+v, %v, %v", l, voided, err)
	}
	if l, bought, err := d.buy(wish()); err != nil || !bought || l.TrackingNumber != "1Z10" {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}

// The process dies between the platform's response and its record, then between the record and the update of the order.
func TestVoid_crashes(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	gone := errors.New("the database is gone")
	d.records[d.stored+2] = gone // after the claim
	if _, _, err := d.void(name); !errors.Is(err, gone) || !d.voided["7"] {
		t.Fatalf("%v; voided there: %v", err, d.voided)
	}
	d.pass(order.LabelLease)
	d.records[d.stored+3] = gone // after the claim and the record
	if _, _, err := d.void(name); !errors.Is(err, gone) {
		t.Fatal(err)
	}
	if l := d.labels[false]; !l.Voided() || d.fulfillment() != order.Shipped {
		t.Fatalf("%+v, %s", l, d.fulfillment())
	}
	for range 2 {
		if _, voided, err := d.void(name); err != nil || voided || d.fulfillment() != order.FulfillmentProcessing || len(d.voids) != 2 {
			t.Errorf("%v, %v, %s", voided, err, d.fulfillment())
		}
	}
}

// Of two concurrent requests to void, one calls the platform and the other returns label_in_progress. No other label is bought
// meanwhile.
func TestVoid_concurrent(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.started, d.proceed = make(chan struct{}), make(chan struct{})
	d.blocked.Store(false)
	done := make(chan error)
	go func() {
		_, _, err := d.void(name)
		done <- err
	}()
	<-d.started
	_, _, err := d.void(name)
	refused(t, err, fault.Conflict, "label_in_progress")
	_, _, err = d.buy(wish())
	refused(t, err, fault.Conflict, "label_in_progress")
	close(d.proceed)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if l, voided, err := d.void(name); err != nil || voided || !l.Voided() || len(d.voids) != 1 || len(d.asked) != 1 {
		t.Errorf("%+v, %v, %v", l, voided, err)
	}
}

// A void that is recorded late does not change the label that was bought meanwhile.
func TestVoid_lateRecord(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.started, d.proceed = make(chan struct{}), make(chan struct{})
	d.blocked.Store(false)
	type answer struct {
		label  *order.Label
		voided bool
		err    error
	}
	done := make(chan answer)
	go func() {
		l, voided, err := d.void(name)
		done <- answer{l, voided, err}
	}()
	<-d.started
	d.pass(order.LabelLease)
	if _, voided, err := d.void(name); err != nil || !voided {
		t.Fatal(voided, err)
	}
	second, _, err := d.buy(wish())
	if err != nil {
		t.Fatal(err)
	}
	close(d.proceed)
	if a := <-done; a.err != nil || a.label.ID != name || !a.label.Voided() {
		t.Errorf("%+v", a)
	}
	kept, bought, err := d.buy(wish())
	if err != nil || bought || !reflect.DeepEqual(kept, second) || d.kept.Order.Fulfillment.TrackingNumber != "1Z10" {
		t.Errorf("%+v, %v, %v; the order is %+v", kept, bought, err, d.kept.Order.Fulfillment)
	}
}

// The lease is renewed while the platform is called, and the request fails if the platform hangs.
func TestVoid_slowPlatform(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, name := labeled(t)
		d.live, d.hangs = true, true
		done := make(chan error)
		go func() {
			_, _, err := d.void(name)
			done <- err
		}()
		for range 4 {
			time.Sleep(order.LabelLease / 2)
			_, _, err := d.void(name)
			refused(t, err, fault.Conflict, "label_in_progress")
		}
		refused(t, <-done, fault.Unavailable, "provider_unavailable")
		if l := d.labels[false]; l.Voided() || l.VoidDueAt.IsZero() {
			t.Errorf("%+v", l)
		}
	})
}

// A label that is voided before Tell does not mark the order as shipped.
func TestVoidedMeanwhile(t *testing.T) {
	t.Parallel()
	d := newFixture()
	bought, _, err := d.service().Buy(ports.NewOutbound(t.Context()), shop, parcel, wish())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.void(bought.ID); err != nil {
		t.Fatal(err)
	}
	l, err := d.service().MarkShipped(t.Context(), bought)
	if err != nil || !l.Voided() || l.Told || d.fulfillment() != order.FulfillmentProcessing {
		t.Errorf("%+v, %v, %s", l, err, d.fulfillment())
	}
}
