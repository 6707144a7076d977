package porttest

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Accounts is the contract of ports.Accounts.
func Accounts(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Stores){
		"the oldest account":                    accountOldest,
		"a key comes back as it was stored":     keyRoundTrip,
		"racing to add one key leaves one":      keyRace,
		"a key of an unknown account is no key": keyOfNobody,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func openAccount(t *testing.T, s Stores, at time.Time) *account.Account {
	t.Helper()
	a := &account.Account{ID: random[id.Account](), Name: "Zoë's", Plan: account.Growth, CreatedAt: at}
	if err := s.Accounts.Open(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

func newKey(a *account.Account, secret string) *account.Key {
	return &account.Key{
		ID: random[id.APIKey](), Account: a.ID, Name: "ci", Hash: sha256.Sum256([]byte(secret)), Prefix: "hk_test_abc",
		Scopes: []string{"catalog:read", "projects:write"}, Projects: []id.Project{random[id.Project](), random[id.Project]()},
		CreatedAt: noon, ExpiresAt: pointer(noon.Add(time.Hour)), RevokedAt: pointer(noon.Add(time.Minute)),
	}
}

func accountOldest(t *testing.T, s Stores) {
	_, err := s.Accounts.Oldest(t.Context())
	wantFault(t, err, fault.NotFound, "account_not_found")
	openAccount(t, s, noon)
	oldest := openAccount(t, s, noon.Add(-time.Millisecond))
	openAccount(t, s, noon.Add(time.Millisecond))
	got, err := s.Accounts.Oldest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "oldest", got, oldest)
}

func keyRoundTrip(t *testing.T, s Stores) {
	owner := openAccount(t, s, noon)
	bare := newKey(owner, "bare")
	bare.Scopes, bare.Projects, bare.ExpiresAt, bare.RevokedAt = []string{"*"}, nil, nil, nil
	for _, want := range []*account.Key{newKey(owner, "full"), bare} {
		if err := s.Accounts.AddKey(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, of, err := s.Accounts.KeyByHash(t.Context(), want.Hash)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "key", got, want)
		same(t, "account", of, owner)
	}
	_, _, err := s.Accounts.KeyByHash(t.Context(), sha256.Sum256([]byte("unknown")))
	wantFault(t, err, fault.NotFound, "api_key_not_found")
}

func keyRace(t *testing.T, s Stores) {
	owner := openAccount(t, s, noon)
	keys := make([]*account.Key, racers)
	for i := range keys {
		keys[i] = newKey(owner, "bootstrap")
	}
	if errs := atOnce(racers, func(i int) error { return s.Accounts.AddKey(t.Context(), keys[i]) }); errs != nil {
		t.Fatal(errs)
	}
	first, _, err := s.Accounts.KeyByHash(t.Context(), keys[0].Hash)
	if err != nil {
		t.Fatal(err)
	}
	late := newKey(owner, "bootstrap")
	late.Name = "late"
	if err := s.Accounts.AddKey(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	again, _, err := s.Accounts.KeyByHash(t.Context(), late.Hash)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the key after another attempt", again, first)
}

func keyOfNobody(t *testing.T, s Stores) {
	nobody := newKey(&account.Account{ID: random[id.Account]()}, "nobody")
	if err := s.Accounts.AddKey(t.Context(), nobody); err == nil {
		t.Error("a key without an account was stored")
	}
	_, _, err := s.Accounts.KeyByHash(t.Context(), nobody.Hash)
	wantFault(t, err, fault.NotFound, "api_key_not_found")
}
