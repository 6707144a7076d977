package order

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Evidence is a merchant's evidence on a disputed payment: text only, which every provider accepts.
type Evidence struct {
	Product        string // the items sold
	Carrier        string
	TrackingNumber string
	ShippedOn      string // a date of the shop's calendar, 2026-03-05
	Communication  string // between buyer and merchant
	Receipt        string // items, time, amount and means of payment
	Note           string
}

// MostEvidence is the largest length of each text of evidence in characters: PayPal's limit for notes.
const MostEvidence = 2000

// mostTracking is the largest length of a carrier and a tracking number in characters, as in Case.Ship.
const mostTracking = 200

// IsZero reports whether there is no evidence.
func (e Evidence) IsZero() bool { return e == Evidence{} }

// Trimmed returns the evidence without white space around its texts.
func (e Evidence) Trimmed() Evidence {
	for _, text := range []*string{&e.Product, &e.Carrier, &e.TrackingNumber, &e.ShippedOn, &e.Communication, &e.Receipt, &e.Note} {
		*text = strings.TrimSpace(*text)
	}
	return e
}

// Check reports the fields that cannot be sent. A carrier and a date alone are not sufficient.
func (e Evidence) Check() error {
	check := fault.NewCheck()
	for field, text := range map[string]string{"product": e.Product, "communication": e.Communication, "receipt": e.Receipt, "note": e.Note} {
		check.That(utf8.RuneCountInString(text) <= MostEvidence, field, "must have at most 2,000 characters")
	}
	check.That(utf8.RuneCountInString(e.Carrier) <= mostTracking, "carrier", "must have at most 200 characters")
	check.That(utf8.RuneCountInString(e.TrackingNumber) <= mostTracking, "tracking_number", "must have at most 200 characters")
	if e.ShippedOn != "" {
		_, err := time.Parse(time.DateOnly, e.ShippedOn)
		check.That(err == nil, "shipped_on", "must be a date such as 2026-03-05")
	}
	said := e.Product + e.TrackingNumber + e.Communication + e.Receipt + e.Note
	check.That(strings.TrimSpace(said) != "", "note", "is required without any other text")
	return check.Err()
}

// Evidence returns the evidence from the order itself, with days in the shop's time zone.
func (c *Case) Evidence(zone *time.Location) Evidence {
	o, f := c.Order, c.Order.Fulfillment
	e := Evidence{
		Product:        described(o.Lines),
		Carrier:        f.Carrier,
		TrackingNumber: f.TrackingNumber,
		Receipt: "Order " + o.Confirmation + " of " + o.CreatedAt.In(zone).Format(time.DateOnly) + ": " + o.Total.String() + " " +
			o.Total.Currency().Code() + ", paid by " + o.Payment.Label + ".",
	}
	if !f.ShippedAt.IsZero() {
		e.ShippedOn = f.ShippedAt.In(zone).Format(time.DateOnly)
	}
	if !f.DeliveredAt.IsZero() {
		e.Note = "The order was delivered on " + f.DeliveredAt.In(zone).Format(time.DateOnly) + "."
	}
	return e
}

// described lists the items, as far as they fit.
func described(lines []checkout.Line) string {
	var text strings.Builder
	for i, l := range lines {
		part := strconv.Itoa(l.Quantity) + " × " + l.Name
		if l.Label != "" {
			part += " (" + l.Label + ")"
		}
		if i > 0 {
			part = ", " + part
		}
		if utf8.RuneCountInString(text.String())+utf8.RuneCountInString(part) > MostEvidence-2 {
			return text.String() + " …"
		}
		text.WriteString(part)
	}
	return text.String()
}
