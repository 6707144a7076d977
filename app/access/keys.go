package access

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

// secretBytes of randomness make a key: 160 bits (features/MANAGEMENT.md#keys).
const secretBytes = 20

// CreateKey adds a key to an account on behalf of the installation's operator. No projects means all projects of the
// account; a nil expiry means never. The secret is returned here and never again.
func (s *Service) CreateKey(ctx context.Context, owner id.Account, name string, scopes []string,
	projects []id.Project, expires *time.Time) (secret string, err error) {
	draft := account.KeyDraft{
		Name:      name,
		Scopes:    scopes,
		Projects:  projects,
		ExpiresAt: expires,
	}
	c := fault.NewCheck()
	draft.Check(c, s.Clock.Now())
	if err := c.Err(); err != nil {
		return "", err
	}
	key, secret := s.newKey(owner, draft)
	return secret, s.Keys.Add(ctx, key)
}

// GiveKey adds a key to the caller's account. The key may not have a scope or project that the caller lacks. If it reaches a
// project that requires MFA, code must be valid.
func (s *Service) GiveKey(ctx context.Context, from Caller, d account.KeyDraft, code string) (*account.Key, string, error) {
	reached, err := s.Keys.Reach(ctx, from.Account.ID, d.Projects)
	if err != nil {
		return nil, "", err
	}
	c := fault.NewCheck()
	for i, p := range d.Projects {
		exists := slices.ContainsFunc(reached, func(r ports.Reached) bool { return r.Project == p })
		c.In("project_ids").That(exists, strconv.Itoa(i), account.NoProject)
	}
	d.Check(c, s.Clock.Now())
	from.Key.MayGive(d, c)
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	if slices.ContainsFunc(reached, func(r ports.Reached) bool { return r.MFARequired }) {
		if err := s.Confirm(ctx, from.Holder(), code); err != nil {
			return nil, "", err
		}
	}
	key, secret := s.newKey(from.Account.ID, d)
	return key, secret, s.Keys.Add(ctx, key)
}

// shownPrefix is how many characters of a secret are stored so that a list of keys can show them: the mark and four more.
const shownPrefix = 12

func (s *Service) newKey(owner id.Account, d account.KeyDraft) (key *account.Key, secret string) {
	secret = s.Environment.KeyMark() + s.Entropy.Secret(secretBytes)
	return s.keyOf(owner, d, secret), secret
}

func (s *Service) keyOf(owner id.Account, d account.KeyDraft, secret string) *account.Key {
	return &account.Key{
		ID:        id.New[id.APIKey](s.Entropy.IDBits()),
		Account:   owner,
		Name:      d.Name,
		Scopes:    d.Scopes,
		Projects:  d.Projects,
		Hash:      sha256.Sum256([]byte(secret)),
		Prefix:    secret[:min(shownPrefix, len(secret))],
		CreatedAt: s.Clock.Now(),
		ExpiresAt: d.ExpiresAt,
	}
}

// Key returns a key that the caller oversees and that is not revoked.
func (s *Service) Key(ctx context.Context, from Caller, wanted id.APIKey) (*account.Key, error) {
	key, err := s.Keys.Key(ctx, from.Account.ID, wanted)
	if err != nil {
		return nil, err
	}
	if !from.Key.Oversees(key) {
		return nil, fault.Missing("api_key")
	}
	return key, nil
}

// RevokeKey revokes a key that the caller oversees, which may be the caller's own. It cannot be undone.
func (s *Service) RevokeKey(ctx context.Context, from Caller, wanted id.APIKey) error {
	key, err := s.Key(ctx, from, wanted)
	if err != nil {
		return err
	}
	return s.revoke(ctx, key)
}

// RevokeKeyOf revokes an account's key on behalf of the installation's operator.
func (s *Service) RevokeKeyOf(ctx context.Context, owner id.Account, wanted id.APIKey) error {
	key, err := s.Keys.Key(ctx, owner, wanted)
	if err != nil {
		return err
	}
	return s.revoke(ctx, key)
}

func (s *Service) revoke(ctx context.Context, key *account.Key) error {
	if s.Cache != nil {
		s.Cache.Forget(key.Hash)
	}
	return s.Keys.Revoke(ctx, key.Account, key.ID, s.Clock.Now())
}

// Owner returns the installation's first account. If there is none, it opens one on the plan.
func (s *Service) Owner(ctx context.Context, plan account.Plan) (*account.Account, error) {
	owner, err := s.Accounts.Oldest(ctx, account.Plan{})
	if fault.KindOf(err) != fault.NotFound {
		return owner, err
	}
	return s.OpenAccount(ctx, "Main account", plan)
}

// OwnerOn returns the first account on the plan. If there is none, it opens one named after the plan.
func (s *Service) OwnerOn(ctx context.Context, plan account.Plan) (*account.Account, error) {
	owner, err := s.Accounts.Oldest(ctx, plan)
	if fault.KindOf(err) != fault.NotFound {
		return owner, err
	}
	name := plan.String()
	return s.OpenAccount(ctx, strings.ToUpper(name[:1])+name[1:]+" account", plan)
}

// OpenAccount opens an account.
func (s *Service) OpenAccount(ctx context.Context, name string, plan account.Plan) (*account.Account, error) {
	opened := &account.Account{
		ID:        id.New[id.Account](s.Entropy.IDBits()),
		Plan:      plan,
		CreatedAt: s.Clock.Now(),
	}
	if err := opened.Change(account.Change{Name: patch.To(name)}); err != nil {
		return nil, err
	}
	return opened, s.Accounts.Open(ctx, opened)
}

// ChangeAccount changes an account and returns it as it was before and as it is after.
func (s *Service) ChangeAccount(ctx context.Context, owner id.Account, c account.Change) (before, after *account.Account, err error) {
	after, err = s.Accounts.Update(ctx, owner, func(a *account.Account) error {
		was := *a
		before = &was
		return a.Change(c)
	})
	return before, after, err
}

// shortestProduction is the shortest bootstrap secret in production, in characters: 160 bits in base32.
const shortestProduction = secretBytes * 8 / 5

// Bootstrap makes sure that an account on Enterprise (features/MANAGEMENT.md#rates) has an admin key with this secret. It
// is idempotent. A revoked key stays revoked.
func (s *Service) Bootstrap(ctx context.Context, secret string) error {
	mark := s.Environment.KeyMark()
	rest, ok := strings.CutPrefix(secret, mark)
	switch {
	case !ok || rest == "" || len(secret) > longestSecret:
		return fault.Field("bootstrap_key", "must begin with "+mark+" in the "+s.Environment.String()+" environment")
	case s.Environment == account.Production && len(rest) < shortestProduction:
		return fault.Field("bootstrap_key", "must have at least 32 characters after "+mark)
	}
	_, _, err := s.Accounts.KeyByHash(ctx, sha256.Sum256([]byte(secret)))
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	owner, err := s.Owner(ctx, account.Enterprise)
	if err != nil {
		return err
	}
	draft := account.KeyDraft{Name: "Bootstrap key", Scopes: []string{"*"}}
	return s.Keys.Add(ctx, s.keyOf(owner.ID, draft, secret))
}
