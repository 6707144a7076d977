// Package ledger stores the double-entry book. Its rows are written with the orders and refunds that they are about.
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

// Ledger reads the double-entry book.
type Ledger struct{ Store *db.DB }

var _ ports.Ledger = Ledger{}

var (
	transactions = db.NewTable[ledger.Transaction]("ledger_transactions", db.Columns{"Postings": "-"})
	postings     = db.NewTable[postingRow]("ledger_postings")

	insertTransaction = transactions.Insert()

	// insertPostings is completed by rows.
	insertPostings = "\nINSERT INTO ledger_postings (" + postings.Columns() + ")\nVALUES "

	selectTransactions = "\nSELECT " + transactions.Columns() + fromTransactions

	// postingsOf is completed by the transactions' ids.
	postingsOf = postings.Select() + `
WHERE project_id = $1
  AND transaction_id IN (SELECT id FROM (`
)

// ListedTransactions are the transactions of a project.
var ListedTransactions = db.Listing{
	Columns: transactions.Columns(),
	From:    fromTransactions,
	Newest: db.Newest{
		Time: "at",
		ID:   "id",
	},
}

const (
	fromTransactions = `
FROM ledger_transactions
WHERE project_id = $1`

	inPosition = `) AS listed)
ORDER BY transaction_id, position`

	// Postings of a funds account are distinguished by their other side.
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

// RecordTransaction returns the effects that write a transaction, none for one that moves nothing. The postings come
// first: SQLite checks them when the transaction is written.
func RecordTransaction(t ledger.Transaction) []db.Effect {
	if len(t.Postings) == 0 {
		return nil
	}
	var args db.Args
	rows := make([]string, len(t.Postings))
	for i, p := range t.Postings {
		rows[i] = args.Row(postings.Args(postingRow{t.Project, t.ID, i, p})...)
	}
	return []db.Effect{
		{
			Statement: insertPostings + strings.Join(rows, ", "),
			Args:      args,
			Rows:      db.AnyRows,
		},
		{
			Statement: insertTransaction,
			Args:      transactions.Args(t),
			Rows:      db.AnyRows,
		},
	}
}

type postingRow struct {
	Project     id.Project
	Transaction id.Transaction
	Position    int
	ledger.Posting
}

func transactionsWhere(project id.Project, f ports.TransactionFilter) db.Conditions {
	w := db.Conditions{Args: db.Args{project}}
	w.Is("kind", f.Kind)
	w.Equal("order_id", f.Order)
	w.During("at", f.From, f.To)
	return w
}

func (v Ledger) Transactions(ctx context.Context, project id.Project, f ports.TransactionFilter, page ports.Page) ([]ledger.Transaction, int, error) {
	w := transactionsWhere(project, f)
	var total int
	b := v.Store.Read(project)
	db.Count(b, &total, fromTransactions, w, page)
	end := ListedTransactions.Page(&w, page)
	list, err := v.read(ctx, b, w.Text+end, w.Args)
	return db.InListOrder(list, page), total, err
}

// read adds to a batch the selected transactions with their postings.
func (v Ledger) read(ctx context.Context, b *db.Batch, which string, args db.Args) ([]ledger.Transaction, error) {
	var list []ledger.Transaction
	var lines []postingRow
	b.Query(&list, selectTransactions+which, args...)
	b.Query(&lines, postingsOf+selectTransactions+which+inPosition, args...)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	of := make(map[id.Transaction][]ledger.Posting, len(list))
	for _, p := range lines {
		of[p.Transaction] = append(of[p.Transaction], p.Posting)
	}
	for i := range list {
		list[i].Postings = of[list[i].ID]
	}
	return list, nil
}

func (v Ledger) TransactionByID(ctx context.Context, project id.Project, of id.Transaction) (*ledger.Transaction, error) {
	list, err := v.read(ctx, v.Store.Read(project), "\n  AND id = $2", db.Args{project, of})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fault.Missing("transaction")
	}
	return &list[0], nil
}

func (v Ledger) EachTransaction(ctx context.Context, project id.Project, f ports.TransactionFilter, each func(ledger.Transaction) error) error {
	return db.Each(func(last *ledger.Transaction) ([]ledger.Transaction, error) {
		w, page := transactionsWhere(project, f), ports.Page{Limit: db.Listed}
		if last != nil {
			page.After = &ports.Place{At: last.At, ID: last.ID.String()}
		}
		end := ListedTransactions.Page(&w, page)
		return v.read(ctx, v.Store.Read(project), w.Text+end, w.Args)
	}, each)
}

func (v Ledger) Wallets(ctx context.Context, project id.Project) ([]ports.Wallet, error) {
	type line struct {
		Account, Other ledger.Account
		Added          money.Amount
	}
	lines, err := db.All[line](ctx, v.Store.Read(project), selectWallets, project)
	var wallets []ports.Wallet
	for _, l := range lines {
		provider, _ := l.Account.Provider()
		c := l.Added.Currency()
		if n := len(wallets); n == 0 || wallets[n-1].Provider != provider || wallets[n-1].Balance.Currency() != c {
			wallets = append(wallets, emptyWallet(provider, c))
		}
		addToWallet(&wallets[len(wallets)-1], l.Other, l.Added.Minor())
	}
	return wallets, err
}

func emptyWallet(provider string, c money.Currency) ports.Wallet {
	none := money.Zero(c)
	return ports.Wallet{
		Provider: provider,
		Balance:  none,
		Received: none,
		Refunded: none,
		Disputed: none,
		Fees:     none,
		PaidOut:  none,
		Orphaned: none,
		Adjusted: none,
	}
}

// addToWallet adds the sum of the postings between the wallet and another account to the wallet.
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
