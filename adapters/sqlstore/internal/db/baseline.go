package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

// sqliteBaseline is the schema after all migrations of SQLite, in one script. It creates a new database in a tenth of
// the time that the migrations need. A test compares it with their result.
const sqliteBaseline = "sqlite.sql"

// createSQLite gives a new database the schema, and records the migrations that it stands for. It leaves a database that
// has any table alone.
func createSQLite(ctx context.Context, db *sql.DB, migrations fs.FS) error {
	script, err := fs.ReadFile(migrations, sqliteBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	versions, err := schemaVersions(migrations, "sqlite")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil || tables > 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return fmt.Errorf("%s: %w", sqliteBaseline, err)
	}
	if err := record(ctx, tx, versions); err != nil {
		return err
	}
	return tx.Commit()
}

// record writes that the migrations were applied.
func record(ctx context.Context, tx *sql.Tx, versions []int64) error {
	store, err := database.NewStore(goose.DialectSQLite3, goose.DefaultTablename)
	if err != nil {
		return err
	}
	if err := store.CreateVersionTable(ctx, tx); err != nil {
		return err
	}
	for _, version := range append([]int64{0}, versions...) {
		if err := store.Insert(ctx, tx, database.InsertRequest{Version: version}); err != nil {
			return err
		}
	}
	return nil
}

// schemaVersions are the migrations of an engine, oldest first.
func schemaVersions(migrations fs.FS, folder string) ([]int64, error) {
	files, err := fs.Glob(migrations, folder+"/*.sql")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("migrations: none in the program: %w", err)
	}
	versions := make([]int64, len(files))
	for i, file := range files {
		if versions[i], err = goose.NumericComponent(file); err != nil {
			return nil, fmt.Errorf("migrations: %w", err)
		}
	}
	return versions, nil
}
