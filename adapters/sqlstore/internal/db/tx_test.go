package db

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/lib/pq"

	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

var errWork = errors.New("the work failed")

func TestInTx_allOrNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		err := s.InTx(t.Context(), mine, func(x *Tx) error {
			return errors.Join(add(t.Context(), x, "a"), errWork)
		})
		if !errors.Is(err, errWork) {
			t.Errorf("got %v, want what the work said", err)
		}
		if n := failures(t, s, mine); n != 0 {
			t.Errorf("failed work left %d rows", n)
		}
		if err := s.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, "a") }); err != nil {
			t.Fatal(err)
		}
		if n := failures(t, s, mine); n != 1 {
			t.Errorf("work stored %d rows, want 1", n)
		}
	})
}

func TestInTx_panic(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		func() {
			defer func() { _ = recover() }()
			_ = s.InTx(t.Context(), mine, func(x *Tx) error {
				if err := add(t.Context(), x, "a"); err != nil {
					return err
				}
				panic("work")
			})
		}()
		if n := failures(t, s, mine); n != 0 {
			t.Errorf("work that panicked left %d rows", n)
		}
		if err := s.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, "a") }); err != nil {
			t.Errorf("the next transaction: %v", err)
		}
	})
}

// PostgreSQL rolls back a failed transaction on COMMIT and still reports success.
func TestInTx_ignoredFailure(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		err := s.InTx(t.Context(), mine, func(x *Tx) error {
			if err := add(t.Context(), x, "a"); err != nil {
				return err
			}
			_ = add(t.Context(), x, "a")
			return nil
		})
		if err == nil {
			t.Error("no error")
		}
		if n := failures(t, s, mine); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// Of two deadlocked transactions PostgreSQL ends one, which runs again.
func TestInTx_deadlock(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	for _, key := range []string{"a", "b"} {
		if err := s.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, key) }); err != nil {
			t.Fatal(err)
		}
	}
	const raise = `UPDATE sandbox_failures SET failures = failures + 1 WHERE project_id = 'proj_mine' AND key = $1`
	var met, done sync.WaitGroup
	met.Add(2)
	runs := make([]int, 2)
	errs := make([]error, 2)
	for i, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		done.Go(func() {
			errs[i] = s.InTx(t.Context(), mine, func(x *Tx) error {
				if _, err := x.Exec(t.Context(), raise, order[0]); err != nil {
					return err
				}
				if runs[i]++; runs[i] == 1 { // both hold one row before either asks for the other
					met.Done()
					met.Wait()
				}
				_, err := x.Exec(t.Context(), raise, order[1])
				return err
			})
		})
	}
	done.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if runs[0]+runs[1] < 3 {
		t.Errorf("the work ran %d and %d times: there was no deadlock", runs[0], runs[1])
	}
	var rows []struct{ Failures int }
	b := s.Read(mine)
	b.Query(&rows, `SELECT failures FROM sandbox_failures WHERE project_id = 'proj_mine'`)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Failures != 3 {
			t.Errorf("a row was raised %d times, want 2", r.Failures-1)
		}
	}
}

// A restart of the server cuts the pooled connections. Callers get no error.
func TestInTx_deadPooledConnections(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	var database string
	if err := s.read.GetContext(t.Context(), &database, "SELECT current_database()"); err != nil {
		t.Fatal(err)
	}
	cut := func() {
		t.Helper()
		fill(t, s)
		// The server's own workers come as they like.
		const ours = ") FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = "
		ended, err := pgserver.Shared(t).PSQL("postgres", "SELECT count(pg_terminate_backend(pid)"+ours+"'"+database+"'")
		if err != nil || ended != "20" {
			t.Fatalf("%s connections were cut: %v", ended, err)
		}
		for left := ended; left != "0"; { // who goes late would be counted the next time
			if left, err = pgserver.Shared(t).PSQL("postgres", "SELECT count(pid"+ours+"'"+database+"'"); err != nil {
				t.Fatal(err)
			}
		}
	}
	cut()
	if err := s.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, "a") }); err != nil {
		t.Errorf("transaction: %v", err)
	}
	cut()
	if n := failures(t, s, mine); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// fill opens all connections at once and leaves them in the pool.
func fill(t *testing.T, s *DB) {
	t.Helper()
	for range 20 {
		conn, err := s.write.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
}

func TestRetry_attempts(t *testing.T) {
	t.Parallel()
	deadlock := &pq.Error{Code: "40P01"}
	for _, c := range []struct {
		err  error
		want int
	}{{deadlock, attempts}, {errWork, 1}, {retryable{errWork}, maxBroken + 1}, {nil, 1}} {
		n := 0
		err := retry(t.Context(), func() error { n++; return c.err })
		if !errors.Is(err, c.err) || n != c.want {
			t.Errorf("%d attempts and %v, want %d and %v", n, err, c.want, c.err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	if err := retry(ctx, func() error { n++; return deadlock }); !errors.Is(err, deadlock) || n != 1 {
		t.Errorf("%d attempts after the end of the context, and %v", n, err)
	}
}

// A reading batch sees one snapshot, no matter what is written between its statements. Here it waits between them for a
// lock that the writer releases when it is done.
func TestBatch_Run_snapshot(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	gate, err := s.write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := gate.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	do("SELECT pg_advisory_lock(7)")
	var before, after, waited []countRow
	var reader sync.WaitGroup
	reader.Go(func() {
		b := s.Read(mine)
		b.Query(&before, countCharge, "proj_mine")
		b.Query(&waited, "SELECT 1 AS n FROM pg_advisory_xact_lock_shared(7)")
		b.Query(&after, countCharge, "proj_mine")
		if err := b.Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for waiting := false; !waiting; {
		row := gate.QueryRowContext(t.Context(), `
SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted)`)
		if err := row.Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, "a") }); err != nil {
		t.Fatal(err)
	}
	do("SELECT pg_advisory_unlock(7)")
	reader.Wait()
	if len(after) != 1 || before[0].N != 0 || after[0].N != 0 {
		t.Errorf("the reader saw %v, then %v", before, after)
	}
}
