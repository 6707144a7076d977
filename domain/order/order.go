// Package order is what a paid checkout becomes: the order, its payment, its fulfillment, and the
// returns that may follow.
package order

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Status of an order.
type Status struct{ name string }

var Confirmed = Status{"confirmed"}

func (s Status) String() string { return s.name }

// PaymentStatus of an order's payment.
type PaymentStatus struct{ name string }

var Succeeded = PaymentStatus{"succeeded"}

func (s PaymentStatus) String() string { return s.name }

// FulfillmentStatus of an order.
type FulfillmentStatus struct{ name string }

var FulfillmentProcessing = FulfillmentStatus{"processing"}

func (s FulfillmentStatus) String() string { return s.name }

// Payment is the money taken for an order.
type Payment struct {
	ID        id.Payment
	Status    PaymentStatus
	Amount    money.Amount
	Method    string // psp_spt or wallet_ba
	Label     string // the instrument in words: "Visa ending in 4242"
	Provider  string // the provider's own id of the charge
	CreatedAt time.Time
}

// Fulfillment is the promise of delivery. Its days are those of the shop's calendar, each as its
// midnight in UTC: format them, do not convert them.
type Fulfillment struct {
	Status         FulfillmentStatus
	ShipsOn        time.Time
	DeliversFrom   time.Time
	DeliversBy     time.Time
	ShippingOption string
}

// Order is a paid checkout. There is at most one per checkout.
type Order struct {
	ID           id.Order
	Project      id.Project
	Checkout     id.Checkout
	Session      id.Session
	Confirmation string // to read aloud: "HG-7K2M-9QXA"
	Status       Status
	Lines        []checkout.Line
	Address      checkout.Address
	Email        string
	Notes        string
	Subtotal     money.Amount
	Shipping     money.Amount
	Tax          money.Amount
	Savings      money.Amount
	Total        money.Amount
	Payment      Payment
	Fulfillment  Fulfillment
	CreatedAt    time.Time
}

// IDs of an order that is about to be placed.
type IDs struct {
	Order        id.Order
	Payment      id.Payment
	Confirmation string
}

// Receipt is what the provider said of a successful charge.
type Receipt struct {
	Provider string
	Label    string
}

// Place makes the order of a completed checkout. Its days are those of the shop's zone.
func Place(c *checkout.Checkout, ids IDs, r Receipt, zone *time.Location, now time.Time) *Order {
	s := c.Snapshot()
	return &Order{
		ID: ids.Order, Project: s.Project, Checkout: s.ID, Session: s.Session, Confirmation: ids.Confirmation,
		Status: Confirmed, Lines: s.Lines, Address: s.Address, Email: s.Payment.Email, Notes: s.Payment.Notes,
		Subtotal: s.Subtotal, Shipping: c.Shipping(), Tax: s.Tax, Savings: s.Savings, Total: c.Total(),
		Payment: Payment{
			ID: ids.Payment, Status: Succeeded, Amount: c.Total(), Method: s.Payment.Method,
			Label: r.Label, Provider: r.Provider, CreatedAt: now,
		},
		Fulfillment: promise(s, zone, now),
		CreatedAt:   now,
	}
}

// promise dates the delivery: shipped on the next working day, then the option's days.
func promise(s checkout.Snapshot, zone *time.Location, now time.Time) Fulfillment {
	year, month, day := now.In(zone).Date()
	ships := nextWorkday(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), 1)
	f := Fulfillment{Status: FulfillmentProcessing, ShipsOn: ships, DeliversFrom: ships, DeliversBy: ships, ShippingOption: s.Selected}
	for _, o := range s.Options {
		if o.ID == s.Selected {
			f.DeliversFrom, f.DeliversBy = nextWorkday(ships, o.MinDays), nextWorkday(ships, o.MaxDays)
		}
	}
	return f
}

// nextWorkday is so many working days (Monday to Friday) after day.
func nextWorkday(day time.Time, days int) time.Time {
	for days > 0 {
		day = day.AddDate(0, 0, 1)
		if w := day.Weekday(); w != time.Saturday && w != time.Sunday {
			days--
		}
	}
	return day
}

// Completed is the event that announces the order.
func (o *Order) Completed() event.OrderCompleted {
	items := make([]event.Item, len(o.Lines))
	for i, l := range o.Lines {
		items[i] = event.Item{
			Product: l.Product, Variant: l.Variant, SKU: l.SKU, Name: l.Name,
			Quantity: l.Quantity, Price: l.Unit, Original: l.Original,
		}
	}
	return event.OrderCompleted{
		Order: o.ID, Checkout: o.Checkout, Session: o.Session, Confirmation: o.Confirmation,
		Payment: o.Payment.ID, Method: o.Payment.Method, Items: items,
		Subtotal: o.Subtotal, Shipping: o.Shipping, Tax: o.Tax, Total: o.Total, Savings: o.Savings,
		BuyerEmail: o.Email, PlacedAt: o.CreatedAt,
	}
}
