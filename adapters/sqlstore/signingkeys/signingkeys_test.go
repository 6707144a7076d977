package signingkeys_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/app/signingkeys"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func key(t *testing.T, project id.Project, n byte) signing.Key {
	t.Helper()
	private, err := signing.ParsePrivate(bytes.Repeat([]byte{n}, signing.PrivateSize))
	if err != nil {
		t.Fatal(err)
	}
	return signing.Fresh(project, private.Public(), []byte{n})
}

func read(t *testing.T, s *storetest.Store, project id.Project) signing.Set {
	t.Helper()
	set, now, err := s.SigningKeys().Keys(t.Context(), project)
	if err != nil || now.IsZero() {
		t.Fatal(err)
	}
	for i, k := range set.Keys {
		if len(k.Sealed) == 0 {
			set.Keys[i].Sealed = nil
		}
	}
	return set
}

// A change is stored without the keys that it removed. A change that fails leaves no trace.
func TestChange(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		if set := read(t, s, mine); set.Begun() {
			t.Fatalf("a new project has %d keys", len(set.Keys))
		}
		change := func(work func(*signing.Set, time.Time) error) error {
			return s.SigningKeys().Change(t.Context(), mine, work)
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		var stored signing.Set
		must(change(func(set *signing.Set, now time.Time) error {
			set.Begin(key(t, mine, 1), key(t, mine, 2), now)
			return nil
		}))
		must(change(func(set *signing.Set, now time.Time) error {
			err := set.Rotate(key(t, mine, 3), now.Add(signing.Notice))
			stored = *set
			return err
		}))
		got := read(t, s, mine)
		porttest.Same(t, "published", got.Published(time.Time{}), stored.Published(time.Time{}))
		refused := errors.New("no")
		if err := change(func(set *signing.Set, now time.Time) error {
			set.Keys = nil
			return refused
		}); !errors.Is(err, refused) || len(read(t, s, mine).Keys) != 3 {
			t.Errorf("%v, after which there are %d keys", err, len(read(t, s, mine).Keys))
		}
		must(change(func(set *signing.Set, now time.Time) error {
			return set.Revoke(key(t, mine, 1).ID, key(t, mine, 4), now)
		}))
		if set := read(t, s, mine); len(set.Keys) != 2 {
			t.Errorf("%d keys are left of two and a revoked one", len(set.Keys))
		}
		if set := read(t, s, other); set.Begun() {
			t.Error("another project has the keys too")
		}
		unknown := id.New[id.Project]([16]byte{9})
		if err := s.SigningKeys().Change(t.Context(), unknown, func(*signing.Set, time.Time) error { return nil }); fault.KindOf(err) != fault.NotFound {
			t.Errorf("an unknown project: %v", err)
		}
	})
}

// openVault leaves what it seals as it is.
type openVault struct{}

func (openVault) Seal(plain []byte, _ string) []byte           { return plain }
func (openVault) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

type chance struct{ ports.Entropy }

func (chance) Bits128() (bits [16]byte) {
	rand.Read(bits[:])
	return bits
}

// Sixteen replicas that need a project's first key at the same time create one set.
func TestSigningKeys_Change_firstKeyRace(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := storetest.StoreProject(t, s, 1).ID
		service := &signingkeys.Service{
			Stores:  &ports.Stores{SigningKeys: s.SigningKeys()},
			Vault:   openVault{},
			Entropy: chance{},
		}
		var seen [16]string
		if err := porttest.AtOnce(16, func(i int) error {
			signer, err := service.Signer(t.Context(), project)
			if err == nil {
				seen[i] = signer.Public().Thumbprint()
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		set := read(t, s, project)
		current, _ := set.Current()
		for _, one := range seen {
			if one != current.ID {
				t.Errorf("%s signs for one of them, and %s is stored", one, current.ID)
			}
		}
		if len(set.Keys) != 2 {
			t.Errorf("%d keys", len(set.Keys))
		}
	})
}

// The database refuses keys that the domain's rules cannot produce.
func TestSigningKeys_constraints(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		project := storetest.StoreProject(t, s, 1).ID
		must := s.SigningKeys().Change(t.Context(), project, func(set *signing.Set, now time.Time) error {
			set.Begin(key(t, project, 1), key(t, project, 2), now)
			return nil
		})
		if must != nil {
			t.Fatal(must)
		}
		for name, change := range map[string]string{
			"two current keys":                    "state = 'current', current_at = 1 WHERE state = 'next'",
			"a current key since no time":         "current_at = NULL WHERE state = 'current'",
			"a retired key with its private part": "state = 'retired', retired_at = 1 WHERE state = 'current'",
			"a key without its private part":      "sealed = '' WHERE state = 'current'",
			"an unknown state":                    "state = 'gone' WHERE state = 'current'",
			"half a point":                        "x = substr(x, 1, 16) WHERE state = 'current'",
		} {
			if s.DB.Exec(t.Context(), project, "UPDATE signing_keys SET "+change) == nil {
				t.Errorf("%s can be stored", name)
			}
		}
	})
}
