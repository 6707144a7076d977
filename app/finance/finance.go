// Package finance reconciles payments and refunds with the statements of the payment providers, on request and
// continuously. It also books the providers' fees and payouts. It sends no charges or refunds.
package finance

import (
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Service reconciles on request.
type Service struct {
	*ports.Stores

	Gateway ports.Gateway
	// Sandbox reports whether the built-in provider serves the payments that no connected provider serves.
	Sandbox bool
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Report compares one provider's statement with our books.
type Report struct {
	Route   project.PaymentRoute
	Matched int // movements in both, with the same amount
	// Ours and Theirs are charges minus refunds, by currency.
	Ours, Theirs []money.Amount
	// Differences are sorted by importance: charges without an order come first. Found counts all of them, also those that are
	// left out.
	Differences []ports.MoneyDifference
	Found       int
	// Unexplained counts the differences that have no State.
	Unexplained int
}
