package sqlstore_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/pgserver"
)

var useOfKey = ports.KeyUsage{
	Owner:       "me",
	Route:       "POST /",
	Key:         "k",
	Fingerprint: sha256.Sum256(nil),
	At:          time.UnixMilli(1_800_000_000_000),
}

// One of several requests with the same key takes effect, and its answer is stored with its effect.
func TestStore_Within_sameKey(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				err := s.Within(t.Context(), &useOfKey, func(view *storetest.Store) error {
					// A second claim of the key ends the unit, even if the caller ignores its error.
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

// Claiming a key that another transaction is claiming waits no longer than lock_timeout, and returns ErrKeyTaken.
func TestStore_Requests_claimInProgress(t *testing.T) {
	t.Parallel()
	url := pgserver.Shared(t).Migrated(t, storetest.Migrated)
	s := storetest.OpenStore(t, sqlstore.Config{URL: url})
	impatient := storetest.OpenStore(t, sqlstore.Config{URL: strings.Replace(url, "lock_timeout=30000", "lock_timeout=100", 1)})
	err := s.Within(t.Context(), &useOfKey, func(view *storetest.Store) error {
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
