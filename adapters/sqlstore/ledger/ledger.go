// Package ledger keeps the double-entry book. Its rows are written with the orders and refunds that they are about.
package ledger

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// Ledger is the store's view of the double-entry book.
type Ledger struct{ store *db.DB }

var _ ports.Ledger = Ledger{}

// NewLedger returns a view that reads the double-entry book. Orders write it.
func NewLedger(s *db.DB) Ledger { return Ledger{s} }

const (
	insertTransaction = `
INSERT INTO ledger_transactions (project_id, id, kind, order_id, payment_id, refund_id, dispute_id, provider, reference, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

	// insertPostings is completed by rows.
	insertPostings = `
INSERT INTO ledger_postings (project_id, transaction_id, position, debit, credit, currency, amount)
VALUES `

	selectTransactions = `
SELECT project_id, id, kind, order_id, payment_id, refund_id, dispute_id, provider, reference, at
FROM ledger_transactions
WHERE project_id = $1`

	countTransactions = `
SELECT count(*) AS n
FROM ledger_transactions
WHERE project_id = $1`

	// postingsOf is completed by the transactions' ids.
	postingsOf = `
SELECT transaction_id, debit, credit, currency, amount
FROM ledger_postings
WHERE project_id = $1
  AND transaction_id IN (SELECT id FROM (`

	inPosition = `) AS listed)
ORDER BY transaction_id, position`

	newestTransactions = `
ORDER BY at DESC, id DESC`

	// Postings of a funds account are told apart by their other side.
	selectWallets = `
SELECT account, currency, other, CAST(sum(added) AS BIGINT) AS added
FROM (
  SELECT debit AS account, credit AS other, currency, amount AS added
  FROM ledger_postings
  WHERE project_id = $1
    AND debit LIKE 'funds:%'
  UNION ALL
  SELECT credit AS account, debit AS other, currency, -amount AS added
  FROM ledger_postings
  WHERE project_id = $1
    AND credit LIKE 'funds:%'
) AS lines
GROUP BY currency, account, other
ORDER BY currency, account, other`
)

// RecordTransaction are the effects that write a transaction, none for one that moves nothing. The postings come
// first: SQLite checks them when the transaction is written.
func RecordTransaction(t ledger.Transaction) []db.Effect {
	if len(t.Postings) == 0 {
		return nil
	}
	head := []any{
		t.Project.String(), t.ID.String(), t.Kind.String(), t.Order.String(), t.Payment.String(), t.Refund.String(),
		t.Dispute.String(), t.Provider, t.Reference, db.Millis(t.At),
	}
	var args db.Args
	rows := make([]string, len(t.Postings))
	for i, p := range t.Postings {
		rows[i] = args.Row(t.Project.String(), t.ID.String(), i, p.Debit.String(), p.Credit.String(),
			p.Amount.Currency().Code(), p.Amount.Minor())
	}
	return []db.Effect{
		{Statement: insertPostings + strings.Join(rows, ", "), Args: args, Rows: db.AnyRows},
		{Statement: insertTransaction, Args: head, Rows: db.AnyRows},
	}
}

type transactionRow struct {
	ProjectID string `db:"project_id"`
	ID        string
	Kind      string
	OrderID   string `db:"order_id"`
	PaymentID string `db:"payment_id"`
	RefundID  string `db:"refund_id"`
	DisputeID string `db:"dispute_id"`
	Provider  string
	Reference string
	At        int64
}

type postingRow struct {
	TransactionID string `db:"transaction_id"`
	Debit, Credit string
	Currency      string
	Amount        int64
}

func fromTransactionRows(rows []transactionRow, postings []postingRow) ([]ledger.Transaction, error) {
	of := make(map[string][]ledger.Posting, len(rows))
	for _, p := range postings {
		amount, err := db.Amount(p.Amount, p.Currency)
		if err != nil {
			return nil, err
		}
		of[p.TransactionID] = append(of[p.TransactionID], ledger.Posting{
			Debit: ledger.StoredAccount(p.Debit), Credit: ledger.StoredAccount(p.Credit), Amount: amount,
		})
	}
	list := make([]ledger.Transaction, len(rows))
	for i, r := range rows {
		list[i] = ledger.Transaction{
			ID: id.Stored[id.Transaction](r.ID), Project: id.Stored[id.Project](r.ProjectID), Kind: ledger.Kinds[r.Kind],
			Order: id.Stored[id.Order](r.OrderID), Payment: id.Stored[id.Payment](r.PaymentID),
			Refund: id.Stored[id.Refund](r.RefundID), Dispute: id.Stored[id.Dispute](r.DisputeID), Provider: r.Provider,
			Reference: r.Reference, At: db.Time(r.At), Postings: of[r.ID],
		}
	}
	return list, nil
}

func transactionsWhere(project id.Project, f ports.TransactionFilter) db.Conditions {
	w := db.Conditions{Args: db.Args{project.String()}}
	if f.Kind != (ledger.Kind{}) {
		w.And("kind = ", f.Kind.String())
	}
	if !f.Order.IsZero() {
		w.And("order_id = ", f.Order.String())
	}
	w.During("at", f.From, f.To)
	return w
}

func (v Ledger) Transactions(ctx context.Context, project id.Project, f ports.TransactionFilter, page ports.Page) ([]ledger.Transaction, int, error) {
	w := transactionsWhere(project, f)
	var counts []db.CountRow
	b := v.store.Read(project)
	b.Query(&counts, countTransactions+w.Text, w.Args...)
	end := newestTransactions + w.Args.Page(page)
	list, err := v.read(ctx, b, w.Text+end, w.Args)
	if err != nil {
		return nil, 0, err
	}
	return list, counts[0].N, nil
}

// read completes a batch by the transactions that a condition and its end leave, with their postings.
func (v Ledger) read(ctx context.Context, b *db.Batch, which string, args db.Args) ([]ledger.Transaction, error) {
	var rows []transactionRow
	var postings []postingRow
	b.Query(&rows, selectTransactions+which, args...)
	b.Query(&postings, postingsOf+selectTransactions+which+inPosition, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return fromTransactionRows(rows, postings)
}

func (v Ledger) TransactionByID(ctx context.Context, project id.Project, of id.Transaction) (*ledger.Transaction, error) {
	list, err := v.read(ctx, v.store.Read(project), "\n  AND id = $2", db.Args{project.String(), of.String()})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.Missing("transaction")
	}
	return &list[0], nil
}

func (v Ledger) EachTransaction(ctx context.Context, project id.Project, f ports.TransactionFilter, each func(ledger.Transaction) error) error {
	var last ledger.Transaction
	return db.InParts(func() (int, error) {
		w := transactionsWhere(project, f)
		if !last.ID.IsZero() {
			w.After("at", "id", db.Millis(last.At), last.ID.String())
		}
		end := newestTransactions + w.Args.Page(ports.Page{Limit: db.Listed})
		list, err := v.read(ctx, v.store.Read(project), w.Text+end, w.Args)
		if err != nil {
			return 0, err
		}
		for _, t := range list {
			if err := each(t); err != nil {
				return 0, err
			}
			last = t
		}
		return len(list), nil
	})
}

func (v Ledger) Wallets(ctx context.Context, project id.Project) ([]ports.Wallet, error) {
	var rows []struct {
		Account, Currency, Other string
		Added                    int64
	}
	b := v.store.Read(project)
	b.Query(&rows, selectWallets, project.String())
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	var wallets []ports.Wallet
	for _, r := range rows {
		c, err := db.Currency(r.Currency)
		if err != nil {
			return nil, err
		}
		provider, _ := ledger.StoredAccount(r.Account).Provider()
		if n := len(wallets); n == 0 || wallets[n-1].Provider != provider || wallets[n-1].Balance.Currency() != c {
			wallets = append(wallets, emptyWallet(provider, c))
		}
		addToWallet(&wallets[len(wallets)-1], ledger.StoredAccount(r.Other), r.Added)
	}
	return wallets, nil
}

func emptyWallet(provider string, c money.Currency) ports.Wallet {
	none := money.Zero(c)
	return ports.Wallet{
		Provider: provider, Balance: none, Received: none, Refunded: none, Disputed: none, Fees: none, PaidOut: none,
		Orphaned: none, Adjusted: none,
	}
}

// addToWallet books what postings between the wallet and another account added to the wallet.
func addToWallet(w *ports.Wallet, other ledger.Account, minor int64) {
	add := func(to *money.Amount, minor int64) { *to = money.Of(to.Minor()+minor, to.Currency()) }
	add(&w.Balance, minor)
	switch other {
	case ledger.Refunds:
		add(&w.Refunded, -minor)
	case ledger.Disputes:
		add(&w.Disputed, -minor)
	case ledger.Fees:
		add(&w.Fees, -minor)
	case ledger.Bank:
		add(&w.PaidOut, -minor)
	case ledger.Orphans:
		add(&w.Orphaned, minor)
	case ledger.Adjustments:
		add(&w.Adjusted, minor)
	default: // sales, shipping and tax
		add(&w.Received, minor)
	}
}

const TransactionBooked = `
SELECT count(*) AS n
FROM ledger_transactions
WHERE project_id = $1
  AND provider = $2
  AND reference = $3
  AND kind = $4`
