package db

import (
	"context"
	"errors"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

var errShort = fault.New(fault.Conflict, "short", "There is less than there should be.")

const raiseFailures = `
UPDATE sandbox_failures
SET failures = failures + 1
WHERE project_id = $1
  AND key = $2`

// raise is the effect that a subject fails once more, which must be so many rows.
func raise(key string, rows int) Effect {
	return Effect{
		Statement: raiseFailures,
		Args:      []any{"proj_mine", key},
		Rows:      rows,
		Short:     errShort,
	}
}

// An effect that writes another number of rows than it has to undoes all of them, whether they go alone or with COMMIT.
func TestApply_wrongRows(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		if err := addIn(t, s, "a", "b"); err != nil {
			t.Fatal(err)
		}
		for name, run := range map[string]func(*Tx, ...Effect) error{
			"alone":       func(x *Tx, all ...Effect) error { return x.Apply(t.Context(), all...) },
			"with COMMIT": func(x *Tx, all ...Effect) error { return x.Last(t.Context(), all...) },
			"before another statement": func(x *Tx, all ...Effect) error {
				return errors.Join(x.Last(t.Context(), all...), x.Select(t.Context(), new(int), "SELECT 1"))
			},
			"before others": func(x *Tx, all ...Effect) error {
				return errors.Join(x.Last(t.Context(), all...), x.Last(t.Context(), raise("a", 1)))
			},
		} {
			for _, wrapped := range []bool{false, true} {
				runs := 0
				work := func(x *Tx) error { runs++; return run(x, raise("a", 1), raise("b", AnyRows), raise("nobody", 1)) }
				inTx := s.InTx
				if wrapped {
					inTx = func(ctx context.Context, project id.Project, work func(*Tx) error) error {
						return s.InRequest(ctx, nil, func(view *DB) error { return view.InTx(ctx, project, work) })
					}
				}
				err := inTx(t.Context(), mine, work)
				if !errors.Is(err, errShort) || runs != 1 {
					t.Errorf("%s: got %v after %d runs", name, err, runs)
				}
			}
		}
		if n := sumOfFailures(t, s); n != 2 {
			t.Errorf("effects are left: %d failures, want 2", n)
		}
		err := s.InTx(t.Context(), mine, func(x *Tx) error {
			if err := x.Last(t.Context(), raise("a", 1), raise("nobody", AnyRows)); err != nil {
				return err
			}
			var n int
			if err := x.Select(t.Context(), &n, "SELECT SUM(failures) AS n FROM sandbox_failures"); err != nil || n != 3 {
				t.Errorf("a statement that follows sees %d failures, %v", n, err)
			}
			return errors.Join(x.Last(t.Context(), raise("b", 1)), x.Last(t.Context(), raise("b", 1)))
		})
		if n := sumOfFailures(t, s); n != 5 || err != nil {
			t.Errorf("%d failures, want 5; %v", n, err)
		}
	})
}

func sumOfFailures(t *testing.T, s *DB) int {
	t.Helper()
	n, err := First[int](t.Context(), s.Read(mine), "SELECT CAST(SUM(failures) AS INTEGER) AS n FROM sandbox_failures")
	if err != nil {
		t.Fatal(err)
	}
	return *n
}

// PostgreSQL executes nothing of a text that it cannot parse, not even its BEGIN. Later statements must not run in a
// transaction of their own, even where row-level security would let them.
func TestInTx_afterFailure(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		const keep = `INSERT INTO idempotency_keys (id, fingerprint, created_at, lease_until, content_type) VALUES ($1, 'f', 0, 0, '')`
		work := func(x *Tx) error {
			if x.Select(t.Context(), new(int), "SELEC 1") == nil {
				t.Error("nonsense succeeds")
			}
			_, _ = x.Exec(t.Context(), keep, "a")
			_ = x.Select(t.Context(), new(int), keep+" RETURNING 1 AS n", "b")
			return nil
		}
		if err := s.InTx(t.Context(), mine, work); err == nil {
			t.Error("the transaction commits")
		}
		if err := s.InRequest(t.Context(), nil, func(view *DB) error { return view.InTx(t.Context(), mine, work) }); err == nil {
			t.Error("the unit commits")
		}
		kept, err := First[int](t.Context(), s.Read(NoProject), "SELECT count(*) AS n FROM idempotency_keys")
		if err != nil || *kept != 0 {
			t.Errorf("%d rows are left, %v", *kept, err)
		}
	})
}

// A step that fails before it has sent anything has no savepoint of its own to return to.
func TestUnsent_keepsEarlierSteps(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		err := s.InRequest(t.Context(), nil, func(view *DB) error {
			if err := view.InTx(t.Context(), mine, func(*Tx) error { return errWork }); !errors.Is(err, errWork) {
				t.Errorf("the first step: %v", err)
			}
			if err := addIn(t, view, "a"); err != nil {
				return err
			}
			if err := view.InTx(t.Context(), mine, func(*Tx) error { return errWork }); !errors.Is(err, errWork) {
				t.Errorf("got %v", err)
			}
			if err := view.InTx(t.Context(), mine, func(*Tx) error { return nil }); err != nil {
				t.Errorf("a step that does nothing: %v", err)
			}
			return addIn(t, view, "b")
		})
		if n := failures(t, s, mine); n != 2 || err != nil {
			t.Errorf("%d rows, want 2; %v", n, err)
		}
		if err := s.InTx(t.Context(), mine, func(*Tx) error { return nil }); err != nil {
			t.Errorf("a transaction that does nothing: %v", err)
		}
	})
}
