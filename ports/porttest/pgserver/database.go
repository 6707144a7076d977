package pgserver

import (
	"bytes"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Owner is the role that owns the databases. It is no superuser, so row-level security applies to it if a table forces
// it.
const Owner = "haggle_owner"

// URL addresses a database of this server as its owner, in the form that lib/pq reads. Statements and
// locks have half a minute: a test that waits on a machine that stalls is late, and not wrong.
func (s *Server) URL(database string) string {
	return s.ToolURL(database) + "&lock_timeout=30000&statement_timeout=30000&idle_in_transaction_session_timeout=60000"
}

// ToolURL addresses a database as its owner in the form that PostgreSQL's own programs read.
func (s *Server) ToolURL(database string) string { return s.url(Owner, database) }

// AdminURL addresses a database as the superuser, to whom row-level security does not apply.
func (s *Server) AdminURL(database string) string { return s.url("postgres", database) }

func (s *Server) url(role, database string) string {
	query := url.Values{"host": {s.dir}, "sslmode": {"disable"}}
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: query.Encode(),
	}
	return u.String()
}

// CreateDatabase creates a database that belongs to Owner, as a copy of template or, without one,
// empty. The template must have no sessions: PostgreSQL waits five seconds for the last to leave,
// and CreateDatabase lets it wait three times.
func (s *Server) CreateDatabase(name, template string) error {
	if template == "" {
		template = "template0"
	}
	create := fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE %s STRATEGY FILE_COPY", quote(name), Owner, quote(template))
	var err error
	for range 3 {
		_, err = s.PSQL("postgres", create)
		if err == nil || !strings.Contains(err.Error(), "is being accessed by other users") {
			return err
		}
	}
	return err
}

// Database makes a database as CreateDatabase does, for as long as the test runs, and returns its URL.
func (s *Server) Database(tb testing.TB, template string) (url string) {
	tb.Helper()
	name := fmt.Sprintf("test_%d", databases.Add(1))
	if err := s.CreateDatabase(name, template); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_, _ = s.PSQL("postgres", "DROP DATABASE "+quote(name)+" WITH (FORCE)") // it goes with the cluster otherwise
	})
	return s.URL(name)
}

// Migrated makes a database as Database does. It is a copy of one that migrate made, once for this
// server: always the same migrate.
func (s *Server) Migrated(tb testing.TB, migrate func(url string) error) (url string) {
	tb.Helper()
	const name = "migrated"
	t := &s.template
	t.once.Do(func() {
		if t.err = s.CreateDatabase(name, ""); t.err == nil {
			t.err = migrate(s.URL(name))
		}
	})
	if t.err != nil {
		tb.Fatal(t.err)
	}
	return s.Database(tb, name)
}

var databases atomic.Int64

func quote(identifier string) string {
	return `"` + strings.ReplaceAll(identifier, `"`, `""`) + `"`
}

// PSQL runs SQL as the superuser and returns the rows, one a line with | between columns. The first
// error ends it and is returned.
func (s *Server) PSQL(database, sql string) (string, error) {
	return s.psql(s.AdminURL(database), sql)
}

func (s *Server) psql(address, sql string) (string, error) {
	cmd := exec.Command(filepath.Join(s.bin, "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", sql)
	cmd.Dir = "/"
	cmd.Env = environment()
	var rows, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &rows, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(rows.String()), nil
}
