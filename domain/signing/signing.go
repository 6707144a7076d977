// Package signing defines the keys of signed messages: P-256 key pairs that sign and verify, Ed25519 public keys of
// other parties, and the state machine of the keys that a project signs its messages to agents with (Set). It knows no
// message format, stores nothing, and does not encrypt private keys.
//
//	(none) ──Begin──▶ current, next
//	next ──Rotate──▶ current ──Rotate──▶ retired ──KeptRetired──▶ gone
//	next, current, retired ──Revoke──▶ gone, at once
//
// A set that has begun always has one current key and one next key: a key that leaves is replaced. The current key
// signs. Keys in all three states are published, so that receivers know a key before it signs, and as long as
// messages signed with it may still arrive.
package signing

import (
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

const (
	// Notice is how long a next key is published before it may sign: twice as long as receivers may cache a key set.
	Notice = 10 * time.Minute
	// KeptRetired is how long a retired key is published.
	KeptRetired = 7 * 24 * time.Hour
	// MaxRetired is the largest number of retired keys.
	MaxRetired = 20
)

// State of a key.
type State struct{ name string }

var (
	Next    = State{"next"}    // published, and does not sign yet
	Current = State{"current"} // signs
	Retired = State{"retired"} // published, and does not sign any more
	Gone    = State{"gone"}    // not published
)

func (s State) String() string { return s.name }

// States are all states by name.
var States = map[string]State{"next": Next, "current": Current, "retired": Retired, "gone": Gone}

// Key is a key of a project. Its private part is encrypted, so it cannot sign as stored.
type Key struct {
	ID          string // the thumbprint of the public part, by RFC 7638
	Project     id.Project
	State       State
	Public      Public
	Sealed      []byte // the encrypted private key; nil once the key no longer signs
	PublishedAt time.Time
	CurrentAt   *time.Time // when it began to sign; nil: never
	RetiredAt   *time.Time // nil: not yet
}

// Fresh returns a key that is in no set yet.
func Fresh(project id.Project, public Public, sealed []byte) Key {
	return Key{
		ID:      public.Thumbprint(),
		Project: project,
		Public:  public,
		Sealed:  sealed,
	}
}

// Set has the keys of a project. The zero Set has not begun.
type Set struct{ Keys []Key }

// Begun reports whether the set has keys.
func (s *Set) Begun() bool { return s.at(Current) >= 0 }

// Begin adds the first keys. The current one signs at once, because there is no earlier key that receivers could know.
func (s *Set) Begin(current, next Key, now time.Time) {
	s.Keys = append(s.Keys, next.published(now), current.published(now).promoted(now))
}

// Current returns the key that signs.
func (s *Set) Current() (Key, bool) {
	at := s.at(Current)
	if at < 0 {
		return Key{}, false
	}
	return s.Keys[at], true
}

// Published returns the published keys: the current one, the next one, and then the retired ones, the latest first.
func (s *Set) Published(now time.Time) []Key {
	var list []Key
	for _, k := range s.Keys {
		if k.stateAt(now) != Gone {
			list = append(list, k)
		}
	}
	rank := map[State]int{
		Current: 0,
		Next:    1,
		Retired: 2,
	}
	slices.SortStableFunc(list, func(a, b Key) int {
		if a.State != Retired || b.State != Retired {
			return rank[a.State] - rank[b.State]
		}
		return b.RetiredAt.Compare(*a.RetiredAt)
	})
	return list
}

// Rotate retires the current key, makes the next one current, and publishes fresh as the next one. It returns Conflict
// signing_key_too_new if the next key was published less than Notice ago.
func (s *Set) Rotate(fresh Key, now time.Time) error {
	s.forget(now)
	current, next := s.at(Current), s.at(Next)
	if wait := s.Keys[next].PublishedAt.Add(Notice).Sub(now); wait > 0 {
		return fault.New(fault.Conflict, "signing_key_too_new",
			"Receivers may not know the next key yet: it must have been published for 10 minutes.").After(wait)
	}
	if retired := s.retired(); len(retired) >= MaxRetired {
		return fault.New(fault.Conflict, "too_many_signing_keys",
			"The project has 20 retired keys. Each stays published for 7 days: try again later.").After(retired[0].Add(KeptRetired).Sub(now))
	}
	s.Keys[current].retire(now)
	s.Keys[next] = s.Keys[next].promoted(now)
	s.Keys = append(s.Keys, fresh.published(now))
	return nil
}

// Revoke stops publishing a key at once. If it was the current key, the next one signs from now on, even if it was
// published shortly before: messages to receivers that do not know it yet are sent again. An unknown or gone key is
// NotFound.
func (s *Set) Revoke(key string, fresh Key, now time.Time) error {
	s.forget(now)
	at := slices.IndexFunc(s.Keys, func(k Key) bool { return k.ID == key && k.State != Gone })
	if at < 0 {
		return fault.Missing("signing_key")
	}
	was := s.Keys[at].State
	s.Keys[at].end()
	if was == Retired {
		return nil
	}
	if was == Current {
		next := s.at(Next)
		s.Keys[next] = s.Keys[next].promoted(now)
	}
	s.Keys = append(s.Keys, fresh.published(now))
	return nil
}

// forget ends the retired keys that have expired.
func (s *Set) forget(now time.Time) {
	for i, k := range s.Keys {
		if k.stateAt(now) == Gone {
			s.Keys[i].end()
		}
	}
}

// at returns the index of the only key in a state, or -1.
func (s *Set) at(state State) int {
	return slices.IndexFunc(s.Keys, func(k Key) bool { return k.State == state })
}

// retired returns when the retired keys were retired, in ascending order.
func (s *Set) retired() (list []time.Time) {
	for _, k := range s.Keys {
		if k.State == Retired {
			list = append(list, *k.RetiredAt)
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return list
}

func (k Key) published(now time.Time) Key {
	k.State, k.PublishedAt = Next, now
	return k
}

func (k Key) promoted(now time.Time) Key {
	k.State, k.CurrentAt = Current, &now
	return k
}

func (k *Key) retire(now time.Time) { k.State, k.RetiredAt, k.Sealed = Retired, &now, nil }

func (k *Key) end() { k.State, k.Sealed = Gone, nil }

func (k Key) stateAt(now time.Time) State {
	if k.State == Retired && !now.Before(k.RetiredAt.Add(KeptRetired)) {
		return Gone
	}
	return k.State
}
