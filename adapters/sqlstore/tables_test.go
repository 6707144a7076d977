package sqlstore_test

import (
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

// Zero values are stored as NULL exactly in the columns that can be NULL.
func TestMigrations_nullableColumns(t *testing.T) {
	s := storetest.FreshSQLite(t)
	if err := s.DB.OnWriter(t.Context(), func(conn *sqlx.Conn) error {
		db.Definitions(func(table string, columns []string, zero []any) {
			var schema []struct {
				Name    string
				NotNull bool `db:"notnull"`
				Key     bool `db:"pk"`
			}
			const columnsOf = `SELECT name, "notnull", pk > 0 AS pk FROM pragma_table_info($1)`
			if err := s.DB.TxOn(conn).Select(t.Context(), &schema, columnsOf, table); err != nil {
				t.Fatal(err)
			}
			optional := map[string]bool{}
			for _, c := range schema {
				optional[c.Name] = !c.NotNull && !c.Key
			}
			for i, name := range columns {
				switch can, known := optional[name]; {
				case !known:
					t.Errorf("%s has no column %s", table, name)
				case can != (zero[i] == nil):
					t.Errorf("%s.%s can be NULL: %t, but the zero value is stored as %v", table, name, can, zero[i])
				}
			}
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
