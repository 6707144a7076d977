package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/id"
)

// tx is one transaction on one connection. It is not database/sql's, for with that beginning and
// entering a project would be two round trips. Its methods answer faults; after a failure the
// transaction cannot commit, whatever is made of the failure.
type tx struct {
	dialect dialect
	conn    *sqlx.Conn
	failed  error
}

// list reads all rows of a query into dest, a pointer to a slice of row structs or plain values.
func (t *tx) list(ctx context.Context, dest any, query string, args ...any) error {
	args, err := plain(args)
	if err == nil {
		err = t.conn.SelectContext(ctx, dest, query, args...)
	}
	return t.note(ctx, err)
}

// get reads the one row of a query into dest, a pointer to a row struct or plain value, and tells
// whether there was one.
func (t *tx) get(ctx context.Context, dest any, query string, args ...any) (bool, error) {
	args, err := plain(args)
	if err == nil {
		err = t.conn.GetContext(ctx, dest, query, args...)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, t.note(ctx, err)
}

// exec runs a statement and returns how many rows it wrote.
func (t *tx) exec(ctx context.Context, query string, args ...any) (rows int64, err error) {
	args, err = plain(args)
	if err != nil {
		return 0, t.note(ctx, err)
	}
	result, err := t.conn.ExecContext(ctx, query, args...)
	if err == nil {
		rows, err = result.RowsAffected()
	}
	return rows, t.note(ctx, err)
}

// all reads the rows of a batch's statements within the transaction, on PostgreSQL in one round trip.
func (t *tx) all(ctx context.Context, b *batch) error {
	return t.note(ctx, func() error {
		if b.err != nil {
			return b.err
		}
		if !t.dialect.oneTrip {
			for _, s := range b.steps {
				if err := s.run(ctx, t.conn); err != nil {
					return err
				}
			}
			return nil
		}
		text, err := b.text("", "")
		if err != nil {
			return err
		}
		rows, err := t.conn.QueryxContext(ctx, text)
		if err != nil {
			return err
		}
		defer rows.Close()
		return b.scan(rows)
	}())
}

// now is the database's clock.
func (t *tx) now(ctx context.Context) (time.Time, error) {
	var at int64
	_, err := t.get(ctx, &at, "SELECT "+t.dialect.moment())
	return fromMillis(at), err
}

func (t *tx) note(ctx context.Context, err error) error {
	err = translate(ctx, err)
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// inTx runs work in one writing transaction: all of its writes or none. work does no other I/O and
// may run more than once: a transaction that lost against another one is tried again.
func (s *Store) inTx(ctx context.Context, project id.Project, work func(*tx) error) error {
	return s.traced(ctx, "transaction", func(ctx context.Context) error {
		if s.unit != nil {
			return s.inUnit(ctx, project, work)
		}
		return retry(ctx, func() error {
			return onConn(ctx, s.write, project, func(conn *sqlx.Conn) error { return s.transact(ctx, conn, project, work) })
		})
	})
}

func (s *Store) transact(ctx context.Context, conn *sqlx.Conn, project id.Project, work func(*tx) error) error {
	name, err := s.beginNamed(ctx, conn, project)
	if err != nil {
		return err
	}
	t := &tx{dialect: s.dialect, conn: conn}
	if err := work(t); err != nil {
		return ifUnharmed(err)
	}
	if t.failed != nil {
		return ifUnharmed(t.failed)
	}
	return s.commit(ctx, conn, name)
}

// inUnit is inTx within a unit.
func (s *Store) inUnit(ctx context.Context, project id.Project, work func(*tx) error) error {
	return s.unit.step(ctx, project, func(conn *sqlx.Conn, prefix string) error {
		if _, err := conn.ExecContext(ctx, prefix); err != nil {
			return translate(ctx, err)
		}
		t := &tx{dialect: s.dialect, conn: conn}
		if err := work(t); err != nil {
			return err
		}
		return t.failed
	})
}

// onConn lends work a connection. What work leaves open when it fails or panics is rolled back. A
// connection of its own also keeps database/sql from running a statement again that has run: it does
// that on a pool, when lib/pq reports a connection lost after the send.
func onConn(ctx context.Context, from pool, project id.Project, work func(*sqlx.Conn) error) error {
	conn, err := from.lend(ctx, project)
	if err != nil {
		return err
	}
	clean := false
	defer func() {
		if !clean {
			rollback(ctx, conn)
		}
		from.giveBack(conn, project)
	}()
	err = work(conn)
	clean = err == nil
	return err
}

// unharmed is the failure of a connection that broke before it could do anything, or while it only
// read. After a restart of the server all that lie in the pool are broken.
type unharmed struct{ error }

func (e unharmed) Unwrap() error { return e.error }

func begin(ctx context.Context, conn *sqlx.Conn, statement string) error {
	_, err := conn.ExecContext(ctx, statement)
	return ifUnharmed(translate(ctx, err))
}

func ifUnharmed(err error) error {
	if lost(err) {
		return unharmed{err}
	}
	return err
}

func rollback(ctx context.Context, conn *sqlx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		drop(conn)
	}
}

// attempts is how often a transaction is tried that others keep in the way of.
const attempts = 5

// retry runs attempt until it succeeds or has failed too often. What lost against another transaction
// is tried again after a pause; broken connections are used up, however many there are.
func retry(ctx context.Context, attempt func() error) error {
	var err error
	for n, broken := 0, 0; n < attempts; {
		err = attempt()
		var fine unharmed
		switch {
		case errors.As(err, &fine) && broken < maxBroken && ctx.Err() == nil:
			err = fine.error
			broken++
		case conflicted(err) && pause(ctx, n):
			n++
		default:
			return err
		}
	}
	return err
}

// maxBroken is more than any pool holds.
const maxBroken = 200

// pause waits up to 10, 20, 40 … ms, and tells whether the context still lives.
func pause(ctx context.Context, n int) bool {
	wait := time.NewTimer(rand.N(10 * time.Millisecond << n))
	defer wait.Stop()
	select {
	case <-wait.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
