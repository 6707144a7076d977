package db

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// migrateUp applies the engine's migrations that the database does not have.
func migrateUp(ctx context.Context, d goose.Dialect, db *sql.DB, migrations fs.FS, folder string, options ...goose.ProviderOption) error {
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return err
	}
	options = append(options, goose.WithDisableGlobalRegistry(true))
	provider, err := goose.NewProvider(d, db, files, options...)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

// SchemaCurrent fails while the database lacks migrations that this program needs. One that a newer
// program has migrated is current.
func (s *DB) SchemaCurrent(ctx context.Context) error {
	folder := "sqlite"
	if s.Dialect.OneTrip {
		folder = "postgres"
	}
	versions, err := schemaVersions(s.migrations, folder)
	if err != nil {
		return err
	}
	newest := versions[len(versions)-1]
	var have int64
	err = retry(ctx, func() error {
		return s.onLogin(ctx, func(conn *sqlx.Conn) error {
			const newestApplied = "SELECT max(version_id) FROM goose_db_version WHERE is_applied"
			return ifUnharmed(translate(ctx, conn.GetContext(ctx, &have, newestApplied)))
		})
	})
	if err != nil {
		return err
	}
	if have < newest {
		return fmt.Errorf("migrations: the database has version %d of %d", have, newest)
	}
	return nil
}
