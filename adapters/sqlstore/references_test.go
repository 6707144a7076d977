package sqlstore_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// Statements that write rows about the one order of SoldOnce.
var (
	aCheckout = `INSERT INTO checkouts (project_id, id, ` + checkoutRest + `)
SELECT project_id, 'chk_2', ` + checkoutRest + ` FROM checkouts WHERE status = 'completed'`

	checkoutRest = `session_id, status, lines, address, options, selected, currency,
  subtotal, tax, savings, attempt, declines, lease_until, retry_at, payment, taken, created_at, valid_until, claimed_at, queue`

	anOrder = `INSERT INTO orders (project_id, id, checkout_id, session_id, confirmation, status, lines, address, email, notes, currency,
  subtotal, shipping, tax, savings, total, fulfillment, fulfillment_status, created_at)
SELECT project_id, 'ord_2', 'chk_2', session_id, 'HG-2', status, lines, address, email, notes, currency,
  subtotal, shipping, tax, savings, total, fulfillment, fulfillment_status, created_at FROM orders`

	aPayment = `INSERT INTO payments (project_id, id, order_id, status, currency, amount, method, label, gateway, integration_id, provider,
  refunded, refunding, created_at)
SELECT project_id, 'pay_2', 'ord_2', 'succeeded', currency, 100, method, label, gateway, '', '', 0, 0, 0 FROM payments`

	aRefund = `INSERT INTO refunds (project_id, id, order_id, payment_id, return_id, status, currency, amount, reason, failure, provider,
  created_at, updated_at, attempts)
SELECT project_id, 'ref_1', order_id, id, '', 'succeeded', currency, 5, '', '', '', 0, 0, 0 FROM payments WHERE id <> 'pay_2'`

	aReturn = `INSERT INTO returns (project_id, id, order_id, status, items, comment, currency, estimate, instructions, created_at, refund_id,
  reason, restocked) SELECT project_id, 'ret_1', id, 'requested', '[]', '', currency, 0, '', 0, '', '', '[]' FROM orders`

	aDispute = `INSERT INTO disputes (project_id, id, order_id, payment_id, gateway, provider, status, reason, currency, amount,
  withdrawn_currency, withdrawn, fee_currency, fee, steps, reported_at, created_at, updated_at)
SELECT project_id, 'dis_1', order_id, id, gateway, 'dp_1', 'open', '', currency, 7, currency, 7, currency, 2, 1, 0, 0, 0 FROM payments WHERE id <> 'pay_2'`

	anOrphan = `INSERT INTO orphan_charges (project_id, id, checkout_id, attempt, provider, integration_id, charge, currency, amount, status,
  failure, refund, detected_at, updated_at, attempts, due_at)
SELECT project_id, 'orphan-1', id, 1, 'sandbox', '', 'ch_x', currency, 9, 'detected', '', '', 0, 0, 0, 0
FROM checkouts WHERE status = 'completed' AND id <> 'chk_2'`
)

// posting moves an amount, in a transaction txn_1.
func posting(position, debit, credit, amount string) string {
	return `INSERT INTO ledger_postings (project_id, transaction_id, position, debit, credit, currency, amount)
SELECT project_id, 'txn_1', ` + position + `, '` + debit + `', '` + credit + `', currency, ` + amount + ` FROM orders WHERE id <> 'ord_2'`
}

// entry is the transaction txn_1, with a payment of the order, and what else it names.
func entry(kind, payment, refund, dispute, reference string) string {
	order := "id"
	if payment == "" {
		order = "''"
	} else if payment == "'pay_2'" {
		order = "'ord_2'"
	}
	if payment == "" {
		payment = "''"
	}
	return `INSERT INTO ledger_transactions (project_id, id, kind, order_id, payment_id, refund_id, dispute_id, provider, reference, at)
SELECT project_id, 'txn_1', '` + kind + `', ` + order + `, ` + payment + `, '` + refund + `', '` + dispute + `', 'sandbox', '` + reference + `', 0
FROM orders AS o WHERE id <> 'ord_2'`
}

const itsPayment = "(SELECT p.id FROM payments AS p WHERE p.project_id = o.project_id AND p.order_id = o.id)"

// written runs statements in one transaction.
func written(ctx context.Context, s *storetest.Store, statements ...string) error {
	return s.DB.InTx(ctx, db.AnyProject, func(t *db.Tx) error {
		for _, statement := range oneInsert(statements) {
			if _, err := t.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// The foreign keys between rows about money, each violated from both of its ends.
func TestMigrations_moneyReferences(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.SoldOnce(t, s)
		sale := []string{posting("0", "funds:sandbox", "sales", "100"), entry("sale", "'pay_2'", "", "", "")}
		for name, tries := range map[string][][]string{
			"orders_checkout_fkey": {
				{anOrder},
				{"UPDATE orders SET checkout_id = 'chk_3'"},
				{"DELETE FROM checkouts WHERE status = 'completed'"},
				{"UPDATE checkouts SET id = 'chk_3' WHERE status = 'completed'"},
			},
			"payments_order_fkey": {
				{aPayment},
				{"UPDATE payments SET order_id = 'ord_3'"},
				{"DELETE FROM orders"},
				{"UPDATE orders SET id = 'ord_3'"},
			},
			"refunds_payment_fkey": {
				{strings.Replace(aRefund, "order_id, id, ''", "order_id, 'pay_3', ''", 1)},
				{aRefund, "UPDATE refunds SET payment_id = 'pay_3'"},
				{aCheckout, anOrder, aPayment, aRefund, "UPDATE refunds SET payment_id = 'pay_2'", "DELETE FROM payments WHERE id = 'pay_2'"},
			},
			"returns_order_fkey": {
				{strings.Replace(aReturn, "'ret_1', id", "'ret_1', 'ord_3'", 1)},
				{aReturn, "UPDATE returns SET order_id = 'ord_3'"},
				{aCheckout, anOrder, aReturn + " WHERE id = 'ord_2'", "DELETE FROM orders WHERE id = 'ord_2'"},
			},
			"disputes_order_fkey": {
				{strings.Replace(aDispute, "'dis_1', order_id", "'dis_1', 'ord_3'", 1)},
				{aDispute, "UPDATE disputes SET order_id = 'ord_3'"},
				{aCheckout, anOrder, aDispute, "UPDATE disputes SET order_id = 'ord_2'", "DELETE FROM orders WHERE id = 'ord_2'"},
			},
			"disputes_payment_fkey": {
				{strings.Replace(aDispute, "order_id, id, gateway", "order_id, 'pay_3', gateway", 1)},
				{aDispute, "UPDATE disputes SET payment_id = 'pay_3'"},
				{aCheckout, anOrder, aPayment, aDispute, "UPDATE disputes SET payment_id = 'pay_2'", "DELETE FROM payments WHERE id = 'pay_2'"},
			},
			"orphan_charges_checkout_fkey": {
				{strings.Replace(anOrphan, "'orphan-1', id", "'orphan-1', 'chk_3'", 1)},
				{anOrphan, "UPDATE orphan_charges SET checkout_id = 'chk_3'"},
				{aCheckout, anOrphan, "UPDATE orphan_charges SET checkout_id = 'chk_2'", "DELETE FROM checkouts WHERE id = 'chk_2'"},
			},
			"ledger_postings_transaction_fkey": {sale[:1]},
			"ledger_transactions_payments": {
				append([]string{aCheckout, anOrder, aPayment}, append(sale, "DELETE FROM payments WHERE id = 'pay_2'")...),
				append([]string{aCheckout, anOrder, aPayment}, append(sale, "UPDATE payments SET id = 'pay_3' WHERE id = 'pay_2'")...),
			},
			"ledger_transactions_refunds": {{
				aRefund, posting("0", "refunds", "funds:sandbox", "5"), entry("refund", itsPayment, "ref_1", "", ""), "DELETE FROM refunds",
			}},
			"ledger_transactions_disputes": {{
				aDispute, posting("0", "disputes", "funds:sandbox", "7"), posting("1", "fees", "funds:sandbox", "2"),
				entry("dispute", itsPayment, "", "dis_1", "1"), "DELETE FROM disputes",
			}},
		} {
			want := name
			if name == "ledger_postings_transaction_fkey" && !s.DB.Dialect.OneTrip {
				want = "FOREIGN KEY constraint failed" // SQLite does not say which
			}
			for _, statements := range tries {
				if err := written(t.Context(), s, statements...); db.Violated(err) != want {
					t.Errorf("%s: broke %q, want %q: %v", statements[len(statements)-1], db.Violated(err), want, err)
				}
			}
		}
	})
}

// oneInsert joins postings that follow each other: those of a transaction are written at once.
func oneInsert(statements []string) []string {
	var joined []string
	for _, statement := range statements {
		n := len(joined)
		if into, rows, found := strings.Cut(statement, ")\nSELECT"); found && strings.Contains(into, "ledger_postings") &&
			n > 0 && strings.Contains(joined[n-1], "ledger_postings") {
			joined[n-1] += " UNION ALL SELECT" + rows
			continue
		}
		joined = append(joined, statement)
	}
	return joined
}

// Each transaction of the ledger has postings, in one currency, that sum to what it records. A transaction that adds
// up commits, so each of those that do not is refused for what it says.
func TestMigrations_ledgerTransactionsBalance(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.SoldOnce(t, s)
		const balance, complete, undo = "ledger_transactions_balance", "ledger_postings_complete", "undone by the test"
		for name, test := range map[string]struct {
			want       string
			statements []string
		}{
			"sale":                    {undo, []string{aCheckout, anOrder, aPayment, posting("0", "funds:sandbox", "sales", "60"), posting("1", "funds:sandbox", "tax", "40"), entry("sale", "'pay_2'", "", "", "")}},
			"sale without postings":   {balance, []string{aCheckout, anOrder, aPayment, entry("sale", "'pay_2'", "", "", "")}},
			"sale of too little":      {balance, []string{aCheckout, anOrder, aPayment, posting("0", "funds:sandbox", "sales", "99"), entry("sale", "'pay_2'", "", "", "")}},
			"sale turned round":       {balance, []string{aCheckout, anOrder, aPayment, posting("0", "sales", "funds:sandbox", "100"), entry("sale", "'pay_2'", "", "", "")}},
			"sale in other currency":  {balance, []string{aCheckout, anOrder, aPayment, strings.Replace(posting("0", "funds:sandbox", "sales", "100"), "currency, 100", "'JPY', 100", 1), entry("sale", "'pay_2'", "", "", "")}},
			"sale beside the wallet":  {balance, []string{aCheckout, anOrder, aPayment, posting("0", "funds:sandbox", "sales", "100"), posting("1", "sales", "tax", "1"), entry("sale", "'pay_2'", "", "", "")}},
			"sale of a wrong payment": {balance, []string{aCheckout, anOrder, aPayment, posting("0", "funds:sandbox", "sales", "100"), entry("sale", "'pay_3'", "", "", "")}},
			"late posting":            {complete, []string{strings.Replace(posting("7", "funds:sandbox", "sales", "1"), "'txn_1'", "(SELECT id FROM ledger_transactions)", 1)}},
			"refund":                  {undo, []string{aRefund, posting("0", "refunds", "funds:sandbox", "5"), entry("refund", itsPayment, "ref_1", "", "")}},
			"refund of too much":      {balance, []string{aRefund, posting("0", "refunds", "funds:sandbox", "6"), entry("refund", itsPayment, "ref_1", "", "")}},
			"refund of none":          {balance, []string{posting("0", "refunds", "funds:sandbox", "5"), entry("refund", itsPayment, "ref_1", "", "")}},
			"reversal":                {undo, []string{aRefund, posting("0", "funds:sandbox", "refunds", "5"), entry("refund_reversal", itsPayment, "ref_1", "", "")}},
			"reversal turned round":   {balance, []string{aRefund, posting("0", "refunds", "funds:sandbox", "5"), entry("refund_reversal", itsPayment, "ref_1", "", "")}},
			"dispute":                 {undo, []string{aDispute, posting("0", "disputes", "funds:sandbox", "7"), posting("1", "fees", "funds:sandbox", "2"), entry("dispute", itsPayment, "", "dis_1", "1")}},
			"dispute without its fee": {balance, []string{aDispute, posting("0", "disputes", "funds:sandbox", "7"), entry("dispute", itsPayment, "", "dis_1", "1")}},
			"dispute of none":         {balance, []string{posting("0", "disputes", "funds:sandbox", "7"), entry("dispute", itsPayment, "", "dis_1", "1")}},
			"orphan":                  {undo, []string{anOrphan, posting("0", "funds:sandbox", "orphans", "9"), entry("orphan", "", "", "", "ch_x")}},
			"orphan of too little":    {balance, []string{anOrphan, posting("0", "funds:sandbox", "orphans", "8"), entry("orphan", "", "", "", "ch_x")}},
			"orphan's refund":         {undo, []string{anOrphan, posting("0", "orphans", "funds:sandbox", "9"), entry("orphan_refund", "", "", "", "ch_x")}},
			"orphan's reversal":       {undo, []string{anOrphan, posting("0", "funds:sandbox", "orphans", "9"), entry("orphan_reversal", "", "", "", "ch_x")}},
			"reversal of another":     {balance, []string{anOrphan, posting("0", "funds:sandbox", "orphans", "9"), entry("orphan_reversal", "", "", "", "re_x")}},
			"reversal that is less":   {balance, []string{anOrphan, posting("0", "funds:sandbox", "orphans", "8"), entry("orphan_reversal", "", "", "", "ch_x")}},
			"orphan of none":          {balance, []string{posting("0", "funds:sandbox", "orphans", "9"), entry("orphan", "", "", "", "ch_x")}},
			"fee":                     {undo, []string{posting("0", "fees", "funds:sandbox", "3"), entry("fee", "", "", "", "fee_1")}},
			"fee of another provider": {balance, []string{posting("0", "fees", "funds:stripe", "3"), entry("fee", "", "", "", "fee_1")}},
			"fee of no payment":       {balance, []string{posting("0", "fees", "funds:sandbox", "3"), entry("fee", "'pay_3'", "", "", "fee_1")}},
		} {
			err := checkedAndUndone(t, s, test.statements)
			if got := db.Violated(err); err == nil && test.want != undo || err != nil && got != test.want {
				t.Errorf("%s: broke %q, want %q: %v", name, got, test.want, err)
			}
		}
	})
}

// checkedAndUndone runs statements and the checks that COMMIT would make, and rolls back.
func checkedAndUndone(t *testing.T, s *storetest.Store, statements []string) error {
	t.Helper()
	var failed error
	storetest.As(t, s, s.DB.Dialect.Begin(db.AnyProject), func(conn *sqlx.Conn) {
		statements = oneInsert(statements)
		if s.DB.Dialect.OneTrip {
			statements = append(statements, "SET CONSTRAINTS ALL IMMEDIATE")
		}
		for _, statement := range statements {
			if _, failed = conn.ExecContext(t.Context(), statement); failed != nil {
				return
			}
		}
	})
	return failed
}

// A refund is reversed once. A movement without a row of its own is booked once for its id at the provider.
func TestMigrations_ledgerTransactionsUnique(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.SoldOnce(t, s)
		another := func(statement string) string { return strings.ReplaceAll(statement, "txn_1", "txn_2") }
		reversal := []string{posting("0", "funds:sandbox", "refunds", "5"), entry("refund_reversal", itsPayment, "ref_1", "", "")}
		fee := []string{posting("0", "fees", "funds:sandbox", "3"), entry("fee", "", "", "", "ref")}
		step := []string{aDispute, posting("0", "disputes", "funds:sandbox", "7"), posting("1", "fees", "funds:sandbox", "2"), entry("dispute", itsPayment, "", "dis_1", "1")}
		for index, test := range map[string]struct {
			columns string
			before  []string
			again   []string
		}{
			"ledger_transactions_reversal": {
				"ledger_transactions.project_id, ledger_transactions.refund_id",
				append([]string{aRefund}, reversal...), []string{another(reversal[0]), another(reversal[1])},
			},
			"ledger_transactions_reference": {
				"ledger_transactions.project_id, ledger_transactions.provider, ledger_transactions.reference, ledger_transactions.kind",
				fee, []string{another(fee[0]), another(fee[1])},
			},
			"ledger_transactions_dispute": {
				"ledger_transactions.project_id, ledger_transactions.dispute_id, ledger_transactions.reference",
				step, []string{another(step[1]), another(step[3])},
			},
		} {
			want := index
			if !s.DB.Dialect.OneTrip {
				want = test.columns
			}
			if err := checkedAndUndone(t, s, test.before); err != nil {
				t.Errorf("%s: once: %v", index, err)
			}
			if err := checkedAndUndone(t, s, slices.Concat(test.before, test.again)); db.Violated(err) != want {
				t.Errorf("%s: twice: broke %q, want %q: %v", index, db.Violated(err), want, err)
			}
		}
	})
}

// The trigger checks a posting's transaction in the posting's own project, even if the database transaction has moved
// on to another project.
func TestMigrations_balanceInAnotherProject(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.SoldOnce(t, s)
		other := storetest.StoreProject(t, s, 7)
		err := s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
			for _, statement := range []string{
				posting("0", "fees", "funds:sandbox", "3"), entry("fee", itsPayment, "", "", "fee_1"), strings.TrimPrefix(s.DB.Dialect.InProject(other.ID), "; "),
			} {
				if statement == "" {
					continue
				}
				if _, err := x.Exec(t.Context(), statement); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
