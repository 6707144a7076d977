package sqlstore_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// The schema's constraints repeat the domain's rules about money.
func TestMigrations_moneyConstraints(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		sale := porttest.NewSale(t, storetest.Views(s))
		sale.Finalize(sale.Init(sale.Quote()))
		const posting = "INSERT INTO ledger_postings SELECT project_id, 'txn_other', position, "
		const transaction = "INSERT INTO ledger_transactions (project_id, id, kind, order_id, payment_id, refund_id, provider, at) " +
			"SELECT project_id, id || 'x', kind, order_id, payment_id, "
		for constraint, statement := range map[string]string{
			"payments_refunds":         "UPDATE payments SET refunding = amount + 1",
			"payments_disputed":        "UPDATE payments SET disputed = -1",
			"orders_status":            "UPDATE orders SET status = 'lost'",
			"payments_status":          "UPDATE payments SET refunded = 1",
			"orders_canceled":          "UPDATE orders SET status = 'canceled'",
			"ledger_postings_amount":   posting + "debit, credit, currency, 0 FROM ledger_postings",
			"ledger_postings_accounts": posting + "debit, debit, currency, amount FROM ledger_postings",
			"ledger_transactions_sale": transaction + "refund_id, provider, at FROM ledger_transactions",
			"ledger_transactions_kind": transaction + "'ref_1', provider, at FROM ledger_transactions",
		} {
			err := s.DB.InTx(t.Context(), sale.Project(), func(x *db.Tx) error {
				_, err := x.Connection(t.Context()).ExecContext(t.Context(), statement)
				return err
			})
			want := constraint
			if constraint == "ledger_transactions_sale" && !s.DB.Dialect.OneTrip {
				want = "ledger_transactions.project_id, ledger_transactions.payment_id"
			}
			if db.Violated(err) != want {
				t.Errorf("%s broke %q: %v", statement, db.Violated(err), err)
			}
		}
	})
}

// A database of a release without a ledger keeps its orders, and the migration books them in the ledger.
func TestMigrations_salesBeforeLedger(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "old.db")
		conn, err := sql.Open("sqlite", db.SQLiteAddress(path, 0))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		sellBefore(t, sqlx.NewDb(conn, "sqlite"), goose.DialectSQLite3, "sqlite")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		conn, err := sqlx.Open("postgres", pgserver.Shared(t).Database(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		sellBefore(t, conn, goose.DialectPostgres, "postgres")
	})
}

// sellBefore stores an order, its payment and a return in the schema before the ledger, and migrates.
func sellBefore(t *testing.T, conn *sqlx.DB, d goose.Dialect, engine string) {
	t.Helper()
	provider, err := goose.NewProvider(d, conn.DB, storetest.MigrationsOf(engine), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	run := func(statement string) {
		t.Helper()
		if strings.HasPrefix(engine, "postgres") {
			statement = "BEGIN; SET LOCAL haggle.project_id = '*'; " + statement + "; COMMIT"
		}
		if _, err := conn.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := provider.UpTo(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	run(`INSERT INTO orders VALUES ('p', 'ord_1', 'chk_1', 's', 'HG-1', 'confirmed', '[]', '{}', '', '', 'USD', 90, 0, 10, 0, 100, '{}', 5)`)
	run(`INSERT INTO payments VALUES ('p', 'pay_1', 'ord_1', 'succeeded', 'USD', 100, 'psp_spt', '', 'ch_1', 5)`)
	run(`INSERT INTO returns VALUES ('p', 'ret_1', 'ord_1', 'rejected', '[]', '', 'USD', 3, '', 6)`)
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := storetest.StoreOver(conn, 2)
	if engine == "postgres" {
		var unchecked []string
		if err := conn.Select(&unchecked, "SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"); err != nil ||
			!slices.Equal(unchecked, []string{"orders_checkout_fkey"}) { // the order has no checkout, and the migration went on
			t.Errorf("keys that were not checked: %v, %v", unchecked, err)
		}
	}
	var kept struct {
		Status, Gateway, Fulfilled, Decided string
		Refunded                            int64
	}
	var postings []string
	err = s.DB.InTx(t.Context(), db.AnyProject, func(x *db.Tx) error {
		if _, err := x.Get(t.Context(), &kept, `
SELECT p.status, p.gateway, p.refunded, o.fulfillment_status AS fulfilled, CAST(r.decided_at AS TEXT) AS decided
FROM orders AS o
JOIN payments AS p ON p.order_id = o.id
JOIN returns AS r ON r.order_id = o.id`); err != nil {
			return err
		}
		return x.Select(t.Context(), &postings, `
SELECT transaction_id || ' ' || debit || ' ' || credit || ' ' || CAST(amount AS TEXT)
FROM ledger_postings
ORDER BY position`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept.Status != "succeeded" || kept.Gateway != "sandbox" || kept.Refunded != 0 || kept.Fulfilled != "processing" || kept.Decided != "6" {
		t.Errorf("kept %+v", kept)
	}
	if got := strings.Join(postings, ", "); got != "txn_1 funds:sandbox sales 90, txn_1 funds:sandbox tax 10" {
		t.Errorf("postings %s", got)
	}
}
