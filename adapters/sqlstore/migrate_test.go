package sqlstore_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// migrateTogether migrates the addresses all at once, as processes that start at the same time would.
func migrateTogether(t *testing.T, urls ...string) {
	t.Helper()
	var all sync.WaitGroup
	for _, url := range urls {
		all.Go(func() {
			if err := storetest.Migrated(url); err != nil {
				t.Errorf("%s: %v", url, err)
			}
		})
	}
	all.Wait()
}

func TestStore_Migrate_severalProcesses(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		url := "sqlite://" + filepath.Join(t.TempDir(), "new folder", "it's 100%?#.db")
		migrateTogether(t, url, url, url, url, url, url)
		storetest.StoreProject(t, storetest.OpenStore(t, sqlstore.Config{URL: url}), 1)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := pgserver.Shared(t).Database(t, "")
		migrateTogether(t, url, url, url, url, url, url)
		storetest.StoreProject(t, storetest.OpenStore(t, sqlstore.Config{URL: url}), 1)
	})
}

// The group role belongs to the cluster, so databases that are migrated at the same time race to create it.
func TestStore_Migrate_databasesOfOneCluster(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	var urls []string
	for _, name := range []string{"one", "two", "three", "four"} {
		if err := server.CreateDatabase(name, ""); err != nil {
			t.Fatal(err)
		}
		urls = append(urls, server.URL(name))
	}
	migrateTogether(t, urls...)
	for _, url := range urls {
		storetest.StoreProject(t, storetest.OpenStore(t, sqlstore.Config{URL: url}), 1)
	}
}

func TestStore_Migrate_twice(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		storetest.StoreProject(t, s, 1)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Storefronts().BySlug(t.Context(), "shop-1"); err != nil {
			t.Error(err)
		}
	})
}

func TestOpen_badURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "mysql://x", "sqlite://", "postgres://%zz", "/tmp/x.db"} {
		if s, err := sqlstore.Open(t.Context(), sqlstore.Config{URL: url}); err == nil {
			s.Close()
			t.Errorf("%q was opened", url)
		}
	}
}

// Both engines have the same tables with the same columns.
func TestMigrations_sameSchemaOnBothEngines(t *testing.T) {
	t.Parallel()
	lite, pg := storetest.FreshSQLite(t), storetest.FreshPostgres(t)
	columns := func(s *storetest.Store, query string) []string {
		t.Helper()
		var names []string
		if err := s.DB.ReadPool().SelectContext(t.Context(), &names, query); err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "goose_") || strings.HasPrefix(n, "sqlite_") })
	}
	inLite := columns(lite, `
SELECT tables.name || '.' || columns.name || CASE WHEN columns."notnull" THEN ' not null' ELSE '' END AS c
FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns
WHERE tables.type = 'table'
ORDER BY c`)
	inPostgres := columns(pg, `
SELECT table_name || '.' || column_name || CASE WHEN is_nullable = 'NO' THEN ' not null' ELSE '' END COLLATE "C" AS c
FROM information_schema.columns
WHERE table_schema = 'public'
ORDER BY c`)
	if len(inLite) < 100 || !slices.Equal(inLite, inPostgres) {
		t.Errorf("SQLite has\n%v\nPostgreSQL has\n%v", inLite, inPostgres)
	}
}

// A server refuses to start on a database that a newer release has migrated, unless the operator asks for a downgrade.
// A server that is already running goes on.
func TestStore_Migrate_newerSchema(t *testing.T) {
	t.Parallel()
	for engine, url := range map[string]string{
		"sqlite":   "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
		"postgres": pgserver.Shared(t).Database(t, ""),
	} {
		t.Run(engine, func(t *testing.T) {
			running := storetest.OpenStore(t, sqlstore.Config{URL: url})
			if err := running.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := running.DB.WritePool().ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)"); err != nil {
				t.Fatal(err)
			}
			err := storetest.Migrated(url)
			if !errors.Is(err, sqlstore.ErrSchemaNewer) || !strings.Contains(err.Error(), "HAGGLE_ALLOW_NEWER_SCHEMA") || !strings.Contains(err.Error(), "99999") {
				t.Errorf("migrated: %v", err)
			}
			if err := running.SchemaCurrent(t.Context()); err != nil {
				t.Errorf("a running replica is not ready: %v", err)
			}
			if err := storetest.OpenStore(t, sqlstore.Config{URL: url, AllowNewer: true}).Migrate(t.Context()); err != nil {
				t.Errorf("not allowed: %v", err)
			}
		})
	}
}

// A migration that does not get its table lock in time gives up, so that others do not queue behind it for long, and
// tries again.
func TestMigrations_lockTimeout(t *testing.T) {
	t.Parallel()
	server := pgserver.Shared(t)
	url := server.Database(t, "")
	db, err := sqlx.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, db.DB, storetest.MigrationsOf("postgres"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 27); err != nil {
		t.Fatal(err)
	}
	writer, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Rollback() }()
	if _, err := writer.Exec("LOCK TABLE orders IN ROW EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- storetest.Migrated(url) }()
	waits := func() (n int) {
		if err := db.Get(&n, "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'orders'::regclass"); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, want := range []int{1, 0} { // it waits, and gives up
		for waits() != want {
			select {
			case err := <-ended:
				t.Fatalf("the migration ended beside the lock with %v", err)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	if err := writer.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The progress counts the migrations that are missing.
func TestStore_Migrate_progress(t *testing.T) {
	t.Parallel()
	for engine, url := range map[string]string{
		"sqlite":   "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
		"postgres": pgserver.Shared(t).Database(t, ""),
	} {
		t.Run(engine, func(t *testing.T) {
			if err := storetest.OpenStore(t, sqlstore.Config{URL: url}).MigrateTo(t.Context(), 109); err != nil {
				t.Fatal(err)
			}
			calls, missing := 0, 0
			progress := func(done, of int) {
				if done != calls {
					t.Errorf("%d of %d, after %d calls", done, of, calls)
				}
				calls++
				missing = of
			}
			if err := storetest.OpenStore(t, sqlstore.Config{URL: url, Migrated: progress}).Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if missing < 3 || calls != missing+1 {
				t.Errorf("%d calls for %d migrations", calls, missing)
			}
		})
	}
}
