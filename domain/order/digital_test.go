package order_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

func caseOf(digital ...bool) *order.Case {
	o := &order.Order{Status: order.Confirmed, Fulfillment: order.Fulfillment{Status: order.FulfillmentProcessing}}
	for _, d := range digital {
		o.Lines = append(o.Lines, checkout.Line{Quantity: 1, Digital: d})
	}
	return &order.Case{Order: o}
}

func TestCase_digital(t *testing.T) {
	t.Parallel()
	now, name := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), id.New[id.Event]([16]byte{1})
	c := caseOf(true, true)
	if err := c.Ship("ups", "1Z", "", name, now); !errors.Is(err, order.ErrNothingToShip) {
		t.Error("shipped:", err)
	}
	if err := c.Order.Shippable(); !errors.Is(err, order.ErrNothingToShip) {
		t.Error("labelled:", err)
	}
	if err := c.Deliver(name, now); err != nil || c.Order.Fulfillment.Status != order.Delivered {
		t.Error("not delivered:", err)
	}
	reported := caseOf(true)
	if err := reported.ShipAt(now, "", "", "", name, now); err != nil || reported.Order.Fulfillment.Status != order.Delivered {
		t.Error("a platform's shipment delivers nothing:", err)
	}
	if lines := c.Order.ShippedLines(); len(lines) != 0 {
		t.Error("a parcel has", lines)
	}
	mixed := caseOf(true, false)
	if lines := mixed.Order.ShippedLines(); len(lines) != 1 || lines[0].Digital {
		t.Error("a parcel has", lines)
	}
	if err := mixed.Deliver(name, now); !errors.Is(err, order.ErrNotShipped) {
		t.Error("delivered without shipping:", err)
	}
	if err := mixed.Ship("ups", "1Z", "", name, now); err != nil {
		t.Error(err)
	}
}
