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

// ChargeRequest asks a provider for money, or what became of such a request.
type ChargeRequest struct {
	Project  id.Project
	Checkout id.Checkout
	Charge   checkout.Charge
	Token    string // the buyer's; never stored or logged, and empty when asking what became of a charge
	// Again says that Charge was called before with the same key and token, and that nobody knows what came of it.
	// Then only the answer to that very request counts, and a refusal of credentials or account is no proof.
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

// Gateway takes money and gives it back, through the provider that a request's route names. Requests
// with the same key are one charge or one refund, however often they are made. An error means that
// nobody knows: the money may or may not have moved.
type Gateway interface {
	// Charge takes the money or says why not. After an error the outcome is unknown until Resolve finds it, or the
	// same request, made Again, gets the first one's answer. A provider that may have forgotten the key since
	// is not charged, but asked as by Resolve. ErrCredentialsRefused and ErrAccountRefused are the
	// exceptions: after them, nothing was charged under the key.
	Charge(ctx Outbound, r ChargeRequest) (checkout.Outcome, error)
	// Resolve asks what became of a charge whose lease has lapsed. When the provider has not seen the
	// key by then, it promises never to take it, and the outcome is NotCharged.
	Resolve(ctx Outbound, r ChargeRequest) (checkout.Outcome, error)
	// Refund gives money back or says why not. After an error the same request, however late, either
	// learns what became of the first one or makes up for it.
	Refund(ctx Outbound, r RefundRequest) (order.RefundOutcome, error)
	// Statement tells each movement of money that the provider knows of, from and before, in no order.
	Statement(ctx Outbound, s StatementRequest, each func(Movement) error) error
}

// PaymentAdmission decides whether a payment may begin, before anything is claimed for it.
type PaymentAdmission interface {
	// Admit takes one of the places of payments through the route, which leave gives back, or refuses, after
	// which leave does nothing. Unavailable payment_unavailable: the provider does not answer at the moment, or
	// its clock is wrong. Unavailable overloaded: too many payments through the same integration are under way.
	// Nothing is sent to the provider, and no payment that has begun is kept from its end.
	Admit(r project.PaymentRoute) (leave func(), err error)
}

// StatementRequest asks a provider for its own account of what it did.
type StatementRequest struct {
	Project  id.Project
	Route    project.PaymentRoute
	From, To time.Time // from, and before
}

// Movement is one movement of money by the provider's own books.
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

// ErrUndecided is in the error of a charge that the provider answered with a state which is not final: a bank debit
// takes days, a capture waits for a review. The outcome is unknown, but the provider works.
var ErrUndecided = errors.New("the provider has not decided the payment yet")

// AmountRules knows which amounts a provider can express: PayPal takes no decimals of some currencies, Stripe
// wants the third decimal of others to be zero.
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
	// ChargeForm says what the id of a charge must be like if named cannot be one, else "".
	ChargeForm(r project.PaymentRoute, named string) string
}

// ChargeReader reads the key that a charge was made under.
type ChargeReader interface {
	// ChargeKey is the key of the payment attempt that a charge of the account is of, whatever project it is in; "" if
	// it was made elsewhere. The account has no such charge: fault.NotFound. Other errors say nothing of the charge.
	ChargeKey(ctx Outbound, a PaymentAccount, charge string) (key string, err error)
}

// ChargeGateway is ChargeReader for a route. Of a provider that does not tell it returns ErrUntold.
type ChargeGateway interface {
	ChargeKey(ctx Outbound, of id.Project, route project.PaymentRoute, charge string) (key string, err error)
}

// ErrUntold means that a provider cannot be asked for something.
var ErrUntold = errors.New("the provider does not tell")

// BalanceKind says why a provider changed what it holds for the merchant.
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

// BalanceChange is one change of what a provider holds for the merchant. Amount is signed: a fee and a
// payout are negative. The amounts of charges and refunds are left out. A change whose refund
// or dispute a webhook should have reported has the same report in News, and may have no amount.
type BalanceChange struct {
	Kind     BalanceKind
	Provider string // the provider's id of the change, unique with Kind
	Charge   string // the provider's id of the charge it is for, as far as known
	Amount   money.Amount
	At       time.Time
	News     PaymentNews
}

// BalanceReader reads a provider's balance report.
type BalanceReader interface {
	// BalanceChanges calls each for every change from s.From, and before s.To, in no order.
	BalanceChanges(ctx Outbound, a PaymentAccount, s StatementRequest, each func(BalanceChange) error) error
}

// DisputeReader reads how a dispute stands.
type DisputeReader interface {
	// Dispute reports a dispute by the provider's id of it. One that cannot be of a payment here: no news.
	Dispute(ctx Outbound, a PaymentAccount, dispute string) (PaymentNews, error)
}

// BalanceGateway is BalanceReader and DisputeReader for a route. A provider without a balance report has no
// changes, and one that does not tell of disputes no news.
type BalanceGateway interface {
	BalanceChanges(ctx Outbound, s StatementRequest, each func(BalanceChange) error) error
	Dispute(ctx Outbound, of id.Project, route project.PaymentRoute, dispute string) (PaymentNews, error)
}

// RemoteClock is a system whose clock is compared with ours.
type RemoteClock interface {
	// Skew is how far the remote clock is ahead of ours by the newest answer, and false before the first.
	Skew() (time.Duration, bool)
}
