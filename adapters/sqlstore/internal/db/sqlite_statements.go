package db

import (
	"context"
	"database/sql/driver"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// compiled is how many compiled statements a connection to SQLite keeps: lists of different lengths are different
// statements, so there is no end of them. Those of more than longest bytes are large, and seldom the same again.
const (
	compiled = 128
	longest  = 4 << 10
)

// keeper opens connections that keep the statements they have compiled: to compile one takes about as long as to
// run it.
type keeper struct {
	driver.Connector
	group *groupCommit // of the writing connection; nil: it only reads
}

func (k keeper) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := simplelru.NewLRU[string, sqliteStatement](compiled, nil)
	keeping := &keepingConn{conn.(sqliteConn), kept}
	if k.group != nil {
		return &guardedConn{keepingConn: keeping, group: k.group}, err
	}
	return keeping, err
}

// sqliteConn is what the driver's connections do for database/sql.
type sqliteConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// keepingConn lends each statement to one user at a time: what is running is not among those kept.
type keepingConn struct {
	sqliteConn
	kept *simplelru.LRU[string, sqliteStatement]
}

type sqliteStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	return result, c.giveBack(query, s, err)
}

func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, c.giveBack(query, s, err)
	}
	return &keptRows{rows, func(err error) error { return c.giveBack(query, s, err) }}, nil
}

// keptRows are those of a statement that is given back with them.
type keptRows struct {
	driver.Rows
	giveBack func(error) error
}

func (r *keptRows) Close() error { return r.giveBack(r.Rows.Close()) }

// take is a kept statement, or a new one.
func (c *keepingConn) take(ctx context.Context, query string) (sqliteStatement, error) {
	if s, ok := c.kept.Get(query); ok {
		c.kept.Remove(query)
		return s, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.(sqliteStatement), nil
}

// giveBack keeps a statement that did well, and lets the one go that was used longest ago. It returns err.
func (c *keepingConn) giveBack(query string, s sqliteStatement, err error) error {
	if err != nil || len(query) > longest || c.kept.Contains(query) {
		_ = s.Close() // what it says was said already
		return err
	}
	if c.kept.Len() == compiled {
		_, oldest, _ := c.kept.RemoveOldest()
		_ = oldest.Close()
	}
	c.kept.Add(query, s)
	return nil
}

// Close lets the statements go first.
func (c *keepingConn) Close() error {
	for _, s := range c.kept.Values() {
		_ = s.Close()
	}
	c.kept.Purge()
	return c.sqliteConn.Close()
}
