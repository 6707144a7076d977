// Package sqlstore keeps everything in SQL, in PostgreSQL or in an embedded SQLite file. It stores
// what the domain decided and decides nothing itself.
//
// Statements are written once, for both engines, with $1 parameters; dialect holds what differs. A
// batch is several statements in one round trip, for the hot paths; inTx is an ordinary transaction,
// for everything else. Both name the project that they work in, which row-level security on
// PostgreSQL holds them to. Errors leave this package as faults (errors.go).
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/ports"
)

// Config says where the database is.
type Config struct {
	// URL is sqlite://PATH or postgres://….
	URL string
	// MaxOpen bounds the connections to PostgreSQL, or the readers of SQLite. 0 is 20, or 8.
	MaxOpen int
	// Statement is how long a statement may take on PostgreSQL, and a batch as long as its statements
	// take. 0 is the URL's statement_timeout, or five seconds, which a batch has altogether.
	Statement time.Duration
	// Enterprise is how much accounts on the enterprise plan can keep; zero fields: as much as the plan says.
	Enterprise account.Limits
	// Vault seals the URLs of subscriptions and chat webhooks; nil: they are stored as they are.
	Vault ports.Vault
	// Trace begins a span around a piece of work, which what it returns ends; nil: there are none.
	Trace func(ctx context.Context, name string) (context.Context, func(error))
}

// Store is a database. Each of its views is one port.
type Store struct {
	dialect dialect
	// write and read are the same pool on PostgreSQL. SQLite has one writer at a time: write is one
	// connection, which callers wait for, and read only reads.
	write, read pool
	migrate     func(context.Context) error
	unit        *unit // of a view that Within made
	trace       func(context.Context, string) (context.Context, func(error))
}

// Open connects to the database, and creates the folder of a SQLite file. The schema is Migrate's.
func Open(ctx context.Context, c Config) (*Store, error) {
	open := openPostgres
	if strings.HasPrefix(c.URL, "sqlite://") {
		open = openSQLite
	}
	s, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.trace, s.dialect.stopped, s.dialect.enterprise, s.dialect.vault = c.Trace, new(atomic.Int64), c.Enterprise, c.Vault
	return s, nil
}

// traced runs work in a span.
func (s *Store) traced(ctx context.Context, name string, work func(context.Context) error) error {
	if s.trace == nil {
		return work(ctx)
	}
	ctx, end := s.trace(ctx, name)
	err := work(ctx)
	end(err)
	return err
}

// Pools calls show for each of the store's connection pools. waiting is how many wait for a connection of it.
func (s *Store) Pools(show func(name string, db *sql.DB, waiting func() int)) {
	if s.read == s.write {
		show("postgres", s.write.DB.DB, s.write.places.Waiting)
		return
	}
	show("sqlite_read", s.read.DB.DB, s.read.places.Waiting)
	show("sqlite_write", s.write.DB.DB, s.write.places.Waiting)
}

// Migrate brings the schema up to date, under a lock, so that processes may start together.
func (s *Store) Migrate(ctx context.Context) error { return s.migrate(ctx) }

// Analyze brings the planner's statistics up to date after a large import. PostgreSQL would do it by
// itself, a minute later; SQLite has fixed ones (migrations/sqlite/00002_planner.sql).
func (s *Store) Analyze(ctx context.Context) error {
	if !s.dialect.oneTrip {
		return nil
	}
	_, err := s.write.ExecContext(ctx, "ANALYZE products, variants, stock")
	return translate(ctx, err)
}

// Ping tells whether the database answers. Connections that broke while they lay in the pool, as all
// do when the server restarts, are used up and tell nothing.
func (s *Store) Ping(ctx context.Context) error {
	return retry(ctx, func() error {
		return onConn(ctx, s.read, anyProject, func(conn *sqlx.Conn) error {
			var one int
			return ifUnharmed(translate(ctx, conn.GetContext(ctx, &one, "SELECT 1")))
		})
	})
}

// Now is the database's clock, in whole milliseconds.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var now int64
	err := retry(ctx, func() error {
		return onConn(ctx, s.read, anyProject, func(conn *sqlx.Conn) error {
			return ifUnharmed(translate(ctx, conn.GetContext(ctx, &now, "SELECT "+s.dialect.clock)))
		})
	})
	return fromMillis(now), err
}

// Close closes all connections.
func (s *Store) Close() error {
	if s.read == s.write {
		return s.write.Close()
	}
	return errors.Join(s.read.Close(), s.write.Close())
}
