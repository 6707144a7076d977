package shipping_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// errResponseLost is the error of a request with an unknown outcome.
var errResponseLost = &ports.PlatformFailure{Reason: "ShipStation did not answer."}

func TestBuy_responseLost(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.after[1] = errResponseLost
	_, _, err := d.buy(wish())
	refused(t, err, fault.Unavailable, "provider_unavailable")
	_, _, err = d.buy(wish())
	refused(t, err, fault.Conflict, "label_in_progress") // the platform may still process it
	d.pass(order.LabelLease)
	l, bought, err := d.buy(wish())
	if err != nil || !bought || l.TrackingNumber != "1Z9" || l.PDF != nil || len(d.sold) != 1 || !l.Told {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}

// After a crash between the purchase and its record, the next request finds the label at the platform.
func TestBuy_crashBeforeRecord(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.records[2] = errors.New("the database is gone")
	if _, _, err := d.buy(wish()); err == nil {
		t.Fatal("no error")
	}
	d.pass(order.LabelLease)
	l, bought, err := d.buy(wish())
	if err != nil || !bought || l.Remote != "7" || len(d.asked) != 2 || len(d.sold) != 1 {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
	if d.kept.Order.Fulfillment.Status != order.Shipped {
		t.Error("the order is not told")
	}
}

// After a crash before or right after the order is marked as shipped, the next request marks it, once.
func TestBuy_crashBeforeOrderIsShipped(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.changes[1] = fault.New(fault.Unavailable, "storage_unavailable", "Busy.")
	if _, _, err := d.buy(wish()); !fault.Is(err, "storage_unavailable") {
		t.Fatal(err)
	}
	if d.kept.Order.Fulfillment.Status != order.FulfillmentProcessing {
		t.Fatal("the order knows")
	}
	d.records[3] = errors.New("the database is gone")
	if _, _, err := d.buy(wish()); err == nil {
		t.Fatal("no error")
	}
	for range 2 {
		l, bought, err := d.buy(wish())
		if err != nil || bought || !l.Told || len(d.asked) != 1 {
			t.Fatalf("%+v, %v, %v; asked %d times", l, bought, err, len(d.asked))
		}
	}
	if d.kept.Order.Fulfillment.TrackingNumber != "1Z9" || d.changed != 3 {
		t.Errorf("%+v after %d changes", d.kept.Order.Fulfillment, d.changed)
	}
}

// After a request that certainly bought nothing, another label can be bought at once.
func TestRelease_refused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		kind fault.Kind
		code string
	}{
		{&ports.PlatformRefusal{Reason: "The address is wrong."}, fault.Invalid, "shipping_refused"},
		{ports.ErrCredentialsRefused, fault.Conflict, "credentials_refused"},
		{ports.Throttled{After: 30 * time.Second}, fault.Unavailable, "provider_unavailable"},
		{integration.ErrDisconnected(), fault.Conflict, "integration_disconnected"},
	} {
		d := newFixture()
		d.before[1] = c.err
		_, _, err := d.buy(wish())
		refused(t, err, c.kind, c.code)
		if d.kept.Order.Fulfillment.Status != order.FulfillmentProcessing {
			t.Errorf("%v: the order was told", c.err)
		}
		other := wish()
		other.Service = "ups_air"
		d.list = append([]*integration.Integration{account(8)}, d.list...)
		other.Integration = d.list[0].ID
		if l, bought, err := d.buy(other); err != nil || !bought || l.Service != "ups_air" || l.Integration != other.Integration {
			t.Errorf("%v: then %+v, %v, %v", c.err, l, bought, err)
		}
	}
}

// A label that one account may have bought cannot be bought through another account.
func TestClaim_unresolvedAtAnotherAccount(t *testing.T) {
	t.Parallel()
	d := newFixture()
	d.list = append(d.list, account(8))
	first, second := wish(), wish()
	first.Integration, second.Integration = d.list[0].ID, d.list[1].ID
	d.after[1], d.before[2] = errResponseLost, ports.Throttled{After: time.Second}
	_, _, err := d.buy(first)
	refused(t, err, fault.Unavailable, "provider_unavailable")
	for range 2 { // the second time after the first account has failed again
		d.pass(order.LabelLease)
		_, _, err = d.buy(second)
		refused(t, err, fault.Conflict, "label_unresolved")
		if len(d.asked) == 1 {
			_, _, err = d.buy(first)
			refused(t, err, fault.Unavailable, "provider_unavailable")
		}
	}
	if l, bought, err := d.buy(first); err != nil || !bought || l.Integration != first.Integration || len(d.sold) != 1 {
		t.Errorf("%+v, %v, %v", l, bought, err)
	}
}
