// Package finance compares the merchant's books with those of the payment providers, on request and
// continuously, and books what providers change by themselves: fees and payouts.
package finance

import (
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service compares books.
type Service struct {
	*ports.Stores

	Gateway ports.Gateway
	// Sandbox reports whether the built-in provider serves the payments that no connected one does.
	Sandbox bool
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Report compares one provider's books with ours.
type Report struct {
	Route   project.PaymentRoute
	Matched int // movements that both have, with the same amount
	// Ours and Theirs are what was taken less what was given back, by currency.
	Ours, Theirs []money.Amount
	// Differences begin with those that matter most: charges that no order here has. Found is how many
	// there are, also those that are left out.
	Differences []ports.MoneyDifference
	Found       int
	// Unexplained is how many of them are not explained by their State.
	Unexplained int
}
