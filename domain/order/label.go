package order

import (
	"regexp"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

const (
	// LabelLease is how long a worker has the exclusive right to buy a label. It is renewed meanwhile, so it ends soon
	// after a crash. By then the platform has finished the abandoned request, and the next worker first asks the
	// platform whether it sold the label.
	LabelLease = 8 * time.Second
	// MaxGrams is the largest weight of a parcel.
	MaxGrams = 100_000
)

// Label is the shipping label of an order. Labels cost money, so an order has only one, and one test
// label, however often and by whichever server it is requested:
//
//	(none) ── NewLabel, Claim ──▶ leased (Renew) ── Buy ──▶ bought ── the order is updated
//	            ▲                   ├── Release: the platform refused, none was bought ──┐
//	            └───────────────────┴── the lease ends: unknown (Unsure) ────────────────┘
//
// Before another label is bought instead of an unsure one, the platform is asked whether it sold that one. A bought label can be
// voided (label_void.go), and then the order gets another one (Next).
type Label struct {
	ID          id.Label
	Project     id.Project
	Order       id.Order
	Integration id.Integration
	Test        bool // not for shipping, and free
	Carrier     string
	Service     string
	Grams       int
	DueAt       time.Time // the end of the lease to buy it; zero: not leased
	Unsure      bool      // it may have been bought, or voided, but the result was lost

	// Set once it is bought.
	Remote         string // the platform's id of it
	TrackingNumber string
	Price          money.Amount // without currency: the platform did not report it
	PDF            []byte       // nil if the platform does not return it a second time
	Told           bool         // the order was updated
	CreatedAt      time.Time
	BoughtAt       time.Time // zero until then

	VoidDueAt time.Time     // the end of the lease to void it; zero: not leased
	VoidedAt  time.Time     // zero until then
	Former    []VoidedLabel // the labels that were voided before this one, oldest first
}

// LabelRequest is a merchant's request for a label.
type LabelRequest struct {
	Integration id.Integration
	Carrier     string
	Service     string
	Grams       int
	Test        bool
}

// LabelSold is the label that the platform sold. A label that was found later may be of another service.
type LabelSold struct {
	Remote         string
	Carrier        string
	Service        string
	TrackingNumber string
	Price          money.Amount
	PDF            []byte
}

var (
	// ErrLabelLeased refuses to buy or void a label while another worker does so.
	ErrLabelLeased = fault.New(fault.Conflict, "label_in_progress", "The order's label is being bought or voided. Try again.")
	// ErrLabelElsewhere keeps a label from being bought twice by two accounts.
	ErrLabelElsewhere = fault.New(fault.Conflict, "label_unresolved",
		"Another integration may have bought the order's label, but its response was lost. Repeat the request with that integration.").
		With("integration_id", "must be the integration of the previous request")
	// ErrPaidBack refuses to ship an order whose payment was refunded.
	ErrPaidBack = fault.New(fault.Conflict, "order_refunded", "The order's payment was refunded.")
	// ErrNothingToShip refuses a label or tracking for digital items.
	ErrNothingToShip = fault.New(fault.Conflict, "nothing_to_ship",
		"All items of the order are digital, and nothing is shipped. Mark the order as delivered once the buyer has them.")
	// ErrLabelBought refuses to buy a label twice.
	ErrLabelBought = fault.New(fault.Conflict, "label_bought", "The order already has a label.")
)

var codeForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// CheckGrams checks a parcel's weight.
func CheckGrams(c fault.Check, grams int) {
	c.That(grams >= 1 && grams <= MaxGrams, "weight_grams", "must be between 1 and 100,000")
}

// CheckCarrier checks a carrier's code.
func CheckCarrier(c fault.Check, code string) {
	c.That(codeForm.MatchString(code), "carrier_code", "must be the code of a rate")
}

// Check validates the request.
func (w LabelRequest) Check() error {
	c := fault.NewCheck()
	CheckGrams(c, w.Grams)
	CheckCarrier(c, w.Carrier)
	c.That(codeForm.MatchString(w.Service), "service_code", "must be the code of a rate")
	return c.Err()
}

// Shippable returns why an order must not be shipped, or nil. A shipped order may still get a label.
func (o *Order) Shippable() error {
	switch {
	case o.Status == Canceled || o.Fulfillment.Status == FulfillmentCanceled:
		return ErrCanceled
	case o.Fulfillment.Status == Delivered:
		return ErrDelivered
	case o.Payment.Status() == FullyRefunded:
		return ErrPaidBack
	case !o.RequiresShipping():
		return ErrNothingToShip
	}
	return nil
}

// RequiresShipping reports whether any item of the order is shipped. Otherwise the merchant delivers the order by other
// means, such as a download link, and it goes from processing to delivered.
func (o *Order) RequiresShipping() bool {
	return len(o.Lines) == 0 || slices.ContainsFunc(o.Lines, func(l checkout.Line) bool { return !l.Digital })
}

// ShippedLines returns the lines that are shipped in a parcel.
func (o *Order) ShippedLines() []checkout.Line {
	return slices.DeleteFunc(slices.Clone(o.Lines), func(l checkout.Line) bool { return l.Digital })
}

// NewLabel returns an order's label before it is bought. It is not leased.
func NewLabel(name id.Label, o *Order, test bool, now time.Time) *Label {
	return &Label{
		ID:        name,
		Project:   o.Project,
		Order:     o.ID,
		Test:      test,
		CreatedAt: now,
	}
}

// Bought reports whether the label was bought.
func (l *Label) Bought() bool { return !l.BoughtAt.IsZero() }

// Claim leases the label, to buy it as requested.
func (l *Label) Claim(w LabelRequest, now time.Time) error {
	switch {
	case l.Bought():
		return ErrLabelBought
	case now.Before(l.DueAt):
		return leased(l.DueAt, now)
	case (l.Unsure || !l.DueAt.IsZero()) && l.Integration != w.Integration:
		return ErrLabelElsewhere
	}
	l.Unsure = l.Unsure || !l.DueAt.IsZero()
	l.Integration, l.Carrier, l.Service, l.Grams = w.Integration, w.Carrier, w.Service, w.Grams
	l.DueAt = now.Add(LabelLease)
	return nil
}

// leased returns ErrLabelLeased with the rest of the lease.
func leased(until, now time.Time) error {
	busy := *ErrLabelLeased
	return busy.After(until.Sub(now))
}

// lease returns the end of the lease to buy the label or, once it is bought, to void it.
func (l *Label) lease() *time.Time {
	if l.Bought() {
		return &l.VoidDueAt
	}
	return &l.DueAt
}

// Lease returns when others may claim the label; zero: it is not leased.
func (l *Label) Lease() time.Time { return *l.lease() }

// Renew extends the lease of the label, and reports whether the caller still held it. lease is the label's Lease when
// it was claimed or last renewed. Renew changes nothing if another worker has claimed the label since, or if it is
// bought or voided.
func (l *Label) Renew(lease, now time.Time) bool {
	due := l.lease()
	if lease.IsZero() || !due.Equal(lease) {
		return false
	}
	*due = now.Add(LabelLease)
	return true
}

// Release ends the lease of a label that was certainly not bought, or not voided, this time. lease is the label's Lease
// when it was claimed. Release changes nothing if another worker has claimed, bought or voided the label since.
func (l *Label) Release(lease time.Time) {
	if due := l.lease(); due.Equal(lease) {
		*due = time.Time{}
	}
}

// Buy records the label that was bought. A second record changes nothing.
func (l *Label) Buy(sold LabelSold, now time.Time) {
	if l.Bought() {
		return
	}
	l.Carrier, l.Service = sold.Carrier, sold.Service
	l.Remote, l.TrackingNumber, l.Price, l.PDF = sold.Remote, sold.TrackingNumber, sold.Price, sold.PDF
	l.BoughtAt, l.DueAt, l.Unsure = now, time.Time{}, false
}
