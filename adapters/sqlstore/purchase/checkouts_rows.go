package purchase

import (
	"cmp"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/catalogue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/spelling"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	checkouts = db.NewTable[CheckoutRow]("checkouts")

	// CheckoutColumns are those of CheckoutRow.
	CheckoutColumns = checkouts.Columns()
)

type CheckoutRow struct {
	ProjectID  string `db:"project_id"`
	ID         string
	SessionID  string `db:"session_id"`
	Status     string
	Lines      string
	Address    string
	Options    string
	Selected   string
	Currency   string
	Subtotal   int64
	Tax        int64
	Savings    int64
	Attempt    int
	Declines   int
	LeaseUntil *int64 `db:"lease_until"`
	RetryAt    *int64 `db:"retry_at"`
	Payment    string
	Taken      string
	CreatedAt  int64  `db:"created_at"`
	ValidUntil int64  `db:"valid_until"`
	ClaimedAt  *int64 `db:"claimed_at"`
	Queue      string // of reconciliation; empty until the first attempt
}

// accountGroup is the group of work at a payment account of a project.
func accountGroup(p id.Project, route project.PaymentRoute) string {
	return p.String() + "/" + cmp.Or(route.Integration.String(), route.Provider)
}

func toCheckoutRow(c *checkout.Checkout) (CheckoutRow, error) {
	s := c.Snapshot()
	r := CheckoutRow{
		ProjectID: s.Project.String(), ID: s.ID.String(), SessionID: s.Session.String(), Status: s.Status.String(),
		Selected: s.Selected, Currency: s.Subtotal.Currency().Code(),
		Subtotal: s.Subtotal.Minor(), Tax: s.Tax.Minor(), Savings: s.Savings.Minor(),
		Attempt: s.Attempt, Declines: s.Declines, LeaseUntil: db.MillisOrNull(s.LeaseUntil), RetryAt: db.MillisOrNull(s.RetryAt),
		CreatedAt: db.Millis(s.CreatedAt), ValidUntil: db.Millis(s.ValidUntil), ClaimedAt: db.MillisOrNull(s.ClaimedAt),
	}
	if !s.Payment.Method.IsZero() {
		r.Queue = accountGroup(s.Project, s.Payment.Route)
	}
	for _, nested := range []struct {
		text  *string
		value any
	}{
		{&r.Lines, toLinesJSON(s.Lines)},
		{&r.Address, addressJSON(s.Address)},
		{&r.Options, toOptionsJSON(s.Options)},
		{&r.Payment, toPaymentJSON(s)},
		{&r.Taken, toTakesJSON(s.Taken)},
	} {
		var err error
		if *nested.text, err = db.ToJSON(nested.value); err != nil {
			return CheckoutRow{}, err
		}
	}
	return r, nil
}

func FromCheckoutRow(r CheckoutRow) (*checkout.Checkout, error) {
	c, err := db.Currency(r.Currency)
	if err != nil {
		return nil, err
	}
	var lines []LineJSON
	var address addressJSON
	var options []optionJSON
	var payment PaymentJSON
	var taken []catalogue.TakeJSON
	for _, nested := range []struct {
		text string
		to   any
	}{{r.Lines, &lines}, {r.Address, &address}, {r.Options, &options}, {r.Payment, &payment}, {r.Taken, &taken}} {
		if err := db.FromJSON(nested.text, nested.to); err != nil {
			return nil, err
		}
	}
	paid, err := FromPaymentJSON(payment)
	if err != nil {
		return nil, err
	}
	return checkout.Rehydrate(checkout.Snapshot{
		ID: id.Stored[id.Checkout](r.ID), Project: id.Stored[id.Project](r.ProjectID), Session: id.Stored[id.Session](r.SessionID),
		Status: checkout.Statuses[r.Status], Lines: fromLinesJSON(lines, c), Address: checkout.Address(address),
		Options: fromOptionsJSON(options, c), Selected: r.Selected,
		Subtotal: money.Of(r.Subtotal, c), Tax: money.Of(r.Tax, c), Savings: money.Of(r.Savings, c),
		Attempt: r.Attempt, Declines: r.Declines, LeaseUntil: db.TimeOrZero(r.LeaseUntil), RetryAt: db.TimeOrZero(r.RetryAt),
		Payment: paid, Earlier: fromAttemptsJSON(payment.Earlier, c), Unresolved: payment.Unresolved, Progress: payment.Progress,
		Problem: payment.Problem, Manual: payment.Manual, Taken: catalogue.FromTakesJSON(taken),
		CreatedAt: db.Time(r.CreatedAt), ValidUntil: db.Time(r.ValidUntil), ClaimedAt: db.TimeOrZero(r.ClaimedAt),
	}), nil
}

// LineJSON is a line, in minor units of its checkout's or order's currency.
type LineJSON struct {
	Product  string `json:"product"`
	Variant  string `json:"variant"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Label    string `json:"label"`
	Quantity int    `json:"quantity"`
	Unit     int64  `json:"unit"`
	Original int64  `json:"original"`
	Quote    string `json:"quote,omitempty"`
	Bundled  bool   `json:"bundled,omitempty"`
}

type optionJSON struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Price   int64  `json:"price"`
	MinDays int    `json:"min_days"`
	MaxDays int    `json:"max_days"`
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

func toLinesJSON(lines []checkout.Line) []LineJSON {
	list := make([]LineJSON, len(lines))
	for i, l := range lines {
		list[i] = LineJSON{
			Product: l.Product.String(), Variant: l.Variant.String(), SKU: l.SKU, Name: l.Name, Label: l.Label,
			Quantity: l.Quantity, Unit: l.Unit.Minor(), Original: l.Original.Minor(), Quote: l.Quote.String(), Bundled: l.Bundled,
		}
	}
	return list
}

func fromLinesJSON(list []LineJSON, c money.Currency) []checkout.Line {
	lines := make([]checkout.Line, len(list))
	for i, l := range list {
		lines[i] = checkout.Line{
			Product: id.Stored[id.Product](l.Product), Variant: id.Stored[id.Variant](l.Variant),
			SKU: l.SKU, Name: l.Name, Label: l.Label, Quantity: l.Quantity,
			Unit: money.Of(l.Unit, c), Original: money.Of(l.Original, c), Quote: id.Stored[id.Quote](l.Quote), Bundled: l.Bundled,
		}
	}
	return lines
}

func toOptionsJSON(options []checkout.Option) []optionJSON {
	list := make([]optionJSON, len(options))
	for i, o := range options {
		list[i] = optionJSON{o.ID, o.Name, o.Price.Minor(), o.MinDays, o.MaxDays}
	}
	return list
}

func fromOptionsJSON(list []optionJSON, c money.Currency) []checkout.Option {
	options := make([]checkout.Option, len(list))
	for i, o := range list {
		options[i] = checkout.Option{ID: o.ID, Name: o.Name, Price: money.Of(o.Price, c), MinDays: o.MinDays, MaxDays: o.MaxDays}
	}
	return options
}

func toTakesJSON(takes []catalog.Take) []catalogue.TakeJSON {
	list := make([]catalogue.TakeJSON, len(takes))
	for i, t := range takes {
		list[i] = catalogue.TakeJSON{Variant: t.Variant.String(), Location: t.Location, Quantity: t.Quantity}
	}
	return list
}
