package db

import (
	"context"
	"database/sql/driver"
	"strings"

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
	kept, err := simplelru.NewLRU[string, *keptStatement](compiled, nil)
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

// keepingConn lends each statement to one user at a time.
type keepingConn struct {
	sqliteConn
	kept *simplelru.LRU[string, *keptStatement]
}

type keptStatement struct {
	sqliteStatement
	query string
	lent  bool
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
	return result, c.giveBack(s, err)
}

func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, c.giveBack(s, err)
	}
	return &keptRows{rows, c, s}, nil
}

// keptRows are those of a statement that is given back with them.
type keptRows struct {
	driver.Rows
	conn *keepingConn
	of   *keptStatement
}

func (r *keptRows) Close() error { return r.conn.giveBack(r.of, r.Rows.Close()) }

// take is a kept statement that nobody has, or a new one.
func (c *keepingConn) take(ctx context.Context, query string) (*keptStatement, error) {
	if s, ok := c.kept.Get(query); ok && !s.lent {
		s.lent = true
		return s, nil
	}
	s, err := c.PrepareContext(ctx, positional(query))
	if err != nil {
		return nil, err
	}
	return &keptStatement{
		sqliteStatement: s.(sqliteStatement),
		query:           query,
		lent:            true,
	}, nil
}

// giveBack keeps a statement that did well, and lets the one go that was used longest ago. It returns err.
func (c *keepingConn) giveBack(s *keptStatement, err error) error {
	s.lent = false
	kept, known := c.kept.Peek(s.query)
	switch {
	case err != nil && kept == s:
		c.kept.Remove(s.query)
		_ = s.Close() // what it says was said already
	case kept == s:
	case err != nil, known, len(s.query) > longest:
		_ = s.Close()
	default:
		c.keep(s)
	}
	return err
}

func (c *keepingConn) keep(s *keptStatement) {
	if c.kept.Len() == compiled {
		if _, oldest, _ := c.kept.RemoveOldest(); !oldest.lent { // else it comes back
			_ = oldest.Close()
		}
	}
	c.kept.Add(s.query, s)
}

// positional is a statement with ? in place of $1, $2 and so on, if each comes once and in order: the driver looks those
// with numbers up by name, each among all.
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

// Close lets the statements go first.
func (c *keepingConn) Close() error {
	for _, s := range c.kept.Values() {
		_ = s.Close()
	}
	c.kept.Purge()
	return c.sqliteConn.Close()
}
