package order_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

func platformOrder(s order.PlatformStatus) *order.PlatformOrder {
	w := &order.PlatformOrder{Status: s, DueAt: placed}
	if s == order.PlatformWritten {
		w.Remote = "7"
	}
	return w
}

// Every status and every verb: the resulting status, and whether anything is left to do.
func TestPlatformOrder_states(t *testing.T) {
	verbs := map[string]func(*order.PlatformOrder){
		"Written":  func(w *order.PlatformOrder) { w.Written("8", "#8", "", nil, later) },
		"Refuse":   func(w *order.PlatformOrder) { w.Refuse("no", later) },
		"Skip":     func(w *order.PlatformOrder) { w.Skip("no", later) },
		"Postpone": func(w *order.PlatformOrder) { w.Postpone("no", 0, later) },
		"Retry":    func(w *order.PlatformOrder) { _ = w.Retry(later) },
		"Change":   func(w *order.PlatformOrder) { w.DueAt = time.Time{}; w.Change(later) },
	}
	for status, want := range map[order.PlatformStatus]map[string]string{
		order.PlatformPending: {"Written": "written, due", "Refuse": "refused", "Skip": "skipped", "Postpone": "pending, due", "Retry": "pending, due", "Change": "pending, due"},
		order.PlatformWritten: {"Written": "written, due", "Refuse": "written", "Skip": "written", "Postpone": "written, due", "Retry": "written, due", "Change": "written, due"},
		order.PlatformRefused: {"Written": "written, due", "Refuse": "refused", "Skip": "refused", "Postpone": "refused, due", "Retry": "pending, due", "Change": "refused"},
		order.PlatformSkipped: {"Written": "written, due", "Refuse": "skipped", "Skip": "skipped", "Postpone": "skipped, due", "Retry": "pending, due", "Change": "skipped"},
	} {
		for verb, do := range verbs {
			w := platformOrder(status)
			do(w)
			got := w.Status.String()
			if !w.DueAt.IsZero() {
				got += ", due"
			}
			if got != want[verb] {
				t.Errorf("%s of %s: %s, want %s", verb, status, got, want[verb])
			}
		}
	}
	w := platformOrder(order.PlatformWritten)
	if w.Written("8", "#8", "", nil, later); w.Remote != "7" {
		t.Errorf("written again as %s", w.Remote)
	}
	if err := w.Retry(later); !fault.Is(err, order.ErrPlatformWritten.Code) {
		t.Errorf("retry of what is written: %v", err)
	}
}

// The next update of a platform for each change of an order, until nothing is left.
func TestPlatformOrder_Next(t *testing.T) {
	taken := opened().Taken
	sentBy := func(number string) func(*testing.T, *order.Case) {
		return func(t *testing.T, c *order.Case) {
			if err := c.Ship("UPS", number, "", id.Event{}, later); err != nil {
				t.Fatal(err)
			}
		}
	}
	shipment := order.Shipment{Carrier: "UPS", Number: "1Z"}
	for name, c := range map[string]struct {
		status order.PlatformStatus
		known  order.PlatformSync
		moved  []catalog.Reservation
		change func(*testing.T, *order.Case)
		want   order.PlatformStep
	}{
		"a new order is written":    {status: order.PlatformPending, want: order.WriteStep{}},
		"a refused one is not":      {status: order.PlatformRefused},
		"a written one":             {status: order.PlatformWritten},
		"its stock is to settle":    {status: order.PlatformWritten, moved: taken, want: order.SettleStep{}},
		"something changed there":   {status: order.PlatformWritten, known: order.PlatformSync{Changes: 1}, change: canceled, want: order.ReadStep{}},
		"its stock settles first":   {status: order.PlatformWritten, known: order.PlatformSync{Changes: 1}, moved: taken, want: order.SettleStep{}},
		"it is written first":       {status: order.PlatformPending, known: order.PlatformSync{Changes: 1}, want: order.WriteStep{}},
		"it was canceled":           {status: order.PlatformWritten, change: canceled, want: order.CancelStep{Restocked: taken}},
		"the cancellation is told":  {status: order.PlatformWritten, known: order.PlatformSync{Canceled: true}, change: canceled},
		"canceled before":           {status: order.PlatformPending, change: canceled, want: order.SkipStep{Reason: "The order was canceled before it was written."}},
		"it was sent":               {status: order.PlatformWritten, change: sentBy("1Z"), want: order.ShipStep{Shipment: shipment}},
		"with another tracking":     {status: order.PlatformWritten, known: order.PlatformSync{Shipment: order.Shipment{}.Print()}, change: sentBy("1Z"), want: order.ShipStep{Shipment: shipment, Again: true}},
		"the platform sent it":      {status: order.PlatformWritten, known: order.PlatformSync{Shipment: shipment.Print()}, change: sentBy("1Z")},
		"a refund that is not made": {status: order.PlatformWritten, change: func(t *testing.T, c *order.Case) { must(t, states["refunding all"](c)) }},
		"a refund that is told": {status: order.PlatformWritten, known: order.PlatformSync{Refunds: []id.Refund{refundID(1)}},
			change: func(t *testing.T, c *order.Case) { must(t, states["refunded"](c)) }},
	} {
		t.Run(name, func(t *testing.T) {
			k, w := opened(), platformOrder(c.status)
			w.Told, w.Moved = c.known, c.moved
			if c.change != nil {
				c.change(t, k)
			}
			if got := w.Next(k); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%#v, want %#v", got, c.want)
			}
			if w.Rest(k, later); w.DueAt.IsZero() != (c.want == nil) {
				t.Errorf("due at %s", w.DueAt)
			}
		})
	}
}

func canceled(t *testing.T, c *order.Case) { must(t, states["canceled"](c)) }

// A refund step for a return has the goods that were restocked.
func TestPlatformOrder_refundOfAReturn(t *testing.T) {
	k, w := opened(), platformOrder(order.PlatformWritten)
	if _, err := k.RequestReturn(returnID(1), []order.ReturnItem{back(green, 1)}, "", terms, id.Event{}, placed); err != nil {
		t.Fatal(err)
	}
	must(t, k.ApproveReturn(returnID(1), refundID(1), nil, true, id.Event{}, placed))
	must(t, k.SettleRefund(refundID(1), order.Refunded{}, id.Event{}, later))
	step, ok := w.Next(k).(order.RefundStep)
	if !ok || step.Refund.ID != refundID(1) || len(step.Restocked) != 1 || step.Restocked[0].Variant != green {
		t.Fatalf("%#v", step)
	}
	w.Did(step, step.Restocked, later)
	if len(w.Moved) != 1 || w.Moved[0].Quantity != -step.Restocked[0].Quantity {
		t.Errorf("moved %+v", w.Moved)
	}
	if _, settles := w.Next(k).(order.SettleStep); !settles {
		t.Errorf("next is %#v", w.Next(k))
	}
	w.Settled(later)
	if next := w.Next(k); next != nil {
		t.Errorf("told again: %#v", next)
	}
}

// A request is unsure until the platform answers, or until it can no longer execute it.
func TestPlatformOrder_Unsure(t *testing.T) {
	w := platformOrder(order.PlatformPending)
	unsure := func(after time.Duration, want time.Duration) {
		t.Helper()
		if got := w.Unsure(30*time.Second, later.Add(after)); got != want {
			t.Errorf("after %s: %s, want %s", after, got, want)
		}
	}
	unsure(0, 0)
	w.Ask("", later)
	w.Postpone("no answer", 0, later.Add(time.Second))
	unsure(10*time.Second, 20*time.Second)
	unsure(30*time.Second, 0)
	if got := w.Unsure(0, later); got != 0 {
		t.Errorf("of a platform that recognizes requests: %s", got)
	}
	w.Written("8", "#8", "", nil, later)
	unsure(0, 0)
}

func TestPlatformOrder_Postpone(t *testing.T) {
	w := platformOrder(order.PlatformPending)
	var pauses []time.Duration
	for range 14 {
		w.Postpone("no answer", 0, later)
		pauses = append(pauses, w.DueAt.Sub(later))
	}
	if pauses[0] != 2*time.Second || pauses[1] != 4*time.Second || pauses[13] != time.Hour {
		t.Errorf("%v", pauses)
	}
	if w.Postpone(strings.Repeat("x", 1000), 7*time.Second, later); w.DueAt.Sub(later) != 7*time.Second || w.Failures != 14 || len([]rune(w.Problem)) != 500 {
		t.Errorf("%+v", w)
	}
}
