package purchase

import (
	"cmp"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// The formats of JSON columns of checkouts, orders and returns.
var (
	_ = stored.JSON[checkout.Line](stored.Tags{"Line.Quote": ",omitempty", "Line.Bundled": ",omitempty"})
	_ = stored.JSON[checkout.Address](nil)
	_ = stored.JSON[checkout.Option](nil)
	_ = stored.JSON[catalog.Take](nil)
)

var (
	checkouts = db.NewTable[CheckoutRow]("checkouts", db.Columns{
		"Lines":      ",json",
		"Address":    ",json",
		"Options":    ",json",
		"Taken":      ",json",
		"LeaseUntil": ",null",
		"RetryAt":    ",null",
		"ClaimedAt":  ",null",
		// PaymentJSON has these.
		"Payment":    "-",
		"Earlier":    "-",
		"Unresolved": "-",
		"Progress":   "-",
		"Problem":    "-",
		"Manual":     "-",
	})

	// CheckoutColumns are those of CheckoutRow.
	CheckoutColumns = checkouts.Columns()
)

type CheckoutRow struct {
	checkout.Snapshot
	Paid  PaymentJSON `db:"payment,json"`
	Queue string      // of reconciliation; empty until the first attempt
}

// accountGroup is the group of work at a payment account of a project.
func accountGroup(p id.Project, route project.PaymentRoute) string {
	return p.String() + "/" + cmp.Or(route.Integration.String(), route.Provider)
}

func toCheckoutRow(c *checkout.Checkout) CheckoutRow {
	r := CheckoutRow{Snapshot: c.Snapshot()}
	r.Paid = toPaymentJSON(r.Snapshot)
	if !r.Payment.Method.IsZero() {
		r.Queue = accountGroup(r.Project, r.Payment.Route)
	}
	return r
}

func FromCheckoutRow(r CheckoutRow) (*checkout.Checkout, error) {
	s, paid := r.Snapshot, r.Paid
	var err error
	s.Payment, err = FromPaymentJSON(paid)
	s.Earlier = fromAttemptsJSON(paid.Earlier, s.Subtotal.Currency())
	s.Unresolved, s.Progress, s.Problem, s.Manual = paid.Unresolved, paid.Progress, paid.Problem, paid.Manual
	if err != nil {
		return nil, err
	}
	return checkout.Rehydrate(s), nil
}

// TriedCheckout is a checkout in a list, of which one that cannot be read must not hide the others.
type TriedCheckout = db.Tried[CheckoutRow]

func FromTriedCheckout(c TriedCheckout) (*checkout.Checkout, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	return FromCheckoutRow(c.Value)
}

type PaymentJSON struct {
	Method      string `json:"method"`
	Provider    string `json:"provider,omitempty"`
	Integration string `json:"integration,omitempty"`
	Client      string `json:"client,omitempty"`
	TokenHash   string `json:"token_hash"`
	Email       string `json:"email"`
	Notes       string `json:"notes"`
	Option      string `json:"option"`
	Unresolved  int    `json:"unresolved,omitempty"`
	Progress    string `json:"progress,omitempty"`
	Problem     string `json:"problem,omitempty"`
	Manual      int    `json:"manual,omitempty"`

	Earlier []attemptJSON `json:"earlier,omitempty"`
}

// attemptJSON is an earlier attempt, its amount in minor units of the checkout's currency.
type attemptJSON struct {
	Number      int    `json:"number"`
	Amount      int64  `json:"amount"`
	Provider    string `json:"provider"`
	Integration string `json:"integration,omitempty"`
}

func toAttemptsJSON(attempts []checkout.Attempt) []attemptJSON {
	list := make([]attemptJSON, len(attempts))
	for i, a := range attempts {
		list[i] = attemptJSON{a.Number, a.Amount.Minor(), a.Route.Provider, a.Route.Integration.String()}
	}
	return list
}

// fromAttemptsJSON is nil without earlier attempts, as the domain has it.
func fromAttemptsJSON(list []attemptJSON, c money.Currency) []checkout.Attempt {
	var attempts []checkout.Attempt
	for _, a := range list {
		route := project.PaymentRoute{Provider: a.Provider, Integration: id.Stored[id.Integration](a.Integration)}
		attempts = append(attempts, checkout.Attempt{Number: a.Number, Amount: money.Of(a.Amount, c), Route: route})
	}
	return attempts
}

func toPaymentJSON(s checkout.Snapshot) PaymentJSON {
	p := s.Payment
	return PaymentJSON{
		Method: spelling.Methods[p.Method], Provider: p.Route.Provider, Integration: p.Route.Integration.String(), Client: p.Client,
		TokenHash: p.TokenHash, Email: p.Email, Notes: p.Notes, Option: p.Option, Unresolved: s.Unresolved,
		Progress: s.Progress, Problem: s.Problem, Manual: s.Manual, Earlier: toAttemptsJSON(s.Earlier),
	}
}

// FromPaymentJSON knows payments from before there were several providers.
func FromPaymentJSON(j PaymentJSON) (checkout.Payment, error) {
	method, err := spelling.OptionalMethod(j.Method)
	route := project.PaymentRoute{Provider: j.Provider, Integration: id.Stored[id.Integration](j.Integration)}
	if route.IsZero() && !method.IsZero() {
		route.Provider = project.SandboxProvider
	}
	return checkout.Payment{
		Method: method, Route: route, Client: j.Client, TokenHash: j.TokenHash, Email: j.Email, Notes: j.Notes, Option: j.Option,
	}, err
}
