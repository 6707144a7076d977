package order

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
)

// ExternalRefund is a refund that was not requested here: somebody made it in the provider's dashboard,
// or the provider made it by itself.
type ExternalRefund struct {
	Charge   string // the provider's id of the charge, as Payment.Provider has it
	Provider string // the provider's id of the refund
	Amount   money.Amount
	// Whole reports whether the whole charge was reversed. Amount is then the charge's, although earlier refunds may
	// have given a part of it back.
	Whole   bool
	Outcome RefundOutcome
	At      time.Time // when the provider says it was made
}

// DisputeStatus says how a dispute stands at the provider.
type DisputeStatus struct{ name string }

var (
	DisputeOpen = DisputeStatus{"open"} // the merchant may still respond, or the issuer reviews the response
	DisputeWon  = DisputeStatus{"won"}  // the merchant keeps the money
	DisputeLost = DisputeStatus{"lost"} // the buyer keeps the money
)

func (s DisputeStatus) String() string { return s.name }

// DisputeStatuses are all of them, by name.
var DisputeStatuses = map[string]DisputeStatus{"open": DisputeOpen, "won": DisputeWon, "lost": DisputeLost}

// DisputeResponse says whose turn it is in a dispute.
type DisputeResponse struct{ name string }

var (
	ResponseNeeded = DisputeResponse{"needed"}       // the merchant's: the provider waits for evidence
	UnderReview    = DisputeResponse{"under_review"} // the bank's or the provider's, or the buyer's
	ResponseClosed = DisputeResponse{"closed"}       // nobody's: it is won or lost
)

func (r DisputeResponse) String() string { return r.name }

// DisputeResponses are all of them, by name.
var DisputeResponses = map[string]DisputeResponse{"needed": ResponseNeeded, "under_review": UnderReview, "closed": ResponseClosed}

// DisputeReport is the state of a dispute as a provider reports it. Reports may repeat, be late and come
// out of order: each carries absolute amounts, never changes.
type DisputeReport struct {
	Charge    string // the provider's id of the charge
	Provider  string // the provider's id of the dispute
	Status    DisputeStatus
	Response  DisputeResponse // zero: needed while it is open
	DueBy     time.Time       // until when the merchant may respond; zero: the provider does not say
	Reason    string          // the provider's code: "fraudulent"
	Amount    money.Amount    // what the buyer disputes
	Withdrawn money.Amount    // what the provider has taken out of the merchant's balance for it so far, fees aside
	Fee       money.Amount    // what the provider charges for it so far
	At        time.Time       // the provider's time of the report
}
