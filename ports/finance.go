package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// OrderPayment is a payment with its order.
type OrderPayment struct {
	order.Payment
	Project  id.Project
	Order    id.Order
	Checkout id.Checkout
}

// PaymentFilter narrows the list of payments. Zero fields narrow nothing.
type PaymentFilter struct {
	Status   order.PaymentStatus
	Method   project.PaymentMethod
	Order    id.Order
	From, To time.Time // from, and before
}

// Payments reads the payments of orders.
type Payments interface {
	// Payments lists newest first, with the number of all that fit the filter.
	Payments(ctx context.Context, project id.Project, f PaymentFilter, page Page) ([]OrderPayment, int, error)
	PaymentByID(ctx context.Context, project id.Project, payment id.Payment) (*OrderPayment, error)
	// PaymentByCharge finds the payment of a provider's charge. There is none: fault.NotFound.
	PaymentByCharge(ctx context.Context, project id.Project, charge string) (*OrderPayment, error)
	// EachPayment calls each with all payments that match the filter, newest first, in memory that does not grow with
	// their number. It ends with the first error of each. Changes made meanwhile may or may not show.
	EachPayment(ctx context.Context, project id.Project, f PaymentFilter, each func(OrderPayment) error) error
	// RefundsOf are the refunds of a payment, oldest first.
	RefundsOf(ctx context.Context, project id.Project, payment id.Payment) ([]order.Refund, error)
	// DisputesOf are the disputes of a payment, oldest first.
	DisputesOf(ctx context.Context, project id.Project, payment id.Payment) ([]order.Dispute, error)
	// Moved returns the payments and the refunds that succeeded, from a time and before another, in no order, at most
	// limit of them.
	Moved(ctx context.Context, project id.Project, from, to time.Time, limit int) ([]Moved, error)
	// FindMovements looks up movements that a provider names, by its ids and by our keys, of any date and state.
	// Movements that the books do not know are left out.
	FindMovements(ctx context.Context, project id.Project, route project.PaymentRoute, named []Movement) ([]KnownMovement, error)
}

// Moved is money that moved by our books: a payment, or a refund that succeeded.
type Moved struct {
	Route    project.PaymentRoute
	Order    id.Order
	Payment  id.Payment
	Refund   id.Refund // zero: money taken
	Provider string    // the provider's id of it
	Amount   money.Amount
	Began    time.Time // when it was asked for: before it, the provider cannot have moved the money
	At       time.Time // when the books recorded it
}

// MovementState is the state of a movement of money in the books.
type MovementState struct{ name string }

var (
	// MovementRecorded: our books have the movement, too.
	MovementRecorded = MovementState{"recorded"}
	// MovementInFlight: a payment attempt or a refund that is not decided here yet.
	MovementInFlight = MovementState{"in_flight"}
	// MovementOrphan: a charge without an order that is refunded, or its refund.
	MovementOrphan = MovementState{"orphan"}
	// MovementOwed: an orphaned charge that could not be refunded, its refund, or any earlier refund of an orphan.
	MovementOwed = MovementState{"owed"}
	// MovementReversed: a refund that the provider reversed later.
	MovementReversed = MovementState{"reversed"}
	// MovementElsewhere: the account's owner moved the money without this project.
	MovementElsewhere = MovementState{"elsewhere"}
)

func (s MovementState) String() string { return s.name }

// KnownMovement is the books' record of a movement that a provider names.
type KnownMovement struct {
	Moved
	// Key is the refund's id, the key of an orphan's refund or of the payment attempt in flight, and of an earlier refund
	// of an orphan the provider's id; empty for a recorded payment and for an orphaned charge.
	Key   string
	State MovementState
}

// TransactionFilter narrows the list of the ledger's transactions. Zero fields narrow nothing.
type TransactionFilter struct {
	Kind     ledger.Kind
	Order    id.Order
	From, To time.Time // from, and before
}

// Wallet is the merchant's balance with a provider, in one currency, by the ledger. All but Balance and Adjusted are
// positive as a rule: Balance = Received − Refunded − Disputed − Fees − PaidOut + Orphaned + Adjusted.
type Wallet struct {
	Provider string
	Balance  money.Amount
	Received money.Amount // for orders
	Refunded money.Amount // without what failed later
	Disputed money.Amount // withdrawn for disputes that are open or lost
	Fees     money.Amount
	PaidOut  money.Amount // to the merchant's bank account
	Orphaned money.Amount // taken without an order, and not given back yet
	Adjusted money.Amount // by the provider, for reasons of its own
}

// Ledger reads the double-entry book.
type Ledger interface {
	// Transactions lists newest first, with the number of all that fit the filter.
	Transactions(ctx context.Context, project id.Project, f TransactionFilter, page Page) ([]ledger.Transaction, int, error)
	TransactionByID(ctx context.Context, project id.Project, transaction id.Transaction) (*ledger.Transaction, error)
	// EachTransaction is to Transactions what EachPayment is to Payments.
	EachTransaction(ctx context.Context, project id.Project, f TransactionFilter, each func(ledger.Transaction) error) error
	// Wallets are by currency, then provider.
	Wallets(ctx context.Context, project id.Project) ([]Wallet, error)
}
