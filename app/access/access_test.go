package access_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

// memory is an in-memory store of an installation's accounts and keys.
type memory struct {
	ports.Keys
	accounts []*account.Account
	keys     map[[32]byte]*account.Key
	reached  []ports.Reached
	fails    error // of writing uses
	used     []map[id.APIKey]time.Time
}

func (m *memory) KeyByHash(_ context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	k, ok := m.keys[hash]
	if !ok {
		return nil, nil, fault.Missing("key")
	}
	owner, err := m.ByID(context.Background(), k.Account)
	return k, owner, err
}

func (m *memory) Open(_ context.Context, a *account.Account) error {
	m.accounts = append(m.accounts, a)
	return nil
}

func (m *memory) Add(_ context.Context, k *account.Key) error {
	if m.keys[k.Hash] == nil {
		m.keys[k.Hash] = k
	}
	return nil
}

func (m *memory) Oldest(_ context.Context, plan account.Plan) (*account.Account, error) {
	for _, a := range m.accounts {
		if plan == (account.Plan{}) || a.Plan == plan {
			return a, nil
		}
	}
	return nil, fault.Missing("account")
}

func (m *memory) ByID(_ context.Context, wanted id.Account) (*account.Account, error) {
	for _, a := range m.accounts {
		if a.ID == wanted {
			return a, nil
		}
	}
	return nil, fault.Missing("account")
}

func (m *memory) Update(ctx context.Context, wanted id.Account, change func(*account.Account) error) (*account.Account, error) {
	a, err := m.ByID(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return a, change(a)
}

func (m *memory) Reach(_ context.Context, _ id.Account, wanted []id.Project) ([]ports.Reached, error) {
	var found []ports.Reached
	for _, r := range m.reached {
		if len(wanted) == 0 || slices.Contains(wanted, r.Project) {
			found = append(found, r)
		}
	}
	return found, nil
}

func (m *memory) Used(_ context.Context, uses map[id.APIKey]time.Time) error {
	if m.fails == nil {
		m.used = append(m.used, uses)
	}
	return m.fails
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// counter is a ports.Entropy whose bits do not repeat.
type counter struct{ n byte }

func (c *counter) Bits128() [16]byte { c.n++; return [16]byte{c.n} }

func (c *counter) IDBits() [16]byte { return c.Bits128() }

func (c *counter) Secret(n int) string {
	c.n++
	return strings.Repeat(string('a'+rune(c.n)), n*8/5)
}

func newService(e account.Environment) (*access.Service, *memory, *clock) {
	m, now := &memory{keys: map[[32]byte]*account.Key{}}, &clock{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
	return &access.Service{
		Stores: &ports.Stores{
			Accounts: m,
			Keys:     m,
		},
		Clock:       now,
		Entropy:     &counter{},
		Environment: e,
	}, m, now
}

// A key authenticates until it expires or is revoked, and its scopes are checked.
func TestAuthenticate_expiredOrRevoked(t *testing.T) {
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

// Unknown and malformed secrets, and keys of the other environment, get the same error.
func TestAuthenticate_badSecret(t *testing.T) {
	t.Parallel()
	s, _, _ := newService(account.Sandbox)
	other, _, _ := newService(account.Production)
	other.Accounts, other.Keys = s.Accounts, s.Keys
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

func TestCaller_Bound(t *testing.T) {
	t.Parallel()
	one, two := id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2})
	for n, projects := range [][]id.Project{nil, {one}, {one, two}} {
		bound, ok := access.Caller{Key: &account.Key{Projects: projects}}.Bound()
		if ok != (n == 1) || ok && bound != one {
			t.Errorf("%d projects: %v %v", n, bound, ok)
		}
	}
}

func TestCreateKey_invalid(t *testing.T) {
	t.Parallel()
	s, m, now := newService(account.Sandbox)
	past := now.now.Add(-time.Second)
	_, err := s.CreateKey(t.Context(), id.Account{}, "", []string{"catalog:delete", "*", "dogs:read"}, nil, &past)
	var e *fault.Error
	if e, _ = err.(*fault.Error); e == nil || len(e.Details) != 4 || len(m.keys) != 0 {
		t.Errorf("want four problems: %v", err)
	}
}

// details returns the fields that an error names.
func details(err error) []string {
	var e *fault.Error
	var fields []string
	if errors.As(err, &e) {
		for _, d := range e.Details {
			fields = append(fields, d.Field)
		}
	}
	return fields
}

// GiveKey lists every problem of a draft in one error.
func TestGiveKey_allProblems(t *testing.T) {
	t.Parallel()
	s, m, _ := newService(account.Sandbox)
	owner, err := s.Owner(t.Context(), account.Growth)
	if err != nil {
		t.Fatal(err)
	}
	one, two, unknown := id.New[id.Project]([16]byte{1}), id.New[id.Project]([16]byte{2}), id.New[id.Project]([16]byte{3})
	m.reached = []ports.Reached{{Project: one}, {Project: two}}
	from := access.Caller{Account: owner, Key: &account.Key{Scopes: []string{"keys:write", "catalog:read"}, Projects: []id.Project{one}}}
	_, _, err = s.GiveKey(t.Context(), from, account.KeyDraft{
		Scopes: []string{"catalog:read", "catalog:write", "dogs:read"}, Projects: []id.Project{one, two, unknown, {}},
	}, "")
	want := []string{"project_ids.1", "project_ids.2", "project_ids.3", "name", "scopes.1", "scopes.2"}
	got := details(err)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(m.keys) != 0 {
		t.Errorf("%v, want %v", got, want)
	}
	var e *fault.Error
	if errors.As(err, &e) {
		for _, d := range e.Details {
			if strings.HasPrefix(d.Field, "project_ids") && d.Message != account.NoProject {
				t.Errorf("%s %s", d.Field, d.Message)
			}
		}
	}
	key, secret, err := s.GiveKey(t.Context(), from, account.KeyDraft{
		Name:     "n",
		Scopes:   []string{"catalog:read"},
		Projects: []id.Project{one},
	}, "")
	if err != nil || key.Account != owner.ID || !strings.HasPrefix(secret, key.Prefix) {
		t.Fatalf("%+v, %v", key, err)
	}
	caller, err := s.Authenticate(t.Context(), secret)
	if err != nil || caller.Key.ID != key.ID || caller.Require("keys:read") == nil {
		t.Errorf("%+v, %v", caller, err)
	}
}

func TestOwnerOn_plans(t *testing.T) {
	t.Parallel()
	s, m, _ := newService(account.Sandbox)
	for _, c := range []struct {
		plan account.Plan
		name string
	}{
		{account.Growth, "Growth account"}, {account.Starter, "Starter account"}, {account.Growth, "Growth account"},
	} {
		if a, err := s.OwnerOn(t.Context(), c.plan); err != nil || a.Name != c.name || a.Plan != c.plan {
			t.Errorf("%s: %+v, %v", c.plan, a, err)
		}
	}
	if first, err := s.Owner(t.Context(), account.Enterprise); err != nil || first.Plan != account.Growth || len(m.accounts) != 2 {
		t.Errorf("%+v of %d, %v", first, len(m.accounts), err)
	}
	before, after, err := s.ChangeAccount(t.Context(), m.accounts[0].ID, account.Change{Name: patch.To("Zoë's")})
	if err != nil || before.Name != "Growth account" || after.Name != "Zoë's" {
		t.Errorf("%+v, %+v, %v", before, after, err)
	}
	if _, err := s.OpenAccount(t.Context(), "", account.Growth); !slices.Equal(details(err), []string{"name"}) {
		t.Errorf("an account without a name: %v", err)
	}
}

// stale is a key cache that answers from its own store and ignores the service's.
type stale struct {
	*memory
	forgotten int
}

func (c *stale) Forget([32]byte) { c.forgotten++ }

func (c *stale) Known(hash [32]byte) bool {
	_, _, err := c.KeyByHash(context.Background(), hash)
	return err == nil
}

func TestKnown_cachedKeyOnly(t *testing.T) {
	t.Parallel()
	s, m, _ := newService(account.Sandbox)
	if err := s.Bootstrap(t.Context(), "hk_test_first"); err != nil {
		t.Fatal(err)
	}
	if s.Known("hk_test_first") {
		t.Error("without a cache every key is looked up")
	}
	s.Cache = &stale{memory: m}
	for bearer, want := range map[string]bool{"hk_test_first": true, "hk_test_second": false, "": false} {
		if s.Known(bearer) != want {
			t.Errorf("%q is known: %v", bearer, !want)
		}
	}
}

func TestAuthenticate_cachedKey(t *testing.T) {
	t.Parallel()
	s, _, _ := newService(account.Sandbox)
	cached, _, _ := newService(account.Sandbox)
	if err := cached.Bootstrap(t.Context(), "hk_test_first"); err != nil {
		t.Fatal(err)
	}
	s.Cache = &stale{memory: cached.Accounts.(*memory)}
	if _, err := s.Authenticate(t.Context(), "hk_test_first"); err != nil {
		t.Errorf("a cached key: %v", err)
	}
}

func TestUsesAreWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	s, m, now := newService(account.Sandbox)
	s.Uses = access.NewUses()
	if err := s.Bootstrap(t.Context(), "hk_test_first"); err != nil {
		t.Fatal(err)
	}
	use := func(after time.Duration) time.Time {
		t.Helper()
		now.now = now.now.Add(after)
		if _, err := s.Authenticate(t.Context(), "hk_test_first"); err != nil {
			t.Fatal(err)
		}
		return now.now
	}
	written := func(n int, at time.Time) {
		t.Helper()
		err := s.FlushUses(t.Context())
		if !errors.Is(err, m.fails) || len(m.used) != n {
			t.Fatalf("%d writes, want %d: %v", len(m.used), n, err)
		}
		for _, got := range m.used[max(0, n-1):] {
			if len(got) != 1 || !slices.Contains(slices.Collect(maps.Values(got)), at) {
				t.Errorf("written: %v, want %s", got, at)
			}
		}
	}
	written(0, time.Time{})
	use(0)
	first := use(time.Second)
	m.fails = errors.New("the database is away")
	written(0, time.Time{})
	m.fails = nil
	written(1, first)
	written(1, first)
	use(58 * time.Second)
	written(1, first)
	last := use(time.Second)
	now.now = now.now.Add(time.Second)
	written(2, last)
	now.now = now.now.Add(-time.Hour) // a clock that is set back
	use(0)
	now.now = now.now.Add(2 * time.Hour)
	written(3, last.Add(-time.Hour+time.Second))
}

func TestFlushUses_refusedKey(t *testing.T) {
	t.Parallel()
	s, m, now := newService(account.Sandbox)
	s.Uses = access.NewUses()
	expires := now.now.Add(time.Second)
	owner, err := s.Owner(t.Context(), account.Growth)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := s.CreateKey(t.Context(), owner.ID, "short", []string{"*"}, nil, &expires)
	if err != nil {
		t.Fatal(err)
	}
	now.now = expires
	if _, err := s.Authenticate(t.Context(), secret); err == nil {
		t.Error("an expired key works")
	}
	if err := s.FlushUses(t.Context()); err != nil || len(m.used) != 0 {
		t.Errorf("%v, %v", m.used, err)
	}
}
