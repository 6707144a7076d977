package access_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// memory is the accounts of an installation.
type memory struct {
	accounts []*account.Account
	keys     map[[32]byte]*account.Key
}

func (m *memory) KeyByHash(_ context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	k, ok := m.keys[hash]
	if !ok {
		return nil, nil, fault.Missing("key")
	}
	for _, a := range m.accounts {
		if a.ID == k.Account {
			return k, a, nil
		}
	}
	return nil, nil, fault.Missing("account")
}

func (m *memory) Open(_ context.Context, a *account.Account) error {
	m.accounts = append(m.accounts, a)
	return nil
}

func (m *memory) AddKey(_ context.Context, k *account.Key) error {
	if m.keys[k.Hash] == nil {
		m.keys[k.Hash] = k
	}
	return nil
}

func (m *memory) Oldest(context.Context) (*account.Account, error) {
	if len(m.accounts) == 0 {
		return nil, fault.Missing("account")
	}
	return m.accounts[0], nil
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// counter gives bits that do not repeat.
type counter struct{ n byte }

func (c *counter) Bits128() [16]byte { c.n++; return [16]byte{c.n} }

func (c *counter) Secret(n int) string {
	c.n++
	return strings.Repeat(string('a'+rune(c.n)), n*8/5)
}

func newService(e account.Environment) (*access.Service, *memory, *clock) {
	m, now := &memory{keys: map[[32]byte]*account.Key{}}, &clock{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	return &access.Service{Accounts: m, Clock: now, Entropy: &counter{}, Environment: e}, m, now
}

func TestAKeyWorksUntilItExpiresOrIsRevoked(t *testing.T) {
	t.Parallel()
	s, m, now := newService(account.Sandbox)
	owner, err := s.Owner(t.Context(), account.Growth)
	if err != nil {
		t.Fatal(err)
	}
	expires := now.now.Add(time.Hour)
	secret, err := s.CreateKey(t.Context(), owner.ID, "shop", []string{"catalog:write"}, nil, &expires)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := s.Authenticate(t.Context(), secret)
	if err != nil || caller.Account != owner {
		t.Fatalf("caller %v, %v", caller, err)
	}
	if err := caller.Require("catalog:read"); err != nil {
		t.Errorf("write does not imply read: %v", err)
	}
	if err := caller.Require("projects:read"); !fault.Is(err, "insufficient_scope") || fault.KindOf(err) != fault.Forbidden {
		t.Errorf("a scope that the key lacks: %v", err)
	}
	now.now = expires
	if _, err := s.Authenticate(t.Context(), secret); !fault.Is(err, "unauthenticated") {
		t.Errorf("an expired key: %v", err)
	}
	now.now = expires.Add(-time.Minute)
	for _, k := range m.keys {
		k.RevokedAt = &now.now
	}
	if _, err := s.Authenticate(t.Context(), secret); !fault.Is(err, "unauthenticated") {
		t.Errorf("a revoked key: %v", err)
	}
}

func TestWhatIsNoKeyIsRefusedAlike(t *testing.T) {
	t.Parallel()
	s, _, _ := newService(account.Sandbox)
	other, _, _ := newService(account.Production)
	other.Accounts = s.Accounts
	if err := other.Bootstrap(t.Context(), "hk_live_"+strings.Repeat("x", 32)); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{
		"", "hk_test_", "hk_test_unknown", "hk_live_" + strings.Repeat("x", 32), "hk_test_" + strings.Repeat("x", 1<<20),
	} {
		if _, err := s.Authenticate(t.Context(), secret); fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%.20q: %v", secret, err)
		}
	}
}

func TestBootstrapMayBeRepeated(t *testing.T) {
	t.Parallel()
	s, m, _ := newService(account.Sandbox)
	for range 2 {
		if err := s.Bootstrap(t.Context(), "hk_test_first"); err != nil {
			t.Fatal(err)
		}
	}
	caller, err := s.Authenticate(t.Context(), "hk_test_first")
	if err != nil || caller.Require("keys:write") != nil || caller.Account.Plan != account.Enterprise {
		t.Errorf("%v, %v", caller, err)
	}
	if len(m.accounts) != 1 || len(m.keys) != 1 {
		t.Errorf("%d accounts, %d keys", len(m.accounts), len(m.keys))
	}
	for environment, secret := range map[account.Environment]string{
		account.Sandbox: "hk_live_" + strings.Repeat("x", 32), account.Production: "hk_live_short",
	} {
		s, _, _ := newService(environment)
		if err := s.Bootstrap(t.Context(), secret); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s takes %s: %v", environment, secret, err)
		}
	}
}

func TestAKeyOfOneProjectIsBoundToIt(t *testing.T) {
	t.Parallel()
	one, two := id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2})
	for n, projects := range [][]id.Project{nil, {one}, {one, two}} {
		bound, ok := access.Caller{Key: &account.Key{Projects: projects}}.Bound()
		if ok != (n == 1) || ok && bound != one {
			t.Errorf("%d projects: %v %v", n, bound, ok)
		}
	}
}

func TestKeysAreChecked(t *testing.T) {
	t.Parallel()
	s, m, now := newService(account.Sandbox)
	past := now.now.Add(-time.Second)
	_, err := s.CreateKey(t.Context(), id.Account{}, "", []string{"catalog:delete", "*", "dogs:read"}, nil, &past)
	var e *fault.Error
	if e, _ = err.(*fault.Error); e == nil || len(e.Details) != 4 || len(m.keys) != 0 {
		t.Errorf("want four problems: %v", err)
	}
}
