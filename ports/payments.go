package ports

import (
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// ChargeRequest asks a provider for a charge, or for the outcome of one.
type ChargeRequest struct {
	Project  id.Project
	Checkout id.Checkout
	Charge   checkout.Charge
	Token    string // the buyer's; never stored or logged, and empty when asking for the outcome of a charge
	// Again means that Charge was called before with the same key and token, and that its outcome is unknown. Then only
	// the answer to that very request counts, and a refusal of credentials or account is no proof.
	Again bool
}

// RefundRequest asks a provider to give money back.
type RefundRequest struct {
	Project  id.Project
	Route    project.PaymentRoute
	Key      string // the refund's id: the same for every try
	Charge   string // the provider's id of the charge
	Amount   money.Amount
	Since    time.Time // when the refund was first asked for
	Checkout id.Checkout
}

// Gateway charges and refunds through the provider that a request's route names. Requests with the same key are one
// charge or one refund, however often they are made. An error means that the outcome is unknown: the money may or may
// not have moved.
type Gateway interface {
	// Charge charges the money or returns why not. After an error the outcome is unknown until Resolve finds it, or the
	// same request, made Again, gets the first one's answer. If the provider may have forgotten the key since, Charge
	// does not charge but asks for the outcome as Resolve does. ErrCredentialsRefused and ErrAccountRefused are the
	// exceptions: after them, nothing was charged under the key.
	Charge(ctx Outbound, r ChargeRequest) (checkout.Outcome, error)
	// Resolve asks for the outcome of a charge whose lease has lapsed. If the provider has not seen the key by then, it
	// promises never to accept it, and the outcome is NotCharged.
	Resolve(ctx Outbound, r ChargeRequest) (checkout.Outcome, error)
	// Refund refunds the money or returns why not. After an error the same request, however late, either returns the
	// outcome of the first one or carries it out.
	Refund(ctx Outbound, r RefundRequest) (order.RefundOutcome, error)
	// Statement calls each with every movement of money that the provider knows, from a time and before another, in no
	// order.
	Statement(ctx Outbound, s StatementRequest, each func(Movement) error) error
}

// PaymentAdmission decides whether a payment may begin, before anything is claimed for it.
type PaymentAdmission interface {
	// Admit takes one of the places for payments through the route, which leave releases, or refuses, and then leave
	// does nothing. Unavailable payment_unavailable: the provider does not answer at the moment, or its clock is wrong.
	// Unavailable overloaded: too many payments through the same integration are under way. Nothing is sent to the
	// provider, and payments that have begun are not affected.
	Admit(r project.PaymentRoute) (leave func(), err error)
}

// StatementRequest asks a provider for its own record of movements.
type StatementRequest struct {
	Project  id.Project
	Route    project.PaymentRoute
	From, To time.Time // from, and before
}

// Movement is one movement of money in the provider's own books.
type Movement struct {
	Refund   bool   // money given back; else money taken
	Provider string // the provider's id of it
	Key      string // ours, as far as the provider kept it: an attempt's key or a refund's id
	Project  string // the id of the project that the key is of, as far as the provider kept it
	Charge   string // the provider's id of the charge that a refund is of, as far as it tells
	Amount   money.Amount
	At       time.Time
}

// PaymentAccount is a merchant's account with a provider. Its fields are secret.
type PaymentAccount struct{ Key, Secret string }

// PaymentProvider is Gateway for any merchant's account with one provider.
type PaymentProvider interface {
	Charge(ctx Outbound, a PaymentAccount, r ChargeRequest) (checkout.Outcome, error)
	Resolve(ctx Outbound, a PaymentAccount, r ChargeRequest) (checkout.Outcome, error)
	Refund(ctx Outbound, a PaymentAccount, r RefundRequest) (order.RefundOutcome, error)
	Statement(ctx Outbound, a PaymentAccount, s StatementRequest, each func(Movement) error) error
}

// StillLooking is the error of a Resolve that needs more time than it had. The next request for the same
// attempt carries Progress in its Charge and goes on from there; "" begins anew.
type StillLooking struct{ Progress string }

func (StillLooking) Error() string { return "the provider's records are not searched to their end yet" }

// ErrUndecided is in the error of a charge whose state at the provider is not final: a bank debit takes days, a capture
// waits for a review. The outcome is unknown, but the provider works.
var ErrUndecided = errors.New("the provider has not decided the payment yet")

// AmountRules knows which amounts a provider accepts: PayPal accepts no decimals of some currencies, Stripe requires
// the third decimal of others to be zero.
type AmountRules interface {
	// CanCharge reports whether the route's provider can charge the amount.
	CanCharge(r project.PaymentRoute, a money.Amount) bool
}

// StatementLag knows how late providers' statements are.
type StatementLag interface {
	// StatementLag is how long a movement may be missing from the statement of the route's provider.
	StatementLag(r project.PaymentRoute) time.Duration
}

// ChargeNames knows how a provider writes the ids of its charges.
type ChargeNames interface {
	// ChargeForm describes the form of the id of a charge if named cannot be one, else "".
	ChargeForm(r project.PaymentRoute, named string) string
}

// ChargeReader reads the key that a charge was made under.
type ChargeReader interface {
	// ChargeKey is the key of the payment attempt that a charge of the account is of, whatever project it is in; "" if
	// it was made elsewhere. The account has no such charge: fault.NotFound. Other errors say nothing of the charge.
	ChargeKey(ctx Outbound, a PaymentAccount, charge string) (key string, err error)
}

// ChargeGateway is ChargeReader for a route. For a provider without such a request it returns ErrNotAvailable.
type ChargeGateway interface {
	ChargeKey(ctx Outbound, of id.Project, route project.PaymentRoute, charge string) (key string, err error)
}

// ErrNotAvailable means that a provider has no request for the information.
var ErrNotAvailable = errors.New("the provider does not tell")

// BalanceKind is the reason why a provider changed the merchant's balance.
type BalanceKind struct{ name string }

var (
	BalanceFee    = BalanceKind{"fee"}    // the provider's fee for a charge or a refund; a dispute's is in its DisputeReport, not here
	BalancePayout = BalanceKind{"payout"} // money sent to the merchant's bank account, or returned from it
	BalanceOther  = BalanceKind{"other"}  // adjustments and transfers that are none of the above
	BalanceNews   = BalanceKind{"news"}   // a refund or dispute, without an amount; see BalanceChange.News
	// BalanceDispute is withdrawn for a dispute, or put back, with the fee if that is in its DisputeReport.
	BalanceDispute = BalanceKind{"dispute"}
)

func (k BalanceKind) String() string { return k.name }

// BalanceChange is one change of the merchant's balance with a provider. Amount is signed: a fee and a payout are
// negative. The amounts of charges and refunds are left out. A change whose refund or dispute a webhook should have
// reported has the same report in News, and may have no amount.
type BalanceChange struct {
	Kind     BalanceKind
	Provider string // the provider's id of the change, unique with Kind
	Charge   string // the provider's id of the charge it is for, as far as known
	Amount   money.Amount
	At       time.Time
	News     PaymentEvent
}

// BalanceReader reads a provider's balance report.
type BalanceReader interface {
	// BalanceChanges calls each for every change from s.From, and before s.To, in no order.
	BalanceChanges(ctx Outbound, a PaymentAccount, s StatementRequest, each func(BalanceChange) error) error
}

// DisputeReader reads the state of a dispute.
type DisputeReader interface {
	// Dispute reports a dispute by the provider's id of it. One that cannot be of a payment here: no news.
	Dispute(ctx Outbound, a PaymentAccount, dispute string) (PaymentEvent, error)
}

// BalanceGateway is BalanceReader and DisputeReader for a route. A provider without a balance report has no changes,
// and one that does not report disputes no news.
type BalanceGateway interface {
	BalanceChanges(ctx Outbound, s StatementRequest, each func(BalanceChange) error) error
	Dispute(ctx Outbound, of id.Project, route project.PaymentRoute, dispute string) (PaymentEvent, error)
}

// RemoteClock is a system whose clock is compared with ours.
type RemoteClock interface {
	// Skew is how far the remote clock is ahead of ours by the newest answer, and false before the first.
	Skew() (time.Duration, bool)
}
