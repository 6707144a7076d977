package purchase

import (
	"cmp"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/stored"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// The formats of JSON columns of checkouts, orders and returns.
var (
	_ = stored.JSON[checkout.Line](stored.Tags{
		"Line.ID": ",omitempty", "Line.Quote": ",omitempty", "Line.Bundled": ",omitempty", "Line.Digital": ",omitempty", "Line.Token": ",inline",
		"Token.Salt": "token_salt,omitempty", "Token.Hash": "token_hash,omitempty",
		"Line.Personal": ",inline", "Use.Signals": "personal,omitempty", "Use.Region": "personal_region,omitempty",
		"Line.Disclosure": ",omitempty",
	})
	_ = stored.JSON[checkout.Problem](stored.Tags{"Problem.Line": ",omitempty"})
	_ = stored.JSON[checkout.Address](stored.Tags{"Address.ID": ",omitempty", "Address.First": ",omitempty", "Address.Last": ",omitempty"})
	_ = stored.JSON[checkout.Buyer](stored.Tags{
		"Buyer.First": ",omitempty", "Buyer.Last": ",omitempty", "Buyer.Email": ",omitempty", "Buyer.Phone": ",omitempty",
	})
	_ = stored.JSON[checkout.Option](nil)
	_ = stored.JSON[catalog.Reservation](nil)
)

var (
	checkouts = db.NewTable[CheckoutRow]("checkouts", db.Columns{
		"Lines":          ",json",
		"Address":        ",json",
		"Buyer":          ",json",
		"Options":        ",json",
		"Taken":          ",json",
		"CartProblems":   ",json",
		"LeaseUntil":     ",null",
		"RetryAt":        ",null",
		"ClaimedAt":      ",null",
		"Agent.Profile":  "agent_profile",
		"Agent.Verified": "agent_verified",
		"Agent.Key":      "agent_key",
		"Agent.Protocol": "protocol",
		"Hook.Protocol":  "hook_protocol",
		"Hook.URL":       "hook_url",
		// Paid has these.
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
	Paid  Paid   `db:"payment,json"`
	Queue string // of reconciliation; empty until the first attempt
}

// accountGroup is the group of work at a payment account of a project.
func accountGroup(p id.Project, route project.PaymentRoute) string {
	return p.String() + "/" + cmp.Or(route.Integration.String(), route.Provider)
}

func toCheckoutRow(c *checkout.Checkout) CheckoutRow {
	s := c.Snapshot()
	r := CheckoutRow{Snapshot: s, Paid: Paid{s.Payment, s.Unresolved, s.Progress, s.Problem, s.Manual, s.Earlier}}
	if !s.Payment.Method.IsZero() {
		r.Queue = accountGroup(s.Project, s.Payment.Route)
	}
	return r
}

func FromCheckoutRow(r CheckoutRow) *checkout.Checkout {
	s, paid := r.Snapshot, r.Paid
	s.Payment, s.Earlier = paid.Made(), paid.Earlier
	s.Unresolved, s.Progress, s.Problem, s.Manual = paid.Unresolved, paid.Progress, paid.Problem, paid.Manual
	return checkout.Rehydrate(s)
}

// DecodedCheckout is a checkout in a list. One that cannot be read must not hide the others.
type DecodedCheckout = db.Decoded[CheckoutRow]

// Paid is the stored data of a checkout's payment attempts. Queries rely on the method being the first member.
type Paid struct {
	Payment    checkout.Payment
	Unresolved int
	Progress   string
	Problem    string
	Manual     int
	Earlier    []checkout.Attempt
}

// Made is the payment. Payments of releases with a single provider name none.
func (p Paid) Made() checkout.Payment {
	if p.Payment.Route.IsZero() && !p.Payment.Method.IsZero() {
		p.Payment.Route.Provider = project.SandboxProvider
	}
	return p.Payment
}

// routed has the fields of Paid that RouteOf reads.
type routed struct {
	Method project.PaymentMethod
	Route  project.PaymentRoute
}

var routes = stored.JSON[routed](stored.Tags{"routed.Route": ",inline"})

// RouteOf reads the route of the latest payment attempt. The amounts of earlier ones cannot be read without the column
// currency.
func RouteOf(payment string) (project.PaymentRoute, error) {
	var r routed
	err := routes.Read(payment, &r, money.Currency{})
	return Paid{Payment: checkout.Payment{Method: r.Method, Route: r.Route}}.Made().Route, err
}

var PaidFormat = stored.JSON[Paid](stored.Tags{
	"Paid.Payment":             ",inline",
	"Payment.Route":            ",inline",
	"PaymentRoute.Provider":    ",omitempty",
	"PaymentRoute.Integration": ",omitempty",
	"Payment.Client":           ",omitempty",
	"Paid.Unresolved":          ",omitempty",
	"Paid.Progress":            ",omitempty",
	"Paid.Problem":             ",omitempty",
	"Paid.Manual":              ",omitempty",
	"Paid.Earlier":             ",omitempty",
	"Attempt.Route":            ",inline",
})
