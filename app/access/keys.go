package access

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// secretBytes of randomness make a key: 160 bits (decisions 3).
const secretBytes = 20

// CreateKey adds a key to an account. No projects means all of the account's; a nil expiry means
// never. The secret is returned here and never again.
func (s *Service) CreateKey(ctx context.Context, owner id.Account, name string, scopes []string,
	projects []id.Project, expires *time.Time) (secret string, err error) {
	secret = s.Environment.KeyMark() + s.Entropy.Secret(secretBytes)
	key := s.newKey(owner, name, secret, scopes)
	key.Projects, key.ExpiresAt = projects, expires
	if err := check(key); err != nil {
		return "", err
	}
	return secret, s.Accounts.AddKey(ctx, key)
}

// shownPrefix is how many characters of a secret are kept to recognise it by: the mark and four more.
const shownPrefix = 12

func (s *Service) newKey(owner id.Account, name, secret string, scopes []string) *account.Key {
	return &account.Key{
		ID: id.New[id.APIKey](s.Entropy.Bits128()), Account: owner, Name: name, Scopes: scopes,
		Hash: sha256.Sum256([]byte(secret)), Prefix: secret[:min(shownPrefix, len(secret))], CreatedAt: s.Clock.Now(),
	}
}

func check(k *account.Key) error {
	c := fault.NewCheck()
	length := utf8.RuneCountInString(k.Name)
	c.That(length >= 1 && length <= 200, "name", "must have 1 to 200 characters")
	c.That(len(k.Scopes) > 0, "scopes", "must not be empty")
	for i, scope := range k.Scopes {
		group, verb, _ := strings.Cut(scope, ":")
		known := slices.Contains(account.Scopes, group) && (verb == "read" || verb == "write")
		c.In("scopes").That(scope == "*" || known, strconv.Itoa(i), "is no scope such as catalog:read")
	}
	c.That(k.ExpiresAt == nil || k.ExpiresAt.After(k.CreatedAt), "expires_at", "must be in the future")
	return c.Err()
}

// Owner is the installation's first account. A new installation gets one, on the plan.
func (s *Service) Owner(ctx context.Context, plan account.Plan) (*account.Account, error) {
	owner, err := s.Accounts.Oldest(ctx)
	if fault.KindOf(err) != fault.NotFound {
		return owner, err
	}
	owner = &account.Account{
		ID: id.New[id.Account](s.Entropy.Bits128()), Name: "Main account", Plan: plan, CreatedAt: s.Clock.Now(),
	}
	return owner, s.Accounts.Open(ctx, owner)
}

// shortestProduction is how many characters hold 160 bits in base32.
const shortestProduction = secretBytes * 8 / 5

// Bootstrap makes sure that an account on Enterprise (decisions 7) has an admin key with this secret. It
// may be repeated.
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
	return s.Accounts.AddKey(ctx, s.newKey(owner.ID, "Bootstrap key", secret, []string{"*"}))
}
