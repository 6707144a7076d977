// Package ledger is the merchant's double-entry book. What it holds balances by construction: a posting
// moves a positive amount from one account to another, and only this package can name accounts.
//
//	sale             what the provider holds ◀── sales, shipping, tax
//	refund           what the provider holds ──▶ refunds
//	refund_reversal  what the provider holds ◀── refunds: one that had succeeded failed later
//	dispute          what the provider holds ──▶ disputes, fees; and back, as far as it was won
//	fee              what the provider holds ──▶ fees
//	payout           what the provider holds ──▶ bank
//	adjustment       what the provider holds ◀─▶ adjustments: what has no kind of its own
//	orphan           what the provider holds ◀── orphans: money taken without an order, owed to a buyer
//	orphan_refund    what the provider holds ──▶ orphans
//	orphan_reversal  what the provider holds ◀── orphans: the refund failed after it had succeeded
//
// A fee, a payout, an adjustment, an orphan and its refunds are recorded once for each id of the provider: the
// transaction's Reference, unique per project, provider and kind in the store. They need no order.
package ledger

import (
	"strconv"
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
	Disputes = Account{"disputes"} // withdrawn for disputes
	Fees     = Account{"fees"}     // of providers
	Bank     = Account{"bank"}     // paid out to the merchant's bank account
	Orphans  = Account{"orphans"}  // taken without an order, and owed to buyers
	// Adjustments is the other side of what a provider changed for reasons of its own.
	Adjustments = Account{"adjustments"}
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
	SaleKind         = Kind{"sale"}
	RefundKind       = Kind{"refund"}
	ReversalKind     = Kind{"refund_reversal"}
	DisputeKind      = Kind{"dispute"}
	FeeKind          = Kind{"fee"}
	PayoutKind       = Kind{"payout"}
	AdjustmentKind   = Kind{"adjustment"}
	OrphanKind       = Kind{"orphan"}
	OrphanRefundKind = Kind{"orphan_refund"}
	// OrphanReversalKind: the refund of an orphan failed after it had succeeded.
	OrphanReversalKind = Kind{"orphan_reversal"}
)

func (k Kind) String() string { return k.name }

// Kinds are all of them, by name.
var Kinds = map[string]Kind{
	"sale": SaleKind, "refund": RefundKind, "refund_reversal": ReversalKind, "dispute": DisputeKind, "fee": FeeKind,
	"payout": PayoutKind, "adjustment": AdjustmentKind, "orphan": OrphanKind, "orphan_refund": OrphanRefundKind,
	"orphan_reversal": OrphanReversalKind,
}

// Posting moves a positive amount: it is added to what Debit holds and taken from what Credit holds.
type Posting struct {
	Debit, Credit Account
	Amount        money.Amount
}

// Transaction is what one event did to the accounts. The id of a sale has the random part of its payment's,
// that of a refund of its refund's, so that recording it twice is one transaction.
type Transaction struct {
	ID       id.Transaction
	Project  id.Project
	Kind     Kind
	Order    id.Order   // zero in what belongs to no order
	Payment  id.Payment // zero when the order is
	Refund   id.Refund  // of a refund and its reversal
	Dispute  id.Dispute // of a dispute
	Provider string     // who moved the money: stripe
	// Reference is the provider's id of a fee, payout, adjustment or orphan, the number of a step of a dispute,
	// and empty in other kinds.
	Reference string
	At        time.Time
	Postings  []Posting
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

// Reversal records that a refund failed after it had succeeded: the provider holds the money again.
func Reversal(entry id.Transaction, g GivenBack) Transaction {
	t := Transaction{
		ID: entry, Project: g.Project, Kind: ReversalKind, Order: g.Order, Payment: g.Payment, Refund: g.Refund,
		Provider: g.Provider, At: g.At,
	}
	t.move(Funds(g.Provider), Refunds, g.Amount)
	return t
}

// Disputed is one step of a dispute: what changed since the step before.
type Disputed struct {
	ID        id.Transaction
	Project   id.Project
	Order     id.Order
	Payment   id.Payment
	Dispute   id.Dispute
	Step      int // from 1; the store has each once
	Provider  string
	Withdrawn money.Amount // more taken out of what the provider holds; negative: put back
	Fee       money.Amount // more charged; negative: put back
	At        time.Time
}

// Dispute records a step of a dispute. One that changes nothing has no postings, and is not stored.
func Dispute(d Disputed) Transaction {
	t := Transaction{
		ID: d.ID, Project: d.Project, Kind: DisputeKind, Order: d.Order, Payment: d.Payment, Dispute: d.Dispute,
		Provider: d.Provider, Reference: strconv.Itoa(d.Step), At: d.At,
	}
	t.change(Disputes, negative(d.Withdrawn))
	t.change(Fees, negative(d.Fee))
	return t
}

// Change is a change of what a provider holds that a balance report shows and that is no sale, refund or
// dispute. Order and Payment are those of the charge that it is for, as far as known: both or neither.
type Change struct {
	ID       id.Transaction // a new one: the reference is what tells repeats
	Project  id.Project
	Provider string
	// Reference is the provider's id of the change.
	Reference string
	Order     id.Order
	Payment   id.Payment
	Amount    money.Amount // signed: what is added to what the provider holds, so a fee and a payout are negative
	At        time.Time
}

// Fee records what a provider charged, or paid back of it. The fee of a dispute is in the dispute's own
// transactions.
func Fee(c Change) Transaction { return c.transaction(FeeKind, Fees) }

// Payout records money sent to the merchant's bank account, or returned from it.
func Payout(c Change) Transaction { return c.transaction(PayoutKind, Bank) }

// Adjustment records any other change.
func Adjustment(c Change) Transaction { return c.transaction(AdjustmentKind, Adjustments) }

// Orphan records money that a provider took and that no order is made of. Its reference is the provider's id of
// the charge.
func Orphan(c Change) Transaction { return c.transaction(OrphanKind, Orphans) }

// OrphanRefund records that such money was given back: a negative amount. Its reference is the provider's id of the
// refund or, if that is not known, of the charge.
func OrphanRefund(c Change) Transaction { return c.transaction(OrphanRefundKind, Orphans) }

// OrphanReversal records that such a refund failed after it had succeeded: the money is owed again. Its reference is
// that of the refund.
func OrphanReversal(c Change) Transaction { return c.transaction(OrphanReversalKind, Orphans) }

func (c Change) transaction(kind Kind, other Account) Transaction {
	t := Transaction{
		ID: c.ID, Project: c.Project, Kind: kind, Order: c.Order, Payment: c.Payment, Provider: c.Provider,
		Reference: c.Reference, At: c.At,
	}
	t.change(other, c.Amount)
	return t
}

// change adds a signed amount to what the provider holds, and takes it from the other account.
func (t *Transaction) change(other Account, amount money.Amount) {
	t.move(Funds(t.Provider), other, amount)
	t.move(other, Funds(t.Provider), negative(amount))
}

func negative(a money.Amount) money.Amount { return money.Of(-a.Minor(), a.Currency()) }

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
		lines = append(lines, Entry{p.Debit, p.Amount}, Entry{p.Credit, negative(p.Amount)})
	}
	return lines
}
