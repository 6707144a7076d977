package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/id"
)

// finishing bounds COMMIT and ROLLBACK, which no longer listen to the request's context: a commit
// interrupted halfway is one that nobody knows about.
const finishing = 3 * time.Second

// beginNamed begins a transaction that can be asked about later by its name. SQLite's have none: with
// it no answer gets lost on the way.
func (s *Store) beginNamed(ctx context.Context, conn *sqlx.Conn, project id.Project) (name string, err error) {
	statement := s.dialect.begin(project)
	if s.dialect.transactionName == "" {
		return "", begin(ctx, conn, statement)
	}
	err = conn.QueryRowxContext(ctx, statement+"; "+s.dialect.transactionName).Scan(&name)
	return name, ifUnharmed(translate(ctx, err))
}

// commit ends a transaction. When the answer to COMMIT is lost, the server is asked what became of the
// transaction: nil is always committed, and one that was undone is unharmed.
func (s *Store) commit(ctx context.Context, conn *sqlx.Conn, name string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	_, err := conn.ExecContext(bounded, "COMMIT")
	if name == "" || !unanswered(err) {
		return translate(bounded, err)
	}
	drop(conn)
	return s.readBack(context.WithoutCancel(ctx), name, err)
}

// drop makes the pool forget a connection.
func drop(conn *sqlx.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }

// unanswered tells that nobody knows whether a COMMIT took place.
func unanswered(err error) bool {
	return err != nil && (lost(err) || errors.Is(err, context.DeadlineExceeded))
}

// asking is how long a transaction is asked about, and lookEvery how often. A server that crashed is
// back within it, or the outcome stays unknown to this request.
const (
	asking    = 6 * time.Second
	lookEvery = 100 * time.Millisecond
)

const (
	selectFate = `SELECT pg_xact_status(CAST($1 AS xid8))`

	// endBackend makes a transaction that nobody can finish any more end now: its connection is cut. One
	// that is just committing commits.
	endBackend = `
SELECT count(pg_terminate_backend(pid))
FROM pg_stat_activity
WHERE backend_xid = CAST(CAST($1 AS xid8) AS xid)
  AND usename = session_user`
)

// readBack asks what became of a transaction whose COMMIT had no answer.
func (s *Store) readBack(ctx context.Context, name string, cause error) error {
	bounded, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	for {
		switch s.fate(bounded, name) {
		case "committed":
			return nil
		case "aborted":
			return unharmed{translate(ctx, cause)}
		}
		select {
		case <-bounded.Done():
			return translate(ctx, errors.Join(sql.ErrConnDone, cause))
		case <-time.After(lookEvery):
		}
	}
}

// fate is committed, aborted, or something else while nobody knows.
func (s *Store) fate(ctx context.Context, name string) (fate string) {
	_ = onConn(ctx, s.write, func(conn *sqlx.Conn) error {
		var status sql.NullString
		err := conn.QueryRowxContext(ctx, selectFate, name).Scan(&status)
		if fate = status.String; err == nil && fate == "in progress" {
			_, err = conn.ExecContext(ctx, endBackend, name)
		}
		return err
	})
	return fate
}
