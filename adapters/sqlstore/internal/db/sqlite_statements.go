package db

import (
	"context"
	"database/sql/driver"
	"strings"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// compiled is the number of compiled statements that a connection to SQLite caches. It is bounded because lists of
// different lengths are different statements. Statements of more than longest bytes are large and seldom repeated, so
// they are not cached.
const (
	compiled = 128
	longest  = 4 << 10
)

// stmtCacheConnector opens connections that cache compiled statements, because compiling a statement takes about as
// long as running it.
type stmtCacheConnector struct {
	driver.Connector
	group *groupCommit // of the writing connection; nil: it only reads
}

func (k stmtCacheConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	kept, err := simplelru.NewLRU[string, *cachedStmt](compiled, nil)
	keeping := &stmtCacheConn{conn.(sqliteConn), kept}
	if k.group != nil {
		return &guardedConn{stmtCacheConn: keeping, group: k.group}, err
	}
	return keeping, err
}

// sqliteConn has the methods of the driver's connections that database/sql uses.
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

// stmtCacheConn gives each cached statement to one user at a time.
type stmtCacheConn struct {
	sqliteConn
	kept *simplelru.LRU[string, *cachedStmt]
}

type cachedStmt struct {
	sqliteStatement
	query string
	lent  bool
}

type sqliteStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func (c *stmtCacheConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	return result, c.putBack(s, err)
}

func (c *stmtCacheConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, c.putBack(s, err)
	}
	return &cachedRows{rows, c, s}, nil
}

// cachedRows are the rows of a cached statement. Closing them returns the statement to the cache.
type cachedRows struct {
	driver.Rows
	conn *stmtCacheConn
	of   *cachedStmt
}

func (r *cachedRows) Close() error { return r.conn.putBack(r.of, r.Rows.Close()) }

// take returns a cached statement that is not in use, or a new one.
func (c *stmtCacheConn) take(ctx context.Context, query string) (*cachedStmt, error) {
	if s, ok := c.kept.Get(query); ok && !s.lent {
		s.lent = true
		return s, nil
	}
	s, err := c.PrepareContext(ctx, positional(query))
	if err != nil {
		return nil, err
	}
	return &cachedStmt{
		sqliteStatement: s.(sqliteStatement),
		query:           query,
		lent:            true,
	}, nil
}

// putBack returns a statement to the cache unless it failed, and evicts the least recently used one. It returns err.
func (c *stmtCacheConn) putBack(s *cachedStmt, err error) error {
	s.lent = false
	kept, known := c.kept.Peek(s.query)
	switch {
	case err != nil && kept == s:
		c.kept.Remove(s.query)
		_ = s.Close() // its error was returned already
	case kept == s:
	case err != nil, known, len(s.query) > longest:
		_ = s.Close()
	default:
		c.keep(s)
	}
	return err
}

func (c *stmtCacheConn) keep(s *cachedStmt) {
	if c.kept.Len() == compiled {
		if _, oldest, _ := c.kept.RemoveOldest(); !oldest.lent { // otherwise putBack gets it later
			_ = oldest.Close()
		}
	}
	c.kept.Add(s.query, s)
}

// positional returns a statement with ? in place of $1, $2 and so on, if each comes once and in order, because the
// driver looks up each numbered parameter by name among all.
func positional(statement string) string {
	var to strings.Builder
	rest := statement
	for next := 1; ; {
		n := strings.IndexAny(rest, `$'"-`)
		if n < 0 {
			to.WriteString(rest)
			return to.String()
		}
		to.WriteString(rest[:n])
		rest = rest[n:]
		if size := skipped(rest); size > 0 {
			to.WriteString(rest[:size])
			rest = rest[size:]
			continue
		}
		after, found := strings.CutPrefix(rest, parameterAt(next))
		if !found || after != "" && '0' <= after[0] && after[0] <= '9' {
			return statement
		}
		to.WriteByte('?')
		rest = after
		next++
	}
}

// Close closes the statements first.
func (c *stmtCacheConn) Close() error {
	for _, s := range c.kept.Values() {
		_ = s.Close()
	}
	c.kept.Purge()
	return c.sqliteConn.Close()
}
