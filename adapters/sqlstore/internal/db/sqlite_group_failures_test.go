package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// A member that fails in any way rolls back only its own writes.
func TestGroupCommit_aMemberFails(t *testing.T) {
	t.Parallel()
	var count commits
	s := watched(t, count.before)
	cancelled, cancel := context.WithCancel(t.Context())
	gone, leave := context.WithCancel(t.Context())
	errs := make([]error, 7)
	err := inOneGroup(t, s, func(x *Tx) error { return add(t.Context(), x, "a") },
		adding(t, s, &errs[0], func(*Tx) error { return errWork }, "fails"),
		adding(t, s, &errs[1], nil, "b"),
		func() {
			defer func() { errs[2] = fmt.Errorf("panic: %v", recover()) }()
			adding(t, s, new(error), func(*Tx) error { panic(1) }, "panics")()
		},
		adding(t, s, &errs[3], func(x *Tx) error { _ = add(t.Context(), x, "a"); return nil }, "swallows a failure"),
		func() {
			errs[4] = s.InTx(cancelled, mine, func(x *Tx) error {
				defer cancel()
				return add(cancelled, x, "is cancelled")
			})
		},
		func() {
			errs[5] = s.InTx(gone, mine, func(x *Tx) error {
				leave()
				_ = add(gone, x, "is cancelled before it writes")
				return nil
			})
		},
		adding(t, s, &errs[6], nil, "c"),
	)
	if err := errors.Join(err, errs[1], errs[6]); err != nil {
		t.Error(err)
	}
	for _, i := range []int{0, 2, 3, 4, 5} {
		if errs[i] == nil {
			t.Errorf("member %d has no error", i)
		}
	}
	if !errors.Is(errs[4], context.Canceled) || !errors.Is(errs[5], context.Canceled) {
		t.Errorf("those cancelled say %v and %v", errs[4], errs[5])
	}
	if got := keys(t, s); !slices.Equal(got, []string{"a", "b", "c"}) || count.n.Load() != 1 {
		t.Errorf("%d COMMITs left %v", count.n.Load(), got)
	}
}

func TestGroupCommit_theFirstFails(t *testing.T) {
	t.Parallel()
	var count commits
	s := watched(t, count.before)
	var errs [2]error
	err := inOneGroup(t, s, func(x *Tx) error { return errors.Join(add(t.Context(), x, "first"), errWork) },
		adding(t, s, &errs[0], nil, "b"), adding(t, s, &errs[1], nil, "c"))
	if !errors.Is(err, errWork) || errors.Join(errs[:]...) != nil || !slices.Equal(keys(t, s), []string{"b", "c"}) {
		t.Errorf("%v, %v, %v", err, errs, keys(t, s))
	}
}

// A caller that is cancelled while it waits neither loses the open transaction nor commits anything of its own.
func TestGroupCommit_waiterCancelled(t *testing.T) {
	t.Parallel()
	s := watched(t, func(string) error { return nil })
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		var waited, other error
		err := inOneGroup(t, s, func(*Tx) error { return nil },
			adding(t, s, &other, func(*Tx) error { time.AfterFunc(time.Duration(i*4)*time.Microsecond, cancel); return nil }, fmt.Sprint(i)),
			func() { waited = s.Exec(ctx, mine, "DELETE FROM sandbox_failures") })
		if errors.Join(err, other) != nil || waited != nil && !errors.Is(waited, context.Canceled) {
			t.Fatalf("%v, %v, %v", err, waited, other)
		}
	}
}

func TestGroupCommit_commitFails(t *testing.T) {
	t.Parallel()
	fails := true
	s := watched(t, func(statement string) error {
		if statement == "COMMIT" && fails {
			return errWork
		}
		return nil
	})
	var errs [2]error
	err := inOneGroup(t, s, func(x *Tx) error { return add(t.Context(), x, "a") },
		adding(t, s, &errs[0], nil, "b"), func() { errs[1] = s.Exec(t.Context(), mine, addCharge, "proj_mine", "c", 1) })
	for _, err := range append(errs[:], err) {
		if !errors.Is(err, errWork) {
			t.Errorf("got %v", err)
		}
	}
	if got := keys(t, s); len(got) != 0 {
		t.Errorf("%v are left", got)
	}
	fails = false
	if err := addIn(t, s, "a"); err != nil {
		t.Errorf("the next transaction: %v", err)
	}
}

// SQLite rolls back the whole transaction when the disk is full. Members that had finished run again in later
// transactions.
func TestGroupCommit_fullDisk(t *testing.T) {
	t.Parallel()
	s := watched(t, func(string) error { return nil })
	runs := 0
	var errs [3]error
	err := inOneGroup(t, s, func(x *Tx) error {
		runs++
		return add(t.Context(), x, "a")
	},
		adding(t, s, &errs[0], nil, "b"),
		adding(t, s, &errs[1], func(x *Tx) error {
			if _, err := x.Exec(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
				return err
			}
			_, err := x.Exec(t.Context(), "INSERT INTO sandbox_failures (project_id, key, failures) VALUES ('proj_mine', hex(zeroblob(5000000)), 1)")
			if _, stray := x.Exec(t.Context(), addCharge, "proj_mine", "stray", 1); stray == nil {
				t.Error("a statement after the end of the transaction succeeds")
			}
			_, _ = x.Exec(t.Context(), "PRAGMA max_page_count = 1000000")
			return err
		}, "fills the disk"),
		adding(t, s, &errs[2], nil, "c"))
	if err := errors.Join(err, errs[0], errs[2]); err != nil {
		t.Error(err)
	}
	if fault.KindOf(errs[1]) != fault.Unavailable || runs != 2 {
		t.Errorf("got %v after %d runs of the first", errs[1], runs)
	}
	if got := keys(t, s); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v are left", got)
	}
}

// COMMIT does not say which member violated a deferred constraint. That member gets the error, and the others are
// stored.
func TestGroupCommit_deferredConstraint(t *testing.T) {
	t.Parallel()
	s := watched(t, func(string) error { return nil })
	const table = "CREATE TABLE branches (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES branches (id) DEFERRABLE INITIALLY DEFERRED)"
	if _, err := s.write.Exec("PRAGMA foreign_keys = on; " + table); err != nil {
		t.Fatal(err)
	}
	var errs [2]error
	err := inOneGroup(t, s, func(x *Tx) error { return add(t.Context(), x, "a") },
		func() { errs[0] = s.Exec(t.Context(), mine, "INSERT INTO branches VALUES (1, 9)") },
		adding(t, s, &errs[1], nil, "b"))
	if errors.Join(err, errs[1]) != nil || errs[0] == nil || !slices.Equal(keys(t, s), []string{"a", "b"}) {
		t.Errorf("%v, %v, %v", err, errs, keys(t, s))
	}
}

// A member's error may depend on rows that others of the group wrote, so it is returned once those are committed.
func TestGroupCommit_memberErrorWaitsForCommit(t *testing.T) {
	t.Parallel()
	fails := true
	s := watched(t, func(statement string) error {
		if statement == "COMMIT" && fails {
			return errWork
		}
		return nil
	})
	var second error
	err := inOneGroup(t, s, func(x *Tx) error { return add(t.Context(), x, "a") }, adding(t, s, &second, nil, "a"))
	if !errors.Is(err, errWork) || !errors.Is(second, errWork) {
		t.Errorf("%v, and the second says %v of a row that was never stored", err, second)
	}
	fails = false
	err = inOneGroup(t, s, func(x *Tx) error { return add(t.Context(), x, "a") }, adding(t, s, &second, nil, "a"))
	if err != nil || Violated(second) == "" && fault.KindOf(second) != fault.Conflict {
		t.Errorf("%v, and the second says %v", err, second)
	}
}
