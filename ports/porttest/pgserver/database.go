package pgserver

import (
	"bytes"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
)

// Owner is the role that owns the databases. It is no superuser, so row-level security holds for it
// where a table forces it.
const Owner = "haggle_owner"

// URL addresses a database of this server as its owner, in the form that lib/pq reads.
func (s *Server) URL(database string) string { return s.url(Owner, database) }

// AdminURL addresses a database as the superuser, whom row-level security does not hold.
func (s *Server) AdminURL(database string) string { return s.url("postgres", database) }

func (s *Server) url(role, database string) string {
	query := url.Values{"host": {s.dir}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: query.Encode()}
	return u.String()
}

// CreateDatabase creates a database that belongs to Owner, as a copy of template or, without one,
// empty. The template must have no sessions: PostgreSQL waits five seconds for the last to leave,
// and CreateDatabase lets it wait three times.
func (s *Server) CreateDatabase(name, template string) error {
	if template == "" {
		template = "template0"
	}
	create := fmt.Sprintf("CREATE DATABASE %s OWNER %s TEMPLATE %s", quote(name), Owner, quote(template))
	var err error
	for range 3 {
		_, err = s.PSQL("postgres", create)
		if err == nil || !strings.Contains(err.Error(), "is being accessed by other users") {
			return err
		}
	}
	return err
}

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
