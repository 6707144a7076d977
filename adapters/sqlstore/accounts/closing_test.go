package accounts_test

import (
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// Rows of every table with a project_id are deleted with their project, are kept or erased when it is closed, and on
// PostgreSQL have row-level security.
func TestDeletions_everyTable(t *testing.T) {
	t.Parallel()
	var tables []struct {
		Name    string `db:"relname"`
		Guarded bool
	}
	err := storetest.FreshPostgres(t).DB.ReadPool().SelectContext(t.Context(), &tables, `
SELECT relname, relrowsecurity AND relforcerowsecurity AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid) AS guarded
FROM pg_class
JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'project_id'
WHERE relkind = 'r'
  AND relname <> 'audit_events' -- the account's: it outlives projects`)
	if err != nil {
		t.Fatal(err)
	}
	gone, closed := tablesOf(accounts.Deletions), append(tablesOf(accounts.Closings(db.PostgresDialect)), accounts.Kept...)
	for _, table := range tables {
		if !table.Guarded {
			t.Errorf("%s has no row-level security", table.Name)
		}
		if !slices.Contains(gone, table.Name) {
			t.Errorf("%s stays when its project is deleted", table.Name)
		}
		if !slices.Contains(closed, table.Name) {
			t.Errorf("it is not said what becomes of %s when its project is closed", table.Name)
		}
	}
	if len(tables) != len(gone) {
		t.Errorf("there are %d tables of projects, and %d are deleted", len(tables), len(gone))
	}
}

func tablesOf(stages []accounts.ClosingStage) (names []string) {
	for _, s := range stages {
		names = append(names, s.Table)
	}
	return names
}
