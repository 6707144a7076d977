// Package sqlstore implements the storage ports in PostgreSQL or an embedded SQLite file. It stores the domain's
// decisions and decides nothing itself.
//
// Each view of a Store implements the ports of one area. Each subpackage is one area, over the engine in internal/db.
package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"io"
	"io/fs"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/backup"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/events"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/history"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/queue"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/requests"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/verify"
	"github.com/haggle-commerce/haggle/ports"
)

//go:embed migrations
var migrations embed.FS

// Config configures Open.
type Config = db.Config

// Pooler is the kind of connection pooler between a store and PostgreSQL.
type Pooler = db.Pooler

// TransactionPooler is for poolers that give each transaction another connection to PostgreSQL, such as PgBouncer.
var TransactionPooler = db.TransactionPooler

// ParsePooler parses "none" or "transaction".
func ParsePooler(text string) (Pooler, error) { return db.ParsePooler(text) }

// Store is a database. Each of its views is one port, or a few that belong together.
type Store struct{ db *db.DB }

// Open connects to the database, and creates the folder of a SQLite file. Migrate creates the schema.
func Open(ctx context.Context, c Config) (*Store, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	opened, err := db.Open(ctx, c, files)
	if err != nil {
		return nil, err
	}
	return &Store{opened}, nil
}

// On returns a store over an open database.
func On(opened *db.DB) *Store { return &Store{opened} }

// Within runs work on a view of the store in which all writes are one transaction, and reads after the
// first write see it. A write through the view that fails leaves no trace, as in a transaction of its
// own. If work returns nil the transaction commits, else it rolls back. With a claim, the transaction
// begins by claiming the key; when the key is taken, Within returns ErrKeyTaken, whatever work returns.
//
// work may run more than once, writes through the view alone, and from one goroutine.
func (s *Store) Within(ctx context.Context, claim *ports.KeyUsage, work func(*Store) error) error {
	return s.db.InRequest(ctx, requests.Claiming(claim), func(view *db.DB) error { return work(&Store{view}) })
}

// AfterEnd runs f when the view's transaction has ended and its connection is free, and reports to f whether the
// transaction committed; if that is unknown, true. Without a transaction f runs at once.
func (s *Store) AfterEnd(f func(committed bool)) { s.db.AfterEnd(f) }

// Migrate brings the schema up to date, under a lock, so that processes may start together. Behind a pooler it fails unless
// the schema is current.
func (s *Store) Migrate(ctx context.Context) error { return s.db.Migrate(ctx) }

// ErrSchemaNewer means that a newer program has migrated the database.
var ErrSchemaNewer = db.ErrSchemaNewer

// Describe returns an error that the database at the URL caused in the words of the database, the network or the operating
// system, for those who run the program. Other errors are returned as they are. It leaves out passwords.
func Describe(url string, err error) error { return db.Describe(url, err) }

// SchemaVersion is the version of the schema that this program makes; both engines have the same.
func SchemaVersion() (int64, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return 0, err
	}
	return db.SchemaVersion(files, true)
}

// SchemaCurrent fails while the database lacks migrations that this program needs. One that a newer program has migrated is
// current, so that replicas go on while an upgrade replaces them.
func (s *Store) SchemaCurrent(ctx context.Context) error { return s.db.SchemaCurrent(ctx) }

// SchemaKnown fails if a newer program has migrated the database, unless the configuration allows it.
func (s *Store) SchemaKnown(ctx context.Context) error { return s.db.SchemaKnown(ctx) }

// Distribution divides PostgreSQL's tables by project, as Citus does.
func (s *Store) Distribution(ctx context.Context) (db.Distribution, error) {
	return s.db.Distribution(ctx)
}

// UnguardedLogin is the role that the server logs in as, if row-level security does not hold it; "" if it does, or if the
// engine has no roles. Requests give these rights up in every transaction, migrations and mistakes do not.
func (s *Store) UnguardedLogin(ctx context.Context) (role string, err error) {
	return s.db.UnguardedLogin(ctx)
}

// Analyze brings the planner's statistics of catalogues up to date, after a large import.
func (s *Store) Analyze(ctx context.Context) error { return s.db.Analyze(ctx) }

// AnalyzeGrown brings the planner's statistics of tables up to date that have none, or have twice the rows that they had
// then. It returns those of them that the server's login may not analyse.
func (s *Store) AnalyzeGrown(ctx context.Context) (refused []string, err error) {
	return s.db.AnalyzeGrown(ctx)
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Now is the database's clock, in whole milliseconds.
func (s *Store) Now(ctx context.Context) (time.Time, error) { return s.db.Now(ctx) }

// SetClock stops the database's clock at a time, for tests of what the clock decides. The zero time lets it go
// on.
func (s *Store) SetClock(now time.Time) { s.db.SetClock(now) }

// Stand stops the database's clock at a time in every statement. No other goroutine may use the store meanwhile.
func (s *Store) Stand(at time.Time) { s.db.Stand(at) }

// Pools calls show for each of the store's connection pools. waiting is how many wait for a connection of it.
func (s *Store) Pools(show func(name string, pool *sql.DB, waiting func() int)) { s.db.Pools(show) }

// Close closes all connections.
func (s *Store) Close() error { return s.db.Close() }

// SetAside is how many rows of each queue are set aside.
func (s *Store) SetAside(ctx context.Context) (map[string]int, error) {
	return queue.CountSetAside(ctx, s.db)
}

// ForgetSetAside removes the entries of set-aside rows that no longer exist.
func (s *Store) ForgetSetAside(ctx context.Context) error { return queue.ForgetSetAside(ctx, s.db) }

// OutboxLag is how many events, and deliveries of events, of all projects wait, and when the first of
// them is due; the zero time when none waits.
func (s *Store) OutboxLag(ctx context.Context) (pending int, oldest time.Time, err error) {
	return events.OutboxLag(ctx, s.db)
}

// ForgetSlugs frees expired released slugs.
func (s *Store) ForgetSlugs(ctx context.Context) error { return accounts.ForgetSlugs(ctx, s.db) }

// SealAddresses encrypts the URLs that earlier releases stored in plain text, and returns how many there were. It may
// be repeated, and run by several replicas at once.
func (s *Store) SealAddresses(ctx context.Context) (int, error) {
	return accounts.SealAddresses(ctx, s.db)
}

// ResealAddresses seals the URLs of chat webhooks under the vault's first key, and returns how many there are. Those of
// subscriptions are resealed with their secrets.
func (s *Store) ResealAddresses(ctx context.Context) (int, error) {
	return accounts.ResealAddresses(ctx, s.db)
}

// MigrateTo brings the schema to a version, and fails if it is at a later one.
func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	return s.db.MigrateTo(ctx, version)
}

// Backup writes all rows as they are at one moment.
func (s *Store) Backup(ctx context.Context, to io.Writer, h backup.Header, progress backup.Progress) (backup.Summary, error) {
	return backup.Write(ctx, s.db, to, h, progress)
}

// Restore loads a backup into an empty database of the backup's schema.
func (s *Store) Restore(ctx context.Context, from io.Reader, progress backup.Progress) (backup.Summary, error) {
	return backup.Load(ctx, s.db, from, progress)
}

// Verify checks every invariant over all projects, in one state of the database, and changes nothing.
// A server may be running on it. checked, if not nil, is called with the number of checked invariants.
func (s *Store) Verify(ctx context.Context, now time.Time, checked func(done, of int)) (verify.Verification, error) {
	if checked == nil {
		checked = func(int, int) {}
	}
	return verify.Verify(ctx, s.db, now, checked)
}

// ExportHistory writes a project's records, from SQLite. No server may use the database.
func (s *Store) ExportHistory(ctx context.Context, of history.Names, from, until time.Time, w io.Writer) error {
	return history.Export(ctx, s.db, of, from, until, w)
}

// LoadHistory writes a history into an unused project, and reports whether it did.
func (s *Store) LoadHistory(ctx context.Context, into history.Names, now time.Time, random func([]byte), file io.Reader) (bool, error) {
	return history.Load(ctx, s.db, into, now, random, file)
}

// Undecided is how many payments and refunds are under way.
func (s *Store) Undecided(ctx context.Context) (int, error) { return verify.Undecided(ctx, s.db) }

// MovedByProviders returns the charges and refunds of providers, of all projects, and the payments and refunds under
// way.
func (s *Store) MovedByProviders(ctx context.Context) ([]verify.Moved, verify.UnderWay, error) {
	return verify.MovedByProviders(ctx, s.db)
}
