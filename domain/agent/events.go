package agent

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Scene is the context of an event. It is part of every input.
type Scene struct {
	Project *project.Project
	Session *session.Session // nil when a checkout is finalized
	Mandate Mandate
	// History reads the session's negotiation entries so far, oldest first. It may be nil if there are none.
	History func(context.Context) ([]negotiation.Entry, error)
}

// SearchInput is the input of a product search.
type SearchInput struct {
	Scene
	Query catalog.Query
	// Candidates are the results of the shop's own index, best first. An agent may rank them, leave some out and add
	// reasons. It cannot add products.
	Candidates catalog.Found
}

// SearchAnswer has some of the candidates in order, with reasons.
type SearchAnswer struct{ Found catalog.Found }

// QuoteInput is the input of an offer, or of a price inquiry if the offer is nil. The buyer's message is for wording
// only.
type QuoteInput struct {
	Scene
	Product Product
	Table   negotiation.Table
	Signals negotiation.Signals
	Message string
}

// Offer returns the buyer's offer, or nil for a price inquiry.
func (in QuoteInput) Offer() *money.Amount { return in.Table.Offer }

// Product is the item under negotiation as an agent sees it.
type Product struct {
	ID       id.Product
	Variant  id.Variant
	Name     string
	Category string
	Quantity int
}

// QuoteAnswer is a proposed decision. Without a decision the rules decide. Empty texts are replaced by the built-in
// wording.
type QuoteAnswer struct {
	Decision  negotiation.Decision
	Reasoning string
	Message   string
	Answered  Answered
}

// Answered is who answered, for the record.
type Answered struct {
	Handler  string // "builtin:haggle", "remote", "model"
	Fallback string // why the built-in agent answered instead; "" if it did not
}

// CheckoutInput is the input of the decision whether a cart may be checked out. The agent cannot change its prices.
type CheckoutInput struct {
	Scene
	Lines []checkout.Line
}

// FinalizeInput is the input of the decision whether a checkout may be paid now.
type FinalizeInput struct {
	Scene
	Checkout *checkout.Checkout
	Total    money.Amount
}

// Verdict is an agent's decision on a checkout or a payment: Consent, which is also the zero Verdict, Refuse or
// AskReview.
type Verdict struct {
	kind   VerdictKind
	reason string
}

// VerdictKind is the kind of a verdict.
type VerdictKind struct{ name string }

var (
	Consented = VerdictKind{}          // allowed
	Refused   = VerdictKind{"refused"} // not allowed
	InReview  = VerdictKind{"review"}  // not allowed until a person has reviewed it
)

// Kind returns the kind of the verdict.
func (v Verdict) Kind() VerdictKind { return v.kind }

// Reason returns why it is not Consent, for the buyer; "": the agent gives no reason.
func (v Verdict) Reason() string { return v.reason }

// WordInput is the input for wording a decision. The buyer will see all of its numbers.
type WordInput struct {
	Scene
	Product  Product
	Decision negotiation.Decision
	List     money.Amount
	// ValidUntil is when the decided price expires.
	ValidUntil time.Time
}

// Texts are the texts of an answer. Empty ones are replaced by the built-in wording.
type Texts struct{ Reasoning, Message string }
