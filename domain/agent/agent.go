// Package agent is what a negotiator agent is told and what it may answer at each of the four events
// of spec 6.1. Answers are proposals: the guardrails stand outside the agent.
package agent

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// QuoteEvent asks for an answer to an offer. The buyer's message is for wording only.
type QuoteEvent struct {
	Project *project.Project
	Session *session.Session
	Product ProductView
	Table   negotiation.Table
	Signals negotiation.Signals
	Message string
}

// ProductView is the item under negotiation as an agent sees it.
type ProductView struct {
	ID       id.Product
	Variant  id.Variant
	Name     string
	Quantity int
}

// QuoteAnswer is a proposed decision. Empty texts leave the wording to the house.
type QuoteAnswer struct {
	Decision  negotiation.Decision
	Reasoning string
	Message   string
}

// CheckoutEvent asks whether a cart may be checked out. Prices are settled and not the agent's to move.
type CheckoutEvent struct {
	Project *project.Project
	Session *session.Session
	Lines   []checkout.Line
}

// FinalizeEvent asks whether a checkout may be paid now.
type FinalizeEvent struct {
	Project  *project.Project
	Checkout *checkout.Checkout
	Total    money.Amount
}

// Verdict is an agent's consent, or its refusal with a reason that the buyer will read.
type Verdict struct {
	Refused bool
	Reason  string
}
