// Package checkout takes an agreed cart to a paid one: it computes totals with shipping and tax (Open), and has the
// state machine that allows at most one payment attempt in flight, which prevents a double charge. A charge for an
// attempt that was given up is an Orphan. The package makes no charges.
//
//	incomplete ──Revise──▶ ready ──Claim──▶ processing ──Complete──▶ completed
//	                         ▲                │  │  │
//	                         └──PutBack───────┘  │  └──Decline──▶ canceled   (for good, or too often)
//	                       pending ◀──Decline────┘
//	                       pending ──Claim──▶ processing
//
// Incomplete, ready and pending ones are open: Revise replaces their cart and leaves them incomplete, ready or, after a
// decline, pending; Refuse keeps their cart and leaves them incomplete; Expire ends them as expired, Cancel as canceled.
package checkout

import (
	"cmp"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
)

const (
	// Validity is how long a checkout can be paid after it was opened or revised.
	Validity = 30 * time.Minute
	// MaxAge is the age at which a checkout ends, however often it is revised.
	MaxAge = 6 * time.Hour
	// Lease is how long an attempt may have no outcome before another server asks the provider for it. It is
	// longer than the longest charge.
	Lease = 15 * time.Second
	// firstRetry is the pause before the provider is asked again for an outcome that it did not know. It doubles up to
	// longestRetry.
	firstRetry   = 2 * time.Second
	longestRetry = 5 * time.Minute
	// A checkout ends after MaxDeclines. After MostDeclined within DeclineWindow, a session or a client's
	// address must wait, because more declines than a buyer's mistakes indicate card testing. Attempts in flight count as
	// declined until their outcome is known, so that cards cannot be tested in parallel either.
	MaxDeclines   = 5
	MostDeclined  = 10
	DeclineWindow = 10 * time.Minute
	// MaxLines and MaxQuantity limit the size of a checkout.
	MaxLines    = 50
	MaxQuantity = 1000
	// MaxOpen is the largest number of open checkouts of a session.
	MaxOpen = 20
	// OpenPause is when to try again to open one more, because open checkouts expire.
	OpenPause = time.Minute
)

// Status of a checkout.
type Status struct{ name string }

var (
	Incomplete = Status{"incomplete"} // something is missing that payment needs
	Ready      = Status{"ready"}
	Processing = Status{"processing"} // one payment attempt is in flight
	Pending    = Status{"pending"}    // declined, may be retried
	Completed  = Status{"completed"}
	Expired    = Status{"expired"}
	Canceled   = Status{"canceled"}
)

func (s Status) String() string { return s.name }

// Statuses are all of them, by name.
var Statuses = map[string]Status{
	"incomplete": Incomplete, "ready": Ready, "processing": Processing, "pending": Pending,
	"completed": Completed, "expired": Expired, "canceled": Canceled,
}

var (
	ErrExpired    = fault.New(fault.Conflict, "checkout_expired", "The checkout has expired. Start a new one.")
	ErrCanceled   = fault.New(fault.Conflict, "checkout_canceled", "The checkout is canceled. Start a new one.")
	ErrCompleted  = fault.New(fault.Conflict, "checkout_completed", "The checkout is paid. Cancel its order instead.")
	ErrProcessing = fault.New(fault.Conflict, "checkout_processing", "A payment attempt is in progress. Try again.").After(time.Second)
	// ErrTooManyInFlight means that so many attempts of the session or the client are in flight that MostDeclined
	// would be exceeded if all of them were declined.
	ErrTooManyInFlight = fault.New(fault.Limited, "too_many_payments",
		"Too many payments of this session or address are in progress. Try again.").After(time.Second)
	// ErrNotPayable means that the checkout's state allows no claim, and none of the errors above applies.
	ErrNotPayable = fault.New(fault.Conflict, "checkout_not_payable", "The checkout cannot be paid.")
	// ErrChanged means that the checkout was revised after the revision that a request refers to.
	ErrChanged = fault.New(fault.Conflict, "checkout_changed", "The checkout was revised in the meantime. Read it again.")
	// ErrStale means that an outcome belongs to no attempt in flight.
	ErrStale = fault.New(fault.Conflict, "attempt_stale", "The payment attempt is already decided.")
)

// Line is one item with its unit price.
type Line struct {
	ID       int // counted from 1 within the checkout and never reused; 0 in checkouts of older versions
	Product  id.Product
	Variant  id.Variant
	SKU      string
	Name     string
	Label    string // the variant in words
	Quantity int
	Unit     money.Amount
	Original money.Amount
	Quote    id.Quote // the agreed quote whose token covers the line; zero at list price
	Token    Token    // of the quote, to make the checkout token again
	Bundled  bool     // the second line of a bundle: its price depends on the quote's other line
	Digital  bool     // not shipped, as its variant was when the line was priced
	Personal personalization.Use
	// Disclosure is the text with a price that personal signals moved, as the shop's rules were when the checkout was opened or
	// revised.
	Disclosure string
}

// Token is what is stored of a checkout token: Salt to make it again, and Hash to recognize it.
type Token struct{ Salt, Hash string }

// Buyer is the person who buys, as far as known before payment.
type Buyer struct {
	First, Last, Email, Phone string
}

// Option is a shipping option, with its price for the whole order.
type Option struct {
	ID      string
	Name    string
	Price   money.Amount
	MinDays int
	MaxDays int
}

// Payment is the buyer's means of payment. The payment token itself is never stored. Before the first attempt, only the
// buyer's email address is set.
type Payment struct {
	Method    project.PaymentMethod
	Route     project.PaymentRoute
	Client    string // who pays, as far as known; never shown
	TokenHash string
	Email     string
	Notes     string
	Option    string
}

// ShowsBuyer reports whether an agent that has access to the checkout may read the buyer and the address. Anybody who
// knows the ID has access to a checkout whose agent is not verified. Such a checkout shows them only while it is open,
// and never if it was opened over Haggle's own protocol, which shows neither.
func (c *Checkout) ShowsBuyer() bool {
	return c.s.Agent.Verified || c.s.Status.Open() && c.s.Agent.Protocol != agentid.Haggle
}

// Payers returns the keys that a payment's declines are counted by: its session, and its client if that is known.
func Payers(of id.Session, client string) []string {
	payers := []string{of.String()}
	if client != "" {
		payers = append(payers, client)
	}
	return payers
}

// Snapshot is a checkout as stored.
type Snapshot struct {
	ID           id.Checkout
	Project      id.Project
	Session      id.Session
	Status       Status
	Revision     int       // 1 at first; each Revise and Refuse adds 1, and so does each Claim with another shipping option
	Strict       bool      // as in Cart
	FromCart     bool      // as in Cart
	CartProblems []Problem // the agent must send the cart again without them
	Lines        []Line
	LineSeq      int // the newest line's ID
	Address      Address
	Buyer        Buyer
	Agent        agentid.Agent // opened it
	Hook         Hook          // the order's webhook
	Options      []Option
	Selected     string // the shipping option in the totals; "": no country is known yet
	Subtotal     money.Amount
	Tax          money.Amount
	Savings      money.Amount
	Attempt      int
	Declines     int
	LeaseUntil   time.Time
	ClaimedAt    time.Time             // when the attempt in flight or the last one began; zero for those of older versions
	Unresolved   int                   // how often the outcome of the attempt in flight could not be determined
	RetryAt      time.Time             // when the provider is asked again, unless a buyer asks before
	Progress     string                // how far the provider's records were searched for the attempt
	Problem      string                // why the outcome could not be determined the last time, in words for the merchant
	Manual       int                   // the latest attempt that a person decided; 0: none
	Payment      Payment               // of the attempt in flight or the last one
	Earlier      []Attempt             // attempts before that one, oldest first
	Taken        []catalog.Reservation // stock held by the attempt in flight, or sold
	CreatedAt    time.Time
	ValidUntil   time.Time
}

// Checkout is a cart on its way to an order.
type Checkout struct{ s Snapshot }

// Rehydrate returns a stored checkout without validating it.
func Rehydrate(s Snapshot) *Checkout { return &Checkout{s} }

// Snapshot returns the checkout for storage.
func (c *Checkout) Snapshot() Snapshot { return c.s }

func (c *Checkout) ID() id.Checkout { return c.s.ID }
func (c *Checkout) Status() Status  { return c.s.Status }
func (c *Checkout) Attempt() int    { return c.s.Attempt }
func (c *Checkout) Revision() int   { return c.s.Revision }

// Needs returns the pieces that the order takes from stock, one entry per variant, ascending by variant.
func (c *Checkout) Needs() []catalog.Need { return needs(c.s.Lines) }

// Shipping returns the price of the selected option.
func (c *Checkout) Shipping() money.Amount { return c.shippingBy(c.s.Selected) }

func (c *Checkout) shippingBy(option string) money.Amount {
	for _, o := range c.s.Options {
		if o.ID == option {
			return o.Price
		}
	}
	return money.Zero(c.s.Subtotal.Currency())
}

// Total returns subtotal + shipping + tax. Open has checked that it stays below money.Limit with every option.
func (c *Checkout) Total() money.Amount { return c.TotalWith(c.s.Selected) }

// TotalWith returns Total with another shipping option, or with the selected one if option is "".
func (c *Checkout) TotalWith(option string) money.Amount {
	shipping := c.shippingBy(cmp.Or(option, c.s.Selected))
	return money.Of(c.s.Subtotal.Minor()+shipping.Minor()+c.s.Tax.Minor(), c.s.Subtotal.Currency())
}
