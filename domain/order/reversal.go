package order

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
)

// ExternalRefund is a refund that was not requested here: a person made it in the provider's dashboard, or the provider
// made it on its own.
type ExternalRefund struct {
	Charge   string // the provider's id of the charge, as in Payment.Provider
	Provider string // the provider's id of the refund
	Amount   money.Amount
	// Whole means that the whole charge was reversed. Amount is then the charge's, although earlier refunds may have
	// refunded a part of it.
	Whole   bool
	Outcome RefundOutcome
	At      time.Time // when the provider says it was made
}

// DisputeStatus is the status of a dispute at the provider.
type DisputeStatus struct{ name string }

var (
	DisputeOpen = DisputeStatus{"open"} // the merchant may still respond, or the issuer reviews the response
	DisputeWon  = DisputeStatus{"won"}  // the merchant keeps the money
	DisputeLost = DisputeStatus{"lost"} // the buyer keeps the money
)

func (s DisputeStatus) String() string { return s.name }

// DisputeStatuses are all statuses by name.
var DisputeStatuses = map[string]DisputeStatus{"open": DisputeOpen, "won": DisputeWon, "lost": DisputeLost}

// DisputeResponse is whose turn it is in a dispute.
type DisputeResponse struct{ name string }

var (
	ResponseNeeded = DisputeResponse{"needed"}       // the provider waits for the merchant's evidence
	UnderReview    = DisputeResponse{"under_review"} // the bank, the provider or the buyer must act
	ResponseClosed = DisputeResponse{"closed"}       // it is won or lost
)

func (r DisputeResponse) String() string { return r.name }

// DisputeResponses are all values by name.
var DisputeResponses = map[string]DisputeResponse{"needed": ResponseNeeded, "under_review": UnderReview, "closed": ResponseClosed}

// DisputeReport is the state of a dispute as a provider reports it. Reports may repeat, be late and arrive out of
// order, so their amounts are totals, never changes.
type DisputeReport struct {
	Charge    string // the provider's id of the charge
	Provider  string // the provider's id of the dispute
	Status    DisputeStatus
	Response  DisputeResponse // zero: needed while open
	DueBy     time.Time       // the merchant's deadline; zero: not reported
	Reason    string          // the provider's code: "fraudulent"
	Amount    money.Amount    // disputed by the buyer
	Withdrawn money.Amount    // withdrawn from the merchant's balance so far, without fees
	Fee       money.Amount    // charged by the provider so far
	At        time.Time       // the provider's time of the report
}
