package shipping_test

import (
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// shipped marks the order as shipped with a tracking number, as ShipStation's webhook or the merchant does.
func (d *fixture) shipped(number string) {
	d.kept.Order.Fulfillment = order.Fulfillment{
		Status:         order.Shipped,
		Carrier:        "ups",
		TrackingNumber: number,
	}
}

// The process ended after the purchase and before Tell, and ShipStation's webhook shipped the order.
func TestUnmarkShipped_shippedByAWebhook(t *testing.T) {
	t.Parallel()
	d := newFixture()
	l, _, err := d.service().Buy(ports.NewOutbound(t.Context()), shop, parcel, wish())
	if err != nil {
		t.Fatal(err)
	}
	d.shipped(l.TrackingNumber)
	if _, voided, err := d.void(l.ID); err != nil || !voided || d.fulfillment() != order.FulfillmentProcessing {
		t.Errorf("%v, %v, %s", voided, err, d.fulfillment())
	}
}

// The process ended after the void and before TellVoided. The request to void is repeated after another label was bought or
// refused.
func TestUnmarkShipped_ofAFormerLabel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuses bool
		number  string // of the label that is bought next
		want    order.FulfillmentStatus
	}{
		"the next purchase is refused":      {refuses: true, want: order.FulfillmentProcessing},
		"the next label has the number":     {number: "1Z9", want: order.Shipped},
		"the next label has another number": {number: "1Z10", want: order.FulfillmentProcessing},
	} {
		d, first := labeled(t)
		if _, _, err := d.service().Void(ports.NewOutbound(t.Context()), shop, parcel, first); err != nil {
			t.Fatal(err)
		}
		if c.refuses {
			d.before[2] = &ports.PlatformRefusal{Reason: "ShipStation refused the request."}
		}
		_, _, err := d.service().Buy(ports.NewOutbound(t.Context()), shop, parcel, wish())
		if c.refuses != (err != nil) {
			t.Fatalf("%s: %v", name, err)
		}
		if !c.refuses {
			next := d.labels[false]
			next.TrackingNumber = c.number
			d.labels[false] = next
		}
		for range 2 {
			if l, voided, err := d.void(first); err != nil || voided || l.ID != first || d.fulfillment() != c.want {
				t.Errorf("%s: %+v, %v, %v, %s", name, l, voided, err, d.fulfillment())
			}
		}
	}
}

func TestUnmarkShipped_withoutATrackingNumber(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	l := d.labels[false]
	l.TrackingNumber = ""
	d.labels[false] = l
	d.shipped("") // by hand
	if _, voided, err := d.void(name); err != nil || !voided || d.fulfillment() != order.Shipped {
		t.Errorf("%v, %v, %s", voided, err, d.fulfillment())
	}
}

// An error before the platform is called does not resolve an earlier request to void whose response was lost.
func TestVoid_notSentAfterLostResponse(t *testing.T) {
	t.Parallel()
	d, name := labeled(t)
	d.voidBefore[1] = errResponseLost
	if _, _, err := d.void(name); err == nil {
		t.Fatal("the void has no error")
	}
	d.pass(order.LabelLease)
	d.voidBefore[2] = fault.New(fault.Conflict, "label_not_voided", "ShipStation does not show the label: void it there.")
	_, _, err := d.void(name)
	refused(t, err, fault.Conflict, "label_not_voided")
	_, _, err = d.buy(wish())
	refused(t, err, fault.Conflict, "label_void_unresolved")
	var refusal *ports.PlatformRefusal
	if errors.As(err, &refusal) || !d.labels[false].Unsure {
		t.Errorf("%v, %+v", err, d.labels[false])
	}
}
