package order

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Voiding a label asks the carrier for a refund. The response may be lost, so a lease guards the request, as for
// buying a label:
//
//	bought ── ClaimVoid ──▶ leased (Renew) ── Void ──▶ voided ── the order is updated ── Next, Claim ──▶ another label
//	   ▲                      ├── KeepBought: the platform does not void it ──┐
//	   │                      ├── Release: the platform was not asked ────────┤
//	   └──────────────────────┴── the lease ends: unknown (Unsure) ───────────┘
//
// The platform accepts a repeated request to void a label, so repeating it resolves an unknown outcome. Until
// then, no other label is bought.

// mostFormer is the largest number of voided labels that are kept per order.
const mostFormer = 50

// VoidedLabel is a label that another one has replaced. Its PDF is not kept.
type VoidedLabel struct {
	ID             id.Label
	Integration    id.Integration
	Remote         string
	Carrier        string
	Service        string
	TrackingNumber string
	PriceMinor     int64          // minor units
	Currency       money.Currency // of the price; the next label's may differ. None: the platform did not report the price
	BoughtAt       time.Time
	VoidedAt       time.Time
}

var (
	// ErrNoLabel means that the order has no such label.
	ErrNoLabel = fault.Missing("label")
	// ErrLabelVoided refuses to void a label twice.
	ErrLabelVoided = fault.New(fault.Conflict, "label_voided", "The label is voided.")
	// ErrVoidUnresolved refuses a second label while it is not known whether the first one was voided.
	ErrVoidUnresolved = fault.New(fault.Conflict, "label_void_unresolved",
		"The platform's response to a void was lost, so the order's label may be void. Void it again.")
)

// Voided reports whether the label was bought and voided.
func (l *Label) Voided() bool { return !l.VoidedAt.IsZero() }

// Usable reports whether the order has a label to ship with. It returns an error if the label is being voided, or if it
// is not known whether it was voided.
func (l *Label) Usable(now time.Time) (bool, error) {
	switch {
	case !l.Bought() || l.Voided():
		return false, nil
	case now.Before(l.VoidDueAt):
		return false, leased(l.VoidDueAt, now)
	case l.Unsure || !l.VoidDueAt.IsZero():
		return false, ErrVoidUnresolved
	}
	return true, nil
}

// Next returns the label that replaces a voided one. It is not leased.
func (l *Label) Next(name id.Label, o *Order, now time.Time) *Label {
	next := NewLabel(name, o, l.Test, now)
	next.Former = append(slices.Clone(l.Former), VoidedLabel{
		ID:             l.ID,
		Integration:    l.Integration,
		Remote:         l.Remote,
		Carrier:        l.Carrier,
		Service:        l.Service,
		TrackingNumber: l.TrackingNumber,
		PriceMinor:     l.Price.Minor(),
		Currency:       l.Price.Currency(),
		BoughtAt:       l.BoughtAt,
		VoidedAt:       l.VoidedAt,
	})
	next.Former = next.Former[max(0, len(next.Former)-mostFormer):]
	return next
}

// Find returns a bought label by its ID: this one, or a voided one that it replaced. It returns nil if there is none.
func (l *Label) Find(name id.Label) *Label {
	if l.ID == name && l.Bought() {
		return l
	}
	for _, f := range l.Former {
		if f.ID == name {
			return l.former(f)
		}
	}
	return nil
}

// All returns the bought labels, the newest first.
func (l *Label) All() []*Label {
	var all []*Label
	if l.Bought() {
		all = append(all, l)
	}
	for _, f := range slices.Backward(l.Former) {
		all = append(all, l.former(f))
	}
	return all
}

func (l *Label) former(f VoidedLabel) *Label {
	var price money.Amount
	if f.Currency != (money.Currency{}) {
		price = money.Of(f.PriceMinor, f.Currency)
	}
	return &Label{
		ID:             f.ID,
		Project:        l.Project,
		Order:          l.Order,
		Integration:    f.Integration,
		Test:           l.Test,
		Carrier:        f.Carrier,
		Service:        f.Service,
		Remote:         f.Remote,
		TrackingNumber: f.TrackingNumber,
		Price:          price,
		BoughtAt:       f.BoughtAt,
		VoidedAt:       f.VoidedAt,
	}
}

// HasVoided reports whether a label with this tracking number was voided, and no valid label has it.
func (l *Label) HasVoided(tracking string) bool {
	for _, one := range l.All() {
		if one.TrackingNumber == tracking {
			return one.Voided()
		}
	}
	return false
}

// Is reports whether the voided label has this platform ID or this tracking number. Empty arguments match nothing.
func (v VoidedLabel) Is(remote, tracking string) bool {
	return remote != "" && v.Remote == remote || tracking != "" && v.TrackingNumber == tracking
}

// ClaimVoid leases a bought label, to void it. The label of a delivered order cannot be voided, because it was used.
func (l *Label) ClaimVoid(o *Order, now time.Time) error {
	switch {
	case !l.Bought():
		return ErrNoLabel
	case l.Voided():
		return ErrLabelVoided
	case o.Fulfillment.Status == Delivered && !l.Test:
		return ErrDelivered
	case now.Before(l.VoidDueAt):
		return leased(l.VoidDueAt, now)
	}
	l.Unsure = l.Unsure || !l.VoidDueAt.IsZero()
	l.VoidDueAt = now.Add(LabelLease)
	return nil
}

// Void records that the platform has voided the label. A second record changes nothing.
func (l *Label) Void(now time.Time) {
	if !l.Bought() || l.Voided() {
		return
	}
	l.VoidedAt, l.VoidDueAt, l.Unsure = now, time.Time{}, false
}

// KeepBought records that the platform does not void the label, and has not voided it before. lease is the label's
// Lease when it was claimed. KeepBought changes nothing if another worker has claimed the label since.
func (l *Label) KeepBought(lease time.Time) {
	if l.Bought() && !lease.IsZero() && l.VoidDueAt.Equal(lease) {
		l.VoidDueAt, l.Unsure = time.Time{}, false
	}
}

// Unship sets a shipped order with this tracking number back to processing, because its label was voided. The order
// must be shipped again, as at ShipStation ("ShipStation will move the order back to Awaiting Shipment",
// https://help.shipstation.com/hc/en-us/articles/360026157751-Void-Labels, read 2026-11-29). An order that is shipped
// with another tracking number or without one, delivered or canceled does not change.
func (c *Case) Unship(number string, announce id.Event, now time.Time) {
	f := &c.Order.Fulfillment
	if number == "" || f.Status != Shipped || f.TrackingNumber != number {
		return
	}
	f.Status, f.ShippedAt = FulfillmentProcessing, time.Time{}
	f.Carrier, f.TrackingNumber, f.TrackingURL = "", "", ""
	c.announce(announce, now, func(n int) event.Data { return event.OrderUpdated{Order: c.Order.ID, Sequence: n} })
}
