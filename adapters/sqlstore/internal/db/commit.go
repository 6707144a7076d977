package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/id"
)

// commitTimeout bounds COMMIT on PostgreSQL and ROLLBACK, which no longer listen to the request's context: the outcome of a
// commit that is interrupted is unknown. SQLite's COMMIT is not bounded, because its outcome cannot be queried
// afterwards.
const commitTimeout = 3 * time.Second

// transactionName identifies a transaction whose outcome may have to be queried. Its number alone is not enough,
// because a crashed server reuses numbers of which nothing had reached its disk.
type transactionName struct {
	Number string
	Server string // when it was started
	Began  string // by its clock
}

// unnamed reports whether there is no name. SQLite's transactions have none, because a reply of SQLite cannot get lost.
func (n transactionName) unnamed() bool { return n.Number == "" }

// beginNamed begins a transaction whose outcome can be queried later by its name.
func (s *DB) beginNamed(ctx context.Context, conn *sqlx.Conn, project id.Project) (transactionName, error) {
	statement := onConnection(conn, s.Dialect.Begin(project))
	if s.Dialect.transactionName == "" {
		return transactionName{}, begin(ctx, conn, statement)
	}
	var name transactionName
	row := conn.QueryRowxContext(ctx, statement+"; "+s.Dialect.transactionName)
	err := row.Scan(&name.Number, &name.Server, &name.Began)
	return name, asRetryable(translate(ctx, err))
}

// commit ends a transaction. If the reply to COMMIT is lost, it queries the outcome of the transaction: nil always
// means committed, and a transaction that was rolled back is retryable.
func (s *DB) commit(ctx context.Context, conn *sqlx.Conn, name transactionName) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	unhurried := context.WithoutCancel(ctx)
	if name.unnamed() {
		_, err := conn.ExecContext(unhurried, "COMMIT")
		return translate(unhurried, err)
	}
	return s.committed(ctx, conn, name, commitTimeout, func(ctx context.Context) error {
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	})
}

// committed runs send, which commits the transaction with a name, and queries its outcome if there is no reply in time.
func (s *DB) committed(ctx context.Context, conn *sqlx.Conn, name transactionName, within time.Duration, send func(context.Context) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	unhurried := context.WithoutCancel(ctx)
	bounded, cancel := context.WithTimeout(unhurried, within)
	defer cancel()
	err := abandoning(bounded, conn, send)
	if !unanswered(err) {
		return translate(bounded, err)
	}
	drop(conn)
	return s.readBack(unhurried, name, err)
}

// drop removes a connection from its pool.
func drop(conn *sqlx.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }

// unanswered reports whether it is unknown if a COMMIT took place.
func unanswered(err error) bool {
	return err != nil && (Lost(err) || errors.Is(err, context.DeadlineExceeded))
}

// outcomeTimeout is how long the outcome of a transaction is queried, and outcomeInterval how often. If a crashed
// server is not back by then, the outcome stays unknown to this request.
const (
	outcomeTimeout  = 6 * time.Second
	outcomeInterval = 100 * time.Millisecond
)

const (
	// selectFate also reports whether the server has been running since the transaction began: it has not
	// been started again, and the statistics, which a crash clears, are older.
	selectFate = `
SELECT CAST(pg_postmaster_start_time() AS TEXT) = $1
  AND NOT EXISTS (SELECT 1 FROM pg_stat_wal WHERE stats_reset >= CAST($2 AS TIMESTAMPTZ)) AS same,
  pg_is_in_recovery() AS standby`

	selectStatus = `SELECT pg_xact_status(CAST($1 AS xid8))`

	// endBackend ends a transaction that no client can finish any more, by cutting its connection. It leaves one that
	// waits for a second node alone: if that was ended, it would have committed without the node.
	endBackend = `
SELECT count(pg_terminate_backend(pid))
FROM pg_stat_activity
WHERE backend_xid = CAST(CAST($1 AS xid8) AS xid)
  AND usename = session_user
  AND wait_event IS DISTINCT FROM 'SyncRep'`
)

// fate is the outcome of a transaction.
type fate int

const (
	unknown fate = iota
	committed
	undone
	ended       // not yet: its connection was cut
	lostForGood // nobody will ever know
)

// readBack queries the outcome of a transaction whose COMMIT had no reply. If it stays unknown, it returns an error
// that says so, and the caller finds out by reading the rows.
func (s *DB) readBack(ctx context.Context, name transactionName, cause error) error {
	bounded, cancel := context.WithTimeout(ctx, outcomeTimeout)
	defer cancel()
	cut := false
	for {
		switch s.fate(bounded, name) {
		case committed:
			if !cut {
				return nil
			}
			cancel() // it may have begun to wait for a second node just before, and ended without it
		case ended:
			cut = true
		case undone:
			return retryable{translate(ctx, cause)}
		case lostForGood:
			cancel()
		}
		select {
		case <-bounded.Done():
			return translate(ctx, errors.Join(sql.ErrConnDone, cause))
		case <-time.After(outcomeInterval):
		}
	}
}

// fate does not use a connection for requests, because the transaction in question still occupies its place there.
func (s *DB) fate(ctx context.Context, name transactionName) (f fate) {
	_ = s.onLogin(ctx, func(conn *sqlx.Conn) (err error) {
		var same, standby bool
		if err := conn.QueryRowxContext(ctx, selectFate, name.Server, name.Began).Scan(&same, &standby); err != nil || standby {
			return err
		}
		f, err = fateByNumber(ctx, conn, name.Number, same)
		return err
	})
	return f
}

// fateByNumber queries by the number. After a crash another transaction may have it. If that one did not commit, ours
// was rolled back; if it did commit, the outcome of ours is unknown.
func fateByNumber(ctx context.Context, conn *sqlx.Conn, number string, same bool) (fate, error) {
	var status sql.NullString
	err := conn.QueryRowxContext(ctx, selectStatus, number).Scan(&status)
	var pgErr *pq.Error
	switch {
	case errors.As(err, &pgErr) && pgErr.Code == "22023" && !same: // the number is not given out yet
		return undone, nil
	case err != nil:
		return unknown, err
	case status.String == "aborted", status.String == "in progress" && !same:
		return undone, nil
	case status.String == "committed" && same:
		return committed, nil
	case status.String == "committed":
		return lostForGood, nil
	case status.String == "in progress":
		cut := 0
		if err = conn.GetContext(ctx, &cut, endBackend, number); cut > 0 {
			return ended, err
		}
	}
	return unknown, err
}
