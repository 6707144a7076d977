package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

// claimOnce is how a unit begins that can be carried out once.
func claimOnce(ctx context.Context, x *Tx) error { return add(ctx, x, "the claim") }

func TestInRequest_allOrNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		err := s.InRequest(t.Context(), nil, func(view *DB) error {
			return errors.Join(addIn(t, view, "a", "b", "c"), errWork)
		})
		if !errors.Is(err, errWork) || failures(t, s, mine) != 0 {
			t.Errorf("failed work says %v and left %d rows", err, failures(t, s, mine))
		}
		if err := s.InRequest(t.Context(), nil, func(view *DB) error { return addIn(t, view, "a", "b", "c") }); err != nil {
			t.Fatal(err)
		}
		if n := failures(t, s, mine); n != 3 {
			t.Errorf("work stored %d rows, want 3", n)
		}
		if err := s.InRequest(t.Context(), nil, func(*DB) error { return nil }); err != nil {
			t.Errorf("a unit without writes: %v", err)
		}
	})
}

func TestAfterEnd_runsWhenOthersCanWrite(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		for name, c := range map[string]struct {
			fails     error
			committed bool
		}{
			"committed":   {nil, true},
			"rolled back": {errWork, false},
		} {
			t.Run(name, func(t *testing.T) {
				var reported []bool
				err := s.InRequest(t.Context(), nil, func(view *DB) error {
					view.AfterEnd(func(committed bool) {
						reported = append(reported, committed)
						if err := addIn(t, s, name+" after"); err != nil {
							t.Errorf("writing after the end: %v", err)
						}
					})
					return errors.Join(addIn(t, view, name), c.fails)
				})
				if !errors.Is(err, c.fails) || !slices.Equal(reported, []bool{c.committed}) {
					t.Errorf("the transaction returned %v, and AfterEnd reported %v", err, reported)
				}
			})
		}
		outside := false
		s.AfterEnd(func(committed bool) { outside = committed })
		if !outside {
			t.Error("without a transaction, AfterEnd did not run at once")
		}
	})
}

func TestInRequest_isolation(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		err := s.InRequest(t.Context(), nil, func(view *DB) error {
			if n := failures(t, view, mine); n != 0 {
				t.Errorf("before its writes it sees %d rows", n)
			}
			err := addIn(t, view, "a", "b")
			if n := failures(t, view, mine); n != 2 {
				t.Errorf("it sees %d of its rows, want 2", n)
			}
			if n := failures(t, s, mine); n != 0 {
				t.Errorf("others see %d rows before the commit", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestInRequest_failedStep(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		err := s.InRequest(t.Context(), nil, func(view *DB) error {
			failed := view.InTx(t.Context(), mine, func(x *Tx) error {
				return errors.Join(add(t.Context(), x, "lost"), errWork)
			})
			if !errors.Is(failed, errWork) {
				t.Errorf("got %v, want what the work said", failed)
			}
			b := view.Write(mine)
			b.Exec(addCharge, "proj_mine", "lost too", 1)
			b.Exec("INSERT INTO sandbox_failures (project_id, key, failures) VALUES ('proj_mine', NULL, 1)")
			if b.Run(t.Context()) == nil {
				t.Error("a batch that breaks a rule succeeds")
			}
			return addIn(t, view, "a", "b")
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := failures(t, s, mine); n != 2 {
			t.Errorf("%d rows, want 2", n)
		}
	})
}

func TestInRequest_panic(t *testing.T) {
	onEngines(t, func(t *testing.T, s *DB) {
		func() {
			defer func() { _ = recover() }()
			_ = s.InRequest(t.Context(), claimOnce, func(view *DB) error {
				if err := addIn(t, view, "a"); err != nil {
					return err
				}
				panic("work")
			})
		}()
		if err := s.InRequest(t.Context(), claimOnce, func(view *DB) error { return addIn(t, view, "a") }); err != nil {
			t.Errorf("the next unit: %v", err)
		}
	})
}

func TestInRequest_deadlock(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	if err := addIn(t, s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	touch := func(view *DB, key string) error {
		return view.InTx(t.Context(), mine, func(x *Tx) error {
			_, err := x.Exec(t.Context(), "UPDATE sandbox_failures SET failures = failures + 1 WHERE key = $1", key)
			return err
		})
	}
	var all, met sync.WaitGroup
	met.Add(2)
	for _, keys := range [][2]string{{"a", "b"}, {"b", "a"}} {
		all.Go(func() {
			first := true
			err := s.InRequest(t.Context(), nil, func(view *DB) error {
				err := touch(view, keys[0])
				if first {
					first = false
					met.Done()
					met.Wait()
				}
				// A handler may turn an error into a response; the unit runs again all the same.
				_ = touch(view, keys[1])
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var sum []struct{ N int }
	b := s.Read(mine)
	b.Query(&sum, "SELECT failures AS n FROM sandbox_failures")
	if err := b.Run(t.Context()); err != nil || len(sum) != 2 || sum[0].N+sum[1].N != 6 {
		t.Errorf("%v, %v: want 3 and 3", sum, err)
	}
}

func TestInRequest_serverRestart(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	if err := errors.Join(server.CreateDatabase("units", ""), migrated(server.URL("units"))); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, Config{URL: server.URL("units")})
	if err := addIn(t, s, "before"); err != nil {
		t.Fatal(err)
	}
	for n, start := range []func(context.Context, *Tx) error{nil, claimOnce} {
		if err := server.Restart(false); err != nil {
			t.Fatal(err)
		}
		if err := s.InRequest(t.Context(), start, func(view *DB) error {
			return view.InTx(t.Context(), mine, func(x *Tx) error { return add(t.Context(), x, fmt.Sprint(n)) })
		}); err != nil {
			t.Errorf("with a claim %v: %v", start != nil, err)
		}
	}
}

// Row-level security holds in every step, whatever project the unit began in.
func TestInRequest_severalProjects(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	err := s.InRequest(t.Context(), nil, func(view *DB) error {
		if err := addIn(t, view, "a"); err != nil {
			return err
		}
		b := view.Write(NoProject)
		b.Exec(addCharge, "proj_mine", "b", 1)
		if b.Run(t.Context()) == nil {
			t.Error("a step without project writes into one")
		}
		return addIn(t, view, "c")
	})
	if err != nil || failures(t, s, mine) != 2 {
		t.Errorf("%v, %d rows", err, failures(t, s, mine))
	}
}
