package sqlstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

var useOfKey = ports.KeyUse{Owner: "me", Route: "POST /", Key: "k", Fingerprint: sha256.Sum256(nil), At: time.UnixMilli(1_800_000_000_000)}

// addIn writes through a view by a batch, and through an ordinary transaction.
func addIn(t *testing.T, view *Store, keys ...string) error {
	for i, key := range keys {
		var err error
		if i%2 == 0 {
			b := view.writing(mine)
			b.exec(addCharge, "proj_mine", key, 1)
			err = b.run(t.Context())
		} else {
			err = view.inTx(t.Context(), mine, func(x *tx) error { return add(t.Context(), x, key) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestUnitIsAllOrNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		err := s.Within(t.Context(), nil, func(view *Store) error {
			return errors.Join(addIn(t, view, "a", "b", "c"), errWork)
		})
		if !errors.Is(err, errWork) || failures(t, s, mine) != 0 {
			t.Errorf("failed work says %v and left %d rows", err, failures(t, s, mine))
		}
		if err := s.Within(t.Context(), nil, func(view *Store) error { return addIn(t, view, "a", "b", "c") }); err != nil {
			t.Fatal(err)
		}
		if n := failures(t, s, mine); n != 3 {
			t.Errorf("work stored %d rows, want 3", n)
		}
		if err := s.Within(t.Context(), nil, func(*Store) error { return nil }); err != nil {
			t.Errorf("a unit without writes: %v", err)
		}
	})
}

func TestAfterEnd_runsWhenOthersCanWrite(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		for name, c := range map[string]struct {
			fails     error
			committed bool
		}{
			"committed":   {nil, true},
			"rolled back": {errWork, false},
		} {
			t.Run(name, func(t *testing.T) {
				var reported []bool
				err := s.Within(t.Context(), nil, func(view *Store) error {
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

func TestUnitSeesItsOwnWritesAndOthersDoNot(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		err := s.Within(t.Context(), nil, func(view *Store) error {
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

func TestUnitGoesOnAfterAStepThatFailed(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		err := s.Within(t.Context(), nil, func(view *Store) error {
			failed := view.inTx(t.Context(), mine, func(x *tx) error {
				return errors.Join(add(t.Context(), x, "lost"), errWork)
			})
			if !errors.Is(failed, errWork) {
				t.Errorf("got %v, want what the work said", failed)
			}
			b := view.writing(mine)
			b.exec(addCharge, "proj_mine", "lost too", 1)
			b.exec("INSERT INTO sandbox_failures (project_id, key, failures) VALUES ('proj_mine', NULL, 1)")
			if b.run(t.Context()) == nil {
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

func TestUnitThatPanicsLeavesNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		func() {
			defer func() { _ = recover() }()
			_ = s.Within(t.Context(), &useOfKey, func(view *Store) error {
				if err := addIn(t, view, "a"); err != nil {
					return err
				}
				panic("work")
			})
		}()
		if err := s.Within(t.Context(), &useOfKey, func(view *Store) error { return addIn(t, view, "a") }); err != nil {
			t.Errorf("the next unit: %v", err)
		}
	})
}

// Of requests with one key one takes effect, and its answer is kept with the effect.
func TestUnitsOfOneKeyTakeEffectOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, s *Store) {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				err := s.Within(t.Context(), &useOfKey, func(view *Store) error {
					// Whatever is made of a claim that came second, it ends the unit.
					if addIn(t, view, "once") != nil {
						return nil
					}
					return view.Requests().Record(t.Context(), ports.Record{Use: &useOfKey, Answer: ports.Answer{Status: 201}})
				})
				if err != nil && !errors.Is(err, ports.ErrKeyTaken) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := failures(t, s, mine); n != 1 {
			t.Errorf("%d effects, want 1", n)
		}
		if found, err := s.Requests().Find(t.Context(), useOfKey); err != nil || found == nil || found.Status != 201 {
			t.Errorf("found %v, %v", found, err)
		}
	})
}

func TestUnitsThatDeadlockAreRunAgain(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	if err := addIn(t, s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	touch := func(view *Store, key string) error {
		return view.inTx(t.Context(), mine, func(x *tx) error {
			_, err := x.exec(t.Context(), "UPDATE sandbox_failures SET failures = failures + 1 WHERE key = $1", key)
			return err
		})
	}
	var all, met sync.WaitGroup
	met.Add(2)
	for _, keys := range [][2]string{{"a", "b"}, {"b", "a"}} {
		all.Go(func() {
			first := true
			err := s.Within(t.Context(), nil, func(view *Store) error {
				err := touch(view, keys[0])
				if first {
					first = false
					met.Done()
					met.Wait()
				}
				// A handler makes an answer of whatever fails; the unit runs again all the same.
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
	b := s.reading(mine)
	b.query(&sum, "SELECT failures AS n FROM sandbox_failures")
	if err := b.run(t.Context()); err != nil || len(sum) != 2 || sum[0].N+sum[1].N != 6 {
		t.Errorf("%v, %v: want 3 and 3", sum, err)
	}
}

func TestUnitSurvivesARestartOfTheServer(t *testing.T) {
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
	for _, use := range []*ports.KeyUse{nil, &useOfKey} {
		if err := server.Restart(false); err != nil {
			t.Fatal(err)
		}
		if err := s.Within(t.Context(), use, func(view *Store) error {
			return view.inTx(t.Context(), mine, func(x *tx) error { return add(t.Context(), x, fmt.Sprint(use)) })
		}); err != nil {
			t.Errorf("with key %v: %v", use != nil, err)
		}
	}
}

// Row-level security holds in every step, whatever project the unit began in.
func TestUnitMovesBetweenProjects(t *testing.T) {
	t.Parallel()
	s := freshPostgres(t)
	err := s.Within(t.Context(), nil, func(view *Store) error {
		if err := addIn(t, view, "a"); err != nil {
			return err
		}
		b := view.writing(noProject)
		b.exec(addCharge, "proj_mine", "b", 1)
		if b.run(t.Context()) == nil {
			t.Error("a step without project writes into one")
		}
		return addIn(t, view, "c")
	})
	if err != nil || failures(t, s, mine) != 2 {
		t.Errorf("%v, %d rows", err, failures(t, s, mine))
	}
}

// Who claims a key that another transaction is claiming does not wait longer than for any lock, and hears that it is
// taken.
func TestAKeyThatIsBeingClaimedIsTaken(t *testing.T) {
	t.Parallel()
	url := pgserver.Shared(t).Migrated(t, migrated)
	s := openStore(t, Config{URL: url})
	impatient := openStore(t, Config{URL: strings.Replace(url, "lock_timeout=30000", "lock_timeout=100", 1)})
	err := s.Within(t.Context(), &useOfKey, func(view *Store) error {
		if err := addIn(t, view, "a"); err != nil {
			return err
		}
		if err := impatient.Requests().Claim(t.Context(), useOfKey); !errors.Is(err, ports.ErrKeyTaken) {
			t.Errorf("a claim beside the first one: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
