package db

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/id"
)

// Tx is one transaction on one connection. It is not database/sql's, with which beginning and entering a project would
// be two round trips. Its methods return faults; after a failure the transaction cannot commit, even if the caller
// ignores the failure.
type Tx struct {
	Dialect Dialect
	conn    *sqlx.Conn
	failed  error
	// first begins the transaction, or its part of a unit; "" once it was sent. On PostgreSQL it is sent with the first
	// statement, and last with COMMIT or the next statement: see exchange.go.
	first string
	name  *transactionName // asked for with first; nil: nobody needs it
	last  *effects
	// broken is the failure of a sent statement, after which nothing can be sent.
	broken error
	wrote  []id.Project
}

// Select reads the rows of a query into dest, which is as in Batch.Query.
func (t *Tx) Select(ctx context.Context, dest any, query string, args ...any) error {
	_, err := t.Get(ctx, dest, query, args...)
	return err
}

// Get is Select for one row. It reports whether there was one.
func (t *Tx) Get(ctx context.Context, dest any, query string, args ...any) (bool, error) {
	n, err := t.query(ctx, dest, query, args)
	return n > 0 && err == nil, t.Note(ctx, err)
}

func (t *Tx) query(ctx context.Context, dest any, query string, args []any) (n int, err error) {
	if args, err = Plain(args); err != nil {
		return 0, err
	}
	if !t.Dialect.OneTrip {
		return fetch(ctx, t.conn, dest, query, args)
	}
	sent := []step{{
		dest:      dest,
		statement: query,
		args:      args,
	}}
	err = t.send(ctx, sent, "")
	return sent[0].rows, err
}

// Exec runs a statement and returns how many rows it wrote.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (rows int64, err error) {
	if args, err = Plain(args); err == nil {
		rows, err = t.exec(ctx, query, args)
	}
	return rows, t.Note(ctx, err)
}

func (t *Tx) exec(ctx context.Context, query string, args []any) (int64, error) {
	if !t.Dialect.OneTrip {
		return execute(ctx, t.conn, query, args)
	}
	if err := t.begun(ctx); err != nil {
		return 0, err
	}
	text := textFor(t.conn)
	if err := text.add(query, args); err != nil {
		return 0, err
	}
	n, err := execute(ctx, t.conn, text.String(), nil)
	text.sent(err)
	t.broken = err
	return n, err
}

// Run reads the rows of a batch's statements within the transaction, on PostgreSQL in one round trip.
func (t *Tx) Run(ctx context.Context, b *Batch) error {
	return t.Note(ctx, func() error {
		if b.err != nil {
			return b.err
		}
		if !t.Dialect.OneTrip {
			for _, s := range b.steps {
				if err := s.run(ctx, t.conn); err != nil {
					return err
				}
			}
			return nil
		}
		return t.send(ctx, b.steps, "")
	}())
}

// Now is the database's clock.
func (t *Tx) Now(ctx context.Context) (time.Time, error) {
	var at int64
	_, err := t.Get(ctx, &at, "SELECT "+t.Dialect.Moment())
	return Time(at), err
}

// Note translates an error. The first one that is not nil is the transaction's failure.
func (t *Tx) Note(ctx context.Context, err error) error {
	err = translate(ctx, err)
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// Failure is why the transaction cannot commit; nil: it can.
func (t *Tx) Failure() error { return t.failed }

// TxOn returns a transaction that a test has begun on a connection.
func (s *DB) TxOn(conn *sqlx.Conn) *Tx { return &Tx{Dialect: s.Dialect, conn: conn} }

// Connection returns the transaction's connection, for tests: a failure on it does not count as the transaction's
// failure.
func (t *Tx) Connection(ctx context.Context) *sqlx.Conn {
	_ = t.Note(ctx, t.begun(ctx))
	return t.conn
}

// Wrote notes that the transaction writes the project's row. Config.Wrote is called when the transaction has ended.
func (t *Tx) Wrote(project id.Project) { t.wrote = append(t.wrote, project) }

// InTx runs work in one writing transaction: all of its writes or none. work does no other I/O and may run more than
// once, because a transaction that lost against another one is retried.
func (s *DB) InTx(ctx context.Context, project id.Project, work func(*Tx) error) error {
	if s.wrote == nil {
		return s.inTx(ctx, project, work)
	}
	var wrote []id.Project
	defer func() {
		if len(wrote) > 0 { // if it is unknown whether the transaction committed, too
			s.AfterEnd(func(bool) {
				for _, p := range wrote {
					s.wrote(p)
				}
			})
		}
	}()
	return s.inTx(ctx, project, func(t *Tx) error {
		defer func() { wrote = append(wrote, t.wrote...) }()
		return work(t)
	})
}

func (s *DB) inTx(ctx context.Context, project id.Project, work func(*Tx) error) error {
	return s.traced(ctx, "transaction", func(ctx context.Context) error {
		if s.unit != nil {
			return s.inUnit(ctx, project, work)
		}
		if s.write.group != nil {
			return s.grouped(ctx, project, func(conn *sqlx.Conn) error { return (&Tx{Dialect: s.Dialect, conn: conn}).run(work) })
		}
		return retry(ctx, func() error {
			return onConn(ctx, s.write, project, func(conn *sqlx.Conn) error { return s.transact(ctx, conn, project, work) })
		})
	})
}

// InTx returns the result of work in one writing transaction; if the transaction fails, the zero value.
func InTx[T any](ctx context.Context, s *DB, project id.Project, work func(*Tx) (T, error)) (T, error) {
	var made T
	err := s.InTx(ctx, project, func(t *Tx) (err error) {
		made, err = work(t)
		return err
	})
	if err != nil {
		made = *new(T)
	}
	return made, err
}

func (s *DB) transact(ctx context.Context, conn *sqlx.Conn, project id.Project, work func(*Tx) error) error {
	t := &Tx{
		Dialect: s.Dialect,
		conn:    conn,
		name:    &transactionName{},
	}
	if s.Dialect.OneTrip {
		t.first = s.Dialect.Begin(project)
	} else if err := begin(ctx, conn, s.Dialect.Begin(project)); err != nil {
		return err
	}
	if err := t.run(work); err != nil {
		return err
	}
	return s.end(ctx, t)
}

// run runs work in the transaction, and leaves its end to the caller.
func (t *Tx) run(work func(*Tx) error) error {
	if err := work(t); err != nil {
		return asRetryable(err)
	}
	return asRetryable(t.failed)
}

// inUnit is InTx within a unit.
func (s *DB) inUnit(ctx context.Context, project id.Project, work func(*Tx) error) error {
	return s.unit.step(ctx, project, func(conn *sqlx.Conn, prefix string) error {
		t := &Tx{
			Dialect: s.Dialect,
			conn:    conn,
			name:    s.unit.wanted(),
		}
		if s.Dialect.OneTrip {
			t.first = prefix
		} else if _, err := conn.ExecContext(ctx, prefix); err != nil {
			return translate(ctx, err)
		}
		err := work(t)
		if err == nil && t.failed == nil && t.last != nil {
			err = t.Note(ctx, t.send(ctx, nil, ""))
		}
		if err == nil {
			err = t.failed
		}
		if t.first != "" && (err != nil || !s.unit.sent) {
			return unsent{err}
		}
		return err
	})
}

// onConn runs work on a connection of its own. If work fails or panics, a transaction that it left open is rolled back.
// A connection of its own also keeps database/sql from running a statement twice, as it does on a pool when lib/pq
// reports a connection lost after the send.
func onConn(ctx context.Context, from pool, project id.Project, work func(*sqlx.Conn) error) error {
	conn, err := from.acquire(ctx, project)
	if err != nil {
		return err
	}
	clean := false
	defer func() {
		if !clean {
			rollback(ctx, conn)
		}
		from.putBack(conn, project)
	}()
	err = work(conn)
	clean = err == nil
	return err
}

// retryable is the failure of a connection that broke before it wrote anything. After a restart of the server all
// pooled connections are broken.
type retryable struct{ error }

func (e retryable) Unwrap() error { return e.error }

func begin(ctx context.Context, conn *sqlx.Conn, statement string) error {
	_, err := conn.ExecContext(ctx, statement)
	return asRetryable(translate(ctx, err))
}

func asRetryable(err error) error {
	if Lost(err) {
		return retryable{err}
	}
	return err
}

func rollback(ctx context.Context, conn *sqlx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		drop(conn)
	}
}

// attempts is how often a transaction is tried that keeps losing against others.
const attempts = 5

// retry runs attempt until it succeeds or has failed too often. An attempt that lost against another transaction is
// tried again after a pause. Broken connections are used up without one, no matter how many there are.
func retry(ctx context.Context, attempt func() error) error {
	var err error
	for n, broken := 0, 0; n < attempts; {
		if err = attempt(); err == nil {
			return nil
		}
		var fine retryable
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

// maxBroken is more than the connections of any pool.
const maxBroken = 200

// pause waits up to 10, 20, 40 … ms, and reports whether the context still lives.
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

// Snapshot runs work, which only reads, on one snapshot of the project.
func (s *DB) Snapshot(ctx context.Context, project id.Project, work func(*Tx) error) error {
	return s.traced(ctx, "read", func(ctx context.Context) error {
		return retry(ctx, func() error {
			return onConn(ctx, s.read, project, func(conn *sqlx.Conn) error {
				if err := begin(ctx, conn, onConnection(conn, s.Dialect.BeginRead(project))); err != nil {
					return err
				}
				t := &Tx{Dialect: s.Dialect, conn: conn}
				if err := work(t); err != nil {
					return asRetryable(err)
				}
				_, err := conn.ExecContext(ctx, "COMMIT")
				return asRetryable(translate(ctx, err))
			})
		})
	})
}
