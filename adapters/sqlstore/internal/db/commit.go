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

// finishing bounds COMMIT on PostgreSQL and ROLLBACK, which no longer listen to the request's context: a
// commit interrupted halfway is one that nobody knows about. SQLite's is not bounded, for it cannot be
// asked afterwards.
const finishing = 3 * time.Second

// transactionName is what a transaction can be asked about by. Its number alone is not enough: a server
// that crashed gives out numbers again of which nothing had reached its disk.
type transactionName struct {
	Number string
	Server string // when it was started
	Began  string // by its clock
}

// unnamed reports whether there is no name: SQLite's transactions have none, for with it no answer gets lost on the way.
func (n transactionName) unnamed() bool { return n.Number == "" }

// beginNamed begins a transaction that can be asked about later by its name.
func (s *DB) beginNamed(ctx context.Context, conn *sqlx.Conn, project id.Project) (transactionName, error) {
	statement := onConnection(conn, s.Dialect.Begin(project))
	if s.Dialect.transactionName == "" {
		return transactionName{}, begin(ctx, conn, statement)
	}
	var name transactionName
	row := conn.QueryRowxContext(ctx, statement+"; "+s.Dialect.transactionName)
	err := row.Scan(&name.Number, &name.Server, &name.Began)
	return name, ifUnharmed(translate(ctx, err))
}

// commit ends a transaction. When the answer to COMMIT is lost, the server is asked what became of the
// transaction: nil is always committed, and one that was undone is unharmed.
func (s *DB) commit(ctx context.Context, conn *sqlx.Conn, name transactionName) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	unhurried := context.WithoutCancel(ctx)
	if name.unnamed() {
		_, err := conn.ExecContext(unhurried, "COMMIT")
		return translate(unhurried, err)
	}
	return s.committed(ctx, conn, name, finishing, func(ctx context.Context) error {
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	})
}

// committed runs send, which commits the transaction of a name, and reads back what became of it if there is no answer
// within so long.
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

// drop makes the pool forget a connection.
func drop(conn *sqlx.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }

// unanswered tells that nobody knows whether a COMMIT took place.
func unanswered(err error) bool {
	return err != nil && (Lost(err) || errors.Is(err, context.DeadlineExceeded))
}

// asking is how long a transaction is asked about, and lookEvery how often. A server that crashed is
// back within it, or the outcome stays unknown to this request.
const (
	asking    = 6 * time.Second
	lookEvery = 100 * time.Millisecond
)

const (
	// selectFate also reports whether the server has been running since the transaction began: it has not
	// been started again, and the statistics, which a crash clears, are older.
	selectFate = `
SELECT CAST(pg_postmaster_start_time() AS TEXT) = $1
  AND NOT EXISTS (SELECT 1 FROM pg_stat_wal WHERE stats_reset >= CAST($2 AS TIMESTAMPTZ)) AS same,
  pg_is_in_recovery() AS standby`

	selectStatus = `SELECT pg_xact_status(CAST($1 AS xid8))`

	// endBackend makes a transaction that nobody can finish any more end now: its connection is cut. One that waits for a
	// second node is left to: if it is ended, it has committed without that node.
	endBackend = `
SELECT count(pg_terminate_backend(pid))
FROM pg_stat_activity
WHERE backend_xid = CAST(CAST($1 AS xid8) AS xid)
  AND usename = session_user
  AND wait_event IS DISTINCT FROM 'SyncRep'`
)

// fate is what became of a transaction.
type fate int

const (
	unknown fate = iota
	committed
	undone
	ended       // not yet: its connection was cut
	lostForGood // nobody will ever know
)

// readBack asks what became of a transaction whose COMMIT had no answer. Where it stays unknown, the
// caller hears so, and finds out by what is there.
func (s *DB) readBack(ctx context.Context, name transactionName, cause error) error {
	bounded, cancel := context.WithTimeout(ctx, asking)
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
			return unharmed{translate(ctx, cause)}
		case lostForGood:
			cancel()
		}
		select {
		case <-bounded.Done():
			return translate(ctx, errors.Join(sql.ErrConnDone, cause))
		case <-time.After(lookEvery):
		}
	}
}

// fate does not ask on a connection for requests: the transaction that is asked about still has its place there.
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

// fateByNumber asks by the number. After a crash it may be another transaction's by now, which then
// says that ours was undone, unless it committed: that says nothing.
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
