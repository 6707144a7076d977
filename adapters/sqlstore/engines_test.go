package sqlstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

var engines = map[string]func(testing.TB) *Store{"sqlite": freshSQLite, "postgres": freshPostgres}

// onEngines runs a test on both engines, side by side, each time on a migrated, empty database.
func onEngines(t *testing.T, test func(*testing.T, *Store)) {
	t.Helper()
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func freshSQLite(tb testing.TB) *Store {
	tb.Helper()
	content, err := sqliteTemplate()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "haggle.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return openStore(tb, Config{URL: "sqlite://" + path})
}

// sqliteTemplate is the content of a migrated, empty file.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "haggle-sqlite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := migrated("sqlite://" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func freshPostgres(tb testing.TB) *Store {
	tb.Helper()
	return openStore(tb, Config{URL: pgserver.Shared(tb).Migrated(tb, migrated)})
}

func openStore(tb testing.TB, c Config) *Store {
	tb.Helper()
	s, err := Open(context.Background(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func migrated(url string) error {
	s, err := Open(context.Background(), Config{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}

// storeOver is a store over connections that the test has opened.
func storeOver(conns *sqlx.DB, most int) *Store { return &Store{db.Wrap(conns, most)} }
