package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// A pooler such as PgBouncer with pool_mode=transaction gives each transaction whichever connection to PostgreSQL is
// free. There SET, PREPARE, LISTEN, session-level advisory locks and most temporary tables "never" work
// (https://www.pgbouncer.org/features.html, as features.md of pgbouncer/pgbouncer.github.io at 1ce5540, read
// 2026-11-24), so behind one every transaction sets the role, the project, and the limits, which otherwise belong to
// the connection.

// Pooler is the kind of pooler between a store and PostgreSQL. The zero value is NoPooler.
type Pooler struct{ name string }

var (
	// NoPooler is for PostgreSQL itself: a connection is a session.
	NoPooler = Pooler{}
	// TransactionPooler is for poolers that give each transaction another connection. It also works with PostgreSQL itself.
	TransactionPooler = Pooler{"transaction"}
)

// ParsePooler reads what String returns.
func ParsePooler(text string) (Pooler, error) {
	for _, p := range []Pooler{NoPooler, TransactionPooler} {
		if text == p.String() {
			return p, nil
		}
	}
	return NoPooler, fmt.Errorf("%q must be none or transaction", text)
}

func (p Pooler) String() string {
	if p == NoPooler {
		return "none"
	}
	return p.name
}

var settingForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// localSettings are statements that set run-time parameters for the rest of a transaction, each after a semicolon. They
// are plain SET LOCAL, which PostgreSQL runs faster than one SELECT of set_config.
func localSettings(settings map[string]string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !settingForm.MatchString(name) {
			return "", fmt.Errorf("%q is no parameter of PostgreSQL", name)
		}
		values := strings.Split(settings[name], ",") // search_path is a list
		for i, v := range values {
			values[i] = pq.QuoteLiteral(strings.TrimSpace(v))
		}
		b.WriteString("; SET LOCAL " + name + " = " + strings.Join(values, ", "))
	}
	return b.String(), nil
}

// behindPooler returns the dialect whose transactions begin with settings.
func (d Dialect) behindPooler(settings string) Dialect {
	d.Begin = func(p id.Project) string { return "BEGIN" + settings + inProject(p) }
	d.BeginRead = func(p id.Project) string { return beginSnapshot + settings + inProject(p) }
	return d
}

// setInTransactions makes transactions begin with the settings that connections begin with if there is no pooler.
func (s *DB) setInTransactions(settings map[string]string) (err error) {
	delete(settings, "plan_cache_mode") // nothing is prepared
	s.settings, err = localSettings(settings)
	s.Dialect = PostgresDialect.behindPooler(s.settings)
	s.migrate = func(ctx context.Context, _ int64) error { return s.migratedAlready(ctx) }
	return err
}

// poolerError reports a pooler where none is expected. A session's role and prepared statements would be those of the
// previous client of the connection to PostgreSQL.
type poolerError struct{ sign string }

func (e *poolerError) Error() string {
	return "there is a connection pooler between Haggle and PostgreSQL (" + e.sign +
		"): set HAGGLE_DATABASE_POOLER=transaction, or point HAGGLE_DATABASE_URL at PostgreSQL itself"
}

// sessionMark is a run-time parameter that every connection asks for when it begins, without which it is not used.
//
// PgBouncer refuses a start-up parameter that it does not keep track of, or drops it if ignore_startup_parameters names
// it (ignore_startup_parameters in pgbouncer(5) of 1.18, read 2026-11-24), in every pool_mode. So the mark is set
// exactly if the start-up parameters reached PostgreSQL, on each new connection, even if a pooler is added later. A
// pooler that applies any parameter of a client to the connection that the client is given would pass: checkSessions is
// for that one.
const sessionMark = "haggle.connection"

// refusedParameter returns the error of a pooler that refuses a start-up parameter, and any other one as it is.
func refusedParameter(err error) error {
	var pgErr *pq.Error
	if errors.As(err, &pgErr) && strings.Contains(pgErr.Message, "startup parameter") {
		return &poolerError{pgErr.Message}
	}
	return err
}

// takeRole sets the role of requests for the whole session, if the connection carries the mark; the session of a pooler
// is left as it is. Before the first migration there is no such role: then each transaction takes it on.
func (c *pgConn) takeRole(ctx context.Context, mark string) error {
	rows, err := c.QueryContext(ctx, "SELECT CASE current_setting('"+sessionMark+"', true) WHEN "+pq.QuoteLiteral(mark)+
		" THEN set_config('role', 'haggle_app', false) END", nil)
	role := make([]driver.Value, 1)
	if err == nil {
		err = errors.Join(rows.Next(role), rows.Close())
	}
	var pgErr *pq.Error
	switch {
	case errors.As(err, &pgErr) && (pgErr.Code == "22023" || pgErr.Code == "42501"): // no such role, not a member
		return nil
	case err == nil && role[0] == nil:
		return &poolerError{"the parameters that a connection begins with do not reach PostgreSQL"}
	}
	c.guarded = err == nil
	return err
}

// lookingOrder is the order in which checkSessions uses two connections. A pooler that gives every transaction the
// connection that was freed last, as PgBouncer does, gives both the same one; a pooler that uses its connections in
// turn gives neither the same one all the time, whether it has an odd or an even number of them.
var lookingOrder = [...]int{0, 1, 0, 0, 1, 1}

// checkSessions fails if two connections do not have a PostgreSQL process each that stays the same. It cannot detect a
// pooler that gives each client the same connection as long as no other client needs it. There requests may run as the
// login's role, without the restrictions of haggle_app, but still in their own project: each transaction sets it, and
// row-level security applies to the tables' owner, too (FORCE).
func (s *DB) checkSessions(ctx context.Context) error {
	var conns [2]*sqlx.Conn
	for i := range conns {
		conn, err := s.login.Connx(ctx)
		if err != nil {
			return refusedParameter(err)
		}
		defer drop(conn) // it is one that the pool keeps otherwise
		conns[i] = conn
	}
	var processes [2]int
	for _, i := range lookingOrder {
		var process int
		if err := conns[i].GetContext(ctx, &process, "SELECT pg_backend_pid()"); err != nil {
			return err
		}
		if processes[i] != 0 && processes[i] != process || processes[1-i] == process {
			return &poolerError{"connections share PostgreSQL's sessions"}
		}
		processes[i] = process
	}
	return nil
}

// checkPooler pings the database, and fails if there is a pooler where none is expected.
func (s *DB) checkPooler(ctx context.Context) error {
	err := s.Ping(ctx)
	if err == nil && s.Dialect.OneTrip && s.pooler == NoPooler {
		err = s.checkSessions(ctx)
	}
	var found *poolerError
	if errors.As(err, &found) {
		return found
	}
	return err
}

// onLogin runs work on a connection with the role of the login. Behind a pooler work is one transaction, because there
// a connection has no limits of its own.
func (s *DB) onLogin(ctx context.Context, work func(*sqlx.Conn) error) error {
	return onConn(ctx, pool{DB: s.login}, AnyProject, func(conn *sqlx.Conn) error {
		if s.pooler == NoPooler {
			return work(conn)
		}
		if _, err := conn.ExecContext(ctx, "BEGIN"+s.settings); err != nil {
			return err
		}
		if err := work(conn); err != nil {
			return err
		}
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	})
}

// migratedAlready is Migrate behind a pooler. Migrations exclude each other by a session-level advisory lock, as those
// of replicas without a pooler do (goose's lock.SessionLocker: "both methods must be called on the same connection",
// v3.27.3). PgBouncer would leave the lock on a connection that another client has by then.
func (s *DB) migratedAlready(ctx context.Context) error {
	err := s.SchemaCurrent(ctx)
	var failed *fault.Error
	if err == nil || errors.As(err, &failed) && failed.Kind == fault.Unavailable {
		return err
	}
	return &Described{fmt.Sprintf("the schema is not current, and a migration takes PostgreSQL itself: run `haggle migrate` "+
		"with HAGGLE_DATABASE_POOLER=none and a HAGGLE_DATABASE_URL that leads past the pooler (%v)", err), err}
}
