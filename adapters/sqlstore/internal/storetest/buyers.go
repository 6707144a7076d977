package storetest

import (
	"slices"
	"strings"
	"testing"
)

// TextColumns are the columns of the schema that hold text or bytes, as table.column.
func TextColumns(t *testing.T, s *Store) (list []string) {
	t.Helper()
	query := `
SELECT tables.name || '.' || columns.name AS c
FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns
WHERE tables.type = 'table' AND columns.type IN ('TEXT', 'BLOB') AND columns.hidden = 0
ORDER BY c`
	if s.DB.Dialect.OneTrip {
		query = `
SELECT table_name || '.' || column_name COLLATE "C" AS c
FROM information_schema.columns
WHERE table_schema = 'public' AND data_type IN ('text', 'bytea', 'json', 'jsonb', 'character varying') AND is_generated = 'NEVER'
ORDER BY c`
	}
	if err := s.DB.ReadPool().SelectContext(t.Context(), &list, query); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(n string) bool { return strings.HasPrefix(n, "goose_") || strings.HasPrefix(n, "sqlite_") })
}

func Blob(s *Store) string {
	if s.DB.Dialect.OneTrip {
		return "BYTEA"
	}
	return "BLOB"
}
