package db

import (
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

func TestHostsInQuery(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"postgres://u:p@h/db?sslmode=disable":                        "postgres://u:p@h/db?sslmode=disable",
		"postgres:///db?host=/tmp,/run":                              "postgres:///db?host=/tmp,/run",
		"postgres://u:a,b@h:1/db":                                    "postgres://u:a,b@h:1/db",
		"postgres://u:p%40@a:1,b/db?target_session_attrs=read-write": "postgres://u:p%40@/db?connect_timeout=2&host=a%2Cb&port=1%2C5432&target_session_attrs=read-write",
		"postgres://a,b?port=7":                                      "postgres:///?connect_timeout=2&host=a%2Cb&port=7",
		"postgres://[::1]:1,[::2]/d":                                 "postgres:///d?connect_timeout=2&host=%3A%3A1%2C%3A%3A2&port=1%2C5432",
		"postgres://a,b/d?connect_timeout=9":                         "postgres:///d?connect_timeout=9&host=a%2Cb&port=5432%2C5432",
	} {
		if got, err := hostsInQuery(given); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", given, got, err, want)
		}
	}
	for given, want := range map[string]string{
		"postgres://u:secret@a,,b/db":         `"a,,b" has an empty host`,
		"postgres://u:secret@a:1,b/db?port=5": `"a:1,b"`,
		"postgres://u:secret@a,b/db?host=c":   `"a,b"`,
		"postgres://u:secret%@a,b/db":         "no URL",
	} {
		if got, err := hostsInQuery(given); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %s, %v, want %s", given, got, err, want)
		}
	}
}

// A read-only server, such as a replaced leader, is reported as fault.Unavailable, and its connections are not used
// again.
func TestOnStandby_readOnlyServer(t *testing.T) {
	t.Parallel()
	server := pgserver.Shared(t)
	address := server.Migrated(t, migrated)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	admin, err := sql.Open("postgres", server.AdminURL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	readOnly := func(is string) {
		t.Helper()
		statement := fmt.Sprintf("ALTER DATABASE %q SET default_transaction_read_only = %s", strings.TrimPrefix(u.Path, "/"), is)
		if _, err := admin.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	readOnly("on")
	s := openStore(t, Config{URL: address, MaxOpen: 1})
	writesTo := func(s *DB) error { return s.Exec(t.Context(), mine, addCharge, "proj_mine", "a", 1) }
	if err := writesTo(s); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("on a standby: %v", err)
	}
	query := u.Query()
	socket := query.Get("host")
	query.Set("host", socket+","+socket)
	query.Set("target_session_attrs", "read-write")
	u.RawQuery = query.Encode()
	many, err := openPostgres(t.Context(), Config{URL: u.String()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer many.Close()
	if err := writesTo(many); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("of several hosts none writes: %v", err)
	}
	readOnly("off")
	if err := writesTo(s); err != nil {
		t.Errorf("the pool still has a connection that does not write: %v", err)
	}
	if err := s.Exec(t.Context(), mine, addCharge, "proj_mine", "b", 1); err != nil {
		t.Error(err)
	}
	if err := many.Exec(t.Context(), mine, addCharge, "proj_mine", "c", 1); err != nil {
		t.Errorf("of several hosts one writes: %v", err)
	}
}
