package backup_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/backup"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/db"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

func ignore(string, int64) {}

func written(t *testing.T, s *storetest.Store) []byte {
	t.Helper()
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), s.DB, &file, backup.Header{Version: "1.2.3", Proof: []byte{1}}, ignore); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// content is a backup without its header and its checksum.
func content(file []byte) string {
	lines := strings.SplitAfter(string(file), "\n")
	return strings.Join(lines[1:len(lines)-2], "")
}

// sold is a database with a sale, and texts and bytes of all kinds.
func sold(t *testing.T, s *storetest.Store) *storetest.Store {
	t.Helper()
	storetest.SoldOnce(t, s)
	storetest.Change(t, s, `UPDATE products SET name = 'Straße "42", a\b`+"\n\t☂ \u2028"+` NULL \N'`)
	return s
}

// A backup of each engine, restored on each engine, has the same rows as the original. The restored database works as
// before: it numbers rows, runs its triggers, and separates its projects.
func TestLoad_whatWasWritten(t *testing.T) {
	t.Parallel()
	for from, open := range storetest.Engines {
		for to, open2 := range storetest.Engines {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				file := written(t, sold(t, open(t)))
				target := open2(t)
				before := guards(t, target)
				s, err := backup.Load(t.Context(), target.DB, bytes.NewReader(file), ignore)
				if err != nil {
					t.Fatal(err)
				}
				if s.Header.Engine != from || s.Header.Version != "1.2.3" || s.Rows["orders"] != 1 || s.Total() < 15 {
					t.Errorf("%+v", s)
				}
				if got, want := content(written(t, target)), content(file); got != want {
					t.Errorf("restored\n%s\nnot\n%s", got, want)
				}
				if after := guards(t, target); !slices.Equal(before, after) {
					t.Errorf("guarded by\n%v\nnot\n%v", after, before)
				}
				for _, v := range storetest.Verified(t, target).Violations() {
					t.Errorf("%+v", v)
				}
				storetest.Change(t, target, `INSERT INTO stock_moves (project_id, variant_id, location, delta, reason, created_at)
SELECT id, 'v', 'main', 1, 'found', 1 FROM projects`)
				if err := target.DB.Exec(t.Context(), db.AnyProject, "UPDATE ledger_transactions SET id = id"); err == nil {
					t.Error("the ledger may be changed")
				}
			})
		}
	}
}

// guards are the triggers, and on PostgreSQL the tables with row-level security.
func guards(t *testing.T, s *storetest.Store) (names []string) {
	t.Helper()
	query := "SELECT name || sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
	if s.DB.Dialect.OneTrip {
		query = `
SELECT relname || ' secured ' || relrowsecurity || relforcerowsecurity FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
UNION ALL
SELECT conname || ' ' || condeferrable || condeferred || convalidated FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL
SELECT tgrelid::regclass || ' ' || tgname || ' ' || CAST(tgenabled AS TEXT) FROM pg_trigger WHERE NOT tgisinternal
ORDER BY 1`
	}
	if err := s.DB.WritePool().SelectContext(t.Context(), &names, query); err != nil || len(names) < 50 {
		t.Fatal(len(names), err)
	}
	return names
}

// A database with data is left as it is.
func TestLoad_notEmpty(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		file := written(t, sold(t, s))
		before := content(file)
		if _, err := backup.Load(t.Context(), s.DB, bytes.NewReader(file), ignore); !errors.Is(err, backup.ErrNotEmpty) {
			t.Error(err)
		}
		if content(written(t, s)) != before {
			t.Error("it was changed")
		}
	})
}

// A backup that was cut off or changed anywhere is refused, and nothing of it is loaded.
func TestCheck_damaged(t *testing.T) {
	t.Parallel()
	file := written(t, sold(t, storetest.FreshSQLite(t)))
	if _, err := backup.Check(bytes.NewReader(file), ignore); err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(file); cut += 1 + len(file)/200 {
		if _, err := backup.Check(bytes.NewReader(file[:cut]), ignore); !errors.Is(err, backup.ErrIncomplete) {
			t.Errorf("cut at %d of %d: %v", cut, len(file), err)
		}
	}
	for at := 0; at < len(file); at += 1 + len(file)/200 {
		other := slices.Clone(file)
		other[at] ^= 1
		if _, err := backup.Check(bytes.NewReader(other), ignore); err == nil {
			t.Errorf("changed at %d of %d: no error", at, len(file))
		}
	}
	lines := bytes.SplitAfter(file, []byte("\n"))
	for name, other := range map[string][]byte{
		"a line twice":   slices.Concat(lines[0], lines[1], lines[2], bytes.Join(lines[2:], nil)),
		"a line missing": slices.Concat(lines[0], lines[1], bytes.Join(lines[3:], nil)),
		"more behind":    append(slices.Clone(file), ' '),
		"another file":   []byte("hello\n"),
	} {
		if _, err := backup.Check(bytes.NewReader(other), ignore); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLoad_damaged(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		file := written(t, sold(t, storetest.FreshSQLite(t)))
		empty := content(written(t, s))
		for _, cut := range []int{len(file) / 2, len(file) - 1} {
			if _, err := backup.Load(t.Context(), s.DB, bytes.NewReader(file[:cut]), ignore); !errors.Is(err, backup.ErrIncomplete) {
				t.Errorf("cut at %d: %v", cut, err)
			}
		}
		changed := bytes.Replace(file, []byte("Oslo"), []byte("Olso"), 1)
		if _, err := backup.Load(t.Context(), s.DB, bytes.NewReader(changed), ignore); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("changed: %v", err)
		}
		if got := content(written(t, s)); got != empty {
			t.Errorf("it has now\n%s", got)
		}
	})
}

// A backup is a snapshot: it has all or nothing of each transaction, while another process writes.
func TestWrite_oneMoment(t *testing.T) {
	t.Parallel()
	for engine, url := range map[string]string{
		"sqlite":   "sqlite://" + filepath.Join(t.TempDir(), "haggle.db"),
		"postgres": pgserver.Shared(t).Database(t, ""),
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			if err := storetest.Migrated(url); err != nil {
				t.Fatal(err)
			}
			writer, reader := storetest.OpenStore(t, sqlstore.Config{URL: url}), storetest.OpenStore(t, sqlstore.Config{URL: url})
			sold(t, writer)
			// Accounts come first in a backup, variants late.
			both := func(n int) {
				if err := writer.DB.InTx(t.Context(), db.AnyProject, func(tx *db.Tx) error {
					_, err := tx.Exec(t.Context(), fmt.Sprintf("UPDATE accounts SET name = 'moment %d'", n))
					_, err2 := tx.Exec(t.Context(), fmt.Sprintf("UPDATE variants SET color = 'moment %d'", n))
					return errors.Join(err, err2)
				}); err != nil {
					t.Error(err)
				}
			}
			both(0)
			written1, stop := make(chan struct{}, 1), make(chan struct{})
			var writing sync.WaitGroup
			writing.Go(func() {
				for n := 1; ; n++ {
					both(n)
					select {
					case written1 <- struct{}{}:
					default:
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			})
			for range 10 {
				<-written1
				found := regexp.MustCompile(`moment \d+`).FindAllString(content(written(t, reader)), -1)
				if len(found) < 2 || len(slices.Compact(found)) > 1 {
					t.Errorf("the backup has %v", found)
				}
			}
			close(stop)
			writing.Wait()
		})
	}
}
