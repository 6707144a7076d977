package db

import (
	"context"
	"database/sql/driver"

	"github.com/jmoiron/sqlx"
)

// Statements go directly to the driver's connection. database/sql would add to each a context, a goroutine that waits
// for its end, and a copy of every value. The drivers watch the context themselves.

// driverConn has the methods of the connections of lib/pq and SQLite.
type driverConn interface {
	driver.QueryerContext
	driver.ExecerContext
}

// onDriverConn runs work on the driver's connection. The connection is closed if work fails with driver.ErrBadConn, or
// panics.
func onDriverConn(conn *sqlx.Conn, work func(driverConn) error) error {
	return conn.Raw(func(c any) error {
		err := work(c.(driverConn))
		if pg, ok := c.(*pgConn); ok && onStandby(err) {
			pg.standby = true
		}
		return err
	})
}

// query runs a statement, or a text of several without arguments. Arguments come from Plain.
func query(ctx context.Context, conn *sqlx.Conn, statement string, args []any, read func(driver.Rows) error) error {
	return onDriverConn(conn, func(c driverConn) (err error) {
		rows, err := c.QueryContext(ctx, statement, named(args))
		if err != nil {
			return err
		}
		defer func() {
			if closed := rows.Close(); err == nil {
				err = closed
			}
		}()
		return read(rows)
	})
}

// fetch reads the rows of a statement into dest, which is as in Batch.Query, and returns how many there are.
func fetch(ctx context.Context, conn *sqlx.Conn, dest any, statement string, args []any) (n int, err error) {
	err = query(ctx, conn, statement, args, func(rows driver.Rows) error {
		n, err = scan(ctx, rows, dest)
		return err
	})
	return n, err
}

// execute runs a statement and returns how many rows it wrote.
func execute(ctx context.Context, conn *sqlx.Conn, statement string, args []any) (n int64, err error) {
	err = onDriverConn(conn, func(c driverConn) error {
		result, err := c.ExecContext(ctx, statement, named(args))
		if err == nil {
			n, err = result.RowsAffected()
		}
		return err
	})
	return n, err
}

func named(args []any) []driver.NamedValue {
	if len(args) == 0 {
		return nil
	}
	values := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return values
}

// nextResultSet goes on to the next result set, and reports whether there is one.
func nextResultSet(rows driver.Rows) (more bool, err error) {
	sets, ok := rows.(driver.RowsNextResultSet)
	if !ok || !sets.HasNextResultSet() {
		return false, nil
	}
	err = sets.NextResultSet()
	return err == nil, err
}
