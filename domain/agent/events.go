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

// Scene is where an event takes place, part of every input.
type Scene struct {
	Project *project.Project
	Session *session.Session // nil where a checkout is finalized
	Mandate Mandate
	// History reads what was said in the session so far, oldest first. It may be nil: there is none.
	History func(context.Context) ([]negotiation.Entry, error)
}

// SearchInput asks for products.
type SearchInput struct {
	Scene
	Query catalog.Query
	// Candidates is what the shop's own index found, best first. An agent ranks them, leaves some out and gives
	// reasons; it sells nothing that the shop does not have.
	Candidates catalog.Found
}

// SearchAnswer is some of the candidates in an order, with reasons.
type SearchAnswer struct{ Found catalog.Found }

// QuoteInput asks for an answer to an offer, or for a price where the offer is nil. The buyer's message is for
// wording only.
type QuoteInput struct {
	Scene
	Product Product
	Table   negotiation.Table
	Signals negotiation.Signals
	Message string
}

// Offer is the buyer's, nil for a plain question of the price.
func (in QuoteInput) Offer() *money.Amount { return in.Table.Offer }

// Product is the item under negotiation as an agent sees it.
type Product struct {
	ID       id.Product
	Variant  id.Variant
	Name     string
	Category string
	Quantity int
}

// QuoteAnswer is a proposed decision. Without a decision the rules decide; empty texts leave the wording to the
// house.
type QuoteAnswer struct {
	Decision  negotiation.Decision
	Reasoning string
	Message   string
	Answered  Answered
}

// Answered is who answered, for the record.
type Answered struct {
	Handler  string // "builtin:haggle", "remote", "model"
	Fallback string // why the house answered instead; "" if it did not
}

// CheckoutInput asks whether a cart may be checked out. Prices are settled and not the agent's to move.
type CheckoutInput struct {
	Scene
	Lines []checkout.Line
}

// FinalizeInput asks whether a checkout may be paid now.
type FinalizeInput struct {
	Scene
	Checkout *checkout.Checkout
	Total    money.Amount
}

// Verdict is what an agent says about a checkout or a payment: Consent, which the zero Verdict is too, Refuse or AskReview.
type Verdict struct {
	kind   VerdictKind
	reason string
}

// VerdictKind tells verdicts apart.
type VerdictKind struct{ name string }

var (
	Consented = VerdictKind{}          // it may go on
	Refused   = VerdictKind{"refused"} // it may not
	InReview  = VerdictKind{"review"}  // it may not before a person has looked at it
)

// Kind tells which verdict it is.
func (v Verdict) Kind() VerdictKind { return v.kind }

// Reason is why it is not consent, for the buyer to read; "": the agent gives none.
func (v Verdict) Reason() string { return v.reason }

// WordInput asks for words for what is decided. All numbers in it are ones that the buyer will see.
type WordInput struct {
	Scene
	Product  Product
	Decision negotiation.Decision
	List     money.Amount
	// ValidUntil is when the decided price ends.
	ValidUntil time.Time
}

// Texts are an answer's. Empty ones leave the wording to the house.
type Texts struct{ Reasoning, Message string }
