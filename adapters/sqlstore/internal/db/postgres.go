package db

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// serving are the limits of a connection that serves requests (milliseconds). lib/pq sends the settings that it does
// not know itself as run-time parameters. binary_parameters saves a round trip for each statement with parameters.
var serving = map[string]string{
	"statement_timeout":                   "5000",
	"lock_timeout":                        "2000",
	"idle_in_transaction_session_timeout": "10000",
	"application_name":                    "haggle",
	"binary_parameters":                   "yes",
	"jit":                                 "off", // compiling takes longer than any statement here
	"plan_cache_mode":                     "force_generic_plan",
	"random_page_cost":                    "1.1", // hot pages are in memory: 16 look-ups by key are cheaper than a scan of 1,000 rows
}

// Serve adds the limits of serving connections to a URL's query, where it has none.
func Serve(query url.Values) {
	for name, value := range serving {
		if !query.Has(name) {
			query.Set(name, value)
		}
	}
}

func openPostgres(_ context.Context, c Config, migrations fs.FS) (*DB, error) {
	u, config, err := postgresConfig(c)
	if err != nil {
		return nil, err
	}
	statement, err := statementTime(config.Runtime["statement_timeout"])
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if c.Statement > 0 {
		statement = 0 // one read may be many statements, and the caller waits for all of them
	}
	s := &DB{
		Dialect:    PostgresDialect,
		migrations: migrations,
		pooler:     c.Pooler,
	}
	s.migrate = func(ctx context.Context, version int64) error {
		return migratePostgres(ctx, u, schemaChange{migrations, version, c.Migrated})
	}
	mark := rand.Text()
	if c.Pooler == TransactionPooler {
		if err := s.setInTransactions(config.Runtime); err != nil {
			return nil, fmt.Errorf("database URL: %w", err)
		}
		config.Runtime = nil
	} else {
		config.Runtime[sessionMark] = mark
	}
	login := socketConnector{config: config, longest: statement}
	if _, err := login.connector(nil); err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	var requests driver.Connector = login
	if c.Pooler == NoPooler {
		requests = pgConnector{login, mark, &statements{}}
	}
	s.connect(requests, login, cmp.Or(c.MaxOpen, 20))
	return s, nil
}

// connect makes the pools of a database on PostgreSQL.
func (s *DB) connect(requests, login driver.Connector, most int) {
	all := sqlx.NewDb(sql.OpenDB(requests), "postgres")
	all.SetConnMaxIdleTime(5 * time.Minute)
	s.write = newPool(all, most)
	s.read = s.write
	s.login = sqlx.NewDb(sql.OpenDB(login), "postgres")
	s.login.SetConnMaxIdleTime(time.Second)
}

// postgresConfig returns the URL, and what connections that serve requests begin with.
func postgresConfig(c Config) (*url.URL, pq.Config, error) {
	address, err := hostsInQuery(c.URL)
	if err != nil {
		return nil, pq.Config{}, err
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, pq.Config{}, fmt.Errorf("the database URL must begin with sqlite:// or postgres://")
	}
	query := u.Query()
	if !query.Has("sslmode") {
		query.Set("sslmode", "prefer") // as psql does
		u.RawQuery = query.Encode()
	}
	Serve(query)
	if c.Statement > 0 {
		query.Set("statement_timeout", strconv.FormatInt(c.Statement.Milliseconds(), 10))
	}
	serves := *u
	serves.RawQuery = query.Encode()
	config, err := pq.NewConfig(serves.String())
	if err != nil {
		return nil, pq.Config{}, fmt.Errorf("database URL: %w", err)
	}
	return u, config, nil
}

// pgConnector opens the connections of a pool, which have the role of requests and prepare the same statements.
type pgConnector struct {
	socketConnector
	mark string
	all  *statements
}

func (c pgConnector) Connect(ctx context.Context) (driver.Conn, error) {
	guarded, err := c.open(ctx)
	if err != nil {
		return nil, refusedParameter(err)
	}
	guarded.all = c.all
	if err := guarded.takeRole(ctx, c.mark); err != nil {
		return nil, errors.Join(err, guarded.Close())
	}
	return guarded, nil
}

// onConnection returns a text that begins a transaction, without the settings that the connection has already.
func (c *pgConn) onConnection(text string) string {
	if c == nil || !c.guarded {
		return text
	}
	return strings.Replace(text, setRole, "", 1)
}

func onConnection(conn *sqlx.Conn, text string) string { return textFor(conn).conn.onConnection(text) }

var timeForm = regexp.MustCompile(`^\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min|h|d)?\s*$`)

var timeUnits = map[string]time.Duration{
	"us": time.Microsecond, "": time.Millisecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

// statementTime reads a statement_timeout as PostgreSQL does: in whole milliseconds, 0 for none.
func statementTime(text string) (time.Duration, error) {
	parts := timeForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("statement_timeout %q is not a time such as 5000 or 5s", text)
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return 0, fmt.Errorf("statement_timeout %q: %w", text, err)
	}
	return time.Duration(n * float64(timeUnits[parts[2]])).Round(time.Millisecond), nil
}

const selectUnguarded = `
SELECT rolname
FROM pg_roles
WHERE rolname = session_user
  AND (rolsuper OR rolbypassrls)`

// UnguardedLogin returns the role that the server logs in as, if row-level security does not apply to it; "" if it
// does, or if the engine has no roles. Requests give these rights up in every transaction, but migrations and mistakes
// do not.
func (s *DB) UnguardedLogin(ctx context.Context) (role string, err error) {
	if !s.Dialect.OneTrip {
		return "", nil
	}
	err = s.onLogin(ctx, func(conn *sqlx.Conn) error {
		err := conn.GetContext(ctx, &role, selectUnguarded)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return role, translate(ctx, err)
}

// migratePostgres uses a connection of its own, without the limits of connections that serve requests, and holds an
// advisory lock.
func migratePostgres(ctx context.Context, address *url.URL, change schemaChange) error {
	connector, err := pq.NewConnector(address.String())
	if err != nil {
		return fmt.Errorf("database URL: %w", err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return err
	}
	return retryLocks(ctx, func() error {
		return change.up(ctx, goose.DialectPostgres, db, "postgres", goose.WithSessionLocker(locker))
	})
}

// A migration that alters a table gives up waiting for its lock after some seconds (lock_timeout in the migration),
// because all other transactions queue behind it. It tries again when the holders of the lock may be done.
const (
	alterTries = 20
	alterPause = time.Second
)

// retryLocks runs migrations again that did not get a lock, or were the victim of a deadlock with a server's
// transaction, which locks tables in another order. Migrations that were applied are not run again.
func retryLocks(ctx context.Context, migrate func() error) error {
	for try := 1; ; try++ {
		err := migrate()
		var pgErr *pq.Error
		if try == alterTries || !errors.As(err, &pgErr) || pgErr.Code != "55P03" && pgErr.Code != "40P01" { // lock_not_available, deadlock_detected
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(alterPause):
		}
	}
}
