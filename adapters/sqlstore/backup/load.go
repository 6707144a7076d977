package backup

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// Load loads a backup into an empty database of the backup's schema, in one transaction: if anything is wrong, nothing is
// loaded. Triggers do not run, and foreign keys are checked.
func Load(ctx context.Context, d *db.DB, from io.Reader, progress Progress) (Summary, error) {
	r, err := open(from)
	if err != nil {
		return Summary{}, err
	}
	var s Summary
	err = d.OnWriter(ctx, func(conn *sqlx.Conn) (err error) {
		s, err = load(ctx, conn, d.Dialect, r, progress)
		return err
	})
	return s, err
}

// engine has the steps of loading that differ between the engines.
type engine interface {
	// start begins the transaction, and keeps triggers from running in it.
	start(ctx context.Context, conn *sqlx.Conn, tables []table) error
	// insert prepares a statement that inserts the rows of a table.
	insert(ctx context.Context, conn *sqlx.Conn, t table) (*sql.Stmt, error)
	// flush sends the statement's buffered rows.
	flush(ctx context.Context, s *sql.Stmt) error
	// finish enables triggers again, and checks constraints that the engine did not check row by row.
	finish(ctx context.Context, conn *sqlx.Conn, tables []table) error
}

func load(ctx context.Context, conn *sqlx.Conn, dialect db.Dialect, r *reader, progress Progress) (s Summary, err error) {
	tables, err := catalogued(ctx, conn, dialect.OneTrip)
	if err != nil {
		return Summary{}, err
	}
	var e engine = &sqliteEngine{}
	if dialect.OneTrip {
		e = &postgresEngine{}
	}
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if err := e.start(ctx, conn, tables); err != nil {
		return Summary{}, err
	}
	for _, t := range tables {
		var rows int64
		if err := conn.GetContext(ctx, &rows, "SELECT count(*) FROM (SELECT 1 FROM "+t.name+" LIMIT 1000) AS few"); err != nil {
			return Summary{}, err
		}
		if rows > 0 {
			return Summary{}, notEmpty(t.name, rows)
		}
	}
	to := &loader{
		ctx:      ctx,
		conn:     conn,
		engine:   e,
		missing:  map[string]table{},
		progress: progress,
	}
	for _, t := range tables {
		to.missing[t.name] = t
	}
	if s, err = r.read(to); err != nil {
		return Summary{}, err
	}
	if len(to.missing) > 0 {
		return Summary{}, fmt.Errorf("%w: it lacks %s", ErrDamaged, strings.Join(slices.Sorted(maps.Keys(to.missing)), ", "))
	}
	if err := e.finish(ctx, conn, tables); err != nil {
		return Summary{}, err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return s, err
}

// loader inserts rows.
type loader struct {
	ctx      context.Context
	conn     *sqlx.Conn
	engine   engine
	missing  map[string]table // that were not loaded
	progress Progress

	now  table
	rows int64
	stmt *sql.Stmt
}

func (l *loader) begin(name string, columns []string) (err error) {
	t, ok := l.missing[name]
	if !ok || !slices.Equal(columns, t.names()) {
		return fmt.Errorf("the backup's table is not that of its schema")
	}
	delete(l.missing, name)
	l.now, l.rows = t, 0
	l.stmt, err = l.engine.insert(l.ctx, l.conn, t)
	return err
}

func (l *loader) row(values []any) (err error) {
	for i, c := range l.now.columns {
		if values[i], err = convert(values[i], c.kind); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	if _, err := l.stmt.ExecContext(l.ctx, values...); err != nil {
		return err
	}
	if l.rows++; l.rows%rowsPerProgress == 0 {
		l.progress(l.now.name, rowsPerProgress)
	}
	return nil
}

func (l *loader) end() error {
	if err := l.engine.flush(l.ctx, l.stmt); err != nil {
		return err
	}
	l.progress(l.now.name, l.rows%rowsPerProgress)
	return l.stmt.Close()
}

func run(ctx context.Context, conn *sqlx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// postgresEngine loads by COPY, which row-level security refuses. The tables' owner is subject to it only while it is
// forced.
type postgresEngine struct {
	forced []string // tables whose owner goes by it
	strict []constraint
}

// constraint is a foreign key that is checked row by row. Tables do not come in its order.
type constraint struct{ TableName, Name string }

func (e *postgresEngine) start(ctx context.Context, conn *sqlx.Conn, tables []table) error {
	if err := run(ctx, conn, "BEGIN", "SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0",
		"SET LOCAL lock_timeout = '5s'", "SET LOCAL haggle.project_id = '*'"); err != nil {
		return err
	}
	const forced = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relforcerowsecurity"
	if err := conn.SelectContext(ctx, &e.forced, forced); err != nil {
		return err
	}
	const strict = `
SELECT conrelid::regclass AS tablename, conname AS name
FROM pg_constraint
WHERE connamespace = 'public'::regnamespace
  AND contype = 'f'
  AND NOT condeferrable`
	if err := conn.SelectContext(ctx, &e.strict, strict); err != nil {
		return err
	}
	for _, c := range e.strict {
		if err := run(ctx, conn, "ALTER TABLE "+c.TableName+" ALTER CONSTRAINT "+c.Name+" DEFERRABLE INITIALLY DEFERRED"); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := run(ctx, conn, "ALTER TABLE "+t.name+" DISABLE TRIGGER USER", "ALTER TABLE "+t.name+" NO FORCE ROW LEVEL SECURITY"); err != nil {
			return err
		}
	}
	return nil
}

func (*postgresEngine) insert(ctx context.Context, conn *sqlx.Conn, t table) (*sql.Stmt, error) {
	return conn.PrepareContext(ctx, "COPY "+t.name+" ("+strings.Join(t.names(), ", ")+") FROM STDIN")
}

func (*postgresEngine) flush(ctx context.Context, s *sql.Stmt) error {
	_, err := s.ExecContext(ctx)
	return err
}

func (e *postgresEngine) finish(ctx context.Context, conn *sqlx.Conn, tables []table) error {
	const identities = `
SELECT table_name AS tablename, column_name AS name
FROM information_schema.columns
WHERE table_schema = 'public'
  AND is_identity = 'YES'
  AND table_name <> 'goose_db_version'`
	var counted []struct{ TableName, Name string }
	if err := conn.SelectContext(ctx, &counted, identities); err != nil {
		return err
	}
	for _, c := range counted {
		if err := run(ctx, conn, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%[1]s', '%[2]s'), max(%[2]s)) FROM %[1]s HAVING max(%[2]s) IS NOT NULL",
			c.TableName, c.Name)); err != nil {
			return err
		}
	}
	if err := run(ctx, conn, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
		return err
	}
	for _, c := range e.strict {
		if err := run(ctx, conn, "ALTER TABLE "+c.TableName+" ALTER CONSTRAINT "+c.Name+" NOT DEFERRABLE"); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := run(ctx, conn, "ALTER TABLE "+t.name+" ENABLE TRIGGER USER"); err != nil {
			return err
		}
	}
	for _, name := range e.forced {
		if err := run(ctx, conn, "ALTER TABLE "+name+" FORCE ROW LEVEL SECURITY"); err != nil {
			return err
		}
	}
	return run(ctx, conn, "ANALYZE")
}

// sqliteEngine drops the triggers and creates them again.
type sqliteEngine struct{ triggers []string }

func (e *sqliteEngine) start(ctx context.Context, conn *sqlx.Conn, _ []table) error {
	if err := run(ctx, conn, "BEGIN IMMEDIATE", "PRAGMA defer_foreign_keys = ON"); err != nil {
		return err
	}
	var names []string
	if err := conn.SelectContext(ctx, &names, "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"); err != nil {
		return err
	}
	if err := conn.SelectContext(ctx, &e.triggers, "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"); err != nil {
		return err
	}
	for _, name := range names {
		if err := run(ctx, conn, "DROP TRIGGER "+name); err != nil {
			return err
		}
	}
	return nil
}

func (*sqliteEngine) insert(ctx context.Context, conn *sqlx.Conn, t table) (*sql.Stmt, error) {
	return conn.PrepareContext(ctx, "INSERT INTO "+t.name+" ("+strings.Join(t.names(), ", ")+")\nVALUES (?"+strings.Repeat(", ?", len(t.columns)-1)+")")
}

func (*sqliteEngine) flush(context.Context, *sql.Stmt) error { return nil }

func (e *sqliteEngine) finish(ctx context.Context, conn *sqlx.Conn, _ []table) error {
	return run(ctx, conn, e.triggers...)
}
