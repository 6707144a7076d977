package faults

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/faults"
)

// release is an entry of the changelog.
type release struct {
	version, commit string
	schema          int
}

var releaseEntry = regexp.MustCompile("(?m)^## (\\d+\\.\\d+\\.\\d+) .*\n\nCommit `([0-9a-f]+)`\\. Schema (\\d+)\\.")

// releaseBefore returns the newest release in the changelog with an older schema, so that the upgrade migrates.
func releaseBefore(changelog string, schema int) (release, error) {
	for _, entry := range releaseEntry.FindAllStringSubmatch(changelog, -1) {
		if of, err := strconv.Atoi(entry[3]); err == nil && of < schema {
			return release{
				version: entry[1],
				commit:  entry[2],
				schema:  of,
			}, nil
		}
	}
	return release{}, fmt.Errorf("CHANGELOG.md has no release with a schema older than %d", schema)
}

// build compiles the release from its commit and returns the program's path.
func (r release) build(root, dir string) (string, error) {
	script := `set -euo pipefail; mkdir -p "$3/source"; git -C "$1" archive "$2" | tar -x -C "$3/source"; cd "$3/source"; go build -tags faults -ldflags "$4" -o "$3/haggle" ./cmd/haggle` // the tag is of 0.3.0
	out, err := exec.Command("bash", "-c", script, "build", root, r.commit, dir, faults.LinkerFlags).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building release %s from commit %s, for which this needs the repository's history: %w\n%s", r.version, r.commit, err, out)
	}
	return filepath.Join(dir, "haggle"), os.RemoveAll(filepath.Join(dir, "source"))
}

// upgrade replaces two servers of the previous release by this program's, while buyers pay and a reader keeps a transaction
// open. Then it goes back to the previous release.
func (l *harness) upgrade(t *testing.T) {
	if !l.full {
		return // building the previous release takes minutes
	}
	servers := &replicas{}
	defer servers.kill()
	before, broken := l.upgradeUnder(servers, boottest.StartCluster(t, false))
	l.judge(t, "rolling upgrade", fmt.Sprintf("from %s and back", before.version), broken, servers.logs()...)
}

func (l *harness) upgradeUnder(servers *replicas, cluster *boottest.Cluster) (before release, broken []string) {
	fail := func(err error) (release, []string) { return before, append(broken, err.Error()) }
	root, err := filepath.Abs("../..")
	if err != nil {
		return fail(err)
	}
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return fail(err)
	}
	schema, err := l.schema()
	if err != nil {
		return fail(err)
	}
	if before, err = releaseBefore(string(changelog), schema); err != nil {
		return fail(err)
	}
	old := *l // the harness with the previous release as its program
	if old.program, err = before.build(root, filepath.Join(l.dir, "release")); err != nil {
		return fail(err)
	}
	const name = "upgraded"
	if err := cluster.CreateDatabase(name, ""); err != nil {
		return fail(err)
	}
	database := cluster.URL(name)
	if out, err := old.haggle(database, "migrate"); err != nil {
		return fail(fmt.Errorf("%w\n%s", err, out))
	}
	if err := old.serveEach(servers, database, database); err != nil {
		return fail(err)
	}
	work, err := l.begin(servers, 8)
	if err != nil {
		return fail(err)
	}
	u := &upgrading{
		harness: l,
		work:    work,
		servers: servers,
	}
	u.reaches()
	u.migrate(database, cluster.AdminURL(name))
	for range 2 {
		u.replaceOldest("this release", func() (*faults.Process, error) { return l.serve(database) })
	}
	if p, err := old.serve(database); err == nil {
		p.Kill()
		u.broken = append(u.broken, "the last release serves a newer schema without being told to")
	}
	for range 2 {
		u.replaceOldest("the last release", func() (*faults.Process, error) {
			return old.serve(database, "HAGGLE_ALLOW_NEWER_SCHEMA=true")
		})
	}
	return before, append(u.broken, work.end(database)...)
}

// schema returns the version that this program migrates to.
func (l *harness) schema() (int, error) {
	out, err := l.haggle("sqlite://unused", "version")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(out, "(schema ")
	number, _, _ := strings.Cut(rest, ",")
	return strconv.Atoi(number)
}

// upgrading is a load whose servers are replaced one by one.
type upgrading struct {
	harness *harness
	work    *load
	servers *replicas
	broken  []string
}

// reaches waits until buyers have paid for ten more orders.
func (u *upgrading) reaches() { u.broken = append(u.broken, u.work.reaches(u.work.paid()+10)...) }

// migrate runs this program's migrations next to servers of the previous release. A reader keeps a transaction open on every
// table until buyers have paid for ten more orders.
func (u *upgrading) migrate(database, admin string) {
	reader, err := openReader(admin)
	if err != nil {
		u.broken = append(u.broken, err.Error())
		return
	}
	began, ended := time.Now(), make(chan error, 1)
	go func() {
		out, err := u.harness.haggle(database, "migrate")
		if err != nil {
			err = fmt.Errorf("haggle migrate: %w\n%s", err, out)
		}
		ended <- err
	}()
	if !reader.isInTheWay(soon) {
		u.broken = append(u.broken, "no migration waited for the open reader")
	}
	u.reaches()
	if err := errors.Join(reader.end(), <-ended); err != nil {
		u.broken = append(u.broken, err.Error())
	}
	u.harness.progress("migrated in %s, %d orders", time.Since(began).Round(time.Millisecond), u.work.paid())
	u.reaches()
}

// reader has an open transaction that has read every table.
type reader struct {
	db *sql.DB
	tx *sql.Tx
}

func openReader(admin string) (*reader, error) {
	db, err := sql.Open("postgres", admin)
	if err != nil {
		return nil, err
	}
	tx, err := db.Begin()
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	const readAll = `
DO $$
DECLARE name TEXT;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('SELECT 1 FROM %I LIMIT 1', name);
  END LOOP;
END $$`
	if _, err := tx.Exec(readAll); err != nil {
		return nil, errors.Join(err, tx.Rollback(), db.Close())
	}
	return &reader{db, tx}, nil
}

// isInTheWay waits until a migration waits for a lock, or for the end of older transactions.
func (r *reader) isInTheWay(within time.Duration) (yes bool) {
	const waiting = `
SELECT EXISTS (
  SELECT FROM pg_locks
  WHERE NOT granted
    AND (mode = 'AccessExclusiveLock' OR locktype = 'virtualxid')
)`
	for patience := time.Now().Add(within); !yes && time.Now().Before(patience); time.Sleep(10 * time.Millisecond) {
		if err := r.db.QueryRow(waiting).Scan(&yes); err != nil {
			return false
		}
	}
	return yes
}

func (r *reader) end() error { return errors.Join(r.tx.Rollback(), r.db.Close()) }

// replaceOldest starts a server, removes the oldest one from the buyers' list, as a load balancer does, and shuts it down.
func (u *upgrading) replaceOldest(with string, start func() (*faults.Process, error)) {
	next, err := start()
	if err != nil {
		u.broken = append(u.broken, fmt.Sprintf("%s does not start: %v", with, err))
		return
	}
	u.servers.add(next)
	u.reaches()
	oldest := u.servers.removeFirst()
	if err := syscall.Kill(oldest.PID(), syscall.SIGTERM); err != nil {
		u.broken = append(u.broken, err.Error())
	}
	select {
	case <-oldest.Ended():
	case <-time.After(soon):
		u.broken = append(u.broken, "a server that was asked to end goes on")
	}
	u.reaches()
	u.harness.report.Count("servers replaced in a rolling upgrade", 1)
	u.harness.progress("replaced a server by %s, %d orders", with, u.work.paid())
}

func TestReleaseBefore(t *testing.T) {
	t.Parallel()
	const changelog = "# Changelog\n\n## 0.3.0 – 2026-12-01\n\nCommit `cccc`. Schema 104. Text.\n\n## 0.2.0 – 2026-11-27\n\nCommit `bbbb`. Schema 102. Text.\n"
	for schema, want := range map[int]string{105: "0.3.0", 104: "0.2.0", 103: "0.2.0", 102: ""} {
		if got, err := releaseBefore(changelog, schema); got.version != want || (err != nil) != (want == "") {
			t.Errorf("schema %d: %+v, %v, want %q", schema, got, err, want)
		}
	}
}
