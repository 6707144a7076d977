package storetest

import (
	"testing"

	"github.com/pressly/goose/v3"
)

// Upgrade undoes a migration by statements of the test and applies it again to the present rows.
func Upgrade(t *testing.T, s *Store, version int64, undo ...string) {
	t.Helper()
	dialect, engine := goose.DialectSQLite3, "sqlite"
	if s.DB.Dialect.OneTrip {
		dialect, engine = goose.DialectPostgres, "postgres"
	}
	pool := s.DB.WritePool()
	for _, statement := range undo {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %s", statement, err)
		}
	}
	if _, err := pool.ExecContext(t.Context(), "DELETE FROM goose_db_version WHERE version_id = $1", version); err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(dialect, pool.DB, MigrationsOf(engine), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.ApplyVersion(t.Context(), version, true); err != nil {
		t.Fatal(err)
	}
}
