package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Reconciliations is the continuous comparison of our books with those of every payment integration in use. The store's
// clock decides what is due and when a lease ends, so that one replica at a time compares one integration. Writes under
// a lease that has ended are refused: Conflict lease_lost.
type Reconciliations interface {
	// Enroll adds the payment integrations that are connected and not compared yet.
	Enroll(ctx context.Context) error
	// Claim leases the comparison that has been due longest; nil: none is. Those whose last step failed are
	// left out unless failed is set.
	Claim(ctx context.Context, lease time.Duration, failed bool) (*Reconciliation, error)
	// Record stores the findings of a step, replacing earlier findings in its window, and the time when the next step
	// is due, and ends the lease. It announces the differences that are new.
	Record(ctx context.Context, r *Reconciliation, step ReconciledStep, announce Announce) error
	// Book adds changes of a provider's balance to the ledger, each once by its kind and reference, and
	// remembers until when they are booked. The lease goes on. Without the lease, or once the integration is
	// disconnected, nothing is booked: lease_lost. With r.Account nothing is booked either if, since AccountBooked
	// answered, another integration books the account's changes or has booked more of them: ErrBookedElsewhere.
	Book(ctx context.Context, r *Reconciliation, changes []ledger.Transaction, until time.Time) (booked int, err error)
	// OpenDisputes are the provider's ids of open disputes of the integration's payments that were first reported
	// before a time, some of them by chance if there are more than limit.
	OpenDisputes(ctx context.Context, r *Reconciliation, before time.Time, limit int) ([]string, error)
	// SetAside makes the comparison due after a pause, counts the failure and keeps its reason.
	SetAside(ctx context.Context, r *Reconciliation, pause time.Duration, reason string) error
	// Results are the last results of a project's integrations, by provider, each with at most limit of its
	// differences, the newest first.
	Results(ctx context.Context, project id.Project, limit int) ([]ReconciliationResult, error)
	// UnexplainedMoney is what is unexplained now, of all projects, by provider and currency.
	UnexplainedMoney(ctx context.Context) ([]UnexplainedMoney, error)
}

// AccountBooks knows which integration books the movements of a provider's account without a charge: payouts, and fees
// of the account.
type AccountBooks interface {
	// AccountBooked finds whether the integration of a comparison books these changes: of several projects with one
	// account, the one that was connected first does.
	AccountBooked(ctx context.Context, r *Reconciliation) (AccountBooked, error)
}

// AccountBooked is how far an account's changes without a charge are booked.
type AccountBooked struct {
	Books  bool      // the integration books them
	Others time.Time // until when other integrations have
	Until  time.Time // until when the integration has, and so have all; not after its Booked
}

// Reconciliation is a claimed comparison of one integration.
type Reconciliation struct {
	Project  id.Project
	Route    project.PaymentRoute
	Now      time.Time // by the store's clock, when it was claimed
	Until    time.Time // the end of the lease
	Failures int       // in a row
	// Progress is the time up to which the current round has compared; zero: the next step begins one.
	Progress time.Time
	// Unexplained are the dates of the differences that were unexplained, the oldest first.
	Unexplained []time.Time
	// Booked is the time up to which changes of the balance are booked; initially the time when the integration was
	// connected.
	Booked time.Time
	// Account reports whether the integration also books the movements of its account without a charge, and Others the
	// time up to which others had booked those (AccountBooked.Others).
	Account bool
	Others  time.Time
}

// ErrBookedElsewhere means that another integration with the same account began to book the account's changes.
var ErrBookedElsewhere = fault.New(fault.Conflict, "booked_elsewhere", "Another integration books the changes of the account.")

// ReconciledStep has the findings of one window's comparison.
type ReconciledStep struct {
	Begins      bool // it is the first of a round
	From, To    time.Time
	Next        time.Time // where the round's next window begins; zero: it was the last
	Problem     string    // what else failed, in words for the merchant
	Matched     int
	Found       int
	Totals      []ReconciledTotal
	Unexplained []MoneyDifference
	Due         time.Time
}

// ReconciledTotal is the sum of charges minus refunds, by both books, in one currency.
type ReconciledTotal struct{ Ours, Theirs money.Amount }

// MoneyDifference is a movement that the books do not agree on.
type MoneyDifference struct {
	Refund   bool // money given back; else money taken
	Payment  id.Payment
	RefundID id.Refund
	// Reference is our id of the payment or refund or, for a movement that is missing here, the key that the provider
	// kept.
	Reference string
	Provider  string        // the provider's id
	Ours      *money.Amount // nil: missing here
	Theirs    *money.Amount // nil: missing there
	At        time.Time
	// State explains a movement that is missing here; zero if nothing does, as in all stored differences.
	State MovementState
}

// Kind is missing_here, missing_there or amount_differs.
func (d MoneyDifference) Kind() string {
	switch {
	case d.Ours == nil:
		return "missing_here"
	case d.Theirs == nil:
		return "missing_there"
	}
	return "amount_differs"
}

// ReconciliationResult is the last comparison of one integration.
type ReconciliationResult struct {
	Route       project.PaymentRoute
	From, To    time.Time // what it compared, so far
	RanAt       time.Time // zero: never
	LastError   string
	Matched     int
	Found       int
	Totals      []ReconciledTotal
	Unexplained int
	Differences []MoneyDifference
}

// UnexplainedMoney sums the unexplained differences of a provider in a currency: the full amounts of movements that one
// side misses, and the differences of amounts.
type UnexplainedMoney struct {
	Provider    string
	Amount      money.Amount
	Differences int
}
