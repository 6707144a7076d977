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

// Sale completes the record of what was paid for an order. Parts that are zero are left out.
func Sale(t Transaction, subtotal, shipping, tax money.Amount) Transaction {
	t.ID, t.Kind = named(t.Payment.String()), SaleKind
	t.move(Funds(t.Provider), Sales, subtotal)
	t.move(Funds(t.Provider), Shipping, shipping)
	t.move(Funds(t.Provider), Tax, tax)
	return t
}

// Refund completes the record of what was given back.
func Refund(t Transaction, amount money.Amount) Transaction {
	t.ID, t.Kind = named(t.Refund.String()), RefundKind
	t.move(Refunds, Funds(t.Provider), amount)
	return t
}

// Reversal completes the record that a refund failed after it had succeeded: the provider holds the money again.
func Reversal(t Transaction, amount money.Amount) Transaction {
	t.Kind = ReversalKind
	t.move(Funds(t.Provider), Refunds, amount)
	return t
}

// Dispute completes the record of a step of a dispute, of which the first is 1: what the provider has withdrawn and
// charged since the step before, or put back where it is negative. A step that changes nothing has no postings, and is
// not stored.
func Dispute(t Transaction, step int, withdrawn, fee money.Amount) Transaction {
	t.Kind, t.Reference = DisputeKind, strconv.Itoa(step)
	t.change(Disputes, negative(withdrawn))
	t.change(Fees, negative(fee))
	return t
}

// changed are the other accounts of what providers change that is no sale, refund or dispute. A fee is what a provider
// charged, or paid back of it; that of a dispute is in the dispute's own transactions. A payout was sent to the
// merchant's bank account, or returned from it. The reference of an orphan is the provider's id of the charge, that of
// its refund and of the refund's reversal the provider's id of the refund or, if that is not known, of the charge.
var changed = map[Kind]Account{
	FeeKind:            Fees,
	PayoutKind:         Bank,
	AdjustmentKind:     Adjustments,
	OrphanKind:         Orphans,
	OrphanRefundKind:   Orphans,
	OrphanReversalKind: Orphans,
}

// Change completes the record of a change of what the provider holds, of one of the kinds above. amount is signed: a
// fee, a payout and the refund of an orphan are negative. The id is a new one: the reference tells repeats.
func Change(kind Kind, t Transaction, amount money.Amount) Transaction {
	t.Kind = kind
	t.change(changed[kind], amount)
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
