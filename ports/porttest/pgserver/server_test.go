package pgserver

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestServer_CreateDatabase_template(t *testing.T) {
	t.Parallel()
	s := Shared(t)
	template := create(t, s, "")
	psql(t, s, template, "CREATE TABLE shelf (item text); INSERT INTO shelf VALUES ('lamp')")
	a, b := create(t, s, template), create(t, s, template)
	psql(t, s, a, "INSERT INTO shelf VALUES ('chair')")

	if got := psql(t, s, a, "SELECT item FROM shelf ORDER BY item"); got != "chair\nlamp" {
		t.Errorf("a holds %q", got)
	}
	if got := psql(t, s, b, "SELECT item FROM shelf ORDER BY item"); got != "lamp" {
		t.Errorf("b holds %q, want the template's rows alone", got)
	}
}

func TestServer_CreateDatabase_concurrent(t *testing.T) {
	t.Parallel()
	s := Shared(t)
	template := create(t, s, "")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			name := freshName()
			if err := s.CreateDatabase(name, template); err != nil {
				t.Error(err)
				return
			}
			if got, err := s.PSQL(name, "SELECT current_database()"); err != nil || got != name {
				t.Errorf("connected to %q, %v; want %q", got, err, name)
			}
		})
	}
	all.Wait()
}

func TestServer_ToolURL_rowLevelSecurity(t *testing.T) {
	t.Parallel()
	s := Shared(t)
	rows := create(t, s, "")
	const table = `CREATE TABLE shelf (project text);
		ALTER TABLE shelf ENABLE ROW LEVEL SECURITY;
		ALTER TABLE shelf FORCE ROW LEVEL SECURITY;
		CREATE POLICY own ON shelf FOR SELECT USING (project = 'mine');
		CREATE POLICY anybody ON shelf FOR INSERT WITH CHECK (true);
		INSERT INTO shelf VALUES ('mine'), ('theirs')`
	if _, err := s.psql(s.ToolURL(rows), table); err != nil {
		t.Fatal(err)
	}
	if got, err := s.psql(s.ToolURL(rows), "SELECT project FROM shelf"); err != nil || got != "mine" {
		t.Errorf("the owner sees %q, %v; want its own row", got, err)
	}
	if got := psql(t, s, rows, "SELECT count(*) FROM shelf"); got != "2" {
		t.Errorf("the superuser counts %s rows, want 2", got)
	}
}

func TestOptions_durableAfterCrash(t *testing.T) {
	t.Parallel()
	s, err := Start(Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	kept := create(t, s, "")
	psql(t, s, kept, "CREATE TABLE shelf AS SELECT 'lamp' AS item")
	if err := s.Stop(true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PSQL(kept, "SELECT 1"); err == nil {
		t.Error("a stopped server answers")
	}
	if err := s.Restart(false); err != nil {
		t.Fatal(err)
	}
	if got := psql(t, s, kept, "SELECT item FROM shelf"); got != "lamp" {
		t.Errorf("after the crash the table holds %q", got)
	}
	if got := psql(t, s, kept, "SHOW fsync"); got != "on" {
		t.Errorf("fsync is %s", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("Close left %s: %v", s.dir, err)
	}
}

const childMark = "PGSERVER_TEST_CHILD"

// TestMain lets this test program play the process that is killed.
func TestMain(m *testing.M) {
	if os.Getenv(childMark) == "" {
		os.Exit(m.Run())
	}
	s, err := Start(Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.dir)
	select {}
}

func TestServer_killedProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childMark+"=1")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(output).ReadString('\n')
	dir := strings.TrimSpace(line)
	if _, err := os.Stat(dir + "/.s.PGSQL.5432"); err != nil {
		t.Fatalf("the child's server has no socket: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait() // killed: its error says so
	gone := func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) }
	deadline := time.After(20 * time.Second)
	for tick := time.NewTicker(20 * time.Millisecond); !gone(); {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s is still there", dir)
		}
	}
}

func TestFindPrograms_missing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := findPrograms(t.TempDir() + "/*/bin")
	if err == nil || !strings.Contains(err.Error(), "make test") {
		t.Errorf("got %v, want a line that names make test", err)
	}
}

func TestFindPrograms_newestSupported(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	root := t.TempDir()
	for _, version := range []string{"9", "14", "15", "17"} {
		install(t, root+"/"+version+"/bin")
	}
	if err := os.Remove(root + "/17/bin/initdb"); err != nil { // a client-only installation
		t.Fatal(err)
	}
	got, err := findPrograms(root + "/*/bin")
	if want := root + "/15/bin"; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func install(t *testing.T, bin string) {
	t.Helper()
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"initdb", "pg_ctl", "postgres", "psql"} {
		if err := os.WriteFile(bin+"/"+program, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// freshName is a database name that no other test, and no other run of this one, uses.
func freshName() string { return fmt.Sprintf("test_%d", databases.Add(1)) }

func create(t *testing.T, s *Server, template string) string {
	t.Helper()
	name := freshName()
	if err := s.CreateDatabase(name, template); err != nil {
		t.Fatal(err)
	}
	return name
}

func psql(t *testing.T, s *Server, database, sql string) string {
	t.Helper()
	rows, err := s.PSQL(database, sql)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
