// Package db is the engine under the stores: transactions, batches, retries, and the differences between PostgreSQL and
// SQLite. It knows only the tables that its own work needs.
//
// Statements are written once, for both engines, with $1 parameters; Dialect holds what differs. Read and Write begin a
// batch, several statements in one round trip, for the hot paths. InTx is an ordinary transaction. InRequest makes all
// writes of a request one transaction. Each names the project that it works in, which row-level security enforces on
// PostgreSQL. The package returns errors as faults (errors.go).
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

// Config is the configuration of a database.
type Config struct {
	// URL is sqlite://PATH or postgres://….
	URL string
	// MaxOpen bounds the connections to PostgreSQL, or the readers of SQLite. 0 is 20, or 8.
	MaxOpen int
	// Pooler is what is between the store and PostgreSQL.
	Pooler Pooler
	// Statement is the time limit of a statement on PostgreSQL; a batch has as much for all of its statements. 0 is the
	// URL's statement_timeout, or five seconds.
	Statement time.Duration
	// LockWait is how long a statement on SQLite waits for another process that writes. 0 is five seconds.
	LockWait time.Duration
	// Enterprise overrides the limits of the enterprise plan; zero fields have the limits of the plan.
	Enterprise account.Limits
	// EventBus means that events also go to an event bus.
	EventBus bool
	// AllowNewer makes Migrate accept the schema of a newer program.
	AllowNewer bool
	// Vault encrypts the URLs of subscriptions and chat webhooks; nil: they are stored as plain text.
	Vault ports.Vault
	// Migrated, if set, is called with the number of missing migrations that are applied, before the first and after each.
	Migrated func(done, of int)
	// Wrote is called with each project whose row a transaction wrote, once the transaction has ended. It may be nil.
	Wrote func(id.Project)
	// Trace begins a span, and returns the function that ends it; nil: there are no spans.
	Trace func(ctx context.Context, name string) (context.Context, func(error))
}

// DB is a database. Each of its views is one port.
type DB struct {
	Dialect Dialect
	// write and read are the same pool on PostgreSQL. SQLite has one writer at a time, so write is one connection, for
	// which callers wait, and read only reads.
	write, read pool
	// login has, on PostgreSQL, the role of the login. It serves work outside requests, and keeps no connection for
	// long.
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

// Migrate brings the schema up to date, under a lock, so that processes may start together. Behind a pooler it fails
// unless the schema is current. It refuses the schema of a newer program, even if that program migrates at the same
// time.
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

// Ping reports whether the database answers. Pooled connections that are broken, as all are after a restart of the
// server, are used up and do not count.
func (s *DB) Ping(ctx context.Context) error {
	return retry(ctx, func() error {
		return onConn(ctx, s.read, AnyProject, func(conn *sqlx.Conn) error {
			var one int
			return asRetryable(translate(ctx, conn.GetContext(ctx, &one, "SELECT 1")))
		})
	})
}

// Now is the database's clock, in whole milliseconds.
func (s *DB) Now(ctx context.Context) (time.Time, error) {
	var now int64
	err := retry(ctx, func() error {
		return onConn(ctx, s.read, AnyProject, func(conn *sqlx.Conn) error {
			return asRetryable(translate(ctx, conn.GetContext(ctx, &now, "SELECT "+s.Dialect.Clock)))
		})
	})
	return Time(now), err
}

// ReadPool and WritePool are connections outside of all projects, for tests that inspect stored rows.
func (s *DB) ReadPool() *sqlx.DB {
	if s.Dialect.OneTrip {
		return s.login
	}
	return s.read.DB
}

func (s *DB) WritePool() *sqlx.DB { return s.login }

// OnWriter runs work on a connection of WritePool. If work fails, a transaction that it left open is rolled back.
func (s *DB) OnWriter(ctx context.Context, work func(*sqlx.Conn) error) error {
	return onConn(ctx, pool{DB: s.login}, AnyProject, work)
}

// Wrap returns a store over at most most connections of an open pool; it has no migrations.
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
