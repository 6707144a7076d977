package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// guardedConn is SQLite's writing connection, whose transaction several callers may share (groupCommit). It never
// interrupts a statement, because SQLite would roll back the whole transaction. After an error that may have ended the
// transaction it refuses everything except ROLLBACK, because a statement would be a transaction of its own. It also
// refuses the statements of a member that takes too long.
type guardedConn struct {
	*stmtCacheConn
	group *groupCommit
	ended error // by which the transaction may have ended
}

func (c *guardedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.admit(ctx, query); err != nil {
		return nil, err
	}
	result, err := c.stmtCacheConn.ExecContext(context.WithoutCancel(ctx), query, args)
	return result, c.note(err)
}

func (c *guardedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.admit(ctx, query); err != nil {
		return nil, err
	}
	rows, err := c.stmtCacheConn.QueryContext(context.WithoutCancel(ctx), query, args)
	if err != nil {
		return nil, c.note(err)
	}
	return guardedRows{rows, c}, nil
}

type guardedRows struct {
	driver.Rows
	conn *guardedConn
}

func (r guardedRows) Next(to []driver.Value) error {
	err := r.Rows.Next(to)
	if err != nil && err != io.EOF {
		return r.conn.note(err)
	}
	return err
}

func (c *guardedConn) admit(ctx context.Context, query string) error {
	switch limit := c.group.limit; {
	case query == "ROLLBACK":
		c.ended = nil
		return nil
	case c.ended != nil:
		return c.ended
	case !limit.IsZero() && (c.group.late || time.Now().After(limit)):
		c.group.late = true
		return errSlow
	}
	return ctx.Err()
}

func (c *guardedConn) note(err error) error {
	var failure *sqlite.Error
	if errors.As(err, &failure) {
		switch failure.Code() & 0xff {
		case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT:
			c.ended = err
		}
	}
	return err
}

// ResetSession begins the connection's next use.
func (c *guardedConn) ResetSession(ctx context.Context) error {
	c.ended = nil
	return c.stmtCacheConn.ResetSession(ctx)
}
