// Package checkout is the way from an agreed cart to a paid one: totals, and the state machine that
// lets at most one payment attempt be in flight. It charges nothing itself.
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
	"github.com/haggle-commerce/haggle/domain/project"
)

const (
	// Validity is how long after init, or after it was revised, a checkout can be paid (decisions 10).
	Validity = 30 * time.Minute
	// MaxAge is how long after init a checkout ends, however often it is revised.
	MaxAge = 6 * time.Hour
	// Lease is how long an attempt may stay without outcome before somebody else asks for it. It is
	// longer than any charge can be under way.
	Lease = 15 * time.Second
	// firstRetry is the pause before an outcome that nobody could tell is asked for again. It doubles up to
	// longestRetry.
	firstRetry   = 2 * time.Second
	longestRetry = 5 * time.Minute
	// MaxDeclines ends a checkout. MostDeclined within DeclineWindow make a session, and a client's
	// address, wait: more than a buyer's mistakes are somebody trying out cards. Attempts in flight count as
	// declined until their outcome is known, so that cards cannot be tried out in parallel either.
	MaxDeclines   = 5
	MostDeclined  = 10
	DeclineWindow = 10 * time.Minute
	// MaxLines and MaxQuantity bound a checkout (decisions 5).
	MaxLines    = 50
	MaxQuantity = 1000
	// MaxOpen is how many checkouts of a session are open at the same time.
	MaxOpen = 20
	// OpenPause is after how long it may help to open one more: those that are open end by themselves.
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
	ErrProcessing = fault.New(fault.Conflict, "checkout_processing", "A payment attempt is under way.").After(time.Second)
	// ErrTooManyInFlight means that so many attempts of the session or the client are in flight that MostDeclined
	// would be exceeded if all of them were declined.
	ErrTooManyInFlight = fault.New(fault.Limited, "too_many_payments",
		"Too many payments of this session or address are under way. Try again.").After(time.Second)
	// ErrNotPayable means that the checkout is in no state to be claimed for lack of the above.
	ErrNotPayable = fault.New(fault.Conflict, "checkout_not_payable", "The checkout cannot be paid.")
	// ErrChanged means that a revision came between what a request was made by and the request.
	ErrChanged = fault.New(fault.Conflict, "checkout_changed", "The checkout was revised meanwhile. Read it again.")
	// ErrStale means that an outcome belongs to no attempt in flight.
	ErrStale = fault.New(fault.Conflict, "attempt_stale", "The payment attempt is already decided.")
)

// Line is one item at the price that will be charged, per unit.
type Line struct {
	ID       int // counted from 1 within the checkout, and never given to another line; 0 in those of older programs
	Product  id.Product
	Variant  id.Variant
	SKU      string
	Name     string
	Label    string // the variant in words
	Quantity int
	Unit     money.Amount
	Original money.Amount
	Quote    id.Quote // the agreed quote whose token covers the line; zero at list price
	Token    Token    // of the quote, for whoever is to see it again
	Bundled  bool     // the second line of a bundle: its price is due to the quote's other line
	Digital  bool     // nothing is shipped. The line stays what its variant was when the line was priced
}

// Token is by what a checkout token can be made again, and known.
type Token struct{ Salt, Hash string }

// Buyer is who buys, as far as it is known before payment.
type Buyer struct {
	First, Last, Email, Phone string
}

// Option is one way of shipping, at a price for the whole order.
type Option struct {
	ID      string
	Name    string
	Price   money.Amount
	MinDays int
	MaxDays int
}

// Payment is what a buyer pays with. The token itself is never kept. Before the first attempt it has the buyer's e-mail
// address alone.
type Payment struct {
	Method    project.PaymentMethod
	Route     project.PaymentRoute
	Client    string // who pays, as far as known; not to be read by anybody
	TokenHash string
	Email     string
	Notes     string
	Option    string
}

// ShowsBuyer reports whether an agent that finds the checkout may read who buys and where the goods go. Whoever knows the id
// finds a checkout that no agent has proved to be its own. Of such a one they are shown while it is open, and never if it was
// opened over Haggle's own protocol, which shows neither.
func (c *Checkout) ShowsBuyer() bool {
	return c.s.Agent.Verified || c.s.Status.Open() && c.s.Agent.Protocol != agentid.Haggle
}

// Payers are what a payment's declines are counted for: its session and its client, if that is known.
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
	CartProblems []Problem // what the agent has to send the cart again for
	Lines        []Line
	LineSeq      int // the newest line's ID
	Address      Address
	Buyer        Buyer
	Agent        agentid.Agent // that opened it
	Hook         Hook          // the order's
	Options      []Option
	Selected     string // the option that totals are computed with; "": no country is known yet
	Subtotal     money.Amount
	Tax          money.Amount
	Savings      money.Amount
	Attempt      int
	Declines     int
	LeaseUntil   time.Time
	ClaimedAt    time.Time      // when the attempt in flight or the last one began; zero for those of older programs
	Unresolved   int            // how often nobody could tell the outcome of the attempt in flight
	RetryAt      time.Time      // when it is asked for again, if no buyer does before
	Progress     string         // how far the provider's records were searched for it
	Problem      string         // why nobody could tell the outcome the last time, in words for the merchant
	Manual       int            // the newest attempt that a person decided; 0: none
	Payment      Payment        // of the attempt in flight or the last one
	Earlier      []Attempt      // attempts before that one, oldest first
	Taken        []catalog.Take // stock held by the attempt in flight, or sold
	CreatedAt    time.Time
	ValidUntil   time.Time
}

// Checkout is a cart on its way to an order.
type Checkout struct{ s Snapshot }

// Rehydrate trusts storage.
func Rehydrate(s Snapshot) *Checkout { return &Checkout{s} }

// Snapshot is the checkout as it is to be stored.
func (c *Checkout) Snapshot() Snapshot { return c.s }

func (c *Checkout) ID() id.Checkout { return c.s.ID }
func (c *Checkout) Status() Status  { return c.s.Status }
func (c *Checkout) Attempt() int    { return c.s.Attempt }
func (c *Checkout) Revision() int   { return c.s.Revision }

// Needs are the pieces that the order takes from stock, one entry a variant, ascending by variant.
func (c *Checkout) Needs() []catalog.Need { return needs(c.s.Lines) }

// Shipping is the price of the selected option.
func (c *Checkout) Shipping() money.Amount { return c.shippingBy(c.s.Selected) }

func (c *Checkout) shippingBy(option string) money.Amount {
	for _, o := range c.s.Options {
		if o.ID == option {
			return o.Price
		}
	}
	return money.Zero(c.s.Subtotal.Currency())
}

// Total is subtotal + shipping + tax. Open has checked that it stays below money.Limit with every option.
func (c *Checkout) Total() money.Amount { return c.TotalWith(c.s.Selected) }

// TotalWith is Total with another shipping option; "" for the selected one.
func (c *Checkout) TotalWith(option string) money.Amount {
	shipping := c.shippingBy(cmp.Or(option, c.s.Selected))
	return money.Of(c.s.Subtotal.Minor()+shipping.Minor()+c.s.Tax.Minor(), c.s.Subtotal.Currency())
}
