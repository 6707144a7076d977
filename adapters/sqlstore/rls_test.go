package sqlstore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/id"
)

// unguarded are the tables without row-level security, and why that is right. Every other table has
// it.
var unguarded = map[string]string{
	"accounts":          "above projects",
	"api_keys":          "an account's; a key is looked up before its project is known",
	"projects":          "read by account and by slug, before a project is known",
	"authenticators":    "an account's",
	"recovery_codes":    "an account's",
	"mfa_tries":         "an account's",
	"members":           "an account's; looked up by e-mail address before the account is known",
	"member_links":      "an account's; looked up by hash before the account is known",
	"console_sessions":  "an account's; looked up by hash before the account is known",
	"member_tries":      "a member's",
	"member_identities": "a member's; looked up by the identity before the account is known",
	"idempotency_keys":  "found by a hash that holds the owner; bodies are encrypted",
	"audit_events":      "an account's, also those without a project and of projects that are gone; haggle_app cannot change them",
	"released_slugs":    "an account's; a slug is looked up before its project is known",
	"goose_db_version":  "of the migrations",
}

type tableRow struct {
	Name          string
	Kind          string
	HasProject    bool `db:"has_project"`
	Enabled       bool
	Forced        bool
	OwnedByApp    bool   `db:"owned_by_app"`
	Policies      int    // all of them
	WholePolicies int    `db:"whole_policies"` // permissive, for every command and everyone
	Rule          string // what the policy says
}

const listTables = `
SELECT c.relname AS name, c.relkind::text AS kind, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
       c.relowner = 'haggle_app'::regrole AS owned_by_app,
       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'project_id' AND NOT a.attisdropped) AS has_project,
       count(p.oid) AS policies,
       count(p.oid) FILTER (WHERE p.polcmd = '*' AND p.polpermissive AND p.polroles = '{0}') AS whole_policies,
       coalesce(min(pg_get_expr(p.polqual, p.polrelid)), '') || coalesce(min(pg_get_expr(p.polwithcheck, p.polrelid)), '') AS rule
FROM pg_class c
LEFT JOIN pg_policy p ON p.polrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
GROUP BY c.oid
ORDER BY c.relname`

func tables(t *testing.T, s *storetest.Store) []tableRow {
	t.Helper()
	var list []tableRow
	if err := s.DB.ReadPool().SelectContext(t.Context(), &list, listTables); err != nil {
		t.Fatal(err)
	}
	return list
}

func guarded(t *testing.T, s *storetest.Store) (names []string) {
	t.Helper()
	for _, table := range tables(t, s) {
		if _, exempt := unguarded[table.Name]; !exempt {
			names = append(names, table.Name)
		}
	}
	return names
}

// onlyOwnProject is the rule of every policy.
const onlyOwnProject = `((project_id = current_setting('haggle.project_id'::text, true)) ` +
	`OR (current_setting('haggle.project_id'::text, true) = '*'::text))`

// openTables are the tables that do not hide the rows of other projects and should.
func openTables(list []tableRow) (open []string) {
	for _, table := range list {
		if _, exempt := unguarded[table.Name]; exempt {
			continue
		}
		whole := table.Policies == 1 && table.WholePolicies == 1 && table.Rule == onlyOwnProject
		if table.Kind != "r" || !table.HasProject || !table.Enabled || !table.Forced || table.OwnedByApp || !whole {
			open = append(open, table.Name)
		}
	}
	return open
}

// Every table has row-level security or is listed above.
func TestMigrations_rowLevelSecurity(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	list := tables(t, s)
	if open := openTables(list); open != nil {
		t.Errorf("%v show rows of other projects", open)
	}
	for name, reason := range unguarded {
		i := slices.IndexFunc(list, func(table tableRow) bool { return table.Name == name })
		if i < 0 || list[i].Enabled || reason == "" {
			t.Errorf("%s is listed as unguarded, and is guarded, or is no table, or has no reason", name)
		}
	}
	var free int
	err := s.DB.ReadPool().GetContext(t.Context(), &free, `
SELECT count(*)
FROM pg_roles
WHERE rolname IN ('haggle_app', current_user)
  AND (rolsuper OR rolbypassrls)`)
	if err != nil || free != 0 {
		t.Errorf("%v, %d roles pass by every policy", err, free)
	}
}

func TestMigrations_unguardedTablesFound(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	const full = "ALTER TABLE new ENABLE ROW LEVEL SECURITY; ALTER TABLE new FORCE ROW LEVEL SECURITY; "
	for name, statement := range map[string]string{
		"new, unguarded":             "CREATE TABLE new (project_id TEXT)",
		"new, of no project":         "CREATE TABLE new (id TEXT)",
		"new, not forced":            "CREATE TABLE new (project_id TEXT); ALTER TABLE new ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON new USING (" + onlyOwnProject + ")",
		"new, for reading only":      "CREATE TABLE new (project_id TEXT); " + full + "CREATE POLICY p ON new FOR SELECT USING (" + onlyOwnProject + ")",
		"new, with another rule":     "CREATE TABLE new (project_id TEXT); " + full + "CREATE POLICY p ON new USING (true)",
		"new, with a second policy":  "CREATE TABLE new (project_id TEXT); " + full + "CREATE POLICY p ON new USING (" + onlyOwnProject + "); CREATE POLICY q ON new USING (true)",
		"new, a view":                "CREATE VIEW new AS SELECT * FROM orders",
		"orders, no longer forced":   "ALTER TABLE orders NO FORCE ROW LEVEL SECURITY",
		"payments, without a policy": "DROP POLICY own_project ON payments",
	} {
		storetest.As(t, s, "BEGIN; "+statement, func(conn *sqlx.Conn) {
			var list []tableRow
			if err := conn.SelectContext(t.Context(), &list, listTables); err != nil {
				t.Fatal(err)
			}
			if open := openTables(list); len(open) != 1 || !strings.HasPrefix(name, open[0]+",") {
				t.Errorf("%s: %v", name, open)
			}
		})
	}
}

// Statements without WHERE project_id reach only the rows of their own project.
func TestMigrations_rowLevelSecurityWithoutWhere(t *testing.T) {
	t.Parallel()
	s := storetest.FreshPostgres(t)
	storetest.WithoutReferences(t, s) // the rows are of nothing
	one, two := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
	order := fillTables(t, s, one)
	fillTables(t, s, two)
	if len(order) < 16 {
		t.Errorf("only %d tables are guarded", len(order))
	}
	both := []string{one.String(), two.String()}

	seen := func(begin string, want ...string) {
		t.Helper()
		storetest.As(t, s, begin, func(conn *sqlx.Conn) {
			for _, table := range order {
				var owners []string
				err := conn.SelectContext(t.Context(), &owners, "SELECT project_id FROM "+table+" ORDER BY project_id")
				if err != nil || !slices.Equal(owners, want) {
					t.Errorf("%s, under %s: the rows of %v are seen, want %v (%v)", table, begin, owners, want, err)
				}
			}
		})
	}
	seen(s.DB.Dialect.Begin(one), one.String())
	seen(s.DB.Dialect.BeginRead(two), two.String())
	seen(s.DB.Dialect.Begin(one)+s.DB.Dialect.InProject(two), two.String())
	seen(s.DB.Dialect.Begin(db.AnyProject), both...)
	for _, nowhere := range []string{
		s.DB.Dialect.Begin(db.NoProject), s.DB.Dialect.BeginRead(db.NoProject), "BEGIN", "BEGIN; SET LOCAL ROLE haggle_app",
		s.DB.Dialect.Begin(id.Stored[id.Project]("' OR project_id <> '")), s.DB.Dialect.Begin(id.Stored[id.Project]("%")),
	} {
		seen(nowhere)
	}

	storetest.As(t, s, s.DB.Dialect.Begin(one), func(conn *sqlx.Conn) {
		for _, table := range order {
			if slices.Contains(onlyAdded, table) || slices.Contains(unchanged, table) {
				refused(t, conn, "UPDATE "+table+" SET project_id = project_id")
			} else {
				changes(t, conn, "UPDATE "+table+" SET project_id = project_id")
			}
			refused(t, conn, "UPDATE "+table+" SET project_id = "+pq.QuoteLiteral(two.String()))
			refused(t, conn, insertion(t, s, table, two, "other"))
			refused(t, conn, "TRUNCATE "+table+" CASCADE")
		}
		changes(t, conn, "UPDATE projects SET status = 'deleting', closing_at = 1 WHERE id = "+pq.QuoteLiteral(one.String()))
		changes(t, conn, "DELETE FROM agents") // after which policies may go
		for _, table := range slices.Backward(order) {
			if table != "agents" {
				changes(t, conn, "DELETE FROM "+table)
			}
		}
		if _, err := conn.ExecContext(t.Context(), "COMMIT"); err != nil {
			t.Fatal(err)
		}
	})
	seen(s.DB.Dialect.Begin(db.AnyProject), two.String())
}

// changes checks that a statement without WHERE reaches one row, the project's own.
func changes(t *testing.T, conn *sqlx.Conn, statement string) {
	t.Helper()
	result, err := conn.ExecContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if rows, err := result.RowsAffected(); rows != 1 || err != nil {
		t.Errorf("%s: %d rows (%v), want the project's one", statement, rows, err)
	}
}

// refused checks that a policy or a missing privilege refuses a statement.
func refused(t *testing.T, conn *sqlx.Conn, statement string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), "SAVEPOINT before"); err != nil {
		t.Fatal(err)
	}
	_, err := conn.ExecContext(t.Context(), statement)
	var known *pq.Error
	if !errors.As(err, &known) || known.Code != "42501" {
		t.Errorf("%s: %v, want insufficient_privilege", statement, err)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK TO before"); err != nil {
		t.Fatal(err)
	}
}

// fillTables puts one row of the project into every guarded table that has none, and returns them in an order in
// which rows only refer to rows before.
func fillTables(t *testing.T, s *storetest.Store, project id.Project) (order []string) {
	t.Helper()
	order = slices.Clone(begunWith)
	waiting := slices.DeleteFunc(guarded(t, s), func(table string) bool { return slices.Contains(begunWith, table) })
	for len(waiting) > 0 {
		var failed []string
		var last error
		for _, table := range waiting {
			err := s.DB.InTx(t.Context(), project, func(x *db.Tx) error {
				_, err := x.Connection(t.Context()).ExecContext(t.Context(), insertion(t, s, table, project, "row"))
				return err
			})
			if err != nil {
				failed, last = append(failed, table), errors.Join(last, fmt.Errorf("%s: %w", table, err))
				continue
			}
			order = append(order, table)
		}
		if len(failed) == len(waiting) {
			t.Fatalf("no row for these tables; does constrained lack a column?\n%v", last)
		}
		waiting = failed
	}
	// Triggers note rows of other tables in this one.
	if err := s.DB.Exec(t.Context(), project, `
DELETE FROM analytics_pending
WHERE position > (SELECT min(position) FROM analytics_pending)`); err != nil {
		t.Fatal(err)
	}
	return order
}

// begunWith are the tables that have a row of every new project.
var begunWith = []string{"decision_chains", "agents", "agent_policies", "retention"}

// unchanged are the tables whose rows change in some columns only, which project_id is not among.
var unchanged = []string{"decisions", "agent_policies"}

// onlyAdded are the tables whose rows nothing changes.
var onlyAdded = []string{"ledger_transactions", "ledger_postings"}

// constrained are the values that CHECK constraints ask for.
var constrained = map[string]string{
	"variants.gtin": "'96385074'", "variants.inventory_policy": "'tracked'",
	"agents.status": "'draft'", "agent_policies.origin": "'merchant'",
	"authorizations.state": "gen_random_uuid()", "integration_webhooks.id": "gen_random_uuid()",
	"integration_webhooks.status": "'active'", "webhook_deliveries.status": "'processed'",
	"event_subscriptions.status": "'active'", "deliveries.status": "'delivered'",
	"integrations.status": "'disconnected'", "integrations.webhook_status": "'none'", "integrations.refused_orders": "'keep'", "platform_orders.status": "'written'", "crm_deals.status": "'written'", "integrations.webhook_id": "gen_random_uuid()",
	"stock.quantity":  "0", // of more, a trigger tells in stock_turns
	"products.status": "'active'", "quotes.state": "'open'", "quotes.token_hash": "''", "checkouts.status": "'ready'",
	"orders.status": "'confirmed'", "orders.total": "3", "orders.fulfillment_status": "'processing'",
	"payments.status": "'succeeded'", "payments.refunded": "0", "payments.refunding": "0",
	"sync_runs.status": "'running'", "sync_changes.resource": "'products'", "sync_changes.kind": "'created'", "sync_changes.field": "''", "jobs.status": "'running'", "money_differences.kind": "'missing_here'",
	"returns.status": "'requested'", "refunds.status": "'succeeded'", "refunds.origin": "'requested'", "disputes.status": "'open'", "disputes.response": "'needed'", "sandbox_disputes.status": "'open'", "sandbox_disputes.response": "'needed'",
	"ledger_transactions.kind": "'sale'", "ledger_transactions.provider": "'sandbox'", "ledger_transactions.refund_id": "''", "ledger_transactions.dispute_id": "''",
	"ledger_transactions.reference": "''", "ledger_postings.credit": "'sales'",
	"orphan_charges.status": "'failed'", "signing_keys.state": "'next'",
	"sessions.agent_key": "''", "checkouts.agent_key": "''", "orders.agent_key": "''",
	"checkouts.hook_protocol": "'haggle'", "orders.hook_protocol": "'haggle'",
	"sessions.protocol": "'haggle'", "checkouts.protocol": "'haggle'", "orders.protocol": "'haggle'",
}

// plainValue is what a column holds by its type. Every id has the same text, so that rows refer to one
// another.
var plainValue = map[string]string{
	"integer": "1", "bigint": "1", "boolean": "false", "bytea": `decode(repeat('00', 32), 'hex')`,
}

func insertion(t *testing.T, s *storetest.Store, table string, project id.Project, text string) string {
	t.Helper()
	var columns []struct{ Name, Type string }
	err := s.DB.ReadPool().SelectContext(t.Context(), &columns, `
SELECT column_name AS name, data_type AS type
FROM information_schema.columns
WHERE table_schema = 'public'
  AND table_name = $1
  AND is_nullable = 'NO'
  AND is_identity = 'NO'
  AND is_generated = 'NEVER'
ORDER BY ordinal_position`, table)
	if err != nil {
		t.Fatal(err)
	}
	var names, values []string
	for _, c := range columns {
		value, ok := constrained[table+"."+c.Name]
		switch {
		case c.Name == "project_id":
			value = pq.QuoteLiteral(project.String())
		case !ok && c.Type == "text":
			value = pq.QuoteLiteral(text)
		case !ok:
			value = plainValue[c.Type]
		}
		names, values = append(names, c.Name), append(values, value)
	}
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}
