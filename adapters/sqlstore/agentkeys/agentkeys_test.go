package agentkeys_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// keyOf is a key that is not stored.
func keyOf(project id.Project, at time.Time) *agentkey.Key {
	made := porttest.Random[id.AgentKey]()
	return agentkey.New(made, project, agentkey.Draft{Name: "Laptop", Profile: "https://agent.example/p"}, "hak_test_"+made.String(), at)
}

func add(t *testing.T, s *storetest.Store, k *agentkey.Key) *agentkey.Key {
	t.Helper()
	if err := s.AgentKeys().Add(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	return k
}

// A key is found by its hash in its own project, and in no other.
func TestByHash(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		want := add(t, s, keyOf(mine, porttest.Noon))
		got, err := s.AgentKeys().ByHash(t.Context(), mine, want.Hash)
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "key", got, want)
		_, err = s.AgentKeys().ByHash(t.Context(), other, want.Hash)
		porttest.WantFault(t, err, fault.NotFound, "agent_key_not_found")
		_, err = s.AgentKeys().ByHash(t.Context(), mine, sha256.Sum256([]byte("unknown")))
		porttest.WantFault(t, err, fault.NotFound, "agent_key_not_found")
		porttest.WantFault(t, s.AgentKeys().Add(t.Context(), keyOf(porttest.Random[id.Project](), porttest.Noon)), fault.NotFound, "project_not_found")
		if err := s.AgentKeys().Add(t.Context(), want); err == nil {
			t.Error("two keys have one hash")
		}
	})
}

// The list is a project's own, newest first, without keys that are revoked.
func TestList(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		list, total, err := s.AgentKeys().List(t.Context(), mine, ports.Page{Limit: 10})
		if err != nil || list == nil || len(list) != 0 || total != 0 {
			t.Fatalf("a new project has %d keys of %d: %v", len(list), total, err)
		}
		first := add(t, s, keyOf(mine, porttest.Noon))
		last := add(t, s, keyOf(mine, porttest.Noon.Add(2*time.Hour)))
		middle := add(t, s, keyOf(mine, porttest.Noon.Add(time.Hour)))
		add(t, s, keyOf(other, porttest.Noon))
		revoked := add(t, s, keyOf(mine, porttest.Noon))
		if err := s.AgentKeys().Revoke(t.Context(), mine, revoked.ID, porttest.Noon); err != nil {
			t.Fatal(err)
		}
		list, total, err = s.AgentKeys().List(t.Context(), mine, ports.Page{Limit: 2, Offset: 1})
		if err != nil || total != 3 {
			t.Fatalf("%d keys, %v", total, err)
		}
		porttest.Same(t, "list", list, []*agentkey.Key{middle, first})
		list, _, err = s.AgentKeys().List(t.Context(), mine, ports.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "list", list, []*agentkey.Key{last})
	})
}

// won counts results without a fault. Every other one has the fault.
func won(t *testing.T, results []error, kind fault.Kind, code string) (n int) {
	t.Helper()
	for _, err := range results {
		if err == nil {
			n++
			continue
		}
		porttest.WantFault(t, err, kind, code)
	}
	return n
}

// One of sixteen revokes a key, which works no more.
func TestRevoke(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		k, kept := add(t, s, keyOf(mine, porttest.Noon)), add(t, s, keyOf(mine, porttest.Noon))
		porttest.WantFault(t, s.AgentKeys().Revoke(t.Context(), other, k.ID, porttest.Noon), fault.NotFound, "agent_key_not_found")
		results := porttest.Together(porttest.Racers, func(int) error { return s.AgentKeys().Revoke(t.Context(), mine, k.ID, porttest.Noon) })
		if n := won(t, results, fault.NotFound, "agent_key_not_found"); n != 1 {
			t.Errorf("%d of sixteen revoked the key", n)
		}
		if got, err := s.AgentKeys().ByHash(t.Context(), mine, k.Hash); err != nil || got.Works() {
			t.Errorf("the revoked key: %+v, %v", got, err)
		}
		if got, err := s.AgentKeys().ByHash(t.Context(), mine, kept.Hash); err != nil || !got.Works() {
			t.Errorf("another key: %+v, %v", got, err)
		}
	})
}

// One of sixteen is the last of the hundred. Keys that are revoked, and those of others, do not count.
func TestAgentKeys_Add_limit(t *testing.T) {
	storetest.OnEngines(t, func(t *testing.T, s *storetest.Store) {
		mine, other := storetest.StoreProject(t, s, 1).ID, storetest.StoreProject(t, s, 2).ID
		add(t, s, keyOf(other, porttest.Noon))
		revoke := func(k *agentkey.Key) {
			t.Helper()
			if err := s.AgentKeys().Revoke(t.Context(), mine, k.ID, porttest.Noon); err != nil {
				t.Fatal(err)
			}
		}
		revoke(add(t, s, keyOf(mine, porttest.Noon)))
		last := add(t, s, keyOf(mine, porttest.Noon))
		for range agentkey.Max - 2 {
			add(t, s, keyOf(mine, porttest.Noon))
		}
		results := porttest.Together(porttest.Racers, func(int) error { return s.AgentKeys().Add(t.Context(), keyOf(mine, porttest.Noon)) })
		if n := won(t, results, fault.Conflict, "too_many_agent_keys"); n != 1 {
			t.Errorf("%d keys were added to 99", n)
		}
		add(t, s, keyOf(other, porttest.Noon))
		revoke(last)
		add(t, s, keyOf(mine, porttest.Noon))
	})
}
