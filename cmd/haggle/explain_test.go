package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// fails runs the program with the variables and returns its one-line error.
func fails(t *testing.T, variables []string, args ...string) string {
	t.Helper()
	c := command(t, "", args...)
	c.Env = append(c.Env, variables...)
	return failsOf(t, c)
}

// progressLine matches the progress of work that takes over a second, which any work may on a busy machine.
var progressLine = regexp.MustCompile(`(?m)^\w+ing( \w+)?: \d.*\n`)

func TestProgressLine(t *testing.T) {
	t.Parallel()
	work := progressOn(io.Discard, false, time.Now, "importing", "products")
	steps := progressOn(io.Discard, false, time.Now, "migrating", "migrations")
	steps.steps = true
	for _, text := range []string{
		steps.text("", 0, 0, 0, time.Second), steps.text("", 0, 0, 93, time.Second), steps.text("", 40, 40, 93, time.Minute+time.Second),
		work.text("", 0, 0, 0, time.Second), work.text("stock", 12_300, 6000, 14_000, 2*time.Second),
	} {
		if rest := progressLine.ReplaceAllString(text+"\nhaggle: 1 of 2\n", ""); rest != "haggle: 1 of 2\n" {
			t.Errorf("%q of %q is left", rest, text)
		}
	}
}

func failsOf(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	text := strings.TrimSpace(progressLine.ReplaceAllString(string(out), ""))
	if err == nil || strings.Contains(text, "\n") {
		t.Errorf("haggle %v: %v\n%s\nwant one line and a failure", c.Args[1:], err, text)
	}
	return text
}

// Database errors have the database's message, name the variable or the flag, and contain no password.
func TestRun_databaseErrors(t *testing.T) {
	t.Parallel()
	pg, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Close() })
	sql := func(text string) {
		t.Helper()
		if _, err := pg.PSQL("postgres", text); err != nil {
			t.Fatal(err)
		}
	}
	sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
	sql("CREATE ROLE plain LOGIN")
	sql("CREATE DATABASE shop OWNER plain")
	rules := "local all locked scram-sha-256\nlocal all all trust\n"
	path, err := pg.PSQL("postgres", "SHOW hba_file")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	sql("SELECT pg_reload_conf()")
	socket := strings.TrimPrefix(pg.ToolURL("shop"), "postgres://"+pgserver.Owner+"@")
	at := func(login string) string { return "postgres://" + login + "@" + socket }
	address := freePort(t)
	for _, c := range []struct{ url, says string }{
		{"postgres://shop:s3cret@" + address + "/shop", "cannot connect to PostgreSQL at " + address + ": connection refused (HAGGLE_DATABASE_URL)"},
		{"postgres://shop:s3cret@nowhere.invalid/shop", "cannot connect to PostgreSQL at nowhere.invalid:5432: nowhere.invalid: "},
		{at("nobody-such:s3cret"), `refuses the login: role "nobody-such" does not exist (HAGGLE_DATABASE_URL)`},
		{at("locked:s3cret"), `refuses the password: password authentication failed for user "locked" (HAGGLE_DATABASE_URL)`},
		{strings.Replace(at("plain:s3cret"), "/shop?", "/shoop?", 1), `refuses the login: database "shoop" does not exist. Create it with createdb (HAGGLE_DATABASE_URL)`},
		{at("plain:s3cret"), "permission denied to create role. The first migration makes the role haggle_app"},
	} {
		for _, cmd := range []string{"serve --addr=127.0.0.1:0 --ops-addr=127.0.0.1:0", "migrate", "backup " + filepath.Join(t.TempDir(), "b")} {
			if strings.HasPrefix(cmd, "backup") && strings.Contains(c.says, "migration") {
				continue // backup does not migrate
			}
			text := fails(t, []string{"HAGGLE_DATABASE_URL=" + c.url}, strings.Fields(cmd)...)
			if !strings.Contains(text, c.says) || strings.Contains(text, "s3cret") {
				t.Errorf("haggle %s on %s: %s\nwant %s", cmd, c.url, text, c.says)
			}
		}
	}
	text := fails(t, nil, "keys", "list", "--database-url=postgres://shop:s3cret@"+address+"/shop")
	if want := "cannot connect to PostgreSQL at " + address + ": connection refused (--database-url)"; !strings.HasSuffix(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Commands that need an existing database create none.
func TestRun_noDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mistyped.db")
	file := filepath.Join(t.TempDir(), "products.csv")
	if err := os.WriteFile(file, []byte("sku,name,price\nA,A,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"import --project=demo " + file, "keys list", "keys revoke key_x", "keys rotate-master", "keys create --projects=demo", "members list",
		"members invite a@example.com --projects=demo", "agents list --project=demo", "verify", "backup " + filepath.Join(t.TempDir(), "b"),
	} {
		if text := failsOf(t, command(t, "sqlite://"+path, strings.Fields(line)...)); text != "haggle: there is no database at "+path+" (HAGGLE_DATABASE_URL)" {
			t.Errorf("haggle %s: %s", line, text)
		}
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("haggle %s made a database", line)
		}
	}
	out, err := command(t, "sqlite://"+path, "keys", "create").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "Created a new database at "+path) {
		t.Errorf("haggle keys create: %v\n%s", err, out)
	}
}

// Start-up errors name the variable, or the flag if the value was given by one.
func TestRun_startErrors(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	address := busy.Addr().String()
	database := "HAGGLE_DATABASE_URL=sqlite://" + filepath.Join(t.TempDir(), "haggle.db")
	for _, c := range []struct {
		variables []string
		args      string
		says      string
	}{
		{[]string{"HAGGLE_ADDR=" + address}, "serve", "HAGGLE_ADDR: address " + address + " is already in use"},
		{[]string{"HAGGLE_ADDR=127.0.0.1:0"}, "serve --ops-addr=" + address, "--ops-addr: address " + address + " is already in use"},
		{[]string{"HAGGLE_ENV=staging"}, "serve", `HAGGLE_ENV must be one of "sandbox","production" but got "staging" (see haggle serve --help)`},
		{nil, "serve --env=staging", `--env must be one of "sandbox","production" but got "staging" (see haggle serve --help)`},
		{[]string{"HAGGLE_DATABASE_CONNECTIONS=many"}, "doctor", `HAGGLE_DATABASE_CONNECTIONS: expected`},
		{nil, "serve --acp-rate=fast", `--acp-rate is "fast"`},
		{[]string{"HAGGLE_ENV=production", "HAGGLE_BOOTSTRAP_KEY=", "HAGGLE_MASTER_KEY=" + strings.Repeat("k", 31)}, "serve", "HAGGLE_MASTER_KEY: key 1 has 31 bytes; the minimum is 32"},
	} {
		if text := fails(t, append(c.variables, database), strings.Fields(c.args)...); !strings.HasPrefix(text, "haggle: "+c.says) {
			t.Errorf("%v haggle %s: %s\nwant %s", c.variables, c.args, text, c.says)
		}
	}
}
