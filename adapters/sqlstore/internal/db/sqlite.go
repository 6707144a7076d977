package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
)

func openSQLite(ctx context.Context, c Config, migrations fs.FS) (*DB, error) {
	path := strings.TrimPrefix(c.URL, "sqlite://")
	if path == "" {
		return nil, errors.New("the database URL must name a file: sqlite://PATH")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("database folder: %w", err)
	}
	if err := claimFile(path); err != nil {
		return nil, fmt.Errorf("database %s: %w", path, err)
	}
	// Savepoint journals of a unit's steps are kept in memory, and so are the pages of a large transaction (16 MiB).
	// Temporary files took half of the time of writing a page of products.
	write, err := openWriter(SQLiteAddress(path, c.LockWait, "journal_mode(wal)", "synchronous(full)", "temp_store(memory)", "cache_size(-16384)"))
	if err != nil {
		return nil, err
	}
	// The writer creates the file before readers open it. SQLite does not wait for another process that switches the
	// same new file to WAL, but fails.
	if err := withFileLock(ctx, path, func() error { return write.PingContext(ctx) }); err != nil {
		return nil, errors.Join(fmt.Errorf("database %s: %w", path, err), write.Close())
	}
	read, err := openPool(cmp.Or(c.MaxOpen, 8), SQLiteAddress(path, c.LockWait, "query_only(on)"))
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	migrate := func(ctx context.Context, version int64) error {
		return migrateSQLite(ctx, write, path, schemaChange{migrations, version, c.Migrated})
	}
	return &DB{
		Dialect:    sqliteDialect,
		write:      write,
		read:       read,
		login:      write.DB,
		migrate:    migrate,
		migrations: migrations,
	}, nil
}

// openWriter opens the one connection that writes.
func openWriter(address string) (pool, error) {
	connector, err := sqlite.NewConnector(address)
	if err != nil {
		return pool{}, err
	}
	commits := newGroupCommit()
	all := newPool(sqlx.NewDb(sql.OpenDB(stmtCacheConnector{connector, commits}), "sqlite"), 1)
	all.group = commits
	return all, nil
}

func openPool(most int, address string) (pool, error) {
	connector, err := sqlite.NewConnector(address)
	if err != nil {
		return pool{}, err
	}
	return newPool(sqlx.NewDb(sql.OpenDB(stmtCacheConnector{Connector: connector}), "sqlite"), most), nil
}

// claimFile creates a new file that only its owner can read, which also applies to the files that SQLite adds to it.
func claimFile(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// SQLiteAddress is the address of a file for the driver. Its statements wait for another process's lock as
// Config.LockWait says.
func SQLiteAddress(path string, lockWait time.Duration, pragmas ...string) string {
	// busy_timeout comes first: setting the journal's mode may have to wait.
	wait := fmt.Sprintf("busy_timeout(%d)", cmp.Or(lockWait, 5*time.Second).Milliseconds())
	pragmas = append([]string{wait, "foreign_keys(on)"}, pragmas...)
	query := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

func migrateSQLite(ctx context.Context, db pool, path string, change schemaChange) error {
	return withFileLock(ctx, path, func() error {
		if change.version == 0 {
			if err := createSQLite(ctx, db.DB.DB, change.migrations); err != nil {
				return fmt.Errorf("new database: %w", err)
			}
		}
		return change.up(ctx, goose.DialectSQLite3, db.DB.DB, "sqlite")
	})
}

// withFileLock runs work under a lock on a file next to the database, which excludes other processes.
func withFileLock(ctx context.Context, path string, work func() error) error {
	guard := flock.New(path + ".lock")
	if _, err := guard.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("lock %s: %w", guard.Path(), err)
	}
	defer guard.Unlock()
	return work()
}
