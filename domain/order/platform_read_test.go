package order_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// What was done at a platform is done here once, however often it is read, and money goes back as far as it is left.
func TestPlatformOrder_Read(t *testing.T) {
	type there = order.PlatformRefund
	ours := id.New[id.Refund]([16]byte{77})
	for name, test := range map[string]struct {
		alertOnly bool
		before    func(*testing.T, *order.Case)
		state     order.PlatformState
		want      string // the refunds that are planned, and the cancellation
		alerts    int
	}{
		"nothing":           {},
		"a part":            {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(5_00)}}}, want: "5.00"},
		"two equal parts":   {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(5_00)}, {Remote: "2", Amount: cents(5_00)}}}, want: "5.00 5.00"},
		"goods alone":       {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(0)}}}},
		"more than is left": {state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(1_000_00)}, {Remote: "2", Amount: cents(1_00)}}}, want: "321.73", alerts: 2},
		"alert":             {alertOnly: true, state: order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(5_00)}}}, alerts: 1},
		"our own": {
			before: func(t *testing.T, c *order.Case) { refundHere(t, c, ours, 5_00) },
			state:  order.PlatformState{Refunds: []there{{Remote: "1", Ours: ours, Amount: cents(5_00)}, {Remote: "2", Ours: ours, Amount: cents(5_00)}}},
		},
		"the note of another order's refund": {
			state: order.PlatformState{Refunds: []there{{Remote: "1", Ours: ours, Amount: cents(5_00)}}}, want: "5.00",
		},
		"as much was refunded here meanwhile": {
			before: func(t *testing.T, c *order.Case) { refundHere(t, c, ours, 5_00) },
			state:  order.PlatformState{Refunds: []there{{Remote: "1", Amount: cents(5_00)}, {Remote: "2", Amount: cents(5_00)}}}, want: "5.00",
		},
		"canceled":                {state: order.PlatformState{Canceled: true}, want: "canceled", alerts: 1},
		"canceled and refunded":   {state: order.PlatformState{Canceled: true, Refunds: []there{{Remote: "1", Amount: cents(321_73)}}}, want: "321.73 canceled"},
		"canceled, alert":         {alertOnly: true, state: order.PlatformState{Canceled: true, Refunds: []there{{Remote: "1", Amount: cents(321_73)}}}, want: "canceled", alerts: 1},
		"canceled after shipping": {before: shipHere, state: order.PlatformState{Canceled: true}, alerts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			c, w := opened(), platformOrder(order.PlatformWritten)
			if test.before != nil {
				test.before(t, c)
			}
			r := order.Reading{
				State: test.state, Label: "Shopify", Refund: !test.alertOnly,
				Stocked: func(takes []catalog.Take) []catalog.Take { return takes },
			}
			w.Change(later)
			do := w.Read(c, r, later)
			if err := do.Apply(c, "Shopify", id.New[id.Event]([16]byte{1}), later); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, one := range do.Refunds {
				got = append(got, one.Amount.String())
			}
			if do.Cancel {
				got = append(got, "canceled")
			}
			if text := strings.Join(got, " "); text != test.want || len(do.Alerts) != test.alerts {
				t.Errorf("%s, %q; want %s, %d alerts", text, do.Alerts, test.want, test.alerts)
			}
			if do.Cancel != (c.Order.Status == order.Canceled) || do.Cancel != (len(w.Moved) > 0) {
				t.Errorf("%v, moved %v", c.Order.Status, w.Moved)
			}
			if again := w.Read(c, r, later); again.Cancel || len(again.Refunds)+len(again.Alerts) > 0 {
				t.Errorf("read again: %+v", again)
			}
			w.Told.Read = nil // as a release before leaves it
			if again := w.Read(c, r, later); len(again.Refunds) > 0 && test.before == nil {
				t.Errorf("read again by a release that knows no more: %+v", again)
			}
			w.Moved = nil
			if next := w.Next(c); next != nil && name != "canceled after shipping" {
				t.Errorf("next is %#v", next)
			}
		})
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

// A refund that the merchant was alerted of and made here is not told to the platform, which has it.
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
