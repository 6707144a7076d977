package order

import (
	"cmp"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// FulfillmentStatus is the status of an order's fulfillment.
type FulfillmentStatus struct{ name string }

var (
	FulfillmentProcessing = FulfillmentStatus{"processing"}
	Shipped               = FulfillmentStatus{"shipped"}
	Delivered             = FulfillmentStatus{"delivered"}
	FulfillmentCanceled   = FulfillmentStatus{"canceled"}
)

func (s FulfillmentStatus) String() string { return s.name }

// FulfillmentStatuses are all statuses by name.
var FulfillmentStatuses = map[string]FulfillmentStatus{
	"processing": FulfillmentProcessing, "shipped": Shipped, "delivered": Delivered, "canceled": FulfillmentCanceled,
}

// Fulfillment has the promised and the actual delivery. The promised days are days of the shop's calendar, each as its
// midnight in UTC: format them, do not convert them.
type Fulfillment struct {
	Status         FulfillmentStatus
	ShipsOn        time.Time
	DeliversFrom   time.Time
	DeliversBy     time.Time
	ShippingOption string

	Carrier        string // "" until shipped, and if the merchant names none
	TrackingNumber string
	TrackingURL    string    // https
	ShippedAt      time.Time // zero until then
	DeliveredAt    time.Time // zero until then
	CanceledAt     time.Time // zero until then, and in orders of older versions
}

var (
	ErrShipped    = fault.New(fault.Conflict, "order_shipped", "The order has been shipped.")
	ErrNotShipped = fault.New(fault.Conflict, "order_not_shipped", "The order has not been shipped.")
	ErrDelivered  = fault.New(fault.Conflict, "order_delivered", "The order has been delivered.")
)

// Ship records that the goods are on their way. A shipped order may be given another tracking: empty fields stay as
// they were, and so does ShippedAt. The same tracking again changes nothing.
func (c *Case) Ship(carrier, number, address string, announce id.Event, now time.Time) error {
	if !c.Order.RequiresShipping() {
		return ErrNothingToShip
	}
	return c.ShipAt(now, carrier, number, address, announce, now)
}

// ShipAt is Ship for goods that were sent earlier, at the time sent. If a platform reports that digital items were
// sent, they are delivered.
func (c *Case) ShipAt(sent time.Time, carrier, number, address string, announce id.Event, now time.Time) error {
	check := fault.NewCheck()
	check.That(utf8.RuneCountInString(carrier) <= 200, "carrier", "must have at most 200 characters")
	check.That(utf8.RuneCountInString(number) <= 200, "tracking_number", "must have at most 200 characters")
	check.That(address == "" || trackable(address), "tracking_url", "must be an https URL of at most 2,000 characters")
	if err := check.Err(); err != nil {
		return err
	}
	f := &c.Order.Fulfillment
	before := *f
	if !c.Order.RequiresShipping() && f.Status == FulfillmentProcessing {
		return c.Deliver(announce, now)
	}
	switch f.Status {
	case FulfillmentCanceled:
		return ErrCanceled
	case Delivered:
		return ErrDelivered
	case FulfillmentProcessing:
		f.Status, f.ShippedAt = Shipped, sent
	}
	f.Carrier = cmp.Or(carrier, f.Carrier)
	f.TrackingNumber = cmp.Or(number, f.TrackingNumber)
	f.TrackingURL = cmp.Or(address, f.TrackingURL)
	if *f == before {
		return nil
	}
	c.announce(announce, now, func(n int) event.Data {
		tracking := event.Tracking{
			Carrier:   f.Carrier,
			Number:    f.TrackingNumber,
			URL:       f.TrackingURL,
			ShippedAt: f.ShippedAt,
		}
		if before.Status == Shipped {
			return event.OrderUpdated{
				Order:    c.Order.ID,
				Sequence: n,
				Tracking: tracking,
			}
		}
		return event.OrderShipped{
			Order:    c.Order.ID,
			Sequence: n,
			Tracking: tracking,
		}
	})
	return nil
}

func trackable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= 2000 && u.Scheme == "https" && u.Host != "" && u.User == nil
}

// Deliver records that the goods have arrived. Digital items need not have been shipped.
func (c *Case) Deliver(announce id.Event, now time.Time) error {
	f := &c.Order.Fulfillment
	switch {
	case f.Status == FulfillmentCanceled:
		return ErrCanceled
	case f.Status == FulfillmentProcessing && c.Order.RequiresShipping():
		return ErrNotShipped
	case f.Status == Delivered:
		return ErrDelivered
	}
	f.Status, f.DeliveredAt = Delivered, now
	c.announce(announce, now, func(n int) event.Data {
		return event.OrderDelivered{
			Order:       c.Order.ID,
			Sequence:    n,
			DeliveredAt: now,
		}
	})
	return nil
}

// promise returns the promised dates: shipped on the next working day, and delivered the option's days later. Digital
// items are promised for the day of the order.
func promise(s checkout.Snapshot, zone *time.Location, now time.Time) Fulfillment {
	ships := shipsOn(now.In(zone))
	f := Fulfillment{
		Status:         FulfillmentProcessing,
		ShipsOn:        ships,
		DeliversFrom:   ships,
		DeliversBy:     ships,
		ShippingOption: s.Selected,
	}
	if checkout.Rehydrate(s).Digital() {
		year, month, day := now.In(zone).Date()
		f.ShipsOn = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
		f.DeliversFrom, f.DeliversBy = f.ShipsOn, f.ShipsOn
	}
	for _, o := range s.Options {
		if o.ID == s.Selected {
			f.DeliversFrom, f.DeliversBy = Arrival(o, now.In(zone))
		}
	}
	return f
}

// Arrival returns the first and the last day on which goods arrive that are ordered now, in the shop's time zone.
func Arrival(o checkout.Option, now time.Time) (from, until time.Time) {
	ships := shipsOn(now)
	return nextWorkday(ships, o.MinDays), nextWorkday(ships, o.MaxDays)
}

func shipsOn(now time.Time) time.Time {
	year, month, day := now.Date()
	return nextWorkday(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), 1)
}

// nextWorkday returns the day that is so many working days (Monday to Friday) after day.
func nextWorkday(day time.Time, days int) time.Time {
	for days > 0 {
		day = day.AddDate(0, 0, 1)
		if w := day.Weekday(); w != time.Saturday && w != time.Sunday {
			days--
		}
	}
	return day
}
