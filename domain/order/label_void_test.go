package order_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// boughtLabel returns an order with a bought label.
func boughtLabel(t *testing.T) (*order.Order, *order.Label) {
	t.Helper()
	o := place(paid(), time.UTC, placed)
	l := order.NewLabel(id.New[id.Label]([16]byte{1}), o, false, placed)
	wish := order.LabelRequest{
		Integration: id.New[id.Integration]([16]byte{1}),
		Carrier:     "ups",
		Service:     "ups_ground",
		Grams:       500,
	}
	if err := l.Claim(wish, placed); err != nil {
		t.Fatal(err)
	}
	l.Buy(order.LabelSold{
		Remote:         "7",
		Carrier:        "ups",
		Service:        "ups_ground",
		TrackingNumber: "1Z",
		Price:          cents(725),
		PDF:            []byte("%PDF"),
	}, placed)
	return o, l
}

// Every state of a label, and the result of voiding it, buying another one and using it: ok, or the code of the
// refusal.
func TestLabel_ClaimVoid_everyState(t *testing.T) {
	t.Parallel()
	lost := placed.Add(order.LabelLease)
	claimed := func(o *order.Order, l *order.Label) {
		if err := l.ClaimVoid(o, placed); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		state     string
		lead      func(*order.Order, *order.Label)
		at        time.Time
		void, use string
		unsure    bool // after it was claimed
	}{
		{"bought", func(*order.Order, *order.Label) {}, placed, "ok", "ok", false},
		{"in hand", claimed, lost.Add(-time.Millisecond), "label_in_progress", "label_in_progress", false},
		{"lost", claimed, lost, "ok", "label_void_unresolved", true},
		{"released", func(o *order.Order, l *order.Label) { claimed(o, l); l.Release(l.Lease()) }, placed, "ok", "ok", false},
		{"lost, claimed again and released", func(o *order.Order, l *order.Label) {
			claimed(o, l)
			if err := l.ClaimVoid(o, lost); err != nil {
				t.Fatal(err)
			}
			l.Release(l.Lease())
		}, lost, "ok", "label_void_unresolved", true},
		{"kept by the platform", func(o *order.Order, l *order.Label) {
			claimed(o, l)
			if err := l.ClaimVoid(o, lost); err != nil {
				t.Fatal(err)
			}
			l.KeepBought(l.Lease())
		}, lost, "ok", "ok", false},
		{"kept, as a former holder says", func(o *order.Order, l *order.Label) { claimed(o, l); l.KeepBought(placed) }, placed, "label_in_progress", "label_in_progress", false},
		{"voided", func(o *order.Order, l *order.Label) { claimed(o, l); l.Void(lost) }, lost, "label_voided", "no", false},
		{"of a delivered order", func(o *order.Order, _ *order.Label) { o.Fulfillment.Status = order.Delivered }, placed, "order_delivered", "ok", false},
	} {
		o, l := boughtLabel(t)
		c.lead(o, l)
		switch usable, err := l.Usable(c.at); {
		case c.use == "ok" && (!usable || err != nil), c.use == "no" && (usable || err != nil):
			t.Errorf("%s: usable %v, %v", c.state, usable, err)
		case c.use != "ok" && c.use != "no" && (usable || !fault.Is(err, c.use)):
			t.Errorf("%s: usable %v, %v, want %s", c.state, usable, err, c.use)
		}
		before := *l
		switch err := l.ClaimVoid(o, c.at); {
		case c.void == "ok" && (err != nil || !l.Lease().Equal(c.at.Add(order.LabelLease)) || l.Unsure != c.unsure):
			t.Errorf("%s: %v, %+v", c.state, err, l)
		case c.void != "ok" && (!fault.Is(err, c.void) || l.VoidDueAt != before.VoidDueAt || l.Unsure != before.Unsure):
			t.Errorf("%s: %v, want %s; %+v", c.state, err, c.void, l)
		}
	}
	o := place(paid(), time.UTC, placed)
	unsold := order.NewLabel(id.New[id.Label]([16]byte{1}), o, false, placed)
	if err := unsold.ClaimVoid(o, placed); !fault.Is(err, "label_not_found") {
		t.Errorf("a label that nobody bought: %v", err)
	}
	unsold.Void(placed)
	if unsold.Voided() {
		t.Error("a label that nobody bought is voided")
	}
}

func TestRenewALabelsLease_whileItIsVoided(t *testing.T) {
	t.Parallel()
	o, l := boughtLabel(t)
	if err := l.ClaimVoid(o, placed); err != nil {
		t.Fatal(err)
	}
	lease := l.Lease()
	if l.Renew(lease.Add(time.Second), later) || !l.Renew(lease, later) || !l.Lease().Equal(later.Add(order.LabelLease)) || !l.DueAt.IsZero() {
		t.Errorf("%+v", l)
	}
	lease = l.Lease()
	l.Void(later)
	if l.Renew(lease, later) || !l.Lease().IsZero() {
		t.Errorf("renewed after it was voided: %+v", l)
	}
	first := l.VoidedAt
	l.Void(later.Add(time.Hour))
	if !l.VoidedAt.Equal(first) {
		t.Errorf("voided again at %s", l.VoidedAt)
	}
}

func TestLabel_Next(t *testing.T) {
	t.Parallel()
	o, l := boughtLabel(t)
	l.Void(later)
	next := l.Next(id.New[id.Label]([16]byte{2}), o, later)
	if next.Bought() || next.Voided() || next.Remote != "" || !next.DueAt.IsZero() || next.Test != l.Test || next.Order != l.Order {
		t.Errorf("%+v", next)
	}
	former := next.Find(l.ID)
	if former == nil || !former.Voided() || former.TrackingNumber != "1Z" || former.Price != cents(725) || former.Order != o.ID || former.PDF != nil {
		t.Fatalf("%+v", former)
	}
	if f := next.Former[0]; !f.Is("7", "") || !f.Is("se-7", "1Z") || !f.Is("", "1Z") || f.Is("", "") || f.Is("8", "2Z") || !next.HasVoided("1Z") || next.HasVoided("2Z") {
		t.Errorf("%+v", next.Former)
	}
	if next.Find(next.ID) != nil || len(next.All()) != 1 {
		t.Error("a label that nobody bought is shown")
	}
	for n := range 60 { // only the latest ones are kept
		next.Buy(order.LabelSold{Remote: "8"}, later)
		next.Void(later)
		next = next.Next(id.New[id.Label]([16]byte{3, byte(n)}), o, later)
	}
	if len(next.Former) != 50 || next.Find(l.ID) != nil {
		t.Errorf("%d are kept", len(next.Former))
	}
}

func TestUnship(t *testing.T) {
	announce := id.New[id.Event]([16]byte{7})
	t.Parallel()
	c := &order.Case{Order: place(paid(), time.UTC, placed)}
	c.Unship("", announce, later) // it is not shipped
	if len(c.Events) != 0 {
		t.Fatalf("%+v", c.Events)
	}
	promised := c.Order.Fulfillment
	if err := c.Ship("ups", "1Z", "https://example.com/1Z", announce, later); err != nil {
		t.Fatal(err)
	}
	c.Unship("2Z", announce, later)
	if c.Order.Fulfillment.Status != order.Shipped || len(c.Events) != 1 {
		t.Errorf("another tracking: %+v", c.Order.Fulfillment)
	}
	c.Unship("1Z", announce, later)
	if c.Order.Fulfillment != promised || len(c.Events) != 2 {
		t.Fatalf("%+v, %+v", c.Order.Fulfillment, c.Events)
	}
	if e, ok := c.Events[1].Data.(event.OrderUpdated); !ok || e.Sequence != c.Order.Sequence || e.Tracking != (event.Tracking{}) {
		t.Errorf("%+v", c.Events[1].Data)
	}
	if err := c.Cancelable(); err != nil {
		t.Errorf("it cannot be canceled: %v", err)
	}
	if err := c.Ship("ups", "3Z", "", announce, later); err != nil || c.Order.Fulfillment.TrackingNumber != "3Z" {
		t.Errorf("%v, %+v", err, c.Order.Fulfillment)
	}
	c.Order.Fulfillment.Status, c.Order.Fulfillment.TrackingNumber = order.Shipped, "" // by hand
	c.Unship("", announce, later)
	if c.Order.Fulfillment.Status != order.Shipped {
		t.Errorf("shipped without a tracking number: %+v", c.Order.Fulfillment)
	}
	c.Order.Fulfillment.TrackingNumber = "3Z"
	if err := c.Deliver(announce, later); err != nil {
		t.Fatal(err)
	}
	c.Unship("3Z", announce, later)
	if c.Order.Fulfillment.Status != order.Delivered {
		t.Errorf("a delivered order: %+v", c.Order.Fulfillment)
	}
}
