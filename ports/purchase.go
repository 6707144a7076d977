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
)

// Checkouts keeps checkouts and moves them together with stock, tokens, orders and events.
type Checkouts interface {
	Create(ctx context.Context, c *checkout.Checkout) error
	Get(ctx context.Context, project id.Project, checkout id.Checkout) (*checkout.Checkout, error)
	// InTx runs work in one transaction: all of its writes or none. Deadlocks and serialization
	// failures are tried again, so work does no I/O of its own and may run more than once.
	InTx(ctx context.Context, project id.Project, work func(Purchase) error) error
	// Lapsed lists processing checkouts, of all projects, whose lease ended before now, oldest first.
	Lapsed(ctx context.Context, now time.Time, limit int) ([]LapsedCheckout, error)
}

// LapsedCheckout is a checkout whose attempt nobody looks after.
type LapsedCheckout struct {
	Project  id.Project
	Checkout id.Checkout
}

// Purchase is one transaction of a purchase. Rows are locked in the order checkout, stock by variant.
type Purchase interface {
	// Lock loads the checkout for exclusive use.
	Lock(ctx context.Context, checkout id.Checkout) (*checkout.Checkout, error)
	// Stock loads the levels of the needed variants for exclusive use, by variant, then location. Only
	// active products have levels here.
	Stock(ctx context.Context, needs []catalog.Need) ([]catalog.Level, error)
	// Claim stores a claimed checkout, takes its stock and reserves its lines' tokens for it. A token
	// redeemed, or reserved by another checkout: Conflict token_redeemed. Stock not there: Conflict
	// out_of_stock (it was locked, so only a mistake gets here).
	Claim(ctx context.Context, c *checkout.Checkout) error
	// Settle stores the outcome of an attempt.
	Settle(ctx context.Context, s Settlement) error
	// Save stores a checkout alone.
	Save(ctx context.Context, c *checkout.Checkout) error
}

// Settlement is the outcome of an attempt. With an order, its tokens are redeemed, its lines leave the
// session's cart, recommendations of its products count as accepted, and the event is in the outbox.
// Without one, the stock is put back and the tokens are free again.
type Settlement struct {
	Checkout *checkout.Checkout
	PutBack  []catalog.Take
	Order    *order.Order
	Event    *event.Event
}

// Orders reads orders and keeps their returns.
type Orders interface {
	ByID(ctx context.Context, project id.Project, order id.Order) (*order.Order, error)
	ByCheckout(ctx context.Context, project id.Project, checkout id.Checkout) (*order.Order, error)
	// RequestReturn loads the order for exclusive use with its earlier returns and stores the return
	// and the event that request makes. request does no I/O and may run more than once.
	RequestReturn(ctx context.Context, project id.Project, order id.Order,
		request func(*order.Order, []order.Return) (*order.Return, *event.Event, error)) (*order.Return, error)
	ReturnByID(ctx context.Context, project id.Project, ret id.Return) (*order.Return, error)
}

// ChargeRequest asks a provider for money.
type ChargeRequest struct {
	Project  id.Project
	Checkout id.Checkout
	Charge   checkout.Charge
	Token    string // the buyer's; never stored or logged
}

// Gateway takes money. Requests with the same key are one charge, however often they are made.
type Gateway interface {
	// Charge takes the money or says why not. An error means that nobody knows: the money may or may
	// not have been taken, and Resolve will tell.
	Charge(ctx context.Context, r ChargeRequest) (checkout.Outcome, error)
	// Resolve asks what became of a charge whose lease has lapsed. When the provider has not seen the
	// key by then, it promises never to take it, and the outcome is NotCharged.
	Resolve(ctx context.Context, project id.Project, key string) (checkout.Outcome, error)
}

// SandboxCharge is what the sandbox provider remembers of a key.
type SandboxCharge struct {
	Key       string
	Amount    money.Amount
	Method    string
	TokenHash string
	// Result is paid, void, or a decline code.
	Result string
	ID     string
	At     time.Time
}

// SandboxLedger is the sandbox provider's own memory.
type SandboxLedger interface {
	// Once stores a charge if its key is new, and returns what is stored under the key.
	Once(ctx context.Context, project id.Project, c SandboxCharge) (SandboxCharge, error)
	// Failure counts one more simulated failure of a subject and returns how many there were, this one
	// included.
	Failure(ctx context.Context, project id.Project, subject string) (int, error)
}
