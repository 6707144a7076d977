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
	// LabelLease is how long whoever buys a label does so alone. It is renewed while they are at it, and so it ends soon
	// after a crash. By then the platform has finished what nobody waits for any more: whoever takes the label up asks the
	// platform for it first.
	LabelLease = 8 * time.Second
	// MaxGrams is the weight of the heaviest parcel.
	MaxGrams = 100_000
)

// Label is the shipping label of an order. It costs money, and so there is one of an order, and one test
// label, however often it is asked for and from wherever:
//
//	(none) ── NewLabel, Claim ──▶ in hand (Renew) ── Buy ──▶ bought ── the order is told
//	            ▲                    ├── Release: the platform refused, none was bought ──┐
//	            └────────────────────┴── the lease ends: nobody knows (Unsure) ───────────┘
//
// Before another label is bought in the place of an unsure one, the platform is asked whether it sold that one. A label that was bought can be
// voided (label_void.go), and then the order gets another one (Next).
type Label struct {
	ID          id.Label
	Project     id.Project
	Order       id.Order
	Integration id.Integration
	Test        bool // nobody ships it, and it costs nothing
	Carrier     string
	Service     string
	Grams       int
	DueAt       time.Time // while it is in hand: when others may take it up; zero: it is not
	Unsure      bool      // somebody may have bought it, or voided the bought one, and could not say so

	// What is known once it is bought.
	Remote         string // the platform's id of it
	TrackingNumber string
	Price          money.Amount // in no currency: the platform did not say
	PDF            []byte       // none where the platform does not show it a second time
	Told           bool         // the order knows
	CreatedAt      time.Time
	BoughtAt       time.Time // zero until then

	VoidDueAt time.Time     // while it is being voided: when others may void it; zero: it is not
	VoidedAt  time.Time     // zero until then
	Former    []VoidedLabel // the labels that were voided before this one, oldest first
}

// LabelWish is what a merchant asks for.
type LabelWish struct {
	Integration id.Integration
	Carrier     string
	Service     string
	Grams       int
	Test        bool
}

// LabelSold is what the platform gave for it. A label that was found may be of another service.
type LabelSold struct {
	Remote         string
	Carrier        string
	Service        string
	TrackingNumber string
	Price          money.Amount
	PDF            []byte
}

var (
	// ErrLabelInHand is the answer to whoever wants a label that another one is buying or voiding.
	ErrLabelInHand = fault.New(fault.Conflict, "label_in_progress", "The order's label is being bought or voided. Ask again.")
	// ErrLabelElsewhere keeps a label from being bought twice by two accounts.
	ErrLabelElsewhere = fault.New(fault.Conflict, "label_unresolved",
		"Another integration may have bought the order's label, and could not say so. Ask that one again.").
		With("integration_id", "is not the one that was asked before")
	// ErrPaidBack is why nothing is sent to a buyer who has the money again.
	ErrPaidBack = fault.New(fault.Conflict, "order_refunded", "The order's payment was given back.")
	// ErrNothingToShip refuses a label, or a tracking, of digital items.
	ErrNothingToShip = fault.New(fault.Conflict, "nothing_to_ship",
		"All items of the order are digital, and nothing is shipped. Mark the order as delivered once the buyer has them.")
	// ErrLabelBought refuses to buy what is bought.
	ErrLabelBought = fault.New(fault.Conflict, "label_bought", "The order has its label.")
)

var codeForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// CheckGrams judges a parcel's weight.
func CheckGrams(c fault.Check, grams int) {
	c.That(grams >= 1 && grams <= MaxGrams, "weight_grams", "must be between 1 and 100,000")
}

// CheckCarrier judges a carrier's code.
func CheckCarrier(c fault.Check, code string) {
	c.That(codeForm.MatchString(code), "carrier_code", "must be a code as rates have it")
}

// Check judges a wish.
func (w LabelWish) Check() error {
	c := fault.NewCheck()
	CheckGrams(c, w.Grams)
	CheckCarrier(c, w.Carrier)
	c.That(codeForm.MatchString(w.Service), "service_code", "must be a code as rates have it")
	return c.Err()
}

// Shippable tells why an order is not to be sent, if it is not. One that was sent may get a label still.
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

// RequiresShipping reports whether something of the order is shipped. Without it the order is delivered by the merchant's
// own means, such as a download link, and goes from processing to delivered.
func (o *Order) RequiresShipping() bool {
	return len(o.Lines) == 0 || slices.ContainsFunc(o.Lines, func(l checkout.Line) bool { return !l.Digital })
}

// ShippedLines are the lines that a parcel has.
func (o *Order) ShippedLines() []checkout.Line {
	return slices.DeleteFunc(slices.Clone(o.Lines), func(l checkout.Line) bool { return l.Digital })
}

// NewLabel begins an order's label. Nobody has it in hand.
func NewLabel(name id.Label, o *Order, test bool, now time.Time) *Label {
	return &Label{
		ID:        name,
		Project:   o.Project,
		Order:     o.ID,
		Test:      test,
		CreatedAt: now,
	}
}

// Bought reports whether there is nothing left to pay for.
func (l *Label) Bought() bool { return !l.BoughtAt.IsZero() }

// Claim takes the label in hand, to buy it as wished.
func (l *Label) Claim(w LabelWish, now time.Time) error {
	switch {
	case l.Bought():
		return ErrLabelBought
	case now.Before(l.DueAt):
		return inHand(l.DueAt, now)
	case (l.Unsure || !l.DueAt.IsZero()) && l.Integration != w.Integration:
		return ErrLabelElsewhere
	}
	l.Unsure = l.Unsure || !l.DueAt.IsZero()
	l.Integration, l.Carrier, l.Service, l.Grams = w.Integration, w.Carrier, w.Service, w.Grams
	l.DueAt = now.Add(LabelLease)
	return nil
}

func inHand(until, now time.Time) error {
	busy := *ErrLabelInHand
	return busy.After(until.Sub(now))
}

// lease is the end of the lease under which the label is bought or, once it is bought, voided.
func (l *Label) lease() *time.Time {
	if l.Bought() {
		return &l.VoidDueAt
	}
	return &l.DueAt
}

// Lease is when others may take the label up; zero: nobody has it in hand.
func (l *Label) Lease() time.Time { return *l.lease() }

// Renew keeps a label in hand for another lease, and reports whether it still was. lease is its Lease as it was claimed
// or last renewed: one that another has taken up by now, or that is bought or voided, is left as it is.
func (l *Label) Renew(lease, now time.Time) bool {
	due := l.lease()
	if lease.IsZero() || !due.Equal(lease) {
		return false
	}
	*due = now.Add(LabelLease)
	return true
}

// Release puts a label out of hand that was certainly not bought, or not voided, this time. lease is its Lease as it
// was claimed: what another one has in hand by now, or has bought or voided, stays so.
func (l *Label) Release(lease time.Time) {
	if due := l.lease(); due.Equal(lease) {
		*due = time.Time{}
	}
}

// Buy records what was bought. The first record stays.
func (l *Label) Buy(sold LabelSold, now time.Time) {
	if l.Bought() {
		return
	}
	l.Carrier, l.Service = sold.Carrier, sold.Service
	l.Remote, l.TrackingNumber, l.Price, l.PDF = sold.Remote, sold.TrackingNumber, sold.Price, sold.PDF
	l.BoughtAt, l.DueAt, l.Unsure = now, time.Time{}, false
}
