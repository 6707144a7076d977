package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// schemaChange is a run of migrations.
type schemaChange struct {
	migrations fs.FS // with the folders postgres and sqlite
	version    int64 // the last one to apply; 0: all
	applied    func(done, of int)
}

// up applies the engine's migrations that the database does not have.
func (c schemaChange) up(ctx context.Context, d goose.Dialect, db *sql.DB, folder string, options ...goose.ProviderOption) error {
	files, err := fs.Sub(c.migrations, folder)
	if err != nil {
		return err
	}
	options = append(options, goose.WithDisableGlobalRegistry(true))
	provider, err := goose.NewProvider(d, db, files, options...)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	switch {
	case c.version != 0:
		_, err = provider.UpTo(ctx, c.version)
	case c.applied != nil:
		err = oneByOne(ctx, provider, c.applied)
	default:
		_, err = provider.Up(ctx)
	}
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

// oneByOne applies all migrations that are missing. Another process may apply some of them meanwhile.
func oneByOne(ctx context.Context, provider *goose.Provider, applied func(done, of int)) error {
	states, err := provider.Status(ctx)
	if err != nil {
		return err
	}
	missing := 0
	for _, m := range states {
		if m.State == goose.StatePending {
			missing++
		}
	}
	for done := 0; ; done++ {
		applied(min(done, missing), missing)
		if _, err := provider.UpByOne(ctx); errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// ErrSchemaBehind means that the database lacks migrations of this program.
var ErrSchemaBehind = errors.New("the database's schema is older than this program's")

// ErrSchemaNewer means that a newer program has migrated the database.
var ErrSchemaNewer = errors.New("the database's schema is newer than this program's: run the release that migrated it, or a later one. " +
	"To go back to the release before an upgrade, set HAGGLE_ALLOW_NEWER_SCHEMA=true: it works with the next one's schema")

// SchemaCurrent fails while the database lacks migrations that this program needs. One that a newer program has migrated is
// current, so that replicas go on while an upgrade replaces them.
func (s *DB) SchemaCurrent(ctx context.Context) error {
	have, known, err := s.schema(ctx)
	if err == nil && have < known {
		err = fmt.Errorf("%w: it has version %d of %d", ErrSchemaBehind, have, known)
	}
	return err
}

// SchemaKnown fails if a newer program has migrated the database, unless the configuration allows it.
func (s *DB) SchemaKnown(ctx context.Context) error {
	if s.allowNewer {
		return nil
	}
	have, known, err := s.schema(ctx)
	if err == nil && have > known {
		err = fmt.Errorf("%w (it has version %d, this program %d)", ErrSchemaNewer, have, known)
	}
	return err
}

// schema is the version that the database has, and the one that this program makes.
func (s *DB) schema(ctx context.Context) (have, known int64, err error) {
	if known, err = SchemaVersion(s.migrations, s.Dialect.OneTrip); err != nil {
		return 0, 0, err
	}
	err = retry(ctx, func() error {
		return s.onLogin(ctx, func(conn *sqlx.Conn) error {
			const newestApplied = "SELECT max(version_id) FROM goose_db_version WHERE is_applied"
			return asRetryable(translate(ctx, conn.GetContext(ctx, &have, newestApplied)))
		})
	})
	return have, known, err
}

// SchemaVersion is the newest of the migrations for PostgreSQL or SQLite.
func SchemaVersion(migrations fs.FS, postgres bool) (int64, error) {
	folder := "sqlite"
	if postgres {
		folder = "postgres"
	}
	versions, err := schemaVersions(migrations, folder)
	if err != nil {
		return 0, err
	}
	return versions[len(versions)-1], nil
}
