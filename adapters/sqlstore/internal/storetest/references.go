package storetest

import (
	"strings"
	"testing"
)

// WithoutReferences removes the foreign keys and triggers of rows about money from a test's database, so that a test
// can store rows without those that they refer to.
func WithoutReferences(tb testing.TB, s *Store) {
	tb.Helper()
	if s.DB.Dialect.OneTrip {
		if _, err := s.DB.WritePool().ExecContext(tb.Context(), `
DO $$
DECLARE
    guard RECORD;
BEGIN
    FOR guard IN SELECT conrelid::regclass AS of, conname AS name FROM pg_constraint WHERE contype = 'f' LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', guard.of, guard.name);
    END LOOP;
    FOR guard IN
        SELECT tgrelid::regclass AS of, tgname AS name
        FROM pg_trigger
        WHERE NOT tgisinternal AND (tgname LIKE 'ledger_%' OR tgname = 'in_the_ledger')
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', guard.name, guard.of);
    END LOOP;
END
$$`); err != nil {
			tb.Fatal(err)
		}
		return
	}
	var triggers []string
	err := s.DB.ReadPool().SelectContext(tb.Context(), &triggers, `
SELECT name
FROM sqlite_schema
WHERE type = 'trigger'
  AND (name LIKE '%refer' OR name LIKE '%referred' OR name LIKE 'ledger%')`)
	if err != nil {
		tb.Fatal(err)
	}
	statements := []string{"PRAGMA foreign_keys = off"}
	for _, name := range triggers {
		statements = append(statements, "DROP TRIGGER "+name)
	}
	if _, err := s.DB.WritePool().ExecContext(tb.Context(), strings.Join(statements, "; ")); err != nil {
		tb.Fatal(err)
	}
}
