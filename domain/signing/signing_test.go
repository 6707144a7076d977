package signing_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
)

var (
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	shop = id.New[id.Project]([16]byte{1})
)

// private returns the n-th test key.
func private(t testing.TB, n byte) signing.Private {
	t.Helper()
	key, err := signing.ParsePrivate(bytes.Repeat([]byte{n}, signing.PrivateSize))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func fresh(t testing.TB, n byte) signing.Key {
	return signing.Fresh(shop, private(t, n).Public(), []byte{n})
}

// begun returns a set whose keys 1 (current) and 2 (next) were made at noon.
func begun(t testing.TB) *signing.Set {
	t.Helper()
	s := &signing.Set{}
	s.Begin(fresh(t, 1), fresh(t, 2), noon)
	return s
}

// rotated returns a set whose key 1 is retired, 2 is current and 3 is next.
func rotated(t testing.TB, at time.Time) *signing.Set {
	t.Helper()
	s := begun(t)
	if err := s.Rotate(fresh(t, 3), at); err != nil {
		t.Fatal(err)
	}
	return s
}

// states returns the states of keys 1, 2, …, by name.
func states(t testing.TB, s *signing.Set) (list []string) {
	for n := byte(1); n <= 5; n++ {
		at := slices.IndexFunc(s.Keys, func(k signing.Key) bool { return k.ID == fresh(t, n).ID })
		if at < 0 {
			break
		}
		list = append(list, s.Keys[at].State.String())
	}
	return list
}

// Every state and every verb. An empty cell means that the verb is refused and changes nothing. Key 1 is in the state;
// 4 is the fresh one.
func TestSet_everyStateAndVerb(t *testing.T) {
	t.Parallel()
	early, late := noon.Add(signing.Notice-1), noon.Add(signing.Notice)
	sets := map[string]func() *signing.Set{
		"current": func() *signing.Set { return begun(t) },
		"next": func() *signing.Set {
			s := &signing.Set{}
			s.Begin(fresh(t, 2), fresh(t, 1), noon)
			return s
		},
		"retired": func() *signing.Set {
			s := rotated(t, late)
			return s
		},
		"gone": func() *signing.Set {
			s := begun(t)
			if err := s.Revoke(fresh(t, 1).ID, fresh(t, 3), noon); err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
	table := map[string]map[string]string{
		"rotate, 10 minutes after the next key was published": {"current": "retired", "next": "current", "retired": "", "gone": "gone"},
		"rotate before that": {"current": "", "next": "", "retired": "", "gone": ""},
		"revoke key 1":       {"current": "gone", "next": "gone", "retired": "gone", "gone": ""},
		"revoke key 2":       {"current": "current", "next": "current", "retired": "retired", "gone": "gone"},
	}
	verbs := map[string]func(*signing.Set) error{
		"rotate, 10 minutes after the next key was published": func(s *signing.Set) error { return s.Rotate(fresh(t, 4), late) },
		"rotate before that": func(s *signing.Set) error { return s.Rotate(fresh(t, 4), early) },
		"revoke key 1":       func(s *signing.Set) error { return s.Revoke(fresh(t, 1).ID, fresh(t, 4), late) },
		"revoke key 2":       func(s *signing.Set) error { return s.Revoke(fresh(t, 2).ID, fresh(t, 4), late) },
	}
	for verb, row := range table {
		for state, want := range row {
			s := sets[state]()
			before := signing.Set{Keys: slices.Clone(s.Keys)}
			err := verbs[verb](s)
			switch {
			case want == "" && (err == nil || !reflect.DeepEqual(before.Keys, s.Keys)):
				t.Errorf("%s of %s: %v, the keys are %v", verb, state, err, states(t, s))
			case want == "":
			case err != nil || states(t, s)[0] != want:
				t.Errorf("%s of %s: %v, want %s (%v)", verb, state, states(t, s), want, err)
			}
			one := func(of signing.State) int {
				return len(slices.DeleteFunc(slices.Clone(s.Keys), func(k signing.Key) bool { return k.State != of }))
			}
			if one(signing.Current) != 1 || one(signing.Next) != 1 {
				t.Errorf("after %s of %s the keys are %v", verb, state, states(t, s))
			}
			for _, k := range s.Keys {
				if signs := k.State == signing.Current || k.State == signing.Next; signs != (k.Sealed != nil) {
					t.Errorf("after %s of %s a %s key has the private part %q", verb, state, k.State, k.Sealed)
				}
			}
		}
	}
}

// A next key must have been published for twice as long as receivers may cache a key set.
func TestRotate_waits(t *testing.T) {
	t.Parallel()
	err := begun(t).Rotate(fresh(t, 3), noon.Add(4*time.Minute))
	if e, ok := err.(*fault.Error); !ok || e.Code != "signing_key_too_new" || e.Kind != fault.Conflict || e.RetryAfter != 6*time.Minute {
		t.Errorf("got %v", err)
	}
}

// A retired key is published for 7 days, and no longer.
func TestPublished(t *testing.T) {
	t.Parallel()
	at := noon.Add(time.Hour)
	s := rotated(t, at)
	ids := func(now time.Time) (list []string) {
		for _, k := range s.Published(now) {
			list = append(list, k.State.String()+" "+k.ID)
		}
		return list
	}
	all := []string{"current " + fresh(t, 2).ID, "next " + fresh(t, 3).ID, "retired " + fresh(t, 1).ID}
	if got := ids(at.Add(signing.KeptRetired - 1)); !slices.Equal(got, all) {
		t.Errorf("published are %v, want %v", got, all)
	}
	if got := ids(at.Add(signing.KeptRetired)); !slices.Equal(got, all[:2]) {
		t.Errorf("after 7 days %v, want %v", got, all[:2])
	}
	if err := s.Revoke(fresh(t, 1).ID, fresh(t, 4), at.Add(signing.KeptRetired)); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a key whose time is over was revoked: %v", err)
	}
	if got := states(t, s); got[0] != "gone" {
		t.Errorf("the keys are %v", got)
	}
}

// A compromised key is no longer published, and the next one replaces it, however new it is.
func TestRevoke_current(t *testing.T) {
	t.Parallel()
	s := begun(t)
	if err := s.Revoke(fresh(t, 1).ID, fresh(t, 3), noon.Add(1)); err != nil {
		t.Fatal(err)
	}
	if got := states(t, s); !slices.Equal(got, []string{"gone", "current", "next"}) {
		t.Errorf("the keys are %v", got)
	}
	if k, ok := s.Current(); !ok || k.ID != fresh(t, 2).ID || !k.CurrentAt.Equal(noon.Add(1)) {
		t.Errorf("%+v signs", k)
	}
}

// However often keys are rotated, the published set stays small.
func TestRotate_tooManyRetired(t *testing.T) {
	t.Parallel()
	s, at := begun(t), noon
	for n := range byte(signing.MaxRetired) {
		at = at.Add(signing.Notice)
		if err := s.Rotate(fresh(t, 3+n), at); err != nil {
			t.Fatal(err)
		}
	}
	next := at.Add(signing.Notice)
	err := s.Rotate(fresh(t, 100), next)
	first := noon.Add(signing.Notice + signing.KeptRetired)
	if e, ok := err.(*fault.Error); !ok || e.Code != "too_many_signing_keys" || e.RetryAfter != first.Sub(next) {
		t.Errorf("got %v", err)
	}
	if err := s.Rotate(fresh(t, 100), first); err != nil || len(s.Published(first)) != signing.MaxRetired+2 {
		t.Errorf("%v, %d keys are published", err, len(s.Published(first)))
	}
}

func TestSet_notBegun(t *testing.T) {
	t.Parallel()
	var s signing.Set
	if _, ok := s.Current(); ok || s.Begun() || s.Published(noon) != nil {
		t.Error("an empty set has keys")
	}
}
