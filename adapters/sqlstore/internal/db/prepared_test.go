package db

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// oneConnection is a database with a single connection, so that a test knows which one it gets.
func oneConnection(t *testing.T) *DB {
	t.Helper()
	t.Parallel()
	return openStore(t, Config{URL: pgserver.Shared(t).Migrated(t, migrated), MaxOpen: 1})
}

func (s *DB) mustPut(t *testing.T, key any, failures int) {
	t.Helper()
	if err := s.Exec(t.Context(), mine, addCharge, "proj_mine", key, failures); err != nil {
		t.Fatal(err)
	}
}

// preparedNow are the statements that the connection has prepared, and how often their generic plans were used.
func preparedNow(t *testing.T, s *DB) (n, generic, custom int) {
	t.Helper()
	row := s.read.QueryRowContext(t.Context(),
		"SELECT count(*), coalesce(sum(generic_plans), 0), coalesce(sum(custom_plans), 0) FROM pg_prepared_statements WHERE name LIKE 'haggle%'")
	if err := row.Scan(&n, &generic, &custom); err != nil {
		t.Fatal(err)
	}
	return n, generic, custom
}

func TestPrepared_afterSomeUses(t *testing.T) {
	s := oneConnection(t)
	for i := range preparedAfter + 3 {
		s.mustPut(t, fmt.Sprint("it's \\ ", i), -i)
		n, generic, custom := preparedNow(t, s)
		if i+1 < preparedAfter && n != 0 || i+1 >= preparedAfter && (n != 1 || generic != i+2-preparedAfter || custom != 0) {
			t.Errorf("after %d uses: %d prepared, %d generic and %d custom plans", i+1, n, generic, custom)
		}
	}
	keys, err := All[string](t.Context(), s.Read(mine), "SELECT key FROM sandbox_failures WHERE project_id = $1 AND failures = $2", "proj_mine", -6)
	if err != nil || len(keys) != 1 || keys[0] != "it's \\ 6" {
		t.Errorf("stored %q, %v", keys, err)
	}
}

// NULL has every type, and a value of another type than a statement was prepared with goes into the text.
func TestPrepared_types(t *testing.T) {
	s := oneConnection(t)
	const more = "SELECT CAST($1 AS TEXT) || 'x'"
	for n := range 2 * preparedAfter {
		if _, err := First[string](t.Context(), s.Read(mine), more, slices.Repeat([]any{"a"}, 1+n%3)...); err != nil {
			t.Fatalf("with %d arguments: %v", 1+n%3, err)
		}
	}
	const either = "SELECT CAST(coalesce($1, 'none') AS TEXT)"
	for i := range 3 * preparedAfter {
		for _, c := range []struct {
			arg  any
			want string
		}{{nil, "none"}, {"a", "a"}} {
			if got, err := First[string](t.Context(), s.Read(mine), either, c.arg); err != nil || *got != c.want {
				t.Fatalf("use %d of %v: %v, %v", i, c.arg, got, err)
			}
		}
	}
	const typed = "SELECT CAST($1 AS TEXT)"
	for range preparedAfter {
		if _, err := First[string](t.Context(), s.Read(mine), typed, int64(1)); err != nil {
			t.Fatal(err)
		}
	}
	for arg, want := range map[any]string{"x": "x", true: "true", int64(-7): "-7"} {
		if got, err := First[string](t.Context(), s.Read(mine), typed, arg); err != nil || *got != want {
			t.Errorf("%v: %v, %v", arg, got, err)
		}
	}
	if n, _, _ := preparedNow(t, s); n != 3 {
		t.Errorf("%d statements are prepared", n)
	}
}

// A statement in a text that fails may have been prepared or not, so the connection prepares it again.
func TestPrepared_inTextThatFails(t *testing.T) {
	s := oneConnection(t)
	for range preparedAfter - 1 {
		failures(t, s, mine)
	}
	for _, spoil := range []string{"SELECT nothing FROM nowhere", "SELECT 1 / 0", "no SQL"} {
		b := s.Write(mine)
		var count []countRow
		b.Query(&count, countCharge, "proj_mine")
		b.Exec(spoil)
		if err := b.Run(t.Context()); err == nil {
			t.Fatal("the batch did not fail")
		}
		for range 2 {
			failures(t, s, mine)
		}
	}
}

// A connection may lose what it has prepared, and a plan its table. The transaction runs again.
func TestPrepared_lost(t *testing.T) {
	s := oneConnection(t)
	must := func(statement string) {
		t.Helper()
		if _, err := s.write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	must("RESET ROLE; CREATE TABLE things (a BIGINT); INSERT INTO things VALUES (1); GRANT SELECT ON things TO haggle_app; SET ROLE haggle_app")
	read := func() {
		t.Helper()
		err := s.InTx(t.Context(), mine, func(tx *Tx) error {
			var first []struct{ A int64 }
			if err := tx.Select(t.Context(), &first, "SELECT * FROM things"); err != nil {
				return err
			}
			if len(first) != 1 || first[0].A != 1 {
				return errors.New("another row")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for range preparedAfter {
		read()
	}
	for _, loss := range []string{"DEALLOCATE ALL", "DISCARD PLANS; DEALLOCATE ALL", "RESET ROLE; ALTER TABLE things ALTER COLUMN a TYPE INTEGER; SET ROLE haggle_app", "DEALLOCATE ALL; PREPARE haggle_1 AS SELECT 1"} {
		must(loss)
		read()
		read()
		for range preparedAfter {
			failures(t, s, mine) // haggle_1
		}
	}
}

func TestPrepared_onManyConnections(t *testing.T) {
	t.Parallel()
	s := openStore(t, Config{URL: pgserver.Shared(t).Migrated(t, migrated), MaxOpen: 4})
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 50 {
				statement := fmt.Sprintf("SELECT %d + $1", i%25)
				got, err := First[int](t.Context(), s.Read(mine), statement, w)
				if err != nil || *got != i%25+w {
					t.Errorf("%s of %d: %v, %v", statement, w, got, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestPrepared_bounded(t *testing.T) {
	t.Parallel()
	var s statements
	for i := range mostCounted + 2*mostPrepared {
		for range 1 + i%2*preparedAfter {
			s.of(fmt.Sprintf("SELECT %d", i), nil)
		}
	}
	if len(s.prepared) != mostPrepared || len(s.counted) > mostCounted {
		t.Errorf("%d are prepared, %d counted", len(s.prepared), len(s.counted))
	}
	if preparable("\nANALYZE x") || !preparable("\n  WITH x AS") {
		t.Error("preparable")
	}
}

func TestArgs_List(t *testing.T) {
	t.Parallel()
	for n, want := range map[string]int{"": 0, "a": 1, "ab": 2, "abc": 4, "abcde": 8} {
		var args Args
		var values []string
		for _, r := range n {
			values = append(values, string(r))
		}
		args.List(values)
		if len(args) != want || want > 0 && args[want-1] != values[len(values)-1] {
			t.Errorf("%q: %v", n, args)
		}
	}
}
