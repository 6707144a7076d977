package storetest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
)

// CountedSQLite is a store that counts its statements, transaction control left out.
func CountedSQLite(t *testing.T) (s *Store, count func(work func()) int64) {
	t.Helper()
	s = FreshSQLite(t)
	var path string
	if err := s.DB.ReadPool().Get(&path, "SELECT file FROM pragma_database_list"); err != nil {
		t.Fatal(err)
	}
	statements := new(atomic.Int64)
	counter := statementCounter{s.DB.WritePool().Driver(), db.SQLiteAddress(path, 0), statements}
	conn := sqlx.NewDb(sql.OpenDB(counter), "sqlite")
	t.Cleanup(func() { conn.Close() })
	return StoreOver(conn, 1), func(work func()) int64 {
		before := statements.Load()
		work()
		return statements.Load() - before
	}
}

type statementCounter struct {
	driver     driver.Driver
	address    string
	statements *atomic.Int64
}

func (c statementCounter) Driver() driver.Driver { return c.driver }

func (c statementCounter) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.address)
	return countedConn{conn, c.statements}, err
}

type countedConn struct {
	driver.Conn
	statements *atomic.Int64
}

func (c countedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.note(query)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c countedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.note(query)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c countedConn) note(query string) {
	switch strings.Fields(query)[0] {
	case "BEGIN", "COMMIT", "ROLLBACK":
	default:
		c.statements.Add(1)
	}
}
