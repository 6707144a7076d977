// Package storetest opens migrated stores for the tests of the store's packages, and has their common fixtures: shops,
// sales, random histories. It does not start Haggle itself.
package storetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/requests"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
	"github.com/haggle-commerce/haggle/ports/porttest/sqlitefile"
)

// Store is a store, and the database under it.
type Store struct {
	*sqlstore.Store
	DB *db.DB
}

func on(opened *db.DB) *Store { return &Store{sqlstore.On(opened), opened} }

// Within is the store's, with a view whose database tests can use.
func (s *Store) Within(ctx context.Context, claim *ports.KeyUsage, work func(*Store) error) error {
	return s.DB.InRequest(ctx, requests.Claiming(claim), func(view *db.DB) error { return work(on(view)) })
}

// Engines are ways to a migrated, empty database, by the engine's name.
var Engines = map[string]func(testing.TB) *Store{"sqlite": FreshSQLite, "postgres": FreshPostgres}

// OnEngines runs a test on both engines, side by side, each time on a migrated, empty database.
func OnEngines(t *testing.T, test func(*testing.T, *Store)) {
	t.Helper()
	t.Parallel()
	for name, open := range Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// FreshSQLite opens a migrated, empty file.
func FreshSQLite(tb testing.TB) *Store {
	tb.Helper()
	return OpenStore(tb, sqlstore.Config{URL: sqlitefile.Migrated(tb, Migrated)})
}

// FreshPostgres opens a migrated, empty database of the shared server.
func FreshPostgres(tb testing.TB) *Store {
	tb.Helper()
	return OpenStore(tb, sqlstore.Config{URL: pgserver.Shared(tb).Migrated(tb, Migrated)})
}

// OpenStore opens a store that is closed with the test.
func OpenStore(tb testing.TB, c sqlstore.Config) *Store {
	tb.Helper()
	opened, err := db.Open(context.Background(), c, os.DirFS(migrations()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { opened.Close() })
	return on(opened)
}

// Migrated migrates the database at a URL.
func Migrated(url string) error {
	s, err := sqlstore.Open(context.Background(), sqlstore.Config{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}

// StoreOver is a store over connections that the test has opened.
func StoreOver(conns *sqlx.DB, most int) *Store { return on(db.Wrap(conns, most)) }

// MigrationsOf are the files of an engine's migrations.
func MigrationsOf(engine string) fs.FS { return os.DirFS(filepath.Join(migrations(), engine)) }

// migrations is the folder of migrations. A test runs in its package's folder, which is below that of the store.
func migrations() string {
	folder := "migrations"
	for range 4 {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		folder = filepath.Join("..", folder)
	}
	return folder
}
