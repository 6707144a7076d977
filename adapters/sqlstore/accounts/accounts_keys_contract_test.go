package accounts_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/accounts"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// AccountStores is one database behind the ports that accounts prove themselves by.
type AccountStores struct {
	porttest.Stores
	Keys           ports.Keys
	Roster         accounts.Keys
	Authenticators ports.Authenticators
	Tries          ports.Tries
}

// OpenAccounts makes a fresh, empty database that lasts as long as the test.
type OpenAccounts func(testing.TB) AccountStores

// Keys is the contract of ports.Keys, of all keys, and of finding accounts by keys.
func Keys(t *testing.T, open OpenAccounts) {
	for name, test := range map[string]func(*testing.T, AccountStores){
		"a key comes back as it was stored":         keyRoundTrip,
		"racing to add one key leaves one":          keyRace,
		"a key of an unknown account is no key":     keyOfNobody,
		"one of sixteen is the last of the hundred": keyLimit,
		"lists are newest first":                    keyList,
		"a bound key's list is its own":             keyListBound,
		"one of sixteen revokes a key":              keyRevoke,
		"another account's keys are unknown":        keyForeign,
		"the last use never moves back":             keyUsed,
		"all keys":                                  keyRoster,
		"what keys reach":                           keyReach,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func newKey(a *account.Account, secret string) *account.Key {
	return &account.Key{
		ID:        porttest.Random[id.APIKey](),
		Account:   a.ID,
		Name:      "ci",
		Hash:      sha256.Sum256([]byte(secret)),
		Prefix:    "hk_test_abc",
		Scopes:    []string{"catalog:read", "projects:write"},
		Projects:  []id.Project{porttest.Random[id.Project](), porttest.Random[id.Project]()},
		CreatedAt: porttest.Noon,
		ExpiresAt: porttest.Pointer(porttest.Noon.Add(time.Hour)),
	}
}

// addKey adds a key for ever to all projects, changed.
func (s AccountStores) addKey(t *testing.T, a *account.Account, change func(*account.Key)) *account.Key {
	t.Helper()
	k := newKey(a, porttest.Random[id.APIKey]().String())
	k.Projects, k.ExpiresAt = nil, nil
	change(k)
	if err := s.Keys.Add(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	return k
}

func asItIs(*account.Key) {}

func keyRoundTrip(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	revoked := newKey(owner, "revoked")
	revoked.RevokedAt = porttest.Pointer(porttest.Noon.Add(time.Minute))
	bare := newKey(owner, "bare")
	bare.Scopes, bare.Projects, bare.ExpiresAt = []string{"*"}, nil, nil
	for _, want := range []*account.Key{newKey(owner, "full"), revoked, bare} {
		if err := s.Keys.Add(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, of, err := s.Accounts.KeyByHash(t.Context(), want.Hash)
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "key", got, want)
		porttest.Same(t, "account", of, owner)
		got, err = s.Keys.Key(t.Context(), owner.ID, want.ID)
		if want.RevokedAt != nil {
			porttest.WantFault(t, err, fault.NotFound, "api_key_not_found")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "key by its id", got, want)
	}
	_, _, err := s.Accounts.KeyByHash(t.Context(), sha256.Sum256([]byte("unknown")))
	porttest.WantFault(t, err, fault.NotFound, "api_key_not_found")
}

func keyRace(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	keys := make([]*account.Key, porttest.Racers)
	for i := range keys {
		keys[i] = newKey(owner, "bootstrap")
	}
	if errs := porttest.AtOnce(porttest.Racers, func(i int) error { return s.Keys.Add(t.Context(), keys[i]) }); errs != nil {
		t.Fatal(errs)
	}
	first, _, err := s.Accounts.KeyByHash(t.Context(), keys[0].Hash)
	if err != nil {
		t.Fatal(err)
	}
	late := newKey(owner, "bootstrap")
	late.Name = "late"
	if err := s.Keys.Add(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	again, _, err := s.Accounts.KeyByHash(t.Context(), late.Hash)
	if err != nil {
		t.Fatal(err)
	}
	porttest.Same(t, "the key after another attempt", again, first)
}

func keyOfNobody(t *testing.T, s AccountStores) {
	nobody := newKey(&account.Account{ID: porttest.Random[id.Account]()}, "nobody")
	porttest.WantFault(t, s.Keys.Add(t.Context(), nobody), fault.NotFound, "account_not_found")
	_, _, err := s.Accounts.KeyByHash(t.Context(), nobody.Hash)
	porttest.WantFault(t, err, fault.NotFound, "api_key_not_found")
}

// Keys that are revoked or have expired do not count.
func keyLimit(t *testing.T, s AccountStores) {
	owner, other := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	s.addKey(t, other, asItIs)
	s.addKey(t, owner, func(k *account.Key) { k.RevokedAt = porttest.Pointer(porttest.Noon) })
	s.addKey(t, owner, func(k *account.Key) {
		k.CreatedAt, k.ExpiresAt = porttest.Noon.Add(-time.Hour), porttest.Pointer(porttest.Noon)
	})
	last := s.addKey(t, owner, asItIs)
	for range account.MaxKeys - 2 {
		s.addKey(t, owner, func(k *account.Key) { k.ExpiresAt = porttest.Pointer(porttest.Noon.Add(time.Millisecond)) })
	}
	results := porttest.Together(porttest.Racers, func(i int) error { return s.Keys.Add(t.Context(), newKey(owner, fmt.Sprint("racer ", i))) })
	won := 0
	for _, err := range results {
		if err == nil {
			won++
			continue
		}
		porttest.WantFault(t, err, fault.Conflict, "too_many_keys")
	}
	if won != 1 {
		t.Errorf("%d keys were added to 99", won)
	}
	if err := s.Keys.Add(t.Context(), last); err != nil {
		t.Errorf("a key that is there: %v", err)
	}
	s.addKey(t, other, asItIs)
	if err := s.Keys.Revoke(t.Context(), owner.ID, last.ID, porttest.Noon); err != nil {
		t.Fatal(err)
	}
	s.addKey(t, owner, asItIs)
}

func (s AccountStores) wantKeys(t *testing.T, owner id.Account, bound []id.Project, page ports.Page, total int, want ...*account.Key) {
	t.Helper()
	got, n, err := s.Keys.List(t.Context(), owner, bound, page)
	if err != nil {
		t.Fatal(err)
	}
	if n != total {
		t.Errorf("the total is %d, want %d", n, total)
	}
	porttest.Same(t, "list", append([]*account.Key{}, got...), append([]*account.Key{}, want...))
}

func keyList(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	s.wantKeys(t, owner.ID, nil, ports.Page{Limit: 10}, 0)
	s.addKey(t, porttest.OpenAccount(t, s.Stores, porttest.Noon), asItIs)
	old := s.addKey(t, owner, func(k *account.Key) {
		k.CreatedAt, k.ExpiresAt = porttest.Noon.Add(-time.Hour), porttest.Pointer(porttest.Noon.Add(-time.Minute))
	})
	newest := s.addKey(t, owner, func(k *account.Key) { k.CreatedAt = porttest.Noon.Add(time.Hour) })
	middle := s.addKey(t, owner, func(k *account.Key) { k.Projects = []id.Project{porttest.Random[id.Project]()} })
	s.addKey(t, owner, func(k *account.Key) { k.RevokedAt = porttest.Pointer(porttest.Noon) })
	s.wantKeys(t, owner.ID, nil, ports.Page{Limit: 10}, 3, newest, middle, old)
	s.wantKeys(t, owner.ID, nil, ports.Page{Limit: 1, Offset: 1}, 3, middle)
	s.wantKeys(t, owner.ID, nil, ports.Page{Limit: 5, Offset: 3}, 3)
}

func keyListBound(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	one, two, three := porttest.Random[id.Project](), porttest.Random[id.Project](), porttest.Random[id.Project]()
	to := func(at time.Duration, projects ...id.Project) *account.Key {
		return s.addKey(t, owner, func(k *account.Key) { k.Projects, k.CreatedAt = projects, porttest.Noon.Add(at) })
	}
	to(0)
	to(1*time.Second, three)
	to(2*time.Second, one, three)
	both, first := to(3*time.Second, two, one), to(4*time.Second, one)
	s.wantKeys(t, owner.ID, []id.Project{one, two}, ports.Page{Limit: 10}, 2, first, both)
	s.wantKeys(t, owner.ID, []id.Project{one, two}, ports.Page{Limit: 1, Offset: 1}, 2, both)
	s.wantKeys(t, owner.ID, []id.Project{two}, ports.Page{Limit: 1, Offset: 9}, 0)
}

func keyRevoke(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	k, other := s.addKey(t, owner, asItIs), s.addKey(t, owner, asItIs)
	results := porttest.Together(porttest.Racers, func(i int) error { return s.Keys.Revoke(t.Context(), owner.ID, k.ID, porttest.Noon.Add(time.Hour)) })
	won := 0
	for _, err := range results {
		if err == nil {
			won++
			continue
		}
		porttest.WantFault(t, err, fault.NotFound, "api_key_not_found")
	}
	if won != 1 {
		t.Errorf("%d of sixteen revoked the key", won)
	}
	got, _, err := s.Accounts.KeyByHash(t.Context(), k.Hash)
	if err != nil || got.RevokedAt == nil || !got.RevokedAt.Equal(porttest.Noon.Add(time.Hour)) {
		t.Errorf("the revoked key: %+v, %v", got, err)
	}
	if got, err := s.Keys.Key(t.Context(), owner.ID, other.ID); err != nil || got.RevokedAt != nil {
		t.Errorf("another key: %+v, %v", got, err)
	}
	porttest.WantFault(t, s.Keys.Revoke(t.Context(), owner.ID, porttest.Random[id.APIKey](), porttest.Noon), fault.NotFound, "api_key_not_found")
}

func keyForeign(t *testing.T, s AccountStores) {
	owner, thief := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	k := s.addKey(t, owner, asItIs)
	_, err := s.Keys.Key(t.Context(), thief.ID, k.ID)
	porttest.WantFault(t, err, fault.NotFound, "api_key_not_found")
	porttest.WantFault(t, s.Keys.Revoke(t.Context(), thief.ID, k.ID, porttest.Noon), fault.NotFound, "api_key_not_found")
	s.wantKeys(t, thief.ID, nil, ports.Page{Limit: 10}, 0)
	if _, err := s.Keys.Key(t.Context(), owner.ID, k.ID); err != nil {
		t.Errorf("the owner's key: %v", err)
	}
}

func keyUsed(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	one, two := s.addKey(t, owner, asItIs), s.addKey(t, owner, asItIs)
	for _, used := range []struct{ at, want time.Duration }{{time.Minute, time.Minute}, {time.Second, time.Minute}, {time.Hour, time.Hour}} {
		err := s.Keys.Used(t.Context(), map[id.APIKey]time.Time{one.ID: porttest.Noon.Add(used.at), porttest.Random[id.APIKey](): porttest.Noon})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Keys.Key(t.Context(), owner.ID, one.ID)
		if err != nil || got.LastUsedAt == nil || !got.LastUsedAt.Equal(porttest.Noon.Add(used.want)) {
			t.Errorf("used after %s: %+v, %v", used.at, got, err)
		}
	}
	if got, err := s.Keys.Key(t.Context(), owner.ID, two.ID); err != nil || got.LastUsedAt != nil {
		t.Errorf("a key that was not used: %+v, %v", got, err)
	}
	many := map[id.APIKey]time.Time{two.ID: porttest.Noon}
	for range 500 {
		many[porttest.Random[id.APIKey]()] = porttest.Noon
	}
	if err := s.Keys.Used(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Keys.Key(t.Context(), owner.ID, two.ID); err != nil || got.LastUsedAt == nil {
		t.Errorf("one of many: %+v, %v", got, err)
	}
}

func keyRoster(t *testing.T, s AccountStores) {
	one, two := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	first := s.addKey(t, one, asItIs)
	second := s.addKey(t, two, func(k *account.Key) {
		k.CreatedAt, k.RevokedAt = porttest.Noon.Add(time.Second), porttest.Pointer(porttest.Noon.Add(time.Hour))
	})
	keys, accounts, err := s.Roster.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	porttest.Same(t, "keys", keys, []*account.Key{second, first})
	porttest.Same(t, "accounts", accounts, map[id.Account]*account.Account{one.ID: one, two.ID: two})
}

func keyReach(t *testing.T, s AccountStores) {
	owner, other := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	shop := func(a *account.Account, mfa bool) id.Project {
		t.Helper()
		name := porttest.Random[id.Project]()
		p, err := project.Open(name, a.ID, project.Draft{
			Name:     `"mfa_required":true`,
			Slug:     slugOf(name),
			Settings: project.SettingsPatch{MFARequired: patch.To(mfa)},
		}, porttest.Noon)
		if err == nil {
			err = s.Projects.Create(t.Context(), p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	plain, guarded, foreign := shop(owner, false), shop(owner, true), shop(other, true)
	for _, c := range []struct{ wanted, want []id.Project }{
		{nil, []id.Project{plain, guarded}},
		{[]id.Project{guarded}, []id.Project{guarded}},
		{[]id.Project{plain, foreign, porttest.Random[id.Project](), {}}, []id.Project{plain}},
		{[]id.Project{foreign}, nil},
	} {
		got, err := s.Keys.Reach(t.Context(), owner.ID, c.wanted)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("of %v: %v, %v", c.wanted, got, err)
		}
		for _, r := range got {
			if !slices.Contains(c.want, r.Project) || r.MFARequired != (r.Project == guarded) {
				t.Errorf("of %v: %v", c.wanted, r)
			}
		}
	}
}
