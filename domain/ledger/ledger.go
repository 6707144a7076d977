// Package ledger is the merchant's double-entry book. What it holds balances by construction: a posting
// moves a positive amount from one account to another, and only this package can name accounts.
//
//	sale     what the provider holds ◀── sales, shipping, tax
//	refund   what the provider holds ──▶ refunds
package ledger

import (
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
)

// Account is where money is or comes from. The zero Account is none.
type Account struct{ name string }

var (
	Sales    = Account{"sales"}
	Shipping = Account{"shipping"}
	Tax      = Account{"tax"}
	Refunds  = Account{"refunds"}
)

const fundsPrefix = "funds:"

// Funds is what a provider holds for the merchant: "funds:stripe".
func Funds(provider string) Account { return Account{fundsPrefix + provider} }

func (a Account) String() string { return a.name }

// Provider is the provider that holds the funds, of a funds account.
func (a Account) Provider() (string, bool) { return strings.CutPrefix(a.name, fundsPrefix) }

// StoredAccount trusts text that Account.String made.
func StoredAccount(name string) Account { return Account{name} }

// Kind says what a transaction records.
type Kind struct{ name string }

var (
	SaleKind   = Kind{"sale"}
	RefundKind = Kind{"refund"}
)

func (k Kind) String() string { return k.name }

// Kinds are all of them, by name.
var Kinds = map[string]Kind{"sale": SaleKind, "refund": RefundKind}

// Posting moves a positive amount: it is added to what Debit holds and taken from what Credit holds.
type Posting struct {
	Debit, Credit Account
	Amount        money.Amount
}

// Transaction is what one event did to the accounts. Its id has the random part of its payment's, or of
// its refund's, so that recording it twice is one transaction.
type Transaction struct {
	ID       id.Transaction
	Project  id.Project
	Kind     Kind
	Order    id.Order
	Payment  id.Payment
	Refund   id.Refund // zero in a sale
	Provider string    // who moved the money: stripe
	At       time.Time
	Postings []Posting
}

// Sold is what a sale is made of.
type Sold struct {
	Project                 id.Project
	Order                   id.Order
	Payment                 id.Payment
	Provider                string
	Subtotal, Shipping, Tax money.Amount
	At                      time.Time
}

// Sale records what was paid for an order. Parts that are zero are left out.
func Sale(s Sold) Transaction {
	t := Transaction{
		ID: named(s.Payment.String()), Project: s.Project, Kind: SaleKind, Order: s.Order, Payment: s.Payment,
		Provider: s.Provider, At: s.At,
	}
	for _, part := range []struct {
		from   Account
		amount money.Amount
	}{{Sales, s.Subtotal}, {Shipping, s.Shipping}, {Tax, s.Tax}} {
		t.move(Funds(s.Provider), part.from, part.amount)
	}
	return t
}

// GivenBack is what a refund is made of.
type GivenBack struct {
	Project  id.Project
	Order    id.Order
	Payment  id.Payment
	Refund   id.Refund
	Provider string
	Amount   money.Amount
	At       time.Time
}

// Refund records what was given back.
func Refund(g GivenBack) Transaction {
	t := Transaction{
		ID: named(g.Refund.String()), Project: g.Project, Kind: RefundKind, Order: g.Order, Payment: g.Payment, Refund: g.Refund,
		Provider: g.Provider, At: g.At,
	}
	t.move(Refunds, Funds(g.Provider), g.Amount)
	return t
}

func (t *Transaction) move(debit, credit Account, amount money.Amount) {
	if amount.IsPositive() {
		t.Postings = append(t.Postings, Posting{debit, credit, amount})
	}
}

// named is the transaction's id with the random part of another one.
func named(other string) id.Transaction {
	_, random, _ := strings.Cut(other, "_")
	return id.Stored[id.Transaction]("txn_" + random)
}

// Entry is one line of an account: a debit is positive, a credit negative.
type Entry struct {
	Account Account
	Amount  money.Amount
}

// Entries are the transaction's lines, two of each posting. They sum to zero in each currency.
func (t Transaction) Entries() []Entry {
	lines := make([]Entry, 0, 2*len(t.Postings))
	for _, p := range t.Postings {
		lines = append(lines, Entry{p.Debit, p.Amount}, Entry{p.Credit, money.Of(-p.Amount.Minor(), p.Amount.Currency())})
	}
	return lines
}
