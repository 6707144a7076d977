package db

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// putMany stores charges in one connection's transaction, and has the rows counted at once.
func putMany(t *testing.T, s *DB, from, to int) {
	t.Helper()
	err := s.OnWriter(t.Context(), func(conn *sqlx.Conn) error {
		_, err := conn.ExecContext(t.Context(), fmt.Sprintf(`%s;
INSERT INTO sandbox_failures (project_id, key, failures) SELECT 'proj_mine', n, n FROM generate_series(%d, %d) AS n; COMMIT;
SELECT pg_stat_force_next_flush()`, s.Dialect.Begin(mine), from, to))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// known is how many rows statistics say that the table has, -1 without any, and how often it was analysed.
func known(t *testing.T, s *DB, table string) (rows, times int) {
	t.Helper()
	const ask = "SELECT reltuples, pg_stat_get_analyze_count(oid) FROM pg_class WHERE relname = $1"
	if err := s.ReadPool().QueryRowContext(t.Context(), ask, table).Scan(&rows, &times); err != nil {
		t.Fatal(err)
	}
	return rows, times
}

// A table is analysed when it has its first rows, and when it has doubled; not when nothing or little has changed.
func TestAnalyzeGrown(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	look := func(wantRows, wantTimes int) {
		t.Helper()
		if refused, err := s.AnalyzeGrown(t.Context()); err != nil || refused != nil {
			t.Fatalf("%v, %v", refused, err)
		}
		if rows, times := known(t, s, "sandbox_failures"); rows != wantRows || times != wantTimes {
			t.Errorf("statistics of %d rows, analysed %d times; want %d, %d", rows, times, wantRows, wantTimes)
		}
	}
	look(-1, 0)
	putMany(t, s, 1, 3)
	look(3, 1)
	look(3, 1)
	putMany(t, s, 4, 20)
	look(3, 1)
	putMany(t, s, 21, 1_000)
	look(1_000, 2)
	putMany(t, s, 1_001, 1_900)
	look(1_000, 2)
	putMany(t, s, 1_901, 2_500)
	look(2_500, 3)
	if rows, times := known(t, s, "orders"); rows != -1 || times != 0 {
		t.Errorf("an empty table has statistics of %d rows and was analysed %d times", rows, times)
	}
}

// A table that another replica is analysing is not waited for.
func TestAnalyzeGrown_lockedTable(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	putMany(t, s, 1, 3)
	err := s.OnWriter(t.Context(), func(conn *sqlx.Conn) error {
		if _, err := conn.ExecContext(t.Context(), "BEGIN; LOCK TABLE sandbox_failures IN SHARE UPDATE EXCLUSIVE MODE"); err != nil {
			return err
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.AnalyzeGrown(soon); err != nil {
			t.Error(err)
		}
		_, err := conn.ExecContext(t.Context(), "ROLLBACK")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows, _ := known(t, s, "sandbox_failures"); rows != -1 {
		t.Errorf("statistics of %d rows of a locked table", rows)
	}
}

// A login that does not own the tables gets their names, and no error.
func TestAnalyzeGrown_notTheOwner(t *testing.T) {
	t.Parallel()
	server := pgserver.Shared(t)
	url := server.Migrated(t, migrated)
	owner := openStore(t, Config{URL: url})
	putMany(t, owner, 1, 3)
	if _, err := server.PSQL("postgres", "CREATE ROLE serves_only LOGIN IN ROLE haggle_app"); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Config{URL: strings.Replace(url, pgserver.Owner, "serves_only", 1)}, os.DirFS("../../migrations"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	refused, err := s.AnalyzeGrown(t.Context())
	if err != nil || !slices.Contains(refused, "sandbox_failures") {
		t.Errorf("refused %v, %v", refused, err)
	}
}

// A prepared statement has one generic plan, which is made anew with new statistics.
func TestAnalyzeGrown_replansPreparedStatements(t *testing.T) {
	s := oneConnection(t)
	const find = "SELECT failures FROM sandbox_failures WHERE project_id = $1 AND key > $2"
	for range preparedAfter {
		if _, err := All[int](t.Context(), s.Read(mine), find, "proj_mine", ""); err != nil {
			t.Fatal(err)
		}
	}
	plan := func() string {
		t.Helper()
		var lines []string
		if err := s.read.SelectContext(t.Context(), &lines, "EXPLAIN EXECUTE haggle_0('proj_mine', 'a')"); err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
	before := plan()
	putMany(t, s, 1, 5_000)
	if _, err := s.AnalyzeGrown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := plan(); after == before {
		t.Errorf("before and after ANALYZE:\n%s", after)
	}
}
