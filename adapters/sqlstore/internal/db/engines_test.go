package db

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/pgbouncer"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/ports/porttest/sqlitefile"
)

// engines are SQLite and PostgreSQL, and PostgreSQL behind PgBouncer, where each transaction gets another session.
var engines = map[string]func(testing.TB) *DB{"sqlite": freshSQLite, "postgres": freshPostgres, "pgbouncer": freshPooled}

// onEngines runs a test on all engines, side by side, each time on a migrated, empty database.
func onEngines(t *testing.T, test func(*testing.T, *DB)) {
	t.Helper()
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func freshSQLite(tb testing.TB) *DB {
	tb.Helper()
	return openStore(tb, Config{URL: sqlitefile.Migrated(tb, migrated)})
}

func freshPostgres(tb testing.TB) *DB {
	tb.Helper()
	return openStore(tb, Config{URL: pgserver.Shared(tb).Migrated(tb, migrated)})
}

func freshPooled(tb testing.TB) *DB {
	tb.Helper()
	direct := pgserver.Shared(tb).Migrated(tb, migrated)
	return openStore(tb, Config{URL: pgbouncer.Shared(tb, direct).URL(direct), Pooler: TransactionPooler})
}

func openStore(tb testing.TB, c Config) *DB {
	tb.Helper()
	s, err := Open(context.Background(), c, os.DirFS("../../migrations"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func migrated(url string) error {
	s, err := Open(context.Background(), Config{URL: url}, os.DirFS("../../migrations"))
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}
