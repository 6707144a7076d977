package db

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/id"
)

// unit is the one transaction of a view that InRequest made. It begins with the first write, so that earlier reads and
// other work of the request hold no lock.
type unit struct {
	store *DB
	start func(context.Context, *Tx) error // the first step; nil: none
	conn  *sqlx.Conn                       // nil until begun
	first id.Project                       // that the connection was lent to
	sent  bool                             // BEGIN was sent; without start it is sent with the first step
	name  transactionName
	// broken, once set, fails every later step: the unit must be retried or rolled back, even if the caller ignored the
	// error.
	broken error
	// after runs when the transaction has ended.
	after []func(committed bool)
}

// InRequest runs work on a view of the database in which all writes are one transaction, and reads after
// the first write see it. A write through the view that fails leaves no trace, as in a transaction of its
// own. If work returns nil the transaction commits, else it rolls back. The transaction begins with start,
// unless that is nil; if start fails, its error is returned, whatever work returns.
//
// work may run more than once, writes through the view alone, and from one goroutine.
func (s *DB) InRequest(ctx context.Context, start func(context.Context, *Tx) error, work func(*DB) error) error {
	return retry(ctx, func() error {
		u := &unit{store: s, start: start}
		committed := false
		defer func() {
			u.end(ctx)
			for _, f := range u.after {
				f(committed)
			}
		}()
		view := *s
		view.unit = u
		err := work(&view)
		if u.broken != nil {
			return u.broken
		}
		if err != nil || u.conn == nil || !u.sent {
			return err
		}
		err = s.commit(ctx, u.conn, u.name)
		committed = !undoneForSure(err)
		if err != nil {
			return err
		}
		u.putBack()
		return nil
	})
}

// undoneForSure reports whether err means that COMMIT certainly committed nothing.
func undoneForSure(err error) bool {
	var undone retryable
	return err != nil && (errors.As(err, &undone) || !Lost(err))
}

// AfterEnd runs f when the view's transaction has ended and its connection is free, and reports to f whether the
// transaction committed; if that is unknown, true. Without a transaction f runs at once.
func (s *DB) AfterEnd(f func(committed bool)) {
	if s.unit == nil {
		f(true)
		return
	}
	s.unit.after = append(s.unit.after, f)
}

// OutsideRequest returns the store outside the unit, where work has a transaction of its own. It must be used before
// the unit's first write, because SQLite has one writer.
func (s *DB) OutsideRequest() *DB {
	whole := *s
	whole.unit = nil
	return &whole
}

// end rolls back a transaction that did not commit.
func (u *unit) end(ctx context.Context) {
	if u.conn != nil {
		rollback(ctx, u.conn)
		u.putBack()
	}
}

func (u *unit) putBack() {
	u.store.write.putBack(u.conn, u.first)
	u.conn = nil
}

// begun reports whether there is a transaction that reads must see.
func (u *unit) begun() bool { return u != nil && u.conn != nil }

// step runs work within the unit, in a project: all of its writes stay, or none. work gets the text to send before its
// first statement. Savepoints are not released, which would be a round trip each: the next one replaces the name, and
// they end with the transaction.
func (u *unit) step(ctx context.Context, project id.Project, work func(conn *sqlx.Conn, prefix string) error) error {
	if u.broken != nil {
		return u.broken
	}
	prefix, err := u.enter(ctx, project)
	if err != nil {
		if u.broken == nil {
			u.broken = u.note(err) // there is no transaction to go on with
		}
		return err
	}
	if err := work(u.conn, prefix); err != nil {
		failure, nothing := sentNothing(err)
		if nothing { // so there is nothing to undo
			return failure
		}
		u.sent = true
		u.note(err)
		u.undo(ctx)
		return err
	}
	u.sent = true
	return nil
}

// wanted returns where to store the transaction's name; nil: it is known, or there is none.
func (u *unit) wanted() *transactionName {
	if !u.store.Dialect.OneTrip || !u.name.unnamed() {
		return nil
	}
	return &u.name
}

// enter gets the connection, and runs start, before the first step. It returns the text that begins a step.
func (u *unit) enter(ctx context.Context, project id.Project) (prefix string, err error) {
	const savepoint = "SAVEPOINT step"
	if u.conn != nil && u.sent {
		return savepoint + u.store.Dialect.InProject(project), nil
	}
	if u.conn == nil {
		if u.conn, err = u.store.write.acquire(ctx, project); err != nil {
			u.broken = err
			return "", err
		}
		u.first = project
	}
	if u.start == nil && u.store.Dialect.OneTrip {
		return onConnection(u.conn, u.store.Dialect.Begin(project)) + "; " + savepoint, nil
	}
	u.sent = true
	if u.name, err = u.store.beginNamed(ctx, u.conn, project); err != nil {
		return "", err
	}
	if u.start == nil {
		return savepoint, nil
	}
	err = u.start(ctx, &Tx{Dialect: u.store.Dialect, conn: u.conn})
	return savepoint + u.store.Dialect.InProject(project), err
}

// undo rolls back a step. It ignores the end of the request's context, because the unit goes on.
func (u *unit) undo(ctx context.Context) {
	if u.broken != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	if _, err := u.conn.ExecContext(ctx, "ROLLBACK TO step"); err != nil {
		u.broken = u.note(translate(ctx, err))
	}
}

// note records a failure after which the unit must begin again. A connection lost before COMMIT has changed nothing.
func (u *unit) note(err error) error {
	if Lost(err) {
		err = retryable{err}
	}
	if u.broken == nil && (Lost(err) || conflicted(err)) {
		u.broken = err
	}
	return err
}
