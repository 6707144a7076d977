// Package access authenticates API keys and members' sessions, checks their scopes, and verifies second factors (TOTP). It also
// opens accounts, creates and revokes API keys, and sets up authenticators. It does not select the project that a request is
// about. Package people manages members.
package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// Service knows keys by the hashes of their secrets.
type Service struct {
	*ports.Stores

	// Tries counts failed codes in transactions of its own, so that the count stays if a request's transaction rolls back.
	Tries       ports.Tries
	TOTP        ports.TOTP
	Vault       ports.Vault
	Clock       ports.Clock
	Entropy     ports.Entropy
	Environment account.Environment

	// Cache serves Authenticate and does not see a request's transaction. Nil: every key is read from the store.
	Cache ports.KeyCache
	Uses  *Uses // nil: uses are not recorded
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Caller identifies the program or member that sends a request. Other requests share what it points to, so it is read-only.
type Caller struct {
	Account *account.Account
	Key     *account.Key    // a member's has the scopes of the role and no id
	Member  *member.Member  // nil: a program calls with an API key
	Session *member.Session // the member's
}

// Holder is the owner of the second factor that confirms the caller's requests: the member, or the account for an API key.
func (c Caller) Holder() account.Holder {
	of := account.Holder{Account: c.Account.ID}
	if c.Member != nil {
		of.Member = c.Member.ID
	}
	return of
}

// Actor is the id of the calling member, or of the API key.
func (c Caller) Actor() string {
	if c.Member != nil {
		return c.Member.ID.String()
	}
	return c.Key.ID.String()
}

// Require refuses a caller whose key or role lacks a scope such as "catalog:read".
func (c Caller) Require(scope string) error {
	if c.Key.Allows(scope) {
		return nil
	}
	if c.Member != nil {
		return fault.New(fault.Forbidden, "insufficient_scope", "The role "+c.Member.Role.String()+" lacks the scope "+scope+".")
	}
	return fault.New(fault.Forbidden, "insufficient_scope", "This API key lacks the scope "+scope+".")
}

// Bound is the only project of a key that is bound to exactly one.
func (c Caller) Bound() (id.Project, bool) {
	if len(c.Key.Projects) == 1 {
		return c.Key.Projects[0], true
	}
	return id.Project{}, false
}

// longestSecret is how many bytes of an unauthenticated caller's secret are hashed at most.
const longestSecret = 256

// Authenticate finds the caller of a bearer secret, which is an API key or the token of a member's session, and notes its
// use. It returns the same Unauthenticated error for an unknown, expired or revoked secret and for one of the other environment.
func (s *Service) Authenticate(ctx context.Context, bearer string) (Caller, error) {
	if strings.HasPrefix(bearer, member.TokenMark) {
		return s.authenticateMember(ctx, bearer)
	}
	if !strings.HasPrefix(bearer, s.Environment.KeyMark()) || len(bearer) > longestSecret {
		return Caller{}, refused()
	}
	hash := sha256.Sum256([]byte(bearer))
	key, owner, err := s.find(ctx, hash)
	if err != nil {
		if fault.KindOf(err) == fault.NotFound {
			err = refused()
		}
		return Caller{}, err
	}
	now := s.Clock.Now()
	if subtle.ConstantTimeCompare(key.Hash[:], hash[:]) != 1 || !key.Valid(now) {
		return Caller{}, refused()
	}
	if s.Uses != nil {
		s.Uses.keys.note(key.ID, now)
	}
	return Caller{Account: owner, Key: key}, nil
}

// Known reports whether the key of a bearer secret was found recently. Authenticating any other secret costs a lookup.
func (s *Service) Known(bearer string) bool {
	return s.Cache != nil && len(bearer) <= longestSecret && s.Cache.Known(sha256.Sum256([]byte(bearer)))
}

func refused() error {
	return fault.New(fault.Unauthenticated, "unauthenticated", "A valid API key is required.")
}

func (s *Service) find(ctx context.Context, hash [32]byte) (*account.Key, *account.Account, error) {
	if s.Cache == nil {
		return s.Accounts.KeyByHash(ctx, hash)
	}
	return s.Cache.KeyByHash(ctx, hash)
}
