package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Checkouts keeps checkouts and moves them together with stock, tokens, orders and events.
type Checkouts interface {
	// Create stores a new checkout, and its request's changes of the session, which may be nil if there are none. A
	// session with checkout.MaxOpen open ones: Conflict limit_reached. One made of the session's cart while another one
	// is incomplete, ready, pending or processing: Conflict Stale. The project has another version than the checkout
	// was opened by: Conflict ProjectChanged.
	Create(ctx context.Context, c *checkout.Checkout, s *session.Session, t session.Touched, version int64) error
	Get(ctx context.Context, project id.Project, checkout id.Checkout) (*checkout.Checkout, error)
	// InTx runs work in one transaction: all of its writes or none. Deadlocks and serialization
	// failures are tried again, so work does no I/O of its own and may run more than once.
	InTx(ctx context.Context, project id.Project, work func(Purchase) error) error
	// PayAttempts is a checkout together with how many payments of its session, and of the client, were
	// declined within the window that ends now, and how many attempts claimed in that window are in flight.
	PayAttempts(ctx context.Context, project id.Project, checkout id.Checkout, client string, window time.Duration) (PayAttempts, error)
	// ForgetDeclines removes the records of declines before a time.
	ForgetDeclines(ctx context.Context, before time.Time) error
}

// UndecidedAttempts finds checkouts whose payment attempt is in flight: the provider's id of their charge is not known
// yet.
type UndecidedAttempts interface {
	UndecidedAttempts(ctx context.Context, project id.Project) ([]*checkout.Checkout, error)
}

// LapsedCheckouts leases processing checkouts whose lease and pause are over. A group is the account with a payment
// provider that the attempt uses.
type LapsedCheckouts = Queue[*checkout.Checkout]

// PayAttempts is a checkout with the recent payments of its session and of the client that wants to pay it.
type PayAttempts struct {
	Checkout *checkout.Checkout
	Now      time.Time // by the database's clock
	Declines int       // of the session or of the client, whichever are more
	First    time.Time // of these declines; zero: there are none
	Attempts int       // declines and attempts in flight, of the session or of the client, whichever are more
}

// Purchase is one transaction of a purchase. Rows are locked in the order checkout, payers, stock by variant, tokens.
// Writes may be deferred to the end of the transaction, and then the transaction fails with the fault.
type Purchase interface {
	// Lock loads the checkout for exclusive use. now is the database's time once the lock is held: leases and
	// validity are compared with it and counted from it, so that replicas whose clocks differ agree on them.
	Lock(ctx context.Context, checkout id.Checkout) (c *checkout.Checkout, now time.Time, err error)
	// LockWithStock is Lock, and loads the levels of the needed variants, by variant, then location. Others may take
	// from them until Claim does. Only active products have levels here. Until the transaction ends, LockWithStock for
	// one of the same payers waits.
	LockWithStock(ctx context.Context, checkout id.Checkout, needs []catalog.Need, payers []string) (c *checkout.Checkout, levels []catalog.Level, now time.Time, err error)
	// Claim stores a claimed checkout, and reserves its stock and its lines' tokens for it. LockWithStock must have
	// been called for its payers. A token redeemed, or reserved by another checkout: Conflict token_redeemed. Missing
	// stock: Conflict out_of_stock. It was claimed since it was loaded, and there may be some at another location. If
	// the declines and attempts in flight, of the session or of the client, within the window that ends at the claim
	// amount to checkout.MostDeclined: checkout.ErrTooManyInFlight. If the project has another version than the route
	// and the consent were chosen by: Conflict ProjectChanged.
	Claim(ctx context.Context, c *checkout.Checkout, version int64) error
	// Settle stores the outcome of an attempt. Another order of the project has the confirmation number:
	// Conflict confirmation_taken.
	Settle(ctx context.Context, s Settlement) error
	// Revise stores a checkout that was revised. The project has another version than its totals were computed by: Conflict
	// ProjectChanged.
	Revise(ctx context.Context, c *checkout.Checkout, version int64) error
	// Save stores only a checkout, with the event that announces its change, if there is one.
	Save(ctx context.Context, c *checkout.Checkout, e *event.Event) error
	// Orphan stores an orphan charge of the locked checkout with the event that announces it, unless the charge
	// is stored already or is the payment of an order, and reports whether it did.
	Orphan(ctx context.Context, o *checkout.Orphan, e *event.Event) (stored bool, err error)
}

// OrphanCharges stores charges without an order.
type OrphanCharges interface {
	// Orphans lists newest first, with the number of all that fit the filter.
	Orphans(ctx context.Context, project id.Project, f OrphanFilter, page Page) ([]checkout.Orphan, int, error)
	// ChangeOrphan loads an orphan for exclusive use, runs change on it and, if that returns nil, stores it with
	// the event, if there is one. change does no I/O and may run more than once. Unknown: NotFound
	// orphan_not_found. A refund that gave an orphan back before, even if it failed since: Conflict refund_taken.
	ChangeOrphan(ctx context.Context, project id.Project, orphan string, change func(o *checkout.Orphan, now time.Time) (*event.Event, error)) error
}

// DueOrphans leases orphans whose refund is due. A group is the account with a payment provider that was charged.
type DueOrphans = Queue[*checkout.Orphan]

// OrphanFilter narrows the list of orphan charges. Zero fields narrow nothing.
type OrphanFilter struct {
	ID     string
	State  checkout.OrphanState
	Charge string // the provider's id of the charge
}

// Settlement is the outcome of an attempt. With an order, its tokens are redeemed, its lines leave the session's cart
// (those at list price if the checkout was made of the cart), recommendations of its products count as accepted, and
// the event is in the outbox. Without one, the stock is put back and the tokens are free again; a decline is remembered
// for the session and the client.
type Settlement struct {
	Checkout *checkout.Checkout
	PutBack  []catalog.Reservation
	Order    *order.Order
	Event    *event.Event
	Declined time.Time // when the payment was declined; zero: it was not
}

// SandboxCharge is the sandbox provider's charge under a key.
type SandboxCharge struct {
	Key       string
	Amount    money.Amount
	Method    project.PaymentMethod
	TokenHash string
	// Result is paid, void, or a decline code.
	Result string
	ID     string
	At     time.Time
}

// SandboxRefund is the sandbox provider's refund under a key.
type SandboxRefund struct {
	Key    string
	ID     string
	Charge string // the charge's ID
	Amount money.Amount
	At     time.Time
}

// SandboxLedger stores the sandbox provider's charges, refunds and disputes.
type SandboxLedger interface {
	// Once stores a charge if its key is new, and returns what is stored under the key.
	Once(ctx context.Context, project id.Project, c SandboxCharge) (SandboxCharge, error)
	// Failure counts one more simulated failure of a subject and returns how many there were, this one
	// included.
	Failure(ctx context.Context, project id.Project, subject string) (int, error)
	// Refund stores a refund if its key is new and its charge was paid and has as much left, and returns
	// what is stored under the key; false if nothing is.
	Refund(ctx context.Context, project id.Project, r SandboxRefund) (SandboxRefund, bool, error)
	// Movements lists charges and refunds, from a time and before another, in the order of their keys and after one. No
	// refund has the key of a charge.
	Movements(ctx context.Context, project id.Project, from, to time.Time, after string, limit int) ([]Movement, error)
	// OpenDispute stores a dispute if its charge was paid and has none yet, and returns what is stored of the charge;
	// false if nothing is.
	OpenDispute(ctx context.Context, project id.Project, d SandboxDispute) (SandboxDispute, bool, error)
	// DecideDispute stores a dispute's status, response and evidence unless it was responded to before, and returns what is
	// stored. Unknown dispute: fault.NotFound.
	DecideDispute(ctx context.Context, project id.Project, d SandboxDispute) (SandboxDispute, error)
	DisputeByID(ctx context.Context, project id.Project, dispute string) (SandboxDispute, error)
}

// SandboxDispute is a charge that the sandbox's buyer disputes.
type SandboxDispute struct {
	ID       string
	Charge   string
	Reason   string
	Status   order.DisputeStatus
	Response order.DisputeResponse
	Amount   money.Amount // at most the charge's
	Evidence string       // a hash of what was submitted; "": nothing was
	OpenedAt time.Time
	DueBy    time.Time
	At       time.Time // of the newest change
}
