// Package ledger is the merchant's double-entry ledger. It balances by construction: a posting moves a positive amount
// from one account to another, and only this package can name accounts. It stores nothing and moves no money.
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

// Account is an account of the ledger. The zero Account is none.
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
	// Adjustments is the other account of changes that a provider makes for its own reasons.
	Adjustments = Account{"adjustments"}
)

const fundsPrefix = "funds:"

// Funds returns the account of the money that a provider holds for the merchant: "funds:stripe".
func Funds(provider string) Account { return Account{fundsPrefix + provider} }

func (a Account) String() string { return a.name }

// Provider returns the provider of a funds account, and reports whether the account is one.
func (a Account) Provider() (string, bool) { return strings.CutPrefix(a.name, fundsPrefix) }

// StoredAccount returns a stored account without validating it.
func StoredAccount(name string) Account { return Account{name} }

// Kind is what a transaction records.
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
	// OrphanReversalKind records that the refund of an orphan failed after it had succeeded.
	OrphanReversalKind = Kind{"orphan_reversal"}
)

func (k Kind) String() string { return k.name }

// Kinds are all kinds by name.
var Kinds = map[string]Kind{
	"sale": SaleKind, "refund": RefundKind, "refund_reversal": ReversalKind, "dispute": DisputeKind, "fee": FeeKind,
	"payout": PayoutKind, "adjustment": AdjustmentKind, "orphan": OrphanKind, "orphan_refund": OrphanRefundKind,
	"orphan_reversal": OrphanReversalKind,
}

// Posting moves a positive amount from Credit to Debit.
type Posting struct {
	Debit, Credit Account
	Amount        money.Amount
}

// Transaction is the effect of one event on the accounts. The ID of a sale has the random part of its payment's ID, and
// the ID of a refund that of its refund's, so that recording it twice gives one transaction.
type Transaction struct {
	ID       id.Transaction
	Project  id.Project
	Kind     Kind
	Order    id.Order   // zero: of no order
	Payment  id.Payment // zero if Order is
	Refund   id.Refund  // of a refund and its reversal
	Dispute  id.Dispute // of a dispute
	Provider string     // who moved the money: stripe
	// Reference is the provider's id of a fee, payout, adjustment or orphan, the number of a step of a dispute,
	// and empty in other kinds.
	Reference string
	At        time.Time
	Postings  []Posting
}

// Sale completes the record of a payment for an order. Zero parts are left out.
func Sale(t Transaction, subtotal, shipping, tax money.Amount) Transaction {
	t.ID, t.Kind = named(t.Payment.String()), SaleKind
	t.move(Funds(t.Provider), Sales, subtotal)
	t.move(Funds(t.Provider), Shipping, shipping)
	t.move(Funds(t.Provider), Tax, tax)
	return t
}

// Refund completes the record of a refund.
func Refund(t Transaction, amount money.Amount) Transaction {
	t.ID, t.Kind = named(t.Refund.String()), RefundKind
	t.move(Refunds, Funds(t.Provider), amount)
	return t
}

// Reversal completes the record that a refund failed after it had succeeded, so that the provider holds the money
// again.
func Reversal(t Transaction, amount money.Amount) Transaction {
	t.Kind = ReversalKind
	t.move(Funds(t.Provider), Refunds, amount)
	return t
}

// Dispute completes the record of a step of a dispute, counted from 1: what the provider has withdrawn and charged
// since the previous step, or put back if negative. A step that changes nothing has no postings and is not stored.
func Dispute(t Transaction, step int, withdrawn, fee money.Amount) Transaction {
	t.Kind, t.Reference = DisputeKind, strconv.Itoa(step)
	t.change(Disputes, negative(withdrawn))
	t.change(Fees, negative(fee))
	return t
}

// changed has the other account of changes that are not a sale, refund or dispute. A fee was charged by the provider,
// or paid back; fees of a dispute are in the dispute's own transactions. A payout was sent to the merchant's bank
// account, or returned from it. The reference of an orphan is the provider's ID of the charge. The reference of its
// refund and of the refund's reversal is the provider's ID of the refund or, if that is not known, of the charge.
var changed = map[Kind]Account{
	FeeKind:            Fees,
	PayoutKind:         Bank,
	AdjustmentKind:     Adjustments,
	OrphanKind:         Orphans,
	OrphanRefundKind:   Orphans,
	OrphanReversalKind: Orphans,
}

// Change completes the record of a change of the money that the provider holds, of one of the kinds in changed. amount
// is signed: a fee, a payout and the refund of an orphan are negative. The ID is new, because the reference identifies
// repeats.
func Change(kind Kind, t Transaction, amount money.Amount) Transaction {
	t.Kind = kind
	t.change(changed[kind], amount)
	return t
}

// change adds a signed amount to the provider's funds and subtracts it from the other account.
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

// named returns the transaction ID that has the random part of another ID.
func named(other string) id.Transaction {
	_, random, _ := strings.Cut(other, "_")
	return id.Stored[id.Transaction]("txn_" + random)
}

// Entry is one line of an account. A debit is positive, a credit negative.
type Entry struct {
	Account Account
	Amount  money.Amount
}

// Entries returns the transaction's lines, two per posting. They sum to zero in each currency.
func (t Transaction) Entries() []Entry {
	lines := make([]Entry, 0, 2*len(t.Postings))
	for _, p := range t.Postings {
		lines = append(lines, Entry{p.Debit, p.Amount}, Entry{p.Credit, negative(p.Amount)})
	}
	return lines
}
