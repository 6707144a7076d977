package order_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// A cancellation at the platform cancels the order here once, and a refund there leads to one alert, however often they
// are read. No money moves.
func TestPlatformOrder_Read(t *testing.T) {
	type there = order.PlatformRefund
	ours := id.New[id.Refund]([16]byte{77})
	for name, test := range map[string]struct {
		before func(*testing.T, *order.Case)
		state  order.PlatformState
		cancel bool
		alerts int
	}{
		"nothing":           {},
		"a part":            {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(5_00)}}}, alerts: 1},
		"two equal parts":   {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(5_00)}, {Remote: "2", Amount: cents(5_00)}}}, alerts: 2},
		"goods alone":       {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(0)}}}},
		"more than is left": {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(1_000_00)}, {Remote: "2", Amount: cents(1_00)}}}, alerts: 2},
		"our own": {
			before: func(t *testing.T, c *order.Case) { refundHere(t, c, ours, 5_00) },
			state:  order.PlatformState{Refunds: []there{{Remote: "1", Ours: ours, Amount: cents(5_00)}, {Remote: "2", Ours: ours, Amount: cents(5_00)}}},
		},
		"the note of another order's refund": {
			state: order.PlatformState{Refunds: []there{{Remote: "1", Ours: ours, Amount: cents(5_00)}}}, alerts: 1,
		},
		"as much was refunded here meanwhile": {
			before: func(t *testing.T, c *order.Case) { refundHere(t, c, ours, 5_00) },
			state:  order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(5_00)}, {Remote: "2", Amount: cents(5_00)}}}, alerts: 1,
		},
		"canceled":                  {state: order.PlatformState{Canceled: true}, cancel: true, alerts: 1},
		"canceled and refunded":     {state: order.PlatformState{Canceled: true, Refunds: []there{{Remote: "1", Amount: cents(321_73)}}}, cancel: true, alerts: 1},
		"canceled, partly refunded": {state: order.PlatformState{Canceled: true, Refunds: []there{{Remote: "1", Amount: cents(21_73)}}}, cancel: true, alerts: 2},
		"canceled after shipping":   {before: shipHere, state: order.PlatformState{Canceled: true}, alerts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			c, w := opened(), platformOrder(order.PlatformWritten)
			if test.before != nil {
				test.before(t, c)
			}
			r := order.Reading{
				State:   test.state,
				Changes: 1,
				Label:   "Shopify",
				Stocked: func(takes []catalog.Reservation) []catalog.Reservation { return takes },
			}
			refunds := len(c.Refunds)
			w.Change(later)
			do := w.Read(c, r, later)
			if err := do.Apply(c, "Shopify", id.New[id.Event]([16]byte{1}), later); err != nil {
				t.Fatal(err)
			}
			if do.Cancel != test.cancel || len(do.Alerts) != test.alerts || len(c.Refunds) != refunds {
				t.Errorf("%+v and %d refunds; want %v, %d alerts and %d refunds", do, len(c.Refunds), test.cancel, test.alerts, refunds)
			}
			if do.Cancel != (c.Order.Status == order.Canceled) || do.Cancel != (len(w.Moved) > 0) {
				t.Errorf("%v, moved %v", c.Order.Status, w.Moved)
			}
			if again := w.Read(c, r, later); again.Cancel || len(again.Alerts) > 0 {
				t.Errorf("read again: %+v", again)
			}
			w.Moved = nil
			if next := w.Next(c); next != nil && name != "canceled after shipping" {
				t.Errorf("next is %#v", next)
			}
		})
	}
}

// A change that is reported during a read is read afterwards.
func TestPlatformOrder_changedMeanwhile(t *testing.T) {
	c, w := opened(), platformOrder(order.PlatformWritten)
	w.Change(later)
	asked := order.Reading{Changes: w.Told.Changes, Stocked: func([]catalog.Reservation) []catalog.Reservation { return nil }}
	w.Change(later) // during the read
	w.Read(c, asked, later)
	if _, again := w.Next(c).(order.ReadStep); !again {
		t.Errorf("next is %#v", w.Next(c))
	}
	asked.Changes = w.Told.Changes
	if w.Read(c, asked, later); w.Next(c) != nil {
		t.Errorf("next is %#v", w.Next(c))
	}
}

// An order that the platform refuses to show is still updated there, and the merchant is alerted once.
func TestPlatformOrder_Unreadable(t *testing.T) {
	c, w := opened(), platformOrder(order.PlatformWritten)
	shipHere(t, c)
	for n, want := range []bool{true, false} {
		w.Change(later)
		if alert := w.Unreadable(w.Told.Changes, later); alert != want {
			t.Errorf("refusal %d: alert %v", n, alert)
		}
		if _, goes := w.Next(c).(order.ShipStep); !goes {
			t.Errorf("next is %#v", w.Next(c))
		}
	}
	w.Change(later)
	w.Read(c, order.Reading{Changes: w.Told.Changes}, later)
	w.Change(later)
	if !w.Unreadable(w.Told.Changes, later) {
		t.Error("no alert after it could be read")
	}
}

func refundHere(t *testing.T, c *order.Case, refund id.Refund, n int64) {
	t.Helper()
	amount := cents(n)
	if err := c.Refund(refund, &amount, "", placed); err != nil {
		t.Fatal(err)
	}
}

func shipHere(t *testing.T, c *order.Case) {
	t.Helper()
	if err := c.Ship("UPS", "1Z", "", id.New[id.Event]([16]byte{9}), placed); err != nil {
		t.Fatal(err)
	}
}

// A refund made here after an alert is not written to the platform, which has recorded it already.
func TestPlatformOrder_recordedRefund(t *testing.T) {
	c, w := opened(), platformOrder(order.PlatformWritten)
	w.Told.Recorded = []int64{5_00, 5_00}
	refundHere(t, c, refundID(1), 5_00)
	must(t, c.SettleRefund(refundID(1), order.Refunded{}, id.Event{}, later))
	step, ok := w.Next(c).(order.RefundStep)
	if !ok || !step.Recorded {
		t.Fatalf("%#v", step)
	}
	if w.Did(step, nil, later); len(w.Told.Recorded) != 1 || w.Next(c) != nil {
		t.Errorf("%+v, next %#v", w.Told, w.Next(c))
	}
}
