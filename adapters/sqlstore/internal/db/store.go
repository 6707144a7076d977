// Package db is the engine under the stores: transactions, batches, retries, and what differs between
// PostgreSQL and SQLite. It knows no tables but those that its own work needs.
//
// Statements are written once, for both engines, with $1 parameters; Dialect holds what differs.
// Read and Write begin a batch, several statements in one round trip, for the hot paths. InTx is an
// ordinary transaction. InRequest makes all that a request writes one transaction. Each names the project
// that it works in, which row-level security on PostgreSQL holds it to. Errors leave this package as
// faults (errors.go).
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Config says where the database is.
type Config struct {
	// URL is sqlite://PATH or postgres://….
	URL string
	// MaxOpen bounds the connections to PostgreSQL, or the readers of SQLite. 0 is 20, or 8.
	MaxOpen int
	// Pooler is what is between the store and PostgreSQL.
	Pooler Pooler
	// Statement is how long a statement may take on PostgreSQL, and a batch as long as its statements
	// take. 0 is the URL's statement_timeout, or five seconds, which a batch has altogether.
	Statement time.Duration
	// LockWait is how long a statement on SQLite waits for another process that writes. 0 is five seconds.
	LockWait time.Duration
	// Enterprise is how much accounts on the enterprise plan can keep; zero fields: as much as the plan says.
	Enterprise account.Limits
	// EventBus tells that events also go to an event bus.
	EventBus bool
	// AllowNewer has Migrate accept a schema that a newer program made.
	AllowNewer bool
	// Vault seals the URLs of subscriptions and chat webhooks; nil: they are stored as they are.
	Vault ports.Vault
	// Migrated, if set, is called with the number of missing migrations that are applied, before the first and after each.
	Migrated func(done, of int)
	// Wrote is told of each project whose row a transaction wrote, once the transaction has ended; nil: nobody is.
	Wrote func(id.Project)
	// Trace begins a span around a piece of work, which what it returns ends; nil: there are none.
	Trace func(ctx context.Context, name string) (context.Context, func(error))
}

// DB is a database. Each of its views is one port.
type DB struct {
	Dialect Dialect
	// write and read are the same pool on PostgreSQL. SQLite has one writer at a time: write is one
	// connection, which callers wait for, and read only reads.
	write, read pool
	// login has, on PostgreSQL, the role of the login, for what no request does. It keeps no connection for long.
	login      *sqlx.DB
	pooler     Pooler
	settings   string                                         // behind a pooler: what every transaction begins with
	migrate    func(ctx context.Context, version int64) error // up to a version; 0: all
	wrote      func(id.Project)
	unit       *unit // of a view that InRequest made
	allowNewer bool
	migrations fs.FS // with the folders postgres and sqlite
	trace      func(context.Context, string) (context.Context, func(error))
}

// Open connects to the database, and creates the folder of a SQLite file. Migrate
// applies the migrations, which are in the folders postgres and sqlite.
func Open(ctx context.Context, c Config, migrations fs.FS) (*DB, error) {
	open := openPostgres
	if strings.HasPrefix(c.URL, "sqlite://") {
		open = openSQLite
	}
	s, err := open(ctx, c, migrations)
	if err != nil {
		return nil, err
	}
	if err := s.checkPooler(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.trace, s.wrote, s.allowNewer = c.Trace, c.Wrote, c.AllowNewer
	s.Dialect.stopped = new(atomic.Int64)
	s.Dialect.Enterprise = c.Enterprise
	s.Dialect.EventBus = c.EventBus
	s.Dialect.Vault = c.Vault
	return s, nil
}

// traced runs work in a span.
func (s *DB) traced(ctx context.Context, name string, work func(context.Context) error) error {
	if s.trace == nil {
		return work(ctx)
	}
	ctx, end := s.trace(ctx, name)
	err := work(ctx)
	end(err)
	return err
}

// Pools calls show for each of the store's connection pools. waiting is how many wait for a connection of it.
func (s *DB) Pools(show func(name string, db *sql.DB, waiting func() int)) {
	if s.read == s.write {
		show("postgres", s.write.DB.DB, s.write.places.Waiting)
		return
	}
	show("sqlite_read", s.read.DB.DB, s.read.places.Waiting)
	show("sqlite_write", s.write.DB.DB, s.write.places.Waiting)
}

// Migrate brings the schema up to date, under a lock, so that processes may start together. Behind a pooler it fails unless
// the schema is current. It refuses a schema that a newer program made, which a newer program may also do meanwhile.
func (s *DB) Migrate(ctx context.Context) error {
	if err := s.migrate(ctx, 0); err != nil {
		return err
	}
	return s.SchemaKnown(ctx)
}

// MigrateTo brings the schema to a version, and fails if it is at a later one.
func (s *DB) MigrateTo(ctx context.Context, version int64) error {
	if err := s.migrate(ctx, version); err != nil {
		return err
	}
	have, _, err := s.schema(ctx)
	if err == nil && have != version {
		err = fmt.Errorf("the database's schema has version %d, not %d", have, version)
	}
	return err
}

// Ping reports whether the database answers. Connections that broke while they lay in the pool, as all
// do when the server restarts, are used up and tell nothing.
func (s *DB) Ping(ctx context.Context) error {
	return retry(ctx, func() error {
		return onConn(ctx, s.read, AnyProject, func(conn *sqlx.Conn) error {
			var one int
			return ifUnharmed(translate(ctx, conn.GetContext(ctx, &one, "SELECT 1")))
		})
	})
}

// Now is the database's clock, in whole milliseconds.
func (s *DB) Now(ctx context.Context) (time.Time, error) {
	var now int64
	err := retry(ctx, func() error {
		return onConn(ctx, s.read, AnyProject, func(conn *sqlx.Conn) error {
			return ifUnharmed(translate(ctx, conn.GetContext(ctx, &now, "SELECT "+s.Dialect.Clock)))
		})
	})
	return Time(now), err
}

// ReadPool and WritePool are connections outside of all projects, for tests, which look at what transactions leave.
func (s *DB) ReadPool() *sqlx.DB {
	if s.Dialect.OneTrip {
		return s.login
	}
	return s.read.DB
}

func (s *DB) WritePool() *sqlx.DB { return s.login }

// OnWriter lends work a connection of WritePool. What work leaves open when it fails is rolled back.
func (s *DB) OnWriter(ctx context.Context, work func(*sqlx.Conn) error) error {
	return onConn(ctx, pool{DB: s.login}, AnyProject, work)
}

// Wrap returns a store over connections that somebody else opened, at most so many; it has no migrations.
func Wrap(conns *sqlx.DB, most int) *DB {
	d := PostgresDialect
	if conns.DriverName() == "sqlite" {
		d = sqliteDialect
	}
	all := newPool(conns, most)
	return &DB{
		Dialect: d,
		write:   all,
		read:    all,
		login:   conns,
	}
}

// Close closes all connections.
func (s *DB) Close() error {
	return errors.Join(s.read.Close(), s.write.Close(), s.login.Close())
}

// SetClock stops the database's clock at a time, for tests of what the clock decides. The zero time lets it go
// on.
func (s *DB) SetClock(now time.Time) {
	if now.IsZero() {
		s.Dialect.stopped.Store(0)
		return
	}
	s.Dialect.stopped.Store(Millis(now))
}

// Stand stops the database's clock at a time in every statement, not only where background work is due. No other
// goroutine may use the database meanwhile.
func (s *DB) Stand(at time.Time) {
	s.SetClock(at)
	s.Dialect.Clock = "CAST(" + strconv.FormatInt(Millis(at), 10) + " AS BIGINT)"
}
